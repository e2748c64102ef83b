"""The driver of the TableLink shuffler against the emulated shuffler, an independent reading.

Time is simulated; the cable is cut, the power fails, cards stick.
"""

from collections.abc import Callable
from typing import TypeVar

import pytest
from in_words import in_words

from controller.system.messages.catalogue import to_words
from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.model import Installation
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    ContactRestored,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleStarted,
)
from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.tags import batch
from hil.emulator.tablelink.mechanism import ShufflerSettings as EmulatedSettings
from hil.emulator.tablelink.shuffler import Shuffler as EmulatedShuffler

UNPLUGGED = message("usb_unplugged")

MS = 1_000_000
SECOND_MS = 1_000
SHUFFLE_MS = 20 * SECOND_MS
RED, BLUE = (
    tuple(piece for piece in batch(name, back, 1).cards if piece.card is not None)
    for name, back in (("RED-0001", "red"), ("BLUE-0001", "blue"))
)
LOAD, COUNT, SHUFFLE = ShufflerOrder.LOAD, ShufflerOrder.COUNT, ShufflerOrder.SHUFFLE
STORE, RELEASE, STATUS = ShufflerOrder.STORE, ShufflerOrder.RELEASE, ShufflerOrder.STATUS

EventT = TypeVar("EventT", bound=DeviceEvent)

# Events of the device, not of the batches.
DEVICE_EVENTS = (StageChanged, IdentityProven, ShufflerStatus, CommandAnswered, ShufflerStarted)


class Bench:
    """A shuffler on one end of a cable, the driver on the other."""

    def __init__(
        self,
        *,
        bare: bool = False,
        allow_commands: bool = True,
        trust: Callable[[Trust], Trust] = lambda trust: trust,
    ) -> None:
        settings = EmulatedSettings(bare=bare, shuffle_ns=SHUFFLE_MS * MS)
        self.shuffler = EmulatedShuffler(settings)
        reported = Installation(allow_commands, trust(_trust(self.shuffler)))
        self.driver = TABLELINK_SHUFFLER.build(installed=reported)
        self.state = self.driver.initial()
        self.reported: list[DeviceEvent] = []
        self.writes: list[bytes] = []
        self.plugged = self.line_dead = False
        self.ms = 0

    # People.

    def plug(self) -> None:
        self.plugged = True
        self.shuffler.host_appeared(self.ms * MS)
        entropy = self.ms.to_bytes(32, "big")
        opened = PortOpened("shuffler", self.at(), entropy)
        self._apply(self.driver.receive(self.state, opened))
        self.advance(SECOND_MS)

    def unplug(self) -> None:
        self.plugged = False
        self._apply(self.driver.receive(self.state, PortLost("shuffler", self.at(), UNPLUGGED)))
        self.writes.clear()

    def order_answer(self, order: ShufflerOrder, compartment: int = 0) -> CommandAnswered:
        """Send an order; its answer a second later."""
        before = len(self.reported)
        self.send_order(order, compartment)
        self.advance(SECOND_MS)
        answers = [one for one in self.reported[before:] if isinstance(one, CommandAnswered)]
        assert len(answers) == 1
        return answers[0]

    def send_order(self, order: ShufflerOrder, compartment: int = 0) -> None:
        """Send an order without waiting."""
        command = OrderShuffler(order, compartment)
        self._apply(self.driver.command(self.state, command, self.at()))

    def order_done(self, order: ShufflerOrder, compartment: int = 0) -> None:
        """Send an order that must succeed."""
        assert self.order_answer(order, compartment).outcome is CommandOutcome.DONE

    def begin_shuffle(self, compartment: int = 1) -> None:
        """Load and count a red batch and start its shuffle."""
        self.shuffler.put_in(RED)
        for order in (LOAD, COUNT, SHUFFLE):
            self.order_done(order, compartment)

    # Events.

    def take_batch_events(self) -> list[DeviceEvent]:
        """The events about batches since the last call."""
        reported, self.reported = self.reported, []
        return [one for one in reported if not isinstance(one, DEVICE_EVENTS)]

    def reported_of(self, kind: type[EventT]) -> list[EventT]:
        return [one for one in self.reported if isinstance(one, kind)]

    # Time.

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def advance(self, ms: int) -> None:
        end_ms = self.ms + ms
        while (at_ms := self._next_ms(end_ms)) < end_ms:
            self.ms = at_ms
            written, self.writes = b"".join(self.writes), []
            arrived = written if self.plugged and not self.line_dead else b""
            data = self.shuffler.receive(arrived, at_ms * MS) + self.shuffler.tick(at_ms * MS)
            if data and self.plugged and not self.line_dead:
                chunk = Chunk("shuffler", self.at(), data)
                self._apply(self.driver.receive(self.state, chunk))
            due_ns = self.driver.next_deadline_ns(self.state)
            if due_ns is not None and due_ns <= at_ms * MS:
                self._apply(self.driver.tick(self.state, self.at()))
        self.ms = end_ms

    def _next_ms(self, end_ms: int) -> int:
        """When something is due; the line takes a millisecond."""
        dues = (self.shuffler.next_due_ns, self.driver.next_deadline_ns(self.state))
        written_ns = self.ms * MS if self.writes else None
        known = [due_ns for due_ns in (*dues, written_ns) if due_ns is not None]
        return max(self.ms + 1, -(-min(known, default=end_ms * MS) // MS))

    def _apply(self, reported: tuple[object, DriverOutput]) -> None:
        self.state, output = reported
        self.reported.extend(output.events)
        self.writes.extend((*output.to_write, *output.at_once))


def _trust(shuffler: EmulatedShuffler) -> Trust:
    pins = shuffler.pins
    if not pins.key:
        return Trust(bare=True)
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


def compartment_state(
    compartment: int, state: CompartmentState, cards: int | None = None, back: str = ""
) -> CompartmentChanged:
    return CompartmentChanged(compartment, state, cards, back, b"")


def plugged_bench() -> Bench:
    bench = Bench()
    bench.plug()
    return bench


@pytest.fixture
def bench() -> Bench:
    return plugged_bench()


def test_a_paired_shuffler_comes_online_and_reports_its_compartments(bench: Bench) -> None:
    assert bench.state.stage is Stage.ONLINE
    (proven,) = bench.reported_of(IdentityProven)
    assert (proven.device, proven.bare, proven.boot_count) == ("5eed0000c0ffee01", False, 1)
    assert bench.reported_of(ShufflerStatus) == [
        ShufflerStatus(
            ShufflerMode.PLAY,
            False,
            (
                (1, CompartmentState.EMPTY, None, "", 0),
                (2, CompartmentState.EMPTY, None, "", 0),
            ),
            0,
            (),
        )
    ]
    assert bench.reported_of(CommandAnswered) == []
    assert bench.reported_of(DeviceFault) == []


def test_a_whole_exchange(bench: Bench) -> None:
    bench.take_batch_events()
    bench.begin_shuffle(1)
    bench.advance(SHUFFLE_MS)
    (done,) = bench.reported_of(ShuffleDone)
    bench.order_done(STORE, 1)
    bench.shuffler.put_in(BLUE)
    bench.order_done(LOAD, 2)
    bench.order_done(COUNT, 2)
    bench.order_done(RELEASE, 1)
    assert len(bench.shuffler.take(1)) == 52
    bench.advance(SECOND_MS)

    of = CompartmentState
    assert bench.take_batch_events() == [
        compartment_state(1, of.LOADING),
        compartment_state(1, of.COUNTED, 52, "red"),
        ShuffleStarted(1, 1),
        compartment_state(1, of.SHUFFLING, 52, "red"),
        done,
        compartment_state(1, of.SHUFFLED, 52, "red"),
        compartment_state(1, of.STORED, 52, "red"),
        compartment_state(2, of.LOADING),
        compartment_state(2, of.COUNTED, 52, "blue"),
        compartment_state(1, of.RELEASED, 52, "red"),
        compartment_state(1, of.EMPTY),
    ]


def test_the_receipt_of_a_shuffle_is_of_the_paired_device(bench: Bench) -> None:
    bench.begin_shuffle(2)
    bench.advance(SHUFFLE_MS)

    (done,) = bench.reported_of(ShuffleDone)
    proof = done.proof
    assert (proof.device, proof.compartment, proof.cycle) == ("5eed0000c0ffee01", 2, 1)
    assert (proof.count, proof.back, proof.result) == (52, "red", ShuffleResult.GOOD)
    assert (proof.signed, proof.genuine, proof.version) == (True, True, "1.0.0")
    assert proof.ended_us - proof.began_us == SHUFFLE_MS * 1_000


def test_a_jam_aborts_a_shuffle(bench: Bench) -> None:
    bench.begin_shuffle()
    bench.take_batch_events()

    bench.shuffler.jam()
    bench.advance(SECOND_MS)
    bench.shuffler.clear_jam()
    bench.advance(SECOND_MS)

    reported = bench.take_batch_events()
    assert ShuffleAborted(1, 1, AbortReason.JAM) in reported
    assert compartment_state(1, CompartmentState.HELD) in reported
    assert [one for one in reported if isinstance(one, JamReported)] == [
        JamReported(1, cleared=False),
        JamReported(1, cleared=True),
    ]


@pytest.mark.parametrize("compartment", [0, 1])
def test_an_opened_door_aborts_a_shuffle(bench: Bench, compartment: int) -> None:
    bench.begin_shuffle()
    bench.take_batch_events()

    bench.shuffler.open_door(compartment)
    bench.advance(SECOND_MS)
    bench.shuffler.close_door(compartment)
    bench.advance(SECOND_MS)

    reported = bench.take_batch_events()
    assert ShuffleAborted(1, 1, AbortReason.DOOR) in reported
    assert compartment_state(1, CompartmentState.HELD) in reported
    assert [one for one in reported if isinstance(one, DoorMoved)] == [
        DoorMoved(True, compartment),
        DoorMoved(False, compartment),
    ]


def test_a_person_aborts_a_shuffle(bench: Bench) -> None:
    bench.begin_shuffle()
    bench.take_batch_events()

    bench.order_done(ShufflerOrder.ABORT)

    assert ShuffleAborted(1, 1, AbortReason.PERSON) in bench.take_batch_events()


def test_power_fails_in_mid_shuffle(bench: Bench) -> None:
    bench.begin_shuffle()
    bench.reported.clear()

    bench.shuffler.power_off()
    bench.advance(SECOND_MS)
    bench.shuffler.power_on()
    bench.advance(3 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.reported_of(ShufflerStarted) == [ShufflerStarted(2, (1,))]
    assert bench.reported_of(ShuffleAborted) == [ShuffleAborted(1, 1, AbortReason.POWER)]
    assert bench.reported_of(IdentityProven)[-1].boot_count == 2
    assert bench.reported_of(ShufflerStatus)[-1].compartments[0] == (
        1,
        CompartmentState.HELD,
        None,
        "",
        1,
    )


def test_residual_cards(bench: Bench) -> None:
    bench.begin_shuffle()
    bench.advance(SHUFFLE_MS)
    bench.take_batch_events()

    bench.shuffler.leave_residual(2, 1)
    bench.advance(SECOND_MS)
    refused = bench.order_answer(STORE, 1)
    bench.shuffler.take_residual()
    bench.advance(SECOND_MS)

    assert in_words(refused) == CommandAnswered(
        "OrderShuffler",
        CommandOutcome.REFUSED,
        "store, compartment 1: refused: cards are left where none may be",
    )
    reported = bench.take_batch_events()
    assert [one for one in reported if isinstance(one, ResidualCards)] == [
        ResidualCards(1, 2),
        ResidualCards(1, 0),
    ]


def test_sorting_and_back_to_play(bench: Bench) -> None:
    bench.take_batch_events()

    bench.order_done(ShufflerOrder.SORT)
    refused = bench.order_answer(STORE, 1)
    bench.order_done(ShufflerOrder.PLAY)

    assert to_words(refused.detail) == "store, compartment 1: refused: not in sort mode"
    assert bench.take_batch_events() == [
        ModeChanged(ShufflerMode.SORT),
        ModeChanged(ShufflerMode.PLAY),
    ]


def test_service_and_back_to_play(bench: Bench) -> None:
    bench.take_batch_events()

    bench.order_done(ShufflerOrder.SERVICE)
    refused = bench.order_answer(LOAD, 1)
    bench.order_done(ShufflerOrder.PLAY)

    assert to_words(refused.detail) == "load, compartment 1: refused: not in service mode"
    assert bench.take_batch_events() == [
        ModeChanged(ShufflerMode.SERVICE),
        ModeChanged(ShufflerMode.PLAY),
    ]


@pytest.mark.parametrize(
    ("broken", "tested"),
    [("", SelfTested(True, "ok")), ("sensor 3", SelfTested(False, "sensor 3"))],
)
def test_a_self_test(bench: Bench, broken: str, tested: SelfTested) -> None:
    bench.take_batch_events()
    bench.shuffler.broken = broken

    bench.order_done(ShufflerOrder.SELF_TEST)

    assert tested in bench.take_batch_events()


def test_a_lamp_of_the_machine_is_a_warning(bench: Bench) -> None:
    bench.take_batch_events()

    bench.shuffler.lamp(77, "clean the rollers", on=True)
    bench.advance(SECOND_MS)
    bench.shuffler.lamp(77, "clean the rollers", on=False)
    bench.advance(SECOND_MS)

    on, off = bench.take_batch_events()
    assert on == ShufflerWarning(77, "clean the rollers", active=True)
    assert isinstance(off, ShufflerWarning)
    assert (off.code, off.active) == (77, False)


def test_the_sealed_housing_is_opened(bench: Bench) -> None:
    bench.take_batch_events()

    bench.shuffler.tamper("seal 4")
    bench.shuffler.reconfigure("decks")
    bench.advance(SECOND_MS)

    assert [in_words(one) for one in bench.take_batch_events()] == [
        DeviceTampered("seal 4"),
        DeviceTampered("its settings were changed: decks"),
    ]


# --- identity ------------------------------------------------------------------------------------


def test_a_bare_shuffler_is_admitted_where_allowed_and_marked() -> None:
    bench = Bench(bare=True)
    bench.plug()

    (proven,) = bench.reported_of(IdentityProven)
    assert (proven.bare, proven.version, proven.boot_count) == (True, "1.0.0", 1)


def no_trust(_trust: Trust) -> Trust:
    return Trust()


def another_key(trust: Trust) -> Trust:
    assert trust.pin is not None
    return Trust(Pin(trust.pin.device, bytes(32), "p1", 1), trust.approved)


def another_device(trust: Trust) -> Trust:
    assert trust.pin is not None
    return Trust(Pin(bytes(8), trust.pin.key, "p1", 1), trust.approved)


def other_firmware(trust: Trust) -> Trust:
    return Trust(trust.pin, (ApprovedImage(bytes(32), "9.9.9", 9),))


@pytest.mark.parametrize("trust", [no_trust, another_key, another_device, other_firmware])
def test_nothing_is_exchanged_with_an_untrusted_shuffler(
    trust: Callable[[Trust], Trust],
) -> None:
    bench = Bench(trust=trust)
    bench.plug()
    bench.shuffler.tamper("seal 4")
    bench.advance(20 * SECOND_MS)

    answer = bench.order_answer(STATUS)

    assert bench.state.stage is not Stage.ONLINE
    assert answer.outcome is CommandOutcome.NO_ANSWER
    (refused,) = bench.reported_of(IdentityRefused)
    assert not refused.rolled_back
    assert not bench.reported_of(DeviceTampered)
    assert not bench.reported_of(ShufflerStatus)


def test_another_shuffler_of_the_same_make_is_not_admitted(bench: Bench) -> None:
    bench.reported.clear()

    bench.shuffler.replace(bytes(range(8)), bytes(32))
    bench.advance(10 * SECOND_MS)

    assert bench.state.stage is not Stage.ONLINE
    (refused,) = bench.reported_of(IdentityRefused)
    assert refused.device == "0001020304050607"


def test_a_rolled_back_shuffler_is_not_admitted(bench: Bench) -> None:
    before = bench.shuffler.memory.copy()
    bench.begin_shuffle()
    bench.reported.clear()

    bench.shuffler.roll_back(before)
    bench.advance(10 * SECOND_MS)

    assert bench.state.stage is not Stage.ONLINE
    (refused,) = bench.reported_of(IdentityRefused)
    assert refused.rolled_back


# --- silence, cables, restarts -------------------------------------------------------------------


def test_a_silent_shuffler_proves_itself_again_afterwards(bench: Bench) -> None:
    bench.reported.clear()

    bench.line_dead = True
    bench.advance(10 * SECOND_MS)
    assert bench.reported_of(DeviceSilent) == [
        DeviceSilent(3_000, lost=False),
        DeviceSilent(5_000, lost=True),
    ]
    assert bench.state.stage is Stage.OPENED
    assert bench.order_answer(STATUS).outcome is CommandOutcome.NO_ANSWER

    bench.line_dead = False
    bench.advance(2 * SECOND_MS)
    assert bench.reported_of(ContactRestored) == [ContactRestored()]
    assert bench.state.stage is Stage.ONLINE
    assert len(bench.reported_of(IdentityProven)) == 1
    assert len(bench.reported_of(ShufflerStatus)) == 1


def test_events_while_unplugged_are_reported_once_after_replug(bench: Bench) -> None:
    bench.begin_shuffle()
    bench.reported.clear()

    bench.unplug()
    bench.advance(SHUFFLE_MS)
    assert bench.reported == [StageChanged(Stage.LOST, UNPLUGGED)]
    bench.plug()
    bench.unplug()
    bench.plug()

    assert len(bench.reported_of(ShuffleDone)) == 1
    assert bench.reported_of(DeviceFault) == []
    assert bench.reported_of(ShufflerStatus)[-1].compartments[0] == (
        1,
        CompartmentState.SHUFFLED,
        52,
        "red",
        1,
    )


@pytest.mark.parametrize("orders_done", range(6))
def test_a_restarted_program_knows_the_compartments(bench: Bench, orders_done: int) -> None:
    steps = (LOAD, COUNT, SHUFFLE, STORE, RELEASE)
    bench.shuffler.put_in(RED)
    for order in steps[:orders_done]:
        bench.order_done(order, 1)
        bench.advance(SHUFFLE_MS if order is SHUFFLE else 0)
    bench.unplug()
    bench.reported.clear()

    # Only the state survives.
    bench.driver = TABLELINK_SHUFFLER.build(
        installed=Installation(allow_commands=True, trust=_trust(bench.shuffler))
    )
    bench.plug()

    held = ("empty", "loading", "counted", "shuffled", "stored", "released")[orders_done]
    (status,) = bench.reported_of(ShufflerStatus)
    assert status.compartments[0][1] == held
    assert bench.take_batch_events() == []


@pytest.mark.parametrize("stage", ["before the order", "before the answer"])
def test_an_order_is_executed_once_though_the_cable_is_cut(bench: Bench, stage: str) -> None:
    bench.shuffler.put_in(RED)
    bench.order_done(LOAD, 1)
    bench.order_done(COUNT, 1)
    bench.reported.clear()

    bench.line_dead = stage == "before the order"
    bench.send_order(SHUFFLE, 1)
    bench.advance(2)
    bench.unplug()
    bench.line_dead = False
    bench.advance(SECOND_MS)
    bench.plug()
    bench.advance(2 * SECOND_MS)

    (answer,) = bench.reported_of(CommandAnswered)
    assert answer.outcome is CommandOutcome.DONE
    assert bench.reported_of(ShuffleStarted) == [ShuffleStarted(1, 1)]


def test_without_allow_commands_the_shuffler_is_never_moved() -> None:
    bench = Bench(allow_commands=False)
    bench.plug()
    bench.shuffler.put_in(RED)

    answers = [bench.order_answer(order, 1).outcome for order in (LOAD, COUNT, SHUFFLE)]
    assert answers == [CommandOutcome.REFUSED] * 3
    assert bench.order_answer(STATUS).outcome is CommandOutcome.DONE
    assert len(bench.reported_of(ShufflerStatus)) == 2
    assert not bench.reported_of(CompartmentChanged)


def test_after_any_power_cut_reports_and_compartments_agree() -> None:
    for writing in range(1, 31):
        print(f"power is cut after memory write {writing}")
        check_power_cut(writing)


def check_power_cut(writing: int) -> None:
    bench = plugged_bench()
    steps = (LOAD, COUNT, SHUFFLE, STORE, RELEASE)
    bench.shuffler.put_in(RED)
    bench.shuffler.cut_power_after(writing)
    for order in steps:
        bench.send_order(order, 1)
        bench.advance(SHUFFLE_MS + SECOND_MS if order is SHUFFLE else SECOND_MS)
    bench.shuffler.power_on()
    bench.advance(15 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    reported = [one for one in bench.reported if isinstance(one, CompartmentChanged)]
    held = bench.reported_of(ShufflerStatus)[-1].compartments[0]
    last = reported[-1] if reported else compartment_state(1, CompartmentState.EMPTY)
    assert held[1:4] == (last.state, last.cards, last.back)
    # A shuffle that started was completed or aborted, never both.
    ends = [*bench.reported_of(ShuffleDone), *bench.reported_of(ShuffleAborted)]
    assert len(ends) == len(bench.reported_of(ShuffleStarted))
    assert bench.reported_of(DeviceFault) == []
