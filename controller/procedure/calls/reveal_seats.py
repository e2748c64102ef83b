"""Who turns a hand where the players reveal: the highest wager, and who follows.

Responsible for: the seat with the right to turn each hand, and the next one when it is given up.
Not responsible for: wagers (wagering) and for what was turned (revealing).
Source: NY (f)(3)(ii)(b)-(g); S42 (g)(3)(iii), (k)(5); D-26 (seat geometry), D-37 (nobody bet).

Decisions. A seat's wagers on a hand count together. The right is fixed when the fourth card is on
the table. Who gives it up is asked no more in that coup for that hand; the offer goes on past the
last seat to the first one, until every seat with a wager was asked.
"""

from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.procedure.step_result import Step
from controller.rules.hands import HandName
from controller.rules.setting_values import DealOption, SeatDirection
from controller.settlement.wagers import Wager, WagerKind
from firmware_bridge.values import dataclass, replace

_KINDS = {HandName.PLAYER: WagerKind.PLAYER, HandName.BANKER: WagerKind.BANKER}


@dataclass(frozen=True, slots=True)
class Highest:
    """The seat with the highest wager on a hand, 0 for none; `tied` if others bet as much."""

    seat: int
    tied: bool


def players_reveal(book: RuleBook, coup: CoupState) -> bool:
    """Whether patrons turn the cards of this coup."""
    return book.values.deal_option is DealOption.PLAYERS_REVEAL and not coup.ghost


def wagers_known(book: RuleBook) -> bool:
    """Whether this table is told what lies on the layout."""
    return book.observes(Fact.WAGERS)


def wagers_of(state: TableState, coup: int) -> tuple[Wager, ...]:
    """The wagers that lie on the layout for that coup."""
    standing = (one.wagers for one in state.wagering.standing if one.coup == coup)
    return next(standing, state.wagering.wagers)


def highest(wagers: tuple[Wager, ...], hand: HandName, direction: SeatDirection) -> Highest:
    """The highest bettor on a hand; of equal ones the nearest to the dealer counter-clockwise."""
    on_hand = tuple(one for one in wagers if one.kind is _KINDS[hand])
    seats = _in_order(on_hand, direction)
    if not seats:
        return Highest(0, tied=False)
    staked = [sum(one.cents for one in on_hand if one.seat == seat) for seat in seats]
    best = [seat for seat, cents in zip(seats, staked, strict=True) if cents == max(staked)]
    return Highest(best[0], tied=len(best) > 1)


def next_seat(
    wagers: tuple[Wager, ...], holder: int, given_up: tuple[int, ...], direction: SeatDirection
) -> int:
    """Whom the right is offered to after `holder`: to the right, then on; 0 when nobody is left."""
    seats = _in_order(wagers, direction)
    later = [seat for seat in seats if _follows(seat, holder, direction)]
    around = [*later, *(seat for seat in seats if seat not in later)]
    return next((seat for seat in around if seat != holder and seat not in given_up), 0)


def rights_given(book: RuleBook, step: Step) -> Step:
    """Both hands are on the table: fix who turns each of them."""
    coup = step.coup
    if not players_reveal(book, coup) or not wagers_known(book):
        return step
    wagers, direction = wagers_of(step.state, coup.number), book.values.seat_direction
    reveal = replace(
        coup.reveal,
        player_seat=highest(wagers, HandName.PLAYER, direction).seat,
        banker_seat=highest(wagers, HandName.BANKER, direction).seat,
    )
    return step.with_coup(replace(coup, reveal=reveal))


def _in_order(wagers: tuple[Wager, ...], direction: SeatDirection) -> list[int]:
    """The seats with a wager, counter-clockwise from the dealer."""
    descending = direction is SeatDirection.CLOCKWISE
    return sorted(dict.fromkeys(one.seat for one in wagers), reverse=descending)


def _follows(seat: int, holder: int, direction: SeatDirection) -> bool:
    return seat < holder if direction is SeatDirection.CLOCKWISE else seat > holder
