"""A floor of three tables in two processes: every coup is dealt, stored, scraped and sent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.needs("mosquitto", "prometheus")
def test_every_coup_dealt_is_in_its_journal_in_prometheus_and_in_the_feed(fast_dir: Path) -> None:
    words = ("--tables", "3", "--a-process", "2", "--seconds", "5", "--scrape-s", "1")
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", "floor", *words, "--card-ms", "200", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=fast_dir,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["tables"], figures["processes"]) == (3, 2)
    assert figures["dealt"] == figures["journaled"] == figures["scraped"] == figures["consumed"]
    assert all(coups > 0 for coups in figures["dealt"].values())
    assert figures["scrape"]["failed"] == figures["feed"]["gaps"] == 0
    assert figures["scrape"]["series"] > 3 * 100
