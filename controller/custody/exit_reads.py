"""Cards that leave the shoe, where the procedure puts them, and where they go from the table.

Responsible for: foreign cards, the same identity twice, a card that comes out once more, one that
comes out of a shoe that is over; and the moves of play: a card placed, hands cleared, cards drawn
in error taken away.
Not responsible for: which batch is in play (shoes), what other readers see (sights), and to which
hand a card belongs (the procedure).
Source: NY-a-4-iv-b-same, S42-a-4-iii-same, S42-f-1-same; D-17, D-18; field practice (Rivers 2018,
Hollywood 2015).

Decisions. After a finding the latest sight counts: the card is where it was seen last. A card that
was read among others proves nothing; if it was in the shoe its place is then not known, if it
already lay on the table it stays there.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.card_states import (
    BURN_RACKED,
    CLEARED_TO_READ,
    CLEARED_UNREAD,
    DRAWN,
    LEFT_BEFORE,
    ON_TABLE,
    PLACE_OF,
    PLACE_WORDS,
    PLAIN,
    Standing,
    Whereabouts,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import in_a_shoe, judged_batch
from controller.custody.state import (
    CustodyState,
    Located,
    ShoeCustody,
    located,
    standing,
    swept,
)
from controller.rules.cards import Card
from firmware_bridge.values import dataclass, replace

FOREIGN_KEPT_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Passed:
    """A card left the shoe: its face where its identity is proven, and what it proves.

    `back` is the back of its batch, empty where the card is not known.
    """

    state: CustodyState
    card: Card | None = None
    cut_card: bool = False
    back: str = ""
    findings: tuple[Finding, ...] = ()


def card_passed(state: CustodyState, tag: str | None, sure: bool, step: str) -> Passed:
    """A card left the shoe by its exit. `tag` None: unread; not `sure`: one of several."""
    state, shoe = in_a_shoe(state)
    card = None if tag is None else located(state, tag)
    if tag is None or not sure:
        return Passed(_unproven(state, shoe, card))
    if card is None:
        return _foreign(state, shoe, tag, step)
    if card.is_cut_card():
        state = replace(state, shoe=replace(shoe, last=""))
        return Passed(standing(state, card, Standing.CUT_CARD_OUT), cut_card=True)
    state, findings = judged_batch(state, shoe, card, step)
    ledger = state.batches[card.number]
    findings += _seen_before(state, replace(card, ledger=ledger), step)
    state = standing(state, card, Standing.PASSED)
    manifest = ledger.manifest
    return Passed(state, manifest.card(card.index), back=manifest.back, findings=findings)


def stray_passed(state: CustodyState, tag: str | None, sure: bool, step: str) -> Passed:
    """A card left a shoe that is over, and no other has begun: it goes to the discard rack.

    Nothing counts it, and the batch that was in play keeps the turn it had.
    """
    card = None if tag is None else located(state, tag)
    if tag is None or not sure:
        return Passed(state)
    if card is None:
        return Passed(state, findings=(foreign_card(tag, step),))
    if card.is_cut_card():
        return Passed(standing(state, card, Standing.CUT_CARD_OUT), cut_card=True)
    manifest = card.ledger.manifest
    findings = _seen_before(state, card, step)
    state = standing(state, card, Standing.RACK)
    return Passed(state, manifest.card(card.index), back=manifest.back, findings=findings)


def _unproven(state: CustodyState, shoe: ShoeCustody, card: Located | None) -> CustodyState:
    if card is None:
        return replace(state, shoe=replace(shoe, last="", unread=shoe.unread + 1))
    state = replace(state, shoe=replace(shoe, last="", unsure=shoe.unsure + 1))
    kept = card.standing() in DRAWN or card.is_cut_card()
    return state if kept else standing(state, card, Standing.UNSURE)


def _foreign(state: CustodyState, shoe: ShoeCustody, tag: str, step: str) -> Passed:
    state = replace(state, shoe=with_foreign(replace(shoe, last=""), tag))
    return Passed(state, findings=(foreign_card(tag, step),))


def foreign_card(tag: str, step: str) -> Finding:
    """A card of no batch of this table."""
    detail = "its tag is in the manifest of no batch of this table"
    return Finding(FindingCode.FOREIGN_CARD, step, detail, tag=tag)


def with_foreign(shoe: ShoeCustody, tag: str) -> ShoeCustody:
    """The shoe with that foreign tag among those told, the oldest forgotten."""
    others = tuple(known for known in shoe.foreign if known != tag)
    return replace(shoe, foreign=(*others, tag)[-FOREIGN_KEPT_MAX:])


def _seen_before(state: CustodyState, card: Located, step: str) -> tuple[Finding, ...]:
    """Whether this card should not have been in the shoe any more."""
    stood = card.standing()
    where = PLACE_WORDS[PLACE_OF[stood]]
    if stood in ON_TABLE:
        if stood == Standing.PASSED:
            where = "just out of the shoe"
        detail = f"the same card is {where} at this moment"
        return (card.finding(FindingCode.DUPLICATE_CARD, step, detail),)
    endless = state.shoe is not None and state.shoe.endless
    if stood in LEFT_BEFORE and not endless:
        if PLACE_OF[stood] is Whereabouts.UNKNOWN:
            where = "away from the table, not read in the discard rack"
        detail = f"it was {where}, and came out of the shoe once more"
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    if stood == Standing.QUARANTINE:
        detail = "it was set apart, and came out of the shoe once more"
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    return ()


# --- where play puts them ------------------------------------------------------------------------

# A card that left the shoe and goes to no certain place has left it all the same.
_PLACED: Final = MappingProxyType(
    {
        **PLAIN,
        Whereabouts.DISCARD_RACK: Standing.RACK_LAST,
        Whereabouts.UNKNOWN: Standing.LOST,
    }
)


def placed(state: CustodyState, place: Whereabouts) -> CustodyState:
    """The card that passed last belongs there, by the order of drawing or a person's word."""
    shoe = state.shoe
    if shoe is None:
        return state
    if place is Whereabouts.ASIDE and (not shoe.last or shoe.last not in shoe.aside):
        state = replace(state, shoe=replace(shoe, aside=(*shoe.aside, shoe.last)))
    card = located(state, shoe.last) if shoe.last else None
    return state if card is None else standing(state, card, _PLACED[place])


def burn_racked(state: CustodyState) -> CustodyState:
    """The burn begins anew: what was burned so far is none of it, and lies in the discard rack."""
    return swept(state, BURN_RACKED)


def hands_cleared(state: CustodyState, rack_is_read: bool) -> CustodyState:
    """The hands go to the discard rack; where a reader watches it, once they are read there."""
    return swept(state, CLEARED_TO_READ if rack_is_read else CLEARED_UNREAD)


def aside_to(
    state: CustodyState,
    place: Whereabouts,
    count: int | None = None,
    *,
    rack_is_read: bool = False,
) -> CustodyState:
    """The first `count` cards drawn in error, or all of them, go there; the others stay."""
    shoe = state.shoe
    if shoe is None or place is Whereabouts.ASIDE:
        return state
    number = len(shoe.aside) if count is None else max(0, count)
    going, staying = shoe.aside[:number], shoe.aside[number:]
    becomes = _PLACED[place]
    if place is Whereabouts.DISCARD_RACK and rack_is_read:
        becomes = Standing.CLEARED_LAST
    state = replace(state, shoe=replace(shoe, aside=staying))
    for tag in going:
        card = located(state, tag) if tag else None
        if card is not None:
            state = standing(state, card, becomes)
    return state
