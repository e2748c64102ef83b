"""One form of error and the same exit code for the same case, over all commands."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import (
    CommandError,
    ErrorReport,
    ExitCode,
    parse_reports,
    report_error,
)
from firmware_bridge.transport.port import PortUnavailable
from foundation.message import message

Capture = pytest.CaptureFixture[str]

UNUSABLE, NO, NO_TABLE = ExitCode.UNUSABLE, ExitCode.NO, ExitCode.NO_TABLE

# What each command needs beside its subject.
OF_JOURNAL = {
    "verify": (),
    "replay": (),
    "audit": (),
    "evidence": ("2026-11-21/7/1", "--out", "new.zip"),
    "journal list": (),
    "journal export": ("--tape", "new.tape"),
    "journal archive": ("--to", "archive"),
    "journal prune": ("--archive", "archive"),
    "journal hold": ("2026-11-21/7", "--by", "A. Person", "--reason", "why"),
    "journal release": ("2026-11-21/7", "--by", "A. Person", "--reason", "why"),
    "journal seals": (),
    "shuffles list": (),
    "shuffles export": ("--out", "receipts"),
}
SIGNED = ("--by", "A. Floor", "--reason", "why")
OF_CONFIG = {
    "run": (),
    "check-config": (),
    "status": (),
    "resolve": (),
    "close-shoe": SIGNED,
    "act": ("no-more-bets", "--by", "A. Floor"),
    "devices list": (),
    "devices monitor": ("/dev/null",),
    "rules show": (),
}
OF_TABLE = ("status", "resolve", "close-shoe", "act")
OF_FILE = {
    "keys show": (),
    "firmware list": (),
    "firmware verify": ("--key", "none.pub"),
    "identity show": (),
    "shuffles verify": ("--identity", "none.json"),
}
ONLY_OPTION = ("rules show",)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("text").write_text("hello\n")
    Path("problem.toml").write_text('[table]\nname = "M7"\nfoo = 1\n[shoe]\nport = "/dev/x"\n')


def ended(command: str, *words: str) -> int:
    return main([*command.split(), *words])


def expect(code: int, command: str, words: tuple[str, ...], capsys: Capture) -> None:
    """The case ends with this code in one form, as text and as JSON."""
    capsys.readouterr()
    assert ended(command, *words) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("smartshoe: ")
    assert "Traceback" not in output.err
    assert ended(command, *words, "--json") == code
    shown = capsys.readouterr()
    assert shown.err == ""
    error = json.loads(shown.out)
    assert (error["ok"], error["exit_code"]) == (False, code)
    assert set(error["error"]) == {"place", "problem", "allowed", "remedy"}
    for one in error.get("errors", [error["error"]]):
        assert one["place"], one
        assert one["problem"], one
        assert one["remedy"], one


@pytest.mark.parametrize("subject", ["none", "folder", "text"])
@pytest.mark.parametrize("command", OF_JOURNAL)
def test_what_is_no_journal_cannot_be_read(command: str, subject: str, capsys: Capture) -> None:
    expect(UNUSABLE, command, (*OF_JOURNAL[command], "--journal", subject), capsys)


@pytest.mark.parametrize("subject", ["none", "folder"])
@pytest.mark.parametrize("command", OF_CONFIG)
def test_what_is_no_file_is_no_configuration(command: str, subject: str, capsys: Capture) -> None:
    expect(UNUSABLE, command, (*OF_CONFIG[command], "--config", subject), capsys)


@pytest.mark.parametrize("command", [one for one in OF_CONFIG if one != "check-config"])
def test_a_configuration_with_a_problem(command: str, capsys: Capture) -> None:
    """A table may not start with it, and a running one is asked whatever else is wrong."""
    code = NO_TABLE if command in ("run", *OF_TABLE) else UNUSABLE
    expect(code, command, (*OF_CONFIG[command], "--config", "problem.toml"), capsys)


def test_a_checked_configuration_with_a_problem_is_a_no(capsys: Capture) -> None:
    expect(NO, "check-config", ("problem.toml",), capsys)


@pytest.mark.parametrize("subject", ["none", "folder", "text"])
@pytest.mark.parametrize("command", OF_FILE)
def test_a_file_that_is_none_cannot_be_read(command: str, subject: str, capsys: Capture) -> None:
    expect(UNUSABLE, command, (*OF_FILE[command], subject), capsys)


@pytest.mark.parametrize("command", OF_TABLE)
def test_no_table_is_running(command: str, capsys: Capture) -> None:
    expect(NO_TABLE, command, (*OF_CONFIG[command], "--socket", "none.sock"), capsys)


@pytest.mark.parametrize("command", ["run", *OF_TABLE])
def test_no_table_is_named(command: str, capsys: Capture) -> None:
    expect(UNUSABLE, command, OF_CONFIG[command], capsys)


@pytest.mark.parametrize("command", list(OF_JOURNAL))
def test_no_journal_is_named(command: str, capsys: Capture) -> None:
    expect(UNUSABLE, command, OF_JOURNAL[command], capsys)


@pytest.mark.parametrize(
    "command", sorted({*OF_JOURNAL, *OF_CONFIG, *OF_FILE} - {"run"} | {"odds", "clauses"})
)
def test_an_unknown_option_is_wrong_usage(command: str, capsys: Capture) -> None:
    assert ended(command, "--unknown") == UNUSABLE
    assert "No such option: --unknown" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "place", "allowed"),
    [
        (("odds", "--decks", "17"), "--decks", "less than or equal to 16"),
        (("odds", "--decks", "many"), "--decks", "a valid integer"),
        (("devices", "monitor", "x", "--level", "y"), "--level", "'bytes', 'frames', 'events'"),
        (("verify",), "JOURNAL", "JOURNAL or --journal JOURNAL"),
        (("verify", "a", "--journal", "b"), "--journal", "JOURNAL or --journal JOURNAL, once"),
        (("run", "a", "--config", "b"), "run", "FILE or --config FILE, once"),
        (("batch", "lst"), "batch lst", "enrol, export, import, list, show, verify"),
    ],
)
def test_place_and_what_is_allowed_are_named(
    words: tuple[str, ...], place: str, allowed: str, capsys: Capture
) -> None:
    assert main(list(words)) == UNUSABLE

    found = parse_reports(capsys.readouterr().err.removeprefix("smartshoe: ").rstrip("\n"))[0]
    assert allowed in found.allowed
    assert place in (found.place, found.problem.partition(":")[0])
    assert found.remedy


# --- both forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [one for one in OF_CONFIG if one not in ONLY_OPTION])
def test_a_configuration_is_an_argument_or_an_option(command: str, capsys: Capture) -> None:
    both = []
    for subject in (("problem.toml",), ("--config", "problem.toml")):
        code = ended(command, *OF_CONFIG[command], *subject)
        both.append((code, capsys.readouterr()))

    assert both[0] == both[1]
    assert ("no table is running" if command in OF_TABLE else "table.foo") in both[0][1].err


@pytest.mark.parametrize("command", OF_JOURNAL)
def test_a_journal_is_an_argument_or_an_option(
    command: str, three_coups: Path, capsys: Capture
) -> None:
    words, folder = OF_JOURNAL[command], str(three_coups)
    first = (*words, folder) if command == "evidence" else (folder, *words)
    both = []
    for given in (first, (*words, "--journal", folder), ("--journal", folder, *words)):
        code = ended(command, *given)
        output = capsys.readouterr()
        both.append((code, output.err, re_timed(output.out)))
        Path("new.tape").unlink(missing_ok=True)

    assert both[0] == both[1] == both[2]


def re_timed(text: str) -> list[str]:
    """The words without those that depend on the time the command took."""
    return [word for word in text.split() if not any(sign.isdigit() for sign in word)]


def test_a_key_is_an_argument_or_an_option(capsys: Capture) -> None:
    assert ended("keys make", "--key", "my.key") == ExitCode.DONE
    capsys.readouterr()
    assert ended("keys show", "my.key") == ExitCode.DONE
    shown = capsys.readouterr().out
    assert ended("keys show", "--key", "my.key") == ExitCode.DONE
    assert capsys.readouterr().out == shown


# --- the form -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "report",
    [
        ErrorReport("table.toml", "no such file", "a file", "write one"),
        ErrorReport("", "no maintenance now: a shoe is open", "", "finish it"),
        ErrorReport("--cards, column 7", "'9x' is no card", "such as 9h", ""),
        ErrorReport("a.csv, line 3", "2 columns", "", ""),
    ],
)
def test_a_sentence_is_read_back_into_its_parts(report: ErrorReport) -> None:
    assert parse_reports(report.sentence()) == (report,)


def test_an_error_of_a_port_is_told_in_words(capsys: Capture) -> None:
    absent = PortUnavailable(message("port_does_not_exist", port="/dev/x"))

    assert report_error(absent) == ExitCode.UNUSABLE
    assert capsys.readouterr().err == (
        "smartshoe: /dev/x: it does not exist. Remedy: name a port that `smartshoe devices` lists\n"
    )


def test_every_line_of_several_problems_is_a_report() -> None:
    reports = parse_reports("a.toml: x is wrong.\na.toml: y is wrong; allowed: 1, 2.")

    assert [(one.place, one.problem) for one in reports] == [
        ("a.toml", "x is wrong"),
        ("a.toml", "y is wrong"),
    ]
    assert reports[1].allowed == "1, 2"


def test_an_error_keeps_the_parts_it_was_given() -> None:
    error = CommandError("it is missing", place="a place", allowed="b", remedy="c")

    assert str(error) == "a place: it is missing. Allowed: b. Remedy: c"
    assert error.reports == (ErrorReport("a place", "it is missing", "b", "c"),)


def test_a_refused_action_is_one_json_object(
    serve: Callable[[Path], Path], three_coups: Path, capsys: Capture
) -> None:
    socket = str(serve(three_coups))
    words = (*SIGNED, "--decision", "void-coup", "--socket", socket, "--json")

    assert ended("resolve", *words) == NO
    output = capsys.readouterr()
    assert json.loads(output.out)["error"]["place"] == "resolve"
    assert output.err == ""
