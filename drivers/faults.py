"""Defines the device fault: the device, or the wire to it, does not work or cannot be trusted.

Not: breaches of procedure by people or cards (those are irregularities).
"""

from msgspec import Struct

from firmware_bridge.link import LinkFaultKind
from foundation.message import Message


class DeviceFault(Struct, frozen=True, tag="device-fault"):
    """One fault; `detail` is for a technician and never names an unseen card."""

    kind: LinkFaultKind
    detail: Message
