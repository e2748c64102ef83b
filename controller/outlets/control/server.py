"""The control socket: a Unix socket with JSON lines for status, subscriptions and actions.

The kernel, not the client, says which account is at the other end.
Source: D-32.
"""

import contextlib
import grp
import os
import re
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, assert_never

from controller.outlets.control.act_rate import ActRate
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.requests import (
    ActionsRequest,
    ActRequest,
    PeopleRequest,
    SignOffRequest,
    SignOnRequest,
    StatusRequest,
    SubscribeRequest,
    parse_request,
)
from controller.outlets.control.table_requests import (
    REFUSALS,
    TableRequests,
    declared_actions,
    encode,
    refused,
)
from controller.system.peer import ConnectionRules, Connections, Peer, RequestTooLong, uid_of_peer
from controller.table.accounts.sign_on import unix_account
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp

ACCOUNT_CONNECTIONS_MAX: Final = 16
CONNECTIONS_MAX: Final = 64
LINE_BYTES_MAX: Final = 64 * 1024
SOCKET_MODE: Final = 0o660
# Snapshots follow changes at once, but not faster than a person can read.
SNAPSHOT_INTERVAL_S: Final = 0.05
_POLL_S: Final = 0.5
_PROBE_S: Final = 1.0
_LINE_END: Final = re.compile(rb"\n")


class ControlUnavailable(OSError):
    """The socket cannot be served; the message says why and what to do."""


class ControlServer:
    """Serves the requests of one table at `path`.

    `group` may use the socket, empty for that of this program.
    """

    def __init__(
        self,
        path: Path,
        requests: TableRequests,
        clock: Callable[[], Timestamp] = now,
        *,
        group: str = "",
    ) -> None:
        self._path = path
        self._requests = requests
        self._group = group
        self._inode = 0
        self._clock = clock
        self._connections = Connections("control", self._serve, RULES, clock)

    def start(self) -> None:
        """Listen and serve; a stale socket is replaced. Raises ControlUnavailable."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _remove_stale_socket(self._path)
            listener.bind(os.fspath(self._path))
            # No client can connect before listen(), so the wider mode after bind() does no harm.
            if self._group:
                os.chown(self._path, -1, grp.getgrnam(self._group).gr_gid)
            self._path.chmod(SOCKET_MODE)
            self._inode = self._path.stat().st_ino
            listener.listen()
        except ControlUnavailable:
            listener.close()
            raise
        except LookupError as error:
            listener.close()
            raise ControlUnavailable(
                f"[control] group: {self._group!r} is no group of this machine. Remedy: make it, or"
                " name one that is there"
            ) from error
        except OSError as error:
            listener.close()
            why = error.strerror or str(error)
            raise ControlUnavailable(
                f"{self._path}: the control socket cannot be created: {why}. Remedy: set"
                " [control] socket to a path this program may write to, and [control] group to a"
                " group that its account is in"
            ) from error
        self._connections.start(listener)

    def stop(self) -> None:
        """Stop serving and remove the socket, unless it is another program's by now."""
        self._connections.stop()
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _serve(self, peer: Peer) -> None:
        acts = ActRate(self._clock)
        requests = self._requests
        session = requests.session(peer.account)
        while True:
            try:
                request, values = parse_request(peer.request(_LINE_END, LINE_BYTES_MAX))
                match request:
                    case StatusRequest():
                        answer = Answer(ok=True, snapshot=requests.snapshot_of())
                    case ActionsRequest():
                        answer = declared_actions()
                    case SubscribeRequest():
                        self._stream(peer)
                        return
                    case ActRequest():
                        acts.count()
                        answer = requests.act(session, request, values)
                    case SignOnRequest():
                        acts.count()
                        session.sign_on(request.by, request.pin)
                        answer = Answer(ok=True)
                    case SignOffRequest():
                        session.sign_off()
                        answer = Answer(ok=True)
                    case PeopleRequest():
                        acts.count()
                        answer = requests.change_account(session, request)
                    case _:
                        assert_never(request)
            except RequestTooLong:
                text = f"a request has at most {LINE_BYTES_MAX} bytes in one line"
                peer.send(_line(text))
                return
            except REFUSALS as error:
                answer = refused(str(error))
            self._send(peer, answer)

    def _send(self, peer: Peer, answer: Answer) -> None:
        peer.send(self._requests.encoded(answer) + b"\n")

    def _stream(self, peer: Peer) -> None:
        """Send a snapshot now and after each change, as fast as the client reads, until it ends."""
        stopping = self._connections.stopping
        peer.follow()
        sent = -1
        while not stopping.is_set():
            version = self._requests.table.wait_for_change(sent, _POLL_S)
            if peer.has_read():
                if version == sent:
                    continue
                sent = version
                self._send(peer, Answer(ok=True, snapshot=self._requests.snapshot_of()))
            stopping.wait(SNAPSHOT_INTERVAL_S)


def _remove_stale_socket(path: Path) -> None:
    """Remove a stale socket. Raises ControlUnavailable if a program serves it."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise ControlUnavailable(
            f"{path}: it exists but is not a socket. Remedy: remove it, or set [control] socket"
            " to another path"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            pass  # a program serves it, and is busy
    raise ControlUnavailable(
        f"{path}: another smartshoe is running there. Remedy: stop it, or give this table a"
        " socket of its own with [control] socket"
    )


def _peer_identity(connection: socket.socket) -> str:
    """The peer's account as the kernel says."""
    return unix_account(uid_of_peer(connection))


def _line(refusal: str) -> bytes:
    return encode(refused(refusal)) + b"\n"


RULES: Final = ConnectionRules(
    account_of=_peer_identity,
    account_max=ACCOUNT_CONNECTIONS_MAX,
    all_max=CONNECTIONS_MAX,
    patience_s=10.0,
    idle_s=60.0,
    refused=_line(
        f"no connection is free: an account has at most {ACCOUNT_CONNECTIONS_MAX}, all together"
        f" {CONNECTIONS_MAX}, and none is idle. Remedy: close one, then repeat the request"
    ),
    made_room=_line(
        "this connection was idle and made room for a new one; no request is under way."
        " Remedy: connect again"
    ),
)
