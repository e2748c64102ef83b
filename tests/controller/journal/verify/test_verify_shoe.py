"""The verifier on one sealed shoe: whatever was changed is found, with its file and place."""

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

from controller.journal.shoe_file import UNSIGNED, shoe_bytes
from controller.journal.verify import (
    CannotRead,
    EvidenceProblem,
    Verifier,
    report_lines,
    verify,
)

NAME = "0001.shoe"
NOT_SIGNED = "signature: the key that the heading names did not sign this file"


def problems_of(data: bytes) -> list[EvidenceProblem]:
    report = Verifier(Path(NAME))
    report.check_shoe(NAME, data)
    return report.problems


def only_problem(data: bytes) -> EvidenceProblem:
    found = problems_of(data)
    assert len(found) == 1, [str(one) for one in found]
    assert found[0].file == NAME
    return found[0]


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


def test_an_intact_shoe(one_shoe, fast_dir: Path) -> None:
    (fast_dir / NAME).write_bytes(one_shoe.data)
    report = verify(fast_dir / NAME)

    assert report.intact
    assert (report.shoes, report.records, report.inputs) == (1, 13, 6)
    assert report.head_hex == one_shoe.heading.chain_after.hex()


# --- every bit, every length ----------------------------------------------------------------------


def assert_found(data: bytes, at: int, bit: int) -> None:
    """Whatever bit was changed, the first thing said is that this file was changed."""
    found = problems_of(flipped(data, at, bit))
    assert found, f"byte {at}, bit {bit}"
    assert {one.file for one in found} == {NAME}
    first = ("digest: ", "cut short, too long, or its head was changed", "signature: ")
    assert found[0].what.startswith(first), f"byte {at}, bit {bit}: {found[0]}"


def test_a_changed_bit_of_every_fifth_byte_is_found(one_shoe) -> None:
    for at in range(0, len(one_shoe.data), 5):
        assert_found(one_shoe.data, at, at % 8)


@pytest.mark.full
@pytest.mark.parametrize("bit", range(8))
def test_every_changed_bit_is_found(one_shoe, bit: int) -> None:
    for at in range(len(one_shoe.data)):
        assert_found(one_shoe.data, at, bit)


def unpacks(packed: bytes) -> bool:
    try:
        zlib.decompress(packed)
    except zlib.error:
        return False
    return True


def test_a_changed_bit_that_unpacks_to_the_same_is_found(one_shoe) -> None:
    """Some bits of a zlib stream are unused."""
    data, packed = one_shoe.data, one_shoe.data.index(one_shoe.rows) + len(one_shoe.rows)
    places = [(at, bit) for at in range(packed, len(data) - 97) for bit in range(8)]
    silent = [(at, bit) for at, bit in places if unpacks(flipped(data, at, bit)[packed:-97])]

    assert silent
    for at, bit in silent:
        assert only_problem(flipped(data, at, bit)).what.startswith("digest: ")


def test_damage_of_the_packed_part_says_how_far_it_can_be_read(shoe_maker) -> None:
    """Bytes that do not compress: what is before the damage can be unpacked."""
    noise = msgpack.packb(["out", {"type": "noise", "data": random.Random(7).randbytes(50_000)}])
    records = shoe_maker.records("2026-11-21", 1, run=True, state=b"")
    made = shoe_maker.sealed("2026-11-21", 1, [*records[:2], noise, *records[2:]])

    digest, packed = problems_of(flipped(made.data, len(made.data) - 300, 5))
    assert digest.what == "digest: a byte of this file was changed"
    assert packed.what.startswith("packed records: damaged; readable up to ")
    assert packed.what.endswith(" of 14")


def test_every_truncation_is_reported(one_shoe) -> None:
    for length in range(len(one_shoe.data)):
        first = problems_of(one_shoe.data[:length])[0]
        assert first.what.startswith("cut short"), f"{length}: {first}"
        assert f"it has {length} of " in first.what


@pytest.mark.parametrize("more", [b"\0", b"SMSHSEAL", bytes(200)])
def test_extra_bytes_after_the_end_are_reported(one_shoe, more: bytes) -> None:
    size = len(one_shoe.data)
    assert problems_of(one_shoe.data + more)[0].what.endswith(
        f"it has {size + len(more)} of {size} bytes"
    )


def test_two_shoes_in_one_file_are_one_too_many(shoe_maker) -> None:
    one, two = shoe_maker.shoe("2026-11-21", 1, run=True), shoe_maker.shoe("2026-11-21", 2)

    assert problems_of(one.data + two.data)[0].what.startswith("cut short, too long, or its head")


def test_more_than_one_changed_bit_is_located(one_shoe) -> None:
    chance = random.Random(5)
    for _ in range(40):
        at = chance.randrange(len(one_shoe.data) - 104)
        changed = one_shoe.data[:at] + bytes(8) + one_shoe.data[at + 8 :]
        if changed != one_shoe.data:
            assert problems_of(changed), f"8 bytes at {at}"


def test_a_newer_format_is_not_checked(one_shoe) -> None:
    newer = one_shoe.data[:9] + b"\x05" + one_shoe.data[10:-97]
    newer += sha256(newer).digest() + bytes(65)

    with pytest.raises(CannotRead, match="its format is 5"):
        problems_of(newer)


# --- its records --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{"last_seq": 14}, {"chain_after": bytes(32)}, {"chain_before": bytes(range(32))}],
    ids=str,
)
def test_a_heading_that_its_records_do_not_reach_is_named(one_shoe, resealed, changes) -> None:
    what = "its records do not lead from chain_before to chain_after"
    assert only_problem(resealed(one_shoe, **changes).data).what == what


def with_records(made, resealed, records: tuple[bytes, ...]):
    return resealed(made, parts=replace(made.parts, records=records))


def test_a_changed_removed_added_or_exchanged_record_is_named(one_shoe, resealed) -> None:
    records = one_shoe.parts.records
    changed = (*records[:7], records[7].replace(b"ttyUSB0", b"ttyUSB1"), *records[8:])
    for other in (
        changed,
        (*records[:3], *records[4:]),
        (*records, records[-1]),
        (*records[:3], records[4], records[3], *records[5:]),
        (),
    ):
        found = only_problem(with_records(one_shoe, resealed, other).data)
        assert found.what == "its records do not lead from chain_before to chain_after"


# --- signatures -----------------------------------------------------------------------------------


def with_signature(data: bytes, signature: bytes) -> bytes:
    return data[:-64] + signature


def test_a_signature_by_another_key_or_of_another_shoe_is_wrong(shoe_maker) -> None:
    one, two = shoe_maker.shoe("2026-11-21", 1, run=True), shoe_maker.shoe("2026-11-21", 2)

    wrong = with_signature(one.data, two.data[-64:])
    assert only_problem(wrong).what == NOT_SIGNED
    assert only_problem(with_signature(one.data, UNSIGNED)).what == NOT_SIGNED


def first_line(path: Path, *keys: Path) -> str:
    return report_lines(verify(path, keys=keys))[0]


def test_an_unsigned_shoe_is_reported_as_unsigned(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.key = None
    made = shoe_maker.shoe("2026-11-21", 1, run=True)
    (fast_dir / NAME).write_bytes(made.data)

    assert first_line(fast_dir / NAME) == f"intact: {fast_dir / NAME}: nobody signed it"
    stray = with_signature(made.data, bytes(63) + b"\x01")
    assert only_problem(stray).what == NOT_SIGNED


@pytest.mark.parametrize("algorithm", [0, 2, 3, 255])
def test_another_algorithm_than_the_heading_names_is_a_problem(one_shoe, algorithm: int) -> None:
    data = one_shoe.data[:-65] + bytes([algorithm]) + one_shoe.data[-64:]

    assert only_problem(data).what == NOT_SIGNED


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
    assert only_problem(wrong).what == NOT_SIGNED


def test_a_key_that_is_not_trusted_is_a_problem(
    one_shoe, shoe_maker, fast_dir: Path, public_key: Path, other_key: Path
) -> None:
    file = fast_dir / NAME
    file.write_bytes(one_shoe.data)

    assert verify(file, keys=(public_key,)).intact
    assert verify(file, keys=(other_key, public_key)).intact
    (wrong,) = verify(file, keys=(other_key,)).problems
    assert wrong.what.endswith("which is not trusted, signed it")
    assert first_line(file).endswith(", a key that is not checked (give --key)")
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
