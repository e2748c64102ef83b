"""Standard output on a full disk, into a closed pipe, and without a descriptor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.system.command_line.errors import ExitCode

PROGRAM = (sys.executable, "-m", "controller.cli.main")
# Long and short output, tables by rich, pages by typer and argparse, JSON, an error as JSON.
COMMANDS = (
    *("--help", "--version", "run --help", "verify --help", "batch --help"),
    *("check-config --example", "rules show ny-mini", "rules show ny-mini --json", "odds --json"),
    *("act --list", "clauses", "no-such-command --json"),
)
EVERY = pytest.mark.parametrize("command", COMMANDS)


def run(command: str, **streams: object) -> tuple[int, str]:
    done = subprocess.run(
        [*PROGRAM, *command.split()],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **streams,  # type: ignore[call-overload]
    )
    return done.returncode, done.stderr


@EVERY
def test_a_full_disk_is_a_sentence(command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        code, errors = run(command, stdout=full)

    assert code == ExitCode.UNUSABLE
    assert errors == (
        "smartshoe: standard output: No space left on device. Remedy: make room, or write"
        " elsewhere\n"
    )


@EVERY
def test_a_closed_pipe_ends_quietly(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        assert run(command, stdout=write) == (ExitCode.PIPE_CLOSED, "")
    finally:
        os.close(write)


def test_a_reader_that_stops_early_gets_its_lines() -> None:
    command = f"{' '.join(PROGRAM)} rules show ny-mini | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)

    # A short output may fit into the pipe before its reader is gone.
    first, code = done.stdout.splitlines()
    assert first.startswith("New York mini baccarat (ny-mini)")
    assert int(code) in (ExitCode.DONE, ExitCode.PIPE_CLOSED)
    assert done.stderr == ""


def test_without_a_standard_output_nothing_is_lost_in_silence() -> None:
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(PROGRAM)} --version >&-"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert done.returncode == ExitCode.UNUSABLE
    assert done.stderr.startswith("smartshoe: standard output: Bad file descriptor")


@pytest.mark.parametrize("command", ["verify none", "run none", "unknown"])
@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_error_that_cannot_be_printed_keeps_its_exit_code(
    command: str, stream: str, unbuffered: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(PROGRAM)} {command} {stream}"],
        env=dict(os.environ, PYTHONUNBUFFERED=unbuffered),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (ExitCode.UNUSABLE, "")
