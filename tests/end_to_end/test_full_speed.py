"""Shoes dealt as fast as a cable of TCP brings them: the evidence of honest play stays intact."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.folder import sealed_files
from controller.journal.verify import verify
from hil.progress import poll_until
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace
from hil.rig.tables.table_shoe import TableShoe

SHOES = 100


@pytest.mark.full
def test_a_hundred_shoes_at_full_speed_verify_intact(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    """Sealing falls behind what is dealt, and its leaves stand in the order of records."""
    journal = fast_dir / "journal"
    with TableShoe(7, Pace.uniform(0)) as shoe, program_on(fast_dir, shoe.url, 1) as program:
        program.start()
        shoe.begin()
        poll_until(lambda: len(sealed_files(journal)) >= SHOES, f"{SHOES} shoes are not sealed")
        shoe.finish()
        program.stop()

    report = verify(journal)
    assert report.problems == []
    assert report.shoes >= SHOES
