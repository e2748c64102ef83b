"""Showing the wire of a TableLink device without showing which card comes next.

Responsible for: raw bytes and frames as text in which no card, no lock and nothing a device wrote
can be read or worked out.
Not responsible for: when a port may be shown unmasked (maintenance, the controller's decision).

Shown whole are frames that say who a device is and what its clock is. Of all others only the zeros
between them: stuffing and checksum tell of what is in them, and every byte that no checksum proves
to belong to a frame may be one of a card.
Source: package README, "TableLink/1", what is shown.
"""

from typing import Final, assert_never

from firmware_bridge.tablelink.frames import Channel, Frame, Unframed, decode, feed, walk
from firmware_bridge.tablelink.messages import LinkType

_HIDDEN: Final = ".."
_ZERO: Final = "00"
_BEFORE: Final = Unframed()
_SHOWN_WHOLE: Final = (
    LinkType.HELLO,
    LinkType.PONG,
    LinkType.TIME_RSP,
    LinkType.ATTEST_RSP,
)
_NAMES: Final = {int(kind): kind.name for kind in LinkType}


def mask_raw(data: bytes, unframed: Unframed = _BEFORE) -> tuple[str, Unframed]:
    """Bytes of the device as hex pairs, hidden ones as `..`; carry the rest to the next chunk."""
    carried, _found = feed(unframed, data)
    before = len(unframed.pending)
    buffer = unframed.pending + data
    shown = [_HIDDEN if byte else _ZERO for byte in buffer]
    # What is left of a run that grew too long is no beginning of a frame.
    start = buffer.find(0) if unframed.dropping else 0
    if start >= 0:
        for run_start, run_end in walk(buffer[start:]):
            run = slice(start + run_start, start + run_end)
            one = decode(buffer[run])
            whole = run.stop < len(buffer) and isinstance(one, Frame) and _whole(one)
            if whole:
                shown[run] = [f"{byte:02X}" for byte in buffer[run]]
    return " ".join(shown[before:]), carried


def frame_text(frame: Frame, *, masked: bool) -> str:
    """One frame in a technician's words."""
    again = ", said before" if frame.resent else ""
    payload = _payload(frame.payload, whole=not masked or _whole(frame))
    match frame.channel:
        case Channel.LINK:
            return f"{_NAMES.get(frame.type, f'link message {frame.type}')}{again}{payload}"
        case Channel.EVENT:
            return f"event {frame.seq} of kind {frame.type}{again}{payload}"
        case Channel.RPC:
            # Which request it was tells of a lock.
            asked = "a request" if masked else f"request {frame.type}"
            return f"answer to {asked}, id {frame.seq}{again}{payload}"
        case Channel.TRACE:
            return f"trace{again}{payload}"
        case _:
            assert_never(frame.channel)


def _whole(frame: Frame) -> bool:
    return frame.channel is Channel.LINK and frame.type in _SHOWN_WHOLE


def _payload(payload: bytes, *, whole: bool) -> str:
    if not payload:
        return ""
    shown = payload.hex(" ").upper() if whole else " ".join([_HIDDEN] * len(payload))
    return f" payload {shown}"
