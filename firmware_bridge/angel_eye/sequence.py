"""SEQ characters of the Angel Eye II-EX: is a report the next one, and how many are missing.

An order is a set of pairs (SEQ, the SEQ after it). Configured orders are known from the start;
`learn` starts empty and takes each pair seen first, so nothing is proved until the cycle has
closed. A wrong setting shows as the same wrong step again and again while every SEQ always has
the same successor; losses on the line do not do that, because the lost SEQ is seen in the next
cycle. The observed order is then adopted: steady wrong steps are no longer gaps, any *other* step
still is one.
Source: firmware_bridge/angel_eye/README.md, sequence.
"""

from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.angel_eye.settings import SequenceCycle

SequenceOrder: TypeAlias = tuple[tuple[str, str], ...]

# Three rounds of an alphabet of 36 characters fit into the history.
_HISTORY_MAX = 128
_STEADY_TIMES = 3
# No device counts in more single printable characters than this.
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
    SETTING = "setting"  # the same wrong step repeatedly: the configured order is wrong


class SequenceStep(Struct, frozen=True):
    """`missing_min`: at least so many reports are missing; 0 if the number is unknown."""

    kind: StepKind
    missing_min: int = 0


class SequenceState(Struct, frozen=True):
    """`last` is the SEQ of the last accepted report, "" before the first.

    `history` holds the SEQs since the last damaged frame. `adopted`: a wrong setting was reported,
    and `order` is the observed one.
    """

    order: SequenceOrder
    last: str = ""
    history: str = ""
    adopted: bool = False


def initial(cycle: SequenceCycle) -> SequenceState:
    """The state before any report."""
    return SequenceState(order=_configured_order(cycle))


def _configured_order(cycle: SequenceCycle) -> SequenceOrder:
    alphabet = _ALPHABETS[cycle]
    return tuple(zip(alphabet, alphabet[1:] + alphabet[:1], strict=True))


def reset(cycle: SequenceCycle, state: SequenceState) -> SequenceState:
    """Return to the configured order after `S` or reopening; keep a learned one."""
    order = state.order if cycle is SequenceCycle.LEARN else _configured_order(cycle)
    return SequenceState(order=order, last=state.last)


def restart_at(state: SequenceState, seq: str) -> SequenceState:
    """Continue at `seq` without judging the step: first report, `S`, or first after blindness."""
    return replace(state, last=seq, history=seq)


def clear_history(state: SequenceState) -> SequenceState:
    """Forget the history: after a damaged frame it does not prove a wrong setting."""
    return replace(state, history="") if state.history else state


def cycle_length(state: SequenceState) -> int:
    """Number of steps until the last SEQ returns; 0 while that is unknown."""
    return _steps(state.order, state.last, state.last)


def advance(
    cycle: SequenceCycle, state: SequenceState, seq: str
) -> tuple[SequenceState, SequenceStep]:
    """Judge the step from the last SEQ to `seq`, which may be any character."""
    learning = state.adopted or cycle is SequenceCycle.LEARN
    history = (state.history + seq)[-_HISTORY_MAX:]
    moved = replace(state, last=seq, history=history)
    expected = _successor(state.order, state.last)
    if expected == seq:
        return moved, SequenceStep(StepKind.NEXT)
    if expected is None and learning and len(state.order) < _ORDER_MAX:
        learned = replace(moved, order=(*state.order, (state.last, seq)))
        return learned, SequenceStep(StepKind.UNJUDGED)
    if not state.adopted and _is_steady(history):
        observed = tuple(sorted(set(pairwise(history))))
        return replace(moved, order=observed, adopted=True), SequenceStep(StepKind.SETTING)
    missing_min = max(_steps(state.order, state.last, seq) - 1, 0)
    return moved, SequenceStep(StepKind.GAP, missing_min)


def _successor(order: SequenceOrder, seq: str) -> str | None:
    for before, after in order:
        if before == seq:
            return after
    return None


def _steps(order: SequenceOrder, start: str, target: str) -> int:
    """Steps from `start` forward to `target`, at least one; 0 if the order does not lead there."""
    successors = dict(order)
    at = start
    for steps in range(1, len(order) + 1):
        following = successors.get(at)
        if following is None:
            return 0
        if following == target:
            return steps
        at = following
    return 0


def _is_steady(history: str) -> bool:
    """Whether the last step occurred often enough and no SEQ had two successors."""
    steps = list(pairwise(history))
    if not steps or steps.count(steps[-1]) < _STEADY_TIMES:
        return False
    distinct = set(steps)
    return len(distinct) == len({before for before, _after in distinct})
