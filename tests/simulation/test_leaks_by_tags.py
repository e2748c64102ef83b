"""No output reveals a tagged card while it lies face down.

Pairs of tables with an RFID shoe, and readers at rack and layout, differ only in cards that nobody
has seen. No card is looked up before its tag has left the shoe.

Source: D-8 (a scan is not disclosure).
"""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec.json import encode
from prometheus_client import generate_latest
from shown_tables import faces

from controller.archive.replay.replayer import describe_entry
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
)
from controller.core.state import Conclusion, Stored, encode_state
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import ManifestGiven
from controller.custody.manifest_csv import read_manifest
from controller.outlets.control.answers import answered_entries, refusal_text
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.procedure.events import CardDrawn
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.snapshot import HIDDEN_CARD, Health, Snapshot, card_words
from controller.rules.actions.actions import DeclareResult, OperatorAction, Resolution, VacateSeat
from controller.rules.actions.choices import FloorDecision
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.service.table_log import WireLogger
from controller.system.messages.catalogue import to_words
from drivers.model import ReaderSeat
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from hil.dealing.cards import card_named
from hil.dealing.tags import PhysicalBatch, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.simulation.table import SimulatedTable

RED, BLUE = usual_batches()
EXIT, RACK, LAYOUT = "exit", "rack", "layout"
PLAYER_ANTENNA, BANKER_ANTENNA = 1, 2
OF_A_PORT = (PortOpened, Chunk, PortLost)

# The first burn card, which is disclosed, then undisclosed cards: a burn card, Player's and
# Banker's cards in turn, a card too many.
FIRST_BURN_CARD = "AD"
NATURAL = ("JS", "9H", "7D", "KC", "5S", "3C")
BOTH_STAND = ("4H", "7C", "7S", "10H", "KH", "8D")
BEHIND = ("2D", "2H")
BY_TEST = message("the_configuration")


class WriteRecordingShoe(RfidShoe):
    """A shoe that records the bytes sent to it."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes_received = b""

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.bytes_received += data
        return super().receive(data, at_ns)


class Table:
    """An RFID table that deals face down, with both batches bound and the red one loaded."""

    def __init__(self, cards: tuple[str, ...], profile: str, batch: PhysicalBatch) -> None:
        self.shoe = WriteRecordingShoe()
        self.readers = {RACK: TableReader(), LAYOUT: TableReader()}
        device = DeviceSettings(EXIT, "feig-rfid", FEIG_RFID.to_store(RfidSettings(gate_input=1)))
        settings = Settings(
            table="M7",
            pit="",
            decks=8,
            gaming_day_start_s=6 * 3600,
            observed=(ObservableFact.RESULT_BUTTON,),
            shoe=device,
            readers=(
                ReaderDeviceSettings(RACK, "feig-reader", seat=ReaderSeat.DISCARD_RACK),
                ReaderDeviceSettings(LAYOUT, "feig-reader", seat=ReaderSeat.LAYOUT),
            ),
        )
        self.rig = SimulatedTable(settings, profile, {EXIT: self.shoe, **self.readers})
        for one in (RED, BLUE):
            content = MANIFESTS.encode(read_manifest(one.csv()))
            self.rig.take(ManifestGiven(self.rig.at, one.name, BY_TEST, content))
        self.batch = batch
        self.cards = [batch.of(card_named(name)) for name in (FIRST_BURN_CARD, *cards)]
        self.behind = [batch.of(card_named(name)) for name in BEHIND]
        self.cards_left = list(self.cards)
        row = [card_named(name) for name in (FIRST_BURN_CARD, *cards, *BEHIND)]
        self.shoe.load(batch, row)

    def draw(self) -> None:
        piece = self.cards_left.pop(0)
        self.shoe.draw_piece(piece)
        self.settle()

    def settle(self) -> None:
        devices = (self.shoe, *self.readers.values())
        assert self.rig.settle(lambda: all(device.all_delivered for device in devices))

    def lay(self, reader: str, number: int, antenna: int = 1) -> None:
        """Lay the card that was drawn as that number on a reader."""
        self.readers[reader].lay([self.cards[number - 1]], antenna)
        self.settle()

    def void(self) -> None:
        self.rig.act(Resolution(FloorDecision.VOID_COUP), Role.FLOORPERSON)
        self.settle()

    def snapshot_now(self) -> Snapshot:
        return build_snapshot(self.rig.core, self.rig.state)


def page_text(table: Table) -> str:
    snapshot_now = table.snapshot_now()
    return encode(snapshot_now).decode() + status_block(
        snapshot_now, CommandHints(("--config", "table.toml"))
    )


def metrics_text(table: Table) -> str:
    class Published:
        name = "M7"
        health = Health.RUNNING
        published = (table.rig.core, table.rig.state)
        followers = ()
        waiting = 0
        sealing_status = None

    metrics = TableMetrics(Published())
    conclusion = Conclusion(table.rig.inputs[-1], tuple(table.rig.entries))
    metrics.stored(Stored((conclusion,), (), table.rig.at, table.rig.state, table.rig.core.book))
    return generate_latest(TablesCollector([metrics])).decode()


def answer_text(table: Table) -> str:
    """The answer that an action would get now."""
    item = OperatorAction(table.rig.at, "A", Role.DEALER, "test", VacateSeat(3), "")
    _, output = table.rig.core.handle(table.rig.state, item)
    answers = answered_entries(output.entries, table.rig.core.book, table.rig.state.table)
    return encode((refusal_text(output.entries, table.rig.core.book), answers)).decode()


def monitor_text(table: Table) -> str:
    monitor = FEIG_RFID.build_monitor(to_words, masked=True)
    state, lines = monitor.initial(), []
    for item in table.rig.inputs:
        if isinstance(item, OF_A_PORT) and item.port == EXIT:
            state, more = monitor.watch(state, item)
            lines.extend(more)
    return "\n".join(lines)


def wire_log_text(table: Table) -> str:
    lines: list[str] = []

    class LogLines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    log, handler = logging.getLogger(f"smartshoe.wire.{EXIT}"), LogLines()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    watch = WireLogger(table.rig.core.settings.shoe, "bytes", lambda _item: None)
    for item in table.rig.inputs:
        if isinstance(item, OF_A_PORT) and item.port == EXIT:
            watch.put(item)
    log.removeHandler(handler)
    return "\n".join(lines)


def described_entries(table: Table) -> str:
    return "\n".join(map(describe_entry, table.rig.entries))


def bytes_to_shoe(table: Table) -> str:
    return table.shoe.bytes_received.hex()


OUTPUTS: tuple[Callable[[Table], str], ...] = (
    page_text,
    metrics_text,
    answer_text,
    monitor_text,
    wire_log_text,
    described_entries,
    bytes_to_shoe,
)


def differing_outputs(one: Table, other: Table) -> list[str]:
    """The outputs that differ between the two tables, or that contain a card's tag."""
    found = []
    for output_of in OUTPUTS:
        texts = [output_of(table) for table in (one, other)]
        tags = [piece.tag for table in (one, other) for piece in (*table.cards, *table.behind)]
        if texts[0] != texts[1]:
            found.append(output_of.__name__)
        found += [f"{output_of.__name__} {tag}" for tag in tags if tag in "".join(texts)]
    return found


@pytest.fixture
def pair() -> Callable[..., tuple[Table, Table]]:
    def make(
        profile: str = "ny-midi", batches: tuple[PhysicalBatch, PhysicalBatch] = (RED, RED)
    ) -> tuple[Table, Table]:
        one, other = batches
        return Table(NATURAL, profile, one), Table(BOTH_STAND, profile, other)

    return make


NO_FAULT = "well"


@pytest.mark.parametrize("fault", [NO_FAULT, *ExitFault])
def test_no_exit_fault_reveals_cards_face_down(pair, fault) -> None:
    one, other = pair()
    for number in range(1, 8):
        for table in (one, other):
            if number == 4 and fault != NO_FAULT:
                table.shoe.order(ExitFault(fault))
            table.draw()
        assert differing_outputs(one, other) == [], f"card {number}"
    for table in (one, other):
        table.void()
    assert differing_outputs(one, other) == []


def with_stray(batch: PhysicalBatch, name: str, by: PhysicalBatch) -> PhysicalBatch:
    """The batch with one card of another in its place."""
    stray = by.of(card_named(name))
    cards = tuple(stray if one.card == stray.card else one for one in batch.cards)
    return replace(batch, cards=cards)


@pytest.mark.parametrize("profile", ["ny-midi", "ny-mini"])
@pytest.mark.parametrize(("number", "names"), [(2, ("JS", "4H")), (7, ("3C", "8D"))])
def test_an_unseen_card_of_the_other_batch_is_found_and_not_named(
    pair, profile, number, names
) -> None:
    """An undisclosed burn card and an overdraw are hidden however the hands are dealt."""
    batches = tuple(with_stray(RED, name, BLUE) for name in names)
    one, other = pair("ny-midi", batches)
    if profile == "ny-mini":
        # Hands dealt face up are disclosed, so only hidden cards may differ.
        one = Table((*NATURAL[:5], "3C"), profile, batches[0])
        other = Table((*NATURAL[:5], "8D"), profile, batches[1])
        if number == 2:
            one = Table(("JS", *NATURAL[1:]), profile, batches[0])
            other = Table(("4H", *NATURAL[1:]), profile, batches[1])
    for table in (one, other):
        for _ in range(number):
            table.draw()
    codes = [each.code for each in one.snapshot_now().irregularities]
    assert "WRONG_BATCH" in codes
    found = one.snapshot_now().irregularities[codes.index("WRONG_BATCH")].found
    assert (card_words(found.card), found.tag.value) == (HIDDEN_CARD, None)
    assert differing_outputs(one, other) == []


def test_dealt_face_up_a_card_of_the_other_batch_is_named_with_its_step() -> None:
    table = Table(NATURAL, "s42-mini", with_stray(RED, "9H", BLUE))
    for _ in range(3):
        table.draw()
    open_ones = table.snapshot_now().irregularities
    assert [each.code for each in open_ones] == ["WRONG_BATCH"]
    (open_one,) = open_ones
    assert (open_one.found.card.value, open_one.found.back) == ("9h", "blue")
    assert open_one.found.tag.value == BLUE.of(card_named("9H")).tag


def test_a_card_face_down_at_the_wrong_hand_is_found_and_not_named(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(6):
            table.draw()
        table.lay(LAYOUT, 3, BANKER_ANTENNA)
    assert [each.code for each in one.snapshot_now().irregularities] == ["CARD_MISPLACED"]
    assert differing_outputs(one, other) == []


def test_a_card_that_never_left_by_the_exit_is_found_and_not_named(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(4):
            table.draw()
        table.lay(LAYOUT, 7, PLAYER_ANTENNA)
    assert [each.code for each in one.snapshot_now().irregularities] == ["CARD_NOT_DRAWN"]
    assert differing_outputs(one, other) == []


def test_cards_of_a_void_coup_in_the_rack_are_not_revealed(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(7):
            table.draw()
        table.void()
        for number in (3, 4, 5, 6, 7):
            table.lay(RACK, number)
    assert differing_outputs(one, other) == []


def test_a_declared_result_discloses() -> None:
    table = Table(NATURAL, "ny-midi", RED)
    for _ in range(6):
        table.draw()
    table.rig.act(DeclareResult(Outcome.PLAYER))
    assert faces(table.snapshot_now().last_coup.player.cards) == ["9h", "Kc"]


# --- cards still in the shoe ----------------------------------------------------------------------


@pytest.mark.parametrize("drawn", range(6))
def test_no_face_is_stored_of_a_card_still_in_the_shoe(pair, drawn) -> None:
    """Until a card leaves, everything the program knows is the same whatever the card is."""
    one = Table(NATURAL, "ny-midi", RED)
    other = Table((*NATURAL[:drawn], *BOTH_STAND[drawn:]), "ny-midi", RED)
    for table in (one, other):
        for _ in range(1 + drawn):
            table.draw()
    assert encode_state(one.rig.state) == encode_state(other.rig.state)
    assert one.rig.inputs == other.rig.inputs


def test_a_tag_read_behind_the_drawn_card_is_not_looked_up() -> None:
    """It is recorded as it was read, and reveals nothing without the batch file."""
    table = Table(NATURAL, "ny-midi", RED)
    for _ in range(3):
        table.draw()
    table.shoe.order(ExitFault.TWO_TAGS)
    table.draw()
    judged = [entry.event for entry in table.rig.entries if isinstance(entry, EventVerdicts)]
    faces = [str(event.card) for event in judged if isinstance(event, CardDrawn)]
    assert any(table.cards[4].tag in repr(entry) for entry in table.rig.entries)
    assert faces == ["Ad", "Js", "9h", "None"]
