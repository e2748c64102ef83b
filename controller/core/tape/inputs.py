"""The inputs of the core: stored in order, they alone determine its state."""

from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import Proof, Role
from controller.rules.advisory import Advisory
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import Message
from foundation.recorded_text import ConfiguredText, ForeignText, Identifier, PersonId
from foundation.timestamp import Timestamp

# Frozen: docs/record-format.md.
RECORD_FORMAT: Final = 1


class Started(Struct, frozen=True, tag="started"):
    """The first input of every run; settings and versions enter the core only by it.

    `configuration` is the canonical encoding of controller.core.settings.Settings, `profile`
    the rule profile's TOML text, `zone` the time zone's TZif data, so that a replay on another
    machine changes the gaming day at the same moment. `software` is version and build of the
    program, such as 0.13.0+3f81a0c2d94e. `replaced` is the software that wrote the state before, if
    a person allowed the upgrade with a shoe open, else empty. `stored_until_ns`: until then, on the
    monotonic clock of this boot, every report that a port had brought is stored; omitted where that
    is not known.
    """

    at: Timestamp
    boot_id: Identifier
    software: Identifier
    configuration: bytes
    profile: bytes
    zone: bytes
    replaced: Identifier
    record_format: int = RECORD_FORMAT
    stored_until_ns: int | UnsetType = UNSET

    @property
    def read_until(self) -> Timestamp | None:
        """Up to when the run before read and stored all that its ports brought, if it is known."""
        if self.stored_until_ns is UNSET or self.stored_until_ns > self.at.monotonic_ns:
            return None
        return self.at.earlier(self.at.monotonic_ns - self.stored_until_ns)


class Tick(Struct, frozen=True, tag="tick"):
    """A deadline is due."""

    at: Timestamp


class NoiseDropped(Struct, frozen=True, tag="noise-dropped"):
    """`count` bytes of a port brought no new frame and were not stored: `limit` bytes an hour are.

    `sample` holds the last of them.
    """

    port: Identifier
    at: Timestamp
    count: int
    limit: int
    sample: bytes


class ReportsExceeded(Struct, frozen=True, tag="reports-exceeded"):
    """A port brought `count` new reports in `seconds`, more than `limit` a second: it is closed."""

    port: Identifier
    at: Timestamp
    count: int
    seconds: int
    limit: int


class ManifestGiven(Struct, frozen=True, tag="manifest-given"):
    """The manifest of a batch that was named, read from the folder of batches, or a problem.

    `content` is the canonical encoding of its controller.custody.manifest.Manifest, empty if there
    is a `problem`. `maker`, `operator` and `signed_by` (a key's fingerprint, empty if unsigned) are
    from its receipt, which was verified before. `named_by` says who or what named the batch: a
    person, a bar code or the configuration.
    """

    at: Timestamp
    batch: ForeignText
    named_by: Message
    content: bytes
    maker: ConfiguredText = ""
    operator: PersonId = ""
    signed_by: bytes = b""
    problem: Message | None = None


class DevicePlugged(Struct, frozen=True, tag="device-plugged"):
    """A USB device appeared at this machine; `refused` says why, if it is refused.

    Texts come from the device and are sanitized before.
    """

    at: Timestamp
    vendor_id: int
    product_id: int
    serial_number: ForeignText
    path: Identifier
    refused: Message | None = None


class DeviceUnplugged(Struct, frozen=True, tag="device-unplugged"):
    """A USB device is gone."""

    at: Timestamp
    path: Identifier


class AccountChange(StrEnum):
    """What happened to the account of a person."""

    ADDED = "added"
    ROLE = "role"  # the person has another role
    PIN = "pin"  # the person has another PIN
    UNLOCKED = "unlocked"
    REMOVED = "removed"
    LOCKED = "locked"  # after wrong PINs


class AccountChanged(Struct, frozen=True, tag="account-changed"):
    """The account of `person` was changed by the person `by`, known by `proof`.

    `by` is empty for the machine's administrator, and where the account was locked after wrong PINs
    from the account of the machine `identified_by`; `person` is empty there for names that have no
    account. `role` is the person's from then on, or that until then.
    """

    at: Timestamp
    person: PersonId
    change: AccountChange
    role: Role | None
    by: PersonId
    identified_by: Identifier
    proof: Proof


class DiskLevel(StrEnum):
    """How much space is left on the journal's disk."""

    UNKNOWN = "unknown"  # it cannot be read
    ENOUGH = "enough"
    LOW = "low"  # people are warned
    STOP = "stop"  # the table stops; the rest is for its last records


class DiskSpace(Struct, frozen=True, tag="disk-space"):
    """The free space on the journal's disk changed its level; sizes in bytes."""

    at: Timestamp
    level: DiskLevel
    free_bytes: int
    warn_bytes: int
    stop_bytes: int


class ClockSync(StrEnum):
    """Whether the kernel counts the machine's clock as synchronised."""

    UNKNOWN = "unknown"  # the kernel does not say
    SYNCHRONISED = "synchronised"
    UNSYNCHRONISED = "unsynchronised"


class ClockSyncRead(Struct, frozen=True, tag="clock-sync-read"):
    """The synchronisation of the machine's clock: at the start of a run, and each change."""

    at: Timestamp
    sync: ClockSync


class UsbDeviceFate(StrEnum):
    """What became of a USB device."""

    APPEARED = "appeared"  # and is allowed
    REFUSED = "refused"
    GONE = "gone"


class ClockEvidence(StrEnum):
    """How a clock step was found."""

    SAME_BOOT = "same_boot"  # the monotonic clock did not move along
    OTHER_BOOT = "other_boot"  # UTC is earlier than in the last run, by at least the step


class PowerSign(StrEnum):
    """Who said that the power fails."""

    SIGNAL = "signal"  # SIGPWR: a UPS's program, or a person
    LINE = "line"  # the line of [power]


class PowerFailing(Struct, frozen=True, tag="power-failing"):
    """The machine's power fails: the last input of a run, which stops because of it."""

    at: Timestamp
    sign: PowerSign


class AdvisoryGiven(Struct, frozen=True, tag="advisory-given"):
    """A monitor gave an advisory of a kind that the profile in force lets suspend the table."""

    at: Timestamp
    advisory: Advisory


class NotJudged(Struct, frozen=True, tag="not-judged"):
    """Judging an input failed by an internal error: the bytes of a `port`, or a person's `action`.

    The bytes are kept, and are given to the link alone: it goes on without a gap.
    """

    at: Timestamp
    port: Identifier = ""
    data: bytes = b""
    action: Identifier = ""
    person: PersonId = ""


Input: TypeAlias = (
    Started
    | PortOpened
    | Chunk
    | PortLost
    | Tick
    | OperatorAction[Action]
    | NoiseDropped
    | ReportsExceeded
    | ManifestGiven
    | DevicePlugged
    | DeviceUnplugged
    | DiskSpace
    | AccountChanged
    | ClockSyncRead
    | PowerFailing
    | AdvisoryGiven
    | NotJudged
)
