"""Power cuts by the write-log model: every state in which a disk may be left.

Durable is what was synced; of the rest nothing, all, each prefix, or any part in any order may be
on the disk, with writes torn at sectors.

Source: fsync(2): a file's sync says nothing of its name.
"""

import posixpath
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final

from controller.journal.folder import sealed_files
from controller.journal.store import Journal
from controller.journal.values import JournalError
from hil.crash.records import stored_records
from hil.crash.verdict import (
    NOTHING_ACKNOWLEDGED,
    Acknowledgement,
    CrashFinding,
    Defect,
    ReferenceRun,
    check_resumed,
    check_stopped,
)
from hil.crash.write_log import (
    FOLDER,
    NOTHING,
    FileWrite,
    NameChange,
    Op,
    SyncFile,
    SyncFolder,
    Truncation,
)

SECTOR: Final = 512
# The program refuses a key file that others may read.
OWNER_ONLY: Final = 0o600
# Up to this many uncertain changes every prefix of them is tried.
PREFIXES_MAX: Final = 12
RANDOM_STATES: Final = 4
Change = FileWrite | Truncation | NameChange


@dataclass(slots=True)
class Disk:
    """What is durable on the disk: data by file number, file numbers by name."""

    files: dict[int, bytearray] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "Disk":
        return Disk({n: bytearray(data) for n, data in self.files.items()}, dict(self.names))

    def apply(self, change: Change, sectors: Sequence[bool] = ()) -> None:
        """Apply a change; of a write only the sectors that are True, all if none are given."""
        match change:
            case NameChange(names):
                for name, file in names:
                    self.names[name] = file
            case Truncation(file, size):
                data = self.files.setdefault(file, bytearray())
                del data[size:]
                data.extend(bytes(size - len(data)))
            case FileWrite(file, at, written):
                data = self.files.setdefault(file, bytearray())
                data.extend(bytes(max(0, at + len(written) - len(data))))
                for start in range(0, len(written), SECTOR if sectors else len(written) or 1):
                    if not sectors or sectors[start // SECTOR]:
                        piece = written[start : start + SECTOR] if sectors else written
                        data[at + start : at + start + len(piece)] = piece

    def digest(self, ack: Acknowledgement) -> bytes:
        """Of what it holds, and of what is acknowledged: equal ones need one check."""
        found = sha256(repr(ack).encode())
        for name in sorted(self.names):
            if not name.endswith("-shm"):
                file = self.names[name]
                data = b"" if file < 0 else bytes(self.files.get(file, b""))
                found.update(repr((name, min(file, 0), len(data))).encode() + data)
        return found.digest()

    def write_to(self, base: Path) -> None:
        """Write it as files below the empty folder `base`."""
        for name in sorted(self.names):
            file, path = self.names[name], base / name
            if not path.parent.is_dir():
                continue  # the folder's own name did not reach the disk
            if file == FOLDER:
                path.mkdir()
            elif file != NOTHING and not name.endswith("-shm"):
                path.write_bytes(self.files.get(file, b""))
                path.chmod(OWNER_ONLY)


@dataclass(frozen=True, slots=True)
class DiskMoment:
    """After operation `number` of the log: what is durable, what is not, what is acknowledged."""

    number: int
    disk: Disk
    pending: tuple[Change, ...]
    ack: Acknowledgement


def moments(log: Sequence[Op]) -> Iterator[DiskMoment]:
    """The disk after each operation. The iterator reuses the disk: copy it to keep it."""
    disk, pending, ack = Disk(), list[Change](), NOTHING_ACKNOWLEDGED
    for number, op in enumerate(log, 1):
        match op:
            case FileWrite() | Truncation() | NameChange():
                pending.append(op)
            case SyncFile() | SyncFolder():
                durable = _made_durable(pending, op)
                for change in durable:
                    disk.apply(change)
                pending = [change for change in pending if change not in durable]
            case Acknowledgement():
                ack = op
        yield DiskMoment(number, disk, tuple(pending), ack)


def _made_durable(pending: Sequence[Change], by: SyncFile | SyncFolder) -> list[Change]:
    """The changes that the sync makes durable; with a name, all earlier changes of that name."""
    last = max((at for at, change in enumerate(pending) if _is_synced(change, by)), default=-1)
    names = {
        name for change in pending if _is_synced(change, by) for name in _changed_names(change)
    }
    return [
        change
        for at, change in enumerate(pending)
        if _is_synced(change, by)
        or (at < last and any(name in names for name in _changed_names(change)))
    ]


def _changed_names(change: Change) -> tuple[str, ...]:
    return tuple(name for name, _ in change.names) if isinstance(change, NameChange) else ()


def _is_synced(change: Change, by: SyncFile | SyncFolder) -> bool:
    match change:
        case FileWrite(file=file) | Truncation(file=file):
            return isinstance(by, SyncFile) and file == by.file
        case NameChange(names):
            last = posixpath.dirname(names[-1][0])
            return isinstance(by, SyncFolder) and last == by.folder


def states(moment: DiskMoment, seed: int) -> Iterator[tuple[str, Disk]]:
    """The states that a power cut at that moment may leave, each with its name."""
    pending = moment.pending
    yield "nothing", moment.disk.copy()
    if not pending:
        return
    prefixes = range(1, len(pending)) if len(pending) <= PREFIXES_MAX else ()
    for length in (*prefixes, len(pending)):
        disk = moment.disk.copy()
        for change in pending[:length]:
            disk.apply(change)
        yield f"first {length} of {len(pending)}", disk
    for number in range(RANDOM_STATES):
        random = Random(f"{seed} {moment.number} {number}")  # noqa: S311  # not a secret
        disk = moment.disk.copy()
        for change in pending:
            if random.random() < 0.5:
                torn = isinstance(change, FileWrite) and random.random() < 0.5
                size = len(change.data) if isinstance(change, FileWrite) else 0
                sectors = [random.random() < 0.5 for _ in range(-(-size // SECTOR))] if torn else []
                disk.apply(change, sectors)
        yield f"random {number}", disk


class PowerCutCheck:
    """Checks states of the disk below one folder.

    With `resume` the script is also played to its end, once for each number of records; a first
    start is made again from every state.
    """

    def __init__(self, base: Path, reference: ReferenceRun, *, resume: bool) -> None:
        self._base = base
        self._reference = reference
        self._resume = resume
        self._resumed: set[tuple[int, int]] = set()

    def run(self, disk: Disk, ack: Acknowledgement) -> tuple[CrashFinding, ...]:
        """Open that state, verify it, and play on where this number of records is a new one."""
        shutil.rmtree(self._base, ignore_errors=True)
        self._base.mkdir()
        disk.write_to(self._base)
        folder = self._base / "table"
        if not folder.is_dir():
            words = f"no folder, and {ack.seq} acknowledged"
            return (CrashFinding(Defect.LOST, words),) if ack.seq else ()
        try:
            Journal.open(folder).close()
            place = (len(stored_records(folder)), len(sealed_files(folder)))
        except (JournalError, OSError) as error:
            return (CrashFinding(Defect.LOST, f"does not start: {error}"),)
        found = check_stopped(folder, ack, self._reference)
        again = place in self._resumed and not self._reference.start_alone
        if found or not self._resume or again:
            return found
        self._resumed.add(place)
        return check_resumed(folder, ack, self._reference, "boot-2")
