"""Power cuts by the write-log model: every state that a disk may be left in.

Responsible for: what of a write log is on the disk for certain, what of the rest may be (nothing,
all, each beginning, any part in any order, writes torn at sectors), and judging such states.
Not responsible for: recording (write_log), a real file system (uml) and the comparison (verdict).
Source: fsync(2): a file's sync says nothing of its name; package README, "The crash and damage
matrix".
"""

import posixpath
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from controller.journal.folder import sealed_files
from controller.journal.store import Journal
from controller.journal.values import JournalError
from hil.crash.records import stored_records
from hil.crash.verdict import NO_ACK, Ack, Finding, Reference, Wrong, after_stop, played_on
from hil.crash.write_log import FOLDER, NOTHING, Cut, Name, Op, Put, SyncFile, SyncFolder

SECTOR: Final = 512
# A key that others may read is none.
OWN: Final = 0o600
# Beginnings are tried one by one up to so many; the rest is drawn by lot.
BEGINNINGS_MAX: Final = 12
BY_LOT: Final = 4
Change = Put | Cut | Name


@dataclass(slots=True)
class Disk:
    """What is on the disk for certain."""

    files: dict[int, bytearray] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "Disk":
        return Disk({n: bytearray(data) for n, data in self.files.items()}, dict(self.names))

    def apply(self, change: Change, sectors: Sequence[bool] = ()) -> None:
        """Take a change over, of a write only those sectors that are True (all: none named)."""
        match change:
            case Name(names):
                for name, file in names:
                    self.names[name] = file
            case Cut(file, size):
                data = self.files.setdefault(file, bytearray())
                del data[size:]
                data.extend(bytes(size - len(data)))
            case Put(file, at, written):
                data = self.files.setdefault(file, bytearray())
                data.extend(bytes(max(0, at + len(written) - len(data))))
                for start in range(0, len(written), SECTOR if sectors else len(written) or 1):
                    if not sectors or sectors[start // SECTOR]:
                        piece = written[start : start + SECTOR] if sectors else written
                        data[at + start : at + start + len(piece)] = piece

    def lay_out(self, base: Path) -> None:
        """Make it as files below `base`, which is empty."""
        for name in sorted(self.names):
            file, path = self.names[name], base / name
            if not path.parent.is_dir():
                continue  # the folder's own name did not reach the disk
            if file == FOLDER:
                path.mkdir()
            elif file != NOTHING and not name.endswith("-shm"):
                path.write_bytes(self.files.get(file, b""))
                path.chmod(OWN)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the log: certain, not certain, acknowledged. `number` counts operations."""

    number: int
    disk: Disk
    unsure: tuple[Change, ...]
    ack: Ack


def moments(log: Sequence[Op]) -> Iterator[Moment]:
    """The disk after each operation. It is the iterator's own: copy what is to be kept."""
    disk, unsure, ack = Disk(), list[Change](), NO_ACK
    for number, op in enumerate(log, 1):
        match op:
            case Put() | Cut() | Name():
                unsure.append(op)
            case SyncFile() | SyncFolder():
                certain = _certain(unsure, op)
                for change in certain:
                    disk.apply(change)
                unsure = [change for change in unsure if change not in certain]
            case Ack():
                ack = op
        yield Moment(number, disk, tuple(unsure), ack)


def _certain(unsure: Sequence[Change], by: SyncFile | SyncFolder) -> list[Change]:
    """What the sync makes certain: with a name, what was done to that same name before."""
    last = max((at for at, change in enumerate(unsure) if _synced(change, by)), default=-1)
    names = {name for change in unsure if _synced(change, by) for name in _named(change)}
    return [
        change
        for at, change in enumerate(unsure)
        if _synced(change, by) or (at < last and any(name in names for name in _named(change)))
    ]


def _named(change: Change) -> tuple[str, ...]:
    return tuple(name for name, _ in change.names) if isinstance(change, Name) else ()


def _synced(change: Change, by: SyncFile | SyncFolder) -> bool:
    match change:
        case Put(file=file) | Cut(file=file):
            return isinstance(by, SyncFile) and file == by.file
        case Name(names):
            last = posixpath.dirname(names[-1][0])
            return isinstance(by, SyncFolder) and last == by.folder


def states(moment: Moment, seed: int) -> Iterator[tuple[str, Disk]]:
    """The states a power cut at that moment may leave, each with its name."""
    unsure = moment.unsure
    yield "nothing", moment.disk.copy()
    if not unsure:
        return
    beginnings = range(1, len(unsure)) if len(unsure) <= BEGINNINGS_MAX else ()
    for length in (*beginnings, len(unsure)):
        disk = moment.disk.copy()
        for change in unsure[:length]:
            disk.apply(change)
        yield f"first {length} of {len(unsure)}", disk
    for draw in range(BY_LOT):
        lot = Random(f"{seed} {moment.number} {draw}")  # noqa: S311  # not a secret
        disk = moment.disk.copy()
        for change in unsure:
            if lot.random() < 0.5:
                torn = isinstance(change, Put) and lot.random() < 0.5
                size = len(change.data) if isinstance(change, Put) else 0
                sectors = [lot.random() < 0.5 for _ in range(-(-size // SECTOR))] if torn else []
                disk.apply(change, sectors)
        yield f"lot {draw}", disk


class Cuts:
    """Judges states below one folder. `goes_on`: each number of records is also played on, once."""

    def __init__(self, base: Path, reference: Reference, *, goes_on: bool) -> None:
        self._base = base
        self._reference = reference
        self._goes_on = goes_on
        self._gone_on: set[tuple[int, int]] = set()

    def judge(self, disk: Disk, ack: Ack) -> tuple[Finding, ...]:
        """Start on that state, verify, and go on where this number of records is a new one."""
        shutil.rmtree(self._base, ignore_errors=True)
        self._base.mkdir()
        disk.lay_out(self._base)
        folder = self._base / "table"
        if not folder.is_dir():
            words = f"no folder, and {ack.seq} acknowledged"
            return (Finding(Wrong.LOST, words),) if ack.seq else ()
        try:
            Journal.open(folder).close()
            place = (len(stored_records(folder)), len(sealed_files(folder)))
        except (JournalError, OSError) as error:
            return (Finding(Wrong.LOST, f"does not start: {error}"),)
        found = after_stop(folder, ack, self._reference)
        if found or not self._goes_on or place in self._gone_on:
            return found
        self._gone_on.add(place)
        return played_on(folder, ack, self._reference, "boot-2")
