"""Whether a batch may be dealt from, as its life tells.

Responsible for: what stands in the way of loading a batch, with its clauses, and judging the first
card of a shoe by the life of the batch it came from.
Not responsible for: the life itself (controller.custody.lineage), acts that are missing (loading)
and the record of a loading (batches).
Source: NY-a-4-iv-a to NY-a-4-iv-e; S42-a-4-ii to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-22;
field practice (Taj Mahal, Showboat: unshuffled cards; two packs: the same batch again).

Decisions. The shuffler is the observer: this is judged whether loading is recorded or not. The
batch is the one of the card's own back, else the one recorded, else the one the shuffler released,
else the only one that lies outside it.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.facts import FirstCardOut
from controller.custody.batch_life.permissions import (
    Hindrance,
    due_in_play,
    hindrances,
    idle_in_shuffler,
)
from controller.custody.batch_life.state import Bar
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import other_batch
from controller.procedure.effects import Call
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import lineage_of, lived, what_follows
from controller.procedure.state import TableState
from controller.procedure.states.opening import Fault
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.profiles.rule_points import RulePoint

_NOT_WHOLE: Final = (IrregularityCode.BATCH_BLOCKED, (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL))
_UNSHUFFLED: Final = (
    IrregularityCode.BATCH_UNSHUFFLED,
    (RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER),
)
_NOT_READY: Final = IrregularityCode.BATCH_NOT_READY
_GUARDED: Final = (RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_JUDGED_AS: Final = MappingProxyType(
    {
        Bar.SHORT: _NOT_WHOLE,
        Bar.LONG: _NOT_WHOLE,
        Bar.FOREIGN: (
            IrregularityCode.BATCH_BLOCKED,
            (RulePoint.BATCH_ONE_BACK, RulePoint.BATCH_BACKS_DIFFER),
        ),
        Bar.UNSHUFFLED: _UNSHUFFLED,
        Bar.UNPROVEN: _UNSHUFFLED,
        Bar.BROKEN_OFF: _UNSHUFFLED,
        Bar.JAMMED: (_NOT_READY, (RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER)),
        Bar.TOUCHED: (_NOT_READY, _GUARDED),
        Bar.REPEATED: (IrregularityCode.BATCH_REPEATED, (RulePoint.BATCH_ALTERNATES,)),
        Bar.NOT_RELEASED: (_NOT_READY, (RulePoint.SHUFFLER_RELEASE,)),
        Bar.DEVICE: (_NOT_READY, _GUARDED),
    }
)
# Codes that only the life of a batch gives, so that it can take them back.
_OF_LIVES: Final = (
    IrregularityCode.BATCH_BLOCKED,
    IrregularityCode.BATCH_UNSHUFFLED,
    IrregularityCode.BATCH_NOT_READY,
)


# --- loading --------------------------------------------------------------------------------------


def unready(book: RuleBook, state: TableState, batch: str) -> tuple[Hindrance, ...]:
    """What stands in the way of dealing from this batch."""
    return hindrances(lineage_of(book, state), batch) if book.tells_batches else ()


def code_of(found: Hindrance) -> IrregularityCode:
    """What dealing all the same is."""
    return _JUDGED_AS[found.bar][0]


def points_of(found: tuple[Hindrance, ...]) -> tuple[RulePoint, ...]:
    """What forbids dealing from the batch."""
    return tuple(dict.fromkeys(point for one in found for point in _JUDGED_AS[one.bar][1]))


def set_right(book: RuleBook, state: TableState, fault: Fault) -> bool:
    """Whether what a loading was refused for does not stand in the way any more."""
    if not book.tells_batches or fault.act is not ActKind.LOADED or fault.code not in _OF_LIVES:
        return False
    return fault.code not in [code_of(one) for one in unready(book, state, fault.batch)]


def told_unready(book: RuleBook, step: Step) -> Step:
    """A shoe is opened: tell what stands in the way of the batch it would be dealt from."""
    if not book.tells_batches:
        return step
    batch = batch_dealt(book, step.state, "")
    if not batch:
        text = "no batch was released by the shuffler: have one released, cut and loaded"
        return prompt(book, step, Call.BATCH, text, *_UNSHUFFLED[1])
    found = unready(book, step.state, batch)
    if not found:
        return step
    text = "; ".join(f"{one.detail}: {one.remedy}" for one in found)
    return prompt(book, step, Call.BATCH, text, *points_of(found))


# --- the first card -------------------------------------------------------------------------------


def batch_dealt(book: RuleBook, state: TableState, back: str) -> str:
    """The batch of a first card; empty where no shuffler tells, or where nobody knows."""
    if not book.tells_batches:
        return ""
    opening = state.opening
    refused = next((one.batch for one in opening.faults if one.batch), "")
    own = back if back in book.backs else ""
    named = own or opening.loaded or refused
    return named or what_follows(book, state, FirstCardOut("")).lineage.in_play


def batch_judged(
    book: RuleBook, step: Step, batch: str, raised: tuple[IrregularityCode, ...] = ()
) -> Step:
    """The first card of a shoe is out of `batch`; `raised` are codes that were raised already."""
    if not book.tells_batches:
        return step
    lineage, loaded = lineage_of(book, step.state), step.state.opening.loaded
    expected = loaded or due_in_play(lineage)
    if not batch:
        detail = "no batch was released by the shuffler"
        step = irregular(book, step, IrregularityCode.BATCH_UNSHUFFLED, detail)
    elif expected and batch != expected:
        detail = f"it is of {batch}; {expected} {'was loaded' if loaded else 'was released'}"
        step = irregular(book, step, IrregularityCode.WRONG_BATCH, detail)
    found = hindrances(lineage, batch) if batch else ()
    for code in dict.fromkeys(code_of(one) for one in found):
        mine = tuple(one for one in found if code_of(one) is code)
        if code not in raised:
            detail = "; ".join(f"{one.detail}: {one.remedy}" for one in mine)
            step = irregular(book, step, code, detail, *points_of(mine))
    there = step.state.opening.rack_batch
    mixed = IrregularityCode.DISCARD_RACK_MIXED
    if batch and there == other_batch(book, batch) and mixed not in raised:
        step = irregular(book, step, mixed, f"{there} lies there, {batch} comes to it")
    return lived(book, step, FirstCardOut(batch))


def idle_judged(book: RuleBook, step: Step, batch: str, *, seen: bool) -> Step:
    """While this batch is in play the other one is in the shuffler.

    `seen`: the card's own back said which batch it is. Where it did not, and both batches are
    outside the shuffler, either may have gone into the shoe: play waits for a person to look.
    """
    if not batch:
        return step
    idle = other_batch(book, batch)
    if step.state.opening.may_repeat == batch:
        what = f"alternation is suspended: {batch} is in play, wherever {idle} lies"
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    if idle_in_shuffler(step.state.lineage, batch):
        what = f"{batch} is in play, {idle} in the shuffler"
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    detail = f"{idle} is not in the shuffler while {batch} is in play"
    step = irregular(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
    if seen:
        return step
    detail = f"{idle} lies outside the shuffler, too: look at the backs of the cards in the shoe"
    return irregular(book, step, IrregularityCode.BATCH_NOT_READY, detail)
