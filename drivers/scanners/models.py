"""The models of bar code scanners."""

from collections.abc import Iterator
from typing import Any, Final

from drivers import framing
from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from firmware_bridge.hid_pos.reports import MalformedReport, ScanReport
from firmware_bridge.hid_pos.reports import feed as feed_reports
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.ssi.packets import Packet
from firmware_bridge.ssi.packets import feed as feed_packets
from foundation.message import message


def _report_lines(
    pending: bytes, data: bytes, words: Words, masked: bool
) -> tuple[bytes, tuple[str, ...]]:
    pending, found = feed_reports(pending, data)
    texts = (_report_text(one, words, masked=masked) for one in found)
    return pending, wire_lines(_data_text(data, masked=masked), texts)


def _report_text(
    one: ScanReport | MalformedReport | LinkFault, words: Words, *, masked: bool
) -> str:
    match one:
        case ScanReport(text, aim, _symbology, more):
            shown = _data_text(text, masked=masked)
            return f"report {aim} {shown}{', continued' if more else ''}"
        case MalformedReport(fault) | (LinkFault() as fault):
            return fault_text(fault, words)


def _packet_lines(
    unframed: Unframed, data: bytes, words: Words, masked: bool
) -> tuple[Unframed, tuple[str, ...]]:
    def texts(found: tuple[Packet | LinkFault, ...]) -> Iterator[str]:
        for one in found:
            if isinstance(one, LinkFault):
                yield fault_text(one, words)
            else:
                shown = _data_text(one.data, masked=masked)
                yield f"packet {one.opcode:02X} status {one.status:02X} {shown}".rstrip()

    unframed, found = feed_packets(unframed, data)
    return unframed, wire_lines(_data_text(data, masked=masked), texts(found))


def _data_text(data: bytes, *, masked: bool) -> str:
    """A coded card's bar code is its face: masked, no text of a code is shown."""
    return " ".join([".."] * len(data)) if masked else hex_text(data)


def _hid_pos(
    name: str, title: str, link: HidPosLinkSettings, silent: bool
) -> DeviceModel[NoSettings]:
    """`silent`: plugged in again, it sends nothing before it is asked for POS mode."""
    view = WireView(b"", _report_lines)
    return DeviceModel(
        name=name,
        title=title,
        kind=DeviceKind.SCANNER,
        settings=NoSettings,
        driver=lambda _settings, _installed: HidPosScanner(link),
        state=HidPosScannerState,
        monitor=lambda _settings, driver, words, masked: DeviceMonitor(words, driver, view, masked),
        monitor_remark=message("monitor_scanner_may_be_silent") if silent else None,
        framing=None,
        baud=0,
        parity="",
        emulator="hil.emulator.scanners.hid_pos:HidPosDevice",
    )


def _ssi(_settings: NoSettings, _installed: Installation) -> SsiScanner:
    return SsiScanner()


def _ssi_monitor(
    _settings: NoSettings, driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    return DeviceMonitor(words, driver, WireView(Unframed(), _packet_lines), masked)


HID_POS: Final = _hid_pos("hid-pos", "USB HID POS scanner", HidPosLinkSettings(), silent=True)
HID_POS_PLAIN: Final = _hid_pos(
    "hid-pos-plain",
    "USB HID POS scanner that refuses the POS mode request",
    HidPosLinkSettings(pos_mode=False),
    silent=False,
)
ZEBRA_SSI: Final = DeviceModel(
    name="zebra-ssi",
    title="Zebra SSI scanner",
    kind=DeviceKind.SCANNER,
    settings=NoSettings,
    driver=_ssi,
    state=SsiScannerState,
    monitor=_ssi_monitor,
    framing=framing.SSI,
    baud=9600,
    parity="N",
    emulator="hil.emulator.scanners.ssi:SsiDevice",
)
MODELS: Final = (HID_POS, HID_POS_PLAIN, ZEBRA_SSI)
