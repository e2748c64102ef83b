"""The phases of play, what happens in them, and sets of phases; the table has the rest.

Source: NY-e-4, NY-f-2, NY-f-3-four, NY-h-1 to NY-h-4-7, NY-i-1-winner; S42-e-6-burn1, S42-g-2,
S42-g-3-four, S42-h-3-order, S42-h-4, S42-h-5-aside to S42-h-5-onemore, S42-k-1-burn, S42-k-3-extra,
S42-k-4-void.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from foundation.message import Message, message


class Phase(StrEnum):
    """What is due next at the table."""

    CLOSED = "closed"
    OPENING = "opening"
    BURN_FIRST = "burn_first"
    BURN_REST = "burn_rest"
    BURN_UNCOUNTED = "burn_uncounted"
    BOXED_BURN = "boxed_burn"
    REMEDY_BURN = "remedy_burn"
    REMEDY_BURN_UNCOUNTED = "remedy_burn_uncounted"
    COUP_BURN = "coup_burn"
    BETWEEN_COUPS = "between_coups"
    BETTING_CLOSED = "betting_closed"
    PLAYER_1 = "player_1"
    BANKER_1 = "banker_1"
    PLAYER_2 = "player_2"
    BANKER_2 = "banker_2"
    PLAYER_3 = "player_3"
    BANKER_3 = "banker_3"
    RESULT = "result"
    DECLARED = "declared"
    ABANDONED = "abandoned"
    ABANDONED_COMPLETE = "abandoned_complete"
    PARTIAL = "partial"
    SHOE_OVER = "shoe_over"
    SUSPENDED = "suspended"


class Trigger(StrEnum):
    """What happens, as the program learns it, and what follows from it by the rules."""

    # A card, by the place that the shoe claims for it.
    CLAIMED_BURN_FIRST = "claimed_burn_first"
    CLAIMED_BURN = "claimed_burn"
    CLAIMED_BURN_EXTRA = "claimed_burn_extra"
    CLAIMED_PLAYER_1 = "claimed_player_1"
    CLAIMED_BANKER_1 = "claimed_banker_1"
    CLAIMED_PLAYER_2 = "claimed_player_2"
    CLAIMED_BANKER_2 = "claimed_banker_2"
    CLAIMED_PLAYER_3 = "claimed_player_3"
    CLAIMED_BANKER_3 = "claimed_banker_3"
    CLAIMED_FURTHER = "claimed_further"
    CLAIMED_OUTSIDE = "claimed_outside"
    UNCLAIMED_CARD = "unclaimed_card"
    COUP_UNSEEN = "coup_unseen"  # of a coup whose beginning was not seen
    # Anything else that happens.
    CUT_CARD = "cut_card"
    NO_MORE_BETS = "no_more_bets"
    RESULT_DECLARED = "result_declared"
    FORCED_EXIT = "forced_exit"
    STAND_BY = "stand_by"
    DEVICE_STARTED = "device_started"
    REPORTS_MISSING = "reports_missing"
    PROGRAM_REPLACED = "program_replaced"
    STATED_EMPTY = "stated_empty"  # by a floorperson, of the shoe
    DEALT_WHILE_SUSPENDED = "dealt_while_suspended"
    DRAWN_UNDER_WARNING = "drawn_under_warning"  # of the shuffler
    OF_NEXT_SHOE = "of_next_shoe"  # while the table is suspended
    # What follows: a move.
    SHOE_OPENED = "shoe_opened"
    SHOE_JOINED = "shoe_joined"
    FIRST_CARD_READY = "first_card_ready"
    BURN_OWED = "burn_owed"
    BOXED_BURN_OWED = "boxed_burn_owed"
    BURN_UNPROVEN = "burn_unproven"
    BURN_READ = "burn_read"  # the card that says how many are burned
    BURN_DONE = "burn_done"
    COUP_BEGINS = "coup_begins"
    CARD = "card"
    NATURAL = "natural"
    PLAYER_DRAWS = "player_draws"
    PLAYER_STANDS_BANKER_DRAWS = "player_stands_banker_draws"
    BOTH_STAND = "both_stand"
    BANKER_DRAWS = "banker_draws"
    BANKER_STANDS = "banker_stands"
    COUP_PARTIAL = "coup_partial"
    PROGRESS_LOST = "progress_lost"
    NO_CARD_LEFT = "no_card_left"
    COUP_ABANDONED = "coup_abandoned"
    COUP_REOPENED = "coup_reopened"  # a card of the coup that ended last was read
    COUP_DONE = "coup_done"
    PARTIAL_COUP_DONE = "partial_coup_done"
    COUP_VOIDED = "coup_voided"
    SHOE_CLOSED = "shoe_closed"
    NEXT_SHOE_UNSEEN = "next_shoe_unseen"
    SUSPEND = "suspend"
    RESUME = "resume"


_DUE_WORDS: Final = MappingProxyType(
    {
        Phase.CLOSED: message("due_shoe"),
        Phase.OPENING: message("due_opening"),
        Phase.BURN_FIRST: message("first_burn_card"),
        Phase.BURN_REST: message("due_burn_cards"),
        Phase.BURN_UNCOUNTED: message("due_burn_cards"),
        Phase.BOXED_BURN: message("due_burn_cards"),
        Phase.REMEDY_BURN: message("due_burn_cards"),
        Phase.REMEDY_BURN_UNCOUNTED: message("due_burn_cards"),
        Phase.COUP_BURN: message("due_burn_cards"),
        Phase.BETWEEN_COUPS: message("due_next_coup"),
        Phase.BETTING_CLOSED: message("player_first_card"),
        Phase.PLAYER_1: message("player_first_card"),
        Phase.BANKER_1: message("banker_first_card"),
        Phase.PLAYER_2: message("player_second_card"),
        Phase.BANKER_2: message("banker_second_card"),
        Phase.PLAYER_3: message("player_third_card"),
        Phase.BANKER_3: message("banker_third_card"),
        Phase.RESULT: message("due_result"),
        Phase.DECLARED: message("due_decision_on_result"),
        Phase.ABANDONED: message("due_decision_on_coup"),
        Phase.ABANDONED_COMPLETE: message("due_decision_on_coup"),
        Phase.PARTIAL: message("due_result"),
        Phase.SHOE_OVER: message("due_reshuffle"),
        Phase.SUSPENDED: message("due_floorperson_decision"),
    }
)


def due_words(phase: Phase) -> Message:
    """What the table waits for in this phase, in words for people."""
    return _DUE_WORDS[phase]


# The burn before play: its count is not known, or its first card was boxed and is burned first.
BURNS_BEFORE_PLAY: Final = (
    Phase.BURN_FIRST,
    Phase.BURN_REST,
    Phase.BURN_UNCOUNTED,
    Phase.BOXED_BURN,
)
# A burn in play that an irregularity requires, before a coup or while one is on the table;
# `burn_return_phase` says where play resumes.
BURNS_BEFORE_COUP: Final = (Phase.REMEDY_BURN, Phase.REMEDY_BURN_UNCOUNTED)
REMEDY_BURNS: Final = (*BURNS_BEFORE_COUP, Phase.COUP_BURN)
BURN_PHASES: Final = (*BURNS_BEFORE_PLAY, *REMEDY_BURNS)
BURNS_BEGUN: Final = BURN_PHASES[1:]
# Burns that end with the first coup, because nobody knows how many cards they need.
UNCOUNTED_BURNS: Final = (Phase.BURN_UNCOUNTED, Phase.REMEDY_BURN_UNCOUNTED)
# A coup is on the table and a hand is due a card.
DUE_PHASES: Final = (
    Phase.PLAYER_1,
    Phase.BANKER_1,
    Phase.PLAYER_2,
    Phase.BANKER_2,
    Phase.PLAYER_3,
    Phase.BANKER_3,
)
# The coup was left before its result, by the shoe's forced exit or by a result declared too early.
ABANDONED_PHASES: Final = (Phase.ABANDONED, Phase.ABANDONED_COMPLETE)
# The hands need no more cards, and nobody left them.
HANDS_COMPLETE: Final = (Phase.RESULT, Phase.DECLARED)
# A coup is on the table, and all its cards are known.
WHOLE_COUPS: Final = (*DUE_PHASES, *HANDS_COMPLETE, *ABANDONED_PHASES)
# A coup is on the table.
COUP_PHASES: Final = (*WHOLE_COUPS, Phase.PARTIAL)
# A shoe is in play and no coup is on the table.
BEFORE_A_COUP: Final = (Phase.BETWEEN_COUPS, Phase.BETTING_CLOSED)
# No card of the coup is due.
COUP_ENDS: Final = (*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE, Phase.PARTIAL)
# The coup on the table can end without all its cards known.
ENDS_PARTIAL: Final = (*ABANDONED_PHASES, Phase.PARTIAL)
# The hands are complete, and no card of them is unknown.
COMPLETE: Final = (*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE)
# Here a card drawn in error can wait for its decision.
MAY_HOLD: Final = (*BEFORE_A_COUP, *DUE_PHASES, *COMPLETE, Phase.ABANDONED)
# Burns in which a card outside play is no burn card.
BURNS_WITH_PLACES: Final = (
    *(Phase.BURN_FIRST, Phase.BURN_REST, Phase.BURN_UNCOUNTED),
    Phase.REMEDY_BURN_UNCOUNTED,
)
# A card is due, or the first one of a coup whose betting is closed.
NEEDS_A_CARD: Final = (Phase.BETTING_CLOSED, *DUE_PHASES, Phase.ABANDONED)
# A coup is on the table whose hands need more cards: it has no result yet.
INCOMPLETE: Final = (Phase.COUP_BURN, *DUE_PHASES, Phase.ABANDONED)
# Cards were dealt that can be void.
VOIDABLE: Final = (Phase.BETTING_CLOSED, *COUP_PHASES)
# The burn before play begins again after a boxed card.
BOXED_FROM: Final = (Phase.BURN_FIRST, Phase.BURN_REST)
# A table waits: the opening passes at once, beneath a suspension the phase of play is asked.
RESTING: Final = tuple(one for one in Phase if one not in (Phase.OPENING, Phase.SUSPENDED))
IN_SHOE: Final = tuple(one for one in RESTING if one is not Phase.CLOSED)
IN_PLAY: Final = tuple(one for one in IN_SHOE if one is not Phase.SHOE_OVER)
# In the shoe's order; also the phases a suspension may interrupt and resume. Opening is not one of
# them: it passes at once.
RESUMABLE_PHASES: Final = (*BURN_PHASES, *BEFORE_A_COUP, *COUP_PHASES, Phase.SHOE_OVER)
# A coup may have ended in this shoe, and the next one may have begun.
AFTER_A_COUP: Final = (*REMEDY_BURNS, *BEFORE_A_COUP, *COUP_PHASES, Phase.SHOE_OVER)
# A shoe is closed with no coup on the table: an open coup is ended or voided first.
CLOSABLE_PHASES: Final = (*BURNS_BEFORE_PLAY, *BURNS_BEFORE_COUP, *BEFORE_A_COUP)
