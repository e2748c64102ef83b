"""Enrols a batch deck by deck from listings of piles on a reader, then its cut cards.

Not: the reader, files and people (controller.cli.batches.enrol).
Source: NY-a-4-i-decks, NY-a-4-iv-b-same, S42-a-4-iii-same.

A deck is complete when 52 different tags with 52 different faces lie on the reader, nothing else
does, and two consecutive listings agree. The next deck begins once no card of the last one lies
there: cards of a complete deck are reported and never accepted twice. The deck's number is the
order of enrolment; the number in a chip is a hint for sorting a mixture.

A chip that answered once in this pile need not answer again while its tag stays: a thick pile is
read in parts. A tag that answers twice in one listing counts once and is reported.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.chip_layout import (
    BACK_COLOURS,
    LAYOUTS,
    OPEN_LAYOUT,
    ChipFace,
    ChipLayout,
    ChipUnread,
)
from controller.custody.manifest import (
    CUT_CARD_DECK,
    Manifest,
    ManifestCard,
    ManifestError,
    build_manifest,
    deck_problems,
)
from controller.custody.manifest_csv import BatchSheet
from controller.rules.cards import FACES, Card
from drivers.events import TagListed
from foundation.message import message

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


DECK_CARDS: Final = 52


class EnrolmentPlan(Struct, frozen=True):
    """What to enrol. `chip` is a key of LAYOUTS; cards of the batches `others` are refused."""

    batch: str
    back: str
    decks: int
    cut_cards: int = 0
    chip: str = OPEN_LAYOUT
    others: tuple[Manifest, ...] = ()


class Enrolment(Struct, frozen=True):
    """An enrolment: the cards of complete piles, and the pile on the reader.

    `was_complete`: the last listing found this pile complete.
    """

    plan: EnrolmentPlan
    cards: tuple[ManifestCard, ...] = ()
    pile: Pile = ()
    was_complete: bool = False


class PileStatus(Struct, frozen=True):
    """The result of one listing for `deck` (0: the cut cards): `cards` of `wanted` are there.

    `accepted`: the pile is complete and now part of the batch. `leftover`: only cards of earlier
    piles are on the reader.
    """

    deck: int
    cards: int
    wanted: int
    problems: tuple[PileProblem, ...] = ()
    accepted: bool = False
    leftover: bool = False


def next_deck(enrolment: Enrolment) -> int | None:
    """The deck to be read next, CUT_CARD_DECK for the cut cards, None when all are read."""
    decks = max((one.deck for one in enrolment.cards), default=0)
    if decks < enrolment.plan.decks:
        return decks + 1
    has_cut_cards = any(one.deck == CUT_CARD_DECK for one in enrolment.cards)
    return CUT_CARD_DECK if enrolment.plan.cut_cards and not has_cut_cards else None


def add_listing(enrolment: Enrolment, tags: Sequence[TagListed]) -> tuple[Enrolment, PileStatus]:
    """Apply one complete listing of the reader."""
    deck = next_deck(enrolment)
    if deck is None:
        return enrolment, PileStatus(CUT_CARD_DECK, 0, 0, leftover=bool(tags))
    pile = update_pile(LAYOUTS[enrolment.plan.chip], enrolment.pile, tags)
    earlier = {one.tag: one for one in enrolment.cards}
    fresh = tuple(one for one in pile if one.tag not in earlier)
    repeated = tuple(earlier[one.tag] for one in pile if one.tag in earlier)
    pile_problems = _deck_problems if deck != CUT_CARD_DECK else _cut_card_problems
    problems = (
        *repeated_tag_problems(tags),
        *_earlier_card_problems(repeated),
        *_other_batch_problems(enrolment.plan, fresh),
        *_length_problems(enrolment, fresh),
        *pile_problems(enrolment.plan, deck, fresh),
    )
    wanted = DECK_CARDS if deck != CUT_CARD_DECK else enrolment.plan.cut_cards
    status = PileStatus(
        deck, _count_expected(deck, fresh), wanted, problems, leftover=bool(repeated) and not fresh
    )
    stable = enrolment.was_complete and pile == enrolment.pile
    if problems or status.cards != wanted or not stable:
        complete = not problems and status.cards == wanted
        return replace(enrolment, pile=pile, was_complete=complete), status
    cards = tuple(ManifestCard(one.tag, _card(one), deck) for one in fresh)
    after = replace(enrolment, cards=(*enrolment.cards, *cards), pile=(), was_complete=False)
    return after, replace(status, accepted=True)


def finished_manifest(enrolment: Enrolment) -> Manifest:
    """The manifest of the batch. Raises ManifestError while it is not complete."""
    plan = enrolment.plan
    return build_manifest(plan.batch, plan.back, plan.decks, enrolment.cards)


def enrolled_sheet(enrolment: Enrolment) -> BatchSheet:
    """The cards of the complete piles."""
    plan = enrolment.plan
    return BatchSheet(plan.batch, plan.back, plan.decks, enrolment.cards)


def resume_enrolment(plan: EnrolmentPlan, sheet: BatchSheet) -> Enrolment:
    """Resume from `enrolled_sheet`. Raises ManifestError where the sheet has another plan."""
    fields: tuple[tuple[str, int | str, int | str], ...] = (
        ("batch", sheet.batch, plan.batch),
        ("back", sheet.back, plan.back),
        ("decks", sheet.decks, plan.decks),
    )
    problems = [
        message("it_says_otherwise", name=name, configured=stored, typed=requested)
        for name, stored, requested in fields
        if stored != requested
    ]
    last = max((one.deck for one in sheet.cards), default=0)
    for deck in range(1, last + 1):
        problems.extend(deck_problems(deck, [one.card for one in sheet.cards if one.deck == deck]))
    if last > plan.decks:
        problems.append(message("no_such_deck", deck=last, decks=plan.decks))
    if problems:
        raise ManifestError(problems)
    return Enrolment(plan, sheet.cards)


def deck_name(deck: int) -> str:
    """The name of a pile."""
    return f"deck {deck}" if deck != CUT_CARD_DECK else "cut cards"


# --- problems of a pile --------------------------------------------------------------------------


def _earlier_card_problems(repeated: Sequence[ManifestCard]) -> tuple[PileProblem, ...]:
    by_deck: dict[int, list[str]] = {}
    for one in repeated:
        by_deck.setdefault(one.deck, []).append(one.tag)
    return tuple(
        PileProblem(_already(deck, tags), "take these cards off the reader")
        for deck, tags in sorted(by_deck.items())
    )


def _already(deck: int, tags: Sequence[str]) -> str:
    where = f"already in {deck_name(deck)}" if deck else "already among the cut cards"
    if len(tags) == 1:
        return f"tag {tags[0]} is {where}"
    return f"{count_noun(len(tags), 'tag')} are {where} ({first_few(tags)})"


def _other_batch_problems(plan: EnrolmentPlan, fresh: Pile) -> tuple[PileProblem, ...]:
    found = []
    for other in plan.others:
        tags = [one.tag for one in fresh if other.find(one.tag) is not None]
        if tags:
            tags_are = f"{count_noun(len(tags), 'tag')} {'is' if len(tags) == 1 else 'are'}"
            found.append(
                PileProblem(
                    f"{tags_are} in batch {other.batch} ({first_few(tags)})",
                    f"take these cards off, or move the files of {other.batch} away if that batch"
                    " no longer exists",
                )
            )
    return tuple(found)


def _length_problems(enrolment: Enrolment, fresh: Pile) -> tuple[PileProblem, ...]:
    """All tags of a batch have the length of the first card's."""
    first = enrolment.cards[0].tag if enrolment.cards else fresh[0].tag if fresh else ""
    return tuple(
        PileProblem(
            f"tag {one.tag} is {len(one.tag) // 2} bytes long, others are {len(first) // 2}",
            "take it off the reader: it is not a card of this batch",
        )
        for one in fresh
        if len(one.tag) != len(first)
    )


def _deck_problems(plan: EnrolmentPlan, deck: int, fresh: Pile) -> tuple[PileProblem, ...]:
    """The problems of a deck; an empty reader is none."""
    if not fresh:
        return ()
    return (
        *unread_chip_problems(fresh),
        *_back_problems(plan, fresh),
        *(
            PileProblem(f"tag {one.tag} is a cut card", f"take it out of {deck_name(deck)}")
            for one in fresh
            if isinstance(one.chip, ChipFace) and one.chip.card is None
        ),
        *_face_problems(deck, fresh),
    )


def _face_problems(deck: int, fresh: Pile) -> tuple[PileProblem, ...]:
    faces = Counter(_card(one) for one in fresh)
    missing = [str(card) for card in FACES if not faces[card]]
    twice = [card for card in FACES if faces[card] > 1]
    parts = []
    remedies = []
    if missing:
        parts.append(f"{first_few(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        remedies.append("put on what is missing")
    for card in twice:
        times = "twice" if faces[card] == 2 else f"{faces[card]} times"
        parts.append(
            f"{card} {times} ({', '.join(_hint(one) for one in fresh if _card(one) == card)})"
        )
    if twice:
        remedies.append("take off what is too many, and look for it in the other decks")
    if not parts:
        return ()
    return (PileProblem(f"{deck_name(deck)}: {', '.join(parts)}", "; ".join(remedies)),)


def _hint(one: PileTag) -> str:
    named = one.chip.deck if isinstance(one.chip, ChipFace) else 0
    return f"tag {one.tag}, its chip says deck {named}" if named else f"tag {one.tag}"


def _back_problems(plan: EnrolmentPlan, fresh: Pile) -> tuple[PileProblem, ...]:
    """Chips of another back; a colour without a number in the layout cannot be compared."""
    if plan.back.lower() not in BACK_COLOURS.values():
        return ()
    by_back: dict[str, list[str]] = {}
    for one in fresh:
        if isinstance(one.chip, ChipFace) and one.chip.back not in ("", plan.back.lower()):
            by_back.setdefault(one.chip.back, []).append(one.tag)
    return tuple(
        PileProblem(
            f"{count_noun(len(tags), 'chip')} of back {back}, the batch is {plan.back}"
            f" ({first_few(tags)})",
            "take these cards off; if their backs look right, their chips are of another batch",
        )
        for back, tags in sorted(by_back.items())
    )


def _cut_card_problems(plan: EnrolmentPlan, _deck: int, fresh: Pile) -> tuple[PileProblem, ...]:
    """A cut card's chip may hold anything but a face."""
    cards = [one.tag for one in fresh if _card(one) is not None]
    found = list(_back_problems(plan, fresh))
    if cards:
        found.append(
            PileProblem(
                f"{count_noun(len(cards), 'tag')} of a playing card ({first_few(cards)})",
                "leave the cut cards alone on the reader",
            )
        )
    if len(fresh) > plan.cut_cards:
        found.append(
            PileProblem(
                f"{count_noun(len(fresh), 'tag')},"
                f" expected {count_noun(plan.cut_cards, 'cut card')}",
                "take off every card that is not a cut card of this batch",
            )
        )
    return tuple(found)


def _count_expected(deck: int, fresh: Pile) -> int:
    """The number of expected cards on the reader: different faces, or cut cards."""
    if deck == CUT_CARD_DECK:
        return sum(_card(one) is None for one in fresh)
    present = {_card(one) for one in fresh}
    return sum(card in present for card in FACES)


def _card(one: PileTag) -> Card | None:
    return None if isinstance(one.chip, ChipUnread) else one.chip.card
