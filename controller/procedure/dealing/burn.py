"""Judging the burn before play: its first card, the cards owed after it, and cards beyond them.

Responsible for: every card from the opening of a shoe to the end of its burn, and cards burned
between coups that are not owed.
Not responsible for: how many a card gives (controller.rules.burn), burns for an irregularity
(remedy_burn), cut cards (cutting).
Source: S42 (e)(6); NY (e); D-1, D-2, D-5, D-16.

Decisions. Until the burn is complete every card is a burn card by the order of drawing, whatever
the shoe believes. Where the count is not known (its first card unread, reports missing, joined in
the burn) the burn is followed without a count and ends with the first coup.
"""

from controller.procedure.effects import BurnDone, Call
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.places import WORDS
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.burn import burn_owed
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.setting_values import BurnDisclosure, BurnMode
from firmware_bridge.values import replace

_FIRST_CARD_POINTS = (
    RulePoint.BURN_FIRST,
    RulePoint.BURN_VALUE,
    RulePoint.BURN_COUNT,
    RulePoint.BURN_DOCUMENTED,
)


def first_card_ready(book: RuleBook, step: Step) -> Step:
    """The shoe is loaded: the burn is due, or where nothing is burned the first coup."""
    if book.values.burn_mode is BurnMode.NONE or book.continuous:
        return step.moved(book, Trigger.BURN_DONE)
    return step.moved(book, Trigger.FIRST_CARD_READY)


def burn_first(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The first card sets how many more are burned, even where the shoe believes it is play."""
    if event.card is None:
        step = step.with_shoe(replace(_burned(step, event), burn_proven=False))
        step = step.moved(book, Trigger.BURN_UNPROVEN)
        detail = "the first burn card; its amount says how many more are burned"
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    step, owed = _amount_set(book, step, event.card)
    if event.claimed is Place.PLAYER_1:
        detail = f"by the order of drawing it is the first burn card; {owed} more are owed"
        step = irregular(book, step, IrregularityCode.BURN_SKIPPED, detail)
    else:
        step = _claim_checked(book, step, event, Place.BURN_FIRST)
    return step if owed else burn_over(book, step)


def burn_rest(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A counted burn card. A coup cannot begin here: that edge does not exist."""
    owed = step.shoe.burn_owed - 1
    step = step.with_shoe(replace(_burned(step, event), burn_owed=owed))
    points = (RulePoint.BURN_COUNT,) if owed else (RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY)
    step = accept(step, f"burn card, {owed} more to burn", book.clauses(*points))
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
        step, owed = _amount_set(book, step, event.card)
        return step if owed else burn_over(book, step)
    step = step.with_shoe(_burned(step, event))
    clauses = book.clauses(RulePoint.BURN_COUNT)
    return accept(step, "burn card; how many are owed is not known", clauses)


def burn_over(book: RuleBook, step: Step) -> Step:
    """The burn ends: by its count, or without one because play begins."""
    shoe = step.shoe
    first = shoe.burn_cards[0] if shoe.burn_cards else None
    step = step.with_remedy(replace(shoe.remedy, burn_for=())).moved(book, Trigger.BURN_DONE)
    step = step.with_effect(BurnDone(first, len(shoe.burn_cards), shoe.burn_proven))
    if shoe.cut.in_burn:
        detail = "the burn is over; the first coup waits for a decision"
        step = irregular(book, step, IrregularityCode.CUT_CARD_IN_BURN, detail)
    return step


def burned_between_coups(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card after the burn that nothing asks for."""
    step = step.with_shoe(_burned(step, event))
    detail = f"{len(step.shoe.burn_cards)} cards burned in all"
    return irregular(book, step, IrregularityCode.BURN_OVER, detail)


def _burned(step: Step, event: CardDrawn) -> ShoeState:
    shoe = step.shoe
    burned = (*shoe.burn_cards, event.card)
    return replace(shoe, burn_cards=burned, drawn_last=LastDrawn.BURN)


def _amount_set(book: RuleBook, step: Step, card: Card) -> tuple[Step, int]:
    """Count from here, and end the burn at once where it is this card alone."""
    values = book.values
    owed = burn_owed(card, values.burn_mode, values.burn_fixed_count)
    shoe = replace(step.shoe, burn_cards=(card,), burn_owed=owed, drawn_last=LastDrawn.BURN)
    step = step.with_shoe(shoe).moved(book, Trigger.BURN_OWED)
    what = f"first burn card, {owed} more to burn"
    step = accept(step, what, book.clauses(*_FIRST_CARD_POINTS))
    all_shown = values.burn_cards_disclosed is BurnDisclosure.ALL
    shown = "show every burn card" if all_shown else "show the first burn card"
    text = f"{shown}, then put it into the discard rack"
    return prompt(book, step, Call.TURN, text, RulePoint.BURN_SHOWN), owed


def _claim_checked(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    if event.claimed is place:
        return step
    detail = f"it is {WORDS[place]}, the shoe says {WORDS[event.claimed]}"
    return irregular(book, step, IrregularityCode.CLAIM_DIFFERS, detail)
