"""Enrolling a batch: pile by pile on a reader, deck 1 to the last, then cut cards.

Responsible for: when a deck is complete, what is wrong with the pile as it lies there, and the
cards so far, from which a later run goes on.
Not responsible for: the reader, files and people (controller.cli.batches.enrol), and receipts.
Source: NY-a-4-i-decks, NY-a-4-iv-b-same, S42-a-4-iii-same; controller/README.md, "Enrolling a
batch".

Decisions. A deck is complete when 52 different tags with 52 different faces lie there, nothing
else does, and two listings running say so. The next one begins when no card of the one before lies
there any more: cards of a deck that is complete are told as such and never taken twice. The deck's
number is the order in which it lay there; what a chip says of it is a hint to whoever sorts a
mixture.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from controller.custody.chip_layout import BACK_COLOURS, LAYOUTS, OPEN_LAYOUT, ChipFace, ChipUnread
from controller.custody.enrolment.pile import (
    Pile,
    PileTag,
    Trouble,
    counted,
    look,
    repeated_troubles,
    some,
    unread_troubles,
)
from controller.custody.manifest import (
    CUT_CARD_DECK,
    Manifest,
    ManifestCard,
    ManifestError,
    deck_problems,
    manifest_of,
)
from controller.custody.manifest_csv import BatchSheet
from controller.rules.cards import Card, Rank, Suit
from drivers.events import TagListed
from firmware_bridge.values import dataclass, replace

DECK_CARDS: Final = 52
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)


@dataclass(frozen=True, slots=True)
class EnrolmentPlan:
    """What is to be enrolled; `chip` names a row of chip.LAYOUTS. Cards of `others` are theirs."""

    batch: str
    back: str
    decks: int
    cut_cards: int = 0
    chip: str = OPEN_LAYOUT
    others: tuple[Manifest, ...] = ()


@dataclass(frozen=True, slots=True)
class Enrolment:
    """One enrolment: the cards of piles that were complete, and the pile that lies there.

    `lay_right`: the listing before saw this same pile without any trouble.
    """

    plan: EnrolmentPlan
    cards: tuple[ManifestCard, ...] = ()
    pile: Pile = ()
    lay_right: bool = False


@dataclass(frozen=True, slots=True)
class PileSeen:
    """What one listing told. `deck` is the deck it was for (0: the cut cards); `cards` of `wanted`.

    `taken`: the pile is complete and now belongs to the batch. `leftover`: nothing lies there but
    cards of piles that are complete.
    """

    deck: int
    cards: int
    wanted: int
    troubles: tuple[Trouble, ...] = ()
    taken: bool = False
    leftover: bool = False


def due(enrolment: Enrolment) -> int | None:
    """The deck that is to be read next, CUT_CARD_DECK for the cut cards, None: all is read."""
    decks = max((one.deck for one in enrolment.cards), default=0)
    if decks < enrolment.plan.decks:
        return decks + 1
    has_cut_cards = any(one.deck == CUT_CARD_DECK for one in enrolment.cards)
    return CUT_CARD_DECK if enrolment.plan.cut_cards and not has_cut_cards else None


def listed(enrolment: Enrolment, tags: Sequence[TagListed]) -> tuple[Enrolment, PileSeen]:
    """Take one listing of the reader, whole."""
    deck = due(enrolment)
    if deck is None:
        return enrolment, PileSeen(CUT_CARD_DECK, 0, 0, leftover=bool(tags))
    pile = look(LAYOUTS[enrolment.plan.chip], enrolment.pile, tags)
    earlier = {one.tag: one for one in enrolment.cards}
    fresh = tuple(one for one in pile if one.tag not in earlier)
    there = tuple(earlier[one.tag] for one in pile if one.tag in earlier)
    of_pile = _deck_troubles if deck != CUT_CARD_DECK else _cut_card_troubles
    troubles = (
        *repeated_troubles(tags),
        *_earlier_troubles(there),
        *_other_batch_troubles(enrolment.plan, fresh),
        *_length_troubles(enrolment, fresh),
        *of_pile(enrolment.plan, deck, fresh),
    )
    wanted = DECK_CARDS if deck != CUT_CARD_DECK else enrolment.plan.cut_cards
    seen = PileSeen(deck, _right(deck, fresh), wanted, troubles, leftover=bool(there) and not fresh)
    stable = enrolment.lay_right and pile == enrolment.pile
    if troubles or seen.cards != wanted or not stable:
        right = not troubles and seen.cards == wanted
        return replace(enrolment, pile=pile, lay_right=right), seen
    cards = tuple(ManifestCard(one.tag, _card(one), deck) for one in fresh)
    after = replace(enrolment, cards=(*enrolment.cards, *cards), pile=(), lay_right=False)
    return after, replace(seen, taken=True)


def whole(enrolment: Enrolment) -> Manifest:
    """The batch. Raises ManifestError while it is not whole."""
    plan = enrolment.plan
    return manifest_of(plan.batch, plan.back, plan.decks, enrolment.cards)


def so_far(enrolment: Enrolment) -> BatchSheet:
    """The cards of the piles that were complete."""
    plan = enrolment.plan
    return BatchSheet(plan.batch, plan.back, plan.decks, enrolment.cards)


def resumed(plan: EnrolmentPlan, sheet: BatchSheet) -> Enrolment:
    """An enrolment that goes on from `so_far`. Raises ManifestError where it is of another plan."""
    told = (
        ("batch", sheet.batch, plan.batch),
        ("back", sheet.back, plan.back),
        ("decks", sheet.decks, plan.decks),
    )
    problems = [
        f"{name}: it says {there}, asked for is {asked}"
        for name, there, asked in told
        if there != asked
    ]
    last = max((one.deck for one in sheet.cards), default=0)
    for deck in range(1, last + 1):
        problems.extend(deck_problems(deck, [one.card for one in sheet.cards if one.deck == deck]))
    if last > plan.decks:
        problems.append(f"deck {last}: decks are numbered 1 to {plan.decks}")
    if problems:
        raise ManifestError(problems)
    return Enrolment(plan, sheet.cards)


def deck_name(deck: int) -> str:
    """What a pile is called."""
    return f"deck {deck}" if deck != CUT_CARD_DECK else "cut cards"


# --- what is wrong with a pile -------------------------------------------------------------------


def _earlier_troubles(there: Sequence[ManifestCard]) -> tuple[Trouble, ...]:
    by_deck: dict[int, list[str]] = {}
    for one in there:
        by_deck.setdefault(one.deck, []).append(one.tag)
    return tuple(
        Trouble(_already(deck, tags), "take these cards off the reader")
        for deck, tags in sorted(by_deck.items())
    )


def _already(deck: int, tags: Sequence[str]) -> str:
    where = f"of {deck_name(deck)} already" if deck else "among the cut cards already"
    if len(tags) == 1:
        return f"tag {tags[0]} is {where}"
    return f"{counted(len(tags), 'tag')} are {where} ({some(tags)})"


def _other_batch_troubles(plan: EnrolmentPlan, fresh: Pile) -> tuple[Trouble, ...]:
    found = []
    for other in plan.others:
        tags = [one.tag for one in fresh if other.find(one.tag) is not None]
        if tags:
            are = "is" if len(tags) == 1 else "are"
            found.append(
                Trouble(
                    f"{counted(len(tags), 'tag')} {are} of batch {other.batch} ({some(tags)})",
                    f"take these cards off, or move the files of {other.batch} away if that batch"
                    " is no more",
                )
            )
    return tuple(found)


def _length_troubles(enrolment: Enrolment, fresh: Pile) -> tuple[Trouble, ...]:
    """All tags of a batch are of one length: the first card's."""
    first = enrolment.cards[0].tag if enrolment.cards else fresh[0].tag if fresh else ""
    return tuple(
        Trouble(
            f"tag {one.tag} is {len(one.tag) // 2} bytes long, others are {len(first) // 2}",
            "take it off the reader: it is no card of this batch",
        )
        for one in fresh
        if len(one.tag) != len(first)
    )


def _deck_troubles(plan: EnrolmentPlan, deck: int, fresh: Pile) -> tuple[Trouble, ...]:
    """An empty reader is no trouble: the deck is yet to come."""
    if not fresh:
        return ()
    return (
        *unread_troubles(fresh),
        *_back_troubles(plan, fresh),
        *(
            Trouble(f"tag {one.tag} is a cut card", f"take it out of {deck_name(deck)}")
            for one in fresh
            if isinstance(one.chip, ChipFace) and one.chip.card is None
        ),
        *_face_troubles(deck, fresh),
    )


def _face_troubles(deck: int, fresh: Pile) -> tuple[Trouble, ...]:
    faces = Counter(_card(one) for one in fresh)
    missing = [str(card) for card in FACES if not faces[card]]
    twice = [card for card in FACES if faces[card] > 1]
    said = []
    remedies = []
    if missing:
        said.append(f"{some(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        remedies.append("put on what is missing")
    for card in twice:
        times = "twice" if faces[card] == 2 else f"{faces[card]} times"
        said.append(
            f"{card} {times} ({', '.join(_hint(one) for one in fresh if _card(one) == card)})"
        )
    if twice:
        remedies.append("take off what is too many, and look for it in the other decks")
    if not said:
        return ()
    return (Trouble(f"{deck_name(deck)}: {', '.join(said)}", "; ".join(remedies)),)


def _hint(one: PileTag) -> str:
    named = one.chip.deck if isinstance(one.chip, ChipFace) else 0
    return f"tag {one.tag}, its chip says deck {named}" if named else f"tag {one.tag}"


def _back_troubles(plan: EnrolmentPlan, fresh: Pile) -> tuple[Trouble, ...]:
    """Chips that name another back; a colour the layout has no number for cannot be compared."""
    if plan.back.lower() not in BACK_COLOURS.values():
        return ()
    by_back: dict[str, list[str]] = {}
    for one in fresh:
        if isinstance(one.chip, ChipFace) and one.chip.back not in ("", plan.back.lower()):
            by_back.setdefault(one.chip.back, []).append(one.tag)
    return tuple(
        Trouble(
            f"{counted(len(tags), 'chip')} of back {back}, the batch is {plan.back} ({some(tags)})",
            "take these cards off; if their backs look right, their chips are of another batch",
        )
        for back, tags in sorted(by_back.items())
    )


def _cut_card_troubles(plan: EnrolmentPlan, _deck: int, fresh: Pile) -> tuple[Trouble, ...]:
    """A cut card's chip may hold anything but a face."""
    cards = [one.tag for one in fresh if _card(one) is not None]
    found = list(_back_troubles(plan, fresh))
    if cards:
        found.append(
            Trouble(
                f"{counted(len(cards), 'tag')} of a playing card ({some(cards)})",
                "leave the cut cards alone on the reader",
            )
        )
    if len(fresh) > plan.cut_cards:
        found.append(
            Trouble(
                f"{counted(len(fresh), 'tag')}, and there are to be {plan.cut_cards} cut cards",
                "take off what is no cut card of this batch",
            )
        )
    return tuple(found)


def _right(deck: int, fresh: Pile) -> int:
    """How many of the wanted cards lie there: different faces, or cut cards."""
    if deck == CUT_CARD_DECK:
        return sum(_card(one) is None for one in fresh)
    present = {_card(one) for one in fresh}
    return sum(card in present for card in FACES)


def _card(one: PileTag) -> Card | None:
    return None if isinstance(one.chip, ChipUnread) else one.chip.card
