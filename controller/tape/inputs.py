"""Everything that can go into the core: the tape of a table.

Responsible for: the closed set of inputs. Stored in order, they and nothing else make the state.
Not responsible for: producing them (pump, loop, control socket) and for storing them (journal).
Source: package README, "The seams".
"""

from enum import StrEnum
from typing import TypeAlias

from controller.tape.actions import Action, Role
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """The first input of every run: the only way settings and versions come in.

    `configuration` is the canonical encoding of controller.core.settings.Settings, `profile`
    the rule profile's TOML text, `zone` the time zone's TZif data, so that a replay on another
    machine turns the gaming day at the same moment. `replaced` is the software version that wrote
    the state before this one where a person allowed the change with a shoe open, else empty.
    """

    at: Timestamp
    boot_id: str
    software: str
    configuration: bytes
    profile: bytes
    zone: bytes
    replaced: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A deadline is due."""

    at: Timestamp


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """A person acted. `known_by` says how the person is known, such as "uid 1000"."""

    at: Timestamp
    person: str
    role: Role
    known_by: str
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class WriteFailed:
    """Bytes for a device could not be written."""

    port: str
    at: Timestamp
    detail: str


@dataclass(frozen=True, slots=True)
class ManifestGiven:
    """What is known of a batch that somebody named: read from the folder of batches.

    `content` is the canonical encoding of its controller.custody.manifest.Manifest, empty where
    there is a `problem`. `maker`, `operator` and `signed_by` (a key's fingerprint, empty where
    nobody signed) are of its receipt, which was checked before. `named_by` says who or what named
    the batch.
    """

    at: Timestamp
    batch: str
    named_by: str
    content: bytes
    maker: str = ""
    operator: str = ""
    signed_by: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DevicePlugged:
    """A USB device appeared at this machine; `refused` says why it is not let in, empty if it is.

    Texts come from the device and are made harmless before.
    """

    at: Timestamp
    vendor_id: int
    product_id: int
    serial_number: str
    path: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class DeviceUnplugged:
    """A USB device is gone."""

    at: Timestamp
    path: str


class DiskLevel(StrEnum):
    """How much room is left on the disk of the journal."""

    ENOUGH = "enough"
    LOW = "low"  # somebody has to make room
    STOP = "stop"  # what is left is for the last words


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The room left on the disk of the journal has come to another level, in bytes."""

    at: Timestamp
    level: DiskLevel
    free_bytes: int
    warn_bytes: int
    stop_bytes: int


Input: TypeAlias = (
    Started
    | PortOpened
    | Chunk
    | PortLost
    | Tick
    | OperatorAction
    | WriteFailed
    | ManifestGiven
    | DevicePlugged
    | DeviceUnplugged
    | DiskSpace
)
