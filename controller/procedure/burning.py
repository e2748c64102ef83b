"""Judging the burn: its first card, the cards owed after it, and cards burned beyond them.

Responsible for: every card from the opening of a shoe to the end of its burn, and burn cards
between coups.
Not responsible for: how many a card gives (controller.rules.burn), cut cards (cutting).
Source: S42 (e)(6), (k)(1)-(2); NY (e); D-1, D-2, D-5, D-16.

Decisions. Until the burn is complete every card is a burn card by the order of drawing, whatever
the shoe believes. Where the count is not known (its first card unread, reports missing, joined in
the burn) the burn is followed without a count and ends with the first coup. After a card drawn in
error as many cards as its amount may be burned before the next coup: (k) asks for it where the card
was seen, and nobody here senses whether it was.
"""

from dataclasses import replace

from controller.procedure.catalogue import IrregularityCode
from controller.procedure.effects import BurnDone
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Trigger
from controller.procedure.places import WORDS
from controller.procedure.rulebook import RuleBook
from controller.procedure.steps import Step, accept, irregular
from controller.rules.burn import burn_owed
from controller.rules.cards import Card, burn_value
from controller.rules.coup import Place
from controller.rules.rule_points import RulePoint

BURN_VALUE_MAX = 10


def burn_first(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The first card sets how many more are burned, even where the shoe believes it is play."""
    if event.card is None:
        step = step.with_shoe(replace(step.shoe, burn_cards=(None,), burn_proven=False))
        step = step.moved(book, Trigger.BURN_UNPROVEN)
        detail = "the first burn card; its amount says how many more are burned"
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    step, owed = _amount_set(book, step, event.card)
    if event.claimed is Place.PLAYER_1:
        detail = f"by the order of drawing it is the first burn card; {owed} more are owed"
        return irregular(book, step, IrregularityCode.BURN_SKIPPED, detail)
    return _claim_checked(book, step, event, Place.BURN_FIRST)


def burn_rest(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A counted burn card. A coup cannot begin here: that edge does not exist."""
    shoe = step.shoe
    owed = shoe.burn_owed - 1
    step = step.with_shoe(replace(shoe, burn_cards=(*shoe.burn_cards, event.card), burn_owed=owed))
    step = accept(step, f"burn card, {owed} more to burn", book.clauses(RulePoint.BURN_COUNT))
    if event.claimed is Place.PLAYER_1:
        detail = f"by the order of drawing it is a burn card; {owed} more are owed"
        step = irregular(book, step, IrregularityCode.BURN_SHORT, detail)
    elif event.claimed is not Place.BURN_EXTRA:
        step = _claim_checked(book, step, event, Place.BURN)
    return step.moved(book, Trigger.CARD) if owed else burn_over(book, step)


def uncounted_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card of a burn whose count is not known."""
    shoe = step.shoe
    if event.claimed is Place.BURN_FIRST and event.card is not None and not shoe.burn_cards:
        # Nothing of the burn was missed after all.
        step = step.with_shoe(replace(shoe, burn_proven=True))
        return _amount_set(book, step, event.card)[0]
    step = step.with_shoe(replace(shoe, burn_cards=(*shoe.burn_cards, event.card)))
    clauses = book.clauses(RulePoint.BURN_COUNT)
    return accept(step, "burn card; how many are owed is not known", clauses)


def burn_over(book: RuleBook, step: Step) -> Step:
    """The burn ends: by its count, or without one because play begins."""
    shoe = step.shoe
    first = shoe.burn_cards[0] if shoe.burn_cards else None
    step = step.moved(book, Trigger.BURN_DONE)
    step = step.with_effect(BurnDone(first, len(shoe.burn_cards), shoe.burn_proven))
    if shoe.cut.in_burn:
        detail = "the burn is over; the first coup waits for a decision"
        step = irregular(book, step, IrregularityCode.CUT_CARD_IN_BURN, detail)
    return step


def burned_between_coups(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card after the burn: for a card drawn in error, or one too many."""
    shoe = step.shoe
    step = step.with_shoe(replace(shoe, burn_cards=(*shoe.burn_cards, event.card)))
    if shoe.burn_for_error:
        owed = shoe.burn_for_error - 1
        step = step.with_shoe(replace(step.shoe, burn_for_error=owed))
        what = f"burned for a card drawn in error, up to {owed} more"
        return accept(step, what, book.clauses(RulePoint.DRAWN_IN_ERROR))
    detail = f"{len(step.shoe.burn_cards)} cards burned in all"
    return irregular(book, step, IrregularityCode.BURN_OVER, detail)


def burn_allowed_for(step: Step, card: Card | None) -> Step:
    """A card was drawn in error: its amount may be burned, the most where it was not read."""
    amount = burn_value(card) if card is not None else BURN_VALUE_MAX
    shoe = step.shoe
    return step.with_shoe(replace(shoe, burn_for_error=shoe.burn_for_error + amount))


def _amount_set(book: RuleBook, step: Step, card: Card) -> tuple[Step, int]:
    owed = burn_owed(card, book.values.burn_mode)
    step = step.with_shoe(replace(step.shoe, burn_cards=(card,), burn_owed=owed))
    step = step.moved(book, Trigger.BURN_OWED)
    points = (RulePoint.BURN_FIRST, RulePoint.BURN_VALUE, RulePoint.BURN_COUNT)
    return accept(step, f"first burn card, {owed} more to burn", book.clauses(*points)), owed


def _claim_checked(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    if event.claimed is place:
        return step
    detail = f"it is {WORDS[place]}, the shoe says {WORDS[event.claimed]}"
    return irregular(book, step, IrregularityCode.CLAIM_DIFFERS, detail)
