"""What the monitors of a table are told, in the order in which it happened; times are inputs.

Source: controller/monitors/README.md, "What it is told".
"""

from typing import TypeAlias

from msgspec import Struct

from controller.rules.cards import Card
from firmware_bridge.recorded_text import Identifier


class ShoeOpens(Struct, frozen=True, tag="monitor-shoe-opens"):
    """A shoe begins. `batch` is the batch or the colour of the backs, empty if unknown."""

    shoe: int
    decks: int
    batch: Identifier = ""


class CardSeen(Struct, frozen=True, tag="monitor-card-seen"):
    """A card left the shoe and its face is known, in the order of the shoe."""

    card: Card


class CardsUnseen(Struct, frozen=True, tag="monitor-cards-unseen"):
    """So many cards left the shoe and nobody saw them, such as burn cards."""

    unseen: int


class CoupEnds(Struct, frozen=True, tag="monitor-coup-ends"):
    """The cards of a coup are all out, or the burn is over."""


class ShoeEnds(Struct, frozen=True, tag="monitor-shoe-ends"):
    """The shoe is over."""


MonitorItem: TypeAlias = ShoeOpens | CardSeen | CardsUnseen | CoupEnds | ShoeEnds
