"""The list of approved firmware: readable, signed, and refused where it is not as it was signed."""

import json
from pathlib import Path

import pytest

from controller.commissioning.firmware_list import (
    ApprovedEntry,
    ApprovedList,
    believed_list,
    list_text,
    load_list,
    sign,
    signed_bytes,
    store_list,
)
from controller.system.atomic_file import SmallFileError
from controller.system.keys import TableKey, make_key
from firmware_bridge.attestation import ApprovedImage
from firmware_bridge.timestamp import Timestamp

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
        believed_list(file, (key.public,))
    return str(why.value)


def change(file: Path, **fields: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def test_a_list_comes_back_as_it_was_signed(
    file: Path, key: TableKey, signed: ApprovedList
) -> None:
    assert believed_list(file, (key.public,)) == signed
    assert signed.images() == (
        ApprovedImage(SECOND.sha256, "1.3.0", 4),
        ApprovedImage(FIRST.sha256, "1.2.0", 3),
    )


def test_an_image_stands_in_the_list_once(key: TableKey) -> None:
    again = ApprovedEntry(FIRST.sha256, "1.2.1", 3, "")

    assert sign((FIRST, again), key, AT).statement.images == (again,)


def test_what_is_signed_is_canonical_cbor_of_every_field(key: TableKey) -> None:
    said = sign((FIRST,), key, AT).statement
    expected = (
        "a4"
        "6474797065" + "71" + b"ApprovedStatement".hex() + "66696d61676573"
        "81a5"
        "646e6f7465" + "73" + b"tested on the bench".hex() + "6474797065"
        "6d" + b"ApprovedEntry".hex() + "66736861323536"
        "5820" + "c0" * 32 + "6776657273696f6e"
        "65" + b"1.2.0".hex() + "70" + b"security_counter".hex() + "03"
        "6961745f7574635f6e73"
        "1b18ea0717bd2c4001"
        "6f" + b"key_fingerprint".hex() + "5820" + key.public.fingerprint.hex()
    )

    assert signed_bytes(said).hex() == expected


def test_the_file_is_readable(file: Path, key: TableKey, signed: ApprovedList) -> None:
    shown = json.loads(file.read_text())

    assert file.read_text() == list_text(signed)
    assert shown["images"][1] == {
        "sha256": "c0" * 32,
        "version": "1.2.0",
        "security_counter": 3,
        "note": "tested on the bench",
    }
    assert shown["signed_at"] == "2026-11-21T10:00:00.000000001Z"
    assert shown["key_fingerprint"] == key.public.fingerprint.hex()


@pytest.mark.usefixtures("signed")
def test_a_list_signed_by_an_unknown_key_is_refused(file: Path, fast_dir: Path) -> None:
    other = make_key(fast_dir / "other.key")

    assert f"{file}: it is signed with the key" in refused(file, other)
    assert "Remedy: " in refused(file, other)


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize(
    ("field", "value"), [("version", "9.9.9"), ("security_counter", 9), ("note", "else")]
)
def test_a_list_that_was_changed_is_refused(
    file: Path, key: TableKey, field: str, value: object
) -> None:
    images = json.loads(file.read_text())["images"]
    change(file, images=[images[0] | {field: value}, images[1]])

    assert "the list was changed after it was signed" in refused(file, key)


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize("name", ["signature", "key_fingerprint", "signed_at", "images"])
def test_a_list_that_lacks_something_is_refused(file: Path, key: TableKey, name: str) -> None:
    change(file, **{name: None})

    assert refused(file, key).startswith(f"{file}: {name}: it is missing or wrong")


def test_a_list_without_images_approves_nothing(file: Path, key: TableKey) -> None:
    store_list(file, sign((), key, AT))

    with pytest.raises(SmallFileError, match="no firmware may run"):
        load_list(file)


def test_a_list_that_is_not_there_names_the_command_that_makes_it(
    file: Path, key: TableKey
) -> None:
    assert f"`smartshoe firmware approve --list {file}" in refused(file, key)
