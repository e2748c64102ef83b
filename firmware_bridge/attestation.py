"""Who a device is: what it states under its own key, what it is pinned to, what may run on it.

Responsible for: the shape of a pin, of an approved image and of an attestation, and whether a
signed attestation is of the pinned device, fresh, and of an approved image that was not rolled
back. One importer of the signature library for the wire.
Not responsible for: where pins and lists are kept (controller), and for transport (tablelink).
Source: package README, "TableLink/1", "Identity"; RFC 9052 (COSE_Sign1), RFC 8032 (Ed25519).
"""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from firmware_bridge import cbor
from firmware_bridge.values import dataclass

NONCE_BYTES: Final = 32
IMAGE_BYTES: Final = 32
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
DEVICE_BYTES: Final = range(8, 17)
_U32: Final = range(1 << 32)

_PROTECTED: Final = bytes.fromhex("A10127")  # {1: -8}: EdDSA
_SEAL_OPENS: Final = b"\x84\x43" + _PROTECTED + b"\xa0"  # an array of four: it, {}, payload, ...
_SIGNATURE_OPENS: Final = b"\x58\x40"  # 64 bytes
_SIGNED_OPENS: Final = b"\x84\x6aSignature1\x43" + _PROTECTED + b"\x40"


@dataclass(frozen=True, slots=True)
class Pin:
    """The device that was paired: its id, its Ed25519 key (32 bytes), and the first event number

    that counts since the pairing. `pairing` tells one pairing from the next of the same device.
    """

    device: bytes
    key: bytes
    pairing: str
    first_event: int


@dataclass(frozen=True, slots=True)
class ApprovedImage:
    """Firmware that may run: SHA-256 of its image, its version and its security counter."""

    image: bytes
    version: str
    security_counter: int


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom a link trusts. `bare`: a device without identity is let in, which is shown everywhere.

    Without a pin and without `bare` nothing is trusted.
    """

    pin: Pin | None = None
    approved: tuple[ApprovedImage, ...] = ()
    bare: bool = False


NO_TRUST: Final = Trust()


@dataclass(frozen=True, slots=True)
class Attestation:
    """What a device states of itself."""

    nonce: bytes
    device: bytes
    boot_id: int
    image: bytes
    version: str
    security_counter: int
    boot_count: int
    debug: bool


class RolledBack(str):
    """Why a device is not trusted: what it states lies before what is known of it."""

    __slots__ = ()


def judge(
    trust: Trust,
    sealed: bytes,
    *,
    nonce: bytes,
    device: bytes,
    boot_id: int,
    boot_count_min: int,
    security_counter_min: int,
) -> Attestation | str:
    """What the device states of itself, or a sentence that says why it is not trusted.

    `device` and `boot_id` are those of its HELLO, `nonce` what it was asked with. A sentence of
    type RolledBack says that its boot count or its firmware lies before what is known of it.
    """
    pin = trust.pin
    if pin is None:
        return (
            f"no device is paired here, and {device.hex()} presents a key. Remedy: pair it with"
            " `smartshoe identity pair` and name the file as `identity`"
        )
    if device != pin.device:
        return (
            f"this is device {device.hex()}; paired is {pin.device.hex()}. Remedy: connect the"
            " paired device, or pair this one with `smartshoe identity pair`"
        )
    payload = opened_seal(pin.key, sealed)
    if payload is None:
        return (
            f"device {device.hex()} did not sign with the key it was paired with. Remedy: take it"
            " out of use and have it looked into; if its maker gave it a new key, compare that"
            " with its paper and pair it again with `smartshoe identity pair`"
        )
    told = read_attestation(payload)
    if told is None:
        return (
            f"device {device.hex()} signed a statement that is not in the form of TableLink/1."
            " Remedy: give it firmware that speaks TableLink/1"
        )
    if told.nonce != nonce or told.device != device or told.boot_id != boot_id:
        return (
            f"the statement of device {device.hex()} is not fresh: it answers another question, or"
            " is of another device or another start. Remedy: switch the device off and on; if it"
            " comes again, something on the line plays back old statements: have it looked into"
        )
    return _approved(trust, told, boot_count_min, security_counter_min)


def _approved(
    trust: Trust, told: Attestation, boot_count_min: int, security_counter_min: int
) -> Attestation | str:
    if told.debug:
        return (
            f"the debug port of device {told.device.hex()} is open: its memory can be read and"
            " changed. Remedy: have its maker close the debug port; it is not used until then"
        )
    if told.boot_count < boot_count_min:
        return RolledBack(
            f"device {told.device.hex()} says it was started {told.boot_count} times, and"
            f" {boot_count_min} starts are known. Remedy: its memory was set back or exchanged;"
            " have it looked into, then pair it again with `smartshoe identity pair`"
        )
    if told.security_counter < security_counter_min:
        return RolledBack(
            f"firmware {told.version} of device {told.device.hex()} has security counter"
            f" {told.security_counter}, and it ran firmware with {security_counter_min}. Remedy:"
            " give it back the newer firmware; an older one is not taken"
        )
    return _on_the_list(trust.approved, told)


def _on_the_list(approved: tuple[ApprovedImage, ...], told: Attestation) -> Attestation | str:
    same = tuple(entry for entry in approved if entry.image == told.image)
    stated = ApprovedImage(told.image, told.version, told.security_counter)
    if stated in same:
        return told
    if same:
        return (
            f"firmware of image {told.image.hex()} says version {told.version}, security counter"
            f" {told.security_counter}; approved is version {same[0].version}, security counter"
            f" {same[0].security_counter}. Remedy: have the device looked into, or correct the"
            " list of approved firmware with `smartshoe firmware approve`"
        )
    return (
        f"firmware {told.version} with image {told.image.hex()} is not on the list of approved"
        " firmware. Remedy: give the device firmware that is, or approve this with"
        " `smartshoe firmware approve`"
    )


def read_attestation(payload: bytes) -> Attestation | None:
    """What the payload of an attestation states; None where it is none."""
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
            )
        case _:
            return None


def _is_u32(number: int) -> bool:
    return type(number) is int and number in _U32


def seal_payload(sealed: bytes) -> bytes | None:
    """The payload of a COSE_Sign1, its signature not looked at; None where it is none."""
    parts = _parts(sealed)
    return None if parts is None else parts[0]


def opened_seal(key: bytes, sealed: bytes) -> bytes | None:
    """The payload of a COSE_Sign1 that the owner of the key signed; None where it is none."""
    parts = _parts(sealed)
    if parts is None:
        return None
    payload, signature = parts
    return payload if verifies(key, signature, _SIGNED_OPENS + cbor.encode(payload)) else None


def _parts(sealed: bytes) -> tuple[bytes, bytes] | None:
    """Payload and signature; the frame around them has one form alone."""
    rest = sealed.removeprefix(_SEAL_OPENS)
    at = len(rest) - SIGNATURE_BYTES - len(_SIGNATURE_OPENS)
    if len(rest) == len(sealed) or at < 0 or not rest[at:].startswith(_SIGNATURE_OPENS):
        return None
    match cbor.decode(rest[:at]):
        case (bytes() as payload,):
            return payload, rest[-SIGNATURE_BYTES:]
        case _:
            return None


def verifies(key: bytes, signature: bytes, data: bytes) -> bool:
    """Whether the owner of an Ed25519 key (32 bytes) signed the data."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
