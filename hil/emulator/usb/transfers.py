"""Runs USB transfers of one emulated device from submission to completion.

A transfer is completed, cancelled by the host, stalled, answered late or never, or ended by
unplugging.

Source: Linux Documentation/driver-api/usb/URB.rst.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from hil.emulator.usb.descriptors import IN
from hil.emulator.usb.device import Handshake, UsbDevice


class TransferOutcome(StrEnum):
    """How a transfer ended."""

    DONE = "done"
    STALLED = "stalled"
    CANCELLED = "taken_back"
    UNPLUGGED = "unplugged"


@dataclass(frozen=True, slots=True)
class Transfer:
    """`key` identifies it to the host. `endpoint` has its direction bit; 0 with `setup` is a
    control transfer. `length` is how many bytes the host sends or has room for.
    """

    key: int
    endpoint: int
    setup: bytes
    data: bytes
    length: int


@dataclass(frozen=True, slots=True)
class Completion:
    """`data` goes to the host; `length` counts the bytes transferred."""

    key: int
    outcome: TransferOutcome
    data: bytes
    length: int


class Transfers:
    """Transfers of one device while it is plugged in. No clock, no thread."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self._under_way: dict[int, deque[Transfer]] = {}

    def submit(self, transfer: Transfer) -> None:
        self._under_way.setdefault(transfer.endpoint, deque()).append(transfer)

    def cancel(self, key: int) -> Completion | None:
        """The host cancels a transfer; None where it is already over."""
        for waiting in self._under_way.values():
            for transfer in waiting:
                if transfer.key == key:
                    waiting.remove(transfer)
                    return Completion(key, TransferOutcome.CANCELLED, b"", 0)
        return None

    def unplug(self) -> tuple[Completion, ...]:
        """End every transfer under way."""
        ended = tuple(
            Completion(transfer.key, TransferOutcome.UNPLUGGED, b"", 0)
            for waiting in self._under_way.values()
            for transfer in waiting
        )
        self._under_way.clear()
        return ended

    def settle(self, at_ns: int) -> tuple[Completion, ...]:
        """Advance time and complete what can be completed, in the order of each endpoint."""
        self.device.tick(at_ns)
        ended: list[Completion] = []
        # Control and OUT first: what they cause may be read in the same call.
        for endpoint in sorted(self._under_way, key=lambda number: number & IN):
            waiting = self._under_way[endpoint]
            while waiting and (done := self._complete(waiting[0], at_ns)) is not None:
                waiting.popleft()
                ended.append(done)
        return tuple(ended)

    def _complete(self, transfer: Transfer, at_ns: int) -> Completion | None:
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
                return Completion(transfer.key, TransferOutcome.STALLED, b"", 0)
            case Handshake.ACK:
                return Completion(transfer.key, TransferOutcome.DONE, b"", len(transfer.data))
            case bytes():
                data = answer[: transfer.length]
                return Completion(transfer.key, TransferOutcome.DONE, data, len(data))
