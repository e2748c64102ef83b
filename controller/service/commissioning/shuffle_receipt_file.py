"""Exports a journal's shuffle receipts to files, and proves such a file by the device's key.

Not: whether a shuffle counts for its batch (controller.custody.batch_life).

The sealed bytes are in the file as the device sent them; the readable fields beside them are a
copy, which `contradictions` compares. The batch and the calendar time are the table's statement: a
device knows neither.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct, field

from controller.core.tape.inputs import Started
from controller.core.tape.records import holds, read_as, read_input, received_ns
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.encoding import RecordKind, unwrap
from controller.journal.store import open_read_only
from controller.journal.values import StoredRecord
from controller.rules.profiles.borrowing import borrowed_among
from controller.rules.profiles.profile import document_of
from controller.service.commissioning.pairing_file import PairedDevice
from controller.system.json_document import (
    Count,
    Digest,
    Document,
    HexBytes,
    LongCount,
    UtcTime,
    load_document,
    plain_fields,
    time_text,
)
from controller.system.messages.catalogue import to_words
from drivers.catalogue import RECEIPT_FORM, open_receipt
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.message import message

FILE_SUFFIX: Final = ".shuffle.json"
# Fields of a proof that no device signs.
_OF_THE_TABLE: Final = ("sealed", "signed", "genuine", "ended_utc_ns", "uncertainty_ns")
_REMEDY: Final = "take the file as `smartshoe shuffles export` wrote it"


class RecordedShuffle(Struct, frozen=True):
    """A receipt in a journal: its record number, and its time by the table's clock.

    `borrowed` names the decision of each of its clauses that its profile's document borrows.
    """

    record: int
    at_utc_ns: int
    recorded: ShuffleRecorded
    borrowed: Mapping[str, str] = {}


def read_shuffles(journal: Path) -> Iterator[RecordedShuffle]:
    """Every shuffle of a journal, in order, without archived shoes. Raises JournalError."""
    with open_read_only(journal) as opened:
        first = opened.first_available_seq
        yield from shuffles_in(opened.records(after_seq=first - 1), opened.base.started)


def shuffles_in(records: Iterable[StoredRecord], started: bytes) -> Iterator[RecordedShuffle]:
    """Every shuffle in the records, in order; `started` is the record that began their run."""
    newest = b""
    for stored in records:
        if unwrap(stored.record)[0] is RecordKind.INPUT:
            newest = stored.record
            started = newest if holds(newest, Started) else started
        elif (entry := read_as(stored.record, ShuffleRecorded)) is not None:
            borrowed = borrowed_among(_document(started), entry.clauses)
            yield RecordedShuffle(stored.seq, _utc_ns(newest), entry, borrowed)


def _document(started: bytes) -> str:
    """The rule document of the profile of a run; "" where that is unknown."""
    began = read_as(started, Started) if started else None
    return document_of(began.profile.decode()) if began is not None else ""


def _utc_ns(record: bytes) -> int:
    """When the input arrived that an entry was concluded from."""
    item = read_input(record) if record else None
    return received_ns(item) if item is not None else 0


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
            "refused": "" if recorded.refused is None else to_words(recorded.refused),
            "clauses": list(recorded.clauses),
            **({"borrowed": dict(shuffle.borrowed)} if shuffle.borrowed else {}),
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


class _Faces(HexBytes):
    SIZES = range(52 + 1)


class _Sealed(HexBytes):
    SIZES = range(400 + 1)


class _ReceiptPart(Document, frozen=True):
    device: str
    boot_id: Count
    boot_count: Count
    cycle: Count
    compartment: Count
    count: Count
    result: ShuffleResult
    back: str
    faces: _Faces
    began_us: LongCount
    ended_us: LongCount
    image: Digest = field(name="firmware_sha256")
    version: str = field(name="firmware_version")


class _TablePart(Document, frozen=True):
    record: LongCount
    recorded_at: UtcTime
    batch: str
    genuine: bool
    refused: str
    clauses: tuple[str, ...]
    borrowed: Mapping[str, str] = {}
    ended_at: UtcTime | None = None
    uncertainty_ns: LongCount | None = None


class _ShuffleFile(Document, frozen=True):
    form: Literal["TableLink/1"]
    receipt: _ReceiptPart
    sealed: _Sealed
    signed: bool
    table: _TablePart


def load_shuffle(path: Path) -> RecordedShuffle:
    """Read a file of `smartshoe shuffles export`. Raises SmallFileError."""
    file = load_document(path, _ShuffleFile, _REMEDY)
    table = file.table
    proof = ShuffleProof(
        **plain_fields(file.receipt),
        sealed=bytes(file.sealed),
        signed=file.signed,
        genuine=table.genuine,
        ended_utc_ns=None if table.ended_at is None else int(table.ended_at),
        uncertainty_ns=table.uncertainty_ns,
    )
    refused = message("as_typed", typed=table.refused) if table.refused else None
    recorded = ShuffleRecorded(table.batch, proof, refused, table.clauses)
    return RecordedShuffle(table.record, int(table.recorded_at), recorded, table.borrowed)


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
