"""The codes of irregularities, the shape of a catalogue row, and sentences that rows share.

Source: D-32.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.actions.choices import FloorDecision
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


class IrregularityCode(StrEnum):
    """Stable names: journals, metrics and tests contain them; a name is never reused."""

    BURN_SKIPPED = "BURN_SKIPPED"
    BURN_SHORT = "BURN_SHORT"
    BURN_OVER = "BURN_OVER"
    CUT_CARD_IN_BURN = "CUT_CARD_IN_BURN"
    CUT_CARD_PLACEMENT = "CUT_CARD_PLACEMENT"
    CUT_CARD_EXTRA = "CUT_CARD_EXTRA"
    CARD_BEFORE_NO_MORE_BETS = "CARD_BEFORE_NO_MORE_BETS"
    OVERDRAW = "OVERDRAW"
    PLAYER_THIRD_UNAUTHORISED = "PLAYER_THIRD_UNAUTHORISED"
    FOUND_FACE_UP = "FOUND_FACE_UP"
    MISSING_CARD = "MISSING_CARD"
    CLAIM_DIFFERS = "CLAIM_DIFFERS"
    CARD_OUTSIDE_PLAY = "CARD_OUTSIDE_PLAY"
    CARD_AFTER_LAST_COUP = "CARD_AFTER_LAST_COUP"
    CARD_AFTER_SECOND_CUT_CARD = "CARD_AFTER_SECOND_CUT_CARD"
    CARDS_EXCEED_DECKS = "CARDS_EXCEED_DECKS"
    INSUFFICIENT_CARDS = "INSUFFICIENT_CARDS"
    RESULT_MISMATCH = "RESULT_MISMATCH"
    RESULT_WITHOUT_COUP = "RESULT_WITHOUT_COUP"
    RESULT_NOT_DECLARED = "RESULT_NOT_DECLARED"
    CARD_UNREADABLE = "CARD_UNREADABLE"
    FORCED_EXIT = "FORCED_EXIT"
    RETRANSMISSION_CONFLICT = "RETRANSMISSION_CONFLICT"
    REPORTS_LOST = "REPORTS_LOST"
    CONTINUITY_UNPROVEN = "CONTINUITY_UNPROVEN"
    SHOE_JOINED = "SHOE_JOINED"
    COUP_JOINED = "COUP_JOINED"
    SHOE_RESTARTED = "SHOE_RESTARTED"
    SHOE_CHANGED_EARLY = "SHOE_CHANGED_EARLY"
    PROGRAM_REPLACED = "PROGRAM_REPLACED"
    DEALT_WHILE_SUSPENDED = "DEALT_WHILE_SUSPENDED"
    WRONG_BATCH = "WRONG_BATCH"
    FOREIGN_CARD = "FOREIGN_CARD"
    DUPLICATE_CARD = "DUPLICATE_CARD"
    CARD_RETURNED = "CARD_RETURNED"
    TOO_MANY_OF_A_CARD = "TOO_MANY_OF_A_CARD"
    CARD_NOT_DRAWN = "CARD_NOT_DRAWN"
    CARD_MISPLACED = "CARD_MISPLACED"
    CARD_ABSENT = "CARD_ABSENT"
    CARD_EXTRA = "CARD_EXTRA"
    BATCH_BLOCKED = "BATCH_BLOCKED"
    OPENING_INCOMPLETE = "OPENING_INCOMPLETE"
    BATCH_REPEATED = "BATCH_REPEATED"
    BATCH_SHORT = "BATCH_SHORT"
    DISCARD_RACK_MIXED = "DISCARD_RACK_MIXED"
    DISCARD_DIFFERS = "DISCARD_DIFFERS"
    CUT_TOO_SHALLOW = "CUT_TOO_SHALLOW"
    IDLE_BATCH_OUT = "IDLE_BATCH_OUT"
    SHUFFLER_UNSECURE = "SHUFFLER_UNSECURE"
    CARDS_TOUCHED = "CARDS_TOUCHED"
    TURNED_OUT_OF_ORDER = "TURNED_OUT_OF_ORDER"
    THIRD_CARD_BEFORE_TURNED = "THIRD_CARD_BEFORE_TURNED"
    GHOST_HAND_WITH_WAGERS = "GHOST_HAND_WITH_WAGERS"
    GHOST_HANDS_EXCEEDED = "GHOST_HANDS_EXCEEDED"
    WAGER_CHANGED_LATE = "WAGER_CHANGED_LATE"
    WAGER_TOUCHED = "WAGER_TOUCHED"
    WAGER_REFUSED = "WAGER_REFUSED"
    VIGORISH_NOT_COLLECTED = "VIGORISH_NOT_COLLECTED"
    BATCH_UNSHUFFLED = "BATCH_UNSHUFFLED"
    BATCH_NOT_READY = "BATCH_NOT_READY"
    CARD_UNDER_WARNING = "CARD_UNDER_WARNING"
    SHOE_JAMMED = "SHOE_JAMMED"
    ADVISORY_GIVEN = "ADVISORY_GIVEN"
    JUDGING_FAILED = "JUDGING_FAILED"


class RemedyText(Struct, frozen=True):
    """What a floorperson may do, and the decision it belongs to; None where it is any."""

    text: Message
    decision: FloorDecision | None = None


class IrregularityKind(Struct, frozen=True):
    """The catalogue row of one code; `permitted` and `forbidden` are for the floorperson.

    `prescribed`: a rule says what follows, so that voiding the coup is a person's own decision
    unless the profile leaves irregularities to the floorperson (D-43).
    """

    points: tuple[RulePoint, ...]
    suspends: bool
    decisions: tuple[FloorDecision, ...]
    permitted: tuple[RemedyText, ...]
    forbidden: tuple[Message, ...]
    prescribed: bool = False


def always(text: Message) -> RemedyText:
    """What is permitted with every decision."""
    return RemedyText(text)


def if_continued(text: Message) -> RemedyText:
    return RemedyText(text, FloorDecision.CONTINUE)


def if_void(text: Message) -> RemedyText:
    return RemedyText(text, FloorDecision.VOID_COUP)


def if_closed(text: Message) -> RemedyText:
    return RemedyText(text, FloorDecision.CLOSE_SHOE)


ANY: Final = (FloorDecision.CONTINUE, FloorDecision.VOID_COUP, FloorDecision.CLOSE_SHOE)
GO_ON_OR_CLOSE: Final = (FloorDecision.CONTINUE, FloorDecision.CLOSE_SHOE)
# Which of them is permitted depends on the irregularity rules of the profile, on whether people
# saw the card, and on whether there is a next hand.
CARD_IN_ERROR: Final = (
    FloorDecision.CONTINUE,
    FloorDecision.CARRY,
    FloorDecision.BURN,
    FloorDecision.VOID_COUP,
    FloorDecision.CLOSE_SHOE,
)
# Which of them is permitted depends on whether a coup is partial.
PARTIAL_OR_NONE: Final = (
    FloorDecision.CONTINUE,
    FloorDecision.VOID_COUP,
    FloorDecision.STATE_OUTCOME,
    FloorDecision.CLOSE_SHOE,
)
CLOSE: Final = (FloorDecision.CLOSE_SHOE,)
ACKNOWLEDGE: Final = (FloorDecision.CONTINUE,)

NEVER_SILENT: Final = message("paying_or_taking_any_wager_this_coup")
NEVER_INVENT: Final = message("counting_this_coup_from_memory_without_named")
NO_FAVOURS: Final = message("offering_chips_or_favours_in_place_rule")
CHECK_TABLE: Final = always(message("compare_layout_then_decide"))
CARRY_UNSEEN: Final = RemedyText(
    message("if_nobody_saw_card_hold_face_down"),
    FloorDecision.CARRY,
)
BURN_SEEN: Final = RemedyText(
    message("if_seen_put_into_discard_rack"),
    FloorDecision.BURN,
)
RACK_IT: Final = if_continued(message("put_card_into_discard_rack_and_burn_nothing"))
# For a decision that is permitted and of which the row of the irregularity says nothing.
GENERAL_REMEDIES: Final = MappingProxyType(
    {
        remedy.decision: remedy
        for remedy in (
            if_continued(message("go_on_by_rules_from_present_point")),
            CARRY_UNSEEN,
            BURN_SEEN,
            if_void(message("void_coup_return_every_wager_in_full")),
            RemedyText(message("state_outcome_from_cards_on_layout"), FloorDecision.STATE_OUTCOME),
            if_closed(message("close_shoe_open_coup_void")),
        )
    }
)
