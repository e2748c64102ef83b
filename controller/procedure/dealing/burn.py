"""The burn before play, and burns that an irregularity requires: each card of them, and their end.

Source: S42 (e)(6), (k)(1)-(4); NY (e); D-1, D-2, D-5, D-7, D-12 to D-14, D-16, D-38.

Decisions. Until a burn is complete every card is a burn card by the order of drawing, whatever the
shoe claims. Where the count is unknown (first card unread, reports missing, joined during the burn)
the burn is followed without a count and ends with the first coup. A burn card that no burn owes was
drawn in error, wherever play stands: it becomes no card of a hand by itself (D-38). For a card
found face up the burn comes at once, and the deal continues where it stopped; for a card drawn in
error it comes before the next coup's first card, and after the last hand before the shoe is over.
An amount that could not be read is burned without a count, until play begins.
"""

from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.custody.moves import BurnRestarted
from controller.procedure.dealing.shoe_count import count_in_no_hand
from controller.procedure.effects import BurnDone, PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import PLACE_NAMES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import LastDrawn, ShoeState
from controller.procedure.step_result import (
    Step,
    accept,
    ask,
    prompt,
    raise_irregularity,
    suspend_for,
    takes,
)
from controller.rules.cards import Card, burn_owed
from controller.rules.coup import Place
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import BurnDisclosure, BurnMode
from foundation.message import Message, message

_FIRST_CARD_POINTS = (
    RulePoint.BURN_FIRST,
    RulePoint.BURN_VALUE,
    RulePoint.BURN_COUNT,
    RulePoint.BURN_DOCUMENTED,
)


def begin_burn_or_play(book: RuleBook, step: Step) -> Step:
    """The shoe is loaded: begin the burn, or the first coup where nothing is burned."""
    if book.values.burn_mode is BurnMode.NONE or book.continuous:
        return step.advance(book, Trigger.BURN_DONE)
    return step.advance(book, Trigger.FIRST_CARD_READY)


def judge_first_burn_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None = None
) -> Step:
    """The first card sets how many more are burned, even where the shoe claims a coup."""
    if event.card is None:
        step = burn_counted_by_shoe(step, event)
        step = step.with_shoe(replace(step.shoe, burn_proven=False))
        step = step.advance(book, Trigger.BURN_UNPROVEN)
        detail = message("first_burn_card_amount_says_how_many")
        return raise_irregularity(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    step, owed = _set_burn_count(book, step, event.card)
    step = step.with_shoe(count_in_no_hand(step.shoe, event.card, event.claimed))
    step = _raise_breach(book, step, event, code, Place.BURN_FIRST)
    return step if owed else end_burn(book, step)


def judge_counted_burn_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None = None
) -> Step:
    """A counted burn card. A coup cannot begin here: there is no such edge."""
    owed = step.shoe.burn_owed - 1
    step = burn_counted_by_shoe(step, event)
    step = step.with_shoe(replace(step.shoe, burn_owed=owed))
    points = (RulePoint.BURN_COUNT,) if owed else (RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY)
    step = accept(step, message("burn_card_more_to_burn", owed=owed), book.clauses(*points))
    step = _raise_breach(book, step, event, code, Place.BURN)
    return step if owed else end_burn(book, step)


def judge_uncounted_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card of a burn whose count is not known."""
    shoe = step.shoe
    if event.claimed is Place.BURN_FIRST and event.card is not None and not shoe.burn_cards:
        # Nothing of the burn was missed after all.
        step = step.with_shoe(replace(shoe, burn_proven=True))
        step, owed = _set_burn_count(book, step, event.card)
        return step if owed else end_burn(book, step)
    step = burn_counted_by_shoe(step, event)
    clauses = book.clauses(RulePoint.BURN_COUNT)
    return accept(step, message("burn_card_number_owed_not_known"), clauses)


def end_burn(book: RuleBook, step: Step) -> Step:
    """The burn ends: by its count, or without one because play begins."""
    shoe = step.shoe
    first = shoe.burn_cards[0] if shoe.burn_cards else None
    step = step.with_remedy(replace(shoe.remedy, burn_points=())).advance(book, Trigger.BURN_DONE)
    step = step.with_effect(BurnDone(first, len(shoe.burn_cards), shoe.burn_proven))
    step = step.with_shoe(replace(step.shoe, reports_proven=shoe.burn_proven))
    if shoe.cut.in_burn:
        # Raised when the cut card came out, and not decided since.
        step = suspend_for(step, IrregularityCode.CUT_CARD_IN_BURN)
    return step


def end_uncounted_burn(book: RuleBook, step: Step, event: object) -> Step:
    """Play begins: so the burn is over."""
    return begin_due_burn(book, end_burn(book, step))


def accept_announced_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card that a shoe announces by itself: continuous shuffling owes and forbids none."""
    step = burn_counted_by_shoe(step, event)
    what = message("burn_card_by_shoe_own_announcement")
    return accept(step, what, book.clauses(RulePoint.CONTINUOUS_SHUFFLER))


def _set_burn_count(book: RuleBook, step: Step, card: Card) -> tuple[Step, int]:
    """Set how many more cards are burned after this first one; also return that number."""
    values = book.values
    owed = burn_owed(card, values.burn_mode, values.burn_fixed_count)
    shoe = replace(step.shoe, burn_cards=(card,), burn_owed=owed, drawn_last=LastDrawn.BURN)
    step = step.place_drawn(CardPlace.BURN).with_shoe(shoe).advance(book, Trigger.BURN_OWED)
    what = message("first_burn_card_more_to_burn", owed=owed)
    step = accept(step, what, book.clauses(*_FIRST_CARD_POINTS))
    all_shown = values.burn_cards_disclosed is BurnDisclosure.ALL
    text = (
        message("show_every_burn_card_then_put")
        if all_shown
        else message("show_first_burn_card_then_put")
    )
    return prompt(book, step, PromptKind.TURN, text, RulePoint.BURN_SHOWN), owed


def _raise_breach(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None, place: Place
) -> Step:
    """Raise the claim for a burn card, whose place by the order of drawing is `place`."""
    if code is None:
        return step
    detail = message(
        "place_claimed_otherwise", place=PLACE_NAMES[place], claimed=PLACE_NAMES[event.claimed]
    )
    if code is not IrregularityCode.CLAIM_DIFFERS:
        owed = step.shoe.burn_owed
        detail = message("place_by_order_burn_owed", place=PLACE_NAMES[place], owed=owed)
    return raise_irregularity(book, step, code, detail)


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
    cards = describe_cards(amount or 0)
    text = (
        message("rack_card_and_burn_more_before_reshuffle", cards=cards)
        if step.state.shoe_over
        else message("rack_card_and_burn_more_before_next_hand", cards=cards)
    )
    return prompt(book, step, PromptKind.REMEDY, text, point)


def owe_burn_now(book: RuleBook, step: Step, amount: int, back: Phase) -> Step:
    """Owe a burn now; the deal resumes in `back`. It is added to a burn in progress.

    If the card was the first of the burn before play, that burn begins again after this one.
    """
    shoe, point = step.shoe, RulePoint.FOUND_FACE_UP_BURN
    begins = not step.state.burning or back is Phase.BURN_FIRST
    owed = amount if begins else shoe.burn_owed + amount
    text = message("put_card_into_discard_rack_and_burn", cards=describe_cards(owed))
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
    if shoe is None or not shoe.remedy.owes_burn:
        return step
    if not takes(step.phase, Trigger.COUP_BEGINS):
        return step
    remedy = shoe.remedy
    owed = 0 if remedy.unread_later else remedy.burn_later
    step = step.with_remedy(replace(remedy, burn_later=0, unread_later=False))
    return _begin_burn(book, step, owed, step.phase, remedy.burn_points)


def _begin_burn(
    book: RuleBook, step: Step, owed: int, back: Phase, burn_points: tuple[RulePoint, ...]
) -> Step:
    shoe = step.shoe
    remedy = replace(shoe.remedy, burn_return_phase=back, burn_taken=0, burn_points=burn_points)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))
    if takes(step.phase, Trigger.BOXED_BURN_OWED):
        step = step.advance(book, Trigger.BOXED_BURN_OWED)
    else:
        uncounted = () if owed else (Trigger.BURN_UNPROVEN,)
        step = step.advance(book, Trigger.BURN_OWED, *uncounted)
    step = prompt(
        book,
        step,
        PromptKind.REMEDY,
        message("burn_cards_face_up", cards=describe_cards(owed)),
        *burn_points,
    )
    return _check_shoe_empty(book, step)


def _add_point(points: tuple[RulePoint, ...], point: RulePoint) -> tuple[RulePoint, ...]:
    return points if point in points else (*points, point)


def describe_cards(count: int) -> Message:
    """The number of cards to burn, 0 where it is that of an unread card."""
    if not count:
        return message("as_many_cards_as_unread_amount")
    return message("number_of_cards", count=count)


# --- its cards -----------------------------------------------------------------------------------


def judge_remedy_burn_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None = None
) -> Step:
    """A counted card of such a burn, whatever the shoe claims."""
    step = burn_counted_by_shoe(step, event)
    shoe, remedy = step.shoe, step.shoe.remedy
    owed = shoe.burn_owed - 1
    remedy = replace(remedy, burn_taken=remedy.burn_taken + 1)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))
    step = accept(
        step, message("burned_more_to_burn", owed=owed), book.clauses(*remedy.burn_points)
    )
    if code is not None:
        detail = message("place_by_order_burn_owed", place=PLACE_NAMES[Place.BURN], owed=owed)
        step = raise_irregularity(book, step, code, detail, instead=remedy.burn_points)
    if owed:
        return _check_shoe_empty(book, step)
    return check_cards_left(book, leave_burn(book, step))


def judge_uncounted_remedy_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of such a burn whose count is not known."""
    remedy = step.shoe.remedy
    step = step.with_remedy(replace(remedy, burn_taken=remedy.burn_taken + 1))
    step = burn_counted_by_shoe(step, event)
    what = message("burned_number_owed_not_known")
    return accept(step, what, book.clauses(*remedy.burn_points))


def judge_early_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of a burn owed before the next coup, drawn before the present one is over."""
    remedy = step.shoe.remedy
    left = max(0, remedy.burn_later - 1)
    unread = remedy.unread_later
    clauses = book.clauses(*remedy.burn_points)
    done = not left and not unread
    burn_points = () if done else remedy.burn_points
    step = _put_on_burn(
        step.with_remedy(replace(remedy, burn_later=left, burn_points=burn_points)), event
    )
    what = (
        message("burned_number_left_not_known")
        if unread
        else message("burned_more_to_burn", owed=left)
    )
    return accept(step, what, clauses)


def burn_counted_by_shoe(step: Step, event: CardDrawn) -> Step:
    """Burn the card drawn last; the shoe counted it to a hand, where it claims that."""
    step = step.with_shoe(count_in_no_hand(step.shoe, event.card, event.claimed))
    return _put_on_burn(step, event)


def _put_on_burn(step: Step, event: CardDrawn) -> Step:
    shoe = step.shoe
    step = step.place_drawn(CardPlace.BURN)
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
    if shoe.coup is None and shoe.coups_begun > 0 and shoe.is_last(shoe.coups_begun):
        return step.advance(book, Trigger.SHOE_CLOSED)
    return step.resume(book, back)


def end_uncounted_remedy_burn(book: RuleBook, step: Step, event: object) -> Step:
    """Play begins: so the burn is over."""
    return begin_due_burn(book, leave_burn(book, step))


def rack_burn_cards(step: Step) -> Step:
    """Put the cards burned so far into the discard rack: the burn before play begins only now."""
    shoe = step.shoe
    shoe = replace(shoe, burn_cards=(), aside=(*shoe.aside, *shoe.burn_cards))
    return step.with_shoe(shoe).with_move(BurnRestarted())


def restart_burn(book: RuleBook, step: Step, event: object) -> Step:
    """The burn for a boxed first card is over: the burn before play begins again."""
    return rack_burn_cards(step)


def postpone_burn(book: RuleBook, step: Step) -> Step:
    """The coup ends during the burn: what is left of the burn comes after the coup."""
    shoe = step.shoe
    if shoe.remedy.burn_return_phase is None:
        return step
    later = replace(shoe.remedy, burn_later=shoe.remedy.burn_later + shoe.burn_owed)
    return leave_burn(book, step.with_remedy(later))


def burn_put_off(shoe: ShoeState) -> ShoeState:
    """The shoe with its burn owed later, where the coup before it is judged again."""
    remedy = shoe.remedy
    if remedy.burn_return_phase is None:
        return shoe
    later = replace(
        remedy,
        burn_return_phase=None,
        burn_taken=0,
        burn_later=remedy.burn_later + shoe.burn_owed,
        unread_later=remedy.unread_later or not shoe.burn_owed,
    )
    return replace(shoe, burn_owed=0, remedy=later)


def burn_put_back(shoe: ShoeState, before: ShoeState) -> ShoeState:
    """The shoe with the burn that was in progress, where that coup has ended again."""
    if before.remedy.burn_return_phase is None:
        return shoe
    waiting, carried = shoe.remedy.waiting, shoe.remedy.carried
    remedy = replace(before.remedy, waiting=waiting, carried=carried)
    return replace(shoe, burn_owed=before.burn_owed, remedy=remedy)


def lose_remedy_burn(book: RuleBook, step: Step, missing: int) -> Step:
    """Reports are missing in such a burn between coups: it continues without a count."""
    step = _prompt_to_compare(book, step)
    return step.with_shoe(replace(step.shoe, burn_owed=0))


def lose_coup_burn(book: RuleBook, step: Step, missing: int) -> Step:
    """In mid-coup the position of the deal is unknown, too: the floorperson has the burn."""
    return leave_burn(book, _prompt_to_compare(book, step))


def _prompt_to_compare(book: RuleBook, step: Step) -> Step:
    shoe = step.shoe
    text = message(
        "compare_discard_rack_with_burn_still_owed", cards=describe_cards(shoe.burn_owed)
    )
    return prompt(book, step, PromptKind.REMEDY, text, *shoe.remedy.burn_points)


def check_cards_left(book: RuleBook, step: Step) -> Step:
    """Ask the table whether a card is due from an empty shoe."""
    shoe = step.shoe
    if shoe.joined or shoe.endless or shoe.cards_left() > 0:
        return step
    return ask(book, step, Trigger.NO_CARD_LEFT, shoe.cards_total)


def raise_no_card_left(
    book: RuleBook, step: Step, cards_total: int, code: IrregularityCode
) -> Step:
    """A coup needs a card from an empty shoe: it cannot be completed (S42 (k)(4))."""
    detail = message("all_cards_total_cards_drawn", cards_total=cards_total)
    return raise_irregularity(book, step, code, detail)


def _check_shoe_empty(book: RuleBook, step: Step) -> Step:
    """Handle a shoe without cards for the burn (D-14): a coup in progress cannot be completed."""
    shoe = step.shoe
    if not shoe.is_empty():
        return step
    if shoe.coup is not None:
        detail = message("shoe_ran_out_in_burn")
        return raise_irregularity(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
    clauses = book.clauses(RulePoint.INSUFFICIENT_CARDS)
    step = accept(step, message("shoe_ran_out_in_burn_closes"), clauses)
    remedy = replace(shoe.remedy, burn_return_phase=None, burn_taken=0, burn_points=())
    step = step.with_shoe(replace(shoe, burn_owed=0, remedy=remedy))
    return step.advance(book, Trigger.SHOE_CLOSED)


def stop_burn(book: RuleBook, step: Step, event: object) -> Step:
    """The shoe is exhausted or stated empty in such a burn: no further card can be burned."""
    return _check_shoe_empty(book, step)
