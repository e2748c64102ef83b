"""Sets of cards by the place that the shoe claims for them: what the rows for cards are for.

Source: D-16.
"""

from typing import Final

from controller.procedure.phases import Trigger

T = Trigger

BURN_CARDS: Final = (T.CLAIMED_BURN_FIRST, T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA)
FIRST_FOUR: Final = (
    T.CLAIMED_PLAYER_1,
    T.CLAIMED_BANKER_1,
    T.CLAIMED_PLAYER_2,
    T.CLAIMED_BANKER_2,
)
THIRD_CARDS: Final = (T.CLAIMED_PLAYER_3, T.CLAIMED_BANKER_3)
LATE: Final = (*THIRD_CARDS, T.CLAIMED_FURTHER)
ANY_CARD: Final = (*BURN_CARDS, *FIRST_FOUR, *LATE, T.CLAIMED_OUTSIDE, T.UNCLAIMED_CARD)
# After a partial coup was left, also a card of the coup whose beginning was not seen.
ANY_OR_UNSEEN: Final = (*ANY_CARD, T.COUP_UNSEEN)
IN_BURN: Final = (T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA)
HAND_CARDS: Final = (*FIRST_FOUR, *LATE)
# Cards of a coup that can be joined in the middle.
JOINING: Final = (T.CLAIMED_BANKER_1, T.CLAIMED_PLAYER_2, T.CLAIMED_BANKER_2, T.COUP_UNSEEN)
COUNTED_OFF: Final = (*JOINING, *LATE)
# Begins a coup in order; a card without a place can be any.
FIRST_CARD: Final = (T.CLAIMED_PLAYER_1, T.UNCLAIMED_CARD)
