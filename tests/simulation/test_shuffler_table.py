"""A table with an emulated shuffler: orders, exchange, warnings, restart, custody, snapshot.

Source: NY (a)(4)(iv); S42 (a)(4), (e).
"""

from functools import reduce
from itertools import product

import pytest
from msgspec.structs import asdict, replace

from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.state import encode_state
from controller.core.tape.entries import CommandGiven, DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import ManifestGiven, Started
from controller.core.tape.records import entry_record, input_record
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason, Lineage, WarningKind
from controller.custody.manifest import ManifestCard, build_manifest
from controller.procedure.effects import Refusal, WarningClosed
from controller.procedure.events import ReportsMissing, ShufflerReported
from controller.procedure.phases import Phase
from controller.record.build import build_snapshot
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import ClearWarning, CloseShoe, GiveShufflerOrder, UnlockShoe
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card, Rank, Suit
from controller.system.messages.catalogue import to_words
from drivers.commands import ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.shuffler_events import IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.message import message
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
BY_TEST = message("the_configuration")


def cards_of(back: str) -> tuple[PhysicalCard, ...]:
    pieces = batch(f"{back.upper()}-0001", back, DECKS).cards
    return tuple(piece for piece in pieces if piece.card is not None)


RED, BLUE = cards_of("red"), cards_of("blue")


def trust_in(shuffler: Shuffler) -> Trust:
    pins = shuffler.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


class Table(SimulatedTable):
    """A shoe whose reports the test writes, and a whole emulated shuffler."""

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
        paired = Trust(bare=True) if bare else trust_in(self.shuffler)
        shoe = DeviceSettings(SHOE, "angel-eye-ii-ex", allow_commands=locks)
        device = ShufflerDeviceSettings(
            SHUFFLER, "tablelink", allow_commands=True, orders=ORDERS, trust=trust or paired
        )
        settings = Settings("M7", "3", DECKS, 0, (), shoe, shuffler=device)
        self.shoe_reports = 0
        self.to_shoe: list[bytes] = []
        super().__init__(settings, "s42-mini", {SHUFFLER: self.shuffler})
        self.take(PortOpened(SHOE, self.at, ENTROPY))
        self.advance(S)

    def _to_device(self, port: str, data: bytes) -> None:
        if port == SHOE:
            self.to_shoe.append(data)
            if data in (LOCK, UNLOCK):
                self.take(Chunk(SHOE, self.at, b"\x06"))
        else:
            super()._to_device(port, data)

    def report(self, *data: str) -> None:
        """Send these reports of the shoe one after the other."""
        for data_hex in data:
            self.advance(300 * MS)
            body = f"{self.shoe_reports % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
            sent = b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()
            self.take(Chunk(SHOE, self.at, sent))
            self.shoe_reports += 1

    def order(
        self, order: ShufflerOrder, compartment: int = 0, batch: str = ""
    ) -> tuple[Entry, ...]:
        """Order it as a floorperson and wait a second; the entries."""
        entries = self.act(GiveShufflerOrder(order, compartment, batch), Role.FLOORPERSON)
        self.advance(S)
        return entries

    def order_accepted(self, order: ShufflerOrder, compartment: int = 0, batch: str = "") -> None:
        entries = self.order(order, compartment, batch)
        assert not [one for one in entries if isinstance(one, Refusal)], entries

    def shuffle_and_store(self, cards: tuple[PhysicalCard, ...], compartment: int) -> None:
        """Put a batch in and have it counted, shuffled and stored."""
        self.shuffler.put_in(cards)
        self.order_accepted(ShufflerOrder.LOAD, compartment)
        self.order_accepted(ShufflerOrder.COUNT, compartment)
        self.order_accepted(ShufflerOrder.SHUFFLE, compartment)
        self.advance(21 * S)
        self.order_accepted(ShufflerOrder.STORE, compartment)

    def entries_of(self, kind: type) -> list:
        return [one for one in self.entries if isinstance(one, kind)]

    @property
    def lineage(self) -> Lineage:
        return self.state.table.lineage

    def stage(self, back: str) -> BatchStage:
        life = self.lineage.life(back)
        assert life is not None
        return life.stage

    def snapshot(self) -> Snapshot:
        return build_snapshot(self.core, self.state)


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_paired_shuffler_is_trusted_and_shown(table: Table) -> None:
    assert table.lineage.trusted
    shuffler = table.snapshot().shuffler
    assert (shuffler.stage, shuffler.trusted, shuffler.bare) == ("online", True, False)
    assert "trusted" in status_block(table.snapshot(), CommandHints())
    assert table.lineage.warnings == ()


# --- orders ---------------------------------------------------------------------------------------


def test_a_person_orders_every_step_of_a_shuffle(table: Table) -> None:
    table.shuffle_and_store(RED, 1)
    assert table.stage("red") is BatchStage.STORED
    entries = [to_words(one.command) for one in table.entries_of(CommandGiven)]
    assert entries == [
        "OrderShuffler load 1",
        "OrderShuffler count 1",
        "OrderShuffler shuffle 1",
        "OrderShuffler store 1",
    ]
    answers = [
        n.event
        for n in table.entries_of(DeviceEventRecorded)
        if isinstance(n.event, CommandAnswered)
    ]
    assert [one.outcome for one in answers] == [CommandOutcome.DONE] * 4
    assert [one.refused for one in table.entries_of(ShuffleRecorded)] == [None]


def test_a_batch_is_ordered_by_its_back(table: Table) -> None:
    table.shuffle_and_store(RED, 2)
    table.order_accepted(ShufflerOrder.RELEASE, batch="red")
    assert to_words(table.entries_of(CommandGiven)[-1].command) == "OrderShuffler release 2"
    assert table.stage("red") is BatchStage.RELEASED


def test_an_order_that_breaks_the_life_of_a_batch_reaches_no_device(table: Table) -> None:
    table.shuffler.put_in(RED)
    table.order_accepted(ShufflerOrder.LOAD, 1)
    commands = len(table.entries_of(CommandGiven))
    (refused,) = table.order(ShufflerOrder.RELEASE, 1)
    assert isinstance(refused, Refusal)
    assert "not shuffled" in to_words(refused.why) or "is unknown" in to_words(refused.why)
    assert len(table.entries_of(CommandGiven)) == commands


# --- an exchange ----------------------------------------------------------------------------------


def deal_shoe(table: Table) -> None:
    """A shoe of one coup, closed by a floorperson."""
    table.report(*OPENING, *COUP)


def exchange_batches(table: Table) -> None:
    """Red is dealt, blue is stored; red's shoe ends, blue comes out and red goes in."""
    table.shuffle_and_store(RED, 1)
    table.shuffle_and_store(BLUE, 2)
    table.order_accepted(ShufflerOrder.RELEASE, batch="red")
    table.shuffler.take(1)
    table.advance(S)
    deal_shoe(table)


def test_the_batch_that_comes_out_is_dealt(table: Table) -> None:
    exchange_batches(table)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.IN_PLAY, BatchStage.STORED)
    assert table.state.table.phase is Phase.BETWEEN_COUPS
    assert table.lineage.in_play == "red"


def test_both_batches_take_turns(table: Table) -> None:
    exchange_batches(table)
    table.act(CloseShoe(), Role.FLOORPERSON)
    assert table.stage("red") is BatchStage.SPENT
    table.order_accepted(ShufflerOrder.RELEASE, batch="blue")
    table.shuffler.take(2)
    table.shuffle_and_store(RED, 1)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.STORED, BatchStage.RELEASED)
    deal_shoe(table)
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.STORED, BatchStage.IN_PLAY)
    assert table.state.table.open_irregularities == ()


def test_the_same_batch_does_not_come_out_again(table: Table) -> None:
    exchange_batches(table)
    table.act(CloseShoe(), Role.FLOORPERSON)
    table.shuffle_and_store(RED, 1)
    (refused,) = table.order(ShufflerOrder.RELEASE, batch="red")
    why = message("release_other_batch", batch="red")
    assert refused == Refusal("order-shuffler", why, refused.clauses)
    assert refused.clauses


def test_no_batch_comes_out_while_a_shoe_is_open(table: Table) -> None:
    exchange_batches(table)
    (refused,) = table.order(ShufflerOrder.RELEASE, batch="blue")
    assert to_words(refused.why) == "a shoe is open: blue stays in the shuffler until it is over"


def kinds(table: Table) -> list[WarningKind]:
    return [one.kind for one in table.lineage.warnings]


def close_doors_and_clear(table: Table) -> None:
    """The door is shut, and a floorperson clears all that is open."""
    table.shuffler.close_door(2)
    table.advance(39 * S)
    for number in [one.number for one in table.lineage.warnings]:
        table.act(ClearWarning(number), Role.FLOORPERSON, "a cleaner; blue is shuffled again")


# --- warnings and the lock ------------------------------------------------------------------------


@pytest.fixture
def table_with_warning(table: Table) -> Table:
    """A card has been dealt from red when the door over blue is opened."""
    exchange_batches(table)
    table.to_shoe.clear()
    table.shuffler.open_door(2)
    table.advance(S)
    return table


def test_a_warning_locks_the_shoe_though_nothing_is_suspended(table_with_warning: Table) -> None:
    assert kinds(table_with_warning) == [WarningKind.DOOR, WarningKind.LAMP]
    assert table_with_warning.state.table.phase is Phase.BETWEEN_COUPS
    assert table_with_warning.to_shoe == [LOCK]
    lock = CommandGiven(
        SHOE, message("device_command", command="LockExit"), message("warning_is_open")
    )
    assert lock in table_with_warning.entries


def test_nobody_unlocks_it_by_hand(table_with_warning: Table) -> None:
    (refused,) = table_with_warning.act(UnlockShoe(), Role.PIT_MANAGER, "go on")
    assert isinstance(refused, Refusal)
    assert "clear it (clear-warning, number 1, 2)" in to_words(refused.why)
    assert table_with_warning.to_shoe == [LOCK]


def test_a_warning_whose_cause_lasts_cannot_be_cleared(table_with_warning: Table) -> None:
    entries = table_with_warning.act(ClearWarning(1), Role.FLOORPERSON, "seen by me")
    assert [one for one in entries if isinstance(one, Refusal)]
    assert table_with_warning.lineage.interlocked


def test_a_named_person_who_clears_it_unlocks_the_shoe(table_with_warning: Table) -> None:
    close_doors_and_clear(table_with_warning)
    closed = table_with_warning.entries_of(WarningClosed)
    assert [(one.kind, one.person, one.waited_ns // S) for one in closed] == [
        ("door", "floorperson", 40),
        ("lamp", "floorperson", 40),
    ]
    assert {one.reason for one in closed} == {"a cleaner; blue is shuffled again"}
    assert table_with_warning.to_shoe == [LOCK, UNLOCK]
    assert (
        CommandGiven(
            SHOE, message("device_command", command="UnlockExit"), message("warnings_are_cleared")
        )
        in table_with_warning.entries
    )


def test_a_suspended_table_stays_locked_when_its_warning_is_cleared(
    table_with_warning: Table,
) -> None:
    table_with_warning.report("44 81 C9")
    assert table_with_warning.state.table.phase is Phase.SUSPENDED
    close_doors_and_clear(table_with_warning)
    assert kinds(table_with_warning) == []
    assert table_with_warning.to_shoe == [LOCK]
    table_with_warning.resolve_if_permitted()
    assert table_with_warning.to_shoe == [LOCK, UNLOCK]


def test_a_table_without_a_lock_is_prompted_and_not_commanded() -> None:
    table = Table(locks=False)
    exchange_batches(table)
    table.shuffler.open_door(2)
    table.advance(S)
    assert table.lineage.interlocked
    assert [one for one in table.entries_of(CommandGiven) if one.port == SHOE] == []


def test_an_unplugged_shuffler_is_a_warning_and_not_a_missing_shoe_report(table: Table) -> None:
    table.unplug(SHUFFLER)
    assert kinds(table) == [WarningKind.SILENT]
    assert not table.lineage.trusted
    assert not [
        one for one in table.entries_of(EventVerdicts) if isinstance(one.event, ReportsMissing)
    ]


def test_the_status_shows_what_to_type(table_with_warning: Table) -> None:
    block = status_block(
        table_with_warning.snapshot(),
        CommandHints(("--config", "table.toml")),
        width=200,
    )
    assert "WARNING    1 door: " in block
    assert " clear     only when its cause is gone" in block


# --- a restart ------------------------------------------------------------------------------------


def restart(table: Table) -> None:
    """Restart the program with its stored state; the shuffler keeps running."""
    started = next(one for one in table.inputs if isinstance(one, Started))
    table.state = table.core.devices.read_state(encode_state(table.state))
    table.take(replace(started, at=table.at, boot_id="after"))


def test_warning_and_lock_survive_a_restart(table_with_warning: Table) -> None:
    table_with_warning.to_shoe.clear()
    restart(table_with_warning)
    assert table_with_warning.lineage.interlocked
    assert table_with_warning.to_shoe == []
    table_with_warning.take(PortOpened(SHOE, table_with_warning.at, ENTROPY))
    assert table_with_warning.to_shoe == [LOCK]


def test_a_restart_alone_is_not_a_warning(table: Table) -> None:
    exchange_batches(table)
    before = table.lineage
    restart(table)
    assert table.lineage == before
    assert table.snapshot().shuffler.trusted is False
    table.shuffler.host_appeared(table.clock_ns)
    table.take(PortOpened(SHUFFLER, table.at, ENTROPY[::-1]))
    table.advance(S)
    assert table.snapshot().shuffler.trusted is True
    assert table.lineage == before


def test_events_of_the_shuffler_during_a_restart_arrive_afterwards(table: Table) -> None:
    exchange_batches(table)
    restart(table)
    table.shuffler.open_door(2)
    table.shuffler.host_appeared(table.clock_ns)
    table.take(PortOpened(SHUFFLER, table.at, ENTROPY[::-1]))
    table.advance(S)
    assert kinds(table) == [WarningKind.DOOR, WarningKind.LAMP]
    blue = table.lineage.life("blue")
    assert blue is not None
    assert BlockReason.TOUCHED in blue.block_reasons


# --- identity -------------------------------------------------------------------------------------


def test_a_bare_shuffler_is_marked_everywhere() -> None:
    table = Table(bare=True)
    assert table.snapshot().shuffler.bare is True
    assert "BARE: it proves no identity" in status_block(table.snapshot(), CommandHints())


def test_another_shuffler_than_the_paired_one_never_feeds_the_table() -> None:
    other = Shuffler(ShufflerSettings(seed=bytes(32)))
    table = Table(trust=trust_in(other))
    table.shuffler.put_in(RED)
    table.shuffler.press("load", 1)
    table.shuffler.press("count", 1)
    table.advance(S)
    assert table.snapshot().shuffler.trusted is False
    assert kinds(table) == [WarningKind.IDENTITY]
    assert {one.stage for one in table.lineage.lives} == {BatchStage.UNKNOWN}
    device = [
        one.event
        for one in table.entries_of(EventVerdicts)
        if isinstance(one.event, ShufflerReported)
    ]
    assert {type(one.event) for one in device} == {IdentityRefused}
    (refused,) = table.order(ShufflerOrder.COUNT, 1)
    assert to_words(refused.why).startswith("the shuffler has not proven its identity")


# --- storage --------------------------------------------------------------------------------------


def test_entries_and_inputs_can_be_stored_and_replayed(table_with_warning: Table) -> None:
    assert all(map(input_record, table_with_warning.inputs))
    assert all(map(entry_record, table_with_warning.entries))
    core, state = table_with_warning.core, table_with_warning.core.initial()
    again: list[Entry] = []
    for item in table_with_warning.inputs:
        state, output = core.handle(state, item)
        again.extend(output.entries)
    assert again == table_with_warning.entries
    assert state == table_with_warning.state


# --- custody --------------------------------------------------------------------------------------


def bind(table: Table, back: str) -> None:
    """The batch of that back is bound, its cards in their carton."""
    deck = [
        ManifestCard(f"{back[0].encode().hex()}{number:06X}", Card(rank, suit), deck)
        for deck in range(1, DECKS + 1)
        for number, (rank, suit) in enumerate(product(Rank, Suit), start=deck * 100)
    ]
    content = MANIFESTS.encode(build_manifest(f"{back.upper()}-0001", back, DECKS, deck))
    table.take(ManifestGiven(table.at, f"{back.upper()}-0001", BY_TEST, content))


def places_of(table: Table, back: str) -> dict[str, int]:
    batches = table.snapshot().custody.batches
    cards = next(one.cards for one in batches if one.back == back)
    return {place: count for place, count in asdict(cards).items() if count}


def test_after_its_turn_all_cards_of_a_batch_are_in_the_shuffler(table: Table) -> None:
    for back in ("red", "blue"):
        bind(table, back)
    exchange_batches(table)
    assert places_of(table, "blue") == {"shuffler": 416}
    table.act(CloseShoe(), Role.FLOORPERSON)
    table.order_accepted(ShufflerOrder.RELEASE, batch="blue")
    table.shuffler.take(2)
    table.shuffle_and_store(RED, 1)
    deal_shoe(table)
    assert places_of(table, "red") == {"shuffler": 416}
    assert table.state.table.open_irregularities == ()


def test_a_batch_that_is_counted_short_is_found(table: Table) -> None:
    bind(table, "red")
    table.shuffler.put_in(RED[1:])
    table.order_accepted(ShufflerOrder.LOAD, 1)
    table.order_accepted(ShufflerOrder.COUNT, 1)
    red = table.lineage.life("red")
    assert red is not None
    assert (red.stage, red.block_reasons) == (BatchStage.HELD, (BlockReason.SHORT,))
    assert WarningKind.COUNT in kinds(table)
    assert table.snapshot().custody.batches[0].blocked
    assert table.state.table.open_irregularities == ()


# --- secrecy --------------------------------------------------------------------------------------


def test_no_input_reveals_the_order_of_a_shuffle() -> None:
    tables = [Table(shuffle_seed=seed) for seed in (1, 2)]
    for table in tables:
        exchange_batches(table)
    one, other = tables
    assert one.shuffler.bays[2].pieces != other.shuffler.bays[2].pieces
    assert one.inputs == other.inputs


def test_counts_by_face_are_shown_nowhere(table: Table) -> None:
    exchange_batches(table)
    device = {one.proof.faces for one in table.entries_of(ShuffleRecorded)}
    assert device == {bytes([DECKS]) * 52}
    snapshots = []
    for faces in (bytes([DECKS]) * 52, bytes([DECKS - 1, DECKS + 1]) * 26):
        lives = tuple(
            replace(life, proof=replace(life.proof, faces=faces) if life.proof else None)
            for life in table.lineage.lives
        )
        lineage = replace(table.lineage, lives=lives)
        state = replace(table.state, table=replace(table.state.table, lineage=lineage))
        snapshots.append(build_snapshot(table.core, state))
    assert snapshots[0] == snapshots[1]
