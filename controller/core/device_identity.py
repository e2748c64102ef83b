"""The proven identity of a device as reported by its driver, or why it is refused."""

from typing import Final

from msgspec import Struct

from drivers.events import DeviceEvent, Stage, StageChanged
from drivers.shuffler_events import IdentityProven, IdentityRefused
from foundation.message import Message
from foundation.recorded_text import ForeignText, Identifier


class DeviceIdentity(Struct, frozen=True):
    """Who a device has proven to be.

    `trusted`: it is the paired device. `bare`: it proves no identity, and the configuration accepts
    it anyway. `refused`: why all its reports are rejected, None if they are not.
    """

    device: Identifier = ""
    version: ForeignText = ""
    bare: bool = False
    trusted: bool = False
    refused: Message | None = None


NOT_PROVEN: Final = DeviceIdentity()


def next_identity(known: DeviceIdentity, event: DeviceEvent) -> DeviceIdentity:
    """The identity after one more event. A device whose port was reopened must prove it again."""
    match event:
        case IdentityProven(device=device, version=version, bare=bare):
            return DeviceIdentity(device, version, bare=bare, trusted=not bare)
        case IdentityRefused(device=device, why=why):
            return DeviceIdentity(device, refused=why)
        case StageChanged(stage=Stage.OPENED | Stage.LOST):
            return NOT_PROVEN
        case _:
            return known
