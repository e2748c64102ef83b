"""Acts of people that the rules require or forbid, as a closed set.

Source: NY (a)(2), (a)(4)(iv), (d), (i)(4)-(5); S42 (a)(4), (d), (e), (j)(4)-(5), (l); WA shuffle.
"""

from enum import StrEnum


class ActKind(StrEnum):
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
