"""The phrases that the dealer calls: the call each belongs to, its words, its group.

Source: WA announcements ("before", "during", "after"; player, banker, general, decision; WA-an-cat,
WA-pl-ann, WA-bk-ann); NY (f)(2), (g), (i)(1); S42 (g)(2), (h), (j)(1); NJ 3.10(a), 7.10(a).
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.setting_values import RequiredCall


class CallGroup(StrEnum):
    """When a call is made: before, during or after the deal (WA-an-cat)."""

    BEFORE = "before"
    DURING = "during"
    AFTER = "after"


GROUP_OF: Final[Mapping[RequiredCall, CallGroup]] = MappingProxyType(
    {
        RequiredCall.BEFORE: CallGroup.BEFORE,
        RequiredCall.LAST_HAND: CallGroup.BEFORE,
        RequiredCall.NO_MORE_BETS: CallGroup.BEFORE,
        RequiredCall.COUNTS: CallGroup.DURING,
        RequiredCall.DRAWS: CallGroup.DURING,
        RequiredCall.FINAL_AND_WINNER: CallGroup.AFTER,
        RequiredCall.TIE_HAND: CallGroup.AFTER,
        RequiredCall.TOTAL_CARDS: CallGroup.AFTER,
        RequiredCall.DRAGON7_PANDA8: CallGroup.AFTER,
    }
)


class CallPhrase(StrEnum):
    """Every phrase whose words a house may choose."""

    BEFORE = "before"
    NO_MORE_BETS = "no_more_bets"
    LAST_HAND = "last_hand"
    PLAYER_COUNT = "player_count"
    PLAYER_COUNT_NATURAL = "player_count_natural"
    BANKER_COUNT = "banker_count"
    BANKER_COUNT_NATURAL = "banker_count_natural"
    PLAYER_NOTHING = "player_nothing"
    PLAYER_SHOWS = "player_shows"
    PLAYER_STANDS = "player_stands"
    PLAYER_NATURAL = "player_natural"
    BANKER_NOTHING = "banker_nothing"
    BANKER_SHOWS = "banker_shows"
    BANKER_STANDS = "banker_stands"
    BANKER_NATURAL = "banker_natural"
    BANKER_NATURAL_WINS = "banker_natural_wins"
    BANKER_NATURAL_TIES = "banker_natural_ties"
    PLAYER_CARD = "player_card"
    BANKER_CARD = "banker_card"
    BANKER_NO_CARD = "banker_no_card"
    PLAYER_WINS = "player_wins"
    BANKER_WINS = "banker_wins"
    TIE_COUNTS = "tie_counts"
    TIE_WITH_COUNTS = "tie_with_counts"
    TIE_HAND = "tie_hand"
    TOTAL_CARDS = "total_cards"
    DRAGON_7 = "dragon_7"
    PANDA_8 = "panda_8"


class Words(Struct, frozen=True):
    """The words of a phrase where the house has none, and the numbers that are known by then.

    Only these may be used in braces: a call discloses nothing that people have not seen.
    """

    text: str
    numbers: tuple[str, ...] = ()


_PLAYER: Final = ("player",)
_BOTH: Final = ("player", "banker")
DEFAULT_WORDS: Final[Mapping[CallPhrase, Words]] = MappingProxyType(
    {
        CallPhrase.BEFORE: Words("place your bets please"),
        CallPhrase.NO_MORE_BETS: Words("no more bets"),
        CallPhrase.LAST_HAND: Words("last hand"),
        CallPhrase.PLAYER_COUNT: Words("Player {player}", _PLAYER),
        CallPhrase.PLAYER_COUNT_NATURAL: Words("Player {player} (natural)", _PLAYER),
        CallPhrase.BANKER_COUNT: Words("Banker {banker}", ("banker",)),
        CallPhrase.BANKER_COUNT_NATURAL: Words("Banker {banker} (natural)", ("banker",)),
        CallPhrase.PLAYER_NOTHING: Words("Player shows nothing"),
        CallPhrase.PLAYER_SHOWS: Words("Player shows {player}", _PLAYER),
        CallPhrase.PLAYER_STANDS: Words("Player stands on {player}", _PLAYER),
        CallPhrase.PLAYER_NATURAL: Words("Player has a natural {player}, no draws", _PLAYER),
        CallPhrase.BANKER_NOTHING: Words("Banker shows nothing", _PLAYER),
        CallPhrase.BANKER_SHOWS: Words("Banker shows {banker}", _BOTH),
        CallPhrase.BANKER_STANDS: Words("Banker stands on {banker}", _BOTH),
        CallPhrase.BANKER_NATURAL: Words("Banker has a natural {banker}", _BOTH),
        CallPhrase.BANKER_NATURAL_WINS: Words("Banker wins with a natural {banker}", _BOTH),
        CallPhrase.BANKER_NATURAL_TIES: Words("Banker ties {banker}-{player}", _BOTH),
        CallPhrase.PLAYER_CARD: Words("card for the Player", _BOTH),
        CallPhrase.BANKER_CARD: Words("draw bank, {player} to beat", _PLAYER),
        CallPhrase.BANKER_NO_CARD: Words("Banker draws no card"),
        CallPhrase.PLAYER_WINS: Words("Player wins, {player} over {banker}", _BOTH),
        CallPhrase.BANKER_WINS: Words("Banker wins, {banker} over {player}", _BOTH),
        CallPhrase.TIE_COUNTS: Words("Player {player}, Banker {banker}", _BOTH),
        CallPhrase.TIE_WITH_COUNTS: Words("tie hand, {player} to {banker}", _BOTH),
        CallPhrase.TIE_HAND: Words("tie hand"),
        CallPhrase.TOTAL_CARDS: Words("{cards} cards in all", ("cards",)),
        CallPhrase.DRAGON_7: Words("dragon 7"),
        CallPhrase.PANDA_8: Words("panda 8"),
    }
)


def call_words(lines: Iterable[str]) -> Mapping[CallPhrase, str]:
    """The words of every phrase; `lines` are the house's, "PHRASE: WORDS"."""
    house = keyed_texts(lines)
    return MappingProxyType(
        {one: house.get(one.value, DEFAULT_WORDS[one].text) for one in CallPhrase}
    )


def call_references(lines: Iterable[str], general: str) -> Mapping[RequiredCall, str]:
    """The reference of every call; `general` is that of a call without its own."""
    own = keyed_texts(lines)
    return MappingProxyType({one: own.get(one.value, general) for one in RequiredCall})


def keyed_texts(lines: Iterable[str]) -> dict[str, str]:
    """Lines "KEY: TEXT" by key."""
    return {key: text.strip() for key, _, text in (line.partition(":") for line in lines)}
