"""`smartshoe journal list | export | seals`: lists sealed shoes, exports records, shows seals.

Source: controller/archive/README.md, "Journal commands".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import to_builtins

from controller.cli.errors import CommandError, ExitCode
from controller.cli.output import echo, echo_json, echo_json_line, echo_stderr, progress_bar
from controller.cli.path_parameters import JournalOrArchive
from controller.views.quantity import counted

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
    path: JournalOrArchive,
    tape: Annotated[
        Path | None, typer.Option(metavar="OUT.tape", help="Write the records into a new file.")
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print one JSON object per line: coup, irregularity, decision."
        ),
    ] = False,
    day: Annotated[str, typer.Option(metavar="DAY", help="One gaming day's sealed shoes.")] = "",
    shoe: Annotated[
        int | None, typer.Option(metavar="N", help="One of them.", min=1, max=10**6)
    ] = None,
) -> None:
    """Write records to a tape file, or print coups, irregularities and decisions as rows."""
    from controller.archive.export import export_tape, finished_span, rows, sealed_span
    from controller.journal.people import PeopleFile, put_names
    from controller.journal.store import open_read_only

    if (tape is None) is not json:
        raise CommandError(
            "give one kind of output",
            place="--tape",
            allowed="either --tape OUT.tape for the records, or --json for rows",
            remedy="give one of them",
        )
    if shoe and not day:
        raise CommandError(
            "--shoe needs --day: shoe numbers start again each gaming day",
            place="--shoe",
            remedy="give --day too",
        )
    with open_read_only(path) as journal:
        part = sealed_span(path, day, shoe) if day else finished_span(journal)
        if part.withheld:
            coups = counted(part.withheld, "finished coup")
            echo_stderr(
                f"{path}: {coups} not exported yet: the record also names a card of the coup in"
                " play. Remedy: export again after that coup"
            )
        elif part.count == 0:
            echo_stderr(f"{path}: no coup is finished yet, so there is nothing to export")
        if json:
            names = PeopleFile.beside(path).names()
            for row in rows(journal, part):
                echo_json_line(put_names(row, names))
            return
        assert tape is not None
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
        Path | None, typer.Option(metavar="FILE", help="Copy the list into a new file.")
    ] = None,
) -> None:
    """Show a gaming day's seals and their short code, to be kept outside this machine."""
    from controller.archive.day_list import newest_list, read_day, short_code, signature_holds
    from controller.system.atomic_file import read_text, require_new, store_text
    from controller.system.keys import PublicKey, fingerprint_text

    file = newest_list(path, day)
    found = read_day(file)
    if write is not None:
        require_new(write)
        store_text(write, read_text(file))
    valid = signature_holds(found)
    signed = "none" if not found.signature else "valid" if valid else "NOT VALID"
    key = fingerprint_text(PublicKey(found.signer).fingerprint) if found.signer else ""
    if json:
        echo_json(
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
        echo(f"table       {found.table}")
        echo(f"gaming day  {found.gaming_day}")
        for one in found.seals:
            echo(f"shoe {one.shoe:>4}   {one.digest.hex()}")
        echo(f"short code  {short_code(found)}")
        echo(f"signature   {signed}{f', key {key}' if key else ''}")
        if write is not None:
            echo(f"written     {write}")
    raise typer.Exit(ExitCode.NO if found.signature and not valid else ExitCode.DONE)
