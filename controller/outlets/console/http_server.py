"""The event loop of one address and port: accepts, bounds and serves connections over HTTP/1.1.

h11 reads the protocol, in uvicorn's hands; connections are accepted here, so that those that never
finish a handshake count, too.
Source: RFC 9112; RFC 8446.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from http import HTTPStatus
from traceback import clear_frames
from typing import Any, Final

import h11
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from controller.outlets.console.security import HEADERS, NO_STORE
from controller.system.fault_text import describe_fault
from controller.system.listener import Listener, address_of
from controller.system.process import trim_heap
from controller.system.tls import TlsContext
from firmware_bridge.transport.clock import now

LOG = logging.getLogger("smartshoe.console")
ADDRESS_CONNECTIONS_MAX: Final = 16
CONNECTIONS_MAX: Final = 64
# For a request from its first byte to its last; then, for the client, to take the answer.
PATIENCE_S: Final = 10.0
# Without a request: before the first, and between two.
IDLE_S: Final = 10.0
HEAD_BYTES_MAX: Final = 8 * 1024
# Threads for what may wait for a table or a PIN's hash.
WAITING_THREADS: Final = 16
_RETRY_S: Final = 0.2
# After so many connections what they took is given back to the system, once for all that end soon.
_TRIM_AFTER: Final = 64
_TRIM_S: Final = 5.0
_NS_PER_S: Final = 1_000_000_000


def _last_answer(status: HTTPStatus, *fields: tuple[str, str]) -> bytes:
    """An answer without content, after which the connection ends; no application gives it."""
    own = (("Connection", "close"), ("Content-Length", "0"), ("Cache-Control", NO_STORE))
    lines = (f"{name}: {text}\r\n" for name, text in (*HEADERS, *own, *fields))
    return f"HTTP/1.1 {status.value} {status.phrase}\r\n{''.join(lines)}\r\n".encode()


_REFUSED: Final = _last_answer(HTTPStatus.SERVICE_UNAVAILABLE, ("Retry-After", "1"))
_TIMED_OUT: Final = _last_answer(HTTPStatus.REQUEST_TIMEOUT)
_NOT_HTTP: Final = _last_answer(HTTPStatus.BAD_REQUEST)


class HttpServer:
    """Serves one application on one listening socket; `run` returns after `stop`.

    `tls` None: without TLS.
    """

    def __init__(self, listener: Listener, tls: TlsContext | None, application: ASGIApp) -> None:
        # Its messages would hold what clients wrote; internal errors are logged by the application.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
        listener.setblocking(False)
        self._listener = listener
        self._tls = tls
        self.config = Config(
            application,
            http=H11Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            interface="asgi3",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=int(IDLE_S) * 2,
            h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        )
        self.config.load()
        self.state = ServerState()
        self._clients: list[WebClient] = []
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_log_fault)
        self._waiting = ThreadPoolExecutor(WAITING_THREADS, "web-waiting")
        self._loop.set_default_executor(self._waiting)
        self._stopped = asyncio.Event()
        self._date_s = 0
        self._ended = 0
        self._trim: asyncio.TimerHandle | None = None

    def run(self) -> None:
        """Serve until `stop`; closes the listener and every connection."""
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._waiting.shutdown(wait=False, cancel_futures=True)
            self._loop.close()
            self._listener.close()

    def stop(self) -> None:
        """Make `run` return; from any thread."""
        self.call(self._stopped.set)

    def call(self, callback: Callable[[], object]) -> None:
        """Call it on the thread that serves; from any thread."""
        with contextlib.suppress(RuntimeError):  # `run` has returned by now
            self._loop.call_soon_threadsafe(callback)

    async def _serve(self) -> None:
        self._listen()
        await self._stopped.wait()
        self._loop.remove_reader(self._listener.fileno())
        for client in tuple(self._clients):
            client.abort()
        tasks = asyncio.all_tasks(self._loop) - {asyncio.current_task(self._loop)}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _listen(self) -> None:
        # Not sock_accept: cancelled at the wrong moment, it would lose a connection unclosed.
        if not self._stopped.is_set():
            self._loop.add_reader(self._listener.fileno(), self._accept)

    def _accept(self) -> None:
        """Take a connection that waits, if there is room for it."""
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:  # no file descriptors are left
            self._loop.remove_reader(self._listener.fileno())
            self._loop.call_later(_RETRY_S, self._listen)
            return
        try:
            address = address_of(connection)
        except OSError:  # it has ended by now
            connection.close()
            return
        connection.setblocking(False)
        if not self._has_room(address):
            with contextlib.suppress(OSError):
                if self._tls is None:
                    connection.send(_REFUSED)
            connection.close()
            return
        client = WebClient(self, connection, address)
        self._clients.append(client)
        client.task = self._loop.create_task(self._connect(client, connection))

    async def _connect(self, client: "WebClient", connection: Listener) -> None:
        client.begun = True
        handshake = {} if self._tls is None else {"ssl_handshake_timeout": PATIENCE_S}
        try:
            await self._loop.connect_accepted_socket(
                lambda: WebConnection(self, client),
                connection,
                ssl=self._tls,
                **handshake,
            )
        except OSError as error:  # it ended, or its handshake failed or took too long
            connection.close()
            self.forget(client)
            clear_frames(error.__traceback__)
        except asyncio.CancelledError as error:
            connection.close()
            self.forget(client)
            clear_frames(error.__traceback__)
            raise

    def forget(self, client: "WebClient") -> None:
        """Its connection has ended."""
        client.set_timer(None)
        client.task = None
        if client not in self._clients:
            return
        self._clients.remove(client)
        self._ended += 1
        if self._ended >= _TRIM_AFTER and self._trim is None:
            self._trim = self._loop.call_later(_TRIM_S, self._give_memory_back)

    def _give_memory_back(self) -> None:
        """TLS of connections by the thousand leaves pages that nothing uses."""
        self._ended, self._trim = 0, None
        self._loop.run_in_executor(None, trim_heap)

    def refresh_date(self) -> None:
        """Write the date that answers have (RFC 9110) again, once a second."""
        second = now().utc_ns // _NS_PER_S
        if second != self._date_s:
            self._date_s = second
            date = formatdate(second, usegmt=True).encode()
            self.state.default_headers = [(b"date", date)]

    def _has_room(self, address: str) -> bool:
        """Whether the address may have one more; the longest idle one makes room if need be."""
        clients = self._clients
        of_address = [one for one in clients if one.address == address]
        if len(of_address) >= ADDRESS_CONNECTIONS_MAX:
            clients = of_address
        elif len(clients) < CONNECTIONS_MAX:
            return True
        idle = [one for one in clients if one.idle_since_ns is not None]
        if not idle:
            return False
        longest = min(idle, key=lambda one: one.idle_since_ns or 0)
        longest.make_room()
        self.forget(longest)
        return True


class WebClient:
    """One connection as the limits see it: idle since when, and until when it may take."""

    def __init__(self, server: HttpServer, connection: Listener, address: str) -> None:
        self.address = address
        self.idle_since_ns: int | None = now().monotonic_ns
        self.task: asyncio.Task[None] | None = None
        self.begun = False
        self.transport: asyncio.Transport | None = None
        self._connection = connection
        self._server = server
        self._timer: asyncio.TimerHandle | None = None

    def set_timer(self, seconds: float | None) -> None:
        """End the connection after this time; None: it may take as long as it does."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if seconds is None else loop.call_later(seconds, self.make_room)

    def make_room(self) -> None:
        """End the connection, with a word where the client may understand it."""
        if self.transport is None:
            self.abort()
        elif not self.transport.is_closing():
            if self.idle_since_ns is not None and self.transport.get_write_buffer_size() == 0:
                self.transport.write(_TIMED_OUT)
                self.transport.close()
            else:
                self.transport.abort()

    def abort(self) -> None:
        """End the connection at once."""
        if self.transport is not None:
            self.transport.abort()
        elif self.task is not None:
            self.task.cancel()
            if not self.begun:
                # The task that would close it never runs.
                self._connection.close()


class WebConnection(H11Protocol):
    """One connection: uvicorn's, with the time that a client may take."""

    def __init__(self, server: HttpServer, client: WebClient) -> None:
        super().__init__(server.config, server.state, {})
        self._server = server
        self._client = client
        self._awaits_request = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._client.transport = transport
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make its place free."""
        super().connection_lost(exc)
        self._server.forget(self._client)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; from its first byte its time runs."""
        self._server.refresh_date()
        if self._awaits_request:
            self._awaits_request = False
            self._client.idle_since_ns = None
            self._client.set_timer(PATIENCE_S)
        super().data_received(data)
        self._settle()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, unless another answer is being written."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(_NOT_HTTP)
        self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._settle()

    def pause_writing(self) -> None:
        """The client does not take its answer: it is idle, and has so much time."""
        super().pause_writing()
        self._client.idle_since_ns = now().monotonic_ns
        self._client.set_timer(PATIENCE_S)

    def resume_writing(self) -> None:
        """The client has taken it."""
        super().resume_writing()
        self._client.idle_since_ns = None
        self._client.set_timer(None)

    def _settle(self) -> None:
        """Set the time by what is awaited: a request, the rest of one, or our own answer."""
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle
        answering = cycle is not None and not cycle.response_complete
        theirs = self.conn.their_state
        if answering and theirs is not h11.SEND_BODY:
            if not self.flow.write_paused:
                self._client.set_timer(None)
        elif not answering and theirs is h11.IDLE and not self.conn.trailing_data[0]:
            self._wait_for_request()

    def _wait_for_request(self) -> None:
        self._awaits_request = True
        self._client.idle_since_ns = now().monotonic_ns
        self._client.set_timer(IDLE_S)


def _log_fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Name an internal error. Not its own message: it may name a card."""
    error = context.get("exception")
    if isinstance(error, Exception) and not isinstance(error, OSError):
        LOG.error("console: %s", describe_fault(error))
