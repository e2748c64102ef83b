"""The whole command line: help pages, exit codes, and the libraries it loads."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

from controller.cli import main as cli
from controller.cli.main import main
from controller.system.command_line.errors import KNOWN_ERRORS, CommandError, ExitCode
from controller.version import software_identifier

HEAVY = (
    "serial",
    "usb",
    "prometheus_client",
    "pydantic",
    "cbor2",
    "sqlite3",
    "ssl",
    "rich",
    "typer",
    "argparse",
    "cryptography",
)


def python(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from controller.cli.main import main; main(['--help']); "
        f"print('loaded', [name for name in {HEAVY} if name in sys.modules])"
    )

    assert python(code).stdout.endswith("loaded []\n")


def test_run_loads_neither_typer_nor_rich() -> None:
    code = (
        "import sys; from controller.cli.main import main\n"
        "code = main(['run', 'no such file'])\n"
        "main(['run', '--help'])\n"
        "heavy = ('typer', 'rich', 'jinja2', 'prometheus_client')\n"
        "loaded = [name for name in heavy if name in sys.modules]\n"
        "print(code, 'controller.service.app' in sys.modules, loaded)"
    )

    output = python(code).stdout
    assert output.startswith("usage: smartshoe run ")
    assert output.endswith("\n2 True []\n")


@pytest.mark.parametrize("given", ["M-12.toml", "M-12", "."])
def test_status_checks_no_configuration(given: str, tmp_path: Path) -> None:
    (tmp_path / "M-12.toml").write_text('[table]\nname = "M-12"\n')
    code = (
        "import os, sys; from controller.cli.main import main\n"
        f"os.chdir({str(tmp_path)!r})\n"
        f"code = main(['status', {given!r}])\n"
        "loaded = [name for name in sys.modules if name.startswith('controller.service.config.')]\n"
        "print(code, sorted(loaded))"
    )

    loaded = "['controller.service.config.document', 'controller.service.config.table_files']"
    assert python(code).stdout.endswith(f"4 {loaded}\n")


def test_run_without_a_configuration_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run"]) == ExitCode.UNUSABLE
    assert "--config FILE" in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == ExitCode.DONE
    assert capsys.readouterr().out == f"smartshoe {software_identifier()}\n"


def test_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verifi"]) == ExitCode.UNUSABLE
    assert "verifi: there is no such command" in (err := capsys.readouterr().err)
    assert "did you mean 'verify'?" in err


def test_no_command_is_wrong_usage_and_shows_the_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == ExitCode.UNUSABLE
    output = capsys.readouterr()
    assert "check-config" in output.out + output.err


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
def ending(monkeypatch: pytest.MonkeyPatch) -> Ending:
    monkeypatch.delenv("SMARTSHOE_TRACEBACK", raising=False)
    return Ending(monkeypatch)


def test_a_known_error_is_one_sentence(ending: Ending, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending.with_error(CommandError("the port is busy", ExitCode.NO)) == ExitCode.NO
    assert capsys.readouterr().err == "smartshoe: the port is busy\n"


def test_a_file_that_cannot_be_read_is_named(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    error = PermissionError(13, "Permission denied", "table.toml")

    assert ending.with_error(error) == ExitCode.UNUSABLE
    assert capsys.readouterr().err == (
        "smartshoe: table.toml: Permission denied. Remedy: let this"
        " account use it, or name another\n"
    )


def test_an_internal_error_is_reported_without_a_traceback(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending.with_error(ZeroDivisionError("by 0")) == ExitCode.FAULT

    output = capsys.readouterr().err
    assert output.startswith("smartshoe: internal error: ZeroDivisionError in test_main.py, ")
    assert "Traceback" not in output


def test_the_message_of_an_internal_error_is_not_printed(
    ending: Ending, capsys: pytest.CaptureFixture[str]
) -> None:
    ending.with_error(AssertionError("no card is due: 7h"))

    assert "7h" not in capsys.readouterr().err


def test_an_internal_error_has_a_traceback_on_request(
    ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMARTSHOE_TRACEBACK", "1")

    with pytest.raises(ZeroDivisionError):
        ending.with_error(ZeroDivisionError())


def test_ctrl_c_is_quiet(ending: Ending, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending.with_error(KeyboardInterrupt()) == ExitCode.INTERRUPTED
    assert capsys.readouterr() == ("", "")


def test_a_closed_stdout_pipe_is_not_an_error() -> None:
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

    assert (done.returncode, done.stderr) == (ExitCode.PIPE_CLOSED, "")
