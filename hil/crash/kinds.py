"""The kinds of points of the matrix, each with its points by name.

Responsible for: which points there are of a kind, which of them a short run takes, and trying one
by its name, so that what failed can be tried again alone.
Not responsible for: how a point is brought about (kills, power, damage, uml) and the table
(report).
Source: package README, "The crash and damage matrix".
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from hil.crash.calls import REFUSED, Call, calls_in
from hil.crash.damage import Whole, judge
from hil.crash.kills import killed_at, refused_at, tampered
from hil.crash.power import Cuts, moments, states
from hil.crash.restarts import killed_again, killed_folders
from hil.crash.uml import cut
from hil.crash.verdict import Finding, Reference, Wrong
from hil.crash.write_log import ops_in, record

# So many times the kernel loses power in a full run; each takes two boots, of the control one.
BOOTS: Final = 10
CONTROL_BOOTS: Final = 4
ERRORS: Final = ("ENOSPC", "EIO")


class KindName(StrEnum):
    KILL = "kill"
    RESTART = "restart"
    ERRORS = "errors"
    POWERCUT = "powercut"
    DAMAGE = "damage"
    UML = "uml"


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried at one point, what was wrong there by the name of the try, what it became."""

    count: int
    findings: tuple[tuple[str, Finding], ...]
    became: str = ""


class Kind(Protocol):
    """One row of the table."""

    name: KindName
    what: str
    # A control loses what was acknowledged, or the matrix would find nothing.
    control: bool

    def points(self) -> Sequence[str]:
        """All points by name, in the order of the run."""
        ...

    def sample(self) -> int:
        """How many of them a short run takes."""
        ...

    def attempt(self, point: str) -> Tried:
        """Try that point."""
        ...


class Bed:
    """What several kinds need: an undisturbed run and the calls it made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.played = folder / "undisturbed"
        self.played.mkdir()
        self.log = record(self.played)
        self.calls = calls_in(self.log, str(self.played / "table"))
        self.reference = Reference.of(self.played / "table")


class Kills:
    """Kill -9 at each writing call."""

    name = KindName.KILL
    what = "kill -9 at a writing system call"
    control = False

    def __init__(self, bed: Bed) -> None:
        self._bed = bed
        self._calls = {str(call): call for call in bed.calls}

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 3

    def attempt(self, point: str) -> Tried:
        call = self._calls[point]
        return _tried(call, killed_at(call, self._bed.reference))


class Restarts:
    """Kill -9 at each writing call of the start after a kill."""

    name = KindName.RESTART
    what = "kill -9 while starting after a kill"
    control = False

    def __init__(self, bed: Bed) -> None:
        self._bed = bed
        self._killed = killed_folders(bed.folder, bed.calls)
        self._calls = {
            f"{name}:{call}": (name, call)
            for name, killed in self._killed.items()
            for call in killed.calls
        }

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 1

    def attempt(self, point: str) -> Tried:
        name, call = self._calls[point]
        return _tried(call, killed_again(self._killed[name], call, self._bed.reference))


class Errors:
    """A full disk, or one with errors, at each writing call."""

    name = KindName.ERRORS
    what = "ENOSPC and EIO at a writing system call"
    control = False

    def __init__(self, bed: Bed) -> None:
        self._bed = bed
        self._calls = {
            f"{error}:{call}": (error, call)
            for call in bed.calls
            for error in ERRORS
            if call.name in REFUSED
        }

    def points(self) -> Sequence[str]:
        return tuple(self._calls)

    def sample(self) -> int:
        return 2

    def attempt(self, point: str) -> Tried:
        error, call = self._calls[point]
        return _tried(call, refused_at(call, error, self._bed.reference))


class PowerCuts:
    """Every state a disk may be left in, by the write log; with `weak` the control."""

    name = KindName.POWERCUT

    def __init__(self, bed: Bed, seed: int, *, weak: bool) -> None:
        self.control = weak
        self.what = "power cut, write-log model"
        if weak:
            self.what += ", control: synchronous=NORMAL"
        self._bed = bed
        self._seed = seed
        log, base = bed.log, bed.played
        if weak:
            base = bed.folder / "weak"
            base.mkdir()
            log = record(base, weak=True)
        self._log = ops_in(log, base)

    def points(self) -> Sequence[str]:
        return tuple(str(number) for number in range(1, len(self._log) + 1))

    def sample(self) -> int:
        return 2 if self.control else 3

    def attempt(self, point: str) -> Tried:
        """All states at that operation of the log."""
        count, found = 0, list[tuple[str, Finding]]()
        with tempfile.TemporaryDirectory(prefix="state-", dir=self._bed.folder) as name:
            cuts = Cuts(Path(name) / "disk", self._bed.reference, goes_on=not self.control)
            for moment in moments(self._log[: int(point)]):
                if str(moment.number) != point:
                    continue
                for state, disk in states(moment, self._seed):
                    count += 1
                    judged = cuts.judge(disk, moment.ack)
                    found.extend((f"{point} ({state})", finding) for finding in judged)
        return Tried(count, tuple(found))


class Damages:
    """Every file cut short, and bits in it turned, at every page."""

    name = KindName.DAMAGE
    what = "file cut short or a bit turned, at every page"
    control = False

    def __init__(self, bed: Bed, seed: int) -> None:
        self._bed = bed
        killed = bed.folder / "killed"
        tampered(killed, _late(bed.calls), "signal=KILL")
        self._wholes = {
            name: Whole.of(name, folder)
            for name, folder in (("ended", bed.folder / "undisturbed/table"), ("killed", killed))
        }
        self._damages = {
            str(damage): damage for whole in self._wholes.values() for damage in whole.damages(seed)
        }

    def points(self) -> Sequence[str]:
        return tuple(self._damages)

    def sample(self) -> int:
        return 8

    def attempt(self, point: str) -> Tried:
        damage = self._damages[point]
        with tempfile.TemporaryDirectory(prefix="damage-", dir=self._bed.folder) as name:
            became, findings = judge(damage, self._wholes[damage.folder], Path(name))
        return Tried(1, tuple((damage.file, finding) for finding in findings), became.value)


class KernelCuts:
    """Power cuts of a real kernel on ext4 at moments drawn by lot; with `weak` the control."""

    name = KindName.UML

    def __init__(self, bed: Bed, seed: int, *, weak: bool) -> None:
        self.control = weak
        self.what = "power cut, real kernel on ext4"
        if weak:
            self.what += ", control: synchronous=NORMAL"
        self._bed = bed
        self._seed = seed

    def points(self) -> Sequence[str]:
        count = CONTROL_BOOTS if self.control else BOOTS
        return tuple(f"{self._seed}.{number}" for number in range(1, count + 1))

    def sample(self) -> int:
        return 1

    def attempt(self, point: str) -> Tried:
        with tempfile.TemporaryDirectory(prefix="uml-", dir=self._bed.folder) as name:
            findings = cut(Path(name), point, self._bed.reference, weak=self.control)
        return Tried(1, tuple((f"kernel {point}", finding) for finding in findings))


def _late(calls: Sequence[Call]) -> Call:
    """A sync of the log near the end of the script, when most of it stands in the log."""
    syncs = [call for call in calls if call.name == "fdatasync" and call.what.endswith("-wal")]
    return syncs[-3]


def _tried(call: Call, findings: Sequence[Finding]) -> Tried:
    return Tried(1, tuple((call.what, finding) for finding in findings))


def wrongs(findings: Sequence[tuple[str, Finding]]) -> dict[Wrong, int]:
    """How many tries went wrong in each way; one try counts once in each."""
    return {
        wrong: len({name for name, finding in findings if finding.wrong is wrong})
        for wrong in Wrong
    }
