"""A table's first start, disturbed at every point of it: nothing half made is left, or is refused.

The rest of the matrix is sampled in test_crash_matrix, and whole in the gate.
Source: hil/README.md, "The crash and damage matrix".
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hil.crash.kinds import Errors, Kills, PointKind, PowerCuts, RecordedRun
from hil.crash.report import run
from hil.run_guard import memory_folder

# So many tests share the points of a kind; each takes a second or two.
SHARES = {"kill": 24, "errors": 48, "powercut": 72}
SHARED = [(kind, share) for kind, shares in SHARES.items() for share in range(shares)]

pytestmark = pytest.mark.needs("strace")


@pytest.fixture(scope="module")
def kinds() -> Iterator[dict[str, PointKind]]:
    with TemporaryDirectory(prefix="smartshoe-crash-", dir=memory_folder()) as name:
        recorded = RecordedRun(Path(name), start_alone=True)
        yield {
            "kill": Kills(recorded),
            "errors": Errors(recorded),
            "powercut": PowerCuts(recorded, 1, weak=False),
        }


@pytest.mark.parametrize(("kind", "share"), SHARED)
def test_no_point_of_a_first_start_leaves_anything_half_made(
    kinds: dict[str, PointKind], caplog, kind: str, share: int
) -> None:
    caplog.set_level(logging.CRITICAL, "smartshoe")
    points = kinds[kind].points()[share :: SHARES[kind]]
    row = run(kinds[kind], points, 1, lambda _words: None)

    assert row.tried >= len(points) > 0
    assert row.failed == []
