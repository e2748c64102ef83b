"""The closed sets that the values of an action are chosen from.

Source: NY (a)(2), (a)(4)(iv), (d), (i)(4)-(5); S42 (a)(4), (d), (e), (j)(4)-(5), (k), (l); WA
shuffle; D-32 (a person clears every irregularity).
"""

from enum import StrEnum


class FloorDecision(StrEnum):
    """What happens to the coup in which the irregularity occurred."""

    CONTINUE = "continue"  # play continues by the rules
    CARRY = "carry-card"  # as continue; a card drawn in error is the next hand's first card
    # as continue; a card drawn in error is burned, and as many cards as its amount
    BURN = "burn-card"
    VOID_COUP = "void-coup"  # the coup is void, its cards go to the discard rack
    STATE_OUTCOME = "state-outcome"  # the floorperson states the outcome of a partial coup
    CLOSE_SHOE = "close-shoe"  # the shoe ends here; an open coup is void


class Provisional(StrEnum):
    """What happens to the cards dealt while the table was suspended."""

    TAKE_OVER = "take-over"
    VOID = "void"


class LayoutPart(StrEnum):
    """A part of the layout that can be turned face up."""

    PLAYER_HAND = "player_hand"
    BANKER_HAND = "banker_hand"
    PLAYER_THIRD = "player_third"
    BANKER_THIRD = "banker_third"
    ERROR_CARD = "error_card"  # a card drawn in error


class ActKind(StrEnum):
    """Acts of people that the rules require or forbid."""

    # The table opens.
    ODDS_POSTED = "odds-posted"
    EZ_PUSH_POSTED = "ez-push-posted"
    LAYOUT_APPROVED = "layout-approved"
    # Cards are received.
    RECEIVED = "received"
    INSPECTED = "inspected"
    VERIFIED = "verified"
    PRESHUFFLED = "preshuffled"
    SPREAD = "spread"
    WASHED = "washed"
    STACKED = "stacked"
    # Shuffle and cut.
    SHUFFLED = "shuffled"
    FEATHERED = "feathered"
    LACED = "laced"
    RESHUFFLED = "reshuffled"  # once more, after lacing
    CUT_OFFERED = "cut-offered"
    CUT = "cut"
    CUT_BY_DEALER = "cut-by-dealer"
    CUT_MOVED = "cut-moved"
    CUT_CARDS_PLACED = "cut-cards-placed"
    RECUT = "recut"
    # Batches.
    LOADED = "loaded"
    INTO_SHUFFLER = "into-shuffler"
    RELEASED = "released"
    SHUFFLER_OPENED = "shuffler-opened"
    DISCARD_COUNTED = "discard-counted"
    DISCARD_CLEARED = "discard-cleared"
    FOREIGN_BACK = "foreign-back"
    ALTERNATION_SUSPENDED = "alternation-suspended"  # by a supervisor, for one shoe
    # A table without patrons.
    DEAD_TABLE_SPREAD = "dead-table-spread"
    DEAD_TABLE_VIEWED = "dead-table-viewed"
    RESPREAD_ASKED = "respread-asked"
    RESPREAD = "respread"
    # Conduct.
    SHOE_PASSED = "shoe-passed"
    CARDS_TOUCHED = "cards-touched"
    WAGER_TOUCHED = "wager-touched"
    # The shoe itself.
    SHOE_EMPTY = "shoe-empty"
    SHOE_JAMMED = "shoe-jammed"
    # Wagers.
    VERBAL_WAGER = "verbal-wager"
    LAYOUT_CHECKED = "layout-checked"
    # Of the feathered stack, by a floorperson: how its cards are distributed.
    FEATHER_CHECKED = "feather-checked"
