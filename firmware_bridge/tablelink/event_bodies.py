"""The bodies of events: maps to values, one reader for each kind.

Responsible for: which keys the body of each kind has, and the receipt within BATCH_DONE.
Not responsible for: the frame around them (messages) and for what they mean at a table (drivers).
Source: package README, "TableLink/1", events.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from firmware_bridge import attestation
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import Body, Compartment
from firmware_bridge.tablelink.fields import FACES, U16_END, U32_END, Fields, Misfit, fields_of

_RANK_END: Final = 14
_SUIT_END: Final = 5
_IMAGE_BYTES: Final = 32
_DEVICE_BYTES: Final = tuple(range(8, 17))


def body_of(kind: int, body: Fields, key: bytes) -> Body:
    """The body of an event; `key` is the pinned key, empty for none. Raises Misfit."""
    if kind == _BATCH_DONE:
        return _batch_done(body, key)
    reader = _READERS.get(kind)
    if reader is None:
        raise Misfit(f"its kind {kind} is not in use")
    return reader(body)


def receipt_of(payload: bytes) -> bodies.ShuffleReceipt:
    """What a receipt states. Raises Misfit."""
    fields = fields_of(payload)
    return bodies.ShuffleReceipt(
        device=fields.octets(1, *_DEVICE_BYTES),
        boot_id=fields.number(2, U32_END),
        cycle=fields.number(3, U32_END),
        compartment=_compartment(fields, 4),
        count=fields.number(5, U16_END),
        result=fields.member(6, bodies.Verified),
        back=fields.text_or_none(7),
        faces=_faces(fields, 8),
        began_us=fields.number(9),
        ended_us=fields.number(10),
        image=fields.octets(11, _IMAGE_BYTES),
        version=fields.text(12),
        boot_count=fields.number(13, U32_END),
    )


def opened_receipt(sealed: bytes, key: bytes) -> bodies.BatchDone | None:
    """A signed receipt, whoever brings it; None where it is not of that key. Total."""
    payload = attestation.opened_seal(key, sealed)
    if payload is None:
        return None
    try:
        return bodies.BatchDone(receipt_of(payload), sealed, signed=True, genuine=True)
    except Misfit:
        return None


def _batch_done(body: Fields, key: bytes) -> bodies.BatchDone:
    sealed, signed = body.octets(1), body.truth(2)
    payload = attestation.seal_payload(sealed) if signed else sealed
    if payload is None:
        raise Misfit("its receipt is no COSE_Sign1")
    genuine = signed and bool(key) and attestation.opened_seal(key, sealed) == payload
    return bodies.BatchDone(receipt_of(payload), sealed, signed, genuine)


def _compartment(fields: Fields, key: int) -> int:
    return int(fields.member(key, Compartment))


def _faces(fields: Fields, key: int) -> bytes:
    return fields.octets(key, FACES) if fields.has(key) else b""


def _card_out(body: Fields) -> Body:
    tag = body.octets(1) if body.has(1) else b""
    rank, suit = divmod(body.number(2, U16_END), 256) if body.has(2) else (0, 0)
    if body.has(2) and not (0 < rank < _RANK_END and 0 < suit < _SUIT_END):
        # Never with its value: this may be shown.
        raise Misfit("key 2 is no face")
    return bodies.CardOut(tag, rank, suit)


def _compartment_told(body: Fields) -> Body:
    return bodies.CompartmentTold(
        compartment=_compartment(body, 1),
        holding=body.member(2, bodies.Holding),
        cards=body.number(3, U16_END) if body.has(3) else None,
        back=body.text_or_none(4),
        faces=_faces(body, 5),
    )


def _power_up(body: Fields) -> Body:
    bits = body.number(2, 1 << len(_SHUFFLING))
    broken_off = tuple(number for place, number in enumerate(_SHUFFLING) if bits >> place & 1)
    return bodies.PowerUp(body.number(1, U32_END), broken_off)


# Bit 0 of POWER_UP is the first compartment.
_SHUFFLING: Final = (int(Compartment.FIRST), int(Compartment.SECOND))
_BATCH_DONE: Final = 11
_READERS: Final[Mapping[int, Callable[[Fields], Body]]] = MappingProxyType(
    {
        1: _card_out,
        2: lambda body: bodies.CardRetracted(body.octets(1)),
        3: lambda _body: bodies.ReadFail(),
        4: lambda body: bodies.DoubleFeed(body.number(1, U16_END)),
        5: lambda _body: bodies.CutCard(),
        6: lambda body: bodies.ShoeLoaded(body.text(1)),
        7: lambda _body: bodies.ShoeEmpty(),
        8: lambda body: bodies.Lid(body.truth(1), _compartment(body, 2)),
        9: lambda body: bodies.Jam(_compartment(body, 1), body.truth(2)),
        10: lambda body: bodies.BatchStarted(_compartment(body, 1), body.number(2, U32_END)),
        12: lambda body: bodies.BatchAborted(
            _compartment(body, 1), body.number(2, U32_END), body.member(3, bodies.Abort)
        ),
        13: lambda body: bodies.SelfTest(body.truth(1), body.text(2)),
        14: _power_up,
        15: lambda body: bodies.Tamper(body.text(1)),
        16: lambda _body: bodies.Overflow(),
        17: lambda body: bodies.ConfigChanged(body.text(1)),
        18: lambda body: bodies.FirmwareChanged(body.octets(1, _IMAGE_BYTES), body.text(2)),
        19: lambda body: bodies.Checkpoint(body.number(1), body.octets(2, 16), body.octets(3, 64)),
        20: _compartment_told,
        21: lambda body: bodies.ModeTold(body.member(1, bodies.Mode)),
        22: lambda body: bodies.WarningTold(body.number(1, U16_END), body.text(2), body.truth(3)),
        23: lambda body: bodies.Residual(
            compartment=_compartment(body, 2), cards=body.number(1, U16_END)
        ),
    }
)
