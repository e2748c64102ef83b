"""The closed set of findings that custody can prove about cards.

Source: NY-a-4-iv-*, S42-a-4-*; field practice (a foreign back for 64 rounds; an extra jack for a
missing queen; a damaged card; the batch just dealt put back into the shoe).
"""

from enum import StrEnum

from msgspec import Struct

from controller.rules.cards import Card
from foundation.message import Message
from foundation.recorded_text import Identifier


class FindingCode(StrEnum):
    FOREIGN_CARD = "FOREIGN_CARD"  # its tag is in no manifest of this table
    WRONG_BATCH = "WRONG_BATCH"  # it belongs to the other batch
    BATCH_REPEATED = "BATCH_REPEATED"  # a shoe is dealt from the batch of the shoe before it
    BATCH_BLOCKED = "BATCH_BLOCKED"  # its batch is known to be short, damaged or unproven
    DUPLICATE_CARD = "DUPLICATE_CARD"  # the same identity twice at one time
    CARD_RETURNED = "CARD_RETURNED"  # a card that had left left the shoe again
    TOO_MANY_OF_A_CARD = "TOO_MANY_OF_A_CARD"  # more of one rank and suit than the decks hold
    CARD_NOT_DRAWN = "CARD_NOT_DRAWN"  # read on the table, and never read leaving the shoe
    CARD_MISPLACED = "CARD_MISPLACED"  # read at another hand than the order of drawing gives
    CARD_ABSENT = "CARD_ABSENT"  # a card that should be here is missing
    CARD_EXTRA = "CARD_EXTRA"  # one card more than there should be
    DISCARD_RACK_MIXED = "DISCARD_RACK_MIXED"  # cards of both batches in the discard rack


class Finding(Struct, frozen=True):
    """One finding. `step` describes the step of play, `tag` identifies the physical card.

    `card` is its face where known; whether people may see it is decided elsewhere. `detail` names
    no face.
    """

    code: FindingCode
    step: Message
    detail: Message
    card: Card | None = None
    tag: Identifier = ""
    back: Identifier = ""
