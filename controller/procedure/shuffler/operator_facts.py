"""What people record of the batches, where a shuffler tells of them as well.

Responsible for: which fact in a batch's life an act is, which shuffles by hand count, and acts that
cannot be as the batch stands.
Not responsible for: taking acts (opening) and for what follows (living).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-20.

Decisions. A shuffler tells of its own shuffles. A shuffle that people record is one by hand in its
place: a floorperson's, with the reason, of a whole batch that lies outside it. What cannot be as
the batch stands (a cut of none, a batch that goes in and is in it) is refused. Cards of a dead
table that were spread, and a batch that was spread again, begin anew.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.facts import (
    AlternationSuspended,
    CutMade,
    Fact,
    GoesIn,
    Handled,
    HandShuffled,
    NewCards,
    PutIntoShoe,
)
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import SUPERVISORS, in_play, refused
from controller.procedure.effects import Refused
from controller.procedure.events import ActRecorded
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import is_in_shuffler, lineage_of, lived, what_follows
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.profiles.rule_points import RulePoint

# Acts that are refused where the batch cannot have come to that, and what asks for it.
_MUST_FIT: Final = MappingProxyType(
    {
        ActKind.INTO_SHUFFLER: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        ActKind.SHUFFLED: (RulePoint.SHUFFLED,),
        ActKind.CUT: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.CUT_BY_DEALER: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
    }
)


def act_lived(book: RuleBook, state: TableState, step: Step, event: ActRecorded) -> Step:
    """An act was taken or refused; where it was taken, the batch lives on. `state` was before."""
    if not book.tells_batches or any(isinstance(one, Refused) for one in step.effects):
        return step
    for fact in _facts(book, state, event):
        step = lived(book, step, fact)
    return step


def _facts(book: RuleBook, state: TableState, event: ActRecorded) -> tuple[Fact, ...]:
    batch = event.batch if event.batch in book.backs else ""
    last = state.opening.last_batch
    match event.kind:
        case ActKind.INTO_SHUFFLER:
            return (GoesIn(batch),) if batch else ()
        case ActKind.SHUFFLED:
            return (HandShuffled(batch),)
        case ActKind.CUT | ActKind.CUT_BY_DEALER:
            return (CutMade(),)
        case ActKind.LOADED:
            return (PutIntoShoe(batch),)
        case ActKind.ALTERNATION_SUSPENDED:
            return (AlternationSuspended(batch),)
        case ActKind.RECEIVED:
            return (NewCards(batch),)
        case ActKind.SHUFFLER_OPENED:
            lives = lineage_of(book, state).lives
            return tuple(Handled(life.back) for life in lives if is_in_shuffler(life))
        case ActKind.RESPREAD:
            return (Handled(batch),)
        case ActKind.DEAD_TABLE_SPREAD:
            return (Handled(last),) if last else ()
        case ActKind.CARDS_TOUCHED:
            playing = in_play(state) and batch == last
            return (Handled(batch),) if batch and not playing else ()
        case _:
            return ()


def not_so(book: RuleBook, state: TableState, event: ActRecorded) -> Step | None:
    """Refuse what cannot be as people say; None where nothing speaks against it."""
    if not book.tells_batches or event.kind not in _MUST_FIT:
        return None
    why = _not_by_hand(book, state, event) if event.kind is ActKind.SHUFFLED else ""
    if not why:
        facts = _facts(book, state, event)
        remarks = [one for fact in facts for one in what_follows(book, state, fact).remarks]
        why = "; ".join(one.detail for one in remarks)
    return refused(book, state, event, why, *_MUST_FIT[event.kind]) if why else None


def _not_by_hand(book: RuleBook, state: TableState, event: ActRecorded) -> str:
    if event.role not in SUPERVISORS or not event.reason.strip():
        return (
            "the shuffler tells of its own shuffles: one by hand in its place is recorded by a"
            " floorperson, with the reason"
        )
    lineage = lineage_of(book, state)
    life = lineage.life(event.batch)
    # A shuffler that is not heard cannot say that its cards were taken out.
    if life is not None and is_in_shuffler(life) and lineage.trusted:
        return f"{event.batch} lies in compartment {life.compartment}: take it out first"
    return ""
