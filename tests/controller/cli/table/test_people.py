"""`smartshoe people ...` and PINs of `resolve` against a running table, and a terminal."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from shown_tables import shown

from controller.cli.main import main
from controller.cli.table import pins
from controller.record.snapshot import Snapshot
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
ANN, PIN, OTHER_PIN = "Ann Lee", "270918", "300475"
DECIDE = ("--by", ANN, "--reason", "seen by me", "--decision", "burn-card")


@pytest.fixture
def waiting(serve: Callable[[Path], Path], suspended: Path) -> str:
    """A table that waits for a floorperson; its socket."""
    return str(serve(suspended))


@pytest.fixture
def files(fast_dir: Path) -> dict[str, str]:
    """Files with a PIN each, by PIN."""
    paths = {pin: fast_dir / pin for pin in (PIN, OTHER_PIN)}
    for pin, path in paths.items():
        path.write_text(f"{pin}\n")
    return {pin: str(path) for pin, path in paths.items()}


@pytest.fixture
def with_ann(waiting: str, files: dict[str, str], capsys: Capture) -> str:
    """The same, where Ann Lee, a floorperson, has an account."""
    words = ["people", "add", "--socket", waiting, ANN, "--role", "floorperson"]
    assert main([*words, "--new-pin-file", files[PIN]]) == ExitCode.DONE
    assert capsys.readouterr().out == "Ann Lee: added, and on record\n"
    return waiting


def test_a_decision_with_the_pin_is_done(with_ann: str, files, capsys: Capture) -> None:
    words = ["resolve", "--socket", with_ann, *DECIDE, "--pin-file", files[PIN]]

    assert main(words) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("resolve: done and on record")


def test_a_decision_without_it_is_refused_with_what_to_do(with_ann: str, capsys: Capture) -> None:
    assert main(["resolve", "--socket", with_ann, *DECIDE]) == ExitCode.NO
    assert "--pin-file" in capsys.readouterr().err


def test_a_pin_comes_from_stdin(with_ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PIN}\n"))

    assert main(["resolve", "--socket", with_ann, *DECIDE, "--pin-file", "-"]) == ExitCode.DONE


def test_a_role_a_pin_and_an_unlocked_account_are_on_record(
    with_ann: str, files, capsys: Capture
) -> None:
    at = ["--socket", with_ann, ANN]

    for words in (
        ["role", *at, "--role", "pit_manager"],
        ["pin", *at, "--by", ANN, "--pin-file", files[PIN], "--new-pin-file", files[OTHER_PIN]],
        ["unlock", *at, "--json"],
        ["remove", *at],
    ):
        assert main(["people", *words]) == ExitCode.DONE, words

    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Ann Lee: role, and on record", "Ann Lee: pin, and on record"]
    assert json.loads("".join(lines[2:-1])) == {"ok": True, "person": ANN, "change": "unlocked"}


def test_a_refused_change_says_why(with_ann: str, files, capsys: Capture) -> None:
    words = ["people", "add", "--socket", with_ann, ANN, "--role", "dealer"]

    assert main([*words, "--new-pin-file", files[PIN]]) == ExitCode.NO
    assert "this person has an account already" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [(), ("--new-pin-file", "/nowhere/pin")])
def test_a_new_pin_that_cannot_be_read_is_said(waiting: str, missing, capsys: Capture) -> None:
    words = ["people", "add", "--socket", waiting, ANN, "--role", "dealer", *missing]

    assert main(words) == ExitCode.UNUSABLE
    assert "Remedy: " in capsys.readouterr().err


def test_the_list_has_the_role(with_ann: str, suspended: Path, capsys: Capture) -> None:
    assert main(["people", "list", str(suspended)]) == ExitCode.DONE
    assert capsys.readouterr().out.endswith("  Ann Lee, floorperson\n")


def test_who_has_an_account_is_not_erased(with_ann: str, suspended: Path, capsys: Capture) -> None:
    assert main(["people", "erase", str(suspended), ANN]) == ExitCode.UNUSABLE
    assert "Remedy: remove it first" in capsys.readouterr().err


# --- at a terminal --------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed at the terminal, in order; the questions are not shown."""
    lines: list[str] = []
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda *_words, **_more: lines.pop(0))
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda _words: lines.pop(0))
    return lines


def with_accounts(number: int) -> Snapshot:
    return shown(people={"accounts": number})


def test_a_terminal_is_asked_for_each_person_who_acts(typed: list[str]) -> None:
    typed += [PIN, OTHER_PIN]

    requests = pins.sign_on_requests(with_accounts(1), (ANN, None), ("Bo Ray", None))

    assert [(one["by"], one["pin"]) for one in requests] == [(ANN, PIN), ("Bo Ray", OTHER_PIN)]


def test_an_empty_answer_signs_nobody_on(typed: list[str]) -> None:
    typed += [""]

    assert pins.sign_on_requests(with_accounts(1), (ANN, None)) == []


def test_nobody_is_asked_where_no_accounts_are(typed: list[str]) -> None:
    assert pins.sign_on_requests(with_accounts(0), (ANN, None)) == []


def test_a_new_pin_is_typed_twice(typed: list[str]) -> None:
    typed += [PIN, PIN, PIN, OTHER_PIN]

    assert pins.read_new_pin(ANN, None) == PIN
    with pytest.raises(Exception, match="the two PINs differ"):
        pins.read_new_pin(ANN, None)
