"""The soak finds the core's seeded mutants."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "tests" / "mutation" / "soak_mutants.py"
# One for each kind of checker that a few shoes show.
FEW = (
    "a tie is Player's",
    "a king burns 9",
    "cut cards count as cards",
    "hands face down are shown",
    "a replay differs",
)


def play(name: str, seeds: int) -> dict[str, object]:
    words = ["--play", name, "--first", "30000", "--seeds", str(seeds)]
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), *words], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, object] = json.loads(ended.stdout)
    return found


@pytest.mark.full
@pytest.mark.parametrize("name", FEW)
def test_a_mutant_is_found(name: str) -> None:
    found = play(name, 20)

    assert found["checker"], found
