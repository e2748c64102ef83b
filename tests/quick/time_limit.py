"""Ends a run of `make quick` in time: tests that have not begun are counted, and left."""

import os
import time

import pytest

# Of 60 s, the rest is for finding the tests and for those that have begun.
LIMIT_S = 40.0
BEGUN = "SMARTSHOE_QUICK_BEGUN"
PROPERTY = "not played"


def pytest_configure() -> None:
    """Workers take over the beginning of the whole run."""
    os.environ.setdefault(BEGUN, str(time.time()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    if time.time() - float(os.environ[BEGUN]) < LIMIT_S:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    report = pytest.TestReport.from_item_and_call(
        item, pytest.CallInfo.from_call(lambda: None, when="setup")
    )
    report.user_properties.append((PROPERTY, item.nodeid))
    item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for found in terminalreporter.stats.values() for one in found]
    left = [one for one in reports if (PROPERTY, getattr(one, "nodeid", "")) in properties(one)]
    if left:
        rooms = dict.fromkeys(one.nodeid.rpartition("/")[0] for one in left)
        terminalreporter.section(f"{len(left)} tests not begun in time")
        terminalreporter.line(f"in {', '.join(rooms)}; `make test` plays them")


def properties(report: object) -> list[tuple[str, object]]:
    return list(getattr(report, "user_properties", ()))
