"""Catalogue of device models: builds a driver or a monitor from a model name and plain settings.

Source: drivers/README.md, "Adding a shoe".
"""

from types import MappingProxyType
from typing import TypeAlias, cast

from msgspec import Struct

from drivers import framing
from drivers.events import Spot
from drivers.interface import ShoeDriver
from drivers.monitor import Monitor, Words
from drivers.readers.inventory_reader import InventoryReader, InventoryReaderSettings
from drivers.readers.placed_reader import (
    AntennaSpot,
    PlacedReader,
    PlacedReaderSettings,
    PlacedReaderState,
)
from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.monitor import ScannerMonitor
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from drivers.shoes import tablelink_events as shoe_events
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeSettings, AngelEyeShoeState
from drivers.shoes.angel_eye_monitor import AngelEyeMonitor, AngelEyeMonitorState
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_monitor import RfidMonitor, RfidMonitorState
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeSettings, RfidShoeState
from drivers.shoes.tablelink_shoe import (
    TableLinkShoe,
    TableLinkShoeSettings,
    TableLinkShoeState,
)
from drivers.shuffler_events import ShuffleProof
from drivers.shufflers import tablelink_events as shuffler_events
from drivers.shufflers.tablelink_receipts import read_receipt
from drivers.shufflers.tablelink_shuffler import (
    TableLinkShuffler,
    TableLinkShufflerSettings,
    TableLinkShufflerState,
)
from drivers.tablelink.monitor import TableLinkMonitor, TableLinkMonitorState
from firmware_bridge.angel_eye.frames import BccReading
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, SequenceCycle
from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.feig.layouts import LAYOUTS
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings

ShoeDriverState: TypeAlias = AngelEyeShoeState | RfidShoeState | TableLinkShoeState
Shoe: TypeAlias = ShoeDriver[ShoeDriverState]
ShoeMonitorState: TypeAlias = AngelEyeMonitorState | RfidMonitorState | TableLinkMonitorState
ShoeMonitor: TypeAlias = Monitor[ShoeMonitorState]
ReaderState: TypeAlias = PlacedReaderState

ANGEL_EYE_II_EX = "angel-eye-ii-ex"
RFID_SHOE = "feig-rfid"
TABLELINK = "tablelink"  # a shoe, and a shuffler

_NS_PER_MS = 1_000_000


class ShoeModel(Struct, frozen=True):
    """One model: its name in settings, its name for people, its line in bits a second and parity.

    `claims`: it reports which hand a card is for, and what the result is. `locks`: its exit can be
    locked. `identity`: it has a key of its own and is admitted only where it is trusted.
    """

    name: str
    title: str
    baud: int
    parity: str
    claims: bool
    locks: bool
    identity: bool = False


class ShoeSettings(Struct, frozen=True):
    """The plain settings of a shoe from a configuration file. Times in milliseconds.

    `seq_cycle` and `bcc_reading` are terms of the model's protocol; `report_interval_ms_min` is the
    shortest time between two different reports. Settings from `reader` to `together_ms` are for a
    shoe that reads tags: see drivers.shoes.rfid_exit. `trust` is for a shoe with an identity.
    """

    allow_commands: bool = False
    seq_cycle: str = SequenceCycle.HEX.value
    bcc_reading: str = BccReading.STX_COUNTED.value
    report_interval_ms_min: int = 250
    reader: str = FeigLinkSettings().layout
    delivery: str = Delivery.NOTIFY.value
    gate_input: int = 0
    antenna: int = 0
    double_read_ms: int = 1000
    gate_ms_max: int = 1500
    slow_card_ms: int = 1000
    together_ms: int = 20
    trust: Trust = NO_TRUST


class ReaderSettings(Struct, frozen=True):
    """The plain settings of a reader beside the shoe; the antennas are for a layout."""

    seat: str
    reader: str = FeigLinkSettings().layout
    delivery: str = Delivery.NOTIFY.value
    player_antenna: int = 1
    banker_antenna: int = 2


class BadShoeSettings(ValueError):
    """A model or a setting of a device that does not exist; the message names what does."""


SHOE_MODELS = MappingProxyType(
    {
        ANGEL_EYE_II_EX: ShoeModel(
            ANGEL_EYE_II_EX, "Angel Eye II-EX", baud=4800, parity="N", claims=True, locks=True
        ),
        RFID_SHOE: ShoeModel(
            RFID_SHOE,
            "RFID dealing shoe (FEIG OBID)",
            baud=38400,
            parity="E",
            claims=False,
            locks=False,
        ),
        TABLELINK: ShoeModel(
            TABLELINK,
            "TableLink shoe",
            baud=1_000_000,
            parity="N",
            claims=False,
            locks=True,
            identity=True,
        ),
    }
)
SEQ_CYCLES = tuple(cycle.value for cycle in SequenceCycle)
BCC_READINGS = tuple(reading.value for reading in BccReading)

# Tag readers: buffer layouts, how records are delivered, and where a reader may be installed.
READER_LAYOUTS = tuple(LAYOUTS)
DELIVERIES = tuple(delivery.value for delivery in Delivery)
DISCARD_RACK_SEAT = "discard_rack"
LAYOUT_SEAT = "layout"
READER_SEATS = (DISCARD_RACK_SEAT, LAYOUT_SEAT)
READER_BAUD = 38400
READER_PARITY = "E"

_GATE_INPUT_MAX = 8
_ANTENNA_MAX = 255


def build_shoe(model: str, settings: ShoeSettings) -> Shoe:
    """Build the driver of a shoe. Raises BadShoeSettings."""
    _require("model", model, tuple(SHOE_MODELS))
    # A driver accepts only states of its own, which a type cannot express for a union.
    return cast("Shoe", _SHOES[model](settings))


def build_monitor(
    model: str, settings: ShoeSettings, words: Words, *, masked: bool = True
) -> ShoeMonitor:
    """Build the monitor of a shoe's port; unmasked only in maintenance.

    `words` makes those of a message. Raises BadShoeSettings.
    """
    _require("model", model, tuple(SHOE_MODELS))
    if model == TABLELINK:
        monitor = TableLinkMonitor(words, shoe_events.events_of, shoe_events.status_of, masked)
        return cast("ShoeMonitor", monitor)
    if model == RFID_SHOE:
        return cast("ShoeMonitor", RfidMonitor(words, _rfid_shoe(settings), masked))
    return cast("ShoeMonitor", AngelEyeMonitor(words, _angel_eye(settings), masked))


def build_reader(settings: ReaderSettings) -> PlacedReader:
    """Build the driver of a reader beside the shoe. Raises BadShoeSettings."""
    _require("seat", settings.seat, READER_SEATS)
    link = _feig_link(settings.reader, settings.delivery)
    if settings.seat == DISCARD_RACK_SEAT:
        return PlacedReader(PlacedReaderSettings((AntennaSpot(0, Spot.DISCARD_RACK),), link))
    _require_within("player_antenna", settings.player_antenna, 1, _ANTENNA_MAX)
    _require_within("banker_antenna", settings.banker_antenna, 1, _ANTENNA_MAX)
    if settings.player_antenna == settings.banker_antenna:
        raise BadShoeSettings(
            f"banker_antenna: {settings.banker_antenna} is the Player's antenna too."
            " Allowed: one antenna for each hand. Remedy: set another"
        )
    spots = (
        AntennaSpot(settings.player_antenna, Spot.PLAYER),
        AntennaSpot(settings.banker_antenna, Spot.BANKER),
    )
    return PlacedReader(PlacedReaderSettings(spots, link))


def build_inventory_reader(
    reader: str = FeigLinkSettings().layout, delivery: str = Delivery.NOTIFY.value
) -> InventoryReader:
    """Build the driver of an enrolment reader. Raises BadShoeSettings."""
    return InventoryReader(InventoryReaderSettings(_feig_link(reader, delivery)))


def _angel_eye(settings: ShoeSettings) -> AngelEyeShoe:
    _require("seq_cycle", settings.seq_cycle, SEQ_CYCLES)
    _require("bcc_reading", settings.bcc_reading, BCC_READINGS)
    _require_within("report_interval_ms_min", settings.report_interval_ms_min, 1, None)
    link = AngelEyeLinkSettings(
        seq_cycle=SequenceCycle(settings.seq_cycle),
        bcc_reading=BccReading(settings.bcc_reading),
        report_interval_ns_min=settings.report_interval_ms_min * _NS_PER_MS,
    )
    return AngelEyeShoe(AngelEyeShoeSettings(link, settings.allow_commands))


def _rfid_shoe(settings: ShoeSettings) -> RfidShoe:
    _require_within("gate_input", settings.gate_input, 0, _GATE_INPUT_MAX)
    _require_within("antenna", settings.antenna, 0, _ANTENNA_MAX)
    _require_within("double_read_ms", settings.double_read_ms, 1, None)
    _require_within("gate_ms_max", settings.gate_ms_max, 1, None)
    _require_within("slow_card_ms", settings.slow_card_ms, 1, None)
    _require_within("together_ms", settings.together_ms, 1, None)
    at_exit = ExitSettings(
        gate_input=settings.gate_input,
        antenna=settings.antenna,
        double_read_ms=settings.double_read_ms,
        gate_ms_max=settings.gate_ms_max,
        slow_card_ms=settings.slow_card_ms,
        together_ms=settings.together_ms,
    )
    return RfidShoe(RfidShoeSettings(_feig_link(settings.reader, settings.delivery), at_exit))


def _tablelink_shoe(settings: ShoeSettings) -> TableLinkShoe:
    link = TableLinkSettings(DeviceRole.SHOE, settings.trust)
    return TableLinkShoe(TableLinkShoeSettings(link, settings.allow_commands))


_CORRECT = "Remedy: correct it"
_SHOES = MappingProxyType(
    {ANGEL_EYE_II_EX: _angel_eye, RFID_SHOE: _rfid_shoe, TABLELINK: _tablelink_shoe}
)


def _feig_link(reader: str, delivery: str) -> FeigLinkSettings:
    _require("reader", reader, READER_LAYOUTS)
    _require("delivery", delivery, DELIVERIES)
    return FeigLinkSettings(layout=reader, delivery=Delivery(delivery))


def _require_within(key: str, value: int, least: int, most: int | None) -> None:
    if value < least:
        raise BadShoeSettings(
            f"{key}: {value} is not allowed. Allowed: at least {least}. {_CORRECT}"
        )
    if most is not None and value > most:
        raise BadShoeSettings(f"{key}: {value} is not allowed. Allowed: at most {most}. {_CORRECT}")


def _require(key: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadShoeSettings(
            f"{key}: {value!r} is not allowed. Allowed: {', '.join(allowed)}. {_CORRECT}"
        )


SHOE_FRAMINGS = MappingProxyType(
    {ANGEL_EYE_II_EX: framing.ANGEL_EYE, RFID_SHOE: framing.FEIG, TABLELINK: framing.TABLELINK}
)


# --- scanners ------------------------------------------------------------------------------------

Scanner: TypeAlias = HidPosScanner | SsiScanner
ScannerState: TypeAlias = HidPosScannerState | SsiScannerState

HID_POS = "hid-pos"
HID_POS_PLAIN = "hid-pos-plain"
ZEBRA_SSI = "zebra-ssi"


class ScannerModel(Struct, frozen=True):
    """One model: its name in settings and for people, and how it is connected.

    `baud` is the line's speed in bits a second and `parity` its parity, N, E or O; 0 and empty for
    a device that has no serial line but a USB interface.
    """

    name: str
    title: str
    baud: int
    parity: str


class BadScannerSettings(ValueError):
    """A model that does not exist; the message names those that do."""


SCANNER_MODELS = MappingProxyType(
    {
        HID_POS: ScannerModel(HID_POS, "USB HID POS scanner", baud=0, parity=""),
        HID_POS_PLAIN: ScannerModel(
            HID_POS_PLAIN, "USB HID POS scanner that refuses the POS mode request", 0, ""
        ),
        ZEBRA_SSI: ScannerModel(ZEBRA_SSI, "Zebra SSI scanner", baud=9600, parity="N"),
    }
)

_SCANNERS: MappingProxyType[str, Scanner] = MappingProxyType(
    {
        HID_POS: HidPosScanner(),
        HID_POS_PLAIN: HidPosScanner(HidPosLinkSettings(pos_mode=False)),
        ZEBRA_SSI: SsiScanner(),
    }
)


# A scanner on USB HID sends reports of a fixed length.
SCANNER_FRAMINGS = MappingProxyType({HID_POS: None, HID_POS_PLAIN: None, ZEBRA_SSI: framing.SSI})


def build_scanner(model: str) -> Scanner:
    """Build the driver of a scanner. Raises BadScannerSettings."""
    scanner = _SCANNERS.get(model)
    if scanner is None:
        allowed = ", ".join(SCANNER_MODELS)
        raise BadScannerSettings(f"model = {model!r} is not one of: {allowed}")
    return scanner


def build_scanner_monitor(model: str, words: Words, *, masked: bool = True) -> ScannerMonitor:
    """Build the monitor of a scanner's port; unmasked only in maintenance.

    `words` makes those of a message. Raises BadScannerSettings.
    """
    return ScannerMonitor(words, build_scanner(model), masked)


# --- shufflers -----------------------------------------------------------------------------------

Shuffler: TypeAlias = TableLinkShuffler
ShufflerState: TypeAlias = TableLinkShufflerState

# The only format of shuffle receipts.
RECEIPT_FORM = "TableLink/1"


class ShufflerModel(Struct, frozen=True):
    """One model: its name in settings, its name for people, its line in bits a second and parity.

    `identity`: it has a key of its own and is admitted only where it is trusted.
    """

    name: str
    title: str
    baud: int
    parity: str
    identity: bool


class ShufflerSettings(Struct, frozen=True):
    """The plain settings of a shuffler as a configuration file and its pairing give them."""

    allow_commands: bool = False
    trust: Trust = NO_TRUST


class BadShufflerSettings(ValueError):
    """A model that does not exist; the message names those that do."""


SHUFFLER_MODELS = MappingProxyType(
    {
        TABLELINK: ShufflerModel(
            TABLELINK, "TableLink shuffler", baud=1_000_000, parity="N", identity=True
        ),
    }
)


def build_shuffler(model: str, settings: ShufflerSettings) -> Shuffler:
    """Build the driver of a shuffler. Raises BadShufflerSettings."""
    _require_shuffler(model)
    link = TableLinkSettings(DeviceRole.SHUFFLER, settings.trust)
    return TableLinkShuffler(TableLinkShufflerSettings(link, settings.allow_commands))


def build_shuffler_monitor(model: str, words: Words, *, masked: bool = True) -> TableLinkMonitor:
    """Build the monitor of a shuffler's port; unmasked only in maintenance.

    `words` makes those of a message. Raises BadShufflerSettings.
    """
    _require_shuffler(model)
    return TableLinkMonitor(words, shuffler_events.events_of, shuffler_events.status_of, masked)


def _require_shuffler(model: str) -> None:
    if model not in SHUFFLER_MODELS:
        allowed = ", ".join(SHUFFLER_MODELS)
        raise BadShufflerSettings(f"model = {model!r} is not one of: {allowed}")


def open_receipt(sealed: bytes, key: bytes) -> ShuffleProof | None:
    """Open a shuffle receipt; None where it is not signed with that key."""
    return read_receipt(sealed, key)
