"""`smartshoe act --list`: actions, roles and allowed values."""

import json

import pytest

from controller.cli.main import main
from controller.cli.table.act_list import action_lines
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import ActionValue, values_of
from controller.system.command_line.errors import ExitCode
from controller.system.messages.catalogue import to_words

Capture = pytest.CaptureFixture[str]
OF_EACH = [(name, value) for name, kind in ACTIONS.items() for value in values_of(kind)]


def words_of(action: str, name: str) -> str:
    return next(to_words(one.description) for one in values_of(ACTIONS[action]) if one.name == name)


@pytest.fixture
def listed(capsys: Capture) -> str:
    assert main(["act", "--list"]) == ExitCode.DONE
    return capsys.readouterr().out


def test_every_action_is_listed(listed: str) -> None:
    heads = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]

    assert heads == list(ACTIONS)


def test_no_line_is_longer_than_a_terminal(listed: str) -> None:
    assert max(map(len, listed.splitlines())) <= 100


@pytest.mark.parametrize(("action", "value"), OF_EACH, ids=str)
def test_every_value_is_listed_below_its_action(action: str, value: ActionValue) -> None:
    assert to_words(value.description), "a description or a closed set"
    assert any(line.startswith(f"  {value.name} ") for line in action_lines(ACTIONS[action]))


def test_a_closed_set_is_written_out() -> None:
    words = words_of("record", "act")

    assert words.split(", ") == [act.value for act in ActKind]


def test_a_batch_is_named_where_it_is_bound_and_is_a_back_elsewhere() -> None:
    assert "RED-0001" in words_of("bind-batch", "batch")
    assert "back colour" in words_of("set-card-apart", "batch")


def test_roles_and_reason_are_listed_below_the_action() -> None:
    assert list(action_lines(ACTIONS["set-card-apart"]))[:2] == [
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
    schema = actions["declare-result"].pop("schema")
    assert actions["declare-result"] == {
        "action": "declare-result",
        "roles": ["dealer", "floorperson", "pit_manager"],
        "values": ["outcome", "player_pair", "banker_pair"],
        "allowed": {"outcome": ["player", "banker", "tie"]},
        "reason_required": False,
        "purpose": "declare the result of the coup",
    }
    assert schema["required"] == ["outcome"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["player_pair"] == {
        "type": "boolean",
        "default": False,
        "description": "yes or no; default: no",
    }
    assert schema["$defs"]["Outcome"]["enum"] == ["banker", "player", "tie"]
