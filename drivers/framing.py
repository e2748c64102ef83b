"""Tells a protocol's frames from noise, to count noise before it reaches a driver."""

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from msgspec import Struct

from firmware_bridge.angel_eye import frames as angel_eye
from firmware_bridge.contacts import frames as contacts
from firmware_bridge.feig import frames as feig
from firmware_bridge.link import Unframed
from firmware_bridge.ssi import packets as ssi
from firmware_bridge.tablelink import frames as tablelink


class PendingBytes(Protocol):
    """The state of a search for frames: `pending` may be the start of one."""

    @property
    def pending(self) -> bytes: ...


class Framing(Struct, frozen=True):
    """The search of one protocol: its first state, its step, and the frames with a checksum.

    `repeats_max`: so often a device repeats a frame; further copies are no new frames. None: equal
    frames may follow each other without end, as answers to a poll do.
    """

    fresh: PendingBytes
    feed: Callable[..., tuple[PendingBytes, tuple[object, ...]]]
    frames: tuple[type, ...]
    repeats_max: int | None = None


# Whatever form of payloads the table has: a report that is not understood is no noise.
ANGEL_EYE: Final = Framing(
    Unframed(), partial(angel_eye.feed, plain=True), (angel_eye.ReportFrame,), repeats_max=8
)
CONTACTS: Final = Framing(Unframed(), contacts.feed, (contacts.ContactFrame,))
FEIG: Final = Framing(feig.FeigUnframed(), feig.feed, (feig.AnswerFrame,))
SSI: Final = Framing(Unframed(), ssi.feed, (ssi.Packet,))
TABLELINK: Final = Framing(
    tablelink.TableLinkUnframed(), tablelink.feed, (tablelink.TableLinkFrame,)
)
