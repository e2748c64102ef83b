"""Kills, refusals, power cuts and damage: nothing lost, nothing doubled, nothing untold.

Responsible for: the matrix in its short form, evenly spread; in full behind the flag.
Source: hil/README.md, "The crash and damage matrix".
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hil.crash.calls import Call
from hil.crash.kills import killed_at
from hil.crash.verdict import Reference, Wrong

ROOT = Path(__file__).resolve().parents[2]


def matrix(result: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """Run it; its rows by what they are."""
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


def judged(rows: dict[str, dict[str, Any]]) -> None:
    for what, row in rows.items():
        assert row["tried"], what
        if row["control"]:
            assert row["lost"], f"{what}: the control must lose"
        else:
            assert (row["lost"], row["doubled"], row["undetected"]) == (0, 0, 0), what


@pytest.mark.timeout(400)
@pytest.mark.debian("strace", program="strace")
def test_a_sample_of_every_kind_of_point(tmp_path: Path) -> None:
    rows = matrix(tmp_path / "result.json")
    assert len(rows) == 5
    judged(rows)


@pytest.mark.debian("strace", program="strace")
def test_a_kill_that_never_comes_is_no_success() -> None:
    nowhere = Call("fdatasync", thread=1, number=10**6, what="live.db-wal")
    (finding,) = killed_at(nowhere, Reference((), (), 0))
    assert finding.wrong is Wrong.UNDETECTED
    assert finding.words.startswith("the run ended with 0, not by the kill")


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.debian("strace", program="strace")
def test_every_state_that_a_power_cut_may_leave(tmp_path: Path) -> None:
    judged(matrix(tmp_path / "result.json", "--full", "--only", "powercut"))


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.debian("strace", program="strace")
@pytest.mark.debian("user-mode-linux", program="linux.uml")
def test_a_real_kernel_loses_power_on_ext4(tmp_path: Path) -> None:
    rows = matrix(tmp_path / "result.json", "--only", "uml", "--every", "5")
    assert len(rows) == 2
    judged(rows)
