"""The verifier's fuzzer for some seconds with a fixed seed; `make gate` runs it for ten minutes."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).with_name("fuzz_verifier.py")


@pytest.mark.full
def test_changed_evidence_never_breaks_the_verifier() -> None:
    words = ["--seed", "20261121", "--cases", "150"]
    done = subprocess.run(
        [sys.executable, FUZZER, *words], check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "150 cases" in done.stdout
