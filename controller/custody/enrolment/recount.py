"""Counts a batch again: missing, foreign and differing cards, from listings or a list.

Source: NY-a-4-iv-b-same, S42-a-4-iii-same.

A card that was read once is present: piles may be laid in any order and in parts. A card is known
by its tag; what its chip holds is only compared. A cut card's chip may hold anything but a face.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.chip_layout import LAYOUTS, OPEN_LAYOUT, ChipFace
from controller.custody.manifest import Manifest, ManifestCard
from controller.rules.cards import Card
from drivers.events import TagListed


class ForeignCard(Struct, frozen=True):
    """A card that is not in the manifest; `card` is the face in its chip or list, if any."""

    tag: str
    card: Card | None


class FaceMismatch(Struct, frozen=True):
    """A card whose face in chip or list, `reported`, differs from its manifest."""

    tag: str
    manifest: Card | None
    reported: Card | None


class Recount(Struct, frozen=True):
    """A recount in progress. `seen` has one byte per card of the manifest, 1 where it was read."""

    manifest: Manifest
    seen: bytes
    foreign: tuple[ForeignCard, ...] = ()
    mismatches: tuple[FaceMismatch, ...] = ()


class RecountResult(Struct, frozen=True):
    """The result of a recount. `missing` are the cards of the manifest that were not read."""

    counted: int
    missing: tuple[ManifestCard, ...]
    foreign: tuple[ForeignCard, ...]
    mismatches: tuple[FaceMismatch, ...]

    @property
    def same(self) -> bool:
        """Whether there are these cards and no others."""
        return not (self.missing or self.foreign or self.mismatches)


def start_recount(manifest: Manifest) -> Recount:
    """A recount before the first listing."""
    return Recount(manifest, bytes(len(manifest)))


def add_listing(recount: Recount, tags: Sequence[TagListed], chip: str = OPEN_LAYOUT) -> Recount:
    """Apply a listing of the reader, complete or partial."""
    layout = LAYOUTS[chip]
    for one in tags:
        read = layout.read(one.memory)
        if isinstance(read, ChipFace):
            recount = _add_card(recount, one.tag, read.card, has_face=True)
        else:
            recount = _add_card(recount, one.tag, None, has_face=False)
    return recount


def add_cards(recount: Recount, cards: Sequence[ManifestCard]) -> Recount:
    """Apply a list of cards."""
    for one in cards:
        recount = _add_card(recount, one.tag, one.card, has_face=True)
    return recount


def recount_result(recount: Recount) -> RecountResult:
    """The result of everything read so far."""
    missing = tuple(
        recount.manifest.at(index) for index, seen in enumerate(recount.seen) if not seen
    )
    return RecountResult(
        len(recount.seen) - len(missing), missing, recount.foreign, recount.mismatches
    )


def all_seen(recount: Recount) -> bool:
    """Whether every card of the batch was read."""
    return 0 not in recount.seen


def _add_card(recount: Recount, tag: str, card: Card | None, *, has_face: bool) -> Recount:
    index = recount.manifest.find(tag)
    if index is None:
        if any(one.tag == tag for one in recount.foreign):
            return recount
        return replace(recount, foreign=(*recount.foreign, ForeignCard(tag, card)))
    if not recount.seen[index]:
        seen = recount.seen[:index] + b"\x01" + recount.seen[index + 1 :]
        recount = replace(recount, seen=seen)
    expected = recount.manifest.card(index)
    known = any(one.tag == tag for one in recount.mismatches)
    if known or not has_face or card == expected:
        return recount
    return replace(recount, mismatches=(*recount.mismatches, FaceMismatch(tag, expected, card)))
