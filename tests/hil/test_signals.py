"""A demo or bench that a signal ends at any moment leaves no process, folder or link behind."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from hil.progress import poll_until
from hil.run_guard import PREFIX

VARIABLE = "SMARTSHOE_TEST_OF_SIGNALS"
Moment: TypeAlias = Callable[[str, "subprocess.Popen[str]"], bool]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


def processes(name: str) -> dict[int, list[str]]:
    """The processes with that value of the variable, the watcher too, and their words."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{VARIABLE}={name}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_text().split("\0")
                found[int(folder.name)] = words
        except OSError:
            continue
    return found


def folders(pid: int) -> list[Path]:
    """Folders of the run of that process, wherever runs may have them."""
    places = {Path("/dev/shm"), Path(tempfile.gettempdir()), Path(tempfile.gettempdir()).parent}
    return [one for place in places for one in place.glob(f"{PREFIX}{pid}-*")]


def preparing(name: str, running: "subprocess.Popen[str]") -> bool:
    return any("pair" in words for words in processes(name).values())


def dealing(name: str, running: "subprocess.Popen[str]") -> bool:
    assert running.stdout is not None
    return running.stdout.readline().startswith("coup   5")


def proving(name: str, running: "subprocess.Popen[str]") -> bool:
    return any("verify" in words or "replay" in words for words in processes(name).values())


def ended_by(number: signal.Signals, moment: Moment, module: str, *words: str) -> None:
    """Start it, end it by that signal at that moment, and wait until nothing is left."""
    name = uuid4().hex
    with subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, VARIABLE: name},
    ) as running:
        poll_until(lambda: moment(name, running))
        assert folders(running.pid)
        running.send_signal(number)
        running.communicate()

        assert running.returncode in (0, 1, 128 + number, -number)
        poll_until(lambda: not processes(name))
        poll_until(lambda: not folders(running.pid))


QUICK = (
    (signal.SIGINT, proving),
    (signal.SIGTERM, preparing),
    (signal.SIGHUP, dealing),
    (signal.SIGKILL, dealing),
)
LONG = tuple(
    pytest.param(number, moment, marks=pytest.mark.full)
    for number in SIGNALS
    for moment in (preparing, dealing, proving)
    if (number, moment) not in QUICK
)


@pytest.mark.parametrize(("number", "moment"), [*QUICK, *LONG])
def test_a_demo_leaves_nothing(
    number: signal.Signals,
    moment: Moment,
    fast_dir: Path,
) -> None:
    words = ("demo", "--speed", "max", "--seed", "7", "--journal", str(fast_dir / "journal"))
    ended_by(number, moment, "hil.cli", *words)
    if number is not signal.SIGKILL:
        links = [one for one in (fast_dir / "journal").iterdir() if one.is_symlink()]
        assert links == []


def serving(name: str, running: "subprocess.Popen[str]") -> bool:
    return any("run" in words and "--config" in words for words in processes(name).values())


def tracing(name: str, running: "subprocess.Popen[str]") -> bool:
    return any(words[0] == "strace" for words in processes(name).values())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_measurement_leaves_nothing(number: signal.Signals) -> None:
    ended_by(number, serving, "hil.bench", "--quick", "--only", "P11")


@pytest.mark.needs("strace")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_crash_matrix_leaves_nothing(number: signal.Signals, fast_dir: Path) -> None:
    ended_by(number, tracing, "hil.crash", "--only", "kill", "--folder", str(fast_dir))

    assert list(fast_dir.iterdir()) == []
