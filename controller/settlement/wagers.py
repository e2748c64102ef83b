"""Wagers: what a patron can bet on, and one wager on the layout.

Responsible for: the closed set of wagers and the value of one.
Not responsible for: what wins (results) and for money that moves (payout).
Source: NY-b-1-list, NJ-sum-offer, S42-b-2, WA-ov-1, HG-bac-three, HG-mini-three.
"""

from dataclasses import dataclass
from enum import StrEnum


class WagerKind(StrEnum):
    BANKER = "banker"
    PLAYER = "player"
    TIE = "tie"
    BONUS_PLAYER = "bonus_player"
    BONUS_BANKER = "bonus_banker"
    DRAGON_7 = "dragon_7"
    PANDA_8 = "panda_8"
    TOTAL_4 = "total_4"
    TOTAL_5 = "total_5"
    TOTAL_6 = "total_6"


@dataclass(frozen=True, slots=True)
class Wager:
    """One wager: `seat` from 1, `cents` above zero."""

    seat: int
    kind: WagerKind
    cents: int
