"""What people ask of one table, whatever carries it: the snapshot, actions, changes of accounts.

Not: the socket (controller.outlets.control.server), HTTP (controller.outlets.console).
Source: D-32.
"""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import to_builtins
from msgspec.structs import replace

from controller.core.tape.entries import Entry
from controller.core.tape.inputs import AccountChanged
from controller.journal.people import PeopleFile, put_names
from controller.journal.values import JournalError
from controller.outlets.control.answer_schema import Answer, AnsweredEntry
from controller.outlets.control.answers import answered_entries, refusal_text
from controller.outlets.control.declared_actions import plain_declaration
from controller.outlets.control.requests import (
    ActRequest,
    PeopleRequest,
    action_from_request,
    checked_text,
)
from controller.procedure.people.setting_changes import effective_book
from controller.record.snapshot import Health, Snapshot
from controller.rules.actions.actions import ACTIONS, Action, OperatorAction
from controller.rules.actions.declaration import ActionError, with_persons
from controller.system.json_document import JsonError
from controller.table.accounts.changes import RequestedChange, change_account
from controller.table.accounts.sign_on import AccountError, Accounts, SignOnSession
from controller.table.table import Table
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp

NO_UNIX: Final[Mapping[str, str]] = MappingProxyType({})

SnapshotOf: TypeAlias = Callable[[], Snapshot]


class ActRefused(Exception):
    """The table refused an action by its rules; the message says why."""


class TableUnavailable(Exception):
    """The table stored nothing, or did not answer in time; the message says which."""


# Why a request was not carried out, in words for people.
REFUSALS: Final = (
    JsonError,
    ActionError,
    AccountError,
    JournalError,
    ActRefused,
    TableUnavailable,
)


class TableRequests:
    """Answers the requests of people at one table; any thread may ask.

    A name in a request goes on as the person's id in `people`; answers have names again
    (`encoded`). `unix` names the person to whom an account of the machine belongs.
    """

    def __init__(
        self,
        table: Table,
        snapshot_of: SnapshotOf,
        people: PeopleFile,
        clock: Callable[[], Timestamp] = now,
        *,
        unix: Mapping[str, str] = NO_UNIX,
    ) -> None:
        self.table = table
        self.snapshot_of = snapshot_of
        self.people = people
        self.accounts = Accounts(people, clock, table.put, unix)

    def session(self, identified_by: str) -> SignOnSession:
        """Nobody has signed on yet; `identified_by` is where the requests come from."""
        return SignOnSession(self.accounts, identified_by)

    def act(
        self, session: SignOnSession, request: ActRequest, values: Mapping[str, object]
    ) -> Answer:
        """Store an action with its conclusions; waits until it is stored.

        Raises ActionError, AccountError and JournalError for what the request is, ActRefused for
        what the rules say of it, TableUnavailable.
        """
        action = self._authorised(session, request, values)
        table = self.table
        if table.health is Health.RUNNING:
            entries = table.act(action)
            if entries is not None:
                why, concluded = self._answer(entries)
                if why:
                    raise ActRefused(why)
                return Answer(ok=True, proof=action.proof.value, entries=concluded)
            if table.health is Health.RUNNING:
                raise TableUnavailable(
                    "the table did not answer in time: the action may still be stored."
                    " Remedy: check the status before you repeat it"
                )
        why = f": {table.failure}" if table.failure else ""
        raise TableUnavailable(f"nothing was stored, the table is {table.health.value}{why}")

    def change_account(self, session: SignOnSession, request: PeopleRequest) -> Answer:
        """Change an account. Raises ActionError, AccountError and JournalError."""
        name = checked_text("name", request.name, required=True)
        wanted = RequestedChange(request.change, name, request.role, request.pin, request.by)
        change_account(self.accounts, session, wanted, self._stores)
        return Answer(ok=True)

    def encoded(self, answer: Answer) -> bytes:
        """The answer as JSON, with the names of persons; where they cannot be read it says so."""
        try:
            return self.named_json(answer)
        except JournalError as error:
            return encode(replace(answer, persons=str(error)))

    def named_json(self, value: Answer | Snapshot) -> bytes:
        """The value as JSON, with the names of persons. Raises JournalError."""
        in_json = {one: json.dumps(name)[1:-1] for one, name in self.people.names().items()}
        return put_names(encode(value).decode(), in_json).encode()

    def _authorised(
        self, session: SignOnSession, request: ActRequest, values: Mapping[str, object]
    ) -> OperatorAction[Action]:
        """The action of a request, with its person, role and proof."""
        person = checked_text("by", request.by or session.default_person(), required=True)
        action = action_from_request(request.action, values)
        reason = checked_text("reason", request.reason, required=False)
        wanted = request.role or action.requirements().roles[0]
        act = OperatorAction(now(), person, wanted, session.identified_by, action, reason)
        act = session.authorise(_with_ids(act, self._known_id), request.role)
        checked_text("reason", reason, required=action.requirements().reason)
        # A new name is stored once it is sure that the action goes to the table.
        return _with_ids(act, self.people.id_of)

    def _known_id(self, name: str) -> str:
        return self.people.find(name) or name

    def _stores(self, item: AccountChanged) -> bool:
        return self.table.act(item) is not None

    def _answer(self, entries: tuple[Entry, ...]) -> tuple[str, tuple[AnsweredEntry, ...]]:
        """Why it was refused, and the entries as far as people may see them now."""
        published = self.table.published
        assert published is not None, "a table that stored an action has published a state"
        core, state = published
        book = effective_book(core.book, state.table)
        return refusal_text(entries, book), answered_entries(entries, book, state.table)


def declared_actions() -> Answer:
    """The actions, their roles and values."""
    return Answer(ok=True, actions=tuple(map(plain_declaration, ACTIONS.values())))


def refused(text: str) -> Answer:
    """The answer to a request that was not carried out."""
    return Answer(ok=False, error=text)


def encode(value: Answer | Snapshot) -> bytes:
    """The value as JSON, with the ids of persons."""
    # A path may be no UTF-8: the standard library escapes it.
    return json.dumps(to_builtins(value)).encode()


def _with_ids(act: OperatorAction[Action], id_of: Callable[[str], str]) -> OperatorAction[Action]:
    """The action with ids in place of the names of persons."""
    return replace(act, person=id_of(act.person), action=with_persons(act.action, id_of))
