"""Transfers of a host to an emulated USB device: those under way and how each ends.

Responsible for: control, bulk and interrupt transfers from submission to completion, taken back by
the host, stalled, answered late or never, or ended because the device is unplugged.
Not responsible for: the device (device) and for the kernel's interface they come through
(umockdev_bus, vhci_bus).
Source: Linux Documentation/driver-api/usb/URB.rst.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from hil.emulator.usb.descriptors import IN
from hil.emulator.usb.device import Handshake, UsbDevice


class Outcome(StrEnum):
    """How a transfer ended."""

    DONE = "done"
    STALLED = "stalled"
    TAKEN_BACK = "taken_back"
    UNPLUGGED = "unplugged"


@dataclass(frozen=True, slots=True)
class Transfer:
    """`key` is the host's name for it. `endpoint` has its direction bit; 0 with `setup` is a
    control transfer. `length` is how many bytes the host has room for or sends.
    """

    key: int
    endpoint: int
    setup: bytes
    data: bytes
    length: int


@dataclass(frozen=True, slots=True)
class Completion:
    """`data` goes to the host; `length` counts the bytes that moved."""

    key: int
    outcome: Outcome
    data: bytes
    length: int


class Transfers:
    """Transfers of one device while it is plugged in. No clock, no thread."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self._under_way: dict[int, deque[Transfer]] = {}

    def submit(self, transfer: Transfer) -> None:
        self._under_way.setdefault(transfer.endpoint, deque()).append(transfer)

    def take_back(self, key: int) -> Completion | None:
        """The host gives up a transfer; None where it is over already."""
        for waiting in self._under_way.values():
            for transfer in waiting:
                if transfer.key == key:
                    waiting.remove(transfer)
                    return Completion(key, Outcome.TAKEN_BACK, b"", 0)
        return None

    def unplug(self) -> tuple[Completion, ...]:
        """Every transfer under way ends."""
        ended = tuple(
            Completion(transfer.key, Outcome.UNPLUGGED, b"", 0)
            for waiting in self._under_way.values()
            for transfer in waiting
        )
        self._under_way.clear()
        return ended

    def settle(self, at_ns: int) -> tuple[Completion, ...]:
        """Let time go on and end what can end now, in the order of each endpoint."""
        self.device.tick(at_ns)
        ended: list[Completion] = []
        # Control and OUT first: what they bring about may be read in the same moment.
        for endpoint in sorted(self._under_way, key=lambda number: number & IN):
            waiting = self._under_way[endpoint]
            while waiting and (done := self._end_of(waiting[0], at_ns)) is not None:
                waiting.popleft()
                ended.append(done)
        return tuple(ended)

    def _end_of(self, transfer: Transfer, at_ns: int) -> Completion | None:
        answer: bytes | Handshake
        if transfer.setup:
            answer = self.device.control(transfer.setup, transfer.data, at_ns)
        elif transfer.endpoint & IN:
            answer = self.device.take(transfer.endpoint)
        else:
            answer = self.device.out(transfer.endpoint, transfer.data, at_ns)
        match answer:
            case Handshake.NAK:
                return None
            case Handshake.STALL:
                return Completion(transfer.key, Outcome.STALLED, b"", 0)
            case Handshake.ACK:
                return Completion(transfer.key, Outcome.DONE, b"", len(transfer.data))
            case bytes():
                data = answer[: transfer.length]
                return Completion(transfer.key, Outcome.DONE, data, len(data))
