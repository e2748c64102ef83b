"""`python -m hil.crash.writer FOLDER`: the program under test; plays the script to its end.

After each store it acknowledges on an open descriptor what is durable, and writes there what it
writes to devices, which have it from that moment on.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Final
from unittest.mock import patch

import msgspec

from controller.core.settings import DeviceSettings, Settings
from controller.core.state import Stored
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import CoreOutput
from controller.core.tape.inputs import Input, Started
from controller.journal import store
from controller.journal.database import FILE_NAME, open_writer
from controller.journal.store import Journal
from controller.journal.values import JournalError, SavedState
from controller.rules.profiles.load import profile_text
from controller.table.loop import Loop
from controller.version import software_identifier
from foundation.timestamp import Timestamp
from hil.crash.program import TABLE, SteppedProgram, TableEnded, ignore_write
from hil.crash.records import runs_in, stored_records
from hil.crash.world import PROFILE, DeviceWrite, EarlierRun, World, play
from hil.simulation.batches import S
from hil.simulation.table import UTC_NS

DONE: Final = 0
# It ended with a message; a traceback ends with 1.
REFUSED: Final = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Play the script to its end; 0 done, 3 ended with a message."""
    parser = argparse.ArgumentParser(prog="python -m hil.crash.writer", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--acks", type=int, default=1, help="descriptor for what is durable")
    parser.add_argument("--boot", default="boot-1", help="name of the boot of this computer")
    parser.add_argument(
        "--start-alone", action="store_true", help="end in good order after the start"
    )
    parser.add_argument(
        "--weak", action="store_true", help="control: commit without waiting for the disk"
    )
    options = parser.parse_args(argv)
    return write(
        options.folder,
        options.acks,
        options.boot,
        weak=options.weak,
        start_alone=options.start_alone,
    )


def write(
    folder: Path,
    acks: int,
    boot_id: str,
    *,
    weak: bool = False,
    early: bool = False,
    start_alone: bool = False,
    arrived: Sequence[tuple[DeviceWrite, ...]] = (),
) -> int:
    """Resume the script on that folder; `weak` and `early` are controls.

    Acknowledge each store as a line `number chain`, each write to a device as `> port bytes`.
    """

    def report_write(port: str, data: bytes) -> None:
        _write(acks, b"> %s %s\n" % (port.encode(), data.hex().encode()))

    with ExitStack() as patches:
        patches.enter_context(patch.object(Journal, "append", _acknowledging_append(acks)))
        if weak:
            patches.enter_context(patch.object(store, "open_writer", _open_without_sync))
        if early:
            patches.enter_context(_writes_before_the_store())
        try:
            if start_alone:
                make_start(folder, boot_id)
            else:
                resume_script(folder, boot_id, arrived, report_write)
        except (TableEnded, JournalError) as ended:
            _write(2, f"{ended}\n".encode())
            return REFUSED
    return DONE


def _write(to: int, words: bytes) -> None:
    """Write what the bench reads. strace counts calls by thread, so it may fail this one."""
    try:
        os.write(to, words)
    except OSError:
        os.write(to, words)


def resume_script(
    folder: Path,
    boot_id: str,
    arrived: Sequence[tuple[DeviceWrite, ...]] = (),
    on_arrived: Callable[[str, bytes], None] = ignore_write,
) -> World:
    """Play the script from what the folder holds to its end. Raises TableEnded, JournalError.

    `arrived` is what the devices received of each earlier run, as far as that is known.
    """
    earlier: tuple[EarlierRun, ...] = ()
    if (folder / FILE_NAME).exists():
        # Opening completes an interrupted transaction before anything is read.
        Journal.open(folder).close()
        runs = runs_in(stored_records(folder))
        known = zip(runs, arrived, strict=False)
        earlier = tuple(replace(run, arrived=writes) for run, writes in known)
        earlier += runs[len(earlier) :]
    world = World(folder, earlier, boot_id, on_arrived)
    play(world)
    world.end()
    return world


def make_start(folder: Path, boot_id: str) -> None:
    """Start a table of one shoe on that folder, and end it in good order. Raises TableEnded."""
    settings = Settings(TABLE, "bench", 8, 6 * 3600, (), DeviceSettings("exit", "angel-eye-ii-ex"))
    started = Started(
        at=Timestamp(S, UTC_NS),
        boot_id=boot_id,
        software=software_identifier(),
        configuration=SETTINGS.encode(settings),
        profile=profile_text(PROFILE).encode(),
        zone=(files("tzdata") / "zoneinfo" / "UTC").read_bytes(),
        replaced="",
    )
    SteppedProgram(folder, started).end()


def _acknowledging_append(
    acks: int,
) -> Callable[[Journal, Sequence[bytes], SavedState | None], None]:
    """The journal's append, which acknowledges each store as soon as it is durable."""
    append = Journal.append

    def append_and_acknowledge(
        self: Journal, records: Sequence[bytes], saved_state: SavedState | None = None
    ) -> None:
        append(self, records, saved_state)
        _write(acks, b"%d %s\n" % (self.head.seq, self.head.chain.hex().encode()))

    return append_and_acknowledge


def _open_without_sync(file: Path, *, create: bool) -> object:
    """The control: a connection whose commits do not wait for the disk."""
    connection = open_writer(file, create=create)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def _writes_before_the_store() -> Iterator[None]:
    """The control: devices get every write at once, also those that must wait for the store."""
    take, take_immediate, store_if_due = (
        Loop.take,
        Loop.take_immediate_writes,
        Loop.store_if_due,
    )
    waiting: list[DeviceWrite] = []

    def take_and_note(self: Loop, item: Input) -> CoreOutput:
        output = take(self, item)
        waiting.extend(output.writes)
        return output

    def take_all_writes(self: Loop) -> tuple[DeviceWrite, ...]:
        writes = (*take_immediate(self), *waiting)
        waiting.clear()
        return writes

    def store_without_writes(self: Loop, *, force: bool = False) -> Stored | None:
        stored = store_if_due(self, force=force)
        return stored and msgspec.structs.replace(stored, writes=())

    with (
        patch.object(Loop, "take", take_and_note),
        patch.object(Loop, "take_immediate_writes", take_all_writes),
        patch.object(Loop, "store_if_due", store_without_writes),
    ):
        yield


if __name__ == "__main__":
    sys.exit(main())
