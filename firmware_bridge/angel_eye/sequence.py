"""The SEQ characters of the Angel Eye II-EX: is a report the next one, and how many are missing.

Responsible for: the order of SEQ as configured or as learnt, the judgement of each step, and
telling a wrong setting from real losses.
Not responsible for: repeats and time (link).

An order is a set of pairs (SEQ, the SEQ after it). Configured orders are known from the start;
`learn` starts with none and takes each first-seen pair, so nothing is proved until the cycle
has closed. A wrong setting shows as the same wrong step again and again while every SEQ always
has the same follower; losses on the line do not do that, because the lost SEQ is seen the next
time round. Then the order seen is adopted, so that steady wrong steps are no gaps any more and
any *other* step still is one.
Source: package README, "Angel Eye II-EX", sequence.
"""

from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from firmware_bridge.angel_eye.settings import SequenceCycle
from firmware_bridge.values import dataclass, replace

Order: TypeAlias = tuple[tuple[str, str], ...]

# Three rounds of an alphabet of 36 characters fit; a wrong step must be seen this often.
_HISTORY_MAX = 128
_STEADY_TIMES = 3
# No alphabet of single printable characters that a device counts in is longer.
_ORDER_MAX = 64

_ALPHABETS = MappingProxyType(
    {
        SequenceCycle.HEX: "0123456789ABCDEF",
        SequenceCycle.DECIMAL: "0123456789",
        SequenceCycle.ONE_TO_NINE: "123456789",
        SequenceCycle.LEARN: "",
    }
)


class StepKind(StrEnum):
    NEXT = "next"
    GAP = "gap"
    UNJUDGED = "unjudged"  # the order is not known here yet
    SETTING = "setting"  # a steady wrong step: the configured order is not the shoe's


@dataclass(frozen=True, slots=True)
class Step:
    """`missing_min` is how many reports are missing at least; 0 where it cannot be told."""

    kind: StepKind
    missing_min: int = 0


@dataclass(frozen=True, slots=True)
class SequenceState:
    """`last` is the SEQ of the last accepted report, "" before the first.

    `history` holds the SEQs since the last damaged frame; `adopted` says that a wrong setting was
    told and `order` is the one seen since.
    """

    order: Order
    last: str = ""
    history: str = ""
    adopted: bool = False


def initial(cycle: SequenceCycle) -> SequenceState:
    """Nothing heard yet."""
    return SequenceState(order=_configured(cycle))


def _configured(cycle: SequenceCycle) -> Order:
    alphabet = _ALPHABETS[cycle]
    return tuple(zip(alphabet, alphabet[1:] + alphabet[:1], strict=True))


def reset(cycle: SequenceCycle, state: SequenceState) -> SequenceState:
    """After `S` and after a reopening: back to the configured order; what was learnt stays."""
    order = state.order if cycle is SequenceCycle.LEARN else _configured(cycle)
    return SequenceState(order=order, last=state.last)


def moved_to(state: SequenceState, seq: str) -> SequenceState:
    """A report whose step is not judged: the first one, `S`, or the first after a blind time."""
    return replace(state, last=seq, history=seq)


def disturbed(state: SequenceState) -> SequenceState:
    """A frame was damaged: steps before it say nothing about the setting."""
    return replace(state, history="") if state.history else state


def cycle_length(state: SequenceState) -> int:
    """After how many steps the last SEQ comes again; 0 while that is not known."""
    return _steps(state.order, state.last, state.last)


def advance(cycle: SequenceCycle, state: SequenceState, seq: str) -> tuple[SequenceState, Step]:
    """Judge the step from the last SEQ to `seq`. Total: `seq` may be any character."""
    learning = state.adopted or cycle is SequenceCycle.LEARN
    history = (state.history + seq)[-_HISTORY_MAX:]
    moved = replace(state, last=seq, history=history)
    due = dict(state.order).get(state.last)
    if due == seq:
        return moved, Step(StepKind.NEXT)
    if due is None and learning and len(state.order) < _ORDER_MAX:
        learnt = replace(moved, order=(*state.order, (state.last, seq)))
        return learnt, Step(StepKind.UNJUDGED)
    if not state.adopted and _is_steady(history):
        seen = tuple(sorted(set(pairwise(history))))
        return replace(moved, order=seen, adopted=True), Step(StepKind.SETTING)
    missing_min = max(_steps(state.order, state.last, seq) - 1, 0)
    return moved, Step(StepKind.GAP, missing_min)


def _steps(order: Order, start: str, target: str) -> int:
    """Steps from `start` forward to `target`, at least one; 0 where the order does not lead."""
    followers = dict(order)
    at = start
    for steps in range(1, len(order) + 1):
        following = followers.get(at)
        if following is None:
            return 0
        if following == target:
            return steps
        at = following
    return 0


def _is_steady(history: str) -> bool:
    """Whether the last step came often enough and no SEQ ever had two followers."""
    steps = list(pairwise(history))
    if not steps or steps.count(steps[-1]) < _STEADY_TIMES:
        return False
    distinct = set(steps)
    return len(distinct) == len({before for before, _after in distinct})
