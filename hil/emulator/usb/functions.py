"""USB functions of an emulated device: bulk bytes, CDC-ACM, HID, a keyboard, scripted answers.

Source: HID 1.11, section 7.2; USB Class Definitions for Communications Devices, PSTN Subclass 1.2,
sections 5 and 6.3.
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
    """A device without clock and thread: bytes in, bytes out, and bytes due by time."""

    def receive(self, data: bytes, at_ns: int) -> bytes: ...

    def tick(self, at_ns: int) -> bytes: ...


@runtime_checkable
class _HostAware(Protocol):
    def host_appeared(self, at_ns: int) -> None: ...


@runtime_checkable
class _BusPowered(Protocol):
    def power_on(self) -> None: ...


def packets(endpoint: int, data: bytes, size: int = PACKET_BYTES) -> Packets:
    """Split bytes into packets of an endpoint."""
    return tuple((endpoint, data[at : at + size]) for at in range(0, len(data), size))


class Cutter:
    """Splits what a device sends into packets of these sizes, in turn; 0 is an empty packet.

    Packets are not frames: this finds a host that takes them for frames.
    """

    def __init__(self, sizes: Sequence[int] = (PACKET_BYTES,)) -> None:
        if not any(sizes) or not all(0 <= size <= PACKET_BYTES for size in sizes):
            raise ValueError(f"packets hold 0 to {PACKET_BYTES} bytes, one of them some: {sizes}")
        self._sizes = cycle(sizes)

    def packets(self, endpoint: int, data: bytes) -> Packets:
        """Split the bytes into packets."""
        cut: list[tuple[int, bytes]] = []
        at = 0
        while at < len(data):
            size = next(self._sizes)
            cut.append((endpoint, data[at : at + size]))
            at += size
        return tuple(cut)


class BulkFunction:
    """An interface with one bulk endpoint each way; of the vendor-specific class by default."""

    def __init__(
        self,
        device: ByteDevice,
        class_code: int = descriptors.VENDOR_CLASS,
        class_descriptors: bytes = b"",
        *,
        cut: Sequence[int] = (PACKET_BYTES,),
    ) -> None:
        self.device = device
        self._cutter = Cutter(cut)
        endpoints = (
            Endpoint(BULK_IN, descriptors.BULK, PACKET_BYTES),
            Endpoint(BULK_OUT, descriptors.BULK, PACKET_BYTES),
        )
        self.interface = Interface(class_code, 0, 0, endpoints, class_descriptors=class_descriptors)

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        return Handshake.STALL

    def out(self, endpoint: int, data: bytes, at_ns: int) -> Packets:
        return self._cutter.packets(BULK_IN, self.device.receive(data, at_ns))

    def tick(self, at_ns: int) -> Packets:
        return self._cutter.packets(BULK_IN, self.device.tick(at_ns))

    def plugged(self, at_ns: int) -> None:
        # A reader has its own power and keeps its state; it only notices its host.
        if isinstance(self.device, _HostAware):
            self.device.host_appeared(at_ns)


class HidFunction:
    """A HID interface with an interrupt IN endpoint; reports of the host come as requests.

    Its device receives each report the host sets, id first, and returns whole input reports.
    `settable`: report ids that the host may set, with their type; any other request stalls.
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
    """Answers each listed request; other requests are echoed if `echo`, else ignored.

    `sends` is sent at the next tick.
    """

    def __init__(
        self,
        answers: Mapping[str, str] | None = None,
        *,
        echo: bool = False,
        sends: str = "",
    ) -> None:
        """All bytes in hexadecimal digits; spaces are ignored."""
        self._answers = {
            bytes.fromhex(request): bytes.fromhex(answer)
            for request, answer in (answers or {}).items()
        }
        self._echo = echo
        self._due = bytes.fromhex(sends)
        self.received: list[str] = []

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.received.append(data.hex())
        return self._answers.get(data, data if self._echo else b"")

    def tick(self, at_ns: int) -> bytes:
        due, self._due = self._due, b""
        return due

    def send(self, data: str) -> None:
        """Send bytes (hexadecimal) at the next tick."""
        self._due += bytes.fromhex(data)

    def all_received(self) -> list[str]:
        """Everything the host has written, transfer by transfer, in hexadecimal digits."""
        return list(self.received)


COMMUNICATION_CLASS, DATA_CLASS, ABSTRACT_CONTROL, AT_COMMANDS = 0x02, 0x0A, 0x02, 0x01
NOTICE_IN, NOTICE_BYTES, NOTICE_INTERVAL_MS = 0x83, 8, 32
SET_LINE_CODING, GET_LINE_CODING, SET_CONTROL_LINES, SEND_BREAK = 0x20, 0x21, 0x22, 0x23
# Header 1.10; call management: none, data interface 1; line coding; union of interfaces 0 and 1.
CLASS_DESCRIPTORS = bytes.fromhex("05 24 00 10 01  05 24 01 00 01  04 24 02 02  05 24 06 00 01")
LINE_CODING = struct.Struct("<IBBB")
PARITIES = "NOEMS"


class AcmLineState:
    """What the host has set, in the shape of a device so that a test can query it."""

    def __init__(self) -> None:
        self.coding = LINE_CODING.pack(9600, 0, 0, 8)
        self.control_lines = 0

    def line_coding(self) -> str:
        """The line coding as text, for example 38400 8E1."""
        baud, stop, parity, bits = LINE_CODING.unpack(self.coding)
        return f"{baud} {bits}{PARITIES[parity]}{1 + stop // 2}"


class AcmControl:
    """The first of the two interfaces; the second is a BulkFunction of DATA_CLASS."""

    interface = Interface(
        COMMUNICATION_CLASS,
        ABSTRACT_CONTROL,
        AT_COMMANDS,
        (Endpoint(NOTICE_IN, descriptors.INTERRUPT, NOTICE_BYTES, NOTICE_INTERVAL_MS),),
        class_descriptors=CLASS_DESCRIPTORS,
    )

    def __init__(self) -> None:
        self.device = AcmLineState()

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        _kind, request, value, _index, _length = struct.unpack("<BBHHH", setup)
        match request:
            case _ if request == GET_LINE_CODING:
                return self.device.coding
            case _ if request == SET_LINE_CODING and len(data) == LINE_CODING.size:
                self.device.coding = data
            case _ if request == SET_CONTROL_LINES:
                self.device.control_lines = value
            case _ if request == SEND_BREAK:
                pass
            case _:
                return Handshake.STALL
        return Handshake.ACK

    def out(self, endpoint: int, data: bytes, at_ns: int) -> Packets:
        return ()

    def tick(self, at_ns: int) -> Packets:
        return ()

    def plugged(self, at_ns: int) -> None:
        self.device.control_lines = 0
