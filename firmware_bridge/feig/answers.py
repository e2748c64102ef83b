"""Handles answers other than buffer readings: version, timer, clearing, keep-alive, tags.

Source: firmware_bridge/feig/README.md, commands and continuity.
"""

from msgspec.structs import replace

from firmware_bridge.feig import continuity, messages, tags
from firmware_bridge.feig.continuity import ContinuityCheck
from firmware_bridge.feig.frames import KEEP_ALIVE, AnswerFrame, FeigCommand
from firmware_bridge.feig.items import KeepAlive, ReaderIdentified
from firmware_bridge.feig.messages import MalformedContent
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import (
    FeigItems,
    FeigLinkState,
    Question,
    end_faults,
    report_once,
    report_silence,
)
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

_VERSION, _TIMER, _CLEARING = "version", "timer", "clearing"


def note_frame(settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp) -> FeigLinkState:
    """Record that a frame was received; end silence."""
    state = schedule_keep_alive(settings, state, at)
    if state.silence_reported:
        # It may have been without power; the timer shows that.
        state = replace(
            state,
            silence_reported=False,
            schedule=replace(state.schedule, timer_ns=at.monotonic_ns),
            continuity=continuity.require_proof_after_silence(state.continuity),
        )
    return replace(state, tries=0) if state.tries else state


def schedule_keep_alive(
    settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp
) -> FeigLinkState:
    """Set the deadline of the next keep-alive, if one is expected."""
    if not settings.keep_alive_ns_max:
        return state
    due_ns = at.monotonic_ns + settings.keep_alive_ns_max
    return replace(state, schedule=replace(state.schedule, keep_alive_due_ns=due_ns))


def report_no_keep_alive(
    settings: FeigLinkSettings, state: FeigLinkState
) -> tuple[FeigLinkState, FeigItems]:
    """Report that nothing was received within the keep-alive interval."""
    limit_ms = settings.keep_alive_ns_max // 1_000_000
    return report_silence(state, message("reader_sent_nothing", ms=limit_ms))


def handle_answer(
    settings: FeigLinkSettings, state: FeigLinkState, answer: AnswerFrame, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    """Handle an answer that does not contain buffer records."""
    outstanding = state.outstanding
    question = None if outstanding is None else outstanding.question
    if answer.command == KEEP_ALIVE:
        return state, (KeepAlive(answer.data),)
    if answer.command == FeigCommand.CLEAR_BUFFER and state.clear_deadline_ns is not None:
        return _handle_clear_answer(state, answer, at)
    if answer.command == FeigCommand.VERSION and question is Question.VERSION:
        return _handle_version(settings, replace(state, outstanding=None), answer, at)
    if answer.command == FeigCommand.SYSTEM_TIMER and question is Question.TIMER:
        return _handle_timer(settings, replace(state, outstanding=None), answer, at)
    if (
        answer.command == FeigCommand.TRANSPONDER
        and outstanding is not None
        and outstanding.query is not None
    ):
        return tags.handle_answer(replace(state, outstanding=None), outstanding.query, answer)
    detail = message("reader_answered_without_request", command=f"{answer.command:02X}")
    return state, (LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),)


def _handle_clear_answer(
    state: FeigLinkState, answer: AnswerFrame, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    state = replace(state, clear_deadline_ns=None)
    if state.uncleared:
        schedule = replace(state.schedule, buffer_ns=at.monotonic_ns)
        state = replace(state, uncleared=False, schedule=schedule)
    elif answer.status in (messages.OK, messages.NO_VALID_DATA):
        state = replace(state, delivered=replace(state.delivered, cleared=True))
    if answer.status in (messages.OK, messages.NO_VALID_DATA):
        return end_faults(state, _CLEARING), ()
    detail = message("reader_does_not_clear", status=messages.describe_status(answer.status))
    return report_once(state, _CLEARING, LinkFaultKind.DEVICE_STATUS, detail)


def _handle_version(
    settings: FeigLinkSettings, state: FeigLinkState, answer: AnswerFrame, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    # The reader answers in order: no earlier request can still be answered.
    state = replace(state, settled=True, uncleared=False)
    if answer.status == messages.OK:
        items = () if state.identified else (ReaderIdentified(answer.data),)
        return end_faults(replace(state, identified=True), _VERSION), items
    due_ns = at.monotonic_ns + settings.poll_idly_ns
    state = replace(state, schedule=replace(state.schedule, version_ns=due_ns))
    detail = message("reader_gives_no_version", status=messages.describe_status(answer.status))
    return report_once(state, _VERSION, LinkFaultKind.DEVICE_STATUS, detail)


def _handle_timer(
    settings: FeigLinkSettings, state: FeigLinkState, answer: AnswerFrame, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    later = replace(state.schedule, timer_ns=at.monotonic_ns + settings.timer_ask_ns)
    timer_ms = messages.parse_timer(answer.data)
    if answer.status != messages.OK or isinstance(timer_ms, MalformedContent):
        return _handle_unreadable_timer(replace(state, schedule=later), answer, timer_ms)
    checked, check = continuity.check_timer(
        state.continuity, timer_ms, at, settings.timer_gap_ns_max
    )
    state = end_faults(replace(state, continuity=checked), _TIMER)
    if check is ContinuityCheck.ASK_AGAIN:
        return replace(state, schedule=replace(state.schedule, timer_ns=at.monotonic_ns)), ()
    unproven = (ContinuityUnproven(),) if check is ContinuityCheck.UNPROVEN else ()
    return replace(state, schedule=later), unproven


def _handle_unreadable_timer(
    state: FeigLinkState, answer: AnswerFrame, timer_ms: int | MalformedContent
) -> tuple[FeigLinkState, FeigItems]:
    """Handle a timer that cannot be read: it proves nothing."""
    unproven = (ContinuityUnproven(),) if state.continuity.proof_due else ()
    state = replace(
        state, continuity=continuity.reset_after_report(replace(state.continuity, asked_at=None))
    )
    if isinstance(timer_ms, MalformedContent) and answer.status == messages.OK:
        state, fault = report_once(state, _TIMER, LinkFaultKind.MALFORMED, timer_ms.reason)
    else:
        detail = message("reader_gives_no_timer", status=messages.describe_status(answer.status))
        state, fault = report_once(state, _TIMER, LinkFaultKind.DEVICE_STATUS, detail)
    return state, (*unproven, *fault)
