"""Every output of the program is on the list in outputs.py, and every entry of it is in use."""

import shutil
from pathlib import Path

import pytest
from outputs_in_source import outputs_in, problems

from controller.record.output_kinds import OutputName
from controller.record.outputs import OUTPUTS

ROOT = Path(__file__).resolve().parents[2]


def test_the_list_names_every_output_and_nothing_else() -> None:
    found = problems(ROOT)

    assert not found, "\n".join(found)


def test_every_output_is_listed_once_with_a_description() -> None:
    assert [output.name for output in OUTPUTS] == list(OutputName)
    assert all(output.description and output.modules for output in OUTPUTS)


# --- outputs in source ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "channel"),
    [
        ("print(card)", "terminal"),
        ("import sys\nsys.stdout.write(card)", "terminal"),
        ("import sys\nout = sys.stderr", "terminal"),
        ("import sys\nsys.exit(f'{card}')", "terminal"),
        ("raise SystemExit('7h')", "terminal"),
        ("import typer\ntyper.echo(card)", "terminal"),
        ("from rich.console import Console", "terminal"),
        ("from controller.system.command_line.output import echo", "terminal"),
        ("import logging", "log"),
        ("from warnings import warn", "log"),
        ("import socket", "socket"),
        ("from http.server import HTTPServer", "socket"),
        ("connection.sendall(card)", "socket"),
        ("open('cards', 'w')", "file"),
        ("open('cards', mode=mode)", "file"),
        ("path.open('ab')", "file"),
        ("path.write_text(card)", "file"),
        ("os.write(1, card)", "file"),
        ("os.open(path, os.O_RDWR)", "file"),
        ("import tempfile", "file"),
        ("import sqlite3", "database"),
        ("import gpiod", "device"),
        ("import serial", "device"),
        ("import usb.core", "device"),
        ("port.write(card)", "bytes"),
        ("json.dump(card, file)", "bytes"),
        ("from prometheus_client import Gauge", "metrics"),
        ("import subprocess", "process"),
        ("os.system(card)", "process"),
    ],
)
def test_an_output_is_found(source, channel) -> None:
    assert channel in [one.channel for one in outputs_in("controller.new", source)]


@pytest.mark.parametrize(
    "source",
    [
        "sys.stdout.isatty()",
        "path.open('rb')",
        "open('profile.toml')",
        "os.open(folder, os.O_RDONLY)",
        "self.port.open()",
        "Journal.open(folder, create=False)",
        "sys.exit(main())",
        "raise ValueError",
        "raise typer.Exit(Exit.NO)",
        "link.send(command)",
        "text.splitlines()",
        "from http import HTTPStatus",
        "from shutil import get_terminal_size",
    ],
)
def test_code_without_output_is_not_reported(source) -> None:
    assert not list(outputs_in("controller.new", source))


# --- the list against a tree --------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one module of the program."""
    (tmp_path / "controller" / "system").mkdir(parents=True)
    shutil.copy(ROOT / "controller" / "system" / "systemd.py", tmp_path / "controller" / "system")
    return tmp_path


def systemd_problems(tree: Path) -> list[str]:
    return [one for one in problems(tree) if "system.systemd" in one]


def test_a_listed_output_is_accepted(tree: Path) -> None:
    assert systemd_problems(tree) == []


def test_an_unlisted_output_is_reported_with_file_line_and_remedy(tree: Path) -> None:
    (tree / "controller" / "system" / "systemd.py").write_text("import socket\n\nprint('7h')\n")

    assert (
        "controller/system/systemd.py:3 calls print: controller/record/outputs.py does not name"
        " controller.system.systemd under 'terminal'. Add it there with what may pass, and add a"
        " reader of it to tests/end_to_end/test_leaks.py"
    ) in systemd_problems(tree)


def test_an_unused_list_entry_is_reported(tree: Path) -> None:
    (tree / "controller" / "system" / "systemd.py").write_text("")

    assert (
        "controller/record/outputs.py names controller.system.systemd under 'socket', but"
        " it outputs nothing there"
    ) in systemd_problems(tree)
