"""Power cuts of a real kernel on a real file system: Linux as one process, killed at any moment.

Responsible for: a disk image with ext4, a kernel that plays the script on it and is killed at a
moment drawn by lot, what its journal then gives back to the host, and a second boot that goes on.
Not responsible for: judging (verdict). What a drive's own cache would lose is the model's (power).
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

from hil.crash.verdict import NO_ACK, Ack, Finding, Reference, Wrong, after_end, after_stop

ROOT: Final = Path(__file__).resolve().parents[2]
INIT: Final = Path(__file__).with_name("uml_init.sh")
KERNEL: Final = "linux.uml"
PROGRAMS: Final = {KERNEL: "user-mode-linux", "mkfs.ext4": "e2fsprogs", "debugfs": "e2fsprogs"}
IMAGE_BYTES: Final = 64 << 20
MEMORY: Final = "256M"
RUN_S_MAX: Final = 240.0
# The moment after an acknowledgement is drawn too: into the middle of what comes next.
AFTER_ACK_S: Final = 0.02
# e2fsck says 1 where it mended: a journal that had to be played is no damage.
MENDED_MAX: Final = 1
_ACK: Final = re.compile(rb"(\d+) ([0-9a-f]{64})\r?\n")
_ENDED: Final = b"crash: the script ended with 0"


def missing() -> str:
    """Debian packages that this needs and that are not there."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    absent = {
        package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None
    }
    return " ".join(sorted(absent))


@dataclass(frozen=True, slots=True)
class Boot:
    """One boot of the kernel: what was acknowledged, whether the script came to its end."""

    ack: Ack
    ended: bool
    said: str


def cut(work: Path, seed: str, reference: Reference, *, weak: bool) -> tuple[Finding, ...]:
    """Kill the kernel at a moment drawn by lot, look at its disk, boot again and go on."""
    lot = Random(seed)  # noqa: S311  # not a secret
    image = work / "disk.img"
    with image.open("wb") as empty:
        empty.truncate(IMAGE_BYTES)
    _run("mkfs.ext4", "-q", "-F", str(image))
    after = lot.randrange(1, len(reference.records))
    first = boot(image, "1", weak=weak, kill_after=(after, lot.random() * AFTER_ACK_S))
    if first.ack.seq == 0:
        return (Finding(Wrong.UNDETECTED, f"nothing was acknowledged: {first.said[-300:]}"),)
    found = [*_unmendable(image, work), *after_stop(work / "out/table", first.ack, reference)]
    if weak:
        return tuple(found)
    second = boot(image, "2", weak=False, kill_after=None)
    if not second.ended:
        return (*found, Finding(Wrong.LOST, f"it does not go on: {second.said[-300:]}"))
    found += _unmendable(image, work)
    return (*found, *after_end(work / "out/table", first.ack, reference))


def boot(image: Path, number: str, *, weak: bool, kill_after: tuple[int, float] | None) -> Boot:
    """Boot on that disk; kill the kernel so many seconds after that record is acknowledged."""
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
    ack, said = NO_ACK, bytearray()
    assert kernel.stdout is not None
    try:
        for line in kernel.stdout:
            told = _ACK.search(line)
            if told is None:
                said += line
                continue
            ack = Ack(int(told[1]), told[2].decode())
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
    return Boot(ack, _ENDED in said, said.decode(errors="replace"))


def _kill(kernel: int) -> None:
    """Power is gone: the kernel and all its processes."""
    try:
        os.killpg(kernel, signal.SIGKILL)
    except ProcessLookupError:
        return


def _unmendable(image: Path, work: Path) -> tuple[Finding, ...]:
    """Play the file system's journal on a copy, and lay its files out in `work`/out."""
    copy, out = work / "copy.img", work / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    shutil.copy(image, copy)
    code = _run("e2fsck", "-fy", str(copy))
    _run("debugfs", "-R", f"rdump /table {out}", str(copy))
    copy.unlink()
    if code > MENDED_MAX:
        return (Finding(Wrong.LOST, f"e2fsck ends with {code}"),)
    return ()


def _run(*command: str) -> int:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return subprocess.run(
        command, env={**os.environ, "PATH": path}, check=False, capture_output=True
    ).returncode
