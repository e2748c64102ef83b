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
from controller.procedure.dealing.burn import stop_burn
from controller.procedure.dealing.shoe import join_shoe
from controller.procedure.events import CutCardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import due_words
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.rules.cut import coups_left_after_cut, is_deep_enough
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


def join_shoe_at_cut(
    book: RuleBook, step: Step, event: CutCardDrawn, code: IrregularityCode
) -> Step:
    """With no shoe open a cut card shows that one is in play."""
    step = first_cut_before_coup(book, join_shoe(book, step), event)
    detail = message("first_report_cut_card")
    return raise_irregularity(book, step, code, detail)


def raise_extra_cut_card(
    book: RuleBook, step: Step, event: CutCardDrawn, code: IrregularityCode
) -> Step:
    """More cut cards came out than the shoe may have."""
    step = _count_cut_card(step)
    detail = message("cut_card_number_seen", seen=step.shoe.cut.seen)
    return raise_irregularity(book, step, code, detail)


def raise_misplaced_cut(
    book: RuleBook, step: Step, event: CutCardDrawn, code: IrregularityCode
) -> Step:
    """A cut card in the burn before play is misplaced."""
    step = _count_cut_card(step)
    step = step.with_shoe(replace(step.shoe, cut=replace(step.shoe.cut, in_burn=True)))
    detail = message("complete_burn_then_first_coup_waits")
    return raise_irregularity(book, step, code, detail, suspends_now=False)


def put_cut_card_aside(book: RuleBook, step: Step, event: CutCardDrawn, why: Message) -> Step:
    """A cut card that changes nothing any more."""
    return accept(_count_cut_card(step), why)


def _count_cut_card(step: Step) -> Step:
    cut = step.shoe.cut
    return step.with_shoe(replace(step.shoe, cut=replace(cut, seen=cut.seen + 1)))


def first_cut_before_coup(book: RuleBook, step: Step, event: CutCardDrawn) -> Step:
    """The first cut card, while no coup needs a card: the coup that follows is still complete."""
    return _first_cut_card(book, step, at_start=True)


def first_cut_in_coup(book: RuleBook, step: Step, event: CutCardDrawn) -> Step:
    """The first cut card in a coup, which is completed."""
    return _first_cut_card(book, step, at_start=False)


def _first_cut_card(book: RuleBook, step: Step, *, at_start: bool) -> Step:
    shoe, values = step.shoe, book.values
    left = coups_left_after_cut(
        at_start, values.cut_card_at_round_start, values.rounds_after_cut_round
    )
    # In mid-coup `left` includes the coup in progress, at a coup's start it does not.
    last = shoe.coups_begun + left - (0 if at_start else 1)
    step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=1, last_coup=last)))
    points = (RulePoint.CUT_CARD_ASIDE, RulePoint.CUT_COUP_FINISHED, RulePoint.LAST_HAND)
    step = accept(step, message("cut_card_put_aside_coup_last", last=last), book.clauses(*points))
    if shoe.coup is None and last == shoe.coups_begun + 1:
        step = prompt_last_hand(book, step)
    behind = shoe.cards_left()
    if (
        not shoe.joined
        and not shoe.endless
        and not is_deep_enough(behind, values.cut_card_min_from_back)
    ):
        least = values.cut_card_min_from_back
        detail = message("cards_behind_at_least_required", behind=behind, least=least)
        step = raise_irregularity(book, step, IrregularityCode.CUT_CARD_PLACEMENT, detail)
    return step


def exhaust_shoe(
    book: RuleBook, step: Step, event: CutCardDrawn, code: IrregularityCode | None = None
) -> Step:
    """The second cut card: the shoe is exhausted, and a card that is required cannot be drawn."""
    shoe = step.shoe
    # A first one that came out in the burn is no longer put back: the shoe is exhausted.
    cut = replace(shoe.cut, seen=shoe.cut.seen + 1, in_burn=False, exhausted=True)
    step = step.with_shoe(replace(shoe, cut=cut))
    clauses = book.clauses(RulePoint.SECOND_CUT_CARD)
    step = accept(step, message("second_cut_card_shoe_exhausted"), clauses)
    known = not (shoe.joined or shoe.endless or shoe.cards_left())
    if known or code is None:
        # The shortage was raised at the last card, or no card is due.
        return step
    return raise_irregularity(
        book, step, code, message("was_due", due=due_words(step.state.due_phase))
    )


def exhaust_in_burn(book: RuleBook, step: Step, event: CutCardDrawn) -> Step:
    """The second cut card in a burn for an irregularity."""
    return stop_burn(book, exhaust_shoe(book, step, event), event)
