"""What is asked of FEIG readers, as bytes.

Responsible for: the data of each request. There is none that drops the buffer.
Not responsible for: frames (frames) and for what is asked when (link).
Source: package README, "FEIG OBID", commands.
"""

from firmware_bridge.feig.frames import Command, Form, encode_request
from firmware_bridge.feig.layouts import Layout

IDENTITY_BYTES = 8

_INVENTORY = 0x01
_READ_BLOCKS = 0x23
_MORE = 0x80
_ADDRESSED = 0x01


def ask_version(form: Form = Form.ADVANCED) -> bytes:
    """65: who are you."""
    return encode_request(Command.VERSION, form=form)


def ask_info(mode: int, form: Form = Form.ADVANCED) -> bytes:
    """66: who are you, in the kind of detail that `mode` names."""
    return encode_request(Command.READER_INFO, bytes((mode,)), form)


def ask_timer(form: Form = Form.ADVANCED) -> bytes:
    """86: what does your timer say."""
    return encode_request(Command.SYSTEM_TIMER, form=form)


def ask_buffer_info(form: Form = Form.ADVANCED) -> bytes:
    """31: how large is the buffer, and how full."""
    return encode_request(Command.BUFFER_INFO, form=form)


def read_buffer(layout: Layout, sets: int | None = None) -> bytes:
    """22 or 21: the first data sets, as many as the layout says if not told otherwise."""
    count_bytes = 1 if layout.read is Command.READ_BUFFER_OLD else 2
    count = layout.sets_max if sets is None else min(sets, 256**count_bytes - 1)
    return encode_request(layout.read, count.to_bytes(count_bytes, "big"), layout.form)


def clear_buffer(form: Form = Form.ADVANCED) -> bytes:
    """32: the data sets read last are stored and may go."""
    return encode_request(Command.CLEAR_BUFFER, form=form)


def inventory(*, more: bool, form: Form = Form.ADVANCED) -> bytes:
    """B0 01: the tags in the field, or those of them not told yet."""
    mode = _MORE if more else 0
    return encode_request(Command.TRANSPONDER, bytes((_INVENTORY, mode)), form)


def read_blocks(identity: bytes, first: int, count: int, form: Form = Form.ADVANCED) -> bytes:
    """B0 23: blocks of the memory of one tag."""
    assert len(identity) == IDENTITY_BYTES
    data = bytes((_READ_BLOCKS, _ADDRESSED)) + identity + bytes((first, count))
    return encode_request(Command.TRANSPONDER, data, form)
