"""A pile of tagged cards on a reader, from repeated listings; texts about piles.

A chip that answered once in this pile need not answer again while its tag stays: a thick pile is
read in parts. A tag that answers twice in one listing counts once and is reported.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from controller.custody.chip_layout import ChipFace, ChipLayout, ChipUnread
from drivers.events import TagListed

_LISTED_MAX: Final = 6


class PileProblem(Struct, frozen=True):
    """A problem of a pile, and its remedy."""

    what: str
    remedy: str


class PileTag(Struct, frozen=True):
    """A tag on the reader; `chip` is its decoded chip, or why it could not be read."""

    tag: str
    chip: ChipFace | ChipUnread


Pile = tuple[PileTag, ...]


def update_pile(layout: ChipLayout, before: Pile, listed: Sequence[TagListed]) -> Pile:
    """The pile after a listing, ascending by tag; `before` is the pile before it."""
    known = {one.tag: one.chip for one in before}
    found: dict[str, ChipFace | ChipUnread] = {}
    for one in listed:
        read = layout.read(one.memory)
        earlier = found.get(one.tag) or known.get(one.tag)
        if isinstance(read, ChipUnread) and not one.memory and earlier is not None:
            read = earlier
        found[one.tag] = read
    return tuple(PileTag(tag, found[tag]) for tag in sorted(found))


def repeated_tag_problems(listed: Sequence[TagListed]) -> tuple[PileProblem, ...]:
    """Problems for tags that answered more than once in one listing."""
    counts = Counter(one.tag for one in listed)
    return tuple(
        PileProblem(f"tag {tag} answered {count} times", "set both cards apart: one is a copy")
        for tag, count in sorted(counts.items())
        if count > 1
    )


def unread_chip_problems(pile: Pile) -> tuple[PileProblem, ...]:
    """Problems for chips without a face, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for one in pile:
        if isinstance(one.chip, ChipUnread):
            by_reason.setdefault(one.chip.reason, []).append(one.tag)
    return tuple(
        PileProblem(
            f"{count_noun(len(tags), 'chip')}: each {reason} (tag {first_few(tags)})"
            if len(tags) > 1
            else f"the chip of tag {tags[0]} {reason}",
            "spread the pile and try again; replace a card whose chip stays unreadable",
        )
        for reason, tags in sorted(by_reason.items())
    )


def count_noun(count: int, name: str) -> str:
    """A number and its noun: 1 card, 2 cards."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def first_few(names: Sequence[str]) -> str:
    """The first few of many names, and how many more there are."""
    more = len(names) - _LISTED_MAX
    shown = ", ".join(names[:_LISTED_MAX])
    return f"{shown} and {more} more" if more > 0 else shown
