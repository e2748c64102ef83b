"""Finds the serial port of a USB device from a usbserial:// URL.

Source: firmware_bridge/transport/README.md, "Ports".
"""

from pathlib import Path

from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.serial_port import list_serial_ports
from firmware_bridge.transport.usb_sysfs import SYSFS, find_device
from foundation.message import message


def find_serial_path(url: UsbUrl, sysfs: Path = SYSFS) -> str:
    """The device path of the port now. Raises PortUnavailable."""
    device = find_device(url, None, sysfs).identity
    ports = tuple(port for port in list_serial_ports() if port.usb_path == device.path)
    match ports:
        case ():
            raise PortUnavailable(
                message("usb_no_serial_port_yet", port=str(url), device=device.name)
            )
        case (port,):
            return port.device
        case _:
            raise PortUnavailable(
                message(
                    "usb_several_serial_ports",
                    port=str(url),
                    device=device.name,
                    number=len(ports),
                    names=tuple(port.stable_path for port in ports),
                )
            )
