"""What becomes of a reading of the buffer, asked for or not.

Responsible for: giving each record once, overflow, what is to be cleared, and when the buffer is
read next.
Not responsible for: bytes of records (records), telling repeats (delivery), writing (link).
Source: package README, "FEIG OBID", delivery.
"""

from firmware_bridge.feig import continuity, messages
from firmware_bridge.feig.delivery import Sifted, sift
from firmware_bridge.feig.frames import Answer
from firmware_bridge.feig.items import BufferOverflowed, ContinuityUnproven, RepeatsDropped
from firmware_bridge.feig.layouts import Layout
from firmware_bridge.feig.messages import Malformed
from firmware_bridge.feig.records import parse_records
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
from firmware_bridge.values import replace

_OF_BUFFER = (Question.BUFFER, Question.CONFIRM)
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
    question = None
    if state.asked is not None and state.asked.question in _OF_BUFFER:
        question = state.asked.question
        if question is Question.BUFFER:
            due_ns = after_pace_ns(settings, state, state.asked.at.monotonic_ns)
            state = _read_next(state, due_ns)
        state = replace(state, asked=None)
    if answer.status == messages.NO_VALID_DATA and not answer.data:
        return over(_empty(state) if question is not None else state, _STATUS), ()
    if answer.status not in messages.WITH_RECORDS:
        if question is Question.CONFIRM:
            state = _unconfirmed(settings, state)
        return _refused(settings, state, answer, at)
    records = parse_records(answer.command, answer.data, layout)
    if isinstance(records, Malformed):
        return _malformed(settings, state, records, at)
    overflowed = answer.status == messages.OVERFLOW
    if (records or overflowed) and continuity.is_open(state.continuity):
        # Cards read after a loss must not be told before it. What is not cleared is given again.
        return _read_next(state, at.monotonic_ns), ()
    state, warned = _warned(over(state, _CONTENT), answer)
    sifted = sift(state.delivered, records)
    unasked = question is not Question.BUFFER and settings.delivery is Delivery.NOTIFY
    state, said = _said_before(state, sifted, question, unasked=unasked)
    state, lost = _overflow(state, answer, news=bool(sifted.new))
    if records or overflowed:
        state = _to_be_cleared(settings, state, sifted, question, at)
    if question is Question.BUFFER and (overflowed or answer.status == messages.MORE_DATA):
        state = _read_next(state, at.monotonic_ns)
    return state, (*warned, *said, *(record.item for record in sifted.new), *lost)


def _to_be_cleared(
    settings: FeigLinkSettings,
    state: FeigLinkState,
    sifted: Sifted,
    question: Question | None,
    at: Timestamp,
) -> FeigLinkState:
    """A clearing names no records: it may go only when the reader has handed over no others."""
    polled = settings.delivery is Delivery.POLL
    if state.clear_deadline_ns is not None or state.uncleared:
        # Part of what came may be gone by now: the buffer is read once that is known.
        return replace(state, uncleared=True)
    count = max(1, sifted.repeats + len(sifted.new))
    if question is Question.CONFIRM and not sifted.new:
        fewer = count < state.to_confirm
        return replace(state, clear_due=True, to_confirm=0, uncleared=fewer)
    if polled and question is Question.BUFFER and not sifted.repeats:
        return replace(state, clear_due=True, to_confirm=0)
    if polled and question is None:
        # It is read again by itself.
        return replace(state, clear_due=state.clear_due and not sifted.new)
    if state.clear_due and not sifted.new:
        return state
    if question is Question.BUFFER and not polled:
        # It may be a notification that crossed the question, whose answer is still to come.
        state = replace(state, settled=False, dues=replace(state.dues, version_ns=at.monotonic_ns))
    held = max(count, state.to_confirm) if sifted.repeats else count
    return replace(state, clear_due=False, to_confirm=held)


def _unconfirmed(settings: FeigLinkSettings, state: FeigLinkState) -> FeigLinkState:
    """Some readers do not give the buffer when they send by themselves: nothing is to be had."""
    clear_due = settings.delivery is Delivery.NOTIFY
    return replace(state, to_confirm=0, clear_due=clear_due)


def _said_before(
    state: FeigLinkState, sifted: Sifted, question: Question | None, *, unasked: bool
) -> tuple[FeigLinkState, tuple[RepeatsDropped | ContinuityUnproven | LinkFault, ...]]:
    """What is to be said before the new ones among the records."""
    said: list[RepeatsDropped | ContinuityUnproven | LinkFault] = []
    if sifted.repeats and question is not Question.CONFIRM:
        said.append(RepeatsDropped(sifted.repeats))
    if sifted.new and state.continuity.due and state.continuity.unasked:
        said.append(ContinuityUnproven())
        state = replace(state, continuity=continuity.told(state.continuity))
    waits = state.to_confirm or state.clear_due or state.clear_deadline_ns is not None
    if unasked and waits and state.acknowledges and sifted.new and not sifted.repeats:
        state = replace(state, acknowledges=False)
        said.append(LinkFault(LinkFaultKind.UNACKNOWLEDGED, _UNACKNOWLEDGED_DETAIL))
    if sifted.new:
        state = replace(state, continuity=replace(state.continuity, given=True))
    return replace(state, delivered=sifted.delivered), tuple(said)


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
    return replace(state, delivered=delivered, overflow_told=False, to_confirm=0)


def _malformed(
    settings: FeigLinkSettings, state: FeigLinkState, malformed: Malformed, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    """Not cleared: what cannot be read is not lost either."""
    state = replace(state, to_confirm=0, clear_due=False)
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
