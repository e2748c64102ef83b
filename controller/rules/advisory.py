"""What a monitor says: a kind, where, how strongly, by which evidence. Never a verdict.

An advisory names no face. It may still say something of the card that raised it (that it follows
the one before), so it is shown to floorperson, pit and surveillance once every card up to `card`
is disclosed, and to nobody else before the shoe is over: who knows the order knows what comes.

Source: D-31.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from foundation.message import Message
from foundation.recorded_text import Identifier, PersonId


class AdvisoryKind(StrEnum):
    """One monitor. Each speaks once in a shoe, and once more at its end if it became surer."""

    ORDER = "order"
    RUN = "run"
    SHARED = "shared"
    REPEAT = "repeat"
    NATURALS = "naturals"
    OUTCOMES = "outcomes"
    STALL_CUT = "stall-cut"
    STALL_LAST = "stall-last"
    PERSON = "person"
    PERSON_MONTHS = "person-months"
    SHUFFLER = "shuffler"
    MULTISET = "multiset"
    ORIENTATION = "orientation"
    CADENCE = "cadence"


class RuleName(StrEnum):
    """A rule by which one card may follow another."""

    USPC = "uspc"
    USPC_BACKWARD = "uspc-backward"
    USPC_OLD = "uspc-old"
    USPC_OLD_BACKWARD = "uspc-old-backward"
    FOURNIER = "fournier"
    FOURNIER_BACKWARD = "fournier-backward"
    SUITS_UP = "suits-up"
    SUITS_DOWN = "suits-down"
    RANKS_UP = "ranks-up"
    RANKS_DOWN = "ranks-down"
    SORTED = "sorted"
    SAME_RANK = "same-rank"
    SAME_SUIT = "same-suit"
    RANK_PLUS = "rank-plus"
    RANK_MINUS = "rank-minus"
    RANK_BESIDE = "rank-beside"


class RuleEvidence(Struct, frozen=True, tag="rule-evidence"):
    """From card `first` of the shoe on, `matched` of `of` cards follow the one before by a rule."""

    rule: RuleName
    first: int
    matched: int
    of: int


class SharedEvidence(Struct, frozen=True, tag="shared-evidence"):
    """From card `first` of the shoe on, `matched` of `of` cards come as in `earlier_shoe`.

    Compared from card `earlier_card` of that shoe on, `backward` or forward; `by_coups`: its coups
    in order, whatever the order inside one. `earlier_shoe` may be the shoe itself.
    """

    earlier_shoe: int
    earlier_card: int
    backward: bool
    by_coups: bool
    first: int
    matched: int
    of: int


class CoupPattern(StrEnum):
    """What the coups of a shoe have in common, one after another."""

    NATURAL = "natural"
    PLAYER_NATURAL = "player-natural"
    BANKER_NATURAL = "banker-natural"
    SAME_WINNER = "same-winner"


class CoupsEvidence(Struct, frozen=True, tag="coups-evidence"):
    """`matched` of the last `of` coups have the pattern; ties leave a row of winners as it is."""

    pattern: CoupPattern
    matched: int
    of: int


class StallEvidence(Struct, frozen=True, tag="stall-evidence"):
    """A coup was awaited so long; so long is allowed. Nanoseconds."""

    lasted_ns: int
    allowed_ns: int


class PersonEvidence(Struct, frozen=True, tag="person-evidence"):
    """A person voided, repeated or corrected `acts` of the `coups` with them at the table.

    Of the `other_coups` beside, somebody did so with `other_acts`.
    """

    person: PersonId
    role: Identifier
    acts: int
    coups: int
    other_acts: int
    other_coups: int


class OrderTest(StrEnum):
    """What a test on order left by a shuffle expects of the next card."""

    ADJACENCY = "adjacency"  # beside the card before stood a card of its face
    COUPS = "coups"  # in its coup, or the coups beside, whatever the order in them
    RISING = "rising"  # the successor of one of the last cards: packets riffled together
    FALLING = "falling"  # the same, backward
    GUESSING = "guessing"  # the one face that the last cards make likeliest
    POSITIONS = "positions"  # a face of the part of the earlier shoe that would come here


class ShufflerEvidence(Struct, frozen=True, tag="shuffler-evidence"):
    """In `shoes` shuffled by a device, cards came as in the shoe before of their batch.

    A test counted `found` where chance has `chance`. `shuffler` is empty for shuffles by hand.
    """

    shuffler: Identifier
    test: OrderTest
    shoes: int
    found: int
    chance: int


class MissingEvidence(Struct, frozen=True, tag="missing-evidence"):
    """In each of the last `shoes` of a batch one face came at most `most` times of `decks`."""

    batch: Identifier
    shoes: int
    most: int
    decks: int


class TurnedEvidence(Struct, frozen=True, tag="turned-evidence"):
    """Which way round a card of a batch lies goes with its rank: `turned` of `cards`, in `shoes`.

    Of the rank where most are turned `rank_turned` of `rank_cards` were. No rank is named.
    """

    batch: Identifier
    shoes: int
    turned: int
    cards: int
    rank_turned: int
    rank_cards: int


class PaceEvidence(Struct, frozen=True, tag="pace-evidence"):
    """From coup to coup the newest shoe took `pace_ms`, the middle of `shoes` before `usual_ms`.

    Each is a median.
    """

    pace_ms: int
    usual_ms: int
    shoes: int


Evidence: TypeAlias = (
    RuleEvidence
    | SharedEvidence
    | CoupsEvidence
    | StallEvidence
    | PersonEvidence
    | ShufflerEvidence
    | MissingEvidence
    | TurnedEvidence
    | PaceEvidence
)


class Advisory(Struct, frozen=True, tag="advisory"):
    """A statistical remark on a shoe; `shoe` is 0 where none is open yet.

    `card` is how many cards had left the shoe when it was known, `strength_millibits` how far the
    evidence lay over the threshold, in thousandths of a doubling. `again`: raised before in this
    shoe, now at its end with more evidence.
    """

    kind: AdvisoryKind
    shoe: int
    card: int
    strength_millibits: int
    evidence: Evidence
    words: Message
    batch: Identifier = ""
    again: bool = False
