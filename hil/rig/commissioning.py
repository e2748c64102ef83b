"""Commissions a bench table with the program's own commands: key, batches, shuffler, firmware."""

import subprocess
from pathlib import Path
from typing import Final

from hil.dealing.tags import DECKS, usual_batches
from hil.emulator.tablelink.identity import Pins
from hil.rig.program import PROGRAM, ProgramFailed

FOLDER: Final = "batches"
KEY: Final = "table.key"
MAKER: Final = "the bench"
IDENTITY: Final = "shuffler.identity.json"
APPROVED: Final = "firmware.approved.json"
# The [batches] section of a table whose batches are enrolled, and the keys of [shuffler].
BATCHES_SECTION: Final = """\
[batches]
folder = "batches"
bound = ["RED-0001", "BLUE-0001"]

"""
TRUST_KEYS: Final = """\
identity = "shuffler.identity.json"
approved = "firmware.approved.json"
approved_keys = ["table.key.pub"]
"""


def make_key(folder: Path) -> None:
    """Make the table's key. Raises ProgramFailed."""
    run_command("keys", "make", str(folder / KEY))


def enrol(folder: Path, operator: str, decks: int = DECKS) -> None:
    """Import both batches, with a receipt by the table's key. Raises ProgramFailed."""
    key, batches = folder / KEY, folder / FOLDER
    for batch in usual_batches(decks):
        delivered = folder / f"{batch.name}.delivered.csv"
        delivered.write_text(batch.csv(), encoding="utf-8")
        where = ("--folder", str(batches), "--key", str(key))
        who = ("--maker", MAKER, "--operator", operator)
        run_command("batch", "import", str(delivered), *who, *where)


def pair(folder: Path, url: str, pins: Pins, operator: str) -> None:
    """Pair the shuffler at a port and approve its firmware. Raises ProgramFailed."""
    key, paired = str(folder / KEY), str(folder / IDENTITY)
    run_command("identity", "pair", url, "--out", paired, "--person", operator)
    run_command(
        *("firmware", "approve", "--sha256", pins.image, "--version", pins.version),
        *("--counter", str(pins.security_counter), "--key", key),
        *("--list", str(folder / APPROVED)),
    )


def run_command(*words: str) -> None:
    """Run one of the program's commands. Raises ProgramFailed."""
    done = subprocess.run(
        [*PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    if done.returncode != 0:
        why = (done.stderr or done.stdout).strip()
        raise ProgramFailed(f"smartshoe {' '.join(words[:2])} failed: {why}")
