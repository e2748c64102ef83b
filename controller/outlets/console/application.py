"""The application of one server: routes to the pages, the API and the metrics of its tables.

Source: ASGI 3.0.
"""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from html import escape
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.journal.values import JournalError
from controller.outlets.console.api import API, api_routes, problem
from controller.outlets.console.metrics_routes import (
    Endpoint,
    Handler,
    MetricsPages,
    metrics_routes,
    not_found,
)
from controller.outlets.console.page_routes import page_routes
from controller.outlets.console.page_turns import PageTurns
from controller.outlets.console.security import Forbidden, StrictHeaders, check_host
from controller.outlets.console.table_parts import TableParts
from controller.outlets.console.table_site import TableSite
from controller.outlets.control.table_requests import TableUnavailable
from controller.system.fault_text import describe_fault, traceback_text

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
        if self._by_name and sites:
            routes.append(Route("/", _list_of(sites)))
        # Longer names first: one may be the beginning of another.
        routes += [_mount(one, elsewhere) for one in sites]
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
                site = TableSite(parts.console, by_name=self._by_name, tls=self._tls)
            kept[name] = site
        self._sites = kept


class _Ended(Exception):
    """An answer that had begun cannot be finished."""


class _ConsoleOfTable:
    """The pages and the API of one table, for requests to its own names."""

    def __init__(self, site: TableSite, elsewhere: Handler) -> None:
        self._site = site
        handlers = {
            Forbidden: _forbidden,
            HTTPStatus.NOT_FOUND: elsewhere,
            JournalError: _unavailable,
            TableUnavailable: _unavailable,
        }
        routes = [*api_routes(site), *page_routes(site)]
        self._routed = Starlette(routes=routes, exception_handlers=handlers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            check_host(request, self._site.hosts)
        except Forbidden as error:
            of_api = scope["path"].startswith(f"{self._site.prefix}{API}/")
            answer = problem(error.status, str(error)) if of_api else None
            await (answer or await _forbidden(request, error))(scope, receive, send)
        else:
            await self._routed(scope, receive, send)


def _mount(site: TableSite, elsewhere: Handler) -> Mount:
    """A mount at exactly this path: a table's name may hold what a pattern is made of."""
    mount = Mount("", _ConsoleOfTable(site, elsewhere))
    mount.path_regex = re.compile(f"{re.escape(site.prefix)}/(?P<path>.*)\\Z", re.DOTALL)
    return mount


async def _forbidden(_: Request, error: Exception) -> Response:
    """The answer to a request that is not looked at."""
    status = error.status if isinstance(error, Forbidden) else HTTPStatus.FORBIDDEN
    return PlainTextResponse(f"{error}\n", status)


async def _unavailable(_: Request, error: Exception) -> Response:
    """The answer where the table, or the file of its people, cannot be asked now."""
    text = f"{error}\n"
    return PlainTextResponse(text, HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "1"})


def _list_of(sites: Sequence[TableSite]) -> Endpoint:
    """The page of a process with several tables: a link to each."""

    async def answer(request: Request) -> Response:
        try:
            check_host(request, sites[0].hosts)
        except Forbidden as error:
            return await _forbidden(request, error)
        links = "".join(
            f'<li><a href="{escape(one.base)}">{escape(one.name)}</a></li>' for one in sites
        )
        title = "<title>smartshoe</title>"
        head = f'<!doctype html><html lang="en"><meta charset="utf-8">{title}'
        return HTMLResponse(f"{head}<h1>smartshoe</h1><ul>{links}</ul></html>")

    return answer
