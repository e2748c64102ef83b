"""Predicts where the shoe expects the next card to go, as the claim it reports with each card.

The shoe sees cards leave and keys pressed, and nothing of the table, so a claim can be wrong.

Source: wire document of the Angel Eye II-EX, target byte; where that is silent, the package
README, "Emulators".
"""

from dataclasses import dataclass, replace

from hil.dealing.cards import Card
from hil.dealing.tableau import Hand, next_hand
from hil.emulator.angel_eye.wire import Target


@dataclass(frozen=True, slots=True)
class Claim:
    """The target byte's content."""

    target: Target
    index: int


@dataclass(frozen=True, slots=True)
class GameState:
    """What the shoe assumes about the game. `burn_left` None: no card has left this shoe yet."""

    burn_left: int | None = None
    burn_counted: int = 0
    player: tuple[int, ...] = ()
    banker: tuple[int, ...] = ()

    @property
    def process(self) -> int:
        """The game process: 0 between coups, 1 burn, 2 coup (invented numbers)."""
        if self.burn_left is None or self.burn_left > 0:
            return 1
        return 2 if self.player else 0

    def claim(self, *, burn_key: bool) -> Claim | None:
        """The claim for the next card; None when no hand is due one (overdraw)."""
        if self.burn_left is None:
            return Claim(Target.FIRST_CARD, 0)
        if self.burn_left > 0:
            return Claim(Target.BURN_COUNT, self.burn_counted + 1)
        if burn_key:
            return Claim(Target.BURN, 0)
        match next_hand(self.player, self.banker):
            case Hand.PLAYER:
                return Claim(Target.PLAYER, len(self.player) + 1)
            case Hand.BANKER:
                return Claim(Target.BANKER, len(self.banker) + 1)
            case None:
                return None

    def after(self, claim: Claim, card: Card | None) -> "GameState":
        """The state after that card has left. An unread card counts as value 0."""
        value = 0 if card is None else card.value
        match claim.target:
            case Target.FIRST_CARD:
                return replace(self, burn_left=1 if card is None else card.burn_value)
            case Target.BURN_COUNT:
                left = (self.burn_left or 0) - 1
                return replace(self, burn_left=left, burn_counted=self.burn_counted + 1)
            case Target.PLAYER:
                return replace(self, player=(*self.player, value))
            case Target.BANKER:
                return replace(self, banker=(*self.banker, value))
            case Target.BURN:
                return self

    def between_coups(self) -> "GameState":
        """The state after the burn or a coup: the next card is the Player's first."""
        return GameState(burn_left=0)
