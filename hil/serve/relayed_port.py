"""Passes bytes between a served line and a real port, and records both directions."""

from collections.abc import Callable
from threading import Lock
from typing import TypeAlias

from controller.service.capture_file import CaptureFile, CaptureFileError
from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.reports import Copy
from hil.emulator.lines.transmission import DeliveryLog
from hil.serve.orders import emit, remark


class RelayedPort:
    """A ServedDevice that passes the host's bytes on to a port, and records both directions.

    `host_appeared` opens the port, so that nothing of the device is lost before there is a host.
    """

    def __init__(self, url: str, line: LineSettings, file: CaptureFile) -> None:
        """Raises ValueError for an invalid URL."""
        self.log = DeliveryLog(repeats=1)
        self.failure = ""
        self._url = url
        self._file = file
        self._server: RelayServer | None = None
        self._started = False
        self._opening = Lock()  # guards the two below
        self._opened = False
        self._waiting = b""
        self._pump = PortPump(url, open_port(url, line), self._take)

    @property
    def idle(self) -> bool:
        """Always: the port's bytes are sent as they come."""
        return True

    @property
    def next_due_ns(self) -> int | None:
        """Never."""
        return None

    def attach(self, server: "RelayServer") -> None:
        """Send what comes from the port to that server's host."""
        self._server = server

    def stop(self) -> None:
        """Close the port and end the record."""
        if self._started:
            self._pump.stop()
            self._pump.join()
        self._record(lambda: self._file.finish(now().utc_ns))

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Pass bytes of the host on; before the first opening they wait, after a loss they go."""
        self._record(lambda: self._file.add_written(self._url, now().utc_ns, data))
        with self._opening:
            if self._opened:
                self._pump.write(data)
            else:
                self._waiting += data
        return b""

    def overdue_answer(self, at_ns: int) -> bytes:
        """Never any."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """Never any."""
        return ()

    def host_appeared(self, at_ns: int) -> None:
        """Open the port, the first time."""
        if not self._started:
            self._started = True
            self._pump.start()

    def _take(self, event: PortEvent) -> None:
        """On the port's thread: record what it did, then pass its bytes on."""
        self._record(lambda: self._file.add(event))
        assert self._server is not None, "the server is attached before a host appears"
        match event:
            case PortOpened():
                emit("opened")
                with self._opening:
                    self._opened = True
                    if self._waiting:
                        self._pump.write(self._waiting)
                    self._waiting = b""
            case PortLost():
                emit("lost", why=to_words(event.reason))
            case Chunk():
                self._server.send(event.data)

    def _record(self, write: Callable[[], None]) -> None:
        """Write to the record, until it takes no more."""
        if self.failure:
            return
        try:
            write()
        except CaptureFileError as error:
            self.failure = str(error)
            remark(f"{error}. The relay goes on without recording.")


RelayServer: TypeAlias = LineServer[RelayedPort]
