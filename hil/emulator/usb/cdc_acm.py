"""Emulates the control interface of a CDC-ACM serial port inside a USB device.

It stores the line coding and modem lines that the host sets, so that a test can read them.

Source: USB Class Definitions for Communications Devices, PSTN Subclass 1.2, sections 5 and 6.3.
"""

import struct

from hil.emulator.usb import descriptors
from hil.emulator.usb.descriptors import Endpoint, Interface
from hil.emulator.usb.device import Handshake
from hil.emulator.usb.functions import Packets

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
