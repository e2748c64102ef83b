"""`smartshoe journal list | export | seals`: lists sealed shoes, exports records, shows seals."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import to_builtins

from controller.system.command_line.brought import TABLES, brought_part
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import (
    echo,
    echo_json,
    echo_json_line,
    echo_stderr,
    progress_bar,
)
from controller.system.command_line.path_parameters import (
    JournalOrArchive,
    Journals,
    require_journal,
)
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.archive.shoe_index import ShoeSummary

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_LINE: Final = "{:<16} {:>8} {:>6} {:>6}  {:<5}  {:<6}  {:>10}  {}"


# --- list -----------------------------------------------------------------------------------------


def list_shoes(
    path: JournalOrArchive,
    json: _Json = False,
    archive: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Show which shoes are in this archive.")
    ] = None,
) -> None:
    """List the sealed shoes, one per line, the oldest first."""
    from controller.archive.copies import has_copy
    from controller.archive.prune import describe_hold
    from controller.archive.shoe_index import correction_counts, shoe_summaries

    corrections = correction_counts(path)
    found: list[dict[str, object]] = []
    for one in shoe_summaries(path):
        archived = has_copy(archive, one) if archive is not None else None
        held = describe_hold(path, one.name)
        corrected = corrections.pop(one.name, 0)
        if json:
            found.append({**_plain(one, archived, held), "corrections": corrected})
            continue
        if not found:
            echo(_LINE.format("shoe", "records", "coups", "irreg.", "clean", "signed", "bytes", ""))
            found.append({})
        echo(_line(one, archived, held, corrected))
    not_sealed = sorted(corrections.items(), key=lambda one: (one[0].gaming_day, one[0].shoe))
    if json:
        unsealed = [{**to_builtins(name), "corrections": count} for name, count in not_sealed]
        echo_json({"path": str(path), "shoes": found, "unsealed": unsealed})
        return
    if not found:
        echo(f"{path}: no sealed shoe here")
    for name, count in not_sealed:
        echo(f"{name!s:<16} not sealed here, {_corrections_text(count)}")


def _plain(one: "ShoeSummary", archived: bool | None, held: str) -> dict[str, object]:
    heading = one.heading
    return {
        "table": heading.table,
        "gaming_day": heading.gaming_day,
        "shoe": heading.shoe,
        "first_record": heading.first_seq,
        "last_record": heading.last_seq,
        "from_ns": heading.from_ns,
        "until_ns": heading.until_ns,
        "coups": heading.coups,
        "irregularities": heading.irregularities,
        "clean": heading.clean,
        "signed": one.signed,
        "digest": one.digest.hex(),
        "bytes": one.size,
        "software": heading.software,
        "archived": archived,
        "held": held or None,
    }


def _corrections_text(count: int | None) -> str:
    if count is None:
        return "corrections unknown: its records cannot be read"
    return counted(count, "correction") if count else ""


def _line(one: "ShoeSummary", archived: bool | None, held: str, corrected: int | None) -> str:
    heading = one.heading
    where = {True: "archived", False: "not archived", None: ""}[archived]
    return _LINE.format(
        str(one.name),
        one.records,
        heading.coups,
        heading.irregularities,
        "yes" if heading.clean else "no",
        "yes" if one.signed else "no",
        one.size,
        ", ".join(filter(None, (_corrections_text(corrected), where, held))),
    ).rstrip()


# --- export ---------------------------------------------------------------------------------------


def export(
    paths: Journals,
    tape: Annotated[
        Path | None, typer.Option(metavar="OUT.tape", help="Write the records into a new file.")
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print one JSON object per line: coup, irregularity, decision."
        ),
    ] = False,
    parquet: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write tables for analysts: Parquet files."),
    ] = None,
    day: Annotated[str, typer.Option(metavar="DAY", help="One gaming day's sealed shoes.")] = "",
    shoe: Annotated[
        int | None, typer.Option(metavar="N", help="One of them.", min=1, max=10**6)
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=0, max=256, help="Processes of --parquet; 0: one per core.")
    ] = 0,
) -> None:
    """Write records to a tape, print coups and decisions as rows, or write tables for analysts.

    --parquet takes several journals and archives, or folders that hold them.
    """
    if [tape is not None, json, parquet is not None].count(True) != 1:
        raise CommandError(
            "give one kind of output",
            place="--tape",
            allowed="--tape OUT.tape for the records, --json for rows, or --parquet FOLDER",
            remedy="give one of them",
        )
    if parquet is not None:
        if day or shoe:
            raise CommandError(
                "--parquet exports every day",
                place="--day",
                remedy="leave it out: what is there already is not written again",
            )
        export_tables = brought_part(TABLES, "export_tables")
        if not export_tables(paths, parquet, jobs or os.cpu_count() or 1):
            raise typer.Exit(ExitCode.NO)
        return
    if shoe and not day:
        raise CommandError(
            "--shoe needs --day: shoe numbers start again each gaming day",
            place="--shoe",
            remedy="give --day too",
        )
    if len(paths) > 1:
        raise CommandError(
            "several journals",
            place=str(paths[1]),
            allowed="one journal or archive with --tape and --json",
            remedy="export one after the other",
        )
    require_journal(paths[0])
    _export_records(paths[0], tape, day, shoe)


def _export_records(path: Path, tape: Path | None, day: str, shoe: int | None) -> None:
    """Export a tape, or rows where none is named."""
    from controller.archive.export import (
        export_tape,
        finished_span,
        open_irregularities,
        rows,
        sealed_span,
    )
    from controller.journal.people import PeopleFile, put_names
    from controller.journal.store import open_read_only

    with open_read_only(path) as journal:
        part = sealed_span(path, day, shoe) if day else finished_span(journal)
        if part.withheld:
            coups = counted(part.withheld, "finished coup")
            echo_stderr(
                f"{path}: {coups} not exported yet: the record also names a card of the coup in"
                " play. Remedy: export again after that coup"
            )
        undecided = () if day else open_irregularities(journal, part)
        if undecided:
            many = counted(len(undecided), "irregularity", "irregularities")
            echo_stderr(f"{path}: {many} open after the last finished coup")
        elif part.count == 0 and not part.withheld:
            echo_stderr(f"{path}: no coup is finished yet, so there is nothing to export")
        if tape is None:
            names = PeopleFile.beside(path).names()
            for row in (*rows(journal, part), *undecided):
                echo_json_line(put_names(row, names))
            return
        with progress_bar("export") as progress:
            export_tape(journal, part, tape, progress)
    first = part.base.seq + 1
    records = counted(part.count, "record")
    echo(f"{tape}: {records}, {first} to {part.last_seq}; `smartshoe replay {tape}`")


# --- seals ----------------------------------------------------------------------------------------


def seals(
    path: JournalOrArchive,
    json: _Json = False,
    day: Annotated[str, typer.Option(metavar="DAY", help="The newest if not given.")] = "",
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the signed head into a new file.")
    ] = None,
) -> None:
    """Show a gaming day's seals and the signed head with its code, to be kept elsewhere."""
    from controller.journal.evidence_log.checkpoint import short_code
    from controller.journal.evidence_log.log import read_head
    from controller.journal.evidence_log.shoe_proof import shoe_leaves
    from controller.journal.log_database import LogDatabase
    from controller.system.atomic_file import require_new, store_text

    with LogDatabase.open_read_only(path) as log:
        leaves = tuple(shoe_leaves(log))
        days = sorted({one.leaf.gaming_day for one in leaves})
        of_day = day or next(reversed(days), "")
        if of_day not in days:
            raise CommandError(
                f"no shoe of {of_day or 'any day'} is sealed here",
                place=str(path),
                allowed=f"the newest are of {', '.join(days[-5:]) or 'no day'}",
                remedy="name one of these with --day",
            )
        found = [one for one in leaves if one.leaf.gaming_day == of_day]
        head, note = read_head(log, found[-1].number + 1)
    if write is not None:
        require_new(write)
        store_text(write, note.to_bytes().decode())
    if json:
        echo_json(
            {
                "table": head.origin,
                "gaming_day": of_day,
                "short_code": short_code(head),
                "size": head.size,
                "root": head.root.hex(),
                "signatures": len(note.signatures),
                "seals": [{"shoe": one.leaf.shoe, "digest": one.leaf.seal.hex()} for one in found],
                "written": str(write) if write is not None else None,
            }
        )
        return
    echo(f"table       {head.origin}")
    echo(f"gaming day  {of_day}")
    for one in found:
        echo(f"shoe {one.leaf.shoe:>4}   {one.leaf.seal.hex()}")
    echo(f"short code  {short_code(head)}")
    echo(f"head        {head.size}, root {head.root.hex()}")
    echo(f"signatures  {len(note.signatures)}; `smartshoe verify` checks them")
    if write is not None:
        echo(f"written     {write}")
