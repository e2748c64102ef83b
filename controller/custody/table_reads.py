"""Findings from readers at the discard rack and the layout, beside the shoe.

Source: NY-a-4-iv-e, S42-a-4-vi, NY-a-4-iv-b-same, S42-f-1-same; field practice of card
conservation.

A card that was not read leaving accounts for one that left unread, before it counts as not drawn.
Reads of the last coup's cards may arrive late and prove nothing. With no shoe in play the layout is
a work place: cards are spread and washed on it, and reads there prove nothing.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.card_states import (
    CLEARING,
    DRAWN,
    IN_RACK,
    PLACE_OF,
    PLACE_WORDS,
    STATE_IN,
    CardPlace,
    CardState,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import foreign_card_finding, with_foreign_tag
from controller.custody.state import (
    CardRef,
    CustodyState,
    ShoeCustody,
    batch_of_name,
    find_card,
    with_card_state,
    with_ledger,
)
from controller.rules.cards import Card
from foundation.message import Message, message


class TableRead(Struct, frozen=True):
    """The result of a card read on the table: its face and the findings.

    `resolved`: it accounts for a card that had left the shoe unread, or among others.
    """

    state: CustodyState
    card: Card | None = None
    resolved: bool = False
    findings: tuple[Finding, ...] = ()


def apply_table_read(state: CustodyState, spot: CardPlace, tag: str, step: Message) -> TableRead:
    """A reader read a tag in the discard rack or at a hand; reads at other places are ignored."""
    if spot not in (CardPlace.DISCARD_RACK, CardPlace.PLAYER, CardPlace.BANKER):
        return TableRead(state)
    in_rack = spot is CardPlace.DISCARD_RACK
    if state.shoe is None and not in_rack:
        return TableRead(state)
    card = find_card(state, tag)
    if card is None:
        return _foreign(state, tag, step)
    if card.is_cut_card():
        return TableRead(with_card_state(state, card, CardState.RACK) if in_rack else state)
    return _in_rack(state, card, step) if in_rack else _at_hand(state, card, spot, step)


def find_absent_from_rack(
    state: CustodyState, step: Message, *, whole: bool = False
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Find cards that left the hands but were not read in the rack; each is reported once.

    `whole`: those of the last coup are due, too, because the rack is emptied now.
    """
    findings = []
    due = [CardState.CLEARED_BEFORE, *([CardState.CLEARED_LAST] if whole else [])]
    for number, ledger in enumerate(state.batches):
        places, absent = ledger.places, ledger
        for cleared in due:
            index = places.find(cleared)
            while index >= 0:
                tag = ledger.manifest.at(index).tag
                detail = message("left_hands_not_read_in_rack")
                card = CardRef(number, ledger, index, tag)
                findings.append(card.finding(FindingCode.CARD_ABSENT, step, detail))
                absent = absent.with_state(index, CardState.LOST)
                index = places.find(cleared, index + 1)
        if absent is not ledger:
            state = with_ledger(state, number, absent)
    return state, tuple(findings)


def _foreign(state: CustodyState, tag: str, step: Message) -> TableRead:
    shoe = state.shoe
    if shoe is None:
        return TableRead(state, findings=(foreign_card_finding(tag, step),))
    if tag in shoe.foreign:
        return TableRead(state)
    accounted = _account_for(shoe, CardState.UNKNOWN)
    reported = replace(state, shoe=with_foreign_tag(accounted or shoe, tag))
    return TableRead(
        reported, resolved=accounted is not None, findings=(foreign_card_finding(tag, step),)
    )


def _account_for(shoe: ShoeCustody, before: int) -> ShoeCustody | None:
    """The shoe with one unproven card less, None where no unproven card left it."""
    if shoe.unsure and (before == CardState.UNSURE or not shoe.unread):
        return replace(shoe, unsure=shoe.unsure - 1)
    if shoe.unread:
        return replace(shoe, unread=shoe.unread - 1)
    return None


# --- the discard rack ----------------------------------------------------------------------------


def _in_rack(state: CustodyState, card: CardRef, step: Message) -> TableRead:
    before, face = card.state(), card.ledger.manifest.card(card.index)
    if before == CardState.RACK:
        return TableRead(state, face)
    state, mixed = _check_mixed(state, card, step)
    shoe, resolved = state.shoe, False
    findings = mixed
    if shoe is not None and before not in DRAWN and _may_be_from(shoe, card):
        accounted = None if before == CardState.QUARANTINE else _account_for(shoe, before)
        resolved = accounted is not None
        if accounted is not None:
            state = replace(state, shoe=accounted)
        elif shoe.in_play and (not shoe.incomplete or before == CardState.QUARANTINE):
            findings = (*mixed, _not_drawn_finding(card, CardPlace.DISCARD_RACK, step))
    return TableRead(with_card_state(state, card, CardState.RACK), face, resolved, findings)


def _may_be_from(shoe: ShoeCustody, card: CardRef) -> bool:
    """Whether a card in the rack may be from this shoe, not left there by the last one."""
    return shoe.in_play in ("", card.ledger.manifest.batch)


def _check_mixed(
    state: CustodyState, card: CardRef, step: Message
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """A finding where this card mixes two batches in the rack; reported once for each shoe."""
    shoe, batch = state.shoe, card.ledger.manifest.batch
    if state.mix_reported:
        return state, ()
    other = None
    if shoe is not None and shoe.in_play != batch:
        other = batch_of_name(state, shoe.in_play)
    if other is None:
        other = next(
            (
                number
                for number, ledger in enumerate(state.batches)
                if number != card.number and any(map(ledger.places.count, IN_RACK))
            ),
            None,
        )
    if other is None:
        return state, ()
    back = state.batches[other].manifest.back
    detail = message("rack_is_for_batch", batch=back)
    finding = card.finding(FindingCode.DISCARD_RACK_MIXED, step, detail)
    return replace(state, mix_reported=True), (finding,)


def _not_drawn_finding(card: CardRef, spot: CardPlace, step: Message) -> Finding:
    before = PLACE_WORDS[PLACE_OF[card.state()]]
    detail = message("lies_there_not_read_leaving", here=PLACE_WORDS[spot], before=before)
    return card.finding(FindingCode.CARD_NOT_DRAWN, step, detail)


# --- the layout ----------------------------------------------------------------------------------


def _at_hand(state: CustodyState, card: CardRef, spot: CardPlace, step: Message) -> TableRead:
    shoe = state.shoe
    assert shoe is not None
    before, face = card.state(), card.ledger.manifest.card(card.index)
    hand = STATE_IN[spot]
    if before == hand or before in CLEARING:
        return TableRead(state, face)
    if before == CardState.PASSED:
        return TableRead(with_card_state(state, card, hand), face)
    if before in DRAWN:
        was = PLACE_WORDS[PLACE_OF[before]]
        detail = message("lies_there_and_was", here=PLACE_WORDS[spot], before=was)
        finding = card.finding(FindingCode.CARD_MISPLACED, step, detail)
        return TableRead(with_card_state(state, card, hand), face, findings=(finding,))
    accounted = None if before == CardState.QUARANTINE else _account_for(shoe, before)
    findings: tuple[Finding, ...] = ()
    if accounted is not None:
        state = replace(state, shoe=accounted)
    if accounted is None and (not shoe.incomplete or before == CardState.QUARANTINE):
        findings = (_not_drawn_finding(card, spot, step),)
    elif not _may_be_from(shoe, card):
        detail = message("left_unread_from_other_batch")
        findings = (card.finding(FindingCode.WRONG_BATCH, step, detail),)
    return TableRead(with_card_state(state, card, hand), face, accounted is not None, findings)
