"""What a running process shows of the tree that it was started from."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.service.install.running import RunningProcess, problems, running_program
from controller.service.install.statement import SignedStatementError

SECOND_NS = 1_000_000_000
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def tree(fast_dir: Path) -> Path:
    """A tree with a program that loads a library of its own, and waits."""
    tree = fast_dir / "0.7.0"
    (tree / "bin").mkdir(parents=True)
    (tree / "bin/python").symlink_to(Path(sys.executable).resolve())
    (tree / "bin/smartshoe").write_text("print('ready', flush=True)\ninput()\n")
    return tree


@contextmanager
def started(tree: Path, variables: Mapping[str, str] | None = None) -> Iterator[RunningProcess]:
    words = [str(tree / "bin/python"), "-S", str(tree / "bin/smartshoe")]
    with subprocess.Popen(
        [words[0], words[2]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"], **(variables or {})},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield running_program(process.pid)
        process.communicate("\n")


def later(running: RunningProcess) -> RunningProcess:
    """The same process, as if the tree had been unpacked some seconds before its start."""
    words = running.words
    return RunningProcess(
        pid=running.pid,
        started_utc_ns=time.time_ns() + SECOND_NS,
        interpreter=running.interpreter,
        words=words,
        mapped=running.mapped,
        variables=running.variables,
    )


def test_a_program_of_this_tree_that_did_not_change_is_no_problem(tree: Path) -> None:
    with started(tree) as running:
        assert running.interpreter == Path(sys.executable).resolve()
        assert abs(running.started_utc_ns - time.time_ns()) < 10 * SECOND_NS
        assert problems(later(running), tree) == []


def test_a_file_changed_after_the_start_is_named(tree: Path) -> None:
    with started(tree) as running:
        before = later(running)
        changed = tree / "bin/rules.py"
        changed.write_text("")
        os.utime(changed, ns=(0, 0))
        moment = changed.stat().st_ctime_ns

        early = RunningProcess(
            before.pid, moment - 1, before.interpreter, before.words, before.mapped, ()
        )
        assert problems(early, tree) == [f"{changed} was changed after it was started"]


def test_a_program_of_another_tree_is_named(tree: Path) -> None:
    other = tree.with_name("0.6.0")
    shutil.copytree(tree, other, symlinks=True)

    with started(other) as running:
        found = problems(later(running), tree)

    assert found == [
        f"it was started as {other}/bin/{name}, which is not of {tree}"
        for name in ("python", "smartshoe")
    ]


def test_a_tree_that_is_named_by_a_link_is_the_same(tree: Path) -> None:
    current = tree.with_name("current")
    current.symlink_to(tree.name)

    with started(current) as running:
        assert problems(later(running), current) == []


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_PRELOAD"])
def test_a_variable_that_loads_others_code_is_named(tree: Path, name: str) -> None:
    with started(tree, {name: ""}) as running:
        assert problems(later(running), tree) == [f"{name} is set, which loads others' code"]


def test_a_library_that_was_replaced_after_it_was_loaded_is_named(tree: Path) -> None:
    mapped = (f"{tree}/lib/fast.so (deleted)", "/usr/lib/libc.so.6", "/tmp/of-another (deleted)")
    running = RunningProcess(1, time.time_ns() + SECOND_NS, Path(), (), mapped, ())

    assert problems(running, tree) == [f"{tree}/lib/fast.so was replaced after it was loaded"]


def test_a_process_that_is_not_there_is_said() -> None:
    with pytest.raises(SignedStatementError, match="process 4194305 cannot be looked into"):
        running_program(4194305)
