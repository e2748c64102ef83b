"""What a link to a FEIG reader has learnt, and what it asks next.

Responsible for: the frozen state, its deadlines, and which question comes when.
Not responsible for: what answers mean (link, buffer) and for bytes (commands).
Source: package README, "FEIG OBID", delivery.
"""

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from firmware_bridge.feig.continuity import Continuity
from firmware_bridge.feig.delivery import Delivered
from firmware_bridge.feig.frames import Unframed
from firmware_bridge.feig.items import FeigItem, Inventory, ReadBlocks, RequestFailed
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

TagRequest: TypeAlias = Inventory | ReadBlocks
Items: TypeAlias = tuple[FeigItem | LinkFault, ...]

# Unanswered questions in a row make the next one wait, each twice as long, up to so often.
_DOUBLINGS_MAX = 4
_NOT_HEARD = "the reader does not answer"


class Question(StrEnum):
    """What one request asks for, in a technician's words."""

    VERSION = "its version"
    TIMER = "its timer"
    BUFFER = "its buffer"
    CONFIRM = "its first records once more"
    TAGS = "the tags in its field"


@dataclass(frozen=True, slots=True)
class TagAsk:
    """A request of the table's; `rounds` and `found` count the answers and tags of an inventory."""

    request: TagRequest
    rounds: int = 0
    found: int = 0

    @property
    def name(self) -> str:
        return "inventory" if isinstance(self.request, Inventory) else "read blocks"


@dataclass(frozen=True, slots=True)
class Asked:
    """The one question that waits for its answer; `ask` where it is one of the table's."""

    question: Question
    at: Timestamp
    deadline_ns: int
    ask: TagAsk | None = None


@dataclass(frozen=True, slots=True)
class Dues:
    """When, by the monotonic clock, something is asked next; None: nothing is planned."""

    version_ns: int = 0
    timer_ns: int = 0
    tags_ns: int = 0
    buffer_ns: int | None = None
    sign_of_life_ns: int | None = None


@dataclass(frozen=True, slots=True)
class FeigLinkState:
    """`bytes_ns` is when bytes came last. `clear_due` asks for a clearing with this call's output;
    `clear_deadline_ns` is when the one sent should be answered. `uncleared`: it was not answered,
    or records came after it was sent, so whether they are gone shows when the buffer is read.
    `to_confirm` counts the first records of the reader's that were given: it is to hand over these
    alone before they are cleared. `settled`: no request that found no answer can still be on its
    way.

    `tries` counts unanswered questions, `silent` says that this was told. `told` names troubles
    that last and were told. `acknowledges` says that the reader was not yet seen to go on
    without waiting for a clearing.
    """

    unframed: Unframed = field(default_factory=Unframed)
    bytes_ns: int = 0
    open: bool = False
    identified: bool = False
    asked: Asked | None = None
    waiting: tuple[TagAsk, ...] = ()
    dues: Dues = field(default_factory=Dues)
    clear_due: bool = False
    clear_deadline_ns: int | None = None
    uncleared: bool = False
    to_confirm: int = 0
    settled: bool = True
    tries: int = 0
    silent: bool = False
    closely: bool = False
    acknowledges: bool = True
    overflow_told: bool = False
    told: tuple[str, ...] = ()
    delivered: Delivered = field(default_factory=Delivered)
    continuity: Continuity = field(default_factory=Continuity)


def next_question(state: FeigLinkState, now_ns: int) -> Question | None:
    """What is to be asked now: one thing at a time, what the reader is before all else."""
    if not state.open or state.asked is not None or state.clear_deadline_ns is not None:
        return None
    planned = _planned(state)
    return next((question for question, due_ns in planned if now_ns >= due_ns), None)


def _planned(state: FeigLinkState) -> tuple[tuple[Question, int], ...]:
    dues = state.dues
    version = (Question.VERSION, dues.version_ns)
    if not state.settled:
        return (version,)
    confirm = ((Question.CONFIRM, 0),) if state.to_confirm else ()
    if not state.identified:
        return (version, *confirm)
    timer = ((Question.TIMER, dues.timer_ns),)
    # Cards without a pause must not keep the timer from being heard, nor a timer that does not
    # answer the cards from being cleared.
    planned = [*confirm, *timer] if state.continuity.unasked else [*timer, *confirm]
    if state.waiting:
        planned.append((Question.TAGS, dues.tags_ns))
    if dues.buffer_ns is not None:
        planned.append((Question.BUFFER, dues.buffer_ns))
    return tuple(planned)


def next_deadline_ns(settings: FeigLinkSettings, state: FeigLinkState) -> int | None:
    """When something is to be asked or given up."""
    if not state.open:
        return None
    dues = [state.clear_deadline_ns, state.dues.sign_of_life_ns]
    if state.unframed.pending:
        dues.append(state.bytes_ns + settings.gap_ns_max)
    if state.asked is not None:
        dues.append(state.asked.deadline_ns)
    elif state.clear_deadline_ns is None:
        dues.extend(due_ns for _question, due_ns in _planned(state))
    return min((due_ns for due_ns in dues if due_ns is not None), default=None)


def fell_silent(state: FeigLinkState, detail: str) -> tuple[FeigLinkState, Items]:
    """The reader is not heard where it should be: told once until it is heard again."""
    state = replace(state, tries=state.tries + 1)
    if state.silent:
        return state, ()
    failed = tuple(RequestFailed(ask.name, None, _NOT_HEARD) for ask in state.waiting)
    fault = LinkFault(LinkFaultKind.NO_ANSWER, detail)
    return replace(state, silent=True, waiting=()), (fault, *failed)


def retry_ns(settings: FeigLinkSettings, state: FeigLinkState, now_ns: int) -> int:
    """When to ask again after `tries` questions without an answer: at once, then ever later."""
    if state.tries < 2:
        return now_ns
    return now_ns + (settings.answer_ns_max << min(state.tries - 2, _DOUBLINGS_MAX))


def after_pace_ns(settings: FeigLinkSettings, state: FeigLinkState, asked_ns: int) -> int | None:
    """When the buffer is read again by itself."""
    if settings.delivery is Delivery.NOTIFY:
        return None
    pace_ns = settings.poll_closely_ns if state.closely else settings.poll_idly_ns
    return asked_ns + pace_ns


def once(
    state: FeigLinkState, trouble: str, kind: LinkFaultKind, detail: str
) -> tuple[FeigLinkState, Items]:
    """A trouble that may last, told when it begins."""
    if trouble in state.told:
        return state, ()
    return replace(state, told=(*state.told, trouble)), (LinkFault(kind, detail),)


def over(state: FeigLinkState, *troubles: str) -> FeigLinkState:
    """A trouble that has ended: it is told when it comes again."""
    return replace(state, told=tuple(one for one in state.told if one not in troubles))


def without_requests(state: FeigLinkState, detail: str) -> tuple[FeigLinkState, Items]:
    """What the table asked for and what still waits will not be answered."""
    asked = () if state.asked is None or state.asked.ask is None else (state.asked.ask,)
    failed = tuple(RequestFailed(ask.name, None, detail) for ask in (*asked, *state.waiting))
    return replace(state, asked=None, waiting=()), failed
