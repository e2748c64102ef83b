"""The kinds of wagers, one wager on the layout, and their names and amounts as text.

Source: NY-b-1-list, NJ-sum-offer, S42-b-2, WA-ov-1, HG-bac-three, HG-mini-three.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final

from msgspec import Meta, Struct

from foundation.message import Message, message


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


class WagerMedium(StrEnum):
    """What lies on the layout for a wager; a coupon is paid as chips of its value."""

    CHIPS = "chips"  # or plaques
    COUPON = "coupon"  # promotional or match play


SEAT_MAX: Final = 99
CENTS_MAX: Final = 10**12


class Wager(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "wager"}, omit_defaults=True
):
    """One wager: `seat` from 1, `cents` above zero."""

    seat: Annotated[int, Meta(ge=1, le=SEAT_MAX)]
    kind: WagerKind
    cents: Annotated[int, Meta(ge=1, le=CENTS_MAX)]
    medium: WagerMedium = WagerMedium.CHIPS


# What a stored wager holds for its kind: never change or reuse one. Further ones are 1000 to 1009,
# then 2000 to 2009, and so on (procedure/finished_coups.py).
KIND_NUMBERS: Final = MappingProxyType(
    {
        WagerKind.BANKER: 0,
        WagerKind.PLAYER: 1,
        WagerKind.TIE: 2,
        WagerKind.BONUS_PLAYER: 3,
        WagerKind.BONUS_BANKER: 4,
        WagerKind.DRAGON_7: 5,
        WagerKind.PANDA_8: 6,
        WagerKind.TOTAL_4: 7,
        WagerKind.TOTAL_5: 8,
        WagerKind.TOTAL_6: 9,
    }
)
KIND_NAMES: Final = MappingProxyType(
    {
        WagerKind.BANKER: message("banker"),
        WagerKind.PLAYER: message("player"),
        WagerKind.TIE: message("tie"),
        WagerKind.BONUS_PLAYER: message("bonus_on_player"),
        WagerKind.BONUS_BANKER: message("bonus_on_banker"),
        WagerKind.DRAGON_7: message("dragon_7"),
        WagerKind.PANDA_8: message("panda_8"),
        WagerKind.TOTAL_4: message("total_of_four_cards"),
        WagerKind.TOTAL_5: message("total_of_five_cards"),
        WagerKind.TOTAL_6: message("total_of_six_cards"),
    }
)


def wager_name(kind: WagerKind, medium: WagerMedium) -> Message:
    """The name of a wager, and of its medium where that is not chips."""
    name = KIND_NAMES[kind]
    return name if medium is WagerMedium.CHIPS else message("wager_by_coupon", wager=name)


def money(cents: int) -> str:
    """An amount in cents as text: 12350 is 123.50."""
    sign, units = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{units // 100}.{units % 100:02}"
