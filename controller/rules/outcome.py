"""The outcome of a complete coup: the winning hand, both counts, naturals and pairs.

Not: the result the dealer declared (procedure compares the two).
Source: NY-i-1-final, NY-i-1-winner, NY-i-1-tie; S42-j-1-final, S42-j-1-tie.
"""

from enum import StrEnum

from msgspec import Struct

from controller.rules.coup import Cards, hands, is_complete
from controller.rules.hands import is_natural, is_pair, point_count


class Outcome(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class CoupFate(StrEnum):
    """How a coup ended."""

    COUNTED = "counted"  # complete, judged by the rules
    VOID = "void"  # a floorperson voided it
    PARTIAL = "partial"  # reports missing; waits for a floorperson
    FLOOR_DECIDED = "floor_decided"  # partial; a floorperson stated the outcome


class CoupResult(Struct, frozen=True):
    """The result of a coup by the rules; counts 0..9, `natural` if either hand is one."""

    outcome: Outcome
    player_count: int
    banker_count: int
    natural: bool
    player_pair: bool
    banker_pair: bool


def coup_result(cards: Cards) -> CoupResult:
    """The result of a complete coup from its cards in drawing order."""
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
