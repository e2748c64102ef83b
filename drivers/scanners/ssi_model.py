"""The Zebra scanner over SSI, and what it can do."""

from collections.abc import Iterator
from typing import Any, Final

from drivers.framing import Framing
from drivers.interface import Driver
from drivers.model import DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, wire_lines
from drivers.scanners.scan_text import data_text
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.ssi.packets import Packet, feed


def _packet_lines(
    unframed: Unframed, data: bytes, words: Words, masked: bool
) -> tuple[Unframed, tuple[str, ...]]:
    def texts(found: tuple[Packet | LinkFault, ...]) -> Iterator[str]:
        for one in found:
            if isinstance(one, LinkFault):
                yield fault_text(one, words)
            else:
                shown = data_text(one.data, masked=masked)
                yield f"packet {one.opcode:02X} status {one.status:02X} {shown}".rstrip()

    unframed, found = feed(unframed, data)
    return unframed, wire_lines(data_text(data, masked=masked), texts(found))


def _ssi(_settings: NoSettings, _installed: Installation) -> SsiScanner:
    return SsiScanner()


def _ssi_monitor(
    _settings: NoSettings, driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    return DeviceMonitor(words, driver, WireView(Unframed(), _packet_lines), masked)


ZEBRA_SSI: Final = DeviceModel(
    name="zebra-ssi",
    title="Zebra SSI scanner",
    kind=DeviceKind.SCANNER,
    settings=NoSettings,
    driver=_ssi,
    state=SsiScannerState,
    monitor=_ssi_monitor,
    framing=Framing(Unframed(), feed, (Packet,)),
    baud=9600,
    parity="N",
    emulator="hil.emulator.scanners.ssi:SsiDevice",
)
