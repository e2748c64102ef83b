"""The lines that a video recorder shows over a camera's picture: short, and of disclosed facts.

Source: D-8.
"""

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from controller.core.state import Stored
from controller.core.tape.entries import Entry, EventVerdicts
from controller.procedure.effects import CoupClosed, CoupCorrected, ResolutionRecorded
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Irregularity
from controller.record.coup import closed_coup_view
from controller.record.snapshot import CardFact
from controller.rules.outcome import CoupFate

Encoding: TypeAlias = Literal["ascii", "latin-1"]

_LINE_ENDS: Final = {True: b"\r\n", False: b"\n"}
_NOT_SHOWN: Final = "-"


class LineForm(Struct, frozen=True):
    """How a recorder takes lines: at most `width` characters of `encoding`, and the line's end."""

    width: int = 64
    encoding: Encoding = "ascii"
    crlf: bool = True

    def encode(self, text: str) -> bytes:
        """One line; what the encoding has not, and signs that steer a screen, are `?`."""
        plain = "".join(one if one.isprintable() else "?" for one in text)
        return plain[: self.width].encode(self.encoding, "replace") + _LINE_ENDS[self.crlf]


def lines_of(table: str, stored: Stored) -> Iterator[str]:
    """The lines of one transaction, in the order in which it was concluded."""
    book = effective_book(stored.book, stored.state.table)
    for conclusion in stored.conclusions:
        for entry in conclusion.entries:
            for text in _lines_of_entry(book, entry):
                yield f"{table} {text}"


def _lines_of_entry(book: RuleBook, entry: Entry) -> Iterator[str]:
    match entry:
        case CoupClosed() as closed:
            yield _coup(book, closed)
        case EventVerdicts(verdicts=verdicts):
            for one in verdicts:
                if isinstance(one, Irregularity):
                    yield _irregularity(one)
        case ResolutionRecorded() as decided:
            closed_numbers = ",".join(map(str, decided.closed)) or _NOT_SHOWN
            outcome = f" {decided.outcome}" if decided.outcome is not None else ""
            yield _upper(f"irr {closed_numbers} decided {decided.decision.value}{outcome}")
        case CoupCorrected() as corrected:
            was, now = corrected.before.value, corrected.outcome.value
            yield _upper(f"{corrected.shoe}/{corrected.coup} corrected {was} to {now}")
        case _:
            pass


def _coup(book: RuleBook, closed: CoupClosed) -> str:
    record = closed.record
    seen = closed_coup_view(book, record)
    words = [f"{record.shoe}/{record.coup}"]
    if record.fate is not CoupFate.COUNTED:
        words.append(record.fate.value.replace("_", " "))
    if record.outcome is not None:
        words.append(record.outcome.value)
    words.append(f"p{_count(seen.player.count)} b{_count(seen.banker.count)}")
    if seen.natural.value:
        words.append("natural")
    if record.ghost:
        words.append("ghost")
    if record.irregular:
        words.append(f"irr {','.join(map(str, record.irregular))}")
    return _upper(" ".join(words))


def _irregularity(one: Irregularity) -> str:
    coup = f" coup {one.coup}" if one.coup else ""
    stops = " play stops" if one.suspends else ""
    return _upper(f"irr {one.number} {one.code.value}{coup}{stops}")


def _count(fact: CardFact[int]) -> str:
    """A point count as far as people have seen it."""
    return _NOT_SHOWN if fact.value is None else str(fact.value)


def _upper(text: str) -> str:
    """As text inserters show it best."""
    return text.upper().replace("_", " ")
