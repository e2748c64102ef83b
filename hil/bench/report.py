"""The bench's report: a table for people, JSON to compare with another run."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import msgspec

from controller.version import VERSION, software_identifier
from hil.measure.checks import Check, GoalResult
from hil.measure.figures import format_figure
from hil.run_record import MachineDescription

_COLUMNS = ("goal", "what", "measured", "must", "stretch", "", "beside")


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


def counts_by_result(checks: Sequence[Check]) -> dict[GoalResult, int]:
    """How many goals have each result."""
    return {each: sum(check.judgement is each for check in checks) for each in GoalResult}


def counts(checks: Sequence[Check]) -> str:
    """How many goals were met."""
    found = counts_by_result(checks)
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
        "machine": msgspec.structs.asdict(machine),
        "quick": quick,
        "assertions": sys.flags.optimize == 0,
        "checks": [asdict(check) for check in checks],
    }
