"""Runs the built program with its clock moved, its disk slow, or one of its functions replaced.

For the bench alone: the program reads no clock but one, and no option of it does this.

    python -P -m hil.scenario.benches.altered_program [--clock FILE] [--patch MODULE:FUNCTION] ...

Source: firmware_bridge/README.md, "Time is an input".
"""

import mmap
import struct
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from foundation.timestamp import Timestamp

# How far the monotonic clock and the wall clock are moved, in ns; the number of the boot; how long
# each transaction takes, in ns.
OFFSETS: Final = struct.Struct("<qqqq")

# How long a machine takes to boot, by its monotonic clock.
BOOT_NS: Final = 20_000_000_000


class MovedClock:
    """The file by which a bench moves the clock of a program that runs, and slows its disk."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._monotonic_ns = self._utc_ns = self._boot = self._store_ns = 0
        self._write()

    @property
    def utc_ns(self) -> int:
        """How far the wall clock is ahead of the machine's."""
        return self._utc_ns

    def advance(self, ns: int) -> None:
        """Let so much time pass at once."""
        self._monotonic_ns += ns
        self._utc_ns += ns
        self._write()

    def step(self, ns: int) -> None:
        """Set the wall clock alone."""
        self._utc_ns += ns
        self._write()

    def boot(self) -> None:
        """The next start is on a machine that was booted: its monotonic clock is near zero."""
        self._boot += 1
        self._monotonic_ns = BOOT_NS - time.monotonic_ns()
        self._write()

    def slow_down(self, store_ns: int) -> None:
        """Let each transaction take so long; 0: as long as it takes."""
        self._store_ns = store_ns
        self._write()

    def _write(self) -> None:
        data = OFFSETS.pack(self._monotonic_ns, self._utc_ns, self._boot, self._store_ns)
        if not self._file.exists():
            self._file.write_bytes(data)
            return
        # In place: the program has mapped the file.
        with self._file.open("r+b") as file:
            file.write(data)


def move_clock(file: Path) -> None:
    """Let the program's one clock add what the file says."""
    from firmware_bridge.transport import clock  # noqa: PLC0415 - before all that imports it

    with file.open("r+b") as opened:
        offsets = mmap.mmap(opened.fileno(), OFFSETS.size)
    real: Callable[[], Timestamp] = clock.now

    def now() -> Timestamp:
        moved_ns, moved_utc_ns, _, _ = OFFSETS.unpack_from(offsets)
        at = real()
        return Timestamp(at.monotonic_ns + moved_ns, at.utc_ns + moved_utc_ns)

    clock.now = now
    slow_store(offsets)
    _, _, boot, _ = OFFSETS.unpack_from(offsets)
    if boot:
        program = import_module("controller.service.table_program")
        other = file.with_suffix(".boot")
        other.write_text(f"{boot:08x}-0000-0000-0000-000000000000\n", encoding="utf-8")
        setattr(program, "BOOT_ID", other)  # noqa: B010 - a constant of the program


def slow_store(offsets: mmap.mmap) -> None:
    """Let each transaction of the journal take as long as the file says."""
    journal = import_module("controller.journal.store").Journal
    append = journal.append

    def slow_append(self: object, *arguments: object) -> None:
        *_, store_ns = OFFSETS.unpack_from(offsets)
        if store_ns:
            time.sleep(store_ns / 1e9)
        append(self, *arguments)

    journal.append = slow_append


def main(words: Sequence[str]) -> int:
    """Alter the program as the options say, then run its command; its exit code."""
    left = list(words)
    while left and left[0] in ("--clock", "--patch"):
        option, value = left.pop(0), left.pop(0)
        if option == "--clock":
            move_clock(Path(value))
        else:
            module, _, function = value.partition(":")
            getattr(import_module(module), function)()
    (program,) = entry_points(group="console_scripts", name="smartshoe")
    sys.argv[1:] = left
    return int(program.load()())  # loaded now: the clock was moved


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
