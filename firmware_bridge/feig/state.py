"""The frozen state of a FEIG link, its deadlines, and which question is sent next.

Source: firmware_bridge/feig/README.md, delivery.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from firmware_bridge.feig.continuity import ContinuityState
from firmware_bridge.feig.frames import FeigUnframed
from firmware_bridge.feig.items import FeigItem, Inventory, ReadBlocks, RequestFailed
from firmware_bridge.feig.records import DeliveredMarks
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.message import Message, message
from foundation.timestamp import Timestamp

TagRequest: TypeAlias = Inventory | ReadBlocks
FeigItems: TypeAlias = tuple[FeigItem | LinkFault, ...]

# The pause after unanswered questions in a row doubles at most so often.
_DOUBLINGS_MAX = 4
_NO_ANSWER = message("reader_does_not_answer")

_INVENTORY = message("reader_inventory")
_READ_BLOCKS = message("reader_read_blocks")


class Question(StrEnum):
    """What one request asks for."""

    VERSION = "version"
    TIMER = "timer"
    BUFFER = "buffer"
    CONFIRM = "confirm"  # the first records once more
    TAGS = "tags"  # those in the field


class TagQuery(Struct, frozen=True):
    """A tag request of the table; `rounds` and `found` count answers and tags of an inventory."""

    request: TagRequest
    rounds: int = 0
    found: int = 0

    @property
    def name(self) -> Message:
        return _INVENTORY if isinstance(self.request, Inventory) else _READ_BLOCKS


class OutstandingQuestion(Struct, frozen=True):
    """The question that waits for its answer; `query` is set for a request of the table."""

    question: Question
    at: Timestamp
    deadline_ns: int
    query: TagQuery | None = None


class Schedule(Struct, frozen=True):
    """When, by the monotonic clock, each question is sent next; None: not planned."""

    version_ns: int = 0
    timer_ns: int = 0
    tags_ns: int = 0
    buffer_ns: int | None = None
    keep_alive_due_ns: int | None = None


class FeigLinkState(Struct, frozen=True):
    """`bytes_ns`: when bytes were received last. `clear_due`: clear with this call's output.

    `clear_deadline_ns`: when the clearing sent should be answered. `uncleared`: it was not
    answered, or records came after it was sent; the next reading shows whether they are gone.
    `to_confirm`: number of delivered records at the front of the buffer; the reader must return
    exactly these before they are cleared. `settled`: no unanswered request can still be answered.

    `tries` counts unanswered questions; `silence_reported`: that was reported. `reported` names
    lasting faults that were reported. `acknowledges`: the reader has not yet continued
    without waiting for a clearing. `misconfigured`: why its records cannot be read with certainty;
    until the next reading that can, or the next opening, the device counts as refused.
    """

    unframed: FeigUnframed = field(default_factory=FeigUnframed)
    bytes_ns: int = 0
    open: bool = False
    identified: bool = False
    outstanding: OutstandingQuestion | None = None
    waiting: tuple[TagQuery, ...] = ()
    schedule: Schedule = field(default_factory=Schedule)
    clear_due: bool = False
    clear_deadline_ns: int | None = None
    uncleared: bool = False
    to_confirm: int = 0
    settled: bool = True
    tries: int = 0
    silence_reported: bool = False
    closely: bool = False
    acknowledges: bool = True
    overflow_reported: bool = False
    reported: tuple[str, ...] = ()
    delivered: DeliveredMarks = field(default_factory=DeliveredMarks)
    continuity: ContinuityState = field(default_factory=ContinuityState)
    misconfigured: Message | UnsetType = UNSET


def next_question(state: FeigLinkState, now_ns: int) -> Question | None:
    """The question to send now: one at a time, the version first."""
    if not state.open or state.outstanding is not None or state.clear_deadline_ns is not None:
        return None
    planned = _planned_questions(state)
    return next((question for question, due_ns in planned if now_ns >= due_ns), None)


def _planned_questions(state: FeigLinkState) -> tuple[tuple[Question, int], ...]:
    schedule = state.schedule
    version = (Question.VERSION, schedule.version_ns)
    if not state.settled:
        return (version,)
    confirm = ((Question.CONFIRM, 0),) if state.to_confirm else ()
    if not state.identified:
        return (version, *confirm)
    timer = ((Question.TIMER, schedule.timer_ns),)
    # A stream of cards must not delay the timer, nor an unanswered timer question the clearing of
    # cards.
    planned = [*confirm, *timer] if state.continuity.no_answer else [*timer, *confirm]
    if state.waiting:
        planned.append((Question.TAGS, schedule.tags_ns))
    if schedule.buffer_ns is not None:
        planned.append((Question.BUFFER, schedule.buffer_ns))
    return tuple(planned)


def next_deadline_ns(settings: FeigLinkSettings, state: FeigLinkState) -> int | None:
    """Monotonic time of the next question or timeout, or None."""
    if not state.open:
        return None
    deadlines = [state.clear_deadline_ns, state.schedule.keep_alive_due_ns]
    if state.unframed.pending:
        deadlines.append(state.bytes_ns + settings.gap_ns_max)
    if state.outstanding is not None:
        deadlines.append(state.outstanding.deadline_ns)
    elif state.clear_deadline_ns is None:
        deadlines.extend(due_ns for _question, due_ns in _planned_questions(state))
    return min((due_ns for due_ns in deadlines if due_ns is not None), default=None)


def report_silence(state: FeigLinkState, detail: Message) -> tuple[FeigLinkState, FeigItems]:
    """Count an unanswered question; report silence once until the reader answers again."""
    state = replace(state, tries=state.tries + 1)
    if state.silence_reported:
        return state, ()
    failed = tuple(RequestFailed(query.name, None, _NO_ANSWER) for query in state.waiting)
    fault = LinkFault(LinkFaultKind.NO_ANSWER, detail)
    return replace(state, silence_reported=True, waiting=()), (fault, *failed)


def retry_ns(settings: FeigLinkSettings, state: FeigLinkState, now_ns: int) -> int:
    """When to ask again after `tries` unanswered questions: at once, then with back-off."""
    if state.tries < 2:
        return now_ns
    return now_ns + (settings.answer_ns_max << min(state.tries - 2, _DOUBLINGS_MAX))


def next_poll_ns(settings: FeigLinkSettings, state: FeigLinkState, asked_ns: int) -> int | None:
    """When polling reads the buffer again; None in notification mode."""
    if settings.delivery is Delivery.NOTIFY:
        return None
    pace_ns = settings.poll_closely_ns if state.closely else settings.poll_idly_ns
    return asked_ns + pace_ns


def report_once(
    state: FeigLinkState, fault_name: str, kind: LinkFaultKind, detail: Message
) -> tuple[FeigLinkState, FeigItems]:
    """Report a lasting fault once, when it begins."""
    if fault_name in state.reported:
        return state, ()
    return replace(state, reported=(*state.reported, fault_name)), (LinkFault(kind, detail),)


def end_faults(state: FeigLinkState, *fault_names: str) -> FeigLinkState:
    """End lasting faults, so that they are reported again when they return."""
    return replace(state, reported=tuple(one for one in state.reported if one not in fault_names))


def fail_tag_requests(state: FeigLinkState, detail: Message) -> tuple[FeigLinkState, FeigItems]:
    """Fail all tag requests: the outstanding one and those that wait."""
    outstanding = (
        ()
        if state.outstanding is None or state.outstanding.query is None
        else (state.outstanding.query,)
    )
    failed = tuple(
        RequestFailed(query.name, None, detail) for query in (*outstanding, *state.waiting)
    )
    return replace(state, outstanding=None, waiting=()), failed
