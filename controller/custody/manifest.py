"""The manifest of a batch: the face and the deck of each tag; checks that it is complete.

Not: files (manifest_csv, controller.service.commissioning.batch_folder).
Source: NY-a-4-i-decks, NY-a-4-iv-a, NY-a-4-iv-b-same; S42-a-4-i to S42-a-4-iii-same.

A cut card may carry a tag, too: it is in the manifest without rank and suit, with deck 0. All tags
of one batch have one length. The value is compact because it is part of every saved state.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from controller.rules.cards import FACES, Card, Rank, Suit, face_number
from foundation.message import Message, message

CUT_CARD_DECK: Final = 0


class ManifestError(ValueError):
    """An incomplete batch; `problems` name each card that is missing, extra or repeated."""

    def __init__(self, problems: Sequence[Message]) -> None:
        super().__init__(*problems)
        self.problems = tuple(problems)


class ManifestCard(Struct, frozen=True):
    """A physical card: its tag in upper-case hex, its face (None: a cut card), its deck from 1."""

    tag: str
    card: Card | None
    deck: int


class Manifest(Struct, frozen=True):
    """A complete batch. `batch` is its name, the text of its bar code; `back` its back colour.

    `tags` holds all tags in ascending order, `tag_bytes` each; `faces` and `deck_numbers` one byte
    for each tag in the same order.
    """

    batch: str
    back: str
    decks: int
    tag_bytes: int
    tags: bytes
    faces: bytes
    deck_numbers: bytes

    def __len__(self) -> int:
        """The number of tags, including those of cut cards."""
        return len(self.faces)

    def find(self, tag: str) -> int | None:
        """The index of a tag (hex), None where the batch does not contain it."""
        # bytes.fromhex skips spaces, so two texts could be one tag: the length is checked twice.
        if not tag or len(tag) != 2 * self.tag_bytes:
            return None
        try:
            wanted = bytes.fromhex(tag)
        except ValueError:
            return None
        if len(wanted) != self.tag_bytes:
            return None
        # A match may straddle two tags: accept multiples of the tag length only.
        at = self.tags.find(wanted)
        while at >= 0 and at % self.tag_bytes:
            at = self.tags.find(wanted, at + 1)
        return at // self.tag_bytes if at >= 0 else None

    def card(self, index: int) -> Card | None:
        """The face of the card at `index`; None for a cut card."""
        face = self.faces[index]
        return _card(face) if face else None

    def at(self, index: int) -> ManifestCard:
        """The card at `index` with its tag and deck."""
        tag = self._tag(index).hex().upper()
        return ManifestCard(tag, self.card(index), self.deck_numbers[index])

    def cards(self) -> tuple[ManifestCard, ...]:
        """All cards, in ascending order of their tags."""
        return tuple(self.at(index) for index in range(len(self)))

    def _tag(self, index: int) -> bytes:
        return self.tags[index * self.tag_bytes : (index + 1) * self.tag_bytes]


def build_manifest(batch: str, back: str, decks: int, cards: Iterable[ManifestCard]) -> Manifest:
    """The manifest of a complete batch from its cards in any order. Raises ManifestError."""
    listed = sorted(cards, key=lambda one: one.tag)
    problems = manifest_problems(decks, listed)
    if problems:
        raise ManifestError(problems)
    tags = [bytes.fromhex(one.tag) for one in listed]
    return Manifest(
        batch=batch,
        back=back,
        decks=decks,
        tag_bytes=len(tags[0]),
        tags=b"".join(tags),
        faces=bytes(_face(one.card) for one in listed),
        deck_numbers=bytes(one.deck for one in listed),
    )


def manifest_problems(decks: int, cards: Sequence[ManifestCard]) -> tuple[Message, ...]:
    """Why these cards are not a complete batch of `decks` decks; empty where they are."""
    problems = list(_tag_problems(cards))
    for deck in range(1, decks + 1):
        problems.extend(deck_problems(deck, [one.card for one in cards if one.deck == deck]))
    for one in cards:
        if one.card is None and one.deck != CUT_CARD_DECK:
            problems.append(message("cut_card_has_no_deck", tag=one.tag))
        if one.card is not None and not 1 <= one.deck <= decks:
            wrong = message("tag_of_other_deck", tag=one.tag, deck=one.deck, decks=decks)
            problems.append(wrong)
    return tuple(problems)


def deck_problems(deck: int, cards: Sequence[Card | None]) -> tuple[Message, ...]:
    """The cards missing from one deck, and those in it more than once."""
    counts = Counter(card for card in cards if card is not None)
    problems = []
    for suit in Suit:
        for rank in Rank:
            card = Card(rank, suit)
            if not counts[card]:
                problems.append(message("card_missing_of_deck", deck=deck, card=str(card)))
            elif counts[card] > 1:
                times = counts[card]
                problems.append(
                    message("card_repeated_in_deck", deck=deck, card=str(card), times=times)
                )
    return tuple(problems)


def _tag_problems(cards: Sequence[ManifestCard]) -> Iterable[Message]:
    if not cards:
        yield message("there_are_no_cards")
        return
    counts = Counter(one.tag for one in cards)
    for tag, count in sorted(counts.items()):
        if count > 1:
            yield message("tag_listed_times", tag=tag, times=count)
    length = len(cards[0].tag)
    for one in cards:
        if not one.tag or not _is_hex(one.tag):
            yield message("is_not_a_tag", typed=repr(one.tag))
        elif len(one.tag) != length:
            own, others = len(one.tag) // 2, length // 2
            yield message("tag_of_other_length", tag=one.tag, length=own, others=others)


def _is_hex(tag: str) -> bool:
    return len(tag) % 2 == 0 and all(char in "0123456789ABCDEF" for char in tag)


def _face(card: Card | None) -> int:
    """0 for a cut card, else 1 to 52: suit by suit, each from ace to king."""
    return 0 if card is None else 1 + face_number(card)


def _card(face: int) -> Card:
    return FACES[face - 1]
