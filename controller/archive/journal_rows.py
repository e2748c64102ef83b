"""Renders coups, corrections, irregularities, decisions and ends of shoes as rows.

The rows that `journal export --json` prints and those of its tables are these.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, TypeAlias

from controller.journal.values import Base, StoredRecord
from controller.record.audiences import Audience
from controller.record.reader import RunRules, SeenReader
from controller.record.seen import (
    Actor,
    CorrectionSeen,
    CoupSeen,
    DecisionSeen,
    IrregularitySeen,
    Seen,
    ShoeEndedSeen,
)
from controller.record.snapshot import cards_words
from controller.rules.profiles.borrowing import with_borrowed
from controller.system.messages.catalogue import to_words
from foundation.message import Message

JsonRow: TypeAlias = dict[str, object]

_NS_PER_S: Final = 1_000_000_000


def time_text(at_ns: int) -> str:
    """A UTC time in nanoseconds as text."""
    moment = datetime.fromtimestamp(at_ns // _NS_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ns % _NS_PER_S:09}Z"


class JournalRows:
    """Builds rows from records in order; `reader` has the rules, the shoe and the time."""

    def __init__(self, rules: RunRules) -> None:
        self.reader = SeenReader(Audience.EXPORT, rules)

    def begin(self, base: Base) -> None:
        """Continue after records that may be archived."""
        self.reader.begin(base)

    def rows_of(self, stored: StoredRecord) -> Iterator[JsonRow]:
        """The rows of this record; `at` is UTC in nanoseconds. Raises EncodingError."""
        for seen in self.reader.take(stored):
            row = row_of(self.reader, stored.seq, seen)
            if row is not None:
                yield row


def row_of(reader: SeenReader, seq: int, seen: Seen) -> JsonRow | None:
    """The row of what record `seq` tells; None for what has no row here."""
    values: JsonRow
    match seen:
        case CoupSeen():
            kind, values = "coup", _coup(seen)
        case IrregularitySeen():
            kind, values = "irregularity", _irregularity(reader, seen)
        case DecisionSeen():
            kind, values = "decision", _decision(seen)
        case CorrectionSeen():
            kind, values = "correction", _correction(seen)
        case ShoeEndedSeen():
            kind, values = "shoe_ended", {"coups": seen.coups, "cards_drawn": seen.cards_drawn}
        case _:
            return None
    return {
        "kind": kind,
        "record": seq,
        "at": reader.at_ns,
        "table": reader.table,
        "gaming_day": reader.state.gaming_day,
        "shoe": reader.state.shoe,
        **values,
    }


def _coup(seen: CoupSeen) -> JsonRow:
    faces = seen.faces
    return {
        "coup": seen.coup,
        "fate": seen.fate.value,
        "outcome": seen.outcome.value if seen.outcome is not None else None,
        "declared": seen.declared.value if seen.declared is not None else None,
        "player": faces and cards_words(faces.player.cards),
        "banker": faces and cards_words(faces.banker.cards),
        "player_count": faces and faces.player.count.value,
        "banker_count": faces and faces.banker.count.value,
        "natural": faces and bool(faces.natural.value),
        "player_pair": faces and bool(faces.player_pair.value),
        "banker_pair": faces and bool(faces.banker_pair.value),
        "irregularities": list(seen.irregularities),
        "ghost": seen.ghost,
    }


def _irregularity(reader: SeenReader, seen: IrregularitySeen) -> JsonRow:
    row: JsonRow = {
        "number": seen.number,
        "coup": seen.coup,
        "code": seen.code.value,
        "title": to_words(Message(seen.code.value)),
        "clauses": list(seen.clauses),
        "suspends": seen.suspends,
    }
    return with_borrowed(reader.book.document, row) if reader.book is not None else row


def _decision(seen: DecisionSeen) -> JsonRow:
    return {
        "person": seen.by.person,
        "second": seen.by.second or None,
        "reason": seen.reason,
        "decision": seen.decision.value,
        "outcome": seen.outcome,
        "closed": list(seen.closed),
        **_proofs(seen.by),
    }


def _correction(seen: CorrectionSeen) -> JsonRow:
    return {
        "gaming_day": seen.gaming_day,
        "shoe": seen.shoe,
        "coup": seen.coup,
        "counted": seen.counted.value,
        "before": seen.before.value,
        "outcome": seen.outcome.value,
        "person": seen.by.person,
        "second": seen.by.second,
        "reason": seen.reason,
        "owed": [{"seat": owed.seat, "cents": owed.cents} for owed in seen.owed],
        **_proofs(seen.by),
    }


def _proofs(by: Actor) -> JsonRow:
    """How it is known who acted; nothing where no action is on record."""
    if by.role is None:
        return {}
    return {"proof": by.proof.value, "second_proof": by.second_proof.value}
