"""Sessions over HTTP: tokens, time-out, renewal, attempts."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.accounts.pin import PinHasher
from controller.accounts.sign_on import AccountError, Accounts, SignOnSession
from controller.console.sessions import (
    ATTEMPTS_MAX,
    SESSIONS_MAX,
    UNUSED_S,
    Sessions,
    TooManyAttempts,
)
from controller.journal.people import Account, PeopleFile
from firmware_bridge.timestamp import Timestamp

NS_PER_S = 1_000_000_000
PIN = "270918"


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000

    def __call__(self) -> Timestamp:
        return Timestamp(self.seconds * NS_PER_S, self.seconds * NS_PER_S)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(tmp_path: Path, clock: Clock) -> Sessions:
    """Those of a table at which Ann Lee, a floorperson, has an account."""
    people = PeopleFile(tmp_path)
    people.put_account(Account(people.id_of("Ann Lee"), "floorperson", PinHasher().hash(PIN)))
    accounts = Accounts(people, clock, lambda _: None, {})
    requests = SimpleNamespace(session=lambda by: SignOnSession(accounts, by))
    return Sessions(requests, language="en", sign_on_minutes=15, clock=clock)  # type: ignore[arg-type]


def test_a_token_is_that_of_its_session_alone(sessions: Sessions) -> None:
    one, other = sessions.begin("127.0.0.1"), sessions.begin("127.0.0.1")
    assert one.token != other.token
    assert sessions.of(one.token) is one
    assert sessions.of("") is sessions.of("x" * 43) is None


def test_the_token_itself_is_not_kept(sessions: Sessions) -> None:
    token = sessions.begin("127.0.0.1").token
    assert token.encode() not in b"".join(sessions._sessions)


def test_a_sign_on_ends_after_its_minutes_without_an_act(sessions: Sessions, clock: Clock) -> None:
    session = sessions.begin("127.0.0.1")
    sessions.sign_on(session, "Ann Lee", PIN)
    clock.seconds += 15 * 60 - 1
    session.acted()
    clock.seconds += 15 * 60 - 1
    assert sessions.of(session.token) is session
    assert session.signed_on
    clock.seconds += 1
    again = sessions.of(session.token)
    assert again is not None
    assert again.person == ""
    assert session.sign_on.default_person() == ""


def test_a_session_that_nobody_uses_is_forgotten(sessions: Sessions, clock: Clock) -> None:
    token = sessions.begin("127.0.0.1").token
    clock.seconds += UNUSED_S
    assert sessions.of(token) is None


def test_signing_on_changes_token_and_secret(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    token, csrf = session.token, session.csrf
    sessions.renew(session)
    assert sessions.of(token) is None
    assert sessions.of(session.token) is session
    assert session.csrf != csrf


def test_a_wrong_pin_signs_nobody_on(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    with pytest.raises(AccountError):
        sessions.sign_on(session, "Ann Lee", "1")
    assert not session.signed_on


def test_an_address_may_try_so_often_in_a_minute(sessions: Sessions, clock: Clock) -> None:
    for _ in range(ATTEMPTS_MAX):
        sessions.count_attempt("192.0.2.7")
    with pytest.raises(TooManyAttempts, match="Remedy: wait"):
        sessions.count_attempt("192.0.2.7")
    sessions.count_attempt("192.0.2.8")
    clock.seconds += 60
    sessions.count_attempt("192.0.2.7")


def test_who_has_signed_on_is_not_pushed_out_by_others(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    sessions.sign_on(session, "Ann Lee", PIN)
    for _ in range(SESSIONS_MAX + 1):
        sessions.begin("127.0.0.1")
    assert len(sessions) == SESSIONS_MAX
    assert sessions.of(session.token) is session


def test_who_gives_a_pin_for_one_action_has_not_signed_on(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    people = session.sign_on.copy()
    people.sign_on("Ann Lee", PIN)
    assert people.default_person() != ""
    assert session.sign_on.default_person() == ""
