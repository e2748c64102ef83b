"""The running process: no dump of its memory, and no reader of its own account."""

import os
import subprocess
import sys

import pytest

from controller.system.process import runs_as_root

# prctl(2): PR_GET_DUMPABLE.
DUMPABLE_BEFORE_AND_AFTER = """
import ctypes
from controller.system.process import make_undumpable
print(ctypes.CDLL(None).prctl(3))
make_undumpable()
print(ctypes.CDLL(None).prctl(3))
"""


def test_the_process_is_undumpable_from_then_on() -> None:
    program = [sys.executable, "-c", DUMPABLE_BEFORE_AND_AFTER]

    done = subprocess.run(program, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["1", "0"]


@pytest.mark.parametrize(("account", "root"), [(0, True), (1000, False)])
def test_root_is_known(account: int, root: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: account)

    assert runs_as_root() is root
