"""Who a device with an identity has proven to be, or why it is not let in.

Responsible for: what is known of it now, from what its driver told.
Not responsible for: proving it (firmware_bridge.attestation), keeping out what is not proven (the
driver), and for the shuffler, whose batches depend on it (custody.lineage).
Source: package README, "Devices of a table".
"""

from typing import Final

from drivers.events import DeviceEvent, Stage, StageChanged
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """`trusted`: it is the one that was paired. `bare`: it proves nothing and is let in all the

    same, because the configuration says so. `refused`: why nothing it tells is taken.
    """

    device: str = ""
    version: str = ""
    bare: bool = False
    trusted: bool = False
    refused: str = ""


NOT_PROVEN: Final = DeviceIdentity()


def identity_after(known: DeviceIdentity, event: DeviceEvent) -> DeviceIdentity:
    """What is known after one more event. A device that begins anew has to prove itself anew."""
    match event:
        case IdentityProven(device=device, version=version, bare=bare):
            return DeviceIdentity(device, version, bare=bare, trusted=not bare)
        case IdentityRefused(device=device, why=why):
            return DeviceIdentity(device, refused=why)
        case StageChanged(stage=Stage.OPENED | Stage.LOST):
            return NOT_PROVEN
        case _:
            return known
