"""Follows one coup on the table while it is dealt: cards, hand due, and its truth record."""

from dataclasses import dataclass, field

from hil.dealing.actions import Place, PressResult
from hil.dealing.cards import Card
from hil.dealing.mistakes import Mistake
from hil.dealing.tableau import Hand, is_natural, is_pair, next_hand, points, winner
from hil.dealing.truth import CoupTruth, PlacedCard, PressedResult


@dataclass(slots=True)
class CoupOnTable:
    """A coup while it is dealt."""

    shoe: int
    number: int
    placed: list[PlacedCard] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    pressed: PressResult | None = None
    void: bool = False
    cut_card_after: int | None = None

    def put(self, place: Place, card: Card) -> None:
        """Place a card."""
        self.placed.append(PlacedCard(place, card))

    def hand(self, place: Place) -> tuple[Card, ...]:
        """The cards at that place, in order."""
        return tuple(placed.card for placed in self.placed if placed.place is place)

    @property
    def player(self) -> tuple[int, ...]:
        return tuple(card.value for card in self.hand(Place.PLAYER))

    @property
    def banker(self) -> tuple[int, ...]:
        return tuple(card.value for card in self.hand(Place.BANKER))

    @property
    def cards_dealt(self) -> int:
        """Cards of both hands; a card set aside does not count."""
        return len(self.player) + len(self.banker)

    @property
    def due(self) -> Hand | None:
        """The hand due the next card."""
        return next_hand(self.player, self.banker)

    @property
    def natural(self) -> bool:
        return is_natural(self.player, self.banker)

    def correct_result(self) -> PressResult:
        """The correct result of the cards on the table."""
        return PressResult(
            winner(self.player, self.banker),
            is_pair(self.hand(Place.PLAYER)),
            is_pair(self.hand(Place.BANKER)),
        )

    def truth(self) -> CoupTruth:
        """The truth record of this coup."""
        correct = self.correct_result()
        pressed = self.pressed
        return CoupTruth(
            shoe=self.shoe,
            coup=self.number,
            cards=tuple(self.placed),
            player_points=points(self.player),
            banker_points=points(self.banker),
            winner=None if self.void else correct.winner,
            natural=self.natural,
            player_pair=correct.player_pair,
            banker_pair=correct.banker_pair,
            declared=None
            if pressed is None
            else PressedResult(pressed.winner, pressed.player_pair, pressed.banker_pair),
            void=self.void,
            cut_card_after=self.cut_card_after,
            mistakes=tuple(self.mistakes),
        )
