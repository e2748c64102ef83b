"""Port URLs: every form, errors, and the port class for each."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.gpio.line import GpioLine
from firmware_bridge.transport.allow_list import AllowedId, AllowedPlace
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings, Parity
from firmware_bridge.transport.port_url import (
    DevicePath,
    GpioUrl,
    NetworkUrl,
    PortUrl,
    UsbUrl,
    parse_port_url,
)
from firmware_bridge.transport.serial_port import SerialPort
from firmware_bridge.transport.usb_port import UsbPort


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("/dev/serial/by-id/usb-A-if00", DevicePath("/dev/serial/by-id/usb-A-if00")),
        ("socket://192.0.2.10:4001", NetworkUrl("socket", "192.0.2.10", 4001)),
        ("rfc2217://[2001:db8::1]:4001", NetworkUrl("rfc2217", "2001:db8::1", 4001)),
        ("usb://0ab1:0002/SN-1", UsbUrl("usb", 0x0AB1, 0x0002, "SN-1", "")),
        ("usb://0ab1:0002/@1-1.2", UsbUrl("usb", 0x0AB1, 0x0002, "", "1-1.2")),
        ("usb://0ab1:0002", UsbUrl("usb", 0x0AB1, 0x0002, "", "")),
        ("usbhid://0c2e:0b81/15232B1F0C", UsbUrl("usbhid", 0x0C2E, 0x0B81, "15232B1F0C", "")),
        ("usbserial://0403:6001/A%2FB%20C", UsbUrl("usbserial", 0x0403, 0x6001, "A/B C", "")),
        ("gpio://gpiochip0:5", GpioUrl((GpioLine(Path("/dev/gpiochip0"), 5),))),
        (
            "gpio://smartshoe/lines:3,0",
            GpioUrl(tuple(GpioLine(Path("/dev/smartshoe/lines"), one) for one in (3, 0))),
        ),
    ],
)
def test_a_url_is_read_and_written(text: str, url: PortUrl) -> None:
    assert parse_port_url(text) == url
    assert parse_port_url(str(url)) == url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ttyUSB0", "is not an absolute path. Remedy: `smartshoe devices` lists"),
        ("", "is not an absolute path"),
        ("/dev/dealing shoe", "has white space in it"),
        ("spy:///dev/ttyUSB0", "spy:// is not known. Allowed: a device path, socket://HOST:PORT"),
        ("socket://192.0.2.10", "does not name a host and port. Remedy: write socket://HOST:PORT"),
        ("rfc2217://x:99999", "does not name a host and port"),
        ("usb://0ab1", "does not name a USB device. Remedy: write usb://VID:PID/SERIAL"),
        ("usbhid://0xab1:2", "does not name a USB device. Remedy: write usbhid://VID:PID/SERIAL"),
        ("gpio://gpiochip0", "does not name lines of a chip. Allowed: a chip by its name"),
        ("gpio://gpiochip0:1,2,3,4,5", "1 to 4 of its lines, each once. Remedy: write gpio://"),
        ("gpio://gpiochip0:1,1", "does not name lines of a chip"),
        ("gpio://../x:1", "does not name lines of a chip"),
        ("usb://0ab1:0002/@hub", "'hub' is not a place. Remedy: write @BUS-PORT"),
        ("usb://0ab1:0002/%07", "printable ASCII"),
        ("usb://0ab1:0002/" + "x" * 65, "this is not a serial number. Allowed: up to 64"),
    ],
)
def test_an_invalid_url_is_refused_with_the_allowed_forms(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected.replace("(", r"\(")):
        parse_port_url(text)


@given(st.text(max_size=40) | st.text(max_size=30).map("usb://0ab1:0002/".__add__))
def test_any_text_is_refused_or_a_url_that_round_trips(text: str) -> None:
    try:
        url = parse_port_url(text)
    except ValueError:
        return
    assert parse_port_url(str(url)) == url


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("usb://0ab1:0002/SN-1", AllowedId(0x0AB1, 0x0002, "SN-1")),
        ("usbhid://0ab1:0002", AllowedId(0x0AB1, 0x0002)),
        ("usb://0ab1:0002/@1-1.2", AllowedPlace("1-1.2")),
    ],
)
def test_a_url_names_the_narrowest_entry_of_an_allow_list(
    text: str, entry: AllowedId | AllowedPlace
) -> None:
    url = parse_port_url(text)

    assert isinstance(url, UsbUrl)
    assert url.entry == entry


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("/dev/ttyUSB0", SerialPort),
        ("socket://192.0.2.10:4001", SerialPort),
        ("usbserial://0403:6001", SerialPort),
        ("usb://0ab1:0002", UsbPort),
        ("usbhid://0c2e:0b81", UsbPort),
    ],
)
def test_each_kind_of_url_has_its_port(url: str, kind: type[object]) -> None:
    assert isinstance(open_port(url, LineSettings(38400, Parity.EVEN)), kind)


def test_a_usb_port_takes_no_other_url() -> None:
    with pytest.raises(ValueError, match="does not name a USB device"):
        UsbPort("usbserial://0403:6001")
