"""Judges what happens in play by the grid: asks its cell, and carries out what the cell answers.

Beside the grid is judged what is true of any card: it is counted, it may be one more than all
decks hold, it may leave the shoe under a warning of the shuffler, and a burn that is owed begins
after it. An unread card, the second cut card and an empty shoe are judged where a card is placed.
Source: controller/procedure/README.md, "The procedure"; D-13, D-16, D-22.

Decisions. A card beyond the last of all decks goes nowhere.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from controller.procedure.cells import Breach, Cell, Condition, Handling, Nothing
from controller.procedure.classify import Counts, Happening, classify
from controller.procedure.dealing import (
    burn,
    coup_end,
    coup_start,
    cut_card,
    due_cards,
    error_cards,
    lost_reports,
    remedy_burn,
    shoe,
)
from controller.procedure.dealing.coup_start import begins_another_coup
from controller.procedure.dealing.remedy_burn import begin_due_burn
from controller.procedure.dealing.shoe_count import claims_by_shoe_count, is_first_by_shoe_count
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.places import BURN_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import check_card_under_warning
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.rules.coup import Place, next_place
from firmware_bridge.message import message

Answer: TypeAlias = Callable[..., Step]


def _no_effect(book: RuleBook, step: Step, event: Happening, cell: Cell) -> Step:
    assert isinstance(cell, Nothing), "what has an effect has a function"
    return accept(step, cell.reason)


# Each takes the rule book, the step, the happening and the cell that answered.
_ANSWERS: Final = MappingProxyType[Handling, Answer](
    {
        Handling.NOTHING: _no_effect,
        Handling.OPEN_SHOE: shoe.begin_shoe_with_card,
        Handling.NOTE_NEXT_SHOE: shoe.note_next_shoe,
        Handling.JOIN_SHOE: coup_start.join_shoe_at_card,
        Handling.JOIN_SHOE_IN_BURN: coup_start.join_shoe_at_burn_card,
        Handling.RACK: shoe.put_after_last,
        Handling.FIRST_BURN_CARD: burn.judge_first_burn_card,
        Handling.BURN_CARD: burn.judge_counted_burn_card,
        Handling.UNCOUNTED_BURN_CARD: burn.judge_uncounted_burn_card,
        Handling.REMEDY_BURN_CARD: remedy_burn.judge_remedy_burn_card,
        Handling.UNCOUNTED_REMEDY_CARD: remedy_burn.judge_uncounted_remedy_card,
        Handling.OWED_BURN_CARD: remedy_burn.judge_early_burn_card,
        Handling.ANNOUNCED_BURN_CARD: burn.accept_announced_burn_card,
        Handling.FIRST_CARD: coup_start.deal_first_card,
        Handling.JOIN_COUP: coup_start.join_coup,
        Handling.DUE_CARD: due_cards.deal_due_card,
        Handling.PARTIAL_CARD: coup_start.deal_partial_card,
        Handling.HOLD: error_cards.hold_card,
        Handling.HOLD_AFTER: error_cards.hold_card_drawn_after,
        Handling.HOLD_FIRST_AFTER: error_cards.hold_first_drawn_after,
        Handling.END_BURN: burn.end_uncounted_burn,
        Handling.END_REMEDY_BURN: remedy_burn.end_uncounted_remedy_burn,
        Handling.OPEN_HELD_COUP: coup_start.open_held_coup,
        Handling.CLOSE_COUP: coup_end.close_at_next,
        Handling.CLOSE_BEFORE_NEXT_SHOE: coup_end.close_at_next,
        Handling.LEAVE_COUP: coup_end.leave_coup,
        Handling.LEAVE_PARTIAL: coup_start.leave_partial_coup,
        Handling.RESUME_COUP: coup_end.resume_coup_at_card,
        Handling.JOIN_SHOE_AT_CUT: cut_card.join_shoe_at_cut,
        Handling.MISPLACED_CUT: cut_card.raise_misplaced_cut,
        Handling.CUT_BEFORE_COUP: cut_card.first_cut_before_coup,
        Handling.CUT_IN_COUP: cut_card.first_cut_in_coup,
        Handling.CUT_ASIDE: cut_card.put_cut_card_aside,
        Handling.EXTRA_CUT: cut_card.raise_extra_cut_card,
        Handling.EXHAUST: cut_card.exhaust_shoe,
        Handling.EXHAUST_IN_BURN: cut_card.exhaust_in_burn,
        Handling.EXHAUST_BETWEEN: cut_card.exhaust_between_coups,
        Handling.CLOSE_BETTING: coup_start.close_betting,
        Handling.SAY_FIRST_BURN: coup_start.say_first_burn,
        Handling.SAY_BURN: coup_start.say_burn,
        Handling.SAY_OVER: coup_start.say_over,
        Handling.COMPARE_RESULT: coup_end.compare_result,
        Handling.PARTIAL_RESULT: coup_end.end_partial_coup,
        Handling.KEEP_RESULT: coup_end.keep_result_of_held,
        Handling.RESULT_ALONE: coup_end.raise_result_without_coup,
        Handling.FORCE_OUT: coup_end.coup_forced_out,
        Handling.RESTART_COUNT: coup_end.restart_shoe_count,
        Handling.STAND_BY_PARTIAL: coup_end.end_partial_at_stand_by,
        Handling.STAND_BY_COMPLETE: coup_end.end_coup_at_stand_by,
        Handling.BEGIN_NEXT_SHOE: shoe.begin_next_shoe,
        Handling.RESTART_IDLE: shoe.restart_idle,
        Handling.RESTART: shoe.restart_in_play,
        Handling.REPLACE_PROGRAM: lost_reports.program_replaced,
        Handling.LOSE_BURN: lost_reports.reports_missing,
        Handling.LOSE_BOXED_BURN: lost_reports.reports_missing,
        Handling.LOSE_REMEDY_BURN: lost_reports.reports_missing,
        Handling.LOSE_COUP_BURN: lost_reports.reports_missing,
        Handling.LOSE_HELD_CARDS: lost_reports.reports_missing,
        Handling.LOSE_COUP: lost_reports.reports_missing,
        Handling.LOSE_NOTHING: lost_reports.reports_missing,
    }
)
# The card is of no shoe in play, or counted where its shoe is joined.
_NOT_COUNTED: Final = frozenset(
    {
        Handling.OPEN_SHOE,
        Handling.NOTE_NEXT_SHOE,
        Handling.CLOSE_BEFORE_NEXT_SHOE,
        Handling.JOIN_SHOE,
        Handling.JOIN_SHOE_IN_BURN,
    }
)


# --- a card --------------------------------------------------------------------------------------


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card; it counts as drawn, whatever is wrong with it."""
    event = coup_start.read_partial_claim(step, event)
    step = _judge_card(book, step, event, classify(event), counted=False)
    return check_card_under_warning(book, begin_due_burn(book, step))


def judge_card_again(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge a card of the shoe in play that is already counted as drawn."""
    return _judge_card(book, step, event, classify(event), counted=True)


def _judge_card(
    book: RuleBook, step: Step, event: CardDrawn, trigger: Trigger, *, counted: bool
) -> Step:
    cell = _ask(book, step, event, trigger)
    if event.claimed is Place.UNCLAIMED and cell.reads is not None:
        event = replace(event, claimed=cell.reads)
    if not counted and cell.then not in _NOT_COUNTED:
        counted, over = True, cell.then is Handling.RACK
        step = shoe.count_card(book, step, event, over=over)
        if step.shoe.overdrawn() and not over:
            return _raise_beyond_decks(book, step, cell)
    before = step
    step = _ANSWERS[cell.then](book, step, event, cell)
    if not cell.again or step.phase is before.phase:
        return step
    step = _judge_card(book, step, event, cell.asks or trigger, counted=counted)
    if isinstance(cell, Breach):
        # The coup that began too early: raised once the card has its place in it.
        detail = message("coup_number", number=before.shoe.coups_begun + 1)
        step = raise_irregularity(book, step, cell.code, detail)
    return step


def _raise_beyond_decks(book: RuleBook, step: Step, cell: Cell) -> Step:
    if cell.then is Handling.CLOSE_COUP:
        step = coup_end.close_complete_coup(book, step)
    detail = message(
        "card_of_total", cards_drawn=step.shoe.cards_drawn, cards_total=step.shoe.cards_total
    )
    return raise_irregularity(book, step, IrregularityCode.CARDS_EXCEED_DECKS, detail)


# --- anything else -------------------------------------------------------------------------------


def judge_happening(book: RuleBook, step: Step, event: Happening) -> Step:
    """Judge what is no card with a face."""
    trigger = classify(event, _counts(book, step))
    cell = _ask(book, step, event, trigger)
    before = step.phase
    step = _ANSWERS[cell.then](book, step, event, cell)
    if not cell.again or step.phase is before:
        return step
    return judge_happening(book, step, event)


def _counts(book: RuleBook, step: Step) -> Counts:
    in_play = step.state.shoe
    seen = in_play.cut.seen if in_play is not None else 0
    return Counts(seen, book.values.cut_cards_per_shoe)


# --- the cell that answers -----------------------------------------------------------------------


def _ask(book: RuleBook, step: Step, event: Happening, trigger: Trigger) -> Cell:
    cell = book.cell(step.phase, trigger)
    while cell.unless:
        instead = next((to for one, to in cell.unless if _HOLDS[one](book, step, event)), None)
        if instead is None:
            return cell
        cell = book.cell(step.phase, instead)
    return cell


def _count_explains(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    in_play = step.shoe
    if in_play.coup is None:
        return is_first_by_shoe_count(in_play, event)
    place = next_place(in_play.coup.faces())
    counted = in_play.coup.shoe_cards
    return place is not None and event.claimed in claims_by_shoe_count(counted, place)


def _nothing_missing(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return step.shoe.reports_proven


def _no_coup_begun(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return step.shoe.coups_begun == 0


def _burn_owed(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    """Whether a burn is owed after the coup; one of an unknown amount needs the shoe's claim."""
    remedy = step.shoe.remedy
    return remedy.owes_burn if event.claimed in BURN_PLACES else remedy.burn_later > 0


def _next_shoe(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return shoe.begins_next_shoe(book, step.state, event)


def _none_drawn(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return not (step.shoe.cards_drawn or step.shoe.joined)


def _card_waits(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return error_cards.holds_next_cards(step)


def _drawn_after(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return bool(step.shoe.remedy.drawn_after) and error_cards.holds_next_cards(step)


def _hand_held(book: RuleBook, step: Step, event: Happening) -> bool:
    return error_cards.holds_whole_hand(step)


def _carried(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return bool(step.shoe.remedy.carried)


def _another_coup(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return begins_another_coup(step.coup, event.claimed)


def _unseen_coup(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    return step.coup.missing > 0 and begins_another_coup(step.coup, event.claimed)


def _count_off(book: RuleBook, step: Step, event: Happening) -> bool:
    in_play = step.shoe
    if in_play.coup is None:
        return bool(in_play.shoe_count)
    return in_play.coup.shoe_cards is not None


def _cut_card_out(book: RuleBook, step: Step, event: Happening) -> bool:
    cut = step.shoe.cut
    return cut.seen > 0 and not cut.in_burn


def _held_in_dealing(book: RuleBook, step: Step, event: Happening) -> bool:
    return bool(step.shoe.remedy.drawn_after)


_HOLDS: Final = MappingProxyType[Condition, Callable[..., bool]](
    {
        Condition.SHOE_COUNT: _count_explains,
        Condition.NOTHING_MISSING: _nothing_missing,
        Condition.NO_COUP_BEGUN: _no_coup_begun,
        Condition.BURN_OWED: _burn_owed,
        Condition.NEXT_SHOE: _next_shoe,
        Condition.NONE_DRAWN: _none_drawn,
        Condition.CARD_WAITS: _card_waits,
        Condition.DRAWN_AFTER: _drawn_after,
        Condition.HAND_HELD: _hand_held,
        Condition.CARRIED: _carried,
        Condition.ANOTHER_COUP: _another_coup,
        Condition.UNSEEN_COUP: _unseen_coup,
        Condition.COUNT_OFF: _count_off,
        Condition.CUT_CARD_OUT: _cut_card_out,
        Condition.HELD_IN_DEALING: _held_in_dealing,
    }
)
