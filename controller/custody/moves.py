"""What play does with cards and batches, as effects that custody follows in their order.

Not: who decides where a card goes (procedure).
Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-5, D-16 to D-22, D-40.

The number of a card is its place among the cards that left its shoe. Custody knows the tag of the
card drawn last and of the cards held aside: an effect that places another card moves nothing.
"""

from collections.abc import Callable
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from controller.custody import batch_actions, shoe, table_reads
from controller.custody.batch_life.facts import ShoeOver
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import CustodyChange, CustodyState, batch_of_back, with_ledger
from drivers.events import CardPassed
from foundation.message import Message, message


class CardPlaced(Struct, frozen=True):
    """The card with that number is at this place now. `drawn`: it left the shoe by this event."""

    number: int
    place: CardPlace
    drawn: bool = False


class HandsCleared(Struct, frozen=True):
    """A coup is over: the cards of both hands leave the table."""


class BurnRestarted(Struct, frozen=True):
    """The burn starts over: the cards burned so far are in the discard rack."""


class ShoeBegun(Struct, frozen=True):
    """A shoe begins. `expected` is the back recorded as loaded, empty where none was.

    `alternates`: the batches must take turns. `joined`: cards left it before. `endless`: a
    continuous shuffler feeds it.
    """

    expected: str
    alternates: bool
    joined: bool
    endless: bool


class BatchMoved(Struct, frozen=True):
    """The whole batch with that back is at this place now."""

    back: str
    place: CardPlace


class BatchCounted(Struct, frozen=True):
    """The batch was counted, as `step` says. `blocked`: a wrong count already blocks it."""

    back: str
    cards: int
    step: Message
    blocked: bool = False


class CardsMissing(Struct, frozen=True):
    """By the count so many cards are left in the shoe that a person states to be empty (D-40)."""

    back: str
    cards: int


Move: TypeAlias = (
    CardPlaced
    | HandsCleared
    | BurnRestarted
    | ShoeBegun
    | ShoeOver
    | BatchMoved
    | BatchCounted
    | CardsMissing
)


class PlayStep(Struct, frozen=True):
    """The event that the effects belong to: its step of play, and the card drawn last.

    `number` is the number of that card; `passed`: it left the shoe by this event, as the exit read
    it. `after_shoe`: no shoe is in play that it could have left. `rack_read`: a reader reads what
    lies in the discard rack.
    """

    describe: Callable[[], Message]
    number: int
    rack_read: bool
    passed: CardPassed | None = None
    after_shoe: bool = False


def follow_moves(state: CustodyState, moves: tuple[Move, ...], play: PlayStep) -> CustodyChange:
    """Custody after the effects of one event, and what it finds because of them."""
    findings: tuple[Finding, ...] = ()
    # The card drawn by the event is read at the exit where the procedure places it.
    exit_at = _drawn_at(moves) if play.passed is not None else None
    for at, move in enumerate(moves):
        if at == exit_at:
            assert isinstance(move, CardPlaced)
            state, found = _pass_exit(state, play, move.place)
        else:
            state, found = _follow(state, move, play, first=moves.index(move) == at)
        findings += found
    if play.passed is None or exit_at is not None:
        return state, findings
    state, found = _pass_exit(state, play, CardPlace.UNKNOWN)
    return state, (*findings, *found)


def _drawn_at(moves: tuple[Move, ...]) -> int | None:
    """The index of the effect that places the drawn card, None where it is not followed."""
    for at, move in enumerate(moves):
        if isinstance(move, CardPlaced) and move.drawn:
            return at
    return None


def _follow(state: CustodyState, move: Move, play: PlayStep, *, first: bool) -> CustodyChange:
    """Follow one effect; `first`: the event has no equal one before it."""
    match move:
        case CardPlaced(number=number, place=place):
            if shoe.is_aside(state, number):
                moved = shoe.move_aside_card(state, number, place, play.rack_read)
                return moved, ()
            drawn_last = number == play.number and play.passed is None
            return shoe.place_last_card(state, place, number) if drawn_last else state, ()
        case HandsCleared():
            return _clear_hands(state, play, first=first)
        case BurnRestarted():
            return shoe.restart_burn(state), ()
        case ShoeBegun():
            return _begin_shoe(state, move, play)
        case ShoeOver(played=played):
            return shoe.end_shoe(state, played=played), ()
        case BatchMoved():
            return _move_batch(state, move), ()
        case BatchCounted():
            return _check_count(state, move)
        case CardsMissing():
            return _note_missing(state, move, play)
        case _:
            assert_never(move)


def _pass_exit(state: CustodyState, play: PlayStep, place: CardPlace) -> CustodyChange:
    """A card left the shoe, as the exit read it, for this place."""
    assert play.passed is not None
    tag, sure, step = play.passed.tag, play.passed.sure, play.describe()
    if state.shoe is None and play.after_shoe:
        stray = shoe.apply_stray_read(state, tag, sure, step)
        return stray.state, stray.findings
    left = shoe.apply_exit_read(state, tag, sure, step)
    if left.cut_card:
        return left.state, left.findings
    return shoe.place_last_card(left.state, place, play.number), left.findings


def _clear_hands(state: CustodyState, play: PlayStep, *, first: bool) -> CustodyChange:
    """Clear the hands; cards of the coup before are due in the rack now.

    Coups that end by one event are cleared away together.
    """
    state = shoe.clear_hands(state, play.rack_read)
    if first and play.rack_read:
        return table_reads.find_absent_from_rack(state, play.describe())
    return state, ()


def _begin_shoe(state: CustodyState, move: ShoeBegun, play: PlayStep) -> CustodyChange:
    """Expect the back that people recorded as loaded; of a joined shoe nothing is known."""
    findings: tuple[Finding, ...] = ()
    if play.rack_read:
        state, findings = table_reads.find_absent_from_rack(state, play.describe(), whole=True)
    state = shoe.open_shoe(
        shoe.end_shoe(state),
        move.expected,
        move.alternates,
        joined=move.joined,
        endless=move.endless,
    )
    return state, findings


def _move_batch(state: CustodyState, move: BatchMoved) -> CustodyState:
    """Move a whole batch; the cards of one that is not bound are not followed."""
    number = batch_of_back(state, move.back)
    return state if number is None else batch_actions.move_batch(state, number, move.place)


def _check_count(state: CustodyState, move: BatchCounted) -> CustodyChange:
    """Compare a count with the manifest; of the batch in play custody knows better."""
    number = batch_of_back(state, move.back)
    in_play = state.shoe.in_play if state.shoe is not None else ""
    if number is None or state.batches[number].manifest.batch == in_play:
        return state, ()
    state, found = batch_actions.record_count(state, number, move.cards, move.step)
    return state, () if move.blocked else found


def _note_missing(state: CustodyState, move: CardsMissing, play: PlayStep) -> CustodyChange:
    """Find the cards that the count still has in a shoe that is stated to be empty."""
    number = batch_of_back(state, move.back)
    if number is not None:
        ledger = replace(state.batches[number], miscount=-move.cards)
        state = with_ledger(state, number, ledger)
    detail = message("stated_empty_cards_missing", cards=move.cards)
    return state, (Finding(FindingCode.CARD_ABSENT, play.describe(), detail, back=move.back),)
