"""Every output of the program is on the list of disclosure.py, and nothing on the list is idle.

Responsible for: the list of ways out against every output of the program.
Not responsible for: what passes at a way out (tests/end_to_end/test_leaks.py).
Source: controller/README.md, "Disclosure".
"""

import shutil
from pathlib import Path

import pytest
from outputs_in_source import outputs_in, problems

from controller.views.disclosure import WAYS, WayOut

ROOT = Path(__file__).resolve().parents[2]


def test_every_output_of_the_program_is_on_the_list_and_every_line_of_it_is_used() -> None:
    found = problems(ROOT)

    assert not found, "\n".join(found)


def test_every_way_out_stands_on_the_list_once_and_says_what_it_is() -> None:
    assert [way.out for way in WAYS] == list(WayOut)
    assert all(way.what and way.by for way in WAYS)


# --- what counts as an output ---------------------------------------------------------------------


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
        ("from controller.cli.output import say", "terminal"),
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
def test_what_lets_nothing_out_is_none(source) -> None:
    assert not list(outputs_in("controller.new", source))


# --- the list against a tree --------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """One module of the program, nothing else."""
    (tmp_path / "controller" / "system").mkdir(parents=True)
    shutil.copy(ROOT / "controller" / "system" / "systemd.py", tmp_path / "controller" / "system")
    return tmp_path


def of_systemd(tree: Path) -> list[str]:
    return [one for one in problems(tree) if "system.systemd" in one]


def test_a_listed_output_is_no_problem(tree: Path) -> None:
    assert of_systemd(tree) == []


def test_a_new_output_is_named_with_its_file_its_line_and_the_remedy(tree: Path) -> None:
    (tree / "controller" / "system" / "systemd.py").write_text("import socket\n\nprint('7h')\n")

    assert (
        "controller/system/systemd.py:3 calls print: controller/views/disclosure.py does not name"
        " controller.system.systemd under 'terminal'. Say there what it is and what may pass, and"
        " give it a walker in tests/end_to_end/test_leaks.py"
    ) in of_systemd(tree)


def test_a_line_of_the_list_that_nothing_uses_is_named(tree: Path) -> None:
    (tree / "controller" / "system" / "systemd.py").write_text("")

    assert (
        "controller/views/disclosure.py names controller.system.systemd under 'socket', and"
        " nothing in it lets anything out that way"
    ) in of_systemd(tree)
