"""Handles readings of the buffer, solicited or not: new records, overflow, clearing, next reading.

Source: firmware_bridge/feig/README.md, delivery.
"""

from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge.feig import continuity, messages
from firmware_bridge.feig.frames import AnswerFrame
from firmware_bridge.feig.items import BufferOverflow, RepeatsDropped
from firmware_bridge.feig.messages import MalformedContent
from firmware_bridge.feig.records import DeduplicatedRecords, deduplicate, parse_records
from firmware_bridge.feig.settings import BufferLayout, Delivery, FeigLinkSettings
from firmware_bridge.feig.state import (
    FeigItems,
    FeigLinkState,
    Question,
    end_faults,
    next_poll_ns,
    report_once,
)
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

_OF_BUFFER = (Question.BUFFER, Question.CONFIRM)
_STATUS, _CONTENT, _CONFIGURATION = "buffer_status", "buffer_content", "configuration"
_OVERFLOW = LinkFault(LinkFaultKind.BUFFER_OVERFLOW, message("reader_buffer_full"))
_UNACKNOWLEDGED = LinkFault(
    LinkFaultKind.UNACKNOWLEDGED, message("reader_sends_before_acknowledgement")
)


def handle_reading(
    settings: FeigLinkSettings,
    layout: BufferLayout,
    state: FeigLinkState,
    answer: AnswerFrame,
    at: Timestamp,
) -> tuple[FeigLinkState, FeigItems]:
    """Handle a reading of the buffer, or the status that it is empty."""
    question = None
    if state.outstanding is not None and state.outstanding.question in _OF_BUFFER:
        question = state.outstanding.question
        if question is Question.BUFFER:
            due_ns = next_poll_ns(settings, state, state.outstanding.at.monotonic_ns)
            state = _read_next(state, due_ns)
        state = replace(state, outstanding=None)
    if answer.status == messages.NO_VALID_DATA and not answer.data:
        return end_faults(_with_empty_buffer(state) if question is not None else state, _STATUS), ()
    if answer.status not in messages.WITH_RECORDS:
        if question is Question.CONFIRM:
            state = _skip_confirmation(settings, state)
        return _report_refusal(settings, state, answer, at)
    records = parse_records(answer.command, answer.data, layout)
    if isinstance(records, MalformedContent):
        return _report_malformed(settings, state, records, at)
    overflowed = answer.status == messages.OVERFLOW
    if (records or overflowed) and continuity.is_pending(state.continuity):
        # Cards read after a loss must not be delivered before it. What is not cleared comes again.
        return _read_next(state, at.monotonic_ns), ()
    if records:
        state = end_faults(replace(state, misconfigured=UNSET), _CONTENT, _CONFIGURATION)
    state, warnings = _report_warning(end_faults(state, _CONTENT), answer)
    reading = deduplicate(state.delivered, records)
    unsolicited = question is not Question.BUFFER and settings.delivery is Delivery.NOTIFY
    state, before = _items_before_records(state, reading, question, unsolicited=unsolicited)
    state, lost = _overflow(state, answer, news=bool(reading.new))
    if records or overflowed:
        state = _plan_clearing(settings, state, reading, question, at)
    if question is Question.BUFFER and (overflowed or answer.status == messages.MORE_DATA):
        state = _read_next(state, at.monotonic_ns)
    return state, (*warnings, *before, *(record.item for record in reading.new), *lost)


def _plan_clearing(
    settings: FeigLinkSettings,
    state: FeigLinkState,
    reading: DeduplicatedRecords,
    question: Question | None,
    at: Timestamp,
) -> FeigLinkState:
    """Decide whether to clear, confirm or read again.

    A clearing names no records: it may be sent only if the reader has returned no others.
    """
    polled = settings.delivery is Delivery.POLL
    if state.clear_deadline_ns is not None or state.uncleared:
        # Part of the reading may be cleared by now: read again once the answer is known.
        return replace(state, uncleared=True)
    count = max(1, reading.repeats + len(reading.new))
    if question is Question.CONFIRM and not reading.new:
        fewer = count < state.to_confirm
        return replace(state, clear_due=True, to_confirm=0, uncleared=fewer)
    if polled and question is Question.BUFFER and not reading.repeats:
        return replace(state, clear_due=True, to_confirm=0)
    if polled and question is None:
        # The buffer is read again by polling.
        return replace(state, clear_due=state.clear_due and not reading.new)
    if state.clear_due and not reading.new:
        return state
    if question is Question.BUFFER and not polled:
        # It may be a notification that crossed the question, whose answer is still on its way.
        state = replace(
            state, settled=False, schedule=replace(state.schedule, version_ns=at.monotonic_ns)
        )
    to_confirm = max(count, state.to_confirm) if reading.repeats else count
    return replace(state, clear_due=False, to_confirm=to_confirm)


def _skip_confirmation(settings: FeigLinkSettings, state: FeigLinkState) -> FeigLinkState:
    """Skip confirmation: some readers do not return the buffer in notification mode."""
    clear_due = settings.delivery is Delivery.NOTIFY
    return replace(state, to_confirm=0, clear_due=clear_due)


def _items_before_records(
    state: FeigLinkState,
    reading: DeduplicatedRecords,
    question: Question | None,
    *,
    unsolicited: bool,
) -> tuple[FeigLinkState, tuple[RepeatsDropped | ContinuityUnproven | LinkFault, ...]]:
    """Items that precede the new records: repeats dropped, continuity, missing acknowledgement."""
    items: list[RepeatsDropped | ContinuityUnproven | LinkFault] = []
    if reading.repeats and question is not Question.CONFIRM:
        items.append(RepeatsDropped(reading.repeats))
    if reading.new and state.continuity.proof_due and state.continuity.no_answer:
        items.append(ContinuityUnproven())
        state = replace(state, continuity=continuity.reset_after_report(state.continuity))
    waits = state.to_confirm or state.clear_due or state.clear_deadline_ns is not None
    if unsolicited and waits and state.acknowledges and reading.new and not reading.repeats:
        state = replace(state, acknowledges=False)
        items.append(_UNACKNOWLEDGED)
    if reading.new:
        state = replace(state, continuity=replace(state.continuity, records_delivered=True))
    return replace(state, delivered=reading.delivered), tuple(items)


def _overflow(
    state: FeigLinkState, answer: AnswerFrame, *, news: bool
) -> tuple[FeigLinkState, tuple[BufferOverflow | LinkFault, ...]]:
    """Report an overflow once for each reading with that status, except for repeated readings."""
    if answer.status != messages.OVERFLOW:
        return replace(state, overflow_reported=False), ()
    if state.overflow_reported and not news:
        return state, ()
    return replace(state, overflow_reported=True), (BufferOverflow(), _OVERFLOW)


def _with_empty_buffer(state: FeigLinkState) -> FeigLinkState:
    """The buffer is empty: the records delivered last are cleared."""
    delivered = replace(state.delivered, cleared=True)
    return replace(state, delivered=delivered, overflow_reported=False, to_confirm=0)


def _report_malformed(
    settings: FeigLinkSettings, state: FeigLinkState, malformed: MalformedContent, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    """Report a malformed reading; it is not cleared, so that nothing is lost."""
    state = _with_idle_pace(settings, replace(state, to_confirm=0, clear_due=False), at)
    if malformed.kind is LinkFaultKind.CONFIGURATION:
        state = replace(state, misconfigured=malformed.reason)
        return report_once(state, _CONFIGURATION, malformed.kind, malformed.reason)
    detail = message("buffer_reading_malformed", why=malformed.reason)
    return report_once(state, _CONTENT, malformed.kind, detail)


def _report_refusal(
    settings: FeigLinkSettings, state: FeigLinkState, answer: AnswerFrame, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    if settings.delivery is Delivery.NOTIFY:
        # A precaution only: some readers do not return the buffer in notification mode.
        return state, ()
    status = messages.describe_status(answer.status)
    detail = message("reader_does_not_return_buffer", status=status)
    return report_once(
        _with_idle_pace(settings, state, at), _STATUS, LinkFaultKind.DEVICE_STATUS, detail
    )


def _report_warning(state: FeigLinkState, answer: AnswerFrame) -> tuple[FeigLinkState, FeigItems]:
    """Report a warning status that came with records."""
    if answer.status in (messages.OK, messages.MORE_DATA, messages.OVERFLOW):
        return end_faults(state, _STATUS), ()
    status = messages.describe_status(answer.status)
    detail = message("reader_returned_records_with_warning", status=status)
    return report_once(state, _STATUS, LinkFaultKind.DEVICE_STATUS, detail)


def _with_idle_pace(
    settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp
) -> FeigLinkState:
    """Poll slowly after a refusal."""
    if settings.delivery is Delivery.NOTIFY:
        return state
    return _read_next(state, at.monotonic_ns + settings.poll_idly_ns)


def _read_next(state: FeigLinkState, due_ns: int | None) -> FeigLinkState:
    return replace(state, schedule=replace(state.schedule, buffer_ns=due_ns))
