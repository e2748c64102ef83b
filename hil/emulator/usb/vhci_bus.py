"""Plugs emulated USB devices into the kernel's virtual host controller, vhci_hcd.

The kernel sends its requests through socket pairs with USB/IP's headers, without any network. Needs
root, and a Linux with vhci_hcd loaded.

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
from hil.emulator.usb.orders import OrderRefused
from hil.emulator.usb.transfers import Completion, Transfer, TransferOutcome, Transfers

CONTROLLER = Path("/sys/devices/platform/vhci_hcd.0")
FULL_SPEED = 2
RELEASE_S_MAX = 20.0
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
TO_HOST = 1
# Command, sequence number, device, direction, endpoint; then 28 bytes of the command.
HEAD = struct.Struct(">5I")
SUBMIT_BODY = struct.Struct(">I4i8s")
UNLINK_BODY = struct.Struct(">I24x")
UNLINKED_BODY = struct.Struct(">i24x")
SUBMITTED_BODY = struct.Struct(">5i8x")
HEADER_BYTES = HEAD.size + SUBMIT_BODY.size
STATUS = {
    TransferOutcome.DONE: 0,
    TransferOutcome.STALLED: -errno.EPIPE,
    TransferOutcome.CANCELLED: -errno.ECONNRESET,
    TransferOutcome.UNPLUGGED: -errno.ESHUTDOWN,
}


@dataclass(slots=True)
class PortConnection:
    """One device in one port: its connection to the kernel, and the transfers under way."""

    connection: socket.socket
    transfers: Transfers
    received: bytes = b""


class VhciBus:
    """`place` is BUS-PORT: the port counts from 1; BUS is ignored, it is the controller's."""

    def __init__(self) -> None:
        self._sockets: dict[str, PortConnection] = {}
        self._counts: dict[str, int] = {}

    @property
    def connections(self) -> dict[socket.socket, str]:
        """The connections to wait on, each with its device's name."""
        return {one.connection: name for name, one in self._sockets.items()}

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None:
        if held:
            raise OrderRefused("on a real USB stack only a program can hold a device")
        port = int(place.partition("-")[2]) - 1
        own_end, kernel_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with kernel_end:
            attach = f"{port} {kernel_end.fileno()} {port + 1} {FULL_SPEED}"
            _attach(attach)
        self._sockets[name] = PortConnection(own_end, Transfers(device))
        self._counts[name] = self._counts.get(name, 0) + 1

    def unplug(self, name: str) -> None:
        with suppress(OSError), self._sockets.pop(name).connection as connection:
            connection.shutdown(socket.SHUT_RDWR)

    def hold(self, name: str, *, held: bool) -> None:
        raise OrderRefused("on a real USB stack only a program can hold a device")

    def counts(self, name: str) -> dict[str, int]:
        return {"plugged": self._counts.get(name, 0)}

    def take(self, name: str) -> None:
        """Read what the kernel has sent to a device."""
        one = self._sockets[name]
        data = one.connection.recv(65536)
        if not data:  # the kernel has released the device
            self.unplug(name)
            return
        one.received += data
        while (size := _request_bytes(one.received)) and len(one.received) >= size:
            request, one.received = one.received[:size], one.received[size:]
            self._execute(one, request)
        self.settle()

    def settle(self) -> None:
        """Advance time; report completed transfers to the kernel."""
        for name, one in tuple(self._sockets.items()):
            try:
                for completion in one.transfers.settle(time.monotonic_ns()):
                    one.connection.sendall(_submitted(completion))
            except OSError:
                self.unplug(name)

    def _execute(self, one: PortConnection, request: bytes) -> None:
        command, number, _device, direction, endpoint = HEAD.unpack_from(request)
        if command == UNLINK:
            (wanted,) = UNLINK_BODY.unpack_from(request, HEAD.size)
            cancelled = one.transfers.cancel(wanted)
            status = 0 if cancelled is None else STATUS[cancelled.outcome]
            head = HEAD.pack(UNLINKED, number, 0, 0, 0)
            one.connection.sendall(head + UNLINKED_BODY.pack(status))
            return
        _flags, length, _frame, _packets, _interval, setup = SUBMIT_BODY.unpack_from(
            request, HEAD.size
        )
        data = request[HEADER_BYTES:]
        address = endpoint | IN if direction == TO_HOST and endpoint else endpoint
        one.transfers.submit(Transfer(number, address, b"" if endpoint else setup, data, length))


def _attach(words: str) -> None:
    """Give a port its device, once the kernel has released the one before, which it does later."""
    until = time.monotonic() + RELEASE_S_MAX
    while True:
        try:
            (CONTROLLER / "attach").write_text(words)
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _request_bytes(received: bytes) -> int:
    """The length of the first request with its data; 0: not known yet."""
    if len(received) < HEADER_BYTES:
        return 0
    command, _number, _device, direction, _endpoint = HEAD.unpack_from(received)
    if command == UNLINK or direction == TO_HOST:
        return HEADER_BYTES
    _flags, length, *_ = SUBMIT_BODY.unpack_from(received, HEAD.size)
    return HEADER_BYTES + max(int(length), 0)


def _submitted(completion: Completion) -> bytes:
    head = HEAD.pack(SUBMITTED, completion.key, 0, 0, 0)
    tail = SUBMITTED_BODY.pack(STATUS[completion.outcome], completion.length, 0, 0, 0)
    return head + tail + completion.data
