"""Records what truly happened at the bench, for comparison with the program's journal.

A coup's winner here is what the rules make of the cards on the table; what the dealer pressed is
recorded beside it.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from hil.dealing.actions import Place
from hil.dealing.cards import Card, card_named
from hil.dealing.mistakes import Mistake
from hil.dealing.tableau import Winner


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card that left the shoe, and where the dealer put it."""

    place: Place
    card: Card

    def __str__(self) -> str:
        return f"{self.place.value}:{self.card}:{self.card.deck}"


def placed_card(text: str) -> PlacedCard:
    """Parse the text of `str(PlacedCard)`. Raises ValueError."""
    place, name, deck = text.split(":")
    return PlacedCard(Place(place), card_named(name, int(deck)))


@dataclass(frozen=True, slots=True)
class PressedResult:
    """The result the dealer pressed at the end of a coup."""

    winner: Winner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class BurnTruth:
    """The burn of a shoe: all cards in order; `owed` includes the first card."""

    shoe: int
    cards: tuple[PlacedCard, ...]
    owed: int
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True)
class CoupTruth:
    """One coup. `winner` is None where the hands were never completed (`void` is then set).

    `cut_card_after` says how many cards of the coup were out when the cut card came (0: it came
    first), None where it did not come.
    """

    shoe: int
    coup: int
    cards: tuple[PlacedCard, ...]
    player_points: int
    banker_points: int
    winner: Winner | None
    natural: bool
    player_pair: bool
    banker_pair: bool
    declared: PressedResult | None
    void: bool
    cut_card_after: int | None
    mistakes: tuple[Mistake, ...] = ()

    def cards_of(self, place: Place) -> tuple[Card, ...]:
        """The cards the dealer put there, in order."""
        return tuple(placed.card for placed in self.cards if placed.place is place)


@dataclass(frozen=True, slots=True)
class ShoeTruth:
    """A loading of the shoe."""

    shoe: int
    cards: int
    cut_from_back: int


@dataclass(frozen=True, slots=True)
class MistakeTruth:
    """A mistake that was made; `coup` is the current or the last coup, 0 during the burn."""

    shoe: int
    coup: int
    mistake: Mistake


@dataclass(frozen=True, slots=True)
class StrayTruth:
    """A card drawn outside any coup or burn; `coup` is the last one begun."""

    shoe: int
    coup: int
    card: PlacedCard


@dataclass(frozen=True, slots=True)
class ReportTruth:
    """One report of the device. `delivered`: at least one whole copy reached the host."""

    ordinal: int
    code: str
    frame: bytes
    copies_delivered: int

    @property
    def delivered(self) -> bool:
        return self.copies_delivered > 0


TruthRecord: TypeAlias = ShoeTruth | BurnTruth | CoupTruth | StrayTruth | MistakeTruth | ReportTruth


@dataclass(slots=True)
class Truth:
    """All records of a run, in the order they were made."""

    records: list[TruthRecord] = field(default_factory=list)

    @property
    def coups(self) -> tuple[CoupTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, CoupTruth))

    @property
    def burns(self) -> tuple[BurnTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, BurnTruth))

    @property
    def mistakes(self) -> tuple[MistakeTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, MistakeTruth))

    @property
    def strays(self) -> tuple[StrayTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, StrayTruth))

    @property
    def reports(self) -> tuple[ReportTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, ReportTruth))

    @property
    def shoes(self) -> tuple[ShoeTruth, ...]:
        return tuple(record for record in self.records if isinstance(record, ShoeTruth))


def json_line(record: TruthRecord) -> str:
    """One record as one line of JSON, keys sorted; `record` names its kind."""
    plain = asdict(record)
    plain["record"] = type(record).__name__
    match record:
        case BurnTruth() | CoupTruth():
            plain["cards"] = [str(placed) for placed in record.cards]
        case StrayTruth():
            plain["card"] = str(record.card)
        case ReportTruth():
            plain["frame"] = record.frame.hex()
            plain["lost"] = not record.delivered
        case ShoeTruth() | MistakeTruth():
            pass
    return json.dumps(plain, sort_keys=True)


def read_json_lines(lines: Iterable[str]) -> Truth:
    """Parse lines of `json_line`. Raises ValueError or KeyError on anything else."""
    return Truth([_record(json.loads(line)) for line in lines if line.strip()])


def _record(plain: dict[str, Any]) -> TruthRecord:
    kind = plain.pop("record")
    if "mistakes" in plain:
        plain["mistakes"] = tuple(Mistake(name) for name in plain["mistakes"])
    match kind:
        case "ShoeTruth":
            return ShoeTruth(**plain)
        case "MistakeTruth":
            return MistakeTruth(plain["shoe"], plain["coup"], Mistake(plain["mistake"]))
        case "StrayTruth":
            return StrayTruth(plain["shoe"], plain["coup"], placed_card(plain["card"]))
        case "ReportTruth":
            frame = bytes.fromhex(plain["frame"])
            return ReportTruth(plain["ordinal"], plain["code"], frame, plain["copies_delivered"])
        case "BurnTruth":
            plain["cards"] = tuple(placed_card(text) for text in plain["cards"])
            return BurnTruth(**plain)
        case "CoupTruth":
            return _coup(plain)
    raise ValueError(f"unknown truth record: {kind}")


def _coup(plain: dict[str, Any]) -> CoupTruth:
    plain["cards"] = tuple(placed_card(text) for text in plain["cards"])
    if plain["winner"] is not None:
        plain["winner"] = Winner(plain["winner"])
    if plain["declared"] is not None:
        pressed = plain["declared"]
        plain["declared"] = PressedResult(
            Winner(pressed["winner"]), pressed["player_pair"], pressed["banker_pair"]
        )
    return CoupTruth(**plain)
