"""Requests to FEIG readers, as bytes.

None of them discards the buffer.
Source: firmware_bridge/feig/README.md, commands.
"""

from firmware_bridge.feig.frames import FeigCommand, FrameForm, encode_request
from firmware_bridge.feig.settings import BufferLayout

IDENTITY_BYTES = 8

_INVENTORY = 0x01
_READ_BLOCKS = 0x23
_MORE = 0x80
_ADDRESSED = 0x01


def ask_version(form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """65: request the software version."""
    return encode_request(FeigCommand.VERSION, form=form)


def ask_info(mode: int, form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """66: request reader information of the kind `mode`."""
    return encode_request(FeigCommand.READER_INFO, bytes((mode,)), form)


def ask_timer(form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """86: request the system timer."""
    return encode_request(FeigCommand.SYSTEM_TIMER, form=form)


def ask_buffer_info(form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """31: request size and fill level of the buffer."""
    return encode_request(FeigCommand.BUFFER_INFO, form=form)


def read_buffer(layout: BufferLayout, sets: int | None = None) -> bytes:
    """22 or 21: request the first data sets; by default as many as the layout's `sets_max`."""
    count_bytes = 1 if layout.read is FeigCommand.READ_BUFFER_OLD else 2
    count = layout.sets_max if sets is None else min(sets, 256**count_bytes - 1)
    return encode_request(layout.read, count.to_bytes(count_bytes, "big"), layout.form)


def clear_buffer(form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """32: clear the data sets read last."""
    return encode_request(FeigCommand.CLEAR_BUFFER, form=form)


def inventory(*, more: bool, form: FrameForm = FrameForm.ADVANCED) -> bytes:
    """B0 01: request the tags in the field; with `more` those not yet reported."""
    mode = _MORE if more else 0
    return encode_request(FeigCommand.TRANSPONDER, bytes((_INVENTORY, mode)), form)


def read_blocks(
    identity: bytes, first: int, count: int, form: FrameForm = FrameForm.ADVANCED
) -> bytes:
    """B0 23: read `count` memory blocks of one tag from block `first` on."""
    assert len(identity) == IDENTITY_BYTES
    data = bytes((_READ_BLOCKS, _ADDRESSED)) + identity + bytes((first, count))
    return encode_request(FeigCommand.TRANSPONDER, data, form)
