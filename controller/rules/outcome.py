"""The outcome of a complete coup.

Responsible for: which hand wins by the rules, with the counts and the marks the floor asks for.
Not responsible for: what the dealer declared (that is the result, compared in the procedure) and
for what any wager pays.
Source: NY-i-1-final, NY-i-1-winner, NY-i-1-tie; S42-j-1-final, S42-j-1-tie.
"""

from enum import StrEnum

from controller.rules.coup import Cards, hands, is_complete
from controller.rules.hands import is_natural, is_pair, point_count
from firmware_bridge.values import dataclass


class Outcome(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


@dataclass(frozen=True, slots=True)
class CoupResult:
    """What the rules make of a coup; counts 0..9, `natural` if either hand is one."""

    outcome: Outcome
    player_count: int
    banker_count: int
    natural: bool
    player_pair: bool
    banker_pair: bool


def result_of(cards: Cards) -> CoupResult:
    """Read the outcome from a complete coup's cards in drawing order."""
    assert is_complete(cards), "a coup that still needs cards has no outcome"
    both = hands(cards)
    player_count, banker_count = point_count(both.player), point_count(both.banker)
    if player_count > banker_count:
        outcome = Outcome.PLAYER
    elif banker_count > player_count:
        outcome = Outcome.BANKER
    else:
        outcome = Outcome.TIE
    return CoupResult(
        outcome=outcome,
        player_count=player_count,
        banker_count=banker_count,
        natural=is_natural(both.player) or is_natural(both.banker),
        player_pair=is_pair(both.player),
        banker_pair=is_pair(both.banker),
    )
