"""The burn at the start of a shoe, done right or wrong.

Responsible for: the actions of the burn and its truth.
Not responsible for: coups (dealer).
Source: clauses NY-e-1 to NY-e-4, S42-e-6-burn1, S42-e-6-burnn; D-1 (1 + N cards leave the shoe).
"""

from collections.abc import Generator
from typing import Protocol

from hil.dealing.actions import Action, Draw, MistakeMade, Place, StandBy
from hil.dealing.cards import Card
from hil.dealing.mistakes import Mistake
from hil.dealing.truth import BurnTruth, PlacedCard, Truth


class Burner(Protocol):
    """What the burn needs of the dealer."""

    truth: Truth
    shoe_number: int

    @property
    def stands_by_after_burn(self) -> bool:
        """Whether he presses stand-by when the burn is done."""
        ...

    def next_card(self) -> Generator[Action, None, Card]: ...

    def is_due(self, mistake: Mistake) -> bool: ...


def burn_actions(dealer: Burner) -> Generator[Action, None, None]:
    """Burn the first card and as many more as it counts, with the mistake that is due, if any."""
    burned: list[PlacedCard] = []
    made: tuple[Mistake, ...] = ()
    if dealer.is_due(Mistake.BURN_SKIPPED):
        made = (Mistake.BURN_SKIPPED,)
        first = yield from _played_too_early(dealer, burned, Mistake.BURN_SKIPPED)
        # What came out is the first burn card after all; the rest goes by the burn key.
        yield from _burn(dealer, burned, first.burn_value, burn_key=True)
        yield StandBy()
    else:
        first = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, first))
        yield Draw(first, Place.BURN)
        if dealer.is_due(Mistake.BURN_SHORT):
            made = (Mistake.BURN_SHORT,)
            yield from _burn(dealer, burned, first.burn_value - 1)
            yield from _played_too_early(dealer, burned, Mistake.BURN_SHORT)
            yield StandBy()
        else:
            yield from _burn(dealer, burned, first.burn_value)
            if dealer.is_due(Mistake.BURN_LONG):
                made = (Mistake.BURN_LONG,)
                yield from _burn(dealer, burned, 1, burn_key=True)
                yield MistakeMade(Mistake.BURN_LONG)
            if dealer.stands_by_after_burn:
                yield StandBy()
    owed = 1 + first.burn_value
    dealer.truth.records.append(BurnTruth(dealer.shoe_number, tuple(burned), owed, made))


def _burn(
    dealer: Burner, burned: list[PlacedCard], count: int, *, burn_key: bool = False
) -> Generator[Action, None, None]:
    for _ in range(count):
        card = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, card))
        yield Draw(card, Place.BURN, burn_key=burn_key)


def _played_too_early(
    dealer: Burner, burned: list[PlacedCard], mistake: Mistake
) -> Generator[Action, None, Card]:
    """Begin to deal while burn cards are owed: by the order of drawing the card is a burn card."""
    yield StandBy()
    card = yield from dealer.next_card()
    burned.append(PlacedCard(Place.PLAYER, card))
    yield Draw(card, Place.PLAYER)
    yield MistakeMade(mistake)
    return card
