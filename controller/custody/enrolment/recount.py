"""Counting a batch again: which of its cards are there, and what is there beside them.

Responsible for: cards seen, foreign cards and cards whose chip and manifest differ, from listings
in any order or from another list of cards.
Not responsible for: where a card is during play (ledger) and for the reader (drivers).
Source: NY-a-4-iv-b-same, S42-a-4-iii-same; controller/README.md, "Counting a batch again".

Decisions. A card once seen is there: piles may be laid in any order and in parts. A card is known
by its identity; what its chip holds is only compared. A cut card's chip may hold anything but a
face.
"""

from collections.abc import Sequence

from controller.custody.chip_layout import LAYOUTS, OPEN_LAYOUT, ChipFace
from controller.custody.manifest import Manifest, ManifestCard
from controller.rules.cards import Card
from drivers.events import TagListed
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Foreign:
    """A card that is of another batch or none; `card` is what it says of itself, if anything."""

    tag: str
    card: Card | None


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A card of the batch of which something else is said than its manifest says."""

    tag: str
    manifest: Card | None
    said: Card | None


@dataclass(frozen=True, slots=True)
class Recount:
    """What is known so far. `seen` has one byte for each card of the manifest, 1 where it was."""

    manifest: Manifest
    seen: bytes
    foreign: tuple[Foreign, ...] = ()
    otherwise: tuple[Otherwise, ...] = ()


@dataclass(frozen=True, slots=True)
class RecountResult:
    """How the batch stands. `missing` are cards of the manifest not seen."""

    counted: int
    missing: tuple[ManifestCard, ...]
    foreign: tuple[Foreign, ...]
    otherwise: tuple[Otherwise, ...]

    @property
    def same(self) -> bool:
        """Whether there are these cards and no others."""
        return not (self.missing or self.foreign or self.otherwise)


def begin(manifest: Manifest) -> Recount:
    """Nothing seen yet."""
    return Recount(manifest, bytes(len(manifest)))


def listed(recount: Recount, tags: Sequence[TagListed], chip: str = OPEN_LAYOUT) -> Recount:
    """Take one listing of the reader; part of one will do."""
    layout = LAYOUTS[chip]
    for one in tags:
        read = layout.read(one.memory)
        told = isinstance(read, ChipFace)
        recount = _one(recount, one.tag, read.card if isinstance(read, ChipFace) else None, told)
    return recount


def compared(recount: Recount, cards: Sequence[ManifestCard]) -> Recount:
    """Take another list of cards."""
    for one in cards:
        recount = _one(recount, one.tag, one.card, told=True)
    return recount


def result(recount: Recount) -> RecountResult:
    """How the batch stands by what was seen so far."""
    missing = tuple(
        recount.manifest.at(index) for index, seen in enumerate(recount.seen) if not seen
    )
    return RecountResult(
        len(recount.seen) - len(missing), missing, recount.foreign, recount.otherwise
    )


def all_seen(recount: Recount) -> bool:
    """Whether every card of the batch was seen."""
    return 0 not in recount.seen


def _one(recount: Recount, tag: str, card: Card | None, told: bool) -> Recount:
    index = recount.manifest.find(tag)
    if index is None:
        if any(one.tag == tag for one in recount.foreign):
            return recount
        return replace(recount, foreign=(*recount.foreign, Foreign(tag, card)))
    if not recount.seen[index]:
        seen = recount.seen[:index] + b"\x01" + recount.seen[index + 1 :]
        recount = replace(recount, seen=seen)
    right = recount.manifest.card(index)
    known = any(one.tag == tag for one in recount.otherwise)
    if known or not told or card == right:
        return recount
    return replace(recount, otherwise=(*recount.otherwise, Otherwise(tag, right, card)))
