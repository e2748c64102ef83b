"""`smartshoe evidence`: writes the evidence of one coup into one file with its own verifier."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import JournalOrArchive, ReplacedBy

if TYPE_CHECKING:
    from office.evidence.coup_times import CoupAt, DealtCoup


def evidence(
    coup: Annotated[
        str | None,
        typer.Argument(
            metavar="COUP",
            help="Gaming day, shoe and coup, as 2026-11-21/7/34; 7/34 for the newest gaming day.",
        ),
        ReplacedBy("at"),
    ],
    journal: JournalOrArchive,
    out: Annotated[Path, typer.Option(metavar="BUNDLE.zip", help="The new file.")],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="In place of COUP: the coup nearest to 14:32 by the table's clock on the newest"
            " gaming day, or to '2026-11-21 14:32' on that one; seconds are optional.",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT", min=1, max=99, help="With --at: only coups with a wager of it."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Write the evidence of one coup, with its whole shoe, into one new file.

    The coup's shoe must be finished and sealed. The journal is only read and may be in use.
    """
    from hashlib import sha256

    from controller.rules.profiles.load import load_clauses
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.clock import now
    from office.evidence.bundle import build_bundle, store_bundle
    from office.evidence.coup_times import ClockTime, find_coup_at
    from office.evidence.lookup import CoupReference, find_shoe

    _require_one_way(coup, at, seat)
    named = CoupReference.parse(coup) if coup is not None else None
    asked = ClockTime.parse(at) if at is not None else None
    require_new(out)
    timed = find_coup_at(journal, asked, seat) if asked is not None else None
    wanted = timed.chosen.reference if timed is not None else named
    assert wanted is not None, "a coup or a time is named"
    found = find_shoe(journal, wanted)
    bundle = build_bundle(found, wanted.coup, load_clauses(), now().utc_ns)
    data = bundle.to_zip()
    store_bundle(out, data)
    digest = sha256(data).hexdigest()
    if json:
        names = [name for name, _ in bundle.files]
        written: dict[str, object] = {
            "path": str(out),
            "coup": bundle.coup,
            "bytes": len(data),
            "sha256": digest,
        }
        written |= _timed_json(timed) if timed is not None else {}
        echo_json({**written, "provisional": bundle.provisional, "files": names})
        return
    for line in _timed_lines(timed) if timed is not None else ():
        echo(line)
    echo(f"{out}: coup {bundle.coup}, {len(bundle.files)} files, {len(data)} bytes")
    echo(f"  sha256 {digest}")
    if bundle.provisional:
        echo("  a correction is not sealed yet: make the evidence again after the next shoe's end")
    echo("  to check it anywhere: unpack it and run `python3 verify.py .` in its folder")


def _require_one_way(coup: str | None, at: str | None, seat: int | None) -> None:
    """Raise CommandError: a coup is named by itself or by a time, and a seat only with a time."""
    if coup is not None and at is not None:
        raise CommandError(
            "a coup is named, too",
            place="--at",
            allowed="COUP or --at TIME, once",
            remedy="remove one of them",
        )
    if seat is not None and at is None:
        raise CommandError(
            "no time is given",
            place="--seat",
            allowed="--at TIME --seat SEAT",
            remedy="add --at, such as --at 14:32, and leave COUP out",
        )


# --- a coup by its time ---------------------------------------------------------------------------


def _timed_lines(timed: "CoupAt") -> list[str]:
    """When the time was, the coup that was chosen, and those beside it."""
    from office.evidence.timeline import local_and_utc

    moments = [local_and_utc(one, timed.zone)[0].replace(".000", "") for one in timed.moments]
    asked = " and ".join(moments)
    if len(moments) > 1:
        asked = f"the clock was set back and showed it twice: {asked}; the nearer coup is chosen"
    return [
        asked,
        *(f"  {_row(one, timed)}" for one in timed.listed),
        "  if another one is meant, give it in place of --at",
    ]


def _row(one: "DealtCoup", timed: "CoupAt") -> str:
    from office.evidence.timeline import local_and_utc

    (_, begin, _), (_, end, offset) = (
        local_and_utc(ns, timed.zone)[0].split() for ns in (one.from_ns, one.until_ns)
    )
    seats = f"; seats {', '.join(map(str, one.seats))}" if one.seats else ""
    chosen = "  <- chosen" if one == timed.chosen else ""
    return f"{one.name}  {begin[:8]} to {end[:8]} {offset}  {_outcome_text(one)}{seats}{chosen}"


def _outcome_text(one: "DealtCoup") -> str:
    """Its outcome at its end; nothing of a shoe that is still open."""
    from office.evidence.timeline import OUTCOME_TEXTS

    if not one.sealed:
        return "not sealed yet"
    outcome = one.record.outcome if one.record is not None else None
    return OUTCOME_TEXTS[outcome] if outcome is not None else "no outcome counts"


def _timed_json(timed: "CoupAt") -> dict[str, object]:
    from controller.system.json_document import time_text

    return {
        "moments": [time_text(one) for one in timed.moments],
        "candidates": [_candidate_json(one, timed) for one in timed.listed],
    }


def _candidate_json(one: "DealtCoup", timed: "CoupAt") -> dict[str, object]:
    from controller.system.json_document import time_text
    from office.evidence.timeline import local_and_utc

    outcome = one.record.outcome if one.sealed and one.record is not None else None
    return {
        "coup": one.name,
        "chosen": one == timed.chosen,
        "sealed": one.sealed,
        "from": time_text(one.from_ns),
        "until": time_text(one.until_ns),
        "local": [local_and_utc(ns, timed.zone)[0] for ns in (one.from_ns, one.until_ns)],
        "outcome": outcome.value if outcome is not None else None,
        "seats": list(one.seats),
    }
