"""Kills the program (SIGKILL) at each writing call of the start that follows a kill."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.crash.calls import SystemCall, calls_in
from hil.crash.kills import BOOT, KILLED, run_tampered
from hil.crash.verdict import Acknowledgement, CrashFinding, Defect, ReferenceRun, check_resumed
from hil.crash.world import DeviceWrite
from hil.crash.write_log import record


@dataclass(frozen=True, slots=True)
class KilledFolder:
    """A base folder in which the program was killed, and the writing calls of the next start.

    `arrived` is what the devices received of the killed run.
    """

    base: Path
    ack: Acknowledgement
    arrived: tuple[DeviceWrite, ...]
    calls: tuple[SystemCall, ...]


def killed_folders(work: Path, calls: Sequence[SystemCall]) -> dict[str, KilledFolder]:
    """Kill the program while it seals and while it deals; the folders by that name."""
    syncs = [call for call in calls if call.name == "fdatasync" and call.file.endswith("-wal")]
    renamed = [call for call in calls if call.name == "rename" and call.file.endswith(".shoe")]
    after = calls[calls.index(renamed[-1]) + 1]
    at = {"sealing": after, "dealing": syncs[len(syncs) // 2]}
    return {name: _kill_and_record(work / f"again-{name}", call) for name, call in at.items()}


def check_second_kill(
    killed: KilledFolder, call: SystemCall, reference: ReferenceRun
) -> tuple[CrashFinding, ...]:
    """Kill the next start at that call; then start once more and play to the end."""
    with tempfile.TemporaryDirectory(prefix="again-", dir=killed.base.parent) as name:
        base = Path(name) / "base"
        shutil.copytree(killed.base, base)
        run = run_tampered(base / "table", call, "signal=KILL", (killed.arrived,))
        if run.code != KILLED:
            words = f"the run ended with {run.code}, not by the kill: {run.stderr}"
            return (CrashFinding(Defect.UNDETECTED, words),)
        arrived = (killed.arrived, run.arrived)
        return check_resumed(base / "table", killed.ack, reference, BOOT, arrived)


def _kill_and_record(base: Path, call: SystemCall) -> KilledFolder:
    base.mkdir()
    run = run_tampered(base / "table", call, "signal=KILL")
    assert run.code == KILLED, run.stderr
    started = base.with_name(base.name + "-started")
    shutil.copytree(base, started)
    lines = record(started)
    first_store = next(at for at, line in enumerate(lines) if " write(1<" in line)
    return KilledFolder(
        base, run.ack, run.arrived, calls_in(lines[:first_store], str(started / "table"))
    )
