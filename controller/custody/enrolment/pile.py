"""A pile of tagged cards on a reader, listed again and again: what lies there.

Responsible for: from the tags of a listing and what their chips hold to faces, in a state small
enough to keep from listing to listing; and sentences about piles.
Not responsible for: what a pile should be (enrolment, recount) and for reading it (drivers).
Source: controller/README.md, "Enrolling a batch".

Decisions. A chip that answered once in this pile need not answer again while its tag stays: a thick
pile is read in parts. A tag that answers twice in one listing counts once and is told.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from controller.custody.chip_layout import ChipFace, ChipLayout, ChipUnread
from drivers.events import TagListed
from firmware_bridge.values import dataclass

_NAMED_MAX: Final = 6


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a pile as it lies there, and what to do about it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class PileTag:
    """A tag that lies there; `chip` is what its chip holds, or why that is not known."""

    tag: str
    chip: ChipFace | ChipUnread


Pile = tuple[PileTag, ...]


def look(layout: ChipLayout, before: Pile, listed: Sequence[TagListed]) -> Pile:
    """What lies there by a listing, ascending by tag; `before` is what lay there just now."""
    known = {one.tag: one.chip for one in before}
    found: dict[str, ChipFace | ChipUnread] = {}
    for one in listed:
        read = layout.read(one.memory)
        earlier = found.get(one.tag) or known.get(one.tag)
        if isinstance(read, ChipUnread) and not one.memory and earlier is not None:
            read = earlier
        found[one.tag] = read
    return tuple(PileTag(tag, found[tag]) for tag in sorted(found))


def repeated_troubles(listed: Sequence[TagListed]) -> tuple[Trouble, ...]:
    """Identities that answered more than once in one listing."""
    counts = Counter(one.tag for one in listed)
    return tuple(
        Trouble(f"tag {tag} answered {count} times", "set both cards apart: one is a copy")
        for tag, count in sorted(counts.items())
        if count > 1
    )


def unread_troubles(pile: Pile) -> tuple[Trouble, ...]:
    """Chips that tell no face, those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for one in pile:
        if isinstance(one.chip, ChipUnread):
            by_reason.setdefault(one.chip.reason, []).append(one.tag)
    return tuple(
        Trouble(
            f"{counted(len(tags), 'chip')}: each {reason} (tag {some(tags)})"
            if len(tags) > 1
            else f"the chip of tag {tags[0]} {reason}",
            "spread the pile and try again; a chip that stays so is of a card to be replaced",
        )
        for reason, tags in sorted(by_reason.items())
    )


def counted(count: int, name: str) -> str:
    """A number and its noun: 1 card, 2 cards."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def some(names: Sequence[str]) -> str:
    """The first few of many names, and how many more there are."""
    more = len(names) - _NAMED_MAX
    shown = ", ".join(names[:_NAMED_MAX])
    return f"{shown} and {more} more" if more > 0 else shown
