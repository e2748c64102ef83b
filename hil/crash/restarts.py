"""Kill -9 while the program starts again after it was killed: nothing is finished halfway.

Responsible for: two folders as kills left them (a shoe's file stands there and its records have not
moved; the middle of a shoe), the writing calls of the next start, and dying at each of those.
Not responsible for: kills of the first run (kills) and judging (verdict).
Source: controller/README.md, "Restart"; package README, "The crash and damage matrix".
"""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.crash.calls import Call, calls_in
from hil.crash.kills import BOOT, KILLED, tampered
from hil.crash.verdict import Ack, Finding, Reference, Wrong, played_on
from hil.crash.write_log import record


@dataclass(frozen=True, slots=True)
class Killed:
    """A base folder in which the program was killed, and what the next start writes there."""

    base: Path
    ack: Ack
    calls: tuple[Call, ...]


def killed_folders(work: Path, calls: Sequence[Call]) -> dict[str, Killed]:
    """The folders, by what the program was at."""
    syncs = [call for call in calls if call.name == "fdatasync" and call.what.endswith("-wal")]
    renamed = [call for call in calls if call.name == "rename" and call.what.endswith(".shoe")]
    after = calls[calls.index(renamed[-1]) + 1]
    at = {"sealing": after, "dealing": syncs[len(syncs) // 2]}
    return {name: _killed(work / f"again-{name}", call) for name, call in at.items()}


def killed_again(killed: Killed, call: Call, reference: Reference) -> tuple[Finding, ...]:
    """Kill the next start at that call; then start once more and play to the end."""
    with tempfile.TemporaryDirectory(prefix="again-", dir=killed.base.parent) as name:
        base = Path(name) / "base"
        shutil.copytree(killed.base, base)
        stopped = tampered(base / "table", call, "signal=KILL")
        if stopped.code != KILLED:
            words = f"the run ended with {stopped.code}, not by the kill: {stopped.said}"
            return (Finding(Wrong.UNDETECTED, words),)
        return played_on(base / "table", killed.ack, reference, BOOT)


def _killed(base: Path, call: Call) -> Killed:
    base.mkdir()
    stopped = tampered(base / "table", call, "signal=KILL")
    assert stopped.code == KILLED, stopped.said
    started = base.with_name(base.name + "-started")
    shutil.copytree(base, started)
    lines = record(started)
    told = next(at for at, line in enumerate(lines) if " write(1<" in line)
    return Killed(base, stopped.ack, calls_in(lines[:told], str(started / "table")))
