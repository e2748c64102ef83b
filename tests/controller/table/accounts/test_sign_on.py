"""Who acts is proved: by PIN on a connection, by the machine's account; wrong PINs lock."""

import sqlite3
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from people_at_a_table import ALEE, ANN, ANYBODY, OTHER_PIN, PIN, People

from controller.core.tape.inputs import AccountChange
from controller.journal.people import NO_WRONG_PINS, PEOPLE_NAME
from controller.rules.actions.actions import (
    Action,
    CallNoMoreBets,
    CorrectCoup,
    OperatorAction,
    RecordAct,
    Resolution,
    SignDealerOff,
    SignDealerOn,
)
from controller.rules.actions.choices import ActKind, FloorDecision
from controller.rules.actions.declaration import Proof, Role
from controller.rules.outcome import Outcome
from controller.table.accounts.sign_on import (
    FAILURES_MAX,
    LOCKED_S,
    AccountError,
    SignOnSession,
    http_client,
)
from foundation.timestamp import Timestamp

CONTINUE = Resolution(FloorDecision.CONTINUE)


@pytest.fixture
def people(fast_dir: Path) -> People:
    return People(fast_dir)


def act(person: str, action: Action = CONTINUE) -> OperatorAction[Action]:
    role = action.requirements().roles[0]
    return OperatorAction(Timestamp(1, 1), person, role, "uid-54321", action, "")


# --- without accounts -----------------------------------------------------------------------------


def test_without_accounts_a_name_is_enough_and_not_proved(people: People) -> None:
    ann = people.file.id_of(ANN)

    judged = people.session().authorise(act(ann), None)

    assert (judged.role, judged.proof) == (Role.FLOORPERSON, Proof.NONE)


def test_a_client_over_the_network_has_no_account_of_the_machine(people: People) -> None:
    people.with_account()
    over_http = SignOnSession(people.accounts, http_client("192.0.2.7"))

    assert over_http.default_person() == ""
    with pytest.raises(AccountError, match="this account may not do that"):
        people.change_on(over_http, AccountChange.REMOVED, ANN)

    over_http.sign_on(ANN, PIN)

    assert over_http.default_person() == people.file.find(ANN)
    assert over_http.identified_by == "http-192.0.2.7"


# --- a claim --------------------------------------------------------------------------------------


def test_a_claim_to_be_the_floorperson_decides_nothing_where_accounts_are(people: People) -> None:
    ann = people.with_account()

    with pytest.raises(AccountError, match="by: it is not proved who that is"):
        people.session().authorise(act(ann), Role.FLOORPERSON)


def test_nor_does_a_name_that_nobody_has(people: People) -> None:
    people.with_account()

    with pytest.raises(AccountError, match="by: it is not proved"):
        people.session().authorise(act(people.file.id_of("Bo Ray")), Role.PIT_MANAGER)


@pytest.mark.parametrize("role", [Role.SURVEILLANCE, Role.INSPECTOR, Role.FLOORPERSON])
def test_a_claim_records_nothing_as_another_than_a_dealer(people: People, role: Role) -> None:
    ann = people.with_account()

    with pytest.raises(AccountError, match="a claim, which is enough only for a dealer"):
        people.session().authorise(act(ann, RecordAct(ActKind.WASHED)), role)


def test_a_dealers_call_waits_for_no_pin_and_says_so(people: People) -> None:
    people.with_account()

    judged = people.session().authorise(act(people.file.id_of("Dee"), CallNoMoreBets()), None)

    assert (judged.role, judged.proof) == (Role.DEALER, Proof.NONE)


def test_a_dealer_signs_on_at_the_table_with_proof_alone(people: People) -> None:
    ann = people.with_account()

    with pytest.raises(AccountError, match="by: it is not proved"):
        people.session().authorise(act(ann, SignDealerOn()), Role.DEALER)


@pytest.mark.parametrize("action", [SignDealerOn(), SignDealerOff()])
@pytest.mark.parametrize("wanted", [None, Role.DEALER])
def test_a_dealer_without_an_account_reads_how_to_get_one(
    people: People, action: SignDealerOn | SignDealerOff, wanted: Role | None
) -> None:
    people.with_account()

    with pytest.raises(AccountError) as refused:
        people.session().authorise(act(people.file.id_of("Dee"), action), wanted)
    assert "a dealer signs on and off by PIN" in str(refused.value)
    assert "smartshoe people add TABLE NAME --role dealer" in str(refused.value)


# --- by PIN ---------------------------------------------------------------------------------------


def test_who_signed_on_is_proved_by_pin_and_has_the_accounts_role(people: People) -> None:
    ann, session = people.with_account(role=Role.PIT_MANAGER), people.session()
    session.sign_on("ann  LEE", PIN)

    judged = session.authorise(act(ann), None)

    assert (judged.role, judged.proof) == (Role.PIT_MANAGER, Proof.PIN)
    assert session.default_person() == ann


def test_a_role_that_is_not_the_accounts_is_refused(people: People) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)

    with pytest.raises(AccountError, match="role: pit_manager is not the role"):
        session.authorise(act(ann), Role.PIT_MANAGER)


def test_a_dealer_who_is_proved_still_decides_nothing(people: People) -> None:
    dee, session = people.with_account("Dee", Role.DEALER), people.session()
    session.sign_on("Dee", PIN)

    with pytest.raises(AccountError, match="role: resolve is not for dealer"):
        session.authorise(act(dee), None)


def test_a_session_proves_nobody_else(people: People) -> None:
    people.with_account()
    bo, session = people.with_account("Bo Ray"), people.session()
    session.sign_on(ANN, PIN)

    with pytest.raises(AccountError, match="by: it is not proved"):
        session.authorise(act(bo), None)


def test_it_is_not_that_of_another_connection_and_ends_at_sign_off(people: People) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)
    elsewhere = people.session().known(ann).proof
    session.sign_off()

    assert (elsewhere, session.known(ann).proof) == (Proof.NONE, Proof.NONE)


@pytest.mark.parametrize(
    ("change", "values"),
    [
        (AccountChange.REMOVED, {}),
        (AccountChange.ROLE, {"role": Role.DEALER}),
        (AccountChange.PIN, {"pin": OTHER_PIN}),
    ],
)
def test_it_ends_when_the_account_is_changed(people: People, change, values) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)

    people.change(change, ANN, **values)

    assert session.known(ann).proof is Proof.NONE


# --- two persons ----------------------------------------------------------------------------------


def test_a_second_person_is_proved_as_well(people: People) -> None:
    ann, bo = people.with_account(), people.with_account("Bo Ray", pin=OTHER_PIN)
    session, corrects = people.session(), CorrectCoup(1, Outcome.TIE, bo)
    session.sign_on(ANN, PIN)
    with pytest.raises(AccountError, match="second: it is not proved"):
        session.authorise(act(ann, corrects), None)

    session.sign_on("Bo Ray", OTHER_PIN)

    judged = session.authorise(act(ann, corrects), None)
    assert (judged.proof, judged.second_proof) == (Proof.PIN, Proof.PIN)
    assert session.default_person() == "", "with two it is not clear who acts"


# --- by the machine's account -------------------------------------------------------------------


def test_the_account_of_the_machine_proves_its_person(people: People) -> None:
    ann, session = people.with_account(), people.session(ALEE)

    judged = session.authorise(act(ann), None)

    assert (judged.role, judged.proof) == (Role.FLOORPERSON, Proof.ACCOUNT)
    assert (session.default_person(), people.session().default_person()) == (ann, "")


def test_a_mapped_person_without_an_account_is_a_claim(people: People) -> None:
    ann = people.file.id_of(ANN)
    people.with_account("Bo Ray")

    assert people.session(ALEE).known(ann).proof is Proof.NONE


# --- wrong PINs -----------------------------------------------------------------------------------


def guess(people: People, name: str = ANN, pin: str = "000001", uid: int = ANYBODY) -> str:
    with pytest.raises(AccountError) as refused:
        people.session(uid).sign_on(name, pin)
    return str(refused.value)


def test_after_five_wrong_pins_the_right_one_opens_nothing_for_fifteen_minutes(
    people: People,
) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess(people)

    assert guess(people, pin=PIN).startswith("sign-on: it was refused")
    people.at_s += LOCKED_S - 1
    guess(people, pin=PIN)
    people.at_s += 1
    people.session().sign_on(ANN, PIN)


def test_the_lock_is_on_record_with_where_the_pins_came_from(people: People) -> None:
    ann = people.with_account()
    for _ in range(FAILURES_MAX + 3):
        guess(people)

    locked = [one for one in people.recorded if one.change is AccountChange.LOCKED]
    assert [(one.person, one.by, one.identified_by) for one in locked] == [(ann, "", "uid-54321")]


def test_a_lock_that_is_over_leaves_one_guess_before_the_next(people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess(people)
    people.at_s += LOCKED_S

    guess(people)

    guess(people, pin=PIN)
    assert [one.change for one in people.recorded[1:]] == [AccountChange.LOCKED] * 2


def test_four_wrong_pins_and_the_right_one_lock_nothing_and_are_forgotten(people: People) -> None:
    ann = people.with_account()
    for _ in range(FAILURES_MAX - 1):
        guess(people)

    people.session().sign_on(ANN, PIN)

    account = people.file.account(ann)
    assert account is not None
    assert account.here == NO_WRONG_PINS


def test_failures_outlive_a_restart(fast_dir: Path, people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess(people)

    assert guess(People(fast_dir), pin=PIN).startswith("sign-on: it was refused")


def test_wrong_pins_that_programs_try_side_by_side_count_each(
    fast_dir: Path, people: People
) -> None:
    ann = people.with_account()
    programs = [People(fast_dir) for _ in range(FAILURES_MAX)]
    with ThreadPoolExecutor(FAILURES_MAX) as pool:
        list(pool.map(guess, programs))

    account = people.file.account(ann)
    assert account is not None
    assert account.here.failures == FAILURES_MAX


def test_who_signed_on_before_stays_signed_on(people: People) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)
    for _ in range(FAILURES_MAX):
        guess(people)

    assert session.known(ann).proof is Proof.PIN


def test_an_unknown_name_gets_the_same_answer_and_is_on_record_as_that(people: People) -> None:
    people.with_account()
    answers = {guess(people, "Zoe Nobody") for _ in range(FAILURES_MAX)}

    assert answers == {guess(people)}
    assert [one.person for one in people.recorded[1:]] == [""]
    assert list(people.file.names().values()) == [ANN], "no name is stored"


def test_an_unknown_name_costs_as_much(people: People) -> None:
    people.with_account()

    def median_ns(name: str) -> float:
        taken = []
        for _ in range(7):
            # Of this thread alone: other programs of the machine do not count.
            before = time.thread_time_ns()
            guess(people, name)
            taken.append(time.thread_time_ns() - before)
        return statistics.median(taken)

    known, unknown = median_ns(ANN), median_ns("Zoe Nobody")
    assert 0.4 < known / unknown < 2.5


def test_a_name_alone_in_the_file_is_no_account(people: People) -> None:
    people.with_account()
    people.file.id_of("Bo Ray")

    guess(people, "Bo Ray", "")


def test_the_file_of_another_hash_is_not_believed_for_its_own_session(people: People) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)
    account = people.file.account(ann)
    assert account is not None

    people.file.put_account(replace(account, role="pit_manager"))

    assert session.known(ann).proof is Proof.NONE


# --- wrong PINs from elsewhere --------------------------------------------------------------------


def guess_from_elsewhere(people: People, pin: str = "000001") -> None:
    with pytest.raises(AccountError):
        SignOnSession(people.accounts, http_client("192.0.2.7")).sign_on(ANN, pin)


def test_guesses_from_elsewhere_lock_nobody_out_at_the_table(people: People) -> None:
    ann = people.with_account()
    for _ in range(FAILURES_MAX + 3):
        guess_from_elsewhere(people)

    guess_from_elsewhere(people, PIN)
    people.session().sign_on(ANN, PIN)
    SignOnSession(people.accounts, http_client("127.0.0.1")).sign_on(ANN, PIN, own_screen=True)
    locked = [one for one in people.recorded if one.change is AccountChange.LOCKED]
    assert [(one.person, one.identified_by) for one in locked] == [(ann, "http-192.0.2.7")]


def test_guesses_at_the_table_lock_nobody_out_elsewhere(people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess(people)

    SignOnSession(people.accounts, http_client("192.0.2.7")).sign_on(ANN, PIN)
    guess(people, pin=PIN)


def test_an_unlock_ends_both_locks(people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess(people)
        guess_from_elsewhere(people)

    people.change(AccountChange.UNLOCKED, ANN)

    people.session().sign_on(ANN, PIN)
    SignOnSession(people.accounts, http_client("192.0.2.7")).sign_on(ANN, PIN)


def test_a_removed_account_leaves_no_count_for_the_next_of_that_person(people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        guess_from_elsewhere(people)
    people.change(AccountChange.REMOVED, ANN)

    people.with_account()

    SignOnSession(people.accounts, http_client("192.0.2.7")).sign_on(ANN, PIN)


def test_accounts_of_a_version_before_are_read_and_stay_as_it_reads_them(
    fast_dir: Path, people: People
) -> None:
    """It knows the five columns of `accounts`, and no other table."""
    people.with_account()
    with closing(sqlite3.connect(fast_dir / PEOPLE_NAME)) as stored, stored:
        stored.execute("DROP TABLE wrong_pins_elsewhere")

    assert [one.elsewhere for one in people.file.accounts()] == [NO_WRONG_PINS]
    guess_from_elsewhere(people)

    with closing(sqlite3.connect(fast_dir / PEOPLE_NAME)) as stored:
        columns = [one[1] for one in stored.execute("PRAGMA table_info(accounts)")]
    assert columns == ["person", "role", "pin_hash", "failures", "locked_until_ns"]
