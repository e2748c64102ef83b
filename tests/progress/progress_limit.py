"""Ends a test whose processes stand still: what no test waits for by seconds, all of them share.

A test goes on as long as this process or one that it started moves, and at most 20 minutes, or four
hours where it is marked full.
"""

import faulthandler
import os
import signal
import sys
import threading
import traceback
from collections.abc import Generator
from types import FrameType
from typing import Any

import pytest

from hil.progress import SAMPLE_S, Patience, StoodStill

STILL_S = 120.0
TEST_S_MAX = 1200.0
FULL_BOUND_S = 4 * 3600.0
# So often a test is ended; then it hears no signal, within the code of some library.
ENDS_MAX = 3
THREAD = "progress limit"


class ProgressLimit:
    """Watches the test that runs. The thread lives as long as the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._still_s = float(config.getini("still_seconds"))
        self._main = threading.get_ident()
        self._changed = threading.Condition()
        self._item: pytest.Item | None = None  # None between two phases
        self._over = False
        self._account = ""
        signal.signal(signal.SIGALRM, self._end_phase)
        self._thread = threading.Thread(target=self._run, name=THREAD, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item))

    def _phase(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._set(item)
        try:
            return (yield)
        finally:
            self._set(None)

    def _set(self, item: pytest.Item | None) -> None:
        with self._changed:
            self._item = item
            self._changed.notify_all()

    def _end_phase(self, _number: int, frame: FrameType | None) -> None:
        """In the main thread, where the test waits: its traceback shows what for."""
        account, self._account = self._account, ""
        if self._item is None or not account:
            return
        for thread in threading.enumerate():
            if thread.ident != self._main and thread.name != THREAD:
                stack = sys._current_frames().get(thread.ident or 0)
                lines = traceback.format_stack(stack) if stack else []
                print(f"--- thread {thread.name} ---\n{''.join(lines)}", file=sys.stderr)
        raise StoodStill(account)

    # The thread.

    def _run(self) -> None:
        while not self._over:
            with self._changed:
                self._changed.wait_for(lambda: self._item is not None or self._over)
                item = self._item
            if item is not None:
                self._watch(item)

    def _watch(self, item: pytest.Item) -> None:
        """Until that test ends. What it does to end in order may stand still as well."""
        full = item.get_closest_marker("full") is not None
        for _ in range(ENDS_MAX):
            patience = Patience(self._still_s, bound_s=FULL_BOUND_S if full else TEST_S_MAX)
            while not patience.is_over:
                if self._ended(item, SAMPLE_S):
                    return
            self._account = f"the test stood still: {patience.account()}"
            signal.pthread_kill(self._main, signal.SIGALRM)
        self._give_up(item)

    def _ended(self, item: pytest.Item, wait_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._item is not item or self._over, wait_s)

    def _give_up(self, item: pytest.Item) -> None:
        """It is in a library's code that no signal ends: the whole process is ended."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        print(f"{item.nodeid} stood still, and no signal ends it", file=sys.stderr, flush=True)
        faulthandler.dump_traceback(sys.__stderr__ or 2)
        os._exit(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "still_seconds",
        "a test fails when its processes have stood still for so long",
        default=str(STILL_S),
    )


def pytest_configure(config: pytest.Config) -> None:
    # The process that only hands tests out runs none.
    if "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None):
        limit = ProgressLimit(config)
        config.pluginmanager.register(limit, "progress_limit_of_run")
        config.add_cleanup(limit.stop)
