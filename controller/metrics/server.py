"""Serves /metrics, /healthz and /readyz of this process over HTTP.

Source: controller/metrics/README.md, "Metrics"; Prometheus documentation, "Exposition formats".
"""

import threading
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from controller.accounts.passwords import Passwords, read_passwords
from controller.metrics.collector import TableMetrics
from controller.metrics.exposition import format_for
from controller.system.atomic_file import SmallFileError
from controller.system.http import HttpServer, Page, Request
from controller.system.tls import ServerTlsFiles, TlsUnavailable, server_context
from controller.table.table import Table
from controller.views.snapshot import Health

PROBE_S: Final = 2.0


class MetricsUnavailable(Exception):
    """The metrics cannot be served; the message names the configuration key to change."""


class PageAccess(Struct, frozen=True):
    """Who may ask: anybody, or over TLS whose certificate or password is right."""

    tls: ServerTlsFiles | None = None
    passwords: Path | None = None


OPEN: Final = PageAccess()


class MetricsServer:
    """Serves tables of this process: /metrics of one table, or /metrics/NAME of each.

    `by_name`: there may be several. Then /healthz/NAME and /readyz/NAME are of one table, and
    /healthz and /readyz of all.
    """

    def __init__(
        self, address: str, port: int, access: PageAccess = OPEN, *, by_name: bool = False
    ) -> None:
        self._where = f"{address} port {port}"
        self._by_name = by_name
        # Replaced as a whole: requests are answered meanwhile.
        self._tables: Mapping[str, tuple[Table, TableMetrics]] = {}
        self._address, self._port, self._access = address, port, access
        self._passwords: Passwords | None = None
        self._server: HttpServer | None = None

    def start(self) -> None:
        """Listen and serve. Raises MetricsUnavailable."""
        access = self._access
        try:
            tls = None if access.tls is None else server_context(access.tls)
            if access.passwords is not None:
                self._passwords = Passwords(read_passwords(access.passwords))
        except (TlsUnavailable, SmallFileError) as error:
            raise MetricsUnavailable(f"metrics: {error}") from error
        server = HttpServer(self._address, self._port, self._page_at, tls)
        try:
            server.start()
        except OSError as error:
            raise MetricsUnavailable(
                f"metrics.port: {self._where} cannot be served: {error.strerror or error}. Remedy:"
                " set [metrics] port to a free one (0: any) or [metrics] enabled = false"
            ) from error
        self._server = server

    def stop(self) -> None:
        """Stop serving; returns once nothing listens any more."""
        if self._server is not None:
            self._server.stop()

    def add(self, table: Table, metrics: TableMetrics) -> None:
        """Serve this table, too."""
        self._tables = {**self._tables, table.name: (table, metrics)}

    def remove(self, name: str) -> None:
        """Serve the table of this name no more."""
        self._tables = {one: found for one, found in self._tables.items() if one != name}

    @property
    def serves_none(self) -> bool:
        return not self._tables

    def url_of(self, name: str) -> str:
        """The URL of a table's metrics; with port 0 it is known only after start()."""
        assert self._server is not None, "it was not started"
        return f"{self._server.url}/metrics{self._suffix(name)}"

    def _suffix(self, name: str) -> str:
        return f"/{quote(name, safe='')}" if self._by_name else ""

    def _page_at(self, request: Request) -> Page:
        if self._passwords is not None and not self._passwords.admits(request.authorization):
            asks = ("WWW-Authenticate", 'Basic realm="smartshoe", charset="UTF-8"')
            return Page(HTTPStatus.UNAUTHORIZED, b"name and password, please\n", headers=(asks,))
        path, tables = request.path, self._tables
        for name, (table, metrics) in tables.items():
            suffix = self._suffix(name)
            if path == f"/metrics{suffix}":
                form = format_for(request.accept)
                return Page(HTTPStatus.OK, metrics.text(table, form), form.value)
            if suffix and path == f"/healthz{suffix}":
                return self._health_page([_alive(table)])
            if suffix and path == f"/readyz{suffix}":
                return self._health_page([_ready(table)])
        if path == "/healthz":
            return self._health_page([_alive(table) for table, _ in tables.values()])
        if path == "/readyz":
            return self._health_page([_ready(table) for table, _ in tables.values()])
        own = (f"/metrics{self._suffix(name)}" for name in tables)
        pages = "\n".join((*own, "/healthz", "/readyz"))
        return Page(HTTPStatus.NOT_FOUND, f"not found; the pages are\n{pages}\n".encode())

    @staticmethod
    def _health_page(checks: list[tuple[bool, str]]) -> Page:
        healthy = all(passed for passed, _ in checks)
        status = HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE
        return Page(status, "".join(f"{words}\n" for _, words in checks).encode())


def _alive(table: Table) -> tuple[bool, str]:
    """Whether the table's loop takes inputs, and its state in words."""
    match table.health:
        case Health.STARTING:
            return True, f"table {table.name}: starting"
        case Health.RUNNING:
            if table.responds(PROBE_S):
                return True, f"table {table.name}: running"
            return False, f"table {table.name}: its loop does not respond"
        case ended:
            return False, f"table {table.name}: {ended.value} {table.failure}".rstrip()


def _ready(table: Table) -> tuple[bool, str]:
    """Whether the table runs and stores evidence; its shoe may be unplugged."""
    published = table.published
    if table.health is not Health.RUNNING or published is None:
        return False, f"table {table.name}: {table.health.value} {table.failure}".rstrip()
    return True, f"table {table.name}: running; shoe device {published[1].shoe_driver.stage.value}"


class MetricsServers:
    """The servers of this process: tables that name the same address and port share one.

    `by_name`: as for MetricsServer. May be called from any thread.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._lock = threading.Lock()
        self._servers: dict[tuple[str, int, str, PageAccess], MetricsServer] = {}

    def serve(
        self,
        address: str,
        port: int,
        table: Table,
        metrics: TableMetrics,
        access: PageAccess = OPEN,
    ) -> str:
        """Serve a table there; the URL of its metrics. Raises MetricsUnavailable."""
        # Port 0 is any free one: each such table has its own.
        place = (address, port, "" if port else table.name, access)
        with self._lock:
            server = self._servers.get(place)
            if server is None:
                server = MetricsServer(address, port, access, by_name=self._by_name)
                server.start()
                self._servers[place] = server
            server.add(table, metrics)
            return server.url_of(table.name)

    def withdraw(self, name: str) -> None:
        """Serve the table of this name no more; a server without tables stops."""
        with self._lock:
            for place, server in list(self._servers.items()):
                server.remove(name)
                if server.serves_none:
                    server.stop()
                    del self._servers[place]
