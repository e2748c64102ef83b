"""The kinds of wagers, one wager on the layout, and their names and amounts as text.

Source: NY-b-1-list, NJ-sum-offer, S42-b-2, WA-ov-1, HG-bac-three, HG-mini-three.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct


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


class Wager(Struct, frozen=True):
    """One wager: `seat` from 1, `cents` above zero."""

    seat: int
    kind: WagerKind
    cents: int


KIND_NAMES: Final = MappingProxyType(
    {
        WagerKind.BANKER: "Banker",
        WagerKind.PLAYER: "Player",
        WagerKind.TIE: "Tie",
        WagerKind.BONUS_PLAYER: "bonus on Player",
        WagerKind.BONUS_BANKER: "bonus on Banker",
        WagerKind.DRAGON_7: "Dragon 7",
        WagerKind.PANDA_8: "Panda 8",
        WagerKind.TOTAL_4: "four cards",
        WagerKind.TOTAL_5: "five cards",
        WagerKind.TOTAL_6: "six cards",
    }
)


def money(cents: int) -> str:
    """An amount in cents as text: 12350 is 123.50."""
    sign, units = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{units // 100}.{units % 100:02}"
