"""Rules for every test: long tests, skips, hypothesis, leftover threads."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

from controller.procedure.effects import CoupCorrected
from controller.rules.outcome import Outcome
from hil.progress import POLL_S, Patience
from hil.run_guard import guarded_run, memory_folder

pytest_plugins = (
    "register_plugin",
    "needs_plugin",
    "programs_plugin",
    "progress_limit",
    "run_record_plugin",
)

FORBID_SKIPS = os.environ.get("SMARTSHOE_FORBID_SKIPS", "") not in ("", "0")
# A thread that is ending is left to end while something moves.
THREAD_STILL_S, THREAD_S_MAX = 2.0, 60.0
# Threads of the test runner itself.
RUNNER_THREADS = ("execnet",)

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

    if "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None):
        _start_children_that_hang_up()


def _start_children_that_hang_up() -> None:
    """Under nohup this process goes on ignoring SIGHUP, but the programs under test do not."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


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
    lines = [f"examples: {examples}"]
    return [*lines, "skips: are failures"] if forbids_skips(config) else lines


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full") or config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def forbids_skips(config: pytest.Config) -> bool:
    """Tests that need nothing have no reason to be left out."""
    return FORBID_SKIPS or config.getoption("--services") == "none"


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
    report.longrepr = f"Nothing may be skipped here (CI, or tests without needs): {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if forbids_skips(item.config):
        _skip_is_failure(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if forbids_skips(collector.config):
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
    patience = Patience(THREAD_STILL_S, bound_s=THREAD_S_MAX)
    for thread in started:
        while thread.is_alive() and not patience.is_over:
            thread.join(POLL_S)
    left = sorted(thread.name for thread in started if thread.is_alive())
    assert not left, f"the test left threads running: {', '.join(left)}"


@pytest.fixture
def fast_dir() -> Iterator[Path]:
    """A directory in memory if possible, for tests that do not test durability."""
    with tempfile.TemporaryDirectory(prefix="t-", dir=memory_folder()) as name:
        yield Path(name)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of git with one commit."""
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b")
    (tmp_path / "file").write_text("one")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], check=True)
    return tmp_path


@pytest.fixture
def corrected_coup() -> CoupCorrected:
    """Two persons corrected coup 1 of shoe 2 from Player to a tie."""
    return CoupCorrected(
        gaming_day="2026-11-21",
        shoe=2,
        coup=1,
        counted=Outcome.PLAYER,
        before=Outcome.PLAYER,
        outcome=Outcome.TIE,
        person="Ann Lee",
        second="Bo Ray",
        reason="the film",
        owed=(),
        undecided=(),
        wagers_known=True,
    )


@pytest.fixture
def interrupt_within() -> Iterator[Callable[..., None]]:
    """Ctrl-C while this thread is within these functions, outermost first, the last innermost.

    Another thread receives it, so no system call is interrupted: as where it comes just before one.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main, over = threading.get_ident(), threading.Event()

    def functions() -> list[str]:
        frame, names = sys._current_frames().get(main), []
        while frame is not None:
            names.insert(0, frame.f_code.co_name)
            frame = frame.f_back
        return names

    def interrupt(*names: str) -> None:
        while not over.wait(0.001):
            now = functions()
            if now[-1:] == [names[-1]] and all(name in now for name in names):
                signal.pthread_kill(threading.get_ident(), signal.SIGINT)
                return

    threads: list[threading.Thread] = []

    def start(*names: str) -> None:
        threads.append(threading.Thread(target=interrupt, args=names))
        threads[-1].start()

    yield start
    over.set()
    for thread in threads:
        thread.join()
    signal.signal(signal.SIGINT, before)
