"""Which seat turns a hand where the players reveal, and which one follows if it declines.

Source: NY (f)(3)(ii)(b)-(g); S42 (g)(3)(iii), (k)(5); D-26 (seat geometry), D-37 (nobody bet).

Decisions. A seat's wagers on a hand count together. The right is fixed when the fourth card is on
the table. A seat that gives it up is not offered it again for that hand in that coup. The offer
continues past the last seat to the first one, until every seat with a wager was offered the right.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.procedure.step_result import Step
from controller.rules.hands import HandName
from controller.rules.setting_values import DealOption, SeatDirection
from controller.rules.settlement.wagers import Wager, WagerKind

_KINDS = {HandName.PLAYER: WagerKind.PLAYER, HandName.BANKER: WagerKind.BANKER}


class HighestBettor(Struct, frozen=True):
    """The seat with the highest wager on a hand, 0 for none; `tied` if others bet as much."""

    seat: int
    tied: bool


def players_reveal(book: RuleBook, coup: CoupState) -> bool:
    """Whether patrons turn the cards of this coup."""
    return book.values.deal_option is DealOption.PLAYERS_REVEAL and not coup.ghost


def wagers_observed(book: RuleBook) -> bool:
    """Whether this table observes the wagers on the layout."""
    return book.observes(ObservableFact.WAGERS)


def wagers_on_layout(state: TableState, coup: int) -> tuple[Wager, ...]:
    """The wagers on the layout for that coup."""
    standing = (one.wagers for one in state.wagering.standing if one.coup == coup)
    return next(standing, state.wagering.wagers)


def highest_bettor(
    wagers: tuple[Wager, ...], hand: HandName, direction: SeatDirection
) -> HighestBettor:
    """The highest bettor on a hand; of equal ones the first counter-clockwise from the dealer."""
    on_hand = tuple(one for one in wagers if one.kind is _KINDS[hand])
    seats = _in_order(on_hand, direction)
    if not seats:
        return HighestBettor(0, tied=False)
    staked = [sum(one.cents for one in on_hand if one.seat == seat) for seat in seats]
    best = [seat for seat, cents in zip(seats, staked, strict=True) if cents == max(staked)]
    return HighestBettor(best[0], tied=len(best) > 1)


def next_seat(
    wagers: tuple[Wager, ...], holder: int, given_up: tuple[int, ...], direction: SeatDirection
) -> int:
    """The seat the right is offered to after `holder`, 0 when none is left."""
    seats = _in_order(wagers, direction)
    later = [seat for seat in seats if _follows(seat, holder, direction)]
    around = [*later, *(seat for seat in seats if seat not in later)]
    return next((seat for seat in around if seat != holder and seat not in given_up), 0)


def assign_reveal_rights(book: RuleBook, step: Step) -> Step:
    """Fix which seat turns each hand, once both hands are on the table."""
    coup = step.coup
    if not players_reveal(book, coup) or not wagers_observed(book):
        return step
    wagers, direction = wagers_on_layout(step.state, coup.number), book.values.seat_direction
    reveal = replace(
        coup.reveal,
        player_seat=highest_bettor(wagers, HandName.PLAYER, direction).seat,
        banker_seat=highest_bettor(wagers, HandName.BANKER, direction).seat,
    )
    return step.with_coup(replace(coup, reveal=reveal))


def _in_order(wagers: tuple[Wager, ...], direction: SeatDirection) -> list[int]:
    """The seats with a wager, counter-clockwise from the dealer."""
    descending = direction is SeatDirection.CLOCKWISE
    return sorted(dict.fromkeys(one.seat for one in wagers), reverse=descending)


def _follows(seat: int, holder: int, direction: SeatDirection) -> bool:
    return seat < holder if direction is SeatDirection.CLOCKWISE else seat > holder
