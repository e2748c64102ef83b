"""A wait ends when the processes that it watches stand still, and says what stood."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event

import pytest

from hil.progress import Patience, StoodStill, poll_until, wait_while_moving

STILL_S = 1.0
ASLEEP = "input()"
# Of the processor of a child of a child, which no thread of this process waits for.
BUSY = """
import subprocess, sys, time
spin = "import time\\nwhile time.process_time() < 3.0: pass"
subprocess.run([sys.executable, "-c", spin])
print("done", flush=True)
input()
"""


@contextmanager
def child(program: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_nothing_that_moves_ends_a_wait() -> None:
    assert not wait_while_moving(Event().wait, STILL_S)


def test_what_comes_ends_a_wait() -> None:
    come = Event()
    come.set()

    assert wait_while_moving(come.wait, STILL_S)


def test_a_wait_goes_on_while_a_descendant_works() -> None:
    with child(BUSY) as process:
        assert process.stdout is not None
        said = process.stdout
        poll_until(lambda: Patience().is_over or said.readline(), "the end of the work", STILL_S)


def test_a_wait_goes_on_while_its_matter_moves() -> None:
    moves, seen = count(), []

    def progress() -> int:
        seen.append(next(moves))
        return min(seen[-1], 6)

    wait_while_moving(Event().wait, STILL_S, progress)

    assert len(seen) > 6


def test_whoever_stood_still_is_named() -> None:
    with child(ASLEEP) as process, pytest.raises(StoodStill) as raised:
        poll_until(lambda: False, "a card that never comes", STILL_S)

    assert str(raised.value).startswith("a card that never comes: nothing moved for 1 s")
    assert f"process {process.pid}, did not move" in str(raised.value)
    assert ASLEEP in str(raised.value)


def test_a_wait_has_an_end_whatever_moves() -> None:
    patience = Patience(STILL_S, progress=count().__next__, bound_s=2.0)
    polls = Event()

    while not patience.is_over:
        polls.wait(0.05)

    assert "nothing moved for 0 s, of 2 s" in patience.account()


def test_work_is_no_progress_of_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil.progress.PLAY_STILL_S", STILL_S)
    patience = Patience.with_play(lambda: "5 reports of the shoe, shoe online")

    while not patience.is_over:
        pass

    assert patience.account().startswith("no report, conclusion or stage for 1 s, of ")
    assert patience.account().endswith("it stands at: 5 reports of the shoe, shoe online")


def test_reports_conclusions_and_stages_are_progress_of_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hil.progress.PLAY_STILL_S", STILL_S)
    patience, seen = Patience.with_play(lambda: min(len(seen), 4)), list[int]()
    polls = Event()

    while not patience.is_over:
        seen.append(polls.wait(0.4))

    assert len(seen) > 4
