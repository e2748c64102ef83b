"""USB devices as /sys shows them, on an artificial tree."""

from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue

import pytest
from in_words import raises_in_words

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport import usb_serial, usb_sysfs
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.open_port import port_absence
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.serial_port import SerialPortInfo
from firmware_bridge.transport.usb_identity import DeviceAppeared, DeviceGone, UsbDeviceEvent
from firmware_bridge.transport.usb_serial import find_serial_path
from firmware_bridge.transport.usb_sysfs import attached_devices, device_behind, find_device

READER = UsbUrl("usb", 0x0AB1, 0x0002, "", "")
DEVICE = bytes.fromhex("12 01 0002 00000040 B10A 0200 0001 01 02 03 01  09 02 1B00 01 01 00 80 32")
VENDOR = bytes.fromhex("09 04 00 00 00 FF 00 00 00")
KEYBOARD = bytes.fromhex("09 04 00 00 01 03 01 01 00")

Plug = Callable[..., Path]


@pytest.fixture
def plug(tmp_path: Path) -> Plug:
    folder = tmp_path / "bus/usb/devices"
    folder.mkdir(parents=True)

    def make(
        path: str, *, serial: str | None = None, address: int = 2, interface: bytes = VENDOR
    ) -> Path:
        place = folder / path
        place.mkdir(exist_ok=True)
        (place / "idVendor").write_text("0ab1\n")
        (place / "idProduct").write_text("0002\n")
        (place / "busnum").write_text("1\n")
        (place / "devnum").write_text(f"{address}\n")
        (place / "descriptors").write_bytes(DEVICE + interface)
        if serial is not None:
            (place / "serial").write_text(f"{serial}\n")
        return place

    return make


def unplug(place: Path) -> None:
    for file in place.iterdir():
        file.unlink()
    place.rmdir()


# --- listing and finding --------------------------------------------------------------------------


def test_devices_are_listed_without_hubs_of_the_machine_and_interfaces(
    plug: Plug, tmp_path: Path
) -> None:
    for name in ("usb1", "1-0:1.0", "1-1:1.0"):
        plug(name)
    plug("1-1.2", serial="SN-2", address=7)
    plug("1-1")

    first, second = attached_devices(tmp_path)

    assert (first.identity.path, first.identity.serial_number) == ("1-1", "")
    assert (second.identity.path, second.identity.serial_number) == ("1-1.2", "SN-2")
    assert (second.address.bus, second.address.address) == (1, 7)
    assert second.identity.interfaces[0].class_code == 0xFF


def test_a_machine_without_usb_has_no_devices(tmp_path: Path) -> None:
    assert attached_devices(tmp_path) == ()


def test_a_device_that_disappears_while_it_is_read_is_left_out(plug: Plug, tmp_path: Path) -> None:
    (plug("1-1") / "descriptors").unlink()

    assert attached_devices(tmp_path) == ()


@pytest.mark.parametrize(
    ("serial", "path", "found"), [("SN-2", "", "1-2"), ("", "1-1", "1-1"), ("SN-1", "", "1-1")]
)
def test_a_device_is_found_by_its_serial_number_or_place(
    plug: Plug, tmp_path: Path, serial: str, path: str, found: str
) -> None:
    plug("1-1", serial="SN-1")
    plug("1-2", serial="SN-2")

    device = find_device(UsbUrl("usb", 0x0AB1, 0x0002, serial, path), None, tmp_path)

    assert device.identity.path == found


def test_without_serial_number_the_device_must_be_the_only_one(plug: Plug, tmp_path: Path) -> None:
    plug("1-1", serial="SN-1")
    assert find_device(READER, None, tmp_path).identity.path == "1-1"
    plug("1-2", serial="SN-2")

    with raises_in_words(
        PortUnavailable, r"2 such devices are plugged in, at 1-1, 1-2. Remedy: name"
    ):
        find_device(READER, None, tmp_path)


def test_a_missing_device_is_named_with_the_present_ones(plug: Plug, tmp_path: Path) -> None:
    plug("1-1", serial="SN-1")

    with raises_in_words(PortUnavailable, r"SN-2: it is not plugged in \(there is .* SN-1 at 1-1"):
        find_device(UsbUrl("usb", 0x0AB1, 0x0002, "SN-2", ""), None, tmp_path)


def test_a_device_that_is_not_allowed_is_refused(plug: Plug, tmp_path: Path) -> None:
    plug("1-1", serial="SN-1")

    with raises_in_words(PortUnavailable, "is not on the allow-list"):
        find_device(READER, AllowList((parse_allow_entry("1-2"),)), tmp_path)


def test_a_keyboard_is_refused_without_a_list(plug: Plug, tmp_path: Path) -> None:
    plug("1-1", interface=KEYBOARD)

    with raises_in_words(PortUnavailable, "no keyboard is allowed"):
        find_device(READER, None, tmp_path)


# --- serial ports of USB devices ------------------------------------------------------------------


def test_a_serial_ports_device_is_found_through_its_tty(
    plug: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interface = plug("1-1", serial="SN-1") / "1-1:1.0"
    interface.mkdir()
    (tmp_path / "class/tty/null").mkdir(parents=True)
    (tmp_path / "class/tty/null/device").symlink_to(interface)
    link = tmp_path / "by-id"
    link.symlink_to("/dev/null")  # a character device that is always there

    device = device_behind(str(link), tmp_path)

    assert device is not None
    assert device.serial_number == "SN-1"


@pytest.mark.parametrize("port", ["/dev/null", "/no/such/port", "socket://127.0.0.1:1"])
def test_other_paths_have_no_usb_device(port: str, tmp_path: Path) -> None:
    assert device_behind(port, tmp_path) is None


def ports(*paths: str) -> tuple[SerialPortInfo, ...]:
    return tuple(
        SerialPortInfo(f"/dev/ttyUSB{number}", f"/by-id/{number}", "", "", 0, 0, "", path)
        for number, path in enumerate(paths)
    )


def test_the_port_of_a_device_is_found_by_its_place(
    plug: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug("1-1.2", serial="SN-1")
    monkeypatch.setattr(usb_serial, "list_serial_ports", lambda: ports("1-1", "1-1.2"))

    assert find_serial_path(UsbUrl("usbserial", 0x0AB1, 0x0002, "SN-1", ""), tmp_path) == (
        "/dev/ttyUSB1"
    )


@pytest.mark.parametrize(
    ("present", "text"),
    [
        ((), "has no serial port yet"),
        (("1-1", "1-1"), "has 2 serial ports. Remedy: name one of them: /b"),
    ],
)
def test_a_device_without_one_port_is_refused(
    plug: Plug,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    present: tuple[str, ...],
    text: str,
) -> None:
    plug("1-1")
    monkeypatch.setattr(usb_serial, "list_serial_ports", lambda: ports(*present))

    with raises_in_words(PortUnavailable, text):
        find_serial_path(UsbUrl("usbserial", 0x0AB1, 0x0002, "", ""), tmp_path)


# --- hot-plug without kernel notifications --------------------------------------------------------


def test_devices_are_detected_without_notifications(
    plug: Plug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usb_sysfs, "_notifications", lambda: None)
    monkeypatch.setattr(usb_sysfs, "_SCAN_MS", 10)
    plug("1-1", serial="SN-1")
    events: Queue[UsbDeviceEvent] = Queue()
    watch = usb_sysfs.DeviceWatch(events.put, sysfs=tmp_path)
    watch.start()

    present = events.get()
    place = plug("1-2", serial="SN-2")
    appeared = events.get()
    unplug(place)
    gone = events.get()
    plug("1-1", serial="SN-1", address=9)
    gone_and_back = (events.get(), events.get())
    watch.stop()

    assert watch.join()
    assert isinstance(present, DeviceAppeared)
    assert isinstance(appeared, DeviceAppeared)
    assert appeared.device.serial_number == "SN-2"
    assert gone == DeviceGone(gone.at, appeared.device)
    assert [type(event) for event in gone_and_back] == [DeviceGone, DeviceAppeared]
    with pytest.raises(Empty):
        events.get_nowait()


def absence(port: str, sysfs: Path) -> str:
    why = port_absence(port, sysfs)
    assert why is not None
    return to_words(why)


def test_a_device_that_is_plugged_in_is_not_absent(plug: Plug, tmp_path: Path) -> None:
    assert "it is not plugged in" in absence("usb://0ab1:0002", tmp_path)
    plug("1-1.2")
    assert port_absence("usb://0ab1:0002", tmp_path) is None


def test_the_serial_port_of_a_device_may_be_absent(plug: Plug, tmp_path: Path) -> None:
    plug("1-1.2")
    assert "has no serial port yet" in absence("usbserial://0ab1:0002", tmp_path)


def test_a_path_that_cannot_be_looked_at_is_absent(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    found = absence(str(tmp_path / "loop"), tmp_path)
    assert found.startswith(f"{tmp_path}/loop: it cannot be looked at: Too many levels")
    assert "(ELOOP)" in found


def test_the_sysfs_of_this_machine_is_read() -> None:
    assert Path("/sys") == usb_sysfs.SYSFS
    assert all(device.address.address > 0 for device in attached_devices())
