"""`smartshoe shuffles`: lists, exports and verifies shuffle receipts."""
# ruff: noqa: PLC0415 - storage and devices are loaded only by the command that needs them.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import echo, echo_json, echo_table
from controller.system.command_line.path_parameters import JournalFile

if TYPE_CHECKING:
    from controller.service.commissioning.shuffle_receipt_file import RecordedShuffle

_NS_PER_MS: Final = 1_000_000
_US_PER_S: Final = 1_000_000

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def list_shuffles(journal: JournalFile, json: _Json = False) -> None:
    """List the shuffles in a journal."""
    from controller.service.commissioning.shuffle_receipt_file import read_shuffles, shuffle_fields

    found = tuple(read_shuffles(journal))
    if json:
        echo_json({"path": str(journal), "shuffles": [shuffle_fields(one) for one in found]})
        return
    if not found:
        echo(f"{journal}: no shuffle is recorded here")
        return
    echo_table(
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
        _counts_text(shuffle),
    )


def _counts_text(shuffle: "RecordedShuffle") -> str:
    from controller.rules.profiles.borrowing import describe_citation
    from controller.system.messages.catalogue import to_words

    recorded = shuffle.recorded
    if recorded.refused is not None:
        refused = to_words(recorded.refused)
        named = ((one, shuffle.borrowed.get(one)) for one in recorded.clauses)
        cited = ", ".join(describe_citation(*one) for one in named)
        return f"no: {refused} ({cited})" if cited else f"no: {refused}"
    return "yes" if recorded.proof.genuine else "yes, unsigned: a bare device"


def export(
    journal: JournalFile,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")],
    json: _Json = False,
) -> None:
    """Write each shuffle of a journal into its own file, as the device signed it."""
    from controller.service.commissioning.shuffle_receipt_file import (
        file_name,
        read_shuffles,
        shuffle_text,
    )
    from controller.system.atomic_file import read_text, require_new, store_text

    written: list[str] = []
    present = 0
    for shuffle in read_shuffles(journal):
        path, text = out / file_name(shuffle), shuffle_text(shuffle)
        if path.is_file() and read_text(path) == text:
            present += 1
            continue
        require_new(path)
        store_text(path, text)
        written.append(str(path))
    if json:
        echo_json({"path": str(journal), "written": written, "there_already": present})
        return
    for name in written:
        echo(name)
    echo(f"{len(written)} written, {present} already present")


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported shuffle.")],
    identity: Annotated[
        Path, typer.Option(metavar="PIN", help="The file of the paired device that shuffled.")
    ],
    json: _Json = False,
) -> None:
    """Check that the paired device signed an exported shuffle."""
    from controller.service.commissioning.pairing_file import load_pairing
    from controller.service.commissioning.shuffle_receipt_file import (
        contradictions,
        load_shuffle,
        shuffle_fields,
    )

    shuffle, paired = load_shuffle(file), load_pairing(identity)
    problems = contradictions(shuffle, paired)
    if json:
        proven = {"file": str(file), "proven": not problems, "problems": list(problems)}
        echo_json({**proven, **shuffle_fields(shuffle)})
    elif problems:
        echo(f"NOT PROVEN: {file}")
        for problem in problems:
            echo(f"  {problem}")
    else:
        _print_proven(file, shuffle, paired.person)
    raise typer.Exit(ExitCode.NO if problems else ExitCode.DONE)


def _print_proven(file: Path, shuffle: "RecordedShuffle", person: str) -> None:
    from controller.system.json_document import time_text

    recorded, proof = shuffle.recorded, shuffle.recorded.proof
    echo(f"proven: {file}")
    echo(f"  signed by device {proof.device}, which {person} paired")
    echo(f"  shuffle {proof.cycle} of the device, compartment {proof.compartment}")
    echo(f"  {proof.count} cards, result: {proof.result.value.replace('_', ' ')}")
    if proof.faces:
        echo(f"  {_faces(proof.faces)}")
    if proof.back:
        echo(f"  back seen: {proof.back}")
    echo(
        f"  from {proof.began_us} us to {proof.ended_us} us of its start {proof.boot_count}"
        f" (boot {proof.boot_id:08x})"
    )
    echo(f"  firmware {proof.version}, image {proof.image.hex()}")
    echo("recorded by the table, not signed by the device:")
    echo(f"  batch {recorded.batch}, record {shuffle.record}, {time_text(shuffle.at_utc_ns)}")
    if proof.ended_utc_ns is not None and proof.uncertainty_ns is not None:
        off_ms = -(-proof.uncertainty_ns // _NS_PER_MS)
        echo(f"  ended {time_text(proof.ended_utc_ns)}, plus or minus {off_ms} ms")
    echo(f"  counts for the batch: {_counts_text(shuffle)}")


def _faces(faces: bytes) -> str:
    least, most = min(faces), max(faces)
    if least == most:
        return f"each of the 52 faces {most} times"
    return f"faces: between {least} and {most} of each"
