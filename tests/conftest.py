"""Rules for every test: long tests, Debian packages, skips, hypothesis, leftover threads."""

import ctypes
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

from hil.run_guard import guarded_run, memory_folder

pytest_plugins = ("register_plugin",)

FORBID_SKIPS = os.environ.get("SMARTSHOE_FORBID_SKIPS", "") not in ("", "0")
THREAD_GRACE_S = 2.0
# Threads of the test runner itself.
RUNNER_THREADS = ("pytest_timeout", "execnet")

# Explicit, because hypothesis changes its defaults where CI is set; slowness is not a failure.
SAME_EVERYWHERE = hypothesis.settings(
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=(hypothesis.HealthCheck.too_slow,),
)
hypothesis.settings.register_profile("fixed", SAME_EVERYWHERE, derandomize=True)
hypothesis.settings.register_profile("seeded", SAME_EVERYWHERE, derandomize=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also run the tests marked full")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _begin_run(config)
    if config.getoption("--hypothesis-profile", None) is None:
        seeded = config.getoption("--hypothesis-seed", None) is not None
        hypothesis.settings.load_profile("seeded" if seeded else "fixed")


def _begin_run(config: pytest.Config) -> None:
    """Leave no process and folder behind; start children that Ctrl-C can end.

    A parent that ignores SIGINT, such as a shell with a background job, hands that on.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run = guarded_run()
    run.__enter__()
    config.add_cleanup(lambda: run.__exit__(None, None, None))
    if config.option.basetemp is None:
        # Short, because the path of a socket has at most 107 bytes.
        config.option.basetemp = str(Path(tempfile.gettempdir()) / "t")


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.getoption("--hypothesis-seed", None)
    examples = "fixed; others with --hypothesis-seed=N" if seed is None else f"seed {seed}"
    skips = "are failures" if FORBID_SKIPS else "name the Debian package that is missing"
    return [f"examples: {examples}", f"skips: {skips}"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full") or config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def _absent(marker: pytest.Mark) -> str:
    """Why the package of a `debian` marker counts as absent; empty if it is installed."""
    program, library = marker.kwargs.get("program"), marker.kwargs.get("library")
    if len(marker.args) != 1 or set(marker.kwargs) not in ({"program"}, {"library"}):
        raise pytest.UsageError(
            'write @pytest.mark.debian("package", program="name") or library="libname.so.1"'
        )
    if program is not None:
        return "" if shutil.which(program) else f"no program {program}"
    try:
        ctypes.CDLL(library)
    except OSError:
        return f"no library {library}"
    return ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("debian"):
        if absent := _absent(marker):
            pytest.skip(f"needs Debian package {marker.args[0]} ({absent})")


def _skip_is_failure(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected_to_fail = getattr(report, "wasxfail", None)
    if report.outcome != "skipped" and expected_to_fail is None:
        return
    if expected_to_fail is not None:
        reason = f"marked as expected to fail: {expected_to_fail}"
        del report.wasxfail
    else:
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"Nothing may be skipped here (SMARTSHOE_FORBID_SKIPS): {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if FORBID_SKIPS:
        _skip_is_failure(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if FORBID_SKIPS:
        _skip_is_failure(report)
    return report


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """Fails a test that leaves a thread running, daemon or not."""
    before = set(threading.enumerate())
    yield
    started = [
        thread
        for thread in threading.enumerate()
        if thread not in before and not thread.name.startswith(RUNNER_THREADS)
    ]
    deadline = time.monotonic() + THREAD_GRACE_S
    for thread in started:
        thread.join(max(0.0, deadline - time.monotonic()))
    left = sorted(thread.name for thread in started if thread.is_alive())
    assert not left, f"the test left threads running: {', '.join(left)}"


@pytest.fixture
def fast_dir() -> Iterator[Path]:
    """A directory in memory if possible, for tests that do not test durability."""
    with tempfile.TemporaryDirectory(prefix="t-", dir=memory_folder()) as name:
        yield Path(name)
