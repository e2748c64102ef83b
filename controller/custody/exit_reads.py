"""Tracks cards that leave the shoe, and moves them to hands, burn and discard rack.

Source: NY-a-4-iv-b-same, S42-a-4-iii-same, S42-f-1-same; D-17, D-18; field practice (Rivers 2018,
Hollywood 2015).

After a finding the latest read counts: the card is where it was read last. A card that was read
together with others proves nothing: if it was in the shoe, its place is unknown from then on; if it
was already on the table, it stays there.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.card_states import (
    BURN_RACKED,
    CLEARED_TO_READ,
    CLEARED_UNREAD,
    DRAWN,
    LEFT_BEFORE,
    ON_TABLE,
    PLACE_OF,
    PLACE_WORDS,
    STATE_IN,
    CardPlace,
    CardState,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import ensure_shoe, identify_batch
from controller.custody.state import (
    AsideCard,
    CardRef,
    CustodyState,
    ShoeCustody,
    find_card,
    move_all,
    with_card_state,
)
from controller.rules.cards import Card
from foundation.message import Message, message

FOREIGN_TAGS_MAX: Final = 16


class ExitRead(Struct, frozen=True):
    """The result of a card leaving the shoe: its face where its tag proves it, and findings.

    `back` is the back of its batch, empty where the card is unknown.
    """

    state: CustodyState
    card: Card | None = None
    cut_card: bool = False
    back: str = ""
    findings: tuple[Finding, ...] = ()


def apply_exit_read(state: CustodyState, tag: str | None, sure: bool, step: Message) -> ExitRead:
    """A card left the shoe. `tag` None: not read; `sure` False: one of several tags read."""
    state, shoe = ensure_shoe(state)
    card = None if tag is None else find_card(state, tag)
    if tag is None or not sure:
        return ExitRead(_unproven(state, shoe, card))
    if card is None:
        return _foreign(state, shoe, tag, step)
    if card.is_cut_card():
        state = replace(state, shoe=replace(shoe, last=""))
        return ExitRead(with_card_state(state, card, CardState.CUT_CARD_OUT), cut_card=True)
    state, findings = identify_batch(state, shoe, card, step)
    ledger = state.batches[card.number]
    findings += _repeat_findings(state, replace(card, ledger=ledger), step)
    state = with_card_state(state, card, CardState.PASSED)
    manifest = ledger.manifest
    return ExitRead(state, manifest.card(card.index), back=manifest.back, findings=findings)


def apply_stray_read(state: CustodyState, tag: str | None, sure: bool, step: Message) -> ExitRead:
    """A card left a shoe that has ended, before the next began: it goes to the discard rack.

    It is not counted, and does not change which batch is due next.
    """
    card = None if tag is None else find_card(state, tag)
    if tag is None or not sure:
        return ExitRead(state)
    if card is None:
        return ExitRead(state, findings=(foreign_card_finding(tag, step),))
    if card.is_cut_card():
        return ExitRead(with_card_state(state, card, CardState.CUT_CARD_OUT), cut_card=True)
    manifest = card.ledger.manifest
    findings = _repeat_findings(state, card, step)
    state = with_card_state(state, card, CardState.RACK)
    return ExitRead(state, manifest.card(card.index), back=manifest.back, findings=findings)


def _unproven(state: CustodyState, shoe: ShoeCustody, card: CardRef | None) -> CustodyState:
    if card is None:
        return replace(state, shoe=replace(shoe, last="", unread=shoe.unread + 1))
    state = replace(state, shoe=replace(shoe, last="", unsure=shoe.unsure + 1))
    stays = card.state() in DRAWN or card.is_cut_card()
    return state if stays else with_card_state(state, card, CardState.UNSURE)


def _foreign(state: CustodyState, shoe: ShoeCustody, tag: str, step: Message) -> ExitRead:
    state = replace(state, shoe=with_foreign_tag(replace(shoe, last=""), tag))
    return ExitRead(state, findings=(foreign_card_finding(tag, step),))


def foreign_card_finding(tag: str, step: Message) -> Finding:
    """The finding for a card of no batch of this table."""
    detail = message("tag_in_no_manifest")
    return Finding(FindingCode.FOREIGN_CARD, step, detail, tag=tag)


def with_foreign_tag(shoe: ShoeCustody, tag: str) -> ShoeCustody:
    """The shoe with that tag added to its reported foreign tags; the oldest is dropped."""
    others = tuple(known for known in shoe.foreign if known != tag)
    return replace(shoe, foreign=(*others, tag)[-FOREIGN_TAGS_MAX:])


def _repeat_findings(state: CustodyState, card: CardRef, step: Message) -> tuple[Finding, ...]:
    """Findings for a card that should no longer have been in the shoe."""
    before = card.state()
    where = PLACE_WORDS[PLACE_OF[before]]
    if before in ON_TABLE:
        if before == CardState.PASSED:
            where = message("just_out_of_the_shoe")
        detail = message("same_card_at_this_moment", where=where)
        return (card.finding(FindingCode.DUPLICATE_CARD, step, detail),)
    endless = state.shoe is not None and state.shoe.endless
    if before in LEFT_BEFORE and not endless:
        if PLACE_OF[before] is CardPlace.UNKNOWN:
            where = message("away_not_read_in_rack")
        detail = message("left_the_shoe_again", where=where)
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    if before == CardState.QUARANTINE:
        detail = message("left_the_shoe_again", where=where)
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    return ()


# --- moves of play -------------------------------------------------------------------------------

# A drawn card at an unknown place is LOST, not UNKNOWN: it has left the shoe.
_DRAWN_STATE_IN: Final = MappingProxyType(
    {
        **STATE_IN,
        CardPlace.DISCARD_RACK: CardState.RACK_LAST,
        CardPlace.UNKNOWN: CardState.LOST,
    }
)


def place_last_card(state: CustodyState, place: CardPlace, number: int = 0) -> CustodyState:
    """Move the card drawn last to a place; aside it is held by its number in the shoe."""
    shoe = state.shoe
    if shoe is None:
        return state
    if place is CardPlace.ASIDE:
        held = AsideCard(number, shoe.last)
        known = any(one.tag and one.tag == shoe.last for one in shoe.aside)
        aside = shoe.aside if known else (*shoe.aside, held)
        state = replace(state, shoe=replace(shoe, aside=aside))
    card = find_card(state, shoe.last) if shoe.last else None
    return state if card is None else with_card_state(state, card, _DRAWN_STATE_IN[place])


def restart_burn(state: CustodyState) -> CustodyState:
    """Start the burn over: cards burned so far are in the discard rack."""
    return move_all(state, BURN_RACKED)


def clear_hands(state: CustodyState, rack_is_read: bool) -> CustodyState:
    """Move the hands to the discard rack; with a reader there, once it reads them."""
    return move_all(state, CLEARED_TO_READ if rack_is_read else CLEARED_UNREAD)


def is_aside(state: CustodyState, number: int) -> bool:
    """Whether the card with that number is held aside."""
    shoe = state.shoe
    return shoe is not None and number in [one.number for one in shoe.aside]


def move_aside_card(
    state: CustodyState, number: int, place: CardPlace, rack_is_read: bool
) -> CustodyState:
    """Move a card that is held aside; to ASIDE it stays."""
    shoe = state.shoe
    if shoe is None or place is CardPlace.ASIDE:
        return state
    at = [one.number for one in shoe.aside].index(number)
    held, others = shoe.aside[at], (*shoe.aside[:at], *shoe.aside[at + 1 :])
    state = replace(state, shoe=replace(shoe, aside=others))
    card = find_card(state, held.tag) if held.tag else None
    if card is None:
        return state
    cleared = place is CardPlace.DISCARD_RACK and rack_is_read
    card_state = CardState.CLEARED_LAST if cleared else _DRAWN_STATE_IN[place]
    return with_card_state(state, card, card_state)
