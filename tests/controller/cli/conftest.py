"""What commands that are run in this process leave as it was."""

import threading
from collections.abc import Iterator

import pytest

from controller.service.app import LOG


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A start sets the level of the program's log, and the hook of its threads."""
    level, hook = LOG.level, threading.excepthook
    yield
    LOG.setLevel(level)
    threading.excepthook = hook
