"""The serial port of a USB device, found by the device's ids and serial number.

Responsible for: from a usbserial:// URL to the path of the port it names now.
Not responsible for: opening it (serial_port) and whether the device is allowed (serial_port asks).
Source: package README, "Ports".
"""

from pathlib import Path

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.serial_port import SerialPortInfo, list_serial_ports
from firmware_bridge.transport.usb_sysfs import SYSFS, the_device


def serial_path_of(url: UsbUrl, sysfs: Path = SYSFS) -> str:
    """The device path of the port. Raises PortUnavailable."""
    device = the_device(url, None, sysfs).identity
    ports = tuple(port for port in list_serial_ports() if port.usb_path == device.path)
    match ports:
        case ():
            raise PortUnavailable(
                f"{url}: {device.name} is plugged in but shows no serial port yet; if it stays so,"
                " the kernel has no driver for it"
            )
        case (port,):
            return port.device
        case _:
            raise PortUnavailable(
                f"{url}: {device.name} has {len(ports)} serial ports; name one of them:"
                f" {_names(ports)}"
            )


def _names(ports: tuple[SerialPortInfo, ...]) -> str:
    return ", ".join(port.stable_path for port in ports)
