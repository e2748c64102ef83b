"""Showing the wire of a FEIG reader without showing which card comes next.

Responsible for: raw bytes and frames as text in which no identity and nothing stored on a tag can
be read or worked out.
Not responsible for: when a port may be shown unmasked (maintenance, the controller's decision).

An identity names one card of a known batch, so it is as good as a face. Shown are the frames that
hold nothing of tags, and of the others the bytes up to the status. Everything else is hidden: data,
the CRC, which tells a card of a known batch from all others, and every byte that is not proved by
the CRC to belong to a frame, because in a broken frame any byte may be one of an identity.
Source: package README, "FEIG OBID", what is shown.
"""

from types import MappingProxyType
from typing import assert_never

from firmware_bridge.feig.frames import (
    KEEP_ALIVE,
    Answer,
    Command,
    Form,
    Frame,
    Request,
    Side,
    Unframed,
    feed,
    walk,
)
from firmware_bridge.feig.messages import status_text
from firmware_bridge.link import LinkFaultKind

_HIDDEN = ".."
_BEFORE = Unframed()
_WORDS = MappingProxyType(
    {
        int(Command.READ_BUFFER_OLD): "buffer",
        int(Command.READ_BUFFER): "buffer",
        int(Command.BUFFER_INFO): "buffer info",
        int(Command.CLEAR_BUFFER): "clear buffer",
        int(Command.VERSION): "version",
        int(Command.READER_INFO): "reader info",
        int(Command.SYSTEM_TIMER): "timer",
        int(Command.TRANSPONDER): "transponder",
        KEEP_ALIVE: "keep-alive",
    }
)
_SHOWN_WHOLE = frozenset(
    {
        Command.BUFFER_INFO,
        Command.CLEAR_BUFFER,
        Command.VERSION,
        Command.READER_INFO,
        Command.SYSTEM_TIMER,
        KEEP_ALIVE,
    }
)


def mask_raw(data: bytes, unframed: Unframed = _BEFORE) -> tuple[str, Unframed]:
    """Bytes of the reader as hex pairs, hidden ones as `..`; carry the rest to the next chunk."""
    before = len(unframed.pending)
    buffer = unframed.pending + data
    shown = [_HIDDEN] * len(buffer)
    for start, following, one in walk(buffer, Side.READER):
        if not isinstance(one, LinkFaultKind):
            end = following if one.command in _SHOWN_WHOLE else start + _plain_bytes(one)
            shown[start:end] = [f"{byte:02X}" for byte in buffer[start:end]]
    unframed, _found = feed(unframed, data)
    return " ".join(shown[before:]), unframed


def _plain_bytes(frame: Frame) -> int:
    """Up to the status byte, or up to the control byte of a request."""
    head_bytes = 5 if frame.form is Form.ADVANCED else 3
    return head_bytes + isinstance(frame, Answer)


def frame_text(frame: Frame, *, masked: bool) -> str:
    """One frame in a technician's words."""
    command = f"{frame.command:02X} ({_WORDS.get(frame.command, 'not used here')})"
    data = _data(frame.data, whole=not masked or frame.command in _SHOWN_WHOLE)
    match frame:
        case Request():
            return f"request {command}{data}"
        case Answer(status=status):
            return f"answer {command} status {status_text(status)}{data}"
        case _:
            assert_never(frame)


def _data(data: bytes, *, whole: bool) -> str:
    if not data:
        return ""
    return " data " + (data.hex(" ").upper() if whole else " ".join([_HIDDEN] * len(data)))
