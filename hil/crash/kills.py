"""Death and refusal at each writing call: kill -9, a full disk, a disk with errors.

Responsible for: a copy of the running bench that plays the script under strace, which kills it or
fails its call; and what a start after that makes of the journal.
Not responsible for: which calls there are (calls) and judging (verdict).
Source: strace(1), "Syscall tampering"; package README, "The crash and damage matrix".
"""

import ctypes
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.crash.calls import Call
from hil.crash.verdict import (
    Ack,
    Finding,
    Reference,
    Wrong,
    after_stop,
    last_ack,
    played_on,
)
from hil.crash.writer import DONE, REFUSED, write

BOOT: Final = "boot-1"
KILLED: Final = -signal.SIGKILL
TRACEBACK: Final = "Traceback (most recent call last)"
_PR_SET_PTRACER: Final = 0x59616D61
_ANYBODY: Final = 2**64 - 1
_FAULT_EXIT: Final = 70


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a run under strace ended, what it had told, and what it said."""

    code: int
    ack: Ack
    said: str


def killed_at(call: Call, reference: Reference) -> tuple[Finding, ...]:
    """Kill -9 when the program makes that call, and start again."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=_disk()) as name:
        folder = Path(name) / "table"
        stopped = tampered(folder, call, "signal=KILL")
        if stopped.code != KILLED:
            # A tool that injects nothing would find nothing: that must never look like success.
            words = f"the run ended with {stopped.code}, not by the kill: {stopped.said}"
            return (Finding(Wrong.UNDETECTED, words),)
        return (
            *after_stop(folder, stopped.ack, reference),
            *played_on(folder, stopped.ack, reference, BOOT),
        )


def refused_at(call: Call, error: str, reference: Reference) -> tuple[Finding, ...]:
    """The disk refuses that one call; the program ends with words or goes on, and starts again."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=_disk()) as name:
        folder = Path(name) / "table"
        stopped = tampered(folder, call, f"error={error}")
        found: list[Finding] = []
        if stopped.code not in (DONE, REFUSED) or TRACEBACK in stopped.said:
            found.append(Finding(Wrong.UNDETECTED, f"no words: {stopped.said[-300:]}"))
        if stopped.code == REFUSED and not stopped.said.strip():
            found.append(Finding(Wrong.UNDETECTED, "it ended and said nothing"))
        return (
            *found,
            *after_stop(folder, stopped.ack, reference),
            *played_on(folder, stopped.ack, reference, BOOT),
        )


def tampered(folder: Path, call: Call, how: str) -> Stopped:
    """Play the script in a fork of this process while strace does `how` at that call."""
    with tempfile.TemporaryFile() as said:
        go, told, pid = _forked(lambda acks: write(folder, acks, BOOT), said.fileno())
        strace = subprocess.Popen(
            (
                *("strace", "-f", "-o", os.devnull, "-p", str(pid), "-e", f"trace={call.name}"),
                *("-e", f"inject={call.name}:{how}:when={call.number}"),
            ),
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        assert strace.stderr is not None
        attached = strace.stderr.readline()
        os.write(go, b"g")
        os.close(go)
        with open(told, "rb") as lines:  # noqa: PTH123
            acks = lines.read()
        _, status = os.waitpid(pid, 0)
        strace.communicate()
        said.seek(0)
        words = said.read().decode(errors="replace")
    if b"attached" not in attached:
        words = f"{attached.decode(errors='replace')} {words}"
    return Stopped(os.waitstatus_to_exitcode(status), last_ack(acks), words)


def _forked(act: Callable[[int], int], said: int) -> tuple[int, int, int]:
    """A copy of this process that waits for a byte, then acts: where to write, to read, its id."""
    wait, go = os.pipe()
    told, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(wait)
        os.close(tell)
        return go, told, pid
    code = _FAULT_EXIT
    try:
        os.close(go)
        os.close(told)
        os.dup2(said, 2)
        # Where only a parent may trace its child, anybody may trace this one.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(_ANYBODY), 0, 0, 0)
        os.read(wait, 1)
        code = act(tell)
    except BaseException:  # noqa: BLE001  # whatever it is, the parent is told by its words
        import traceback  # noqa: PLC0415

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _disk() -> str | None:
    """Memory where there is some: what a kill leaves is in the page cache either way."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
