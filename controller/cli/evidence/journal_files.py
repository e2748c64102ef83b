"""`smartshoe journal list | export | seals`: what stands in a journal, and taking it elsewhere.

Responsible for: the commands' options and what they print; adding the group with its other
commands (cli_journal_keep).
Not responsible for: headings (journal_list), tapes and rows (journal_export), lists of seals
(seal_list).
Source: package README, "Journal commands".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.evidence import journal_retention as cli_journal_keep
from controller.cli.output import progress_bar, remark, say, say_json, say_json_line

if TYPE_CHECKING:
    from controller.archive.shoe_index import SealedShoe

_Journal = Annotated[
    Path, typer.Argument(metavar="PATH", help="A journal's folder, or an archive of one.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_LINE: Final = "{:<16} {:>8} {:>6} {:>6}  {:<5}  {:<6}  {:>10}  {}"


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    journal = typer.Typer(
        help="What stands in a journal: list, export, archive, prune, hold, seals.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    journal.command(
        "list",
        epilog="\b\nexamples:\n  smartshoe journal list /var/lib/smartshoe/table-1\n"
        "  smartshoe journal list /var/lib/smartshoe/table-1 --archive /mnt/archive/table-1\n\n"
        "Only headings are read, and nothing is checked: that is `smartshoe verify`.",
    )(list_shoes)
    journal.command(
        epilog="\b\nexamples:\n"
        "  smartshoe journal export /var/lib/smartshoe/table-1 --tape all.tape\n"
        "  smartshoe journal export /mnt/archive/table-1 --tape 7.tape --day 2026-11-21 --shoe 7\n"
        "  smartshoe journal export /var/lib/smartshoe/table-1 --json > coups.jsonl\n\n"
        "Of the shoe in play finished coups alone are exported. `smartshoe replay all.tape` tells "
        "a tape again.",
    )(export)
    journal.command(
        epilog="\b\nexamples:\n  smartshoe journal seals /var/lib/smartshoe/table-1\n"
        "  smartshoe journal seals /mnt/archive/table-1 --day 2026-11-21 --write seals.json\n\n"
        "Read the short code out to a witness, print it, or hand over the file: "
        "`smartshoe verify --witness` compares either with the journal later. "
        "Exit codes: 0, or 1 where a signature does not hold.",
    )(seals)
    cli_journal_keep.add_to(journal)
    app.add_typer(journal, name="journal")


# --- list -----------------------------------------------------------------------------------------


def list_shoes(
    path: _Journal,
    json: _Json = False,
    archive: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Say of each shoe whether it is there.")
    ] = None,
) -> None:
    """Show the sealed shoes, one a line, the oldest first."""
    from controller.archive.copies import has_copy
    from controller.archive.prune import held_by
    from controller.archive.shoe_index import sealed_shoes

    found: list[dict[str, object]] = []
    for one in sealed_shoes(path):
        archived = has_copy(archive, one) if archive is not None else None
        held = held_by(path, one.name)
        if json:
            found.append(_plain(one, archived, held))
            continue
        if not found:
            say(_LINE.format("shoe", "records", "coups", "irreg.", "clean", "signed", "bytes", ""))
            found.append({})
        say(_line(one, archived, held))
    if json:
        say_json({"path": str(path), "shoes": found})
    elif not found:
        say(f"{path}: no shoe is sealed here")


def _plain(one: "SealedShoe", archived: bool | None, held: str) -> dict[str, object]:
    said = one.heading
    return {
        "table": said.table,
        "gaming_day": said.gaming_day,
        "shoe": said.shoe,
        "first_record": said.first_seq,
        "last_record": said.last_seq,
        "from_ns": said.from_ns,
        "until_ns": said.until_ns,
        "coups": said.coups,
        "irregularities": said.irregularities,
        "clean": said.clean,
        "signed": one.signed,
        "digest": one.digest.hex(),
        "bytes": one.size,
        "software": said.software,
        "archived": archived,
        "held": held or None,
    }


def _line(one: "SealedShoe", archived: bool | None, held: str) -> str:
    said = one.heading
    where = {True: "archived", False: "not archived", None: ""}[archived]
    return _LINE.format(
        str(one.name),
        one.records,
        said.coups,
        said.irregularities,
        "yes" if said.clean else "no",
        "yes" if one.signed else "no",
        one.size,
        ", ".join(filter(None, (where, held))),
    ).rstrip()


# --- export ---------------------------------------------------------------------------------------


def export(
    path: _Journal,
    tape: Annotated[
        Path | None, typer.Option(metavar="OUT.tape", help="Write the records into a new file.")
    ] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON object a line: coup, irregularity, decision."),
    ] = False,
    day: Annotated[str, typer.Option(metavar="DAY", help="One gaming day's sealed shoes.")] = "",
    shoe: Annotated[int | None, typer.Option(metavar="N", help="One of them.", min=1)] = None,
) -> None:
    """Take records elsewhere on one tape, or print what happened as rows for a spreadsheet."""
    from controller.archive.export import export_tape, finished_part, rows, sealed_span
    from controller.journal.store import open_read_only

    if (tape is None) is not json:
        raise Unable("write either --tape OUT.tape for the records, or --json for rows")
    if shoe and not day:
        raise Unable("--shoe needs --day: numbers of shoes begin anew each gaming day")
    with open_read_only(path) as journal:
        part = sealed_span(path, day, shoe) if day else finished_part(journal)
        if part.count == 0:
            remark(f"{path}: no coup is finished yet, so there is nothing to export")
        if json:
            for row in rows(journal, part):
                say_json_line(row)
            return
        assert tape is not None
        with progress_bar("export") as progress:
            export_tape(journal, part, tape, progress)
    first = part.base.seq + 1
    say(f"{tape}: {part.count} records, {first} to {part.last_seq}; `smartshoe replay {tape}`")


# --- seals ----------------------------------------------------------------------------------------


def seals(
    path: _Journal,
    json: _Json = False,
    day: Annotated[str, typer.Option(metavar="DAY", help="The newest if not given.")] = "",
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Copy the list into a new file.")
    ] = None,
) -> None:
    """Show a gaming day's seals and their short code, to be kept away from this machine."""
    from controller.archive.day_list import newest_list, read_day, short_code, verifies
    from controller.system.atomic_file import read_text, require_new, store_text
    from controller.system.keys import PublicKey, fingerprint_text

    file = newest_list(path, day)
    found, holds = read_day(file), False
    if write is not None:
        require_new(write)
        store_text(write, read_text(file))
    holds = verifies(found)
    signed = "none" if not found.signature else "holds" if holds else "DOES NOT HOLD"
    key = fingerprint_text(PublicKey(found.signer).fingerprint) if found.signer else ""
    if json:
        say_json(
            {
                "file": str(file),
                "table": found.table,
                "gaming_day": found.gaming_day,
                "short_code": short_code(found),
                "signature": signed.lower(),
                "key": key,
                "seals": [{"shoe": one.shoe, "digest": one.digest.hex()} for one in found.seals],
                "written": str(write) if write is not None else None,
            }
        )
    else:
        say(f"table       {found.table}")
        say(f"gaming day  {found.gaming_day}")
        for one in found.seals:
            say(f"shoe {one.shoe:>4}   {one.digest.hex()}")
        say(f"short code  {short_code(found)}")
        say(f"signature   {signed}{f', key {key}' if key else ''}")
        if write is not None:
            say(f"written     {write}")
    raise typer.Exit(Exit.NO if found.signature and not holds else Exit.DONE)
