"""The schema of what people see of a table: one snapshot, its parts and their types.

Not: how a part is made from the stored state (the other modules of this room).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from controller.procedure.phases import Phase
from controller.record.snapshot_devices import (
    AdvisoryView,
    AuxiliaryView,
    CitingView,
    CustodyView,
    DeviceView,
    HostView,
    NamedBatch,
    PauseView,
    PeopleView,
    PitDifferenceView,
    SealsView,
    ShufflerView,
)
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.advisory import Advisory
from controller.rules.outcome import Outcome
from controller.system.messages.catalogue import to_words
from foundation.message import message

# A version of the schema gains optional fields only; any other change is a new version.
SCHEMA_VERSION: Final = 2
HIDDEN_CARD: Final = "??"
UNREAD_CARD: Final = message("card_unread")


class Health(StrEnum):
    """How the table's loop is doing."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    STORE_FAILED = "store_failed"  # the journal could not be written
    REFUSED = "refused"  # the journal or the settings do not allow a start
    FAILED = "failed"  # too many internal errors


class Withheld(StrEnum):
    """Why a value that follows from cards is not shown."""

    FACE_DOWN = "face_down"  # a card that it follows from lies face down
    DRAWN_IN_ERROR = "drawn_in_error"  # the card was drawn in error, and nobody has turned it
    DEALT_WHILE_SUSPENDED = "dealt_while_suspended"
    NOT_EXPOSED = "not_exposed"  # the profile shows the first burn card only
    NEVER_TURNED = "never_turned"  # the coup was closed, and nobody has turned its cards
    UNREAD = "unread"  # the device could not read the card
    INCOMPLETE = "incomplete"  # reports of the coup are missing, or it ended before its result


ValueT = TypeVar("ValueT")


class CardFact(Struct, Generic[ValueT], frozen=True):
    """A card, or what follows from one: its value, or the reason why it is withheld."""

    value: ValueT | None
    withheld: Withheld | None

    def __post_init__(self) -> None:
        if (self.value is None) is (self.withheld is None):
            raise ValueError("it has a value, or the reason why it is withheld")


# A card such as "7h".
ShownCard: TypeAlias = CardFact[str]
ShownPhase: TypeAlias = CardFact[Phase]


def card_words(card: ShownCard) -> str:
    """A card as a person reads it: "7h", or "??" for one that is withheld."""
    unread = card.withheld is Withheld.UNREAD
    return card.value or (to_words(UNREAD_CARD) if unread else HIDDEN_CARD)


def cards_words(cards: Iterable[ShownCard]) -> str:
    """Cards as a person reads them, such as "9h ??"."""
    return " ".join(map(card_words, cards))


# --- the shoe and its coups -----------------------------------------------------------------------


class CorrectionView(Struct, frozen=True):
    """A corrected coup: as it was counted, None if it was void, and the outcome that counts."""

    coup: int
    counted: Outcome | None
    outcome: Outcome


class ShoeView(Struct, frozen=True):
    """The run of coups from one loading. `cards_left` is None where it is not known."""

    gaming_day: str
    number: int
    joined: bool
    cards_total: int
    cards_drawn: int
    cards_left: int | None
    coups_begun: int
    player: int
    banker: int
    tie: int
    void: int
    irregularities: int
    burn: tuple[ShownCard, ...]
    burn_owed: int
    cut_card_seen: bool
    last_coup_number: int | None
    ended: bool
    ghost_hands: int
    corrections: tuple[CorrectionView, ...]


class HandView(Struct, frozen=True):
    """A hand and its point count; a hand without a card counts 0."""

    cards: tuple[ShownCard, ...]
    count: CardFact[int]


class TurningView(Struct, frozen=True):
    """What lies face down and who turns it; a seat is None where it is not known."""

    by: Literal["patrons", "dealer"]
    player_seat: int | None
    banker_seat: int | None
    face_down: tuple[LayoutPart, ...]
    turned: tuple[LayoutPart, ...]


class CoupView(Struct, frozen=True):
    """The open coup. `third`: third cards whose hand is not disclosed; `aside`: drawn in error."""

    number: int
    player: HandView
    banker: HandView
    third: tuple[ShownCard, ...]
    aside: tuple[ShownCard, ...]
    partial: bool
    provisional: bool
    ghost: bool
    turning: TurningView


class ClosedCoupView(Struct, frozen=True):
    """The last closed coup; `outcome` only if it counts, `corrected` what counts instead."""

    number: int
    player: HandView
    banker: HandView
    natural: CardFact[bool]
    player_pair: CardFact[bool]
    banker_pair: CardFact[bool]
    outcome: Outcome | None
    fate: str
    ghost: bool
    corrected: Outcome | None

    def marks(self) -> list[str]:
        """What is said of the coup beside its outcome: natural, pairs."""
        facts = (self.natural, self.player_pair, self.banker_pair)
        texts = (message("natural"), message("player_pair"), message("banker_pair"))
        return [to_words(text) for fact, text in zip(facts, texts, strict=True) if fact.value]


class FinishedCoupView(Struct, frozen=True):
    """A finished coup; `outcome` only if it counts, `corrected` what counts instead.

    `natural` and the pairs are None where people have not seen the cards, or they are incomplete.
    """

    number: int
    outcome: Outcome | None
    fate: str
    natural: bool | None
    player_pair: bool | None
    banker_pair: bool | None
    corrected: Outcome | None = None


# --- irregularities -------------------------------------------------------------------------------


class FindingView(Struct, frozen=True):
    """A custody finding: the step at which the card was found, and its back."""

    code: str
    step: str
    back: str
    detail: CardFact[str]
    card: ShownCard
    tag: CardFact[str]


class IrregularityView(CitingView, frozen=True):
    """An open irregularity; `withheld` says why it has the clauses of its kind only."""

    withheld: Withheld | None
    number: int
    code: str
    title: str
    coup: int
    suspends: bool
    provisional: bool
    permitted: tuple[str, ...]
    forbidden: tuple[str, ...]
    found: FindingView | None


class SuspensionView(Struct, frozen=True):
    """Where play continues after a decision; the coups and cards dealt meanwhile."""

    resume_to: ShownPhase
    coups: int
    cards: int


class OwedStepView(Struct, frozen=True):
    """A step that a remedy requires; `count` is None where it is not known."""

    step: Literal["decision", "burn", "carry"]
    count: int | None
    text: str


class DecisionView(Struct, frozen=True):
    """A permitted decision, when it applies, and what may become of cards dealt meanwhile."""

    decision: FloorDecision
    when: str
    provisional: tuple[Provisional, ...]


class RemedyView(Struct, frozen=True):
    """The remedy of what is open, those irregularities first that suspend the table."""

    irregularities: tuple[int, ...]
    permitted: tuple[str, ...]
    forbidden: tuple[str, ...]
    done: tuple[str, ...]
    owed: tuple[OwedStepView, ...]
    waiting: int
    carried: int
    decisions: tuple[DecisionView, ...]


# --- the next shoe --------------------------------------------------------------------------------


class DutyView(CitingView, frozen=True):
    """A duty of the opening. `observed` false: `done` is only what was recorded."""

    act: str
    text: str
    group: str
    done: bool
    observed: bool


class RefusedActView(Struct, frozen=True):
    """An act of the opening that was refused."""

    act: str
    code: str
    detail: str


class OpeningView(Struct, frozen=True):
    """The next shoe's duties, and where the batches are; "" where nothing is known.

    `batch` is the one loaded or due.
    """

    shuffle_mode: str
    duties: tuple[DutyView, ...]
    refused: tuple[RefusedActView, ...]
    batches: tuple[str, ...]
    batch: str
    loaded: str
    in_play: str
    last_batch: str
    in_shuffler: str
    in_rack: str
    cut_offered_to: tuple[int, ...]
    cut_by: int | None
    recut_by: tuple[int, ...]
    dead_table: bool
    shoe_held_by: int | None


# --- wagers ---------------------------------------------------------------------------------------


class AmountView(Struct, frozen=True):
    """Money of a seat, in cents and as text."""

    seat: int
    cents: int
    amount: str


class WagerView(AmountView, frozen=True):
    """A wager; `refused` says why it is not admitted."""

    kind: str
    name: str
    refused: str
    medium: str = "chips"


class OwedVigorishView(AmountView, frozen=True):
    """Vigorish that a seat owes, and when it is due."""

    deadline: str


class WinView(CitingView, frozen=True):
    """The result of a wager on the last coup, made or not."""

    kind: str
    name: str
    verdict: str
    odds: str | None


class PaymentStepView(CitingView, frozen=True):
    """One act of paying a coup."""

    seat: int
    act: str
    cents: int
    text: str


class PaymentView(Struct, frozen=True):
    """The payment of a coup, act by act."""

    coup: int
    note: str
    steps: tuple[PaymentStepView, ...]


class NoticeView(Struct, frozen=True):
    """A notice that a setting will change, and whom it was given."""

    setting: str
    value: str
    to: str
    person: str


class ChangedSettingView(CitingView, frozen=True):
    """A setting changed at this table and still in effect; `file` is the file's value."""

    setting: str
    value: str
    file: str
    reason: str


class WageringView(Struct, frozen=True):
    """Wagers on the open coup, else on the next; `wins` once the last coup is disclosed."""

    locked: bool
    wagers: tuple[WagerView, ...]
    verbal: tuple[AmountView, ...]
    owed: tuple[OwedVigorishView, ...]
    complimentary: tuple[str, ...]
    wins: tuple[WinView, ...]
    payment: PaymentView | None
    offered: tuple[str, ...]
    notices: tuple[NoticeView, ...]
    settings: tuple[ChangedSettingView, ...]
    pit_differences: tuple[PitDifferenceView, ...] = ()


# --- the table -----------------------------------------------------------------------------------


class RunFacts(Struct, frozen=True):
    """What is of this run and no stored state; `accounts` is how many persons have one."""

    health: Health = Health.RUNNING
    failure: str = ""
    batches_named: tuple[NamedBatch, ...] = ()
    seals: SealsView | None = None
    accounts: int = 0
    advisories: tuple[Advisory, ...] = ()
    coups: tuple[FinishedCoupView, ...] = ()
    metrics_read_s: int | None = None
    trial: bool = False
    software: str = ""
    pause: PauseView | None = None


class Snapshot(Struct, frozen=True):
    """Everything that people may see of one table.

    `observed` are the facts reported here, `due` what is due next, `due_calls` what is to be done
    now; what there is not is None. `advisories` are on the shoe in play and the one before, `coups`
    the newest 256; `pause` lasts since the cut card. `trial`: devices get nothing. `software`:
    version and build of what runs.
    """

    schema: Literal[2]
    table: str
    pit: str
    profile: str
    health: Health
    failure: str
    gaming_day: str
    observed: tuple[str, ...]
    phase: ShownPhase
    due: str
    due_calls: tuple[str, ...]
    suspension: SuspensionView | None
    shoe: ShoeView | None
    coup: CoupView | None
    last_coup: ClosedCoupView | None
    irregularities: tuple[IrregularityView, ...]
    remedy: RemedyView
    opening: OpeningView
    wagering: WageringView
    device: DeviceView
    beside: tuple[AuxiliaryView, ...]
    shuffler: ShufflerView | None
    custody: CustodyView
    people: PeopleView
    host: HostView
    batches_named: tuple[NamedBatch, ...]
    seals: SealsView | None
    advisories: tuple[AdvisoryView, ...] = ()
    coups: tuple[FinishedCoupView, ...] = ()
    metrics_read_s: int | None = None
    trial: bool = False
    software: str = ""
    pause: PauseView | None = None

    @property
    def owed_steps(self) -> tuple[str, ...]:
        """Steps a remedy still requires, without the shoe's own burn and the decision itself."""
        if self.shoe is None:
            return ()
        begun = self.shoe.coups_begun > 0 or bool(self.irregularities)
        passed_over = ("decision",) if begun else ("decision", "burn")
        return tuple(one.text for one in self.remedy.owed if one.step not in passed_over)
