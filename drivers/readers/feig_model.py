"""The FEIG reader: its settings, and its driver by where it is installed."""

from typing import Annotated, Any, Final

from msgspec import Meta

from drivers.events import Spot
from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, ReaderSeat
from drivers.readers.feig_settings import (
    FEIG_BAUD,
    FEIG_FRAMING,
    FEIG_PARITY,
    FeigSettings,
    monitor,
)
from drivers.readers.inventory_reader import InventoryReader, InventoryReaderSettings
from drivers.readers.placed_reader import (
    AntennaSpot,
    PlacedReader,
    PlacedReaderSettings,
    PlacedReaderState,
)


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


FEIG_READER: Final = DeviceModel(
    name="feig-reader",
    title="FEIG reader",
    kind=DeviceKind.READER,
    settings=FeigReaderSettings,
    driver=_reader,
    state=PlacedReaderState,
    monitor=monitor,
    framing=FEIG_FRAMING,
    baud=FEIG_BAUD,
    parity=FEIG_PARITY,
    emulator="hil.emulator.feig.device:FeigReader",
    states_continuity=True,
)
