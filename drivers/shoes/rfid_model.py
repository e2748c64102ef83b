"""The RFID dealing shoe: its settings, and what it can do."""

from typing import Annotated, Final

from msgspec import Meta

from drivers.model import CardReading, DeviceKind, DeviceModel, Installation, Milliseconds
from drivers.readers.feig_settings import (
    FEIG_BAUD,
    FEIG_FRAMING,
    FEIG_PARITY,
    FeigSettings,
    monitor,
)
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeSettings, RfidShoeState

_EXIT: Final = ExitSettings()


class RfidSettings(FeigSettings, frozen=True):
    """The reader at the exit, and how its records become cards: drivers.shoes.rfid_exit."""

    gate_input: Annotated[
        int, Meta(ge=0, le=8, description="the input of the light barrier at the exit; 0: none")
    ] = _EXIT.gate_input
    antenna: Annotated[int, Meta(ge=0, le=255, description="the antenna at the exit; 0: any")] = (
        _EXIT.antenna
    )
    double_read_ms: Annotated[
        Milliseconds, Meta(description="a tag read again within this time is the same card")
    ] = _EXIT.double_read_ms
    gate_ms_max: Annotated[
        Milliseconds, Meta(description="a tag not in the gate by then went back into the shoe")
    ] = _EXIT.gate_ms_max
    slow_card_ms: Annotated[
        Milliseconds, Meta(description="a card in the gate for this time is reported")
    ] = _EXIT.slow_card_ms
    together_ms: Annotated[
        Milliseconds, Meta(description="tags read within this time are in the field together")
    ] = _EXIT.together_ms


def _rfid_shoe(settings: RfidSettings, _installed: Installation) -> RfidShoe:
    at_exit = ExitSettings(
        gate_input=settings.gate_input,
        antenna=settings.antenna,
        double_read_ms=settings.double_read_ms,
        gate_ms_max=settings.gate_ms_max,
        slow_card_ms=settings.slow_card_ms,
        together_ms=settings.together_ms,
    )
    return RfidShoe(RfidShoeSettings(settings.link, at_exit))


FEIG_RFID: Final = DeviceModel(
    name="feig-rfid",
    title="RFID dealing shoe (FEIG OBID)",
    kind=DeviceKind.SHOE,
    settings=RfidSettings,
    driver=_rfid_shoe,
    state=RfidShoeState,
    monitor=monitor,
    framing=FEIG_FRAMING,
    baud=FEIG_BAUD,
    parity=FEIG_PARITY,
    emulator="hil.emulator.feig.rfid_shoe:RfidShoe",
    cards=CardReading.TAG,
    states_continuity=True,
)
