"""Records each whole run of the tests, as CONTRIBUTING.md, "A release", asks for.

Source: hil/run_record.py.
"""

import time
from typing import Any

import pytest
from register_plugin import narrowed_reason

from hil.run_record import record_run

# As pytest's own closing line names them.
SHOWN = ("passed", "failed", "error", "skipped")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(WholeRunRecord(config), "whole-run-record")


def command_of(config: pytest.Config) -> str:
    """The command of the Makefile that runs these tests."""
    if config.getoption("--full"):
        return "make full"
    kind = config.getoption("services", "")
    return {"none": "make test", "only": "make test-services"}.get(kind, "python -m pytest")


class WholeRunRecord:
    """In the reporting process: counts the run, and writes it down if it was whole."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began_s = time.monotonic()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        # A run that broke off says nothing of the tests that it did not reach.
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if not ended or reporter is None or narrowed_reason(self._config):
            return
        counted = {name: len(reporter.stats.get(name, ())) for name in SHOWN}
        record_run(
            command_of(self._config),
            counted,
            time.monotonic() - self._began_s,
            self._config.rootpath,
        )
