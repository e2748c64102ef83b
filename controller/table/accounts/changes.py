"""Changes of accounts: who may make them, and that each is on record before it is made."""

import os
from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.inputs import AccountChange, AccountChanged
from controller.journal.people import NO_WRONG_PINS, Account
from controller.rules.actions.declaration import Proof, Role
from controller.table.accounts.pin import pin_problem
from controller.table.accounts.sign_on import AccountError, Accounts, SignOnSession

ACCOUNTS_MAX: Final = 500
_NEED_PIN: Final = (AccountChange.ADDED, AccountChange.PIN)
_NEED_ROLE: Final = (AccountChange.ADDED, AccountChange.ROLE)


class RequestedChange(Struct, frozen=True):
    """A change of the account of the person `name`, requested by the person `by`, if given."""

    change: AccountChange
    name: str
    role: Role | None = None
    pin: str = ""
    by: str = ""


def change_account(
    accounts: Accounts,
    session: SignOnSession,
    wanted: RequestedChange,
    store: Callable[[AccountChanged], bool],
) -> None:
    """Record the change, then make it. Raises AccountError, and JournalError of the file."""
    people = accounts.people
    person = people.find(wanted.name)
    now = people.account(person) if person else None
    by, proof = _author(session, wanted, person, people.find(wanted.by) if wanted.by else "")
    _check(accounts, wanted, now)
    pin_hash = accounts.hasher.hash(wanted.pin) if wanted.change in _NEED_PIN else ""
    person = person or people.id_of(wanted.name)
    after = _after(now or Account(person, "", ""), wanted, pin_hash)
    at, role = accounts.clock(), Role(after.role)
    item = AccountChanged(at, person, wanted.change, role, by, session.identified_by, proof)
    if not store(item):
        raise AccountError(
            "the table could not store the change: nothing was changed. Remedy: check its status,"
            " then repeat it"
        )
    if wanted.change is AccountChange.REMOVED:
        people.remove_account(person)
    else:
        people.put_account(after)


def _author(
    session: SignOnSession, wanted: RequestedChange, person: str, named: str
) -> tuple[str, Proof]:
    """Who makes the change, empty for the machine's administrator. Raises AccountError.

    Those who decide at tables make no accounts: with one of their own making they would be two.
    """
    by = named or session.default_person()
    known = session.known(by)
    if known.proof is not Proof.NONE:
        if wanted.change is AccountChange.PIN and by == person:
            return by, known.proof
        if wanted.change is AccountChange.UNLOCKED and known.role is Role.PIT_MANAGER:
            return by, known.proof
    # Who has this account of the machine could write the file as well.
    if session.uid in (0, os.geteuid()) and not wanted.by:
        return "", Proof.ACCOUNT
    raise AccountError(
        "people: this account may not do that. Allowed: the administrator of the machine; for"
        " unlock a pit manager, too, and for pin the person. Remedy: sign on as one of them with"
        " --by, or use the account that runs the table"
    )


def _check(accounts: Accounts, wanted: RequestedChange, now: Account | None) -> None:
    """Raises AccountError for a change that makes no sense."""
    added = wanted.change is AccountChange.ADDED
    if wanted.change is AccountChange.LOCKED:
        raise AccountError("people: nobody is locked by hand. Remedy: remove the account")
    if added == (now is not None):
        is_there = "has an account already" if added else "has no account here"
        raise AccountError(
            f"people: this person {is_there}. Remedy: `smartshoe people list` shows who has one"
        )
    if wanted.change in _NEED_ROLE and wanted.role is None:
        raise AccountError(
            f"role: it is missing. Allowed: {', '.join(Role)}. Remedy: name the person's role"
        )
    problem = pin_problem(wanted.pin) if wanted.change in _NEED_PIN else ""
    if problem:
        raise AccountError(problem)
    if added and accounts.people.account_count() >= ACCOUNTS_MAX:
        raise AccountError(
            f"people: there are {ACCOUNTS_MAX} accounts, as many as may be. Remedy: remove one"
        )


def _after(now: Account, wanted: RequestedChange, pin_hash: str) -> Account:
    """The account after the change; a new PIN, like a word of a supervisor, ends a lock."""
    match wanted.change:
        case AccountChange.ROLE:
            assert wanted.role is not None, "it was checked"
            return replace(now, role=wanted.role.value)
        case AccountChange.UNLOCKED:
            return replace(now, here=NO_WRONG_PINS, elsewhere=NO_WRONG_PINS)
        case AccountChange.REMOVED:
            return now
        case _:
            role = now.role if wanted.role is None else wanted.role.value
            return Account(now.person, role, pin_hash)
