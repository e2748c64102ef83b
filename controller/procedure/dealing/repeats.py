"""Retransmissions: compares a repeated card report with what is known.

Not: repeated frames on the wire (firmware_bridge).
Source: the shoe's wire document: a retransmission never begins a coup and never overwrites a
known card.

Decisions. A face that could not be read the first time is filled in from the repetition; the coup
stays suspended. A repeated card that was never reported proves a lost report. A repetition that
could not be read is ignored.
"""

from msgspec.structs import replace

from controller.procedure.dealing.lost_reports import mark_progress_partial
from controller.procedure.events import CardRepeated
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.places import BURN_PLACES, PLACE_NAMES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, ShoeState
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.rules.cards import Card
from controller.rules.coup import Place


def card_repeated(book: RuleBook, step: Step, event: CardRepeated) -> Step:
    """Judge a retransmission."""
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    what = PLACE_NAMES[event.claimed]
    if coup is None or event.claimed in (Place.OUTSIDE, *BURN_PLACES):
        return accept(step, "a repeated report outside a coup: set aside")
    known = _known_cards(coup, event.claimed)
    waiting = _find_error_card(step.shoe, event.claimed)
    if waiting is not None:
        return _compare_with_error_card(book, step, event, waiting)
    if not known and not coup.partial:
        detail = f"the shoe repeats a card it never reported: {what}"
        step = mark_progress_partial(book, step)
        return raise_irregularity(book, step, IrregularityCode.REPORTS_LOST, detail)
    if not known:
        return accept(step, f"repeated report of a partial coup: {what}, not judged")
    if event.card is None or any(dealt.card == event.card for dealt in known):
        return accept(step, f"repeated report: {what}")
    unread = next((dealt for dealt in known if dealt.card is None), None)
    if unread is not None:
        return accept(step.with_coup(_fill_in(coup, unread, event.card)), f"now read: {what}")
    return raise_irregularity(book, step, IrregularityCode.RETRANSMISSION_CONFLICT, f"for {what}")


def _known_cards(coup: CoupState, claimed: Place) -> tuple[DealtCard, ...]:
    """The cards reported for that place; else the one placed there by the order of drawing."""
    reported = tuple(dealt for dealt in (*coup.cards, *coup.aside) if dealt.claimed is claimed)
    if reported or coup.carried:
        return reported
    return tuple(dealt for dealt in coup.cards if dealt.place is claimed)


def _find_error_card(shoe: ShoeState, claimed: Place) -> int | None:
    """The index of the newest waiting error card that the shoe reported for that place."""
    waiting = shoe.remedy.waiting
    found = [index for index, error in enumerate(waiting) if error.claimed is claimed]
    return found[-1] if found else None


def _compare_with_error_card(book: RuleBook, step: Step, event: CardRepeated, index: int) -> Step:
    what, remedy = PLACE_NAMES[event.claimed], step.shoe.remedy
    error = remedy.waiting[index]
    if event.card is None or event.card == error.card:
        return accept(step, f"repeated report: {what}")
    if error.card is not None:
        return raise_irregularity(
            book, step, IrregularityCode.RETRANSMISSION_CONFLICT, f"for {what}"
        )
    read = replace(error, card=event.card)
    waiting = (*remedy.waiting[:index], read, *remedy.waiting[index + 1 :])
    return accept(step.with_remedy(replace(remedy, waiting=waiting)), f"now read: {what}")


def _fill_in(coup: CoupState, unread: DealtCard, card: Card) -> CoupState:
    def filled(dealt: DealtCard) -> DealtCard:
        return replace(unread, card=card) if dealt is unread else dealt

    cards = tuple(filled(dealt) for dealt in coup.cards)
    return replace(coup, cards=cards, aside=tuple(filled(dealt) for dealt in coup.aside))
