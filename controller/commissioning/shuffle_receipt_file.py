"""Exports a journal's shuffle receipts to files, and proves such a file by the device's key.

Not: whether a shuffle counts for its batch (controller.custody.batch_life).
Source: controller/commissioning/README.md, "Shuffle receipts".

The sealed bytes are in the file as the device sent them; the readable fields beside them are a
copy, which `contradictions` compares. The batch and the calendar time are the table's statement: a
device knows neither.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, assert_never

from msgspec import Struct

from controller.commissioning.pairing_file import PairedDevice
from controller.journal.encoding import EncodingError
from controller.journal.record import RecordKind, unwrap
from controller.journal.store import open_read_only
from controller.procedure.effects import ShuffleRecorded
from controller.system.atomic_file import SmallFileError, problem_lines, read_text
from controller.system.json_document import U64_MAX, JsonFields, time_text
from controller.tape.inputs import Input
from controller.tape.records import (
    inputs_in,
    read_entry,
    read_input,
)
from drivers.catalogue import RECEIPT_FORM, open_receipt
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from firmware_bridge.attestation import IMAGE_BYTES

FILE_SUFFIX: Final = ".shuffle.json"
_SEALED_BYTES_MAX: Final = 400
_FACES: Final = 52
# Fields of a proof that no device signs.
_OF_THE_TABLE: Final = ("sealed", "signed", "genuine", "ended_utc_ns", "uncertainty_ns")
_REMEDY: Final = "take the file as `smartshoe shuffles export` wrote it"


class RecordedShuffle(Struct, frozen=True):
    """A receipt in a journal: its record number, and its time by the table's clock."""

    record: int
    at_utc_ns: int
    recorded: ShuffleRecorded


def read_shuffles(journal: Path) -> Iterator[RecordedShuffle]:
    """Every shuffle of a journal, in order, without archived shoes. Raises JournalError."""
    with open_read_only(journal) as opened:
        last_input = b""
        for stored in opened.records(after_seq=opened.first_available_seq - 1):
            kind, _ = unwrap(stored.record)
            match kind:
                case RecordKind.INPUT:
                    last_input = stored.record
                case RecordKind.ENTRY:
                    entry = _entry(stored.record)
                    if entry is not None:
                        yield RecordedShuffle(stored.seq, _utc_ns(last_input), entry)
                case _:
                    assert_never(kind)


def _entry(record: bytes) -> ShuffleRecorded | None:
    try:
        entry = read_entry(record)
    except EncodingError:
        entry = read_entry(record)
    return entry if isinstance(entry, ShuffleRecorded) else None


def _utc_ns(record: bytes) -> int:
    """The UTC time of the input that caused an entry, in nanoseconds."""
    try:
        item = read_input(record)
    except EncodingError:
        item = read_input(record)
    inputs: tuple[Input, ...] = () if item is None else inputs_in(item)
    return inputs[-1].at.utc_ns if inputs else 0


# --- the file ------------------------------------------------------------------------------------


def file_name(shuffle: RecordedShuffle) -> str:
    """The file name of a shuffle; names sort in journal order."""
    proof = shuffle.recorded.proof
    return f"{shuffle.record:09}-{proof.device}-{proof.cycle}{FILE_SUFFIX}"


def shuffle_fields(shuffle: RecordedShuffle) -> dict[str, object]:
    """The file's fields as plain JSON values."""
    recorded, proof = shuffle.recorded, shuffle.recorded.proof
    return {
        "form": RECEIPT_FORM,
        "receipt": {
            "device": proof.device,
            "boot_id": proof.boot_id,
            "boot_count": proof.boot_count,
            "cycle": proof.cycle,
            "compartment": proof.compartment,
            "count": proof.count,
            "result": proof.result.value,
            "back": proof.back,
            "faces": proof.faces.hex(),
            "began_us": proof.began_us,
            "ended_us": proof.ended_us,
            "firmware_sha256": proof.image.hex(),
            "firmware_version": proof.version,
        },
        "sealed": proof.sealed.hex(),
        "signed": proof.signed,
        "table": {
            "record": shuffle.record,
            "recorded_at": time_text(shuffle.at_utc_ns),
            **_ended(proof),
            "batch": recorded.batch,
            "genuine": proof.genuine,
            "refused": recorded.refused,
            "clauses": list(recorded.clauses),
        },
    }


def _ended(proof: ShuffleProof) -> dict[str, object]:
    """The end of the shuffle by the table's clock, where the device's clock is known."""
    if proof.ended_utc_ns is None or proof.uncertainty_ns is None:
        return {}
    return {
        "ended_at": time_text(proof.ended_utc_ns),
        "uncertainty_ns": proof.uncertainty_ns,
    }


def shuffle_text(shuffle: RecordedShuffle) -> str:
    """The file's text: JSON, one field per line."""
    return json.dumps(shuffle_fields(shuffle), indent=2, ensure_ascii=False) + "\n"


def load_shuffle(path: Path) -> RecordedShuffle:
    """Read a file of `smartshoe shuffles export`. Raises SmallFileError with every problem."""
    fields = JsonFields.of(read_text(path), _REMEDY)
    fields.choice("form", (RECEIPT_FORM,))
    receipt, table = fields.inner("receipt"), fields.inner("table")
    proof = ShuffleProof(
        device=receipt.text("device"),
        boot_id=receipt.number("boot_id"),
        boot_count=receipt.number("boot_count"),
        cycle=receipt.number("cycle"),
        compartment=receipt.number("compartment"),
        count=receipt.number("count"),
        result=ShuffleResult(receipt.choice("result", ShuffleResult)),
        back=receipt.text("back"),
        faces=receipt.hex("faces", 0, _FACES),
        began_us=receipt.number("began_us", U64_MAX),
        ended_us=receipt.number("ended_us", U64_MAX),
        image=receipt.hex("firmware_sha256", IMAGE_BYTES),
        version=receipt.text("firmware_version"),
        sealed=fields.hex("sealed", 0, _SEALED_BYTES_MAX),
        signed=fields.truth("signed"),
        genuine=table.truth("genuine"),
        ended_utc_ns=table.time("ended_at") if table.holds("ended_at") else None,
        uncertainty_ns=(
            table.number("uncertainty_ns", U64_MAX) if table.holds("uncertainty_ns") else None
        ),
    )
    recorded = ShuffleRecorded(
        batch=table.text("batch"),
        proof=proof,
        refused=table.text("refused"),
        clauses=table.texts("clauses"),
    )
    shuffle = RecordedShuffle(table.number("record", U64_MAX), table.time("recorded_at"), recorded)
    problems = fields.problems()
    if problems:
        raise SmallFileError(problem_lines(path, problems))
    return shuffle


# --- proof ---------------------------------------------------------------------------------------


def contradictions(shuffle: RecordedShuffle, paired: PairedDevice) -> tuple[str, ...]:
    """Why the file is not what the paired device signed; empty where it is."""
    proof = shuffle.recorded.proof
    if not proof.signed:
        return (
            (
                "the device did not sign it: it has no identity. Remedy: nothing can prove it;"
                " pair a device that has one"
            ),
        )
    signed = open_receipt(proof.sealed, paired.pin.key)
    if signed is None:
        return (
            (
                f"it is not signed by the device that {paired.person} paired,"
                f" {paired.pin.device.hex().upper()}. Remedy: name the identity file of the device"
                " that shuffled, or have the file investigated"
            ),
        )
    if signed.device.lower() != paired.pin.device.hex():
        return (
            f"the paired device signed it as device {signed.device}. Remedy: have it investigated",
        )
    return tuple(_differences(proof, signed))


def _differences(stated: ShuffleProof, signed: ShuffleProof) -> Iterator[str]:
    """The readable fields that differ from the signed bytes, one sentence each."""
    for name in ShuffleProof.__struct_fields__:
        here, there = getattr(stated, name), getattr(signed, name)
        if name in _OF_THE_TABLE or here == there:
            continue
        shown = (one.hex() if isinstance(one, bytes) else str(one) for one in (here, there))
        yield "receipt.{}: the file says {}, the device signed {}".format(name, *shown)
