"""Applies recorded acts to the batches, and refuses acts that contradict its stage.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-20.

Decisions. A shuffler reports its own shuffles. A shuffle that people record replaces it and is done
by hand: a floorperson records it, with the reason, for a whole batch outside the shuffler. Acts
that contradict the batch's stage are refused, for example cutting when no batch is ready, or
putting a batch into the shuffler twice. Of a shuffler that shows only contacts people record what
went in with the number of cards, and the release, which is permitted as its order would be. Cards
of a dead table that were spread, and a batch that was spread again, start over.
"""

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.facts import (
    Fact,
    Touched,
)
from controller.custody.batch_life.permissions import order_refusal
from controller.custody.batch_life.stages import BatchStage
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.recording import refuse_act, shoe_in_play
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import (
    apply_fact,
    next_lineage,
)
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from drivers.commands import ShufflerOrder
from foundation.message import Message, message

# Acts that are refused where they contradict the batch's stage, and the points.
_MUST_FIT: Final = MappingProxyType(
    {
        ActKind.INTO_SHUFFLER: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        ActKind.RELEASED: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.SHUFFLED: (RulePoint.SHUFFLED,),
        ActKind.CUT: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
        ActKind.CUT_BY_DEALER: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_RELEASE),
    }
)


# Its count or shuffle is void, so people may have taken it out.
_IN_THE_HAND: Final = (BatchStage.COLLECTED, BatchStage.HELD)


def apply_act(
    book: RuleBook, state: TableState, step: Step, act: OperatorAction[RecordAct]
) -> Step:
    """Apply the facts of an act that was accepted; `state` is the one before it."""
    if not book.tracks_batches or any(isinstance(one, Refusal) for one in step.effects):
        return step
    for fact in _facts(book, state, act):
        step = apply_fact(book, step, fact)
    return step


def _facts(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> tuple[Fact, ...]:
    batch = act.action.batch if act.action.batch in book.backs else ""
    last = state.lineage.last_dealt
    recorded = (replace(act.action, batch=batch),)
    match act.action.kind:
        case ActKind.INTO_SHUFFLER:
            return recorded if batch else ()
        case ActKind.RELEASED:
            inside = lineage_of(book, state).stored_batch
            return (replace(recorded[0], batch=batch or inside),) if book.by_contacts else ()
        case (
            ActKind.SHUFFLED
            | ActKind.CUT
            | ActKind.CUT_BY_DEALER
            | ActKind.LOADED
            | ActKind.ALTERNATION_SUSPENDED
            | ActKind.RECEIVED
        ):
            return recorded
        case ActKind.SHUFFLER_OPENED:
            lives = lineage_of(book, state).lives
            return tuple(Touched(life.back) for life in lives if life.stored)
        case ActKind.RESPREAD:
            return (Touched(batch),)
        case ActKind.DEAD_TABLE_SPREAD:
            return (Touched(last),) if last else ()
        case ActKind.CARDS_TOUCHED:
            playing = shoe_in_play(state) and batch == last
            return (Touched(batch),) if batch and not playing else ()
        case _:
            return ()


def contradiction(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step | None:
    """Refuse an act that contradicts the batch's stage; None where it does not."""
    if not book.tracks_batches or act.action.kind not in _MUST_FIT:
        return None
    why = _refusal_of_hand_shuffle(book, state, act) or _refusal_of_step(book, state, act)
    if why is None:
        facts = _facts(book, state, act)
        remarks = [one for fact in facts for one in next_lineage(book, state, fact).remarks]
        if not remarks:
            return None
        why = message("one_after_another", texts=tuple(one.detail for one in remarks))
    return refuse_act(book, state, act, why, *_MUST_FIT[act.action.kind])


def _refusal_of_hand_shuffle(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Message | None:
    if act.action.kind is not ActKind.SHUFFLED:
        return None
    if act.role not in SUPERVISORS or not act.reason.strip():
        return message("hand_shuffle_is_recorded_by_floorperson")
    lineage = lineage_of(book, state)
    life = lineage.life(act.action.batch)
    # A silent shuffler cannot report that its cards were taken out, nor can one by contacts.
    in_the_hand = book.by_contacts and life is not None and life.stage in _IN_THE_HAND
    if life is not None and life.stored and lineage.trusted and not in_the_hand:
        return message(
            "lies_in_compartment_take_out_first",
            batch=act.action.batch,
            compartment=life.compartment,
        )
    return None


def _refusal_of_step(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Message | None:
    """Why people may not enter this step of a shuffler that shows only contacts; None if they may.

    A release is permitted as the order to another shuffler would be.
    """
    if not book.by_contacts:
        return None
    lineage, batch = lineage_of(book, state), act.action.batch
    match act.action.kind:
        case ActKind.INTO_SHUFFLER if batch in book.backs and not act.action.amount:
            return message("count_cards_and_record_number", batch=batch)
        case ActKind.RELEASED:
            life = lineage.life(batch or lineage.stored_batch)
            if life is None or not life.compartment:
                return message("no_batch_known_to_be_in_shuffler")
            where, shoe_open = life.compartment, shoe_in_play(state)
            return order_refusal(lineage, ShufflerOrder.RELEASE, where, shoe_open=shoe_open)
        case _:
            return None
