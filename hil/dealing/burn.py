"""Generates the actions and the truth record of the burn at the start of a shoe, right or wrong.

Source: clauses NY-e-1 to NY-e-4, S42-e-6-burn1, S42-e-6-burnn; D-1 (1 + N cards leave the shoe).
"""

from collections.abc import Generator
from typing import Protocol

from hil.dealing.actions import DealerAction, Draw, MistakeMade, Place, PressStandBy
from hil.dealing.cards import Card
from hil.dealing.mistakes import Mistake
from hil.dealing.truth import BurnTruth, PlacedCard, Truth


class BurnDealer(Protocol):
    """The part of the dealer that the burn needs."""

    truth: Truth
    shoe_number: int

    @property
    def stand_by_after_burn(self) -> bool:
        """Whether the dealer presses stand-by after the burn."""
        ...

    def next_card(self) -> Generator[DealerAction, None, Card]: ...

    def is_due(self, mistake: Mistake) -> bool: ...


def burn_actions(dealer: BurnDealer) -> Generator[DealerAction, None, Card | None]:
    """Burn the first card and as many more as its value, with the mistake that is due, if any.

    Returns the card that was burned and not owed, if any.
    """
    burned: list[PlacedCard] = []
    too_many: Card | None = None
    made: tuple[Mistake, ...] = ()
    if dealer.is_due(Mistake.BURN_SKIPPED):
        made = (Mistake.BURN_SKIPPED,)
        first = yield from _deal_too_early(dealer, burned, Mistake.BURN_SKIPPED)
        # That card becomes the first burn card after all; the rest is burned with the burn key.
        yield from _burn(dealer, burned, first.burn_value, burn_key=True)
        yield PressStandBy()
    else:
        first = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, first))
        yield Draw(first, Place.BURN)
        if dealer.is_due(Mistake.BURN_SHORT):
            made = (Mistake.BURN_SHORT,)
            yield from _burn(dealer, burned, first.burn_value - 1)
            yield from _deal_too_early(dealer, burned, Mistake.BURN_SHORT)
            yield PressStandBy()
        else:
            yield from _burn(dealer, burned, first.burn_value)
            if dealer.is_due(Mistake.BURN_LONG):
                made = (Mistake.BURN_LONG,)
                yield from _burn(dealer, burned, 1, burn_key=True)
                too_many = burned[-1].card
                yield MistakeMade(Mistake.BURN_LONG)
            if dealer.stand_by_after_burn:
                yield PressStandBy()
    owed = 1 + first.burn_value
    dealer.truth.records.append(BurnTruth(dealer.shoe_number, tuple(burned), owed, made))
    return too_many


def _burn(
    dealer: BurnDealer, burned: list[PlacedCard], count: int, *, burn_key: bool = False
) -> Generator[DealerAction, None, None]:
    for _ in range(count):
        card = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, card))
        yield Draw(card, Place.BURN, burn_key=burn_key)


def _deal_too_early(
    dealer: BurnDealer, burned: list[PlacedCard], mistake: Mistake
) -> Generator[DealerAction, None, Card]:
    """Start dealing while burn cards are owed; the card drawn still counts as a burn card."""
    yield PressStandBy()
    card = yield from dealer.next_card()
    burned.append(PlacedCard(Place.PLAYER, card))
    yield Draw(card, Place.PLAYER)
    yield MistakeMade(mistake)
    return card
