"""What an interface of an emulated USB device is for: plain bytes, or HID reports.

Responsible for: serving a device that takes and gives bytes, on bulk endpoints or as reports of a
HID interface; a keyboard; a device whose answers are written down beforehand.
Not responsible for: what the bytes of a reader or scanner mean (its own emulator).
Source: package README, "USB without a device"; HID 1.11, section 7.2.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Protocol, runtime_checkable

from hil.emulator.scanners.hid_pos import REPORT_DESCRIPTOR
from hil.emulator.usb import descriptors
from hil.emulator.usb.descriptors import IN, Endpoint, Interface
from hil.emulator.usb.device import Handshake

Packets = tuple[tuple[int, bytes], ...]

BULK_IN, BULK_OUT = 0x81, 0x02
REPORT_IN = 0x81
REPORT_INTERVAL_MS = 4
PACKET_BYTES = 64
CLASS_TO_INTERFACE, CLASS_FROM_INTERFACE = 0x21, 0xA1
OUTPUT_REPORT, FEATURE_REPORT = 2, 3
SCANNER_SETTABLE = {0xFD: OUTPUT_REPORT, 0xFE: FEATURE_REPORT}
GET_REPORT, SET_REPORT, SET_IDLE, SET_PROTOCOL = 0x01, 0x09, 0x0A, 0x0B


class ByteDevice(Protocol):
    """A device without clock and thread: bytes in, bytes out, and what time makes due."""

    def receive(self, data: bytes, at_ns: int) -> bytes: ...

    def tick(self, at_ns: int) -> bytes: ...


@runtime_checkable
class _Greeted(Protocol):
    def host_appeared(self, at_ns: int) -> None: ...


@runtime_checkable
class _BusPowered(Protocol):
    def power_on(self) -> None: ...


def packets(endpoint: int, data: bytes, size: int = PACKET_BYTES) -> Packets:
    """Bytes cut into packets of an endpoint."""
    return tuple((endpoint, data[at : at + size]) for at in range(0, len(data), size))


class Cutter:
    """Cuts what a device sends into packets of these sizes, in turn; 0 is an empty packet.

    A pipe keeps no boundaries: a host that takes a packet for a frame is found out.
    """

    def __init__(self, sizes: Sequence[int] = (PACKET_BYTES,)) -> None:
        if not any(sizes) or not all(0 <= size <= PACKET_BYTES for size in sizes):
            raise ValueError(f"packets hold 0 to {PACKET_BYTES} bytes, one of them some: {sizes}")
        self._sizes = cycle(sizes)

    def packets(self, endpoint: int, data: bytes) -> Packets:
        """The bytes as packets; after the last of them, none."""
        cut: list[tuple[int, bytes]] = []
        at = 0
        while at < len(data):
            size = next(self._sizes)
            cut.append((endpoint, data[at : at + size]))
            at += size
        return tuple(cut)


class BulkFunction:
    """An interface with one bulk endpoint each way; the maker's own class unless told otherwise."""

    def __init__(
        self,
        device: ByteDevice,
        class_code: int = descriptors.VENDOR_CLASS,
        of_class: bytes = b"",
        *,
        cut: Sequence[int] = (PACKET_BYTES,),
    ) -> None:
        self.device = device
        self._cutter = Cutter(cut)
        endpoints = (
            Endpoint(BULK_IN, descriptors.BULK, PACKET_BYTES),
            Endpoint(BULK_OUT, descriptors.BULK, PACKET_BYTES),
        )
        self.interface = Interface(class_code, 0, 0, endpoints, of_class=of_class)

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        return Handshake.STALL

    def out(self, endpoint: int, data: bytes, at_ns: int) -> Packets:
        return self._cutter.packets(BULK_IN, self.device.receive(data, at_ns))

    def tick(self, at_ns: int) -> Packets:
        return self._cutter.packets(BULK_IN, self.device.tick(at_ns))

    def plugged(self, at_ns: int) -> None:
        # A reader has power of its own and keeps what it has; it only learns of its host.
        if isinstance(self.device, _Greeted):
            self.device.host_appeared(at_ns)


class HidFunction:
    """A HID interface with an interrupt IN endpoint; reports of the host come as requests.

    Its device gets each report the host sets, id first, and gives whole input reports. `settable`:
    the ids the host may set, each as the one kind of report it is; any other request stalls.
    """

    def __init__(
        self,
        device: ByteDevice,
        reports: bytes = REPORT_DESCRIPTOR,
        *,
        boot_protocol: int = 0,
        report_bytes: int = PACKET_BYTES,
        endpoint: int = REPORT_IN,
        settable: Mapping[int, int] = SCANNER_SETTABLE,
    ) -> None:
        self.device = device
        self._waiting: Packets = ()  # answers to reports the host has set
        self._endpoint = endpoint
        self._report_bytes = report_bytes
        self._settable = settable
        self.interface = Interface(
            descriptors.HID_CLASS,
            descriptors.BOOT_SUBCLASS if boot_protocol else 0,
            boot_protocol,
            (Endpoint(endpoint, descriptors.INTERRUPT, report_bytes, REPORT_INTERVAL_MS),),
            reports,
        )
        assert endpoint & IN, "reports go to the host"

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        kind, request, value, _index, _length = struct.unpack("<BBHHH", setup)
        if kind == CLASS_FROM_INTERFACE and request == GET_REPORT:
            return bytes(1)
        if kind != CLASS_TO_INTERFACE or request not in (SET_REPORT, SET_IDLE, SET_PROTOCOL):
            return Handshake.STALL
        if request == SET_REPORT:
            number = value & 0xFF
            if self._settable.get(number) != value >> 8 or data[:1] != bytes([number]):
                return Handshake.STALL
            answer = self.device.receive(data, at_ns)
            self._waiting += packets(self._endpoint, answer, self._report_bytes)
        return Handshake.ACK

    def out(self, endpoint: int, data: bytes, at_ns: int) -> Packets:
        return ()

    def tick(self, at_ns: int) -> Packets:
        waiting, self._waiting = self._waiting, ()
        return waiting + packets(self._endpoint, self.device.tick(at_ns), self._report_bytes)

    def plugged(self, at_ns: int) -> None:
        self._waiting = ()
        if isinstance(self.device, _BusPowered):
            self.device.power_on()


class ScriptedDevice:
    """Answers what is written down for it, whole request by whole request; echoes the rest where
    told to, else stays silent. `sends` is given out as soon as time goes on.
    """

    def __init__(
        self,
        answers: Mapping[str, str] | None = None,
        *,
        echo: bool = False,
        sends: str = "",
    ) -> None:
        """Bytes in hexadecimal digits; blanks do not count."""
        self._answers = {
            bytes.fromhex(request): bytes.fromhex(answer)
            for request, answer in (answers or {}).items()
        }
        self._echo = echo
        self._due = bytes.fromhex(sends)
        self.heard: list[str] = []

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.heard.append(data.hex())
        return self._answers.get(data, data if self._echo else b"")

    def tick(self, at_ns: int) -> bytes:
        due, self._due = self._due, b""
        return due

    def send(self, data: str) -> None:
        """Send bytes (hexadecimal) as soon as time goes on."""
        self._due += bytes.fromhex(data)

    def all_heard(self) -> list[str]:
        """Everything the host has written, transfer by transfer, in hexadecimal digits."""
        return list(self.heard)
