"""The two batches: which one is loaded, where the idle one waits, and cards with a foreign back.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (e)(1), (e)(6), (f)(1); D-17, D-19, D-20, D-21, D-35.

Decisions. Loading comes last: it is refused while an act that this table observes is missing, and
the refusal lists what is missing. A loaded batch has left the shuffler. Where no coup was dealt
from a shoe, its batch may be used again (D-5).
"""

from msgspec.structs import replace

from controller.custody.batch_life.permissions import batch_due_next
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import with_empty_rack
from controller.procedure.acts.duties import (
    DUTIES,
    DutyGroup,
    describe_duty,
    is_done,
    is_required,
    missing_duties,
)
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin_act,
    cards_in_shoe,
    complete_act,
    describe_miscount,
    other_batch,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_opening,
)
from controller.procedure.events import ActReported
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.cut import describe_cutter
from controller.procedure.opening.dead_table import refusal_to_swap
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.batch_life import lineage_of
from controller.procedure.shuffler.readiness import batch_obstacles, obstacle_code, obstacle_points
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, SHORT_BATCH, OpeningDefect
from controller.procedure.step_result import Step, raise_irregularity
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode


def load_batch(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a batch was put into the dealing shoe."""
    batch = event.batch if uses_two_batches(book) else ""
    refusal = _refuse_loading_now(book, state, event) or _refuse_batch(book, state, event, batch)
    if refusal is not None:
        return refusal
    due = cards_in_shoe(book)
    if event.amount != due:
        counts = (RulePoint.SHOE_LOADED, RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
        what = describe_miscount(event.amount, due)
        remedy = "count every deck and name what is missing or extra"
        return _refuse_with_defect(
            book, state, event, IrregularityCode.BATCH_SHORT, what, remedy, *counts
        )
    opening = replace(state.opening, loaded=batch)
    before = tuple(
        duty
        for duty in missing_duties(book, opening, batch, state.today)
        if book.observes(duty.fact) and duty.group is not DutyGroup.LOADING
    )
    if before:
        undone = "; ".join(describe_duty(book, duty) for duty in before)
        points = tuple(point for duty in before for point in duty.points)
        why = f"not recorded yet: {undone}. Record it, then the loading"
        return refuse_act(book, state, event, why, RulePoint.SHOE_LOADED, *dict.fromkeys(points))
    if batch and opening.in_shuffler == batch:
        opening = replace(opening, in_shuffler="")
    step = complete_act(with_opening(begin_act(state), opening), event, batch, event.amount)
    cut_by = opening.cutter
    parts = (
        batch or "all decks",
        f"{event.amount} cards",
        f"cut by {describe_cutter(cut_by)}" if cut_by != NOBODY else "",
    )
    points = (RulePoint.SHOE_LOADED, *((RulePoint.BATCH_ALTERNATES,) if batch else ()))
    return record_act(book, step, event, ", ".join(part for part in parts if part), *points)


def _refuse_loading_now(book: RuleBook, state: TableState, event: ActReported) -> Step | None:
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler is not loaded shoe by shoe"
        return refuse_act(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        why = "a shoe is in play: end or close it first"
        return refuse_act(book, state, event, why, RulePoint.SHOE_LOADED)
    owed = refusal_to_reshuffle(book, state)
    return begin_act(state).with_effect(owed) if owed is not None else None


def _refuse_batch(book: RuleBook, state: TableState, event: ActReported, batch: str) -> Step | None:
    """Refuse a batch that may not be loaded now; None where it may."""
    opening = state.opening
    # A shuffler counts each batch again itself.
    if batch in opening.short and not book.tracks_batches:
        counts = (RulePoint.SHOE_LOADED, RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
        remedy = "count it again and record the inspection with the number of cards"
        code = IrregularityCode.BATCH_SHORT
        return _refuse_with_defect(book, state, event, code, SHORT_BATCH, remedy, *counts)
    if not batch:
        return None
    other = other_batch(book, batch)
    no_coup = state.shoe is not None and not state.shoe.joined and state.shoe.coups_begun == 0
    if batch == opening.last_batch != opening.may_repeat and (opening.dead or not no_coup):
        what = f"the last shoe was dealt from {batch}"
        point = RulePoint.DEAD_TABLE_SHUFFLER if opening.dead else RulePoint.BATCH_ALTERNATES
        code = IrregularityCode.BATCH_REPEATED
        return _refuse_with_defect(book, state, event, code, what, f"load {other}", point)
    rack_observed = book.observes(ObservableFact.DISCARD_COUNT) or book.tracks_batches
    if rack_observed and opening.rack_batch == other:
        what = f"the discard rack still holds {other}"
        remedy = f"put {other} into the shuffler or clear the rack"
        code = IrregularityCode.DISCARD_RACK_MIXED
        return _refuse_with_defect(
            book, state, event, code, what, remedy, RulePoint.DISCARD_ONE_BATCH
        )
    why, points = refusal_to_swap(book, opening, batch)
    if why:
        remedy = f"spread {batch}, shuffle it and record both"
        code = IrregularityCode.SHUFFLER_UNSECURE
        return _refuse_with_defect(book, state, event, code, why, remedy, *points)
    found = batch_obstacles(book, state, batch)
    if found:
        what = "; ".join(one.detail for one in found)
        remedy = "; ".join(dict.fromkeys(one.remedy for one in found))
        return _refuse_with_defect(
            book, state, event, obstacle_code(found[0]), what, remedy, *obstacle_points(found)
        )
    return None


def _refuse_with_defect(
    book: RuleBook,
    state: TableState,
    event: ActReported,
    code: IrregularityCode,
    what: str,
    remedy: str,
    *points: RulePoint,
) -> Step:
    """Refuse to load, and note the defect: dealing all the same is an irregularity."""
    defect = OpeningDefect(
        ActKind.LOADED, code, event.batch if uses_two_batches(book) else "", what
    )
    step = refuse_act(book, state, event, f"{what}: {remedy}", *points)
    return with_opening(step, state.opening.with_defect(defect))


# --- the shuffler ---------------------------------------------------------------------------------


def put_into_shuffler(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a batch was put into the shuffler to be shuffled and stored."""
    opening, batch = state.opening, event.batch
    why = _refusal_into_shuffler(book, state, batch)
    if why:
        return refuse_act(book, state, event, why, RulePoint.BATCH_IDLE_IN_SHUFFLER)
    stacked = next(duty for duty in DUTIES if ActKind.STACKED in duty.acts)
    needs = book.observes(stacked.fact) and is_required(book, stacked)
    if needs and not is_done(stacked, opening, batch, state.today):
        why = f"{batch} is not stacked apart yet: record that, then put it into the shuffler"
        return refuse_act(book, state, event, why, *stacked.points)
    if opening.rack_batch == batch:
        opening = with_empty_rack(state)
    opening = opening.without(ActKind.SHUFFLED, batch=batch)
    if not book.tracks_batches:
        opening = replace(opening, in_shuffler=batch, shuffler_opened=False)
    points = (RulePoint.DEAD_TABLE_SHUFFLER,) if opening.dead else ()
    return record_act(book, with_opening(begin_act(state), opening), event, batch, *points)


def _refusal_into_shuffler(book: RuleBook, state: TableState, batch: str) -> str:
    opening = state.opening
    if not uses_two_batches(book):
        return "this table has no shuffler that stores a batch"
    if batch not in book.backs:
        return f"name the batch: {' or '.join(book.backs)}"
    if opening.in_shuffler not in ("", batch) and not book.tracks_batches:
        return f"the shuffler holds {opening.in_shuffler}: take that batch out first"
    if shoe_in_play(state) and batch == opening.last_batch:
        return f"{batch} is in play: end or close the shoe first"
    return ""


def release_batch(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a member of staff released the batch in the shuffler."""
    opening = state.opening
    batch = opening.in_shuffler
    if book.tracks_batches:
        named = event.batch if event.batch in book.backs else ""
        batch = named or batch_due_next(lineage_of(book, state)) or batch
    if not batch:
        why = "no batch is known to be in the shuffler: record into-shuffler first"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLER_RELEASE)
    if not event.reference:
        why = "give in the reference the number of the member of staff who released it"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLER_RELEASE)
    step = complete_act(begin_act(state), event, batch)
    if book.tracks_batches:
        return record_act(book, step, event, batch)
    step = with_opening(step, replace(step.state.opening, in_shuffler=""))
    step = record_act(book, step, event, batch)
    if shoe_in_play(state):
        detail = f"{batch} was taken out while {other_batch(book, batch)} is in play"
        return raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
    return step


def record_shuffler_opened(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the shuffler was opened: its batch is no longer known to be secure."""
    if not uses_two_batches(book):
        why = "this table has no shuffler that stores a batch"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLER_SECURE)
    opening = replace(state.opening, shuffler_opened=True)
    return record_act(book, with_opening(begin_act(state), opening), event, opening.in_shuffler)


def suspend_alternation(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Let a batch be dealt twice in a row: the shuffler keeps the other one (D-20)."""
    why = _refusal_to_suspend(book, state, event)
    if why:
        return refuse_act(book, state, event, why, RulePoint.BATCH_ALTERNATES)
    opening = replace(state.opening, may_repeat=event.batch)
    detail = f"{event.batch} may be used again for one shoe"
    return record_act(book, with_opening(begin_act(state), opening), event, detail)


def _refusal_to_suspend(book: RuleBook, state: TableState, event: ActReported) -> str:
    if not uses_two_batches(book):
        return "this table has one batch: there is no alternation to suspend"
    if event.batch not in book.backs:
        return f"name the batch that may be used again: {' or '.join(book.backs)}"
    if event.role not in SUPERVISORS or not event.reason.strip():
        return "alternation is suspended by a floorperson, with the reason"
    return "a shoe is in play: end or close it first" if shoe_in_play(state) else ""


# --- backs ----------------------------------------------------------------------------------------


def record_foreign_back(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record a card with a foreign back, in the shoe or in a batch between shoes."""
    own = state.opening.last_batch if shoe_in_play(state) else ""
    seen = event.batch or "another colour or design"
    if own and own == event.batch:
        why = f"{own} is the batch in play: its cards are not foreign"
        return refuse_act(book, state, event, why, RulePoint.BATCH_ONE_BACK)
    detail = f"a back of {seen} among {own or 'the cards of the shoe'}"
    step = record_act(book, begin_act(state), event, detail)
    if not shoe_in_play(state):
        return step
    return raise_irregularity(book, step, IrregularityCode.WRONG_BATCH, detail)
