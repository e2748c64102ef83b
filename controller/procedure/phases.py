"""The procedure as one flat state table: phases, triggers and every legal edge.

A wrong order, a short burn or a card after the last hand is an edge that does not exist.
Source: NY-e-4, NY-f-2, NY-f-3-four, NY-h-1 to NY-h-4-7, NY-i-1-winner; S42-e-6-burn1, S42-g-2,
S42-g-3-four, S42-h-3-order, S42-h-4, S42-h-5-aside to S42-h-5-onemore, S42-k-1-burn, S42-k-3-extra,
S42-k-4-void.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Phase(StrEnum):
    """What is due next at the table."""

    CLOSED = "closed"
    OPENING = "opening"
    BURN_FIRST = "burn_first"
    BURN_REST = "burn_rest"
    BETWEEN_COUPS = "between_coups"
    PLAYER_1 = "player_1"
    BANKER_1 = "banker_1"
    PLAYER_2 = "player_2"
    BANKER_2 = "banker_2"
    PLAYER_3 = "player_3"
    BANKER_3 = "banker_3"
    RESULT = "result"
    SHOE_OVER = "shoe_over"
    SUSPENDED = "suspended"


class Trigger(StrEnum):
    """An event as the rules classify it."""

    SHOE_OPENED = "shoe_opened"
    SHOE_JOINED = "shoe_joined"
    FIRST_CARD_READY = "first_card_ready"
    BURN_OWED = "burn_owed"
    BURN_UNPROVEN = "burn_unproven"
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
    CUT_CARD = "cut_card"
    RESULT_DECLARED = "result_declared"
    LAST_COUP_DONE = "last_coup_done"
    COUP_VOIDED = "coup_voided"
    SHOE_CLOSED = "shoe_closed"
    NEXT_SHOE_UNSEEN = "next_shoe_unseen"
    SUSPEND = "suspend"
    RESUME_TO_BURN_FIRST = "resume_to_burn_first"
    RESUME_TO_BURN_REST = "resume_to_burn_rest"
    RESUME_TO_BETWEEN_COUPS = "resume_to_between_coups"
    RESUME_TO_PLAYER_1 = "resume_to_player_1"
    RESUME_TO_BANKER_1 = "resume_to_banker_1"
    RESUME_TO_PLAYER_2 = "resume_to_player_2"
    RESUME_TO_BANKER_2 = "resume_to_banker_2"
    RESUME_TO_PLAYER_3 = "resume_to_player_3"
    RESUME_TO_BANKER_3 = "resume_to_banker_3"
    RESUME_TO_RESULT = "resume_to_result"
    RESUME_TO_SHOE_OVER = "resume_to_shoe_over"


# What the table waits for, in words for people.
DUE_WORDS: Final = MappingProxyType(
    {
        Phase.CLOSED: "a shoe",
        Phase.OPENING: "the opening of the shoe",
        Phase.BURN_FIRST: "the first burn card",
        Phase.BURN_REST: "burn cards",
        Phase.BETWEEN_COUPS: "the next coup",
        Phase.PLAYER_1: "Player's first card",
        Phase.BANKER_1: "Banker's first card",
        Phase.PLAYER_2: "Player's second card",
        Phase.BANKER_2: "Banker's second card",
        Phase.PLAYER_3: "Player's third card",
        Phase.BANKER_3: "Banker's third card",
        Phase.RESULT: "the result",
        Phase.SHOE_OVER: "the reshuffle and the next shoe",
        Phase.SUSPENDED: "a floorperson's decision",
    }
)

Edge = tuple[Phase, Trigger, Phase]

BURN_PHASES: Final = (Phase.BURN_FIRST, Phase.BURN_REST)
# From "no more bets" to the declared result.
COUP_PHASES: Final = (
    Phase.PLAYER_1,
    Phase.BANKER_1,
    Phase.PLAYER_2,
    Phase.BANKER_2,
    Phase.PLAYER_3,
    Phase.BANKER_3,
    Phase.RESULT,
)
# In the shoe's order; also the phases a suspension may interrupt and resume. Opening is not one of
# them: it passes at once.
RESUMABLE_PHASES: Final = (*BURN_PHASES, Phase.BETWEEN_COUPS, *COUP_PHASES, Phase.SHOE_OVER)
# A shoe is closed with no coup on the table: an open coup is ended or voided first.
CLOSABLE_PHASES: Final = (*BURN_PHASES, Phase.BETWEEN_COUPS, Phase.PLAYER_1)
# Where a boxed card, or a card burned for an irregularity, may interrupt the deal.
BURN_STOPS: Final = (Phase.BETWEEN_COUPS, *COUP_PHASES)
# Where the deal resumes after such a burn; between coups the burn simply ends.
BURN_RESUMES: Final = (Phase.BURN_FIRST, *COUP_PHASES[:-1])
# Not during the burn (a cut card there is misplaced: an irregularity), not before, not after.
CUT_CARD_PHASES: Final = (Phase.BETWEEN_COUPS, *COUP_PHASES)


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
    (Phase.BURN_FIRST, Trigger.BURN_UNPROVEN, Phase.BURN_REST),
    (Phase.BURN_REST, Trigger.BURN_UNPROVEN, Phase.BURN_REST),
    (Phase.BURN_REST, Trigger.BURN_OWED, Phase.BURN_REST),
    (Phase.BURN_REST, Trigger.CARD, Phase.BURN_REST),
    (Phase.BURN_REST, Trigger.BURN_DONE, Phase.BETWEEN_COUPS),
    (Phase.BETWEEN_COUPS, Trigger.COUP_BEGINS, Phase.PLAYER_1),
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
    (Phase.RESULT, Trigger.RESULT_DECLARED, Phase.BETWEEN_COUPS),
    (Phase.RESULT, Trigger.LAST_COUP_DONE, Phase.SHOE_OVER),
    *((phase, Trigger.COUP_PARTIAL, Phase.RESULT) for phase in COUP_PHASES),
    *((phase, Trigger.CUT_CARD, phase) for phase in CUT_CARD_PHASES),
    *((phase, Trigger.COUP_VOIDED, Phase.BETWEEN_COUPS) for phase in COUP_PHASES),
    *((phase, Trigger.BURN_OWED, Phase.BURN_REST) for phase in BURN_STOPS),
    *((Phase.BURN_REST, resume_trigger(phase), phase) for phase in BURN_RESUMES),
    *((Phase.RESULT, resume_trigger(phase), phase) for phase in COUP_PHASES[:-1]),
    *((phase, Trigger.SHOE_CLOSED, Phase.SHOE_OVER) for phase in CLOSABLE_PHASES),
    *((phase, Trigger.SUSPEND, Phase.SUSPENDED) for phase in RESUMABLE_PHASES),
    *((Phase.SUSPENDED, resume_trigger(phase), phase) for phase in RESUMABLE_PHASES),
)
