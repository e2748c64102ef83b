"""The schema of what people see beside play: devices, batches, people, evidence, monitors."""

from typing import Literal

from msgspec import Struct

from controller.custody.batch_life.stages import BatchStage
from controller.rules.advisory import AdvisoryKind, Evidence
from controller.system.messages.catalogue import to_words
from drivers.events import Stage
from foundation.message import message


class CitingView(Struct, frozen=True):
    """What cites clauses; `borrowed` names the decision for each of another rule document."""

    clauses: tuple[str, ...]
    borrowed: dict[str, str]


class PitDifferenceView(CitingView, frozen=True):
    """A setting in which the table differs from its pit, until it follows."""

    setting: str
    value: str
    of_pit: str


class IdentityView(Struct, frozen=True):
    """A device's proven identity, or why it is refused."""

    device: str
    version: str
    bare: bool
    trusted: bool
    refused: str


class DeviceView(Struct, frozen=True):
    """The dealing shoe; `locked` is None where it does not report its lock.

    `remarks`: what people have to know of the device as it is, such as why it is refused.
    """

    port: str
    model: str
    stage: Stage
    locked: bool | None
    commands_allowed: bool
    reads_tags: bool
    identity: IdentityView | None
    remarks: tuple[str, ...] = ()


class AuxiliaryView(Struct, frozen=True):
    """A reader with its seat, or a scanner with its model; `remarks` as of the shoe."""

    port: str
    kind: Literal["reader", "scanner"]
    seat: str
    model: str
    stage: Stage
    remarks: tuple[str, ...] = ()


class WarningView(Struct, frozen=True):
    """An open warning of the shuffler; `active`: its cause is still present."""

    number: int
    kind: str
    code: int
    compartment: int
    text: str
    since_ns: int
    active: bool


class ShuffleView(Struct, frozen=True):
    """The last complete shuffle of a batch, never with its count of each face."""

    device: str
    cycle: int
    count: int
    result: str
    took_s: int
    signed: bool
    genuine: bool


class ShownShuffleView(Struct, frozen=True):
    """A shuffle that lamps show and nothing proves: its number, and how long it took."""

    cycle: int
    took_s: int


class ShufflerBatchView(Struct, frozen=True):
    """A batch by its back: its stage, where it is, and why it may not be dealt from (`bars`).

    `shuffle` is its last shuffle where that has a receipt, `shown` where only lamps show it.
    """

    back: str
    stage: BatchStage
    compartment: int
    cards: int | None
    by_hand: bool
    bars: tuple[str, ...]
    shuffle: ShuffleView | None
    shown: ShownShuffleView | None = None


class ShufflerView(Struct, frozen=True):
    """The shuffler. `trusted`: it has proven its identity since its port was opened.

    `interlocked`: no next card before a person clears the open warnings.
    """

    port: str
    model: str
    stage: Stage
    commands_allowed: bool
    device: str
    version: str
    bare: bool
    trusted: bool
    mode: str
    door_open: bool
    residual: int
    interlocked: bool
    warnings: tuple[WarningView, ...]
    last_played: str
    batches: tuple[ShufflerBatchView, ...]


class CardsView(Struct, frozen=True):
    """Number of cards by place; both hands are one place."""

    shuffler: int
    shoe: int
    hands: int
    aside: int
    burn: int
    discard_rack: int
    carton: int
    quarantine: int
    unknown: int


class BatchCardsView(Struct, frozen=True):
    """A batch whose cards are tracked; `blocked` says why it may not be dealt from."""

    batch: str
    back: str
    in_play: bool
    blocked: str
    cards: CardsView


class CustodyView(Struct, frozen=True):
    """Cards by place: which card is where would reveal cards that nobody has seen."""

    batches: tuple[BatchCardsView, ...]
    unread: int


# --- beside the state: the machine, this run, evidence, people ------------------------------------


class DiskView(Struct, frozen=True):
    """Too little free space."""

    level: str
    free_bytes: int
    limit_bytes: int
    text: str


class ClockView(Struct, frozen=True):
    """The last step of the machine's clock, if it is recent."""

    steps: int
    by_ms: int
    at_ns: int
    evidence: str
    text: str


class HostView(Struct, frozen=True):
    """The machine: `disk` and `clock` are None if there is nothing to say."""

    disk: DiskView | None
    clock: ClockView | None
    clock_sync: str


class NamedBatch(Struct, frozen=True):
    """A batch named in this run, and the result, in words; `refused` is empty if it was bound.

    `number` counts the answers, so that a client can distinguish its answer from an older one.
    """

    number: int
    batch: str
    named_by: str
    refused: str


class SealsView(Struct, frozen=True):
    """Shoes sealed since the start, and those that wait; the short code of the last day."""

    sealed: int
    unsealed: int
    problem: str
    signer: str
    unsigned: str
    day: str
    code: str
    heads: int


class DecidedView(Struct, frozen=True):
    """How often a person decided so in the shoe."""

    person: str
    decision: str
    count: int


class PeopleView(Struct, frozen=True):
    """Persons with an account, with a `remark` if there is none; dealers and decisions."""

    accounts: int
    remark: str
    dealers: tuple[str, ...]
    decided: tuple[DecidedView, ...]


# --- the shoe monitors ----------------------------------------------------------------------------


class AdvisoryView(Struct, frozen=True):
    """A statistical remark on a shoe, no verdict; `shoe` is 0 where none was open yet.

    `card` is how many cards had left the shoe, `strength_millibits` how far the evidence lay over
    the threshold. `again`: said before in this shoe, now at its end with more evidence.
    """

    kind: AdvisoryKind
    shoe: int
    card: int
    text: str
    strength_millibits: int
    evidence: Evidence
    again: bool = False


class PauseView(Struct, frozen=True):
    """A coup is awaited since the cut card was put in ("stall-cut") or came out ("stall-last").

    `since_ns` is UTC. After `minutes_allowed` it is an advisory of that kind.
    """

    kind: AdvisoryKind
    since_ns: int
    minutes_allowed: int


def advisory_words(one: AdvisoryView) -> str:
    """The sentence of an advisory with its shoe and card; it names no person and no face."""
    where = message("before_shoe")
    if one.shoe:
        where = message("after_card_of_shoe", shoe=one.shoe, card=one.card)
    if one.again:
        where = message("said_again_with_more_evidence", where=where)
    return to_words(message("advisory_at_place", text=one.text, where=where))
