"""Exported shuffle receipts: contents of a journal, and proof by the file alone.

The sealed bytes were signed by OpenSSL (`pkeyutl -rawin`) with the keys of RFC 8032, 7.1.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.tape.inputs import Tick
from controller.core.tape.records import entry_record, input_record
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.store import Base, Head, Journal
from controller.service.commissioning.pairing_file import PairedDevice, PairedRole
from controller.service.commissioning.shuffle_receipt_file import (
    RecordedShuffle,
    contradictions,
    file_name,
    load_shuffle,
    read_shuffles,
    shuffle_text,
)
from controller.system.atomic_file import SmallFileError
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from firmware_bridge.attestation import ApprovedImage, Pin
from firmware_bridge.transport.port import Chunk
from foundation.message import message
from foundation.timestamp import Timestamp

KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SEALED = bytes.fromhex(
    "8443a10127a0588fad01485348554630303031021a5eed000103070401051901a006010763726564"
    "08583408080808080808080808080808080808080808080808080808080808080808080808080808"
    "080808080808080808080808080808091a000f42400a1a05f5e1000b5820c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00c65312e322e300d075840719824bcc09aaf"
    "ef4b2b754d68891be742982c5776498db97cc32cfb12159606a9972e8a333fed9f30bfed98c36873"
    "4c34358587052147c4fba67ed8d494d400"
)
OTHERS_SEALED = bytes.fromhex(
    "8443a10127a0588fad01485348554630303031021a5eed000103070401051901a006010763726564"
    "08583408080808080808080808080808080808080808080808080808080808080808080808080808"
    "080808080808080808080808080808091a000f42400a1a05f5e1000b5820c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00c65312e322e300d075840878e2829058335"
    "dba1acc797c3749eb03cb05fcf63977d928b5c407e66d2c68d7022939e26548fffd937df271bc581"
    "d793acc27f11c4ceab9f094f3c82bc9301"
)
AS_ANOTHER_DEVICE = bytes.fromhex(
    "8443a10127a0588fad01485348554630303032021a5eed000103070401051901a006010763726564"
    "08583408080808080808080808080808080808080808080808080808080808080808080808080808"
    "080808080808080808080808080808091a000f42400a1a05f5e1000b5820c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00c65312e322e300d07584023906fd33152b2"
    "6f1e742a9ab06582ce2592a6feb15a82a345dbd9d84e3c6f3f6865b6efce3a95d201b649fa3a026c"
    "bc36f8ac8b2e37f5ba1226dc821d1a5506"
)
EMPTY_MAP_SEALED = bytes.fromhex(
    "8443a10127a041a0584006a3a6a8a95f9c73af42618fe5ea85a475f131c4db7899e204a4b4530b25"
    "81e5e04f6c3e2c09ce02fdd790f10a814a13a9d499a8c607c58b281124e28b90bd04"
)
PROOF = ShuffleProof(
    device="5348554630303031",
    boot_id=0x5EED0001,
    boot_count=7,
    cycle=7,
    compartment=1,
    count=416,
    result=ShuffleResult.GOOD,
    back="red",
    faces=bytes([8] * 52),
    began_us=1_000_000,
    ended_us=100_000_000,
    image=bytes.fromhex("c0" * 32),
    version="1.2.0",
    sealed=SEALED,
    signed=True,
    genuine=True,
)
COUNTS = ShuffleRecorded("red", PROOF, None, ())
REFUSED = ShuffleRecorded(
    "red",
    replace(PROOF, cycle=8, result=ShuffleResult.COUNT_DIFFERS),
    message("as_typed", typed="its count is 415"),
    ("NY-a-4-iv-b-same",),
)
BARE = ShuffleRecorded("red", replace(PROOF, signed=False, genuine=False), None, ())
AT_NS = 1_795_255_200_000_000_001
SHUFFLE = RecordedShuffle(2, AT_NS, COUNTS)
PAIRED = PairedDevice(
    role=PairedRole.SHUFFLER,
    pin=Pin(device=b"SHUF0001", key=KEY, pairing="00112233aabbccdd", first_event=42),
    firmware=ApprovedImage(bytes.fromhex("c0" * 32), "1.2.0", 3),
    boot_count=7,
    person="Ann Lee",
    at_utc_ns=AT_NS,
)

Store = Callable[..., Path]


@pytest.fixture
def store(fast_dir: Path) -> Store:
    """Make a journal with these shuffles, each after its own input."""

    def stored(*entries: ShuffleRecorded) -> Path:
        journal = Journal.open(fast_dir / "journal")
        for number, entry in enumerate(entries):
            at = Timestamp(number, AT_NS + number)
            journal.append([input_record(Chunk("/dev/ttyUSB1", at, b"")), entry_record(entry)])
        journal.append([input_record(Tick(Timestamp(0, 0)))])
        journal.close()
        return fast_dir / "journal"

    return stored


@pytest.fixture
def file(fast_dir: Path) -> Path:
    path = fast_dir / file_name(SHUFFLE)
    path.write_text(shuffle_text(SHUFFLE))
    return path


# --- reading a journal ---------------------------------------------------------------------------


def test_every_shuffle_has_its_record_number_and_time(store: Store) -> None:
    assert tuple(read_shuffles(store(COUNTS, REFUSED))) == (
        RecordedShuffle(2, AT_NS, COUNTS),
        RecordedShuffle(4, AT_NS + 1, REFUSED),
    )


def test_a_journal_without_shuffles_has_none(three_coups: Path) -> None:
    assert tuple(read_shuffles(three_coups)) == ()


def test_shuffles_after_an_archived_shoe_are_listed(store: Store) -> None:
    folder = store(COUNTS, REFUSED)
    with Journal.open(folder) as journal:
        second = next(journal.records(after_seq=1))
        journal._set_base(Base.of(Head(2, second.chain), bytes(32), (1, b"")))

    assert tuple(read_shuffles(folder)) == (RecordedShuffle(4, AT_NS + 1, REFUSED),)


def test_a_written_shuffle_is_read_back(file: Path) -> None:
    assert load_shuffle(file) == SHUFFLE


def test_the_end_time_is_read_back_where_the_device_clock_was_known(fast_dir: Path) -> None:
    timed = with_proof(ended_utc_ns=AT_NS - 500, uncertainty_ns=1_200_001)
    path = fast_dir / file_name(timed)
    path.write_text(shuffle_text(timed))

    assert load_shuffle(path) == timed
    assert contradictions(timed, PAIRED) == ()


def test_the_file_is_readable_and_holds_the_sealed_bytes(file: Path) -> None:
    fields = json.loads(file.read_text())

    assert file.name == "000000002-5348554630303031-7.shuffle.json"
    assert fields["form"] == "TableLink/1"
    assert bytes.fromhex(fields["sealed"]) == SEALED
    assert fields["receipt"]["result"] == "good"
    assert fields["table"]["recorded_at"] == "2026-11-21T10:00:00.000000001Z"


# --- the file ------------------------------------------------------------------------------------


def test_a_file_proves_what_the_paired_device_signed() -> None:
    assert contradictions(SHUFFLE, PAIRED) == ()


def with_proof(**change: object) -> RecordedShuffle:
    proof = replace(PROOF, **change)  # type: ignore[arg-type]
    return replace(SHUFFLE, recorded=replace(COUNTS, proof=proof))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device", "5348554630303032"),
        ("boot_id", 1),
        ("boot_count", 8),
        ("cycle", 8),
        ("compartment", 2),
        ("count", 415),
        ("result", ShuffleResult.UNVERIFIED),
        ("back", "blue"),
        ("faces", bytes(52)),
        ("began_us", 0),
        ("ended_us", 0),
        ("image", bytes(32)),
        ("version", "1.2.1"),
    ],
)
def test_changed_readable_fields_are_reported(name: str, value: object) -> None:
    (problem,) = contradictions(with_proof(**{name: value}), PAIRED)

    assert problem.startswith(f"receipt.{name}: the file says ")


@pytest.mark.parametrize(
    ("shuffle", "reason"),
    [
        pytest.param(with_proof(signed=False), "it has no identity", id="bare"),
        pytest.param(with_proof(sealed=OTHERS_SEALED), "is not signed by the device", id="key"),
        pytest.param(with_proof(sealed=AS_ANOTHER_DEVICE), "as device 5348554630303032", id="id"),
        pytest.param(with_proof(sealed=EMPTY_MAP_SEALED), "is not signed by", id="no receipt"),
        pytest.param(with_proof(sealed=b""), "is not signed by the device", id="nothing"),
    ],
)
def test_a_file_without_proof_gives_the_reason(shuffle: RecordedShuffle, reason: str) -> None:
    (problem,) = contradictions(shuffle, PAIRED)

    assert reason in problem
    assert ". Remedy: " in problem


def test_changed_sealed_bytes_prove_nothing() -> None:
    for at in range(len(SEALED)):
        changed = bytes((*SEALED[:at], SEALED[at] ^ 1, *SEALED[at + 1 :]))
        assert contradictions(with_proof(sealed=changed), PAIRED), at


@pytest.mark.parametrize("name", ["form", "receipt", "sealed", "signed", "table"])
def test_an_incomplete_file_is_refused_with_a_remedy(file: Path, name: str) -> None:
    read = json.loads(file.read_text())
    del read[name]
    file.write_text(json.dumps(read))

    with pytest.raises(SmallFileError, match=f"{name}.*Remedy: take the file as"):
        load_shuffle(file)
