"""Derives which card left an RFID shoe from its reader's tag and gate records.

It recognises double reads, tags in the field together, tags pulled back, cards without a tag, slow
cards and foreign transponders. All times are on the reader's own timer, so a backlog of records
gives the same events as live records.
"""

from enum import IntEnum, StrEnum
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

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
from drivers.readers.feig_reader import CARD_KINDS, kind_name
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.link import LinkFaultKind
from foundation.message import message

# More tags than this at one exit are a pile of cards put on it.
TAGS_MAX = 8

# The reader's timer starts again at zero after a day.
_DAY_MS = 86_400_000


class ExitSettings(Struct, frozen=True):
    """Times in milliseconds; `gate_input` 0: no gate sensor, `antenna` 0: any.

    `card_kinds` are the transponder types in the cards.
    """

    gate_input: int = 0
    antenna: int = 0
    double_read_ms: int = 1000
    gate_ms_max: int = 1500
    slow_card_ms: int = 1000
    together_ms: int = 20
    card_kinds: tuple[int, ...] = CARD_KINDS


class Doubt(StrEnum):
    """Why it is uncertain that the next card at the gate carries this tag."""

    NONE = "none"
    TOGETHER = "together"  # another tag was in the field when a card passed
    LOSS = "loss"  # records were lost while this tag waited


class WaitingTag(Struct, frozen=True):
    """A tag in the field whose card has not passed the gate yet."""

    tag: str
    seen_ms: int
    doubt: Doubt = Doubt.NONE


class PassedTag(Struct, frozen=True):
    """A tag whose card has passed, and when it was last read."""

    tag: str
    passed_ms: int
    seen_ms: int


class ReportedOnce(Struct, frozen=True):
    """Which conditions were reported, so that each is reported once and not with every record."""

    antenna: bool = False
    crowd: bool = False
    slow: bool = False


class ExitState(Struct, frozen=True):
    """`clock_ms` is the reader's timer summed up, so it never runs backwards.

    `pulse_ms`: a card reached the gate with no tag read; a late tag may still be its own.
    `blocked_ms`: since when a card has blocked the gate. `gate_known` is False before the first
    record of the gate, and after records were lost.
    """

    clock_ms: int = 0
    reader_ms: int | None = None
    waiting: tuple[WaitingTag, ...] = ()
    passed: tuple[PassedTag, ...] = ()
    pulse_ms: int | None = None
    blocked_ms: int | None = None
    gate_known: bool = False
    reported: ReportedOnce = ReportedOnce()


ExitStep: TypeAlias = tuple[ExitState, tuple[DeviceEvent, ...]]


def apply_record(
    settings: ExitSettings, state: ExitState, record: BufferRecord, host_ms: int
) -> ExitStep:
    """Process one record.

    `host_ms` is the host's time since the previous record, for a reader whose records have no time.
    """
    now_ms = _advance_clock(state, record, host_ms)
    state, expired = expire_until(settings, state, now_ms)
    state = replace(
        state,
        clock_ms=now_ms,
        reader_ms=state.reader_ms if record.time_ms is None else record.time_ms,
        passed=tuple(
            one for one in state.passed if now_ms - one.seen_ms <= settings.double_read_ms
        ),
    )
    found: tuple[DeviceEvent, ...] = ()
    if record.identity:
        state, found = _process_tag(settings, state, record)
    elif record.inputs is None:
        found = (DeviceFault(LinkFaultKind.MALFORMED, message("record_without_tag_or_inputs")),)
    state, passed = _process_gate(settings, state, record)
    return state, (*expired, *found, *passed)


def expire_until(settings: ExitSettings, state: ExitState, until_ms: int) -> ExitStep:
    """Expire everything that is due by `until_ms`, in the order it became due."""
    events: list[DeviceEvent] = []
    while (due := _next_due(settings, state)) is not None and due.at_ms <= until_ms:
        state, expired = _expire(settings, state, due)
        events.extend(expired)
    return state, tuple(events)


def next_due_ms(settings: ExitSettings, state: ExitState) -> int | None:
    """When the next wait expires on the exit's clock, or None."""
    due = _next_due(settings, state)
    return None if due is None else due.at_ms


def mark_records_lost(state: ExitState) -> ExitState:
    """Records were lost: it is uncertain which card a waiting tag belongs to."""
    waiting = tuple(replace(one, doubt=Doubt.LOSS) for one in state.waiting)
    return replace(state, waiting=waiting, gate_known=False)


def reset(state: ExitState) -> ExitStep:
    """The reader lost its memory: drop what waits. A card that had reached the gate passed."""
    events = () if state.pulse_ms is None else (CardPassed(None),)
    return ExitState(clock_ms=state.clock_ms), events


# --- tags ----------------------------------------------------------------------------------------


def _process_tag(settings: ExitSettings, state: ExitState, record: BufferRecord) -> ExitStep:
    state, found = _check_antenna(settings, state, record.antenna)
    if settings.antenna and record.antenna not in (None, settings.antenna):
        return state, found
    if record.tr_type is not None and record.tr_type not in settings.card_kinds:
        return state, (*found, OtherTransponder(kind_name(record.tr_type)))
    tag = record.identity.hex().upper()
    passed = next((one for one in state.passed if one.tag == tag), None)
    if passed is not None:
        again = tuple(
            replace(one, seen_ms=state.clock_ms) if one is passed else one for one in state.passed
        )
        return replace(state, passed=again), (*found, TagReadAgain(tag))
    state, events = (
        _tag_at_gate(state, tag) if settings.gate_input else _tag_without_gate(settings, state, tag)
    )
    return state, (*found, *events)


def _check_antenna(settings: ExitSettings, state: ExitState, antenna: int | None) -> ExitStep:
    """Report once that the reader's antennas do not match the settings."""
    if settings.antenna in (0, antenna) or state.reported.antenna:
        return state, ()
    if antenna is None:
        detail = message("reader_reports_no_antenna", exit=settings.antenna)
    else:
        detail = message("tag_read_by_other_antenna", antenna=antenna, exit=settings.antenna)
    state = replace(state, reported=replace(state.reported, antenna=True))
    return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)


def _tag_at_gate(state: ExitState, tag: str) -> ExitStep:
    """Process a tag in the field of an exit with a gate."""
    if state.pulse_ms is not None:
        state = _add_passed(replace(state, pulse_ms=None), tag)
        return state, (CardPassed(tag),)
    if any(waiting.tag == tag for waiting in state.waiting):
        seen = tuple(
            replace(one, seen_ms=state.clock_ms) if one.tag == tag else one for one in state.waiting
        )
        return replace(state, waiting=seen), ()
    if len(state.waiting) < TAGS_MAX:
        one = WaitingTag(tag, state.clock_ms)
        return replace(state, waiting=(*state.waiting, one)), ()
    if state.reported.crowd:
        return state, ()
    detail = message("too_many_tags_at_exit", most=TAGS_MAX)
    state = replace(state, reported=replace(state.reported, crowd=True))
    return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)


def _tag_without_gate(settings: ExitSettings, state: ExitState, tag: str) -> ExitStep:
    """Process a new tag in the field of an exit without a gate: its card leaves."""
    together = tuple(
        one.tag for one in state.passed if state.clock_ms - one.passed_ms < settings.together_ms
    )
    state = _add_passed(state, tag)
    if not together:
        return state, (CardPassed(tag),)
    return state, (TagsTogether((*together, tag)), CardPassed(tag, sure=False))


def _add_passed(state: ExitState, tag: str) -> ExitState:
    one = PassedTag(tag, passed_ms=state.clock_ms, seen_ms=state.clock_ms)
    return replace(state, passed=(*state.passed, one)[-TAGS_MAX:])


# --- the gate ------------------------------------------------------------------------------------


def _process_gate(settings: ExitSettings, state: ExitState, record: BufferRecord) -> ExitStep:
    """Process what the record says about the gate sensor.

    A record of the inputs alone is made when one changes; a record of a tag also says that a card
    still blocks the gate, which is not a pulse where its beginning was not recorded.
    """
    if not settings.gate_input or record.inputs is None:
        return state, ()
    if not record.inputs >> (settings.gate_input - 1) & 1:
        return replace(state, blocked_ms=None, gate_known=True), ()
    if state.blocked_ms is not None if state.gate_known else record.identity:
        return state, ()
    # Two cards in so short a time: a late tag can no longer be assigned to the first.
    before = () if state.pulse_ms is None else (CardPassed(None),)
    reported = replace(state.reported, slow=False)
    state = replace(
        state, blocked_ms=state.clock_ms, gate_known=True, pulse_ms=None, reported=reported
    )
    state, passed = _card_at_gate(state)
    return state, (*before, *passed)


def _card_at_gate(state: ExitState) -> ExitStep:
    """A card reached the gate: it carries the tag that came first."""
    if not state.waiting:
        return replace(state, pulse_ms=state.clock_ms), ()
    first, *others = state.waiting
    reported = replace(state.reported, crowd=False)
    state = _add_passed(replace(state, reported=reported), first.tag)
    if not others:
        sure = first.doubt is Doubt.NONE
        return replace(state, waiting=()), (CardPassed(first.tag, sure=sure),)
    state = replace(state, waiting=tuple(_doubt_together(other) for other in others))
    tags = (first.tag, *(other.tag for other in others))
    return state, (TagsTogether(tags), CardPassed(first.tag, sure=False))


def _doubt_together(waiting: WaitingTag) -> WaitingTag:
    """Mark a tag that was in the field when another tag's card was reported as passed."""
    return waiting if waiting.doubt is Doubt.LOSS else replace(waiting, doubt=Doubt.TOGETHER)


# --- expired waits -------------------------------------------------------------------------------


class _WaitKind(IntEnum):
    """What may expire, in the order reported where several expire at once."""

    LATE_TAG = 0
    GATE = 1
    CLEARANCE = 2


class _Due(Struct, frozen=True, order=True):
    at_ms: int
    wait: _WaitKind
    place: int = 0


def _next_due(settings: ExitSettings, state: ExitState) -> _Due | None:
    dues = [
        _Due(waiting.seen_ms + settings.gate_ms_max + 1, _WaitKind.GATE, place)
        for place, waiting in enumerate(state.waiting)
    ]
    if state.pulse_ms is not None:
        dues.append(_Due(state.pulse_ms + settings.together_ms + 1, _WaitKind.LATE_TAG))
    if state.blocked_ms is not None and not state.reported.slow:
        dues.append(_Due(state.blocked_ms + settings.slow_card_ms, _WaitKind.CLEARANCE))
    return min(dues, default=None)


def _expire(settings: ExitSettings, state: ExitState, due: _Due) -> ExitStep:
    match due.wait:
        case _WaitKind.LATE_TAG:
            return replace(state, pulse_ms=None), (CardPassed(None),)
        case _WaitKind.GATE:
            waiting = state.waiting[due.place]
            left = tuple(one for one in state.waiting if one is not waiting)
            reported = replace(state.reported, crowd=False)
            # Its card may have passed in the records that were lost.
            pulled_back = () if waiting.doubt is Doubt.LOSS else (TagPulledBack(waiting.tag),)
            return replace(state, waiting=left, reported=reported), pulled_back
        case _WaitKind.CLEARANCE:
            reported = replace(state.reported, slow=True)
            return replace(state, reported=reported), (SlowCard(settings.slow_card_ms),)
        case _:
            assert_never(due.wait)


def _advance_clock(state: ExitState, record: BufferRecord, host_ms: int) -> int:
    """The exit's clock at a record; a timer that was set back adds no time."""
    if record.time_ms is None:
        return state.clock_ms + max(0, host_ms)
    if state.reader_ms is None:
        return state.clock_ms
    passed_ms = record.time_ms - state.reader_ms
    if passed_ms < 0:
        over_midnight_ms = passed_ms + _DAY_MS
        passed_ms = over_midnight_ms if 0 <= over_midnight_ms < _DAY_MS // 2 else 0
    return state.clock_ms + passed_ms
