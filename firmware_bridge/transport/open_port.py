"""The port that a URL names.

Responsible for: choosing the port class by the kind of URL.
Not responsible for: opening the device (the port itself, called by the pump).
Source: package README, "Ports".
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a port of their kind is asked for.

from typing import assert_never

from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import LineSettings, Port
from firmware_bridge.transport.port_url import DevicePath, NetworkUrl, UsbUrl, parse_port_url


def open_port(url: str, line: LineSettings, allowed: AllowList | None = None) -> Port:
    """The port a URL names, still closed; its open() opens it, as the pump does each time.

    `allowed` None: no list is kept, any device but a keyboard may be opened. Raises ValueError
    for a URL that is none.
    """
    parsed = parse_port_url(url)
    match parsed:
        case DevicePath() | NetworkUrl():
            from firmware_bridge.transport.serial_port import SerialPort

            return SerialPort(url, line.baud, line.parity, allowed)
        case UsbUrl(scheme="usbserial"):
            from firmware_bridge.transport.serial_port import SerialPort
            from firmware_bridge.transport.usb_serial import serial_path_of

            return SerialPort(url, line.baud, line.parity, allowed, lambda: serial_path_of(parsed))
        case UsbUrl():
            from firmware_bridge.transport.usb_port import UsbPort

            return UsbPort(url, allowed)
        case _:
            assert_never(parsed)
