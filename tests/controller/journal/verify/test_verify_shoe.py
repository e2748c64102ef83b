"""The verifier on one sealed shoe: whatever was changed is found, with its file and place.

Source: controller/journal/README.md, "Shoe file", "Verifier".
"""

import random
import zlib
from hashlib import sha256
from pathlib import Path
from textwrap import wrap

import msgpack
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from msgspec.structs import replace

from controller.journal.shoe_file import UNSIGNED, ShoeParts, shoe_bytes
from controller.journal.verify import (
    CannotRead,
    EvidenceProblem,
    VerifyReport,
    check_shoe,
    report_lines,
    verify,
)

NAME = "0001.shoe"


def problems_of(data: bytes) -> list[EvidenceProblem]:
    report = VerifyReport(Path(NAME))
    check_shoe(report, NAME, data)
    return report.problems


def only_problem(data: bytes) -> EvidenceProblem:
    found = problems_of(data)
    assert len(found) == 1, [str(one) for one in found]
    assert found[0].file == NAME
    return found[0]


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


def place_of(made, at: int) -> str:
    """The part that contains a byte, by the lengths used to make the file."""
    rows = 36 + int.from_bytes(made.data[12:16], "big")
    packed, end = rows + len(made.rows), len(made.data) - 96
    if at < rows:
        return "head: " if at < 36 else "heading: "
    if at < packed:
        return f"row {(at - rows) // 64 + 1}, "
    if at < end:
        return "packed records: "
    return "digest: " if at < end + 32 else "signature: "


def test_an_intact_shoe(one_shoe, fast_dir: Path) -> None:
    (fast_dir / NAME).write_bytes(one_shoe.data)
    report = verify(fast_dir / NAME)

    assert report.intact
    assert (report.shoes, report.records, report.inputs) == (1, 13, 6)
    assert report.head_hex == one_shoe.heading.chain_after.hex()


# --- every bit, every length ----------------------------------------------------------------------


def assert_bit_is_named(made, at: int, bit: int) -> None:
    found = only_problem(flipped(made.data, at, bit))
    place = place_of(made, at)
    assert found.what.startswith(place), f"byte {at}, bit {bit}: {found}"
    # A signature does not show which byte was changed.
    assert found.at == (at if place != "signature: " else len(made.data) - 64), str(found)
    if place not in ("digest: ", "signature: "):
        assert found.what.endswith(f"bit {bit} of this byte was changed")


def test_a_changed_bit_of_every_fifth_byte_is_named(one_shoe) -> None:
    for at in range(0, len(one_shoe.data), 5):
        assert_bit_is_named(one_shoe, at, at % 8)


@pytest.mark.full
@pytest.mark.parametrize("bit", range(8))
def test_every_changed_bit_is_named(one_shoe, bit: int) -> None:
    for at in range(len(one_shoe.data)):
        assert_bit_is_named(one_shoe, at, bit)


def unpacks(packed: bytes) -> bool:
    try:
        zlib.decompress(packed)
    except zlib.error:
        return False
    return True


def test_a_changed_bit_that_unpacks_to_the_same_is_named(one_shoe) -> None:
    """Some bits of a zlib stream are unused."""
    data, packed = one_shoe.data, one_shoe.data.index(one_shoe.rows) + len(one_shoe.rows)
    places = [(at, bit) for at in range(packed, len(data) - 97) for bit in range(8)]
    silent = [(at, bit) for at, bit in places if unpacks(flipped(data, at, bit)[packed:-97])]

    assert silent
    for at, bit in silent:
        assert_bit_is_named(one_shoe, at, bit)


@pytest.mark.full
def test_a_changed_bit_in_the_middle_of_a_large_packed_part_is_named(shoe_maker) -> None:
    """Bytes that do not compress: the damage shows only at the end of the stream."""
    noise = msgpack.packb(["out", {"type": "noise", "data": random.Random(7).randbytes(50_000)}])
    records = shoe_maker.records("2026-11-21", 1, run=True, state=b"")
    made = shoe_maker.sealed("2026-11-21", 1, [*records[:2], noise, *records[2:]])

    assert_bit_is_named(made, len(made.data) // 2, 5)


def test_the_heading_and_the_byte_of_a_row_are_named(one_shoe) -> None:
    at = one_shoe.data.index(b"RED-0001") + 3
    assert only_problem(flipped(one_shoe.data, at, 2)).what.startswith("heading: bit 2")

    at = one_shoe.data.index(one_shoe.rows) + 64 + 21
    assert only_problem(flipped(one_shoe.data, at, 0)).what.startswith("row 2, its byte 21: bit 0")


def test_every_truncation_is_reported(one_shoe) -> None:
    for length in range(len(one_shoe.data)):
        first = problems_of(one_shoe.data[:length])[0]
        assert first.what.startswith("cut short"), f"{length}: {first}"
        assert f"{length} " in first.what
        assert first.at == length


@pytest.mark.parametrize("more", [b"\0", b"SMSHSEAL", bytes(200)])
def test_extra_bytes_after_the_end_are_counted(one_shoe, more: bytes) -> None:
    assert only_problem(one_shoe.data + more) == EvidenceProblem(
        0, f"{len(more)} extra bytes after its end", NAME, len(one_shoe.data)
    )


def test_two_shoes_in_one_file_are_one_too_many(shoe_maker) -> None:
    one, two = shoe_maker.shoe("2026-11-21", 1, run=True), shoe_maker.shoe("2026-11-21", 2)

    assert only_problem(one.data + two.data).at == len(one.data)


def test_more_than_one_changed_bit_is_located(one_shoe) -> None:
    chance = random.Random(5)
    for _ in range(40):
        at = chance.randrange(len(one_shoe.data) - 104)
        changed = one_shoe.data[:at] + bytes(8) + one_shoe.data[at + 8 :]
        if changed != one_shoe.data:
            assert problems_of(changed), f"8 bytes at {at}"


def test_each_changed_row_is_named(one_shoe) -> None:
    at = one_shoe.data.index(one_shoe.rows)
    changed = bytearray(one_shoe.data)
    for n in (1, 3):
        changed[at + 64 * (n - 1) + 8 : at + 64 * (n - 1) + 16] = bytes(8)
    report = [one.what for one in problems_of(bytes(changed))]

    assert report == [
        "the digest fails, and no single bit explains it",
        "row 1: its time is not that of the input before 5",
        "row 3: its time is not that of the input before 9",
    ]


def test_a_newer_format_is_not_checked(one_shoe) -> None:
    newer = one_shoe.data[:9] + b"\x05" + one_shoe.data[10:-97]
    newer += sha256(newer).digest() + bytes(65)

    with pytest.raises(CannotRead, match="its format is 5"):
        problems_of(newer)


# --- what it says against what its records say ---------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shoe": 2}, "heading: shoe is 2, but by its records 1"),
        ({"gaming_day": "2026-11-22"}, "heading: gaming_day is 2026-11-22, but by its records"),
        ({"last_seq": 14}, "heading: last_seq is 14, but by its records 13"),
        ({"from_ns": 1}, "heading: from_ns is 1, but by its records 17952516"),
        ({"until_ns": 2}, "heading: until_ns is 2, but by its records 17952516"),
        ({"coups": 2}, "heading: coups is 2, but by its records 1"),
        ({"irregularities": 3}, "heading: irregularities is 3, but by its records 0"),
        ({"decks": 6}, "heading: decks is 6, but by its records 8"),
        ({"opened_seq": 0}, "heading: opened_seq is 0, but by its records 1"),
        ({"chain_after": bytes(32)}, "chain_before, chain_after or a record from 12 to 13 was"),
        ({"chain_before": bytes(range(32))}, "chain_before, chain_after or a record from 1 to 5 w"),
        ({"started_seq": 1}, "started_seq: the record that began the run is missing"),
        ({"state_software": "0.5.0"}, "heading: state_software does not fit the state"),
    ],
)
def test_a_heading_that_differs_from_its_records_is_named(
    one_shoe, resealed, changes: dict[str, object], words: str
) -> None:
    assert only_problem(resealed(one_shoe, **changes).data).what.startswith(words)


def changed_row(made, n: int, at: int, data: bytes) -> bytes:
    start = 64 * (n - 1) + at
    return made.rows[:start] + data + made.rows[start + len(data) :]


@pytest.mark.parametrize(
    ("at", "data", "words"),
    [
        (8, bytes(8), "its time is not that of the input before 7"),
        (21, b"\x01", "its card is not that of record 7"),
        (20, b"\x09", "its card is not that of record 7"),
        (20, b"\x0a", "a number in it is not defined"),
        (22, b"\x0a", "a number in it is not defined"),
        (23, b"\x08", "a number in it is not defined"),
        (24, b"\x07", "a number in it is not defined"),
        (25, b"\x04", "a number in it is not defined"),
        (31, b"\x01", "a number in it is not defined"),
        (48, bytes(16), "its chain value is not that of record 7"),
    ],
)
def test_a_row_that_differs_from_its_record_is_named(
    one_shoe, resealed, at: int, data: bytes, words: str
) -> None:
    rows = changed_row(one_shoe, 2, at, data)
    found = only_problem(resealed(one_shoe, rows=rows).data)

    assert (found.what, found.seq) == (f"row 2: {words}", 7)
    assert found.at == one_shoe.data.index(one_shoe.rows) + 64


def problem_texts(made) -> list[str]:
    return [one.what for one in problems_of(made.data)]


def test_a_row_that_is_missing_extra_or_exchanged_is_named(one_shoe, resealed) -> None:
    rows = [one_shoe.rows[at : at + 64] for at in range(0, 256, 64)]

    without = resealed(one_shoe, rows=b"".join((rows[0], *rows[2:])))
    assert problem_texts(without) == ["the card of record 7 has no row"]
    twice = resealed(one_shoe, rows=b"".join((rows[0], *rows)))
    assert problem_texts(twice) == [
        "row 2: it is not in the order of its record",
        "row 2: record 5 has no card, or one that has a row already",
    ]
    exchanged = resealed(one_shoe, rows=b"".join((rows[1], rows[0], *rows[2:])))
    assert problem_texts(exchanged) == ["row 2: it is not in the order of its record"]


def with_records(made, resealed, records: tuple[bytes, ...]):
    return resealed(made, parts=replace(made.parts, records=records))


def test_a_changed_record_is_located_between_two_rows(one_shoe, resealed) -> None:
    records = list(one_shoe.parts.records)
    records[7] = records[7].replace(b"ttyUSB0", b"ttyUSB1")

    assert problem_texts(with_records(one_shoe, resealed, tuple(records))) == [
        "chain_before, chain_after or a record from 8 to 9 was changed"
    ]


def test_a_removed_record_is_detected(one_shoe, resealed) -> None:
    records = one_shoe.parts.records
    report = problem_texts(with_records(one_shoe, resealed, (*records[:3], *records[4:])))

    assert "heading: last_seq is 13, but by its records 12" in report
    assert any("has no card" in one for one in report)


def test_records_that_end_no_shoe_are_reported(one_shoe, resealed) -> None:
    changes = {"last_seq": 11, "rows": one_shoe.rows}
    parts = replace(one_shoe.parts, records=one_shoe.parts.records[:11])

    assert "heading: none of its records ends a shoe" in problem_texts(
        resealed(one_shoe, parts=parts, **changes)
    )


def test_a_file_without_records_is_reported(one_shoe, resealed) -> None:
    empty = resealed(one_shoe, rows=b"", parts=ShoeParts(b"", b"", ()))

    assert problem_texts(empty)[0].startswith("packed records: damaged; readable up to record 0 of")


# --- signatures -----------------------------------------------------------------------------------


def with_signature(data: bytes, signature: bytes) -> bytes:
    return data[:-64] + signature


def test_a_signature_by_another_key_or_of_another_shoe_is_wrong(shoe_maker) -> None:
    one, two = shoe_maker.shoe("2026-11-21", 1, run=True), shoe_maker.shoe("2026-11-21", 2)

    wrong = with_signature(one.data, two.data[-64:])
    assert only_problem(wrong).what == "signature: the key that it names did not sign this file"
    assert "did not sign" in only_problem(with_signature(one.data, UNSIGNED)).what


def first_line(path: Path, *keys: Path) -> str:
    return report_lines(verify(path, keys=keys))[0]


def test_an_unsigned_shoe_is_reported_as_unsigned(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.key = None
    made = shoe_maker.shoe("2026-11-21", 1, run=True)
    (fast_dir / NAME).write_bytes(made.data)

    assert first_line(fast_dir / NAME) == f"intact: {fast_dir / NAME}: nobody signed it"
    stray = with_signature(made.data, bytes(63) + b"\x01")
    assert only_problem(stray).what == "signature: it has one but names no key"


@pytest.mark.parametrize("algorithm", [0, 2, 3, 255])
def test_another_algorithm_than_the_heading_names_is_a_problem(one_shoe, algorithm: int) -> None:
    data = one_shoe.data[:-65] + bytes([algorithm]) + one_shoe.data[-64:]

    assert problems_of(data)[0].what == (
        "heading and seal do not name the same algorithm of a signature"
    )


def test_a_shoe_signed_with_ecdsa_is_checked(one_shoe, fast_dir: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PublicFormat
    point = key.public_key().public_bytes(serialization.Encoding.X962, form.UncompressedPoint)
    heading = replace(one_shoe.heading, algorithm="ecdsa-p256", signer=point)

    def sign(data: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    data = shoe_bytes(heading, one_shoe.rows, one_shoe.parts, sign)
    (fast_dir / NAME).write_bytes(data)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, form.SubjectPublicKeyInfo)
    (fast_dir / "key.pub").write_bytes(public)

    fingerprint = " ".join(wrap(sha256(point).hexdigest(), 8))
    line = first_line(fast_dir / NAME, fast_dir / "key.pub")
    assert line == f"intact: {fast_dir / NAME}: sealed by key {fingerprint}"
    wrong = with_signature(data, data[-32:] + data[-64:-32])
    assert only_problem(wrong).what == "signature: the key that it names did not sign this file"


def test_a_key_that_is_not_trusted_is_a_problem(
    one_shoe, shoe_maker, fast_dir: Path, public_key: Path, other_key: Path
) -> None:
    file = fast_dir / NAME
    file.write_bytes(one_shoe.data)

    assert verify(file, keys=(public_key,)).intact
    assert verify(file, keys=(other_key, public_key)).intact
    (wrong,) = verify(file, keys=(other_key,)).problems
    assert wrong.what.endswith("which is not trusted, signed it")
    assert first_line(file).endswith(", for which nothing here vouches (--key)")
    assert first_line(file, public_key).startswith(f"intact: {file}: sealed by key 56475aa7 ")

    shoe_maker.key = None
    file.write_bytes(shoe_maker.shoe("2026-11-21", 2).data)
    (wrong,) = verify(file, keys=(public_key,)).problems
    assert wrong.what == "nobody signed it"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        "table+00000000+AQ==",
        "table+00000000+ATtqJ7zOtqQtYqOo0CpvDTI3MhV3HeXbY/zpSYgL6GgV",
    ],
)
def test_a_file_that_is_not_a_public_key_is_refused(one_shoe, fast_dir: Path, text: str) -> None:
    (fast_dir / NAME).write_bytes(one_shoe.data)
    (fast_dir / "key.pub").write_text(text)

    with pytest.raises(CannotRead, match=r"key\.pub: not a public key: "):
        verify(fast_dir / NAME, keys=(fast_dir / "key.pub",))
