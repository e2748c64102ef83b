"""The bench's report: a table for people, JSON to compare with another run.

The machine is described without names of hosts or users.

Source: hil/bench/README.md, "Results".
"""

import os
import platform
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from controller.version import VERSION, software_identifier
from hil.bench.measure.checks import Check, GoalResult
from hil.bench.measure.figures import format_figure

_COLUMNS = ("goal", "what", "measured", "must", "stretch", "", "beside")
_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class MachineDescription:
    """The machine that was measured. `load` is the load average at the start of the run."""

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


def result_text(check: Check) -> str:
    """Met, missed, or why not judged."""
    if check.judgement is GoalResult.SHOWN:
        return "-"
    if check.judgement is GoalResult.NOT_JUDGED:
        return f"not judged: {check.why}"
    return f"{check.judgement.value}, stretch too" if check.stretch_met else check.judgement.value


def row(check: Check) -> tuple[str, ...]:
    """The cells of one line."""
    measured = format_figure(check.value, check.unit)
    return (
        *(check.goal, check.what, measured, check.must, check.stretch),
        *(result_text(check), check.beside),
    )


def table(checks: Sequence[Check]) -> str:
    """All lines, in columns."""
    rows = (_COLUMNS, *map(row, checks))
    widths = [max(len(line[column]) for line in rows) for column in range(len(_COLUMNS))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in rows
    )
    return "\n".join(lines)


def counts(checks: Sequence[Check]) -> str:
    """How many goals were met."""
    found = {each: sum(check.judgement is each for check in checks) for each in GoalResult}
    stretch = sum(check.stretch_met for check in checks)
    return (
        f"{found[GoalResult.MET]} met ({stretch} of them the stretch goal too),"
        f" {found[GoalResult.MISSED]} missed, {found[GoalResult.NOT_JUDGED]} not judged"
    )


def text_report(machine: MachineDescription, checks: Sequence[Check], *, quick: bool) -> str:
    """The report for people."""
    title = f"smartshoe {VERSION}: measured against its goals"
    if quick:
        title += " (a short run: too few samples to compare with another)"
    return "\n".join((title, machine.describe(), "", table(checks), "", counts(checks)))


def json_report(
    machine: MachineDescription, checks: Sequence[Check], *, quick: bool
) -> dict[str, object]:
    """The report as JSON values; units as in the table."""
    return {
        "software": software_identifier(),
        "measured": datetime.now(UTC).date().isoformat(),
        "machine": asdict(machine),
        "quick": quick,
        "assertions": sys.flags.optimize == 0,
        "checks": [asdict(check) for check in checks],
    }
