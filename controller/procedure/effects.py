"""What the procedure asks of the rest of the program, and what it states for the record.

Responsible for: the closed set of effects of one step. They are conclusions: stored as entries
before anything is shown, sent or counted because of them.
Not responsible for: carrying them out.
Source: package README, "Effects".
"""

from enum import StrEnum
from typing import TypeAlias

from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupResult, Outcome
from controller.settlement.payment_order import PayStep
from controller.settlement.settle import Settlement
from drivers.shuffler_events import ShuffleProof
from firmware_bridge.values import dataclass


class CoupFate(StrEnum):
    """What became of a coup."""

    COUNTED = "counted"  # whole, judged by the rules
    VOID = "void"  # a floorperson voided it
    PARTIAL = "partial"  # reports missing; waits for a floorperson
    FLOOR_DECIDED = "floor_decided"  # partial; a floorperson stated the outcome


@dataclass(frozen=True, slots=True)
class RecordedCard:
    """A card of a finished coup, with the hand it belongs to.

    `carried_from`: drawn in error in the coup of that number (0 between coups), held for this one.
    """

    place: Place
    card: Card | None
    carried_from: int | None = None


@dataclass(frozen=True, slots=True)
class CoupRecord:
    """A finished coup. `result` is computed from the cards and absent where they are not whole;

    `declared` is what the dealer declared, absent where nothing reported it; `outcome` is what
    counts, absent where nothing counts. `ghost`: dealt as a ghost hand, without wagers.
    """

    gaming_day: str
    shoe: int
    coup: int
    cards: tuple[RecordedCard, ...]
    aside: tuple[RecordedCard, ...]
    result: CoupResult | None
    declared: Outcome | None
    outcome: Outcome | None
    fate: CoupFate
    suspended_cards: bool
    irregular: tuple[int, ...]
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class CoupClosed:
    """A coup came to its end and is counted as its record says.

    `clauses` are what its counts and its outcome were computed by.
    """

    record: CoupRecord
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoupPaid:
    """What the wagers on a finished coup come to, and the dealer's acts in the order due.

    `returned` are acts after those of the settlement: wagers that could not stand, or whose end the
    stated outcome does not tell. `note` says so in words.
    """

    gaming_day: str
    shoe: int
    coup: int
    settlement: Settlement
    returned: tuple[PayStep, ...]
    note: str

    @property
    def steps(self) -> tuple[PayStep, ...]:
        return self.settlement.steps + self.returned


@dataclass(frozen=True, slots=True)
class ShoeOpened:
    gaming_day: str
    shoe: int
    decks: int
    joined: bool


@dataclass(frozen=True, slots=True)
class BurnDone:
    """The burn is over: the first card and how many were seen removed in all.

    `proven` False: how many were owed is not known, so nobody can say that it is complete.
    """

    first: Card | None
    removed: int
    proven: bool


@dataclass(frozen=True, slots=True)
class ShoeEnded:
    """The shoe's last coup is done, or a person closed it."""

    gaming_day: str
    shoe: int
    cards_drawn: int
    coups: int
    player: int
    banker: int
    tie: int
    void: int
    irregularities: int
    person: str
    reason: str


class Call(StrEnum):
    """A call or an act that is due from a person."""

    OPENING = "opening"
    BATCH = "batch"
    SHUFFLE_AND_CUT = "shuffle_and_cut"
    NOTICE = "notice"
    BEFORE_DEAL = "before_deal"
    NO_MORE_BETS = "no_more_bets"
    HAND_OVER = "hand_over"
    TURN = "turn"
    COUNTS = "counts"
    PLAYER_DRAW = "player_draw"
    BANKER_DRAW = "banker_draw"
    RESULT = "result"
    TIE_HAND = "tie_hand"
    TOTAL_CARDS = "total_cards"
    EZ_RESULT = "ez_result"
    LAST_HAND = "last_hand"
    REMEDY = "remedy"
    PAY = "pay"
    VIGORISH = "vigorish"
    DISCARD = "discard"
    DEAD_TABLE = "dead_table"
    RESHUFFLE = "reshuffle"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Prompted:
    """A person was told what is due. `observed` False: this table cannot sense whether it was

    done, so it is recorded as not observed and never judged.
    """

    call: Call
    text: str
    clauses: tuple[str, ...]
    observed: bool


@dataclass(frozen=True, slots=True)
class ResolutionRecorded:
    """What a floorperson decided, and which irregularities are closed by it."""

    person: str
    reason: str
    decision: str
    provisional: str
    outcome: str
    closed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A person asked for something that cannot be done now; why, and what can be.

    `clauses` where a rule refuses.
    """

    what: str
    why: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A named person's act, statement or notice stands in the record, and what asks for it."""

    what: str
    person: str
    detail: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingChanged:
    """A setting of the profile holds another value at this table from now on."""

    setting: str
    old: str
    new: str
    person: str
    reason: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchMoved:
    """A batch went on in its life; stages are those of custody.lineage.stages."""

    batch: str
    before: str
    after: str
    why: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShuffleRecorded:
    """The receipt of a shuffle, as judged: it counts for this batch, or `refused` says why not."""

    batch: str
    proof: ShuffleProof
    refused: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WarningOpened:
    """No next card until a named person clears it with a reason. `since_ns` is UTC."""

    number: int
    kind: str
    code: int
    text: str
    clauses: tuple[str, ...]
    since_ns: int = 0


@dataclass(frozen=True, slots=True)
class WarningClosed:
    """A named person cleared a warning, so long after it was given."""

    number: int
    kind: str
    person: str
    reason: str
    waited_ns: int


Effect: TypeAlias = (
    CoupClosed
    | CoupPaid
    | ShoeOpened
    | BurnDone
    | ShoeEnded
    | Prompted
    | ResolutionRecorded
    | Refused
    | Recorded
    | SettingChanged
    | BatchMoved
    | ShuffleRecorded
    | WarningOpened
    | WarningClosed
)
