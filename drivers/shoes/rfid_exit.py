"""The exit of a shoe whose cards carry tags: records of its reader become cards that passed.

Responsible for: which tag left with which pulse of the gate, and telling apart a double read, tags
in the field together, a tag pulled back, a card without a tag, a slow card and a transponder that
is no card's. All of it on the reader's own timer, so that a backlog gives what live records gave.
Not responsible for: the port and the reader's life (readers.feig_reader), when the host may close
what waits (rfid_shoe) and which cards belong to the batch (controller).
Source: package README, "RFID dealing shoe".
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias, assert_never

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
from drivers.readers.transponders import CARD_KINDS, kind_name
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.values import replace

# More tags than these at one exit are a pile laid on it.
TAGS_MAX = 8

# The reader's timer begins anew so often.
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class ExitSettings:
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
    """Why it is not sure that the next card at the gate is the one of this tag."""

    NONE = "none"
    TOGETHER = "together"  # another tag was there with it when a card passed
    LOSS = "loss"  # records were lost while it waited


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tag in the field that no card has taken out yet."""

    tag: str
    seen_ms: int
    doubt: Doubt = Doubt.NONE


@dataclass(frozen=True, slots=True)
class Gone:
    """A tag that left, and when it was read last since."""

    tag: str
    passed_ms: int
    seen_ms: int


@dataclass(frozen=True, slots=True)
class Told:
    """What is said once, not with every record."""

    antenna: bool = False
    crowd: bool = False
    slow: bool = False


@dataclass(frozen=True, slots=True)
class ExitState:
    """`clock_ms` adds up the reader's timer, so it never runs backwards.

    `pulse_ms`: a card reached the gate with no tag read; a late tag may still be its own.
    `shut_ms`: since when a card has stood in the gate. `gate_known` is False before the gate was
    first heard of, and after records were lost.
    """

    clock_ms: int = 0
    reader_ms: int | None = None
    waiting: tuple[Waiting, ...] = ()
    gone: tuple[Gone, ...] = ()
    pulse_ms: int | None = None
    shut_ms: int | None = None
    gate_known: bool = False
    told: Told = Told()


Seen: TypeAlias = tuple[ExitState, tuple[DeviceEvent, ...]]


def take(settings: ExitSettings, state: ExitState, record: BufferRecord, host_ms: int) -> Seen:
    """One record; `host_ms` passed since the one before, for a reader that tells no time."""
    now_ms = _clock(state, record, host_ms)
    state, closed = close_until(settings, state, now_ms)
    state = replace(
        state,
        clock_ms=now_ms,
        reader_ms=state.reader_ms if record.time_ms is None else record.time_ms,
        gone=tuple(one for one in state.gone if now_ms - one.seen_ms <= settings.double_read_ms),
    )
    found: tuple[DeviceEvent, ...] = ()
    if record.identity:
        state, found = _identity(settings, state, record)
    elif record.inputs is None:
        detail = "a record of the reader holds neither a tag nor its inputs: check its settings"
        found = (DeviceFault(LinkFaultKind.MALFORMED, detail),)
    state, passed = _gate(settings, state, record)
    return state, (*closed, *found, *passed)


def close_until(settings: ExitSettings, state: ExitState, until_ms: int) -> Seen:
    """What waited in vain until then, in the order it came due."""
    events: list[DeviceEvent] = []
    while (due := _next(settings, state)) is not None and due.at_ms <= until_ms:
        state, closed = _close(settings, state, due)
        events.extend(closed)
    return state, tuple(events)


def next_due_ms(settings: ExitSettings, state: ExitState) -> int | None:
    """When on the exit's clock something will have waited in vain, or None."""
    due = _next(settings, state)
    return None if due is None else due.at_ms


def torn(state: ExitState) -> ExitState:
    """Records were lost hereabouts: which card a waiting tag is of is not sure any more."""
    waiting = tuple(replace(one, doubt=Doubt.LOSS) for one in state.waiting)
    return replace(state, waiting=waiting, gate_known=False)


def forget(state: ExitState) -> Seen:
    """The reader lost its memory: what waits is over. A card that reached the gate passed."""
    events = () if state.pulse_ms is None else (CardPassed(None),)
    return ExitState(clock_ms=state.clock_ms), events


# --- tags ----------------------------------------------------------------------------------------


def _identity(settings: ExitSettings, state: ExitState, record: BufferRecord) -> Seen:
    state, found = _antenna(settings, state, record.antenna)
    if settings.antenna and record.antenna not in (None, settings.antenna):
        return state, found
    if record.tr_type is not None and record.tr_type not in settings.card_kinds:
        return state, (*found, OtherTransponder(kind_name(record.tr_type)))
    tag = record.identity.hex().upper()
    gone = next((gone for gone in state.gone if gone.tag == tag), None)
    if gone is not None:
        again = tuple(
            replace(one, seen_ms=state.clock_ms) if one is gone else one for one in state.gone
        )
        return replace(state, gone=again), (*found, TagReadAgain(tag))
    state, events = _arrived(state, tag) if settings.gate_input else _left(settings, state, tag)
    return state, (*found, *events)


def _antenna(settings: ExitSettings, state: ExitState, antenna: int | None) -> Seen:
    """A word, once, where the reader's antennas are not as the settings say."""
    if settings.antenna in (0, antenna) or state.told.antenna:
        return state, ()
    if antenna is None:
        detail = (
            f"the reader does not say which antenna read a tag: antenna = {settings.antenna} of"
            " the shoe is not looked at"
        )
    else:
        detail = (
            f"antenna {antenna} of the shoe's reader read a tag, and the exit is antenna"
            f" {settings.antenna}: what it reads is left out"
        )
    state = replace(state, told=replace(state.told, antenna=True))
    return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)


def _arrived(state: ExitState, tag: str) -> Seen:
    """A tag in the field of an exit with a gate."""
    if state.pulse_ms is not None:
        state = _with_gone(replace(state, pulse_ms=None), tag)
        return state, (CardPassed(tag),)
    if any(waiting.tag == tag for waiting in state.waiting):
        seen = tuple(
            replace(one, seen_ms=state.clock_ms) if one.tag == tag else one for one in state.waiting
        )
        return replace(state, waiting=seen), ()
    if len(state.waiting) < TAGS_MAX:
        one = Waiting(tag, state.clock_ms)
        return replace(state, waiting=(*state.waiting, one)), ()
    if state.told.crowd:
        return state, ()
    detail = f"more than {TAGS_MAX} tags are at the exit: the others are not looked at"
    state = replace(state, told=replace(state.told, crowd=True))
    return state, (DeviceFault(LinkFaultKind.DEVICE_STATUS, detail),)


def _left(settings: ExitSettings, state: ExitState, tag: str) -> Seen:
    """A new tag in the field of an exit without a gate: its card leaves."""
    beside = tuple(
        gone.tag for gone in state.gone if state.clock_ms - gone.passed_ms < settings.together_ms
    )
    state = _with_gone(state, tag)
    if not beside:
        return state, (CardPassed(tag),)
    return state, (TagsTogether((*beside, tag)), CardPassed(tag, sure=False))


def _with_gone(state: ExitState, tag: str) -> ExitState:
    one = Gone(tag, passed_ms=state.clock_ms, seen_ms=state.clock_ms)
    return replace(state, gone=(*state.gone, one)[-TAGS_MAX:])


# --- the gate ------------------------------------------------------------------------------------


def _gate(settings: ExitSettings, state: ExitState, record: BufferRecord) -> Seen:
    """What the record says of the gate sensor.

    A record of the inputs alone is made when one changes; one of a tag also says that a card still
    stands in the gate, which is no pulse where the beginning of it was not heard.
    """
    if not settings.gate_input or record.inputs is None:
        return state, ()
    if not record.inputs >> (settings.gate_input - 1) & 1:
        return replace(state, shut_ms=None, gate_known=True), ()
    if state.shut_ms is not None if state.gate_known else record.identity:
        return state, ()
    # Two cards in so short a time: no late tag can be said to belong to the first.
    before = () if state.pulse_ms is None else (CardPassed(None),)
    told = replace(state.told, slow=False)
    state = replace(state, shut_ms=state.clock_ms, gate_known=True, pulse_ms=None, told=told)
    state, passed = _card(state)
    return state, (*before, *passed)


def _card(state: ExitState) -> Seen:
    """A card reached the gate: it takes the tag with it that came first."""
    if not state.waiting:
        return replace(state, pulse_ms=state.clock_ms), ()
    first, *others = state.waiting
    told = replace(state.told, crowd=False)
    state = _with_gone(replace(state, told=told), first.tag)
    if not others:
        sure = first.doubt is Doubt.NONE
        return replace(state, waiting=()), (CardPassed(first.tag, sure=sure),)
    beside = tuple(_beside(other) for other in others)
    state = replace(state, waiting=beside)
    tags = (first.tag, *(other.tag for other in others))
    return state, (TagsTogether(tags), CardPassed(first.tag, sure=False))


def _beside(waiting: Waiting) -> Waiting:
    """A tag that was there when the card of another was said to pass."""
    return waiting if waiting.doubt is Doubt.LOSS else replace(waiting, doubt=Doubt.TOGETHER)


# --- what waits in vain --------------------------------------------------------------------------


class _Wait(IntEnum):
    """What may come due, in the order told where several do at once."""

    LATE_TAG = 0
    GATE = 1
    CLEARANCE = 2


@dataclass(frozen=True, slots=True, order=True)
class _Due:
    at_ms: int
    wait: _Wait
    place: int = 0


def _next(settings: ExitSettings, state: ExitState) -> _Due | None:
    dues = [
        _Due(waiting.seen_ms + settings.gate_ms_max + 1, _Wait.GATE, place)
        for place, waiting in enumerate(state.waiting)
    ]
    if state.pulse_ms is not None:
        dues.append(_Due(state.pulse_ms + settings.together_ms + 1, _Wait.LATE_TAG))
    if state.shut_ms is not None and not state.told.slow:
        dues.append(_Due(state.shut_ms + settings.slow_card_ms, _Wait.CLEARANCE))
    return min(dues, default=None)


def _close(settings: ExitSettings, state: ExitState, due: _Due) -> Seen:
    match due.wait:
        case _Wait.LATE_TAG:
            return replace(state, pulse_ms=None), (CardPassed(None),)
        case _Wait.GATE:
            waiting = state.waiting[due.place]
            left = tuple(one for one in state.waiting if one is not waiting)
            told = replace(state.told, crowd=False)
            # Its card may have passed with what was lost.
            gone_back = () if waiting.doubt is Doubt.LOSS else (TagPulledBack(waiting.tag),)
            return replace(state, waiting=left, told=told), gone_back
        case _Wait.CLEARANCE:
            told = replace(state.told, slow=True)
            return replace(state, told=told), (SlowCard(settings.slow_card_ms),)
        case _:
            assert_never(due.wait)


def _clock(state: ExitState, record: BufferRecord, host_ms: int) -> int:
    """The exit's clock at a record; a timer that was set back tells no time since the last."""
    if record.time_ms is None:
        return state.clock_ms + max(0, host_ms)
    if state.reader_ms is None:
        return state.clock_ms
    passed_ms = record.time_ms - state.reader_ms
    if passed_ms < 0:
        over_midnight_ms = passed_ms + _DAY_MS
        passed_ms = over_midnight_ms if 0 <= over_midnight_ms < _DAY_MS // 2 else 0
    return state.clock_ms + passed_ms
