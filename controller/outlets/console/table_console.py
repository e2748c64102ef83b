"""Routes of the pages and the API of one server's tables; loaded only where a table has a page.

Source: ASGI 3.0.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from controller.journal.values import JournalError
from controller.outlets.console.api import API, api_routes, problem
from controller.outlets.console.metrics_routes import Endpoint, Handler
from controller.outlets.console.page_routes import page_routes
from controller.outlets.console.security import Forbidden, check_host
from controller.outlets.console.table_site import TableSite
from controller.outlets.control.table_requests import TableUnavailable


def console_routes(
    sites: Sequence[TableSite], elsewhere: Handler, *, by_name: bool
) -> Iterator[BaseRoute]:
    """The list of tables, where there may be several, and each table; longer names come first.

    One name may be the beginning of another. `elsewhere` answers other paths.
    """
    if by_name:
        yield Route("/", _list_of(sites))
    for one in sites:
        yield _mount(one, elsewhere)


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
