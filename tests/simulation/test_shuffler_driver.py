"""The driver of the TableLink shuffler against the emulated shuffler, a second reading of the wire

document. Time is simulated; the cable is cut, the power fails, cards stick.
"""

from collections.abc import Callable
from typing import TypeVar

import pytest

from drivers.catalogue import TABLELINK, Shuffler, ShufflerSettings, build_shuffler
from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    DeviceHeardAgain,
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
    ShuffleBegan,
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
)
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from hil.dealing.tags import batch
from hil.emulator.tablelink.mechanism import ShufflerSettings as EmulatedSettings
from hil.emulator.tablelink.shuffler import Shuffler as EmulatedShuffler

MS = 1_000_000
SECOND_MS = 1_000
SHUFFLE_MS = 20 * SECOND_MS
RED, BLUE = (
    tuple(piece for piece in batch(name, back, 1).cards if piece.card is not None)
    for name, back in (("RED-0001", "red"), ("BLUE-0001", "blue"))
)
LOAD, COUNT, SHUFFLE = ShufflerOrder.LOAD, ShufflerOrder.COUNT, ShufflerOrder.SHUFFLE
STORE, RELEASE, STATUS = ShufflerOrder.STORE, ShufflerOrder.RELEASE, ShufflerOrder.STATUS

Told = TypeVar("Told", bound=DeviceEvent)

# Of the device alone, not of the batches.
OWN_AFFAIRS = (StageChanged, IdentityProven, ShufflerStatus, CommandAnswered, ShufflerStarted)


class Bench:
    """A shuffler at the end of a cable, the driver at the other."""

    def __init__(
        self,
        *,
        bare: bool = False,
        allow_commands: bool = True,
        trust: Callable[[Trust], Trust] = lambda trust: trust,
    ) -> None:
        settings = EmulatedSettings(bare=bare, shuffle_ns=SHUFFLE_MS * MS)
        self.shuffler = EmulatedShuffler(settings)
        told = ShufflerSettings(allow_commands, trust(_trust(self.shuffler)))
        self.driver: Shuffler = build_shuffler(TABLELINK, told)
        self.state = self.driver.initial()
        self.told: list[DeviceEvent] = []
        self.writes: list[bytes] = []
        self.plugged = self.deaf = False
        self.ms = 0

    # What people do.

    def plug(self) -> None:
        self.plugged = True
        self.shuffler.host_appeared(self.ms * MS)
        entropy = self.ms.to_bytes(32, "big")
        opened = PortOpened("shuffler", self.at(), entropy)
        self._takes(self.driver.receive(self.state, opened))
        self.lets_pass(SECOND_MS)

    def unplug(self) -> None:
        self.plugged = False
        self._takes(self.driver.receive(self.state, PortLost("shuffler", self.at(), "unplugged")))
        self.writes.clear()

    def orders(self, order: ShufflerOrder, compartment: int = 0) -> CommandAnswered:
        """What became of an order, a second later."""
        before = len(self.told)
        self.gives(order, compartment)
        self.lets_pass(SECOND_MS)
        answers = [one for one in self.told[before:] if isinstance(one, CommandAnswered)]
        assert len(answers) == 1
        return answers[0]

    def gives(self, order: ShufflerOrder, compartment: int = 0) -> None:
        """An order, and nothing waited for."""
        command = OrderShuffler(order, compartment)
        self._takes(self.driver.command(self.state, command, self.at()))

    def brings(self, order: ShufflerOrder, compartment: int = 0) -> None:
        """An order that is to be carried out."""
        assert self.orders(order, compartment).outcome is CommandOutcome.DONE

    def shuffles(self, compartment: int = 1) -> None:
        """A red batch is loaded, counted, and its shuffle begun."""
        self.shuffler.put_in(RED)
        for order in (LOAD, COUNT, SHUFFLE):
            self.brings(order, compartment)

    # What is told.

    def tells(self) -> list[DeviceEvent]:
        """What was told of batches since the last time."""
        told, self.told = self.told, []
        return [one for one in told if not isinstance(one, OWN_AFFAIRS)]

    def told_of(self, kind: type[Told]) -> list[Told]:
        return [one for one in self.told if isinstance(one, kind)]

    # Time.

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def lets_pass(self, ms: int) -> None:
        end_ms = self.ms + ms
        while (at_ms := self._next_ms(end_ms)) < end_ms:
            self.ms = at_ms
            written, self.writes = b"".join(self.writes), []
            heard = written if self.plugged and not self.deaf else b""
            data = self.shuffler.receive(heard, at_ms * MS) + self.shuffler.tick(at_ms * MS)
            if data and self.plugged and not self.deaf:
                chunk = Chunk("shuffler", self.at(), data)
                self._takes(self.driver.receive(self.state, chunk))
            due_ns = self.driver.next_deadline_ns(self.state)
            if due_ns is not None and due_ns <= at_ms * MS:
                self._takes(self.driver.tick(self.state, self.at()))
        self.ms = end_ms

    def _next_ms(self, end_ms: int) -> int:
        """When something is to be done; a line takes a millisecond."""
        dues = (self.shuffler.next_due_ns, self.driver.next_deadline_ns(self.state))
        written_ns = self.ms * MS if self.writes else None
        known = [due_ns for due_ns in (*dues, written_ns) if due_ns is not None]
        return max(self.ms + 1, -(-min(known, default=end_ms * MS) // MS))

    def _takes(self, told: tuple[object, DriverOutput]) -> None:
        self.state, output = told
        self.told.extend(output.events)
        self.writes.extend((*output.to_write, *output.at_once))


def _trust(shuffler: EmulatedShuffler) -> Trust:
    pins = shuffler.pins
    if not pins.key:
        return Trust(bare=True)
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


def standing(
    compartment: int, state: CompartmentState, cards: int | None = None, back: str = ""
) -> CompartmentChanged:
    return CompartmentChanged(compartment, state, cards, back, b"")


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.plug()
    return bench


def test_a_paired_shuffler_comes_online_and_says_what_it_holds(bench: Bench) -> None:
    assert bench.state.stage is Stage.ONLINE
    (proven,) = bench.told_of(IdentityProven)
    assert (proven.device, proven.bare, proven.boot_count) == ("5eed0000c0ffee01", False, 1)
    assert bench.told_of(ShufflerStatus) == [
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
    assert bench.told_of(CommandAnswered) == []
    assert bench.told_of(DeviceFault) == []


def test_a_whole_exchange(bench: Bench) -> None:
    bench.tells()
    bench.shuffles(1)
    bench.lets_pass(SHUFFLE_MS)
    (done,) = bench.told_of(ShuffleDone)
    bench.brings(STORE, 1)
    bench.shuffler.put_in(BLUE)
    bench.brings(LOAD, 2)
    bench.brings(COUNT, 2)
    bench.brings(RELEASE, 1)
    assert len(bench.shuffler.take(1)) == 52
    bench.lets_pass(SECOND_MS)

    of = CompartmentState
    assert bench.tells() == [
        standing(1, of.LOADING),
        standing(1, of.COUNTED, 52, "red"),
        ShuffleBegan(1, 1),
        standing(1, of.SHUFFLING, 52, "red"),
        done,
        standing(1, of.SHUFFLED, 52, "red"),
        standing(1, of.STORED, 52, "red"),
        standing(2, of.LOADING),
        standing(2, of.COUNTED, 52, "blue"),
        standing(1, of.RELEASED, 52, "red"),
        standing(1, of.EMPTY),
    ]


def test_the_receipt_of_a_shuffle_is_of_the_paired_device(bench: Bench) -> None:
    bench.shuffles(2)
    bench.lets_pass(SHUFFLE_MS)

    (done,) = bench.told_of(ShuffleDone)
    proof = done.proof
    assert (proof.device, proof.compartment, proof.cycle) == ("5eed0000c0ffee01", 2, 1)
    assert (proof.count, proof.back, proof.result) == (52, "red", ShuffleResult.GOOD)
    assert (proof.signed, proof.genuine, proof.version) == (True, True, "1.0.0")
    assert proof.ended_us - proof.began_us == SHUFFLE_MS * 1_000


def test_a_jam_breaks_a_shuffle_off(bench: Bench) -> None:
    bench.shuffles()
    bench.tells()

    bench.shuffler.jam()
    bench.lets_pass(SECOND_MS)
    bench.shuffler.clear_jam()
    bench.lets_pass(SECOND_MS)

    told = bench.tells()
    assert ShuffleAborted(1, 1, AbortReason.JAM) in told
    assert standing(1, CompartmentState.HELD) in told
    assert [one for one in told if isinstance(one, JamReported)] == [
        JamReported(1, cleared=False),
        JamReported(1, cleared=True),
    ]


@pytest.mark.parametrize("compartment", [0, 1])
def test_an_opened_door_breaks_a_shuffle_off(bench: Bench, compartment: int) -> None:
    bench.shuffles()
    bench.tells()

    bench.shuffler.open_door(compartment)
    bench.lets_pass(SECOND_MS)
    bench.shuffler.close_door(compartment)
    bench.lets_pass(SECOND_MS)

    told = bench.tells()
    assert ShuffleAborted(1, 1, AbortReason.DOOR) in told
    assert standing(1, CompartmentState.HELD) in told
    assert [one for one in told if isinstance(one, DoorMoved)] == [
        DoorMoved(True, compartment),
        DoorMoved(False, compartment),
    ]


def test_a_person_breaks_a_shuffle_off(bench: Bench) -> None:
    bench.shuffles()
    bench.tells()

    bench.brings(ShufflerOrder.ABORT)

    assert ShuffleAborted(1, 1, AbortReason.PERSON) in bench.tells()


def test_power_fails_in_mid_shuffle(bench: Bench) -> None:
    bench.shuffles()
    bench.told.clear()

    bench.shuffler.power_off()
    bench.lets_pass(SECOND_MS)
    bench.shuffler.power_on()
    bench.lets_pass(3 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    assert bench.told_of(ShufflerStarted) == [ShufflerStarted(2, (1,))]
    assert bench.told_of(ShuffleAborted) == [ShuffleAborted(1, 1, AbortReason.POWER)]
    assert bench.told_of(IdentityProven)[-1].boot_count == 2
    assert bench.told_of(ShufflerStatus)[-1].compartments[0] == (
        1,
        CompartmentState.HELD,
        None,
        "",
        1,
    )


def test_cards_that_are_left_behind(bench: Bench) -> None:
    bench.shuffles()
    bench.lets_pass(SHUFFLE_MS)
    bench.tells()

    bench.shuffler.leave_residual(2, 1)
    bench.lets_pass(SECOND_MS)
    refused = bench.orders(STORE, 1)
    bench.shuffler.take_residual()
    bench.lets_pass(SECOND_MS)

    assert refused == CommandAnswered(
        "OrderShuffler",
        CommandOutcome.REFUSED,
        "store, compartment 1: refused: cards are left where none may be",
    )
    told = bench.tells()
    assert [one for one in told if isinstance(one, ResidualCards)] == [
        ResidualCards(1, 2),
        ResidualCards(1, 0),
    ]


def test_sorting_and_back_to_play(bench: Bench) -> None:
    bench.tells()

    bench.brings(ShufflerOrder.SORT)
    refused = bench.orders(STORE, 1)
    bench.brings(ShufflerOrder.PLAY)

    assert refused.detail == "store, compartment 1: refused: not in sort mode"
    assert bench.tells() == [ModeChanged(ShufflerMode.SORT), ModeChanged(ShufflerMode.PLAY)]


def test_service_and_back_to_play(bench: Bench) -> None:
    bench.tells()

    bench.brings(ShufflerOrder.SERVICE)
    refused = bench.orders(LOAD, 1)
    bench.brings(ShufflerOrder.PLAY)

    assert refused.detail == "load, compartment 1: refused: not in service mode"
    assert bench.tells() == [ModeChanged(ShufflerMode.SERVICE), ModeChanged(ShufflerMode.PLAY)]


@pytest.mark.parametrize(
    ("broken", "tested"),
    [("", SelfTested(True, "ok")), ("sensor 3", SelfTested(False, "sensor 3"))],
)
def test_a_self_test(bench: Bench, broken: str, tested: SelfTested) -> None:
    bench.tells()
    bench.shuffler.broken = broken

    bench.brings(ShufflerOrder.SELF_TEST)

    assert tested in bench.tells()


def test_a_lamp_of_the_machine_is_a_warning(bench: Bench) -> None:
    bench.tells()

    bench.shuffler.lamp(77, "clean the rollers", on=True)
    bench.lets_pass(SECOND_MS)
    bench.shuffler.lamp(77, "clean the rollers", on=False)
    bench.lets_pass(SECOND_MS)

    on, off = bench.tells()
    assert on == ShufflerWarning(77, "clean the rollers", active=True)
    assert isinstance(off, ShufflerWarning)
    assert (off.code, off.active) == (77, False)


def test_somebody_opens_what_is_sealed(bench: Bench) -> None:
    bench.tells()

    bench.shuffler.tamper("seal 4")
    bench.shuffler.reconfigure("decks")
    bench.lets_pass(SECOND_MS)

    assert bench.tells() == [
        DeviceTampered("seal 4"),
        DeviceTampered("its settings were changed: decks"),
    ]


# --- who it is -----------------------------------------------------------------------------------


def test_a_bare_shuffler_is_let_in_where_that_is_allowed_and_shows() -> None:
    bench = Bench(bare=True)
    bench.plug()

    (proven,) = bench.told_of(IdentityProven)
    assert (proven.bare, proven.version, proven.boot_count) == (True, "1.0.0", 1)


def nobody(_trust: Trust) -> Trust:
    return Trust()


def another_key(trust: Trust) -> Trust:
    assert trust.pin is not None
    return Trust(Pin(trust.pin.device, bytes(32), "p1", 1), trust.approved)


def another_device(trust: Trust) -> Trust:
    assert trust.pin is not None
    return Trust(Pin(bytes(8), trust.pin.key, "p1", 1), trust.approved)


def other_firmware(trust: Trust) -> Trust:
    return Trust(trust.pin, (ApprovedImage(bytes(32), "9.9.9", 9),))


@pytest.mark.parametrize("trust", [nobody, another_key, another_device, other_firmware])
def test_a_shuffler_that_is_not_trusted_tells_nothing_and_is_told_nothing(
    trust: Callable[[Trust], Trust],
) -> None:
    bench = Bench(trust=trust)
    bench.plug()
    bench.shuffler.tamper("seal 4")
    bench.lets_pass(20 * SECOND_MS)

    answer = bench.orders(STATUS)

    assert bench.state.stage is not Stage.ONLINE
    assert answer.outcome is CommandOutcome.NO_ANSWER
    (refused,) = bench.told_of(IdentityRefused)
    assert not refused.rolled_back
    assert not bench.told_of(DeviceTampered)
    assert not bench.told_of(ShufflerStatus)


def test_another_shuffler_of_the_same_make_is_not_let_in(bench: Bench) -> None:
    bench.told.clear()

    bench.shuffler.replace(bytes(range(8)), bytes(32))
    bench.lets_pass(10 * SECOND_MS)

    assert bench.state.stage is not Stage.ONLINE
    (refused,) = bench.told_of(IdentityRefused)
    assert refused.device == "0001020304050607"


def test_a_shuffler_whose_memory_was_set_back_is_not_let_in(bench: Bench) -> None:
    before = bench.shuffler.memory.copy()
    bench.shuffles()
    bench.told.clear()

    bench.shuffler.roll_back(before)
    bench.lets_pass(10 * SECOND_MS)

    assert bench.state.stage is not Stage.ONLINE
    (refused,) = bench.told_of(IdentityRefused)
    assert refused.rolled_back


# --- silence, cables, restarts -------------------------------------------------------------------


def test_a_silent_shuffler_proves_itself_again_when_it_is_heard(bench: Bench) -> None:
    bench.told.clear()

    bench.deaf = True
    bench.lets_pass(10 * SECOND_MS)
    assert bench.told_of(DeviceSilent) == [
        DeviceSilent(3_000, lost=False),
        DeviceSilent(5_000, lost=True),
    ]
    assert bench.state.stage is Stage.OPENED
    assert bench.orders(STATUS).outcome is CommandOutcome.NO_ANSWER

    bench.deaf = False
    bench.lets_pass(2 * SECOND_MS)
    assert bench.told_of(DeviceHeardAgain) == [DeviceHeardAgain()]
    assert bench.state.stage is Stage.ONLINE
    assert len(bench.told_of(IdentityProven)) == 1
    assert len(bench.told_of(ShufflerStatus)) == 1


def test_what_happens_while_the_cable_is_out_is_told_once_when_it_is_back(bench: Bench) -> None:
    bench.shuffles()
    bench.told.clear()

    bench.unplug()
    bench.lets_pass(SHUFFLE_MS)
    assert bench.told == [StageChanged(Stage.LOST, "unplugged")]
    bench.plug()
    bench.unplug()
    bench.plug()

    assert len(bench.told_of(ShuffleDone)) == 1
    assert bench.told_of(DeviceFault) == []
    assert bench.told_of(ShufflerStatus)[-1].compartments[0] == (
        1,
        CompartmentState.SHUFFLED,
        52,
        "red",
        1,
    )


@pytest.mark.parametrize("orders", range(6))
def test_a_restarted_program_knows_what_the_shuffler_holds(bench: Bench, orders: int) -> None:
    steps = (LOAD, COUNT, SHUFFLE, STORE, RELEASE)
    bench.shuffler.put_in(RED)
    for order in steps[:orders]:
        bench.brings(order, 1)
        bench.lets_pass(SHUFFLE_MS if order is SHUFFLE else 0)
    bench.unplug()
    bench.told.clear()

    # Nothing but the state is kept.
    bench.driver = build_shuffler(
        TABLELINK, ShufflerSettings(allow_commands=True, trust=_trust(bench.shuffler))
    )
    bench.plug()

    held = ("empty", "loading", "counted", "shuffled", "stored", "released")[orders]
    (status,) = bench.told_of(ShufflerStatus)
    assert status.compartments[0][1] == held
    assert bench.tells() == []


@pytest.mark.parametrize("stage", ["before the order", "before the answer"])
def test_an_order_is_carried_out_once_though_the_cable_is_cut(bench: Bench, stage: str) -> None:
    bench.shuffler.put_in(RED)
    bench.brings(LOAD, 1)
    bench.brings(COUNT, 1)
    bench.told.clear()

    bench.deaf = stage == "before the order"
    bench.gives(SHUFFLE, 1)
    bench.lets_pass(2)
    bench.unplug()
    bench.deaf = False
    bench.lets_pass(SECOND_MS)
    bench.plug()
    bench.lets_pass(2 * SECOND_MS)

    (answer,) = bench.told_of(CommandAnswered)
    assert answer.outcome is CommandOutcome.DONE
    assert bench.told_of(ShuffleBegan) == [ShuffleBegan(1, 1)]


def test_without_allow_commands_the_shuffler_is_never_moved() -> None:
    bench = Bench(allow_commands=False)
    bench.plug()
    bench.shuffler.put_in(RED)

    answers = [bench.orders(order, 1).outcome for order in (LOAD, COUNT, SHUFFLE)]
    assert answers == [CommandOutcome.REFUSED] * 3
    assert bench.orders(STATUS).outcome is CommandOutcome.DONE
    assert len(bench.told_of(ShufflerStatus)) == 2
    assert not bench.told_of(CompartmentChanged)


@pytest.mark.parametrize("writing", range(1, 31))
def test_wherever_power_fails_what_was_told_and_what_is_held_agree(
    bench: Bench, writing: int
) -> None:
    steps = (LOAD, COUNT, SHUFFLE, STORE, RELEASE)
    bench.shuffler.put_in(RED)
    bench.shuffler.cut_power_after(writing)
    for order in steps:
        bench.gives(order, 1)
        bench.lets_pass(SHUFFLE_MS + SECOND_MS if order is SHUFFLE else SECOND_MS)
    bench.shuffler.power_on()
    bench.lets_pass(15 * SECOND_MS)

    assert bench.state.stage is Stage.ONLINE
    told = [one for one in bench.told if isinstance(one, CompartmentChanged)]
    held = bench.told_of(ShufflerStatus)[-1].compartments[0]
    last = told[-1] if told else standing(1, CompartmentState.EMPTY)
    assert held[1:4] == (last.state, last.cards, last.back)
    # A shuffle that began came to its end or was broken off, and never both.
    ends = [*bench.told_of(ShuffleDone), *bench.told_of(ShuffleAborted)]
    assert len(ends) == len(bench.told_of(ShuffleBegan))
    assert bench.told_of(DeviceFault) == []
