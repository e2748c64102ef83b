"""The other end of the control socket: asking a running table.

Responsible for: one request and its answer, a subscription, and errors as sentences.
Not responsible for: what is asked and shown (cli). Only the standard library, quick to load.
Source: package README, "Control socket".
"""

import contextlib
import grp
import json
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

# Longer than the table takes to store an action, or to say that it could not.
ANSWER_S: Final = 20.0
_RECEIVE_BYTES: Final = 65536

Plain: TypeAlias = dict[str, object]


class ControlError(Exception):
    """The table cannot be asked; the message says why and what to do."""


class ControlClient:
    """Asks the table whose control socket is at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def request(self, request: Mapping[str, object]) -> Plain:
        """Send one request and return its answer: `ok`, and `error` where it is false.

        Raises ControlError.
        """
        with self._conversation(request, ANSWER_S) as connection:
            for answer in self._answers(connection):
                return answer
        raise ControlError(f"the table at {self._path} ended without an answer")

    def subscribe(self, silence_s_max: float | None = None) -> Iterator[Plain]:
        """Snapshots: one now and one after each change, until the table ends.

        Raises ControlError, also where nothing changes for `silence_s_max`.
        """
        with self._conversation({"request": "subscribe"}, silence_s_max) as connection:
            for answer in self._answers(connection):
                snapshot = answer.get("snapshot")
                if not isinstance(snapshot, dict):
                    raise ControlError(str(answer.get("error", "the answer is no snapshot")))
                yield snapshot

    def _conversation(
        self, request: Mapping[str, object], timeout_s: float | None
    ) -> socket.socket:
        """A connection on which the request is sent."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(timeout_s)
            connection.connect(os.fspath(self._path))
            # Where one connection is too many the table hangs up first, but has said why.
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(json.dumps(dict(request)).encode() + b"\n")
        except OSError as error:
            connection.close()
            raise ControlError(self._why(error)) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _answers(self, connection: socket.socket) -> Iterator[Plain]:
        waiting = b""
        while True:
            line, end, rest = waiting.partition(b"\n")
            if end:
                waiting = rest
                yield self._answer(line)
                continue
            try:
                received = connection.recv(_RECEIVE_BYTES)
            except ConnectionResetError:
                return
            except OSError as error:
                raise ControlError(self._why(error)) from error
            if not received:
                return
            waiting += received

    def _answer(self, line: bytes) -> Plain:
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise ControlError(f"what serves {self._path} is no smartshoe: {error}") from error
        if not isinstance(answer, dict):
            raise ControlError(f"what serves {self._path} is no smartshoe")
        return answer

    def _why(self, error: OSError) -> str:
        match error:
            case FileNotFoundError() | ConnectionRefusedError():
                start = "smartshoe run --config FILE"
                return f"no table is running here: start `{start}` (no answer at {self._path})"
            case PermissionError():
                return (
                    f"no permission to use {self._path}: {self._group()} may; "
                    "ask for this account to be added"
                )
            case TimeoutError():
                return f"the table at {self._path} did not answer within {ANSWER_S:.0f} s"
            case _:
                return f"{self._path}: {error.strerror or error}"

    def _group(self) -> str:
        """The group that may use the socket, in words."""
        try:
            number = self._path.stat().st_gid
        except OSError:
            return "the group of its folder"
        try:
            return f"group {grp.getgrgid(number).gr_name}"
        except KeyError:
            return f"group {number}"
