"""Chooses the port class for a URL, and looks whether its port is there.

Source: firmware_bridge/transport/README.md, "Ports".
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a port of their kind is requested.

import stat
from pathlib import Path
from typing import assert_never

from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import LineSettings, Port, PortUnavailable, SilentServers
from firmware_bridge.transport.port_url import (
    DevicePath,
    GpioUrl,
    NetworkUrl,
    UsbUrl,
    parse_port_url,
)
from firmware_bridge.transport.system_error import system_error
from firmware_bridge.transport.usb_sysfs import SYSFS, find_device
from foundation.message import Message, message


def open_port(
    url: str,
    line: LineSettings,
    allowed: AllowList | None = None,
    silent: SilentServers | None = None,
) -> Port:
    """Create the port for a URL, still closed; the pump calls its open() each time.

    `allowed` None: there is no list, and any device except a keyboard may be opened. `silent`: the
    servers known to leave control lines unanswered. Raises ValueError for an invalid URL.
    """
    parsed = parse_port_url(url)
    match parsed:
        case DevicePath() | NetworkUrl():
            from firmware_bridge.transport.serial_port import SerialPort

            return SerialPort(url, line.baud, line.parity, allowed, silent=silent)
        case UsbUrl(scheme="usbserial"):
            from firmware_bridge.transport.serial_port import SerialPort
            from firmware_bridge.transport.usb_serial import find_serial_path

            return SerialPort(
                url, line.baud, line.parity, allowed, lambda: find_serial_path(parsed)
            )
        case UsbUrl():
            from firmware_bridge.transport.usb_port import UsbPort

            return UsbPort(url, allowed)
        case GpioUrl(lines):
            from firmware_bridge.transport.gpio_port import GpioPort

            return GpioPort(url, lines)
        case _:
            assert_never(parsed)


class ListeningPort:
    """Implements Port for a line that is only listened to: what is to be written is dropped.

    Not: the signals by which opening a serial line shows itself (DTR, RTS); a tap has no such wire.
    """

    def __init__(self, port: Port) -> None:
        self._port = port

    def open(self) -> None:
        """Open the port below. Raises PortUnavailable."""
        self._port.open()

    def read(self) -> bytes:
        """Read from the port below. Raises PortGone."""
        return self._port.read()

    def write(self, data: bytes) -> None:
        """Write nothing."""

    def close(self) -> None:
        """Close the port below."""
        self._port.close()


def port_absence(url: str, sysfs: Path = SYSFS) -> Message | None:
    """Why a port is not there now, with what to do; None if it is. Nothing is opened.

    A serial server is not asked: some serve one client only, and it may be the running table.
    Raises ValueError for an invalid URL.
    """
    parsed = parse_port_url(url)
    try:
        match parsed:
            case DevicePath(path):
                return _path_absence(path)
            case UsbUrl(scheme="usbserial"):
                from firmware_bridge.transport.usb_serial import find_serial_path

                find_serial_path(parsed, sysfs)
            case UsbUrl():
                find_device(parsed, None, sysfs)
            case NetworkUrl():
                pass
            case GpioUrl(lines):
                return _chip_absence(lines[0].chip)
            case _:
                assert_never(parsed)
    except PortUnavailable as unavailable:
        return unavailable.why
    return None


def _chip_absence(chip: Path) -> Message | None:
    absent = _path_absence(str(chip))
    return None if absent is None else message("chip_is_not_there", port=str(chip))


def _path_absence(path: str) -> Message | None:
    try:
        if stat.S_ISCHR(Path(path).stat().st_mode):
            return None
    except FileNotFoundError:
        return message("port_does_not_exist", port=path)
    except OSError as error:
        return message("port_cannot_be_looked_at", port=path, why=system_error(error))
    return message("port_is_no_serial_port", port=path)
