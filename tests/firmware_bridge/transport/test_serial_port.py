"""Serial ports over a real pseudo-terminal and a real TCP connection."""

import errno
import os
import select
import socket
import termios
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
import serial
import serial.rfc2217
from in_words import raises_in_words

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.port import Parity, PortGone, PortUnavailable
from firmware_bridge.transport.serial_port import SerialPort, list_serial_ports
from foundation.message import Message

REPORT = bytes.fromhex("05 31 50 03 36 32")
MARK = b"!"


class Cable:
    """A pseudo-terminal: the device's end, and the path the program opens."""

    def __init__(self) -> None:
        self.device, self._program_end = os.openpty()
        self.path = os.ttyname(self._program_end)
        tty.setraw(self._program_end, termios.TCSANOW)

    def unplug(self) -> None:
        for descriptor in (self.device, self._program_end):
            if descriptor >= 0:
                os.close(descriptor)
        self.device = self._program_end = -1


@pytest.fixture
def cable() -> Iterator[Cable]:
    plugged = Cable()
    yield plugged
    plugged.unplug()


@pytest.fixture
def port(cable: Cable) -> Iterator[SerialPort]:
    opened = SerialPort(cable.path, 4800)
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def url_of(server: socket.socket) -> str:
    host, number = server.getsockname()
    return f"socket://{host}:{number}"


def read_exactly(port: SerialPort, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += port.read()
    return data


def read_to_mark(port: SerialPort) -> bytes:
    """All bytes before the mark, which a device sends after the open."""
    data = b""
    while not data.endswith(MARK):
        data += port.read()
    return data.removesuffix(MARK)


def reading_elsewhere(port: SerialPort) -> tuple[threading.Thread, Queue[str]]:
    """A read that blocks on another thread, and how it ends."""
    ends: Queue[str] = Queue()
    begun = threading.Event()

    def read() -> None:
        begun.set()
        try:
            while True:
                port.read()
        except PortGone as gone:
            ends.put(to_words(gone.why))

    thread = threading.Thread(target=read)
    thread.start()
    assert begun.wait()
    return thread, ends


# --- a local port ---------------------------------------------------------------------------------


def test_waiting_bytes_survive_an_open(cable: Cable) -> None:
    os.write(cable.device, REPORT)
    port = SerialPort(cable.path, 4800)
    port.open()
    os.write(cable.device, MARK)

    assert read_to_mark(port) == REPORT
    port.close()


def test_bytes_that_came_between_two_opens_survive(cable: Cable, port: SerialPort) -> None:
    port.close()
    os.write(cable.device, REPORT)
    port.open()
    os.write(cable.device, MARK)

    assert read_to_mark(port) == REPORT


def test_a_read_returns_all_waiting_bytes(cable: Cable, port: SerialPort) -> None:
    os.write(cable.device, REPORT * 3)

    assert port.read() == REPORT * 3


def test_all_byte_values_pass_both_ways(cable: Cable, port: SerialPort) -> None:
    every = bytes(range(256))
    os.write(cable.device, every)
    assert read_exactly(port, 256) == every
    port.write(every)

    assert os.read(cable.device, 1000) == every


@pytest.mark.parametrize(
    ("parity", "flags"),
    [
        (Parity.NONE, 0),
        (Parity.EVEN, termios.PARENB),
        (Parity.ODD, termios.PARENB | termios.PARODD),
    ],
)
def test_the_line_is_set_to_its_parity(
    cable: Cable, parity: Parity, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pseudo-terminal has no parity, so the system call is inspected.
    requested: list[list[int]] = []
    monkeypatch.setattr(termios, "tcsetattr", lambda _fd, _when, wanted: requested.append(wanted))
    port = SerialPort(cable.path, 38400, parity)
    port.open()
    control = requested[-1][2]

    assert control & (termios.PARENB | termios.PARODD) == flags
    assert control & termios.CSIZE == termios.CS8
    port.close()


def test_a_pseudo_terminal_that_refuses_parity_is_opened_each_time(cable: Cable) -> None:
    for _ in range(3):
        port = SerialPort(cable.path, 38400, Parity.EVEN)
        port.open()
        os.write(cable.device, REPORT)
        assert read_exactly(port, len(REPORT)) == REPORT
        port.close()


def test_the_path_is_looked_up_at_each_opening(cable: Cable) -> None:
    where = iter(["/dev/no-such-port", cable.path])
    port = SerialPort("usbserial://0403:6001", 4800, locate=lambda: next(where))
    with raises_in_words(PortUnavailable, "usbserial://0403:6001: it does not"):
        port.open()
    port.open()
    os.write(cable.device, REPORT)

    assert read_exactly(port, len(REPORT)) == REPORT
    port.close()


def test_a_second_open_is_refused(cable: Cable, port: SerialPort) -> None:
    with raises_in_words(PortUnavailable, "another program holds"):
        SerialPort(cable.path, 4800).open()


def test_a_line_without_signals_has_none_to_show(port: SerialPort, server: socket.socket) -> None:
    number = server.getsockname()[1]
    connected = SerialPort(f"socket://127.0.0.1:{number}", 4800)
    connected.open()

    assert port.signal_lines() is None
    assert connected.signal_lines() is None
    connected.close()
    assert connected.signal_lines() is None


def test_the_signals_of_a_line_are_shown_by_name(
    port: SerialPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, on in (("cts", True), ("dsr", False), ("cd", True), ("ri", False)):
        monkeypatch.setattr(serial.Serial, name, on)

    assert port.signal_lines() == (("CTS", True), ("DSR", False), ("DCD", True), ("RI", False))


def test_unplugging_ends_a_read(cable: Cable, port: SerialPort) -> None:
    thread, ends = reading_elsewhere(port)
    cable.unplug()

    assert cable.path in ends.get()
    thread.join()


def test_unplugging_ends_a_write(cable: Cable, port: SerialPort) -> None:
    cable.unplug()

    with pytest.raises(PortGone):
        port.write(REPORT)


def test_close_ends_a_read(port: SerialPort) -> None:
    thread, ends = reading_elsewhere(port)
    port.close()

    assert "closed" in ends.get()
    thread.join()


def test_close_twice_and_use_afterwards(port: SerialPort) -> None:
    port.close()
    port.close()

    with pytest.raises(PortGone):
        port.read()
    with pytest.raises(PortGone):
        port.write(REPORT)


def test_a_missing_port(tmp_path: Path) -> None:
    with raises_in_words(
        PortUnavailable, r"does not exist. Remedy: name a port that `smartshoe devices`"
    ):
        SerialPort(str(tmp_path / "ttyUSB7"), 4800).open()


def test_a_path_that_is_not_a_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with raises_in_words(PortUnavailable, "cannot be opened"):
        SerialPort(str(tmp_path / "file"), 4800).open()


def test_a_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    # The account that runs the tests may have all permissions, so the system call is replaced.
    def refuse(*_args: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("serial.serialposix.os.open", refuse)
    with raises_in_words(PortUnavailable, "group dialout"):
        SerialPort("/dev/ttyUSB0", 4800).open()


def test_a_scheme_that_is_not_known() -> None:
    with raises_in_words(PortUnavailable, "spy:// is not known"):
        SerialPort("spy:///dev/ttyUSB0", 4800).open()


# --- a serial server ------------------------------------------------------------------------------


def test_waiting_bytes_survive_a_connection(
    server: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = socket.create_connection
    accepted: list[socket.socket] = []

    def connect_to_a_shoe_that_speaks_first(*args: object, **kwargs: object) -> socket.socket:
        connection = connect(*args, **kwargs)  # type: ignore[arg-type]
        accepted.append(server.accept()[0])
        accepted[0].sendall(REPORT)
        select.select([connection], [], [])  # the bytes arrive before open() continues
        return connection

    monkeypatch.setattr("socket.create_connection", connect_to_a_shoe_that_speaks_first)
    port = SerialPort(url_of(server), 4800)
    port.open()
    accepted[0].sendall(MARK)

    assert read_to_mark(port) == REPORT
    port.close()
    accepted[0].close()


def test_a_connection_carries_all_bytes_both_ways(server: socket.socket) -> None:
    port = SerialPort(url_of(server), 4800)
    port.open()
    connection, _address = server.accept()
    with connection:
        every = bytes(range(256))
        connection.sendall(every)
        assert read_exactly(port, 256) == every
        port.write(every)
        assert connection.recv(1000) == every
    port.close()


def test_a_silent_connection_gives_nothing_after_a_while(server: socket.socket) -> None:
    port = SerialPort(url_of(server), 4800)
    port.open()

    assert port.read() == b""
    port.close()


def test_a_dropped_connection_ends_a_read(server: socket.socket) -> None:
    port = SerialPort(url_of(server), 4800)
    port.open()
    thread, ends = reading_elsewhere(port)
    connection, _address = server.accept()
    connection.close()

    assert "127.0.0.1" in ends.get()
    thread.join()
    port.close()


def test_close_ends_a_read_of_a_connection(server: socket.socket) -> None:
    port = SerialPort(url_of(server), 4800)
    port.open()
    thread, ends = reading_elsewhere(port)
    port.close()

    assert ends.get()
    thread.join()


def test_a_missing_server(server: socket.socket) -> None:
    url = url_of(server)
    server.close()

    with raises_in_words(PortUnavailable, "cannot be opened"):
        SerialPort(url, 4800).open()


@pytest.mark.parametrize("url", ["socket://nowhere", "socket://127.0.0.1:99999", "rfc2217://x"])
def test_an_invalid_url(url: str) -> None:
    with raises_in_words(PortUnavailable, "cannot be opened"):
        SerialPort(url, 4800).open()


# --- a serial server that speaks RFC 2217 ---------------------------------------------------------


class WithoutControl(serial.rfc2217.PortManager):
    """Leaves SET-CONTROL unanswered, as ser2net 4.3.11 does for a line without modem signals."""

    def rfc2217_send_subnegotiation(self, option: bytes, value: bytes = b"") -> None:
        if option != serial.rfc2217.SERVER_SET_CONTROL:
            super().rfc2217_send_subnegotiation(option, value)


class Rfc2217Server:
    """One client of a serial server, served by the library's own other end of RFC 2217."""

    def __init__(
        self,
        listening: socket.socket,
        answers: type[serial.rfc2217.PortManager] = serial.rfc2217.PortManager,
    ) -> None:
        self._listening = listening
        self._answers = answers
        self._loop = serial.serial_for_url("loop://", timeout=0)
        self.received: Queue[bytes] = Queue()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """What the other end answers on its own account."""
        self._connection.sendall(data)

    def says(self, data: bytes) -> None:
        self.write(b"".join(self._manager.escape(data)))

    def _serve(self) -> None:
        self._connection, _address = self._listening.accept()
        with self._connection:
            self._manager = self._answers(self._loop, self)
            # Waits at the server from before the client has settled its options.
            self.says(REPORT)
            while data := self._connection.recv(1000):
                if plain := b"".join(self._manager.filter(data)):
                    self.received.put(plain)

    def hang_up(self) -> None:
        self._connection.shutdown(socket.SHUT_RDWR)
        self.join()

    def join(self) -> None:
        self._thread.join()
        self._loop.close()


@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
def test_rfc_2217_keeps_waiting_bytes_and_carries_all_bytes_both_ways(
    server: socket.socket,
) -> None:
    device = Rfc2217Server(server)
    port = SerialPort(url_of(server).replace("socket:", "rfc2217:"), 4800)
    port.open()
    every = bytes(range(256))

    device.says(MARK)
    assert read_to_mark(port) == REPORT
    device.says(every)
    assert read_exactly(port, 256) == every
    port.write(every)
    assert device.received.get() == every

    port.close()
    device.join()


class SilentServersSeen:
    """Remembers as a table does, without its file."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def knows(self, url: str) -> bool:
        return url in self.urls

    def add(self, url: str) -> None:
        self.urls.append(url)


@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
@pytest.mark.parametrize("restarted", [False, True], ids=["reopened", "restarted"])
def test_a_server_that_leaves_control_lines_unanswered_is_waited_for_once(
    server: socket.socket, monkeypatch: pytest.MonkeyPatch, *, restarted: bool
) -> None:
    waited_for: list[str] = []
    wait = serial.rfc2217.TelnetSubnegotiation.wait

    def counting_wait(option: serial.rfc2217.TelnetSubnegotiation, timeout: float = 3) -> None:
        waited_for.append(option.name)
        wait(option, timeout)

    monkeypatch.setattr("serial.rfc2217.TelnetSubnegotiation.wait", counting_wait)
    url = url_of(server).replace("socket:", "rfc2217:") + "?timeout=0.1"
    known = SilentServersSeen()
    port = SerialPort(url, 4800, silent=known)
    for again in (False, True):
        if again and restarted:
            port = SerialPort(url, 4800, silent=known)
        device = Rfc2217Server(server, WithoutControl)
        port.open()
        device.says(MARK)
        assert read_to_mark(port) == REPORT
        port.close()
        device.join()

    assert known.urls == [url]
    assert waited_for.count("control") == 1


# --- what a person reads -------------------------------------------------------------------------

THEIRS = ("device reports", "thread died", "disconnected", "read failed", "Could not open", "Errno")


def in_no_librarys_words(why: Message) -> str:
    words = to_words(why)
    assert [one for one in THEIRS if one in words] == []
    return words


def lost(port: SerialPort) -> str:
    """Read until the port is lost; its reason."""
    while True:
        try:
            port.read()
        except PortGone as gone:
            return in_no_librarys_words(gone.why)


def test_a_pulled_line_is_told_in_our_words(cable: Cable, port: SerialPort) -> None:
    cable.unplug()

    assert lost(port) == f"{cable.path}: unplugged, or another program reads from it, too"


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
def test_a_server_that_closes_is_told_in_our_words(server: socket.socket, scheme: str) -> None:
    url = url_of(server).replace("socket:", f"{scheme}:")
    port = SerialPort(url, 4800)
    device = Rfc2217Server(server) if scheme == "rfc2217" else None
    port.open()
    if device is None:
        server.accept()[0].close()
    else:
        device.hang_up()

    assert lost(port).endswith("the serial server closed the connection")
    port.close()


def test_a_server_that_refuses_is_told_in_the_systems_words(server: socket.socket) -> None:
    url = url_of(server)
    server.close()
    with pytest.raises(PortUnavailable) as refused:
        SerialPort(url, 4800).open()

    assert "it cannot be opened: Connection refused (ECONNREFUSED)" in in_no_librarys_words(
        refused.value.why
    )


# --- the list of ports ----------------------------------------------------------------------------


def test_ports_are_listed_under_their_stable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Adapter:
        device = "/dev/ttyUSB0"
        description = "Adapter\x1b[31m \u2603"
        vid, pid = 0x0403, 0x6001
        serial_number = "A1"
        location = "1-1.2:1.0"

    class OnBoard:
        device = "/dev/ttyS0"
        description = None
        vid = pid = serial_number = location = None

    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [Adapter(), OnBoard()])
    for folder, name in (("by-id", "usb-Adapter_A1-if00"), ("by-path", "pci-0000-usb-0:1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).symlink_to("/dev/ttyUSB0")

    on_board, adapter = list_serial_ports(tmp_path)

    assert (on_board.device, on_board.stable_path, on_board.place_path) == (
        "/dev/ttyS0",
        "/dev/ttyS0",
        "",
    )
    assert on_board.vendor_id == -1
    assert adapter.stable_path == str(tmp_path / "by-id" / "usb-Adapter_A1-if00")
    assert adapter.place_path == str(tmp_path / "by-path" / "pci-0000-usb-0:1")
    assert (adapter.vendor_id, adapter.product_id, adapter.serial_number) == (0x0403, 0x6001, "A1")
    assert adapter.description == "Adapter[31m "
    assert (adapter.usb_path, on_board.usb_path) == ("1-1.2", "")


def test_without_links_the_real_list_does_not_fail(tmp_path: Path) -> None:
    assert all(info.stable_path == info.device for info in list_serial_ports(tmp_path))
