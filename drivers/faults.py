"""Device faults: the device, or the wire to it, is not able or not trustworthy.

Responsible for: one value for everything that is wrong with a device, as a closed set of kinds.
Not responsible for: breaches of procedure by people or cards (those are irregularities).
Source: package README, "Faults".
"""

from firmware_bridge.link import LinkFaultKind
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """One fault; `detail` is a sentence for a technician and never names an unseen card."""

    kind: LinkFaultKind
    detail: str
