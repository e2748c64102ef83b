"""Shows the wire of an Angel Eye II-EX as text without revealing a card.

The position of a byte decides, not its value: ENQ, ETX, SEQ and the code are shown, and between
frames the other control bytes. Every payload byte is hidden, with bit 7 or without (a line set to
seven bits strips it), and so are the BCC digits: a BCC is the XOR of all bytes, so with the rest
known it gives the card away. In frames the payloads of cards, locks and errors are hidden: a lock
or an overdraw reveals that the hands are complete.
Not: when a port may be shown unmasked (maintenance, the controller's decision).
Source: firmware_bridge/angel_eye/README.md, what is shown.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from firmware_bridge.angel_eye.frames import (
    ACK,
    ENQ,
    ETX,
    NAK,
    STX,
    AckFrame,
    AngelEyeFrame,
    NakFrame,
    ReadReplyFrame,
    ReportFrame,
)

_HIDDEN = ".."
_CODES = b"SPDRdCGEeLM"
_CODES_SHOWN_WHOLE = "SPCGM"
_BETWEEN_SHOWN = bytes((STX, ACK, NAK))


class MaskPlace(StrEnum):
    """Position of the next byte within a frame."""

    UNKNOWN = "unknown"  # before the first ENQ or ETX
    SEQ = "seq"
    CODE = "code"
    PAYLOAD = "payload"
    PAYLOAD_TWO = "payload_two"  # two bytes of payload are to come, whatever they look like
    PAYLOAD_ONE = "payload_one"
    BCC_FIRST = "bcc_first"
    BCC_SECOND = "bcc_second"
    BETWEEN = "between"


_PLAIN_PLACES = MappingProxyType(
    {
        **dict.fromkeys(b"DRd", MaskPlace.PAYLOAD_TWO),
        **dict.fromkeys(b"GEeL", MaskPlace.PAYLOAD_ONE),
    }
)


def mask_raw(
    data: bytes, place: MaskPlace = MaskPlace.UNKNOWN, *, plain: bool = False
) -> tuple[str, MaskPlace]:
    """Bytes as hex pairs with the hidden ones as `..`; pass the place on to the next chunk.

    `plain`: payloads may lack bit 7, and a byte of them may look like ENQ, ETX, STX, ACK or NAK.
    """
    hex_pairs: list[str] = []
    for byte in data:
        of_code = place is MaskPlace.CODE
        text, place = _mask_byte(byte, place)
        if plain and of_code and place is MaskPlace.PAYLOAD:
            place = _PLAIN_PLACES.get(byte, place)
        hex_pairs.append(text)
    return " ".join(hex_pairs), place


def _mask_byte(byte: int, place: MaskPlace) -> tuple[str, MaskPlace]:
    text = f"{byte:02X}"
    if place is MaskPlace.PAYLOAD_TWO:
        return _HIDDEN, MaskPlace.PAYLOAD_ONE
    if place is MaskPlace.PAYLOAD_ONE:
        return _HIDDEN, MaskPlace.PAYLOAD
    if byte == ENQ:
        return text, MaskPlace.SEQ
    if byte == ETX:
        return text, MaskPlace.BCC_FIRST
    match place:
        case MaskPlace.SEQ:
            return (text if chr(byte).isalnum() and byte < 0x80 else _HIDDEN), MaskPlace.CODE
        case MaskPlace.CODE:
            return (text if byte in _CODES else _HIDDEN), MaskPlace.PAYLOAD
        case MaskPlace.BCC_FIRST:
            return _HIDDEN, MaskPlace.BCC_SECOND
        case MaskPlace.BCC_SECOND:
            return _HIDDEN, MaskPlace.BETWEEN
        case MaskPlace.BETWEEN:
            following = MaskPlace.PAYLOAD if byte == STX else MaskPlace.BETWEEN
            return (text if byte in _BETWEEN_SHOWN else _HIDDEN), following
        case MaskPlace.UNKNOWN | MaskPlace.PAYLOAD:
            return _HIDDEN, place
        case _:
            assert_never(place)


def frame_text(frame: AngelEyeFrame, *, masked: bool) -> str:
    """One frame as shown to a technician."""
    match frame:
        case ReportFrame(seq, data):
            code = chr(data[0])
            whole = not masked or code in _CODES_SHOWN_WHOLE
            return f"report SEQ {seq!r} code {code!r}{_payload(data[1:], whole=whole)}"
        case AckFrame():
            return "ACK"
        case NakFrame(code):
            return f"NAK {code:02X}"
        case ReadReplyFrame(data):
            return f"read reply{_payload(data, whole=not masked)}"
        case _:
            assert_never(frame)


def _payload(payload: bytes, *, whole: bool) -> str:
    if not payload:
        return ""
    return " payload " + (payload.hex(" ").upper() if whole else " ".join([_HIDDEN] * len(payload)))
