"""Enums of the words that a profile's settings may hold.

Source: differences between the rule documents X-1 to X-32.
"""

from enum import StrEnum


class ShuffleMode(StrEnum):
    DUAL_BATCH = "dual_batch"
    HAND = "hand"
    CONTINUOUS = "continuous"


class ShuffleFinish(StrEnum):
    """The finish of a hand shuffle (S42-e-2-i, S42-e-2-ii)."""

    FEATHER = "feather"
    LACE = "lace"


class BurnMode(StrEnum):
    FIRST_CARD_VALUE = "first_card_value"
    FIXED = "fixed"
    NONE = "none"


class BurnDisclosure(StrEnum):
    ALL = "all"
    FIRST_ONLY = "first_only"


class CutRoundStart(StrEnum):
    """The effect of a cut card between two coups on the next coup."""

    CURRENT_COUP = "current_coup"  # the coup in progress: it is completed, then the last hand
    LAST_COUP = "last_coup"  # the last hand itself


class DealOption(StrEnum):
    FACE_UP = "face_up"
    FACE_DOWN_DEALER = "face_down_dealer"
    MIXED = "mixed"  # Player's Hand face up, Banker's face down until Player's is called
    PLAYERS_REVEAL = "players_reveal"


class ThirdCardDealt(StrEnum):
    FACE_UP = "face_up"
    FACE_DOWN = "face_down"


class IrregularityRules(StrEnum):
    S42_K = "s42_k"
    FLOORPERSON_DECIDES = "floorperson_decides"


class RequiredCall(StrEnum):
    """An announcement that the dealer has to make."""

    BEFORE = "before"
    NO_MORE_BETS = "no_more_bets"
    COUNTS = "counts_player_then_banker"
    DRAWS = "draws"
    FINAL_AND_WINNER = "final_counts_and_winner"
    TIE_HAND = "tie_hand"
    TOTAL_CARDS = "total_cards"
    DRAGON7_PANDA8 = "dragon7_panda8"
    LAST_HAND = "last_hand"


class TieResult(StrEnum):
    """Player and Banker wagers on a tie; both values return the stake."""

    PUSH = "push"
    VOID = "void"


class VigorishMode(StrEnum):
    COMMISSION = "commission"  # on what a Banker wager won
    TIE25 = "tie25"  # 25 percent of the Banker wager on a tie, nothing on wins
    NONE_SIX = "none_six"  # none; a Banker win with six pays less
    NONE_TOTAL_CARDS = "none_total_cards"  # waived per seat by total card wagers
    NONE = "none"
    EZ_NONE = "ez_none"  # none; a dragon 7 pushes the Banker wager


class VigorishRounding(StrEnum):
    UP_TO_5C = "up_to_5c"
    EXACT = "exact"
    DOWN_TO_5C = "down_to_5c"
    NOT_APPLICABLE = "not_applicable"


class VigorishCollection(StrEnum):
    IMMEDIATE = "immediate"
    DEFERRED = "deferred"
    NOT_APPLICABLE = "not_applicable"


class VigorishDeadline(StrEnum):
    BEFORE_RESHUFFLE = "before_reshuffle"
    SHOE_END_OR_PATRON_LEAVES = "shoe_end_or_patron_leaves"
    NOT_APPLICABLE = "not_applicable"


class BonusTable(StrEnum):
    A = "A"
    B = "B"
    C = "C"


class PayProcedure(StrEnum):
    I = "i"  # noqa: E741 - the regulators' numerals
    II = "ii"
    III = "iii"
    IV = "iv"
    RECONCILIATION = "reconciliation"  # seat by seat: take, pay, vigorish
    PAY_ONLY = "pay_only"  # no vigorish at this table


class WagerLock(StrEnum):
    """When wagers are locked."""

    NO_MORE_BETS = "no_more_bets"
    FIRST_CARD = "first_card"


class SeatDirection(StrEnum):
    """How seat numbers ascend, seen from above (D-26)."""

    COUNTER_CLOCKWISE = "counter_clockwise"
    CLOCKWISE = "clockwise"


class CardHandling(StrEnum):
    """What patrons may do with cards."""

    NO = "no"
    REVEAL_ONLY = "reveal_only"  # turn the hand they are given
    SHOE_PASSES = "shoe_passes"  # deal from the shoe as well
    UNDER_PLAYERS_REVEAL = (
        "under_players_reveal"  # turn their hand under that deal option, else nothing
    )


class BankerPlacement(StrEnum):
    """Where Banker's first two cards are placed."""

    UNDER_SHOE = "under_shoe"
    BANKER_AREA = "banker_area"


class BaseWager(StrEnum):
    BANKER = "banker"
    PLAYER = "player"
    TIE = "tie"


class PitUniform(StrEnum):
    """Whether all tables of a pit must use one pay procedure."""

    OFF = "off"
    ENFORCE = "enforce"
    ENFORCE_30_MINUTES_NOTICE = "enforce_30_minutes_notice"


class FeedDirection(StrEnum):
    """Whether anything may come back to a table that reports to the floor."""

    ONE_WAY = "one_way"  # it reports, and takes nothing
    TWO_WAY = "two_way"  # it also sends finished shoes again on request


class OpeningInspection(StrEnum):
    """Who inspects the cards before they are used, and what is recorded of it."""

    DEALER_AND_FLOORPERSON = "dealer_and_floorperson"
    OR_PRESHUFFLE_RECEIPT = "dealer_and_floorperson_or_preshuffle_receipt"
    PER_BATCH = "dealer_and_floorperson_per_batch"
