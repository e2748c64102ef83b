"""Attestations of devices against golden bytes that OpenSSL signed (`pkeyutl -rawin`)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.system.messages.catalogue import to_words
from firmware_bridge import attestation
from firmware_bridge.attestation import (
    NO_TRUST,
    ApprovedImage,
    Attestation,
    Pin,
    Trust,
    Untrusted,
)

# RFC 8032, 7.1, tests 1 and 2.
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
OTHER_KEY = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
DEVICE = b"SHUF0001"
NONCE = bytes(range(32))
BOOT = 0x5EED0001
IMAGE = bytes.fromhex("c0" * 32)

PAYLOAD = bytes.fromhex(
    "a8015820000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f02485348"
    "554630303031031a5eed0001045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c00565312e322e300603070708f4"
)
SEALED = bytes.fromhex(
    "8443a10127a05864a8015820000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
    "1c1d1e1f02485348554630303031031a5eed0001045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00565312e322e300603070708f4584013c80b18ff718211354a"
    "95ea034e53b125c18c7a15fcae596e8403132bcf105bbc743c51ee0db36edbfed719b0b0a82e43bf"
    "2ae2d7d5b68af3689b5ec953df0e"
)
DEBUG_OPEN = bytes.fromhex(
    "8443a10127a05864a8015820000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
    "1c1d1e1f02485348554630303031031a5eed0001045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00565312e322e300603070708f55840d49caf1bee5b3bda37a7"
    "6133d8c785a679068339828aa15a7c8f19e5761f894e9ccd6c06c67533d44b1186a943745fe9e729"
    "3d72fd1e876efef4d6de80a5cd00"
)
WITHOUT_BOOT_COUNT = bytes.fromhex(
    "8443a10127a05862a7015820000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
    "1c1d1e1f02485348554630303031031a5eed0001045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00565312e322e30060308f45840b3020f5b3be6c470263bed3d"
    "94f62d675abd0f035c7cc7ece527ddb259992aefc05e63af8e52b14051fe88bf2926e8812a582169"
    "ac4eb1e73101a54958c2b507"
)
EMPTY_MAP_BY_OTHER_KEY = bytes.fromhex(
    "8443a10127a041a058405fbbbe3c6c08ea2bccb65528e6ebdbb3c19137e0e7c93d3100b8c95764df"
    "d74479d4764a5e594b62e8c4ba6a1d7dbb2a5c891df1e198b4113dc8d7c22144df01"
)

STATED = Attestation(
    nonce=NONCE,
    device=DEVICE,
    boot_id=BOOT,
    image=IMAGE,
    version="1.2.0",
    security_counter=3,
    boot_count=7,
    debug=False,
)
PIN = Pin(device=DEVICE, key=KEY, pairing="1", first_event=1)
APPROVED = ApprovedImage(IMAGE, "1.2.0", 3)
TRUST = Trust(pin=PIN, approved=(APPROVED,))


def verify(
    sealed: bytes = SEALED,
    trust: Trust = TRUST,
    *,
    nonce: bytes = NONCE,
    device: bytes = DEVICE,
    boot_id: int = BOOT,
    boot_count_min: int = 7,
    security_counter_min: int = 3,
) -> Attestation | str:
    return attestation.verify_attestation(
        trust,
        sealed,
        nonce=nonce,
        device=device,
        boot_id=boot_id,
        boot_count_min=boot_count_min,
        security_counter_min=security_counter_min,
    )


def test_the_paired_device_with_approved_firmware_is_trusted() -> None:
    assert verify() == STATED


def test_one_of_several_approved_images_is_enough() -> None:
    others = (replace(APPROVED, image=bytes(32)), replace(APPROVED, version="1.3.0"), APPROVED)

    assert verify(trust=Trust(pin=PIN, approved=others)) == STATED


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        pytest.param(verify(trust=NO_TRUST), "no device is paired here", id="nothing paired"),
        pytest.param(verify(device=b"SHUF0002"), "this is device", id="other device"),
        pytest.param(
            verify(trust=replace(TRUST, pin=replace(PIN, key=OTHER_KEY))),
            "did not sign with the key",
            id="unknown key",
        ),
        pytest.param(verify(nonce=bytes(32)), "is not fresh", id="played back"),
        pytest.param(verify(boot_id=1), "is not fresh", id="of another start"),
        pytest.param(verify(trust=replace(TRUST, approved=())), "is not on the list", id="image"),
        pytest.param(
            verify(trust=replace(TRUST, approved=(replace(APPROVED, version="1.2.1"),))),
            "approved is version 1.2.1",
            id="version",
        ),
        pytest.param(
            verify(trust=replace(TRUST, approved=(replace(APPROVED, security_counter=2),))),
            "approved is version 1.2.0, security counter 2",
            id="counter",
        ),
        pytest.param(verify(security_counter_min=4), "ran firmware with 4", id="rolled back"),
        pytest.param(verify(boot_count_min=8), "8 are known", id="memory rolled back"),
        pytest.param(verify(DEBUG_OPEN), "debug port", id="debug port"),
        pytest.param(verify(WITHOUT_BOOT_COUNT), "does not follow TableLink/1", id="form"),
        pytest.param(verify(b""), "did not sign with the key", id="nothing"),
    ],
)
def test_a_deviation_from_pairing_or_approval_is_refused_with_a_remedy(
    reason: Attestation | Untrusted, text: str
) -> None:
    assert isinstance(reason, Untrusted)
    assert text in to_words(reason.why)
    assert ". Remedy: " in to_words(reason.why)


def test_only_older_counters_count_as_rollback() -> None:
    reasons = (verify(boot_count_min=8), verify(security_counter_min=4), verify(DEBUG_OPEN))

    assert [isinstance(one, Untrusted) and one.rolled_back for one in reasons] == [
        True,
        True,
        False,
    ]


def test_a_cose_sign1_is_verified_only_by_its_own_key() -> None:
    assert attestation.verified_payload(KEY, SEALED) == PAYLOAD
    assert attestation.verified_payload(OTHER_KEY, SEALED) is None
    assert attestation.verified_payload(OTHER_KEY, EMPTY_MAP_BY_OTHER_KEY) == b"\xa0"


def test_a_payload_can_be_read_without_verification() -> None:
    assert attestation.unverified_payload(SEALED) == PAYLOAD


def test_a_changed_byte_is_refused() -> None:
    for at in range(len(SEALED)):
        changed = bytes((*SEALED[:at], SEALED[at] ^ 1, *SEALED[at + 1 :]))
        assert attestation.verified_payload(KEY, changed) is None, f"byte {at}"


def test_a_truncated_cose_sign1_is_refused() -> None:
    for length in range(len(SEALED)):
        assert attestation.unverified_payload(SEALED[:length]) is None, f"{length} bytes"


def test_a_cose_sign1_with_trailing_bytes_is_refused() -> None:
    assert attestation.unverified_payload(SEALED + b"\x00") is None


@pytest.mark.parametrize("key", [b"", KEY[:-1], KEY + b"\x00"])
def test_a_key_of_another_length_verifies_nothing(key: bytes) -> None:
    assert not attestation.is_valid_signature(key, SEALED[-64:], b"")


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    assert isinstance(verify(data), Untrusted)
    assert isinstance(verify(SEALED[:6] + data + SEALED[-66:]), Untrusted)
    assert attestation.parse_attestation(data) is None
