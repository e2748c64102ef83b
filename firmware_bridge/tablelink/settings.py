"""The settings of a TableLink link.

Responsible for: whom it trusts and its deadlines, with the defaults of the document.
Not responsible for: what is said (messages) and when (link).
Source: package README, "TableLink/1".
"""

from enum import IntEnum
from typing import Final

from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.values import dataclass

_MS: Final = 1_000_000


class DeviceRole(IntEnum):
    """What a device says it is."""

    SHOE = 1
    SHUFFLER = 2


@dataclass(frozen=True, slots=True)
class TableLinkSettings:
    """`role` is what the device at this port has to be. Times in nanoseconds."""

    role: DeviceRole
    trust: Trust = NO_TRUST
    hello_ns: int = 500 * _MS  # asked who is there, again and again
    refused_ns: int = 5_000 * _MS  # a device that was not admitted is asked again
    nak_ns: int = 50 * _MS  # a missing event is asked for again
    ping_ns: int = 1_000 * _MS  # nothing else was sent for so long
    suspect_ns: int = 3_000 * _MS  # nothing was heard for so long
    lost_ns: int = 5_000 * _MS
    retry_ns: int = 200 * _MS  # a request is repeated, doubling
    retry_ns_max: int = 1_600 * _MS
    request_ns_max: int = 10_000 * _MS  # then it counts as unanswered
    requests_waiting_max: int = 8
    time_ns: int = 10_000 * _MS  # the device's clock is asked so often
    time_window: int = 16
