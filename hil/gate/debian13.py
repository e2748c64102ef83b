"""The README and the tests on Debian 13: in a root that is kept between runs.

`python -m hil.gate.debian13` plays what .ci/run judges there: README's commands but `make test`,
and the tests of the rooms that another interpreter or library can change. With --whole it plays
every test. Needs that are absent there are left out, and named by the tests' own closing lines.
Source: hil/README.md, "Debian 13"; unshare(1), mount(8).
"""

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hil.gate.debian_root import (
    ALONE,
    DEBIANS,
    TO_MAKE,
    plain_root,
    require_root,
    run_quietly,
)
from hil.gate.kernel import GateUnable, require
from hil.run_guard import ending_at_once

ROOT: Final = Path(__file__).resolve().parents[2]
DEBIAN: Final = DEBIANS[13]
CLONE: Final = "root/smartshoe"
BEGIN: Final = Path(__file__).with_name("debian13.sh")
# What an interpreter or a library can change: certificates, generated pages and schemas, SQLite,
# the web, the package, the command line.
ROOMS: Final = (
    "tests/architecture",
    "tests/packaging",
    "tests/controller/actions",
    "tests/controller/cli",
    "tests/controller/config",
    "tests/controller/console",
    "tests/controller/control",
    "tests/controller/feed",
    "tests/controller/install",
    "tests/controller/journal",
    "tests/controller/replay",
    "tests/controller/system",
)
# Where a machine says how pip, its certificates and its proxy are used.
PIP_FILES: Final = ("/etc/pip.conf", "/etc/xdg/pip", "~/.config/pip", "~/.pip")
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
VARIABLES: Final = re.compile(r"PIP_\w+|https?_proxy|no_proxy|all_proxy|JOBS", re.IGNORECASE)
LOCAL: Final = re.compile(r"""(?:file://)?(/[^\s'"=]+)""")
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
    if not (ROOT / ".git").exists():
        raise GateUnable("it plays a clone, and there is no .git here. Remedy: run it from a clone")
    begun_s = time.monotonic()
    root = plain_root(DEBIAN)
    with _only_user(root):
        _copy_clone(root / CLONE)
        _empty(root / "tmp")
        _copy_settings(root)
        environment = _environment()
        shared = [str(one) for one in _local_places(root, environment)]
        tests = ("whole",) if whole else ROOMS
        mount = ("sh", str(BEGIN), "mount", str(root), str(len(shared)), *shared)
        play = ("chroot", str(root), "bash", "-c", BEGIN.read_text("utf-8"), "sh", "play", *tests)
        done = subprocess.run(
            [*ALONE, *mount, *play], stdin=subprocess.DEVNULL, env=environment, check=False
        )
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


def _copy_clone(clone: Path) -> None:
    """This clone with its uncommitted changes; its environment stays while the locks are equal."""
    kept = clone.with_name("environment")
    stamp = kept / ".locks"
    if (clone / ".venv").is_dir() and not kept.exists():
        (clone / ".venv").rename(kept)
    shutil.rmtree(clone, ignore_errors=True)
    run_quietly(("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)))
    for name in _listed("--modified", "--others", "--exclude-standard"):
        source, target = ROOT / name, clone / name
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
        else:
            target.unlink(missing_ok=True)
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


def _listed(*words: str) -> list[str]:
    command = ("git", "-C", str(ROOT), "ls-files", "-z", *words)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(set(filter(None, done.stdout.split("\0"))))


def _empty(folder: Path) -> None:
    for one in folder.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        else:
            one.unlink()


def _copy_settings(root: Path) -> None:
    """How this machine finds names, packages and whom it trusts; none of it is the repository's."""
    files = [Path("/etc/resolv.conf"), Path("/etc/hosts"), CERTIFICATES]
    files += [Path(one).expanduser() for one in PIP_FILES]
    for file in files:
        target = root / str(file).replace(str(Path.home()), "root", 1).lstrip("/")
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        if not file.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir():
            shutil.copytree(file, target)
        else:
            shutil.copyfile(file, target)
    words = ("apt-config", "dump", "Acquire")
    dump = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    (root / "etc/apt/apt.conf.d/00machine").write_bytes(dump.stdout)


def _environment() -> dict[str, str]:
    machine = {name: value for name, value in os.environ.items() if VARIABLES.fullmatch(name)}
    if CERTIFICATES.is_file():
        machine.setdefault("PIP_CERT", str(CERTIFICATES))
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {**machine, "PATH": path, "HOME": "/root", "LANG": "C.UTF-8"}


def _local_places(root: Path, environment: dict[str, str]) -> Iterator[Path]:
    """Folders of this machine that pip's settings name, and the root does not have."""
    words = [value for name, value in environment.items() if name.startswith("PIP_")]
    for one in map(Path, PIP_FILES):
        place = one.expanduser()
        files = place.rglob("*") if place.is_dir() else (place,)
        words += [file.read_text("utf-8", "replace") for file in files if file.is_file()]
    named = {Path(found[1]) for found in LOCAL.finditer("\n".join(words))}
    for place in sorted(named):
        # An index names files beside it.
        folder = place.parent if len(place.parts) > 3 else place
        if folder.is_dir() and not (root / str(place).lstrip("/")).exists():
            yield folder


if __name__ == "__main__":
    sys.exit(main())
