"""`resolve`, `close-shoe` and `act` against a running table and its control socket."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.cli.table.commands import parse_values
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.choices import FloorDecision
from controller.rules.actions.declaration import ActionValue, values_of
from controller.system.command_line.errors import CommandError, ExitCode

Capture = pytest.CaptureFixture[str]
Serve = Callable[[Path], Path]

SIGNED = ("--by", "A. Floor", "--reason", "seen by me")


@pytest.fixture
def waiting(serve: Serve, suspended: Path) -> str:
    """A table that waits for a floorperson; its socket."""
    return str(serve(suspended))


def test_the_table_is_found_through_its_configuration(table: str, capsys: Capture) -> None:
    config = Path(table).with_name("table.toml")
    config.write_text(
        f'[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n[control]\nsocket = "{table}"\n'
    )

    assert main(["status", "--config", str(config)]) == ExitCode.DONE
    assert "M7" in capsys.readouterr().out


@pytest.mark.parametrize(
    "broken",
    [
        '[rules]\nprofile = "no-such-rules"\n',
        "[shoe]\nport = 5\n",
        "[metrics]\nport = 70000\n",
        "[journal]\nwarn_free_mib = 0\n",
        "[printer]\n",
    ],
)
@pytest.mark.parametrize("command", ["status", "resolve"])
def test_a_broken_setting_that_it_does_not_need_hides_no_table(
    command: str, broken: str, table: str, capsys: Capture
) -> None:
    config = Path(table).with_name("table.toml")
    config.write_text(f'{broken}[control]\nsocket = "{table}"\n')

    assert main([command, "--config", str(config)]) == ExitCode.DONE
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("value", ["5", '""', '"~/control.sock"'])
def test_a_broken_path_of_the_socket_is_reported(
    value: str, tmp_path: Path, capsys: Capture
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f"[control]\nsocket = {value}\n")

    assert main(["status", "--config", str(config)]) == ExitCode.UNUSABLE
    assert "control.socket: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["status", "resolve"])
def test_without_a_running_table_the_exit_code_is_4(
    command: str, fast_dir: Path, capsys: Capture
) -> None:
    assert main([command, "--socket", str(fast_dir / "none.sock")]) == ExitCode.NO_TABLE
    assert "no table is running here" in capsys.readouterr().err


def test_the_table_must_be_named(capsys: Capture) -> None:
    assert main(["status"]) == ExitCode.UNUSABLE
    assert "--config FILE or --socket PATH" in capsys.readouterr().err


def test_without_open_irregularities_a_sentence_says_so(table: str, capsys: Capture) -> None:
    assert main(["resolve", "--socket", table]) == ExitCode.DONE
    assert capsys.readouterr().out == "no irregularity is open\n"


def test_what_is_open_is_offered_with_commands(waiting: str, capsys: Capture) -> None:
    assert main(["resolve", "--socket", waiting]) == ExitCode.NO

    output = capsys.readouterr().out
    assert "OPEN       1 OVERDRAW" in output
    assert " forbidden adding the card" in output
    assert f"smartshoe resolve --socket {waiting} --by NAME --reason WHY --decision " in output


def test_a_suggested_command_can_be_run_unchanged(waiting: str, capsys: Capture) -> None:
    main(["resolve", "--socket", waiting, "--json"])
    command = json.loads(capsys.readouterr().out)["commands"][0]

    assert main(shlex.split(command)[1:]) == ExitCode.DONE
    output = capsys.readouterr().out
    assert output.startswith("resolve: done and on record\n  closed irregularities: 1\n")


def test_a_resolution_as_json(waiting: str, capsys: Capture) -> None:
    words = ["resolve", "--socket", waiting, *SIGNED, "--decision", "void-coup", "--json"]
    words += ["--second", "Cy Lee"]
    assert main(words) == ExitCode.DONE

    output = capsys.readouterr()
    assert json.loads(output.out)["ok"] is True
    assert "done and on record" in output.err


def test_a_decision_that_is_not_permitted_is_refused(table: str, capsys: Capture) -> None:
    assert main(["resolve", "--socket", table, *SIGNED, "--decision", "continue"]) == ExitCode.NO
    assert "no irregularity is open" in capsys.readouterr().err


def test_a_dealer_does_not_resolve(waiting: str, capsys: Capture) -> None:
    words = ["resolve", "--socket", waiting, *SIGNED, "--decision", "continue", "--role", "dealer"]

    assert main(words) == ExitCode.NO
    assert "role: resolve is not for dealer. Allowed: floorperson" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["resolve", "--decision", "continue", "--by", "A. Floor"], "--reason: it is missing"),
        (["resolve", "--decision", "continue", "--reason", "why"], "--by: it is missing"),
        (["resolve", "--decision", "forget", *SIGNED], "Allowed: continue, carry-card"),
        (["act", "clear-shoe-error", *SIGNED], "code: it is missing"),
        (["act", "sing", *SIGNED], "ACTION: 'sing' is not an action"),
        (["act", "resolve", *SIGNED], "has its own command"),
        (["act"], "ACTION: it is missing. Allowed: one of `smartshoe act --list`"),
        (["act", "no-more-bets"], "--by: it is missing"),
        (["act", "record", "act=recut", "--by", "A. Floor"], "--reason: it is missing"),
        (["act", "lock-shoe", "code=4", *SIGNED], "code: there is no such field"),
        (
            ["act", "turned", "player_hand", *SIGNED],
            "'player_hand' is not a value. Allowed: key=value",
        ),
        (
            ["act", "turned", "what=a", "what=b", *SIGNED],
            "what: it is given twice. Allowed: once. Remedy: remove one",
        ),
        (
            ["act", "collect-vigorish", "seat=five", *SIGNED],
            "seat: 'five' is not allowed. Allowed: a whole number",
        ),
        (["act", "give-up", "hand=player", "by_order=1", *SIGNED], "Allowed: yes, no"),
        (
            ["act", "wagers", "wagers=5:banker", *SIGNED],
            "wager 1, '5:banker': \"\" is not a valid amount",
        ),
        (
            ["act", "wagers", "wagers=5:bnker:1", *SIGNED],
            'wagers[1].wager: it is "bnker". Allowed:',
        ),
        (["act", "wagers", "wagers=@none.csv", *SIGNED], "none.csv: No such file"),
    ],
)
def test_wrong_usage_is_reported_before_a_request_is_sent(
    words: list[str], missing: str, capsys: Capture
) -> None:
    assert main([*words, "--socket", "none.sock"]) == ExitCode.UNUSABLE
    assert missing in capsys.readouterr().err


def test_a_shoe_is_closed_by_a_named_person(table: str, capsys: Capture) -> None:
    assert main(["close-shoe", "--socket", table, *SIGNED]) == ExitCode.DONE
    assert "shoe 1 ended after 3 coups" in capsys.readouterr().out


def test_no_more_bets_needs_no_reason(table: str) -> None:
    assert main(["act", "no-more-bets", "--socket", table, "--by", "D. Dealer"]) == ExitCode.DONE


def test_a_table_that_only_listens_refuses_commands(table: str, capsys: Capture) -> None:
    assert main(["act", "lock-shoe", "--socket", table, *SIGNED]) == ExitCode.NO
    assert "allow_commands" in capsys.readouterr().err


def test_an_act_is_recorded(table: str, capsys: Capture) -> None:
    words = ["act", "record", "act=layout-checked", "amount=3", "--by", "D. Dealer"]

    assert main([*words, "--socket", table]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("record: done and on record\n")


def test_the_role_is_the_least_that_may_do_this_very_act(table: str, capsys: Capture) -> None:
    words = ["act", "record", "act=recut", *SIGNED, "--socket", table]

    main(words)
    assert "is not for" not in capsys.readouterr().err
    assert main([*words, "--role", "dealer"]) == ExitCode.NO
    assert (
        "such a record is not for dealer. Allowed: floorperson, pit_manager"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("wagers", ["5:banker:100.00,3:tie:25", "@wagers.csv", "none"])
def test_wagers_are_given_as_text_or_in_a_file(
    table: str, wagers: str, fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fast_dir)
    Path("wagers.csv").write_text("seat,wager,amount\n5,banker,100.00\n3,tie,25\n", "utf-8")

    # Whether the table observes wagers is the procedure's matter: the words are right.
    words = ["act", "wagers", f"wagers={wagers}", "--by", "D. Dealer", "--socket", table]
    assert main(words) in (ExitCode.DONE, ExitCode.NO)


def test_help_names_every_decision(capsys: Capture) -> None:
    main(["resolve", "--help"])

    output = " ".join(capsys.readouterr().out.split()).replace("- ", "-")
    assert all(decision.value in output for decision in FloorDecision)


# --- the gaming day -------------------------------------------------------------------------------


def test_the_gaming_day_is_stated_after_a_jump_of_the_clock(table: str, capsys: Capture) -> None:
    """The journal is of 2025, and the machine's clock of now."""
    act = ("act", "set-gaming-day", "--socket", table, "--by", "Ann Lee", "--reason", "weekend")
    status = ("status", "--socket", table)
    assert main(status) == ExitCode.DONE
    assert "set-gaming-day" in capsys.readouterr().out
    assert main((*act, "day=2025-11-21")) == ExitCode.NO
    today = re.search(r"Allowed: (\d{4}-\d\d-\d\d)", capsys.readouterr().err)
    assert today is not None

    assert main((*act, f"day={today[1]}")) == ExitCode.DONE
    capsys.readouterr()
    main(status)
    assert "set-gaming-day" not in capsys.readouterr().out


WAGERS = [
    {"seat": 5, "wager": "banker", "cents": 10000},
    {"seat": 3, "wager": "tie", "cents": 2550},
]


@pytest.mark.parametrize(
    ("action", "word", "value"),
    [
        ("record", "seat=5", 5),
        ("document-vigorish", "form_number=1001", 1001),
        ("give-up", "by_order=yes", True),
        ("document-vigorish", "patron_signed=no", False),
        ("record", "act=inspected", "inspected"),
        ("record", "reference=W=7", "W=7"),
        ("record", "batch=", ""),
        ("record", "unknown=5", "5"),
        ("wagers", "wagers=none", []),
        ("wagers", "wagers=5:banker:100,3:tie:25.50", WAGERS),
        (
            "wagers",
            "wagers=3:tie:25.50:coupon",
            [{"seat": 3, "wager": "tie", "cents": 2550, "medium": "coupon"}],
        ),
    ],
)
def test_a_word_is_parsed_by_the_declared_type(action: str, word: str, value: object) -> None:
    assert parse_values(ACTIONS[action], [word]) == {word.partition("=")[0]: value}


def test_wagers_from_a_file(fast_dir: Path) -> None:
    layout = fast_dir / "layout.csv"
    layout.write_text("seat,wager,amount\n5,banker,100.00\n3,tie,25.50\n", "utf-8")

    assert parse_values(ACTIONS["wagers"], [f"wagers=@{layout}"]) == {"wagers": WAGERS}


def test_several_values() -> None:
    assert parse_values(ACTIONS["record"], ["seat=5", "act=cut"]) == {"seat": 5, "act": "cut"}


OF_EACH = [(name, value) for name, kind in ACTIONS.items() for value in values_of(kind)]


@pytest.mark.parametrize(("action", "value"), OF_EACH, ids=str)
def test_every_value_can_be_typed(action: str, value: ActionValue) -> None:
    texts = [text for text in ("5", "yes", "none") if _typed(action, f"{value.name}={text}")]

    assert texts


def _typed(action: str, word: str) -> bool:
    try:
        return bool(parse_values(ACTIONS[action], [word]))
    except CommandError:
        return False
