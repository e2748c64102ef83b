"""Who acts, and how that is known: by PIN, by the machine's account, or not.

Not: which roles an action needs (controller.rules.actions).
"""

import pwd
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.inputs import AccountChange, AccountChanged
from controller.journal.people import NO_WRONG_PINS, Account, PeopleFile, WrongPins
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import Author, Proof, Role, name_of
from controller.system.messages.catalogue import to_words
from controller.table.accounts.pin import NO_HASH, PinHasher
from foundation.message import Message, message
from foundation.timestamp import Timestamp

FAILURES_MAX: Final = 5
LOCKED_S: Final = 15 * 60
_NS_PER_S: Final = 1_000_000_000
_UNIX: Final = "uid-"
_WRONG: Final = message("sign_on_refused", failures=FAILURES_MAX, minutes=LOCKED_S // 60)


class AccountError(Exception):
    """What a person may not do so; the message says what is allowed. It holds no PIN."""


class Known(Struct, frozen=True):
    """How a person is known on a connection; `role` is that of the account, None without one."""

    proof: Proof
    role: Role | None


_CLAIMED: Final = message("name_alone_is_a_claim")
_CLAIM: Final = Known(Proof.NONE, None)


class Accounts:
    """The accounts of one table; `record` puts an input on record without waiting.

    `unix` names the person to whom an account of the machine (name or number) belongs.
    """

    def __init__(
        self,
        people: PeopleFile,
        clock: Callable[[], Timestamp],
        record: Callable[[AccountChanged], object],
        unix: Mapping[str, str],
    ) -> None:
        self.people = people
        self.hasher = PinHasher()
        self.clock = clock
        self._record = record
        self._unix = unix

    def person_of(self, uid: int | None) -> str:
        """The id of the person to whom this account of the machine belongs, or empty."""
        if uid is None:
            return ""
        try:
            name = pwd.getpwuid(uid).pw_name
        except KeyError:
            name = ""
        belongs_to = self._unix.get(name) or self._unix.get(str(uid))
        return self.people.find(belongs_to) if belongs_to else ""

    def check_pin(self, name: str, pin: str, identified_by: str, *, here: bool) -> Account:
        """The account of that name, if this is its PIN.

        `here`: it is given at the table's own screen or socket. Guesses from elsewhere count for
        elsewhere alone, so that nobody on the network can lock a person out at the table.
        An unknown name costs as much, and gets the same answer. Raises AccountError.
        """
        # Otherwise PINs that are tried side by side would count as one.
        with self.people.alone():
            at = self.clock()
            account = self.people.account(self.people.find(name)) or Account("", "", NO_HASH)
            wrong = account.here if here else account.elsewhere
            locked = at.utc_ns < wrong.locked_until_ns
            if self.hasher.matches(pin, account.pin_hash) and not locked:
                if wrong.failures:
                    account = _counted(account, NO_WRONG_PINS, here=here)
                    self.people.put_account(account)
                return account
            failures, until_ns = wrong.failures + 1, wrong.locked_until_ns
            if failures >= FAILURES_MAX and not locked:
                until_ns = at.utc_ns + LOCKED_S * _NS_PER_S
                self._record(_locked(account, at, identified_by))
            self.people.put_account(_counted(account, WrongPins(failures, until_ns), here=here))
        raise AccountError(to_words(_WRONG))


def _counted(account: Account, wrong: WrongPins, *, here: bool) -> Account:
    return replace(account, here=wrong) if here else replace(account, elsewhere=wrong)


def _locked(account: Account, at: Timestamp, identified_by: str) -> AccountChanged:
    role = Role(account.role) if account.role else None
    return AccountChanged(
        at, account.person, AccountChange.LOCKED, role, "", identified_by, Proof.NONE
    )


def unix_account(uid: int) -> str:
    """An account of the machine as records have it, by its number: its name may be a person's."""
    return f"{_UNIX}{uid}"


def http_client(address: str) -> str:
    """A client over HTTP as records have it: by its address, which proves nobody."""
    return f"http-{address}"


class SignOnSession:
    """Who has signed on on one connection; it ends with the connection.

    `identified_by` is where the requests come from, as records have it: a `unix_account`, or
    another word without spaces, such as "http-192.0.2.7". Only with the first there is a `uid`.
    """

    def __init__(self, accounts: Accounts, identified_by: str) -> None:
        self.identified_by = identified_by
        uid = identified_by.removeprefix(_UNIX)
        self.uid = None if uid == identified_by else int(uid)
        self._accounts = accounts
        self._signed_on: dict[str, Account] = {}
        self._claims = True

    def sign_on(self, name: str, pin: str, *, own_screen: bool = False) -> str:
        """Sign a person on, beside those who have; the person's id.

        `own_screen`: the request came over HTTP from the table's own screen. Raises AccountError.
        """
        here = own_screen or self.uid is not None
        account = self._accounts.check_pin(name, pin, self.identified_by, here=here)
        self._signed_on[account.person] = account
        return account.person

    def sign_off(self) -> None:
        """Sign everybody off."""
        self._signed_on.clear()

    def copy(self, *, claims: bool = True) -> "SignOnSession":
        """Those who have signed on, in a session of its own: who signs on there does not here.

        `claims`: a name alone is enough there for what a dealer does.
        """
        session = SignOnSession(self._accounts, self.identified_by)
        session._signed_on = dict(self._signed_on)
        session._claims = claims
        return session

    def default_person(self) -> str:
        """The person who acts where a request names none; empty if that is not clear."""
        if len(self._signed_on) == 1:
            return next(iter(self._signed_on))
        return "" if self._signed_on else self._accounts.person_of(self.uid)

    def known(self, person: str) -> Known:
        """How the person of this id is known here, by the account as it is now."""
        account = self._accounts.people.account(person) if person else None
        if account is None:
            return _CLAIM
        signed_on = self._signed_on.get(person)
        # Who has another role or PIN since then signs on again.
        if signed_on is not None and _same(signed_on, account):
            return Known(Proof.PIN, Role(account.role))
        if person == self._accounts.person_of(self.uid):
            return Known(Proof.ACCOUNT, Role(account.role))
        return _CLAIM

    def authorise(self, act: OperatorAction[Action], wanted: Role | None) -> OperatorAction[Action]:
        """The action with role and proofs, if the person may take it. Raises AccountError.

        Where accounts are set up, a claim is enough for what a dealer does, and for nothing else;
        a second person is proved as well.
        """
        known, second = self.known(act.person), str(getattr(act.action, "second", ""))
        second_proof = self.known(second).proof
        roles = act.action.requirements().roles
        role = known.role or wanted or roles[0]
        if self._accounts.people.account_count():
            if known.proof is Proof.NONE and not self._claims:
                raise _not_proved("by", _CLAIMED)
            if known.proof is Proof.NONE and role is not Role.DEALER:
                raise _not_proved("by", message("claim_is_enough_for_dealer"))
            if known.proof is Proof.NONE and act.action.proof_required:
                raise AccountError(to_words(message("dealer_not_proved", place="by")))
            if second and second_proof is Proof.NONE:
                raise _not_proved("second", _CLAIMED)
        if wanted not in (None, role):
            raise AccountError(
                to_words(message("role_is_not_of_account", wanted=wanted, role=role))
            )
        name = name_of(act.action)
        what = message("act_of_such_kind", act=name) if role in act.action.roles else name
        _check_role(role, roles, what)
        return replace(act, role=role, proof=known.proof, second_proof=second_proof)

    def author(self, name: str, roles: tuple[Role, ...], what: str) -> Author:
        """Who does `what` beside a running table, where one of these roles may.

        Where accounts are set up, that is proved. Raises AccountError.
        """
        people = self._accounts.people
        person = people.find(name)
        known = self.known(person)
        if people.account_count():
            if known.role is None:
                raise _not_proved("by", _CLAIMED)
            _check_role(known.role, roles, what)
        return Author(person or name, known.proof)


def _same(one: Account, other: Account) -> bool:
    return (one.pin_hash, one.role) == (other.pin_hash, other.role)


def _check_role(role: Role, roles: tuple[Role, ...], what: str | Message) -> None:
    """Raises AccountError."""
    if role not in roles:
        raise AccountError(
            to_words(message("act_is_not_for_role", what=what, role=role, roles=roles))
        )


def _not_proved(place: str, why: Message) -> AccountError:
    return AccountError(to_words(message("person_at_place_not_proved", place=place, why=why)))
