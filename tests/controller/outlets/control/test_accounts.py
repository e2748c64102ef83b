"""Persons at the control socket: signing on, acting with proof, changing accounts; attacks."""

import grp
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from serving_table import Serving, connected

from controller.journal.people import PEOPLE_NAME
from controller.outlets.control.act_rate import ACTS_PER_S_MAX
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.client import ControlClient
from controller.outlets.control.server import ControlUnavailable
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.rules.actions.declaration import Proof, Role

ANN, PIN, OTHER_PIN = "Ann Lee", "270918", "300475"
SIGN_ON = {"request": "sign-on", "by": ANN, "pin": PIN}
ADD = {"request": "people", "change": "added", "name": ANN, "role": "floorperson", "pin": PIN}
DECISION = {
    "request": "act",
    "action": "resolve",
    "by": ANN,
    "role": "floorperson",
    "reason": "seen",
    "decision": "burn-card",
}


@pytest.fixture
def at_overdraw(suspended: Path, fast_dir: Path) -> Iterator[Serving]:
    """A table suspended until a floorperson decides."""
    serving = Serving(suspended, fast_dir / "control.sock")
    yield serving
    serving.end()


@pytest.fixture
def with_account(at_overdraw: Serving) -> Serving:
    """The same, where Ann Lee, a floorperson, has an account."""
    assert at_overdraw.client.request(ADD) == Answer(ok=True)
    return at_overdraw


def refusal(serving: Serving, *requests: dict[str, object]) -> str:
    answer = serving.client.request(*requests)
    assert not answer.ok
    return answer.error


# --- attacks --------------------------------------------------------------------------------------


def test_whoever_may_use_the_socket_is_not_ann_lee_by_saying_so(with_account: Serving) -> None:
    assert refusal(with_account, DECISION).startswith("by: it is not proved who that is")

    assert with_account.actions() == [], "nothing is stored"
    assert with_account.shown().irregularities


def test_a_name_that_is_refused_is_not_stored_either(with_account: Serving) -> None:
    refusal(with_account, {**DECISION, "by": "Zoe Nobody"})

    assert list(with_account.people.names().values()) == [ANN]


def test_a_session_ends_with_its_connection(with_account: Serving) -> None:
    with connected(with_account.path) as connection, connection.makefile("rb") as answers:
        connection.sendall(json.dumps(SIGN_ON).encode() + b"\n")
        assert json.loads(answers.readline()) == {"ok": True}

    assert refusal(with_account, DECISION).startswith("by: it is not proved")


def test_a_session_ends_at_sign_off(with_account: Serving) -> None:
    answer = refusal(with_account, SIGN_ON, {"request": "sign-off"}, DECISION)

    assert answer.startswith("by: it is not proved")


def test_a_pin_is_not_guessed_at_the_socket(with_account: Serving) -> None:
    wrong = [{**SIGN_ON, "pin": f"00000{number}"} for number in range(5)]
    answers = {refusal(with_account, one) for one in wrong}

    assert answers == {refusal(with_account, SIGN_ON)}, "the right one is no longer taken"
    locked = [one for one in with_account.records() if "wrong_pins_from" in str(one.detail)]
    assert len(locked) == 1


def test_sign_ons_are_limited_as_acts_are(with_account: Serving) -> None:
    wrong = [{**SIGN_ON, "by": f"Nobody {number}"} for number in range(ACTS_PER_S_MAX + 1)]
    with connected(with_account.path) as connection, connection.makefile("rb") as answers:
        connection.sendall(b"".join(json.dumps(one).encode() + b"\n" for one in wrong))
        said = [json.loads(answers.readline())["error"] for _ in wrong]

    assert [one.startswith("sign-on:") for one in said] == [True] * ACTS_PER_S_MAX + [False]


# --- with proof -----------------------------------------------------------------------------------


def test_who_signed_on_decides_and_the_record_says_how_that_is_known(with_account: Serving) -> None:
    answer = with_account.client.request(SIGN_ON, {**DECISION, "by": "", "role": None})

    assert (answer.ok, answer.proof) == (True, "pin")
    (decided,) = with_account.actions()
    assert (decided.person, decided.role) == (with_account.people.find(ANN), Role.FLOORPERSON)
    assert decided.proof is Proof.PIN


def test_without_accounts_a_decision_is_taken_and_marked_not_proved(at_overdraw: Serving) -> None:
    answer = at_overdraw.client.request(DECISION)

    assert (answer.ok, answer.proof) == (True, "none")
    assert [one.proof for one in at_overdraw.actions()] == [Proof.NONE]


def test_the_first_account_is_on_record_without_pin_or_name(with_account: Serving) -> None:
    (made,) = with_account.records()

    assert (made.what, made.person) == ("account", with_account.people.find(ANN))
    assert "machine_administrator" in str(made.detail)


def test_a_locked_request_is_no_request(with_account: Serving) -> None:
    assert refusal(with_account, {**ADD, "change": "locked"}).startswith("people: nobody is locked")


@pytest.mark.parametrize(
    "line",
    [
        {**SIGN_ON, "other": 1},
        {"request": "sign-on", "by": 5, "pin": PIN},
        {**ADD, "pin": PIN, "role": "croupier"},
        {**ADD, "name": "Bo", "pin": PIN * 20},
    ],
)
def test_a_wrong_request_is_refused_without_its_pin(with_account: Serving, line) -> None:
    assert PIN not in refusal(with_account, line)


def test_whose_account_of_the_machine_it_is_needs_no_pin(suspended: Path, fast_dir: Path) -> None:
    serving = Serving(suspended, fast_dir / "control.sock", unix={str(os.getuid()): ANN})
    serving.client.request(ADD)

    answer = serving.client.request({**DECISION, "by": ""})
    serving.end()

    assert (answer.ok, answer.proof) == (True, "account")
    assert [one.proof for one in serving.actions()] == [Proof.ACCOUNT]


# --- no hash and no PIN anywhere ------------------------------------------------------------------


def test_pins_and_hashes_are_in_the_file_of_people_and_nowhere_else(
    with_account: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    serving, metrics = with_account, TableMetrics(with_account.table)
    second = {**ADD, "name": "Bo Ray", "pin": OTHER_PIN}
    said = [serving.client.request(one) for one in (second, {**SIGN_ON, "pin": "000001"})]
    said += [serving.client.request(SIGN_ON, DECISION), serving.shown()]
    for stored in serving.stored:
        metrics.stored(stored)
    hashes = [one.pin_hash for one in serving.people.accounts() if one.person]
    said += [generate_latest(TablesCollector([metrics])).decode(), caplog.text, serving.stored]
    serving.end()

    files = [one for one in serving.journal.rglob("*") if one.is_file()]
    elsewhere = [one for one in files if not one.name.startswith(PEOPLE_NAME)]
    stored_bytes = b"".join(one.read_bytes() for one in elsewhere)
    assert len(hashes) == 2
    assert (serving.journal / "live.db") in elsewhere
    for secret in (PIN, OTHER_PIN, *hashes, *(one.rpartition("$")[2] for one in hashes)):
        assert secret not in repr(said)
        assert secret.encode() not in stored_bytes


# --- the socket's group ---------------------------------------------------------------------------


def test_the_socket_is_in_the_group_of_the_configuration(suspended: Path, fast_dir: Path) -> None:
    gid = os.getgroups()[0] if os.getgroups() else os.getgid()
    group = grp.getgrgid(gid).gr_name
    serving = Serving(suspended, fast_dir / "control.sock", group=group)
    status = serving.path.stat()
    serving.end()

    assert (status.st_gid, stat.S_IMODE(status.st_mode)) == (gid, 0o660)


def test_a_group_that_does_not_exist_is_reported(at_overdraw: Serving, fast_dir: Path) -> None:
    server = at_overdraw.served_at(fast_dir / "other.sock", group="no-such-group")

    with pytest.raises(ControlUnavailable, match="'no-such-group' is no group of this machine"):
        server.start()


def test_a_client_without_its_table_says_so_after_the_first_request(fast_dir: Path) -> None:
    with pytest.raises(Exception, match="no table is running here"):
        ControlClient(fast_dir / "none.sock").request(SIGN_ON, DECISION)
