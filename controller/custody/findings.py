"""What custody can prove to be wrong with the cards, as a closed set.

Responsible for: one code per kind of proof, and the shape of a finding.
Not responsible for: proving it (ledger, multiset) and for what follows at the table (procedure).
Source: NY-a-4-iv-*, S42-a-4-*; field practice (a foreign back for 64 rounds; an extra jack for a
missing queen; a damaged card; the batch just dealt put back into the shoe).
"""

from enum import StrEnum

from controller.rules.cards import Card
from firmware_bridge.values import dataclass


class FindingCode(StrEnum):
    FOREIGN_CARD = "FOREIGN_CARD"  # its tag is in no manifest of this table
    WRONG_BATCH = "WRONG_BATCH"  # it belongs to the other batch
    BATCH_REPEATED = "BATCH_REPEATED"  # a shoe is dealt from the batch of the shoe before it
    BATCH_BLOCKED = "BATCH_BLOCKED"  # its batch is known to be short, damaged or unproven
    DUPLICATE_CARD = "DUPLICATE_CARD"  # the same identity twice at one time
    CARD_RETURNED = "CARD_RETURNED"  # a card that had left came out of the shoe once more
    TOO_MANY_OF_A_CARD = "TOO_MANY_OF_A_CARD"  # more of one rank and suit than the decks hold
    CARD_NOT_DRAWN = "CARD_NOT_DRAWN"  # seen on the table, and it never left by the exit
    CARD_MISPLACED = "CARD_MISPLACED"  # seen at another hand than the order of drawing gives it
    CARD_ABSENT = "CARD_ABSENT"  # it should be here and is not
    CARD_EXTRA = "CARD_EXTRA"  # one more than there should be here
    DISCARD_RACK_MIXED = "DISCARD_RACK_MIXED"  # cards of both batches in the discard rack


@dataclass(frozen=True, slots=True)
class Finding:
    """One proof. `step` says in words at which step it was found, `tag` names the physical card.

    `card` is its face where that is known; whether people may see it is not decided here. `detail`
    is a sentence that names no face.
    """

    code: FindingCode
    step: str
    detail: str
    card: Card | None = None
    tag: str = ""
    back: str = ""
