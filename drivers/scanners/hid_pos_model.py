"""Scanners in USB HID POS mode, and what they can do."""

from typing import Final

from drivers.model import DeviceKind, DeviceModel, NoSettings
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, wire_lines
from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.scan_text import data_text
from firmware_bridge.hid_pos.reports import MalformedReport, ScanReport, feed
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault
from foundation.message import message


def _report_lines(
    pending: bytes, data: bytes, words: Words, masked: bool
) -> tuple[bytes, tuple[str, ...]]:
    pending, found = feed(pending, data)
    texts = (_report_text(one, words, masked=masked) for one in found)
    return pending, wire_lines(data_text(data, masked=masked), texts)


def _report_text(
    one: ScanReport | MalformedReport | LinkFault, words: Words, *, masked: bool
) -> str:
    match one:
        case ScanReport(text, aim, _symbology, more):
            shown = data_text(text, masked=masked)
            return f"report {aim} {shown}{', continued' if more else ''}"
        case MalformedReport(fault) | (LinkFault() as fault):
            return fault_text(fault, words)


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


HID_POS: Final = _hid_pos("hid-pos", "USB HID POS scanner", HidPosLinkSettings(), silent=True)
HID_POS_PLAIN: Final = _hid_pos(
    "hid-pos-plain",
    "USB HID POS scanner that refuses the POS mode request",
    HidPosLinkSettings(pos_mode=False),
    silent=False,
)
