"""What the shoe itself believes of the game: where it thinks the next card goes.

Responsible for: the claim that goes with each card.
Not responsible for: being right. It sees cards leave, keys pressed, and nothing of the table.
Source: wire document of the Angel Eye II-EX, target byte; where that is silent the decisions stand
in the package README, "Emulators".
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
class Belief:
    """`burn_left` None: the first card of the shoe has not come yet."""

    burn_left: int | None = None
    burn_counted: int = 0
    player: tuple[int, ...] = ()
    banker: tuple[int, ...] = ()

    @property
    def process(self) -> int:
        """The game process as two digits: 0 between coups, 1 burn, 2 coup. Our own numbers."""
        if self.burn_left is None or self.burn_left > 0:
            return 1
        return 2 if self.player else 0

    def claim(self, *, burn_key: bool) -> Claim | None:
        """Where the next card goes; None when no hand is due one (overdraw)."""
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

    def after(self, claim: Claim, card: Card | None) -> "Belief":
        """The belief once that card has left. A card it could not read counts nothing."""
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

    def between_coups(self) -> "Belief":
        """The burn or the coup is over: the next card is the Player's first."""
        return Belief(burn_left=0)
