"""The state of each card of one batch, and whether the batch may be dealt from.

Source: NY-a-4-iv-b-same, S42-a-4-iii-same; D-19; field practice, "card conservation".

Each card has one state and therefore exactly one place. Counts are of playing cards: a cut card has
a state and is not counted. A right count lifts a miscount and no damage.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.card_states import (
    KNOWN_CODES,
    PLACE_OF,
    STATE_IN,
    STATES_AT,
    CardPlace,
    CardState,
    transition_table,
)
from controller.custody.manifest import Manifest
from foundation.message import Message, message

DECK_CARDS: Final = 52


class BatchLedger(Struct, frozen=True):
    """`places` is one CardState byte for each tag of the manifest, in its order.

    `damage` is why the batch or a card of it was set apart; `miscount` the surplus of the last
    count (negative: short).
    """

    manifest: Manifest
    places: bytes
    damage: Message | None = None
    miscount: int = 0

    def place_of(self, index: int) -> CardPlace:
        return PLACE_OF[self.places[index]]

    def with_place(self, index: int, place: CardPlace) -> "BatchLedger":
        """The ledger with one card at that place."""
        return self.with_state(index, STATE_IN[place])

    def with_state(self, index: int, state: CardState) -> "BatchLedger":
        """The ledger with one card in that state."""
        places = self.places
        assert 0 <= index < len(places)
        if places[index] == state:
            return self
        moved = places[:index] + KNOWN_CODES[state : state + 1] + places[index + 1 :]
        return replace(self, places=moved)

    def move_between(self, source: CardPlace, target: CardPlace) -> "BatchLedger":
        """The ledger with all cards at one place moved to another."""
        return self.move_all(transition_table(dict.fromkeys(STATES_AT[source], STATE_IN[target])))

    def move_all(self, table: bytes) -> "BatchLedger":
        """The ledger with every card's state mapped by a transition table (card_states)."""
        places = self.places.translate(table)
        return self if places == self.places else replace(self, places=places)

    def count(self, place: CardPlace) -> int:
        """The number of cards at that place."""
        at = STATES_AT[place]
        cut = sum(self.places[index] in at for index in self.cut_cards())
        return sum(map(self.places.count, at)) - cut

    def counts(self) -> tuple[tuple[CardPlace, int], ...]:
        """The number of cards at each place; the sum is the whole batch."""
        return tuple((place, self.count(place)) for place in CardPlace)

    def cards(self) -> int:
        """The number of cards of the batch, without cut cards."""
        return DECK_CARDS * self.manifest.decks

    def cut_cards(self) -> tuple[int, ...]:
        """The indices of the cut cards."""
        found = []
        index = self.manifest.faces.find(0)
        while index >= 0:
            found.append(index)
            index = self.manifest.faces.find(0, index + 1)
        return tuple(found)

    def block_reason(self) -> Message | None:
        """Why the batch may not be dealt from; None where it may."""
        if self.damage is not None or not self.miscount:
            return self.damage
        if self.miscount > 0:
            return message("last_count_gave_more", cards=self.miscount)
        return message("last_count_gave_fewer", cards=-self.miscount)

    def check_consistent(self) -> None:
        """Every tag has one known state."""
        batch, tags, places = self.manifest.batch, len(self.manifest), len(self.places)
        assert tags == places, f"batch {batch}: {tags} tags, and states of {places} cards"
        unknown = self.places.translate(None, KNOWN_CODES)
        assert not unknown, f"batch {batch}: {len(unknown)} in an unknown state"


def new_ledger(manifest: Manifest, place: CardPlace = CardPlace.CARTON) -> BatchLedger:
    """The ledger of a complete batch at one place."""
    return BatchLedger(manifest, bytes([STATE_IN[place]]) * len(manifest))
