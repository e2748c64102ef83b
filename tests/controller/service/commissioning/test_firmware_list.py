"""The list of approved firmware: text, signature, and refusals."""

import json
from pathlib import Path

import pytest

from controller.service.commissioning.firmware_list import (
    ApprovedEntry,
    ApprovedList,
    list_text,
    load_list,
    load_trusted_list,
    sign,
    signed_bytes,
    store_list,
)
from controller.system.atomic_file import SmallFileError
from controller.system.keys import TableKey, make_key
from firmware_bridge.attestation import ApprovedImage
from foundation.timestamp import Timestamp

AT = Timestamp(0, 1_795_255_200_000_000_001)
FIRST = ApprovedEntry(bytes.fromhex("c0" * 32), "1.2.0", 3, "tested on the bench")
SECOND = ApprovedEntry(bytes.fromhex("0b" * 32), "1.3.0", 4, "")


@pytest.fixture
def key(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "table.key")


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "approved.json"


@pytest.fixture
def signed(key: TableKey, file: Path) -> ApprovedList:
    approved = sign((FIRST, SECOND), key, AT)
    store_list(file, approved)
    return approved


def refused(file: Path, key: TableKey) -> str:
    with pytest.raises(SmallFileError) as why:
        load_trusted_list(file, (key.public,))
    return str(why.value)


def change(file: Path, **fields: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def test_a_signed_list_is_read_back(file: Path, key: TableKey, signed: ApprovedList) -> None:
    assert load_trusted_list(file, (key.public,)) == signed
    assert signed.images() == (
        ApprovedImage(SECOND.sha256, "1.3.0", 4),
        ApprovedImage(FIRST.sha256, "1.2.0", 3),
    )


def test_an_image_is_in_the_list_once(key: TableKey) -> None:
    again = ApprovedEntry(FIRST.sha256, "1.2.1", 3, "")

    assert sign((FIRST, again), key, AT).statement.images == (again,)


def test_a_list_is_later_than_the_one_it_replaces_whatever_the_clock_says(key: TableKey) -> None:
    before = sign((FIRST,), key, AT).statement
    earlier = Timestamp(0, AT.utc_ns - 10**18)

    assert sign((FIRST,), key, earlier, before.at_utc_ns).statement.at_utc_ns == AT.utc_ns + 1


def test_the_signed_bytes_are_the_messagepack_of_every_field(key: TableKey) -> None:
    statement = sign((FIRST,), key, AT).statement
    expected = (
        "84"
        "a474797065" + "b2" + b"approved-statement".hex() + "a6696d61676573"
        "9184"
        "a6736861323536" + "c420" + "c0" * 32 + "a776657273696f6e"
        "a5" + b"1.2.0".hex() + "b0" + b"security_counter".hex() + "03"
        "a46e6f7465" + "b3" + b"tested on the bench".hex() + "a961745f7574635f6e73"
        "cf18ea0717bd2c4001"
        "af" + b"key_fingerprint".hex() + "c420" + key.public.fingerprint.hex()
    )

    assert signed_bytes(statement).hex() == expected


def test_the_file_is_readable(file: Path, key: TableKey, signed: ApprovedList) -> None:
    fields = json.loads(file.read_text())

    assert file.read_text() == list_text(signed)
    assert fields["images"][1] == {
        "sha256": "c0" * 32,
        "version": "1.2.0",
        "security_counter": 3,
        "note": "tested on the bench",
    }
    assert fields["signed_at"] == "2026-11-21T10:00:00.000000001Z"
    assert fields["key_fingerprint"] == key.public.fingerprint.hex()


@pytest.mark.usefixtures("signed")
def test_a_list_signed_by_an_unknown_key_is_refused(file: Path, fast_dir: Path) -> None:
    other = make_key(fast_dir / "other.key")

    assert f"{file}: it is signed with the key" in refused(file, other)
    assert "Remedy: " in refused(file, other)


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize(
    ("field", "value"), [("version", "9.9.9"), ("security_counter", 9), ("note", "else")]
)
def test_a_changed_list_is_refused(file: Path, key: TableKey, field: str, value: object) -> None:
    images = json.loads(file.read_text())["images"]
    change(file, images=[images[0] | {field: value}, images[1]])

    assert "the list was changed after it was signed" in refused(file, key)


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize("name", ["signature", "key_fingerprint", "signed_at", "images"])
def test_an_incomplete_list_is_refused(file: Path, key: TableKey, name: str) -> None:
    change(file, **{name: None})

    assert refused(file, key).startswith(f"{file}: {name}: it is null. Allowed: ")


def test_a_list_without_images_approves_nothing(file: Path, key: TableKey) -> None:
    store_list(file, sign((), key, AT))

    with pytest.raises(SmallFileError, match="no firmware may run"):
        load_list(file)


def test_a_missing_list_names_the_command_that_creates_it(file: Path, key: TableKey) -> None:
    assert f"`smartshoe firmware approve --list {file}" in refused(file, key)
