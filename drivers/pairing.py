"""Asks an unknown TableLink device for its identity and checks that it holds the key it states.

It receives and acknowledges no event: the device stores all events for the table.

Not: checking that key against the one printed on the device's paper (people do that).

Source: firmware_bridge README, "TableLink/1", "Opening", "Identity".
"""

import hashlib
from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.model import DeviceKind
from firmware_bridge import attestation
from firmware_bridge.attestation import ApprovedImage, Attestation, Pin, Trust, Untrusted
from firmware_bridge.tablelink import frames, messages
from firmware_bridge.tablelink.fields import FieldMismatch, decode_fields
from firmware_bridge.tablelink.frames import FrameChannel, TableLinkFrame, TableLinkUnframed
from firmware_bridge.tablelink.messages import AttestationResponse, Hello, HostMessage, LinkType
from firmware_bridge.tablelink.settings import DeviceRole
from foundation.message import Message, message
from foundation.timestamp import Timestamp

RETRY_NS: Final = 500_000_000
_SESSION_BYTES: Final = 4


class PresentedDevice(Struct, frozen=True):
    """A device that proved it holds the key it states.

    `first_event`: number of the oldest stored event. `proof`: SHA-256 of the signed attestation.
    """

    kind: DeviceKind
    key: bytes
    first_event: int
    stated: Attestation
    proof: bytes


class UnfitDevice(Struct, frozen=True):
    """A device that cannot be paired; `why` ends with a remedy."""

    why: Message


class PairingProgress(StrEnum):
    """How far the exchange came: distinguishes a dead cable from a wrong device."""

    NOTHING = "nothing"
    BYTES = "bytes"
    FRAMES = "frames"
    HELLO = "hello"


class PairingState(Struct, frozen=True):
    """A pairing exchange under way; `hello` is the device's HELLO in this session."""

    session: int
    nonce: bytes
    retry_ns: int
    ctr: int = 0
    progress: PairingProgress = PairingProgress.NOTHING
    unframed: TableLinkUnframed = field(default_factory=TableLinkUnframed)
    hello: Hello | None = None


PairingResult: TypeAlias = PresentedDevice | UnfitDevice | None


def open_pairing(entropy: bytes, at: Timestamp) -> tuple[PairingState, bytes]:
    """Start with a HELLO; `entropy` is that of the port's opening. Returns the bytes to write."""
    state = PairingState(
        session=int.from_bytes(entropy[:_SESSION_BYTES], "little") or 1,
        nonce=hashlib.sha256(b"TableLink/1 pairing" + entropy).digest(),
        retry_ns=at.monotonic_ns,
    )
    return tick(state, at)


def tick(state: PairingState, at: Timestamp) -> tuple[PairingState, bytes]:
    """Repeat the request that was not answered in time."""
    if at.monotonic_ns < state.retry_ns:
        return state, b""
    hello = state.hello
    message = messages.hello(state.session) if hello is None else _attest_request(state)
    return _send(replace(state, retry_ns=at.monotonic_ns + RETRY_NS), message)


def receive(
    state: PairingState, data: bytes, at: Timestamp
) -> tuple[PairingState, bytes, PairingResult]:
    """Process bytes; returns the bytes to write, and the result once there is one."""
    unframed, found = frames.feed(state.unframed, data)
    state = replace(state, unframed=unframed)
    state = _advance(state, PairingProgress.BYTES if data else PairingProgress.NOTHING)
    to_write = b""
    for one in found:
        if not isinstance(one, TableLinkFrame):
            continue
        state = _advance(state, PairingProgress.FRAMES)
        if one.channel is not FrameChannel.LINK:
            continue
        match messages.decode(one):
            case Hello() as hello if hello.session == state.session:
                state, request = _receive_hello(state, hello, at)
                to_write += request
            case AttestationResponse() as response if (
                state.hello is not None and one.type == LinkType.ATTEST_RSP
            ):
                result = _check(state, state.hello, response, _stated_key(one))
                if result is not None:
                    return state, to_write, result
            case _:
                pass
    return state, to_write, None


def _advance(state: PairingState, progress: PairingProgress) -> PairingState:
    steps = tuple(PairingProgress)
    return replace(state, progress=max(state.progress, progress, key=steps.index))


def _receive_hello(state: PairingState, hello: Hello, at: Timestamp) -> tuple[PairingState, bytes]:
    if state.hello == hello:
        return state, b""
    state = _advance(replace(state, hello=hello), PairingProgress.HELLO)
    return _send(replace(state, retry_ns=at.monotonic_ns + RETRY_NS), _attest_request(state))


def _attest_request(state: PairingState) -> HostMessage:
    return messages.attest_request(state.nonce)


def _send(state: PairingState, message: HostMessage) -> tuple[PairingState, bytes]:
    ctr = state.ctr + 1
    return replace(state, ctr=ctr), frames.encode(message.frame(ctr))


def _stated_key(frame: TableLinkFrame) -> bytes:
    try:
        return decode_fields(frame.payload).octets(3, attestation.KEY_BYTES)
    except FieldMismatch:
        return b""


def _check(
    state: PairingState, hello: Hello, response: AttestationResponse, key: bytes
) -> PairingResult:
    device = hello.device.hex()
    if hello.role not in tuple(DeviceRole):
        return UnfitDevice(message("device_of_unknown_role", device=device))
    if not 1 <= hello.first <= hello.following:
        return UnfitDevice(
            message(
                "device_contradicts_itself",
                device=device,
                first=hello.first,
                following=hello.following,
            )
        )
    if not response.cose_sign1:
        return UnfitDevice(message("bare_device_cannot_be_paired", device=device))
    if not key:
        return UnfitDevice(message("device_states_no_public_key", device=device))
    return _verify(state, hello, response, key)


def _verify(
    state: PairingState, hello: Hello, response: AttestationResponse, key: bytes
) -> PairingResult:
    """Check that the device signed this request's nonce with the key it states."""
    payload = attestation.unverified_payload(response.cose_sign1)
    stated = None if payload is None else attestation.parse_attestation(payload)
    if stated is not None and stated.nonce != state.nonce:
        return None  # A late answer to another request.
    running = () if stated is None else (_approved_image(stated),)
    verdict = attestation.verify_attestation(
        Trust(Pin(hello.device, key, "", hello.first), running),
        response.cose_sign1,
        nonce=state.nonce,
        device=hello.device,
        boot_id=hello.boot_id,
        boot_count_min=0,
        security_counter_min=0,
    )
    if isinstance(verdict, Untrusted):
        return UnfitDevice(verdict.why)
    kind = DeviceKind[DeviceRole(hello.role).name]
    proof = hashlib.sha256(response.cose_sign1).digest()
    return PresentedDevice(kind, key, hello.first, verdict, proof)


def _approved_image(stated: Attestation) -> ApprovedImage:
    return ApprovedImage(stated.image, stated.version, stated.security_counter)
