"""Custody follows the procedure: each card moves to where the order of drawing puts it.

Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-17 to D-22.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody import batch_actions, exit_reads, table_reads
from controller.custody import shoe as shoe_custody
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import CustodyState, batch_of_back, find_card, with_ledger
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import uses_two_batches
from controller.procedure.events import ActReported
from controller.procedure.phases import BURN_PHASES, Phase
from controller.procedure.places import DUE_PLACE, PLACE_NAMES, PLAYER_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, NextShoe, ShoeState, TableState
from controller.rules.cards import Card
from drivers.events import Spot

_THIRD_CARDS: Final = (Phase.PLAYER_3, Phase.BANKER_3)
_LEFT: Final = (
    *(CardPlace.PLAYER, CardPlace.BANKER, CardPlace.ASIDE),
    *(CardPlace.BURN, CardPlace.DISCARD_RACK),
)
_COUNTS: Final = (ActKind.INSPECTED, ActKind.VERIFIED)
SPOT_PLACES: Final = MappingProxyType(
    {
        Spot.DISCARD_RACK: CardPlace.DISCARD_RACK,
        Spot.PLAYER: CardPlace.PLAYER,
        Spot.BANKER: CardPlace.BANKER,
    }
)


class TagLookup(Struct, frozen=True):
    """The card behind a tag; `card` is None if the tag does not prove one.

    `again`: the card is known to have left the shoe before.
    """

    card: Card | None
    cut_card: bool = False
    back: str = ""
    again: bool = False


def look_up_tag(state: CustodyState, tag: str | None, *, sure: bool) -> TagLookup:
    """Look up the face and back of a card whose tag was read at the exit."""
    found = find_card(state, tag) if tag is not None and sure else None
    if found is None:
        return TagLookup(None)
    manifest = found.ledger.manifest
    again = found.ledger.place_of(found.index) in _LEFT
    return TagLookup(manifest.card(found.index), found.is_cut_card(), manifest.back, again)


def describe_position(table: TableState) -> str:
    """Describe for people which card comes next: the coup, and which of its first four cards.

    It never says which hand draws a third card, which depends on cards people may not have seen.
    """
    shoe = table.shoe
    if shoe is None or shoe.ended:
        return "before the first card of a shoe"
    phase = table.due_phase
    where = f"shoe {shoe.number}, card {shoe.cards_drawn + 1}"
    match phase:
        case _ if phase in BURN_PHASES:
            return f"{where}, in the burn"
        case Phase.BETWEEN_COUPS:
            return f"{where}, before coup {shoe.coups_begun + 1}"
        case _ if phase in DUE_PLACE and phase not in _THIRD_CARDS:
            number = shoe.coup.number if shoe.coup is not None else shoe.coups_begun + 1
            return f"{where}, coup {number}, {PLACE_NAMES[DUE_PLACE[phase]]}"
        case _:
            return f"{where}, coup {shoe.coups_begun}"


def apply_table_change(
    book: RuleBook,
    state: CustodyState,
    before: TableState,
    after: TableState,
    *,
    rack_read: bool,
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Update custody after a domain event: all changes but the card drawn by it."""
    findings: tuple[Finding, ...] = ()
    if after.shoe is before.shoe:
        return state, findings
    if _coup_cleared(before.shoe, after.shoe):
        state = exit_reads.clear_hands(state, rack_read)
        if rack_read:
            state, findings = table_reads.find_absent_from_rack(state, describe_position(before))
    state = _move_face_up_card(state, before, after)
    state = _clear_aside(state, before.shoe, after.shoe, rack_read=rack_read)
    if _is_ended(after.shoe) and not _is_ended(before.shoe):
        state = _end_shoe(state, after.shoe)
    if after.shoe is not None and not _is_same_shoe(before.shoe, after.shoe):
        if rack_read:
            state, last = table_reads.find_absent_from_rack(
                state, describe_position(before), whole=True
            )
            findings = (*findings, *last)
        state = _open_shoe(book, _end_shoe(state, before.shoe), before, after)
    return state, findings


def _open_shoe(
    book: RuleBook, state: CustodyState, before: TableState, after: TableState
) -> CustodyState:
    """Expect the back that people recorded as loaded; of a joined shoe nothing is known."""
    assert after.shoe is not None
    two = uses_two_batches(book)
    loaded = before.opening.loaded if two else ""
    joined, endless = after.shoe.joined, after.shoe.endless
    alternates = two and not joined and not before.opening.may_repeat
    return shoe_custody.open_shoe(state, loaded, alternates, joined=joined, endless=endless)


def _end_shoe(state: CustodyState, shoe: ShoeState | None) -> CustodyState:
    """End the shoe in custody; a batch without a coup dealt from it may come again (D-5)."""
    played = shoe is not None and (shoe.joined or shoe.coups_begun > 0)
    return shoe_custody.end_shoe(state, played=played)


def _move_face_up_card(state: CustodyState, before: TableState, after: TableState) -> CustodyState:
    """A card found face up leaves its hand; if it was the burn card, the burn starts again."""
    was, shoe = before.shoe, after.shoe
    if was is None or shoe is None or not _is_same_shoe(was, shoe):
        return state
    if len(shoe.burn_cards) < len(was.burn_cards):
        return exit_reads.restart_burn(state)
    if was.coup is None or shoe.coup is None or was.coup.number != shoe.coup.number:
        return state
    taken = len(shoe.coup.cards) < len(was.coup.cards)
    return exit_reads.place_last_card(state, CardPlace.ASIDE) if taken else state


def _clear_aside(
    state: CustodyState, before: ShoeState | None, after: ShoeState | None, *, rack_read: bool
) -> CustodyState:
    """Cards drawn in error leave the table: held cards begin the next coup, others are racked."""
    if before is None:
        return state
    aside = _aside_count(before)
    if aside == 0 or aside <= _aside_count(after):
        return state
    staying = _held_cards_in_hands(before, after)
    for card in _cards_aside(after):
        staying.setdefault(card, []).append(CardPlace.ASIDE)
    places = [
        staying[card].pop(0) if staying.get(card) else CardPlace.DISCARD_RACK
        for card in _cards_aside(before)
    ]
    return exit_reads.move_aside_cards(state, places, rack_is_read=rack_read)


def _held_cards_in_hands(
    before: ShoeState, after: ShoeState | None
) -> dict[Card | None, list[CardPlace]]:
    """The hands of the held cards with which a new coup began."""
    hands: dict[Card | None, list[CardPlace]] = {}
    coup = after.coup if after is not None else None
    if coup is None or (before.coup is not None and before.coup.number == coup.number):
        return hands
    for dealt in coup.cards:
        if dealt.carried_from is not None or coup.partial:
            hand = CardPlace.PLAYER if dealt.place in PLAYER_PLACES else CardPlace.BANKER
            hands.setdefault(dealt.card, []).append(hand)
    return hands


def _cards_aside(shoe: ShoeState | None) -> list[Card | None]:
    """The cards drawn in error that lie on the table, about in the order of drawing."""
    if shoe is None:
        return []
    of_coup = [one.card for one in shoe.coup.aside] if shoe.coup is not None else []
    return [*of_coup, *(one.card for one in (*shoe.remedy.carried, *shoe.remedy.waiting))]


def move_batch_by_act(
    state: CustodyState, event: ActReported, before: TableState, after: TableState
) -> CustodyState:
    """Move a batch that people moved, if the procedure accepted the act."""
    was, now = before.opening, after.opening
    match event.kind:
        case ActKind.INTO_SHUFFLER if now.in_shuffler and now.in_shuffler != was.in_shuffler:
            return batch_actions.move_batch(state, now.in_shuffler, CardPlace.SHUFFLER).state
        case ActKind.RELEASED if was.in_shuffler and not now.in_shuffler:
            return batch_actions.move_batch(state, was.in_shuffler, CardPlace.UNKNOWN).state
        case ActKind.LOADED if now.loaded and now.loaded != was.loaded:
            return batch_actions.move_batch(state, now.loaded, CardPlace.SHOE).state
        case _:
            return state


def check_count(
    state: CustodyState, event: ActReported
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Compare a count by people of a bound batch outside the shoe with its manifest."""
    shoe = state.shoe
    in_play = shoe.in_play if shoe is not None else ""
    bound = [
        one.manifest.back
        for one in state.batches
        if one.manifest.back == event.batch and one.manifest.batch != in_play
    ]
    if event.kind not in _COUNTS or not event.amount or not bound:
        return state, ()
    counted = batch_actions.record_count(
        state, event.batch, event.amount, f"{event.kind.value}, counted"
    )
    return counted.state, counted.findings


def find_missing_cards(
    state: CustodyState, before: TableState, after: TableState
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Find the cards that the count still has in a shoe that is stated to be empty (D-40)."""
    shoe, short = before.shoe, after.opening.short
    if shoe is None or len(short) <= len(before.opening.short):
        return state, ()
    back, left = after.opening.last_batch, shoe.cards_left()
    number = batch_of_back(state, back)
    if number is not None:
        ledger = replace(state.batches[number], miscount=-left)
        state = with_ledger(state, number, ledger)
    detail = f"the shoe is stated to be empty: {left} cards are missing by the count"
    finding = Finding(FindingCode.CARD_ABSENT, describe_position(before), detail, back=back)
    return state, (finding,)


def place_of_last_card(before: TableState, after: TableState) -> CardPlace:
    """The place where the procedure put the card drawn last."""
    shoe, was = after.shoe, before.shoe if _is_same_shoe(before.shoe, after.shoe) else None
    if shoe is None:
        return CardPlace.UNKNOWN
    if len(shoe.burn_cards) > (len(was.burn_cards) if was is not None else 0):
        return CardPlace.BURN
    coup = shoe.coup
    if coup is not None and _has_new_card(was.coup if was is not None else None, coup):
        player = coup.cards[-1].place in PLAYER_PLACES
        return CardPlace.PLAYER if player else CardPlace.BANKER
    if _aside_count(shoe) > _aside_count(was):
        return CardPlace.ASIDE
    if len(shoe.aside) > (len(was.aside) if was is not None else 0):
        return CardPlace.DISCARD_RACK
    return CardPlace.UNKNOWN


def is_between_shoes(table: TableState) -> bool:
    """Whether the shoe is over and no card of the next one was drawn."""
    suspension = table.suspension
    begun = suspension is not None and suspension.next_shoe is NextShoe.BEGUN
    return _is_ended(table.shoe) and not begun


def _has_new_card(before: CoupState | None, after: CoupState) -> bool:
    if before is None or before.number != after.number:
        return bool(after.cards)
    return len(after.cards) > len(before.cards)


def _aside_count(shoe: ShoeState | None) -> int:
    """The number of cards drawn in error that lie on the table in neither hand."""
    if shoe is None:
        return 0
    of_coup = len(shoe.coup.aside) if shoe.coup is not None else 0
    return of_coup + len(shoe.remedy.carried) + len(shoe.remedy.waiting)


def _coup_cleared(before: ShoeState | None, after: ShoeState | None) -> bool:
    """Whether the coup of `before` is no longer on the table."""
    if before is None or before.coup is None:
        return False
    coup = after.coup if after is not None else None
    return coup is None or coup.number != before.coup.number


def _is_ended(shoe: ShoeState | None) -> bool:
    return shoe is not None and shoe.ended


def _is_same_shoe(before: ShoeState | None, after: ShoeState | None) -> bool:
    if before is None or after is None:
        return before is after
    return before.number == after.number and before.gaming_day == after.gaming_day
