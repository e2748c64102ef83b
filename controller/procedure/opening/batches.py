"""The two batches: which one is loaded, where the idle one waits, and cards with a foreign back.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (e)(1), (e)(6), (f)(1); D-17, D-19, D-20, D-21, D-35.

Decisions. Loading comes last: it is refused while an act that this table observes is missing, and
the refusal lists what is missing. A loaded batch has left the shuffler. Where no coup was dealt
from a shoe, its batch may be used again (D-5).
"""

from msgspec.structs import replace

from controller.custody.batch_life.permissions import batch_due_next
from controller.custody.card_states import CardPlace
from controller.custody.moves import BatchMoved
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.discard_rack import empty_rack
from controller.procedure.acts.duties import (
    DUTIES,
    DutyGroup,
    describe_duty,
    is_done,
    is_required,
    missing_duties,
)
from controller.procedure.acts.recording import (
    begin_act,
    cards_in_shoe,
    complete_act,
    describe_miscount,
    other_batch,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_lineage,
    with_opening,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.between_shoes import note_loading
from controller.procedure.opening.cut import describe_cutter
from controller.procedure.opening.dead_table import refusal_to_swap
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.readiness import batch_obstacles, obstacle_code, obstacle_points
from controller.procedure.state import NOBODY, SHORT_BATCH, OpeningDefect, TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from foundation.message import Message, message


def load_batch(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a batch was put into the dealing shoe."""
    batch = act.action.batch if uses_two_batches(book) else ""
    refusal = _refuse_loading_now(book, state, act) or _refuse_batch(book, state, act, batch)
    if refusal is not None:
        return refusal
    due = cards_in_shoe(book)
    if act.action.amount != due:
        counts = (RulePoint.SHOE_LOADED, RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
        what = describe_miscount(act.action.amount, due)
        remedy = message("count_every_deck_and_name_what_missing")
        return _refuse_with_defect(
            book, state, act, IrregularityCode.BATCH_SHORT, what, remedy, *counts
        )
    before = tuple(
        duty
        for duty in missing_duties(book, state, batch)
        if book.observes(duty.fact) and duty.group is not DutyGroup.LOADING
    )
    if before:
        undone = tuple(describe_duty(book, duty) for duty in before)
        points = tuple(point for duty in before for point in duty.points)
        why = message("not_recorded_yet", duties=undone)
        return refuse_act(book, state, act, why, RulePoint.SHOE_LOADED, *dict.fromkeys(points))
    lineage = replace(state.lineage, loaded=batch)
    if batch and lineage.in_shuffler == batch:
        lineage = replace(lineage, in_shuffler="")
    step = note_loading(with_lineage(begin_act(state), lineage))
    step = complete_act(step, act, batch, act.action.amount)
    if batch and batch != state.lineage.loaded:
        step = step.with_move(BatchMoved(batch, CardPlace.SHOE))
    cut_by = state.opening.cutter
    parts: tuple[str | Message, ...] = (
        batch or message("all_decks"),
        message("number_of_cards", count=act.action.amount),
    )
    if cut_by != NOBODY:
        parts = (*parts, message("cut_recorded", cutter=describe_cutter(cut_by)))
    points = (RulePoint.SHOE_LOADED, *((RulePoint.BATCH_ALTERNATES,) if batch else ()))
    return record_act(book, step, act, message("listed", parts=parts), *points)


def _refuse_loading_now(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Step | None:
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = message("continuous_shuffler_not_loaded_shoe_by_shoe")
        return refuse_act(book, state, act, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        why = message("shoe_in_play_end_or_close_first")
        return refuse_act(book, state, act, why, RulePoint.SHOE_LOADED)
    owed = refusal_to_reshuffle(book, state)
    return begin_act(state).with_effect(owed) if owed is not None else None


def _refuse_batch(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct], batch: str
) -> Step | None:
    """Refuse a batch that may not be loaded now; None where it may."""
    lineage, dead = state.lineage, state.opening.dead
    # A shuffler counts each batch again itself.
    if batch in lineage.short and not book.tracks_batches:
        counts = (RulePoint.SHOE_LOADED, RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
        remedy = message("count_again_and_record_inspection_with_number")
        code = IrregularityCode.BATCH_SHORT
        return _refuse_with_defect(book, state, act, code, SHORT_BATCH, remedy, *counts)
    if not batch:
        return None
    other = other_batch(book, batch)
    no_coup = state.shoe is not None and not state.shoe.joined and state.shoe.coups_begun == 0
    if batch == lineage.last_dealt != lineage.may_repeat and (dead or not no_coup):
        what = message("last_shoe_dealt_from", batch=batch)
        point = RulePoint.DEAD_TABLE_SHUFFLER if dead else RulePoint.BATCH_ALTERNATES
        code = IrregularityCode.BATCH_REPEATED
        return _refuse_with_defect(
            book, state, act, code, what, message("load_batch", batch=other), point
        )
    rack_observed = book.observes(ObservableFact.DISCARD_COUNT) or book.tracks_batches
    if rack_observed and lineage.in_rack == other:
        what = message("discard_rack_still_holds", other=other)
        remedy = message("put_into_shuffler_or_clear_rack", other=other)
        code = IrregularityCode.DISCARD_RACK_MIXED
        return _refuse_with_defect(
            book, state, act, code, what, remedy, RulePoint.DISCARD_ONE_BATCH
        )
    why, points = refusal_to_swap(book, state, batch)
    if why is not None:
        remedy = message("spread_shuffle_and_record_both", batch=batch)
        code = IrregularityCode.SHUFFLER_UNSECURE
        return _refuse_with_defect(book, state, act, code, why, remedy, *points)
    found = batch_obstacles(book, state, batch)
    if found:
        what = message("one_after_another", texts=tuple(one.detail for one in found))
        remedies = tuple(dict.fromkeys(one.remedy for one in found))
        remedy = message("one_after_another", texts=remedies)
        return _refuse_with_defect(
            book, state, act, obstacle_code(found[0]), what, remedy, *obstacle_points(found)
        )
    return None


def _refuse_with_defect(
    book: RuleBook,
    state: TableState,
    act: OperatorAction[RecordAct],
    code: IrregularityCode,
    what: Message,
    remedy: Message,
    *points: RulePoint,
) -> Step:
    """Refuse to load, and note the defect: dealing all the same is an irregularity."""
    defect = OpeningDefect(
        ActKind.LOADED, code, act.action.batch if uses_two_batches(book) else "", what
    )
    step = refuse_act(
        book, state, act, message("what_then_remedy", what=what, remedy=remedy), *points
    )
    return with_opening(step, state.opening.with_defect(defect))


# --- the shuffler ---------------------------------------------------------------------------------


def put_into_shuffler(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a batch was put into the shuffler to be shuffled and stored."""
    opening, batch = state.opening, act.action.batch
    why = _refusal_into_shuffler(book, state, batch)
    if why is not None:
        return refuse_act(book, state, act, why, RulePoint.BATCH_IDLE_IN_SHUFFLER)
    stacked = next(duty for duty in DUTIES if ActKind.STACKED in duty.acts)
    needs = book.observes(stacked.fact) and is_required(book, stacked)
    if needs and not is_done(book, state, stacked, batch):
        why = message("not_stacked_apart_yet_record_then_put", batch=batch)
        return refuse_act(book, state, act, why, *stacked.points)
    step = with_opening(begin_act(state), opening.without(ActKind.SHUFFLED, batch=batch))
    lineage = empty_rack(state) if state.lineage.in_rack == batch else state.lineage
    if not book.tracks_batches:
        if lineage.in_shuffler != batch:
            step = step.with_move(BatchMoved(batch, CardPlace.SHUFFLER))
        lineage = replace(lineage, in_shuffler=batch, opened=False)
    points = (RulePoint.DEAD_TABLE_SHUFFLER,) if opening.dead else ()
    return record_act(book, with_lineage(step, lineage), act, batch, *points)


def _refusal_into_shuffler(book: RuleBook, state: TableState, batch: str) -> Message | None:
    inside = state.lineage.in_shuffler
    if not uses_two_batches(book):
        return message("this_table_no_shuffler_stores_batch")
    if batch not in book.backs:
        return message("name_the_batch", backs=book.backs)
    if inside not in ("", batch) and not book.tracks_batches:
        return message("shuffler_holds_take_batch_out_first", inside=inside)
    if shoe_in_play(state) and batch == state.lineage.last_dealt:
        return message("in_play_end_or_close_shoe_first", batch=batch)
    return None


def release_batch(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a member of staff released the batch in the shuffler."""
    lineage = lineage_of(book, state)
    batch = lineage.stored_batch
    if book.tracks_batches:
        named = act.action.batch if act.action.batch in book.backs else ""
        due = "" if book.by_contacts else batch_due_next(lineage)
        batch = named or due or batch
    if not batch:
        why = message("no_batch_known_to_be_in_shuffler")
        return refuse_act(book, state, act, why, RulePoint.SHUFFLER_RELEASE)
    if not act.action.reference:
        why = message("reference_of_staff_needed")
        return refuse_act(book, state, act, why, RulePoint.SHUFFLER_RELEASE)
    step = complete_act(begin_act(state), act, batch)
    if book.tracks_batches:
        return record_act(book, step, act, batch)
    step = with_lineage(step, replace(step.state.lineage, in_shuffler=""))
    step = step.with_move(BatchMoved(batch, CardPlace.UNKNOWN))
    step = record_act(book, step, act, batch)
    if shoe_in_play(state):
        detail = message(
            "taken_out_while_in_play", batch=batch, other_batch=other_batch(book, batch)
        )
        return raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
    return step


def record_shuffler_opened(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Step:
    """Record that the shuffler was opened: its batch is no longer known to be secure."""
    if not uses_two_batches(book):
        why = message("this_table_no_shuffler_stores_batch")
        return refuse_act(book, state, act, why, RulePoint.SHUFFLER_SECURE)
    step = with_lineage(begin_act(state), replace(state.lineage, opened=True))
    return record_act(book, step, act, lineage_of(book, state).stored_batch)


def suspend_alternation(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Let a batch be dealt twice in a row: the shuffler keeps the other one (D-20)."""
    why = _refusal_to_suspend(book, state, act)
    if why is not None:
        return refuse_act(book, state, act, why, RulePoint.BATCH_ALTERNATES)
    lineage = replace(state.lineage, may_repeat=act.action.batch)
    detail = message("may_be_used_again_for_one_shoe", batch=act.action.batch)
    return record_act(book, with_lineage(begin_act(state), lineage), act, detail)


def _refusal_to_suspend(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Message | None:
    if not uses_two_batches(book):
        return message("this_table_one_batch_there_no_alternation")
    if act.action.batch not in book.backs:
        return message("name_batch_used_again", backs=book.backs)
    if act.role not in SUPERVISORS or not act.reason.strip():
        return message("alternation_suspended_by_floorperson_with_reason")
    return message("shoe_in_play_end_or_close_first") if shoe_in_play(state) else None


# --- backs ----------------------------------------------------------------------------------------


def record_foreign_back(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a card with a foreign back, in the shoe or in a batch between shoes."""
    own = state.lineage.last_dealt if shoe_in_play(state) else None
    seen = act.action.batch or message("another_colour_or_design")
    if own and own == act.action.batch:
        why = message("batch_in_play_cards_not_foreign", own=own)
        return refuse_act(book, state, act, why, RulePoint.BATCH_ONE_BACK)
    among = own or message("cards_of_the_shoe")
    detail = message("foreign_back_among", typed=seen, among=among)
    step = record_act(book, begin_act(state), act, detail)
    if not shoe_in_play(state):
        return step
    return raise_irregularity(book, step, IrregularityCode.WRONG_BATCH, detail)
