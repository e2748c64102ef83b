"""Emulated USB devices on the kernel's virtual host controller, vhci_hcd: a real USB stack above.

Responsible for: plugging devices into its ports through socket pairs, and the requests the kernel
sends there (USB/IP's headers, without any network).
Not responsible for: what a device answers (transfers, device) and for loading the driver. Needs
root, and a Linux with vhci_hcd.
Source: Linux Documentation/usb/usbip_protocol.rst; drivers/usb/usbip/vhci_sysfs.c.
"""

import errno
import socket
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hil.emulator.usb.descriptors import IN
from hil.emulator.usb.device import UsbDevice
from hil.emulator.usb.orders import Refused
from hil.emulator.usb.transfers import Completion, Outcome, Transfer, Transfers

CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
FULL_SPEED = 2
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
TO_HOST = 1
# Command, sequence number, device, direction, endpoint; then 28 bytes of the command.
HEAD = struct.Struct(">5I")
OF_SUBMIT = struct.Struct(">I4i8s")
OF_UNLINK = struct.Struct(">I24x")
OF_ANSWER = struct.Struct(">i24x")
OF_SUBMITTED = struct.Struct(">5i8x")
HEADER_BYTES = HEAD.size + OF_SUBMIT.size
STATUS = {
    Outcome.DONE: 0,
    Outcome.STALLED: -errno.EPIPE,
    Outcome.TAKEN_BACK: -errno.ECONNRESET,
    Outcome.UNPLUGGED: -errno.ESHUTDOWN,
}


@dataclass(slots=True)
class Socket:
    """One device in one port: the requests as they come in, the transfers under way."""

    connection: socket.socket
    transfers: Transfers
    received: bytes = b""


class VhciBus:
    """`place` BUS-PORT: the port counts from 1; the bus is the controller's, whatever it says."""

    def __init__(self) -> None:
        self._sockets: dict[str, Socket] = {}
        self._counts: dict[str, int] = {}

    @property
    def connections(self) -> dict[socket.socket, str]:
        """What to wait on: the connection of each device, with its name."""
        return {one.connection: name for name, one in self._sockets.items()}

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None:
        if held:
            raise Refused("on a real USB stack only a program can hold a device")
        port = int(place.partition("-")[2]) - 1
        ours, kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with kernels:
            attach = f"{port} {kernels.fileno()} {port + 1} {FULL_SPEED}"
            (CONTROLLER / "attach").write_text(attach)
        self._sockets[name] = Socket(ours, Transfers(device))
        self._counts[name] = self._counts.get(name, 0) + 1

    def unplug(self, name: str) -> None:
        with suppress(OSError), self._sockets.pop(name).connection as connection:
            connection.shutdown(socket.SHUT_RDWR)

    def hold(self, name: str, *, held: bool) -> None:
        raise Refused("on a real USB stack only a program can hold a device")

    def counts(self, name: str) -> dict[str, int]:
        return {"plugged": self._counts.get(name, 0)}

    def take(self, name: str) -> None:
        """The connection of a device is readable: take what the kernel has sent."""
        one = self._sockets[name]
        data = one.connection.recv(65536)
        if not data:  # the kernel has let the device go
            self.unplug(name)
            return
        one.received += data
        while (size := _request_bytes(one.received)) and len(one.received) >= size:
            request, one.received = one.received[:size], one.received[size:]
            self._obey(one, request)
        self.settle()

    def settle(self) -> None:
        """Let time go on; tell the kernel what has ended."""
        for name, one in tuple(self._sockets.items()):
            try:
                for completion in one.transfers.settle(time.monotonic_ns()):
                    one.connection.sendall(_submitted(completion))
            except OSError:
                self.unplug(name)

    def _obey(self, one: Socket, request: bytes) -> None:
        command, number, _device, direction, endpoint = HEAD.unpack_from(request)
        if command == UNLINK:
            (wanted,) = OF_UNLINK.unpack_from(request, HEAD.size)
            taken_back = one.transfers.take_back(wanted)
            status = 0 if taken_back is None else STATUS[taken_back.outcome]
            head = HEAD.pack(UNLINKED, number, 0, 0, 0)
            one.connection.sendall(head + OF_ANSWER.pack(status))
            return
        _flags, length, _frame, _packets, _interval, setup = OF_SUBMIT.unpack_from(
            request, HEAD.size
        )
        data = request[HEADER_BYTES:]
        address = endpoint | IN if direction == TO_HOST and endpoint else endpoint
        one.transfers.submit(Transfer(number, address, b"" if endpoint else setup, data, length))


def _request_bytes(received: bytes) -> int:
    """How long the first request is, its data included; 0: that cannot be told yet."""
    if len(received) < HEADER_BYTES:
        return 0
    command, _number, _device, direction, _endpoint = HEAD.unpack_from(received)
    if command == UNLINK or direction == TO_HOST:
        return HEADER_BYTES
    _flags, length, *_ = OF_SUBMIT.unpack_from(received, HEAD.size)
    return HEADER_BYTES + max(int(length), 0)


def _submitted(completion: Completion) -> bytes:
    head = HEAD.pack(SUBMITTED, completion.key, 0, 0, 0)
    tail = OF_SUBMITTED.pack(STATUS[completion.outcome], completion.length, 0, 0, 0)
    return head + tail + completion.data
