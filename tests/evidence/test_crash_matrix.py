"""The crash matrix: kills, failing calls, power cuts and damage lose, double and hide nothing.

Runs a short, evenly spread sample; all of it behind the flag.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hil.crash.calls import SystemCall
from hil.crash.kills import check_kill
from hil.crash.verdict import Defect, ReferenceRun

ROOT = Path(__file__).resolve().parents[2]


def matrix(result: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """Run the matrix; returns its rows by name."""
    done = subprocess.run(
        [sys.executable, "-m", "hil.crash", "--json", result, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["what"]: row for row in json.loads(result.read_text())["rows"]}


def check_rows(rows: dict[str, dict[str, Any]]) -> None:
    for what, row in rows.items():
        assert row["tried"], what
        if row["control"]:
            assert row["lost"], f"{what}: the control must lose"
        else:
            assert (row["lost"], row["doubled"], row["undetected"]) == (0, 0, 0), what


@pytest.mark.needs("strace")
def test_a_sample_of_every_kind_of_point(tmp_path: Path) -> None:
    rows = matrix(tmp_path / "result.json")
    assert len(rows) == 7
    check_rows(rows)


@pytest.mark.needs("strace")
def test_a_kill_that_never_happens_is_not_a_success() -> None:
    nowhere = SystemCall("fdatasync", thread=1, number=10**6, file="live.db-wal")
    (finding,) = check_kill(nowhere, ReferenceRun((), (), 0))
    assert finding.defect is Defect.UNDETECTED
    assert finding.words.startswith("the run ended with 0, not by the kill")


@pytest.mark.full
@pytest.mark.needs("strace")
def test_every_state_that_a_power_cut_may_leave(tmp_path: Path) -> None:
    check_rows(matrix(tmp_path / "result.json", "--full", "--only", "powercut"))


@pytest.mark.full
@pytest.mark.needs("strace")
@pytest.mark.needs("user-mode-linux")
def test_a_real_kernel_loses_power_on_ext4(tmp_path: Path) -> None:
    rows = matrix(tmp_path / "result.json", "--only", "uml", "--every", "5")
    assert len(rows) == 2
    check_rows(rows)
