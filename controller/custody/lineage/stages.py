"""The life of a batch as one flat table: where it stands on its way round, and what may come next.

Responsible for: the stages of a batch, the classified happenings, and every edge between them. A
batch that is dealt unshuffled, or loaded twice in a row, is an edge that is not here.
Not responsible for: choosing the trigger (following) and for counts, proofs and bars (state).
Source: NY-a-4-iv-c, NY-a-4-iv-d-alternate, NY-a-4-iv-e; S42-a-4-iv, S42-a-4-v-alt, S42-a-4-vi,
S42-e-1, S42-e-6-load, S42-e-8-ii-load, S42-e-8-ii-swap; D-19 to D-22.
"""

from enum import StrEnum


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
