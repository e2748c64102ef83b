"""The files of deploy/: the unit's exposure, and that each file has its place on a machine."""

import re
import subprocess
from pathlib import Path

import pytest

from hil.gate.machine import DEPLOY, PLACES

UNIT = "smartshoe@.service"
EXPOSURE_MAX = 1.5
# What no table's machine has: it makes a tree, a wheel or the package, or is for surveillance.
ELSEWHERE = {
    *("README.md", "make-tree", "debian", "distributions"),
    *("prometheus", "alertmanager", "grafana"),
}


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit of one table, whose program is one that this machine has."""
    text = (DEPLOY / UNIT).read_text(encoding="utf-8")
    path = tmp_path / "smartshoe@M-12.service"
    path.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", text), encoding="utf-8")
    return path


def analyze(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)


@pytest.mark.needs("systemd")
def test_the_exposure_of_the_unit_is_low(unit: Path) -> None:
    output = analyze("security", "--no-pager", "--offline=true", str(unit)).stdout

    level = re.search(r"exposure level for .*: ([\d.]+)", output)
    assert level is not None, output
    assert float(level[1]) <= EXPOSURE_MAX


@pytest.mark.needs("systemd")
def test_systemd_knows_every_line_of_the_unit(unit: Path) -> None:
    # It ends with 0 for lines that it does not know, too.
    assert analyze("verify", str(unit)).stderr == ""


def test_every_file_has_its_place_on_a_machine() -> None:
    assert {one.name for one in DEPLOY.iterdir()} == {*PLACES, *ELSEWHERE}


def test_the_page_by_hand_names_the_place_of_every_file() -> None:
    page = (DEPLOY / "README.md").read_text(encoding="utf-8")

    for name, place in PLACES.items():
        folder, _, last = f"/{place}".rpartition("/")
        target = f"{folder}/" if last == name else f"/{place}"
        assert re.search(rf"^install .*deploy/{re.escape(name)} {re.escape(target)}$", page, re.M)


def test_the_unit_starts_no_table_again_that_may_not_start() -> None:
    lines = (DEPLOY / UNIT).read_text(encoding="utf-8").splitlines()

    assert "RestartPreventExitStatus=4" in lines
    assert "User=smartshoe" in lines
