"""Tests the RFID shoe driver: bytes to cards, life cycle, and what the host's clock decides."""

from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct

from controller.system.messages.catalogue import to_words
from drivers.commands import ClearError, DeviceCommand, ListTags, LockExit, SetPolling, UnlockExit
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
from drivers.interface import Driver, DriverOutput, locked_of, remarks_of
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeSettings, RfidShoeState
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")
HELD = message("port_held_by_other_program", port="/dev/ttyUSB0")

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
# Seven bytes of tag statistics before the inputs, as a public client of these readers reads them.
ACE_WITH_STATISTICS = bytes.fromhex(
    "02 00 27 00 22 00 B1 09 00 01 00 1B 03 00 08 E0 04 01 50 12"
    "34 56 01 00 00 17 70 01 00 05 00 00 00 00 00 01 01 BE E2"
)
CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")
# An answer, and a silence before a damaged answer is requested again.
UNDER_WAY_MS = 500 + 300


class Shoe:
    """A shoe with a gate on input 1, its port open, its reader identified, and a settable clock."""

    def __init__(self, delivery: Delivery = Delivery.NOTIFY, *, ready: bool = True) -> None:
        self.driver: Driver[RfidShoeState] = RfidShoe(
            RfidShoeSettings(FeigLinkSettings(delivery=delivery), ExitSettings(gate_input=1))
        )
        self.state = self.driver.initial()
        self.ms = 0
        self.last = DriverOutput()
        if ready:
            self.open_port()
            self.receive(VERSION)
            self.receive(TIMER_5000)
            self.receive(EMPTY)

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS + 1_700_000_000 * SECOND)

    def process(self, event: PortEvent) -> tuple[DeviceEvent, ...]:
        self.state, self.last = self.driver.receive(self.state, event)
        return self.last.events

    def open_port(self) -> tuple[DeviceEvent, ...]:
        return self.process(PortOpened(PORT, self.at(), bytes(32)))

    def lose_port(self, reason: Message = UNPLUGGED) -> tuple[DeviceEvent, ...]:
        return self.process(PortLost(PORT, self.at(), reason))

    def receive(self, data: bytes, after_ms: int = 1) -> tuple[DeviceEvent, ...]:
        self.ms += after_ms
        return self.process(Chunk(PORT, self.at(), data))

    def clear_buffer(self, given: bytes) -> tuple[DeviceEvent, ...]:
        """The reader sends its records again, and clears them."""
        return (*self.receive(given, 0), *self.receive(CLEARED))

    def tick_until(self, after_ms: int) -> tuple[DeviceEvent, ...]:
        self.ms += after_ms
        self.state, self.last = self.driver.tick(self.state, self.at())
        return self.last.events

    def send_command(self, command: DeviceCommand) -> DriverOutput:
        self.state, output = self.driver.command(self.state, command, self.at())
        return output


# --- a reader set up so that its records cannot be read ------------------------------------------


def test_a_reader_with_tag_statistics_beside_its_inputs_is_refused_at_the_opening() -> None:
    shoe = Shoe(ready=False)
    shoe.open_port()
    shoe.receive(VERSION)
    shoe.receive(TIMER_5000)
    refused, fault = shoe.receive(ACE_WITH_STATISTICS)

    assert isinstance(refused, StageChanged)
    assert refused.stage is Stage.OPENED
    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.CONFIGURATION
    assert remarks_of(shoe.state) == (fault.detail,)
    assert "switch tag statistics off in the reader" in to_words(fault.detail)
    assert shoe.last.to_write == ()


def test_a_reader_without_tag_statistics_again_is_taken_again() -> None:
    shoe = Shoe()
    shoe.receive(ACE_WITH_STATISTICS)
    events = shoe.receive(ALL_THREE, 60_000)

    assert [one.stage for one in events if isinstance(one, StageChanged)] == [
        Stage.IDENTIFIED,
        Stage.ONLINE,
    ]
    assert CardPassed(ACE_TAG) in events
    assert remarks_of(shoe.state) == ()


# --- cards ---------------------------------------------------------------------------------------


def test_a_live_card_is_reported_at_the_gate() -> None:
    shoe = Shoe()

    assert shoe.receive(ACE_AT_6000) == ()
    assert shoe.clear_buffer(ACE_AT_6000) == ()
    assert shoe.receive(GATE_SHUT_AT_6080, 80) == (CardPassed(ACE_TAG),)
    assert shoe.clear_buffer(GATE_SHUT_AT_6080) == ()
    assert shoe.receive(GATE_OPEN_AT_6200, 120) == ()


def test_a_buffered_card_is_reported_like_a_live_one() -> None:
    assert Shoe().receive(ALL_THREE, 60_000) == (CardPassed(ACE_TAG),)


def test_a_card_in_any_fragments_is_one_card() -> None:
    for cut in range(1, len(ALL_THREE)):
        shoe = Shoe()
        events = (*shoe.receive(ALL_THREE[:cut]), *shoe.receive(ALL_THREE[cut:]))
        assert events == (CardPassed(ACE_TAG),)


def test_the_buffer_is_cleared_only_after_storing() -> None:
    shoe = Shoe()
    shoe.receive(ALL_THREE)

    assert CLEAR not in (*shoe.last.to_write, *shoe.last.at_once)

    shoe.receive(ALL_THREE)
    assert shoe.last.to_write == (CLEAR,)


def test_a_repeated_record_is_not_a_second_card() -> None:
    shoe = Shoe()
    shoe.receive(ALL_THREE)

    assert shoe.receive(ALL_THREE, 1_000) == ()


def test_a_card_interrupted_by_unplugging_is_reported_afterwards() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)
    shoe.clear_buffer(ACE_AT_6000)
    shoe.lose_port()
    shoe.ms += 20_000
    shoe.open_port()

    answered = (*shoe.receive(VERSION), *shoe.receive(TIMER_20_SECONDS_LATER))
    events = (*answered, *shoe.receive(GATE_SHUT_AT_6080))

    assert [event for event in events if not isinstance(event, StageChanged)] == [
        CardPassed(ACE_TAG)
    ]


def test_an_overflow_gives_lost_cards() -> None:
    passed, fault, lost = Shoe().receive(ALL_THREE_AND_OVERFLOW)

    assert passed == CardPassed(ACE_TAG)
    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.BUFFER_OVERFLOW
    assert lost == ReportsLost(LossReason.GAP, 0)


def test_a_reader_that_was_without_power_may_have_lost_cards() -> None:
    shoe = Shoe()
    shoe.receive(ALL_THREE)
    shoe.clear_buffer(ALL_THREE)
    shoe.lose_port()
    shoe.ms += 600_000
    shoe.open_port()
    shoe.receive(VERSION)

    # Its timer has the value of ten minutes ago, and again when read a second time.
    events = (*shoe.receive(TIMER_5000), *shoe.receive(TIMER_5000))

    assert events[-1] == ReportsLost(LossReason.UNPROVEN, 0)
    assert isinstance(events[-2], DeviceFault)
    assert events[-2].kind is LinkFaultKind.CONTINUITY_UNPROVEN


# --- what the host's clock decides ---------------------------------------------------------------


def test_a_tag_pulled_back_is_reported_by_time_alone() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)
    shoe.clear_buffer(ACE_AT_6000)

    assert shoe.tick_until(1_500 + UNDER_WAY_MS - 1) == ()
    assert shoe.tick_until(2) == (TagPulledBack(ACE_TAG),)


def test_a_card_without_a_tag_is_reported_by_time_alone() -> None:
    shoe = Shoe()
    shoe.receive(GATE_SHUT_AT_6080)
    shoe.clear_buffer(GATE_SHUT_AT_6080)

    assert shoe.tick_until(20 + UNDER_WAY_MS) == (CardPassed(None),)


def test_a_slow_card_is_reported_by_time_alone() -> None:
    shoe = Shoe()
    for notification in (ACE_AT_6000, GATE_SHUT_AT_6080):
        shoe.receive(notification)
        shoe.clear_buffer(notification)

    assert shoe.tick_until(1_000 + UNDER_WAY_MS) == (SlowCard(1_000),)


def test_the_next_deadline_is_when_a_wait_expires() -> None:
    shoe = Shoe()
    shoe.receive(GATE_SHUT_AT_6080)
    heard_ms = shoe.ms
    shoe.clear_buffer(GATE_SHUT_AT_6080)

    assert shoe.driver.next_deadline_ns(shoe.state) == (heard_ms + 21 + UNDER_WAY_MS) * MS


def test_a_polled_buffer_adds_an_idle_poll_to_the_wait() -> None:
    shoe = Shoe(Delivery.POLL)
    shoe.receive(GATE_SHUT_AT_6080)
    shoe.clear_buffer(GATE_SHUT_AT_6080)
    for _poll in range(18):
        shoe.tick_until(100)
        assert shoe.receive(EMPTY, 0) == ()

    assert shoe.tick_until(100) == (CardPassed(None),)


def test_no_wait_expires_while_the_port_is_lost() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)
    shoe.lose_port()

    assert shoe.driver.next_deadline_ns(shoe.state) is None
    assert shoe.tick_until(100_000) == ()


def test_no_wait_expires_before_the_reader_answers() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)
    shoe.lose_port()
    shoe.open_port()

    events = (*shoe.tick_until(499), *shoe.tick_until(1), *shoe.tick_until(10_000))

    assert not [event for event in events if isinstance(event, TagPulledBack)]


def test_after_a_reopening_waits_start_again() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)
    shoe.lose_port()
    shoe.ms += 60_000
    shoe.open_port()
    shoe.receive(VERSION)
    shoe.receive(TIMER_A_MINUTE_LATER)
    shoe.receive(EMPTY)

    assert shoe.tick_until(1_500) == ()
    assert shoe.tick_until(UNDER_WAY_MS + 1) == (TagPulledBack(ACE_TAG),)


def test_no_wait_expires_while_the_reader_is_silent() -> None:
    shoe = Shoe()
    shoe.receive(ACE_AT_6000)

    # The CLEAR request is not answered.
    (fault,) = shoe.tick_until(600)
    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.NO_ANSWER
    for _second in range(5):
        assert TagPulledBack(ACE_TAG) not in shoe.tick_until(1_000)


# --- the life of the device ----------------------------------------------------------------------


def stages(events: tuple[DeviceEvent, ...]) -> list[Stage]:
    return [event.stage for event in events if isinstance(event, StageChanged)]


def test_a_shoe_is_opened_then_identified_then_online() -> None:
    shoe = Shoe(ready=False)

    assert stages(shoe.open_port()) == [Stage.OPENED]
    assert stages(shoe.receive(VERSION)) == [Stage.IDENTIFIED]
    assert stages(shoe.receive(TIMER_5000)) == [Stage.ONLINE]
    assert stages(shoe.receive(EMPTY)) == []
    assert shoe.state.stage is Stage.ONLINE


@pytest.mark.parametrize("unasked", [KEEP_ALIVE, ALL_THREE])
def test_an_unasked_report_brings_the_shoe_online(unasked: bytes) -> None:
    shoe = Shoe(ready=False)
    shoe.open_port()

    events = shoe.receive(unasked)

    assert stages(events) == [Stage.IDENTIFIED, Stage.ONLINE]
    assert events[: len(stages(events))] == tuple(
        event for event in events if isinstance(event, StageChanged)
    )


def test_a_lost_port_is_reported_with_its_reason_and_reopened() -> None:
    shoe = Shoe()

    assert shoe.lose_port(HELD) == (StageChanged(Stage.LOST, HELD),)
    assert stages(shoe.open_port()) == [Stage.OPENED]
    assert shoe.state.stage is Stage.OPENED


def test_bytes_of_another_device_leave_it_opened() -> None:
    shoe = Shoe(ready=False)
    shoe.open_port()
    shoe.receive(bytes.fromhex("05 31 50 03 36 32") * 4)

    assert shoe.state.stage is Stage.OPENED


def test_a_shoe_without_a_lock_never_reports_one() -> None:
    assert locked_of(Shoe().state) is None


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1), ListTags()])
def test_unsupported_commands_are_refused(command: DeviceCommand) -> None:
    output = Shoe().send_command(command)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.outcome is CommandOutcome.REFUSED
    assert output.to_write == output.at_once == ()


def test_close_polling_reads_the_buffer_sooner() -> None:
    shoe = Shoe(Delivery.POLL)
    idly_ns = shoe.driver.next_deadline_ns(shoe.state)
    shoe.send_command(SetPolling(closely=True))
    closely_ns = shoe.driver.next_deadline_ns(shoe.state)

    assert idly_ns is not None
    assert closely_ns is not None
    assert closely_ns < idly_ns


# --- state and totality --------------------------------------------------------------------------


def assert_encodable(value: object) -> None:
    """Frozen structs, enums, tuples, int, str, bytes, bool, None, UNSET, all the way down."""
    if isinstance(value, Struct):
        assert value.__struct_config__.frozen
        for field in value.__struct_fields__:
            assert_encodable(getattr(value, field))
    elif isinstance(value, tuple):
        for one in value:
            assert_encodable(one)
    else:
        assert value in (None, UNSET) or isinstance(value, Enum | int | str | bytes)


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
def test_no_bytes_raise_and_the_state_can_be_stored(
    happenings: list[bytes | int | str], delivery: Delivery
) -> None:
    shoe = Shoe(delivery)
    for happening in happenings:
        match happening:
            case bytes():
                shoe.receive(happening)
            case int():
                shoe.tick_until(happening)
            case "lost":
                shoe.lose_port()
            case _:
                shoe.open_port()

    assert_encodable(shoe.state)
