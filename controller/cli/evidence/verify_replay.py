"""`smartshoe verify` and `smartshoe replay`: checks a journal, and replays its inputs."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr, progress_bar
from controller.system.command_line.path_parameters import Evidence, JournalFile
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.archive.replay.report import ReplayReport

_PROBLEMS_SHOWN_MAX = 50
_READABLE: Final = (
    "name a journal, an archive, a .shoe file or a bundle; for --key a public key; for --witness a"
    " short code or a file with a checkpoint"
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def verify(
    path: Evidence,
    json: _Json = False,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key", metavar="FILE.pub", help="A public key of a table or witness; may be repeated."
        ),
    ] = None,
    witness: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE|FILE", help="A short code, or a checkpoint, kept elsewhere."),
    ] = None,
) -> None:
    """Check that evidence is complete and unchanged.

    The evidence is only read and may be in use. This runs controller/journal/verify.py, one file
    that does the same by itself on any Python.
    """
    from controller.journal.verify import CannotRead, as_json, report_lines
    from controller.journal.verify import verify as check

    try:
        with progress_bar("verify") as progress:
            report = check(path, progress, key or (), witness or ())
    except CannotRead as error:
        raise CommandError(f"{error}. Remedy: {_READABLE}") from error
    if json:
        echo_json(as_json(report))
    else:
        for line in report_lines(report, _PROBLEMS_SHOWN_MAX):
            echo(line)
    raise typer.Exit(ExitCode.DONE if report.intact else ExitCode.NO)


def replay(
    path: JournalFile,
    json: _Json = False,
    verdicts: Annotated[
        bool,
        typer.Option("--verdicts", help="Compare verdicts only, as between two versions."),
    ] = False,
) -> None:
    """Replay a journal's inputs and compare the result.

    The stored inputs run through this program; its conclusions are compared with the stored ones
    byte for byte. A journal of another software version is compared by its verdicts.
    """
    from controller.archive.replay.report import replay as run_replay

    with progress_bar("replay") as progress:
        report = run_replay(path, progress, verdicts_only=verdicts)
    if json:
        echo_json(_replay_json(report))
    else:
        _print_replay(report)
    raise typer.Exit(_exit_code(report))


def _exit_code(report: "ReplayReport") -> ExitCode:
    from controller.archive.replay.report import ReplayFinding

    codes = {
        ReplayFinding.SAME: ExitCode.DONE,
        ReplayFinding.DIFFERENT: ExitCode.NO,
        ReplayFinding.DAMAGED: ExitCode.UNUSABLE,
        ReplayFinding.NOT_REPLAYED: ExitCode.UNUSABLE,
        ReplayFinding.OTHER_VERSION: ExitCode.OTHER_VERSION,
    }
    return codes[report.finding]


def _replay_json(report: "ReplayReport") -> dict[str, object]:
    from controller.version import software_identifier

    return {
        "path": str(report.path),
        "finding": report.finding.value,
        "this_version": software_identifier(),
        "versions": list(report.versions),
        "first_record": report.first_seq,
        "records": report.records,
        "inputs": report.inputs,
        "entries": report.entries,
        "coups": report.coups,
        "shoes": report.shoes,
        "checkpoint_compared": report.saved_state_compared,
        "different": report.different,
        "otherwise": report.other_version_differences,
        "passed_over": report.skipped,
        "differences": [
            {"seq": one.seq, "stored": one.stored, "concluded": one.concluded}
            for one in report.differences
        ],
        "damage": report.damage,
        "elapsed_ms": report.elapsed_ns // 1_000_000,
        "coups_per_s": report.coups_per_s,
    }


def _print_replay(report: "ReplayReport") -> None:
    from controller.archive.replay.report import ReplayFinding
    from controller.version import software_identifier

    this = software_identifier()
    match report.finding:
        case ReplayFinding.SAME:
            echo(f"the same: {report.path}")
        case ReplayFinding.DIFFERENT:
            echo(f"DIFFERENT: {report.different} records of {report.path}")
        case ReplayFinding.OTHER_VERSION:
            wrote = ", ".join(report.versions)
            echo(f"another version: {report.path} was written by {wrote}, this is {this}")
            differences = report.other_version_differences
            echo(f"  verdicts were compared, not bytes; {differences} would be different")
            if report.skipped:
                echo(f"  {report.skipped} records were not replayed: their settings have")
                echo("  another form; replay them with the version that wrote them")
        case ReplayFinding.DAMAGED:
            echo_stderr(f"smartshoe: {report.damage}")
            echo(f"DAMAGED: {report.path}, replayed up to record {report.records}")
        case ReplayFinding.NOT_REPLAYED:
            echo(f"NOT REPLAYED: {report.path}: it has no start state written by {this}")
            echo(
                "  only the chain was checked, and it is valid; replay it with the shoes before it,"
            )
            echo("  or with the version that wrote its start state")
    for one in report.differences:
        echo(f"  record {one.seq}: stored {one.stored}; this program concludes {one.concluded}")
    more = report.different + report.other_version_differences - len(report.differences)
    if more > 0:
        echo(f"  and {more} more")
    if report.first_seq > 1:
        echo(f"  from record {report.first_seq} on: earlier records are missing or not replayable")
    inputs, entries = counted(report.inputs, "input"), counted(report.entries, "entry", "entries")
    echo(f"  {counted(report.records, 'record')}: {inputs}, {entries}")
    coups, shoes = counted(report.coups, "coup"), counted(report.shoes, "shoe")
    echo(f"  {coups} of {shoes}, {report.coups_per_s} coups per second")
