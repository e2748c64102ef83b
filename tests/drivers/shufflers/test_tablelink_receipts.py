"""Tests opening a stored shuffle receipt with the device's key."""

import pytest

from drivers.catalogue import open_receipt
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from hil.emulator.tablelink.identity import Firmware, TableLinkIdentity

DEVICE = TableLinkIdentity(b"SHUF0001", b"a seed", Firmware(bytes(32), "1.2.0", 3))
OTHER = TableLinkIdentity(b"SHUF0001", b"another seed", Firmware(bytes(32), "1.2.0", 3))
# As in the wire document; keys 7 and 8 are present where they are known.
RECEIPT = {
    1: b"SHUF0001",
    2: 0x5EED0001,
    3: 7,
    4: 1,
    5: 416,
    6: 1,
    7: "red",
    8: bytes([8] * 52),
    9: 1_000_000,
    10: 100_000_000,
    11: bytes(32),
    12: "1.2.0",
    13: 7,
}


def test_a_receipt_opens_with_the_key_that_signed_it() -> None:
    sealed = DEVICE.sign_statement(RECEIPT)

    assert open_receipt(sealed, DEVICE.public_key) == ShuffleProof(
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
        image=bytes(32),
        version="1.2.0",
        sealed=sealed,
        signed=True,
        genuine=True,
    )


def test_no_other_key_opens_a_receipt() -> None:
    assert open_receipt(DEVICE.sign_statement(RECEIPT), OTHER.public_key) is None


@pytest.mark.parametrize("key", sorted(set(RECEIPT) - {7, 8}))
def test_a_statement_without_a_required_field_is_not_a_receipt(key: int) -> None:
    lacking = {other: value for other, value in RECEIPT.items() if other != key}

    assert open_receipt(DEVICE.sign_statement(lacking), DEVICE.public_key) is None


def test_an_attestation_is_not_a_receipt() -> None:
    attestation = DEVICE.attestation(bytes(32), 0x5EED0001, 7)[1]

    assert isinstance(attestation, bytes)
    assert open_receipt(attestation, DEVICE.public_key) is None
