"""The running program changes files below its own folder and nowhere else, by its system calls.

Source: deploy/smartshoe@.service, "Files"; strace(1).
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import program_record
import pytest

from hil.rig.program import Program

TRACER = ("strace", "-D", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file", "-o")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
CHANGES = re.compile(r"^(?:mkdir|rename|unlink|rmdir|link|symlink|mknod|ch(?:mod|own)|f?truncate)")
CALL = re.compile(r"^\d+ +(?P<call>\w+)\((?P<arguments>.*)\) += (?!-1)")
NAME = re.compile(r'(?:AT_FDCWD<(?P<folder>[^>]*)>, |\d+<(?P<open>[^>]*)>, )?"(?P<name>[^"]*)"')
# Where the kernel answers, and no file is.
NO_FILES = ("/dev/null", "/proc/self/")


def changed_paths(trace: str) -> set[Path]:
    """Every path that a successful call opened to write, made, renamed or removed."""
    found: set[Path] = set()
    for line in trace.splitlines():
        made = CALL.match(line)
        if made is None:
            continue
        opens = made["call"].startswith(("open", "creat"))
        if WRITES.search(made["arguments"]) if opens else CHANGES.match(made["call"]):
            for name in NAME.finditer(made["arguments"]):
                found.add(Path(name["folder"] or name["open"] or "/", name["name"]))
    return {one for one in found if not str(one).startswith(NO_FILES)}


@pytest.mark.needs("strace")
def test_a_run_changes_its_own_folder_alone(
    fast_dir: Path, tmp_path: Path, program_on: Callable[..., Program], monkeypatch
) -> None:
    temporary, trace = tmp_path / "temporary", tmp_path / "trace"
    temporary.mkdir(mode=0o500)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    plain = program_on(fast_dir, "socket://127.0.0.1:9")
    with Program(plain.config, plain.log, (*TRACER, str(trace))) as program:
        program.start()
        program.snapshot()
        program.stop()

    changed = changed_paths(trace.read_text(encoding="utf-8", errors="replace"))
    assert fast_dir / "journal/live.db" in changed
    # The program writes no line of it; the Python of tests does, where a library starts ldconfig.
    changed.discard(Path(os.environ[program_record.VARIABLE]))
    assert {one for one in changed if not one.is_relative_to(fast_dir)} == set()


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ('7 openat(AT_FDCWD</a>, "b", O_RDWR|O_CREAT, 0600) = 3</a/b>', {Path("/a/b")}),
        ('7 openat(AT_FDCWD</a>, "/tmp/x", O_WRONLY) = 3</tmp/x>', {Path("/tmp/x")}),
        ('7 mkdir("/tmp/y", 0700) = 0', {Path("/tmp/y")}),
        ('7 rename("/a/b", "/a/c") = 0', {Path("/a/b"), Path("/a/c")}),
        ('7 openat(AT_FDCWD</a>, "b", O_RDONLY) = 3</a/b>', set()),
        ('7 mkdir("/tmp/y", 0700) = -1 EROFS (Read-only file system)', set()),
    ],
)
def test_a_change_is_found_in_a_trace(line: str, paths: set[Path]) -> None:
    assert changed_paths(line) == paths
