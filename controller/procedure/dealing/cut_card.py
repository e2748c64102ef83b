"""Cut cards: what each one means in the phase in which it leaves the shoe.

Source: S42 (e)(6), (h)(5), (k)(4); D-3, D-4, D-5, D-5a, D-6, D-14.

Decisions. During a partial coup it is unknown whether the coup needs more cards: it counts as the
coup in progress, the reading with fewer coups left. A cut card with no shoe open shows that a shoe
is in play: the table joins it. One in the burn before play is misplaced: raised at once and open to
a decision, it suspends when the burn is complete. Two in one burn are both misplaced and do not end
the shoe; in a burn for an irregularity they are cut cards of play, and the second one ends it
(D-14).
"""

from msgspec.structs import replace

from controller.procedure.calls.prompts import prompt_last_hand
from controller.procedure.dealing.remedy_burn import stop_burn
from controller.procedure.dealing.shoe import join_shoe
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import (
    BURNS_BEFORE_PLAY,
    COUP_ENDS,
    DUE_WORDS,
    HANDS_COMPLETE,
    REMEDY_BURNS,
    Phase,
    Trigger,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.profiles.rule_points import RulePoint
from controller.rules.cut import coups_left_after_cut, is_deep_enough
from controller.state_table import NoEdge


def cut_card_drawn(book: RuleBook, step: Step) -> Step:
    """A cut card is put aside and does not change the order of drawing."""
    if step.state.shoe is None:
        step = _first_cut_card(book, join_shoe(book, step))
        detail = "the first report of it is a cut card"
        return raise_irregularity(book, step, IrregularityCode.SHOE_JOINED, detail)
    shoe = step.shoe
    seen = shoe.cut.seen + 1
    if seen > book.values.cut_cards_per_shoe:
        step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=seen)))
        return raise_irregularity(
            book, step, IrregularityCode.CUT_CARD_EXTRA, f"it is cut card number {seen}"
        )
    if step.phase in BURNS_BEFORE_PLAY:
        step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=seen, in_burn=True)))
        detail = "complete the burn; then the first coup waits for a decision"
        code = IrregularityCode.CUT_CARD_IN_BURN
        return raise_irregularity(book, step, code, detail, suspends_now=False)
    if isinstance(book.next(step.phase, Trigger.CUT_CARD), NoEdge):
        step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=seen)))
        return accept(step, "cut card after the last hand: put aside")
    return _first_cut_card(book, step) if seen == 1 else _second_cut_card(book, step)


def _first_cut_card(book: RuleBook, step: Step) -> Step:
    shoe, values = step.shoe, book.values
    # From the moment a coup needs no more cards until the next one's first card (D-4).
    at_start = shoe.coup is None or step.phase in HANDS_COMPLETE
    left = coups_left_after_cut(
        at_start, values.cut_card_at_round_start, values.rounds_after_cut_round
    )
    # In mid-coup `left` includes the coup in progress, at a coup's start it does not.
    last = shoe.coups_begun + left - (0 if at_start else 1)
    step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=1, last_coup=last)))
    points = (RulePoint.CUT_CARD_ASIDE, RulePoint.CUT_COUP_FINISHED, RulePoint.LAST_HAND)
    step = accept(step, f"cut card put aside; coup {last} is the last", book.clauses(*points))
    if shoe.coup is None and last == shoe.coups_begun + 1:
        step = prompt_last_hand(book, step)
    behind = shoe.cards_left()
    if (
        not shoe.joined
        and not shoe.endless
        and not is_deep_enough(behind, values.cut_card_min_from_back)
    ):
        least = values.cut_card_min_from_back
        detail = f"{behind} cards behind it, at least {least} are required"
        step = raise_irregularity(book, step, IrregularityCode.CUT_CARD_PLACEMENT, detail)
    return step


def _second_cut_card(book: RuleBook, step: Step) -> Step:
    """The shoe is exhausted: a card that is required now cannot be drawn (D-6)."""
    shoe, phase = step.shoe, step.state.due_phase
    # A first one that came out in the burn is no longer put back: the shoe is exhausted.
    cut = replace(shoe.cut, seen=shoe.cut.seen + 1, in_burn=False, exhausted=True)
    step = step.with_shoe(replace(shoe, cut=cut))
    clauses = book.clauses(RulePoint.SECOND_CUT_CARD)
    step = accept(step, "second cut card: the shoe is exhausted", clauses)
    if phase in REMEDY_BURNS:
        return stop_burn(book, step)
    if phase is Phase.BETWEEN_COUPS:
        return step.advance(book, Trigger.SHOE_CLOSED)
    known = not (shoe.joined or shoe.endless or shoe.cards_left())
    if phase in COUP_ENDS or known:
        # No card is due, or the shortage was raised at the last card.
        return step
    detail = f"{DUE_WORDS[phase]} was due"
    return raise_irregularity(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
