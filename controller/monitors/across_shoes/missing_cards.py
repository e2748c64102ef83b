"""Whether a face of a batch never comes as often as its decks have it.

A face of more cards than the decks have is custody's finding, at the card. One of fewer shows only
over shoes: some cards of each stay behind the cut card. Each face's hypothesis, that one of its
cards is not in the batch, is settled by how often the face came of the cards that were seen.
"""

from typing import Final

from msgspec import Struct

from controller.monitors.budget import ONE, Alarm, entering, grown, threshold_of_life
from controller.monitors.faces import FACES, GAP
from controller.rules.advisory import AdvisoryKind, MissingEvidence
from foundation.recorded_text import Identifier

BATCHES_MAX: Final = 4
LIMIT: Final = threshold_of_life(AdvisoryKind.MULTISET, BATCHES_MAX)


class BatchFaces(Struct, frozen=True):
    """The test on one batch: its shoes, each face's capital and how many shoes it was short in."""

    batch: Identifier
    shoes: int = 0
    capital: tuple[int, ...] = (0,) * FACES
    short: tuple[int, ...] = (0,) * FACES


def count_faces(
    known: tuple[BatchFaces, ...], batch: Identifier, cards: bytes, decks: int
) -> tuple[tuple[BatchFaces, ...], Alarm | None, MissingEvidence | None]:
    """The batches after a shoe of this one, and what is said of it."""
    seen = len(cards) - cards.count(GAP)
    unseen = decks * FACES - seen
    if seen < FACES or unseen < 0:
        return known, None, None
    before = next((one for one in known if one.batch == batch), BatchFaces(batch))
    shoes = before.shoes + 1
    enters = entering(shoes, FACES)
    counts = [cards.count(face) for face in range(FACES)]
    capital = tuple(
        grown(one, enters, _growth(count, unseen, decks))
        for one, count in zip(before.capital, counts, strict=True)
    )
    short = tuple(
        one + 1 if count < decks else 0 for one, count in zip(before.short, counts, strict=True)
    )
    after = BatchFaces(batch, shoes, capital, short)
    held, alarm, evidence = sum(capital), None, None
    if held >= LIMIT:
        leading = max(range(FACES), key=capital.__getitem__)
        alarm = Alarm(AdvisoryKind.MULTISET, held, LIMIT)
        evidence = MissingEvidence(batch, short[leading], decks - 1, decks)
        after = BatchFaces(batch, shoes)
    others = tuple(one for one in known if one.batch != batch)
    return (*others, after)[-BATCHES_MAX:], alarm, evidence


def _growth(count: int, unseen: int, decks: int) -> int:
    """What a unit becomes: 1/16 stays out, 15/16 bets that the face is one card short.

    So many of the face came, and so many cards of the shoe nobody saw. The chance that just those
    came, with one card less in the batch, over the same with all.
    """
    out = ONE >> 4
    lower = unseen - decks + count + 1
    if count >= decks or lower <= 0:
        return out
    cards = decks * FACES
    return out + (ONE - out) * (decks - count) * (cards - decks + 1) // (lower * decks)
