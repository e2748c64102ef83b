"""Reads where the cards of a demo's batches ended."""

from dataclasses import dataclass

from msgspec.structs import asdict

from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import BatchCardsView


@dataclass(frozen=True, slots=True)
class BatchPlaces:
    """One batch: the number of its cards in each place; empty places are left out."""

    batch: str
    back: str
    places: tuple[tuple[str, int], ...]

    @property
    def cards(self) -> int:
        return sum(count for _, count in self.places)


def batch_places(table: Snapshot) -> tuple[BatchPlaces, ...]:
    """Where the cards of each batch are by a snapshot; empty if the table tracks no cards."""
    return tuple(map(_batch_places, table.custody.batches))


def _batch_places(batch: BatchCardsView) -> BatchPlaces:
    places = tuple((place, count) for place, count in asdict(batch.cards).items() if count)
    return BatchPlaces(batch.batch, batch.back, places)
