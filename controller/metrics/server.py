"""Serves /metrics, /healthz and /readyz of this process over HTTP.

Source: controller/metrics/README.md, "Metrics"; Prometheus documentation, "Exposition formats".
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from controller.metrics.collector import TableMetrics
from controller.system.http import HttpServer, Page
from controller.table.table import Table
from controller.views.snapshot import Health

PROBE_S: Final = 2.0


class MetricsUnavailable(Exception):
    """The metrics cannot be served; the message names the configuration key to change."""


class MetricsServer:
    """Serves the tables of this process: /metrics (of one) or /metrics/NAME (of several)."""

    def __init__(
        self, address: str, port: int, tables: Sequence[tuple[Table, TableMetrics]]
    ) -> None:
        self._where = f"{address} port {port}"
        self._tables = tuple(tables)
        paths: tuple[str, ...] = ("/metrics",)
        if len(self._tables) > 1:
            paths = tuple(f"/metrics/{quote(table.name, safe='')}" for table, _ in tables)
        self._paths = paths
        self._server = HttpServer(address, port, self._page_at)

    def start(self) -> None:
        """Listen and serve. Raises MetricsUnavailable."""
        try:
            self._server.start()
        except OSError as error:
            raise MetricsUnavailable(
                f"metrics.port: {self._where} cannot be served: {error.strerror or error}. Remedy:"
                " set [metrics] port to a free one (0: any) or [metrics] enabled = false"
            ) from error

    def stop(self) -> None:
        """Stop serving; returns once nothing listens any more."""
        self._server.stop()

    @property
    def url(self) -> str:
        """The URL of the first table's metrics."""
        return self._server.url + self._paths[0]

    def _page_at(self, path: str) -> Page:
        if path in self._paths:
            table, metrics = self._tables[self._paths.index(path)]
            return Page(HTTPStatus.OK, metrics.text(table), CONTENT_TYPE_PLAIN_0_0_4)
        if path == "/healthz":
            return self._health_page([_alive(table) for table, _ in self._tables])
        if path == "/readyz":
            return self._health_page([_ready(table) for table, _ in self._tables])
        pages = "\n".join((*self._paths, "/healthz", "/readyz"))
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
