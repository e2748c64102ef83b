"""The web servers of this process: tables that name the same address and port share one.

The libraries of HTTP are loaded on the server's thread, so that a table does not start later for
them; connections wait meanwhile.
"""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from controller.outlets.console.page_turns import PageTurns
from controller.outlets.console.table_parts import ConsolePart, MetricsPart, Part, TableParts
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.system.atomic_file import SmallFileError
from controller.system.listener import Listener, port_of, tcp_listener
from controller.system.tls import ServerTlsFiles, TlsContext, TlsUnavailable, server_context
from controller.table.accounts.passwords import Passwords, read_passwords
from controller.table.table import Table
from foundation.context_thread import ContextThread

if TYPE_CHECKING:
    from controller.outlets.console.application import Application
    from controller.outlets.console.http_server import HttpServer

METRICS: Final = "metrics"
CONSOLE: Final = "console"


class WebUnavailable(Exception):
    """It cannot be served; the message names the configuration key to change."""


class WebPlace(Struct, frozen=True):
    """Where a server listens; `tls` None: without TLS. Port 0 is any free one."""

    address: str
    port: int
    tls: ServerTlsFiles | None = None


class WebServer:
    """The server at one place: parts of tables, on a thread of its own.

    `by_name`: there may be several tables, and each has its name in its paths. `turns` are those of
    its process; `ready`: its program is ready, and loads what writes metrics.
    """

    def __init__(
        self,
        place: WebPlace,
        turns: PageTurns | None = None,
        *,
        by_name: bool = False,
        ready: bool = True,
    ) -> None:
        self._place = place
        self._turns = turns or PageTurns()
        self._by_name = by_name
        self._ready = ready
        self._lock = threading.Lock()
        # Replaced as a whole: requests are answered meanwhile.
        self._tables: Mapping[str, TableParts] = {}
        self._application: Application | None = None
        self._server: HttpServer | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._url = ""

    def start(self, section: str = METRICS) -> None:
        """Listen and serve. Raises WebUnavailable, which names the key of this section."""
        place = self._place
        try:
            tls = None if place.tls is None else server_context(place.tls)
        except TlsUnavailable as error:
            raise WebUnavailable(f"{section}: {error}") from error
        try:
            listener = tcp_listener(place.address, place.port)
        except OSError as error:
            raise WebUnavailable(
                f"{section}.port: {place.address} port {place.port} cannot be served:"
                f" {error.strerror or error}. Remedy: set [{section}] port to a free one (0: any)"
                f" or [{section}] enabled = false"
            ) from error
        host = f"[{place.address}]" if ":" in place.address else place.address
        self._url = f"{'http' if tls is None else 'https'}://{host}:{port_of(listener)}"
        self._thread = ContextThread(
            target=self._run, args=(listener, tls), name=f"web {self._url}", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Close the listener and all connections at once; returns when nothing listens any more."""
        with self._lock:
            self._stopping = True
            server, application = self._server, self._application
        if application is not None:
            application.stop()
        if server is not None:
            server.stop()
        if self._thread is not None:
            self._thread.join()

    def program_is_ready(self) -> None:
        """Load what writes metrics, on the server's thread."""
        with self._lock:
            self._ready = True
            server, application = self._server, self._application
        if server is not None and application is not None:
            server.call(application.load_metrics)

    def add(self, name: str, part: Part) -> None:
        """Serve this part of the table of this name, too."""
        parts = self._tables.get(name, TableParts())
        if isinstance(part, MetricsPart):
            parts = replace(parts, metrics=part)
        else:
            parts = replace(parts, console=part)
        self._put({**self._tables, name: parts})

    def remove(self, name: str) -> None:
        """Serve the table of this name no more; its streams end."""
        self._put({one: found for one, found in self._tables.items() if one != name})

    @property
    def serves_none(self) -> bool:
        return not self._tables

    def url_of(self, name: str, section: str = METRICS) -> str:
        """The URL of a table's metrics or page; with port 0 it is known only after start()."""
        quoted = quote(name, safe="")
        if section == METRICS:
            return f"{self._url}/metrics/{quoted}" if self._by_name else f"{self._url}/metrics"
        return f"{self._url}/tables/{quoted}/" if self._by_name else f"{self._url}/"

    def _put(self, tables: Mapping[str, TableParts]) -> None:
        with self._lock:
            self._tables = tables
            application = self._application
        if application is not None:
            application.put(tables)

    def _run(self, listener: Listener, tls: TlsContext | None) -> None:
        # Loaded here: some 100 ms that no table waits for.
        from controller.outlets.console.application import Application  # noqa: PLC0415
        from controller.outlets.console.http_server import HttpServer  # noqa: PLC0415

        application = Application(self._turns, by_name=self._by_name, tls=tls is not None)
        server = HttpServer(listener, tls, application)
        with self._lock:
            if self._stopping:
                server.stop()
            application.put(self._tables)
            if self._ready:
                server.call(application.load_metrics)
            self._application, self._server = application, server
        server.run()


class WebServers:
    """The servers of this process. May be called from any thread.

    `by_name`: as for WebServer.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._ready = False
        self._turns = PageTurns()
        self._lock = threading.Lock()
        self._servers: dict[tuple[WebPlace, str], WebServer] = {}

    def serve_metrics(
        self, place: WebPlace, table: Table, metrics: TableMetrics, passwords: Path | None = None
    ) -> str:
        """Serve a table's metrics there, to who gives a password of this file; their URL.

        Raises WebUnavailable.
        """
        try:
            admitted = None if passwords is None else Passwords(read_passwords(passwords))
        except SmallFileError as error:
            raise WebUnavailable(f"metrics: {error}") from error
        return self._serve(place, table.name, METRICS, MetricsPart(table, metrics, admitted))

    def serve_console(self, place: WebPlace, part: ConsolePart) -> str:
        """Serve a table's page and API there; the URL of the page. Raises WebUnavailable."""
        return self._serve(place, part.requests.table.name, CONSOLE, part)

    def program_is_ready(self) -> None:
        """Load what writes metrics, on the servers' threads: until now it would delay a start."""
        with self._lock:
            self._ready = True
            for server in self._servers.values():
                server.program_is_ready()

    def withdraw(self, name: str) -> None:
        """Serve the table of this name no more; a server without tables stops."""
        with self._lock:
            for key, server in list(self._servers.items()):
                server.remove(name)
                if server.serves_none:
                    server.stop()
                    del self._servers[key]

    def _serve(self, place: WebPlace, name: str, section: str, part: Part) -> str:
        # Port 0 is any free one: each such table has its own.
        key = (place, "" if place.port else name)
        with self._lock:
            server = self._servers.get(key)
            if server is None:
                server = WebServer(place, self._turns, by_name=self._by_name, ready=self._ready)
                server.start(section)
                self._servers[key] = server
            server.add(name, part)
            return server.url_of(name, section)
