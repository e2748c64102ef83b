"""USB readers, scanners and serial ports on a real kernel: usbcore, usbfs, usbhid, cdc_acm, udev.

Run by `python -m hil.gate` inside a kernel of its own; pytest does not collect this file by itself.
The devices are emulated and plugged into the kernel's virtual host controller.
"""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import Queue

import pytest
from in_words import raises_in_words

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import (
    Chunk,
    LineSettings,
    Parity,
    Port,
    PortEvent,
    PortGone,
    PortLost,
    PortOpened,
    PortUnavailable,
)
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import DeviceAppeared, UsbDeviceEvent
from firmware_bridge.transport.usb_sysfs import AttachedDevice, DeviceWatch, attached_devices
from hil.progress import Patience, poll_until
from hil.usb.bed import READER, SCANNER, UsbTestBed

# The inventory request and the answer of a reader with one tag, as published.
INVENTORY = bytes.fromhex("020009FFB001001843")
ONE_TAG = bytes.fromhex("1100B000010300E0040150A05F02B7D7BE")
TAG = bytes.fromhex("E0040150A05F02B7")
PUBLISHED = {"kind": "bulk", "settings": {"answers": {INVENTORY.hex(): ONE_TAG.hex()}}}
FEIG = {"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader"}
LINE = LineSettings(38400, Parity.EVEN)
NS_PER_S = 1_000_000_000
NOBODY = 65534
EARLY = ("usb_being_plugged_in_or_out", "usb_no_serial_port_yet")

Plug = Callable[..., str]
Opened = Callable[..., Port]


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbTestBed]:
    with UsbTestBed(on_kernel=True) as served:
        yield served


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return count(1)


def attached(serial: str) -> AttachedDevice | None:
    return next((d for d in attached_devices() if d.identity.serial_number == serial), None)


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for the kernel, which takes its time over plugging in and out."""
    poll_until(condition, what)


@pytest.fixture
def plug(bed: UsbTestBed, numbers: Iterator[int]) -> Iterator[Plug]:
    plugged: list[str] = []

    def make(
        function: dict[str, object],
        identity: dict[str, object] = READER,
        place: str = "1-1",
        *more: dict[str, object],
        serial: str = "",
        wait: bool = True,
    ) -> str:
        name = serial or f"SN-{next(numbers)}"
        bed.plug(name, {**identity, "serial_number": name}, (function, *more), place)
        plugged.append(name)
        if wait:
            until(lambda: attached(name) is not None, f"{name} was not found by the kernel")
        return name

    yield make
    for name in plugged:
        if name in bed.plugged:
            bed.unplug(name)
    until(lambda: not attached_devices(), "a device stays")


@pytest.fixture
def opened() -> Iterator[Opened]:
    ports: list[Port] = []

    def make(url: str, allowed: AllowList | None = None) -> Port:
        port = open_port(url, LINE, allowed)
        ports.append(port)
        # For some milliseconds, kernel, udev and library disagree; the pump tries again as well.
        patience = Patience()
        while True:
            try:
                port.open()
            except PortUnavailable as unavailable:
                if unavailable.why.id not in EARLY or patience.is_over:
                    raise
            else:
                return port

    yield make
    for port in ports:
        port.close()


def url_of(name: str) -> str:
    return f"usb://0ab1:0002/{name}"


def read_exactly(port: Port, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += port.read()
    return data


# --- a reader -------------------------------------------------------------------------------------


def test_the_published_inventory_is_requested_and_answered(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug(PUBLISHED)))
    port.write(INVENTORY)

    assert read_exactly(port, len(ONE_TAG)) == ONE_TAG


def test_an_emulated_reader_reports_a_tag(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug(FEIG)
    port = opened(url_of(name))
    bed.call(name, "tag_read", identity=TAG.hex(), kind=3, antenna=1)

    assert TAG in read_exactly(port, 24)


def test_two_readers_are_distinguished_by_serial_number_and_place(
    plug: Plug, opened: Opened
) -> None:
    echo = {"kind": "bulk", "settings": {"echo": True}}
    one = opened(url_of(plug(echo, READER, "1-1")))
    plug(echo, READER, "1-2")
    (place,) = (d.identity.path for d in attached_devices() if d.identity.path.endswith("-2"))
    other = opened(f"usb://0ab1:0002/@{place}")
    one.write(b"one")
    other.write(b"other")

    assert (read_exactly(one, 3), read_exactly(other, 5)) == (b"one", b"other")


def test_a_stall_is_cleared_and_a_second_one_is_a_lost_port(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(PUBLISHED)
    port = opened(url_of(name))
    bed.order("stall", name, endpoint=0x81)
    port.read()
    port.write(INVENTORY)
    assert read_exactly(port, len(ONE_TAG)) == ONE_TAG
    bed.order("stall", name, endpoint=0x81, times=2)
    port.read()

    with raises_in_words(PortGone, "stall"):
        port.read()


def test_a_reader_that_hangs_is_a_lost_port_at_the_next_write(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(PUBLISHED)
    port = opened(url_of(name))
    bed.order("hang", name)
    assert port.read() == b""

    with raises_in_words(PortGone, "accepts no data for 2 s"):
        port.write(INVENTORY)
    bed.order("resume", name)


def test_unplugging_ends_a_read(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug(PUBLISHED)
    port = opened(url_of(name))
    ends: Queue[str] = Queue()

    def read() -> None:
        try:
            while True:
                port.read()
        except PortGone as gone:
            ends.put(to_words(gone.why))

    thread = threading.Thread(target=read)
    thread.start()
    bed.unplug(name)

    assert "unplugged" in ends.get()
    thread.join()


def test_a_device_held_by_another_port_is_unavailable(plug: Plug, opened: Opened) -> None:
    url = url_of(plug(PUBLISHED))
    opened(url)

    with raises_in_words(PortUnavailable, "another program holds"):
        opened(url)


def test_without_permission_the_remedy_is_named(plug: Plug, opened: Opened) -> None:
    url = url_of(plug(PUBLISHED))
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        with raises_in_words(PortUnavailable, r"no permission to open it.* udev rule"):
            opened(url)
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def test_a_device_that_is_not_on_the_list_is_refused(plug: Plug, opened: Opened) -> None:
    with raises_in_words(PortUnavailable, "not on the allow-list"):
        opened(url_of(plug(PUBLISHED)), AllowList((parse_allow_entry("9-9"),)))


# --- coming and going -----------------------------------------------------------------------------


def next_opened(events: Queue[PortEvent]) -> PortOpened:
    while True:
        event = events.get()
        if isinstance(event, PortOpened):
            return event
        assert isinstance(event, PortLost)


def test_a_pump_continues_after_ten_replugs(
    bed: UsbTestBed, plug: Plug, numbers: Iterator[int]
) -> None:
    name = f"SN-{next(numbers)}"
    events: Queue[PortEvent] = Queue()
    reported: Queue[UsbDeviceEvent] = Queue()
    pump = PortPump("reader", open_port(url_of(name), LINE), events.put)

    def tell(event: UsbDeviceEvent) -> None:
        reported.put(event)
        pump.wake()

    watch = DeviceWatch(tell)
    watch.start()
    pump.start()
    late_ns: list[int] = []
    plug(PUBLISHED, serial=name, wait=False)
    for _ in range(10):
        at = next_opened(events).at
        appeared = reported.get()
        while not isinstance(appeared, DeviceAppeared):
            appeared = reported.get()
        late_ns.append(at.monotonic_ns - appeared.at.monotonic_ns)
        pump.write(INVENTORY)
        chunk = events.get()
        assert isinstance(chunk, Chunk)
        assert chunk.data == ONE_TAG
        bed.unplug(name)
        until(lambda: attached(name) is None, "it stays")
        bed.plug(name)
    pump.stop()
    watch.stop()
    print(f"opened after at most {max(late_ns) / 1e6:.0f} ms")

    assert pump.join()
    assert watch.join()
    assert max(late_ns) < 2 * NS_PER_S


# --- a scanner and a serial port, with the kernel's own drivers -----------------------------------


def driver_of(name: str) -> str:
    device = attached(name)
    assert device is not None
    interface = Path(f"/sys/bus/usb/devices/{device.identity.path}:1.0/driver")
    return interface.resolve().name if interface.exists() else ""


def test_a_scanner_is_detached_from_the_kernel_driver_and_read(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug({"kind": "hid_pos"}, SCANNER)
    until(lambda: driver_of(name) == "usbhid", "the kernel's driver does not take it")
    port = opened(f"usbhid://0c2e:0b81/{name}")
    port.write(b"\xfe\x01")
    bed.call(name, "scan", text=b"PACK-7".hex())

    assert read_exactly(port, 64)[:11] == b"\x02\x06]C0PACK-7"
    assert driver_of(name) == "usbfs"


@pytest.mark.parametrize("boot", [0, 1])
def test_a_keyboard_is_refused(plug: Plug, opened: Opened, boot: int) -> None:
    name = plug({"kind": "keyboard", "boot": boot, "endpoint": 0x81}, SCANNER)

    with raises_in_words(PortUnavailable, "no keyboard is allowed"):
        opened(f"usbhid://0c2e:0b81/{name}")


def test_a_serial_port_is_found_by_its_device_and_set_to_38400_even(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug({"kind": "serial", "settings": {"answers": {INVENTORY.hex(): ONE_TAG.hex()}}})
    port = opened(f"usbserial://0ab1:0002/{name}")
    port.write(INVENTORY)

    assert read_exactly(port, len(ONE_TAG)) == ONE_TAG
    assert bed.call(name, "line_coding") == "38400 8E1"


def test_a_serial_port_of_a_device_that_is_not_on_the_list_is_refused(
    plug: Plug, opened: Opened
) -> None:
    name = plug({"kind": "serial"})
    until(lambda: Path("/dev/ttyACM0").exists(), "no serial port")

    for url in (f"usbserial://0ab1:0002/{name}", "/dev/ttyACM0"):
        with raises_in_words(PortUnavailable, "not on the allow-list"):
            opened(url, AllowList((parse_allow_entry("9-9"),)))


def test_unplugging_ends_a_serial_port(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug({"kind": "serial"})
    port = opened(f"usbserial://0ab1:0002/{name}")
    bed.unplug(name)

    with pytest.raises(PortGone):
        read_exactly(port, 1)
