"""Notes many times a second up to when all that the ports brought is stored: a kill leaves it.

It is no evidence: a small file in memory, written without fsync. What it says enters the next run's
first input. Not: what a port read last before it was lost (firmware_bridge.transport.pump).
"""

import contextlib
import hashlib
import logging
import os
import stat
import struct
import zlib
from pathlib import Path
from typing import ClassVar, Final

from controller.journal.values import Head

LOG = logging.getLogger("smartshoe.table")
SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the file is checked to be our own
_MOUNTS: Final = Path("/proc/self/mountinfo")
_IN_MEMORY: Final = ("tmpfs", "ramfs")
NOTE_SUFFIX: Final = ".until"
_FILE_MODE: Final = 0o600
# Kind and version, boot id, time, number and chain value of the newest record; then their CRC-32.
_KIND: Final = b"SMSTUN01"
_NOTE: Final = struct.Struct(">8s36sQQ32s")
_CRC: Final = struct.Struct(">I")


class StoredUntil:
    """The note of one table. Used by the table's thread.

    A note is of one journal: it counts only where its newest record is still the journal's newest,
    so that none is taken for a journal that was put back from a copy.
    """

    # The bound of a blink counts from a note: four a second and a little more.
    INTERVAL_NS: ClassVar[int] = 240_000_000

    def __init__(self, file: Path | None) -> None:
        """`file` lies in memory; None: there is nowhere to write, and a kill leaves nothing."""
        self._file = file
        self._descriptor: int | None = None
        self._boot_id = b""
        self._until_ns = 0
        self._noted_ns = 0
        self._seq = -1

    def begin(self, boot_id: str, head: Head) -> int:
        """Begin a run of this boot; what the run before noted, 0 where nothing is proved."""
        self._boot_id = boot_id.encode()[:36].ljust(36)
        self._until_ns, self._seq = 0, -1
        if self._descriptor is None and self._file is not None:
            try:
                self._descriptor = _open_own(self._file)
            except OSError as error:
                self._give_up(error)
        if self._descriptor is None:
            return 0
        try:
            noted = os.pread(self._descriptor, _NOTE.size + _CRC.size + 1, 0)
        except OSError as error:
            self._give_up(error)
            return 0
        self._until_ns = _until_ns(noted, self._boot_id, head)
        return self._until_ns

    def due_s(self, at_ns: int) -> float | None:
        """Seconds until the next note is due; None without a file."""
        if self._descriptor is None:
            return None
        return max(0.0, (self._noted_ns + self.INTERVAL_NS - at_ns) / 1e9)

    def note(self, head: Head, at_ns: int, *, stored: bool) -> None:
        """Note at `at_ns`, where it is due. `stored`: every report read until then is stored."""
        if stored:
            self._until_ns = at_ns
        due = head.seq != self._seq or at_ns - self._noted_ns >= self.INTERVAL_NS
        if self._descriptor is None or not due:
            return
        note = _NOTE.pack(_KIND, self._boot_id, self._until_ns, head.seq, head.chain)
        try:
            os.pwrite(self._descriptor, note + _CRC.pack(zlib.crc32(note)), 0)
        except OSError as error:
            self._give_up(error)
        self._noted_ns, self._seq = at_ns, head.seq

    def close(self, *, in_order: bool = False) -> None:
        """Write no more. The note stays; after an end in order not in memory that others use."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
            if in_order and self._file is not None and self._file.parent == SHARED_MEMORY:
                with contextlib.suppress(OSError):
                    self._file.unlink()

    def _give_up(self, error: OSError) -> None:
        LOG.warning(
            "%s: cannot be written: %s. After a kill the time since the last report counts as"
            " unread. Remedy: let the table's account write there",
            self._file,
            error.strerror or error,
        )
        self._file = None
        self.close()


def note_file(control_socket: Path) -> Path | None:
    """Where a table notes it: beside its control socket if that is in memory, else in /dev/shm."""
    if _is_in_memory(control_socket.parent):
        return control_socket.with_name(f"{control_socket.name}{NOTE_SUFFIX}")
    if _is_in_memory(SHARED_MEMORY):
        name = hashlib.sha256(os.fsencode(control_socket)).hexdigest()[:16]
        return SHARED_MEMORY / f"smartshoe-{os.geteuid()}-{name}.until"
    return None


def _is_in_memory(folder: Path) -> bool:
    """Whether a folder is there, on a memory file system."""
    try:
        device = folder.stat().st_dev
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    return any(
        line.split(" ", 3)[2] == number and line.partition(" - ")[2].split(" ", 1)[0] in _IN_MEMORY
        for line in mounts
    )


def _open_own(file: Path) -> int:
    """Open or make a regular file of this account. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(file, flags, _FILE_MODE)
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid():
        return descriptor
    os.close(descriptor)
    raise PermissionError(None, "it is another account's", str(file))


def _until_ns(noted: bytes, boot_id: bytes, head: Head) -> int:
    """The time of a note, if it is whole, of this boot and of this journal; else 0."""
    note, crc = noted[: _NOTE.size], noted[_NOTE.size :]
    if len(noted) != _NOTE.size + _CRC.size or _CRC.unpack(crc) != (zlib.crc32(note),):
        return 0
    kind, boot, until_ns, seq, chain = _NOTE.unpack(note)
    if (kind, boot, seq, chain) != (_KIND, boot_id, head.seq, head.chain):
        return 0
    return int(until_ns)
