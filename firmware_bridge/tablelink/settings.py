"""Settings of a TableLink link: trust and deadlines, with the defaults of the protocol document.

Source: firmware_bridge/tablelink/README.md.
"""

from enum import IntEnum
from typing import Final

from msgspec import Struct

from firmware_bridge.attestation import NO_TRUST, Trust

_MS: Final = 1_000_000


class DeviceRole(IntEnum):
    """The role a device declares."""

    SHOE = 1
    SHUFFLER = 2


class TableLinkSettings(Struct, frozen=True):
    """`role`: the role that the device at this port must have. Times in nanoseconds."""

    role: DeviceRole
    trust: Trust = NO_TRUST
    hello_ns: int = 500 * _MS  # HELLO is repeated
    refused_ns: int = 5_000 * _MS  # pause after a refusal
    nak_ns: int = 50 * _MS  # a missing event is requested again
    ping_ns: int = 1_000 * _MS  # PING after nothing else was sent
    suspect_ns: int = 3_000 * _MS  # nothing was received
    lost_ns: int = 5_000 * _MS
    silence_ns_max: int = 1_000 * _MS  # nothing was received within a frame
    retry_ns: int = 200 * _MS  # a request is repeated, with doubling
    retry_ns_max: int = 1_600 * _MS
    request_ns_max: int = 10_000 * _MS  # a request counts as unanswered
    requests_waiting_max: int = 8
    time_ns: int = 10_000 * _MS  # interval of time requests
    time_window: int = 16
