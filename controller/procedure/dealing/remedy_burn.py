"""Burns that an irregularity requires: owed, carried out card by card, and done.

Source: S42 (k)(1)-(4); D-7, D-12, D-13, D-14.

Decisions. For a card found face up the burn comes at once, and the deal continues where it stopped;
for a card drawn in error it comes before the next coup's first card, and after the last hand before
the shoe is over. Until it is complete every card is a burn card by the order of drawing, whatever
the shoe claims. An amount that could not be read is burned without a count, until play begins.
"""

from msgspec.structs import replace

from controller.procedure.dealing.shoe_count import count_in_no_hand
from controller.procedure.dealing.shortage import check_cards_left
from controller.procedure.effects import PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import (
    BEFORE_A_COUP,
    BURN_PHASES,
    REMEDY_BURNS,
    Phase,
    Trigger,
    resume_trigger,
)
from controller.procedure.places import BURN_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Place

# --- what is owed --------------------------------------------------------------------------------


def owe_burn_later(book: RuleBook, step: Step, amount: int | None, point: RulePoint) -> Step:
    """Owe a seen card's amount, None if it was not read, before the next coup's first card."""
    remedy = step.shoe.remedy
    step = step.with_remedy(
        replace(
            remedy,
            burn_later=remedy.burn_later + (amount or 0),
            unread_later=remedy.unread_later or amount is None,
            burn_points=_add_point(remedy.burn_points, point),
        )
    )
    before = "the reshuffle" if step.phase is Phase.SHOE_OVER else "the next hand"
    text = (
        f"put the card into the discard rack and burn {describe_cards(amount or 0)} more, face up,"
        f" before {before}"
    )
    return prompt(book, step, PromptKind.REMEDY, text, point)


def owe_burn_now(book: RuleBook, step: Step, amount: int, back: Phase) -> Step:
    """Owe a burn now; the deal resumes in `back`. It is added to a burn in progress.

    If the card was the first of the burn before play, that burn begins again after this one.
    """
    shoe, point = step.shoe, RulePoint.FOUND_FACE_UP_BURN
    begins = step.phase not in BURN_PHASES or back is Phase.BURN_FIRST
    owed = amount if begins else shoe.burn_owed + amount
    text = f"put the card into the discard rack and burn {describe_cards(owed)} more, face up"
    step = prompt(book, step, PromptKind.REMEDY, text, RulePoint.FOUND_FACE_UP, point)
    burn_points = _add_point(shoe.remedy.burn_points, point)
    if begins:
        return _begin_burn(book, step, owed, back, burn_points)
    if not shoe.burn_owed:
        return step
    remedy = replace(shoe.remedy, burn_points=burn_points)
    return step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))


def begin_due_burn(book: RuleBook, step: Step) -> Step:
    """Begin the burn that is owed before the next coup, if nothing else comes first."""
    shoe = step.state.shoe
    if shoe is None or step.phase not in BEFORE_A_COUP:
        return step
    remedy = shoe.remedy
    if not remedy.owes_burn:
        return step
    owed = 0 if remedy.unread_later else remedy.burn_later
    step = step.with_remedy(replace(remedy, burn_later=0, unread_later=False))
    return _begin_burn(book, step, owed, step.phase, remedy.burn_points)


def _begin_burn(
    book: RuleBook, step: Step, owed: int, back: Phase, burn_points: tuple[RulePoint, ...]
) -> Step:
    shoe = step.shoe
    remedy = replace(shoe.remedy, burn_return_phase=back, burn_taken=0, burn_points=burn_points)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))
    if back is Phase.BURN_FIRST:
        step = step.advance(book, Trigger.BOXED_BURN_OWED)
    else:
        uncounted = () if owed else (Trigger.BURN_UNPROVEN,)
        step = step.advance(book, Trigger.BURN_OWED, *uncounted)
    step = prompt(
        book, step, PromptKind.REMEDY, f"burn {describe_cards(owed)}, face up", *burn_points
    )
    return _check_shoe_empty(book, step)


def _add_point(points: tuple[RulePoint, ...], point: RulePoint) -> tuple[RulePoint, ...]:
    return points if point in points else (*points, point)


def describe_cards(count: int) -> str:
    """The number of cards to burn, 0 where it is that of an unread card, in words."""
    if not count:
        return "as many cards as the amount of the unread card"
    return f"{count} cards" if count > 1 else "1 card"


# --- its cards -----------------------------------------------------------------------------------


def judge_remedy_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A counted card of such a burn, whatever the shoe claims."""
    step = _count_by_shoe(_add_burn_card(step, event), event)
    shoe, remedy = step.shoe, step.shoe.remedy
    owed = shoe.burn_owed - 1
    remedy = replace(remedy, burn_taken=remedy.burn_taken + 1)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))
    step = accept(step, f"burned, {owed} more to burn", book.clauses(*remedy.burn_points))
    if event.claimed is Place.PLAYER_1 and step.phase is Phase.REMEDY_BURN:
        detail = f"by the order of drawing it is a burn card; {owed} more owed"
        code = IrregularityCode.BURN_SHORT
        step = raise_irregularity(book, step, code, detail, instead=remedy.burn_points)
    if owed:
        return _check_shoe_empty(book, step)
    return check_cards_left(book, leave_burn(book, step))


def judge_uncounted_remedy_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of such a burn whose count is not known."""
    remedy = step.shoe.remedy
    step = step.with_remedy(replace(remedy, burn_taken=remedy.burn_taken + 1))
    step = _count_by_shoe(_add_burn_card(step, event), event)
    what = "burned; the number owed is not known"
    return accept(step, what, book.clauses(*remedy.burn_points))


def judge_early_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of a burn owed before the next coup, drawn before the present one is over."""
    remedy = step.shoe.remedy
    left = max(0, remedy.burn_later - 1)
    unread = remedy.unread_later
    clauses = book.clauses(*remedy.burn_points)
    done = not left and not unread
    burn_points = () if done else remedy.burn_points
    step = _add_burn_card(
        step.with_remedy(replace(remedy, burn_later=left, burn_points=burn_points)), event
    )
    more = "the number left is not known" if unread else f"{left} more to burn"
    return accept(step, f"burned, {more}", clauses)


def is_early_burn_card(step: Step, claimed: Place, *, hands_complete: bool) -> bool:
    """Whether this card of a coup belongs to a burn that is owed after the coup.

    With complete hands any card but the next coup's first one does, whatever the shoe claims.
    """
    remedy = step.shoe.remedy
    if claimed in BURN_PLACES:
        return remedy.owes_burn
    return hands_complete and claimed is not Place.PLAYER_1 and remedy.burn_later > 0


def _count_by_shoe(step: Step, event: CardDrawn) -> Step:
    return step.with_shoe(count_in_no_hand(step.shoe, event.card, event.claimed))


def _add_burn_card(step: Step, event: CardDrawn) -> Step:
    shoe = step.shoe
    burned = (*shoe.burn_cards, event.card)
    return step.with_shoe(replace(shoe, burn_cards=burned, drawn_last=LastDrawn.BURN))


# --- its end -------------------------------------------------------------------------------------


def leave_burn(book: RuleBook, step: Step) -> Step:
    """End the burn: play resumes where it stopped; after the last hand the shoe is over."""
    shoe = step.shoe
    back = shoe.remedy.burn_return_phase
    assert back is not None, "a burn for an irregularity is in progress"
    remedy = replace(shoe.remedy, burn_return_phase=None, burn_taken=0)
    if not remedy.owes_burn:
        remedy = replace(remedy, burn_points=())
    step = step.with_shoe(replace(shoe, burn_owed=0, remedy=remedy))
    if back is Phase.BURN_FIRST:
        step = step.with_shoe(without_burn_cards(step.shoe))
    if shoe.coup is None and shoe.coups_begun > 0 and shoe.is_last(shoe.coups_begun):
        return step.advance(book, Trigger.SHOE_CLOSED)
    if back is Phase.BETWEEN_COUPS:
        return step.advance(book, Trigger.BURN_DONE)
    return step.advance(book, resume_trigger(back))


def without_burn_cards(shoe: ShoeState) -> ShoeState:
    """Without the cards burned so far: the burn before play begins only now."""
    return replace(shoe, burn_cards=(), aside=(*shoe.aside, *shoe.burn_cards))


def postpone_burn(book: RuleBook, step: Step) -> Step:
    """The coup ends during the burn: what is left of the burn comes after the coup."""
    shoe = step.shoe
    if step.phase not in REMEDY_BURNS:
        return step
    later = replace(shoe.remedy, burn_later=shoe.remedy.burn_later + shoe.burn_owed)
    return leave_burn(book, step.with_remedy(later))


def lose_burn_count(book: RuleBook, step: Step) -> Step:
    """Reports are missing in such a burn: between coups it continues without a count.

    In mid-coup the position of the deal is unknown, too: the burn is left to the floorperson.
    """
    shoe = step.shoe
    text = f"compare the discard rack with the burn; still owed: {describe_cards(shoe.burn_owed)}"
    step = prompt(book, step, PromptKind.REMEDY, text, *shoe.remedy.burn_points)
    if shoe.coup is not None:
        return leave_burn(book, step)
    return step.with_shoe(replace(shoe, burn_owed=0)).advance(book, Trigger.BURN_UNPROVEN)


def _check_shoe_empty(book: RuleBook, step: Step) -> Step:
    """Handle a shoe without cards for the burn (D-14): a coup in progress cannot be completed."""
    shoe = step.shoe
    if not shoe.is_empty():
        return step
    if shoe.coup is not None:
        detail = "the shoe ran out in the burn"
        return raise_irregularity(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
    clauses = book.clauses(RulePoint.INSUFFICIENT_CARDS)
    step = accept(step, "the shoe ran out in the burn: it closes, no coup is affected", clauses)
    remedy = replace(shoe.remedy, burn_return_phase=None, burn_taken=0, burn_points=())
    step = step.with_shoe(replace(shoe, burn_owed=0, remedy=remedy))
    return step.advance(book, Trigger.SHOE_CLOSED)


def stop_burn(book: RuleBook, step: Step) -> Step:
    """The second cut card came out in such a burn: no further card may be burned."""
    return _check_shoe_empty(book, step)
