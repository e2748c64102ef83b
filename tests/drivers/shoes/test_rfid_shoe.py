"""The RFID dealing shoe as a device: bytes to cards, its life, what the host's clock decides."""

import dataclasses
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.commands import ClearError, DeviceCommand, ListTags, LockExit, UnlockExit, Watch
from drivers.events import (
    CardPassed,
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    LossReason,
    ReportsLost,
    SlowCard,
    Stage,
    StageChanged,
    TagPulledBack,
)
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeSettings, RfidShoeState
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

PORT = "shoe"
SECOND, MS = 1_000_000_000, 1_000_000
ACE_TAG = "E004015012345601"

VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")
TIMER_5000 = bytes.fromhex("02 00 0C 00 86 00 00 00 13 88 4A 55")
TIMER_20_SECONDS_LATER = bytes.fromhex("02 00 0C 00 86 00 00 00 61 A8 3C B7")
TIMER_A_MINUTE_LATER = bytes.fromhex("02 00 0C 00 86 00 00 01 13 88 96 0F")
EMPTY = bytes.fromhex("02 00 08 00 22 92 E6 42")
CLEARED = bytes.fromhex("02 00 08 00 32 00 EC 60")
KEEP_ALIVE = bytes.fromhex("02 00 0A 00 6E 00 00 00 4B 69")
ACE_AT_6000 = bytes.fromhex(
    "02 00 20 00 22 00 B1 01 00 0100 14 03 00 08 E0 04 01 50 12 34 56 01 00 00 17 70 01 00 00 EF 10"
)
GATE_SHUT_AT_6080 = bytes.fromhex(
    "02 00 18 00 22 00 B1 01 00 01 00 0C 00 00 00 00 00 17 C0 00 01 01 09 64"
)
GATE_OPEN_AT_6200 = bytes.fromhex(
    "02 00 18 00 22 00 B1 01 00 01 00 0C 00 00 00 00 00 18 38 00 01 00 8F 8D"
)
ALL_THREE = bytes.fromhex(
    "02 00 38 00 22 00 B1 01 00 03"
    "00 14 03 00 08 E0 04 01 50 12 34 56 01 00 00 17 70 01 00 00"
    "00 0C 00 00 00 00 00 17 C0 00 01 01 00 0C 00 00 00 00 00 18 38 00 01 00 8F 17"
)
ALL_THREE_AND_OVERFLOW = bytes.fromhex(
    "02 00 38 00 22 93 B1 01 00 03"
    "00 14 03 00 08 E0 04 01 50 12 34 56 01 00 00 17 70 01 00 00"
    "00 0C 00 00 00 00 00 17 C0 00 01 01 00 0C 00 00 00 00 00 18 38 00 01 00 4E FD"
)
CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")
# An answer, and a silence before a damaged one is asked for again.
UNDER_WAY_MS = 500 + 300


class Shoe:
    """A shoe with a gate on input 1, its port open, its reader known, and a clock to set."""

    def __init__(self, delivery: Delivery = Delivery.NOTIFY, *, ready: bool = True) -> None:
        self.driver: Driver[RfidShoeState] = RfidShoe(
            RfidShoeSettings(FeigLinkSettings(delivery=delivery), ExitSettings(gate_input=1))
        )
        self.state = self.driver.initial()
        self.ms = 0
        self.last = DriverOutput()
        if ready:
            self.opens()
            self.hears(VERSION)
            self.hears(TIMER_5000)
            self.hears(EMPTY)

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS + 1_700_000_000 * SECOND)

    def takes(self, event: PortEvent) -> tuple[DeviceEvent, ...]:
        self.state, self.last = self.driver.receive(self.state, event)
        return self.last.events

    def opens(self) -> tuple[DeviceEvent, ...]:
        return self.takes(PortOpened(PORT, self.at(), bytes(32)))

    def loses(self, reason: str = "unplugged") -> tuple[DeviceEvent, ...]:
        return self.takes(PortLost(PORT, self.at(), reason))

    def hears(self, data: bytes, after_ms: int = 1) -> tuple[DeviceEvent, ...]:
        self.ms += after_ms
        return self.takes(Chunk(PORT, self.at(), data))

    def clears(self, given: bytes) -> tuple[DeviceEvent, ...]:
        """The reader hands over once more what it gave, and lets go of it."""
        return (*self.hears(given, 0), *self.hears(CLEARED))

    def ticks(self, after_ms: int) -> tuple[DeviceEvent, ...]:
        self.ms += after_ms
        self.state, self.last = self.driver.tick(self.state, self.at())
        return self.last.events

    def asks(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, self.at())
        return output


# --- cards ---------------------------------------------------------------------------------------


def test_a_card_live_is_told_at_the_gate() -> None:
    shoe = Shoe()

    assert shoe.hears(ACE_AT_6000) == ()
    assert shoe.clears(ACE_AT_6000) == ()
    assert shoe.hears(GATE_SHUT_AT_6080, 80) == (CardPassed(ACE_TAG),)
    assert shoe.clears(GATE_SHUT_AT_6080) == ()
    assert shoe.hears(GATE_OPEN_AT_6200, 120) == ()


def test_a_card_from_the_buffer_is_told_as_if_live() -> None:
    assert Shoe().hears(ALL_THREE, 60_000) == (CardPassed(ACE_TAG),)


def test_a_card_in_any_fragments_is_one_card() -> None:
    for cut in range(1, len(ALL_THREE)):
        shoe = Shoe()
        events = (*shoe.hears(ALL_THREE[:cut]), *shoe.hears(ALL_THREE[cut:]))
        assert events == (CardPassed(ACE_TAG),)


def test_the_buffer_is_cleared_only_with_what_is_stored() -> None:
    shoe = Shoe()
    shoe.hears(ALL_THREE)

    assert CLEAR not in (*shoe.last.to_write, *shoe.last.at_once)

    shoe.hears(ALL_THREE)
    assert shoe.last.to_write == (CLEAR,)


def test_a_record_delivered_again_is_no_second_card() -> None:
    shoe = Shoe()
    shoe.hears(ALL_THREE)

    assert shoe.hears(ALL_THREE, 1_000) == ()


def test_a_card_half_told_before_an_unplug_is_told_after_it() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)
    shoe.clears(ACE_AT_6000)
    shoe.loses()
    shoe.ms += 20_000
    shoe.opens()

    answered = (*shoe.hears(VERSION), *shoe.hears(TIMER_20_SECONDS_LATER))
    events = (*answered, *shoe.hears(GATE_SHUT_AT_6080))

    assert [event for event in events if not isinstance(event, StageChanged)] == [
        CardPassed(ACE_TAG)
    ]


def test_an_overflow_is_cards_lost() -> None:
    passed, fault, lost = Shoe().hears(ALL_THREE_AND_OVERFLOW)

    assert passed == CardPassed(ACE_TAG)
    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.BUFFER_OVERFLOW
    assert lost == ReportsLost(LossReason.GAP, 0)


def test_a_reader_that_was_without_power_may_have_lost_cards() -> None:
    shoe = Shoe()
    shoe.hears(ALL_THREE)
    shoe.clears(ALL_THREE)
    shoe.loses()
    shoe.ms += 600_000
    shoe.opens()
    shoe.hears(VERSION)

    # Its timer says again what it said ten minutes ago, and once more when asked to make sure.
    events = (*shoe.hears(TIMER_5000), *shoe.hears(TIMER_5000))

    assert events[-1] == ReportsLost(LossReason.UNPROVEN, 0)
    assert isinstance(events[-2], DeviceFault)
    assert events[-2].kind is LinkFaultKind.CONTINUITY_UNPROVEN


# --- what the host's clock decides ---------------------------------------------------------------


def test_a_tag_pulled_back_is_told_though_the_reader_says_no_more() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)
    shoe.clears(ACE_AT_6000)

    assert shoe.ticks(1_500 + UNDER_WAY_MS - 1) == ()
    assert shoe.ticks(2) == (TagPulledBack(ACE_TAG),)


def test_a_card_without_a_tag_is_told_though_the_reader_says_no_more() -> None:
    shoe = Shoe()
    shoe.hears(GATE_SHUT_AT_6080)
    shoe.clears(GATE_SHUT_AT_6080)

    assert shoe.ticks(20 + UNDER_WAY_MS) == (CardPassed(None),)


def test_a_card_that_stands_in_the_exit_is_told_though_the_reader_says_no_more() -> None:
    shoe = Shoe()
    for notification in (ACE_AT_6000, GATE_SHUT_AT_6080):
        shoe.hears(notification)
        shoe.clears(notification)

    assert shoe.ticks(1_000 + UNDER_WAY_MS) == (SlowCard(1_000),)


def test_the_next_deadline_is_when_something_waited_in_vain() -> None:
    shoe = Shoe()
    shoe.hears(GATE_SHUT_AT_6080)
    heard_ms = shoe.ms
    shoe.clears(GATE_SHUT_AT_6080)

    assert shoe.driver.next_deadline_ns(shoe.state) == (heard_ms + 21 + UNDER_WAY_MS) * MS


def test_a_polled_buffer_is_given_the_time_of_an_idle_poll() -> None:
    shoe = Shoe(Delivery.POLL)
    shoe.hears(GATE_SHUT_AT_6080)
    shoe.clears(GATE_SHUT_AT_6080)
    for _poll in range(18):
        shoe.ticks(100)
        assert shoe.hears(EMPTY, 0) == ()

    assert shoe.ticks(100) == (CardPassed(None),)


def test_while_the_port_is_lost_nothing_is_decided() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)
    shoe.loses()

    assert shoe.driver.next_deadline_ns(shoe.state) is None
    assert shoe.ticks(100_000) == ()


def test_until_the_reader_has_answered_nothing_is_decided() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)
    shoe.loses()
    shoe.opens()

    told = (*shoe.ticks(499), *shoe.ticks(1), *shoe.ticks(10_000))

    assert not [event for event in told if isinstance(event, TagPulledBack)]


def test_after_a_reopening_what_waits_waits_anew() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)
    shoe.loses()
    shoe.ms += 60_000
    shoe.opens()
    shoe.hears(VERSION)
    shoe.hears(TIMER_A_MINUTE_LATER)
    shoe.hears(EMPTY)

    assert shoe.ticks(1_500) == ()
    assert shoe.ticks(UNDER_WAY_MS + 1) == (TagPulledBack(ACE_TAG),)


def test_a_reader_that_does_not_answer_decides_nothing() -> None:
    shoe = Shoe()
    shoe.hears(ACE_AT_6000)

    # The clearing is not answered.
    (fault,) = shoe.ticks(600)
    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.NO_ANSWER
    for _second in range(5):
        assert TagPulledBack(ACE_TAG) not in shoe.ticks(1_000)


# --- the life of the device ----------------------------------------------------------------------


def stages(events: tuple[DeviceEvent, ...]) -> list[Stage]:
    return [event.stage for event in events if isinstance(event, StageChanged)]


def test_a_shoe_is_opened_then_identified_then_online() -> None:
    shoe = Shoe(ready=False)

    assert stages(shoe.opens()) == [Stage.OPENED]
    assert stages(shoe.hears(VERSION)) == [Stage.IDENTIFIED]
    assert stages(shoe.hears(TIMER_5000)) == [Stage.ONLINE]
    assert stages(shoe.hears(EMPTY)) == []
    assert shoe.state.stage is Stage.ONLINE


@pytest.mark.parametrize("unasked", [KEEP_ALIVE, ALL_THREE])
def test_a_shoe_that_speaks_unasked_is_online(unasked: bytes) -> None:
    shoe = Shoe(ready=False)
    shoe.opens()

    events = shoe.hears(unasked)

    assert stages(events) == [Stage.IDENTIFIED, Stage.ONLINE]
    assert events[: len(stages(events))] == tuple(
        event for event in events if isinstance(event, StageChanged)
    )


def test_a_lost_port_is_told_with_its_reason_and_begins_anew() -> None:
    shoe = Shoe()

    assert shoe.loses("the adapter is gone") == (StageChanged(Stage.LOST, "the adapter is gone"),)
    assert stages(shoe.opens()) == [Stage.OPENED]
    assert shoe.state.stage is Stage.OPENED


def test_bytes_of_another_device_leave_it_opened() -> None:
    shoe = Shoe(ready=False)
    shoe.opens()
    shoe.hears(bytes.fromhex("05 31 50 03 36 32") * 4)

    assert shoe.state.stage is Stage.OPENED


def test_its_lock_is_never_known() -> None:
    assert Shoe().state.locked is None


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1), ListTags()])
def test_what_it_cannot_do_is_refused(command: DeviceCommand) -> None:
    output = Shoe().asks(command)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED
    assert output.to_write == output.at_once == ()


def test_watched_closely_its_buffer_is_asked_for_sooner() -> None:
    shoe = Shoe(Delivery.POLL)
    idly_ns = shoe.driver.next_deadline_ns(shoe.state)
    shoe.asks(Watch(closely=True))
    closely_ns = shoe.driver.next_deadline_ns(shoe.state)

    assert idly_ns is not None
    assert closely_ns is not None
    assert closely_ns < idly_ns


# --- state and totality --------------------------------------------------------------------------


def assert_encodable(value: object) -> None:
    """Frozen dataclasses, enums, tuples, int, str, bytes, bool and None, all the way down."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
        for field in dataclasses.fields(value):
            assert_encodable(getattr(value, field.name))
    elif isinstance(value, tuple):
        for one in value:
            assert_encodable(one)
    else:
        assert value is None or isinstance(value, Enum | int | str | bytes)


FRAMES = (
    *(VERSION, TIMER_5000, EMPTY, CLEARED, KEEP_ALIVE),
    *(ACE_AT_6000, GATE_SHUT_AT_6080, GATE_OPEN_AT_6200, ALL_THREE, ALL_THREE_AND_OVERFLOW),
)
HAPPENINGS = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(FRAMES),
    st.integers(0, 3_000),
    st.sampled_from(("lost", "opened")),
)


@given(st.lists(HAPPENINGS, max_size=25), st.sampled_from(tuple(Delivery)))
def test_nothing_raises_and_the_state_can_be_stored(
    happenings: list[bytes | int | str], delivery: Delivery
) -> None:
    shoe = Shoe(delivery)
    for happening in happenings:
        match happening:
            case bytes():
                shoe.hears(happening)
            case int():
                shoe.ticks(happening)
            case "lost":
                shoe.loses()
            case _:
                shoe.opens()

    assert_encodable(shoe.state)
