"""Sessions over HTTP: tokens, time-out, renewal, attempts."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.journal.people import Account, PeopleFile
from controller.outlets.console.sessions import (
    ATTEMPTS_MAX,
    SESSIONS_MAX,
    UNUSED_S,
    Sessions,
    TooManyAttempts,
)
from controller.rules.actions.declaration import Role
from controller.table.accounts.pin import PinHasher
from controller.table.accounts.sign_on import AccountError, Accounts, SignOnSession
from foundation.timestamp import Timestamp

NS_PER_S = 1_000_000_000
PIN, OTHER_PIN = "270918", "300475"
ANN, SUE = ("Ann Lee", PIN), ("Sue Vey", OTHER_PIN)


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
    """Those of a table with accounts for a floorperson, and for one of surveillance."""
    people, hasher = PeopleFile(tmp_path), PinHasher()
    people.put_account(Account(people.id_of("Ann Lee"), "floorperson", hasher.hash(PIN)))
    people.put_account(Account(people.id_of("Sue Vey"), "surveillance", hasher.hash(OTHER_PIN)))
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
    sessions.sign_on(session, "Ann Lee", PIN, beside=False, own_screen=True)
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
        sessions.sign_on(session, "Ann Lee", "1", beside=False, own_screen=True)
    assert not session.signed_on


def test_an_address_may_try_so_often_in_a_minute(sessions: Sessions, clock: Clock) -> None:
    for _ in range(ATTEMPTS_MAX):
        sessions.count_attempt("192.0.2.7", own_screen=False)
    with pytest.raises(TooManyAttempts, match="Remedy: wait"):
        sessions.count_attempt("192.0.2.7", own_screen=False)
    sessions.count_attempt("192.0.2.8", own_screen=False)
    clock.seconds += 60
    sessions.count_attempt("192.0.2.7", own_screen=False)


def test_a_proxy_of_this_machine_uses_up_no_attempt_of_the_own_screen(sessions: Sessions) -> None:
    for _ in range(ATTEMPTS_MAX):
        sessions.count_attempt("127.0.0.1", own_screen=False)
    with pytest.raises(TooManyAttempts):
        sessions.count_attempt("127.0.0.1", own_screen=False)
    sessions.count_attempt("127.0.0.1", own_screen=True)


def test_who_has_signed_on_is_not_pushed_out_by_others(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    sessions.sign_on(session, "Ann Lee", PIN, beside=False, own_screen=True)
    for _ in range(SESSIONS_MAX + 1):
        sessions.begin("127.0.0.1")
    assert len(sessions) == SESSIONS_MAX
    assert sessions.of(session.token) is session


def test_a_client_with_many_sessions_pushes_out_its_own(sessions: Sessions, clock: Clock) -> None:
    screen = sessions.begin("127.0.0.1")
    clock.seconds += 60
    for _ in range(SESSIONS_MAX + 1):
        sessions.begin("192.0.2.7")
    assert len(sessions) == SESSIONS_MAX
    assert sessions.of(screen.token) is screen


def test_who_may_only_read_stays_signed_on_for_a_shift(sessions: Sessions, clock: Clock) -> None:
    session = sessions.begin("127.0.0.1")
    sessions.sign_on(session, "Sue Vey", OTHER_PIN, beside=False, own_screen=True)
    clock.seconds += UNUSED_S - 1
    assert sessions.of(session.token) is session
    assert session.signed_on
    clock.seconds += 1
    assert sessions.of(session.token) is session
    assert not session.signed_on


def test_who_may_act_does_not_stay_longer_for_a_reader_beside(
    sessions: Sessions, clock: Clock
) -> None:
    for first, then in ((ANN, SUE), (SUE, ANN)):
        session = sessions.begin("127.0.0.1")
        sessions.sign_on(session, *first, beside=True, own_screen=True)
        sessions.sign_on(session, *then, beside=True, own_screen=True)
        clock.seconds += 15 * 60
        assert sessions.of(session.token) is session
        assert not session.signed_on


def test_a_stream_keeps_its_session_but_not_its_sign_on(sessions: Sessions, clock: Clock) -> None:
    session = sessions.begin("127.0.0.1")
    sessions.sign_on(session, "Ann Lee", PIN, beside=False, own_screen=True)
    for _ in range(UNUSED_S // 60):
        clock.seconds += 60
        assert sessions.keep(session.digest)
    assert sessions.of(session.token) is session
    assert not session.signed_on


def test_a_person_signs_on_in_the_place_of_another_or_beside(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    ann = sessions.sign_on(session, "Ann Lee", PIN, beside=False, own_screen=True)
    sue = sessions.sign_on(session, "Sue Vey", OTHER_PIN, beside=False, own_screen=True)
    assert (session.person, session.sign_on.default_person()) == (sue, sue)
    sessions.sign_on(session, "Ann Lee", PIN, beside=True, own_screen=True)
    assert session.person == sue
    assert {session.sign_on.known(one).role for one in (ann, sue)} == {
        Role.FLOORPERSON,
        Role.SURVEILLANCE,
    }


def test_who_gives_a_pin_for_one_action_has_not_signed_on(sessions: Sessions) -> None:
    session = sessions.begin("127.0.0.1")
    people = session.sign_on.copy()
    people.sign_on("Ann Lee", PIN)
    assert people.default_person() != ""
    assert session.sign_on.default_person() == ""
