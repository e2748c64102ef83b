"""The catalogue: the one place where device models are named.

Responsible for: which models there are, and building a driver or a monitor from a model's name and
plain settings.
Not responsible for: reading settings from a file and for ports (the table's configuration).
Source: package README, "Adding a shoe".
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.monitor import ScannerMonitor
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeSettings, AngelEyeShoeState
from drivers.shoes.angel_eye_monitor import AngelEyeMonitor, AngelEyeMonitorState
from firmware_bridge.angel_eye.frames import BccReading
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, SequenceCycle
from firmware_bridge.hid_pos.settings import HidPosLinkSettings

Shoe: TypeAlias = AngelEyeShoe
ShoeState: TypeAlias = AngelEyeShoeState
ShoeMonitor: TypeAlias = AngelEyeMonitor
ShoeMonitorState: TypeAlias = AngelEyeMonitorState

ANGEL_EYE_II_EX = "angel-eye-ii-ex"

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class ShoeModel:
    """One model: its name in settings, its name for people, its line speed in bits a second."""

    name: str
    title: str
    baud: int


@dataclass(frozen=True, slots=True)
class ShoeSettings:
    """The plain settings of a shoe as a configuration file gives them.

    `seq_cycle` and `bcc_reading` are words of the model's protocol; `report_interval_ms_min` is
    the shortest time between two different reports, in milliseconds.
    """

    allow_commands: bool = False
    seq_cycle: str = SequenceCycle.HEX.value
    bcc_reading: str = BccReading.STX_COUNTED.value
    report_interval_ms_min: int = 250


class BadShoeSettings(ValueError):
    """A model or a setting that does not exist; the message names what does."""


SHOE_MODELS = MappingProxyType(
    {
        ANGEL_EYE_II_EX: ShoeModel(ANGEL_EYE_II_EX, "Angel Eye II-EX", baud=4800),
    }
)
SEQ_CYCLES = tuple(cycle.value for cycle in SequenceCycle)
BCC_READINGS = tuple(reading.value for reading in BccReading)


def build_shoe(model: str, settings: ShoeSettings) -> Shoe:
    """The driver of a shoe. Raises BadShoeSettings."""
    _require("model", model, tuple(SHOE_MODELS))
    _require("seq_cycle", settings.seq_cycle, SEQ_CYCLES)
    _require("bcc_reading", settings.bcc_reading, BCC_READINGS)
    if settings.report_interval_ms_min < 1:
        raise BadShoeSettings("report_interval_ms_min must be at least 1")
    link = AngelEyeLinkSettings(
        seq_cycle=SequenceCycle(settings.seq_cycle),
        bcc_reading=BccReading(settings.bcc_reading),
        report_interval_ns_min=settings.report_interval_ms_min * _NS_PER_MS,
    )
    return AngelEyeShoe(AngelEyeShoeSettings(link, settings.allow_commands))


def build_monitor(model: str, settings: ShoeSettings, *, masked: bool = True) -> ShoeMonitor:
    """Three levels of lines from a shoe's port; unmasked only in maintenance.

    Raises BadShoeSettings.
    """
    return AngelEyeMonitor(build_shoe(model, settings), masked)


def _require(key: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadShoeSettings(f"{key} = {value!r} is not one of: {', '.join(allowed)}")


# --- scanners ------------------------------------------------------------------------------------

Scanner: TypeAlias = HidPosScanner | SsiScanner
ScannerState: TypeAlias = HidPosScannerState | SsiScannerState

HID_POS = "hid-pos"
HID_POS_PLAIN = "hid-pos-plain"
ZEBRA_SSI = "zebra-ssi"


@dataclass(frozen=True, slots=True)
class ScannerModel:
    """One model: its name in settings and for people, and how it is connected.

    `baud` is the line's speed in bits a second and `parity` its parity, N, E or O; 0 and empty for
    a device that is no serial line but is reached by its USB interface.
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


def build_scanner(model: str) -> Scanner:
    """The driver of a scanner. Raises BadScannerSettings."""
    scanner = _SCANNERS.get(model)
    if scanner is None:
        allowed = ", ".join(SCANNER_MODELS)
        raise BadScannerSettings(f"model = {model!r} is not one of: {allowed}")
    return scanner


def build_scanner_monitor(model: str, *, masked: bool = True) -> ScannerMonitor:
    """Three levels of lines from a scanner's port; unmasked only in maintenance.

    Raises BadScannerSettings.
    """
    return ScannerMonitor(build_scanner(model), masked)
