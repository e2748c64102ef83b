"""Turns recorded acts into facts about a batch, and refuses acts that contradict its stage.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-20.

Decisions. A shuffler reports its own shuffles. A shuffle that people record replaces it and is done
by hand: a floorperson records it, with the reason, for a whole batch outside the shuffler. Acts
that contradict the batch's stage are refused, for example cutting when no batch is ready, or
putting a batch into the shuffler twice. Cards of a dead table that were spread, and a batch that
was spread again, start over.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.facts import (
    AlternationSuspended,
    CutMade,
    Fact,
    HandShuffled,
    LoadedIntoShuffler,
    NewCards,
    PutIntoShoe,
    Touched,
)
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import SUPERVISORS, refuse_act, shoe_in_play
from controller.procedure.effects import Refusal
from controller.procedure.events import ActReported
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import (
    apply_fact,
    is_in_shuffler,
    lineage_of,
    next_lineage,
)
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.profiles.rule_points import RulePoint

# Acts that are refused where they contradict the batch's stage, and the points.
_MUST_FIT: Final = MappingProxyType(
    {
        ActKind.INTO_SHUFFLER: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        ActKind.SHUFFLED: (RulePoint.SHUFFLED,),
        ActKind.CUT: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.CUT_BY_DEALER: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
    }
)


def apply_act(book: RuleBook, state: TableState, step: Step, event: ActReported) -> Step:
    """Apply the facts of an act that was accepted; `state` is the one before it."""
    if not book.tracks_batches or any(isinstance(one, Refusal) for one in step.effects):
        return step
    for fact in _facts(book, state, event):
        step = apply_fact(book, step, fact)
    return step


def _facts(book: RuleBook, state: TableState, event: ActReported) -> tuple[Fact, ...]:
    batch = event.batch if event.batch in book.backs else ""
    last = state.opening.last_batch
    match event.kind:
        case ActKind.INTO_SHUFFLER:
            return (LoadedIntoShuffler(batch),) if batch else ()
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
            return tuple(Touched(life.back) for life in lives if is_in_shuffler(life))
        case ActKind.RESPREAD:
            return (Touched(batch),)
        case ActKind.DEAD_TABLE_SPREAD:
            return (Touched(last),) if last else ()
        case ActKind.CARDS_TOUCHED:
            playing = shoe_in_play(state) and batch == last
            return (Touched(batch),) if batch and not playing else ()
        case _:
            return ()


def contradiction(book: RuleBook, state: TableState, event: ActReported) -> Step | None:
    """Refuse an act that contradicts the batch's stage; None where it does not."""
    if not book.tracks_batches or event.kind not in _MUST_FIT:
        return None
    why = _refusal_of_hand_shuffle(book, state, event) if event.kind is ActKind.SHUFFLED else ""
    if not why:
        facts = _facts(book, state, event)
        remarks = [one for fact in facts for one in next_lineage(book, state, fact).remarks]
        why = "; ".join(one.detail for one in remarks)
    return refuse_act(book, state, event, why, *_MUST_FIT[event.kind]) if why else None


def _refusal_of_hand_shuffle(book: RuleBook, state: TableState, event: ActReported) -> str:
    if event.role not in SUPERVISORS or not event.reason.strip():
        return (
            "the shuffler reports its own shuffles: a shuffle by hand is recorded by a"
            " floorperson, with the reason"
        )
    lineage = lineage_of(book, state)
    life = lineage.life(event.batch)
    # A silent shuffler cannot report that its cards were taken out.
    if life is not None and is_in_shuffler(life) and lineage.trusted:
        return f"{event.batch} lies in compartment {life.compartment}: take it out first"
    return ""
