"""Emulates a USB device without transport: standard requests, endpoints, halts, hanging.

Source: USB 2.0, sections 8.5 and 9.4.
"""

import struct
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from hil.emulator.usb import descriptors
from hil.emulator.usb.descriptors import Interface, UsbIdentity

TYPE, RECIPIENT = 0x60, 0x1F
TO_DEVICE, TO_INTERFACE, TO_ENDPOINT = 0, 1, 2
GET_STATUS, CLEAR_FEATURE, SET_FEATURE, GET_DESCRIPTOR = 0, 1, 3, 6
SET_ADDRESS, GET_CONFIGURATION, SET_CONFIGURATION, GET_INTERFACE, SET_INTERFACE = 5, 8, 9, 10, 11
CONTROL = 0


class Handshake(StrEnum):
    """A device's answer to a packet, other than data."""

    ACK = "ack"
    NAK = "nak"
    STALL = "stall"


class Function(Protocol):
    """The function behind one interface. Packets are pairs of endpoint address and bytes."""

    @property
    def interface(self) -> Interface: ...

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        """Answer a class or vendor request to the interface with bytes, ACK or STALL."""
        ...

    def out(self, endpoint: int, data: bytes, at_ns: int) -> tuple[tuple[int, bytes], ...]:
        """Process bytes of the host; returns the packets they cause."""
        ...

    def tick(self, at_ns: int) -> tuple[tuple[int, bytes], ...]:
        """The packets that are due."""
        ...

    def plugged(self, at_ns: int) -> None:
        """Called when the device was plugged in."""
        ...


class UsbDevice:
    """`hung`: it answers no packet, like a device whose firmware hangs."""

    def __init__(self, identity: UsbIdentity, functions: Sequence[Function]) -> None:
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
        """Device and configuration descriptor, in the order of sysfs."""
        return self.identity.device_descriptor() + self._configuration()

    def plugged(self, at_ns: int) -> None:
        """Plug in: clear all queues and halts."""
        self.halted.clear()
        self._stalls_left.clear()
        self._configured = 0
        for queue in self._queues.values():
            queue.clear()
        for function in self.functions:
            function.plugged(at_ns)

    # Packets.

    def control(self, setup: bytes, data: bytes, at_ns: int) -> bytes | Handshake:
        """A whole control transfer; returns bytes for a read, else ACK; or STALL, or NAK."""
        if self.hung:
            return Handshake.NAK
        kind, request, value, index, length = struct.unpack("<BBHHH", setup)
        if kind & TYPE:
            answer = self._function_request(setup, data, at_ns, index)
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
        """Advance time. A function whose packets are still waiting makes no new ones."""
        if self.hung:
            return
        for function in self.functions:
            endpoints = (one.address for one in function.interface.endpoints)
            if not any(self._queues.get(endpoint) for endpoint in endpoints):
                self.queue(function.tick(at_ns))

    def queue(self, packets: tuple[tuple[int, bytes], ...]) -> None:
        """Queue packets for the host."""
        for endpoint, packet in packets:
            self._queues[endpoint].append(packet)

    def stall(self, endpoint: int, times: int) -> None:
        """Halt an endpoint, and again each time the host has cleared it, `times` in all."""
        self._stalls_left[endpoint] = times
        self.clear_halt(endpoint)

    def clear_halt(self, endpoint: int) -> None:
        """The host clears a halt; while stalls are left, the endpoint halts again."""
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

    def _function_request(
        self, setup: bytes, data: bytes, at_ns: int, index: int
    ) -> bytes | Handshake:
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
