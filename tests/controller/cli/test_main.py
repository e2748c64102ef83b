"""The command line as a whole: help, endings, and what it loads."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import NoReturn

import pytest

from controller.cli import main as cli
from controller.cli.errors import KNOWN_ERRORS, Exit, Unable
from controller.cli.main import main
from controller.version import VERSION

COMMANDS = (
    *("check-config", "status", "resolve", "close-shoe", "act", "verify", "replay", "clauses"),
    "try",
)
GROUPS = (
    "rules",
    "rules list",
    "rules show",
    "rules clause",
    "devices",
    "devices monitor",
    "keys make",
    "keys show",
    *("identity pair", "identity show"),
    *("firmware list", "firmware approve", "firmware withdraw", "firmware verify"),
    *("shuffles list", "shuffles export", "shuffles verify"),
    "batch",
    *("batch enrol", "batch verify", "batch import", "batch export", "batch list", "batch show"),
)
HEAVY = (
    "serial",
    "usb",
    "prometheus_client",
    "pydantic",
    "cbor2",
    "sqlite3",
    "ssl",
    "rich",
    "cryptography",
)


def python(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS])
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--help"]) == Exit.DONE
    assert re.search(rf"examples?:\n(.*\n)*  +smartshoe {command}", capsys.readouterr().out)


def test_the_top_help_names_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == Exit.DONE

    said = capsys.readouterr().out
    for command in (*COMMANDS, "run", "rules", "devices"):
        assert re.search(rf"^  {command} +\w", said, re.MULTILINE), command
    for code in (0, 1, 2, 3, 4):
        assert re.search(rf"^ +{code} +\w", said, re.MULTILINE), code


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from controller.cli.main import main; main(['--help']); "
        f"print('loaded', [name for name in {HEAVY} if name in sys.modules])"
    )

    assert python(code).stdout.endswith("loaded []\n")


def test_run_loads_neither_typer_nor_rich() -> None:
    code = (
        "import sys; from controller.cli.main import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit as ended: code = ended.code\n"
        "print(code, [name for name in ('typer', 'rich') if name in sys.modules])"
    )

    said = python(code).stdout
    assert said.startswith("usage: smartshoe run ")
    assert said.endswith("\n0 []\n")


def test_run_is_asked_for_a_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run"]) == Exit.UNUSABLE
    assert "--config FILE" in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == Exit.DONE
    assert capsys.readouterr().out == f"smartshoe {VERSION}\n"


def test_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verifi"]) == Exit.UNUSABLE
    assert "Did you mean 'verify'" in capsys.readouterr().err


def test_no_command_is_wrong_usage_and_shows_the_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == Exit.UNUSABLE
    said = capsys.readouterr()
    assert "check-config" in said.out + said.err


@pytest.mark.parametrize("name", sorted(KNOWN_ERRORS))
def test_known_errors_exist_under_their_names(name: str) -> None:
    module, _, kind = name.rpartition(".")

    assert issubclass(getattr(import_module(module), kind), Exception)


class Ending:
    """Lets the commands end in a given way."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def with_error(self, error: BaseException) -> int:
        def dispatch(_words: list[str]) -> NoReturn:
            raise error

        self._patch.setattr(cli, "_dispatch", dispatch)
        return main(["anything"])


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ending]:
    monkeypatch.delenv("SMARTSHOE_TRACEBACK", raising=False)
    return Ending(monkeypatch)


def test_a_known_error_is_one_sentence(ending: Ending, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending.with_error(Unable("the port is busy", Exit.NO)) == Exit.NO
    assert capsys.readouterr().err == "smartshoe: the port is busy\n"


def test_a_file_that_cannot_be_read_is_named(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    error = PermissionError(13, "Permission denied", "table.toml")

    assert ending.with_error(error) == Exit.UNUSABLE
    assert capsys.readouterr().err == "smartshoe: table.toml: Permission denied\n"


def test_our_own_fault_is_told_without_a_traceback(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending.with_error(ZeroDivisionError("by 0")) == Exit.FAULT

    said = capsys.readouterr().err
    assert said.startswith(
        "smartshoe: a fault of this program: ZeroDivisionError in test_main.py, "
    )
    assert "Traceback" not in said


def test_the_message_of_our_own_fault_is_not_told(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    ending.with_error(AssertionError("no card is due: 7h"))

    assert "7h" not in capsys.readouterr().err


def test_our_own_fault_is_shown_whole_on_request(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMARTSHOE_TRACEBACK", "1")

    with pytest.raises(ZeroDivisionError):
        ending.with_error(ZeroDivisionError())


def test_ctrl_c_is_quiet(ending: Ending, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending.with_error(KeyboardInterrupt()) == Exit.INTERRUPTED
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_goes_away_is_no_matter() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", "rules", "show", "ny-mini"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (Exit.NO, "")
