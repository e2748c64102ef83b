"""An emulated USB device, free of transport: what it answers, packet by packet.

Responsible for: the standard requests, the queues of its IN endpoints, halted endpoints, a device
that hangs, and passing what is its own to its functions.
Not responsible for: what a function does (functions) and how transfers reach it (transfers).
Source: USB 2.0, sections 8.5 and 9.4.
"""

import struct
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from hil.emulator.usb import descriptors
from hil.emulator.usb.descriptors import Identity, Interface

TYPE, RECIPIENT = 0x60, 0x1F
TO_DEVICE, TO_INTERFACE, TO_ENDPOINT = 0, 1, 2
GET_STATUS, CLEAR_FEATURE, SET_FEATURE, GET_DESCRIPTOR = 0, 1, 3, 6
SET_ADDRESS, GET_CONFIGURATION, SET_CONFIGURATION, GET_INTERFACE, SET_INTERFACE = 5, 8, 9, 10, 11
CONTROL = 0


class Handshake(StrEnum):
    """What a device says to a packet, data apart."""

    ACK = "ack"
    NAK = "nak"
    STALL = "stall"


class Function(Protocol):
    """What one interface of a device is for. Packets are pairs of endpoint address and bytes."""

    @property
    def interface(self) -> Interface: ...

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        """A class or vendor request to the interface; bytes or ACK, or STALL."""
        ...

    def out(self, endpoint: int, data: bytes, at_ns: int) -> tuple[tuple[int, bytes], ...]:
        """Bytes of the host; the packets they give rise to."""
        ...

    def tick(self, at_ns: int) -> tuple[tuple[int, bytes], ...]:
        """The packets that are due."""
        ...

    def plugged(self, at_ns: int) -> None:
        """It has just been plugged in."""
        ...


class UsbDevice:
    """`hung`: it answers no packet at all, as a device whose program stands still."""

    def __init__(self, identity: Identity, functions: Sequence[Function]) -> None:
        self.identity = identity
        self.functions = tuple(functions)
        self.hung = False
        self.halted: set[int] = set()
        self._stalls_left: dict[int, int] = {}
        self._configured = 0
        self._queues: dict[int, deque[bytes]] = {
            endpoint.address: deque()
            for function in self.functions
            for endpoint in function.interface.endpoints
            if endpoint.address & descriptors.IN
        }

    @property
    def descriptors(self) -> bytes:
        """Device and configuration descriptor, as the kernel shows them."""
        return self.identity.device_descriptor() + self._configuration()

    def plugged(self, at_ns: int) -> None:
        """It gets power and a bus: nothing waits, nothing is halted."""
        self.halted.clear()
        self._stalls_left.clear()
        self._configured = 0
        for queue in self._queues.values():
            queue.clear()
        for function in self.functions:
            function.plugged(at_ns)

    # Packets.

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        """A whole control transfer: bytes for one that reads, else ACK; or STALL, or NAK."""
        if self.hung:
            return Handshake.NAK
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        if kind & TYPE:
            answer = self._own_request(setup, data, at_ns, index)
        elif kind & descriptors.IN:
            answer = self._read(kind & RECIPIENT, request, value, index)
        else:
            answer = self._write(kind & RECIPIENT, request, value, index)
        return answer[:length] if isinstance(answer, bytes) else answer

    def out(self, endpoint: int, data: bytes, at_ns: int) -> Handshake:
        """A bulk or interrupt transfer to the device."""
        if self.hung:
            return Handshake.NAK
        if endpoint in self.halted:
            return Handshake.STALL
        for function in self.functions:
            if any(one.address == endpoint for one in function.interface.endpoints):
                self.queue(function.out(endpoint, data, at_ns))
                return Handshake.ACK
        return Handshake.STALL

    def take(self, endpoint: int) -> bytes | Handshake:
        """The next packet of an IN endpoint; NAK where there is none yet."""
        if self.hung:
            return Handshake.NAK
        if endpoint not in self._queues or endpoint in self.halted:
            return Handshake.STALL
        queue = self._queues[endpoint]
        return queue.popleft() if queue else Handshake.NAK

    def tick(self, at_ns: int) -> None:
        """Time goes on. A function whose packets are not fetched makes no new ones."""
        if self.hung:
            return
        for function in self.functions:
            endpoints = (one.address for one in function.interface.endpoints)
            if not any(self._queues.get(endpoint) for endpoint in endpoints):
                self.queue(function.tick(at_ns))

    def queue(self, packets: tuple[tuple[int, bytes], ...]) -> None:
        """Have packets wait for the host."""
        for endpoint, packet in packets:
            self._queues[endpoint].append(packet)

    def stall(self, endpoint: int, times: int) -> None:
        """Halt an endpoint, and again each time the host has cleared it, `times` in all."""
        self._stalls_left[endpoint] = times
        self.clear_halt(endpoint)

    def clear_halt(self, endpoint: int) -> None:
        """The host clears a halt; one that is ordered to stall on stalls again."""
        left = self._stalls_left.get(endpoint, 0)
        self._stalls_left[endpoint] = max(left - 1, 0)
        if left:
            self.halted.add(endpoint)
        else:
            self.halted.discard(endpoint)

    # Requests.

    def _read(self, recipient: int, request: int, value: int, index: int) -> bytes | Handshake:
        match request:
            case _ if request == GET_DESCRIPTOR and recipient == TO_DEVICE:
                return self._descriptor(value >> 8, value & 0xFF)
            case _ if request == GET_DESCRIPTOR and recipient == TO_INTERFACE:
                return self._hid_descriptor(value >> 8, index)
            case _ if request == GET_STATUS and recipient == TO_ENDPOINT:
                return bytes([index & 0xFF in self.halted, 0])
            case _ if request == GET_STATUS:
                return bytes(2)
            case _ if request == GET_CONFIGURATION:
                return bytes([self._configured])
            case _ if request == GET_INTERFACE:
                return bytes(1)
            case _:
                return Handshake.STALL

    def _write(self, recipient: int, request: int, value: int, index: int) -> Handshake:
        match request:
            case _ if request == SET_CONFIGURATION:
                self._configured = value & 0xFF
            case _ if request == CLEAR_FEATURE and recipient == TO_ENDPOINT:
                self.clear_halt(index & 0xFF)
            case _ if request == SET_FEATURE and recipient == TO_ENDPOINT:
                self.halted.add(index & 0xFF)
            case _ if request in (SET_ADDRESS, SET_INTERFACE, CLEAR_FEATURE, SET_FEATURE):
                pass
            case _:
                return Handshake.STALL
        return Handshake.ACK

    def _own_request(self, setup: bytes, data: bytes, at_ns: int, index: int) -> bytes | Handshake:
        number = index & 0xFF
        if setup[0] & RECIPIENT != TO_INTERFACE or number >= len(self.functions):
            return Handshake.STALL
        return self.functions[number].control(setup, data, at_ns)

    def _descriptor(self, kind: int, index: int) -> bytes | Handshake:
        if kind == descriptors.DEVICE:
            return self.identity.device_descriptor()
        if kind == descriptors.CONFIGURATION and index == 0:
            return self._configuration()
        if kind == descriptors.STRING and index == 0:
            return descriptors.US_ENGLISH
        text = self.identity.strings().get(index)
        if kind == descriptors.STRING and text is not None:
            return descriptors.string_descriptor(text)
        return Handshake.STALL

    def _hid_descriptor(self, kind: int, number: int) -> bytes | Handshake:
        if number >= len(self.functions):
            return Handshake.STALL
        interface = self.functions[number].interface
        answer = {descriptors.HID: interface.hid(), descriptors.REPORT: interface.reports}
        return answer.get(kind) or Handshake.STALL

    def _configuration(self) -> bytes:
        interfaces = tuple(function.interface for function in self.functions)
        return descriptors.configuration_descriptor(interfaces)
