"""Power cuts of a real kernel on ext4: User Mode Linux, killed at random moments.

Not: what a drive's own cache would lose (power).

Source: Linux Documentation/virt/uml/user_mode_linux_howto_v2.rst; e2fsck(8), debugfs(8); package
README, "The crash and damage matrix".
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from hil.crash.verdict import (
    NOTHING_ACKNOWLEDGED,
    Acknowledgement,
    CrashFinding,
    Defect,
    ReferenceRun,
    check_finished,
    check_stopped,
)

# A kernel's whole run, from boot to halt.
RUN_S_MAX: Final = 1200.0
ROOT: Final = Path(__file__).resolve().parents[2]
INIT: Final = Path(__file__).with_name("uml_init.sh")
KERNEL: Final = "linux.uml"
PROGRAMS: Final = {KERNEL: "user-mode-linux", "mkfs.ext4": "e2fsprogs", "debugfs": "e2fsprogs"}
IMAGE_BYTES: Final = 64 << 20
MEMORY: Final = "256M"
# The delay after an acknowledgement is random too, to hit the middle of the next store.
AFTER_ACK_S: Final = 0.02
# e2fsck exits with 1 if it repaired something; replaying its journal is not damage.
REPAIRED_CODE: Final = 1
_ACK: Final = re.compile(rb"(\d+) ([0-9a-f]{64})\r?\n")
_ENDED: Final = b"crash: the script ended with 0"


def missing_packages() -> str:
    """Debian packages that this needs and that are not installed."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    absent = {
        package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None
    }
    return " ".join(sorted(absent))


@dataclass(frozen=True, slots=True)
class KernelBoot:
    """One boot of the kernel: what was acknowledged, whether the script ended, other output."""

    ack: Acknowledgement
    script_ended: bool
    output: str


def cut(work: Path, seed: str, reference: ReferenceRun, *, weak: bool) -> tuple[CrashFinding, ...]:
    """Kill the kernel at a random moment, check its disk, boot again and play to the end."""
    random = Random(seed)  # noqa: S311  # not a secret
    image = work / "disk.img"
    with image.open("wb") as empty:
        empty.truncate(IMAGE_BYTES)
    _run("mkfs.ext4", "-q", "-F", str(image))
    after = random.randrange(1, len(reference.records))
    first = boot(image, "1", weak=weak, kill_after=(after, random.random() * AFTER_ACK_S))
    if first.ack.seq == 0:
        return (
            CrashFinding(Defect.UNDETECTED, f"nothing was acknowledged: {first.output[-300:]}"),
        )
    found = [
        *_check_file_system(image, work),
        *check_stopped(work / "out/table", first.ack, reference),
    ]
    if weak:
        return tuple(found)
    second = boot(image, "2", weak=False, kill_after=None)
    if not second.script_ended:
        return (*found, CrashFinding(Defect.LOST, f"it does not continue: {second.output[-300:]}"))
    found += _check_file_system(image, work)
    return (*found, *check_finished(work / "out/table", first.ack, reference))


def boot(
    image: Path, number: str, *, weak: bool, kill_after: tuple[int, float] | None
) -> KernelBoot:
    """Boot on that disk; `kill_after`: kill so many seconds after that record is acknowledged."""
    command = (
        *(KERNEL, f"mem={MEMORY}", "rootfstype=hostfs", "ro", f"init={INIT}", f"ubda={image}"),
        *("con=null", "con0=null,fd:1", "quiet", "loglevel=1", f"SMARTSHOE_BOOT=boot-{number}"),
        *(f"SMARTSHOE_ROOT={ROOT}", f"SMARTSHOE_PYTHON={sys.executable}"),
        f"SMARTSHOE_HOW={'--weak' if weak else ''}",
    )
    kernel = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    overdue = threading.Timer(RUN_S_MAX, _kill, (kernel.pid,))
    overdue.start()
    ack, output = NOTHING_ACKNOWLEDGED, bytearray()
    assert kernel.stdout is not None
    try:
        for line in kernel.stdout:
            match = _ACK.search(line)
            if match is None:
                output += line
                continue
            ack = Acknowledgement(int(match[1]), match[2].decode())
            if kill_after is not None and ack.seq >= kill_after[0]:
                time.sleep(kill_after[1])
                _kill(kernel.pid)
                kill_after = None
        kernel.wait()
    finally:
        overdue.cancel()
        overdue.join()
        _kill(kernel.pid)
        kernel.stdout.close()
        kernel.wait()
    return KernelBoot(ack, _ENDED in output, output.decode(errors="replace"))


def _kill(kernel: int) -> None:
    """As a power cut: kill the kernel and all its processes."""
    try:
        os.killpg(kernel, signal.SIGKILL)
    except ProcessLookupError:
        return


def _check_file_system(image: Path, work: Path) -> tuple[CrashFinding, ...]:
    """Replay the file system's journal on a copy and extract its files to `work`/out."""
    copy, out = work / "copy.img", work / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    shutil.copy(image, copy)
    code = _run("e2fsck", "-fy", str(copy))
    _run("debugfs", "-R", f"rdump /table {out}", str(copy))
    copy.unlink()
    if code > REPAIRED_CODE:
        return (CrashFinding(Defect.LOST, f"e2fsck ends with {code}"),)
    return ()


def _run(*command: str) -> int:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return subprocess.run(
        command, env={**os.environ, "PATH": path}, check=False, capture_output=True
    ).returncode
