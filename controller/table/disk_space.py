"""Room on the disk of the journal: looked at before it runs out.

Responsible for: the limits, looking at the file system every few seconds and putting an input when
the room left comes to another level, the reserve for the last words, and why a table may not start.
Not responsible for: what follows from it (core, table) and its words (host_words).
Source: package README, "Disk space"; statvfs(3), posix_fallocate(3).
"""

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from controller.tape.entries import DiskNoted
from controller.tape.inputs import DiskLevel, DiskSpace
from controller.views.host import disk_words
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass

LOG: Final = logging.getLogger("smartshoe.host")

MIB: Final = 1 << 20
RESERVE_NAME: Final = "reserve"
RESERVE_BYTES: Final = MIB
_FILE_MODE: Final = 0o640


@dataclass(frozen=True, slots=True)
class Room:
    """What a file system has in all, and what this program's account may still fill, in bytes."""

    total_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """Below which room people are warned, by bytes or by a part of the whole, and tables stop."""

    warn_bytes: int = 1024 * MIB
    warn_percent: int = 5
    stop_bytes: int = 64 * MIB

    def warn_below(self, room: Room) -> int:
        """Bytes."""
        of_whole = room.total_bytes * self.warn_percent // 100
        return max(self.warn_bytes, of_whole, self.stop_bytes)

    def level(self, room: Room, before: DiskLevel) -> DiskLevel:
        """Room is enough again only well above the limit, so that nothing is told over and over."""
        if room.free_bytes < self.stop_bytes:
            return DiskLevel.STOP
        limit = self.warn_below(room)
        if before is not DiskLevel.ENOUGH:
            limit += limit // 10
        return DiskLevel.LOW if room.free_bytes < limit else DiskLevel.ENOUGH


def room_at(folder: Path) -> Room:
    """The room of the file system that holds `folder`, or will hold it. Raises OSError."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    found = os.statvfs(place)
    return Room(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


class DiskWatch:
    """The watch of one journal's folder. `put` takes what is found, as the table does."""

    INTERVAL_S: ClassVar[float] = 2.0

    def __init__(
        self,
        folder: Path,
        limits: DiskLimits,
        clock: Callable[[], Timestamp],
        look: Callable[[Path], Room] = room_at,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._look = look
        self._level = DiskLevel.ENOUGH
        self._blind = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def refusal(self) -> str:
        """Why a table may not start here; empty where there is room, or nobody can tell.

        It needs its reserve and a tenth more than to go on, so as not to end at once again.
        """
        try:
            free_bytes = self._look(self._folder).free_bytes
        except OSError:
            return ""
        needed = self._limits.stop_bytes + self._limits.stop_bytes // 10
        if free_bytes - (RESERVE_BYTES - self._held()) >= needed:
            return ""
        return stop_words(self._folder, DiskNoted(DiskLevel.STOP, free_bytes, needed))

    def start(self, put: Callable[[DiskSpace], None]) -> None:
        """Keep the reserve and look from now on, in a thread."""
        self.keep_reserve()
        self._thread = threading.Thread(target=self._watch, args=(put,), name="disk")
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def look(self, put: Callable[[DiskSpace], None]) -> None:
        """Look once, and put what is new."""
        try:
            room = self._look(self._folder)
        except OSError as error:
            if not self._blind:
                LOG.warning(
                    "%s: cannot tell how much room is left: %s", self._folder, error.strerror
                )
            self._blind = True
            return
        self._blind = False
        before, self._level = self._level, self._limits.level(room, self._level)
        if self._level is before:
            return
        if self._level is DiskLevel.STOP:
            self.give_up_reserve()
        warn = self._limits.warn_below(room)
        put(DiskSpace(self._clock(), self._level, room.free_bytes, warn, self._limits.stop_bytes))

    def keep_reserve(self) -> None:
        """Hold room for the last words. Where that fails the table runs without."""
        path = self._folder / RESERVE_NAME
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
            try:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            finally:
                os.close(descriptor)
        except OSError as error:
            LOG.warning("%s: cannot hold a reserve of 1 MiB: %s", path, error.strerror)

    def give_up_reserve(self) -> None:
        """Make room for the last words."""
        with contextlib.suppress(OSError):
            (self._folder / RESERVE_NAME).unlink(missing_ok=True)

    def _held(self) -> int:
        """How much of the reserve is on the disk."""
        try:
            return min((self._folder / RESERVE_NAME).stat().st_blocks * 512, RESERVE_BYTES)
        except OSError:
            return 0

    def _watch(self, put: Callable[[DiskSpace], None]) -> None:
        while True:
            self.look(put)
            if self._ended.wait(self.INTERVAL_S):
                return


def stop_words(folder: Path, disk: DiskNoted) -> str:
    """Why a table on that folder ends or does not start."""
    return f"{folder}: {disk_words(disk)}"
