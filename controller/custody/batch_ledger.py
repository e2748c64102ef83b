"""The ledger of one batch: where each of its cards is, and whether it may be dealt from.

Responsible for: one standing a card, so that each is in exactly one place by construction; moving
one card or all of them, and counting.
Not responsible for: what a move proves (passing, sights) and for which batch is in play (state).
Source: NY-a-4-iv-b-same, S42-a-4-iii-same; D-19; field practice, "card conservation".

Decisions. Counts are of cards; a cut card has a standing and is counted nowhere. A block said at
the binding may be taken back at the next one, a miscount by a right count, damage by neither.
"""

from typing import Final

from controller.custody.card_states import (
    KNOWN_CODES,
    PLACE_OF,
    PLAIN,
    STANDINGS_AT,
    Standing,
    Whereabouts,
    moving,
)
from controller.custody.manifest import Manifest
from firmware_bridge.values import dataclass, replace

DECK_CARDS: Final = 52


@dataclass(frozen=True, slots=True)
class BatchLedger:
    """`places` is one standing for each tag of the manifest, in its order.

    `blocked` is why the batch may not be dealt from as said when it was bound, `damage` why it or
    a card of it was set apart, `miscount` by how much the last count was off (negative: short).
    """

    manifest: Manifest
    places: bytes
    blocked: str = ""
    damage: str = ""
    miscount: int = 0

    def place_of(self, index: int) -> Whereabouts:
        return PLACE_OF[self.places[index]]

    def moved(self, index: int, place: Whereabouts) -> "BatchLedger":
        """One card is at that place."""
        return self.standing(index, PLAIN[place])

    def standing(self, index: int, standing: Standing) -> "BatchLedger":
        """One card stands so."""
        places = self.places
        assert 0 <= index < len(places)
        if places[index] == standing:
            return self
        moved = places[:index] + KNOWN_CODES[standing : standing + 1] + places[index + 1 :]
        return replace(self, places=moved)

    def moved_all(self, source: Whereabouts, target: Whereabouts) -> "BatchLedger":
        """All cards at one place are at another."""
        return self.swept(moving(dict.fromkeys(STANDINGS_AT[source], PLAIN[target])))

    def swept(self, table: bytes) -> "BatchLedger":
        """All cards change their standing by a table (standings)."""
        places = self.places.translate(table)
        return self if places == self.places else replace(self, places=places)

    def count(self, place: Whereabouts) -> int:
        """How many cards are at that place."""
        at = STANDINGS_AT[place]
        cut = sum(self.places[index] in at for index in self.cut_cards())
        return sum(map(self.places.count, at)) - cut

    def counts(self) -> tuple[tuple[Whereabouts, int], ...]:
        """How many cards are at each place; together all cards of the batch."""
        return tuple((place, self.count(place)) for place in Whereabouts)

    def cards(self) -> int:
        """How many cards the batch has."""
        return DECK_CARDS * self.manifest.decks

    def cut_cards(self) -> tuple[int, ...]:
        """The indices of its cut cards."""
        found = []
        index = self.manifest.faces.find(0)
        while index >= 0:
            found.append(index)
            index = self.manifest.faces.find(0, index + 1)
        return tuple(found)

    def block(self) -> str:
        """Why the batch may not be dealt from; empty where it may."""
        if self.damage or self.blocked:
            return self.damage or self.blocked
        if self.miscount:
            kind = "more" if self.miscount > 0 else "fewer"
            return f"its last count gave {abs(self.miscount)} {kind} than it has"
        return ""

    def check(self) -> tuple[str, ...]:
        """What of it does not add up, in words."""
        tags, places = len(self.manifest), len(self.places)
        problems = []
        if tags != places:
            problems.append(f"batch {self.manifest.batch}: {tags} tags, and places for {places}")
        if strange := self.places.translate(None, KNOWN_CODES):
            problems.append(f"batch {self.manifest.batch}: {len(strange)} at a place there is not")
        return tuple(problems)


def ledger_of(
    manifest: Manifest, place: Whereabouts = Whereabouts.CARTON, blocked: str = ""
) -> BatchLedger:
    """The ledger of a batch that is whole at one place."""
    return BatchLedger(manifest, bytes([PLAIN[place]]) * len(manifest), blocked)
