"""A table with two batches, told in the words of play, for every test of custody.

Responsible for: batches of given decks whose tags tell nothing of the faces, and a table that
holds what must hold after every event: nothing fails to add up, every card is in one place.
Not responsible for: whole manifests of the house's size (test_size) and the rules of drawing.
Source: package README of custody.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest

from controller.custody import batch_actions as batches
from controller.custody import exit_reads as passing
from controller.custody import face_count as faces
from controller.custody import shoe as shoes
from controller.custody import table_reads as sights
from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding
from controller.custody.manifest import Manifest, ManifestCard, manifest_of
from controller.custody.state import CustodyState, check, counts, located
from controller.rules.cards import Card, Rank, Suit

FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
# By back: the tags of two batches lie among each other, as those of one maker do.
PREFIX = {"red": 0, "blue": 1, "green": 2}


def tag_of(back: str, number: int) -> str:
    """The tag of a card; neighbours of one deck are no neighbours in the manifest."""
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
    return manifest_of(name or f"{back}-0001", back, decks, cards)


@dataclass(slots=True)
class Table:
    """Custody at one table; every act is checked, what it finds is kept in `found`."""

    state: CustodyState = field(default_factory=CustodyState)
    found: list[Finding] = field(default_factory=list)
    refusal: str = ""

    def tag(self, card: str, back: str = "red", deck: int = 1) -> str:
        """The tag of a card: its face, its back, its deck (from 1)."""
        manifest = next(one.manifest for one in self.state.batches if one.manifest.back == back)
        wanted = (Card.parse(card), deck)
        return next(one.tag for one in manifest.cards() if (one.card, one.deck) == wanted)

    def codes(self) -> list[str]:
        return [finding.code.value for finding in self.found]

    def where(self, tag: str) -> Whereabouts:
        card = located(self.state, tag)
        assert card is not None
        return card.ledger.place_of(card.index)

    def at(self, back: str) -> dict[Whereabouts, int]:
        shown = next(one for one in counts(self.state) if one.back == back)
        return dict(shown.places)

    def bind(self, *manifests: Manifest, blocked: str = "") -> None:
        for manifest in manifests:
            self._recorded(batches.bind(self.state, manifest, blocked))

    def reads_bar_code(self, back: str, name: str = "") -> None:
        self.bind(whole_batch(back, cut_cards=2, name=name))

    def record(self, back: str, place: Whereabouts) -> None:
        self._recorded(batches.batch_moved(self.state, back, place))

    def set_apart(self, back: str, tag: str | None = None, reason: str = "torn") -> None:
        self._recorded(batches.set_apart(self.state, back, tag, reason))

    def count(self, back: str, count: int) -> None:
        self._recorded(batches.counted(self.state, back, count))

    def open(self, expected: str = "", *, alternates: bool = True, joined: bool = False) -> None:
        self._holds(shoes.shoe_opened(self.state, expected, alternates, joined=joined))

    def end(self, *, played: bool = True) -> None:
        self._holds(shoes.shoe_ended(self.state, played=played))

    def passes(
        self,
        tag: str | None,
        place: Whereabouts | None = Whereabouts.PLAYER,
        *,
        sure: bool = True,
        step: str = "coup 1",
    ) -> passing.Passed:
        """A card leaves the shoe, and the procedure puts it there."""
        passed = passing.card_passed(self.state, tag, sure, step)
        self._holds(passed.state, passed.findings)
        if place is not None and not passed.cut_card:
            self._holds(passing.placed(self.state, place))
        return passed

    def face(self, card: str | None, decks: int = 8, step: str = "coup 1") -> None:
        drawn = None if card is None else Card.parse(card)
        self._holds(*faces.face_drawn(self.state, drawn, decks, step))

    def sees(self, spot: Whereabouts, tag: str, step: str = "coup 1") -> sights.Seen:
        seen = sights.seen(self.state, spot, tag, step)
        self._holds(seen.state, seen.findings)
        return seen

    def clears(self, *, read: bool = False) -> None:
        """The coup is over: hands away, and what should be in the rack by now is asked for."""
        self._holds(passing.hands_cleared(self.state, read))
        self._holds(*sights.rack_due(self.state, "coup 1"))

    def aside_to(self, place: Whereabouts, count: int | None = None) -> None:
        self._holds(passing.aside_to(self.state, place, count))

    def empties_rack(self) -> None:
        self._holds(*sights.rack_due(self.state, "the end of the shoe", whole=True))

    def _recorded(self, recorded: batches.Recorded) -> None:
        self.refusal = recorded.refusal
        self._holds(recorded.state, recorded.findings)

    def _holds(self, state: CustodyState, findings: tuple[Finding, ...] = ()) -> None:
        self.state = state
        self.found += findings
        assert check(state) == ()
        for shown, ledger in zip(counts(state), state.batches, strict=True):
            assert sum(number for _, number in shown.places) == 52 * ledger.manifest.decks


Batches: TypeAlias = Callable[..., Manifest]


@pytest.fixture(scope="session")
def batch() -> Batches:
    return whole_batch


@pytest.fixture(scope="session")
def tables() -> Callable[[], Table]:
    """Tables for tests that try many examples each."""
    return Table


@pytest.fixture
def bare() -> Table:
    """A table to which no batch is bound."""
    return Table()


@pytest.fixture
def table() -> Table:
    """A table with a red and a blue batch of one deck and two cut cards each, no shoe in play."""
    made = Table()
    made.bind(whole_batch("red", cut_cards=2), whole_batch("blue", cut_cards=2))
    for back in ("red", "blue"):
        made.record(back, Whereabouts.SHUFFLER)
    return made


@pytest.fixture
def red_shoe(table: Table) -> Table:
    """The red batch is in play: recorded as loaded, and its 2s was burned."""
    table.open("red")
    table.passes(table.tag("2s"), Whereabouts.BURN)
    return table
