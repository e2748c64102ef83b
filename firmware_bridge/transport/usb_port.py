"""USB devices as ports through pyusb; only this module and usb_devices import `usb`.

libusb does not allow a device to be closed during a transfer, so a read returns ten times a
second and close() waits for it. A transfer asks for one packet, so that the device's packet ends
it at once, however long the frame it is part of.
Source: firmware_bridge/transport/README.md, "Ports", "USB devices"; USB 2.0, section 5.8; HID 1.11,
section 7.2.
"""

import contextlib
import errno
import threading
from typing import Any, Final

import usb.backend.libusb1
import usb.core
import usb.util
from msgspec import Struct

from firmware_bridge.transport.allow_list import AllowList, refuse_keyboard
from firmware_bridge.transport.hid_descriptor import HidReports, read_report_descriptor
from firmware_bridge.transport.port import PortEnd, PortGone, PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl, parse_port_url
from firmware_bridge.transport.system_error import system_error
from firmware_bridge.transport.usb_devices import LIBUSB_ABSENT
from firmware_bridge.transport.usb_identity import HID_CLASS
from firmware_bridge.transport.usb_sysfs import AttachedDevice, find_device
from foundation.message import Message, message

_READ_MS: Final = 100
_WRITE_MS: Final = 2000
_CONTROL_MS: Final = 1000
_REPORT_DESCRIPTOR_BYTES_MAX: Final = 4096
_BULK, _INTERRUPT = 0x02, 0x03
_IN: Final = 0x80
_FROM_INTERFACE, _CLASS_TO_INTERFACE = 0x81, 0x21
_GET_DESCRIPTOR, _SET_REPORT = 0x06, 0x09
_REPORT_DESCRIPTOR: Final = 0x2200
_OUTPUT_REPORT, _FEATURE_REPORT = 0x0200, 0x0300
# The first transfer after it may end in EIO.
_UNPLUGGED: Final = (errno.ENODEV, errno.EIO)

# What the library raises for devices that are inconsistent or gone.
_ERRORS: Final = (usb.core.USBError, NotImplementedError, ValueError, IndexError)


class _Endpoint(Struct):
    """One endpoint. `stalled`: it stalled, and no transfer has succeeded since."""

    address: int
    packet_bytes: int
    stalled: bool = False


class _Opened(Struct):
    """An open device with one claimed interface. `hid`: its reports, None for bulk."""

    device: Any  # the library has no types
    interface: int
    into: _Endpoint  # towards this machine
    out: _Endpoint | None
    hid: HidReports | None


class UsbPort:
    """Implements firmware_bridge.transport.port.Port over one USB device.

    `url` is usb://VID:PID/SERIAL for plain bytes over the first bulk or interrupt endpoints of
    interface 0, or usbhid://... for a HID point-of-sale scanner, where a read is one input report
    and a write one feature (or output) report, its id first. `allowed` None: there is no list.
    Raises ValueError for an invalid URL.
    """

    def __init__(self, url: str, allowed: AllowList | None = None) -> None:
        parsed = parse_port_url(url)
        if not isinstance(parsed, UsbUrl) or parsed.scheme not in ("usb", "usbhid"):
            raise ValueError(
                f"{url} does not name a USB device. Remedy: write usb:// or usbhid://VID:PID/SERIAL"
            )
        # Ports are created on one thread and opened on many. The library's lazy loading is not
        # thread-safe: two simultaneous openings would load it twice, and the discarded instance
        # would be closed under the device opened with it.
        usb.backend.libusb1.get_backend()
        self._url = parsed
        self._allowed = allowed
        self._opened: _Opened | None = None
        self._closing = threading.Event()
        # One for reading, one for writing: close() waits for both, so that no device is closed
        # under a transfer.
        self._reading = threading.Lock()
        self._writing = threading.Lock()

    def open(self) -> None:
        """Open exclusively. Raises PortUnavailable, also if the device is not allowed."""
        assert self._opened is None
        self._closing.clear()
        found = find_device(self._url, self._allowed)
        device = _library_device(self._url, found)
        try:
            if self._url.scheme == "usbhid":
                self._opened = _open_scanner(self._url, found, device)
            else:
                self._opened = _open_bulk(self._url, device)
        except _ERRORS as error:
            raise PortUnavailable(_why_unavailable(self._url, error)) from error
        finally:
            if self._opened is None:
                _dispose(device)

    def read(self) -> bytes:
        """Block for one packet or report; b"" after a timeout. Raises PortGone."""
        with self._reading:
            opened = self._usable()
            into = opened.into
            try:
                data = bytes(opened.device.read(into.address, into.packet_bytes, _READ_MS))
            except usb.core.USBTimeoutError:
                data = b""
            except _ERRORS as error:
                self._recover(opened, into, error)
                data = b""
            else:
                into.stalled = False
            if self._closing.is_set():
                raise PortGone(message("port_was_closed", port=str(self._url)))
            return data

    def write(self, data: bytes) -> None:
        """Write all of it. Raises PortGone."""
        with self._writing:
            opened = self._usable()
            try:
                written = self._transfer_out(opened, data)
            except usb.core.USBTimeoutError as error:
                raise PortGone(
                    message("usb_accepts_no_data", port=str(self._url), seconds=_WRITE_MS // 1000)
                ) from error
            except _ERRORS as error:
                raise self._failed(error) from error
            if written != len(data):
                raise PortGone(
                    message(
                        "usb_accepted_part",
                        port=str(self._url),
                        written=written,
                        length=len(data),
                    )
                )

    def close(self) -> None:
        """Close, after the current read has returned. Never raises; may be called twice."""
        self._closing.set()
        with self._reading, self._writing:
            opened, self._opened = self._opened, None
            if opened is not None:
                _dispose(opened.device)

    def _usable(self) -> _Opened:
        opened = self._opened
        if opened is None or self._closing.is_set():
            raise PortGone(message("port_is_closed", port=str(self._url)))
        return opened

    def _failed(self, error: Exception, endpoint: _Endpoint | None = None) -> PortGone:
        why = message("port_failed", port=str(self._url), why=_reason(error))
        # A stall or an overflow, unlike unplugging, may have cost bytes before it.
        unplugged = getattr(error, "errno", None) in _UNPLUGGED
        reading = endpoint is not None and endpoint.address & _IN
        return PortGone(why, PortEnd.READ_ERROR if unplugged and reading else PortEnd.OTHER)

    def _recover(self, opened: _Opened, endpoint: _Endpoint, error: Exception) -> None:
        """Clear a stall once; a second one in a row, or any other error, is a lost port.

        Raises PortGone.
        """
        if getattr(error, "errno", None) != errno.EPIPE or endpoint.stalled:
            raise self._failed(error, endpoint) from error
        endpoint.stalled = True
        try:
            opened.device.clear_halt(endpoint.address)
        except usb.core.USBError as again:
            raise self._failed(again, endpoint) from again

    def _transfer_out(self, opened: _Opened, data: bytes) -> int:
        if opened.hid is not None:
            return _set_report(opened, opened.hid, data)
        out = opened.out
        assert out is not None, "a bulk device has both endpoints"
        try:
            return int(opened.device.write(out.address, data, _WRITE_MS))
        except usb.core.USBTimeoutError:
            raise
        except usb.core.USBError as error:
            # A stalled transfer was not accepted, so the same bytes may be sent again.
            self._recover(opened, out, error)
        written = int(opened.device.write(out.address, data, _WRITE_MS))
        out.stalled = False
        return written


def _set_report(opened: _Opened, reports: HidReports, data: bytes) -> int:
    """Send a report as the type that the device declares for its id."""
    report_id = data[0] if data else 0
    only_output = report_id in reports.output_ids and report_id not in reports.feature_ids
    kind = _OUTPUT_REPORT if only_output else _FEATURE_REPORT
    return int(
        opened.device.ctrl_transfer(
            _CLASS_TO_INTERFACE, _SET_REPORT, kind | report_id, opened.interface, data, _WRITE_MS
        )
    )


def _library_device(url: UsbUrl, found: AttachedDevice) -> Any:
    """The library's object for a device in /sys. Raises PortUnavailable."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        raise PortUnavailable(LIBUSB_ABSENT)
    try:
        device = usb.core.find(
            backend=backend,
            bus=found.address.bus,
            address=found.address.address,
            idVendor=url.vendor_id,
            idProduct=url.product_id,
        )
    except usb.core.USBError as error:
        raise PortUnavailable(_why_unavailable(url, error)) from error
    if device is None:
        # For some milliseconds after plugging and unplugging, kernel and library disagree.
        raise PortUnavailable(message("usb_being_plugged_in_or_out", port=str(url)))
    return device


def _open_bulk(url: UsbUrl, device: Any) -> _Opened:
    interface = _configuration(device)[(0, 0)]
    into, out = _endpoints(interface)
    if into is None or out is None:
        raise PortUnavailable(message("usb_without_endpoints", port=str(url)))
    _claim(device, interface.bInterfaceNumber)
    return _Opened(device, interface.bInterfaceNumber, into, out, None)


def _open_scanner(url: UsbUrl, found: AttachedDevice, device: Any) -> _Opened:
    """Claim the interface whose report descriptor declares a bar code scanner.

    All are read first: behind a scanner there may be a keyboard.
    """
    scanner: _Opened | None = None
    for interface in _configuration(device):
        into, _out = _endpoints(interface)
        if interface.bInterfaceClass != HID_CLASS or into is None:
            continue
        number = int(interface.bInterfaceNumber)
        _claim(device, number)
        reports = _read_reports(device, number)
        if reports.is_keyboard:
            raise PortUnavailable(refuse_keyboard(found.identity).reason)
        if scanner is None and reports.is_bar_code_scanner:
            scanner = _Opened(device, number, into, None, reports)
        else:
            usb.util.release_interface(device, number)
    if scanner is None:
        raise PortUnavailable(message("usb_without_bar_code_scanner", port=str(url)))
    return scanner


def _read_reports(device: Any, interface: int) -> HidReports:
    """What the report descriptor of a claimed interface declares."""
    descriptor = device.ctrl_transfer(
        _FROM_INTERFACE,
        _GET_DESCRIPTOR,
        _REPORT_DESCRIPTOR,
        interface,
        _REPORT_DESCRIPTOR_BYTES_MAX,
        _CONTROL_MS,
    )
    return read_report_descriptor(bytes(descriptor))


def _configuration(device: Any) -> Any:
    """The active configuration; the first one is set if there is none."""
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
    device.set_configuration()
    return device.get_active_configuration()


def _endpoints(interface: Any) -> tuple[_Endpoint | None, _Endpoint | None]:
    """The first bulk or interrupt endpoint in and out of an interface."""
    into: _Endpoint | None = None
    out: _Endpoint | None = None
    for one in interface:
        if one.bmAttributes & 0x03 not in (_BULK, _INTERRUPT):
            continue
        # Bits 11 and 12 are the number of packets per microframe.
        found = _Endpoint(int(one.bEndpointAddress), max(int(one.wMaxPacketSize) & 0x07FF, 1))
        if found.address & _IN:
            into = into or found
        else:
            out = out or found
    return into, out


def _claim(device: Any, interface: int) -> None:
    with contextlib.suppress(NotImplementedError):
        if device.is_kernel_driver_active(interface):
            device.detach_kernel_driver(interface)
    usb.util.claim_interface(device, interface)


def _dispose(device: Any) -> None:
    with contextlib.suppress(usb.core.USBError):
        usb.util.dispose_resources(device)


def _why_unavailable(url: UsbUrl, error: Exception) -> Message:
    """The cause and the remedy."""
    match getattr(error, "errno", None):
        case errno.EACCES | errno.EPERM:
            return message("usb_not_permitted", port=str(url))
        case errno.EBUSY:
            return message("port_held_by_other_program", port=str(url))
        case errno.ENODEV | errno.ENOENT:
            return message("usb_being_plugged_in_or_out", port=str(url))
        case _:
            return message("port_cannot_be_opened", port=str(url), why=_reason(error))


def _reason(error: Exception) -> Message:
    """The cause of the failure: unplugged, stall, timeout, overflow or transfer error."""
    match getattr(error, "errno", None):
        case errno.ENODEV:
            return message("usb_unplugged")
        case errno.EPIPE:
            return message("usb_stall")
        case errno.ETIMEDOUT:
            return message("usb_timeout")
        case errno.EOVERFLOW:
            return message("usb_overflow")
        case errno.EIO:
            return message("usb_transfer_failed")
        case _:
            return system_error(error)
