"""The procedure as one flat state table: phases, triggers and every legal edge.

A wrong order, a short burn or a card after the last hand is an edge that does not exist.
Source: NY-e-4, NY-f-2, NY-f-3-four, NY-h-1 to NY-h-4-7, NY-i-1-winner; S42-e-6-burn1, S42-g-2,
S42-g-3-four, S42-h-3-order, S42-h-4, S42-h-5-aside to S42-h-5-onemore, S42-k-1-burn, S42-k-3-extra,
S42-k-4-void.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from firmware_bridge.message import message


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
    """An event as the rules classify it."""

    SHOE_OPENED = "shoe_opened"
    SHOE_JOINED = "shoe_joined"
    FIRST_CARD_READY = "first_card_ready"
    BURN_OWED = "burn_owed"
    BOXED_BURN_OWED = "boxed_burn_owed"
    BURN_UNPROVEN = "burn_unproven"
    BURN_DONE = "burn_done"
    NO_MORE_BETS = "no_more_bets"
    COUP_BEGINS = "coup_begins"
    CARD = "card"
    NATURAL = "natural"
    PLAYER_DRAWS = "player_draws"
    PLAYER_STANDS_BANKER_DRAWS = "player_stands_banker_draws"
    BOTH_STAND = "both_stand"
    BANKER_DRAWS = "banker_draws"
    BANKER_STANDS = "banker_stands"
    COUP_PARTIAL = "coup_partial"
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
    BURN_OWED_CARD = "burn_owed_card"
    FIRST_FOR_BANKER = "first_for_banker"
    CARD_AFTER_ERROR = "card_after_error"
    MORE_AFTER_ERROR = "more_after_error"
    HELD_COUP = "held_coup"
    ANOTHER_COUP = "another_coup"
    UNSEEN_COUP_FOLLOWS = "unseen_coup_follows"
    COUP_UNSEEN = "coup_unseen"
    FIRST_CUT_CARD = "first_cut_card"
    SECOND_CUT_CARD = "second_cut_card"
    EXTRA_CUT_CARD = "extra_cut_card"
    RESULT_DECLARED = "result_declared"
    RESULT_OF_HELD = "result_of_held"
    FORCED_EXIT = "forced_exit"
    COUNT_LEFT = "count_left"
    STAND_BY = "stand_by"
    DEVICE_STARTED = "device_started"
    STARTED_IN_DEALING = "started_in_dealing"
    STARTED_AFTER_CUT = "started_after_cut"
    CONTINUITY_UNPROVEN = "continuity_unproven"
    REPORTS_LOST = "reports_lost"
    PROGRAM_REPLACED = "program_replaced"
    COUP_ABANDONED = "coup_abandoned"
    COUP_DONE = "coup_done"
    LAST_COUP_DONE = "last_coup_done"
    COUP_VOIDED = "coup_voided"
    SHOE_CLOSED = "shoe_closed"
    NEXT_SHOE_UNSEEN = "next_shoe_unseen"
    SUSPEND = "suspend"
    RESUME_TO_BURN_FIRST = "resume_to_burn_first"
    RESUME_TO_BURN_REST = "resume_to_burn_rest"
    RESUME_TO_BURN_UNCOUNTED = "resume_to_burn_uncounted"
    RESUME_TO_BOXED_BURN = "resume_to_boxed_burn"
    RESUME_TO_REMEDY_BURN = "resume_to_remedy_burn"
    RESUME_TO_REMEDY_BURN_UNCOUNTED = "resume_to_remedy_burn_uncounted"
    RESUME_TO_COUP_BURN = "resume_to_coup_burn"
    RESUME_TO_BETWEEN_COUPS = "resume_to_between_coups"
    RESUME_TO_BETTING_CLOSED = "resume_to_betting_closed"
    RESUME_TO_PLAYER_1 = "resume_to_player_1"
    RESUME_TO_BANKER_1 = "resume_to_banker_1"
    RESUME_TO_PLAYER_2 = "resume_to_player_2"
    RESUME_TO_BANKER_2 = "resume_to_banker_2"
    RESUME_TO_PLAYER_3 = "resume_to_player_3"
    RESUME_TO_BANKER_3 = "resume_to_banker_3"
    RESUME_TO_RESULT = "resume_to_result"
    RESUME_TO_DECLARED = "resume_to_declared"
    RESUME_TO_ABANDONED = "resume_to_abandoned"
    RESUME_TO_ABANDONED_COMPLETE = "resume_to_abandoned_complete"
    RESUME_TO_PARTIAL = "resume_to_partial"
    RESUME_TO_SHOE_OVER = "resume_to_shoe_over"


# What the table waits for, in words for people.
DUE_WORDS: Final = MappingProxyType(
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

Edge = tuple[Phase, Trigger, Phase]

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
_CLOSED_FROM: Final = (*HANDS_COMPLETE, Phase.PARTIAL)
# In the shoe's order; also the phases a suspension may interrupt and resume. Opening is not one of
# them: it passes at once.
RESUMABLE_PHASES: Final = (*BURN_PHASES, *BEFORE_A_COUP, *COUP_PHASES, Phase.SHOE_OVER)
# A shoe is closed with no coup on the table: an open coup is ended or voided first.
CLOSABLE_PHASES: Final = (*BURNS_BEFORE_PLAY, *BURNS_BEFORE_COUP, *BEFORE_A_COUP)


def resume_trigger(phase: Phase) -> Trigger:
    """The trigger that lets play resume in `phase`.

    After a suspension, after a burn for an irregularity, or once a coup's unread card is read.
    """
    return Trigger(f"resume_to_{phase.value}")


EDGES: Final[tuple[Edge, ...]] = (
    (Phase.CLOSED, Trigger.SHOE_OPENED, Phase.OPENING),
    (Phase.SHOE_OVER, Trigger.SHOE_OPENED, Phase.OPENING),
    (Phase.CLOSED, Trigger.SHOE_JOINED, Phase.BETWEEN_COUPS),
    (Phase.SHOE_OVER, Trigger.NEXT_SHOE_UNSEEN, Phase.CLOSED),
    (Phase.OPENING, Trigger.FIRST_CARD_READY, Phase.BURN_FIRST),
    (Phase.OPENING, Trigger.BURN_DONE, Phase.BETWEEN_COUPS),
    (Phase.BURN_FIRST, Trigger.BURN_OWED, Phase.BURN_REST),
    *((phase, Trigger.BURN_UNPROVEN, Phase.BURN_UNCOUNTED) for phase in BURNS_BEFORE_PLAY),
    (Phase.BURN_UNCOUNTED, Trigger.BURN_OWED, Phase.BURN_REST),
    (Phase.BURN_REST, Trigger.CARD, Phase.BURN_REST),
    (Phase.BURN_FIRST, Trigger.BOXED_BURN_OWED, Phase.BOXED_BURN),
    (Phase.BURN_REST, Trigger.BOXED_BURN_OWED, Phase.BOXED_BURN),
    (Phase.BURN_REST, Trigger.BURN_DONE, Phase.BETWEEN_COUPS),
    (Phase.BURN_UNCOUNTED, Trigger.BURN_DONE, Phase.BETWEEN_COUPS),
    (Phase.BURN_UNCOUNTED, resume_trigger(Phase.BURN_FIRST), Phase.BURN_FIRST),
    (Phase.BOXED_BURN, resume_trigger(Phase.BURN_FIRST), Phase.BURN_FIRST),
    (Phase.BETWEEN_COUPS, Trigger.NO_MORE_BETS, Phase.BETTING_CLOSED),
    *((phase, Trigger.COUP_BEGINS, Phase.PLAYER_1) for phase in BEFORE_A_COUP),
    (Phase.PLAYER_1, Trigger.CARD, Phase.BANKER_1),
    (Phase.BANKER_1, Trigger.CARD, Phase.PLAYER_2),
    (Phase.PLAYER_2, Trigger.CARD, Phase.BANKER_2),
    (Phase.BANKER_2, Trigger.NATURAL, Phase.RESULT),
    (Phase.BANKER_2, Trigger.BOTH_STAND, Phase.RESULT),
    (Phase.BANKER_2, Trigger.PLAYER_DRAWS, Phase.PLAYER_3),
    (Phase.BANKER_2, Trigger.PLAYER_STANDS_BANKER_DRAWS, Phase.BANKER_3),
    (Phase.PLAYER_3, Trigger.BANKER_DRAWS, Phase.BANKER_3),
    (Phase.PLAYER_3, Trigger.BANKER_STANDS, Phase.RESULT),
    (Phase.BANKER_3, Trigger.CARD, Phase.RESULT),
    (Phase.RESULT, Trigger.RESULT_DECLARED, Phase.DECLARED),
    (Phase.DECLARED, Trigger.RESULT_DECLARED, Phase.DECLARED),
    (Phase.ABANDONED_COMPLETE, Trigger.RESULT_DECLARED, Phase.DECLARED),
    *((phase, Trigger.COUP_ABANDONED, Phase.ABANDONED) for phase in DUE_PHASES),
    (Phase.ABANDONED, Trigger.COUP_ABANDONED, Phase.ABANDONED),
    *((phase, Trigger.COUP_ABANDONED, Phase.ABANDONED_COMPLETE) for phase in HANDS_COMPLETE),
    (Phase.ABANDONED_COMPLETE, Trigger.COUP_ABANDONED, Phase.ABANDONED_COMPLETE),
    *((Phase.ABANDONED, resume_trigger(phase), phase) for phase in DUE_PHASES),
    (Phase.ABANDONED_COMPLETE, resume_trigger(Phase.RESULT), Phase.RESULT),
    *((phase, Trigger.COUP_DONE, Phase.BETWEEN_COUPS) for phase in _CLOSED_FROM),
    *((phase, Trigger.LAST_COUP_DONE, Phase.SHOE_OVER) for phase in _CLOSED_FROM),
    *((phase, Trigger.COUP_PARTIAL, Phase.PARTIAL) for phase in COUP_PHASES),
    (Phase.BETTING_CLOSED, Trigger.COUP_VOIDED, Phase.BETWEEN_COUPS),
    *((phase, Trigger.COUP_VOIDED, Phase.BETWEEN_COUPS) for phase in COUP_PHASES),
    *((phase, Trigger.BURN_OWED, Phase.REMEDY_BURN) for phase in BEFORE_A_COUP),
    *((phase, Trigger.BURN_OWED, Phase.COUP_BURN) for phase in WHOLE_COUPS),
    *((phase, Trigger.BURN_UNPROVEN, Phase.REMEDY_BURN_UNCOUNTED) for phase in BURNS_BEFORE_COUP),
    *((burn, resume_trigger(to), to) for burn in BURNS_BEFORE_COUP for to in BEFORE_A_COUP),
    *((Phase.COUP_BURN, resume_trigger(phase), phase) for phase in (*DUE_PHASES, Phase.ABANDONED)),
    *((Phase.PARTIAL, resume_trigger(phase), phase) for phase in DUE_PHASES),
    *((phase, Trigger.SHOE_CLOSED, Phase.SHOE_OVER) for phase in CLOSABLE_PHASES),
    *((phase, Trigger.SUSPEND, Phase.SUSPENDED) for phase in RESUMABLE_PHASES),
    *((Phase.SUSPENDED, resume_trigger(phase), phase) for phase in RESUMABLE_PHASES),
)
