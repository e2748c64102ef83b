"""What tests of commands at a running table share."""

from collections.abc import Callable
from pathlib import Path

import pytest

Serve = Callable[[Path], Path]


@pytest.fixture
def table(serve: Serve, three_coups: Path) -> str:
    """A table between two coups; its socket."""
    return str(serve(three_coups))
