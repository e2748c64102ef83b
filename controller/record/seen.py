"""What an audience may have of what happened at a table: a closed union of few kinds.

`disclose.py` alone makes them. A field that its audience may not have is left at its default, so
that no outlet can widen what it was given. The first part of a tag is the kind, the second its
form: "batch.stage". Who does not know a form passes it through with its fields.
Source: D-8 (a scan is not disclosure).
"""

from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

from controller.core.tape.inputs import ClockEvidence, DiskLevel, PowerSign, UsbDeviceFate
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.procedure.events import DomainEvent
from controller.procedure.irregularities import IrregularityCode
from controller.record.snapshot import CardFact, HandView, ShownCard
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Proof, Role
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.settlement.payout import PayoutDifference
from drivers.events import DeviceEvent
from drivers.shuffler_events import ShuffleProof
from foundation.message import Message
from foundation.recorded_text import (
    ConfiguredText,
    ForeignText,
    Identifier,
    PersonId,
    TypedText,
)

# Raised with each change but an optional field or a new form.
SEEN_VERSION: Final = 1


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who acted, and who acted with that person: ids, empty where there is none.

    `role` is None where no action is on record: then nothing is known of a proof.
    """

    person: PersonId = ""
    role: Role | None = None
    proof: Proof = Proof.NONE
    second: PersonId = ""
    second_proof: Proof = Proof.NONE


NOBODY: Final = Actor()


class _Seen(Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """Something that happened, as far as an audience may have it."""


# --- cards ----------------------------------------------------------------------------------------


class CardSeen(_Seen, frozen=True, tag="card.drawn"):
    """A card left the shoe. `card` is None where the audience has no card."""

    back: Identifier
    claimed: Place
    again: bool
    card: ShownCard | None = None


class RevealedBy(StrEnum):
    """What disclosed cards that were drawn before."""

    TURNED = "turned"
    RESULT = "result"  # declared, or decided
    NEXT_CARD = "next_card"  # no result is reported: the next coup's first card ends the coup
    BURN = "burn"  # the end of the burn


class RevealedSeen(_Seen, frozen=True, tag="revealed"):
    """Cards that left the shoe before are disclosed now, in the order in which they were drawn.

    None is a card that stays undisclosed or was not read. `by` says what disclosed them.
    """

    cards: tuple[str | None, ...]
    by: RevealedBy


class CutSeen(_Seen, frozen=True, tag="cut"):
    """A cut card left the shoe."""

    clauses: tuple[Identifier, ...] = ()


# --- coups ----------------------------------------------------------------------------------------


class CoupFaces(Struct, frozen=True):
    """The hands of a finished coup and what follows from them, each shown or withheld."""

    player: HandView
    banker: HandView
    natural: CardFact[bool]
    player_pair: CardFact[bool]
    banker_pair: CardFact[bool]


class CoupSeen(_Seen, frozen=True, tag="coup.ended"):
    """A coup ended: how, what counts, which irregularities it had, and what lay.

    `cards` lay in the hands, `aside` beside them. `outcome` and `declared` are None where none
    counts, none was declared, or the audience has no outcome. `faces` is None where the audience
    has none of this coup; `seen`: people have seen its cards.
    """

    gaming_day: Identifier
    shoe: int
    coup: int
    fate: CoupFate
    outcome: Outcome | None = None
    declared: Outcome | None = None
    cards: int = 0
    aside: int = 0
    ghost: bool = False
    irregularities: tuple[int, ...] = ()
    seen: bool = False
    faces: CoupFaces | None = None
    clauses: tuple[Identifier, ...] = ()


class CoupPaidSeen(_Seen, frozen=True, tag="coup.paid"):
    """The wagers on a coup are settled; the house's gain in cents, None where not told."""

    coup: int
    house_gain: int | None = None


class CorrectionSeen(_Seen, frozen=True, tag="coup.corrected"):
    """Two persons corrected the outcome of a counted coup; its record stays (D-42)."""

    gaming_day: Identifier
    shoe: int
    coup: int
    counted: Outcome
    before: Outcome
    outcome: Outcome
    owed: tuple[PayoutDifference, ...]
    by: Actor = NOBODY
    reason: TypedText = ""


# --- irregularities, decisions, what is due, what people did --------------------------------------


class IrregularitySeen(_Seen, frozen=True, tag="irregularity"):
    """The procedure was breached. `clauses` are those disclosed, `detail` what was found.

    `detail` may name cards.
    """

    number: int
    coup: int
    code: IrregularityCode
    suspends: bool
    provisional: bool
    clauses: tuple[Identifier, ...] = ()
    detail: Message | None = None


class DecisionSeen(_Seen, frozen=True, tag="decision"):
    """A floorperson's decision, and the irregularities that it closes."""

    decision: FloorDecision
    provisional: Provisional | None
    outcome: Outcome | None
    closed: tuple[int, ...]
    coups_dealt: int
    cards_dealt: int
    by: Actor = NOBODY
    reason: TypedText = ""


class PromptSeen(_Seen, frozen=True, tag="prompt"):
    """A call or an act is due. `observed` False: the table cannot sense whether it is done."""

    text: Message
    clauses: tuple[Identifier, ...]
    observed: bool


class AcceptedSeen(_Seen, frozen=True, tag="act.accepted"):
    """What devices made happen, or a person did, is in order.

    `own`: it is a person's act that has an entry of its own, with the person.
    """

    what: Message
    clauses: tuple[Identifier, ...]
    provisional: bool
    own: bool = False


class ActSeen(_Seen, frozen=True, tag="act.recorded"):
    """A person's act, statement or notice; `detail` may name cards."""

    what: Identifier
    clauses: tuple[Identifier, ...]
    by: Actor = NOBODY
    detail: Message | None = None


class RefusalSeen(_Seen, frozen=True, tag="act.refused"):
    """A person's request that could not be carried out."""

    what: Identifier
    why: Message
    clauses: tuple[Identifier, ...]


class SettingSeen(_Seen, frozen=True, tag="act.setting"):
    """A setting has another value at this table from now on."""

    setting: Identifier
    old: ConfiguredText
    new: ConfiguredText
    clauses: tuple[Identifier, ...]
    by: Actor = NOBODY
    reason: TypedText = ""


# --- shoes and batches ----------------------------------------------------------------------------


class ShoeOpenedSeen(_Seen, frozen=True, tag="shoe.opened"):
    """A shoe was opened; `joined`: when it was already in play."""

    gaming_day: Identifier
    shoe: int
    decks: int
    joined: bool


class ShoeEndedSeen(_Seen, frozen=True, tag="shoe.ended"):
    """The meters of a shoe that is over, and who closed it."""

    gaming_day: Identifier
    shoe: int
    cards_drawn: int
    coups: int
    irregularities: int
    player: int = 0
    banker: int = 0
    tie: int = 0
    void: int = 0
    by: Actor = NOBODY


class BurnSeen(_Seen, frozen=True, tag="burn"):
    """The burn is over. `proven` False: the number owed is unknown."""

    removed: int
    proven: bool


class StageSeen(_Seen, frozen=True, tag="batch.stage"):
    """A batch, by its back, changed its stage."""

    back: Identifier
    before: BatchStage
    after: BatchStage
    why: Message
    clauses: tuple[Identifier, ...]


class BoundSeen(_Seen, frozen=True, tag="batch.bound"):
    """The cards of a batch are tracked from now on; `signed_by` is the signer's key."""

    batch: Identifier
    back: Identifier
    decks: int
    cards: int
    signed_by: bytes = b""


class WantedSeen(_Seen, frozen=True, tag="batch.wanted"):
    """A batch was named: its manifest is to be looked up."""

    batch: ForeignText


class CardApartSeen(_Seen, frozen=True, tag="batch.card-apart"):
    """A person set a card of a batch apart; `tag` is that card's."""

    back: Identifier
    clauses: tuple[Identifier, ...]
    by: Actor = NOBODY
    tag: Identifier = ""


class ShuffleSeen(_Seen, frozen=True, tag="batch.shuffle"):
    """The receipt of a shuffle; `refused` says why it does not count."""

    back: Identifier
    proof: ShuffleProof
    refused: Message | None
    clauses: tuple[Identifier, ...]


# --- devices and the machine ----------------------------------------------------------------------


class DeviceSeen(_Seen, frozen=True, tag="device.event"):
    """A device at a port reported something that is about no card."""

    port: Identifier
    event: DeviceEvent


class TableDeviceSeen(_Seen, frozen=True, tag="device.table"):
    """What a device made happen at the table: the shuffler's events, restarts, lost reports.

    It names no card.
    """

    event: DomainEvent


class WarningSeen(_Seen, frozen=True, tag="device.warning"):
    """A warning of the shuffler: no card until a person clears it; `text` may name a card."""

    number: int
    warning: WarningKind
    clauses: tuple[Identifier, ...]
    text: Message | None = None


class WarningClearedSeen(_Seen, frozen=True, tag="device.warning-cleared"):
    """A person cleared a warning, so long after it was opened."""

    number: int
    warning: WarningKind
    waited_ns: int
    by: Actor = NOBODY
    reason: TypedText = ""


class CommandSeen(_Seen, frozen=True, tag="device.command"):
    """A command was sent to a device, and why."""

    command: Message
    why: Message


class RunSeen(_Seen, frozen=True, tag="host.run"):
    """A run of the program began."""

    table: ConfiguredText
    software: Identifier
    profile: ConfiguredText
    decks: int
    same_boot: bool


class GamingDaySeen(_Seen, frozen=True, tag="host.gaming-day"):
    """The gaming day of the shoes that open from now on."""

    gaming_day: Identifier


class ClockJumpSeen(_Seen, frozen=True, tag="host.clock-jump"):
    """The clock moved by more than a day: a person states the gaming day."""


class ClockSeen(_Seen, frozen=True, tag="host.clock"):
    """The clock was set by so much; `utc_ns` is the time after it."""

    by_ns: int
    utc_ns: int
    evidence: ClockEvidence


class DiskSeen(_Seen, frozen=True, tag="host.disk"):
    """The free space for the journal crossed a limit; bytes."""

    level: DiskLevel
    free_bytes: int
    limit_bytes: int


class PowerSeen(_Seen, frozen=True, tag="host.power"):
    """The power fails; the table stops."""

    sign: PowerSign


class UsbSeen(_Seen, frozen=True, tag="host.usb"):
    """A USB device appeared, was refused or is gone."""

    fate: UsbDeviceFate
    usb_id: Identifier


Seen: TypeAlias = (
    CardSeen
    | RevealedSeen
    | CutSeen
    | CoupSeen
    | CoupPaidSeen
    | CorrectionSeen
    | IrregularitySeen
    | DecisionSeen
    | PromptSeen
    | AcceptedSeen
    | ActSeen
    | RefusalSeen
    | SettingSeen
    | ShoeOpenedSeen
    | ShoeEndedSeen
    | BurnSeen
    | StageSeen
    | BoundSeen
    | WantedSeen
    | CardApartSeen
    | ShuffleSeen
    | DeviceSeen
    | TableDeviceSeen
    | WarningSeen
    | WarningClearedSeen
    | CommandSeen
    | RunSeen
    | GamingDaySeen
    | ClockJumpSeen
    | ClockSeen
    | DiskSeen
    | PowerSeen
    | UsbSeen
)


def form(seen: Seen | type[Seen]) -> str:
    """The tag of a form, such as "batch.stage"."""
    return str(seen.__struct_config__.tag)


def kind(seen: Seen | type[Seen]) -> str:
    """The kind of a form, such as "batch"."""
    return form(seen).partition(".")[0]
