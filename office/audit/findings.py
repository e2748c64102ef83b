"""Values of an audit: messages, counts by table and day, and what neighbouring files must agree on.

They pass between processes, so they hold plain values only. No message names a card that lies face
down: only finished shoes, and what a replay compares, are reported.
"""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct


class Weight(StrEnum):
    """Whether a message counts against the evidence."""

    FINDING = "finding"
    NOTE = "note"  # information only; the evidence is good


class AuditMessage(Struct, frozen=True):
    """A finding or note on `file`; `shoe` and `coup` are 0 where it concerns none.

    `document` is the rule document of the table's profile, "" where it is not known.
    """

    weight: Weight
    file: str
    table: str
    gaming_day: str
    shoe: int
    coup: int
    words: str
    clauses: tuple[str, ...] = ()
    document: str = ""


def file_finding(path: Path | str, words: str) -> AuditMessage:
    """A finding on a file as a whole."""
    return AuditMessage(Weight.FINDING, str(path), "", "", 0, 0, words)


class AuditCounts(Struct, frozen=True):
    """The counts of one table and gaming day.

    `clean` shoes passed by their rows alone, `replayed` ones were replayed, and `untold` ones could
    not be, because another version wrote them.
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

    def plus(self, other: "AuditCounts") -> "AuditCounts":
        """The sum of both, with this one's table and day."""
        return AuditCounts(
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


class ShoeLink(Struct, frozen=True):
    """What one sealed file and its neighbours must agree on.

    `alternation` are the clauses by which two batches alternate, None where they do not; `document`
    is the rule document of the profile.
    `state_before` and `state_after` are SHA-256 of the states, empty where they are not known.
    """

    file: str
    table: str
    gaming_day: str
    shoe: int
    digest: bytes
    first_seq: int
    last_seq: int
    chain_before: bytes
    chain_after: bytes
    clean: bool
    coups: int
    back: str
    alternation: tuple[str, ...] | None
    document: str = ""
    state_before: bytes = b""
    state_after: bytes = b""


class LivePart(Struct, frozen=True):
    """The open part of a journal: where it begins, and its number of records."""

    file: str
    seq: int
    chain: bytes
    seal: bytes
    records: int


class PieceReport(Struct, frozen=True):
    """The result of one piece: the shoes of a day, or the open part of a journal.

    `stretches` are the first and last of sealed files whose records follow each other; neighbours
    within one were compared. A day that was put back has two.
    `omitted_findings` are only counted, because there are too many messages.
    """

    tallies: tuple[AuditCounts, ...] = ()
    messages: tuple[AuditMessage, ...] = ()
    omitted_findings: int = 0
    stretches: tuple[tuple[ShoeLink, ShoeLink], ...] = ()
    live: LivePart | None = None
    files: int = 0
