"""USB ports over real pyusb and libusb on emulated devices.

Run by test_usb_port.py in a process of its own, in which libusb, libudev and /sys show the
devices of a test bed instead of the machine's own; pytest does not collect this file by itself.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import Queue

import pytest
from in_words import raises_in_words

from controller.system.messages.catalogue import to_words
from firmware_bridge.angel_eye.messages import StandByMessage
from firmware_bridge.transport import usb_sysfs
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import (
    Chunk,
    PortEnd,
    PortEvent,
    PortGone,
    PortLost,
    PortOpened,
    PortUnavailable,
)
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import DeviceAppeared, DeviceGone, UsbDeviceEvent
from firmware_bridge.transport.usb_port import UsbPort
from firmware_bridge.transport.usb_sysfs import DeviceWatch
from hil.usb.bed import READER, SCANNER, UsbTestBed

# The inventory request and the answer of a reader with one tag, as published.
INVENTORY = bytes.fromhex("020009FFB001001843")
ONE_TAG = bytes.fromhex("1100B000010300E0040150A05F02B7D7BE")
REPORT = bytes.fromhex("02085d5a36524556494e46062e").ljust(61, b"\0") + bytes.fromhex("360000")
# Two reports of a shoe that stands by, with the numbers 1 and 2.
STANDS_BY_1 = bytes.fromhex("05 31 50 03 36 32")
STANDS_BY_2 = bytes.fromhex("05 32 50 03 36 31")
SCRIPTED_SCANNER = {"kind": "hid_pos", "device": "hil.emulator.usb.functions:ScriptedDevice"}
DESCRIPTORS = Path("/proc/self/fd")
NS_PER_S = 1_000_000_000

Plug = Callable[..., str]
Opened = Callable[..., UsbPort]
Watching = Callable[..., Queue[UsbDeviceEvent]]
Pumping = Callable[[UsbPort], tuple[PortPump, Queue[PortEvent]]]


@pytest.fixture(scope="module")
def bed() -> Iterator[UsbTestBed]:
    with UsbTestBed() as served:
        os.environ["UMOCKDEV_DIR"] = served.environment["UMOCKDEV_DIR"]
        yield served
    del os.environ["UMOCKDEV_DIR"]


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return count(1)


@pytest.fixture
def plug(bed: UsbTestBed, numbers: Iterator[int]) -> Iterator[Plug]:
    """Plug in a reader with its own name and serial number; all are unplugged at the end."""
    plugged: list[str] = []

    def make(
        serial: str = "",
        place: str = "1-1",
        functions: tuple[dict[str, object], ...] = ({"kind": "bulk", "settings": {"echo": True}},),
        identity: dict[str, object] = READER,
        *,
        held: bool = False,
    ) -> str:
        name = serial or f"SN-{next(numbers)}"
        bed.plug(name, {**identity, "serial_number": name}, functions, place, held=held)
        plugged.append(name)
        return name

    yield make
    for name in plugged:
        if name in bed.plugged:
            bed.unplug(name)


@pytest.fixture
def opened() -> Iterator[Opened]:
    ports: list[UsbPort] = []

    def make(url: str, allowed: AllowList | None = None) -> UsbPort:
        port = UsbPort(url, allowed)
        ports.append(port)
        port.open()
        return port

    yield make
    for port in ports:
        port.close()


def url_of(name: str) -> str:
    return f"usb://0ab1:0002/{name}"


def read_some(port: UsbPort) -> bytes:
    """Read until bytes arrive, ignoring timeouts."""
    while not (data := port.read()):
        pass
    return data


def read_exactly(port: UsbPort, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += read_some(port)
    return data


def reading_elsewhere(port: UsbPort) -> tuple[threading.Thread, Queue[str]]:
    """A thread that reads until the port is lost, and the reason of the loss."""
    ends: Queue[str] = Queue()
    begun = threading.Event()

    def read() -> None:
        try:
            while True:
                port.read()
                begun.set()
        except PortGone as gone:
            ends.put(to_words(gone.why))

    thread = threading.Thread(target=read)
    thread.start()
    assert begun.wait()
    return thread, ends


# --- finding --------------------------------------------------------------------------------------


def test_a_reader_is_found_by_its_serial_number_among_others(plug: Plug, opened: Opened) -> None:
    first, second = plug(place="1-1"), plug(place="1-2")
    one, other = opened(url_of(second)), opened(url_of(first))
    one.write(b"second")
    other.write(b"first")

    assert read_some(one) == b"second"
    assert read_some(other) == b"first"


def test_a_reader_is_found_by_its_place(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    plug(place="1-1")
    present = plug(place="1-2.3")
    opened("usb://0ab1:0002/@1-2.3")

    assert bed.counts(present)["claimed"] == 1


def test_a_reader_alone_needs_no_serial_number(plug: Plug, opened: Opened) -> None:
    plug()
    port = opened("usb://0ab1:0002")
    port.write(b"here")

    assert read_some(port) == b"here"


def test_of_two_readers_one_must_be_named(plug: Plug, opened: Opened) -> None:
    plug(place="1-1")
    plug(place="1-2")

    with raises_in_words(PortUnavailable, "2 such devices are plugged in, at 1-1, 1-2"):
        opened("usb://0ab1:0002")


def test_a_reader_that_another_program_holds_is_unavailable(plug: Plug, opened: Opened) -> None:
    with raises_in_words(PortUnavailable, "another program holds"):
        opened(url_of(plug(held=True)))


def test_an_unplugged_reader_is_unavailable(opened: Opened) -> None:
    with raises_in_words(PortUnavailable, r"is not plugged in. Remedy: `smartshoe devices`"):
        opened(url_of("SN-0"))


# --- bytes ----------------------------------------------------------------------------------------


def test_the_published_inventory_is_requested_and_answered(plug: Plug, opened: Opened) -> None:
    script = {"answers": {INVENTORY.hex(): ONE_TAG.hex()}}
    port = opened(url_of(plug(functions=({"kind": "bulk", "settings": script},))))
    port.write(INVENTORY)

    assert read_some(port) == ONE_TAG


def test_every_byte_and_a_frame_of_many_packets_pass_both_ways(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug()))
    every = bytes(range(256)) * 3
    port.write(every)

    assert read_exactly(port, len(every)) == every


def test_a_frame_that_fills_its_packets_is_read_at_once(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug()))
    port.write(b"x" * 64)
    began_ns = now().monotonic_ns

    assert port.read() == b"x" * 64
    assert now().monotonic_ns - began_ns < 90_000_000  # a read times out after 100 ms


def test_a_silent_reader_gives_nothing_after_a_while(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug()))

    assert port.read() == b""


def test_unsolicited_bytes_of_the_reader_are_read(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.call(name, "send", data=ONE_TAG.hex())

    assert read_some(port) == ONE_TAG


# --- stalls, time-outs, pulled plugs --------------------------------------------------------------


def test_one_stall_of_a_read_is_cleared(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.order("stall", name, endpoint=0x81)
    assert port.read() == b""
    port.write(b"still here")

    assert read_some(port) == b"still here"
    assert bed.counts(name)["halt cleared"] == 1


def test_a_read_that_stalls_again_is_a_lost_port(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.order("stall", name, endpoint=0x81, times=2)
    port.read()

    with raises_in_words(PortGone, "refuses the transfer \\(stall\\)"):
        port.read()


def test_one_stall_of_a_write_is_cleared(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.order("stall", name, endpoint=0x02)
    port.write(b"again")

    assert read_some(port) == b"again"
    assert bed.call(name, "all_received") == [b"again".hex()]


def test_a_write_that_stalls_again_is_a_lost_port(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.order("stall", name, endpoint=0x02, times=2)

    with raises_in_words(PortGone, "stall"):
        port.write(b"again")


def test_a_reader_that_accepts_no_data_is_a_lost_port(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.order("hang", name)

    with raises_in_words(PortGone, "accepts no data for 2 s"):
        port.write(INVENTORY)


def test_unplugging_ends_a_read(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug()
    thread, ends = reading_elsewhere(opened(url_of(name)))
    bed.unplug(name)

    assert ends.get() == f"usb://0ab1:0002/{name}: unplugged"
    thread.join()


def test_unplugging_ends_a_write(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug()
    port = opened(url_of(name))
    bed.unplug(name)

    with raises_in_words(PortGone, "unplugged"):
        port.write(INVENTORY)


def test_close_ends_a_read(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug()))
    thread, ends = reading_elsewhere(port)
    began_ns = now().monotonic_ns
    port.close()

    assert now().monotonic_ns - began_ns < NS_PER_S
    assert "closed" in ends.get()
    thread.join()


def test_close_twice_and_use_afterwards(plug: Plug, opened: Opened) -> None:
    port = opened(url_of(plug()))
    port.close()
    port.close()

    with raises_in_words(PortGone, "is closed"):
        port.read()
    with raises_in_words(PortGone, "is closed"):
        port.write(INVENTORY)


def test_replugging_ten_times_leaks_no_descriptor(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    port = opened(url_of(name))
    port.close()
    descriptors = len(tuple(DESCRIPTORS.iterdir()))
    for _ in range(10):
        bed.unplug(name)
        bed.plug(name)
        port.open()
        port.write(INVENTORY)
        assert read_some(port) == INVENTORY
        port.close()

    assert bed.counts(name)["plugged"] == 11
    assert len(tuple(DESCRIPTORS.iterdir())) == descriptors


# --- devices that may not be opened ---------------------------------------------------------------


def test_a_device_that_is_not_on_the_list_is_never_opened(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()

    with raises_in_words(PortUnavailable, f"not on the allow-list.* allow 0ab1:0002:{name}"):
        opened(url_of(name), AllowList((parse_allow_entry("1-7"),)))
    assert bed.counts(name)["opened"] == 0


def test_a_reader_with_a_keyboard_interface_is_never_opened(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(functions=({"kind": "bulk"}, {"kind": "keyboard"}))

    with raises_in_words(PortUnavailable, "it has a keyboard interface"):
        opened(url_of(name), AllowList((parse_allow_entry(f"0ab1:0002:{name}"),)))
    assert bed.counts(name)["opened"] == 0


def test_a_device_on_the_list_is_opened(plug: Plug, opened: Opened) -> None:
    name = plug()
    port = opened(url_of(name), AllowList((parse_allow_entry(f"0ab1:0002:{name}"),)))
    port.write(INVENTORY)

    assert read_some(port) == INVENTORY


def test_a_device_without_endpoints_for_bytes_is_refused(plug: Plug, opened: Opened) -> None:
    with raises_in_words(PortUnavailable, "no pair of bulk or interrupt endpoints"):
        opened(url_of(plug(functions=(SCRIPTED_SCANNER,))))


# --- a point-of-sale scanner ----------------------------------------------------------------------


def scanner_url(name: str) -> str:
    return f"usbhid://0c2e:0b81/{name}"


def test_reports_of_a_scanner_are_read_whole_and_its_kernel_driver_is_detached(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    functions = ({**SCRIPTED_SCANNER, "settings": {"sends": (REPORT + REPORT).hex()}},)
    name = plug(functions=functions, identity=SCANNER)
    port = opened(scanner_url(name))

    assert [read_some(port), read_some(port)] == [REPORT, REPORT]
    assert bed.counts(name)["driver detached"] == 1


def test_an_emulated_scanner_is_set_to_pos_mode_and_scans(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(functions=({"kind": "hid_pos"},), identity=SCANNER)
    port = opened(scanner_url(name))
    port.write(b"\xfe\x01")
    bed.call(name, "scan", text=b"PACK-7".hex())

    assert read_some(port)[:11] == b"\x02\x06]C0PACK-7"


def test_an_emulated_reader_reports_a_tag(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug(functions=({"kind": "bulk", "device": "hil.emulator.feig.device:FeigReader"},))
    port = opened(url_of(name))
    bed.call(name, "tag_read", identity="E0040150A05F02B7", kind=3, antenna=1)

    assert bytes.fromhex("E0040150A05F02B7") in read_exactly(port, 24)


def test_a_device_served_on_tcp_has_a_usb_plug_through_a_relay(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = {"port": server.getsockname()[1]}
        relay = {"device": "hil.emulator.usb.relay:RelayedDevice", "settings": settings}
        name = plug(functions=({"kind": "bulk", **relay},))
        for _ in range(2):  # it connects again each time it is plugged in
            line, _address = server.accept()
            port = opened(url_of(name))
            port.write(INVENTORY)
            assert line.recv(len(INVENTORY), socket.MSG_WAITALL) == INVENTORY
            line.sendall(ONE_TAG)
            assert read_some(port) == ONE_TAG
            port.close()
            bed.unplug(name)
            line.close()
            bed.plug(name)


def test_a_pulled_and_plugged_shoe_proves_that_nothing_was_missed(
    bed: UsbTestBed, plug: Plug, pumping: Pumping, across_a_blink
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = {"port": server.getsockname()[1]}
        relay = {"device": "hil.emulator.usb.relay:RelayedDevice", "settings": settings}
        name = plug(functions=({"kind": "bulk", **relay},))
        pump, events = pumping(UsbPort(url_of(name)))
        seen: Queue[PortEvent] = Queue()
        for report in (STANDS_BY_1, STANDS_BY_2):
            line, _address = server.accept()
            line.sendall(report)
            received = b""
            while not received.endswith(report):
                seen.put(event := events.get())
                received += event.data if isinstance(event, Chunk) else b""
            if report is STANDS_BY_1:
                bed.unplug(name)
                line.close()
                bed.plug(name)
                pump.wake()
        lost, items = across_a_blink(seen)
        line.close()

    assert lost.ended_by is PortEnd.READ_ERROR
    assert items == (StandByMessage(),)


def test_a_report_for_the_scanner_is_sent_as_a_control_request(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(functions=(SCRIPTED_SCANNER,), identity=SCANNER)
    port = opened(scanner_url(name))
    port.write(b"\xfe\x01")
    port.write(b"\xfd\x03\x16\x54\x0d")

    assert bed.call(name, "all_received") == ["fe01", "fd0316540d"]


def test_unplugging_a_scanner_ends_a_read(bed: UsbTestBed, plug: Plug, opened: Opened) -> None:
    name = plug(functions=(SCRIPTED_SCANNER,), identity=SCANNER)
    thread, ends = reading_elsewhere(opened(scanner_url(name)))
    bed.unplug(name)

    assert "unplugged" in ends.get()
    thread.join()


def test_a_keyboard_without_boot_interface_is_refused_by_its_report_descriptor(
    plug: Plug, opened: Opened
) -> None:
    disguised = {"kind": "keyboard", "boot": 0, "endpoint": 0x81}
    name = plug(functions=(disguised,), identity=SCANNER)

    with raises_in_words(PortUnavailable, "no keyboard is allowed at a table"):
        opened(scanner_url(name))


def test_a_keyboard_behind_a_scanner_is_refused_by_its_report_descriptor(
    plug: Plug, opened: Opened
) -> None:
    disguised = {"kind": "keyboard", "boot": 0, "endpoint": 0x82}
    name = plug(functions=(SCRIPTED_SCANNER, disguised), identity=SCANNER)

    with raises_in_words(PortUnavailable, "no keyboard is allowed at a table"):
        opened(scanner_url(name))


def test_of_two_devices_with_one_serial_number_none_is_opened(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    plug(serial="SN-twice", place="1-1")
    bed.plug("the other", {**READER, "serial_number": "SN-twice"}, ({"kind": "bulk"},), "1-2")
    try:
        with raises_in_words(PortUnavailable, "2 such devices are plugged in, at 1-1, 1-2"):
            opened(url_of("SN-twice"))
    finally:
        bed.unplug("the other")


def test_a_device_with_allowed_ids_and_another_serial_number_is_never_opened(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug()
    allowed = AllowList((parse_allow_entry("0ab1:0002:SN-other"),))

    with raises_in_words(PortUnavailable, "is allowed with another serial number only"):
        opened(url_of(name), allowed)
    assert bed.counts(name).get("opened", 0) == 0


def test_a_device_that_is_not_a_scanner_is_refused_and_released(
    bed: UsbTestBed, plug: Plug, opened: Opened
) -> None:
    name = plug(identity=SCANNER)

    with raises_in_words(PortUnavailable, "set the scanner to USB HID POS mode"):
        opened(scanner_url(name))


# --- devices that come and go ---------------------------------------------------------------------


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watching]:
    # Only notifications count here: the next periodic scan would be a minute later.
    monkeypatch.setattr(usb_sysfs, "_SCAN_MS", 60_000)
    watches: list[DeviceWatch] = []

    def start(
        also: Callable[[UsbDeviceEvent], None] = lambda _event: None,
    ) -> Queue[UsbDeviceEvent]:
        reported: Queue[UsbDeviceEvent] = Queue()

        def tell(event: UsbDeviceEvent) -> None:
            also(event)
            reported.put(event)

        watches.append(DeviceWatch(tell))
        watches[-1].start()
        return reported

    yield start
    for watch in watches:
        watch.stop()
        assert watch.join()


def test_devices_are_reported_at_the_start_on_appearance_and_on_removal(
    bed: UsbTestBed, plug: Plug, watching: Watching
) -> None:
    present = plug(place="1-1")
    reported = watching()
    first = reported.get()
    came = plug(place="1-2")
    second = reported.get()
    bed.unplug(present)
    third = reported.get()

    assert isinstance(first, DeviceAppeared)
    assert isinstance(second, DeviceAppeared)
    assert isinstance(third, DeviceGone)
    assert [event.device.serial_number for event in (first, second, third)] == [
        present,
        came,
        present,
    ]
    assert second.device.path == "1-2"


@pytest.fixture
def pumping() -> Iterator[Pumping]:
    pumps: list[PortPump] = []

    def make(port: UsbPort) -> tuple[PortPump, Queue[PortEvent]]:
        events: Queue[PortEvent] = Queue()
        pumps.append(PortPump("reader", port, events.put))
        pumps[-1].start()
        return pumps[-1], events

    yield make
    for pump in pumps:
        pump.stop()
        assert pump.join()


def next_opened(events: Queue[PortEvent]) -> PortOpened:
    while True:
        event = events.get()
        if isinstance(event, PortOpened):
            return event
        assert isinstance(event, PortLost)


def reason_of(event: PortEvent) -> str:
    assert isinstance(event, PortLost)
    return to_words(event.reason)


@pytest.mark.parametrize("held", [False, True])
def test_a_device_that_appears_is_opened_within_two_seconds(
    bed: UsbTestBed,
    plug: Plug,
    watching: Watching,
    pumping: Pumping,
    monkeypatch: pytest.MonkeyPatch,
    held: bool,
) -> None:
    # Without waking, the next try would be an hour away.
    monkeypatch.setattr("firmware_bridge.transport.pump.BACK_OFF_S_MAX", 3600.0)
    monkeypatch.setattr("firmware_bridge.transport.pump._BACK_OFF_GROWTH", 36_000)
    pump, events = pumping(UsbPort(url_of("SN-late")))
    reported = watching(lambda _event: pump.wake())
    assert isinstance(events.get(), PortLost)
    plug("SN-late", held=held)
    appeared = reported.get()
    assert isinstance(appeared, DeviceAppeared)
    if held:  # it is announced, and may be had only after the first tries
        while "another program holds" not in reason_of(events.get()):
            pass
        bed.order("release", "SN-late")

    opened_at = next_opened(events).at

    assert opened_at.monotonic_ns - appeared.at.monotonic_ns < 2 * NS_PER_S


def test_a_pump_continues_after_unplugging_and_plugging_in(
    bed: UsbTestBed, plug: Plug, watching: Watching, pumping: Pumping
) -> None:
    name = plug()
    pump, events = pumping(UsbPort(url_of(name)))
    watching(lambda _event: pump.wake())
    for _ in range(3):
        next_opened(events)
        pump.write(INVENTORY)
        chunk = events.get()
        assert isinstance(chunk, Chunk)
        assert chunk.data == INVENTORY
        bed.unplug(name)
        bed.plug(name)

    assert next_opened(events)
