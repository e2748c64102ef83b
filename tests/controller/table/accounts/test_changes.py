"""Accounts are changed by who may, and on record before they are changed."""

import os
from pathlib import Path

import pytest
from people_at_a_table import ANN, ANYBODY, OTHER_PIN, PIN, ROOT, People

from controller.core.tape.inputs import AccountChange
from controller.journal.people import Account
from controller.rules.actions.declaration import Proof, Role
from controller.table.accounts.changes import ACCOUNTS_MAX
from controller.table.accounts.sign_on import FAILURES_MAX, AccountError


@pytest.fixture
def people(fast_dir: Path) -> People:
    return People(fast_dir)


def test_the_first_account_is_the_administrators_and_the_record_says_so(people: People) -> None:
    ann = people.with_account()

    (made,) = people.recorded
    assert (made.person, made.change, made.role) == (ann, AccountChange.ADDED, Role.FLOORPERSON)
    assert (made.by, made.identified_by, made.proof) == ("", "uid-0", Proof.ACCOUNT)


def test_the_account_that_runs_the_table_is_the_administrators_too(people: People) -> None:
    people.change(AccountChange.ADDED, ANN, os.geteuid(), role=Role.DEALER, pin=PIN)

    assert people.file.account_count() == 1


CHANGES = [
    (AccountChange.ADDED, {"role": Role.FLOORPERSON, "pin": PIN}),
    (AccountChange.ROLE, {"role": Role.PIT_MANAGER}),
    (AccountChange.PIN, {"pin": OTHER_PIN}),
    (AccountChange.UNLOCKED, {}),
    (AccountChange.REMOVED, {}),
]


@pytest.mark.parametrize(("change", "values"), CHANGES)
def test_another_account_of_the_machine_changes_nothing(people: People, change, values) -> None:
    people.with_account()
    name, before = ("Cy" if change is AccountChange.ADDED else ANN), people.file.accounts()

    with pytest.raises(AccountError, match="people: this account may not do that"):
        people.change(change, name, ANYBODY, **values)

    assert people.file.accounts() == before
    assert len(people.recorded) == 1


@pytest.mark.parametrize(("change", "values"), CHANGES)
def test_who_runs_the_pit_unlocks_and_makes_no_accounts(people: People, change, values) -> None:
    people.with_account()
    people.with_account("Pia", Role.PIT_MANAGER, OTHER_PIN)
    session, name = people.session(), "Cy" if change is AccountChange.ADDED else ANN
    session.sign_on("Pia", OTHER_PIN)

    if change is AccountChange.UNLOCKED:
        people.change_on(session, change, name, **values)
        assert people.recorded[-1].by == people.file.find("Pia")
        return
    with pytest.raises(AccountError, match="people: this account may not do that"):
        people.change_on(session, change, name, **values)


def test_a_floorperson_unlocks_nobody(people: People) -> None:
    people.with_account()
    people.with_account("Bo Ray", pin=OTHER_PIN)
    session = people.session()
    session.sign_on("Bo Ray", OTHER_PIN)

    with pytest.raises(AccountError, match="people: this account may not do that"):
        people.change_on(session, AccountChange.UNLOCKED, ANN)


def test_an_unlocked_account_signs_on_at_once(people: People) -> None:
    people.with_account()
    for _ in range(FAILURES_MAX):
        with pytest.raises(AccountError):
            people.session().sign_on(ANN, "000001")

    people.change(AccountChange.UNLOCKED, ANN)

    people.session().sign_on(ANN, PIN)


def test_a_person_changes_the_own_pin_with_the_old_one(people: People) -> None:
    ann, session = people.with_account(), people.session()
    session.sign_on(ANN, PIN)

    people.change_on(session, AccountChange.PIN, ANN, pin=OTHER_PIN)

    people.session().sign_on(ANN, OTHER_PIN)
    assert (people.recorded[-1].by, people.recorded[-1].proof) == (ann, Proof.PIN)


def test_a_person_changes_nobody_elses_pin(people: People) -> None:
    people.with_account()
    people.with_account("Bo Ray", pin=OTHER_PIN)
    session = people.session()
    session.sign_on("Bo Ray", OTHER_PIN)

    with pytest.raises(AccountError, match="people: this account may not do that"):
        people.change_on(session, AccountChange.PIN, ANN, pin=OTHER_PIN)


def test_a_role_is_changed_and_the_pin_stays(people: People) -> None:
    ann = people.with_account()

    people.change(AccountChange.ROLE, ANN, role=Role.PIT_MANAGER)

    people.session().sign_on(ANN, PIN)
    account = people.file.account(ann)
    assert account is not None
    assert account.role == "pit_manager"


def test_a_removed_account_is_in_no_byte_of_the_file_and_the_name_stays(
    fast_dir: Path, people: People
) -> None:
    ann = people.with_account()
    account = people.file.account(ann)
    assert account is not None

    people.change(AccountChange.REMOVED, ANN)

    left = b"".join(path.read_bytes() for path in fast_dir.iterdir())
    assert account.pin_hash.encode() not in left
    assert people.file.names() == {ann: ANN}


@pytest.mark.parametrize(
    ("change", "name", "values", "why"),
    [
        (AccountChange.ADDED, ANN, {"role": Role.DEALER, "pin": PIN}, "has an account already"),
        (AccountChange.REMOVED, "Bo Ray", {}, "has no account here"),
        (AccountChange.ADDED, "Bo Ray", {"pin": PIN}, "role: it is missing"),
        (AccountChange.ADDED, "Bo Ray", {"role": Role.DEALER, "pin": "1"}, "pin: it is too short"),
        (AccountChange.LOCKED, ANN, {}, "nobody is locked by hand"),
    ],
)
def test_what_makes_no_sense_is_refused(people: People, change, name, values, why) -> None:
    people.with_account()

    with pytest.raises(AccountError, match=why):
        people.change(change, name, **values)

    assert len(people.recorded) == 1


def test_a_change_that_is_not_on_record_is_not_made(people: People) -> None:
    people.with_account()
    before, people.stores = people.file.accounts(), False

    with pytest.raises(AccountError, match="nothing was changed"):
        people.change(AccountChange.REMOVED, ANN)

    assert people.file.accounts() == before


def test_there_is_an_end_of_accounts(people: People) -> None:
    for number in range(ACCOUNTS_MAX):
        people.file.put_account(Account(f"person-{number:012x}", "dealer", "none"))

    with pytest.raises(AccountError, match=f"there are {ACCOUNTS_MAX} accounts"):
        people.change(AccountChange.ADDED, ANN, ROOT, role=Role.DEALER, pin=PIN)
