"""The control socket: how people at this machine ask a running table and act at it.

Responsible for: a Unix socket of the table's group, one JSON object per line, requests and their
answers, and who stands behind a connection (the kernel's word, not the client's).
Not responsible for: what an action means (core), which roles may take it (actions), and layout.
Source: package README, "Control socket"; D-32.
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

from controller.control.answers import Plain, plain_entries, refusal
from controller.control.requests import SIGNATURE, VALUES, action_from_request, checked_text
from controller.system.connections import Connections
from controller.table.table import Health, Table
from controller.tape.actions import (
    ACTION_NAMES,
    REASON_REQUIRED,
    ActionError,
    Role,
    demands,
    roles_for,
)
from controller.tape.inputs import OperatorAction
from firmware_bridge.transport.clock import now

CONNECTIONS_MAX: Final = 16
LINE_BYTES_MAX: Final = 64 * 1024
SOCKET_MODE: Final = 0o660
# A client that neither asks nor reads for so long is let go.
PATIENCE_S: Final = 60.0
# A subscriber hears of changes at once, but not more often than a person can read.
BETWEEN_SNAPSHOTS_S: Final = 0.05
_LOOK_UP_S: Final = 0.5
_PROBE_S: Final = 1.0
_RECEIVE_BYTES: Final = 4096
_PEER: Final = struct.Struct("iII")
_WORDS_OF: Final = {
    "status": ("request",),
    "actions": ("request",),
    "subscribe": ("request",),
    "act": (*SIGNATURE, *VALUES),
}

SnapshotOf: TypeAlias = Callable[[], Mapping[str, object]]


class ControlUnavailable(OSError):
    """The socket cannot be served; the message says why and what to do."""


class BadRequest(Exception):
    """A line that is no request; the message says what is wrong and what is allowed."""


class ControlServer:
    """Serves one table at `path`; `snapshot_of` gives what people may see of it now."""

    def __init__(self, path: Path, table: Table, snapshot_of: SnapshotOf) -> None:
        self._path = path
        self._table = table
        self._snapshot_of = snapshot_of
        self._inode = 0
        self._connections = Connections("control", self._serve, _refuse, CONNECTIONS_MAX)

    def start(self) -> None:
        """Listen and serve; a dead program's socket is replaced. Raises ControlUnavailable."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _make_way(self._path)
            listener.bind(os.fspath(self._path))
            # Nobody can connect before listen(), so nobody meets the wider mode of bind().
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
                f"the control socket {self._path} cannot be made: {why}; set [control] socket to a"
                " place this program may write to"
            ) from error
        self._connections.start(listener)

    def stop(self) -> None:
        """Stop serving and take the socket away, unless another program has put its own there."""
        self._connections.stop()
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_S)
        known_by = _known_by(connection)
        try:
            for line in _lines(connection):
                try:
                    request = _request_of(line)
                    if request["request"] == "subscribe":
                        self._stream(connection)
                        return
                    answer = self._answer(request, known_by)
                except (BadRequest, ActionError) as error:
                    answer = _error(str(error))
                _send(connection, answer)
        except BadRequest as error:
            _send(connection, _error(str(error)))

    def _answer(self, request: Plain, known_by: str) -> Plain:
        match request["request"]:
            case "status":
                return {"ok": True, "snapshot": dict(self._snapshot_of())}
            case "actions":
                return {"ok": True, "actions": _actions()}
            case _:
                return self._act(request, known_by)

    def _act(self, request: Plain, known_by: str) -> Plain:
        action = _operator_action(request, known_by)
        table = self._table
        if table.health is Health.RUNNING:
            entries = table.act(action)
            if entries is not None:
                why = refusal(entries)
                return _error(why) if why else {"ok": True, "entries": plain_entries(entries)}
            if table.health is Health.RUNNING:
                return _error(
                    "the table did not answer in time: it may still be stored;"
                    " look at the status before asking again"
                )
        why = f": {table.failure}" if table.failure else ""
        return _error(f"nothing was stored, the table is {table.health.value}{why}")

    def _stream(self, connection: socket.socket) -> None:
        """A snapshot now and after each change, until the client leaves."""
        stopping = self._connections.stopping
        client = select.poll()
        # Nothing but that both directions are closed, which needs no asking for.
        client.register(connection, 0)
        sent = -1
        while not stopping.is_set():
            version = self._table.wait_for_change(sent, _LOOK_UP_S)
            if client.poll(0):
                return
            if version != sent:
                sent = version
                _send(connection, {"snapshot": dict(self._snapshot_of())})
                stopping.wait(BETWEEN_SNAPSHOTS_S)


def _make_way(path: Path) -> None:
    """Remove the socket a dead program left. Raises ControlUnavailable where something lives."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise ControlUnavailable(
            f"{path} is there and is no socket: remove it, or set [control] socket to another path"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            pass  # it lives, and has no time
    raise ControlUnavailable(
        f"another smartshoe is running at {path}: stop it, or give this table a socket of its own"
        " with [control] socket"
    )


def _refuse(connection: socket.socket) -> None:
    connection.settimeout(0.0)
    _send(
        connection,
        _error(f"{CONNECTIONS_MAX} connections are open, and no more are served: close one"),
    )


def _known_by(connection: socket.socket) -> str:
    """Who is on the other end by the kernel's word, such as "uid 1000 (ann)"."""
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    _, uid, _ = _PEER.unpack(peer)
    try:
        return f"uid {uid} ({pwd.getpwuid(uid).pw_name})"
    except KeyError:
        return f"uid {uid}"


def _lines(connection: socket.socket) -> Iterator[bytes]:
    """Whole lines until the client leaves. Raises BadRequest for one that is too long."""
    waiting = b""
    while True:
        line, end, rest = waiting.partition(b"\n")
        if len(line) > LINE_BYTES_MAX:
            raise BadRequest(f"a request has at most {LINE_BYTES_MAX} bytes in one line")
        if end:
            waiting = rest
            if line.strip():
                yield line
            continue
        received = connection.recv(_RECEIVE_BYTES)
        if not received:
            return
        waiting += received


def _request_of(line: bytes) -> Plain:
    """One request, its words known. Raises BadRequest."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"this line is not JSON: {error}") from error
    asked = ", ".join(_WORDS_OF)
    if not isinstance(request, dict) or "request" not in request:
        raise BadRequest(f'a request is an object such as {{"request": "status"}}; known: {asked}')
    name = request["request"]
    if not isinstance(name, str) or name not in _WORDS_OF:
        raise BadRequest(f"unknown request {name!r}; known: {asked}")
    for word in request:
        if word not in _WORDS_OF[name]:
            known = ", ".join(_WORDS_OF[name])
            raise BadRequest(f"unknown key {word!r} in a request {name!r}; known: {known}")
    return request


def _operator_action(request: Plain, known_by: str) -> OperatorAction:
    """Raises ActionError."""
    name = checked_text("action", request.get("action"), required=True)
    role = _role(name, request.get("role"), roles_for(name))
    person = checked_text("by", request.get("by"), required=True)
    action = action_from_request(name, request)
    asked = demands(name, action)
    return OperatorAction(
        at=now(),
        person=person,
        role=_role(f"such a {name}", role.value, asked.roles),
        known_by=known_by,
        action=action,
        reason=checked_text("reason", request.get("reason"), required=asked.reason),
    )


def _role(name: str, role: object, allowed: tuple[Role, ...]) -> Role:
    """Raises ActionError."""
    if role not in allowed:
        roles = ", ".join(one.value for one in allowed)
        raise ActionError(f"{name} is for {roles}, not for {role!r}")
    return Role(str(role))


def _actions() -> list[Plain]:
    return [
        {
            "action": name,
            "roles": [role.value for role in roles],
            "purpose": purpose,
            "reason_required": name in REASON_REQUIRED,
        }
        for name, roles, purpose in ACTION_NAMES
    ]


def _error(words: str) -> Plain:
    return {"ok": False, "error": words}


def _send(connection: socket.socket, answer: Plain) -> None:
    connection.sendall(json.dumps(answer).encode() + b"\n")
