"""Custody follows the procedure: each card goes where the order of drawing puts it.

Responsible for: reading off two states of the table where the card drawn last went, which cards
were cleared away and which batch is in the shoe, and telling custody.
Not responsible for: what custody makes of it (controller.custody) and for judging (procedure).
Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-17 to D-22.
"""

from types import MappingProxyType
from typing import Final

from controller.custody import batch_actions as batches
from controller.custody import exit_reads as passing
from controller.custody import shoe as shoes
from controller.custody import table_reads as sights
from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding
from controller.custody.state import CustodyState, located
from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import two_batches
from controller.procedure.events import ActRecorded
from controller.procedure.phases import Phase
from controller.procedure.places import DUE_PLACE, PLAYER_PLACES, WORDS
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, NextShoe, ShoeState, TableState
from controller.rules.cards import Card
from drivers.events import Spot
from firmware_bridge.values import dataclass

_THIRD_CARDS: Final = (Phase.PLAYER_3, Phase.BANKER_3)
_LEFT: Final = (
    *(Whereabouts.PLAYER, Whereabouts.BANKER, Whereabouts.ASIDE),
    *(Whereabouts.BURN, Whereabouts.DISCARD_RACK),
)
_COUNTS: Final = (ActKind.INSPECTED, ActKind.VERIFIED)
SPOTS: Final = MappingProxyType(
    {
        Spot.DISCARD_RACK: Whereabouts.DISCARD_RACK,
        Spot.PLAYER: Whereabouts.PLAYER,
        Spot.BANKER: Whereabouts.BANKER,
    }
)


@dataclass(frozen=True, slots=True)
class Looked:
    """What a tag says before anything is concluded from it; `card` None where it is not proven.

    `again`: the card is known to have left the shoe before.
    """

    card: Card | None
    cut_card: bool = False
    back: str = ""
    again: bool = False


def looked(state: CustodyState, tag: str | None, *, sure: bool) -> Looked:
    """The face and back behind a tag that has left the shoe."""
    found = located(state, tag) if tag is not None and sure else None
    if found is None:
        return Looked(None)
    manifest = found.ledger.manifest
    again = found.ledger.place_of(found.index) in _LEFT
    return Looked(manifest.card(found.index), found.is_cut_card(), manifest.back, again)


def step_in_words(table: TableState) -> str:
    """Where the table stands, for a person: which coup, and which of its first four cards.

    Which hand draws a third one follows from cards that may not have been seen.
    """
    shoe = table.shoe
    if shoe is None or shoe.ended:
        return "before the first card of a shoe"
    phase = table.suspension.resume_to if table.suspension is not None else table.phase
    where = f"shoe {shoe.number}, card {shoe.cards_drawn + 1}"
    match phase:
        case Phase.BURN_FIRST | Phase.BURN_REST:
            return f"{where}, in the burn"
        case Phase.BETWEEN_COUPS:
            return f"{where}, before coup {shoe.coups_begun + 1}"
        case _ if phase in DUE_PLACE and phase not in _THIRD_CARDS:
            number = shoe.coup.number if shoe.coup is not None else shoe.coups_begun + 1
            return f"{where}, coup {number}, {WORDS[DUE_PLACE[phase]]}"
        case _:
            return f"{where}, coup {shoe.coups_begun}"


def followed(
    book: RuleBook,
    state: CustodyState,
    before: TableState,
    after: TableState,
    *,
    rack_read: bool,
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Custody after one event was judged, but for a card drawn by it."""
    findings: tuple[Finding, ...] = ()
    if _cleared(before.shoe, after.shoe):
        state = passing.hands_cleared(state, rack_read)
        if rack_read:
            state, findings = sights.rack_due(state, step_in_words(before))
    state = _taken_out(state, before, after)
    state = _aside_taken(state, before.shoe, after.shoe, rack_read=rack_read)
    if _is_ended(after.shoe) and not _is_ended(before.shoe):
        state = _ended(state, after.shoe)
    if _run(after) is not None and _run(after) != _run(before):
        if rack_read:
            state, last = sights.rack_due(state, step_in_words(before), whole=True)
            findings = (*findings, *last)
        state = _opened(book, _ended(state, before.shoe), before, after)
    return state, findings


def _opened(
    book: RuleBook, state: CustodyState, before: TableState, after: TableState
) -> CustodyState:
    """The back that people recorded as loaded is expected; of a joined shoe nothing is known."""
    assert after.shoe is not None
    two = two_batches(book)
    loaded = before.opening.loaded if two else ""
    joined, endless = after.shoe.joined, after.shoe.endless
    alternates = two and not joined and not before.opening.may_repeat
    return shoes.shoe_opened(state, loaded, alternates, joined=joined, endless=endless)


def _ended(state: CustodyState, shoe: ShoeState | None) -> CustodyState:
    """A batch from which no coup was dealt may come again (D-5)."""
    played = shoe is not None and (shoe.joined or shoe.coups_begun > 0)
    return shoes.shoe_ended(state, played=played)


def _taken_out(state: CustodyState, before: TableState, after: TableState) -> CustodyState:
    """A card found face up leaves its hand; if it was the first of the burn, that begins anew."""
    was, shoe = before.shoe, after.shoe
    if was is None or shoe is None or _run(before) != _run(after):
        return state
    if len(shoe.burn_cards) < len(was.burn_cards):
        return passing.burn_racked(state)
    if was.coup is None or shoe.coup is None or was.coup.number != shoe.coup.number:
        return state
    taken = len(shoe.coup.cards) < len(was.coup.cards)
    return passing.placed(state, Whereabouts.ASIDE) if taken else state


def _aside_taken(
    state: CustodyState, before: ShoeState | None, after: ShoeState | None, *, rack_read: bool
) -> CustodyState:
    """Cards drawn in error leave the table: held ones begin the next coup, others are racked."""
    gone = _aside(before) - _aside(after)
    if gone <= 0:
        return state
    held = len(before.remedy.carried) if before is not None else 0
    coup = after.coup if after is not None else None
    if held and coup is not None and coup.carried and _cleared(after, before):
        for dealt in coup.cards[: coup.carried]:
            hand = Whereabouts.PLAYER if dealt.place in PLAYER_PLACES else Whereabouts.BANKER
            state = passing.aside_to(state, hand, 1)
        return state
    return passing.aside_to(state, Whereabouts.DISCARD_RACK, gone, rack_is_read=rack_read)


def acted(
    state: CustodyState, event: ActRecorded, before: TableState, after: TableState
) -> CustodyState:
    """A batch was moved by people, if the procedure took it so."""
    was, now = before.opening, after.opening
    match event.kind:
        case ActKind.INTO_SHUFFLER if now.in_shuffler and now.in_shuffler != was.in_shuffler:
            return batches.batch_moved(state, now.in_shuffler, Whereabouts.SHUFFLER).state
        case ActKind.RELEASED if was.in_shuffler and not now.in_shuffler:
            return batches.batch_moved(state, was.in_shuffler, Whereabouts.UNKNOWN).state
        case ActKind.LOADED if now.loaded and now.loaded != was.loaded:
            return batches.batch_moved(state, now.loaded, Whereabouts.SHOE).state
        case _:
            return state


def counted(state: CustodyState, event: ActRecorded) -> tuple[CustodyState, tuple[Finding, ...]]:
    """People counted a whole batch that is bound, outside the shoe: its manifest says how many."""
    shoe = state.shoe
    in_play = shoe.in_play if shoe is not None else ""
    bound = [
        one.manifest.back
        for one in state.batches
        if one.manifest.back == event.batch and one.manifest.batch != in_play
    ]
    if event.kind not in _COUNTS or not event.amount or not bound:
        return state, ()
    counted = batches.counted(state, event.batch, event.amount, f"{event.kind.value}, counted")
    return counted.state, counted.findings


def where_put(before: TableState, after: TableState) -> Whereabouts:
    """Where the procedure put the card it was just told of."""
    shoe, was = after.shoe, before.shoe if _run(before) == _run(after) else None
    if shoe is None:
        return Whereabouts.UNKNOWN
    if len(shoe.burn_cards) > (len(was.burn_cards) if was is not None else 0):
        return Whereabouts.BURN
    coup = shoe.coup
    if coup is not None and _grew(was.coup if was is not None else None, coup):
        player = coup.cards[-1].place in PLAYER_PLACES
        return Whereabouts.PLAYER if player else Whereabouts.BANKER
    if _aside(shoe) > _aside(was):
        return Whereabouts.ASIDE
    if len(shoe.aside) > (len(was.aside) if was is not None else 0):
        return Whereabouts.DISCARD_RACK
    return Whereabouts.UNKNOWN


def is_over(table: TableState) -> bool:
    """Whether the shoe is over and no card of the next one has come."""
    suspension = table.suspension
    begun = suspension is not None and suspension.next_shoe is NextShoe.BEGUN
    return _is_ended(table.shoe) and not begun


def _grew(before: CoupState | None, after: CoupState) -> bool:
    if before is None or before.number != after.number:
        return bool(after.cards)
    return len(after.cards) > len(before.cards)


def _aside(shoe: ShoeState | None) -> int:
    """Cards drawn in error that lie on the table in neither hand."""
    if shoe is None:
        return 0
    of_coup = len(shoe.coup.aside) if shoe.coup is not None else 0
    return of_coup + len(shoe.remedy.waiting) + len(shoe.remedy.carried)


def _cleared(before: ShoeState | None, after: ShoeState | None) -> bool:
    """Whether the coup of the one is not on the table of the other."""
    if before is None or before.coup is None:
        return False
    coup = after.coup if after is not None else None
    return coup is None or coup.number != before.coup.number


def _is_ended(shoe: ShoeState | None) -> bool:
    return shoe is not None and shoe.ended


def _run(table: TableState) -> tuple[str, int] | None:
    return (table.shoe.gaming_day, table.shoe.number) if table.shoe is not None else None
