"""Records what a long command ran, on which program and machine, and what it gave.

A command in a checkout writes one file below build/runs as it ends. At a release those files are
copied into docs/runs, from which the table of runs in docs/proof.md is made.
"""

import os
import platform
import re
import subprocess
import sys
import sysconfig
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from controller.version import software_identifier

CHECKOUT: Final = Path(__file__).resolve().parents[1]
RUNS: Final = Path("build", "runs")
_CPUINFO: Final = Path("/proc/cpuinfo")
_COMMIT_DIGITS: Final = 12


class MachineDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The machine of a run, without names of hosts or users; `load` is that of its start."""

    processor: str
    cores: int
    python: str
    system: str
    load: float

    def describe(self) -> str:
        return (
            f"{self.processor}, {self.cores} cores; {self.python}; {self.system};"
            f" load average {self.load:.2f} at the start"
        )

    def in_short(self) -> str:
        """Processor, cores and Python: what makes figures differ most."""
        return f"{self.processor}, {self.cores} cores; {self.python}"


class RunRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One run of a long command. What is not known of a run of the past is left out.

    `figures` are counts by what was counted, in the order in which they are shown; `parts` are
    those of its parts, by their names.
    """

    what: str
    version: str
    figures: dict[str, int]
    date: str = ""
    commit: str = ""
    machine: MachineDescription | None = None
    took_s: int | None = None
    parts: dict[str, dict[str, int]] = {}


def describe_machine() -> MachineDescription:
    """Describe the machine this runs on."""
    lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if "--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""):
        python += " built without profile-guided optimisation"
    system = f"{platform.system()} {platform.release()}"
    cores = os.cpu_count() or 1
    return MachineDescription(
        next(models, platform.machine()), cores, python, system, os.getloadavg()[0]
    )


def record_run(
    what: str,
    figures: dict[str, int],
    took_s: float | None = None,
    checkout: Path = CHECKOUT,
    machine: MachineDescription | None = None,
    parts: dict[str, dict[str, int]] | None = None,
) -> None:
    """Write the record of a run that has ended; outside a checkout nothing is kept."""
    if not (checkout / ".git").exists():
        return
    record = RunRecord(
        what=what,
        version=software_identifier(),
        figures=figures,
        date=datetime.now(UTC).date().isoformat(),
        commit=commit_of(checkout),
        machine=machine or describe_machine(),
        took_s=None if took_s is None else round(took_s),
        parts=parts or {},
    )
    folder = checkout / RUNS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{file_stem(what)}.json").write_bytes(encoded(record))


def encoded(record: RunRecord) -> bytes:
    """The record as the bytes of its file."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def read_record(path: Path) -> RunRecord:
    """Read a record. Raises ValueError with the path where it is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunRecord)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: {error}") from error


def file_stem(what: str) -> str:
    """The command as the stem of a file's name: `make full` is make-full."""
    return re.sub(r"[^a-z0-9]+", "-", what.lower()).strip("-")


def commit_of(checkout: Path) -> str:
    """The commit that is checked out, and whether files differ from it; empty without git."""
    try:
        commit = _git(checkout, "rev-parse", f"--short={_COMMIT_DIGITS}", "HEAD")
        changed = _git(checkout, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{commit} and changes" if changed else commit


def _git(checkout: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", checkout, *words],  # noqa: S607 - the developer's own git
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m hil.run_record COMMAND   records that COMMAND ran to its end")
    record_run(sys.argv[1], {})
