"""The README and the tests on Debian 13: in a root that is kept between runs.

`python -m hil.gate.debian13` plays what .ci/run judges there: README's commands but `make test`,
and the tests of the rooms that another interpreter or library can change. With --whole it plays
every test. Needs that are absent there are left out, and named by the tests' own closing lines.
Source: unshare(1), mount(8).
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hil.gate.clone_in_root import command_inside, copy_clone, copy_settings
from hil.gate.debian_root import DEBIANS, TO_MAKE, plain_root, require_root
from hil.gate.kernel import GateUnable, require
from hil.run_guard import ending_at_once

DEBIAN: Final = DEBIANS[13]
HOME: Final = "/root"
CLONE: Final = f"{HOME[1:]}/smartshoe"
BEGIN: Final = Path(__file__).with_name("debian13.sh")
# What an interpreter or a library can change: certificates, generated pages and schemas, SQLite,
# the web, the package, the command line.
ROOMS: Final = (
    "tests/architecture",
    "tests/packaging",
    "tests/controller/rules/actions",
    "tests/controller/cli",
    "tests/controller/service/config",
    "tests/controller/outlets/console",
    "tests/controller/outlets/control",
    "tests/controller/outlets/feed",
    "tests/controller/service/install",
    "tests/controller/journal",
    "tests/controller/archive/replay",
    "tests/controller/system",
    "tests/controller/record",
    # What imports what is the same in every Python, and takes a minute.
    "--ignore=tests/architecture/test_contracts_bind.py",
)
PASSED, FAILED, UNABLE = 0, 1, 2


def main(words: Sequence[str] | None = None) -> int:
    """Play it; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.gate.debian13",
        description=(__doc__ or "").splitlines()[0],
        epilog="exit codes: 0 passed; 1 something failed; 2 it cannot run here, or wrong usage",
    )
    parser.add_argument("--whole", action="store_true", help="play every test")
    given = parser.parse_args(words)
    try:
        with ending_at_once():
            return PASSED if run_on_debian13(whole=given.whole) else FAILED
    except GateUnable as unable:
        print(f"debian 13: {unable}", file=sys.stderr)
        return UNABLE


def run_on_debian13(*, whole: bool) -> bool:
    """Play it in the root and print what it prints; whether all passed. Raises GateUnable."""
    require_root("a root of Debian 13")
    require((*TO_MAKE, "git"), "a root of Debian 13")
    begun_s = time.monotonic()
    root = plain_root(DEBIAN)
    with _only_user(root):
        _renew_clone(root / CLONE)
        copy_settings(root)
        jobs = os.environ.get("JOBS", "1" if whole else "2")
        play = (BEGIN.read_text("utf-8"), "sh", *(("whole",) if whole else ROOMS))
        words = command_inside(root, HOME, f"JOBS={jobs}", "bash", "-c", *play)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, check=False)
    took_s = time.monotonic() - begun_s
    print(f"debian 13: ended with {done.returncode} after {took_s:.0f} s", flush=True)
    return done.returncode == 0


@contextmanager
def _only_user(root: Path) -> Iterator[None]:
    """Nobody else plays in this root meanwhile."""
    with root.with_name(f"{root.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("debian 13: waiting for another run in the same root", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _renew_clone(clone: Path) -> None:
    """Copy this clone again; its environment stays while the locks are equal."""
    kept = clone.with_name("environment")
    stamp = kept / ".locks"
    if (clone / ".venv").is_dir() and not kept.exists():
        (clone / ".venv").rename(kept)
    if clone.exists():
        shutil.rmtree(clone)
    copy_clone(clone)
    locks = _digest_of_locks(clone)
    if kept.is_dir() and (not stamp.is_file() or stamp.read_text() != locks):
        shutil.rmtree(kept)
    if kept.is_dir():
        kept.rename(clone / ".venv")
    else:
        (clone / ".venv").mkdir()
    (clone / ".venv/.locks").write_text(locks)


def _digest_of_locks(clone: Path) -> str:
    locks = sorted(clone.glob("requirements*.lock"))
    return hashlib.sha256(b"".join(one.read_bytes() for one in locks)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
