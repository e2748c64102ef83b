"""The control socket: a Unix socket with JSON lines for status, subscriptions and actions.

The kernel, not the client, says which account is at the other end.
Source: controller/control/README.md, "Control socket"; D-32.
"""

import contextlib
import grp
import json
import os
import re
import socket
import stat
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from msgspec import to_builtins
from msgspec.structs import replace

from controller.accounts.changes import RequestedChange, change_account
from controller.accounts.sign_on import AccountError, Accounts, SignOnSession, unix_account
from controller.actions.actions import (
    ACTIONS,
    Action,
    OperatorAction,
)
from controller.actions.declaration import ActionError, with_persons
from controller.control.act_rate import ActRate
from controller.control.answer_schema import Answer, AnsweredEntry
from controller.control.answers import answered_entries, refusal_text
from controller.control.declared_actions import plain_declaration
from controller.control.requests import (
    ActionsRequest,
    ActRequest,
    PeopleRequest,
    SignOffRequest,
    SignOnRequest,
    StatusRequest,
    SubscribeRequest,
    action_from_request,
    checked_text,
    parse_request,
)
from controller.journal.people import PeopleFile, put_names
from controller.journal.values import JournalError
from controller.procedure.people.setting_changes import effective_book
from controller.system.connections import Connections
from controller.system.json_document import JsonError
from controller.system.peer import ConnectionRules, Peer, RequestTooLong
from controller.table.table import Table
from controller.tape.entries import Entry
from controller.tape.inputs import AccountChanged
from controller.views.snapshot import Health, Snapshot
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.clock import now

ACCOUNT_CONNECTIONS_MAX: Final = 16
CONNECTIONS_MAX: Final = 64
LINE_BYTES_MAX: Final = 64 * 1024
SOCKET_MODE: Final = 0o660
# Snapshots follow changes at once, but not faster than a person can read.
SNAPSHOT_INTERVAL_S: Final = 0.05
_POLL_S: Final = 0.5
_PROBE_S: Final = 1.0
_LINE_END: Final = re.compile(rb"\n")
_PEER: Final = struct.Struct("iII")

NO_UNIX: Final[Mapping[str, str]] = MappingProxyType({})

SnapshotOf: TypeAlias = Callable[[], Snapshot]


class ControlUnavailable(OSError):
    """The socket cannot be served; the message says why and what to do."""


class ControlServer:
    """Serves one table at `path`; `snapshot_of` returns what people may see of it now.

    A name in a request goes on as the person's id in `people`; answers have names again. `unix`
    names the person to whom an account of the machine belongs, `group` the group that may use the
    socket, empty for that of this program.
    """

    def __init__(
        self,
        path: Path,
        table: Table,
        snapshot_of: SnapshotOf,
        people: PeopleFile,
        clock: Callable[[], Timestamp] = now,
        *,
        unix: Mapping[str, str] = NO_UNIX,
        group: str = "",
    ) -> None:
        self._path = path
        self._table = table
        self._snapshot_of = snapshot_of
        self._people = people
        self._accounts = Accounts(people, clock, table.put, unix)
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
        session = SignOnSession(self._accounts, peer.account)
        while True:
            try:
                request, values = parse_request(peer.request(_LINE_END, LINE_BYTES_MAX))
                match request:
                    case StatusRequest():
                        answer = Answer(ok=True, snapshot=self._snapshot_of())
                    case ActionsRequest():
                        answer = Answer(
                            ok=True, actions=tuple(map(plain_declaration, ACTIONS.values()))
                        )
                    case SubscribeRequest():
                        self._stream(peer)
                        return
                    case ActRequest():
                        acts.count()
                        answer = self._act(self._authorised(session, request, values))
                    case SignOnRequest():
                        acts.count()
                        session.sign_on(request.by, request.pin)
                        answer = Answer(ok=True)
                    case SignOffRequest():
                        session.sign_off()
                        answer = Answer(ok=True)
                    case PeopleRequest():
                        acts.count()
                        answer = self._change_account(session, request)
                    case _:
                        assert_never(request)
            except RequestTooLong:
                text = f"a request has at most {LINE_BYTES_MAX} bytes in one line"
                peer.send(_encoded(_error(text)))
                return
            except (JsonError, ActionError, AccountError, JournalError) as error:
                answer = _error(str(error))
            self._send(peer, answer)

    def _authorised(
        self, session: SignOnSession, request: ActRequest, values: Mapping[str, object]
    ) -> OperatorAction[Action]:
        """The action of a request, with its person, role and proof.

        Raises ActionError and AccountError.
        """
        person = checked_text("by", request.by or session.default_person(), required=True)
        action = action_from_request(request.action, values)
        reason = checked_text("reason", request.reason, required=False)
        wanted = request.role or action.requirements().roles[0]
        act = OperatorAction(now(), person, wanted, session.identified_by, action, reason)
        act = session.authorise(_with_ids(act, self._known_id), request.role)
        checked_text("reason", reason, required=action.requirements().reason)
        # A new name is stored once it is sure that the action goes to the table.
        return _with_ids(act, self._people.id_of)

    def _known_id(self, name: str) -> str:
        return self._people.find(name) or name

    def _change_account(self, session: SignOnSession, request: PeopleRequest) -> Answer:
        name = checked_text("name", request.name, required=True)
        wanted = RequestedChange(request.change, name, request.role, request.pin, request.by)
        change_account(self._accounts, session, wanted, self._stores)
        return Answer(ok=True)

    def _stores(self, item: AccountChanged) -> bool:
        return self._table.act(item) is not None

    def _send(self, peer: Peer, answer: Answer) -> None:
        try:
            names = self._people.names()
        except JournalError as error:
            names, answer = {}, replace(answer, persons=str(error))
        in_json = {one: json.dumps(name)[1:-1] for one, name in names.items()}
        peer.send(put_names(_encoded(answer).decode(), in_json).encode())

    def _act(self, action: OperatorAction[Action]) -> Answer:
        table = self._table
        if table.health is Health.RUNNING:
            entries = table.act(action)
            if entries is not None:
                why, concluded = self._answer(entries)
                if why:
                    return _error(why)
                return Answer(ok=True, proof=action.proof.value, entries=concluded)
            if table.health is Health.RUNNING:
                return _error(
                    "the table did not answer in time: the action may still be stored."
                    " Remedy: check the status before you repeat it"
                )
        why = f": {table.failure}" if table.failure else ""
        return _error(f"nothing was stored, the table is {table.health.value}{why}")

    def _answer(self, entries: tuple[Entry, ...]) -> tuple[str, tuple[AnsweredEntry, ...]]:
        """Why it was refused, and the entries as far as people may see them now."""
        published = self._table.published
        assert published is not None, "a table that stored an action has published a state"
        core, state = published
        book = effective_book(core.book, state.table)
        return refusal_text(entries, book), answered_entries(entries, book, state.table)

    def _stream(self, peer: Peer) -> None:
        """Send a snapshot now and after each change, as fast as the client reads, until it ends."""
        stopping = self._connections.stopping
        peer.follow()
        sent = -1
        while not stopping.is_set():
            version = self._table.wait_for_change(sent, _POLL_S)
            if peer.has_read():
                if version == sent:
                    continue
                sent = version
                self._send(peer, Answer(ok=True, snapshot=self._snapshot_of()))
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
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    _, uid, _ = _PEER.unpack(peer)
    return unix_account(uid)


def _error(text: str) -> Answer:
    return Answer(ok=False, error=text)


def _with_ids(act: OperatorAction[Action], id_of: Callable[[str], str]) -> OperatorAction[Action]:
    """The action with ids in place of the names of persons."""
    return replace(act, person=id_of(act.person), action=with_persons(act.action, id_of))


def _encoded(answer: Answer) -> bytes:
    # A path may be no UTF-8: the standard library escapes it.
    return json.dumps(to_builtins(answer)).encode() + b"\n"


RULES: Final = ConnectionRules(
    account_of=_peer_identity,
    account_max=ACCOUNT_CONNECTIONS_MAX,
    all_max=CONNECTIONS_MAX,
    patience_s=10.0,
    idle_s=60.0,
    refused=_encoded(
        _error(
            f"no connection is free: an account has at most {ACCOUNT_CONNECTIONS_MAX}, all together"
            f" {CONNECTIONS_MAX}, and none is idle. Remedy: close one, then repeat the request"
        )
    ),
    made_room=_encoded(
        _error(
            "this connection was idle and made room for a new one; no request is under way."
            " Remedy: connect again"
        )
    ),
)
