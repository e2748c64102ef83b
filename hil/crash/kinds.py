"""The kinds of crash points of the matrix; each lists its points by name and tries one of them."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from hil.crash.calls import FAILABLE_CALLS, SystemCall, calls_in
from hil.crash.damage import IntactFolder, check_damage
from hil.crash.kills import (
    BOOT,
    KILLED,
    acknowledged_stores,
    check_failed_call,
    check_kill,
    run_tampered,
)
from hil.crash.power import PowerCutCheck, moments, states
from hil.crash.uml import cut
from hil.crash.verdict import Acknowledgement, CrashFinding, Defect, ReferenceRun, check_resumed
from hil.crash.world import DeviceWrite
from hil.crash.write_log import ops_in, record


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


# Power cuts of the kernel in a full run; each takes two boots, one in the control.
BOOTS: Final = 10
CONTROL_BOOTS: Final = 4
ERRORS: Final = ("ENOSPC", "EIO")


class PointKindName(StrEnum):
    KILL = "kill"
    ACKNOWLEDGE = "acknowledge"
    RESTART = "restart"
    ERRORS = "errors"
    POWERCUT = "powercut"
    DAMAGE = "damage"
    UML = "uml"


@dataclass(frozen=True, slots=True)
class PointResult:
    """The result of one point: number of tries, findings by the name of the try, damage outcome."""

    count: int
    findings: tuple[tuple[str, CrashFinding], ...]
    outcome: str = ""


class PointKind(Protocol):
    """One kind of crash point: a row of the table."""

    name: PointKindName
    what: str
    # A control must lose acknowledged records: it proves that the matrix detects a loss.
    control: bool

    def points(self) -> Sequence[str]:
        """All points by name, in the order of the run."""
        ...

    def sample(self) -> int:
        """How many of them a short run takes."""
        ...

    def attempt(self, point: str) -> PointResult:
        """Try that point."""
        ...


class RecordedRun:
    """An undisturbed run, recorded: its system calls and its journal, which several kinds need.

    `start_alone`: a table's first start and its orderly end, without the script.
    """

    def __init__(self, folder: Path, *, start_alone: bool = False) -> None:
        self.folder = folder
        self.played = folder / "undisturbed"
        self.played.mkdir()
        self.log = record(self.played, start_alone=start_alone)
        self.calls = calls_in(self.log, str(self.played / "table"))
        self.reference = ReferenceRun.read(self.played / "table", start_alone=start_alone)


class Kills:
    """SIGKILL at each writing call."""

    name = PointKindName.KILL
    what = "kill -9 at a writing system call"
    control = False

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._calls = {str(call): call for call in run.calls}

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 3

    def attempt(self, point: str) -> PointResult:
        call = self._calls[point]
        return _point_result(call, check_kill(call, self._run.reference))


class AcknowledgedStores:
    """SIGKILL in each store of events that a device then forgets; `early` is the control."""

    name = PointKindName.ACKNOWLEDGE

    def __init__(self, run: RecordedRun, *, early: bool) -> None:
        self.control = early
        self.what = "kill -9 in the store of what a device then forgets"
        if early:
            self.what += ", control: acknowledged before the store"
        self._run = run
        stores = acknowledged_stores(run.log, str(run.played / "table"))
        self._calls = {str(call): call for call in stores}

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 2

    def attempt(self, point: str) -> PointResult:
        call = self._calls[point]
        findings = check_kill(call, self._run.reference, early=self.control)
        return _point_result(call, findings)


class Restarts:
    """SIGKILL at each writing call of the start after a kill."""

    name = PointKindName.RESTART
    what = "kill -9 while starting after a kill"
    control = False

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._killed = killed_folders(run.folder, run.calls)
        self._calls = {
            f"{name}:{call}": (name, call)
            for name, killed in self._killed.items()
            for call in killed.calls
        }

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 1

    def attempt(self, point: str) -> PointResult:
        name, call = self._calls[point]
        return _point_result(call, check_second_kill(self._killed[name], call, self._run.reference))


class Errors:
    """ENOSPC and EIO at each writing call."""

    name = PointKindName.ERRORS
    what = "ENOSPC and EIO at a writing system call"
    control = False

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._calls = {
            f"{error}:{call}": (error, call)
            for call in run.calls
            for error in ERRORS
            if call.name in FAILABLE_CALLS
        }

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 2

    def attempt(self, point: str) -> PointResult:
        error, call = self._calls[point]
        return _point_result(call, check_failed_call(call, error, self._run.reference))


class PowerCuts:
    """Every state a disk may be left in, by the write log; `weak` is the control."""

    name = PointKindName.POWERCUT

    def __init__(self, run: RecordedRun, seed: int, *, weak: bool) -> None:
        self.control = weak
        self.what = "power cut, write-log model"
        if weak:
            self.what += ", control: synchronous=NORMAL"
        self._run = run
        self._seed = seed
        log, base = run.log, run.played
        if weak:
            base = run.folder / "weak"
            base.mkdir()
            log = record(base, weak=True)
        self._log = ops_in(log, base)
        # The states that were tried: most moments differ in what is not on the disk yet.
        self._tried: set[bytes] = set()

    def points(self) -> Sequence[str]:
        return tuple(str(number) for number in range(1, len(self._log) + 1))

    def sample(self) -> int:
        return 2 if self.control else 3

    def attempt(self, point: str) -> PointResult:
        """All states at that operation of the log."""
        count, found = 0, list[tuple[str, CrashFinding]]()
        with tempfile.TemporaryDirectory(prefix="state-", dir=self._run.folder) as name:
            check = PowerCutCheck(Path(name) / "disk", self._run.reference, resume=not self.control)
            for moment in moments(self._log[: int(point)]):
                if str(moment.number) != point:
                    continue
                for state, disk in states(moment, self._seed):
                    count += 1
                    if (digest := disk.digest(moment.ack)) in self._tried:
                        continue
                    self._tried.add(digest)
                    findings = check.run(disk, moment.ack)
                    found.extend((f"{point} ({state})", finding) for finding in findings)
        return PointResult(count, tuple(found))


class Damages:
    """Every file cut short, and single bits flipped, at every page."""

    name = PointKindName.DAMAGE
    what = "file cut short or a bit turned, at every page"
    control = False

    def __init__(self, run: RecordedRun, seed: int) -> None:
        self._run = run
        killed = run.folder / "killed"
        run_tampered(killed, _late_sync(run.calls), "signal=KILL")
        self._intact = {
            name: IntactFolder.read(name, folder)
            for name, folder in (("ended", run.folder / "undisturbed/table"), ("killed", killed))
        }
        self._damages = {
            str(damage): damage
            for intact in self._intact.values()
            for damage in intact.damages(seed)
        }

    def points(self) -> Sequence[str]:
        return tuple(self._damages)

    def sample(self) -> int:
        return 8

    def attempt(self, point: str) -> PointResult:
        damage = self._damages[point]
        with tempfile.TemporaryDirectory(prefix="damage-", dir=self._run.folder) as name:
            outcome, findings = check_damage(damage, self._intact[damage.folder], Path(name))
        return PointResult(1, tuple((damage.file, finding) for finding in findings), outcome.value)


class KernelCuts:
    """Power cuts of a real kernel on ext4 at random moments; `weak` is the control."""

    name = PointKindName.UML

    def __init__(self, run: RecordedRun, seed: int, *, weak: bool) -> None:
        self.control = weak
        self.what = "power cut, real kernel on ext4"
        if weak:
            self.what += ", control: synchronous=NORMAL"
        self._run = run
        self._seed = seed

    def points(self) -> Sequence[str]:
        count = CONTROL_BOOTS if self.control else BOOTS
        return tuple(f"{self._seed}.{number}" for number in range(1, count + 1))

    def sample(self) -> int:
        return 1

    def attempt(self, point: str) -> PointResult:
        with tempfile.TemporaryDirectory(prefix="uml-", dir=self._run.folder) as name:
            findings = cut(Path(name), point, self._run.reference, weak=self.control)
        return PointResult(1, tuple((f"kernel {point}", finding) for finding in findings))


def _late_sync(calls: Sequence[SystemCall]) -> SystemCall:
    """A sync of the write-ahead log near the end of the script, when most of it is in the log."""
    syncs = [call for call in calls if call.name == "fdatasync" and call.file.endswith("-wal")]
    return syncs[-3]


def _point_result(call: SystemCall, findings: Sequence[CrashFinding]) -> PointResult:
    return PointResult(1, tuple((call.file, finding) for finding in findings))


def count_defects(findings: Sequence[tuple[str, CrashFinding]]) -> dict[Defect, int]:
    """How many tries have each defect; one try counts once for each."""
    return {
        defect: len({name for name, finding in findings if finding.defect is defect})
        for defect in Defect
    }
