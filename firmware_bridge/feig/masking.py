"""Shows the wire of a FEIG reader as text without revealing which card comes next.

An identity names one card of a known batch, so it is as good as a face. Frames without tag data
are shown, and of the others the bytes up to the status. Everything else is hidden: data, the CRC
(it distinguishes one card of a known batch from all others), and every byte that no CRC proves to
belong to a frame, because in a broken frame any byte may be part of an identity.
Not: when a port may be shown unmasked (maintenance, the controller's decision).
Source: firmware_bridge/feig/README.md, what is shown.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import assert_never

from firmware_bridge.feig.frames import (
    KEEP_ALIVE,
    AnswerFrame,
    FeigCommand,
    FeigFrame,
    FeigUnframed,
    FrameForm,
    RequestFrame,
    Side,
    feed,
    iterate_frames,
)
from firmware_bridge.feig.messages import describe_status
from firmware_bridge.link import LinkFaultKind
from foundation.message import Message

_HIDDEN = ".."
_BEFORE = FeigUnframed()
_WORDS = MappingProxyType(
    {
        int(FeigCommand.READ_BUFFER_OLD): "buffer",
        int(FeigCommand.READ_BUFFER): "buffer",
        int(FeigCommand.BUFFER_INFO): "buffer info",
        int(FeigCommand.CLEAR_BUFFER): "clear buffer",
        int(FeigCommand.VERSION): "version",
        int(FeigCommand.READER_INFO): "reader info",
        int(FeigCommand.SYSTEM_TIMER): "timer",
        int(FeigCommand.TRANSPONDER): "transponder",
        KEEP_ALIVE: "keep-alive",
    }
)
_SHOWN_WHOLE = frozenset(
    {
        FeigCommand.BUFFER_INFO,
        FeigCommand.CLEAR_BUFFER,
        FeigCommand.VERSION,
        FeigCommand.READER_INFO,
        FeigCommand.SYSTEM_TIMER,
        KEEP_ALIVE,
    }
)


def mask_raw(data: bytes, unframed: FeigUnframed = _BEFORE) -> tuple[str, FeigUnframed]:
    """Bytes of the reader as hex pairs, hidden ones as `..`; pass the rest on to the next chunk."""
    before = len(unframed.pending)
    buffer = unframed.pending + data
    hex_pairs = [_HIDDEN] * len(buffer)
    for start, following, one in iterate_frames(buffer, Side.READER):
        if not isinstance(one, LinkFaultKind):
            end = following if one.command in _SHOWN_WHOLE else start + _plain_bytes(one)
            hex_pairs[start:end] = [f"{byte:02X}" for byte in buffer[start:end]]
    unframed, _found = feed(unframed, data)
    return " ".join(hex_pairs[before:]), unframed


def _plain_bytes(frame: FeigFrame) -> int:
    """Number of bytes up to the status byte, or up to the control byte of a request."""
    head_bytes = 5 if frame.form is FrameForm.ADVANCED else 3
    return head_bytes + isinstance(frame, AnswerFrame)


def frame_text(frame: FeigFrame, words: Callable[[Message], str], *, masked: bool) -> str:
    """One frame as shown to a technician; `words` makes them of a message."""
    command = f"{frame.command:02X} ({_WORDS.get(frame.command, 'not used here')})"
    data = _data(frame.data, whole=not masked or frame.command in _SHOWN_WHOLE)
    match frame:
        case RequestFrame():
            return f"request {command}{data}"
        case AnswerFrame(status=status):
            return f"answer {command} status {words(describe_status(status))}{data}"
        case _:
            assert_never(frame)


def _data(data: bytes, *, whole: bool) -> str:
    if not data:
        return ""
    return " data " + (data.hex(" ").upper() if whole else " ".join([_HIDDEN] * len(data)))
