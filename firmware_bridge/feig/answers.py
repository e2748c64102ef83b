"""What becomes of answers other than the buffer's.

Responsible for: who the reader is, its timer, the end of a clearing, signs of life, and answers
nobody waits for.
Not responsible for: the buffer (buffer), tags in the field (tags), what is asked when (state).
Source: package README, "FEIG OBID", commands and continuity.
"""

from firmware_bridge.feig import continuity, messages, tags
from firmware_bridge.feig.continuity import Verdict
from firmware_bridge.feig.frames import KEEP_ALIVE, Answer, Command
from firmware_bridge.feig.items import ContinuityUnproven, KeepAlive, ReaderIdentified
from firmware_bridge.feig.messages import Malformed
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import (
    FeigLinkState,
    Items,
    Question,
    fell_silent,
    once,
    over,
)
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import replace

_VERSION, _TIMER, _CLEARING = "version", "timer", "clearing"


def heard(settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp) -> FeigLinkState:
    """A whole frame came: the reader is there."""
    state = sign_of_life_due(settings, state, at)
    if state.silent:
        # It may have been without power; the timer tells.
        state = replace(
            state,
            silent=False,
            dues=replace(state.dues, timer_ns=at.monotonic_ns),
            continuity=continuity.silence_ended(state.continuity),
        )
    return replace(state, tries=0) if state.tries else state


def sign_of_life_due(
    settings: FeigLinkSettings, state: FeigLinkState, at: Timestamp
) -> FeigLinkState:
    """When the next sign of life is due, where one is expected."""
    if not settings.keep_alive_ns_max:
        return state
    due_ns = at.monotonic_ns + settings.keep_alive_ns_max
    return replace(state, dues=replace(state.dues, sign_of_life_ns=due_ns))


def no_sign_of_life(
    settings: FeigLinkSettings, state: FeigLinkState
) -> tuple[FeigLinkState, Items]:
    """Nothing came for longer than the reader lets pass between its signs of life."""
    limit_ms = settings.keep_alive_ns_max // 1_000_000
    detail = f"the reader gave no sign of life for {limit_ms} ms: is it switched on and connected?"
    return fell_silent(state, detail)


def answer(
    settings: FeigLinkSettings, state: FeigLinkState, one: Answer, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    """The reader said something that is not of its buffer's records."""
    asked = state.asked
    question = None if asked is None else asked.question
    if one.command == KEEP_ALIVE:
        return state, (KeepAlive(one.data),)
    if one.command == Command.CLEAR_BUFFER and state.clear_deadline_ns is not None:
        return _cleared(state, one, at)
    if one.command == Command.VERSION and question is Question.VERSION:
        return _identified(settings, replace(state, asked=None), one, at)
    if one.command == Command.SYSTEM_TIMER and question is Question.TIMER:
        return _timed(settings, replace(state, asked=None), one, at)
    if one.command == Command.TRANSPONDER and asked is not None and asked.ask is not None:
        return tags.answered(replace(state, asked=None), asked.ask, one)
    detail = f"the reader answered {one.command:02X} and nothing of that kind was asked"
    return state, (LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),)


def _cleared(state: FeigLinkState, one: Answer, at: Timestamp) -> tuple[FeigLinkState, Items]:
    state = replace(state, clear_deadline_ns=None)
    if state.uncleared:
        dues = replace(state.dues, buffer_ns=at.monotonic_ns)
        state = replace(state, uncleared=False, dues=dues)
    elif one.status in (messages.OK, messages.NO_VALID_DATA):
        state = replace(state, delivered=replace(state.delivered, cleared=True))
    if one.status in (messages.OK, messages.NO_VALID_DATA):
        return over(state, _CLEARING), ()
    detail = f"the reader does not clear its buffer: status {messages.status_text(one.status)}"
    return once(state, _CLEARING, LinkFaultKind.DEVICE_STATUS, detail)


def _identified(
    settings: FeigLinkSettings, state: FeigLinkState, one: Answer, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    # It answers in order: nothing of what was asked before is still on its way.
    state = replace(state, settled=True, uncleared=False)
    if one.status == messages.OK:
        said = () if state.identified else (ReaderIdentified(one.data),)
        return over(replace(state, identified=True), _VERSION), said
    due_ns = at.monotonic_ns + settings.poll_idly_ns
    state = replace(state, dues=replace(state.dues, version_ns=due_ns))
    detail = f"the reader does not say who it is: status {messages.status_text(one.status)}"
    return once(state, _VERSION, LinkFaultKind.DEVICE_STATUS, detail)


def _timed(
    settings: FeigLinkSettings, state: FeigLinkState, one: Answer, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    later = replace(state.dues, timer_ns=at.monotonic_ns + settings.timer_ask_ns)
    timer_ms = messages.parse_timer(one.data)
    if one.status != messages.OK or isinstance(timer_ms, Malformed):
        return _untimed(replace(state, dues=later), one, timer_ms)
    kept, verdict = continuity.judged(state.continuity, timer_ms, at, settings.timer_gap_ns_max)
    state = over(replace(state, continuity=kept), _TIMER)
    if verdict is Verdict.ASK_AGAIN:
        return replace(state, dues=replace(state.dues, timer_ns=at.monotonic_ns)), ()
    unproven = (ContinuityUnproven(),) if verdict is Verdict.UNPROVEN else ()
    return replace(state, dues=later), unproven


def _untimed(
    state: FeigLinkState, one: Answer, timer_ms: int | Malformed
) -> tuple[FeigLinkState, Items]:
    """A timer that cannot be read proves nothing."""
    unproven = (ContinuityUnproven(),) if state.continuity.due else ()
    state = replace(state, continuity=continuity.told(replace(state.continuity, asked=None)))
    if isinstance(timer_ms, Malformed) and one.status == messages.OK:
        state, fault = once(state, _TIMER, LinkFaultKind.MALFORMED, timer_ms.reason)
    else:
        detail = f"the reader does not give its timer: status {messages.status_text(one.status)}"
        state, fault = once(state, _TIMER, LinkFaultKind.DEVICE_STATUS, detail)
    return state, (*unproven, *fault)
