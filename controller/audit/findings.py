"""What an audit comes to: findings, notes, a tally a table and day, and the ends of what was read.

Responsible for: these values. They go from one process to another, so they hold nothing else.
Not responsible for: reaching them, and for how they are shown (the command line). No word of them
names a card that lies face down: only finished shoes and what a replay compares are told.
Source: package README, "Audit".
"""

from dataclasses import dataclass
from enum import StrEnum


class Weight(StrEnum):
    """Whether what is said counts against the evidence."""

    FINDING = "finding"
    NOTE = "note"  # for people to know; the evidence stands


@dataclass(frozen=True, slots=True)
class Said:
    """Something found in `file`; `shoe` and `coup` are 0 where it is about none."""

    weight: Weight
    file: str
    table: str
    gaming_day: str
    shoe: int
    coup: int
    words: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """The shoes of one table and gaming day. `clean` were passed by their rows alone, `replayed`

    were told again and `untold` could not be, because another version wrote them.
    """

    table: str
    gaming_day: str
    shoes: int = 0
    coups: int = 0
    cards: int = 0
    clean: int = 0
    replayed: int = 0
    untold: int = 0
    findings: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Both together, under this one's table and day."""
        return Tally(
            self.table,
            self.gaming_day,
            self.shoes + other.shoes,
            self.coups + other.coups,
            self.cards + other.cards,
            self.clean + other.clean,
            self.replayed + other.replayed,
            self.untold + other.untold,
            self.findings + other.findings,
        )


@dataclass(frozen=True, slots=True)
class Sealed:
    """What neighbours must agree on, of one sealed file.

    `turns` are the clauses by which two batches take turns, None where they do not.
    `state_before` and `state_after` are SHA-256 of the states, empty where they are not known.
    """

    file: str
    table: str
    gaming_day: str
    shoe: int
    digest: bytes
    previous: bytes
    first_seq: int
    last_seq: int
    chain_before: bytes
    chain_after: bytes
    clean: bool
    coups: int
    back: str
    turns: tuple[str, ...] | None
    state_before: bytes = b""
    state_after: bytes = b""


@dataclass(frozen=True, slots=True)
class LivePart:
    """Where the open part of a journal begins."""

    file: str
    seq: int
    chain: bytes
    seal: bytes
    records: int


@dataclass(frozen=True, slots=True)
class PieceReport:
    """What one piece came to: the shoes of a day, or the open part of a journal.

    `first` and `last` are the ends of a row of sealed files whose inner neighbours were compared.
    """

    tallies: tuple[Tally, ...] = ()
    said: tuple[Said, ...] = ()
    unsaid: int = 0
    first: Sealed | None = None
    last: Sealed | None = None
    live: LivePart | None = None
    files: int = 0
