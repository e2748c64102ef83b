"""`smartshoe verify` and `smartshoe replay`: is the evidence whole, and is it what we conclude?

Responsible for: running both over a journal with a progress bar and telling what they found.
Not responsible for: the checks themselves (journal.verify, replay).
Source: package README, "Command line", "Replay".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import progress_bar, remark, say, say_json

if TYPE_CHECKING:
    from controller.replay.report import ReplayReport

_PROBLEMS_SHOWN_MAX = 50

_Journal = Annotated[
    Path, typer.Argument(metavar="PATH", help="A journal's folder, its live.db, or a .shoe.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe verify /var/lib/smartshoe/table-1\n"
        "  smartshoe verify copy/live.db --json\n"
        "  smartshoe verify /media/archive --key table.key.pub\n"
        "  smartshoe verify bundle.zip --witness ABCDE-FGHIJ-KLMNO-PQRST\n\n"
        "Exit codes: 0 intact, 1 problems, 2 cannot be read."
    )(verify)
    app.command(
        epilog="\b\nexamples:\n  smartshoe replay /var/lib/smartshoe/table-1\n"
        "  smartshoe replay copy/live.db --verdicts --json\n"
        "  smartshoe replay table-1/shoes/2026-11-21/0007.shoe\n\n"
        "Exit codes: 0 the same, 1 something differs, 2 damaged, cannot be read or told, "
        "3 another software version wrote it: verdicts were compared."
    )(replay)


def verify(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="A journal or archive, its live.db, a .shoe, or a bundle."
        ),
    ],
    json: _Json = False,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key", metavar="FILE.pub", help="A public key that may have signed; repeatable."
        ),
    ] = None,
    witness: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE|FILE", help="A day's short code, or list of seals, kept elsewhere."
        ),
    ] = None,
) -> None:
    """Check that evidence is complete and unchanged.

    It is only read, and may be in use. This runs controller/journal/verify.py, one file that does
    the same alone on any Python.
    """
    from controller.journal.verify import as_json, words
    from controller.journal.verify import verify as check

    _existing(path)
    with progress_bar("verify") as progress:
        report = check(path, progress, key or (), witness or ())
    if json:
        say_json(as_json(report))
    else:
        for line in words(report, _PROBLEMS_SHOWN_MAX):
            say(line)
    raise typer.Exit(Exit.DONE if report.intact else Exit.NO)


def _existing(path: Path) -> None:
    if not path.exists():
        raise Unable(f"{path}: no such file or folder; name a journal's folder, or its live.db")


def replay(
    path: _Journal,
    json: _Json = False,
    verdicts: Annotated[
        bool,
        typer.Option("--verdicts", help="Compare verdicts only, as between two versions."),
    ] = False,
) -> None:
    """Tell a journal's inputs again and compare.

    The stored inputs run through this program; what it concludes is compared, byte for byte, with
    what is stored. Another software version's journal is compared by its verdicts.
    """
    from controller.replay.report import replay as tell_again

    _existing(path)
    with progress_bar("replay") as progress:
        report = tell_again(path, progress, verdicts_only=verdicts)
    if json:
        say_json(_replay_json(report))
    else:
        _tell_replay(report)
    raise typer.Exit(_exit_code(report))


def _exit_code(report: "ReplayReport") -> Exit:
    from controller.replay.report import Finding

    codes = {
        Finding.SAME: Exit.DONE,
        Finding.DIFFERENT: Exit.NO,
        Finding.DAMAGED: Exit.UNUSABLE,
        Finding.UNTOLD: Exit.UNUSABLE,
        Finding.OTHER_VERSION: Exit.OTHER_VERSION,
    }
    return codes[report.finding]


def _replay_json(report: "ReplayReport") -> dict[str, object]:
    from controller.version import VERSION

    return {
        "path": str(report.path),
        "finding": report.finding.value,
        "this_version": VERSION,
        "versions": list(report.versions),
        "first_record": report.first_seq,
        "records": report.records,
        "inputs": report.inputs,
        "entries": report.entries,
        "coups": report.coups,
        "shoes": report.shoes,
        "checkpoint_compared": report.checkpoint,
        "different": report.different,
        "otherwise": report.otherwise,
        "passed_over": report.passed_over,
        "differences": [
            {"seq": one.seq, "stored": one.stored, "concluded": one.concluded}
            for one in report.differences
        ],
        "damage": report.damage,
        "elapsed_ms": report.elapsed_ns // 1_000_000,
        "coups_per_s": report.coups_per_s,
    }


def _tell_replay(report: "ReplayReport") -> None:
    from controller.replay.report import Finding
    from controller.version import VERSION

    match report.finding:
        case Finding.SAME:
            say(f"the same: {report.path}")
        case Finding.DIFFERENT:
            say(f"DIFFERENT: {report.different} records of {report.path}")
        case Finding.OTHER_VERSION:
            wrote = ", ".join(report.versions)
            say(f"another version: {report.path} was written by {wrote}, this is {VERSION}")
            say(f"  verdicts were compared, not bytes; {report.otherwise} would be otherwise")
            if report.passed_over:
                say(f"  {report.passed_over} records were not told: their settings have another")
                say("  form; replay them with the version that wrote them")
        case Finding.DAMAGED:
            remark(f"smartshoe: {report.damage}")
            say(f"DAMAGED: {report.path}, told up to record {report.records}")
        case Finding.UNTOLD:
            say(f"NOT TOLD: {report.path}: no state to begin with that version {VERSION} wrote")
            say(
                "  only the chain was checked, and it holds; replay it with the shoes before it, or"
            )
            say("  with the version that wrote the state it begins with")
    for one in report.differences:
        say(f"  record {one.seq}: stored {one.stored}; this program concludes {one.concluded}")
    more = report.different + report.otherwise - len(report.differences)
    if more > 0:
        say(f"  and {more} more")
    if report.first_seq > 1:
        say(f"  from record {report.first_seq} on: what is before is not here, or not to be told")
    say(f"  {report.records} records: {report.inputs} inputs, {report.entries} entries")
    say(f"  {report.coups} coups of {report.shoes} shoes, {report.coups_per_s} coups a second")
