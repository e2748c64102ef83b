"""The two batches: which one is loaded, where the idle one waits, and cards of a foreign back.

Responsible for: loading, the shuffler, alternation, and backs that do not belong.
Not responsible for: the discard rack (discarding), the conditions of a dead table (dead_table) and
cards one by one.
Source: NY (a)(4)(iv), (d); S42 (a)(4), (e)(1), (e)(6), (f)(1); D-17, D-19, D-20, D-21, D-35.

Decisions. Loading comes last: it is refused while an act that this table is told of is missing,
with what is missing. A batch that is loaded has left the shuffler. Where no coup was dealt from a
shoe its batch may come back (D-5).
"""

from controller.custody.batch_life.permissions import due_in_play
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import emptied
from controller.procedure.acts.duties import DUTIES, Group, asked, done, in_words, missing
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin,
    cards_in_shoe,
    counted_wrong,
    in_play,
    kept,
    other_batch,
    recorded,
    refused,
    two_batches,
    with_opening,
)
from controller.procedure.events import ActRecorded
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.cut import cutter_in_words
from controller.procedure.opening.dead_table import swap_refused
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.shuffler.batch_life import lineage_of
from controller.procedure.shuffler.readiness import code_of, points_of, unready
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, Fault
from controller.procedure.step_result import Step, irregular
from controller.procedure.wagering.wagers import reshuffle_refused
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace


def loaded(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A batch goes into the dealing shoe."""
    batch = event.batch if two_batches(book) else ""
    hindered = _not_now(book, state, event) or _not_this_batch(book, state, event, batch)
    if hindered is not None:
        return hindered
    due = cards_in_shoe(book)
    if event.amount != due:
        counts = (RulePoint.SHOE_LOADED, RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL)
        what = counted_wrong(event.amount, due)
        remedy = "count every deck and name what is missing or extra"
        return _fault(book, state, event, IrregularityCode.BATCH_SHORT, what, remedy, *counts)
    opening = replace(state.opening, loaded=batch)
    before = tuple(
        duty
        for duty in missing(book, opening, batch, state.today)
        if book.observes(duty.fact) and duty.group is not Group.LOADING
    )
    if before:
        lacking = "; ".join(in_words(book, duty) for duty in before)
        points = tuple(point for duty in before for point in duty.points)
        why = f"not recorded yet: {lacking}. Record it, then the loading"
        return refused(book, state, event, why, RulePoint.SHOE_LOADED, *dict.fromkeys(points))
    if batch and opening.in_shuffler == batch:
        opening = replace(opening, in_shuffler="")
    step = kept(with_opening(begin(state), opening), event, batch, event.amount)
    cut_by = opening.cutter
    said = (
        batch or "all decks",
        f"{event.amount} cards",
        f"cut by {cutter_in_words(cut_by)}" if cut_by != NOBODY else "",
    )
    points = (RulePoint.SHOE_LOADED, *((RulePoint.BATCH_ALTERNATES,) if batch else ()))
    return recorded(book, step, event, ", ".join(word for word in said if word), *points)


def _not_now(book: RuleBook, state: TableState, event: ActRecorded) -> Step | None:
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler is not loaded shoe by shoe"
        return refused(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if in_play(state):
        why = "a shoe is in play: end or close it first"
        return refused(book, state, event, why, RulePoint.SHOE_LOADED)
    owed = reshuffle_refused(book, state)
    return begin(state).with_effect(owed) if owed is not None else None


def _not_this_batch(
    book: RuleBook, state: TableState, event: ActRecorded, batch: str
) -> Step | None:
    """Why it cannot be this batch's turn."""
    opening = state.opening
    if not batch:
        return None
    other = other_batch(book, batch)
    no_coup = state.shoe is not None and not state.shoe.joined and state.shoe.coups_begun == 0
    if batch == opening.last_batch != opening.may_repeat and (opening.dead or not no_coup):
        what = f"the last shoe was dealt from {batch}"
        point = RulePoint.DEAD_TABLE_SHUFFLER if opening.dead else RulePoint.BATCH_ALTERNATES
        code = IrregularityCode.BATCH_REPEATED
        return _fault(book, state, event, code, what, f"load {other}", point)
    told_of_rack = book.observes(Fact.DISCARD_COUNT) or book.tells_batches
    if told_of_rack and opening.rack_batch == other:
        what = f"the discard rack still holds {other}"
        remedy = f"put {other} into the shuffler or clear the rack"
        code = IrregularityCode.DISCARD_RACK_MIXED
        return _fault(book, state, event, code, what, remedy, RulePoint.DISCARD_ONE_BATCH)
    why, points = swap_refused(book, opening, batch)
    if why:
        remedy = f"spread {batch}, shuffle it and record both"
        code = IrregularityCode.SHUFFLER_UNSECURE
        return _fault(book, state, event, code, why, remedy, *points)
    found = unready(book, state, batch)
    if found:
        what = "; ".join(one.detail for one in found)
        remedy = "; ".join(dict.fromkeys(one.remedy for one in found))
        return _fault(book, state, event, code_of(found[0]), what, remedy, *points_of(found))
    return None


def _fault(
    book: RuleBook,
    state: TableState,
    event: ActRecorded,
    code: IrregularityCode,
    what: str,
    remedy: str,
    *points: RulePoint,
) -> Step:
    """Refuse to load, and remember it: dealing all the same is an irregularity."""
    fault = Fault(ActKind.LOADED, code, event.batch if two_batches(book) else "", what)
    step = refused(book, state, event, f"{what}: {remedy}", *points)
    return with_opening(step, state.opening.with_fault(fault))


# --- the shuffler ---------------------------------------------------------------------------------


def into_shuffler(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A batch goes into the shuffler to be shuffled and stored there."""
    opening, batch = state.opening, event.batch
    why = _not_into_shuffler(book, state, batch)
    if why:
        return refused(book, state, event, why, RulePoint.BATCH_IDLE_IN_SHUFFLER)
    stacked = next(duty for duty in DUTIES if ActKind.STACKED in duty.acts)
    needs = book.observes(stacked.fact) and asked(book, stacked)
    if needs and not done(stacked, opening, batch, state.today):
        why = f"{batch} is not stacked apart yet: record that, then put it into the shuffler"
        return refused(book, state, event, why, *stacked.points)
    if opening.rack_batch == batch:
        opening = emptied(state)
    opening = opening.without(ActKind.SHUFFLED, batch=batch)
    if not book.tells_batches:
        opening = replace(opening, in_shuffler=batch, shuffler_opened=False)
    points = (RulePoint.DEAD_TABLE_SHUFFLER,) if opening.dead else ()
    return recorded(book, with_opening(begin(state), opening), event, batch, *points)


def _not_into_shuffler(book: RuleBook, state: TableState, batch: str) -> str:
    opening = state.opening
    if not two_batches(book):
        return "this table has no shuffler that stores a batch"
    if batch not in book.backs:
        return f"say which batch: {' or '.join(book.backs)}"
    if opening.in_shuffler not in ("", batch) and not book.tells_batches:
        return f"it holds {opening.in_shuffler}: take that one out first"
    if in_play(state) and batch == opening.last_batch:
        return f"{batch} is in play: end or close the shoe first"
    return ""


def released(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The batch in the shuffler was secured, released and prepared by a member of staff."""
    opening = state.opening
    batch = opening.in_shuffler
    if book.tells_batches:
        named = event.batch if event.batch in book.backs else ""
        batch = named or due_in_play(lineage_of(book, state)) or batch
    if not batch:
        why = "no batch is known to be in the shuffler: record into-shuffler first"
        return refused(book, state, event, why, RulePoint.SHUFFLER_RELEASE)
    if not event.reference:
        why = "say in the reference who released it: the number of the member of staff"
        return refused(book, state, event, why, RulePoint.SHUFFLER_RELEASE)
    step = kept(begin(state), event, batch)
    if book.tells_batches:
        return recorded(book, step, event, batch)
    step = with_opening(step, replace(step.state.opening, in_shuffler=""))
    step = recorded(book, step, event, batch)
    if in_play(state):
        detail = f"{batch} was taken out while {other_batch(book, batch)} is in play"
        return irregular(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)
    return step


def shuffler_opened(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The shuffler was opened: what it stores is no longer known to be secure."""
    if not two_batches(book):
        why = "this table has no shuffler that stores a batch"
        return refused(book, state, event, why, RulePoint.SHUFFLER_SECURE)
    opening = replace(state.opening, shuffler_opened=True)
    return recorded(book, with_opening(begin(state), opening), event, opening.in_shuffler)


def alternation_suspended(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A supervisor lets a batch come again for one shoe: the shuffler keeps the other (D-20)."""
    why = _no_suspension(book, state, event)
    if why:
        return refused(book, state, event, why, RulePoint.BATCH_ALTERNATES)
    opening = replace(state.opening, may_repeat=event.batch)
    detail = f"{event.batch} may come again for one shoe"
    return recorded(book, with_opening(begin(state), opening), event, detail)


def _no_suspension(book: RuleBook, state: TableState, event: ActRecorded) -> str:
    if not two_batches(book):
        return "this table has one batch: there is no alternation to suspend"
    if event.batch not in book.backs:
        return f"say which batch may come again: {' or '.join(book.backs)}"
    if event.role not in SUPERVISORS or not event.reason.strip():
        return "alternation is suspended by a floorperson, with the reason"
    return "a shoe is in play: end or close it first" if in_play(state) else ""


# --- backs ----------------------------------------------------------------------------------------


def foreign_back(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A card with another back was seen in the shoe, or in a batch between shoes."""
    own = state.opening.last_batch if in_play(state) else ""
    seen = event.batch or "another colour or design"
    if own and own == event.batch:
        why = f"{own} is the batch in play: its cards are no foreign ones"
        return refused(book, state, event, why, RulePoint.BATCH_ONE_BACK)
    detail = f"a back of {seen} among {own or 'the cards of the shoe'}"
    step = recorded(book, begin(state), event, detail)
    if not in_play(state):
        return step
    return irregular(book, step, IrregularityCode.WRONG_BATCH, detail)
