"""Tests pairing: what is requested, what proves a key, and why a device cannot be paired.

All frames were made by hand from the wire document, with a bitwise CRC-32C; OpenSSL signed with the
keys of RFC 8032, 7.1 (`pkeyutl -rawin`).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from drivers import pairing
from drivers.pairing import (
    RETRY_NS,
    DeviceKind,
    PairingProgress,
    PairingResult,
    PairingState,
    PresentedDevice,
    UnfitDevice,
)
from firmware_bridge.attestation import Attestation
from foundation.timestamp import Timestamp

KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
AT = Timestamp(0, 0)
LATER = Timestamp(RETRY_NS, 0)
# Session 1.
ENTROPY = b"\x01" + bytes(31)

ASKS_WHO = bytes.fromhex("000201010301010101010101010101010108a1010118d6c1b700")
ASKS_WHO_AGAIN = bytes.fromhex("000201010301020101010101010101010108a101011bd1521f00")
HELLO = bytes.fromhex(
    "000201010301010101010101010101010110ab01485348554630303031021a5eed0b0103182a0418"
    "2b0519100b0665312e322e300701080b09020a070bf402ab25d900"
)
HELLO_OF_A_SHOE = bytes.fromhex(
    "000201010301010101010101010101010110ab01485348554630303031021a5eed0b0103182a0418"
    "2b0519100b0665312e322e300701080b09010a070bf4f61b169100"
)
HELLO_OF_A_LAMP = bytes.fromhex(
    "000201010301010101010101010101010110ab01485348554630303031021a5eed0b0103182a0418"
    "2b0519100b0665312e322e300701080b09030a070bf4aec434e100"
)
HELLO_OF_ANOTHER_SESSION = bytes.fromhex(
    "000201010301010101010101010101010110ab01485348554630303031021a5eed0b0103182a0418"
    "2b0519100b0665312e322e300702080b09020a070bf42ba78ac000"
)
HELLO_THAT_CONTRADICTS_ITSELF = bytes.fromhex(
    "000201010301010101010101010101010110ab01485348554630303031021a5eed0301030704182b"
    "0519100b0665312e322e300701080b09020a070bf466b2c49900"
)
ATTEST_REQUEST = bytes.fromhex(
    "00020101030a020101010101010101010129a1015820e57646b535a23bcecce2dc7e8c118ea0c026"
    "c3caae3b042e57c553ba92a0f731d0ce66a000"
)
PROOF = bytes.fromhex(
    "00020101030b02010101010101010101013fa20158ae8443a10127a05864a8015820e57646b535a2"
    "3bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f73102485348554630303031031a5eed"
    "9b01045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f4584022a076edbddcd4a31d1c771f6e459a948bd261a76d084363cd6a5f90"
    "64901043dd6d1eb3ad3317fba532d7cbb6ccc01807c742f8916ff2ddc08c9db12c744d09035820d7"
    "5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a8ce9665c00"
)
PROOF_OF_ANOTHER_QUESTION = bytes.fromhex(
    "00020101030b020101010101010101010111a20158ae8443a10127a05864a8015820010101010101"
    "010101010101010101010101010101010101010101010101010f02485348554630303031031a5eed"
    "9b01045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f45840ded39add52d6d129cbfd62c1a56b94f12afa85db4e94866e6614beb8"
    "949bddaf976b73293ea6c3b9b12a84adadde18b63cc0a2fccf99e9d4c056e373ac78a90b035820d7"
    "5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a3339629e00"
)
PROOF_WITH_DEBUG_OPEN = bytes.fromhex(
    "00020101030b02010101010101010101013fa20158ae8443a10127a05864a8015820e57646b535a2"
    "3bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f73102485348554630303031031a5eed"
    "9b01045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f55840029a7d5fd629fbac2845cae1d0df8a0265d5c813fdce101a102362e2"
    "fa7bff4e658dc79cbb73c26cd7486ebfbf5158b1ed23bfdf831a9ceec34425e53f50d203035820d7"
    "5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a18a3cffa00"
)
PROOF_BY_ANOTHER_KEY = bytes.fromhex(
    "00020101030b02010101010101010101013fa20158ae8443a10127a05864a8015820e57646b535a2"
    "3bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f73102485348554630303031031a5eed"
    "7301045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f458407fd114e4c5f7594d33a9be5664fd357bec8e3d11ae18fb68f847f761"
    "ed378ab2960e19c79c481ac27b2b4851c0ccbcef66756f787f3befccd40f9e6a1dedb428035820d7"
    "5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511ab46c09eb00"
)
PROOF_OF_ANOTHER_DEVICE = bytes.fromhex(
    "00020101030b02010101010101010101013fa20158ae8443a10127a05864a8015820e57646b535a2"
    "3bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f73102485348554630303032031a5eed"
    "4a01045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f45840c322de1dd7e024f93c438a912b93aa8fc28643de0aaf517bb7c4d692"
    "bbb137cbea1fdccc66856623c796dc4f6de798806370c0a5ff83e1d678713f57fd960f05035820d7"
    "5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511ab446d10d00"
)
PROOF_WITHOUT_KEY = bytes.fromhex(
    "00020101030b02010101010101010101013fa10158ae8443a10127a05864a8015820e57646b535a2"
    "3bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f73102485348554630303031031a5eed"
    "7801045820c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0056531"
    "2e322e300603070708f4584022a076edbddcd4a31d1c771f6e459a948bd261a76d084363cd6a5f90"
    "64901043dd6d1eb3ad3317fba532d7cbb6ccc01807c742f8916ff2ddc08c9db12c744d09c5333572"
    "00"
)
BARE = bytes.fromhex("00020101030b020101010101010101010108a102f5c2c3507700")
PROOF_DIGEST = bytes.fromhex("aff1c7acdaf93061a065914c3859b89213f1912c9f79b4c0f72ff8fd70cce333")
NONCE = bytes.fromhex("e57646b535a23bcecce2dc7e8c118ea0c026c3caae3b042e57c553ba92a0f731")

STATED = Attestation(
    nonce=NONCE,
    device=b"SHUF0001",
    boot_id=0x5EED0001,
    image=bytes.fromhex("c0" * 32),
    version="1.2.0",
    security_counter=3,
    boot_count=7,
    debug=False,
)


def run_pairing(*data: bytes) -> tuple[PairingState, bytes, PairingResult]:
    """Run a pairing in which the device sends this; returns the bytes written since opening."""
    state, _ = pairing.open_pairing(ENTROPY, AT)
    written, presented = b"", None
    for chunk in data:
        state, data, presented = pairing.receive(state, chunk, AT)
        written += data
    return state, written, presented


def why(*data: bytes) -> str:
    _, _, presented = run_pairing(*data)
    assert isinstance(presented, UnfitDevice)
    return to_words(presented.why)


def test_pairing_starts_with_hello() -> None:
    _, data = pairing.open_pairing(ENTROPY, AT)

    assert data == ASKS_WHO


def test_a_device_that_answers_is_asked_for_attestation() -> None:
    _, written, presented = run_pairing(HELLO)

    assert written == ATTEST_REQUEST
    assert presented is None


def test_a_device_that_holds_its_stated_key_is_presented() -> None:
    _, _, presented = run_pairing(HELLO, PROOF)

    assert presented == PresentedDevice(DeviceKind.SHUFFLER, KEY, 42, STATED, PROOF_DIGEST)


def test_shoe_and_shuffler_are_distinguished() -> None:
    _, _, presented = run_pairing(HELLO_OF_A_SHOE, PROOF)

    assert isinstance(presented, PresentedDevice)
    assert presented.kind is DeviceKind.SHOE


def test_fragmentation_does_not_matter() -> None:
    stream = HELLO + PROOF
    for size in range(1, 9):
        chunks = (stream[at : at + size] for at in range(0, len(stream), size))
        _, written, presented = run_pairing(*chunks)
        assert isinstance(presented, PresentedDevice), size
        assert written == ATTEST_REQUEST, size


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param((HELLO, BARE), "has no identity (a bare device)", id="bare"),
        pytest.param((HELLO, PROOF_WITHOUT_KEY), "does not state its public key", id="no key"),
        pytest.param((HELLO, PROOF_BY_ANOTHER_KEY), "did not sign with the key", id="other key"),
        pytest.param((HELLO, PROOF_OF_ANOTHER_DEVICE), "is not fresh", id="other device"),
        pytest.param((HELLO, PROOF_WITH_DEBUG_OPEN), "debug port", id="debug"),
        pytest.param((HELLO_OF_A_LAMP, PROOF), "is neither a shoe nor a shuffler", id="role"),
        pytest.param((HELLO_THAT_CONTRADICTS_ITSELF, PROOF), "contradicts itself", id="numbers"),
    ],
)
def test_a_device_that_cannot_be_paired_gives_a_reason(
    data: tuple[bytes, ...], expected: str
) -> None:
    assert expected in why(*data)
    assert ". Remedy: " in why(*data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param((PROOF,), id="a proof before a hello"),
        pytest.param((HELLO_OF_ANOTHER_SESSION, PROOF), id="a hello of another session"),
        pytest.param((HELLO, PROOF_OF_ANOTHER_QUESTION), id="an answer to another question"),
        pytest.param((HELLO, PROOF[:-3]), id="a proof cut off"),
        pytest.param((HELLO, ASKS_WHO), id="our own voice"),
    ],
)
def test_unrelated_frames_are_ignored(data: tuple[bytes, ...]) -> None:
    _, _, presented = run_pairing(*data)

    assert presented is None


def test_an_unanswered_hello_is_repeated() -> None:
    state, _ = pairing.open_pairing(ENTROPY, AT)
    state, too_soon = pairing.tick(state, Timestamp(RETRY_NS - 1, 0))
    state, again = pairing.tick(state, LATER)

    assert too_soon == b""
    assert again == ASKS_WHO_AGAIN


def test_an_unanswered_attestation_request_is_repeated() -> None:
    state, _, _ = run_pairing(HELLO)
    _, again = pairing.tick(state, LATER)

    assert NONCE[:8] in again


def test_a_device_that_restarts_is_asked_again() -> None:
    _, written, _ = run_pairing(HELLO, HELLO, HELLO_OF_A_SHOE)

    assert written.count(NONCE[:8]) == 2


@pytest.mark.parametrize(
    ("data", "progress"),
    [
        ((), PairingProgress.NOTHING),
        ((b"\x07\x08",), PairingProgress.BYTES),
        ((BARE,), PairingProgress.FRAMES),
        ((HELLO,), PairingProgress.HELLO),
        ((HELLO, b"\x07"), PairingProgress.HELLO),
    ],
)
def test_progress_distinguishes_a_dead_cable_from_a_wrong_device(
    data: tuple[bytes, ...], progress: PairingProgress
) -> None:
    state, _, _ = run_pairing(*data)

    assert state.progress is progress


@given(st.lists(st.binary(max_size=80) | st.sampled_from([HELLO, PROOF, BARE]), max_size=6))
def test_no_bytes_raise(data: list[bytes]) -> None:
    run_pairing(*data)
