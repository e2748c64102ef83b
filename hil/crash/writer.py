"""`python -m hil.crash.writer FOLDER`: the program under test; plays the script to its end.

After each store it acknowledges on an open descriptor what is durable.

Source: hil/README.md, "The crash and damage matrix".
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from unittest.mock import patch

from controller.journal import store
from controller.journal.database import FILE_NAME, open_writer
from controller.journal.store import Journal
from controller.journal.values import JournalError, SavedState
from hil.crash.program import TableEnded
from hil.crash.records import runs_in, stored_records
from hil.crash.world import EarlierRun, World, play

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
        "--weak", action="store_true", help="control: commit without waiting for the disk"
    )
    options = parser.parse_args(argv)
    return write(options.folder, options.acks, options.boot, weak=options.weak)


def write(folder: Path, acks: int, boot_id: str, *, weak: bool = False) -> int:
    """Resume the script on that folder; acknowledge each store as a line `number chain`."""
    with patch.object(Journal, "append", _acknowledging_append(acks)):
        opener = patch.object(store, "open_writer", _open_without_sync) if weak else None
        if opener is not None:
            opener.start()
        try:
            resume_script(folder, boot_id)
        except (TableEnded, JournalError) as ended:
            print(ended, file=sys.stderr, flush=True)
            return REFUSED
        finally:
            if opener is not None:
                opener.stop()
    return DONE


def resume_script(folder: Path, boot_id: str) -> World:
    """Play the script from what the folder holds to its end. Raises TableEnded, JournalError."""
    earlier: tuple[EarlierRun, ...] = ()
    if (folder / FILE_NAME).exists():
        # Opening completes an interrupted transaction before anything is read.
        Journal.open(folder).close()
        earlier = runs_in(stored_records(folder))
    world = World(folder, earlier, boot_id)
    play(world)
    world.end()
    return world


def _acknowledging_append(
    acks: int,
) -> Callable[[Journal, Sequence[bytes], SavedState | None], None]:
    """The journal's append, which acknowledges each store as soon as it is durable."""
    append = Journal.append

    def append_and_acknowledge(
        self: Journal, records: Sequence[bytes], saved_state: SavedState | None = None
    ) -> None:
        append(self, records, saved_state)
        os.write(acks, b"%d %s\n" % (self.head.seq, self.head.chain.hex().encode()))

    return append_and_acknowledge


def _open_without_sync(file: Path, *, create: bool) -> object:
    """The control: a connection whose commits do not wait for the disk."""
    connection = open_writer(file, create=create)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


if __name__ == "__main__":
    sys.exit(main())
