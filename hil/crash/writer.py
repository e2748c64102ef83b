"""`python -m hil.crash.writer FOLDER`: the program under test, to be killed, failed and cut.

Responsible for: going on with the script from what the folder holds to its end, and telling on an
open descriptor what is durable, at once after each store.
Not responsible for: the script (world) and whatever is done to it (kills, errors, power, uml).
Source: package README, "The crash and damage matrix".
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
from controller.journal.values import Checkpoint, JournalError
from hil.crash.program import Ended
from hil.crash.records import runs_in, stored_records
from hil.crash.world import EarlierRun, World, play

DONE: Final = 0
# Words were found for what happened; a traceback ends with 1.
REFUSED: Final = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Play on to the end; 0 done, 3 ended with words."""
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
    """Play on from what the folder holds. What is stored is told as `number chain` a line."""
    with patch.object(Journal, "append", _telling(acks)):
        opener = patch.object(store, "open_writer", _weakly) if weak else None
        if opener is not None:
            opener.start()
        try:
            go_on(folder, boot_id)
        except (Ended, JournalError) as ended:
            print(ended, file=sys.stderr, flush=True)
            return REFUSED
        finally:
            if opener is not None:
                opener.stop()
    return DONE


def go_on(folder: Path, boot_id: str) -> World:
    """Play from what the folder holds to the end. Raises Ended, JournalError."""
    earlier: tuple[EarlierRun, ...] = ()
    if (folder / FILE_NAME).exists():
        # What was cut short is finished before anything is read.
        Journal.open(folder).close()
        earlier = runs_in(stored_records(folder))
    world = World(folder, earlier, boot_id)
    play(world)
    world.end()
    return world


def _telling(acks: int) -> Callable[[Journal, Sequence[bytes], Checkpoint | None], None]:
    """The journal's append, which tells what is durable as soon as it says so."""
    append = Journal.append

    def appended(
        self: Journal, records: Sequence[bytes], checkpoint: Checkpoint | None = None
    ) -> None:
        append(self, records, checkpoint)
        os.write(acks, b"%d %s\n" % (self.head.seq, self.head.chain.hex().encode()))

    return appended


def _weakly(file: Path, *, create: bool) -> object:
    """The control: a journal whose commits do not wait for the disk."""
    connection = open_writer(file, create=create)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


if __name__ == "__main__":
    sys.exit(main())
