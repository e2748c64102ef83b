"""The application of one server: routes to the pages, the API and the metrics of its tables.

Source: ASGI 3.0.
"""

import asyncio
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.outlets.console.metrics_routes import MetricsPages, metrics_routes, not_found
from controller.outlets.console.page_turns import PageTurns
from controller.outlets.console.security import StrictHeaders
from controller.outlets.console.table_parts import ConsolePart, TableParts
from controller.system.fault_text import describe_fault, traceback_text

if TYPE_CHECKING:
    from controller.outlets.console.table_site import TableSite

LOG = logging.getLogger("smartshoe.console")


class Application:
    """Answers requests for the tables that it was given last.

    `put` and `stop` may be called from any thread; the rest is the event loop's.
    """

    def __init__(self, turns: PageTurns, *, by_name: bool, tls: bool) -> None:
        self._pages = MetricsPages(turns)
        self._by_name = by_name
        self._tls = tls
        self._tables: Mapping[str, TableParts] = {}
        self._routed: tuple[Mapping[str, TableParts], ASGIApp] | None = None
        self._sites: dict[str, TableSite] = {}

    def put(self, tables: Mapping[str, TableParts]) -> None:
        """Serve these tables from now on; the streams of others end."""
        for name, site in tuple(self._sites.items()):
            parts = tables.get(name)
            if parts is None or parts.console is None or parts.console.requests != site.requests:
                site.stop()
        self._tables = tables

    def load_metrics(self) -> None:
        """The program is ready: load what writes metrics, where a table has some."""
        if any(one.metrics is not None for one in self._tables.values()):
            self._pages.load()

    def stop(self) -> None:
        """End every stream."""
        for site in tuple(self._sites.values()):
            site.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tables = self._tables
        if self._routed is None or self._routed[0] is not tables:
            self._routed = tables, self._route(tables)
        began = False

        async def noted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._routed[1](scope, receive, noted)
        except asyncio.CancelledError:
            raise
        except ClientDisconnect:  # before it had sent the whole request
            raise _Ended from None
        except Exception as error:  # noqa: BLE001  # where internal errors of a page surface
            # Not LOG.exception: the error's own message may name a card.
            fault, trace = describe_fault(error), traceback_text(error.__traceback__)
            LOG.error("console: %s\n%s", fault, trace)  # noqa: TRY400
            if began:
                raise _Ended from None
            text = "an internal error, which the log of the table names\n"
            response = PlainTextResponse(text, HTTPStatus.INTERNAL_SERVER_ERROR)
            await response(scope, receive, send)

    def _route(self, tables: Mapping[str, TableParts]) -> ASGIApp:
        self._keep_sites(tables)
        served = [one.metrics for one in tables.values() if one.metrics is not None]
        self._pages.keep([one.metrics for one in served])
        routes: list[BaseRoute] = list(metrics_routes(served, self._pages, by_name=self._by_name))
        sites = sorted(self._sites.values(), key=lambda one: one.prefix, reverse=True)
        elsewhere = not_found(tables, [one.base for one in sites], by_name=self._by_name)
        if sites:
            from controller.outlets.console.table_console import console_routes  # noqa: PLC0415

            routes += console_routes(sites, elsewhere, by_name=self._by_name)
        handlers = {HTTPStatus.NOT_FOUND: elsewhere}
        return StrictHeaders(Starlette(routes=routes, exception_handlers=handlers), tls=self._tls)

    def _keep_sites(self, tables: Mapping[str, TableParts]) -> None:
        """Make the sites of new tables; those of tables that go on keep their sessions."""
        kept: dict[str, TableSite] = {}
        for name, parts in tables.items():
            if parts.console is None:
                continue
            site = self._sites.get(name)
            if site is None or site.requests is not parts.console.requests:
                site = self._new_site(parts.console)
            kept[name] = site
        self._sites = kept

    def _new_site(self, console: ConsolePart) -> "TableSite":
        # With its pages and the API: only where a table has a page.
        from controller.outlets.console.table_site import TableSite  # noqa: PLC0415

        return TableSite(console, by_name=self._by_name, tls=self._tls)


class _Ended(Exception):
    """An answer that had begun cannot be finished."""
