"""`status FOLDER`: a line for each table, whatever is wrong with another."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.cli.table.status_folder import show_tables
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
Serve = Callable[..., Path]
Config = Callable[[str, Path], Path]


@pytest.fixture
def folder(fast_dir: Path) -> Path:
    (fast_dir / "tables").mkdir()
    return fast_dir / "tables"


@pytest.fixture
def config(folder: Path) -> Config:
    """Writes a table's file with its control socket; returns the file."""

    def written(name: str, control: Path) -> Path:
        file = folder / f"{name}.toml"
        file.write_text(f'[table]\nname = "{name}"\n[control]\nsocket = "{control}"\n')
        return file

    return written


@pytest.fixture
def two_tables(serve: Serve, suspended: Path, fast_dir: Path, folder: Path, config: Config) -> Path:
    """The folder of M7, which is suspended, and of K9, which has no shoe; both run."""
    config("M7", serve(suspended))
    config("K9", serve(fast_dir / "other" / "journal", "K9"))
    return folder


@pytest.fixture
def silent(fast_dir: Path) -> Iterator[Path]:
    """A socket that takes requests and answers none."""
    path = fast_dir / "silent.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        yield path


def test_each_table_has_a_line_in_the_order_of_the_files(two_tables: Path, capsys: Capture) -> None:
    assert main(["status", str(two_tables)]) == ExitCode.DONE

    k9, m7 = capsys.readouterr().out.splitlines()
    assert k9 == "K9  running, no shoe, nothing open"
    assert m7 == "M7  running, gaming day 2025-11-21, shoe 1, coup 2, 1 open, suspended"


def test_each_table_is_one_of_a_list_as_json(two_tables: Path, capsys: Capture) -> None:
    assert main(["status", str(two_tables), "--json"]) == ExitCode.DONE

    k9, m7 = json.loads(capsys.readouterr().out)["tables"]
    assert (k9["table"], k9["file"], k9["problem"]) == ("K9", f"{two_tables}/K9.toml", "")
    assert k9["status"]["table"] == "K9"
    assert m7["status"]["irregularities"]


@pytest.mark.parametrize("command", ["status", "resolve"])
def test_one_of_them_is_asked_by_its_name(command: str, two_tables: Path, capsys: Capture) -> None:
    main([command, f"{two_tables}/M7"])

    shown = capsys.readouterr().out
    assert "OPEN       1 " in shown
    assert f"--config {two_tables}/M7 " in shown


def test_a_folder_with_one_table_is_a_list_too(
    serve: Serve, three_coups: Path, folder: Path, config: Config, capsys: Capture
) -> None:
    config("M7", serve(three_coups))

    assert main(["status", str(folder)]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("M7  running, gaming day 2025-11-21, shoe 1, coup 3")


def test_a_table_that_does_not_run_hides_no_other(
    two_tables: Path, config: Config, fast_dir: Path, capsys: Capture
) -> None:
    config("A1", fast_dir / "none.sock")

    assert main(["status", str(two_tables)]) == ExitCode.NO
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A1  does not run"
    assert lines[1].startswith("K9  running")


def test_a_file_that_cannot_be_read_hides_no_other(two_tables: Path, capsys: Capture) -> None:
    (two_tables / "A1.toml").write_text("[")

    assert main(["status", str(two_tables)]) == ExitCode.NO
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"A1.toml  cannot be asked: {two_tables}/A1.toml: not TOML")
    assert lines[1].startswith("K9       running")


def test_another_tables_answer_is_not_taken_for_its_own(
    two_tables: Path, config: Config, fast_dir: Path, capsys: Capture
) -> None:
    config("A1", fast_dir / "control.sock")

    assert main(["status", str(two_tables)]) == ExitCode.NO
    line = capsys.readouterr().out.splitlines()[0]
    assert line == "A1  does not run: table M7 answers at its control socket"


def test_a_file_without_a_name_is_no_running_table(two_tables: Path, capsys: Capture) -> None:
    text = (two_tables / "M7.toml").read_text()
    (two_tables / "A1.toml").write_text(text.replace('name = "M7"', ""))

    assert main(["status", str(two_tables)]) == ExitCode.NO
    line = capsys.readouterr().out.splitlines()[0]
    assert line == "A1.toml  does not run: table M7 answers at its control socket"


def test_a_table_that_hangs_is_given_up(
    two_tables: Path, config: Config, silent: Path, capsys: Capture
) -> None:
    config("A1", silent)

    assert show_tables(two_tables, as_json=False, watch=False, answer_s=0.5) == ExitCode.NO
    lines = capsys.readouterr().out.splitlines()
    why = f"{silent}: the table did not answer within 0.5 s"
    assert lines[0].startswith(f"A1  cannot be asked: {why}. Remedy: ")
    assert len(lines) == 3


def test_without_any_answer_no_table_runs(
    folder: Path, config: Config, fast_dir: Path, capsys: Capture
) -> None:
    config("A1", fast_dir / "none.sock")
    (folder / "A2.toml").write_text("[")

    assert main(["status", str(folder)]) == ExitCode.NO_TABLE
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_folder_is_not_watched(two_tables: Path, capsys: Capture) -> None:
    assert main(["status", str(two_tables), "--watch"]) == ExitCode.UNUSABLE
    assert f"Allowed: FOLDER/NAME, such as {two_tables}/K9." in capsys.readouterr().err


def test_a_folder_without_tables_is_an_error(folder: Path, capsys: Capture) -> None:
    assert main(["status", str(folder)]) == ExitCode.UNUSABLE
    assert "this folder has no table" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["resolve", "backup --to copy", "rules show", "keys lost --by A"]
)
def test_another_command_needs_one_table(command: str, two_tables: Path, capsys: Capture) -> None:
    words = command.split()
    assert main([*words, "--config", str(two_tables)]) == ExitCode.UNUSABLE
    assert "this folder has 2 tables. Allowed: K9, M7. Remedy: " in capsys.readouterr().err
