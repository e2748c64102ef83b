"""How long coups take and how long it is between them, by the times of their cards."""

from typing import ClassVar, Final, TypeAlias

from msgspec import Struct

Durations: TypeAlias = tuple[int | None, int | None]


class DealtTimes(Struct, frozen=True):
    """`cards` are the times of the cards that are of no ended coup, `ended_ns` that of the last
    card of the coup before, None in front of a shoe's first one. Times are UTC, in ns.
    """

    cards: tuple[int, ...] = ()
    ended_ns: int | None = None
    burning: bool = False


NO_CARDS_YET: Final = DealtTimes()


class Cadence:
    """Follows the cards of one table."""

    # A coup has at most six cards, and errors; a burn ten and more.
    CARDS_MAX: ClassVar[int] = 64

    def __init__(self, times: DealtTimes) -> None:
        self._cards = list(times.cards)
        self._ended_ns = times.ended_ns
        self._burning = times.burning

    @property
    def times(self) -> DealtTimes:
        """What a new one goes on from."""
        return DealtTimes(tuple(self._cards), self._ended_ns, self._burning)

    def card(self, at_ns: int) -> None:
        """A card left the shoe."""
        if len(self._cards) < self.CARDS_MAX:
            self._cards.append(at_ns)

    def open_shoe(self, *, joined: bool) -> None:
        """A shoe was opened, perhaps by its first card: that is the newest one so far."""
        self._cards = [] if joined else self._cards[-1:]
        self._ended_ns, self._burning = None, not joined

    def end_burn(self, removed: int) -> None:
        """The burn is done; a card after it begins the first coup."""
        if self._burning:
            self._cards, self._burning = self._cards[removed:], False

    def end_shoe(self) -> None:
        self._cards, self._ended_ns, self._burning = [], None, False

    def end_coup(self, cards: int) -> Durations:
        """A coup of so many cards ended: the ns it took and those before it, None if not known.

        Where no result is reported the first card of the next coup ends it, and is not of it.
        """
        dealt, self._cards = self._cards[:cards], self._cards[cards:]
        ended_ns = self._ended_ns
        if not dealt:
            self._ended_ns = None
            return None, None
        self._ended_ns = dealt[-1]
        return dealt[-1] - dealt[0], None if ended_ns is None else dealt[0] - ended_ns

    def move(self, by_ns: int) -> None:
        """The clock was set by so much."""
        self._cards = [at_ns + by_ns for at_ns in self._cards]
        if self._ended_ns is not None:
            self._ended_ns += by_ns
