"""`smartshoe journal archive | prune | hold | release`: keeping finished shoes.

Responsible for: the commands' options and what they print.
Not responsible for: copying (journal_archive), and which shoe may go (retention).
Source: package README, "Journal commands".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Exit
from controller.cli.output import progress_bar, say, say_json

if TYPE_CHECKING:
    from controller.archive.copies import ArchiveReport
    from controller.archive.prune import Judgement

_Journal = Annotated[Path, typer.Argument(metavar="PATH", help="The journal's folder.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_Shoe = Annotated[
    str, typer.Argument(metavar="SHOE", help="Gaming day and number, such as 2026-11-21/7.")
]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]
_Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; it is kept.")]


def add_to(journal: typer.Typer) -> None:
    """Add these commands."""
    journal.command(
        epilog="\b\nexamples:\n"
        "  smartshoe journal archive /var/lib/smartshoe/table-1 --to /mnt/archive/table-1\n"
        "  smartshoe journal archive /var/lib/smartshoe/table-1 --to /mnt/archive/table-1 \\\n"
        "    --older-than 2\n\n"
        "May run beside the table, be cut short, and be run again: it goes on. "
        "Exit codes: 0 all of it is there, 1 something is not, and why is said.",
    )(archive)
    journal.command(
        epilog="\b\nexamples:\n"
        "  smartshoe journal prune /var/lib/smartshoe/table-1 --archive /mnt/archive/table-1\n"
        "  smartshoe journal prune /var/lib/smartshoe/table-1 --archive /mnt/archive/table-1 \\\n"
        "    --keep-days 90 --yes\n\n"
        "Whole gaming days go, the oldest first; none after one that stays. May run beside the "
        "table.",
    )(prune)
    journal.command(
        epilog="\b\nexample:\n  smartshoe journal hold /var/lib/smartshoe/table-1 2026-11-21/7 \\\n"
        '    --by "A. Person" --reason "patron disputes coup 34"\n\n'
        "A held shoe is never pruned.",
    )(hold)
    journal.command(
        epilog="\b\nexample:\n"
        "  smartshoe journal release /var/lib/smartshoe/table-1 2026-11-21/7 \\\n"
        '    --by "A. Person" --reason "dispute settled"',
    )(release)


def archive(
    path: _Journal,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="The archive of this table.")],
    older_than: Annotated[
        int, typer.Option(metavar="DAYS", help="Only gaming days that ended so long ago.", min=0)
    ] = 0,
    json: _Json = False,
) -> None:
    """Copy sealed shoes and lists of seals; each copy is read back from its disk and verified.

    No different file is ever written over.
    """
    from controller.archive.copies import archive as copy
    from controller.archive.prune import NS_PER_DAY
    from firmware_bridge.transport.clock import now

    with progress_bar("archive") as progress:
        report = copy(path, to, now().utc_ns, older_than * NS_PER_DAY, progress)
    if json:
        say_json({"path": str(path), "archive": str(to), **_archived(report)})
    else:
        for problem in report.problems:
            say(f"PROBLEM: {problem}")
        copied = f"{len(report.copied)} files copied and verified, {report.copied_bytes} bytes"
        say(f"{to}: {copied}; {len(report.there)} were there")
        if report.waiting:
            say(f"  {len(report.waiting)} shoes are not so old, or their gaming day is not")
    raise typer.Exit(Exit.NO if report.problems else Exit.DONE)


def _archived(report: "ArchiveReport") -> dict[str, object]:
    return {
        "copied": report.copied,
        "copied_bytes": report.copied_bytes,
        "there": report.there,
        "waiting": report.waiting,
        "problems": report.problems,
    }


def prune(
    path: _Journal,
    archive: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the copies are.")],
    keep_days: Annotated[
        int, typer.Option(metavar="N", help="Younger shoes stay.", min=7, show_default=True)
    ] = 30,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete; without it only what would go is shown.")
    ] = False,
    json: _Json = False,
) -> None:
    """Take sealed shoes from this disk whose verified copy is in the archive.

    Never the newest sealed shoe, one that is held, one with an undecided irregularity.
    """
    from controller.archive.prune import judged, prune_lock, take_away
    from firmware_bridge.transport.clock import now

    with prune_lock(path):
        with progress_bar("compare") as progress:
            found = judged(path, archive, now().utc_ns, keep_days, progress)
        freed = take_away(path, found) if yes else 0
    going = [one for one in found if not one.why]
    if json:
        say_json(
            {
                "path": str(path),
                "deleted": yes,
                "bytes": freed if yes else sum(one.shoe.size for one in going),
                "go": [str(one.shoe.name) for one in going],
                "stay": [{"shoe": str(one.shoe.name), "why": one.why} for one in found if one.why],
            }
        )
        return
    _tell_pruned(found, going, yes=yes)


def _tell_pruned(found: "tuple[Judgement, ...]", going: "list[Judgement]", *, yes: bool) -> None:
    for one in found:
        says = f"stays: {one.why}" if one.why else "deleted here" if yes else "would go"
        say(f"{one.shoe.name}  {says}")
    size = sum(one.shoe.size for one in going)
    if yes:
        say(f"{len(going)} of {len(found)} shoes deleted, {size} bytes; the archive has them")
    elif going:
        say(
            f"{len(going)} of {len(found)} shoes would go, {size} bytes. Nothing was deleted: --yes"
        )
    else:
        say("no shoe may go")


def hold(path: _Journal, shoe: _Shoe, by: _By, reason: _Reason) -> None:
    """Keep a shoe on this disk as evidence, whatever its age."""
    from controller.archive.prune import hold as keep
    from controller.archive.shoe_index import shoe_named
    from firmware_bridge.transport.clock import now

    name = shoe_named(shoe)
    say(f"shoe {name} is held by {by}: {keep(path, name, by, reason, now().utc_ns)}")


def release(path: _Journal, shoe: _Shoe, by: _By, reason: _Reason) -> None:
    """End a hold; who held and who released it stays on record."""
    from controller.archive.prune import release as let_go
    from controller.archive.shoe_index import shoe_named
    from firmware_bridge.transport.clock import now

    name = shoe_named(shoe)
    say(f"shoe {name} is released by {by}: {let_go(path, name, by, reason, now().utc_ns)}")
