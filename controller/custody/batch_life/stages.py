"""The life of a batch as one flat table: where it stands on its way round, and what may come next.

Responsible for: the stages of a batch, the classified happenings, and every edge between them. A
batch that is dealt unshuffled, or released before it is shuffled, is an edge that is not here.
Not responsible for: choosing the trigger (following) and for counts, proofs and bars (state).
Source: NY-a-4-iv-c, NY-a-4-iv-d-alternate, NY-a-4-iv-e; S42-a-4-iv, S42-a-4-v-alt, S42-a-4-vi,
S42-e-1, S42-e-6-load, S42-e-8-ii-load, S42-e-8-ii-swap; D-5, D-19 to D-22.
"""

from enum import StrEnum
from typing import Final


class BatchStage(StrEnum):
    """Where a batch stands."""

    UNKNOWN = "unknown"  # nobody has told of it yet, or what was told does not fit together
    COLLECTED = "collected"  # its cards were gathered; they are on their way into the shuffler
    COUNTED = "counted"  # in the shuffler, and the count is right
    SHUFFLING = "shuffling"
    SHUFFLED = "shuffled"  # with its proof
    STORED = "stored"
    RELEASED = "released"  # out of the shuffler, to be cut
    CUT = "cut"
    IN_SHOE = "in_shoe"
    IN_PLAY = "in_play"  # a card of it was drawn
    SPENT = "spent"  # its shoe is over; the cards lie in the discard rack
    HELD = "held"  # short, long, foreign, jammed, broken off or touched: begins anew by counting


class BatchTrigger(StrEnum):
    """A happening in the life of a batch, already classified."""

    COLLECTED = "collected"  # its cards are gathered, or loaded: it begins anew
    COUNTED = "counted"  # the count, and the faces where they can be read, are right
    SHUFFLE_BEGUN = "shuffle_begun"
    SHUFFLE_PROVEN = "shuffle_proven"
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

# Stages in which a shuffle may begin: a count that is right stands behind each of them.
COUNT_STANDS: Final = (_S.COUNTED, _S.SHUFFLED, _S.STORED)
# Out of the shuffler and good for the next shoe.
READY: Final = (_S.RELEASED, _S.CUT, _S.IN_SHOE)
# What is not known to be as it was any more, once people or a fault got at it.
SPOILT_BY_TOUCH: Final = (*COUNT_STANDS, _S.SHUFFLING, *READY, _S.IN_PLAY)
# Nobody records cutting and loading at some tables: the first card proves both.
_UNTOLD: Final = (_S.RELEASED, _S.CUT)

EDGES: Final[tuple[Edge, ...]] = (
    *(
        (stage, _T.COLLECTED, _S.COLLECTED)
        for stage in (_S.UNKNOWN, _S.SPENT, _S.HELD, *COUNT_STANDS, *READY)
    ),
    (_S.COLLECTED, _T.COUNTED, _S.COUNTED),
    (_S.HELD, _T.COUNTED, _S.COUNTED),
    (_S.SHUFFLED, _T.COUNTED, _S.COUNTED),
    (_S.STORED, _T.COUNTED, _S.COUNTED),
    *((stage, _T.SHUFFLE_BEGUN, _S.SHUFFLING) for stage in COUNT_STANDS),
    (_S.SHUFFLING, _T.SHUFFLE_PROVEN, _S.SHUFFLED),
    *((stage, _T.SHUFFLE_BROKEN, _S.HELD) for stage in (*COUNT_STANDS, _S.SHUFFLING)),
    *(
        (stage, _T.SHUFFLED_BY_HAND, _S.SHUFFLED)
        for stage in (_S.UNKNOWN, _S.COLLECTED, _S.SPENT, _S.HELD, *_UNTOLD)
    ),
    (_S.SHUFFLED, _T.STORED, _S.STORED),
    (_S.SHUFFLED, _T.RELEASED, _S.RELEASED),
    (_S.STORED, _T.RELEASED, _S.RELEASED),
    (_S.RELEASED, _T.CUT, _S.CUT),
    *((stage, _T.LOADED, _S.IN_SHOE) for stage in _UNTOLD),
    *((stage, _T.FIRST_CARD, _S.IN_PLAY) for stage in READY),
    (_S.IN_PLAY, _T.SHOE_OVER, _S.SPENT),
    # Cards of it were burned and shown: it is shuffled anew, and may come again.
    (_S.IN_PLAY, _T.SHOE_UNPLAYED, _S.COLLECTED),
    *((stage, _T.WENT_WRONG, _S.HELD) for stage in (_S.COLLECTED, *SPOILT_BY_TOUCH)),
    *(
        (stage, _T.NEW_CARDS, _S.UNKNOWN)
        for stage in BatchStage
        if stage not in (_S.UNKNOWN, _S.IN_PLAY)
    ),
)
