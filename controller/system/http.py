"""A small HTTP server for metrics and health checks: GET and HEAD, bounded connections and time.

Source: controller/metrics/README.md, "Metrics".
"""

import re
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from socketserver import BaseServer
from typing import Final, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from controller.system.connections import Connections
from controller.system.peer import ConnectionRules, Peer, RequestTooLong
from controller.system.tls import TlsContext
from firmware_bridge.transport.clock import now

REQUEST_BYTES_MAX: Final = 8 * 1024
_REQUEST_END: Final = re.compile(rb"\r?\n\r?\n")


def _address_of(connection: socket.socket) -> str:
    """The peer's address: over TCP nobody says which account it is."""
    return str(connection.getpeername()[0])


RULES: Final = ConnectionRules(
    account_of=_address_of,
    account_max=16,
    all_max=64,
    patience_s=10.0,
    idle_s=10.0,
    refused=b"HTTP/1.0 503 Service Unavailable\r\nRetry-After: 1\r\n\r\n",
    made_room=b"HTTP/1.0 408 Request Timeout\r\n\r\n",
)
PLAIN: Final = "text/plain; charset=utf-8"


class Page(Struct, frozen=True):
    """An HTTP response; `body` is UTF-8."""

    status: HTTPStatus
    body: bytes
    content_type: str = PLAIN
    headers: tuple[tuple[str, str], ...] = ()


class Request(Struct, frozen=True):
    """A request: its path, without its query, what it accepts, and by what right it asks."""

    path: str
    accept: str
    authorization: str


PageAt: TypeAlias = Callable[[Request], Page]


class HttpServer:
    """Serves pages on address and port; port 0 takes any free one. With `tls` over HTTPS."""

    def __init__(
        self, address: str, port: int, page_at: PageAt, tls: TlsContext | None = None
    ) -> None:
        self._address = address
        self._port = port
        self._page_at = page_at
        self._scheme = "http" if tls is None else "https"
        rules = RULES if tls is None else replace(RULES, tls=tls, refused=b"", made_room=b"")
        self._connections = Connections("http", self._serve, rules, now)

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
        return f"{self._scheme}://{host}:{self._port}"

    def _serve(self, peer: Peer) -> None:
        try:
            request = peer.request(_REQUEST_END, REQUEST_BYTES_MAX)
        except RequestTooLong:
            peer.send(b"HTTP/1.0 431 Request Header Fields Too Large\r\n\r\n")
        else:
            peer.send(_HttpExchange(request, self._page_at).answered.getvalue())
        peer.finish()


class _HttpExchange(BaseHTTPRequestHandler):
    """One whole request and its response, in memory; then the connection closes."""

    server_version = "smartshoe"
    sys_version = ""

    def __init__(self, request: bytes, page_at: PageAt) -> None:
        self._page_at = page_at
        self.answered = BytesIO()
        # The library requires a server object, and by its types a socket; it uses neither.
        server = BaseServer(("", 0), BaseHTTPRequestHandler)
        super().__init__(request, ("", 0), server)  # type: ignore[arg-type]

    def setup(self) -> None:
        """Read and write memory instead of a socket."""
        self.rfile = BytesIO(cast("bytes", self.request))
        self.wfile = self.answered

    def finish(self) -> None:
        """Keep what was written."""

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing: a line for each scrape would fill the log."""

    def _answer(self, *, with_body: bool) -> None:
        accept = ",".join(self.headers.get_all("Accept", ()))
        authorization = self.headers.get("Authorization", "")
        page = self._page_at(Request(self.path.partition("?")[0], accept, authorization))
        self.send_response(page.status)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        for name, value in page.headers:
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(page.body)
