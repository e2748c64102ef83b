"""The stages of a batch, and the transitions between them as one flat table.

Source: NY-a-4-iv-c, NY-a-4-iv-d-alternate, NY-a-4-iv-e; S42-a-4-iv, S42-a-4-v-alt, S42-a-4-vi,
S42-e-1, S42-e-6-load, S42-e-8-ii-load, S42-e-8-ii-swap; D-5, D-19 to D-22.

Dealing an unshuffled batch, or releasing one before it is shuffled, is a transition that the table
does not contain.
"""

from enum import StrEnum
from typing import Final

from transitions import Machine


class BatchStage(StrEnum):
    """The stage of a batch."""

    UNKNOWN = "unknown"  # no report yet, or contradicting reports
    COLLECTED = "collected"  # its cards were gathered, on their way into the shuffler
    COUNTED = "counted"  # in the shuffler, and the count is right
    SHUFFLING = "shuffling"
    SHUFFLED = "shuffled"  # with its proof
    STORED = "stored"
    RELEASED = "released"  # out of the shuffler, to be cut
    CUT = "cut"
    IN_SHOE = "in_shoe"
    IN_PLAY = "in_play"  # a card of it was drawn
    SPENT = "spent"  # its shoe is over; the cards lie in the discard rack
    HELD = "held"  # short, long, foreign, jammed, aborted or touched: starts over with a count


class BatchTrigger(StrEnum):
    """A classified event of a batch."""

    COLLECTED = "collected"  # its cards are gathered or loaded: it starts over
    COUNTED = "counted"  # the count, and the faces where they can be read, are right
    SHUFFLE_BEGUN = "shuffle_begun"
    SHUFFLE_PROVEN = "shuffle_proven"
    SHUFFLE_SHOWN = "shuffle_shown"  # by lamps alone: there is no receipt
    SHUFFLE_BROKEN = "shuffle_broken"
    SHUFFLED_BY_HAND = "shuffled_by_hand"
    STORED = "stored"
    RELEASED = "released"
    CUT = "cut"
    LOADED = "loaded"
    FIRST_CARD = "first_card"
    SHOE_OVER = "shoe_over"
    SHOE_UNPLAYED = "shoe_unplayed"  # over before any coup was dealt from it
    WENT_WRONG = "went_wrong"
    NEW_CARDS = "new_cards"


Edge = tuple[BatchStage, BatchTrigger, BatchStage]

_S: Final = BatchStage
_T: Final = BatchTrigger

# Stages in which a shuffle may begin: each has a valid count.
COUNT_VALID: Final = (_S.COUNTED, _S.SHUFFLED, _S.STORED)
# Out of the shuffler and ready for the next shoe.
READY: Final = (_S.RELEASED, _S.CUT, _S.IN_SHOE)
# Shuffled, and no card of it was dealt since.
SHUFFLED_STAGES: Final = (_S.SHUFFLED, _S.STORED, *READY)
# Stages that people or a fault can spoil.
SPOILT_BY_TOUCH: Final = (*COUNT_VALID, _S.SHUFFLING, *READY, _S.IN_PLAY)
# Some tables record neither cutting nor loading: the first card proves both.
_UNRECORDED: Final = (_S.RELEASED, _S.CUT)

EDGES: Final[tuple[Edge, ...]] = (
    *(
        (stage, _T.COLLECTED, _S.COLLECTED)
        for stage in (_S.UNKNOWN, _S.SPENT, _S.HELD, *COUNT_VALID, *READY)
    ),
    (_S.COLLECTED, _T.COUNTED, _S.COUNTED),
    (_S.HELD, _T.COUNTED, _S.COUNTED),
    (_S.SHUFFLED, _T.COUNTED, _S.COUNTED),
    (_S.STORED, _T.COUNTED, _S.COUNTED),
    *((stage, _T.SHUFFLE_BEGUN, _S.SHUFFLING) for stage in COUNT_VALID),
    (_S.SHUFFLING, _T.SHUFFLE_PROVEN, _S.SHUFFLED),
    (_S.SHUFFLING, _T.SHUFFLE_SHOWN, _S.SHUFFLED),
    *((stage, _T.SHUFFLE_BROKEN, _S.HELD) for stage in (*COUNT_VALID, _S.SHUFFLING)),
    *(
        (stage, _T.SHUFFLED_BY_HAND, _S.SHUFFLED)
        for stage in (_S.UNKNOWN, _S.COLLECTED, _S.SPENT, _S.HELD, *_UNRECORDED)
    ),
    (_S.SHUFFLED, _T.STORED, _S.STORED),
    (_S.SHUFFLED, _T.RELEASED, _S.RELEASED),
    (_S.STORED, _T.RELEASED, _S.RELEASED),
    (_S.RELEASED, _T.CUT, _S.CUT),
    *((stage, _T.LOADED, _S.IN_SHOE) for stage in _UNRECORDED),
    *((stage, _T.FIRST_CARD, _S.IN_PLAY) for stage in READY),
    (_S.IN_PLAY, _T.SHOE_OVER, _S.SPENT),
    # Cards of it were burned and shown: it is shuffled again, and may come again.
    (_S.IN_PLAY, _T.SHOE_UNPLAYED, _S.COLLECTED),
    *((stage, _T.WENT_WRONG, _S.HELD) for stage in (_S.COLLECTED, *SPOILT_BY_TOUCH)),
    *(
        (stage, _T.NEW_CARDS, _S.UNKNOWN)
        for stage in BatchStage
        if stage not in (_S.UNKNOWN, _S.IN_PLAY)
    ),
)

# It holds no state and no batch: `change` makes a model for each move.
LIVES: Final = Machine(
    model=None,
    states=BatchStage,
    initial=BatchStage.UNKNOWN,
    transitions=[[trigger, source, to] for source, trigger, to in EDGES],
    auto_transitions=False,
    model_attribute="stage",
    name="batch",
)
