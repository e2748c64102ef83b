"""What a table tells the floor: the data of each kind of event, and the CloudEvent around it.

No kind has a free text of a person, a person's name, a tag, or a card that lies face down.
Source: CloudEvents 1.0.2, "Context Attributes", "JSON Event Format", extension "Sequence"; D-8 (a
scan is not disclosure).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from controller.core.tape.inputs import ClockEvidence, DiskLevel, PowerSign, UsbDeviceFate
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.procedure.irregularities import IrregularityCode
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Proof, Role
from controller.rules.outcome import CoupFate, Outcome
from drivers.events import Stage
from drivers.shuffler_events import ShuffleResult

CONTENT_TYPE: Final = "application/cloudevents+json; charset=utf-8"
TYPE_PREFIX: Final = "io.smartshoe."
VERSION_SUFFIX: Final = ".v1"

_Person: TypeAlias = Annotated[str, Meta(description="Id of a person; the feed has no names.")]
_Day: TypeAlias = Annotated[str, Meta(description="Gaming day, as 2026-11-21.")]
_Device: TypeAlias = Annotated[str, Meta(description="Role: dealing_shoe, shuffler, reader_1, ...")]


class RunEvent(Struct, frozen=True):
    """The program started. `same_boot`: the machine was not started again."""

    kind: ClassVar[str] = "run"
    software: str
    profile: str
    decks: int
    same_boot: bool


class TableStateEvent(Struct, frozen=True):
    """Play stops until a decision (`suspended`), or goes on after one."""

    kind: ClassVar[str] = "state"
    suspended: bool


class ShoeOpenedEvent(Struct, frozen=True):
    """A shoe was opened; `joined`: when it was already in play."""

    kind: ClassVar[str] = "shoe-opened"
    gaming_day: _Day
    shoe: int
    decks: int
    joined: bool


class BurnEvent(Struct, frozen=True):
    """The burn is over: so many cards. `proven` False: the number owed is unknown."""

    kind: ClassVar[str] = "burn"
    gaming_day: _Day
    shoe: int
    cards: int
    proven: bool


class CoupFaces(Struct, frozen=True):
    """The hands of a finished coup as people have seen them; None is a card that was not read.

    Counts and what follows from them are None where the cards are not complete.
    """

    player: tuple[str | None, ...]
    banker: tuple[str | None, ...]
    player_count: int | None
    banker_count: int | None
    natural: bool | None
    player_pair: bool | None
    banker_pair: bool | None


class CoupEvent(Struct, frozen=True):
    """A coup ended. `outcome` counts, None where none does; `declared` is what the dealer declared.

    `cards` were dealt to the hands, `aside` set aside. `faces` only where the table may send them
    (content "finished_coups") and people have seen them.
    """

    kind: ClassVar[str] = "coup"
    gaming_day: _Day
    shoe: int
    coup: int
    fate: CoupFate
    outcome: Outcome | None
    declared: Outcome | None
    cards: int
    aside: int
    ghost: bool
    irregularities: tuple[int, ...]
    faces: CoupFaces | UnsetType = UNSET


class CorrectionEvent(Struct, frozen=True):
    """Two persons corrected the outcome of a counted coup; the coup's own event stays.

    `counted` is the outcome of the record, `before` what counted until now. `owed` wagers are paid
    otherwise than they were settled.
    """

    kind: ClassVar[str] = "correction"
    gaming_day: _Day
    shoe: int
    coup: int
    counted: Outcome
    before: Outcome
    outcome: Outcome
    person: _Person
    second: _Person
    proof: Proof
    second_proof: Proof
    owed: int


class IrregularityEvent(Struct, frozen=True):
    """The procedure was breached. `coup` is 0 between coups; `clauses` are those of the code."""

    kind: ClassVar[str] = "irregularity"
    gaming_day: _Day
    shoe: int
    number: int
    coup: int
    code: IrregularityCode
    clauses: tuple[str, ...]
    suspends: bool
    provisional: bool


class DecisionEvent(Struct, frozen=True):
    """A decision of a person, and the irregularities it closes.

    `coups_dealt` and `cards_dealt` were dealt while the table was suspended.
    """

    kind: ClassVar[str] = "decision"
    gaming_day: _Day
    shoe: int
    decision: FloorDecision
    provisional: Provisional | None
    outcome: Outcome | None
    closed: tuple[int, ...]
    coups_dealt: int
    cards_dealt: int
    person: _Person
    role: Role | None
    proof: Proof
    second: _Person
    second_proof: Proof


class ShoeEndedEvent(Struct, frozen=True):
    """The meters of a shoe that is over. `person` closed it; empty where its last coup did."""

    kind: ClassVar[str] = "shoe-ended"
    gaming_day: _Day
    shoe: int
    cards_drawn: int
    coups: int
    player: int
    banker: int
    tie: int
    void: int
    irregularities: int
    person: _Person


class BatchEvent(Struct, frozen=True):
    """A batch, named by its back colour, changed its stage."""

    kind: ClassVar[str] = "batch"
    back: str
    before: BatchStage
    after: BatchStage


class BatchBoundEvent(Struct, frozen=True):
    """The cards of a batch are tracked from now on."""

    kind: ClassVar[str] = "batch-bound"
    batch: str
    back: str
    decks: int
    cards: int


class CustodyEvent(Struct, frozen=True):
    """A person set a card of a batch apart; the batch is blocked. Which card is not said."""

    kind: ClassVar[str] = "card-set-apart"
    back: str
    person: _Person


class ShuffleEvent(Struct, frozen=True):
    """A shuffle was completed. `counts`: it is accepted for its batch."""

    kind: ClassVar[str] = "shuffle"
    back: str
    device: str
    cycle: int
    count: int
    result: ShuffleResult
    signed: bool
    counts: bool


class WarningEvent(Struct, frozen=True):
    """A warning of the shuffler: no card until a person clears it.

    `open` False: a person has cleared it, `waited_ms` after it was opened.
    """

    kind: ClassVar[str] = "warning"
    number: int
    warning: WarningKind
    open: bool
    person: _Person
    waited_ms: int


class DeviceEventSent(Struct, frozen=True):
    """A device reached another stage."""

    kind: ClassVar[str] = "device"
    device: _Device
    stage: Stage


class DeviceTroubleEvent(Struct, frozen=True):
    """An error of a device by its own code: raised, or cleared (`active` False)."""

    kind: ClassVar[str] = "device-error"
    device: _Device
    code: int
    active: bool


class IdentityEvent(Struct, frozen=True):
    """A device has proven to be the paired one, or was refused. `bare`: it need not prove it."""

    kind: ClassVar[str] = "device-identity"
    device: _Device
    identity: str
    trusted: bool
    bare: bool


class UsbEvent(Struct, frozen=True):
    """A USB device appeared, was refused or is gone at this machine."""

    kind: ClassVar[str] = "usb"
    fate: UsbDeviceFate
    usb_id: str


class DiskEvent(Struct, frozen=True):
    """The free space for the journal crossed a limit; bytes."""

    kind: ClassVar[str] = "disk"
    level: DiskLevel
    free_bytes: int
    limit_bytes: int


class ClockEvent(Struct, frozen=True):
    """The machine's clock was set by so much."""

    kind: ClassVar[str] = "clock"
    by_ns: int
    evidence: ClockEvidence


class PowerEvent(Struct, frozen=True):
    """The power fails; the table stops."""

    kind: ClassVar[str] = "power"
    sign: PowerSign


class GamingDayEvent(Struct, frozen=True):
    """The gaming day of the shoes that open from now on."""

    kind: ClassVar[str] = "gaming-day"
    gaming_day: _Day


class SettingEvent(Struct, frozen=True):
    """A person changed a setting of the rules at this table."""

    kind: ClassVar[str] = "setting"
    setting: str
    old: str
    new: str
    person: _Person


class DealerEvent(Struct, frozen=True):
    """A dealer signed on or off."""

    kind: ClassVar[str] = "dealer"
    person: _Person
    on: bool


class CheckpointEvent(Struct, frozen=True):
    """The newest signed head of the evidence log. `note` is the whole signed note: keep it.

    Not part of the row of events: `sequence` is the head's size, and there is no `previous`.
    """

    kind: ClassVar[str] = "checkpoint"
    size: int
    note: str


class BackfillDoneEvent(Struct, frozen=True):
    """The end of an answer to a request: so many events of that shoe were sent before it.

    `refused` says why there are none: "not_a_request", "not_sealed_here", "unreadable"; else empty.
    """

    kind: ClassVar[str] = "backfill-done"
    gaming_day: _Day
    shoe: int
    events: int
    refused: str


class BackfillRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a consumer asks for: the events of one sealed shoe."""

    gaming_day: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", max_length=10)]
    shoe: Annotated[int, Meta(ge=1, le=999_999_999)]


EventData: TypeAlias = (
    RunEvent
    | TableStateEvent
    | ShoeOpenedEvent
    | BurnEvent
    | CoupEvent
    | CorrectionEvent
    | IrregularityEvent
    | DecisionEvent
    | ShoeEndedEvent
    | BatchEvent
    | BatchBoundEvent
    | CustodyEvent
    | ShuffleEvent
    | WarningEvent
    | DeviceEventSent
    | DeviceTroubleEvent
    | IdentityEvent
    | UsbEvent
    | DiskEvent
    | ClockEvent
    | PowerEvent
    | GamingDayEvent
    | SettingEvent
    | DealerEvent
)
# The events of the row, by the names of their kinds: the last level of the topic.
KINDS: Final[Mapping[str, type[Struct]]] = MappingProxyType(
    {one.kind: one for one in EventData.__args__}
)
# Those that stand beside it.
BESIDE: Final[Mapping[str, type[Struct]]] = MappingProxyType(
    {CheckpointEvent.kind: CheckpointEvent, BackfillDoneEvent.kind: BackfillDoneEvent}
)

DataT = TypeVar("DataT", covariant=True)


class CloudEvent(Struct, Generic[DataT], frozen=True, kw_only=True):
    """One event as it is sent, in the JSON form of CloudEvents.

    `sequence` orders the events of a table, and is the `id`: who holds it already has a repeat.
    `previous` is the sequence of the event before; who does not hold that has a gap. It is left out
    where the table does not know it: at the beginning of its journal, or of what is left of it.
    """

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: str
    time: str
    datacontenttype: Literal["application/json"] = "application/json"
    sequence: str
    previous: str | UnsetType = UNSET
    data: DataT


def type_of(kind: str) -> str:
    """The CloudEvents type of a kind."""
    return f"{TYPE_PREFIX}{kind}{VERSION_SUFFIX}"
