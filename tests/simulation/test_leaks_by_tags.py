"""Cards with an identity of their own while they lie face down: nothing tells which they are.

Responsible for: pairs of tables with an RFID shoe, and readers at rack and layout, that differ in
cards nobody has seen; and that no card is looked up before its tag has left the shoe.
Not responsible for: every way out of the running program (tests/end_to_end/test_leaks.py).
Source: D-8 (a scan is not disclosure); controller/README.md, "Disclosure".
"""

import json
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.cli.table.status_tasks import Typed
from controller.cli.table.status_text import status_block
from controller.control.answers import plain_entries, refusal
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import ReaderDeviceSettings, Settings, ShoeDeviceSettings
from controller.core.state import STATES
from controller.custody.manifest_csv import read_manifest
from controller.metrics.collector import TableMetrics
from controller.procedure.decisions import Decision, Resolution
from controller.procedure.events import CardDrawn
from controller.procedure.rulebook import Fact
from controller.replay.replayer import in_words
from controller.rules.outcome import Outcome
from controller.service.device_log import WireWatch
from controller.table.loop import Conclusion, Stored
from controller.tape.actions import DeclareResult, Resolve, Role, VacateSeat
from controller.tape.entries import Judged
from controller.tape.inputs import ManifestGiven, OperatorAction
from controller.views.snapshot import snapshot
from controller.views.snapshot_reader import Shown
from drivers.catalogue import ShoeSettings, build_monitor
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from hil.dealing.cards import card_named
from hil.dealing.tags import PhysicalBatch, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.simulation.table import SimulatedTable

RED, BLUE = usual_batches()
EXIT, RACK, LAYOUT = "exit", "rack", "layout"
PLAYER_ANTENNA, BANKER_ANTENNA = 1, 2
OF_A_PORT = (PortOpened, Chunk, PortLost)

# The first burn card, which everybody sees, then what nobody does: a burn card, Player's and
# Banker's cards in turn, a card too many.
SEEN = "AD"
NATURAL = ("JS", "9H", "7D", "KC", "5S", "3C")
BOTH_STAND = ("4H", "7C", "7S", "10H", "KH", "8D")
BEHIND = ("2D", "2H")


class Listened(RfidShoe):
    """A shoe that remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = b""

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.heard += data
        return super().receive(data, at_ns)


class Table:
    """An RFID table that deals face down, with both batches bound and the red one loaded."""

    def __init__(self, cards: tuple[str, ...], profile: str, batch: PhysicalBatch) -> None:
        self.shoe = Listened()
        self.readers = {RACK: TableReader(), LAYOUT: TableReader()}
        device = ShoeDeviceSettings(
            EXIT, "feig-rfid", False, "0-9A-F", "stx_counted", 250, gate_input=1
        )
        settings = Settings(
            table="M7",
            pit="",
            decks=8,
            gaming_day_start_s=6 * 3600,
            observed=(Fact.RESULT_BUTTON,),
            shoe=device,
            readers=(
                ReaderDeviceSettings(RACK, "discard_rack"),
                ReaderDeviceSettings(LAYOUT, "layout"),
            ),
        )
        self.rig = SimulatedTable(settings, profile, {EXIT: self.shoe, **self.readers})
        for one in (RED, BLUE):
            content = MANIFESTS.encode(read_manifest(one.csv()))
            self.rig.take(ManifestGiven(self.rig.at, one.name, "the test", content))
        self.batch = batch
        self.cards = [batch.of(card_named(name)) for name in (SEEN, *cards)]
        self.behind = [batch.of(card_named(name)) for name in BEHIND]
        self.left = list(self.cards)
        row = [card_named(name) for name in (SEEN, *cards, *BEHIND)]
        self.shoe.load(batch, row)

    def draw(self) -> None:
        piece = self.left.pop(0)
        self.shoe.draw_piece(piece)
        self.settle()

    def settle(self) -> None:
        devices = (self.shoe, *self.readers.values())
        assert self.rig.settle(lambda: all(device.all_taken for device in devices))

    def lay(self, reader: str, number: int, antenna: int = 1) -> None:
        """The card drawn as that number lies on a reader."""
        self.readers[reader].lay([self.cards[number - 1]], antenna)
        self.settle()

    def void(self) -> None:
        self.rig.act(Resolve(Resolution(Decision.VOID_COUP)), Role.FLOORPERSON)
        self.settle()

    def shown(self) -> dict:
        return snapshot(self.rig.core, self.rig.state, "running", "")


def pages(table: Table) -> str:
    shown = table.shown()
    return json.dumps(shown) + status_block(Shown(shown), Typed(("--config", "table.toml")))


def counted(table: Table) -> str:
    metrics = TableMetrics("M7")
    conclusion = Conclusion(table.rig.inputs[-1], tuple(table.rig.entries))
    metrics.observe(Stored((conclusion,), (), table.rig.at, table.rig.state))

    class Published:
        health = "running"
        published = (table.rig.core, table.rig.state)
        seals = None

    lines = metrics.text(Published()).decode().splitlines()
    return "\n".join(line for line in lines if "process_" not in line)


def answered(table: Table) -> str:
    """What an action would be answered now."""
    item = OperatorAction(table.rig.at, "A", Role.DEALER, "test", VacateSeat(3), "")
    _, output = table.rig.core.handle(table.rig.state, item)
    return json.dumps([refusal(output.entries), plain_entries(output.entries)])


def watched(table: Table) -> str:
    monitor = build_monitor("feig-rfid", ShoeSettings(), masked=True)
    state, lines = monitor.initial(), []
    for item in table.rig.inputs:
        if isinstance(item, OF_A_PORT) and item.port == EXIT:
            state, more = monitor.watch(state, item)
            lines.extend(more)
    return "\n".join(lines)


def wire_logged(table: Table) -> str:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    log, kept = logging.getLogger(f"smartshoe.wire.{EXIT}"), Kept()
    log.addHandler(kept)
    log.setLevel(logging.INFO)
    watch = WireWatch(table.rig.core.settings.shoe, "bytes", lambda _item: None)
    for item in table.rig.inputs:
        if isinstance(item, OF_A_PORT) and item.port == EXIT:
            watch.put(item)
    log.removeHandler(kept)
    return "\n".join(lines)


def retold(table: Table) -> str:
    return "\n".join(map(in_words, table.rig.entries))


def written(table: Table) -> str:
    return table.shoe.heard.hex()


WALKED: tuple[Callable[[Table], str], ...] = (
    pages,
    counted,
    answered,
    watched,
    wire_logged,
    retold,
    written,
)


def differing(one: Table, other: Table) -> list[str]:
    """The ways out that tell the two tables apart, or name the tag of a card."""
    found = []
    for walk in WALKED:
        texts = [walk(table) for table in (one, other)]
        tags = [piece.tag for table in (one, other) for piece in (*table.cards, *table.behind)]
        if texts[0] != texts[1]:
            found.append(walk.__name__)
        found += [f"{walk.__name__} {tag}" for tag in tags if tag in "".join(texts)]
    return found


@pytest.fixture
def pair() -> Callable[..., tuple[Table, Table]]:
    def made(
        profile: str = "ny-midi", batches: tuple[PhysicalBatch, PhysicalBatch] = (RED, RED)
    ) -> tuple[Table, Table]:
        one, other = batches
        return Table(NATURAL, profile, one), Table(BOTH_STAND, profile, other)

    return made


DRAWN_WELL = "well"


@pytest.mark.parametrize("fault", [DRAWN_WELL, *ExitFault])
def test_whatever_happens_at_the_exit_the_cards_face_down_are_not_told(pair, fault) -> None:
    one, other = pair()
    for number in range(1, 8):
        for table in (one, other):
            if number == 4 and fault != DRAWN_WELL:
                table.shoe.order(ExitFault(fault))
            table.draw()
        assert differing(one, other) == [], f"card {number}"
    for table in (one, other):
        table.void()
    assert differing(one, other) == []


def swapped(batch: PhysicalBatch, name: str, by: PhysicalBatch) -> PhysicalBatch:
    """The batch with one card of another in its place."""
    stray = by.of(card_named(name))
    cards = tuple(stray if one.card == stray.card else one for one in batch.cards)
    return replace(batch, cards=cards)


@pytest.mark.parametrize("profile", ["ny-midi", "ny-mini"])
@pytest.mark.parametrize(("number", "names"), [(2, ("JS", "4H")), (7, ("3C", "8D"))])
def test_a_card_of_the_other_batch_that_nobody_saw_is_found_and_not_named(
    pair, profile, number, names
) -> None:
    """A burn card that is not shown, and a card too many: hidden however the hands are dealt."""
    batches = tuple(swapped(RED, name, BLUE) for name in names)
    one, other = pair("ny-midi", batches)
    if profile == "ny-mini":
        # Dealt face up the hands are seen, so only what is hidden may differ.
        one = Table((*NATURAL[:5], "3C"), profile, batches[0])
        other = Table((*NATURAL[:5], "8D"), profile, batches[1])
        if number == 2:
            one = Table(("JS", *NATURAL[1:]), profile, batches[0])
            other = Table(("4H", *NATURAL[1:]), profile, batches[1])
    for table in (one, other):
        for _ in range(number):
            table.draw()
    codes = [each["code"] for each in one.shown()["irregularities"]]
    assert "WRONG_BATCH" in codes
    found = one.shown()["irregularities"][codes.index("WRONG_BATCH")]["found"]
    assert (found["card"], found["tag"]) == ("??", "")
    assert differing(one, other) == []


def test_dealt_face_up_a_card_of_the_other_batch_is_named_with_its_step() -> None:
    table = Table(NATURAL, "s42-mini", swapped(RED, "9H", BLUE))
    for _ in range(3):
        table.draw()
    open_ones = table.shown()["irregularities"]
    assert [each["code"] for each in open_ones] == ["WRONG_BATCH"]
    (open_one,) = open_ones
    assert (open_one["found"]["card"], open_one["found"]["back"]) == ("9h", "blue")
    assert open_one["found"]["tag"] == BLUE.of(card_named("9H")).tag


def test_a_card_face_down_at_the_wrong_hand_is_found_and_not_named(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(6):
            table.draw()
        table.lay(LAYOUT, 3, BANKER_ANTENNA)
    assert [each["code"] for each in one.shown()["irregularities"]] == ["CARD_MISPLACED"]
    assert differing(one, other) == []


def test_a_card_that_never_left_by_the_exit_is_found_and_not_named(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(4):
            table.draw()
        table.lay(LAYOUT, 7, PLAYER_ANTENNA)
    assert [each["code"] for each in one.shown()["irregularities"]] == ["CARD_NOT_DRAWN"]
    assert differing(one, other) == []


def test_cards_of_a_void_coup_in_the_rack_are_not_told(pair) -> None:
    one, other = pair()
    for table in (one, other):
        for _ in range(7):
            table.draw()
        table.void()
        for number in (3, 4, 5, 6, 7):
            table.lay(RACK, number)
    assert differing(one, other) == []


def test_a_declared_result_discloses() -> None:
    table = Table(NATURAL, "ny-midi", RED)
    for _ in range(6):
        table.draw()
    table.rig.act(DeclareResult(Outcome.PLAYER))
    assert table.shown()["last_coup"]["player"] == ["9h", "Kc"]


# --- what has not left the shoe -------------------------------------------------------------------


@pytest.mark.parametrize("drawn", range(6))
def test_no_face_is_kept_of_a_card_that_has_not_left_the_shoe(pair, drawn) -> None:
    """Until a card leaves, everything the program knows is the same whatever the card is."""
    one = Table(NATURAL, "ny-midi", RED)
    other = Table((*NATURAL[:drawn], *BOTH_STAND[drawn:]), "ny-midi", RED)
    for table in (one, other):
        for _ in range(1 + drawn):
            table.draw()
    assert STATES.encode(one.rig.state) == STATES.encode(other.rig.state)
    assert one.rig.inputs == other.rig.inputs


def test_a_tag_read_behind_the_card_that_leaves_is_not_looked_up() -> None:
    """It stands in what was concluded as it was read, and says nothing without the batch's file."""
    table = Table(NATURAL, "ny-midi", RED)
    for _ in range(3):
        table.draw()
    table.shoe.order(ExitFault.TWO_TAGS)
    table.draw()
    judged = [entry.event for entry in table.rig.entries if isinstance(entry, Judged)]
    faces = [str(event.card) for event in judged if isinstance(event, CardDrawn)]
    assert any(table.cards[4].tag in repr(entry) for entry in table.rig.entries)
    assert faces == ["Ad", "Js", "9h", "None"]
