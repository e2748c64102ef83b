"""Runs that end in every way leave no process and no folder behind."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import program_record
import pytest

from hil import run_guard
from hil.progress import poll_until
from hil.run_guard import (
    MARK,
    PREFIX,
    SignalReceived,
    ending_signals,
    guarded_run,
    marked_processes,
    memory_folder,
    refusal_of_output,
    run_folder,
    run_to_end,
)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)

RUN = """
import os, signal, subprocess, sys, tempfile
from pathlib import Path
from hil.run_guard import guarded_run, memory_folder, run_folder

disk = Path(sys.argv[1])
with guarded_run(disk):
    folders = [tempfile.mkdtemp(), tempfile.mkdtemp(dir=memory_folder())]
    folders.append(tempfile.mkdtemp(dir=run_folder(disk)))
    sleeper = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    deaf += "print('up', flush=True); time.sleep(600)"
    started = [
        subprocess.Popen(sleeper, stdout=subprocess.PIPE),
        subprocess.Popen(sleeper, stdout=subprocess.PIPE, start_new_session=True),
    ]
    if "deaf" in sys.argv:
        started.append(subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE))
    for one in started:
        one.stdout.readline()
    if (forked := os.fork()) == 0:
        signal.pause()
    print(os.environ["SMARTSHOE_RUN"], forked, *(one.pid for one in started), flush=True)
    print(*folders, flush=True)
    if "wait" in sys.argv:
        signal.pause()
"""


def lives(pid: int) -> bool:
    """Whether there is such a process, other than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def run(*words: str) -> Iterator[tuple["subprocess.Popen[str]", str, list[int], list[Path]]]:
    """A run with children: its process, mark, children and folders."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        stdout=subprocess.PIPE,
        text=True,
        # It leaves pipes open on purpose.
        env={**os.environ, program_record.VARIABLE: os.devnull},
    ) as process:
        assert process.stdout is not None
        mark, *pids = process.stdout.readline().split()
        folders = [Path(name) for name in process.stdout.readline().split()]
        yield process, mark, [int(pid) for pid in pids], folders


@pytest.mark.parametrize("number", SIGNALS)
def test_a_run_that_a_signal_ends_leaves_nothing(number: signal.Signals, fast_dir: Path) -> None:
    # A child that ignores SIGTERM is killed in the end; once is enough to wait for it.
    deaf = ("deaf",) if number is signal.SIGTERM else ()
    with run(str(fast_dir), "wait", *deaf) as (process, mark, pids, folders):
        assert len(set(folders)) == 3
        assert all(folder.is_dir() for folder in folders)
        assert all(lives(pid) for pid in pids)
        process.send_signal(number)
        process.wait()

        poll_until(lambda: not any(lives(pid) for pid in pids))
        poll_until(lambda: not any(folder.parent.exists() for folder in folders))
        assert marked_processes(mark) == []


def test_a_run_that_returns_has_left_nothing_when_it_has_ended(fast_dir: Path) -> None:
    with run(str(fast_dir)) as (process, mark, pids, folders):
        assert process.wait() == 0

        assert not any(lives(pid) for pid in pids)
        assert not any(folder.parent.exists() for folder in folders)
        assert marked_processes(mark) == []


def test_a_run_spares_what_is_not_its_own(fast_dir: Path) -> None:
    (fast_dir / "mine").write_text("mine")
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as other:
        try:
            with run(str(fast_dir)) as (process, _, _, _):
                process.wait()
            assert other.poll() is None
        finally:
            other.kill()

    assert [path.name for path in fast_dir.iterdir()] == ["mine"]


def test_a_watcher_cleans_up_its_own_run_before_what_others_left(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    steps = ("_wait_for_end", "_end_processes", "_remove", "_remove_folders_of_dead_runs")
    for step in steps:
        monkeypatch.setattr(run_guard, step, lambda *_given, step=step, **_named: done.append(step))
    monkeypatch.setattr(signal, "signal", lambda *_given: None)
    run_guard.main(["1", "1-mark", str(fast_dir)])

    assert tuple(done) == steps


def test_what_a_killed_watcher_left_is_removed_by_the_next_run(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_guard, "YOUNG_S", 0.0)
    left, locked, young = (fast_dir / f"{PREFIX}1-{name}" for name in ("left", "locked", "young"))
    other = fast_dir / "smartshoe-journal"
    for folder in (left / "inside", locked, other):
        folder.mkdir(parents=True)
    descriptor = os.open(locked, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    run_guard._remove_folders_of_dead_runs(fast_dir)
    os.close(descriptor)
    monkeypatch.undo()
    young.mkdir()
    run_guard._remove_folders_of_dead_runs(fast_dir)

    assert {path.name for path in fast_dir.iterdir()} == {locked.name, other.name, young.name}


def test_the_folder_of_a_run_that_lives_is_left_by_others(fast_dir: Path) -> None:
    with run(str(fast_dir), "wait") as (first, _, _, folders):
        with run(str(fast_dir)) as (second, _, _, _):
            second.wait()
        assert all(folder.is_dir() for folder in folders)
        first.kill()


def test_a_run_in_a_run_of_the_same_process_changes_nothing(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(MARK)  # without other workers this process is a guarded run itself
    before = dict(os.environ)
    with guarded_run(fast_dir):
        outer = dict(os.environ)
        with guarded_run():
            assert dict(os.environ) == outer
        assert run_folder(fast_dir).is_dir()
        assert run_folder(fast_dir).name == f"{PREFIX}{outer[MARK]}"

    assert dict(os.environ) == before
    assert list(fast_dir.iterdir()) == []
    assert run_folder(fast_dir) == fast_dir
    assert memory_folder() != fast_dir


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_unwinds_a_command(number: signal.Signals) -> None:
    unwound = []

    def command() -> int:
        try:
            signal.raise_signal(number)
        finally:
            unwound.append(number)
        return 0

    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        assert run_to_end(command) == 128 + number
    finally:
        signal.signal(signal.SIGHUP, before)
    assert unwound == [number]


def test_ctrl_c_unwinds_a_command_even_if_the_parent_ignored_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run_to_end(lambda: signal.raise_signal(signal.SIGINT) or 0) == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_hang_up_that_the_parent_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_signals():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    with pytest.raises(SignalReceived), ending_signals():
        signal.raise_signal(signal.SIGTERM)


def test_a_report_replaces_no_file(fast_dir: Path) -> None:
    taken, dangling = fast_dir / "taken", fast_dir / "dangling"
    taken.write_text("mine")
    dangling.symlink_to(fast_dir / "nowhere")

    assert refusal_of_output(fast_dir / "new") == ""
    assert "exists and is left as it is; name a new file" in refusal_of_output(taken)
    assert "exists and is left as it is; name a new file" in refusal_of_output(dangling)
    assert "there is no folder" in refusal_of_output(fast_dir / "none" / "new")
