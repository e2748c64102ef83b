"""A small HTTP server for metrics and health checks: GET and HEAD, bounded connections and time.

Source: controller/metrics/README.md, "Metrics".
"""

import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Final, TypeAlias

from msgspec import Struct

from controller.system.connections import Connections

CONNECTIONS_MAX: Final = 16
# A client that has not sent its request or read its page by then is disconnected.
IDLE_TIMEOUT_S: Final = 10.0
PLAIN: Final = "text/plain; charset=utf-8"


class Page(Struct, frozen=True):
    """An HTTP response; `body` is UTF-8."""

    status: HTTPStatus
    body: bytes
    content_type: str = PLAIN


# Maps the path of a request, without its query, to a page.
PageAt: TypeAlias = Callable[[str], Page]


class HttpServer:
    """Serves pages on address and port; port 0 takes any free one."""

    def __init__(self, address: str, port: int, page_at: PageAt) -> None:
        self._address = address
        self._port = port
        self._page_at = page_at
        self._connections = Connections("http", self._serve, _refuse, CONNECTIONS_MAX)

    def start(self) -> None:
        """Listen and serve. Raises OSError if the port is not available."""
        family = socket.AF_INET6 if ":" in self._address else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self._address, self._port))
            listener.listen()
        except OSError:
            listener.close()
            raise
        self._port = listener.getsockname()[1]
        self._connections.start(listener)

    def stop(self) -> None:
        """Close the listener and all connections at once."""
        self._connections.stop()

    @property
    def url(self) -> str:
        """The base URL; with port 0 it is known only after start()."""
        host = f"[{self._address}]" if ":" in self._address else self._address
        return f"http://{host}:{self._port}"

    def _serve(self, connection: socket.socket) -> None:
        _HttpExchange(connection, self._page_at)


def _refuse(connection: socket.socket) -> None:
    connection.settimeout(0.0)
    connection.send(b"HTTP/1.0 503 Service Unavailable\r\nRetry-After: 1\r\n\r\n")


class _HttpExchange(BaseHTTPRequestHandler):
    """One request and its response; then the connection closes."""

    timeout = IDLE_TIMEOUT_S
    server_version = "smartshoe"
    sys_version = ""

    def __init__(self, connection: socket.socket, page_at: PageAt) -> None:
        self._page_at = page_at
        # The library requires a server object and does not use it.
        super().__init__(connection, ("", 0), BaseServer(("", 0), BaseHTTPRequestHandler))

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing: a line for each scrape would fill the log."""

    def _answer(self, *, with_body: bool) -> None:
        page = self._page_at(self.path.partition("?")[0])
        self.send_response(page.status)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(page.body)
