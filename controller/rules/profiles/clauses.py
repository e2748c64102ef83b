"""The catalogue of clauses: every rule sentence the program cites, by id.

Not: which clauses hold at a table (profile).
Source: data/clauses.csv, one row per clause: id, source, text, kind, observable, check.
"""

import csv
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct


class Observable(StrEnum):
    """What the program can do about a clause."""

    YES = "yes"  # checked from the cards and the table's own events
    CONFIG = "config"  # checked when the configuration is read
    HUMAN = "human"  # prompted and recorded; checked only if a person or sensor reports it
    OUT = "out"  # outside a table controller


class ClauseKind(StrEnum):
    ANNOUNCE = "announce"
    BATCH = "batch"
    BURN = "burn"
    CARDS = "cards"
    CONDUCT = "conduct"
    CONTINUOUS_SHUFFLER = "continuous-shuffler"
    CUT = "cut"
    CUT_CARD = "cut-card"
    DEAL = "deal"
    DISCARD = "discard"
    EQUIPMENT = "equipment"
    IRREGULARITY = "irregularity"
    NOTICE = "notice"
    OPENING = "opening"
    OUTCOME = "outcome"
    PAYMENT_ORDER = "payment-order"
    PAYOUT = "payout"
    RECORDS = "records"
    SHUFFLE = "shuffle"
    THIRD_CARD = "third-card"
    VIGORISH = "vigorish"
    WAGER = "wager"


class Clause(Struct, frozen=True):
    """One rule sentence; `text` is a short statement of it, `check` what the program does."""

    id: str
    source: str
    text: str
    kind: ClauseKind
    observable: Observable
    check: str

    @property
    def rule(self) -> str:
        """The rule document's short name, the id up to its first dash: `NY`, `S42`."""
        return self.id.partition("-")[0]


class ClauseError(Exception):
    """A fault in the catalogue; `line` and `column` (the field) count from 1."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.line = line
        self.column = column


COLUMNS: Final = ("id", "source", "text", "kind", "observable", "check")


def parse_clauses(csv_text: str) -> dict[str, Clause]:
    """Read the whole catalogue, by id in file order. Raises ClauseError for the first fault."""
    rows = _rows(csv_text)
    line, header = next(rows, (1, []))
    if tuple(header) != COLUMNS:
        raise ClauseError(line, 1, f"the heading must be {','.join(COLUMNS)}")
    clauses: dict[str, Clause] = {}
    for line, row in rows:
        clause = _clause(line, row)
        if clause.id in clauses:
            raise ClauseError(line, 1, f"clause {clause.id} is repeated")
        clauses[clause.id] = clause
    return clauses


def _rows(csv_text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(csv_text.splitlines(), strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ClauseError(reader.line_num, 1, f"not a CSV row: {error}") from error
        yield reader.line_num, row


def _clause(line: int, row: list[str]) -> Clause:
    if len(row) != len(COLUMNS):
        raise ClauseError(
            line, min(len(row), len(COLUMNS)) + 1, f"{len(row)} fields instead of {len(COLUMNS)}"
        )
    for column, (name, value) in enumerate(zip(COLUMNS, row, strict=True), start=1):
        if not value or value != value.strip():
            raise ClauseError(line, column, f"{name} is empty or has space around it")
    clause_id, source, text, kind, observable, check = row
    if " " in clause_id or "-" not in clause_id:
        raise ClauseError(line, 1, f"{clause_id!r} is not a clause id such as NY-h-1")
    return Clause(
        id=clause_id,
        source=source,
        text=text,
        kind=ClauseKind(_member(line, 4, kind, ClauseKind)),
        observable=Observable(_member(line, 5, observable, Observable)),
        check=check,
    )


def _member(line: int, column: int, value: str, allowed: type[StrEnum]) -> str:
    if value not in list(allowed):
        raise ClauseError(
            line, column, f"{COLUMNS[column - 1]} {value!r} is not one of {', '.join(allowed)}"
        )
    return value
