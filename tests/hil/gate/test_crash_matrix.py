"""The gate's part for crash and damage: it fails with its counts."""

import json
import subprocess
from pathlib import Path

import pytest

from hil.crash.__main__ import ResultRow, as_json
from hil.crash.kinds import PointKindName
from hil.crash.verdict import Defect
from hil.gate import __main__ as gate
from hil.gate import crash_matrix
from hil.gate.crash_matrix import counts_in, run_crash_matrix


def row(tried: int, lost: int, *, control: bool = False) -> ResultRow:
    made = ResultRow(PointKindName.POWERCUT.value, "power cut", control, tried)
    made.defects[Defect.LOST] = lost
    return made


def test_the_counts_are_those_of_the_rows_but_for_the_controls() -> None:
    result = as_json((row(2_000, 60), row(522, 2), row(9, 4, control=True)), 1, full=True)

    assert counts_in(result) == "62 lost, 0 doubled, 0 undetected of 2,522 points"


def test_a_control_that_lost_nothing_is_said() -> None:
    result = as_json((row(2, 0), row(9, 0, control=True)), 1, full=True)

    assert counts_in(result).endswith("of 2 points; lost nothing, and must: power cut")


@pytest.mark.parametrize(("code", "held"), [(0, True), (1, False), (2, False)])
def test_the_part_fails_as_the_matrix_does_and_prints_its_counts(
    monkeypatch: pytest.MonkeyPatch, capsys, code: int, held: bool
) -> None:
    def ended(command: list[str], **_others: object) -> subprocess.CompletedProcess[bytes]:
        assert command[1:4] == ["-m", "hil.crash", "--full"]
        if code != 2:
            text = as_json((row(2_522, 62 * code),), 1, full=True)
            Path(command[-1]).write_text(text)
            assert json.loads(text)["full"]
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(crash_matrix.subprocess, "run", ended)

    assert run_crash_matrix() is held
    said = capsys.readouterr().out
    counts = "it ended without a result" if code == 2 else f"{62 * code} lost, 0 doubled"
    assert f"gate: crash and damage: {counts}" in said


def test_it_is_a_part_of_the_gate_and_counts_every_defect() -> None:
    assert tuple(one.value for one in Defect) == crash_matrix.DEFECTS
    assert gate.PARTS["crash"].needs == crash_matrix.TO_DISTURB
