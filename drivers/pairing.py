"""Getting to know a device that is to be trusted from now on.

Responsible for: asking a TableLink device who it is, and whether it holds the key it states.
Not responsible for: whether that key is the one on the device's paper (people), what is written
down of it (controller), and devices that are paired (drivers.tablelink).
Source: firmware_bridge README, "TableLink/1", "Opening", "Identity".

It takes no event and acknowledges none: the device keeps all it has for the table.
"""

import hashlib
from dataclasses import field
from enum import StrEnum
from typing import Final, TypeAlias

from firmware_bridge import attestation
from firmware_bridge.attestation import ApprovedImage, Attestation, Pin, Trust
from firmware_bridge.tablelink import frames, messages
from firmware_bridge.tablelink.fields import Misfit, fields_of
from firmware_bridge.tablelink.frames import Channel, Frame, Unframed
from firmware_bridge.tablelink.messages import Attested, Hello, LinkType, Said
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

ASK_AGAIN_NS: Final = 500_000_000
_SESSION_BYTES: Final = 4


class DeviceKind(StrEnum):
    """What a device with an identity is."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"


@dataclass(frozen=True, slots=True)
class DevicePresented:
    """A device that holds the key it states. `proof` names the pairing; `first_event` counts."""

    kind: DeviceKind
    key: bytes
    first_event: int
    stated: Attestation
    proof: bytes


@dataclass(frozen=True, slots=True)
class DeviceUnfit:
    """A device that cannot be paired; `why` is a sentence with a remedy."""

    why: str


class Heard(StrEnum):
    """How far a device came: what tells a dead cable from a wrong device."""

    NOTHING = "nothing"
    BYTES = "bytes"
    FRAMES = "frames"
    HELLO = "hello"


@dataclass(frozen=True, slots=True)
class PairingState:
    """A conversation under way. `hello` is what the device said of itself in this session."""

    session: int
    nonce: bytes
    again_ns: int
    ctr: int = 0
    heard: Heard = Heard.NOTHING
    unframed: Unframed = field(default_factory=Unframed)
    hello: Hello | None = None


Presented: TypeAlias = DevicePresented | DeviceUnfit | None


def opened(entropy: bytes, at: Timestamp) -> tuple[PairingState, bytes]:
    """Ask who is there; `entropy` is that of the port's opening."""
    state = PairingState(
        session=int.from_bytes(entropy[:_SESSION_BYTES], "little") or 1,
        nonce=hashlib.sha256(b"TableLink/1 pairing" + entropy).digest(),
        again_ns=at.monotonic_ns,
    )
    return tick(state, at)


def tick(state: PairingState, at: Timestamp) -> tuple[PairingState, bytes]:
    """Ask once more what was not answered in time."""
    if at.monotonic_ns < state.again_ns:
        return state, b""
    hello = state.hello
    said = messages.hello(state.session) if hello is None else _question(state)
    return _said(replace(state, again_ns=at.monotonic_ns + ASK_AGAIN_NS), said)


def receive(
    state: PairingState, data: bytes, at: Timestamp
) -> tuple[PairingState, bytes, Presented]:
    """Take bytes; what there is to write, and the device once it has presented itself."""
    unframed, found = frames.feed(state.unframed, data)
    state = replace(state, unframed=unframed)
    state = _farther(state, Heard.BYTES if data else Heard.NOTHING)
    to_write = b""
    for one in found:
        if not isinstance(one, Frame):
            continue
        state = _farther(state, Heard.FRAMES)
        if one.channel is not Channel.LINK:
            continue
        match messages.decode(one):
            case Hello() as hello if hello.session == state.session:
                state, asked = _heard_hello(state, hello, at)
                to_write += asked
            case Attested() as told if state.hello is not None and one.type == LinkType.ATTEST_RSP:
                presented = _judged(state, state.hello, told, _stated_key(one))
                if presented is not None:
                    return state, to_write, presented
            case _:
                pass
    return state, to_write, None


def _farther(state: PairingState, heard: Heard) -> PairingState:
    steps = tuple(Heard)
    return replace(state, heard=max(state.heard, heard, key=steps.index))


def _heard_hello(state: PairingState, hello: Hello, at: Timestamp) -> tuple[PairingState, bytes]:
    if state.hello == hello:
        return state, b""
    state = _farther(replace(state, hello=hello), Heard.HELLO)
    return _said(replace(state, again_ns=at.monotonic_ns + ASK_AGAIN_NS), _question(state))


def _question(state: PairingState) -> Said:
    return messages.attest_request(state.nonce)


def _said(state: PairingState, said: Said) -> tuple[PairingState, bytes]:
    ctr = state.ctr + 1
    return replace(state, ctr=ctr), frames.encode(said.frame(ctr))


def _stated_key(frame: Frame) -> bytes:
    try:
        return fields_of(frame.payload).octets(3, attestation.KEY_BYTES)
    except Misfit:
        return b""


def _judged(state: PairingState, hello: Hello, told: Attested, key: bytes) -> Presented:
    if hello.role not in tuple(DeviceRole):
        return DeviceUnfit(
            f"device {hello.device.hex()} is neither a shoe nor a shuffler. Remedy: look which"
            " device is connected there"
        )
    if not 1 <= hello.first <= hello.following:
        return DeviceUnfit(
            f"device {hello.device.hex()} contradicts itself: its first event is {hello.first},"
            f" its next {hello.following}. Remedy: have its maker mend its firmware"
        )
    if not told.sealed:
        return DeviceUnfit(
            f"device {hello.device.hex()} has no identity (a bare device) and cannot be paired."
            " Remedy: take a device that has one; on a bench alone, write bare = true in its"
            " section of table.toml"
        )
    if not key:
        return DeviceUnfit(
            f"device {hello.device.hex()} does not state its public key. Remedy: give it firmware"
            " that states it in ATTEST_RSP"
        )
    return _proven(state, hello, told, key)


def _proven(state: PairingState, hello: Hello, told: Attested, key: bytes) -> Presented:
    """Whether the device signed this very question with the key it states."""
    payload = attestation.seal_payload(told.sealed)
    stated = None if payload is None else attestation.read_attestation(payload)
    if stated is not None and stated.nonce != state.nonce:
        return None  # An answer to somebody else's question, long on its way.
    running = () if stated is None else (_image(stated),)
    judged = attestation.judge(
        Trust(Pin(hello.device, key, "", hello.first), running),
        told.sealed,
        nonce=state.nonce,
        device=hello.device,
        boot_id=hello.boot_id,
        boot_count_min=0,
        security_counter_min=0,
    )
    if isinstance(judged, str):
        return DeviceUnfit(str(judged))
    kind = DeviceKind[DeviceRole(hello.role).name]
    proof = hashlib.sha256(told.sealed).digest()
    return DevicePresented(kind, key, hello.first, judged, proof)


def _image(stated: Attestation) -> ApprovedImage:
    return ApprovedImage(stated.image, stated.version, stated.security_counter)
