"""The receipt of a shuffle, opened long after it came, with a key alone."""

import pytest

from drivers.catalogue import open_receipt
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from hil.emulator.tablelink.identity import Firmware, Identity

DEVICE = Identity(b"SHUF0001", b"a seed", Firmware(bytes(32), "1.2.0", 3))
OTHER = Identity(b"SHUF0001", b"another seed", Firmware(bytes(32), "1.2.0", 3))
# As the wire document has it, keys 7 and 8 being told where they are known.
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


def test_the_key_that_sealed_it_opens_it() -> None:
    sealed = DEVICE.sealed(RECEIPT)

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


def test_no_other_key_opens_it() -> None:
    assert open_receipt(DEVICE.sealed(RECEIPT), OTHER.public_key) is None


@pytest.mark.parametrize("key", sorted(set(RECEIPT) - {7, 8}))
def test_a_sealed_statement_that_lacks_something_is_no_receipt(key: int) -> None:
    lacking = {other: value for other, value in RECEIPT.items() if other != key}

    assert open_receipt(DEVICE.sealed(lacking), DEVICE.public_key) is None


def test_what_identity_was_asked_is_no_receipt() -> None:
    attested = DEVICE.attested(bytes(32), 0x5EED0001, 7)[1]

    assert isinstance(attested, bytes)
    assert open_receipt(attested, DEVICE.public_key) is None
