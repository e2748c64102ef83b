"""Fixtures for custody: a table with two batches, whose invariants hold after every act."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from in_words import in_words, why_words

from controller.custody import batch_actions, shoe, table_reads
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.state import (
    CustodyState,
    batch_counts,
    batch_of_back,
    check_consistent,
    find_card,
)
from controller.rules.cards import Card, Rank, Suit
from foundation.message import Message, message

FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
# By back: tags of two batches interleave, as those of one maker do.
PREFIX = {"red": 0, "blue": 1, "green": 2}


def tag_of(back: str, number: int) -> str:
    """The tag of a card; cards next to each other in a deck are not so in the manifest."""
    return f"E00401{(number * 7919 + 13) % 65536:04X}00{PREFIX[back]:02X}AA"


def whole_batch(back: str, decks: int = 1, cut_cards: int = 0, name: str = "") -> Manifest:
    cards = [
        ManifestCard(tag_of(back, 52 * deck + at), face, deck + 1)
        for deck in range(decks)
        for at, face in enumerate(FACES)
    ]
    cards += [
        ManifestCard(tag_of(back, 52 * decks + number), None, 0) for number in range(cut_cards)
    ]
    return build_manifest(name or f"{back}-0001", back, decks, cards)


def typed(step: str) -> Message:
    """A step of play as a test names it."""
    return message("as_typed", typed=step)


@dataclass(slots=True)
class Table:
    """Custody at one table; checks the invariants after every act, collects `findings` in words."""

    state: CustodyState = field(default_factory=CustodyState)
    findings: list[Finding] = field(default_factory=list)
    refusal: str = ""
    drawn: int = 0

    def tag(self, card: str, back: str = "red", deck: int = 1) -> str:
        """The tag of a card: its face, its back, its deck (from 1)."""
        manifest = next(one.manifest for one in self.state.batches if one.manifest.back == back)
        wanted = (Card.parse(card), deck)
        return next(one.tag for one in manifest.cards() if (one.card, one.deck) == wanted)

    def codes(self) -> list[str]:
        return [finding.code.value for finding in self.findings]

    def where(self, tag: str) -> CardPlace:
        card = find_card(self.state, tag)
        assert card is not None
        return card.ledger.place_of(card.index)

    def at(self, back: str) -> dict[CardPlace, int]:
        counts = next(one for one in batch_counts(self.state) if one.back == back)
        return dict(counts.places)

    def blocked(self, back: str) -> str:
        """Why that batch may not be dealt from, in words."""
        return why_words(next(one.blocked for one in batch_counts(self.state) if one.back == back))

    def bind(self, *manifests: Manifest) -> None:
        for manifest in manifests:
            self._apply(batch_actions.bind_batch(self.state, manifest))

    def scan_bar_code(self, back: str, name: str = "") -> None:
        self.bind(whole_batch(back, cut_cards=2, name=name))

    def record(self, back: str, place: CardPlace) -> None:
        number = batch_of_back(self.state, back)
        if number is not None:
            self._update(batch_actions.move_batch(self.state, number, place))

    def set_apart(self, back: str, tag: str | None = None, reason: str = "torn") -> None:
        self._apply(batch_actions.set_apart(self.state, back, tag, reason))

    def count(self, back: str, count: int) -> None:
        number, step = batch_of_back(self.state, back), message("count_of_the_shuffler")
        if number is not None:
            self._update(*batch_actions.record_count(self.state, number, count, step))

    def open(self, expected: str = "", *, alternates: bool = True, joined: bool = False) -> None:
        self._update(shoe.open_shoe(self.state, expected, alternates, joined=joined))

    def end(self, *, played: bool = True) -> None:
        self._update(shoe.end_shoe(self.state, played=played))

    def draw(
        self,
        tag: str | None,
        place: CardPlace | None = CardPlace.PLAYER,
        *,
        sure: bool = True,
        step: str = "coup 1",
    ) -> shoe.ExitRead:
        """A card leaves the shoe and is placed by the procedure."""
        result = shoe.apply_exit_read(self.state, tag, sure, typed(step))
        self._update(result.state, result.findings)
        self.drawn += 1
        if place is not None and not result.cut_card:
            self._update(shoe.place_last_card(self.state, place, self.drawn))
        return result

    def face(self, card: str | None, decks: int = 8, step: str = "coup 1") -> None:
        drawn = None if card is None else Card.parse(card)
        self._update(*shoe.count_face(self.state, drawn, decks, lambda: typed(step)))

    def read(self, spot: CardPlace, tag: str, step: str = "coup 1") -> table_reads.TableRead:
        result = table_reads.apply_table_read(self.state, spot, tag, typed(step))
        self._update(result.state, result.findings)
        return result

    def clear_hands(self, *, read: bool = False) -> None:
        """Clear the hands after a coup, and find cards absent from the rack."""
        self._update(shoe.clear_hands(self.state, read))
        self._update(*table_reads.find_absent_from_rack(self.state, typed("coup 1")))

    def move_aside(self, place: CardPlace, count: int | None = None) -> None:
        in_play = self.state.shoe
        aside = in_play.aside if in_play is not None else ()
        for one in aside if count is None else aside[: max(0, count)]:
            self._update(shoe.move_aside_card(self.state, one.number, place, False))

    def empty_rack(self) -> None:
        self._update(*table_reads.find_absent_from_rack(self.state, typed("shoe over"), whole=True))

    def _apply(self, recorded: batch_actions.BatchActionResult) -> None:
        self.refusal = why_words(recorded.refusal)
        self._update(recorded.state)

    def _update(self, state: CustodyState, findings: tuple[Finding, ...] = ()) -> None:
        self.state = state
        self.findings += map(in_words, findings)
        check_consistent(state)
        for counts, ledger in zip(batch_counts(state), state.batches, strict=True):
            assert sum(number for _, number in counts.places) == 52 * ledger.manifest.decks


Batches: TypeAlias = Callable[..., Manifest]


@pytest.fixture(scope="session")
def batch() -> Batches:
    return whole_batch


@pytest.fixture(scope="session")
def tables() -> Callable[[], Table]:
    """Makes tables, for tests with many examples."""
    return Table


@pytest.fixture
def bare() -> Table:
    """A table without a bound batch."""
    return Table()


@pytest.fixture
def table() -> Table:
    """A table with a red and a blue batch of one deck and two cut cards each, no shoe in play."""
    made = Table()
    made.bind(whole_batch("red", cut_cards=2), whole_batch("blue", cut_cards=2))
    for back in ("red", "blue"):
        made.record(back, CardPlace.SHUFFLER)
    return made


@pytest.fixture
def red_shoe(table: Table) -> Table:
    """The red batch in play: recorded as loaded, its 2s burned."""
    table.open("red")
    table.draw(table.tag("2s"), CardPlace.BURN)
    return table
