"""A table with an emulated shuffler under a simulated clock: the program's whole core around it.

Responsible for: orders by people, the exchange of two batches, warnings that lock the shoe, their
clearing, what a restart keeps, custody and snapshot along the way, and that nothing of it is heard
from any other port.
Not responsible for: the life of a batch (tests/controller/custody/lineage), verdicts
(tests/controller/procedure), the driver (test_shuffler_driver), real ports (tests/end_to_end).
Source: NY (a)(4)(iv); S42 (a)(4), (e); controller/README.md, "The shuffler at the table".
"""

import json
from dataclasses import replace
from functools import reduce
from itertools import product

import pytest

from controller.cli.table.status_tasks import Typed
from controller.cli.table.status_text import status_block
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import Settings, ShoeDeviceSettings, ShufflerDeviceSettings
from controller.core.state import STATES
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar, Lineage, WarningKind
from controller.custody.manifest import ManifestCard, manifest_of
from controller.procedure.effects import (
    Refused,
    ShuffleRecorded,
    WarningClosed,
)
from controller.procedure.events import ReportsMissing, ShufflerTold
from controller.procedure.phases import Phase
from controller.rules.cards import Card, Rank, Suit
from controller.tape.actions import (
    ClearWarning,
    CloseShoe,
    OrderTheShuffler,
    Role,
    UnlockShoe,
)
from controller.tape.entries import CommandGiven, DeviceNoted, Entry, Judged
from controller.tape.inputs import ManifestGiven, Started
from controller.tape.records import entry_record, input_record
from controller.views.snapshot import snapshot
from controller.views.snapshot_reader import Shown
from drivers.commands import ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.shuffler_events import IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import batch
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.simulation.table import ENTROPY, SimulatedTable

SHOE, SHUFFLER = "/dev/shoe", "/dev/shuffler"
MS, S = 1_000_000, 1_000_000_000
DECKS = 8
EVERYBODY = tuple(role.value for role in Role)
ORDERS = tuple((order.value, EVERYBODY) for order in ShufflerOrder)
# Literals of the Angel Eye's wire document: STX, "OPLK", 02 or 01, ETX, BCC.
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
UNLOCK = bytes.fromhex("02 4F 50 4C 4B 30 31 03 31 38")
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
CLOSED = {SHOE: False}


def cards_of(back: str) -> tuple[PhysicalCard, ...]:
    pieces = batch(f"{back.upper()}-0001", back, DECKS).cards
    return tuple(piece for piece in pieces if piece.card is not None)


RED, BLUE = cards_of("red"), cards_of("blue")


def trust_in(shuffler: Shuffler) -> Trust:
    pins = shuffler.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


class Table(SimulatedTable):
    """A shoe that says what the test says, and a whole emulated shuffler."""

    def __init__(
        self,
        *,
        bare: bool = False,
        trust: Trust | None = None,
        locks: bool = True,
        shuffle_seed: int = 1,
    ) -> None:
        self.shuffler = Shuffler(
            ShufflerSettings(
                bare=bare, reading=True, decks=DECKS, shuffle_ns=20 * S, shuffle_seed=shuffle_seed
            )
        )
        known = Trust(bare=True) if bare else trust_in(self.shuffler)
        shoe = ShoeDeviceSettings(SHOE, "angel-eye-ii-ex", locks, "0-9A-F", "stx_counted", 250)
        told = ShufflerDeviceSettings(
            SHUFFLER, "tablelink", allow_commands=True, orders=ORDERS, trust=trust or known
        )
        settings = Settings("M7", "3", DECKS, 0, (), shoe, shuffler=told)
        self.shoe_reports = 0
        self.to_shoe: list[bytes] = []
        super().__init__(settings, "s42-mini", {SHUFFLER: self.shuffler})
        self.take(PortOpened(SHOE, self.at, ENTROPY))
        self.later(S)

    def _to_device(self, port: str, data: bytes) -> None:
        if port == SHOE:
            self.to_shoe.append(data)
            if data in (LOCK, UNLOCK):
                self.take(Chunk(SHOE, self.at, b"\x06"))
        else:
            super()._to_device(port, data)

    def reports(self, *data: str) -> None:
        """The shoe reports these, one after the other."""
        for data_hex in data:
            self.later(300 * MS)
            body = f"{self.shoe_reports % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
            sent = b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()
            self.take(Chunk(SHOE, self.at, sent))
            self.shoe_reports += 1

    def orders(
        self, order: ShufflerOrder, compartment: int = 0, batch: str = ""
    ) -> tuple[Entry, ...]:
        """A floorperson orders it, and it is done a second later, if it was not refused."""
        given = self.act(OrderTheShuffler(order, compartment, batch), Role.FLOORPERSON)
        self.later(S)
        return given

    def brings(self, order: ShufflerOrder, compartment: int = 0, batch: str = "") -> None:
        given = self.orders(order, compartment, batch)
        assert not [one for one in given if isinstance(one, Refused)], given

    def shuffles(self, cards: tuple[PhysicalCard, ...], compartment: int) -> None:
        """A batch goes in, is counted, shuffled and stored."""
        self.shuffler.put_in(cards)
        self.brings(ShufflerOrder.LOAD, compartment)
        self.brings(ShufflerOrder.COUNT, compartment)
        self.brings(ShufflerOrder.SHUFFLE, compartment)
        self.later(21 * S)
        self.brings(ShufflerOrder.STORE, compartment)

    def of(self, kind: type) -> list:
        return [one for one in self.entries if isinstance(one, kind)]

    @property
    def lineage(self) -> Lineage:
        return self.state.table.lineage

    def stage(self, back: str) -> BatchStage:
        life = self.lineage.life(back)
        assert life is not None
        return life.stage

    def snapshot(self) -> dict[str, object]:
        shown = snapshot(self.core, self.state, "running", "")
        assert json.loads(json.dumps(shown)) == shown
        return shown


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_paired_shuffler_is_trusted_and_told_everywhere(table: Table) -> None:
    assert table.lineage.trusted
    shuffler = table.snapshot()["shuffler"]
    assert (shuffler["stage"], shuffler["trusted"], shuffler["bare"]) == ("online", True, False)
    assert "trusted" in status_block(Shown(table.snapshot()), Typed())
    assert table.lineage.warnings == ()


# --- orders ---------------------------------------------------------------------------------------


def test_a_person_orders_a_whole_way_through_the_shuffler(table: Table) -> None:
    table.shuffles(RED, 1)
    assert table.stage("red") is BatchStage.STORED
    given = [one.command for one in table.of(CommandGiven)]
    assert given == [
        "OrderShuffler load 1",
        "OrderShuffler count 1",
        "OrderShuffler shuffle 1",
        "OrderShuffler store 1",
    ]
    answers = [n.event for n in table.of(DeviceNoted) if isinstance(n.event, CommandAnswered)]
    assert [one.outcome for one in answers] == [CommandOutcome.DONE] * 4
    assert [one.refused for one in table.of(ShuffleRecorded)] == [""]


def test_a_batch_is_ordered_by_its_back(table: Table) -> None:
    table.shuffles(RED, 2)
    table.brings(ShufflerOrder.RELEASE, batch="red")
    assert table.of(CommandGiven)[-1].command == "OrderShuffler release 2"
    assert table.stage("red") is BatchStage.RELEASED


def test_an_order_that_breaks_the_life_of_a_batch_reaches_no_device(table: Table) -> None:
    table.shuffler.put_in(RED)
    table.brings(ShufflerOrder.LOAD, 1)
    commands = len(table.of(CommandGiven))
    (refused,) = table.orders(ShufflerOrder.RELEASE, 1)
    assert isinstance(refused, Refused)
    assert "not shuffled" in refused.why or "is not known" in refused.why
    assert len(table.of(CommandGiven)) == commands


# --- an exchange ----------------------------------------------------------------------------------


def dealt(table: Table) -> None:
    """A shoe of one coup, closed by a floorperson."""
    table.reports(*OPENING, *COUP)


def exchanged(table: Table) -> None:
    """Red is dealt, blue is stored; red's shoe ends, blue comes out and red goes in."""
    table.shuffles(RED, 1)
    table.shuffles(BLUE, 2)
    table.brings(ShufflerOrder.RELEASE, batch="red")
    table.shuffler.take(1)
    table.later(S)
    dealt(table)


def test_the_batch_that_comes_out_is_dealt(table: Table) -> None:
    exchanged(table)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.IN_PLAY, BatchStage.STORED)
    assert table.state.table.phase is Phase.BETWEEN_COUPS
    assert table.lineage.in_play == "red"


def test_both_take_turns(table: Table) -> None:
    exchanged(table)
    table.act(CloseShoe(), Role.FLOORPERSON)
    assert table.stage("red") is BatchStage.SPENT
    table.brings(ShufflerOrder.RELEASE, batch="blue")
    table.shuffler.take(2)
    table.shuffles(RED, 1)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.STORED, BatchStage.RELEASED)
    dealt(table)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.STORED, BatchStage.IN_PLAY)
    assert table.state.table.open_irregularities == ()


def test_the_same_batch_does_not_come_out_again(table: Table) -> None:
    exchanged(table)
    table.act(CloseShoe(), Role.FLOORPERSON)
    table.shuffles(RED, 1)
    (refused,) = table.orders(ShufflerOrder.RELEASE, batch="red")
    assert refused == Refused(
        "order-shuffler",
        "the last shoe was dealt from red: release the other batch",
        refused.clauses,
    )
    assert refused.clauses


def test_no_batch_comes_out_while_a_shoe_is_open(table: Table) -> None:
    exchanged(table)
    (refused,) = table.orders(ShufflerOrder.RELEASE, batch="blue")
    assert refused.why == "a shoe is open: blue stays in the shuffler until it is over"


def kinds(table: Table) -> list[WarningKind]:
    return [one.kind for one in table.lineage.warnings]


def shut_and_cleared(table: Table) -> None:
    """The door is shut, and a floorperson clears all that is open."""
    table.shuffler.close_door(2)
    table.later(39 * S)
    for number in [one.number for one in table.lineage.warnings]:
        table.act(ClearWarning(number), Role.FLOORPERSON, "a cleaner; blue is shuffled anew")


# --- warnings and the lock ------------------------------------------------------------------------


@pytest.fixture
def warned(table: Table) -> Table:
    """A card has been dealt from red when the door over blue is opened."""
    exchanged(table)
    table.to_shoe.clear()
    table.shuffler.open_door(2)
    table.later(S)
    return table


def test_a_warning_locks_the_shoe_though_nothing_is_suspended(warned: Table) -> None:
    assert kinds(warned) == [WarningKind.DOOR, WarningKind.LAMP]
    assert warned.state.table.phase is Phase.BETWEEN_COUPS
    assert warned.to_shoe == [LOCK]
    lock = CommandGiven(SHOE, "LockExit", "a warning of the shuffler is open")
    assert lock in warned.entries


def test_nobody_unlocks_it_by_hand(warned: Table) -> None:
    (refused,) = warned.act(UnlockShoe(), Role.PIT_MANAGER, "go on")
    assert isinstance(refused, Refused)
    assert "clear it (clear-warning, number 1, 2)" in refused.why
    assert warned.to_shoe == [LOCK]


def test_a_warning_whose_cause_lasts_cannot_be_cleared(warned: Table) -> None:
    entries = warned.act(ClearWarning(1), Role.FLOORPERSON, "seen by me")
    assert [one for one in entries if isinstance(one, Refused)]
    assert warned.lineage.interlocked


def test_a_named_person_who_clears_it_unlocks_the_shoe(warned: Table) -> None:
    shut_and_cleared(warned)
    closed = warned.of(WarningClosed)
    assert [(one.kind, one.person, one.waited_ns // S) for one in closed] == [
        ("door", "floorperson", 40),
        ("lamp", "floorperson", 40),
    ]
    assert {one.reason for one in closed} == {"a cleaner; blue is shuffled anew"}
    assert warned.to_shoe == [LOCK, UNLOCK]
    assert CommandGiven(SHOE, "UnlockExit", "the warnings are cleared") in warned.entries


def test_a_suspended_table_stays_locked_when_its_warning_is_cleared(warned: Table) -> None:
    warned.reports("44 81 C9")
    assert warned.state.table.phase is Phase.SUSPENDED
    shut_and_cleared(warned)
    assert kinds(warned) == []
    assert warned.to_shoe == [LOCK]
    warned.resolve_anyhow()
    assert warned.to_shoe == [LOCK, UNLOCK]


def test_a_table_without_a_lock_is_told_and_not_commanded() -> None:
    table = Table(locks=False)
    exchanged(table)
    table.shuffler.open_door(2)
    table.later(S)
    assert table.lineage.interlocked
    assert [one for one in table.of(CommandGiven) if one.port == SHOE] == []


def test_a_pulled_plug_is_a_warning_and_no_missing_report_of_the_shoe(table: Table) -> None:
    table.unplug(SHUFFLER)
    assert kinds(table) == [WarningKind.SILENT]
    assert not table.lineage.trusted
    assert not [one for one in table.of(Judged) if isinstance(one.event, ReportsMissing)]


def test_the_status_tells_what_to_type(warned: Table) -> None:
    block = status_block(Shown(warned.snapshot()), Typed(("--config", "table.toml")), width=200)
    assert "WARNING    1 door: " in block
    assert " clear     not before its cause is gone" in block


# --- a restart ------------------------------------------------------------------------------------


def restarted(table: Table) -> None:
    """The program ends and begins anew, with the state it stored; the shuffler went on."""
    started = next(one for one in table.inputs if isinstance(one, Started))
    table.state = STATES.decode(STATES.encode(table.state))
    table.take(replace(started, at=table.at, boot_id="after"))


def test_a_warning_outlives_a_restart_and_so_does_the_lock(warned: Table) -> None:
    warned.to_shoe.clear()
    restarted(warned)
    assert warned.lineage.interlocked
    assert warned.to_shoe == []
    warned.take(PortOpened(SHOE, warned.at, ENTROPY))
    assert warned.to_shoe == [LOCK]


def test_a_restart_by_itself_is_no_warning(table: Table) -> None:
    exchanged(table)
    before = table.lineage
    restarted(table)
    assert table.lineage == before
    assert table.snapshot()["shuffler"]["trusted"] is False
    table.shuffler.host_appeared(table.clock_ns)
    table.take(PortOpened(SHUFFLER, table.at, ENTROPY[::-1]))
    table.later(S)
    assert table.snapshot()["shuffler"]["trusted"] is True
    assert table.lineage == before


def test_what_the_shuffler_told_meanwhile_is_heard_after_a_restart(table: Table) -> None:
    exchanged(table)
    restarted(table)
    table.shuffler.open_door(2)
    table.shuffler.host_appeared(table.clock_ns)
    table.take(PortOpened(SHUFFLER, table.at, ENTROPY[::-1]))
    table.later(S)
    assert kinds(table) == [WarningKind.DOOR, WarningKind.LAMP]
    blue = table.lineage.life("blue")
    assert blue is not None
    assert Bar.TOUCHED in blue.bars


# --- identity -------------------------------------------------------------------------------------


def test_a_bare_shuffler_says_so_everywhere() -> None:
    table = Table(bare=True)
    assert table.snapshot()["shuffler"]["bare"] is True
    assert "BARE: it proves nothing of itself" in status_block(Shown(table.snapshot()), Typed())


def test_another_shuffler_than_the_paired_one_never_feeds_the_table() -> None:
    other = Shuffler(ShufflerSettings(seed=bytes(32)))
    table = Table(trust=trust_in(other))
    table.shuffler.put_in(RED)
    table.shuffler.press("load", 1)
    table.shuffler.press("count", 1)
    table.later(S)
    assert table.snapshot()["shuffler"]["trusted"] is False
    assert kinds(table) == [WarningKind.IDENTITY]
    assert {one.stage for one in table.lineage.lives} == {BatchStage.UNKNOWN}
    told = [one.event for one in table.of(Judged) if isinstance(one.event, ShufflerTold)]
    assert {type(one.event) for one in told} == {IdentityRefused}
    (refused,) = table.orders(ShufflerOrder.COUNT, 1)
    assert refused.why.startswith("the shuffler has not proven who it is")


# --- what is stored -------------------------------------------------------------------------------


def test_all_of_it_can_be_stored_and_told_again(warned: Table) -> None:
    assert all(map(input_record, warned.inputs))
    assert all(map(entry_record, warned.entries))
    core, state = warned.core, warned.core.initial()
    again: list[Entry] = []
    for item in warned.inputs:
        state, output = core.handle(state, item)
        again.extend(output.entries)
    assert again == warned.entries
    assert state == warned.state


# --- custody --------------------------------------------------------------------------------------


def bound(table: Table, back: str) -> None:
    """The batch of that back is bound, its cards in their carton."""
    deck = [
        ManifestCard(f"{back[0].encode().hex()}{number:06X}", Card(rank, suit), deck)
        for deck in range(1, DECKS + 1)
        for number, (rank, suit) in enumerate(product(Rank, Suit), start=deck * 100)
    ]
    content = MANIFESTS.encode(manifest_of(f"{back.upper()}-0001", back, DECKS, deck))
    table.take(ManifestGiven(table.at, f"{back.upper()}-0001", "the test", content))


def where(table: Table, back: str) -> dict[str, int]:
    batches = table.snapshot()["custody"]["batches"]
    cards = next(one["cards"] for one in batches if one["back"] == back)
    return {place: count for place, count in cards.items() if count}


def test_after_its_turn_a_batch_is_in_the_shuffler_and_not_anywhere(table: Table) -> None:
    for back in ("red", "blue"):
        bound(table, back)
    exchanged(table)
    assert where(table, "blue") == {"shuffler": 416}
    table.act(CloseShoe(), Role.FLOORPERSON)
    table.brings(ShufflerOrder.RELEASE, batch="blue")
    table.shuffler.take(2)
    table.shuffles(RED, 1)
    dealt(table)
    assert where(table, "red") == {"shuffler": 416}
    assert table.state.table.open_irregularities == ()


def test_a_batch_that_is_counted_short_is_found_to_be(table: Table) -> None:
    bound(table, "red")
    table.shuffler.put_in(RED[1:])
    table.brings(ShufflerOrder.LOAD, 1)
    table.brings(ShufflerOrder.COUNT, 1)
    red = table.lineage.life("red")
    assert red is not None
    assert (red.stage, red.bars) == (BatchStage.HELD, (Bar.SHORT,))
    assert WarningKind.COUNT in kinds(table)
    assert table.snapshot()["custody"]["batches"][0]["blocked"]
    assert table.state.table.open_irregularities == ()


# --- what nobody may know -------------------------------------------------------------------------


def test_nothing_that_comes_in_tells_the_order_of_a_shuffle() -> None:
    tables = [Table(shuffle_seed=seed) for seed in (1, 2)]
    for table in tables:
        exchanged(table)
    one, other = tables
    assert one.shuffler.bays[2].pieces != other.shuffler.bays[2].pieces
    assert one.inputs == other.inputs


def test_how_many_of_each_face_it_counted_is_shown_nowhere(table: Table) -> None:
    exchanged(table)
    told = {one.proof.faces for one in table.of(ShuffleRecorded)}
    assert told == {bytes([DECKS]) * 52}
    snapshots = []
    for faces in (bytes([DECKS]) * 52, bytes([DECKS - 1, DECKS + 1]) * 26):
        lives = tuple(
            replace(life, proof=replace(life.proof, faces=faces) if life.proof else None)
            for life in table.lineage.lives
        )
        lineage = replace(table.lineage, lives=lives)
        state = replace(table.state, table=replace(table.state.table, lineage=lineage))
        snapshots.append(snapshot(table.core, state, "running", ""))
    assert snapshots[0] == snapshots[1]
