"""Judges the burn before play: its first card, the cards owed after it, and cards beyond them.

Source: S42 (e)(6), (k)(2); NY (e); D-1, D-2, D-5, D-16, D-38.

Decisions. Until the burn is complete every card is a burn card by the order of drawing, whatever
the shoe claims. Where the count is unknown (first card unread, reports missing, joined during the
burn) the burn is followed without a count and ends with the first coup. A burn card that no burn
owes was drawn in error, wherever play stands: it becomes no card of a hand by itself (D-38).
"""

from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.procedure.dealing.remedy_burn import begin_due_burn, burn_counted_by_shoe
from controller.procedure.dealing.shoe_count import count_in_no_hand
from controller.procedure.effects import BurnDone, PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.places import PLACE_NAMES
from controller.procedure.rulebook import RuleBook
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import (
    Step,
    accept,
    prompt,
    raise_irregularity,
    suspend_for,
)
from controller.rules.burn import burn_owed
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import BurnDisclosure, BurnMode
from foundation.message import message

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
