"""Where the physical cards of a scenario are: in people's hands, in the shoe, drawn from it.

Source: S42-e-6-first (the cut card), S42-a-4-v-alt.
"""

from dataclasses import replace
from random import Random
from typing import Final

from controller.rules.cards import Card as Face
from hil.dealing.cards import RANK_NAMES, Card, PhysicalCard, Suit
from hil.dealing.shoe import CUT_FROM_BACK_MAX, CUT_FROM_BACK_MIN
from hil.dealing.tags import BACKS, FOREIGN_TAG, PhysicalBatch, usual_batches
from hil.scenario.play.bench import NotPossible

# Identities that are in no batch of the table.
_FOREIGN_HEAD: Final = FOREIGN_TAG[:6]


class Piles:
    """All physical cards of a table, by batch.

    `held` are those in people's hands, front first; `shoe` what is left in the shoe, with its cut
    cards; `drawn` what was drawn from it, playing cards alone; `in_shoe` the back of its batch.
    """

    def __init__(self, seed: int, *, shuffled: bool) -> None:
        """`shuffled`: both batches are shuffled by the seed, else they lie as they were made."""
        self._seed = seed
        self._shuffles = 0
        self._foreign = 0
        self.batches: dict[str, PhysicalBatch] = dict(zip(BACKS, usual_batches(), strict=True))
        self.held: dict[str, list[PhysicalCard]] = {
            back: [one for one in batch.cards if one.card is not None]
            for back, batch in self.batches.items()
        }
        self.shoe: list[PhysicalCard] = []
        self.drawn: list[PhysicalCard] = []
        self.dealt_before: dict[str, list[PhysicalCard]] = {back: [] for back in BACKS}
        self.in_shoe = ""
        self.cut_from_back = 0
        for back in BACKS:
            self.sort(back)
            if shuffled:
                self.shuffle(back)

    def shuffle(self, back: str, keeping: int = 0) -> None:
        """Shuffle a batch by hand; `keeping` cards dealt last stay together in their order."""
        cards = self._in_hand(back)
        self._shuffles += 1
        source = Random(f"pile:{self._seed}:{back}:{self._shuffles}")  # noqa: S311 - reproducible
        kept = self.dealt_before[back][-keeping:] if keeping else []
        if len(kept) < keeping:
            raise NotPossible(f"only {len(kept)} cards of {back} were dealt before")
        rest = [one for one in cards if one not in kept]
        source.shuffle(rest)
        at = source.randrange(len(rest) // 4, len(rest) // 2) if kept else 0
        self.held[back] = [*rest[:at], *kept, *rest[at:]]

    def sort(self, back: str) -> None:
        """Put a batch into the order of new decks, deck after deck."""
        suits = list(Suit)
        self._in_hand(back).sort(
            key=lambda one: (one.deck, *_order_of(one.card, suits)) if one.card else (0, 0, 0)
        )

    def swap(self, back: str, position: int, face: Face | None, *, other_batch: bool) -> None:
        """Exchange one card, counted from the front, for another piece."""
        cards = self._in_hand(back)
        if position > len(cards):
            raise NotPossible(f"{back} has {len(cards)} cards")
        old = cards[position - 1]
        assert old.card is not None, "no cut card is in a batch in people's hands"
        card = old.card if face is None else replace(bench_card(face), deck=old.card.deck)
        if other_batch:
            other = next(one for one in BACKS if one != back)
            cards[position - 1] = self.batches[other].of(card)
        else:
            cards[position - 1] = PhysicalCard(card, back, self._foreign_tag())

    def place_of(self, back: str, face: Face | None) -> int:
        """The place of the first card with that face, counted from the front."""
        for number, one in enumerate(self._in_hand(back), start=1):
            if one.card is not None and face is not None and _same_face(one.card, face):
                return number
        raise NotPossible(f"{back} has no {face}")

    def swap_all(self, back: str) -> None:
        """Exchange every card for another piece with the same face and back."""
        self.held[back] = [replace(one, tag=self._foreign_tag()) for one in self._in_hand(back)]

    def remove(self, back: str, count: int) -> None:
        """Take cards out of a batch, from its front."""
        del self._in_hand(back)[:count]

    def fill_shoe(self, back: str) -> tuple[PhysicalCard, ...]:
        """Put a batch into the shoe with its cut cards; what is in the shoe now, front first."""
        if self.shoe or self.drawn:
            raise NotPossible("there are cards of the shoe before; write `unload` first")
        cards = self._in_hand(back)
        source = Random(f"cut:{self._seed}:{self._shuffles}")  # noqa: S311 - reproducible
        from_back = self.cut_from_back or source.randint(CUT_FROM_BACK_MIN, CUT_FROM_BACK_MAX)
        first, end, *_ = self.batches[back].cut_cards
        front = max(0, len(cards) - from_back)
        self.shoe = [*cards[:front], first, *cards[front:], end]
        self.held[back], self.in_shoe, self.cut_from_back = [], back, 0
        return tuple(self.shoe)

    def collect(self) -> None:
        """Take all cards of the shoe, drawn or not, into people's hands."""
        left = [one for one in self.shoe if one.card is not None]
        if self.in_shoe:
            self.dealt_before[self.in_shoe] = list(self.drawn)
        for piece in (*self.drawn, *left):
            # A card of the other back goes with the batch that it came with.
            self.held[self.in_shoe].append(piece)
        self.shoe, self.drawn, self.in_shoe = [], [], ""

    @property
    def cards_left(self) -> int:
        """The playing cards that are left in the shoe."""
        return sum(one.card is not None for one in self.shoe)

    def next_piece(self) -> PhysicalCard:
        """Take the next piece out of the shoe, a cut card too."""
        if not self.shoe:
            raise NotPossible("the shoe is empty; write `load red` first")
        piece = self.shoe.pop(0)
        if piece.card is not None:
            self.drawn.append(piece)
        return piece

    def piece_with(self, face: Face) -> PhysicalCard:
        """Take the next card of that face out of the shoe, or any such card where none is left."""
        for at, piece in enumerate(self.shoe):
            if piece.card is not None and _same_face(piece.card, face):
                self.drawn.append(self.shoe.pop(at))
                return piece
        piece = PhysicalCard(bench_card(face), self.in_shoe or BACKS[0], self._foreign_tag())
        self.drawn.append(piece)
        return piece

    def _in_hand(self, back: str) -> list[PhysicalCard]:
        cards = self.held[back]
        if not cards:
            raise NotPossible(f"no card of {back} is in people's hands")
        return cards

    def _foreign_tag(self) -> str:
        self._foreign += 1
        return f"{_FOREIGN_HEAD}FE{self._foreign:08X}"


def bench_card(face: Face) -> Card:
    """The bench's card with a face of the dealing language."""
    text = str(face)
    return Card(RANK_NAMES.index(text[:-1]) + 1, Suit(text[-1:].upper()))


def _same_face(card: Card, face: Face) -> bool:
    wanted = bench_card(face)
    return (card.rank, card.suit) == (wanted.rank, wanted.suit)


def _order_of(card: Card, suits: list[Suit]) -> tuple[int, int]:
    return suits.index(card.suit), card.rank
