"""The file of a paired device: text, and refusals with a remedy."""

import json
from pathlib import Path

import pytest

from controller.service.commissioning.pairing_file import (
    PairedDevice,
    PairedRole,
    load_pairing,
    pairing_text,
    store_pairing,
)
from controller.system.atomic_file import SmallFileError
from firmware_bridge.attestation import ApprovedImage, Pin

# RFC 8032, 7.1, test 1; its SHA-256 from sha256sum.
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
PAIRED = PairedDevice(
    role=PairedRole.SHUFFLER,
    pin=Pin(device=b"SHUF0001", key=KEY, pairing="00112233aabbccdd", first_event=42),
    firmware=ApprovedImage(bytes.fromhex("c0" * 32), "1.2.0", 3),
    boot_count=7,
    person="Ann Lee",
    at_utc_ns=1_795_255_200_000_000_001,
)
FILE = """\
{
  "device": "5348554630303031",
  "role": "shuffler",
  "public_key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "fingerprint": "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9",
  "pairing": "00112233aabbccdd",
  "first_event": 42,
  "firmware_version": "1.2.0",
  "firmware_sha256": "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0",
  "security_counter": 3,
  "boot_count": 7,
  "paired_by": "Ann Lee",
  "paired_at": "2026-11-21T10:00:00.000000001Z"
}
"""


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "shuffler.identity.json"


def test_the_file_is_readable(file: Path) -> None:
    store_pairing(file, PAIRED)

    assert file.read_text() == pairing_text(PAIRED) == FILE


def test_a_written_pairing_is_read_back(file: Path) -> None:
    file.write_text(FILE)

    assert load_pairing(file) == PAIRED


def test_an_existing_file_is_not_overwritten(file: Path) -> None:
    file.write_text("mine")

    with pytest.raises(SmallFileError, match="it is not overwritten"):
        store_pairing(file, PAIRED)
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device", "00" * 7),
        ("device", "00" * 17),
        ("role", "scanner"),
        ("public_key", "00"),
        ("pairing", None),
        ("first_event", -1),
        ("first_event", 2**63),
        ("firmware_version", 1),
        ("firmware_sha256", ""),
        ("security_counter", 2**32),
        ("boot_count", "7"),
        ("paired_by", "two\nlines"),
        ("paired_at", "today"),
        ("fingerprint", "00" * 32),
    ],
)
def test_a_wrong_field_is_reported_with_file_and_remedy(
    file: Path, name: str, value: object
) -> None:
    file.write_text(json.dumps(json.loads(FILE) | {name: value}))

    with pytest.raises(SmallFileError) as refused:
        load_pairing(file)
    assert str(refused.value).startswith(f"{file}: {name}: ")
    assert "`smartshoe identity pair`" in str(refused.value)


def test_a_missing_file_names_the_command_that_writes_it(file: Path) -> None:
    with pytest.raises(SmallFileError, match=f"smartshoe identity pair PORT --out {file}"):
        load_pairing(file)
