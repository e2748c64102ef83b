"""Checks the free space on the journal's disk: limits, a reserve, and an input for each change.

Source: statvfs(3), posix_fallocate(3).
"""

import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct

from controller.core.tape.entries import DiskLevelRecorded
from controller.core.tape.inputs import DiskLevel, DiskSpace
from controller.record.host import describe_disk
from controller.system.named_file import require_regular
from controller.table.monitor import MachineMonitor
from foundation.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.host")

MIB: Final = 1 << 20
RESERVE_NAME: Final = "reserve"
RESERVE_BYTES: Final = MIB
_FILE_MODE: Final = 0o600


class DiskUsage(Struct, frozen=True):
    """Size of a file system and the space still free for this program's account, in bytes."""

    total_bytes: int
    free_bytes: int


class DiskLimits(Struct, frozen=True):
    """The free space below which people are warned, and below which a table stops."""

    warn_bytes: int = 1024 * MIB
    warn_percent: int = 5
    stop_bytes: int = 64 * MIB

    def warn_below(self, usage: DiskUsage) -> int:
        """The warning limit for a disk of that size, in bytes."""
        percent_bytes = usage.total_bytes * self.warn_percent // 100
        return max(self.warn_bytes, percent_bytes, self.stop_bytes)

    def level(self, usage: DiskUsage, before: DiskLevel) -> DiskLevel:
        """The level of this usage, with hysteresis above the warning limit."""
        if usage.free_bytes < self.stop_bytes:
            return DiskLevel.STOP
        limit = self.warn_below(usage)
        if before in (DiskLevel.LOW, DiskLevel.STOP):
            limit += limit // 10
        return DiskLevel.LOW if usage.free_bytes < limit else DiskLevel.ENOUGH


def disk_usage(folder: Path) -> DiskUsage:
    """The usage of the file system that holds `folder`, or will hold it. Raises OSError."""
    existing = folder.absolute()
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    found = os.statvfs(existing)
    return DiskUsage(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


class DiskMonitor(MachineMonitor[DiskSpace]):
    """Checks the disk of one journal's folder; `put` takes its first level and each change."""

    INTERVAL_S: ClassVar[float] = 2.0

    def __init__(
        self,
        folder: Path,
        limits: DiskLimits,
        clock: Callable[[], Timestamp],
        read_usage: Callable[[Path], DiskUsage] = disk_usage,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._read_usage = read_usage
        self._level: DiskLevel | None = None

    def refusal(self) -> str:
        """Why a table may not start here; empty if there is space, or the usage is unreadable.

        A start needs a tenth more space than the stop limit, so that the table does not stop again
        at once.
        """
        try:
            free_bytes = self._read_usage(self._folder).free_bytes
        except OSError:
            return ""
        needed = self._limits.stop_bytes + self._limits.stop_bytes // 10
        if free_bytes - (RESERVE_BYTES - self._reserve_on_disk()) >= needed:
            return ""
        return disk_stop_text(self._folder, DiskLevelRecorded(DiskLevel.STOP, free_bytes, needed))

    def start(self, put: Callable[[DiskSpace], object]) -> None:
        """Allocate the reserve, and check the disk until stop()."""
        self.allocate_reserve()
        super().start(put)

    def check(self, put: Callable[[DiskSpace], object]) -> None:
        usage = DiskUsage(0, 0)
        try:
            usage = self._read_usage(self._folder)
            level = self._limits.level(usage, self._level or DiskLevel.UNKNOWN)
        except OSError as error:
            level = DiskLevel.UNKNOWN
            if self._level is not level:
                LOG.warning("%s: cannot read the free disk space: %s", self._folder, error.strerror)
        if self._level is level:
            return
        self._level = level
        if level is DiskLevel.STOP:
            self.release_reserve()
        warn = self._limits.warn_below(usage)
        put(DiskSpace(self._clock(), level, usage.free_bytes, warn, self._limits.stop_bytes))

    def allocate_reserve(self) -> None:
        """Allocate space for the last records; without it the table runs all the same."""
        path = self._folder / RESERVE_NAME
        try:
            require_regular(path)
            descriptor = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _FILE_MODE
            )
            try:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            finally:
                os.close(descriptor)
        except OSError as error:
            LOG.warning("%s: cannot allocate a reserve of 1 MiB: %s", path, error.strerror)

    def release_reserve(self) -> None:
        """Free the reserved space for the last records."""
        with contextlib.suppress(OSError):
            (self._folder / RESERVE_NAME).unlink(missing_ok=True)

    def _reserve_on_disk(self) -> int:
        """The size of the reserve that is on the disk, in bytes."""
        try:
            return min((self._folder / RESERVE_NAME).stat().st_blocks * 512, RESERVE_BYTES)
        except OSError:
            return 0


def disk_stop_text(folder: Path, disk: DiskLevelRecorded) -> str:
    """Why a table with its journal in that folder stops or does not start."""
    return f"{folder}: {describe_disk(disk)}"
