"""`smartshoe journal archive | prune | hold | release`: copies, deletes and holds sealed shoes."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.table.pins import PinFile, author_of
from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import echo, echo_json, progress_bar
from controller.system.command_line.path_parameters import JournalFolder
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from controller.archive.copies import ArchiveReport
    from controller.archive.prune import PruneDecision
    from controller.archive.shoe_index import ShoeName
    from controller.rules.actions.declaration import Author

_DAYS_MAX = 36_500

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_Shoe = Annotated[
    str, typer.Argument(metavar="SHOE", help="Gaming day and number, such as 2026-11-21/7.")
]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]
_Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; goes on record.")]


def archive(
    path: JournalFolder,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="The archive of this table.")],
    older_than: Annotated[
        int,
        typer.Option(
            metavar="DAYS",
            help="Only gaming days that ended this long ago.",
            min=0,
            max=_DAYS_MAX,
        ),
    ] = 0,
    json: _Json = False,
) -> None:
    """Copy sealed shoes and the evidence log; each copy is read back from its disk and verified.

    An existing file that differs is never overwritten.
    """
    from controller.archive.copies import archive_shoes as copy
    from controller.archive.prune import NS_PER_DAY
    from firmware_bridge.transport.clock import now

    with progress_bar("archive") as progress:
        report = copy(path, to, now().utc_ns, older_than * NS_PER_DAY, progress)
    if json:
        echo_json({"path": str(path), "archive": str(to), **_archive_json(report)})
    else:
        for problem in report.problems:
            echo(f"PROBLEM: {problem}")
        files = counted(len(report.copied), "file")
        copied = f"{files} copied and verified, {report.copied_bytes} bytes"
        echo(f"{to}: {copied}; {len(report.present)} were there")
        if report.waiting:
            waiting = counted(len(report.waiting), "shoe")
            echo(f"  {waiting} not copied: too recent, or in a gaming day that is")
    raise typer.Exit(ExitCode.NO if report.problems else ExitCode.DONE)


def _archive_json(report: "ArchiveReport") -> dict[str, object]:
    return {
        "copied": report.copied,
        "copied_bytes": report.copied_bytes,
        "there": report.present,
        "waiting": report.waiting,
        "problems": report.problems,
    }


def prune(
    path: JournalFolder,
    archive: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the copies are.")],
    keep_days: Annotated[
        int,
        typer.Option(
            metavar="N", help="Younger shoes stay.", min=7, max=_DAYS_MAX, show_default=True
        ),
    ] = 30,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete; without it only the list is shown.")
    ] = False,
    json: _Json = False,
) -> None:
    """Delete sealed shoes from this disk whose verified copy is in the archive.

    Never the newest sealed shoe, a held one, or one with an undecided irregularity.
    """
    from controller.archive.prune import decide_prune, delete_pruned, prune_lock
    from firmware_bridge.transport.clock import now

    with prune_lock(path):
        with progress_bar("compare") as progress:
            found = decide_prune(path, archive, now().utc_ns, keep_days, progress)
        freed = delete_pruned(found) if yes else 0
    going = [one for one in found if not one.why]
    if json:
        echo_json(
            {
                "path": str(path),
                "deleted": yes,
                "bytes": freed if yes else sum(one.shoe.size for one in going),
                "go": [str(one.shoe.name) for one in going],
                "stay": [{"shoe": str(one.shoe.name), "why": one.why} for one in found if one.why],
            }
        )
        return
    _print_pruned(found, going, yes=yes)


def _print_pruned(
    found: "tuple[PruneDecision, ...]", going: "list[PruneDecision]", *, yes: bool
) -> None:
    for one in found:
        result = f"stays: {one.why}" if one.why else "deleted" if yes else "would be deleted"
        echo(f"{one.shoe.name}  {result}")
    size = sum(one.shoe.size for one in going)
    if yes:
        echo(
            f"{len(going)} of {len(found)} shoes deleted, {size} bytes; the archive has the copies"
        )
    elif going:
        echo(
            f"{len(going)} of {len(found)} shoes would be deleted, {size} bytes. Nothing was"
            " deleted: add --yes"
        )
    else:
        echo("no shoe may be deleted")


def hold(
    path: JournalFolder,
    shoe: _Shoe,
    by: _By,
    reason: _Reason,
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """Keep a shoe on this disk as evidence, whatever its age."""
    from controller.archive.prune import hold_shoe

    _change_hold(hold_shoe, "held", path, shoe, by, reason, pin_file, as_json=json)


def release(
    path: JournalFolder,
    shoe: _Shoe,
    by: _By,
    reason: _Reason,
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """End a hold; the hold and the release stay on record."""
    from controller.archive.prune import release_hold

    _change_hold(release_hold, "released", path, shoe, by, reason, pin_file, as_json=json)


def _change_hold(
    change: "Callable[[Path, ShoeName, Author, str, int], Path]",
    done: str,
    path: Path,
    shoe: str,
    by: str,
    reason: str,
    pin_file: Path | None,
    *,
    as_json: bool,
) -> None:
    from controller.archive.shoe_index import parse_shoe_name
    from controller.journal.people import PeopleFile
    from controller.record.people import author_words
    from controller.rules.actions.declaration import SUPERVISORS
    from firmware_bridge.transport.clock import now

    name, people = parse_shoe_name(shoe), PeopleFile.beside(path)
    author = author_of(people, by, pin_file, SUPERVISORS, "a hold of evidence")
    file = change(path, name, author, reason, now().utc_ns)
    if as_json:
        said = {"shoe": str(name), "done": done, "by": by, "proof": author.proof.value}
        echo_json({**said, "reason": reason, "file": str(file)})
    else:
        echo(f"shoe {name} is {done} by {author_words(by, author.proof)}: {file}")
