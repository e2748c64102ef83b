"""Leaves nothing behind: ends the processes of a run and removes its folders, however it ended.

A run (the demo, measurements, the crash matrix, tests) marks its environment, which its children
inherit, and has its temporary folders below folders of its own. A watcher process waits until the
run has ended, by SIGKILL too, and then cleans up. It uses only Python's own modules.

Source: pidfd_open(2), proc(5), flock(2), umount(8).
"""

import fcntl
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

MARK: Final = "SMARTSHOE_RUN"
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - only folders with unpredictable names are made there
# A table warns below 1 GiB of free space, and containers often have 64 MiB there.
MEMORY_BYTES_MIN: Final = 2 << 30
PREFIX: Final = "smartshoe-run-"
# How long a marked process may take to end in order before it is killed, and then to disappear.
GRACE_S: Final = 5.0
POLL_S: Final = 0.05
YOUNG_S: Final = 60.0
_MOUNT_POINT_FIELD: Final = 4  # of /proc/self/mountinfo


class SignalReceived(BaseException):
    """A signal asks this process to end; no handler of ordinary errors catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        # As shells report a process that a signal ended.
        self.exit_code = 128 + number


@contextmanager
def ending_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP unwind the block, and so does Ctrl-C, even if the parent ignored it."""

    def end(number: int, _frame: object) -> None:
        raise SignalReceived(number)

    before = [
        (signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)),
        (signal.SIGTERM, signal.signal(signal.SIGTERM, end)),
    ]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup(1) asks to go on
        before.append((signal.SIGHUP, signal.signal(signal.SIGHUP, end)))
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Ctrl-C ends this process without unwinding, even if the parent ignored it.

    For runs whose watcher cleans up: unwinding would wait for their worker processes.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_to_end(command: Callable[[], int]) -> int:
    """The exit code of a command that signals may end."""
    try:
        with ending_signals():
            return command()
    except SignalReceived as received:
        return received.exit_code
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def refusal_of_output(path: Path) -> str:
    """Why a report cannot be written to that file; empty if it can: nothing is replaced."""
    if os.path.lexists(path):
        return f"{path} exists and is left as it is; name a new file"
    if not path.absolute().parent.is_dir():
        return f"{path}: there is no folder {path.parent}; make it, or name another"
    return ""


@contextmanager
def guarded_run(*parents: Path) -> Iterator[None]:
    """Mark what is started and put temporary folders into the run's own while the block runs.

    `parents` are further folders in which `run_folder` is used. Within a guarded block of the same
    process it does nothing.
    """
    if os.environ.get(MARK, "").startswith(f"{os.getpid()}-"):
        yield
        return
    mark = f"{os.getpid()}-{secrets.token_hex(3)}"
    temporary = Path(tempfile.gettempdir())
    # Beside the folder of a run that this one is part of: paths of sockets have to be short.
    temporary = temporary.parent if temporary.name.startswith(PREFIX) else temporary
    below = [temporary, MEMORY, *parents]
    folders = [folder / f"{PREFIX}{mark}" for folder in below if os.access(folder, os.W_OK)]
    for folder in dict.fromkeys(folders):
        folder.mkdir(mode=0o711)
    locks = [_lock(folder) for folder in dict.fromkeys(folders)]
    watcher = _start_watcher(mark, folders)
    before, folder_before = (
        {name: os.environ.get(name) for name in (MARK, "TMPDIR")},
        tempfile.tempdir,
    )
    os.environ |= {MARK: mark, "TMPDIR": str(folders[0])}
    tempfile.tempdir = str(folders[0])
    try:
        yield
    finally:
        tempfile.tempdir = folder_before
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        # Written, not only shown by closing the pipe: forked children have it open as well.
        watcher.communicate(b"ended")
        for lock in locks:
            os.close(lock)


def run_folder(parent: Path) -> Path:
    """The run's own folder below `parent`; `parent` itself where no run is guarded."""
    folder = parent / f"{PREFIX}{os.environ.get(MARK)}"
    return folder if folder.is_dir() else parent


def memory_folder() -> Path | None:
    """The run's folder in the file system in memory; None if there is none with enough room."""
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    return run_folder(MEMORY) if shutil.disk_usage(MEMORY).total >= MEMORY_BYTES_MIN else None


def marked_processes(mark: str, pipe: str = "", spared: Iterable[int] = ()) -> list[int]:
    """The processes that inherited that mark, or by a mere fork that pipe, without those spared."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or belongs to somebody else
            inherited = wanted in (folder / "environ").read_bytes().split(b"\0")
            if inherited or (pipe and pipe in _open_files(folder)):
                found.append(int(folder.name))
    return [pid for pid in found if pid not in spared]


def _open_files(folder: Path) -> Iterator[str]:
    for descriptor in (folder / "fd").iterdir():
        with suppress(OSError):
            yield str(descriptor.readlink())


def _start_watcher(mark: str, folders: Sequence[Path]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), mark, *map(str, folders)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # neither Ctrl-C nor the terminal's end reaches it
    )


def _lock(folder: Path) -> int:
    """Lock a folder as long as this process, or one forked from it, lives; BlockingIOError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


# The watcher.


def main(argv: Sequence[str]) -> None:
    """Wait for the end of the run `argv[0]` with the mark `argv[1]`; clean up its folders."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    run, mark, folders = int(argv[0]), argv[1], [Path(name) for name in argv[2:]]
    _wait_for_end(run)
    _end_processes(mark, spared=(run, os.getpid()))
    for folder in folders:
        _remove(folder)
    # What others left may be much: its own run comes first.
    for folder in folders:
        _remove_folders_of_dead_runs(folder.parent)


def _wait_for_end(run: int) -> None:
    """Wait until the run has ended, or says so on stdin."""
    watched = [sys.stdin.fileno()]
    try:
        watched.append(os.pidfd_open(run))
    except ProcessLookupError:
        return
    except OSError:
        pass  # Its end closes stdin as well, once no fork of it is left.
    if os.getppid() == run:
        select.select(watched, [], [])


def _end_processes(mark: str, spared: Sequence[int]) -> None:
    """End the marked processes, first in order, then by SIGKILL."""
    pipe = str(Path("/proc/self/fd/0").readlink())
    for number in (signal.SIGTERM, signal.SIGKILL):
        until_s, signalled = time.monotonic() + GRACE_S, set[int]()
        while left := marked_processes(mark, pipe, spared):
            if time.monotonic() > until_s:
                break
            for pid in set(left) - signalled:
                with suppress(OSError):
                    os.kill(pid, number)
            signalled.update(left)
            time.sleep(POLL_S)


def _remove_folders_of_dead_runs(parent: Path) -> None:
    """Remove what runs left whose watcher was killed as well."""
    with suppress(OSError):
        for folder in parent.glob(f"{PREFIX}*-*"):
            found = folder.lstat()
            young = time.time() - found.st_ctime < YOUNG_S  # perhaps made, and not yet locked
            if young or found.st_uid != os.getuid() or folder.is_symlink():
                continue
            with suppress(OSError):
                os.close(_lock(folder))
                _remove(folder)


def _remove(folder: Path) -> None:
    """Unmount what is mounted below that folder, and remove it."""
    with suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            mounted = Path(line.split()[_MOUNT_POINT_FIELD])
            if mounted.is_relative_to(folder):
                subprocess.run(["umount", "--lazy", str(mounted)], check=False)  # noqa: S607
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
