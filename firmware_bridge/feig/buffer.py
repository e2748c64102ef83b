"""What becomes of a reading of the buffer, asked for or not.

Responsible for: giving each record once, overflow, what is to be cleared, and when the buffer is
read next.
Not responsible for: bytes of records (records), telling repeats (delivery), writing (link).
Source: package README, "FEIG OBID", delivery.
"""

from dataclasses import replace

from firmware_bridge.feig import continuity, messages
from firmware_bridge.feig.delivery import sift
from firmware_bridge.feig.frames import Answer
from firmware_bridge.feig.items import BufferOverflowed, ContinuityUnproven, RepeatsDropped
from firmware_bridge.feig.layouts import Layout
from firmware_bridge.feig.messages import Malformed
from firmware_bridge.feig.records import Record, parse_records
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.feig.state import (
    FeigLinkState,
    Items,
    Question,
    after_pace_ns,
    once,
    over,
)
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp

_STATUS, _CONTENT = "status of the buffer", "content of the buffer"
_OVERFLOW_DETAIL = "the reader's buffer was full: cards it read after that are lost"
_UNACKNOWLEDGED = "acknowledgement"
_UNACKNOWLEDGED_DETAIL = (
    "the reader sends the next records before the last ones are acknowledged, so records can be "
    "lost: set the acknowledgement of its notification channel (CFG49, MODE.ACK = 1)"
)


def reading(
    settings: FeigLinkSettings,
    layout: Layout,
    state: FeigLinkState,
    answer: Answer,
    at: Timestamp,
) -> tuple[FeigLinkState, Items]:
    """The reader gave what its buffer holds, or said that it holds nothing."""
    asked = state.asked if state.asked and state.asked.question is Question.BUFFER else None
    if asked is not None:
        # What comes unasked changes nothing in what is asked next.
        due_ns = after_pace_ns(settings, state, asked.at.monotonic_ns)
        state = _read_next(replace(state, asked=None, uncleared=False), due_ns)
    if answer.status == messages.NO_VALID_DATA and not answer.data:
        return over(_empty(state) if asked is not None else state, _STATUS), ()
    if answer.status not in messages.WITH_RECORDS:
        return _refused(settings, state, answer, at)
    records = parse_records(answer.command, answer.data, layout)
    if isinstance(records, Malformed):
        return _malformed(settings, state, records, at)
    overflowed = answer.status == messages.OVERFLOW
    if (records or overflowed) and continuity.is_open(state.continuity):
        # Cards read after a loss must not be told before it. What is not cleared is given again.
        return _read_next(state, at.monotonic_ns), ()
    state, warned = _warned(over(state, _CONTENT), answer)
    unasked = asked is None and settings.delivery is Delivery.NOTIFY
    state, given = _give(state, records, unasked=unasked)
    state, lost = _overflow(state, answer, news=any(isinstance(one, Record) for one in given))
    if records or overflowed:
        state = _to_be_cleared(settings, state, at, asked=asked is not None)
    if asked is not None and (overflowed or answer.status == messages.MORE_DATA):
        state = _read_next(state, at.monotonic_ns)
    items = tuple(one.item if isinstance(one, Record) else one for one in given)
    return state, (*warned, *items, *lost)


def _to_be_cleared(
    settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp, *, asked: bool
) -> FeigLinkState:
    """Never two clearings at once, nor one while a reading may be on its way: it could hit records
    that nobody has stored yet.
    """
    if asked and settings.delivery is Delivery.NOTIFY:
        timer_now = replace(state.dues, timer_ns=at.monotonic_ns)
        return replace(state, crossed=True, dues=timer_now)
    if state.crossed:
        return state
    if state.clear_deadline_ns is None:
        return replace(state, clear_due=True)
    return replace(state, uncleared=True)


def _give(
    state: FeigLinkState, records: tuple[Record, ...], *, unasked: bool
) -> tuple[FeigLinkState, tuple[Record | RepeatsDropped | ContinuityUnproven | LinkFault, ...]]:
    """The new ones among the records, after what is to be said before them."""
    sifted = sift(state.delivered, records)
    said: list[Record | RepeatsDropped | ContinuityUnproven | LinkFault] = []
    if sifted.repeats:
        said.append(RepeatsDropped(sifted.repeats))
    if sifted.new and state.continuity.due and state.continuity.unasked:
        said.append(ContinuityUnproven())
        state = replace(state, continuity=continuity.told(state.continuity))
    waits = state.clear_due or state.clear_deadline_ns is not None
    if unasked and waits and state.acknowledges and sifted.new and not sifted.repeats:
        state = replace(state, acknowledges=False)
        said.append(LinkFault(LinkFaultKind.UNACKNOWLEDGED, _UNACKNOWLEDGED_DETAIL))
    if sifted.new:
        state = replace(state, continuity=replace(state.continuity, given=True))
    return replace(state, delivered=sifted.delivered), (*said, *sifted.new)


def _overflow(
    state: FeigLinkState, answer: Answer, *, news: bool
) -> tuple[FeigLinkState, tuple[BufferOverflowed | LinkFault, ...]]:
    """Told with every reading that says so and is not the same one again."""
    if answer.status != messages.OVERFLOW:
        return replace(state, overflow_told=False), ()
    if state.overflow_told and not news:
        return state, ()
    fault = LinkFault(LinkFaultKind.BUFFER_OVERFLOW, _OVERFLOW_DETAIL)
    return replace(state, overflow_told=True), (BufferOverflowed(), fault)


def _empty(state: FeigLinkState) -> FeigLinkState:
    """Nothing is in the buffer: what was given last is gone from it."""
    delivered = replace(state.delivered, cleared=True)
    return replace(state, delivered=delivered, overflow_told=False)


def _malformed(
    settings: FeigLinkSettings, state: FeigLinkState, malformed: Malformed, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    """Not cleared: what cannot be read is not lost either."""
    detail = f"a reading of the buffer does not fit: {malformed.reason}; it is not cleared"
    return once(_idly(settings, state, at), _CONTENT, LinkFaultKind.MALFORMED, detail)


def _refused(
    settings: FeigLinkSettings, state: FeigLinkState, answer: Answer, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    if settings.delivery is Delivery.NOTIFY:
        # Asked only to make sure: some readers do not give the buffer when they send by themselves.
        return state, ()
    detail = f"the reader does not give its buffer: status {messages.status_text(answer.status)}"
    return once(_idly(settings, state, at), _STATUS, LinkFaultKind.DEVICE_STATUS, detail)


def _warned(state: FeigLinkState, answer: Answer) -> tuple[FeigLinkState, Items]:
    """A status beside the records that is no error."""
    if answer.status in (messages.OK, messages.MORE_DATA, messages.OVERFLOW):
        return over(state, _STATUS), ()
    detail = f"the reader warns with its records: status {messages.status_text(answer.status)}"
    return once(state, _STATUS, LinkFaultKind.DEVICE_STATUS, detail)


def _idly(settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp) -> FeigLinkState:
    """What does not get better by asking is not asked closely."""
    if settings.delivery is Delivery.NOTIFY:
        return state
    return _read_next(state, at.monotonic_ns + settings.poll_idly_ns)


def _read_next(state: FeigLinkState, due_ns: int | None) -> FeigLinkState:
    return replace(state, dues=replace(state.dues, buffer_ns=due_ns))
