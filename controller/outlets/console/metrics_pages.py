"""Answers requests for metrics: not before the program is ready, and each page in its turn.

What writes pages is loaded on the server's thread, so that no start waits for it.
Source: performance goals P12, P14.
"""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from starlette.requests import Request
from starlette.responses import Response

from controller.outlets.console.page_turns import PageTurns
from controller.outlets.metrics.table_metrics import TableMetrics
from firmware_bridge.transport.clock import now

if TYPE_CHECKING:
    from controller.outlets.metrics.page import TablePage


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
