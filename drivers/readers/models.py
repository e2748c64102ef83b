"""The models of readers, and the settings of all that have a FEIG reader."""

from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

from drivers import framing
from drivers.events import Spot
from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, ReaderSeat, one_of
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from drivers.readers.inventory_reader import InventoryReader, InventoryReaderSettings
from drivers.readers.placed_reader import (
    AntennaSpot,
    PlacedReader,
    PlacedReaderSettings,
    PlacedReaderState,
)
from firmware_bridge.feig.frames import FeigUnframed, feed
from firmware_bridge.feig.masking import frame_text, mask_raw
from firmware_bridge.feig.settings import LAYOUT_NAMES, Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFault

Layout: TypeAlias = Annotated[str, one_of(LAYOUT_NAMES, "its reader, by the layout of the buffer")]
HowDelivered: TypeAlias = Annotated[
    Delivery, Meta(description="notify: the reader sends each tag; poll: it is polled")
]
FEIG_BAUD: Final = 38400
FEIG_PARITY: Final = "E"


class FeigSettings(Struct, frozen=True):
    """The keys of every device with a FEIG reader."""

    reader: Layout = FeigLinkSettings().layout
    delivery: HowDelivered = FeigLinkSettings().delivery

    @property
    def link(self) -> FeigLinkSettings:
        return FeigLinkSettings(layout=self.reader, delivery=self.delivery)


class FeigReaderSettings(FeigSettings, frozen=True):
    """The antennas are those of a reader under the layout."""

    player_antenna: Annotated[
        int, Meta(ge=1, le=255, description="under the layout: that of the Player's hand")
    ] = 1
    banker_antenna: Annotated[
        int, Meta(ge=1, le=255, description="under the layout: that of the Banker's hand")
    ] = 2

    def __post_init__(self) -> None:
        if self.player_antenna == self.banker_antenna:
            raise ValueError(
                f"player_antenna and banker_antenna are both {self.player_antenna}. Allowed: two"
                " different antennas. Remedy: set each as the reader's cables are connected"
            )


def _reader(settings: FeigReaderSettings, installed: Installation) -> Driver[Any]:
    if installed.seat is ReaderSeat.ENROLMENT:
        return InventoryReader(InventoryReaderSettings(settings.link))
    spots: tuple[AntennaSpot, ...] = (AntennaSpot(0, Spot.DISCARD_RACK),)
    if installed.seat is ReaderSeat.LAYOUT:
        spots = (
            AntennaSpot(settings.player_antenna, Spot.PLAYER),
            AntennaSpot(settings.banker_antenna, Spot.BANKER),
        )
    return PlacedReader(PlacedReaderSettings(spots, settings.link))


def _lines(
    unframed: FeigUnframed, data: bytes, words: Words, masked: bool
) -> tuple[FeigUnframed, tuple[str, ...]]:
    text, _rest = mask_raw(data, unframed)
    unframed, found = feed(unframed, data)
    frames = (
        fault_text(one, words)
        if isinstance(one, LinkFault)
        else frame_text(one, words, masked=masked)
        for one in found
    )
    return unframed, wire_lines(text if masked else hex_text(data), frames)


FEIG_VIEW: Final = WireView(FeigUnframed(), _lines)


def monitor(
    _settings: FeigSettings, driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    """The monitor of any device with a FEIG reader."""
    return DeviceMonitor(words, driver, FEIG_VIEW, masked)


FEIG_READER: Final = DeviceModel(
    name="feig-reader",
    title="FEIG reader",
    kind=DeviceKind.READER,
    settings=FeigReaderSettings,
    driver=_reader,
    state=PlacedReaderState,
    monitor=monitor,
    framing=framing.FEIG,
    baud=FEIG_BAUD,
    parity=FEIG_PARITY,
    emulator="hil.emulator.feig.device:FeigReader",
    states_continuity=True,
)
MODELS: Final = (FEIG_READER,)
