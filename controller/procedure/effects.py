"""The effects of one step: prompts for people, and conclusions for the record.

They are stored as entries before anything is shown, sent or counted because of them.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.state import WarningKind
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, CoupResult, Outcome
from controller.rules.settlement.payment_order import PayStep
from controller.rules.settlement.payout import PayoutDifference, SettledWager
from controller.rules.settlement.settle import Settlement
from foundation.message import Message
from foundation.recorded_text import ConfiguredText, Identifier, PersonId, TypedText


class RecordedCard(Struct, frozen=True):
    """A card of a finished coup, with the hand it belongs to.

    `carried_from`: drawn in error in the coup of that number (0 between coups), held for this one.
    """

    place: Place
    card: Card | None
    carried_from: int | None = None


class CoupRecord(Struct, frozen=True):
    """A finished coup.

    `result` is computed from the cards, None where they are not complete; `declared` is the result
    the dealer declared, None where it was not reported; `outcome` is the outcome that counts, None
    where none does. `aside`: cards drawn in error. `ghost`: dealt as a ghost hand, without wagers.
    `own_void`: void by a person's own decision, where a rule prescribes another remedy (D-43).
    """

    gaming_day: Identifier
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
    own_void: bool = False


class CoupClosed(Struct, frozen=True, tag="coup-closed"):
    """A coup ended and is counted by its record.

    `clauses` are the ones its point counts and its outcome were computed by.
    """

    record: CoupRecord
    clauses: tuple[Identifier, ...] = ()


class CoupPayment(Struct, frozen=True, tag="coup-payment"):
    """The settlement of the wagers on a finished coup, and the dealer's acts in the order due.

    `returned` are acts after those of the settlement: wagers that may not stand, or that the stated
    outcome does not decide. `note` explains them.
    """

    gaming_day: Identifier
    shoe: int
    coup: int
    settlement: Settlement
    returned: tuple[PayStep, ...]
    note: Message | None

    @property
    def steps(self) -> tuple[PayStep, ...]:
        return self.settlement.steps + self.returned


class CoupCorrected(Struct, frozen=True, tag="coup-corrected"):
    """Two persons corrected the outcome of a counted coup; its record stays as it was (D-42).

    `counted` is the outcome in the record, `before` the one that counted until now, `outcome` the
    one that counts from now on. `owed` are the wagers that `outcome` pays otherwise than they were
    settled, `undecided` those of a kind that `outcome` alone does not decide; nothing is settled
    again. `wagers_known` False: the table does not observe wagers.
    """

    gaming_day: Identifier
    shoe: int
    coup: int
    counted: Outcome
    before: Outcome
    outcome: Outcome
    person: PersonId
    second: PersonId
    reason: TypedText
    owed: tuple[PayoutDifference, ...]
    undecided: tuple[SettledWager, ...]
    wagers_known: bool


class ShoeOpened(Struct, frozen=True, tag="shoe-opened"):
    """A shoe was opened; `joined`: when it was already in play."""

    gaming_day: Identifier
    shoe: int
    decks: int
    joined: bool


class BurnDone(Struct, frozen=True, tag="burn-done"):
    """The burn is over: its first card, and how many cards were burned in all.

    `proven` False: the number owed is unknown, so the burn may be incomplete.
    """

    first: Card | None
    removed: int
    proven: bool


class ShoeEnded(Struct, frozen=True, tag="shoe-ended"):
    """The shoe's last coup is finished, or a person closed the shoe."""

    gaming_day: Identifier
    shoe: int
    cards_drawn: int
    coups: int
    player: int
    banker: int
    tie: int
    void: int
    irregularities: int
    person: PersonId
    reason: TypedText


class PromptKind(StrEnum):
    """Kinds of prompts: the call or act that is due from a person."""

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


class Prompt(Struct, frozen=True, tag="prompt"):
    """A call or an act that is due from a person.

    `observed` False: this table cannot sense whether it was done, so it is never judged.
    """

    kind: PromptKind
    text: Message
    clauses: tuple[Identifier, ...]
    observed: bool


class ResolutionRecorded(Struct, frozen=True, tag="resolution-recorded"):
    """A floorperson's decision, and the irregularities that it closes.

    `coups_dealt` and `cards_dealt` were dealt while the table was suspended; `provisional` decided
    on them. `second` is the person who decided with the floorperson, if any.
    """

    person: PersonId
    reason: TypedText
    decision: FloorDecision
    provisional: Provisional | None
    outcome: Outcome | None
    closed: tuple[int, ...]
    coups_dealt: int = 0
    cards_dealt: int = 0
    second: PersonId = ""


class Refusal(Struct, frozen=True, tag="refusal"):
    """A person's request that cannot be carried out now: why, and what can be done instead.

    `clauses` are the rules that refuse it, if any.
    """

    what: Identifier
    why: Message
    clauses: tuple[Identifier, ...] = ()


class ActRecord(Struct, frozen=True, tag="act-record"):
    """A named person's act, statement or notice on record, with the clauses that require it."""

    what: Identifier
    person: PersonId
    detail: Message
    clauses: tuple[Identifier, ...]


class SettingChanged(Struct, frozen=True, tag="setting-changed"):
    """A setting of the profile has another value at this table from now on."""

    setting: Identifier
    old: ConfiguredText
    new: ConfiguredText
    person: PersonId
    reason: TypedText
    clauses: tuple[Identifier, ...]


class WarningOpened(Struct, frozen=True, tag="warning-opened"):
    """A warning: no card until a named person clears it with a reason. `since_ns` is UTC."""

    number: int
    kind: WarningKind
    code: int
    text: Message
    clauses: tuple[Identifier, ...]
    since_ns: int = 0


class WarningClosed(Struct, frozen=True, tag="warning-closed"):
    """A named person cleared a warning, `waited_ns` after it was opened."""

    number: int
    kind: WarningKind
    person: PersonId
    reason: TypedText
    waited_ns: int


Effect: TypeAlias = (
    CoupClosed
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
