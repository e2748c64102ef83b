"""The list of USB devices through the system's libusb."""

import pytest
from in_words import raises_in_words

from firmware_bridge.transport.usb_devices import UsbUnavailable, list_usb_devices


def test_without_libusb_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)

    with raises_in_words(UsbUnavailable, r"libusb-1\.0-0"):
        list_usb_devices()


class Device:
    """A device as pyusb shows it."""

    idVendor, idProduct = 0x0AB1, 0x0004  # noqa: N815 - the library's names
    product = "Reader\x00 \u2603"

    def __init__(self, bus: int, address: int) -> None:
        self.bus, self.address = bus, address

    @property
    def serial_number(self) -> str:
        raise ValueError("The device has no langid (permission issue, no string descriptors)")


def test_devices_are_listed_by_place_with_printable_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usb.backend.libusb1.get_backend", object)
    monkeypatch.setattr("usb.core.find", lambda **_: iter([Device(2, 1), Device(1, 7)]))

    first, second = list_usb_devices()

    assert (first.bus, first.address, second.bus, second.address) == (1, 7, 2, 1)
    assert (first.vendor_id, first.product_id) == (0x0AB1, 0x0004)
    assert (first.product, first.serial_number) == ("Reader ", "")


@pytest.mark.needs("libusb-1.0-0")
def test_the_real_library_lists_devices() -> None:
    found = list_usb_devices()

    assert list(found) == sorted(found, key=lambda info: (info.bus, info.address))
