"""Serial ports and TCP serial servers through pyserial; the only importer of `serial`.

pyserial 3.5 flushes the input when it opens a port. A card that left the shoe just before would
be lost without a trace, so each class below switches that off and nothing else. Its exceptions
are OSErrors; only a terminal's own errors, at open, are not.
Source: firmware_bridge/transport/README.md, "Ports".
"""

import contextlib
import errno
import queue
import socket
import termios
import threading
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import serial
import serial.rfc2217
import serial.tools.list_ports
import serial.urlhandler.protocol_socket as serial_socket
from msgspec import Struct

from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import (
    READ_TIMEOUT_S,
    Parity,
    PortEnd,
    PortGone,
    PortUnavailable,
    SilentServers,
)
from firmware_bridge.transport.system_error import os_error_number, system_error
from firmware_bridge.transport.usb_sysfs import device_behind, refuse_unless_allowed
from foundation.message import Message, message

# A frame takes 30 ms at 4800 baud: a longer write has failed.
_WRITE_TIMEOUT_S = 2.0
# A cable pulled at a serial server gives no event: probe after 10 s of silence, fail 15 s later.
_KEEPALIVE_IDLE_S = 10
_KEEPALIVE_INTERVAL_S = 5
_KEEPALIVE_PROBES = 3
# Of the states of a connection: the other end has closed it, and everything before was read.
_TCP_CLOSE_WAIT = 8
_PSEUDO_TERMINALS = Path("/dev/pts")
# A page: some 450 reports of a card, which is a tenth of a second of work for the table.
_READ_BYTES_MAX = 4096
_TEXT_MAX = 64


class _Line(Protocol):
    """The methods of the library's port objects that this module uses."""

    def open(self) -> None: ...
    def close(self) -> None: ...
    def read(self, size: int = 1, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def waiting(self) -> bytes: ...
    def wake(self) -> None: ...
    def ended_by(self, error: OSError) -> PortEnd: ...


class _LocalLine(serial.Serial):
    """A local port that does not discard waiting bytes at open."""

    def open(self) -> None:
        super().open()
        # Not every adapter supports this; on others nothing is lost.
        with contextlib.suppress(OSError, ValueError, NotImplementedError):
            self.set_low_latency_mode(True)

    def _reset_input_buffer(self) -> None:
        """Called by the library's open(): keep waiting bytes."""

    def waiting(self) -> bytes:
        return self.read(min(self.in_waiting, _READ_BYTES_MAX))

    def wake(self) -> None:
        self.cancel_read()
        self.cancel_write()

    def ended_by(self, _error: OSError) -> PortEnd:
        return PortEnd.READ_ERROR


class _SocketLine(serial_socket.Serial):
    """A raw TCP connection to a serial server that does not discard waiting bytes at open."""

    _socket: socket.socket | None

    def open(self) -> None:
        super().open()
        assert self._socket is not None
        _keep_alive(self._socket)

    def close(self) -> None:
        connection = self._socket
        super().close()
        # The library leaves the descriptor open if the other end closed the connection before.
        if connection is not None:
            connection.close()

    def reset_input_buffer(self) -> None:
        """Called by the library's open(): keep waiting bytes."""

    def waiting(self) -> bytes:
        assert self._socket is not None
        with contextlib.suppress(BlockingIOError):
            return self._socket.recv(_READ_BYTES_MAX)
        return b""

    def wake(self) -> None:
        if self._socket is not None:
            self._socket.shutdown(socket.SHUT_RDWR)

    def ended_by(self, error: OSError) -> PortEnd:
        return _connection_ended_by(self._socket, error)


class _Rfc2217Line(serial.rfc2217.Serial):
    """A serial server that speaks RFC 2217; waiting bytes are not discarded at open."""

    _socket: socket.socket | None
    _read_buffer: "queue.Queue[bytes | None]"
    _ignore_set_control_answer: bool
    _thread: threading.Thread | None
    without_control = False  # of a server that is known, or was found, not to answer for it

    def rfc2217_set_control(self, value: bytes) -> None:
        """Request a control line; a server that does not answer is not waited for again."""
        if self.without_control:
            self._ignore_set_control_answer = True
        try:
            super().rfc2217_set_control(value)
        except serial.SerialException:  # no answer in time; a refusal is a ValueError
            if self._thread is None or not self._thread.is_alive():
                raise
            self.without_control = True

    def open(self) -> None:
        super().open()
        assert self._socket is not None
        _keep_alive(self._socket)

    def close(self) -> None:
        connection = self._socket
        super().close()
        # The library leaves the descriptor open if the other end closed the connection before.
        if connection is not None:
            connection.close()

    def reset_input_buffer(self) -> None:
        """Called by the library's open(): keep waiting bytes."""

    def read(self, size: int = 1, /) -> bytes:
        """As the library's, which drops what it has received once the connection has ended."""
        try:
            return bytes(super().read(size))
        except OSError:
            if kept := self.waiting():
                return kept
            raise

    def waiting(self) -> bytes:
        kept = bytearray()
        with contextlib.suppress(queue.Empty):
            while len(kept) < _READ_BYTES_MAX:
                one = self._read_buffer.get_nowait()
                if one is None:  # no more will come, which the next read is to see at once
                    self._read_buffer.put(None)
                    break
                kept += one
        return bytes(kept)

    def wake(self) -> None:
        if self._socket is not None:
            self._socket.shutdown(socket.SHUT_RDWR)

    def ended_by(self, error: OSError) -> PortEnd:
        return _connection_ended_by(self._socket, error)


def _connection_ended_by(connection: socket.socket | None, error: OSError) -> PortEnd:
    """What ended a connection: as the kernel says, since errors are reported once, to anybody."""
    if connection is not None:
        with contextlib.suppress(OSError):
            state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
            if state[0] == _TCP_CLOSE_WAIT:
                return PortEnd.END_OF_STREAM
    match os_error_number(error):
        case errno.ECONNRESET:
            return PortEnd.RESET
        case errno.ETIMEDOUT | errno.EHOSTUNREACH:
            return PortEnd.TIMED_OUT
        case _:
            return PortEnd.OTHER


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_IDLE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEPALIVE_INTERVAL_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEPALIVE_PROBES)


class SerialPort:
    """Implements firmware_bridge.transport.port.Port; 8 data bits, 1 stop bit.

    `url` is a device path or a pyserial URL with scheme socket or rfc2217; `baud` in bits a
    second and `parity` (a raw socket has none: the serial server's own settings count). `allowed`:
    the USB devices whose ports may be opened; None: any except keyboards. `locate` returns the
    device path at each opening if `url` only names the device; it may raise PortUnavailable.
    `silent`: what is known of RFC 2217 servers from openings before.
    """

    def __init__(
        self,
        url: str,
        baud: int,
        parity: Parity = Parity.NONE,
        allowed: AllowList | None = None,
        locate: Callable[[], str] | None = None,
        silent: SilentServers | None = None,
    ) -> None:
        self._url = url
        self._baud = baud
        self._parity = parity
        self._allowed = allowed
        self._locate = locate
        self._silent = silent
        self._without_control = silent is not None and silent.knows(url)
        self._line: _Line | None = None
        self._closing = threading.Event()
        # One for reading, one for writing: close() wakes both threads and acquires both locks, so
        # that no descriptor is closed under a call that uses it.
        self._reading = threading.Lock()
        self._writing = threading.Lock()

    def open(self) -> None:
        """Open exclusively without discarding waiting bytes. Raises PortUnavailable."""
        assert self._line is None
        self._closing.clear()
        where = self._url if self._locate is None else self._locate()
        device = device_behind(where)
        if device is not None:
            refuse_unless_allowed(device, self._allowed)
        try:
            line = _open_line(where, self._baud, self._parity, self._without_control)
        except (OSError, termios.error, ValueError) as error:
            raise PortUnavailable(_why_unavailable(self._url, error)) from error
        self._line = line
        if isinstance(line, _Rfc2217Line) and line.without_control > self._without_control:
            self._without_control = True
            if self._silent is not None:
                self._silent.add(self._url)

    def read(self) -> bytes:
        """Block for bytes; return all that wait, or b"" after a timeout. Raises PortGone."""
        with self._reading:
            line = self._usable()
            try:
                data = line.read(1)
            except OSError as error:
                raise PortGone(
                    message("port_failed", port=self._url, why=_reason(error)),
                    PortEnd.OTHER if self._closing.is_set() else line.ended_by(error),
                ) from error
            if self._closing.is_set():
                raise PortGone(message("port_was_closed", port=self._url))
            # A port that fails here fails again at the next read: keep the byte received.
            if data:
                with contextlib.suppress(OSError):
                    data += line.waiting()
            return data

    def write(self, data: bytes) -> None:
        """Write all of it. Raises PortGone."""
        with self._writing:
            line = self._usable()
            try:
                written = line.write(data)
            except OSError as error:
                raise PortGone(
                    message("port_failed", port=self._url, why=_reason(error))
                ) from error
            if written != len(data):
                raise PortGone(message("port_closed_while_written_to", port=self._url))

    def close(self) -> None:
        """Close and wake a blocked read. Never raises; may be called twice."""
        self._closing.set()
        line = self._line
        if line is not None:
            with contextlib.suppress(OSError):
                line.wake()
        with self._reading, self._writing:
            line, self._line = self._line, None
            if line is not None:
                with contextlib.suppress(OSError):
                    line.close()

    def signal_lines(self) -> tuple[tuple[str, bool], ...] | None:
        """The signals that the device drives, by name; None where the open port has none."""
        line = self._line
        if not isinstance(line, _LocalLine | _Rfc2217Line):
            return None
        try:
            return ("CTS", line.cts), ("DSR", line.dsr), ("DCD", line.cd), ("RI", line.ri)
        except OSError:  # a pseudo-terminal, or a port that was just lost
            return None

    def _usable(self) -> _Line:
        line = self._line
        if line is None or self._closing.is_set():
            raise PortGone(message("port_is_closed", port=self._url))
        return line


def _open_line(url: str, baud: int, parity: Parity, without_control: bool) -> _Line:
    """Open the library's object for a URL."""
    line = _line_for(url, baud, parity)
    if isinstance(line, _Rfc2217Line):
        line.without_control = without_control
    try:
        line.open()
    except termios.error as error:
        # The kernel accepts a parity for a pseudo-terminal once, and refuses it the next time.
        pseudo = Path(url).resolve().is_relative_to(_PSEUDO_TERMINALS)
        if error.args[0] != errno.EINVAL or parity is Parity.NONE or not pseudo:
            raise
        line = _line_for(url, baud, Parity.NONE)
        line.open()
    return line


def _line_for(url: str, baud: int, parity: Parity) -> _Line:
    """Create the library's object for a URL, closed. Raises ValueError for an unknown scheme."""
    scheme = urllib.parse.urlsplit(url).scheme if "://" in url else ""
    line: _LocalLine | _SocketLine | _Rfc2217Line
    match scheme:
        case "":
            line = _LocalLine(
                baudrate=baud,
                parity=parity,
                timeout=READ_TIMEOUT_S,
                write_timeout=_WRITE_TIMEOUT_S,
                exclusive=True,
            )
        case "socket":
            line = _SocketLine(
                baudrate=baud, timeout=READ_TIMEOUT_S, write_timeout=_WRITE_TIMEOUT_S
            )
        case "rfc2217":
            # The library has no write timeout here.
            line = _Rfc2217Line(baudrate=baud, parity=parity, timeout=READ_TIMEOUT_S)
        case _:
            raise ValueError(
                f"{scheme}:// is not known. Allowed: a device path, socket://, rfc2217://."
                " Remedy: use one of them"
            )
    line.port = url
    return line


# By a word of each of pyserial's sentences without a number of the system: what is told instead.
_REASONS: Final = (
    ("readiness", message("port_unplugged_or_shared")),
    ("disconnected", message("serial_server_closed_connection")),
    ("died)", message("serial_server_closed_connection")),
    ("(select)", message("port_takes_no_bytes")),
    ("Write", message("port_takes_no_bytes")),
    ("(poll)", message("port_unplugged_or_shared")),
    ("timed", message("serial_server_not_reached_in_time")),
    ("timeout", message("serial_server_not_reached_in_time")),
    ("support", message("serial_server_without_rfc_2217")),
    ("accept", message("serial_server_refuses_line")),
    ("rejected", message("serial_server_refuses_line")),
    ("expected", message("serial_server_url_invalid")),
)


def _reason(error: Exception) -> Message:
    """Why a call of the library failed: the system's words, else ours for the library's."""
    said = () if os_error_number(error) else str(error).split()
    return next((why for word, why in _REASONS if word in said), None) or system_error(error)


def _why_unavailable(url: str, error: Exception) -> Message:
    """The cause and the remedy."""
    match getattr(error, "errno", None):
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return message("port_does_not_exist", port=url)
        case errno.EACCES | errno.EPERM:
            return message("serial_port_not_permitted", port=url)
        case errno.EAGAIN | errno.EBUSY:
            return message("port_held_by_other_program", port=url)
        case _:
            return message("port_cannot_be_opened", port=url, why=_reason(error))


class SerialPortInfo(Struct, frozen=True):
    """One serial port of this machine. Texts come from the device and are for display only.

    `stable_path` does not depend on the order of plugging in (by serial number if there is one,
    otherwise by place); it is `device` if the system offers none. `vendor_id` and `product_id` are
    -1 and texts empty if the port does not belong to a USB device; `usb_path` is the place of the
    device it belongs to.
    """

    device: str
    stable_path: str
    place_path: str
    description: str
    vendor_id: int
    product_id: int
    serial_number: str
    usb_path: str = ""


def list_serial_ports(links: Path = Path("/dev/serial")) -> tuple[SerialPortInfo, ...]:
    """List the serial ports of this machine, by device path."""
    by_id = _links_to(links / "by-id")
    by_path = _links_to(links / "by-path")
    found = sorted(serial.tools.list_ports.comports(), key=lambda info: info.device)
    return tuple(
        SerialPortInfo(
            device=info.device,
            stable_path=by_id.get(info.device, by_path.get(info.device, info.device)),
            place_path=by_path.get(info.device, ""),
            description=_printable(info.description),
            vendor_id=-1 if info.vid is None else info.vid,
            product_id=-1 if info.pid is None else info.pid,
            serial_number=_printable(info.serial_number),
            # BUS-PORT, or BUS-PORT:CONFIGURATION.INTERFACE if the device has more than one.
            usb_path=(info.location or "").partition(":")[0],
        )
        for info in found
    )


def _links_to(folder: Path) -> dict[str, str]:
    """Map each device path to a symbolic link in the folder."""
    if not folder.is_dir():
        return {}
    return {str(link.resolve()): str(link) for link in sorted(folder.iterdir())}


def _printable(text: str | None) -> str:
    """A text from a device, restricted to printable ASCII and bounded."""
    printable = "".join(char for char in text or "" if char.isascii() and char.isprintable())
    return printable[:_TEXT_MAX]
