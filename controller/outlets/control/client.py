"""The client of the control socket: sends requests to a running table."""

import contextlib
import grp
import json
import os
import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import DecodeError

from controller.outlets.control.answer_schema import Answer
from controller.record.snapshot import Snapshot
from controller.system.peer import uid_of_peer
from foundation.typed_reading import json_decoder

# Longer than the table takes to store an action or to report a failure.
ANSWER_TIMEOUT_S: Final = 20.0
# A signal that arrives just before a wait, or at another thread, is handled when that wait ends.
_SINGLE_WAIT_S: Final = 0.5
_RECEIVE_BYTES: Final = 65536

ANSWER: Final = json_decoder(Answer)


class ControlError(Exception):
    """The table cannot be reached; the message says why and what to do."""


class TableNotRunning(ControlError):
    """Nobody listens at the socket."""


class NoPermission(ControlError):
    """This account may not use the socket."""


class ForeignAccount(ControlError):
    """Another account than the table's listens at the socket."""


class ControlClient:
    """A client of the table whose control socket is at `path`; it waits `answer_s` seconds.

    With `served_by`, nothing is sent to a program of another account.
    """

    def __init__(
        self, path: Path, answer_s: float = ANSWER_TIMEOUT_S, *, served_by: int | None = None
    ) -> None:
        self.path = path
        self._answer_s = answer_s
        self._served_by = served_by

    def request(self, *requests: Mapping[str, object]) -> Answer:
        """Send requests on one connection, each after the answer to the one before.

        Return the last answer, or the first that refuses. Raises ControlError.
        """
        first, *others = requests
        with self._send_request(first) as connection:
            for answer in self._answers(connection, self._answer_s):
                if not others or not answer.ok:
                    return answer
                self._send(connection, others.pop(0))
        raise ControlError(
            f"{self.path}: the table ended without an answer. Remedy: start it again, and check its"
            " status before you repeat the request"
        )

    def status(self) -> Snapshot:
        """The snapshot, once. Raises ControlError."""
        return self._snapshot_in(self.request({"request": "status"}))

    def subscribe(self, silence_s_max: float | None = None) -> Iterator[Snapshot]:
        """Yield a snapshot now and after each change, until the table ends.

        Raises ControlError, also if nothing changes for `silence_s_max` seconds.
        """
        with self._send_request({"request": "subscribe"}) as connection:
            for answer in self._answers(connection, silence_s_max):
                yield self._snapshot_in(answer)

    def _snapshot_in(self, answer: Answer) -> Snapshot:
        if answer.snapshot is None:
            raise ControlError(
                f"{self.path}: {answer.error}" if answer.error else self._foreign_text()
            )
        return answer.snapshot

    def _send_request(self, request: Mapping[str, object]) -> socket.socket:
        """Connect and send the request."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # The kernel waits for a place among those that the table has not yet accepted; it would
            # answer a socket that does not block at once that there is none.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(self._answer_s))
            connection.connect(os.fspath(self.path))
            connection.settimeout(self._answer_s)
            self._check_server(connection)
            self._send(connection, request)
        except OSError as error:
            connection.close()
            raise self._error_of(error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_server(self, connection: socket.socket) -> None:
        """Raises ForeignAccount."""
        if self._served_by is None or uid_of_peer(connection) == self._served_by:
            return
        raise ForeignAccount(
            f"{self.path}: a program of another account answers here. Allowed: account"
            f" {self._served_by}, which runs the table. Remedy: tell who keeps this machine"
        )

    def _send(self, connection: socket.socket, request: Mapping[str, object]) -> None:
        # The table closes a connection beyond its limit at once, but has sent the reason.
        with contextlib.suppress(BrokenPipeError):
            connection.sendall(json.dumps(dict(request)).encode() + b"\n")

    def _answers(self, connection: socket.socket, silence_s_max: float | None) -> Iterator[Answer]:
        buffer = b""
        while True:
            line, end, rest = buffer.partition(b"\n")
            if end:
                buffer = rest
                yield self._parse_answer(line)
                continue
            try:
                received = _receive(connection, silence_s_max)
            except ConnectionResetError:
                return
            except OSError as error:
                raise self._error_of(error) from error
            if not received:
                return
            buffer += received

    def _parse_answer(self, line: bytes) -> Answer:
        try:
            return ANSWER.decode(line)
        except DecodeError as error:
            raise ControlError(self._foreign_text()) from error

    def _foreign_text(self) -> str:
        return (
            f"{self.path}: the program there is not smartshoe of this version. Remedy: name the"
            " table's table.toml, or its own socket, or use the commands of its version"
        )

    def _error_of(self, error: OSError) -> ControlError:
        match error:
            case FileNotFoundError() | ConnectionRefusedError():
                kind: type[ControlError] = TableNotRunning
            case PermissionError():
                kind = NoPermission
            case _:
                kind = ControlError
        return kind(self._error_text(error))

    def _error_text(self, error: OSError) -> str:
        match error:
            case FileNotFoundError() | ConnectionRefusedError():
                start = "smartshoe run --config FILE"
                return f"{self.path}: no table is running here. Remedy: start it with `{start}`"
            case PermissionError():
                return (
                    f"{self.path}: this account has no permission to use it. Allowed:"
                    f" {group_of(self.path)}. Remedy: ask for this account to be added"
                )
            case TimeoutError():
                problem = f"the table did not answer within {self._answer_s:g} s"
                return f"{self.path}: {problem}. Remedy: check its status before you repeat it"
            case _:
                return f"{self.path}: {error.strerror or error}. Remedy: name the table's socket"


def group_of(path: Path) -> str:
    """The name or number of the group that may use a socket or a folder of sockets."""
    try:
        number = path.stat().st_gid
    except OSError:
        return "the group of its folder"
    try:
        return f"group {grp.getgrgid(number).gr_name}"
    except KeyError:
        return f"group {number}"


def _receive(connection: socket.socket, silence_s_max: float | None) -> bytes:
    """The next bytes, empty at the end. Raises OSError, TimeoutError after this much silence."""
    connection.settimeout(_SINGLE_WAIT_S)
    waits = 0
    while True:
        try:
            return connection.recv(_RECEIVE_BYTES)
        except TimeoutError:
            waits += 1
            if silence_s_max is not None and waits * _SINGLE_WAIT_S >= silence_s_max:
                raise


def _timeval(seconds: float) -> bytes:
    """What SO_SNDTIMEO takes; socket(7)."""
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
