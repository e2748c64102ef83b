"""`smartshoe shuffles`: the receipts of shuffles, from a journal to a file that proves itself.

Responsible for: the commands' options and what they print.
Not responsible for: receipts and their files (shuffle_files), and for the journal's own proof
(`smartshoe verify`).
Source: package README, "Shuffle receipts".
"""
# ruff: noqa: PLC0415 - storage and devices are loaded only by the command that needs them.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.errors import Exit
from controller.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from controller.commissioning.shuffle_receipt_file import RecordedShuffle

_NS_PER_MS: Final = 1_000_000
_US_PER_S: Final = 1_000_000

_Journal = Annotated[
    Path, typer.Argument(metavar="JOURNAL", help="A journal's folder, or its live.db.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    shuffles = typer.Typer(
        help="The receipts of shuffles: list and export them, verify an exported one.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    shuffles.command(
        "list",
        epilog="\b\nexamples:\n  smartshoe shuffles list /var/lib/smartshoe/table-1\n"
        "  smartshoe shuffles list copy/live.db --json\n\n"
        "The journal is only read, and may be in use; `smartshoe verify` checks that it is whole.",
    )(list_shuffles)
    shuffles.command(
        epilog="\b\nexample:\n"
        "  smartshoe shuffles export /var/lib/smartshoe/table-1 --out receipts\n\n"
        "One file a shuffle. A file that is there with the same receipt stays as it is."
    )(export)
    shuffles.command(
        epilog="\b\nexample:\n"
        "  smartshoe shuffles verify receipts/000000412-5348554630303031-7.shuffle.json \\\n"
        "    --identity shuffler.identity.json\n\n"
        "Exit codes: 0 it is what the paired device signed, 1 it is not, 2 it cannot be read."
    )(verify)
    app.add_typer(shuffles, name="shuffles")


def list_shuffles(journal: _Journal, json: _Json = False) -> None:
    """Show the shuffles that a journal records."""
    from controller.commissioning.shuffle_receipt_file import shuffle_plain, shuffles_in

    found = tuple(shuffles_in(journal))
    if json:
        say_json({"path": str(journal), "shuffles": [shuffle_plain(one) for one in found]})
        return
    if not found:
        say(f"{journal}: no shuffle is recorded here")
        return
    say_table(
        ("record", "recorded (UTC)", "batch", "device, cycle", "cards", "result", "took", "counts"),
        [_row(one) for one in found],
    )


def _row(shuffle: "RecordedShuffle") -> tuple[str, ...]:
    from controller.system.json_document import time_text

    recorded, proof = shuffle.recorded, shuffle.recorded.proof
    return (
        str(shuffle.record),
        f"{time_text(shuffle.at_utc_ns)[:19]}Z",
        recorded.batch,
        f"{proof.device}, {proof.cycle}",
        str(proof.count),
        proof.result.value.replace("_", " "),
        f"{(proof.ended_us - proof.began_us) // _US_PER_S} s",
        _counts(shuffle),
    )


def _counts(shuffle: "RecordedShuffle") -> str:
    recorded = shuffle.recorded
    if recorded.refused:
        cited = f" ({', '.join(recorded.clauses)})" if recorded.clauses else ""
        return f"no: {recorded.refused}{cited}"
    return "yes" if recorded.proof.genuine else "yes, unsigned: a bare device"


def export(
    journal: _Journal,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")],
    json: _Json = False,
) -> None:
    """Write each shuffle of a journal into a file of its own, sealed as the device gave it."""
    from controller.commissioning.shuffle_receipt_file import file_name, shuffle_text, shuffles_in
    from controller.system.atomic_file import read_text, require_new, store_text

    written: list[str] = []
    there = 0
    for shuffle in shuffles_in(journal):
        path, text = out / file_name(shuffle), shuffle_text(shuffle)
        if path.is_file() and read_text(path) == text:
            there += 1
            continue
        require_new(path)
        store_text(path, text)
        written.append(str(path))
    if json:
        say_json({"path": str(journal), "written": written, "there_already": there})
        return
    for name in written:
        say(name)
    say(f"{len(written)} written, {there} were there already")


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported shuffle.")],
    identity: Annotated[
        Path, typer.Option(metavar="PIN", help="The file of the paired device that shuffled.")
    ],
    json: _Json = False,
) -> None:
    """Check an exported shuffle by itself: is it what the paired device signed?"""
    from controller.commissioning.pairing_file import load_pairing
    from controller.commissioning.shuffle_receipt_file import (
        contradictions,
        load_shuffle,
        shuffle_plain,
    )

    shuffle, paired = load_shuffle(file), load_pairing(identity)
    problems = contradictions(shuffle, paired)
    if json:
        proven = {"file": str(file), "proven": not problems, "problems": list(problems)}
        say_json({**proven, **shuffle_plain(shuffle)})
    elif problems:
        say(f"NOT PROVEN: {file}")
        for problem in problems:
            say(f"  {problem}")
    else:
        _tell_proven(file, shuffle, paired.person)
    raise typer.Exit(Exit.NO if problems else Exit.DONE)


def _tell_proven(file: Path, shuffle: "RecordedShuffle", person: str) -> None:
    from controller.system.json_document import time_text

    recorded, proof = shuffle.recorded, shuffle.recorded.proof
    say(f"proven: {file}")
    say(f"  signed by device {proof.device}, which {person} paired")
    say(f"  shuffle {proof.cycle} of the device, compartment {proof.compartment}")
    say(f"  {proof.count} cards, result: {proof.result.value.replace('_', ' ')}")
    if proof.faces:
        say(f"  {_faces(proof.faces)}")
    if proof.back:
        say(f"  back seen: {proof.back}")
    say(
        f"  from {proof.began_us} us to {proof.ended_us} us of its start {proof.boot_count}"
        f" (boot {proof.boot_id:08x})"
    )
    say(f"  firmware {proof.version}, image {proof.image.hex()}")
    say("not the device's word but the table's:")
    say(f"  batch {recorded.batch}, record {shuffle.record}, {time_text(shuffle.at_utc_ns)}")
    if proof.ended_utc_ns is not None and proof.uncertainty_ns is not None:
        off_ms = -(-proof.uncertainty_ns // _NS_PER_MS)
        say(f"  ended {time_text(proof.ended_utc_ns)}, give or take {off_ms} ms")
    say(f"  counts for the batch: {_counts(shuffle)}")


def _faces(faces: bytes) -> str:
    least, most = min(faces), max(faces)
    if least == most:
        return f"each of the 52 faces {most} times"
    return f"faces: between {least} and {most} of each"
