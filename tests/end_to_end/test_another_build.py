"""Two programs of one version name: another rule makes another program, another style does not."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.system.command_line.errors import ExitCode
from controller.version import VERSION, identifier_at, software_identifier
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(re.escape(VERSION) + r"\+[0-9a-f]{12}")
COUPS = 3


class Tree:
    """A copy of the program's sources in which one place is another."""

    def __init__(self, folder: Path, file: str, before: str, after: str) -> None:
        self.folder = folder
        for name in ("foundation", "firmware_bridge", "drivers", "controller"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        text = (folder / file).read_text(encoding="utf-8")
        assert before in text
        (folder / file).write_text(text.replace(before, after, 1), encoding="utf-8")

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """One command of this program."""
        return subprocess.run(
            (sys.executable, "-P", "-m", "controller.cli.main", *words),
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def word(self) -> str:
        return identifier_at(self.folder)


@pytest.fixture(scope="module")
def rule(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Player never draws a third card."""
    place = "controller/rules/tableau.py"
    return Tree(tmp_path_factory.mktemp("rule"), place, '"DDDDDDSS"', '"SSSSSSSS"')


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A value of the profile that the table deals by."""
    place = "controller/rules/profiles/shipped/s42-mini.toml"
    return Tree(tmp_path_factory.mktemp("profile"), place, '"feather"', '"lace"')


@pytest.fixture(scope="module")
def style(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A colour of the operator page."""
    place = "controller/outlets/console/static/console.css"
    return Tree(tmp_path_factory.mktemp("style"), place, "color", "background-color")


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory, program_on: Callable[..., Program]) -> Path:
    """A table that this program dealt three coups at, and left in the middle of the shoe."""
    folder = tmp_path_factory.mktemp("table")
    with TcpServer(AngelEye()) as server, program_on(folder, server.url) as program:
        program.start()
        ShoeRunner(Dealer(DealerSettings(seed=3)), server, coups_max=COUPS).run()
        next(
            one
            for one in program.client.subscribe(20)
            if one.last_coup is not None and one.last_coup.number == COUPS
        )
        assert program.client.status().software == software_identifier()
        program.stop()
    return folder


def test_replay_by_another_rule_compares_verdicts(left: Path, rule: Tree) -> None:
    done = rule.run("replay", "journal", "--json", cwd=left)

    report = json.loads(done.stdout)
    assert done.returncode == ExitCode.OTHER_VERSION
    assert (report["finding"], report["different"]) == ("other_version", 0)
    assert report["versions"] == [software_identifier()]
    assert report["this_version"] == rule.word
    assert rule.run("--version", cwd=left).stdout == f"smartshoe {rule.word}\n"
    assert rule.word != software_identifier()
    assert report["otherwise"] > 0


@pytest.mark.parametrize("name", ["rule", "profile"])
def test_a_table_in_mid_shoe_is_refused_with_the_build_that_left_it(
    left: Path, name: str, request: pytest.FixtureRequest
) -> None:
    other: Tree = request.getfixturevalue(name)

    done = other.run("run", "--as-root", "table.toml", cwd=left)

    assert done.returncode == ExitCode.NO_TABLE
    began, this = f"that version {software_identifier()} began", f"version {other.word}"
    assert began in done.stderr
    assert this in done.stderr
    assert "Remedy: start that version again" in done.stderr
    assert "changed" not in done.stderr


def test_doctor_says_it_beforehand(left: Path, profile: Tree) -> None:
    done = profile.run("doctor", "table.toml", "--json", cwd=left)

    found = json.loads(done.stdout)["findings"]["table.toml"]
    problems = [one for one in found if one["area"] == "journal" and one["grade"] == "problem"]
    (problem,) = problems
    assert done.returncode == ExitCode.NO
    assert set(WORD.findall(problem["what"])) == {software_identifier(), profile.word}
    assert software_identifier() in problem["remedy"]


def test_another_style_is_the_same_program(left: Path, style: Tree) -> None:
    assert style.run("--version", cwd=left).stdout == f"smartshoe {software_identifier()}\n"
    assert style.run("replay", "journal", cwd=left).returncode == ExitCode.DONE

    doctor = json.loads(style.run("doctor", "table.toml", "--json", cwd=left).stdout)
    found = doctor["findings"]["table.toml"]
    assert {one["grade"] for one in found if one["area"] == "journal"} == {"good"}


def test_this_program_goes_on(left: Path, fast_dir: Path) -> None:
    """What the refused starts left is what they found."""
    table = fast_dir / "table"
    shutil.copytree(left, table, ignore=shutil.ignore_patterns("*.sock"))
    with Program(table / "table.toml", table / "program.log") as program:
        program.start()
        status = program.client.status()
        program.stop()
    assert status.shoe is not None
    assert status.last_coup is not None
    assert status.last_coup.number == COUPS
