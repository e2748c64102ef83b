"""Tests which cards the exit of an RFID shoe derives from its reader's records."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from controller.system.messages.catalogue import to_words
from drivers.events import (
    CardPassed,
    DeviceEvent,
    OtherTransponder,
    SlowCard,
    TagPulledBack,
    TagReadAgain,
    TagsTogether,
)
from drivers.faults import DeviceFault
from drivers.readers.feig_reader import kind_name
from drivers.shoes.rfid_exit import (
    TAGS_MAX,
    ExitSettings,
    ExitState,
    apply_record,
    expire_until,
    mark_records_lost,
    next_due_ms,
    reset,
)
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.link import LinkFaultKind

GATE = ExitSettings(gate_input=2)
NO_GATE = ExitSettings()
ACE, TWO, SIX = bytes.fromhex("E004015012345601"), bytes.fromhex("E0040150123456F2"), b"\xe0\x06"
ACE_TAG, TWO_TAG, SIX_TAG = "E004015012345601", "E0040150123456F2", "E006"
OPEN, SHUT = 0b01, 0b11  # input 1 has another use


@dataclass
class Exit:
    """An exit and the records that come to it, at times on the reader's own timer."""

    settings: ExitSettings = GATE
    state: ExitState = field(default_factory=ExitState)

    def read_tag(self, tag: bytes, at_ms: int, **more: int) -> tuple[DeviceEvent, ...]:
        record = BufferRecord(tag, tr_type=more.pop("kind", 3), time_ms=at_ms, **more)
        return self.apply(record)

    def gate(self, inputs: int, at_ms: int) -> tuple[DeviceEvent, ...]:
        return self.apply(BufferRecord(b"", inputs=inputs, time_ms=at_ms))

    def apply(self, record: BufferRecord, host_ms: int = 0) -> tuple[DeviceEvent, ...]:
        self.state, events = apply_record(self.settings, self.state, record, host_ms)
        return events

    def wait_until(self, until_ms: int) -> tuple[DeviceEvent, ...]:
        """Expire waits until `until_ms` after the last record, by the host's clock."""
        self.state, events = expire_until(self.settings, self.state, self.state.clock_ms + until_ms)
        return events

    def pass_card(self, tag: bytes, at_ms: int) -> tuple[DeviceEvent, ...]:
        """A card read normally, then passing the gate."""
        return (
            *self.read_tag(tag, at_ms),
            *self.gate(SHUT, at_ms + 40),
            *self.gate(OPEN, at_ms + 120),
        )


# --- with a gate sensor --------------------------------------------------------------------------


def test_a_card_is_read_and_passes_the_gate() -> None:
    assert Exit().pass_card(ACE, 5_000) == (CardPassed(ACE_TAG),)


def test_a_tag_without_the_gate_is_not_a_card_yet() -> None:
    assert Exit().read_tag(ACE, 5_000) == ()


def test_tag_and_gate_may_be_in_one_record() -> None:
    shoe = Exit()
    shoe.gate(OPEN, 0)

    assert shoe.read_tag(ACE, 5_000, inputs=SHUT) == (CardPassed(ACE_TAG),)


def test_a_card_in_the_gate_before_the_first_record_is_not_a_pulse() -> None:
    shoe = Exit()

    assert shoe.read_tag(ACE, 5_000, inputs=SHUT) == ()
    assert shoe.gate(OPEN, 5_100) == ()


def test_another_input_is_not_the_gate() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)

    assert shoe.gate(0b101, 30) == ()


def test_a_gate_that_stays_shut_is_one_card() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)
    shoe.read_tag(TWO, 300)

    assert shoe.gate(SHUT, 340) == (CardPassed(TWO_TAG),)
    assert shoe.gate(SHUT, 360) == ()


def test_a_double_read_is_reported_and_is_not_a_second_card() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)

    assert shoe.read_tag(ACE, 200) == (TagReadAgain(ACE_TAG),)
    assert shoe.wait_until(10_000) == ()


def test_a_card_at_the_antenna_is_read_again_while_it_stays() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)

    for at_ms in range(900, 9_000, 900):
        assert shoe.read_tag(ACE, at_ms) == (TagReadAgain(ACE_TAG),)


def test_the_card_before_the_last_may_be_read_again_too() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)
    shoe.pass_card(TWO, 200)

    assert shoe.read_tag(ACE, 400) == (TagReadAgain(ACE_TAG),)


def test_a_card_that_comes_back_later_is_not_a_double_read() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)

    assert shoe.pass_card(ACE, 1_041) == (CardPassed(ACE_TAG),)


def test_a_card_without_a_tag_is_decided_by_the_next_record() -> None:
    shoe = Exit()

    assert shoe.gate(SHUT, 0) == ()
    assert shoe.gate(OPEN, 21) == (CardPassed(None),)


def test_a_card_without_a_tag_is_decided_by_waiting() -> None:
    shoe = Exit()
    shoe.gate(SHUT, 0)

    assert shoe.wait_until(20) == ()
    assert shoe.wait_until(21) == (CardPassed(None),)
    assert shoe.wait_until(22) == ()


def test_a_tag_just_after_the_gate_belongs_to_the_card_in_it() -> None:
    shoe = Exit()
    shoe.gate(SHUT, 0)

    assert shoe.read_tag(ACE, 20) == (CardPassed(ACE_TAG),)
    assert shoe.wait_until(400) == ()


def test_two_cards_without_a_tag_one_right_after_the_other() -> None:
    shoe = Exit()
    shoe.gate(SHUT, 0)
    shoe.gate(OPEN, 5)

    assert shoe.gate(SHUT, 10) == (CardPassed(None),)
    assert shoe.wait_until(21) == (CardPassed(None),)


def test_a_tag_without_a_card_at_the_gate_was_pulled_back() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)

    assert shoe.wait_until(1_500) == ()
    assert shoe.wait_until(1_501) == (TagPulledBack(ACE_TAG),)


def test_a_tag_pulled_back_and_drawn_after_all_is_a_card() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)

    assert shoe.pass_card(ACE, 3_000) == (TagPulledBack(ACE_TAG), CardPassed(ACE_TAG))


def test_a_tag_still_in_the_field_was_not_pulled_back() -> None:
    shoe = Exit()
    for at_ms in (0, 1_000, 2_000, 3_000):
        assert shoe.read_tag(ACE, at_ms) == ()

    assert shoe.gate(SHUT, 4_500) == (CardPassed(ACE_TAG),)


def test_with_two_tags_at_the_gate_the_card_is_not_sure() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.read_tag(TWO, 300)

    assert shoe.gate(SHUT, 340) == (
        TagsTogether((ACE_TAG, TWO_TAG)),
        CardPassed(ACE_TAG, sure=False),
    )


def test_the_card_after_two_tags_together_is_not_sure() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.read_tag(TWO, 300)
    shoe.gate(SHUT, 340)
    shoe.gate(OPEN, 420)

    assert shoe.gate(SHUT, 500) == (CardPassed(TWO_TAG, sure=False),)


def test_a_slow_card_is_reported_once() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.gate(SHUT, 40)

    assert shoe.wait_until(999) == ()
    assert shoe.wait_until(1_000) == (SlowCard(1_000),)
    assert shoe.gate(OPEN, 5_000) == ()


def test_a_slow_card_is_reported_by_the_record_that_ends_it() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.gate(SHUT, 40)

    assert shoe.gate(OPEN, 1_040) == (SlowCard(1_000),)


def test_a_card_that_is_out_in_time_is_not_slow() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)

    assert shoe.wait_until(5_000) == ()


def test_the_next_card_can_be_slow_too() -> None:
    shoe = Exit()
    for tag, at_ms in ((ACE, 0), (TWO, 4_000)):
        shoe.read_tag(tag, at_ms)
        shoe.gate(SHUT, at_ms + 40)
        assert shoe.gate(OPEN, at_ms + 3_000) == (SlowCard(1_000),)


def test_a_pile_of_cards_at_the_exit_gives_one_fault() -> None:
    shoe = Exit()
    for number in range(TAGS_MAX):
        assert shoe.read_tag(bytes((0xE0, number)), number) == ()

    events = shoe.read_tag(ACE, 100)

    assert [type(event) for event in events] == [DeviceFault]
    assert shoe.read_tag(TWO, 101) == ()
    assert len(shoe.state.waiting) == TAGS_MAX


def test_another_pile_after_a_card_has_passed_gives_another_fault() -> None:
    shoe = Exit()
    for number in range(TAGS_MAX):
        shoe.read_tag(bytes((0xE0, number)), number)
    assert [type(event) for event in shoe.read_tag(ACE, 100)] == [DeviceFault]
    shoe.gate(SHUT, 110)
    shoe.gate(OPEN, 120)

    assert shoe.read_tag(TWO, 130) == ()
    assert [type(event) for event in shoe.read_tag(b"\xe1", 140)] == [DeviceFault]


# --- without a gate sensor -----------------------------------------------------------------------


def test_without_a_gate_each_new_tag_is_a_card() -> None:
    shoe = Exit(NO_GATE)

    assert shoe.read_tag(ACE, 0) == (CardPassed(ACE_TAG),)
    assert shoe.read_tag(TWO, 300) == (CardPassed(TWO_TAG),)


def test_without_a_gate_a_double_read_is_not_a_second_card() -> None:
    shoe = Exit(NO_GATE)
    shoe.read_tag(ACE, 0)

    assert shoe.read_tag(ACE, 1_000) == (TagReadAgain(ACE_TAG),)
    assert shoe.read_tag(ACE, 2_001) == (CardPassed(ACE_TAG),)


def test_without_a_gate_the_second_of_two_tags_close_together_is_not_sure() -> None:
    shoe = Exit(NO_GATE)
    shoe.read_tag(SIX, 0)
    shoe.read_tag(ACE, 60_000)

    assert shoe.read_tag(TWO, 60_019) == (
        TagsTogether((ACE_TAG, TWO_TAG)),
        CardPassed(TWO_TAG, sure=False),
    )


def test_without_a_gate_a_double_read_with_a_new_card_leaves_it_sure() -> None:
    shoe = Exit(NO_GATE)
    shoe.read_tag(ACE, 0)
    shoe.read_tag(ACE, 395)

    assert shoe.read_tag(TWO, 400) == (CardPassed(TWO_TAG),)


def test_without_a_gate_three_tags_together_are_three_cards() -> None:
    shoe = Exit(NO_GATE)
    events = (
        *shoe.read_tag(ACE, 0),
        *shoe.read_tag(TWO, 5),
        *shoe.read_tag(ACE, 8),
        *shoe.read_tag(SIX, 10),
    )

    assert events == (
        CardPassed(ACE_TAG),
        TagsTogether((ACE_TAG, TWO_TAG)),
        CardPassed(TWO_TAG, sure=False),
        TagReadAgain(ACE_TAG),
        TagsTogether((ACE_TAG, TWO_TAG, SIX_TAG)),
        CardPassed(SIX_TAG, sure=False),
    )


def test_without_a_gate_inputs_are_ignored() -> None:
    shoe = Exit(NO_GATE)

    assert shoe.gate(SHUT, 0) == ()
    assert shoe.wait_until(100_000) == ()


# --- other transponders---------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [GATE, NO_GATE])
def test_a_transponder_of_another_kind_is_not_a_card(settings: ExitSettings) -> None:
    for kind in (kind for kind in range(256) if kind not in (0x03, 0x09)):
        shoe = Exit(settings)

        assert shoe.read_tag(ACE, 0, kind=kind) == (OtherTransponder(kind_name(kind)),)
        assert shoe.wait_until(100_000) == ()


@pytest.mark.parametrize("kind", [0x03, 0x09])
def test_both_chip_kinds_of_cards_are_accepted(kind: int) -> None:
    assert Exit(NO_GATE).read_tag(ACE, 0, kind=kind) == (CardPassed(ACE_TAG),)


def test_a_tag_without_a_kind_is_accepted() -> None:
    assert Exit(NO_GATE).apply(BufferRecord(ACE)) == (CardPassed(ACE_TAG),)


def test_another_antenna_is_ignored_and_reported_once() -> None:
    shoe = Exit(structs.replace(NO_GATE, antenna=1))

    (fault,) = shoe.read_tag(ACE, 0, antenna=2)

    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.DEVICE_STATUS
    assert "antenna 2" in to_words(fault.detail)
    assert shoe.read_tag(ACE, 5, antenna=2) == ()
    assert shoe.read_tag(ACE, 10, antenna=1) == (CardPassed(ACE_TAG),)


def test_without_an_antenna_setting_any_antenna_is_the_exit() -> None:
    assert Exit(NO_GATE).read_tag(ACE, 0, antenna=3) == (CardPassed(ACE_TAG),)


def test_a_tag_without_an_antenna_is_accepted_and_reported_once() -> None:
    shoe = Exit(structs.replace(NO_GATE, antenna=1))

    fault, passed = shoe.read_tag(ACE, 0)

    assert isinstance(fault, DeviceFault)
    assert passed == CardPassed(ACE_TAG)
    assert shoe.read_tag(TWO, 400) == (CardPassed(TWO_TAG),)


def test_an_empty_record_gives_a_fault() -> None:
    (fault,) = Exit().apply(BufferRecord(b"", time_ms=1))

    assert isinstance(fault, DeviceFault)
    assert fault.kind is LinkFaultKind.MALFORMED


# --- time ----------------------------------------------------------------------------------------


def test_the_readers_timer_wraps_every_day() -> None:
    shoe, later = Exit(), Exit()
    shoe.read_tag(ACE, 86_399_000)
    later.read_tag(ACE, 86_399_000)

    assert shoe.gate(SHUT, 500) == (CardPassed(ACE_TAG),)
    assert later.gate(SHUT, 501) == (TagPulledBack(ACE_TAG),)


def test_a_timer_set_back_subtracts_no_time() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 50_000)

    assert shoe.gate(SHUT, 30) == (CardPassed(ACE_TAG),)


def test_a_reader_without_a_timer_is_timed_by_the_host() -> None:
    shoe = Exit()
    shoe.apply(BufferRecord(ACE), host_ms=70_000)

    events = shoe.apply(BufferRecord(b"", inputs=SHUT), host_ms=1_501)

    assert events == (TagPulledBack(ACE_TAG),)


def test_the_next_due_time_is_reported() -> None:
    shoe = Exit()
    assert next_due_ms(GATE, shoe.state) is None
    shoe.read_tag(ACE, 7_000)
    assert next_due_ms(GATE, shoe.state) == 1_501
    shoe.gate(SHUT, 7_040)
    assert next_due_ms(GATE, shoe.state) == 1_040


# --- records lost --------------------------------------------------------------------------------


def test_a_tag_waiting_during_a_loss_is_not_sure() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.state = mark_records_lost(shoe.state)

    assert shoe.gate(SHUT, 40) == (CardPassed(ACE_TAG, sure=False),)


def test_a_tag_waiting_during_a_loss_is_not_reported_as_pulled_back() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.state = mark_records_lost(shoe.state)

    assert shoe.wait_until(100_000) == ()


def test_a_card_after_the_loss_is_sure() -> None:
    shoe = Exit()
    shoe.pass_card(ACE, 0)
    shoe.state = mark_records_lost(shoe.state)

    assert shoe.pass_card(TWO, 9_000) == (CardPassed(TWO_TAG),)


def test_a_gate_whose_opening_was_lost_does_not_hide_the_next_card() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.gate(SHUT, 40)
    shoe.state = mark_records_lost(shoe.state)
    shoe.read_tag(TWO, 900)

    assert shoe.gate(SHUT, 940) == (CardPassed(TWO_TAG),)


def test_a_card_still_in_the_gate_after_a_loss_is_not_a_second_card() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.gate(SHUT, 40)
    shoe.state = mark_records_lost(shoe.state)

    assert shoe.read_tag(ACE, 60, inputs=SHUT) == (TagReadAgain(ACE_TAG),)
    assert shoe.gate(OPEN, 120) == ()


def test_a_card_in_the_gate_passed_before_the_reader_lost_its_memory() -> None:
    shoe = Exit()
    shoe.gate(SHUT, 0)
    shoe.state, events = reset(shoe.state)

    assert events == (CardPassed(None),)


def test_after_the_reader_lost_its_memory_nothing_waits() -> None:
    shoe = Exit()
    shoe.read_tag(ACE, 0)
    shoe.state, events = reset(shoe.state)

    assert events == ()
    assert shoe.wait_until(100_000) == ()
    assert shoe.pass_card(TWO, 3) == (CardPassed(TWO_TAG),)


# --- everything else -----------------------------------------------------------------------------

IDENTITIES = st.sampled_from((b"", ACE, TWO, SIX, *(bytes((0xE0, n)) for n in range(12))))
RECORDS = st.builds(
    BufferRecord,
    identity=IDENTITIES,
    tr_type=st.sampled_from((None, 3, 9, 4)),
    antenna=st.sampled_from((None, 1, 2)),
    inputs=st.one_of(st.none(), st.integers(0, 7)),
    time_ms=st.one_of(st.none(), st.integers(0, 2**32 - 1), st.integers(0, 4_000)),
)
SETTINGS = st.builds(
    ExitSettings,
    gate_input=st.integers(0, 3),
    antenna=st.integers(0, 2),
    double_read_ms=st.integers(0, 2_000),
    gate_ms_max=st.integers(0, 2_000),
    slow_card_ms=st.integers(0, 2_000),
    together_ms=st.integers(0, 200),
)
WAITS = st.integers(0, 5_000)


@given(SETTINGS, st.lists(st.one_of(RECORDS, WAITS), max_size=40))
def test_any_records_in_any_order_stay_bounded(
    settings: ExitSettings, happenings: list[BufferRecord | int]
) -> None:
    shoe = Exit(settings)
    for happening in happenings:
        if isinstance(happening, int):
            shoe.wait_until(happening)
            shoe.state = mark_records_lost(shoe.state) if happening % 7 == 0 else shoe.state
        else:
            shoe.apply(happening, host_ms=7)
        assert len(shoe.state.waiting) <= TAGS_MAX
        assert len(shoe.state.passed) <= TAGS_MAX


@given(st.lists(RECORDS, max_size=40))
def test_every_pulse_of_the_gate_is_exactly_one_card(records: list[BufferRecord]) -> None:
    shoe = Exit(ExitSettings(gate_input=1))
    shoe.gate(0, 0)
    pulses, before = 0, 0
    events: list[DeviceEvent] = []
    for record in records:
        events.extend(shoe.apply(record, host_ms=7))
        if record.inputs is not None:
            pulses += record.inputs & 1 & ~before
            before = record.inputs & 1
    events.extend(shoe.wait_until(10_000))

    assert sum(isinstance(event, CardPassed) for event in events) == pulses


@given(SETTINGS, st.lists(RECORDS, max_size=40))
def test_a_backlog_gives_the_same_events_as_live_records(
    settings: ExitSettings, records: list[BufferRecord]
) -> None:
    """Live, the host's clock expires every due wait before the next record comes."""
    timed = [structs.replace(record, time_ms=record.time_ms or 0) for record in records]
    live, late = Exit(settings), Exit(settings)
    told_live: list[DeviceEvent] = []
    told_late: list[DeviceEvent] = []
    before_ms: int | None = None
    for record in timed:
        gap_ms = 0 if before_ms is None else (record.time_ms or 0) - before_ms
        for wait_ms in range(0, min(gap_ms, 3_000), 250):
            told_live.extend(live.wait_until(wait_ms))
        told_live.extend(live.apply(record))
        told_late.extend(late.apply(record))
        before_ms = record.time_ms

    assert told_live == told_late
    assert live.state == late.state
