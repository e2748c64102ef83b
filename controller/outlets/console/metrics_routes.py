"""The routes /metrics, /healthz and /readyz of one server, of one table or of each by name.

A page is written when the program is ready, and each in its turn; what writes pages is loaded on
the server's thread, so that no start waits for it.
Source: Prometheus documentation, "Exposition formats"; performance goals P12, P14.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from controller.outlets.console.page_turns import PageTurns
from controller.outlets.console.table_parts import MetricsPart, TableParts
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.record.snapshot import Health
from controller.table.table import Table
from firmware_bridge.transport.clock import now

if TYPE_CHECKING:
    from controller.outlets.metrics.page import TablePage

PROBE_S: Final = 2.0
_ASKS: Final = {"WWW-Authenticate": 'Basic realm="smartshoe", charset="UTF-8"'}
_METHODS: Final = ("GET",)
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Handler: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]
Check: TypeAlias = Callable[[Table], tuple[bool, str]]


class MetricsPages:
    """The pages of metrics of one server; all but `__init__` is for its thread."""

    # A table that runs is not held up by others of its program that do not.
    READY_S_MAX: ClassVar[float] = 2.0
    # Counts that are further behind, such as those of a start that reads a long journal, are shown
    # as they are: `stored_waiting` and `journal_lag_seconds` say so.
    COUNTED_S_MAX: ClassVar[float] = 1.0
    COUNTED_PAUSE_S: ClassVar[float] = 0.002

    def __init__(self, turns: PageTurns) -> None:
        self._turns = turns
        self._ready = asyncio.Event()
        self._pages: dict[TableMetrics, TablePage] = {}

    def load(self) -> None:
        """The program is ready: load what writes pages."""
        from controller.outlets.metrics.page import process_registry  # noqa: PLC0415 - on this thread

        process_registry()
        self._ready.set()

    def keep(self, tables: Collection[TableMetrics]) -> None:
        """Forget the pages of other tables."""
        self._pages = {one: page for one, page in self._pages.items() if one in tables}

    async def answer(self, metrics: TableMetrics, request: Request) -> Response:
        """The page of a table, as the request asks for it."""
        if not self._ready.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ready.wait(), self.READY_S_MAX)
            self.load()
        await self._await_counts(metrics)
        accept = ",".join(request.headers.getlist("accept"))
        query: bytes = request.scope["query_string"]
        while not self._turns.begin():
            await asyncio.sleep(self._turns.PAUSE_S)
        try:
            began = now()
            page, content_type = self._page(metrics).render(accept, query.decode("latin-1"))
            if request.method != "HEAD":
                metrics.count_page(began)
        finally:
            self._turns.end()
        return Response(page, headers={"Content-Type": content_type})

    async def _await_counts(self, metrics: TableMetrics) -> None:
        """Wait until what a status could answer before this request is counted, too."""
        seq, until_ns = metrics.stored_seq, now().monotonic_ns + int(self.COUNTED_S_MAX * 1e9)
        while not metrics.has_counted(seq) and now().monotonic_ns < until_ns:
            await asyncio.sleep(self.COUNTED_PAUSE_S)

    def _page(self, metrics: TableMetrics) -> "TablePage":
        from controller.outlets.metrics.page import TablePage  # noqa: PLC0415 - loaded by now

        page = self._pages.get(metrics)
        if page is None:
            page = self._pages[metrics] = TablePage(metrics)
        return page


def metrics_path(name: str, *, by_name: bool) -> str:
    """The path of a table's metrics as a URL has it."""
    return f"/metrics/{quote(name, safe='')}" if by_name else "/metrics"


def metrics_routes(
    served: Sequence[MetricsPart], pages: MetricsPages, *, by_name: bool
) -> Iterator[Route]:
    """The routes of these tables. Each asks for the password of the metrics, if there is one."""
    for part in served:
        name = part.table.name
        suffix = f"/{name}" if by_name else ""
        yield literal_route(
            f"/metrics{suffix}", guarded([part], partial(pages.answer, part.metrics))
        )
        if by_name:
            yield _health_route(f"/healthz{suffix}", [part], is_alive)
            yield _health_route(f"/readyz{suffix}", [part], is_ready)
    if served:
        yield _health_route("/healthz", served, is_alive)
        yield _health_route("/readyz", served, is_ready)


def literal_route(path: str, endpoint: Endpoint) -> Route:
    """A route of exactly this path: a table's name may hold what a pattern is made of."""
    route = Route("/", endpoint, methods=list(_METHODS))
    route.path_regex = re.compile(f"{re.escape(path)}\\Z")
    return route


def guarded(parts: Sequence[MetricsPart], endpoint: Endpoint) -> Endpoint:
    """The endpoint, for those who give the password of the metrics.

    Passwords are checked one at a time: those that wait for it leave the threads to others.
    """
    proof = asyncio.Lock()

    async def answer(request: Request) -> Response:
        passwords = next((one.passwords for one in parts if one.passwords is not None), None)
        if passwords is not None:
            given = request.headers.get("authorization", "")
            async with proof:
                admitted = await asyncio.to_thread(passwords.admits, given)
            if not admitted:
                text = "name and password, please\n"
                return PlainTextResponse(text, HTTPStatus.UNAUTHORIZED, headers=_ASKS)
        return await endpoint(request)

    return answer


def not_found(tables: Mapping[str, TableParts], pages: Sequence[str], *, by_name: bool) -> Handler:
    """The answer to other paths: which ones there are."""
    served = [one.metrics for one in tables.values() if one.metrics is not None]
    paths = [*pages, *(metrics_path(one.table.name, by_name=by_name) for one in served)]
    listed = "\n".join((*paths, *(("/healthz", "/readyz") if served else ())))

    async def answer(_: Request) -> Response:
        return PlainTextResponse(f"not found; the pages are\n{listed}\n", HTTPStatus.NOT_FOUND)

    endpoint = answer if pages else guarded(served, answer)

    async def handle(request: Request, _: Exception) -> Response:
        return await endpoint(request)

    return handle


def _health_route(path: str, parts: Sequence[MetricsPart], check: Check) -> Route:
    async def answer(_: Request) -> Response:
        checks = await asyncio.gather(*(asyncio.to_thread(check, one.table) for one in parts))
        healthy = all(passed for passed, _ in checks)
        status = HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE
        return PlainTextResponse("".join(f"{words}\n" for _, words in checks), status)

    return literal_route(path, guarded(parts, answer))


def is_alive(table: Table) -> tuple[bool, str]:
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


def is_ready(table: Table) -> tuple[bool, str]:
    """Whether the table runs and stores evidence; its shoe may be unplugged."""
    published = table.published
    if table.health is not Health.RUNNING or published is None:
        return False, f"table {table.name}: {table.health.value} {table.failure}".rstrip()
    return True, f"table {table.name}: running; shoe device {published[1].shoe_driver.stage.value}"
