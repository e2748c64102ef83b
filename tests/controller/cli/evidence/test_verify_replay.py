"""`smartshoe verify` and `smartshoe replay`: output, JSON and exit codes."""

import json
import os
import pty
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def three_coups(three_coups: Path, begun_log: Callable[[Path], None]) -> Path:
    begun_log(three_coups)
    return three_coups


@pytest.fixture
def read_in_pieces(read_in_pieces: Path, begun_log: Callable[[Path], None]) -> Path:
    begun_log(read_in_pieces)
    return read_in_pieces


def change(folder: Path, leaf: str) -> None:
    with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as database:
        database.execute(leaf)


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_sound_journal_is_a_yes(command: str, three_coups: Path, capsys: Capture) -> None:
    assert main([command, str(three_coups)]) == ExitCode.DONE

    output = capsys.readouterr()
    assert output.out.startswith(("intact: ", "the same: "))
    assert output.err == ""


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_with_json_there_is_one_object_on_stdout(
    command: str, three_coups: Path, capsys: Capture
) -> None:
    assert main([command, str(three_coups), "--json"]) == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert shown["records"] == shown["inputs"] + shown["entries"] > 0


def test_verify_and_replay_count_alike_what_was_read_in_pieces(
    read_in_pieces: Path, capsys: Capture
) -> None:
    counts = []
    for command in ("verify", "replay"):
        assert main([command, str(read_in_pieces), "--json"]) == ExitCode.DONE
        shown = json.loads(capsys.readouterr().out)
        counts.append((shown["records"], shown["inputs"], shown["entries"]))
    assert counts[0] == counts[1]


def test_replay_prints_coups_and_shoes(three_coups: Path, capsys: Capture) -> None:
    main(["replay", str(three_coups), "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert (shown["coups"], shown["shoes"], shown["finding"]) == (3, 1, "same")


def test_verify_prints_what_is_not_intact_and_where(three_coups: Path, capsys: Capture) -> None:
    change(three_coups, "UPDATE records SET record = zeroblob(40) WHERE seq = 9")

    assert main(["verify", str(three_coups)]) == ExitCode.NO

    output = capsys.readouterr().out
    assert output.startswith("NOT INTACT: ")
    assert "record 9 " in output


def test_replay_of_a_damaged_journal_stops_at_the_damage(
    three_coups: Path, capsys: Capture
) -> None:
    change(three_coups, "UPDATE records SET record = zeroblob(40) WHERE seq = 9")

    assert main(["replay", str(three_coups)]) == ExitCode.UNUSABLE

    output = capsys.readouterr()
    assert "replayed up to record 8" in output.out
    assert "smartshoe verify" in output.err


def test_a_journal_of_another_version_has_its_own_exit_code(
    deal: Callable[..., Path], opening_and_coups: Callable[[int], tuple[str, ...]], capsys: Capture
) -> None:
    folder = deal(*opening_and_coups(1), software="0.0.9")

    assert main(["replay", str(folder)]) == ExitCode.OTHER_VERSION
    assert "was written by 0.0.9" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_path_that_does_not_exist_is_named(command: str, fast_dir: Path, capsys: Capture) -> None:
    assert main([command, str(fast_dir / "none")]) == ExitCode.UNUSABLE
    assert f"{fast_dir / 'none'}: no such file or folder" in capsys.readouterr().err


def test_a_file_that_is_not_a_journal_is_reported(fast_dir: Path, capsys: Capture) -> None:
    (fast_dir / "live.db").write_bytes(b"\x00" * 4096)

    assert main(["verify", str(fast_dir)]) == ExitCode.NO
    assert "live.db: no record of it can be read" in capsys.readouterr().out
    assert main(["replay", str(fast_dir)]) == ExitCode.UNUSABLE

    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("smartshoe: ")
    assert "Traceback" not in output.err


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_terminal_sees_a_progress_bar(command: str, three_coups: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "controller.cli.main", command, str(three_coups)],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        drawn = b""
        try:
            while piece := os.read(ours, 4096):
                drawn += piece
        except OSError:  # how a terminal ends on Linux
            os.close(ours)
        code = process.wait()

    assert code == ExitCode.DONE
    assert command.encode() in drawn
