"""The items that the monitors of a table take, in the order of what happened; times are inputs."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from controller.rules.cards import Card
from foundation.recorded_text import Identifier, PersonId


class ShoeOpens(Struct, frozen=True, tag="monitor-shoe-opens"):
    """A shoe begins. `batch` is the batch or the colour of the backs, empty if unknown.

    `burns`: its first cards are burned; they end with `BurnEnds`, and are of no coup.
    """

    shoe: int
    decks: int
    batch: Identifier = ""
    burns: bool = False


class CardSeen(Struct, frozen=True, tag="monitor-card-seen"):
    """A card left the shoe and its face is known, in the order of the shoe.

    `turned`: it lay the other way round than most of its back, end for end; None where nothing
    reports that, as no reader does that this program connects to.
    """

    card: Card
    turned: bool | None = None


class BatchInPlay(Struct, frozen=True, tag="monitor-batch-in-play"):
    """Which batch the shoe in play holds, and the device that shuffled it, empty if people did.

    Any time after its `ShoeOpens`, before its `ShoeEnds`.
    """

    batch: Identifier
    shuffler: Identifier = ""


class CardsUnseen(Struct, frozen=True, tag="monitor-cards-unseen"):
    """So many cards left the shoe and nobody saw them, such as burn cards."""

    unseen: int


class BurnEnds(Struct, frozen=True, tag="monitor-burn-ends"):
    """All burn cards are out."""


class CoupBegins(Struct, frozen=True, tag="monitor-coup-begins"):
    """The first card of a coup leaves the shoe, at a monotonic time."""

    at_ns: int


class CoupEnds(Struct, frozen=True, tag="monitor-coup-ends"):
    """The cards of a coup are all out, or it was given up, with these people at the table.

    What people did about the coup comes before it.
    """

    at_table: tuple[PersonId, ...] = ()


class CutCardPutIn(Struct, frozen=True, tag="monitor-cut-card-put-in"):
    """The cut was made and the cut card put in, at a monotonic time."""

    at_ns: int


class CutCardCameOut(Struct, frozen=True, tag="monitor-cut-card-came-out"):
    """The cut card left the shoe, at a monotonic time."""

    at_ns: int


class TimePasses(Struct, frozen=True, tag="monitor-time-passes"):
    """The time by the monotonic clock, given now and then: so a stall is said while it lasts."""

    at_ns: int


class PersonAct(StrEnum):
    """What a person did about a coup."""

    VOID = "void"
    REPEAT = "repeat"
    CORRECT = "correct"


class PersonActs(Struct, frozen=True, tag="monitor-person-acts"):
    """A person voided, repeated or corrected a coup."""

    person: PersonId
    role: Identifier
    act: PersonAct


class ShoeEnds(Struct, frozen=True, tag="monitor-shoe-ends"):
    """The shoe is over."""


TimedItem: TypeAlias = CoupBegins | CutCardPutIn | CutCardCameOut | TimePasses
ShoeItem: TypeAlias = (
    ShoeOpens | BatchInPlay | CardSeen | CardsUnseen | BurnEnds | CoupEnds | ShoeEnds
)
MonitorItem: TypeAlias = ShoeItem | TimedItem | PersonActs
