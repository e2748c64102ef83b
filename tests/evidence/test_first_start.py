"""A table's first start, disturbed at every point of it: nothing half made is left, or is refused.

The rest of the matrix is sampled in test_crash_matrix, and whole in the gate.
"""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hil.crash.__main__ import run
from hil.crash.kinds import PowerCuts, RecordedRun
from hil.run_guard import memory_folder

# So many tests share the points of a kind; each takes some seconds.
TAMPERED = {"Kills": 6, "Errors": 12}
SHARED = [(kind, share) for kind, shares in TAMPERED.items() for share in range(shares)]
POWER_CUTS = 72

pytestmark = pytest.mark.needs("strace")

# Each point is a fork. A process of tests has threads, and what one of them holds at that moment is
# held for good in the fork: this one has none.
SHARE = """
import logging, sys
from pathlib import Path
from hil.crash import kinds
from hil.crash.__main__ import run

logging.disable()
folder, kind, share, shares = Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
points_of = getattr(kinds, kind)(kinds.RecordedRun(folder, start_alone=True))
points = points_of.points()[share::shares]
row = run(points_of, points, 1, lambda _words: None)
assert row.tried >= len(points) > 0, "points were left out"
assert row.failed == [], row.failed
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="smartshoe-crash-", dir=memory_folder()) as name:
        yield Path(name)


@pytest.mark.parametrize(
    ("kind", "share"),
    [(kind, share) for kind, shares in TAMPERED.items() for share in range(shares)],
)
def test_a_first_start_that_a_kill_or_an_error_ends_leaves_nothing_half_made(
    folder: Path, kind: str, share: int
) -> None:
    words = [str(folder), kind, str(share), str(TAMPERED[kind])]
    done = subprocess.run(
        [sys.executable, "-c", SHARE, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def power_cuts() -> Iterator[PowerCuts]:
    with TemporaryDirectory(prefix="smartshoe-crash-", dir=memory_folder()) as name:
        yield PowerCuts(RecordedRun(Path(name), start_alone=True), 1, weak=False)


@pytest.mark.parametrize("share", range(POWER_CUTS))
def test_a_first_start_that_a_power_cut_ends_leaves_nothing_half_made(
    power_cuts: PowerCuts, caplog, share: int
) -> None:
    caplog.set_level(logging.CRITICAL, "smartshoe")
    points = power_cuts.points()[share::POWER_CUTS]
    row = run(power_cuts, points, 1, lambda _words: None)

    assert row.tried >= len(points) > 0
    assert row.failed == []
