"""What the pages show of batches and devices, made of one snapshot: where each is.

Pure, as page_values.
"""

from collections.abc import Mapping

from msgspec import Struct

from controller.outlets.console.pages.labels import label
from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import (
    AuxiliaryView,
    DeviceView,
    ShufflerBatchView,
    ShufflerView,
)
from drivers.events import Stage


class ShownBatch(Struct, frozen=True):
    """A batch: its back, where it is, how many cards where that is counted, why it is barred."""

    back: str
    words: str
    place: str
    cards: int | None
    bars: tuple[str, ...]
    in_play: bool


def batches(snapshot: Snapshot) -> tuple[ShownBatch, ...]:
    """Both batches: by the shuffler's reports, else by the cards tracked, else by what is known."""
    opening = snapshot.opening
    by_shuffler: dict[str, ShufflerBatchView] = {}
    if snapshot.shuffler is not None:
        by_shuffler = {one.back: one for one in snapshot.shuffler.batches}
    tracked = {one.back: one for one in snapshot.custody.batches}
    found: list[ShownBatch] = []
    for back in dict.fromkeys((*opening.batches, *by_shuffler, *tracked)):
        shuffled, cards = by_shuffler.get(back), tracked.get(back)
        in_play = opening.in_play == back or (cards is not None and cards.in_play)
        if shuffled is not None:
            place, count, bars = label("batch", shuffled.stage), shuffled.cards, shuffled.bars
        else:
            place, count, bars = label("batch", _place(snapshot, back)), None, ()
        if cards is not None and cards.blocked:
            bars = (*bars, cards.blocked)
        if cards is not None and in_play:
            count = cards.cards.shoe
        found.append(ShownBatch(back, back_words(back), place, count, bars, in_play))
    return tuple(found)


def _place(snapshot: Snapshot, back: str) -> str:
    opening = snapshot.opening
    places = (
        (opening.in_play, "in_play"),
        (opening.loaded, "in_shoe"),
        (opening.in_shuffler, "stored"),
        (opening.in_rack, "spent"),
    )
    return next((place for there, place in places if there == back), "unknown")


def back_words(back: str) -> str:
    """The colour of a back; a house may have named its own."""
    return label("back", back) if back in ("red", "blue") else back


class ShownDevice(Struct, frozen=True):
    """A device: what it is, its model and port, and whether it is there. `remarks` say what of it
    people should know."""

    name: str
    model: str
    port: str
    stage: str
    good: bool
    lost: bool
    remarks: tuple[str, ...]


def devices(snapshot: Snapshot) -> tuple[ShownDevice, ...]:
    shoe, shuffler = snapshot.device, snapshot.shuffler
    found = [_device("shoe", shoe.model, shoe, {"locked": bool(shoe.locked)})]
    if shuffler is not None:
        remarks = {"interlocked": shuffler.interlocked, "door_open": shuffler.door_open}
        found.append(_device("shuffler", shuffler.model, shuffler, remarks))
    found += [_device(one.kind, one.model or one.seat, one, {}) for one in snapshot.beside]
    return tuple(found)


def _device(
    kind: str,
    model: str,
    device: DeviceView | ShufflerView | AuxiliaryView,
    remarks: Mapping[str, bool],
) -> ShownDevice:
    return ShownDevice(
        label("device", kind),
        model,
        device.port,
        label("stage", device.stage),
        good=device.stage is Stage.ONLINE,
        lost=device.stage is Stage.LOST,
        remarks=tuple(label("device", name) for name, holds in remarks.items() if holds),
    )
