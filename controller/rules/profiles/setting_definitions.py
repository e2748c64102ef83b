"""Every setting of a profile, in order, with the values it may hold.

Source: the clauses of each setting are in controller/rules/profiles/shipped/*.toml.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from controller.rules.advisory import AdvisoryKind
from controller.rules.hands import HandName
from controller.rules.profiles.call_phrases import DEFAULT_WORDS
from controller.rules.profiles.setting_types import (
    NOT_APPLICABLE,
    KeyedTexts,
    OddsLimitText,
    OddsText,
    Shape,
    Text,
    Token,
    Tokens,
    WholeNumber,
    WholeNumbers,
    YesNo,
)
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

BY_DEAL_OPTION: Final = "by_deal_option"
DECKS_PER_SHOE: Final = "decks_per_shoe"
NONE: Final = "none"
OFF: Final = "off"
ON: Final = "on"
REQUIRED: Final = "required"
TWO_CONFIRMATIONS: Final = "two_confirmations"

_SWITCH: Final = (OFF, ON)

# In the order of `rules show` and of the files. NAME_allowed: what the house may choose.
SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        # Cards and batches
        "decks_min": WholeNumber(1, 16),
        "decks_max": WholeNumber(1, 16, NONE),
        "decks_per_shoe": WholeNumber(1, 16),
        "cut_cards_per_shoe": WholeNumber(1, 2),
        "shuffle_mode": Token(tuple(ShuffleMode)),
        "shuffle_mode_allowed": Tokens(tuple(ShuffleMode)),
        "shuffle_control_reference": Text(),
        "shuffle_finish": Token(tuple(ShuffleFinish)),
        "shuffle_finish_allowed": Tokens(tuple(ShuffleFinish)),
        "reshuffle_after_lace": YesNo(),
        "shuffler_secure_store": YesNo(),
        "batch_min_decks_each": WholeNumber(1, 16, DECKS_PER_SHOE),
        "batch_equal_and_distinct_backs": Token(("enforce",)),
        "batch_alternation": Token(("enforce_persistent",)),
        "discard_rack_single_batch": Token(("enforce",)),
        # Burn
        "burn_mode": Token(tuple(BurnMode)),
        "burn_mode_allowed": Tokens(tuple(BurnMode)),
        "burn_fixed_count": WholeNumber(0, 20),
        "burn_control_reference": Text(),
        "burn_total_removed": Token(("one_plus_value",)),
        "burn_value_of_10_J_Q_K": WholeNumber(10, 10),
        "burn_value_of_ace": WholeNumber(1, 1),
        "burn_cards_disclosed": Token(tuple(BurnDisclosure)),
        "burn_every_shoe": YesNo((True,)),
        # Cut and cut card
        "cut_min_cards_from_either_end": WholeNumber(0, 208),
        "cut_card_min_from_back": WholeNumber(0, 208),
        "rounds_after_cut_round": WholeNumber(0, 2),
        "cut_card_at_round_start": Token(tuple(CutRoundStart)),
        # Dealing
        "deal_option": Token(tuple(DealOption)),
        "deal_option_allowed": Tokens(tuple(DealOption)),
        "banker_placement": Token((*BankerPlacement, BY_DEAL_OPTION)),
        "banker_placement_allowed": Tokens((*BankerPlacement, BY_DEAL_OPTION)),
        "players_may_handle_cards": Token(tuple(CardHandling)),
        "third_card_dealt": Token((*ThirdCardDealt, BY_DEAL_OPTION)),
        "reveal_seat_tie_break": Token((NOT_APPLICABLE, "nearest_dealer_counter_clockwise")),
        # Third card
        "third_card_table": Token(("standard",)),
        "banker_when_player_stands": Token(("draw_0_5_stand_6_9",)),
        # Wagers
        "wagers_base": Tokens(tuple(BaseWager)),
        "seat_may_bet_player_and_banker": YesNo(),
        "wager_lock": Token(tuple(WagerLock)),
        "verbal_cash_wagers": Token(("refused", TWO_CONFIRMATIONS)),
        "coupon_reference": Text(),
        "side_wager_approval": Text(),
        "ez_dragon7": Token(_SWITCH),
        "dragon_bonus": Token(_SWITCH),
        "dragon_bonus_allowed": Tokens(_SWITCH),
        "dragon_bonus_table": Token((*BonusTable, NOT_APPLICABLE)),
        "dragon_bonus_table_allowed": Tokens(tuple(BonusTable), least=0),
        "dragon_bonus_sides": Tokens(tuple(HandName), least=0),
        "dragon_bonus_sides_allowed": Tokens(tuple(HandName), least=0),
        "total_card_wagers": Token(_SWITCH),
        "total_card_wagers_allowed": Tokens(_SWITCH),
        "total_cards_require_base": YesNo(word=NOT_APPLICABLE),
        "bonus_requires_base": YesNo(),
        "ghost_hands": WholeNumber(1, 99, OFF),
        "ghost_hands_control_reference": Text(),
        # Odds
        "odds_player": OddsText(),
        "odds_player_allowed": OddsLimitText(),
        "odds_banker": OddsText(),
        "odds_banker_allowed": OddsLimitText(),
        "odds_tie": OddsText(),
        "odds_tie_allowed": OddsLimitText(),
        "tie_result_player_banker": Token(tuple(TieResult)),
        "none_six_odds": OddsText(absent=True),
        "none_six_odds_allowed": OddsLimitText(absent=True),
        "odds_dragon7": OddsText(absent=True),
        "odds_dragon7_allowed": OddsLimitText(absent=True),
        "odds_panda8": OddsText(absent=True),
        "odds_panda8_allowed": OddsLimitText(absent=True),
        "odds_total_4": OddsText(absent=True),
        "odds_total_5": OddsText(absent=True),
        "odds_total_6": OddsText(absent=True),
        # Vigorish
        "vig_mode": Token(tuple(VigorishMode)),
        "vig_mode_allowed": Tokens(tuple(VigorishMode)),
        "vig_rate": WholeNumber(0, 5),
        "vig_rate_allowed": WholeNumbers(0, 5),
        "vig_rounding": Token(tuple(VigorishRounding)),
        "vig_rounding_allowed": Tokens(tuple(VigorishRounding)),
        "vig_collection": Token(tuple(VigorishCollection)),
        "vig_collection_allowed": Tokens(tuple(VigorishCollection)),
        "vig_deferred_deadline": Token(tuple(VigorishDeadline)),
        "uncollected_vig_form": Token((NOT_APPLICABLE, REQUIRED)),
        "tie25_excludes_win_commission": YesNo((True,), NOT_APPLICABLE),
        # Calls
        "calls_required": Tokens(tuple(RequiredCall)),
        "calls_control_reference": Text(),
        "call_references": KeyedTexts({call.value: () for call in RequiredCall}),
        "call_texts": KeyedTexts(
            {one.value: words.numbers for one, words in DEFAULT_WORDS.items()}
        ),
        # Payment
        "pay_procedure": Token(tuple(PayProcedure)),
        "pay_procedure_allowed": Tokens(tuple(PayProcedure)),
        "pay_control_reference": Text(),
        "pay_procedure_pit_uniform": Token(tuple(PitUniform)),
        # Irregularities
        "irregularity_rules": Token(tuple(IrregularityRules)),
        "insufficient_cards": Token(("round_void_reshuffle",)),
        "dealer_decides_own_irregularity": YesNo(),
        "decisions_alone_max": WholeNumber(1, 99, OFF),
        "advisories_suspend": Tokens(tuple(AdvisoryKind), least=0),
        # Opening and table
        "opening_inspection_record": Token(tuple(OpeningInspection)),
        "seat_direction": Token(tuple(SeatDirection)),
        "feed_direction": Token(tuple(FeedDirection)),
    }
)

# Settings with one value: why no house chooses another. They name the clauses that fix it.
_BY_EVERY_DOCUMENT: Final = "every document that speaks of it says so; no house may do otherwise"
CONSTANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "batch_equal_and_distinct_backs": _BY_EVERY_DOCUMENT,
        "batch_alternation": f"{_BY_EVERY_DOCUMENT}; a floorperson suspends it for one shoe",
        "discard_rack_single_batch": _BY_EVERY_DOCUMENT,
        "burn_total_removed": "the first card and its value (D-1); burn_mode fixed has others",
        "burn_value_of_10_J_Q_K": "the only value a document gives for burning (D-12)",
        "burn_value_of_ace": "the only value a document gives for burning (D-12)",
        "burn_every_shoe": "each shoe is shuffled and so burned (D-2); no burn is burn_mode none",
        "reveal_seat_tie_break": "the only order a document gives, where players reveal (D-26)",
        "third_card_table": "the same table in every document",
        "banker_when_player_stands": "the same row in every document",
        "tie25_excludes_win_commission": "no document charges both, where tie25 can be chosen",
        "insufficient_cards": "the only remedy that a document gives",
    }
)

# Settings that texts stored by earlier versions do not have: what holds there.
LATER_SETTINGS: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "call_references": {
            "value": [],
            "assumed": True,
            "reason": "no call has a reference of its own",
        },
        "call_texts": {
            "value": [],
            "assumed": True,
            "reason": "the house has chosen no words for its calls",
        },
        "coupon_reference": {
            "value": "",
            "assumed": True,
            "reason": "a coupon is paid as chips of its value",
        },
        "dealer_decides_own_irregularity": {
            "value": True,
            "assumed": True,
            "reason": "the house has not forbidden it",
        },
        "decisions_alone_max": {
            "value": OFF,
            "assumed": True,
            "reason": "the house has set no limit",
        },
        "advisories_suspend": {
            "value": [],
            "assumed": True,
            "reason": "an advisory is no verdict (D-31)",
        },
        "ghost_hands_control_reference": {
            "value": "",
            "assumed": True,
            "reason": "the house was not asked for one",
        },
        "pay_control_reference": {
            "value": "",
            "assumed": True,
            "reason": "the house was not asked for one",
        },
        "feed_direction": {
            "value": FeedDirection.TWO_WAY.value,
            "assumed": True,
            "reason": "no table had a feed",
        },
    }
)


def choices_setting(name: str) -> str:
    """The name of the setting that lists the choices of `name`; empty where there is none."""
    allowed = f"{name}_allowed"
    return allowed if allowed in SHAPES else ""
