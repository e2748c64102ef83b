"""One sealed shoe: whatever was changed in it is named, with its file and its place.

Responsible for: every bit and every length of a small file, what its heading and rows say beside
its records, and signatures.
Not responsible for: several files (test_verify_folder), a real table's shoes (test_verify_table).
Source: controller/journal/README.md, "Shoe file", "Verifier".
"""

import random
import zlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.shoe_file import UNSIGNED, ShoeParts
from controller.journal.verify import CannotRead, Problem, VerifyReport, check_shoe, verify

NAME = "0001.shoe"


def problems_of(data: bytes) -> list[Problem]:
    told = VerifyReport(Path(NAME))
    check_shoe(told, NAME, data)
    return told.problems


def only_problem(data: bytes) -> Problem:
    found = problems_of(data)
    assert len(found) == 1, [str(one) for one in found]
    assert found[0].file == NAME
    return found[0]


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


def place_of(made, at: int) -> str:
    """Where a byte stands, by the lengths that went into the file."""
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
    # A signature says of no byte which one was changed.
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
    """Some bits of a zlib stream say nothing."""
    data, packed = one_shoe.data, one_shoe.data.index(one_shoe.rows) + len(one_shoe.rows)
    places = [(at, bit) for at in range(packed, len(data) - 96) for bit in range(8)]
    silent = [(at, bit) for at, bit in places if unpacks(flipped(data, at, bit)[packed:-96])]

    assert silent
    for at, bit in silent:
        assert_bit_is_named(one_shoe, at, bit)


def test_the_heading_and_the_byte_of_a_row_are_named(one_shoe) -> None:
    at = one_shoe.data.index(b"RED-0001") + 3
    assert only_problem(flipped(one_shoe.data, at, 2)).what.startswith("heading: bit 2")

    at = one_shoe.data.index(one_shoe.rows) + 64 + 21
    assert only_problem(flipped(one_shoe.data, at, 0)).what.startswith("row 2, its byte 21: bit 0")


def test_at_every_length_it_is_said_to_be_cut_short(one_shoe) -> None:
    for length in range(len(one_shoe.data)):
        first = problems_of(one_shoe.data[:length])[0]
        assert first.what.startswith("cut short"), f"{length}: {first}"
        assert f"{length} " in first.what
        assert first.at == length


@pytest.mark.parametrize("more", [b"\0", b"SMSHSEAL", bytes(200)])
def test_what_stands_after_the_end_is_counted(one_shoe, more: bytes) -> None:
    assert only_problem(one_shoe.data + more) == Problem(
        0, f"{len(more)} bytes too many, after its end", NAME, len(one_shoe.data)
    )


def test_two_shoes_in_one_file_are_one_too_many(sealing) -> None:
    one, two = sealing.shoe("2026-11-21", 1, run=True), sealing.shoe("2026-11-21", 2)

    assert only_problem(one.data + two.data).at == len(one.data)


def test_more_than_one_bit_is_noticed_and_located(one_shoe) -> None:
    chance = random.Random(5)
    for _ in range(40):
        at = chance.randrange(len(one_shoe.data) - 104)
        changed = one_shoe.data[:at] + bytes(8) + one_shoe.data[at + 8 :]
        if changed != one_shoe.data:
            assert problems_of(changed), f"8 bytes at {at}"


def test_of_changed_rows_each_is_named(one_shoe) -> None:
    at = one_shoe.data.index(one_shoe.rows)
    changed = bytearray(one_shoe.data)
    for n in (1, 3):
        changed[at + 64 * (n - 1) + 8 : at + 64 * (n - 1) + 16] = bytes(8)
    told = [one.what for one in problems_of(bytes(changed))]

    assert told == [
        "heading, rows or unused bits: the digest does not hold, and not for a single bit",
        "row 1: its time is not that of the input before 5",
        "row 3: its time is not that of the input before 9",
    ]


def test_a_newer_format_is_not_judged(one_shoe) -> None:
    newer = one_shoe.data[:9] + b"\x02" + one_shoe.data[10:-96]
    newer += sha256(newer).digest() + UNSIGNED

    with pytest.raises(CannotRead, match="sealed in format 2"):
        problems_of(newer)


# --- what it says against what its records say ---------------------------------------------------


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"shoe": 2}, "heading: shoe is 2, and its records say 1"),
        ({"gaming_day": "2026-11-22"}, "heading: gaming_day is 2026-11-22, and its records say"),
        ({"last_seq": 14}, "heading: last_seq is 14, and its records say 13"),
        ({"from_ns": 1}, "heading: from_ns is 1, and its records say 17952516"),
        ({"until_ns": 2}, "heading: until_ns is 2, and its records say 17952516"),
        ({"coups": 2}, "heading: coups is 2, and its records say 1"),
        ({"irregularities": 3}, "heading: irregularities is 3, and its records say 0"),
        ({"decks": 6}, "heading: decks is 6, and its records say 8"),
        ({"opened_seq": 0}, "heading: opened_seq is 0, and its records say 1"),
        ({"chain_after": bytes(32)}, "chain_before, chain_after or a record from 12 to 13 was"),
        ({"chain_before": bytes(range(32))}, "chain_before, chain_after or a record from 1 to 5 w"),
        ({"started_seq": 1}, "started_seq: the record that began the run is not there"),
        ({"state_software": "0.5.0"}, "heading: state_software does not go with the state"),
    ],
)
def test_a_heading_that_says_otherwise_is_named(
    one_shoe, resealed, said: dict[str, object], words: str
) -> None:
    assert only_problem(resealed(one_shoe, **said).data).what.startswith(words)


def changed_row(made, n: int, at: int, data: bytes) -> bytes:
    start = 64 * (n - 1) + at
    return made.rows[:start] + data + made.rows[start + len(data) :]


@pytest.mark.parametrize(
    ("at", "data", "words"),
    [
        (8, bytes(8), "its time is not that of the input before 7"),
        (21, b"\x01", "its card is not that of record 7"),
        (20, b"\x09", "its card is not that of record 7"),
        (20, b"\x0a", "a number in it means nothing"),
        (22, b"\x0a", "a number in it means nothing"),
        (23, b"\x08", "a number in it means nothing"),
        (24, b"\x07", "a number in it means nothing"),
        (25, b"\x04", "a number in it means nothing"),
        (31, b"\x01", "a number in it means nothing"),
        (48, bytes(16), "its chain value is not that of record 7"),
    ],
)
def test_a_row_that_says_otherwise_is_named(
    one_shoe, resealed, at: int, data: bytes, words: str
) -> None:
    rows = changed_row(one_shoe, 2, at, data)
    found = only_problem(resealed(one_shoe, rows=rows).data)

    assert (found.what, found.seq) == (f"row 2: {words}", 7)
    assert found.at == one_shoe.data.index(one_shoe.rows) + 64


def whats(made) -> list[str]:
    return [one.what for one in problems_of(made.data)]


def test_a_row_that_is_missing_extra_or_exchanged_is_named(one_shoe, resealed) -> None:
    rows = [one_shoe.rows[at : at + 64] for at in range(0, 256, 64)]

    without = resealed(one_shoe, rows=b"".join((rows[0], *rows[2:])))
    assert whats(without) == ["record 7 tells of a card and no row does"]
    twice = resealed(one_shoe, rows=b"".join((rows[0], *rows)))
    assert whats(twice) == [
        "row 2: it does not stand in the order of its record",
        "row 2: record 5 tells of no card, or of one that has a row",
    ]
    exchanged = resealed(one_shoe, rows=b"".join((rows[1], rows[0], *rows[2:])))
    assert whats(exchanged) == ["row 2: it does not stand in the order of its record"]


def with_records(made, resealed, records: tuple[bytes, ...]):
    return resealed(made, parts=replace(made.parts, records=records))


def test_a_changed_record_is_located_between_two_rows(one_shoe, resealed) -> None:
    records = list(one_shoe.parts.records)
    records[7] = records[7].replace(b"ttyUSB0", b"ttyUSB1")

    assert whats(with_records(one_shoe, resealed, tuple(records))) == [
        "chain_before, chain_after or a record from 8 to 9 was changed"
    ]


def test_a_record_taken_out_is_noticed(one_shoe, resealed) -> None:
    records = one_shoe.parts.records
    told = whats(with_records(one_shoe, resealed, (*records[:3], *records[4:])))

    assert "heading: last_seq is 13, and its records say 12" in told
    assert any("tells of no card" in one for one in told)


def test_a_shoe_that_no_record_ends_is_none(one_shoe, resealed) -> None:
    said = {"last_seq": 11, "rows": one_shoe.rows}
    parts = replace(one_shoe.parts, records=one_shoe.parts.records[:11])

    assert "heading: no record ends a shoe here" in whats(resealed(one_shoe, parts=parts, **said))


def test_a_file_without_records_is_none(one_shoe, resealed) -> None:
    empty = resealed(one_shoe, rows=b"", parts=ShoeParts(b"", b"", ()))

    assert whats(empty)[0].startswith("packed records: damaged, read as far as record 0 of")


# --- signatures -----------------------------------------------------------------------------------


def with_signature(data: bytes, signature: bytes) -> bytes:
    return data[:-64] + signature


def test_a_signature_by_another_key_or_of_another_shoe_is_wrong(sealing) -> None:
    one, two = sealing.shoe("2026-11-21", 1, run=True), sealing.shoe("2026-11-21", 2)

    wrong = with_signature(one.data, two.data[-64:])
    assert only_problem(wrong).what == "signature: the key that it names did not sign this"
    assert "did not sign" in only_problem(with_signature(one.data, UNSIGNED)).what


def test_an_unsigned_shoe_is_said_to_be_unsigned(sealing, fast_dir: Path) -> None:
    sealing.key = None
    made = sealing.shoe("2026-11-21", 1, run=True)
    (fast_dir / NAME).write_bytes(made.data)

    assert verify(fast_dir / NAME).intact
    assert verify(fast_dir / NAME).notes == ["of the sealed shoes and lists 1 are unsigned"]
    stray = with_signature(made.data, bytes(63) + b"\x01")
    assert only_problem(stray).what == "signature: it has one and names no key"


def test_a_trusted_key_is_asked_for(
    one_shoe, sealing, fast_dir: Path, public_key: Path, other_key: Path
) -> None:
    file = fast_dir / NAME
    file.write_bytes(one_shoe.data)

    assert verify(file, keys=(public_key,)).intact
    assert verify(file, keys=(other_key, public_key)).intact
    (wrong,) = verify(file, keys=(other_key,)).problems
    assert wrong.what.endswith("signed it, and that is no trusted key")
    assert verify(file).notes[-1].startswith("nobody vouches for that key")
    assert len(verify(file, keys=(public_key,)).notes) == 1

    sealing.key = None
    file.write_bytes(sealing.shoe("2026-11-21", 2).data)
    (wrong,) = verify(file, keys=(public_key,)).problems
    assert wrong.what == "nobody signed it, and that is no trusted key"


@pytest.mark.parametrize("text", ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"])
def test_a_file_that_is_no_public_key_is_refused(one_shoe, fast_dir: Path, text: str) -> None:
    (fast_dir / NAME).write_bytes(one_shoe.data)
    (fast_dir / "key.pub").write_text(text)

    with pytest.raises(CannotRead, match=r"key\.pub: no "):
        verify(fast_dir / NAME, keys=(fast_dir / "key.pub",))
