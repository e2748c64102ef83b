"""The entries of the journal: everything the core concludes from an input."""

from typing import TypeAlias

from msgspec import Struct

from controller.core.tape.inputs import ClockEvidence, DiskLevel, Input, PowerSign, UsbDeviceFate
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    Prompt,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import DomainEvent
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Verdict
from drivers.events import DeviceEvent
from foundation.message import Message
from foundation.recorded_text import (
    ConfiguredText,
    ForeignText,
    Identifier,
    PersonId,
    TypedText,
)


class EventVerdicts(Struct, frozen=True, tag="event-verdicts"):
    """A domain event and the verdicts on it; `event` is None for the action of the input before."""

    event: DomainEvent | None
    verdicts: tuple[Verdict, ...]


class DeviceEventRecorded(Struct, frozen=True, tag="device-event-recorded"):
    """A device event without a domain event: stage, fault, lock, device error."""

    port: Identifier
    event: DeviceEvent


class RunBegan(Struct, frozen=True, tag="run-began"):
    """The table, rule profile, assumed values and house rules that this run uses."""

    table: ConfiguredText
    software: Identifier
    profile: ConfiguredText
    decks: int
    observed: tuple[ObservableFact, ...]
    assumed: tuple[Identifier, ...]
    same_boot: bool
    house: tuple[Identifier, ...] = ()


class CommandGiven(Struct, frozen=True, tag="command-given"):
    """A command was sent to a device, and why."""

    port: Identifier
    command: Message
    why: Message


class ManifestRequested(Struct, frozen=True, tag="manifest-requested"):
    """A bar code or a person named a batch: its manifest is to be looked up."""

    batch: ForeignText
    named_by: Message


class BatchBound(Struct, frozen=True, tag="batch-bound"):
    """The cards of this batch are tracked from now on; `digest` is SHA-256 of its manifest.

    `changed` is False if it was bound already; then every card stays where it is.
    """

    batch: Identifier
    back: Identifier
    decks: int
    cards: int
    digest: bytes
    maker: ConfiguredText
    operator: PersonId
    signed_by: bytes
    changed: bool


class CardSetApart(Struct, frozen=True, tag="card-set-apart"):
    """A named person set a card apart; its batch is blocked until it is bound again."""

    back: Identifier
    tag: Identifier
    person: PersonId
    reason: TypedText
    clauses: tuple[Identifier, ...]


class UsbDeviceRecorded(Struct, frozen=True, tag="usb-device-recorded"):
    """A USB device appeared, was refused, and why, or is gone."""

    what: UsbDeviceFate
    usb_id: Identifier
    serial_number: ForeignText
    path: Identifier
    why: Message | None


class DiskLevelRecorded(Struct, frozen=True, tag="disk-level-recorded"):
    """The free space on the journal's disk and the limit that was crossed, in bytes."""

    level: DiskLevel
    free_bytes: int
    limit_bytes: int


class PowerFailRecorded(Struct, frozen=True, tag="power-fail-recorded"):
    """The run ends because the machine's power fails."""

    sign: PowerSign


class ClockStepped(Struct, frozen=True, tag="clock-stepped"):
    """The machine's clock was set: forward by `by_ns`, or back if that is negative.

    `utc_ns` is the time after the step. A suspended machine shows a step forward, too.
    """

    by_ns: int
    utc_ns: int
    evidence: ClockEvidence


class StateDigest(Struct, frozen=True, tag="state-digest"):
    """SHA-256 of the complete state after a coup; a replay must reach the same state."""

    digest: bytes


Entry: TypeAlias = (
    EventVerdicts
    | DeviceEventRecorded
    | RunBegan
    | CommandGiven
    | StateDigest
    | ManifestRequested
    | BatchBound
    | CardSetApart
    | UsbDeviceRecorded
    | DiskLevelRecorded
    | PowerFailRecorded
    | ClockStepped
    | CoupClosed
    | CoupPayment
    | CoupCorrected
    | ShoeOpened
    | BurnDone
    | ShoeEnded
    | Prompt
    | ResolutionRecorded
    | Refusal
    | ActRecord
    | SettingChanged
    | StageChange
    | ShuffleRecorded
    | WarningOpened
    | WarningClosed
)


class CoreOutput(Struct, frozen=True):
    """The output of one input: entries to store first, then (port, bytes) to write.

    `at_once` are (port, bytes) that do not depend on the table's state, such as polls; they need
    not wait for the store.

    `saved_state` is the encoded state after the input if a coup or a shoe ended in it, else empty.
    """

    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()
    saved_state: bytes = b""
    at_once: tuple[tuple[str, bytes], ...] = ()

    def followed_by(self, later: "CoreOutput") -> "CoreOutput":
        """The output of two inputs, one after the other."""
        return CoreOutput(
            (*self.entries, *later.entries),
            (*self.writes, *later.writes),
            later.saved_state or self.saved_state,
            (*self.at_once, *later.at_once),
        )


TapeItem: TypeAlias = Input | Entry
