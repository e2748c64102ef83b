"""The site, built once for the tests that read it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build_site(to: Path) -> "subprocess.CompletedProcess[str]":
    """Run the program behind `make docs`."""
    return subprocess.run(
        [sys.executable, ROOT / "docs" / "site" / "build.py", to],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    done = build_site(folder)
    assert done.returncode == 0, done.stderr
    return folder
