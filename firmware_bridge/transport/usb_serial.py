"""Finds the serial port of a USB device from a usbserial:// URL.

Source: firmware_bridge/README.md, "Ports".
"""

from pathlib import Path

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.serial_port import SerialPortInfo, list_serial_ports
from firmware_bridge.transport.usb_sysfs import SYSFS, find_device


def find_serial_path(url: UsbUrl, sysfs: Path = SYSFS) -> str:
    """The device path of the port now. Raises PortUnavailable."""
    device = find_device(url, None, sysfs).identity
    ports = tuple(port for port in list_serial_ports() if port.usb_path == device.path)
    match ports:
        case ():
            raise PortUnavailable(
                f"{url}: {device.name} is plugged in but has no serial port yet. Remedy: if this"
                " persists, install the kernel's driver for it"
            )
        case (port,):
            return port.device
        case _:
            raise PortUnavailable(
                f"{url}: {device.name} has {len(ports)} serial ports. Remedy: name one of them:"
                f" {_stable_names(ports)}"
            )


def _stable_names(ports: tuple[SerialPortInfo, ...]) -> str:
    return ", ".join(port.stable_path for port in ports)
