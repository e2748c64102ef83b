"""Kills the program (SIGKILL) or fails its system call at each writing call, by strace.

Source: strace(1), "Syscall tampering".
"""

import ctypes
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.crash.calls import SystemCall, calls_in
from hil.crash.verdict import (
    Acknowledgement,
    CrashFinding,
    Defect,
    ReferenceRun,
    arrived_writes,
    check_resumed,
    check_stopped,
    last_acknowledgement,
)
from hil.crash.world import DeviceWrite
from hil.crash.writer import DONE, REFUSED, write
from hil.emulator.tablelink.wire import Flag, Frame, FrameFinder
from hil.run_guard import memory_folder

BOOT: Final = "boot-1"
KILLED: Final = -signal.SIGKILL
TRACEBACK: Final = "Traceback (most recent call last)"
_PR_SET_PTRACER: Final = 0x59616D61
_ANYBODY: Final = 2**64 - 1
_FAULT_EXIT: Final = 70
# In a log of strace: what the writer reports on its descriptor, and the journal's write-ahead log.
_TO_DESCRIPTOR: Final = re.compile(r' write\(1<[^>]*>, "((?:\\x[0-9a-f]{2})*)"')
_WAL: Final = "".join(f"\\x{byte:02x}" for byte in b".db-wal")


@dataclass(frozen=True, slots=True)
class TracedRun:
    """A run under strace: exit code, newest acknowledgement, and what it wrote to stderr.

    `arrived` is what it wrote to devices.
    """

    code: int
    ack: Acknowledgement
    stderr: str
    arrived: tuple[DeviceWrite, ...]


def check_kill(
    call: SystemCall, reference: ReferenceRun, *, early: bool = False
) -> tuple[CrashFinding, ...]:
    """SIGKILL when the program makes that call, then start again; `early` is a control."""
    # In memory if possible: after a kill the page cache survives either way.
    with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=memory_folder()) as name:
        folder = Path(name) / "table"
        alone = reference.start_alone
        run = run_tampered(folder, call, "signal=KILL", early=early, start_alone=alone)
        if run.code != KILLED:
            # Without the injected signal nothing was tested; that must not count as success.
            words = f"the run ended with {run.code}, not by the kill: {run.stderr}"
            return (CrashFinding(Defect.UNDETECTED, words),)
        return (
            *check_stopped(folder, run.ack, reference),
            *check_resumed(folder, run.ack, reference, BOOT, (run.arrived,)),
        )


def acknowledged_stores(log: Sequence[str], folder: str) -> tuple[SystemCall, ...]:
    """The last write of each store after which a device is told to forget events.

    `log` is that of an undisturbed run below `folder`.
    """
    found: dict[int, SystemCall] = {}
    written = stored = 0
    for at, line in enumerate(log, 1):
        if (match := _TO_DESCRIPTOR.search(line)) is not None:
            words = bytes.fromhex(match[1].replace("\\x", "")).split()
            if words[0] != b">":
                stored = written
            elif _acknowledges_events(bytes.fromhex(words[2].decode())):
                found.setdefault(stored, calls_in(log[:stored], folder)[-1])
        elif " pwrite64(" in line and _WAL in line:
            written = at
    return tuple(found.values())


def _acknowledges_events(data: bytes) -> bool:
    """Whether these bytes to a device of TableLink acknowledge events."""
    frames = FrameFinder().receive(data)
    return any(isinstance(one, Frame) and one.flags & Flag.ACK_COUNTS for one in frames)


def check_failed_call(
    call: SystemCall, error: str, reference: ReferenceRun
) -> tuple[CrashFinding, ...]:
    """Fail that one call; the program ends with a message or continues, then start it again."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=memory_folder()) as name:
        folder = Path(name) / "table"
        run = run_tampered(folder, call, f"error={error}", start_alone=reference.start_alone)
        found: list[CrashFinding] = []
        if run.code not in (DONE, REFUSED) or TRACEBACK in run.stderr:
            found.append(CrashFinding(Defect.UNDETECTED, f"no message: {run.stderr[-300:]}"))
        if run.code == REFUSED and not run.stderr.strip():
            found.append(CrashFinding(Defect.UNDETECTED, "it ended without a message"))
        return (
            *found,
            *check_stopped(folder, run.ack, reference),
            *check_resumed(folder, run.ack, reference, BOOT, (run.arrived,)),
        )


def run_tampered(
    folder: Path,
    call: SystemCall,
    injection: str,
    arrived: Sequence[tuple[DeviceWrite, ...]] = (),
    *,
    early: bool = False,
    start_alone: bool = False,
) -> TracedRun:
    """Play the script in a fork of this process; strace does `injection` at that call.

    `arrived` is what the devices received of each earlier run on that folder.
    """
    with tempfile.TemporaryFile() as stderr:
        go, acks_read, pid = _fork(
            lambda acks: write(
                folder, acks, BOOT, early=early, start_alone=start_alone, arrived=arrived
            ),
            stderr.fileno(),
        )
        strace = subprocess.Popen(
            (
                *("strace", "-f", "-o", os.devnull, "-p", str(pid), "-e", f"trace={call.name}"),
                *("-e", f"inject={call.name}:{injection}:when={call.number}"),
            ),
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        assert strace.stderr is not None
        attached = strace.stderr.readline()
        os.write(go, b"g")
        os.close(go)
        with open(acks_read, "rb") as lines:  # noqa: PTH123
            acks = lines.read()
        _, status = os.waitpid(pid, 0)
        strace.communicate()
        stderr.seek(0)
        text = stderr.read().decode(errors="replace")
    if b"attached" not in attached:
        text = f"{attached.decode(errors='replace')} {text}"
    code = os.waitstatus_to_exitcode(status)
    return TracedRun(code, last_acknowledgement(acks), text, arrived_writes(acks))


def _fork(act: Callable[[int], int], stderr: int) -> tuple[int, int, int]:
    """A copy of this process that waits for a byte, then calls `act`, its stderr redirected.

    Returns the descriptor to write that byte to, the one to read acknowledgements from, and its id.
    """
    wait, go = os.pipe()
    acks_read, acks_write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(wait)
        os.close(acks_write)
        return go, acks_read, pid
    code = _FAULT_EXIT
    try:
        os.close(go)
        os.close(acks_read)
        os.dup2(stderr, 2)
        # Where the kernel lets only a parent trace its child, let any process trace this one.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(_ANYBODY), 0, 0, 0)
        os.read(wait, 1)
        code = act(acks_write)
    except BaseException:  # noqa: BLE001  # the parent reads it from stderr
        import traceback  # noqa: PLC0415

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)
