"""A sealed journal that no test changes."""

from pathlib import Path

import pytest
from journals import dealt


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dealt(tmp_path_factory.mktemp("feed") / "journal", shoes=3)
