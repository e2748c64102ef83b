"""Parses port URLs: device path, serial server, USB device and its serial port, GPIO lines.

Source: firmware_bridge/transport/README.md, "Ports".
"""

import contextlib
import re
import urllib.parse
from typing import Final, TypeAlias

from msgspec import Struct

from firmware_bridge.contacts.frames import LINES_MAX
from firmware_bridge.gpio.line import GpioLine, parse_gpio_line
from firmware_bridge.transport.allow_list import (
    PLACE,
    AllowedId,
    AllowedPlace,
    AllowEntry,
)
from firmware_bridge.transport.usb_identity import usb_id
from foundation.recorded_text import TEXT_MAX

NETWORK_SCHEMES: Final = ("socket", "rfc2217")
USB_SCHEMES: Final = ("usb", "usbhid", "usbserial")
GPIO_SCHEME: Final = "gpio"
_IDS: Final = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})")


class DevicePath(Struct, frozen=True):
    """A serial port of this machine, preferably under a stable name: /dev/serial/by-id/..."""

    path: str

    def __str__(self) -> str:
        return self.path


class NetworkUrl(Struct, frozen=True):
    """A serial server: raw TCP (socket) or RFC 2217."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class UsbUrl(Struct, frozen=True):
    """A USB device: usb (bulk), usbhid (HID POS) or usbserial (its serial port).

    `serial_number` and `path` (its place) may be empty; with both empty the device must be the
    only one with these ids.
    """

    scheme: str
    vendor_id: int
    product_id: int
    serial_number: str
    path: str

    @property
    def entry(self) -> AllowEntry:
        """The narrowest allow-list entry that covers the device this URL names."""
        if self.serial_number or not self.path:
            return AllowedId(self.vendor_id, self.product_id, self.serial_number)
        return AllowedPlace(self.path)

    def __str__(self) -> str:
        which = f"/@{self.path}" if self.path else ""
        which = f"/{urllib.parse.quote(self.serial_number)}" if self.serial_number else which
        return f"{self.scheme}://{usb_id(self.vendor_id, self.product_id)}{which}"


class GpioUrl(Struct, frozen=True):
    """Input lines of one GPIO chip, in the order of their contacts."""

    lines: tuple[GpioLine, ...]

    def __str__(self) -> str:
        numbers = ",".join(str(one.offset) for one in self.lines)
        return f"{GPIO_SCHEME}://{self.lines[0].chip.relative_to('/dev')}:{numbers}"


PortUrl: TypeAlias = DevicePath | NetworkUrl | UsbUrl | GpioUrl


def parse_port_url(url: str) -> PortUrl:
    """Parse a port URL. Raises ValueError with a sentence that states what is allowed."""
    if any(one.isspace() for one in url):
        raise ValueError(
            f"{url!r} has white space in it. Remedy: name a port that `smartshoe devices` lists"
        )
    scheme, _, rest = url.partition("://")
    if not rest:
        if not url.startswith("/"):
            raise ValueError(
                f"{url!r} is not an absolute path. Remedy: `smartshoe devices` lists ports under"
                " stable names such as /dev/serial/by-id/..."
            )
        return DevicePath(url)
    if scheme in NETWORK_SCHEMES:
        return _network_url(url, scheme)
    if scheme in USB_SCHEMES:
        return _usb_url(url, scheme, rest)
    if scheme == GPIO_SCHEME:
        return _gpio_url(url, rest)
    allowed = ", ".join(f"{known}://HOST:PORT" for known in NETWORK_SCHEMES)
    devices = " or ".join(f"{known}://VID:PID/SERIAL" for known in USB_SCHEMES)
    raise ValueError(
        f"{scheme}:// is not known. Allowed: a device path, {allowed}, {devices},"
        f" {GPIO_SCHEME}://CHIP:LINE,LINE. Remedy: use one of them"
    )


def _network_url(url: str, scheme: str) -> NetworkUrl:
    try:
        parts = urllib.parse.urlsplit(url)
        host, number = parts.hostname, parts.port
    except ValueError:
        host, number = None, None
    if not host or number is None:
        raise ValueError(
            f"{url!r} does not name a host and port. Remedy: write {scheme}://HOST:PORT"
        )
    return NetworkUrl(scheme, host, number)


def _usb_url(url: str, scheme: str, rest: str) -> UsbUrl:
    forms = f"{scheme}://VID:PID/SERIAL, {scheme}://VID:PID/@PLACE or {scheme}://VID:PID"
    ids, _, which = rest.partition("/")
    found = _IDS.fullmatch(ids)
    if found is None:
        raise ValueError(
            f"{url!r} does not name a USB device. Remedy: write {forms} (0ab1:0002, hexadecimal)"
        )
    vendor_id, product_id = (int(number, 16) for number in found.groups())
    if which.startswith("@"):
        if not PLACE.fullmatch(which[1:]):
            raise ValueError(
                f"{url!r}: {which[1:]!r} is not a place. Remedy: write @BUS-PORT such as @1-1.2"
            )
        return UsbUrl(scheme, vendor_id, product_id, "", which[1:])
    number = urllib.parse.unquote(which)
    if len(number) > TEXT_MAX or not number.isascii() or not number.isprintable():
        raise ValueError(
            f"{url!r}: this is not a serial number. Allowed: up to {TEXT_MAX} printable ASCII"
            f" characters. Remedy: write {forms}"
        )
    return UsbUrl(scheme, vendor_id, product_id, number, "")


def _gpio_url(url: str, rest: str) -> GpioUrl:
    chip, _, numbers = rest.partition(":")
    offsets = numbers.split(",")
    lines: tuple[GpioLine, ...] = ()
    with contextlib.suppress(ValueError):
        lines = tuple(parse_gpio_line(f"{chip}:{offset}") for offset in offsets)
    if not lines or len(lines) > LINES_MAX or len(set(lines)) < len(lines):
        raise ValueError(
            f"{url!r} does not name lines of a chip. Allowed: a chip by its name below /dev, and 1"
            f" to {LINES_MAX} of its lines, each once. Remedy: write"
            f" {GPIO_SCHEME}://gpiochip0:5,6,13,19; `gpioinfo` lists chips and lines"
        )
    return GpioUrl(lines)
