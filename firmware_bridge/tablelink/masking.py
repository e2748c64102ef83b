"""Shows the wire of a TableLink device as text without revealing which card comes next.

Frames with the device's identity and clock are shown whole. Of all others only the zeros between
them are shown: stuffing and checksum reveal content, and every byte that no checksum proves to
belong to a frame may be part of a card.
Not: when a port may be shown unmasked (maintenance, the controller's decision).
Source: firmware_bridge/tablelink/README.md, what is shown.
"""

from typing import Final, assert_never

from firmware_bridge.tablelink.frames import (
    FrameChannel,
    TableLinkFrame,
    TableLinkUnframed,
    decode,
    feed,
    runs_between_zeros,
)
from firmware_bridge.tablelink.messages import LinkType

_HIDDEN: Final = ".."
_ZERO: Final = "00"
_BEFORE: Final = TableLinkUnframed()
_SHOWN_WHOLE: Final = (
    LinkType.HELLO,
    LinkType.PONG,
    LinkType.TIME_RSP,
    LinkType.ATTEST_RSP,
)
_NAMES: Final = {int(kind): kind.name for kind in LinkType}


def mask_raw(data: bytes, unframed: TableLinkUnframed = _BEFORE) -> tuple[str, TableLinkUnframed]:
    """Bytes of the device as hex pairs, hidden ones as `..`; pass the rest on to the next chunk."""
    carried, _found = feed(unframed, data)
    before = len(unframed.pending)
    buffer = unframed.pending + data
    hex_pairs = [_HIDDEN if byte else _ZERO for byte in buffer]
    # The rest of a run that was too long cannot begin a frame.
    start = buffer.find(0) if unframed.dropping else 0
    if start >= 0:
        for run_start, run_end in runs_between_zeros(buffer[start:]):
            run = slice(start + run_start, start + run_end)
            one = decode(buffer[run])
            whole = run.stop < len(buffer) and isinstance(one, TableLinkFrame) and _whole(one)
            if whole:
                hex_pairs[run] = [f"{byte:02X}" for byte in buffer[run]]
    return " ".join(hex_pairs[before:]), carried


def frame_text(frame: TableLinkFrame, *, masked: bool) -> str:
    """One frame as shown to a technician."""
    again = ", resent" if frame.resent else ""
    payload = _payload(frame.payload, whole=not masked or _whole(frame))
    match frame.channel:
        case FrameChannel.LINK:
            return f"{_NAMES.get(frame.type, f'link message {frame.type}')}{again}{payload}"
        case FrameChannel.EVENT:
            return f"event {frame.seq} of kind {frame.type}{again}{payload}"
        case FrameChannel.RPC:
            # The type of the request would reveal a lock.
            request = "a request" if masked else f"request {frame.type}"
            return f"answer to {request}, id {frame.seq}{again}{payload}"
        case FrameChannel.TRACE:
            return f"trace{again}{payload}"
        case _:
            assert_never(frame.channel)


def _whole(frame: TableLinkFrame) -> bool:
    return frame.channel is FrameChannel.LINK and frame.type in _SHOWN_WHOLE


def _payload(payload: bytes, *, whole: bool) -> str:
    if not payload:
        return ""
    text = payload.hex(" ").upper() if whole else " ".join([_HIDDEN] * len(payload))
    return f" payload {text}"
