"""An output that is on no list does not build, and nothing on the list is idle.

Responsible for: the list of ways out against every output of the program, and that the build
itself refuses.
Not responsible for: what passes at a way out (tests/end_to_end/test_leaks.py).
Source: controller/README.md, "Disclosure".
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.disclosure import WAYS, WayOut

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_every_output_of_the_program_is_on_the_list_and_every_line_of_it_is_used(build) -> None:
    found = build.problems(ROOT)

    assert not found, "\n".join(found)


def test_every_way_out_stands_on_the_list_once_and_says_what_it_is() -> None:
    assert [way.out for way in WAYS] == list(WayOut)
    assert all(way.what and way.by for way in WAYS)


def test_the_build_reads_the_list_as_the_program_does(build) -> None:
    as_values = {
        (module, channel)
        for way in WAYS
        for channel, modules in way.by.items()
        for module in modules
    }

    assert build.listed((ROOT / "controller" / "disclosure.py").read_text("utf-8")) == as_values


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
        ("from controller.cli_output import say", "terminal"),
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
        ("raise ValueError(f'{card}')", "error"),
        ("raise self.wrong(card)", "error"),
    ],
)
def test_an_output_is_found(build, source, channel) -> None:
    assert channel in [one.channel for one in build.outputs_in("controller.new", source)]


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
def test_what_lets_nothing_out_is_none(build, source) -> None:
    assert not list(build.outputs_in("controller.new", source))


# --- the build ------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The list and one module of the program, nothing else."""
    (tmp_path / "controller").mkdir()
    for name in ("disclosure", "notify"):
        shutil.copy(ROOT / "controller" / f"{name}.py", tmp_path / "controller")
    return tmp_path


def test_a_new_output_is_named_with_its_file_its_line_and_the_remedy(build, tree) -> None:
    (tree / "controller" / "notify.py").write_text("import socket\n\nprint('7h')\n")
    (told,) = [one for one in build.problems(tree) if one.startswith("controller/notify.py")]

    assert told == (
        "controller/notify.py:3 calls print: no way out in controller/disclosure.py names"
        " controller.notify under 'terminal'. Say there what it is and what may pass, and give it"
        " a walker in tests/end_to_end/test_leaks.py"
    )


def test_a_line_of_the_list_that_nothing_uses_is_named(build, tree) -> None:
    (tree / "controller" / "notify.py").write_text("")

    assert (
        "controller/disclosure.py names controller.notify under 'socket', and nothing in it lets"
        " anything out that way"
    ) in build.problems(tree)


def test_no_wheel_is_built_with_an_output_that_is_on_no_list(tmp_path: Path) -> None:
    for name in ("firmware_bridge", "drivers", "controller", "hil"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    with (tmp_path / "controller" / "snapshot.py").open("a") as module:
        module.write("\nprint('7h')\n")
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist")
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert built.returncode != 0
    assert "controller/snapshot.py" in built.stdout + built.stderr
    assert not list((tmp_path / "dist").glob("*.whl"))
