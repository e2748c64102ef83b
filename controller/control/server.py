"""The control socket: a Unix socket with JSON lines for status, subscriptions and actions.

The kernel, not the client, says which account is at the other end.
Source: controller/control/README.md, "Control socket"; D-32.
"""

import contextlib
import json
import os
import pwd
import select
import socket
import stat
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from controller.control.answers import Plain, plain_entries, refusal_text
from controller.control.requests import SIGNATURE, VALUES, action_from_request, checked_text
from controller.system.connections import Connections
from controller.table.table import Health, Table
from controller.tape.actions import (
    ACTION_NAMES,
    REASON_REQUIRED,
    ActionError,
    Role,
    requirements_for,
    roles_for,
)
from controller.tape.inputs import OperatorAction
from firmware_bridge.transport.clock import now

CONNECTIONS_MAX: Final = 16
LINE_BYTES_MAX: Final = 64 * 1024
SOCKET_MODE: Final = 0o660
# A client that neither sends nor reads for this time is disconnected.
IDLE_TIMEOUT_S: Final = 60.0
# Snapshots follow changes at once, but not faster than a person can read.
SNAPSHOT_INTERVAL_S: Final = 0.05
_POLL_S: Final = 0.5
_PROBE_S: Final = 1.0
_RECEIVE_BYTES: Final = 4096
_PEER: Final = struct.Struct("iII")
_KEYS_OF: Final = {
    "status": ("request",),
    "actions": ("request",),
    "subscribe": ("request",),
    "act": (*SIGNATURE, *VALUES),
}

SnapshotOf: TypeAlias = Callable[[], Mapping[str, object]]


class ControlUnavailable(OSError):
    """The socket cannot be served; the message says why and what to do."""


class BadRequest(Exception):
    """A line that is not a request; the message says what is wrong and what is allowed."""


class ControlServer:
    """Serves one table at `path`; `snapshot_of` returns what people may see of it now."""

    def __init__(self, path: Path, table: Table, snapshot_of: SnapshotOf) -> None:
        self._path = path
        self._table = table
        self._snapshot_of = snapshot_of
        self._inode = 0
        self._connections = Connections("control", self._serve, _refuse, CONNECTIONS_MAX)

    def start(self) -> None:
        """Listen and serve; a stale socket is replaced. Raises ControlUnavailable."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _remove_stale_socket(self._path)
            listener.bind(os.fspath(self._path))
            # No client can connect before listen(), so the wider mode after bind() does no harm.
            self._path.chmod(SOCKET_MODE)
            self._inode = self._path.stat().st_ino
            listener.listen()
        except ControlUnavailable:
            listener.close()
            raise
        except OSError as error:
            listener.close()
            why = error.strerror or str(error)
            raise ControlUnavailable(
                f"the control socket {self._path} cannot be created: {why}; set [control] socket"
                " to a path this program may write to"
            ) from error
        self._connections.start(listener)

    def stop(self) -> None:
        """Stop serving and remove the socket, unless it is another program's by now."""
        self._connections.stop()
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(IDLE_TIMEOUT_S)
        identified_by = _peer_identity(connection)
        try:
            for line in _lines(connection):
                try:
                    request = _parse_request(line)
                    if request["request"] == "subscribe":
                        self._stream(connection)
                        return
                    answer = self._answer(request, identified_by)
                except (BadRequest, ActionError) as error:
                    answer = _error(str(error))
                _send(connection, answer)
        except BadRequest as error:
            _send(connection, _error(str(error)))

    def _answer(self, request: Plain, identified_by: str) -> Plain:
        match request["request"]:
            case "status":
                return {"ok": True, "snapshot": dict(self._snapshot_of())}
            case "actions":
                return {"ok": True, "actions": _action_list()}
            case _:
                return self._act(request, identified_by)

    def _act(self, request: Plain, identified_by: str) -> Plain:
        action = _operator_action(request, identified_by)
        table = self._table
        if table.health is Health.RUNNING:
            entries = table.act(action)
            if entries is not None:
                why = refusal_text(entries)
                return _error(why) if why else {"ok": True, "entries": plain_entries(entries)}
            if table.health is Health.RUNNING:
                return _error(
                    "the table did not answer in time: the action may still be stored;"
                    " check the status before you repeat it"
                )
        why = f": {table.failure}" if table.failure else ""
        return _error(f"nothing was stored, the table is {table.health.value}{why}")

    def _stream(self, connection: socket.socket) -> None:
        """Send a snapshot now and after each change, until the client disconnects."""
        stopping = self._connections.stopping
        client = select.poll()
        # No event mask: POLLHUP and POLLERR are always reported.
        client.register(connection, 0)
        sent = -1
        while not stopping.is_set():
            version = self._table.wait_for_change(sent, _POLL_S)
            if client.poll(0):
                return
            if version != sent:
                sent = version
                _send(connection, {"snapshot": dict(self._snapshot_of())})
                stopping.wait(SNAPSHOT_INTERVAL_S)


def _remove_stale_socket(path: Path) -> None:
    """Remove a stale socket. Raises ControlUnavailable if a program serves it."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise ControlUnavailable(
            f"{path} exists but is not a socket: remove it, or set [control] socket to another path"
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
        f"another smartshoe is running at {path}: stop it, or give this table a socket of its own"
        " with [control] socket"
    )


def _refuse(connection: socket.socket) -> None:
    connection.settimeout(0.0)
    _send(
        connection,
        _error(f"{CONNECTIONS_MAX} connections are open, which is the limit: close one"),
    )


def _peer_identity(connection: socket.socket) -> str:
    """The peer's identity from the kernel, such as "uid 1000 (ann)"."""
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    _, uid, _ = _PEER.unpack(peer)
    try:
        return f"uid {uid} ({pwd.getpwuid(uid).pw_name})"
    except KeyError:
        return f"uid {uid}"


def _lines(connection: socket.socket) -> Iterator[bytes]:
    """Yield lines until the client disconnects. Raises BadRequest for a line that is too long."""
    buffer = b""
    while True:
        line, end, rest = buffer.partition(b"\n")
        if len(line) > LINE_BYTES_MAX:
            raise BadRequest(f"a request has at most {LINE_BYTES_MAX} bytes in one line")
        if end:
            buffer = rest
            if line.strip():
                yield line
            continue
        received = connection.recv(_RECEIVE_BYTES)
        if not received:
            return
        buffer += received


def _parse_request(line: bytes) -> Plain:
    """Parse one request and check its keys. Raises BadRequest."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"this line is not JSON: {error}") from error
    known_requests = ", ".join(_KEYS_OF)
    if not isinstance(request, dict) or "request" not in request:
        raise BadRequest(
            f'a request is an object such as {{"request": "status"}}; known: {known_requests}'
        )
    name = request["request"]
    if not isinstance(name, str) or name not in _KEYS_OF:
        raise BadRequest(f"unknown request {name!r}; known: {known_requests}")
    for key in request:
        if key not in _KEYS_OF[name]:
            known = ", ".join(_KEYS_OF[name])
            raise BadRequest(f"unknown key {key!r} in a request {name!r}; known: {known}")
    return request


def _operator_action(request: Plain, identified_by: str) -> OperatorAction:
    """The action of a request, with its person and role. Raises ActionError."""
    name = checked_text("action", request.get("action"), required=True)
    role = _role(name, request.get("role"), roles_for(name))
    person = checked_text("by", request.get("by"), required=True)
    action = action_from_request(name, request)
    requirements = requirements_for(name, action)
    return OperatorAction(
        at=now(),
        person=person,
        role=_role(f"such a {name}", role.value, requirements.roles),
        identified_by=identified_by,
        action=action,
        reason=checked_text("reason", request.get("reason"), required=requirements.reason),
    )


def _role(name: str, role: object, allowed: tuple[Role, ...]) -> Role:
    """The role, if the action allows it. Raises ActionError."""
    if role not in allowed:
        roles = ", ".join(one.value for one in allowed)
        raise ActionError(f"{name} is for {roles}, not for {role!r}")
    return Role(str(role))


def _action_list() -> list[Plain]:
    return [
        {
            "action": name,
            "roles": [role.value for role in roles],
            "purpose": purpose,
            "reason_required": name in REASON_REQUIRED,
        }
        for name, roles, purpose in ACTION_NAMES
    ]


def _error(text: str) -> Plain:
    return {"ok": False, "error": text}


def _send(connection: socket.socket, answer: Plain) -> None:
    connection.sendall(json.dumps(answer).encode() + b"\n")
