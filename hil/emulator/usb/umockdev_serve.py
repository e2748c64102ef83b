"""Serves USB devices under umockdev: /usr/bin/python3 -m hil.emulator.usb.umockdev_serve.

It ends with the order `quit`, and when stdin ends. Emulates usbfs: answers the ioctls that libusb
sends. Runs with the system's own Python, which alone has the bindings.

The test bed's device node always counts as ready, so that libusb would poll without end: an empty
answer is delayed by a millisecond, except the first after a completion, which libusb needs to know
that there is no more. An unplugged device ends all transfers before its removal is announced,
because libusb waits for both.

Source: Linux Documentation/driver-api/usb/usb.rst, "The USB character device nodes";
include/uapi/linux/usbdevice_fs.h.
"""

import errno
import json
import struct
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from threading import RLock

import gi
from gi.repository import (
    GLib,
    UMockdev,
)

from hil.emulator.usb.descriptors import HID_CLASS
from hil.emulator.usb.device import UsbDevice
from hil.emulator.usb.orders import Orders
from hil.emulator.usb.transfers import Completion, Transfer, TransferOutcome, Transfers

gi.require_version("UMockdev", "1.0")


SUBMIT, DISCARD, REAP, REAP_AT_ONCE = 0x8038550A, 0x550B, 0x4008550C, 0x4008550D
CAPABILITIES, CLAIM, RELEASE = 0x8004551A, 0x8004550F, 0x80045510
SET_CONFIGURATION, SET_INTERFACE, CLEAR_HALT, RESET = 0x80045505, 0x80085504, 0x80045515, 0x5514
GET_DRIVER, TO_DRIVER = 0x41045508, 0xC0105512
DISCONNECT_DRIVER = 0x5516
ZERO_PACKET, NO_PACKET_SIZE_LIMIT, REAP_AFTER_DISCONNECT = 0x01, 0x04, 0x10
# struct usbdevfs_urb: type, endpoint, status, flags, buffer, buffer_length, actual_length.
URB = struct.Struct("<BBxxiIxxxxQii")
URB_BYTES, BUFFER_AT, STATUS_AT, ACTUAL_AT = 56, 16, 4, 28
CONTROL_KIND, SETUP_BYTES = 2, 8
EMPTY_ANSWER_MS = 1
ERRNO = {
    TransferOutcome.DONE: 0,
    TransferOutcome.STALLED: -errno.EPIPE,
    TransferOutcome.CANCELLED: -errno.ENOENT,
    TransferOutcome.UNPLUGGED: -errno.ESHUTDOWN,
}
CONTROLLER = "/sys/devices/pci0000:00/0000:00:14.0"


class Node(UMockdev.IoctlBase):  # type: ignore[misc]
    """One device's node, from plugging in to unplugging; handles every ioctl on it.

    `held`: another program has claimed the device.
    """

    def __init__(self, device: UsbDevice, counts: Counter[str], *, held: bool) -> None:
        super().__init__()
        self.held = held
        # Ioctls come on a thread of the test bed, time and orders on the main thread.
        self._lock = RLock()
        self._transfers = Transfers(device)
        self._device = device
        self._counts = counts
        self._urbs: dict[int, tuple[UMockdev.IoctlData, UMockdev.IoctlData | None, int]] = {}
        self._done: deque[UMockdev.IoctlData] = deque()
        self._delayed: list[tuple[UMockdev.IoctlClient, int]] = []
        self._just_reaped = False
        self._unplugged = False
        self._drivers = {
            number: b"usbhid"
            for number, function in enumerate(device.functions)
            if function.interface.class_code == HID_CLASS
        }

    def settle(self) -> None:
        """Advance time; complete the transfers that can be completed."""
        with self._lock:
            if not self._unplugged:
                self._complete(self._transfers.settle(time.monotonic_ns()))

    def unplug(self) -> None:
        with self._lock:
            self._unplugged = True
            self._complete(self._transfers.unplug())

    # One ioctl.

    def do_handle_ioctl(self, client: UMockdev.IoctlClient) -> bool:
        with self._lock:
            return self._handle(client)

    def _handle(self, client: UMockdev.IoctlClient) -> bool:
        request = client.get_request() & 0xFFFFFFFF
        answers: dict[int, Callable[[UMockdev.IoctlClient], int]] = {
            CAPABILITIES: self._capabilities,
            CLAIM: self._claim,
            GET_DRIVER: self._get_driver,
            TO_DRIVER: self._to_driver,
            CLEAR_HALT: self._clear_halt,
            SUBMIT: self._submit,
            DISCARD: self._discard,
        }
        if request in (REAP, REAP_AT_ONCE):
            self._reap(client)
            return True
        if self._unplugged:
            number = errno.ENODEV
        elif request in answers:
            number = answers[request](client)
        elif request in (RELEASE, SET_CONFIGURATION, SET_INTERFACE, RESET):
            number = 0
        else:
            number = errno.ENOTTY
        client.complete(-1 if number else 0, number)
        self.settle()
        return True

    def _capabilities(self, client: UMockdev.IoctlClient) -> int:
        self._counts["opened"] += 1  # libusb sends it once for each device it opens
        flags = ZERO_PACKET | NO_PACKET_SIZE_LIMIT | REAP_AFTER_DISCONNECT
        client.get_arg().resolve(0, 4).update(0, list(struct.pack("<I", flags)))
        return 0

    def _claim(self, client: UMockdev.IoctlClient) -> int:
        number = struct.unpack("<I", bytes(client.get_arg().resolve(0, 4).retrieve()))[0]
        if self.held or number in self._drivers:
            return errno.EBUSY
        self._counts["claimed"] += 1
        return 0

    def _get_driver(self, client: UMockdev.IoctlClient) -> int:
        data = client.get_arg().resolve(0, 260)
        number = struct.unpack("<I", bytes(data.retrieve())[:4])[0]
        if number not in self._drivers:
            return errno.ENODATA
        data.update(4, list(self._drivers[number] + b"\0"))
        return 0

    def _to_driver(self, client: UMockdev.IoctlClient) -> int:
        data = bytes(client.get_arg().resolve(0, 16).retrieve())
        number, code = struct.unpack_from("<ii", data)
        if code != DISCONNECT_DRIVER:
            return errno.ENOTTY
        if self._drivers.pop(number, None) is None:
            return errno.ENODATA
        self._counts["driver detached"] += 1
        return 0

    def _clear_halt(self, client: UMockdev.IoctlClient) -> int:
        endpoint = struct.unpack("<I", bytes(client.get_arg().resolve(0, 4).retrieve()))[0]
        self._counts["halt cleared"] += 1
        self._device.clear_halt(endpoint & 0xFF)
        return 0

    def _submit(self, client: UMockdev.IoctlClient) -> int:
        data = client.get_arg().resolve(0, URB_BYTES)
        kind, endpoint, _status, _flags, _buffer, length, _actual = URB.unpack_from(
            bytes(data.retrieve())
        )
        buffer = data.resolve(BUFFER_AT, length) if length else None
        sent = bytes(buffer.retrieve()) if buffer is not None else b""
        is_control = kind == CONTROL_KIND
        setup, sent = (sent[:SETUP_BYTES], sent[SETUP_BYTES:]) if is_control else (b"", sent)
        # For a transfer towards the host, the buffer holds no data of the host.
        inward = (setup[0] if is_control else endpoint) & 0x80
        key = data.client_addr
        self._urbs[key] = (data, buffer, SETUP_BYTES if is_control else 0)
        self._transfers.submit(
            Transfer(
                key,
                0 if is_control else endpoint,
                setup,
                b"" if inward else sent,
                length - len(setup),
            )
        )
        self._counts["submitted"] += 1
        if self._unplugged:  # orders may be executed while the host's memory is read
            self._complete(self._transfers.unplug())
        return 0

    def _discard(self, client: UMockdev.IoctlClient) -> int:
        key = struct.unpack("<Q", bytes(client.get_arg().retrieve()))[0]
        cancelled = self._transfers.cancel(key)
        if cancelled is None:
            return errno.EINVAL
        self._complete((cancelled,))
        return 0

    # Completed transfers on their way to libusb.

    def _complete(self, completions: tuple[Completion, ...]) -> None:
        for completion in completions:
            data, buffer, offset = self._urbs.pop(completion.key)
            if completion.data and buffer is not None:
                buffer.update(offset, list(completion.data))
            data.update(STATUS_AT, list(struct.pack("<i", ERRNO[completion.outcome])))
            data.update(ACTUAL_AT, list(struct.pack("<i", completion.length)))
            self._done.append(data)
        while self._delayed and (self._done or self._unplugged):
            client, timer = self._delayed.pop(0)
            GLib.source_remove(timer)
            self._reap(client)

    def _reap(self, client: UMockdev.IoctlClient) -> None:
        if self._done:
            self._just_reaped = True
            client.get_arg().resolve(0, 8).set_ptr(0, self._done.popleft())
            client.complete(0, 0)
        elif self._unplugged:
            client.complete(-1, errno.ENODEV)
        elif self._just_reaped:
            self._just_reaped = False
            client.complete(-1, errno.EAGAIN)
        else:
            self._delay_empty_answer(client)

    def _delay_empty_answer(self, client: UMockdev.IoctlClient) -> None:
        def answer() -> bool:
            with self._lock:
                waiting = [one for one in self._delayed if one[0] is client]
                self._delayed = [one for one in self._delayed if one[0] is not client]
                if waiting:  # else it was answered while this waited for the lock
                    client.complete(-1, errno.EAGAIN)
            return False

        self._delayed.append((client, GLib.timeout_add(EMPTY_ANSWER_MS, answer)))


class UmockdevBus:
    """The test bed and what is plugged into it."""

    def __init__(self) -> None:
        self._bed = UMockdev.Testbed.new()
        self._numbers = iter(range(2, 1000))
        self._plugged: dict[str, tuple[str, str, Node]] = {}
        self._counts: dict[str, Counter[str]] = {}

    @property
    def root(self) -> str:
        """The directory used as / by the program under test."""
        return str(self._bed.get_root_dir())

    def settle(self) -> None:
        for _system_path, _node_path, node in tuple(self._plugged.values()):
            node.settle()

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None:
        bus = int(place.partition("-")[0])
        number = next(self._numbers)
        # As on a real bus, each plugging gives a new number.
        node_path = f"/dev/bus/usb/{bus:03}/{number:03}"
        counts = self._counts.setdefault(name, Counter(plugged=0, opened=0, claimed=0, submitted=0))
        counts["plugged"] += 1
        node = Node(device, counts, held=held)
        self._bed.attach_ioctl(node_path, node)
        system_path = f"{CONTROLLER}/usb{bus}/{place}"
        self._plugged[name] = (system_path, node_path, node)
        # Adds the entry and sends its uevent.
        self._bed.add_from_string(_entry(system_path, bus, number, device))

    def unplug(self, name: str) -> None:
        system_path, node_path, node = self._plugged.pop(name)
        node.unplug()
        self._bed.uevent(system_path, "remove")
        self._bed.remove_device(system_path)
        # The node keeps answering programs that still have it open: numbers are never reused.
        Path(self.root + node_path).unlink(missing_ok=True)

    def hold(self, name: str, *, held: bool) -> None:
        self._plugged[name][2].held = held

    def counts(self, name: str) -> dict[str, int]:
        return dict(self._counts.get(name, Counter()))


def _entry(system_path: str, bus: int, number: int, device: UsbDevice) -> str:
    """The device in umockdev's own notation."""
    identity = device.identity
    strings = {
        "manufacturer": identity.manufacturer,
        "product": identity.product,
        "serial": identity.serial_number,
    }
    release = f"{identity.vendor_id:x}/{identity.product_id:x}/{identity.release:x}"
    lines = [
        f"P: {system_path.removeprefix('/sys')}",
        f"N: bus/usb/{bus:03}/{number:03}",
        "E: SUBSYSTEM=usb",
        "E: DEVTYPE=usb_device",
        f"E: BUSNUM={bus:03}",
        f"E: DEVNUM={number:03}",
        f"E: DEVNAME=/dev/bus/usb/{bus:03}/{number:03}",
        "E: MAJOR=189",
        f"E: MINOR={128 * (bus - 1) + number - 1}",
        f"E: PRODUCT={release}",
        rf"A: busnum={bus}\n",
        rf"A: devnum={number}\n",
        r"A: bConfigurationValue=1\n",
        r"A: speed=12\n",
        rf"A: idVendor={identity.vendor_id:04x}\n",
        rf"A: idProduct={identity.product_id:04x}\n",
        *(rf"A: {name}={text}\n" for name, text in strings.items() if text),
        f"H: descriptors={device.descriptors.hex().upper()}",
        "",
    ]
    return "\n".join(lines)


TICK_MS = 2


def main() -> None:
    """Serve until the order `quit` or the end of stdin."""
    bus = UmockdevBus()
    orders = Orders(bus)
    loop = GLib.MainLoop()

    def execute(*_: object) -> bool:
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        print(orders.execute(line), flush=True)
        bus.settle()
        if orders.quitting:
            loop.quit()
        return True

    def tick() -> bool:
        bus.settle()
        return True

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, execute)
    GLib.timeout_add(TICK_MS, tick)
    print(json.dumps({"event": "ready", "root": bus.root}), flush=True)
    loop.run()


if __name__ == "__main__":
    main()
