"""Device identity: pins, approved firmware images, and the check of a signed attestation.

The only importer of the signature library on the wire side.
Source: firmware_bridge/tablelink/README.md, "Identity"; RFC 9052 (COSE_Sign1), RFC 8032
(Ed25519).
"""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import UNSET, Struct, UnsetType

from firmware_bridge import cbor
from foundation.message import Message, message
from foundation.recorded_text import foreign_text

NONCE_BYTES: Final = 32
IMAGE_BYTES: Final = 32
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
DEVICE_BYTES: Final = range(8, 17)
_U32: Final = range(1 << 32)

_PROTECTED: Final = bytes.fromhex("A10127")  # {1: -8}: EdDSA
_SIGN1_PREFIX: Final = (
    b"\x84\x43" + _PROTECTED + b"\xa0"
)  # array of four: protected, {}, payload, signature
_SIGNATURE_PREFIX: Final = b"\x58\x40"  # 64 bytes
_SIGNED_PREFIX: Final = b"\x84\x6aSignature1\x43" + _PROTECTED + b"\x40"


class Pin(Struct, frozen=True):
    """The paired device: its id, its Ed25519 key (32 bytes), and its first event since pairing.

    `pairing` distinguishes successive pairings of the same device.
    """

    device: bytes
    key: bytes
    pairing: str
    first_event: int


class ApprovedImage(Struct, frozen=True):
    """Firmware that may run: SHA-256 of its image, version and security counter."""

    image: bytes
    version: str
    security_counter: int


class Trust(Struct, frozen=True):
    """The devices a link trusts. `bare`: a device without identity is admitted, and shown as such.

    Without a pin and without `bare` no device is trusted. `approved_at_ns`: when the list of
    approved images was signed (UTC); unset without a list.
    """

    pin: Pin | None = None
    approved: tuple[ApprovedImage, ...] = ()
    bare: bool = False
    approved_at_ns: int | UnsetType = UNSET


NO_TRUST: Final = Trust()


class Attestation(Struct, frozen=True):
    """What a device states about itself. `chained`: it keeps a chain of its events."""

    nonce: bytes
    device: bytes
    boot_id: int
    image: bytes
    version: str
    security_counter: int
    boot_count: int
    debug: bool
    chained: bool = False


class Untrusted(Struct, frozen=True):
    """Why a device is not trusted; `rolled_back`: its counters are lower than the known ones."""

    why: Message
    rolled_back: bool = False


def verify_attestation(
    trust: Trust,
    cose_sign1: bytes,
    *,
    nonce: bytes,
    device: bytes,
    boot_id: int,
    boot_count_min: int,
    security_counter_min: int,
) -> Attestation | Untrusted:
    """The verified attestation, or why the device is not trusted.

    `device` and `boot_id` are those of its HELLO, `nonce` that of the request.
    """
    pin = trust.pin
    shown = device.hex()
    if pin is None:
        return Untrusted(message("no_device_paired_here", device=shown))
    if device != pin.device:
        return Untrusted(message("other_device_paired", device=shown, paired=pin.device.hex()))
    payload = verified_payload(pin.key, cose_sign1)
    if payload is None:
        return Untrusted(message("device_signed_with_other_key", device=shown))
    stated = parse_attestation(payload)
    if stated is None:
        return Untrusted(message("attestation_malformed", device=shown))
    if stated.nonce != nonce or stated.device != device or stated.boot_id != boot_id:
        return Untrusted(message("attestation_not_fresh", device=shown))
    return _check_counters(trust, stated, boot_count_min, security_counter_min)


def _check_counters(
    trust: Trust, stated: Attestation, boot_count_min: int, security_counter_min: int
) -> Attestation | Untrusted:
    device = stated.device.hex()
    if stated.debug:
        return Untrusted(message("debug_port_open", device=device))
    if stated.boot_count < boot_count_min:
        why = message(
            "device_starts_below_known",
            device=device,
            starts=stated.boot_count,
            known=boot_count_min,
        )
        return Untrusted(why, rolled_back=True)
    if stated.security_counter < security_counter_min:
        why = message(
            "firmware_older_than_known",
            foreign=foreign_text(stated.version),
            device=device,
            counter=stated.security_counter,
            known=security_counter_min,
        )
        return Untrusted(why, rolled_back=True)
    return _check_approved_image(trust.approved, stated)


def _check_approved_image(
    approved: tuple[ApprovedImage, ...], stated: Attestation
) -> Attestation | Untrusted:
    same = tuple(entry for entry in approved if entry.image == stated.image)
    image = ApprovedImage(stated.image, stated.version, stated.security_counter)
    if image in same:
        return stated
    version = foreign_text(stated.version)
    if not same:
        return Untrusted(
            message("firmware_not_approved", foreign=version, image=stated.image.hex())
        )
    return Untrusted(
        message(
            "firmware_approved_otherwise",
            image=stated.image.hex(),
            foreign=version,
            counter=stated.security_counter,
            configured=same[0].version,
            approved_counter=same[0].security_counter,
        )
    )


def parse_attestation(payload: bytes) -> Attestation | None:
    """Parse the payload of an attestation; None if it is malformed."""
    match cbor.decode_map(payload):
        case {
            1: bytes() as nonce,
            2: bytes() as device,
            3: int() as boot_id,
            4: bytes() as image,
            5: str() as version,
            6: int() as security_counter,
            7: int() as boot_count,
            8: bool() as debug,
            **more,
        } if (
            len(nonce) == NONCE_BYTES
            and len(device) in DEVICE_BYTES
            and len(image) == IMAGE_BYTES
            and version.isprintable()
            and all(_is_u32(number) for number in (boot_id, security_counter, boot_count))
        ):
            return Attestation(
                nonce=nonce,
                device=device,
                boot_id=boot_id,
                image=image,
                version=version,
                security_counter=security_counter,
                boot_count=boot_count,
                debug=debug,
                chained=more.get(9) is True,
            )
        case _:
            return None


def _is_u32(number: int) -> bool:
    return type(number) is int and number in _U32


def unverified_payload(cose_sign1: bytes) -> bytes | None:
    """The payload of a COSE_Sign1 without checking its signature; None if malformed."""
    parts = _parts(cose_sign1)
    return None if parts is None else parts[0]


def verified_payload(key: bytes, cose_sign1: bytes) -> bytes | None:
    """The payload of a COSE_Sign1 with a valid signature of the key; None otherwise."""
    parts = _parts(cose_sign1)
    if parts is None:
        return None
    payload, signature = parts
    return (
        payload
        if is_valid_signature(key, signature, _SIGNED_PREFIX + cbor.encode(payload))
        else None
    )


def _parts(cose_sign1: bytes) -> tuple[bytes, bytes] | None:
    """Payload and signature of a COSE_Sign1 in its only accepted form."""
    rest = cose_sign1.removeprefix(_SIGN1_PREFIX)
    at = len(rest) - SIGNATURE_BYTES - len(_SIGNATURE_PREFIX)
    if len(rest) == len(cose_sign1) or at < 0 or not rest[at:].startswith(_SIGNATURE_PREFIX):
        return None
    match cbor.decode(rest[:at]):
        case (bytes() as payload,):
            return payload, rest[-SIGNATURE_BYTES:]
        case _:
            return None


def is_valid_signature(key: bytes, signature: bytes, data: bytes) -> bool:
    """Whether the owner of an Ed25519 key (32 bytes) signed the data."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
