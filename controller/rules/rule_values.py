"""The settings a profile consists of, and the ones the procedure reads, typed.

Responsible for: the name, shape and allowed values of every setting, and the tokens they use.
Not responsible for: what a profile chooses and on what basis (profile), and for wagers, odds,
vigorish and pay order, which are no part of dealing.
Source: package README, "Profiles"; the clauses each setting rests on stand in profiles/*.toml.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, assert_never

from controller.rules.words import (
    BurnDisclosure,
    BurnMode,
    Call,
    CutRoundStart,
    DealOption,
    InsufficientCards,
    IrregularityRules,
    ShuffleMode,
    ThirdCardDealt,
)

# What a TOML value becomes: whole numbers, tokens, true, lists of tokens.
SettingValue = int | bool | str | tuple[str, ...]

NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class WholeNumberOrNone:
    """A whole number from `least` to `most`, or the word none."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class AlwaysTrue:
    """True: a rule without an alternative, written down because a clause says so."""


@dataclass(frozen=True, slots=True)
class Token:
    """One of the words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Some of the words, at least one, none twice."""

    words: tuple[str, ...]


Shape = WholeNumber | WholeNumberOrNone | AlwaysTrue | Token | Tokens

BY_DEAL_OPTION: Final = "by_deal_option"

# Every setting of a profile, in the order `rules show` and the files give them.
SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        "decks_min": WholeNumber(1, 16),
        "decks_max": WholeNumberOrNone(1, 16),
        "decks_per_shoe": WholeNumber(1, 16),
        "cut_cards_per_shoe": WholeNumber(1, 2),
        "shuffle_mode": Token(tuple(ShuffleMode)),
        "shuffle_mode_allowed": Tokens(tuple(ShuffleMode)),
        "batch_min_decks_each": WholeNumber(1, 16),
        "batch_equal_and_distinct_backs": Token(("enforce",)),
        "batch_alternation": Token(("enforce_persistent",)),
        "discard_rack_single_batch": Token(("enforce",)),
        "burn_mode": Token((BurnMode.FIRST_CARD_VALUE,)),
        "burn_total_removed": Token(("one_plus_value",)),
        "burn_value_of_10_J_Q_K": WholeNumber(10, 10),
        "burn_value_of_ace": WholeNumber(1, 1),
        "burn_cards_disclosed": Token(tuple(BurnDisclosure)),
        "burn_every_shoe": AlwaysTrue(),
        "cut_min_cards_from_either_end": WholeNumber(0, 208),
        "cut_card_min_from_back": WholeNumber(0, 208),
        "rounds_after_cut_round": WholeNumber(0, 2),
        "cut_card_at_round_start": Token(tuple(CutRoundStart)),
        "deal_option": Token(tuple(DealOption)),
        "deal_option_allowed": Tokens(tuple(DealOption)),
        "players_may_handle_cards": Token(("no", "under_players_reveal")),
        "third_card_dealt": Token((*ThirdCardDealt, BY_DEAL_OPTION)),
        "reveal_seat_tie_break": Token(("not_applicable", "nearest_dealer_counter_clockwise")),
        "third_card_table": Token(("standard",)),
        "banker_when_player_stands": Token(("draw_0_5_stand_6_9",)),
        "calls_required": Tokens(tuple(Call)),
        "irregularity_rules": Token(tuple(IrregularityRules)),
        "insufficient_cards": Token(tuple(InsufficientCards)),
        "opening_inspection_record": Token(
            ("dealer_and_floorperson_or_preshuffle_receipt", "dealer_and_floorperson_per_batch")
        ),
    }
)


@dataclass(frozen=True, slots=True)
class RuleValues:
    """What the procedure reads of a profile. `decks_max` is None where no clause sets one."""

    decks_min: int
    decks_max: int | None
    decks_per_shoe: int
    cut_cards_per_shoe: int
    burn_mode: BurnMode
    burn_cards_disclosed: BurnDisclosure
    cut_card_min_from_back: int
    rounds_after_cut_round: int
    cut_card_at_round_start: CutRoundStart
    deal_option: DealOption
    third_card_dealt: ThirdCardDealt
    irregularity_rules: IrregularityRules
    insufficient_cards: InsufficientCards
    calls_required: tuple[Call, ...]


def allowed(shape: Shape) -> str:
    """What a setting of this shape may hold, in words."""
    match shape:
        case WholeNumber(least, most) if least == most:
            return f"{least}"
        case WholeNumber(least, most):
            return f"a whole number from {least} to {most}"
        case WholeNumberOrNone(least, most):
            return f'a whole number from {least} to {most}, or "{NONE}"'
        case AlwaysTrue():
            return "true"
        case Token(words):
            return ", ".join(f'"{word}"' for word in words)
        case Tokens(words):
            return "a list, each at most once, of " + ", ".join(f'"{word}"' for word in words)
        case _:
            assert_never(shape)


def fits(shape: Shape, value: object) -> bool:
    """Whether a value as TOML gives it is one the setting may hold."""
    match shape:
        case WholeNumber(least, most):
            return type(value) is int and least <= value <= most
        case WholeNumberOrNone(least, most):
            return value == NONE or (type(value) is int and least <= value <= most)
        case AlwaysTrue():
            return value is True
        case Token(words):
            return value in words
        case Tokens(words):
            return (
                isinstance(value, list)
                and len(value) > 0
                and all(word in words for word in value)
                and len(set(value)) == len(value)
            )
        case _:
            assert_never(shape)


def rule_values(values: Mapping[str, SettingValue]) -> RuleValues:
    """Type the settings the procedure reads; `values` holds every name of SHAPES, checked."""

    def number(name: str) -> int:
        value = values[name]
        assert isinstance(value, int)
        return value

    def words(name: str) -> tuple[str, ...]:
        value = values[name]
        assert isinstance(value, tuple)
        return value

    deal_option = DealOption(str(values["deal_option"]))
    return RuleValues(
        decks_min=number("decks_min"),
        decks_max=None if values["decks_max"] == NONE else number("decks_max"),
        decks_per_shoe=number("decks_per_shoe"),
        cut_cards_per_shoe=number("cut_cards_per_shoe"),
        burn_mode=BurnMode(str(values["burn_mode"])),
        burn_cards_disclosed=BurnDisclosure(str(values["burn_cards_disclosed"])),
        cut_card_min_from_back=number("cut_card_min_from_back"),
        rounds_after_cut_round=number("rounds_after_cut_round"),
        cut_card_at_round_start=CutRoundStart(str(values["cut_card_at_round_start"])),
        deal_option=deal_option,
        third_card_dealt=_third_card_dealt(str(values["third_card_dealt"]), deal_option),
        irregularity_rules=IrregularityRules(str(values["irregularity_rules"])),
        insufficient_cards=InsufficientCards(str(values["insufficient_cards"])),
        calls_required=tuple(Call(word) for word in words("calls_required")),
    )


def _third_card_dealt(word: str, deal_option: DealOption) -> ThirdCardDealt:
    """Face down only where the players reveal (S42-h-3-order, S42-h-3-iii)."""
    if word != BY_DEAL_OPTION:
        return ThirdCardDealt(word)
    if deal_option is DealOption.PLAYERS_REVEAL:
        return ThirdCardDealt.FACE_DOWN
    return ThirdCardDealt.FACE_UP
