"""Parses the bodies of events, one reader for each kind, and the receipt within BATCH_DONE.

Source: firmware_bridge/tablelink/README.md, events.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from firmware_bridge import attestation
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import Compartment, EventBody
from firmware_bridge.tablelink.fields import (
    FACE_COUNT,
    U16_END,
    U32_END,
    FieldMismatch,
    Fields,
    decode_fields,
)
from foundation.message import message

_RANK_END: Final = 14
_SUIT_END: Final = 5
_IMAGE_BYTES: Final = 32
_DEVICE_BYTES: Final = tuple(range(8, 17))


def parse_body(kind: int, body: Fields, key: bytes) -> EventBody:
    """Parse the body of an event; `key` is the pinned key, or empty. Raises FieldMismatch."""
    if kind == _BATCH_DONE:
        return _batch_done(body, key)
    reader = _READERS.get(kind)
    if reader is None:
        raise FieldMismatch(message("event_kind_unknown", kind=kind))
    return reader(body)


def parse_receipt(payload: bytes) -> bodies.ShuffleReceipt:
    """Parse the payload of a receipt. Raises FieldMismatch."""
    fields = decode_fields(payload)
    return bodies.ShuffleReceipt(
        device=fields.octets(1, *_DEVICE_BYTES),
        boot_id=fields.number(2, U32_END),
        cycle=fields.number(3, U32_END),
        compartment=_compartment(fields, 4),
        count=fields.number(5, U16_END),
        result=fields.member(6, bodies.ShuffleCheckResult),
        back=fields.text_or_none(7),
        faces=_faces(fields, 8),
        began_us=fields.number(9),
        ended_us=fields.number(10),
        image=fields.octets(11, _IMAGE_BYTES),
        version=fields.text(12),
        boot_count=fields.number(13, U32_END),
    )


def verify_receipt(sealed: bytes, key: bytes) -> bodies.BatchDone | None:
    """Parse a receipt signed with the key, from any source; None otherwise."""
    payload = attestation.verified_payload(key, sealed)
    if payload is None:
        return None
    try:
        return bodies.BatchDone(parse_receipt(payload), sealed, signed=True, genuine=True)
    except FieldMismatch:
        return None


def _batch_done(body: Fields, key: bytes) -> bodies.BatchDone:
    sealed, signed = body.octets(1), body.boolean(2)
    payload = attestation.unverified_payload(sealed) if signed else sealed
    if payload is None:
        raise FieldMismatch(message("receipt_not_cose_sign1"))
    genuine = signed and bool(key) and attestation.verified_payload(key, sealed) == payload
    return bodies.BatchDone(parse_receipt(payload), sealed, signed, genuine)


def _compartment(fields: Fields, key: int) -> int:
    return int(fields.member(key, Compartment))


def _faces(fields: Fields, key: int) -> bytes:
    return fields.octets(key, FACE_COUNT) if fields.has(key) else b""


def _card_out(body: Fields) -> EventBody:
    tag = body.octets(1) if body.has(1) else b""
    rank, suit = divmod(body.number(2, U16_END), 256) if body.has(2) else (0, 0)
    if body.has(2) and not (0 < rank < _RANK_END and 0 < suit < _SUIT_END):
        # Without its value: this message may be shown.
        raise FieldMismatch(message("key_2_is_not_a_face"))
    return bodies.CardOut(tag, rank, suit)


def _compartment_report(body: Fields) -> EventBody:
    return bodies.CompartmentReport(
        compartment=_compartment(body, 1),
        phase=body.member(2, bodies.CompartmentPhase),
        cards=body.number(3, U16_END) if body.has(3) else None,
        back=body.text_or_none(4),
        faces=_faces(body, 5),
    )


def _power_up(body: Fields) -> EventBody:
    bits = body.number(2, 1 << len(_SHUFFLING))
    interrupted = tuple(number for place, number in enumerate(_SHUFFLING) if bits >> place & 1)
    return bodies.PowerUp(body.number(1, U32_END), interrupted)


# Bit 0 of POWER_UP is the first compartment.
_SHUFFLING: Final = (int(Compartment.FIRST), int(Compartment.SECOND))
_BATCH_DONE: Final = 11
_READERS: Final[Mapping[int, Callable[[Fields], EventBody]]] = MappingProxyType(
    {
        1: _card_out,
        2: lambda body: bodies.CardRetracted(body.octets(1)),
        3: lambda _body: bodies.ReadFail(),
        4: lambda body: bodies.DoubleFeed(body.number(1, U16_END)),
        5: lambda _body: bodies.CutCardOut(),
        6: lambda body: bodies.ShoeLoaded(body.text(1)),
        7: lambda _body: bodies.ShoeEmpty(),
        8: lambda body: bodies.Lid(body.boolean(1), _compartment(body, 2)),
        9: lambda body: bodies.Jam(_compartment(body, 1), body.boolean(2)),
        10: lambda body: bodies.BatchStarted(_compartment(body, 1), body.number(2, U32_END)),
        12: lambda body: bodies.BatchAborted(
            _compartment(body, 1), body.number(2, U32_END), body.member(3, bodies.AbortCode)
        ),
        13: lambda body: bodies.SelfTest(body.boolean(1), body.text(2)),
        14: _power_up,
        15: lambda body: bodies.Tamper(body.text(1)),
        16: lambda _body: bodies.Overflow(),
        17: lambda body: bodies.ConfigChanged(body.text(1)),
        18: lambda body: bodies.FirmwareChanged(body.octets(1, _IMAGE_BYTES), body.text(2)),
        19: lambda body: bodies.Checkpoint(body.number(1), body.octets(2, 16), body.octets(3, 64)),
        20: _compartment_report,
        21: lambda body: bodies.ModeReport(body.member(1, bodies.DeviceMode)),
        22: lambda body: bodies.WarningReport(
            body.number(1, U16_END), body.text(2), body.boolean(3)
        ),
        23: lambda body: bodies.Residual(
            compartment=_compartment(body, 2), cards=body.number(1, U16_END)
        ),
    }
)
