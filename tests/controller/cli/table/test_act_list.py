"""`smartshoe act --list`: actions, roles and allowed values."""

import json

import pytest

from controller.cli.errors import ExitCode
from controller.cli.main import main
from controller.cli.table.act_list import CHOICES, WORDS, action_lines, describe_value
from controller.control.requests import VALUES, VALUES_OF
from controller.procedure.act_kinds import ActKind
from controller.tape.actions import ACTION_NAMES

Capture = pytest.CaptureFixture[str]
OF_EACH = [(action, value) for action, values in VALUES_OF.items() for value in values]


@pytest.fixture
def listed(capsys: Capture) -> str:
    assert main(["act", "--list"]) == ExitCode.DONE
    return capsys.readouterr().out


def test_every_action_is_listed(listed: str) -> None:
    heads = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]

    assert heads == [name for name, _, _ in ACTION_NAMES]


def test_no_line_is_longer_than_a_terminal(listed: str) -> None:
    assert max(map(len, listed.splitlines())) <= 100


def test_every_value_has_a_description_or_a_closed_set() -> None:
    assert sorted([*CHOICES, *WORDS]) == sorted(VALUES)


@pytest.mark.parametrize(("action", "value"), OF_EACH)
def test_every_value_is_listed_below_its_action(action: str, value: str) -> None:
    assert describe_value(action, value)
    assert any(line.startswith(f"  {value} ") for line in action_lines(action))


def test_a_closed_set_is_written_out() -> None:
    words = describe_value("record", "act")

    assert words.split(", ") == [act.value for act in ActKind]


def test_a_batch_is_named_where_it_is_bound_and_is_a_back_elsewhere() -> None:
    assert "RED-0001" in describe_value("bind-batch", "batch")
    assert "back colour" in describe_value("set-card-apart", "batch")


def test_roles_and_reason_are_listed_below_the_action() -> None:
    assert list(action_lines("set-card-apart"))[:2] == [
        "set-card-apart    set a damaged or foreign card apart; its batch is blocked",
        "                  for floorperson, pit_manager; with --reason",
    ]


def test_one_action_is_listed_alone(capsys: Capture) -> None:
    assert main(["act", "seat-vacated", "--list"]) == ExitCode.DONE
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_an_unknown_action_lists_the_known_ones(capsys: Capture) -> None:
    assert main(["act", "sing", "--list"]) == ExitCode.UNUSABLE
    assert "'sing' is not an action. Allowed: resolve, " in capsys.readouterr().err


def test_the_actions_as_json(capsys: Capture) -> None:
    assert main(["act", "--list", "--json"]) == ExitCode.DONE

    actions = {one["action"]: one for one in json.loads(capsys.readouterr().out)["actions"]}
    assert actions["declare-result"] == {
        "action": "declare-result",
        "roles": ["dealer", "floorperson", "pit_manager"],
        "values": ["outcome", "player_pair", "banker_pair"],
        "allowed": {"outcome": ["player", "banker", "tie"]},
        "reason_required": False,
        "purpose": "declare the result of the coup",
    }
