"""`python -m hil.bench`: measures the program against its performance goals."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from controller.version import VERSION, software_identifier
from hil.bench.card_path.compute import measure_hot, measure_tablelink
from hil.bench.card_path.decoder import measure_decoder
from hil.bench.card_path.interference import measure_interference, measure_scraped_tables
from hil.bench.card_path.monitors import measure_monitors
from hil.bench.card_path.overload import measure_overload
from hil.bench.card_path.paced import measure_arrival, measure_paced
from hil.bench.measure.fixtures import Plan, modules_compiled, seconds_since
from hil.bench.process.flood import measure_flood
from hil.bench.process.idle import measure_disk_writes, measure_idle
from hil.bench.process.page import measure_page
from hil.bench.process.scrape import measure_scrape
from hil.bench.process.start_up import measure_start_up, measure_start_with_archive
from hil.bench.process.tables_program import (
    measure_growth,
    measure_hurt_tables,
    measure_many_tables,
    measure_tables_program,
)
from hil.bench.stored.audit import measure_audit
from hil.bench.stored.commits import measure_commits, measure_leaves
from hil.bench.stored.recovery import measure_recovery
from hil.bench.stored.sealed_size import measure_sealed_size
from hil.bench.stored.tables import measure_tables
from hil.measure.checks import CannotMeasure, Check, GoalResult, not_measured
from hil.measure.figures import format_figure
from hil.run_guard import ending_at_once, guarded_run, refusal_of_output
from hil.run_record import MachineDescription, describe_machine, record_run

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


EXIT_MISSED = 1
EPILOG = """\
examples:
  python -m hil.bench --quick                     all goals, roughly
  python -m hil.bench --only P1,P2 --judge        two goals; exit code 1 if one is missed
  python -m hil.bench --json report.json --disk /var/lib/smartshoe

exit codes: 0 measured, even where goals are missed; 1 with --judge: a goal is missed;
2 wrong usage
"""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement and the goals it is for."""

    goals: tuple[str, ...]
    what: str
    measure: Callable[[Plan], tuple[Check, ...]]


MEASUREMENTS = (
    Measurement(("P1", "P16"), "compute, hot", measure_hot),
    Measurement(("P1",), "compute, hot, with TableLink", measure_tablelink),
    Measurement(("P1b", "P2"), "compute and round trip at a dealing pace", measure_paced),
    Measurement(("P2b",), "arrival beside a polling loop", measure_arrival),
    Measurement(("P3", "P4"), "durable", measure_commits),
    Measurement(("P3",), "leaves of the evidence log", measure_leaves),
    Measurement(("P5",), "frame decoder", measure_decoder),
    Measurement(("P7", "P8", "P9"), "audit", measure_audit),
    Measurement(("tables",), "tables for analysts", measure_tables),
    Measurement(("P10", "P12"), "start and memory", measure_start_up),
    Measurement(("P10",), "memory over many cards", measure_growth),
    Measurement(("P11", "P18"), "idle with three ports", measure_idle),
    Measurement(("P13", "P19"), "recovery and replay", measure_recovery),
    Measurement(("P13",), "start with a year of shoes", measure_start_with_archive),
    Measurement(("P14",), "scrape", measure_scrape),
    Measurement(("P14",), "verdicts beside scrapes of many tables", measure_scraped_tables),
    Measurement(("P21",), "page beside the table", measure_page),
    Measurement(("P14b",), "verdicts beside scrapes", measure_interference),
    Measurement(("P10", "P15"), "many tables", measure_many_tables),
    Measurement(("P15",), "many tables, the whole program", measure_tables_program),
    Measurement(("P15",), "many tables, one in trouble", measure_hurt_tables),
    Measurement(("P17",), "overload", measure_overload),
    Measurement(("P18",), "bytes written and commits", measure_disk_writes),
    Measurement(("P18",), "size of a sealed shoe", measure_sealed_size),
    Measurement(("P22",), "statistics inside the shoe", measure_monitors),
    Measurement(("P20",), "a peer that floods", measure_flood),
)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    known = tuple(dict.fromkeys(goal for each in MEASUREMENTS for goal in each.goals))
    parser = argparse.ArgumentParser(
        prog="python -m hil.bench",
        description="Measure the program against its goals, side by side with bare operations.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a short run, about 20 s")
    parser.add_argument("--only", metavar="P1,P3", default="", help=f"of {', '.join(known)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a new file for the report")
    parser.add_argument("--judge", action="store_true", help="exit with 1 where a goal is missed")
    parser.add_argument("--disk", type=Path, metavar="FOLDER", help="where the disk is measured")
    options = parser.parse_args(argv)
    options.only = frozenset(goal for goal in options.only.split(",") if goal)
    if unknown := sorted(options.only - frozenset(known)):
        parser.error(f"--only: no such goal: {', '.join(unknown)}; goals are {', '.join(known)}")
    if options.disk is not None and not options.disk.is_dir():
        parser.error(f"--disk: {options.disk} is not a folder; name one that exists")
    if options.json is not None and (refusal := refusal_of_output(options.json)):
        parser.error(f"--json: {refusal}")
    return options


def select_measurements(only: frozenset[str]) -> tuple[Measurement, ...]:
    """The measurements for one of these goals; all of them if `only` is empty."""
    return tuple(each for each in MEASUREMENTS if not only or only & set(each.goals))


def run_measurements(plan: Plan, measurements: Sequence[Measurement]) -> list[Check]:
    """Run them in order, with progress on stderr."""
    checks: list[Check] = []
    for number, each in enumerate(measurements, 1):
        goals = ", ".join(each.goals)
        print(f"[{number}/{len(measurements)}] {goals}: {each.what} ...", end="", file=sys.stderr)
        sys.stderr.flush()
        began_ns = time.perf_counter_ns()
        try:
            checks.extend(each.measure(plan))
        except CannotMeasure as error:
            checks.extend(not_measured(goal, str(error)) for goal in each.goals)
        print(f" {seconds_since(began_ns):.1f} s", file=sys.stderr)
    return checks


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report; return the exit code."""
    options = arguments(argv)
    machine, began_s = describe_machine(), time.monotonic()
    disks = () if options.disk is None else (options.disk,)
    with ending_at_once(), guarded_run(*disks), modules_compiled():
        checks = run_measurements(
            Plan(options.quick, options.disk), select_measurements(options.only)
        )
    print(text_report(machine, checks, quick=options.quick))
    if options.json is not None:
        report = json_report(machine, checks, quick=options.quick)
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if not options.quick and not options.only:
        found = counts_by_result(checks)
        judged = (GoalResult.MET, GoalResult.MISSED, GoalResult.NOT_JUDGED)
        figures = {each.value.lower(): found[each] for each in judged}
        record_run("make bench", figures, time.monotonic() - began_s, machine=machine)
    missed = any(check.judgement is GoalResult.MISSED for check in checks)
    return EXIT_MISSED if options.judge and missed else 0


if __name__ == "__main__":
    sys.exit(main())
