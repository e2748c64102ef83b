"""A profile's settings as one typed value for procedure and settlement.

Source: the clauses of each setting are in controller/rules/profiles/shipped/*.toml.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from controller.rules.advisory import AdvisoryKind
from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.profiles.call_phrases import CallPhrase, call_references, call_words
from controller.rules.profiles.setting_definitions import (
    BY_DEAL_OPTION,
    DECKS_PER_SHOE,
    NONE,
    OFF,
    ON,
    REQUIRED,
    TWO_CONFIRMATIONS,
)
from controller.rules.profiles.setting_types import NOT_APPLICABLE, SettingValue
from controller.rules.setting_values import (
    BankerPlacement,
    BaseWager,
    BonusTable,
    BurnDisclosure,
    BurnMode,
    CardHandling,
    CutRoundStart,
    DealOption,
    FeedDirection,
    IrregularityRules,
    OpeningInspection,
    PayProcedure,
    PitUniform,
    RequiredCall,
    SeatDirection,
    ShuffleFinish,
    ShuffleMode,
    ThirdCardDealt,
    TieResult,
    VigorishCollection,
    VigorishDeadline,
    VigorishMode,
    VigorishRounding,
    WagerLock,
)

_Word = TypeVar("_Word", bound=StrEnum)


class RuleValues(Struct, frozen=True):
    """One profile's settings. Odds, tables and limits are None where the profile has none.

    `batch_min_decks_each` is None for the decks of the dealing shoe, `decks_max` for no limit.
    `vig_rate` is in percent of the win. `ghost_hands_max` is per shoe, 0 for none.
    `burn_fixed_count` counts all cards of a fixed burn. `call_references` and `call_texts` name
    every call and every phrase. `decisions_alone_max` is for a kind of decision in a shoe, 0 for no
    limit. `advisories_suspend`: the kinds of advisory that suspend the table.
    """

    decks_min: int
    decks_max: int | None
    decks_per_shoe: int
    cut_cards_per_shoe: int
    shuffle_mode: ShuffleMode
    shuffle_finish: ShuffleFinish
    reshuffle_after_lace: bool
    shuffler_secure_store: bool
    batch_min_decks_each: int | None
    burn_mode: BurnMode
    burn_fixed_count: int
    burn_cards_disclosed: BurnDisclosure
    cut_min_cards_from_either_end: int
    cut_card_min_from_back: int
    rounds_after_cut_round: int
    cut_card_at_round_start: CutRoundStart
    deal_option: DealOption
    banker_placement: BankerPlacement
    players_may_handle_cards: CardHandling
    third_card_dealt: ThirdCardDealt
    wagers_base: tuple[BaseWager, ...]
    seat_may_bet_player_and_banker: bool
    wager_lock: WagerLock
    verbal_cash_wagers: bool
    ez: bool
    dragon_bonus: bool
    dragon_bonus_table: BonusTable | None
    dragon_bonus_sides: tuple[HandName, ...]
    total_card_wagers: bool
    total_cards_require_base: bool
    bonus_requires_base: bool
    ghost_hands_max: int
    odds_player: Odds
    odds_banker: Odds
    odds_tie: Odds
    tie_result: TieResult
    none_six_odds: Odds | None
    odds_dragon7: Odds | None
    odds_panda8: Odds | None
    odds_total_4: Odds | None
    odds_total_5: Odds | None
    odds_total_6: Odds | None
    vig_mode: VigorishMode
    vig_rate: int
    vig_rounding: VigorishRounding
    vig_collection: VigorishCollection
    vig_deadline: VigorishDeadline
    uncollected_vig_form: bool
    calls_required: tuple[RequiredCall, ...]
    call_references: Mapping[RequiredCall, str]
    call_texts: Mapping[CallPhrase, str]
    pay_procedure: PayProcedure
    pay_pit_uniform: PitUniform
    irregularity_rules: IrregularityRules
    dealer_decides_own_irregularity: bool
    decisions_alone_max: int
    advisories_suspend: tuple[AdvisoryKind, ...]
    opening_inspection: OpeningInspection
    seat_direction: SeatDirection
    feed_direction: FeedDirection


class _Settings(Struct, frozen=True):
    """Checked settings by name, read as the type of their shape."""

    values: Mapping[str, SettingValue]

    def number(self, name: str) -> int:
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def number_or_none(self, name: str, word: str) -> int | None:
        return None if self.values[name] == word else self.number(name)

    def word(self, name: str, kind: type[_Word]) -> _Word:
        return kind(str(self.values[name]))

    def words(self, name: str, kind: type[_Word]) -> tuple[_Word, ...]:
        return tuple(map(kind, self.lines(name)))

    def lines(self, name: str) -> tuple[str, ...]:
        value = self.values[name]
        assert isinstance(value, tuple)
        return tuple(map(str, value))

    def odds(self, name: str) -> Odds:
        return Odds.parse(str(self.values[name]))

    def odds_or_none(self, name: str) -> Odds | None:
        return None if self.values[name] == NOT_APPLICABLE else self.odds(name)


def rule_values(values: Mapping[str, SettingValue]) -> RuleValues:
    """Type the settings; `values` holds every name of SHAPES, each fitting its shape."""
    read = _Settings(values)
    deal_option = read.word("deal_option", DealOption)
    table = values["dragon_bonus_table"]
    return RuleValues(
        decks_min=read.number("decks_min"),
        decks_max=read.number_or_none("decks_max", NONE),
        decks_per_shoe=read.number("decks_per_shoe"),
        cut_cards_per_shoe=read.number("cut_cards_per_shoe"),
        shuffle_mode=read.word("shuffle_mode", ShuffleMode),
        shuffle_finish=read.word("shuffle_finish", ShuffleFinish),
        reshuffle_after_lace=values["reshuffle_after_lace"] is True,
        shuffler_secure_store=values["shuffler_secure_store"] is True,
        batch_min_decks_each=read.number_or_none("batch_min_decks_each", DECKS_PER_SHOE),
        burn_mode=read.word("burn_mode", BurnMode),
        burn_fixed_count=read.number("burn_fixed_count"),
        burn_cards_disclosed=read.word("burn_cards_disclosed", BurnDisclosure),
        cut_min_cards_from_either_end=read.number("cut_min_cards_from_either_end"),
        cut_card_min_from_back=read.number("cut_card_min_from_back"),
        rounds_after_cut_round=read.number("rounds_after_cut_round"),
        cut_card_at_round_start=read.word("cut_card_at_round_start", CutRoundStart),
        deal_option=deal_option,
        banker_placement=_banker_placement(str(values["banker_placement"]), deal_option),
        players_may_handle_cards=read.word("players_may_handle_cards", CardHandling),
        third_card_dealt=_third_card_dealt(str(values["third_card_dealt"]), deal_option),
        wagers_base=read.words("wagers_base", BaseWager),
        seat_may_bet_player_and_banker=values["seat_may_bet_player_and_banker"] is True,
        wager_lock=read.word("wager_lock", WagerLock),
        verbal_cash_wagers=values["verbal_cash_wagers"] == TWO_CONFIRMATIONS,
        ez=values["ez_dragon7"] == ON,
        dragon_bonus=values["dragon_bonus"] == ON,
        dragon_bonus_table=None if table == NOT_APPLICABLE else BonusTable(str(table)),
        dragon_bonus_sides=read.words("dragon_bonus_sides", HandName),
        total_card_wagers=values["total_card_wagers"] == ON,
        total_cards_require_base=values["total_cards_require_base"] is True,
        bonus_requires_base=values["bonus_requires_base"] is True,
        ghost_hands_max=read.number_or_none("ghost_hands", OFF) or 0,
        odds_player=read.odds("odds_player"),
        odds_banker=read.odds("odds_banker"),
        odds_tie=read.odds("odds_tie"),
        tie_result=read.word("tie_result_player_banker", TieResult),
        none_six_odds=read.odds_or_none("none_six_odds"),
        odds_dragon7=read.odds_or_none("odds_dragon7"),
        odds_panda8=read.odds_or_none("odds_panda8"),
        odds_total_4=read.odds_or_none("odds_total_4"),
        odds_total_5=read.odds_or_none("odds_total_5"),
        odds_total_6=read.odds_or_none("odds_total_6"),
        vig_mode=read.word("vig_mode", VigorishMode),
        vig_rate=read.number("vig_rate"),
        vig_rounding=read.word("vig_rounding", VigorishRounding),
        vig_collection=read.word("vig_collection", VigorishCollection),
        vig_deadline=read.word("vig_deferred_deadline", VigorishDeadline),
        uncollected_vig_form=values["uncollected_vig_form"] == REQUIRED,
        calls_required=read.words("calls_required", RequiredCall),
        call_references=call_references(
            read.lines("call_references"), str(values["calls_control_reference"])
        ),
        call_texts=call_words(read.lines("call_texts")),
        pay_procedure=read.word("pay_procedure", PayProcedure),
        pay_pit_uniform=read.word("pay_procedure_pit_uniform", PitUniform),
        irregularity_rules=read.word("irregularity_rules", IrregularityRules),
        dealer_decides_own_irregularity=values["dealer_decides_own_irregularity"] is True,
        decisions_alone_max=read.number_or_none("decisions_alone_max", OFF) or 0,
        advisories_suspend=read.words("advisories_suspend", AdvisoryKind),
        opening_inspection=read.word("opening_inspection_record", OpeningInspection),
        seat_direction=read.word("seat_direction", SeatDirection),
        feed_direction=read.word("feed_direction", FeedDirection),
    )


def _third_card_dealt(word: str, deal_option: DealOption) -> ThirdCardDealt:
    """Face down only where the players reveal (S42-h-3-order, S42-h-3-iii)."""
    if word != BY_DEAL_OPTION:
        return ThirdCardDealt(word)
    if deal_option is DealOption.PLAYERS_REVEAL:
        return ThirdCardDealt.FACE_DOWN
    return ThirdCardDealt.FACE_UP


def _banker_placement(word: str, deal_option: DealOption) -> BankerPlacement:
    """Under the shoe unless dealt face up (S42-g-3-i to S42-g-3-iii)."""
    if word != BY_DEAL_OPTION:
        return BankerPlacement(word)
    if deal_option is DealOption.FACE_UP:
        return BankerPlacement.BANKER_AREA
    return BankerPlacement.UNDER_SHOE
