"""What readers beside the shoe see: cards in the discard rack and on the layout.

Responsible for: cards on the table that never left by the exit, at the wrong hand, of both batches
in the rack, foreign ones; and cards that should be in the rack by now and were not read there.
Not responsible for: cards that leave the shoe (passing).
Source: NY-a-4-iv-e, S42-a-4-vi, NY-a-4-iv-b-same, S42-f-1-same; field practice of
card conservation.

Decisions. A card that nobody saw leave accounts for one that passed unread, before it counts as
not drawn. Sights of the last coup's cards may come late and prove nothing. With no shoe in play the
layout is a work place: cards are spread and washed on it, and what lies where proves nothing.
"""

from controller.custody.card_states import (
    CLEARING,
    DRAWN,
    IN_RACK,
    PLACE_OF,
    PLACE_WORDS,
    PLAIN,
    Standing,
    Whereabouts,
)
from controller.custody.exit_reads import foreign_card, with_foreign
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import (
    CustodyState,
    Located,
    ShoeCustody,
    batch_of_name,
    located,
    standing,
    with_ledger,
)
from controller.rules.cards import Card
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Seen:
    """A card was seen: its face, and what the sight proves.

    `resolved`: it is one of the cards that had passed unread, or among others.
    """

    state: CustodyState
    card: Card | None = None
    resolved: bool = False
    findings: tuple[Finding, ...] = ()


def seen(state: CustodyState, spot: Whereabouts, tag: str, step: str) -> Seen:
    """A reader saw a tag in the discard rack or at a hand. Any other place is watched by none."""
    if spot not in (Whereabouts.DISCARD_RACK, Whereabouts.PLAYER, Whereabouts.BANKER):
        return Seen(state)
    in_rack = spot is Whereabouts.DISCARD_RACK
    if state.shoe is None and not in_rack:
        return Seen(state)
    card = located(state, tag)
    if card is None:
        return _foreign(state, tag, step)
    if card.is_cut_card():
        return Seen(standing(state, card, Standing.RACK) if in_rack else state)
    return _in_rack(state, card, step) if in_rack else _at_hand(state, card, spot, step)


def rack_due(
    state: CustodyState, step: str, *, whole: bool = False
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Cards that left the hands before the last coup and were never read in the rack, once each.

    `whole`: those of the last coup are due, too, because the rack is emptied now.
    """
    findings = []
    due = [Standing.CLEARED_BEFORE, *([Standing.CLEARED_LAST] if whole else [])]
    for number, ledger in enumerate(state.batches):
        places, absent = ledger.places, ledger
        for cleared in due:
            index = places.find(cleared)
            while index >= 0:
                tag = ledger.manifest.at(index).tag
                detail = "it left the hands and was not read in the discard rack"
                card = Located(number, ledger, index, tag)
                findings.append(card.finding(FindingCode.CARD_ABSENT, step, detail))
                absent = absent.standing(index, Standing.LOST)
                index = places.find(cleared, index + 1)
        if absent is not ledger:
            state = with_ledger(state, number, absent)
    return state, tuple(findings)


def _foreign(state: CustodyState, tag: str, step: str) -> Seen:
    shoe = state.shoe
    if shoe is None:
        return Seen(state, findings=(foreign_card(tag, step),))
    if tag in shoe.foreign:
        return Seen(state)
    used = _used_up(shoe, Standing.UNKNOWN)
    told = replace(state, shoe=with_foreign(used or shoe, tag))
    return Seen(told, resolved=used is not None, findings=(foreign_card(tag, step),))


def _used_up(shoe: ShoeCustody, stood: int) -> ShoeCustody | None:
    """The shoe with one unproven card less, None where no card passed unproven."""
    if shoe.unsure and (stood == Standing.UNSURE or not shoe.unread):
        return replace(shoe, unsure=shoe.unsure - 1)
    if shoe.unread:
        return replace(shoe, unread=shoe.unread - 1)
    return None


# --- the discard rack ----------------------------------------------------------------------------


def _in_rack(state: CustodyState, card: Located, step: str) -> Seen:
    stood, face = card.standing(), card.ledger.manifest.card(card.index)
    if stood == Standing.RACK:
        return Seen(state, face)
    state, mixed = _mixed(state, card, step)
    shoe, resolved = state.shoe, False
    findings = mixed
    if shoe is not None and stood not in DRAWN and _may_be_of(shoe, card):
        used = None if stood == Standing.QUARANTINE else _used_up(shoe, stood)
        resolved = used is not None
        if used is not None:
            state = replace(state, shoe=used)
        elif shoe.in_play and (not shoe.incomplete or stood == Standing.QUARANTINE):
            findings = (*mixed, _not_drawn(card, Whereabouts.DISCARD_RACK, step))
    return Seen(standing(state, card, Standing.RACK), face, resolved, findings)


def _may_be_of(shoe: ShoeCustody, card: Located) -> bool:
    """Whether a card in the rack is of this shoe, and not left there by the one before."""
    return shoe.in_play in ("", card.ledger.manifest.batch)


def _mixed(
    state: CustodyState, card: Located, step: str
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Whether cards of two batches are in the rack with this one; told once a shoe."""
    shoe, batch = state.shoe, card.ledger.manifest.batch
    if state.told_mixed:
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
    detail = f"the discard rack is for the batch with {back} backs"
    finding = card.finding(FindingCode.DISCARD_RACK_MIXED, step, detail)
    return replace(state, told_mixed=True), (finding,)


def _not_drawn(card: Located, spot: Whereabouts, step: str) -> Finding:
    stood = PLACE_WORDS[PLACE_OF[card.standing()]]
    detail = f"it lies {PLACE_WORDS[spot]} and never left by the exit: it was {stood}"
    return card.finding(FindingCode.CARD_NOT_DRAWN, step, detail)


# --- the layout ----------------------------------------------------------------------------------


def _at_hand(state: CustodyState, card: Located, spot: Whereabouts, step: str) -> Seen:
    shoe = state.shoe
    assert shoe is not None
    stood, face = card.standing(), card.ledger.manifest.card(card.index)
    hand = PLAIN[spot]
    if stood == hand or stood in CLEARING:
        return Seen(state, face)
    if stood == Standing.PASSED:
        return Seen(standing(state, card, hand), face)
    if stood in DRAWN:
        detail = f"it lies {PLACE_WORDS[spot]} and was {PLACE_WORDS[PLACE_OF[stood]]}"
        finding = card.finding(FindingCode.CARD_MISPLACED, step, detail)
        return Seen(standing(state, card, hand), face, findings=(finding,))
    used = None if stood == Standing.QUARANTINE else _used_up(shoe, stood)
    findings: tuple[Finding, ...] = ()
    if used is not None:
        state = replace(state, shoe=used)
    if used is None and (not shoe.incomplete or stood == Standing.QUARANTINE):
        findings = (_not_drawn(card, spot, step),)
    elif not _may_be_of(shoe, card):
        detail = "it passed unread; the shoe is dealt from the other batch"
        findings = (card.finding(FindingCode.WRONG_BATCH, step, detail),)
    return Seen(standing(state, card, hand), face, used is not None, findings)
