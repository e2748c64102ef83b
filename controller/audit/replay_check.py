"""One shoe, or the open part of a journal, told again from the state that stands with it.

Responsible for: where to begin, telling every record again, and what then differs: verdicts and
entries, the rows and the heading of a sealed file.
Not responsible for: telling one record (retelling), what a sealed file should say (sealing), and
for which shoes are told again (shoe_audit).
Source: package README, "Audit", "Replay"; controller/journal/README.md, "Shoe file", "Base".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Final

from controller.archive.finished_shoe import NoShoe, finished_shoe, state_at
from controller.audit.terms import clauses
from controller.core.build import core_of
from controller.core.state import STATES
from controller.journal.card_row_format import read_row
from controller.journal.encoding.codec import CanonicalError
from controller.journal.reader import JournalReader
from controller.journal.shoe_file import ROW_BYTES, ShoeFile, ShoeHeading, ShoeParts
from controller.journal.values import Base, Head, StoredRecord
from controller.profiles.profile import ProfileError
from controller.replay.replayer import Retelling, Run
from controller.tape.inputs import Started
from controller.tape.records import read_older_input
from controller.version import VERSION

LISTED_MAX: Final = 20
_UNREADABLE: Final = (CanonicalError, ProfileError, ValueError)


@dataclass(frozen=True, slots=True)
class Told:
    """What telling again came to. `different` are words on records of this version, `otherwise`

    on another's, of which only verdicts are compared. `untold`: why nothing could be told.
    """

    different: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    untold: str = ""
    state_before: bytes = b""
    state_after: bytes = b""


def tell_shoe(shoe: ShoeFile) -> Told:
    """Tell all records of a sealed file again. Raises JournalError where they are damaged."""
    parts = shoe.parts()
    base = base_of(shoe.heading, parts)
    told = _tell(base, shoe.records())
    wrong = tuple(file_differences(shoe, parts, base))
    if shoe.heading.software == VERSION:
        return Told(
            told.different + wrong,
            told.otherwise,
            told.untold,
            sha256(parts.state).digest() if parts.state else b"",
            told.state_after,
        )
    return Told(told.different, told.otherwise + wrong, told.untold)


def tell_open_part(journal: JournalReader) -> Told:
    """Tell the open part of a journal again. Raises JournalError."""
    return _tell(journal.base, journal.records(after_seq=journal.base.seq))


def base_of(heading: ShoeHeading, parts: ShoeParts) -> Base:
    """Where the records of a sealed file begin."""
    return Base.of(
        Head(heading.first_seq - 1, heading.chain_before),
        heading.previous,
        (heading.started_seq, parts.started),
        (heading.state_software, parts.state),
    )


# --- records --------------------------------------------------------------------------------------


def _tell(base: Base, records: Iterable[StoredRecord]) -> Told:
    retelling = Retelling(clauses())
    try:
        untold, damaged = _put_back(retelling, base), ""
    except _UNREADABLE as error:
        words = f"what it begins with cannot be read: {error}"
        ours = base.software == VERSION
        untold, damaged = ("", words) if ours else (words, "")
    if untold or damaged:
        for _ in records:  # their chain is checked all the same
            pass
        return Told(different=(damaged,) if damaged else (), untold=untold)
    different: list[str] = []
    otherwise: list[str] = []
    seq = base.seq
    for stored in records:
        exact, seq = retelling.exact, stored.seq
        try:
            found = retelling.take(stored)
        except _UNREADABLE as error:
            different.append(f"record {seq} cannot be told again: {error}")
            break
        if found is not None:
            told = f"record {found.seq} holds {found.stored}; this program concludes"
            (different if exact else otherwise).append(f"{told} {found.concluded}")
    else:
        left = retelling.finish(seq)
        if left is not None:
            words = f"after record {seq} this program concludes {left.concluded}"
            (different if retelling.exact else otherwise).append(words)
    known = retelling.exact and retelling.state is not None
    after = sha256(STATES.encode(retelling.state)).digest() if known and retelling.state else b""
    return Told(_listed(different), _listed(otherwise), state_after=after)


def _listed(words: list[str]) -> tuple[str, ...]:
    more = len(words) - LISTED_MAX
    return (*words[:LISTED_MAX], *([f"and {more} more records"] if more > 0 else ()))


def _put_back(retelling: Retelling, base: Base) -> str:
    """Give it the state and the run before the first record; why that cannot be, else empty."""
    if base.seq == 0:
        return ""
    if not base.state:
        return "the state before it was not known when it was sealed"
    if not base.state_holds:
        return "the state that it begins with is damaged"
    state = STATES.decode(base.state) if base.software == VERSION else state_at(base)
    if state is None:
        return f"version {base.software} wrote the state it begins with; replay it with that one"
    if not base.started:
        # Its first record begins a run: of the version that wrote the state, or nothing is known.
        retelling.state = state
        return ""
    started = read_older_input(base.started)
    if not isinstance(started, Started):
        return "the record that should begin its run is another"
    if started.software != base.software:
        return f"version {started.software} took it over; replay it with that one"
    run = Run(core_of(started, clauses()), base.started_seq, started.software)
    retelling.put_back(run, state)
    return ""


# --- what the file says of its records ------------------------------------------------------------


def file_differences(shoe: ShoeFile, parts: ShoeParts, base: Base) -> Iterator[str]:
    """Where heading and rows are not what the records say. Raises JournalError."""
    heading = shoe.heading
    try:
        due = finished_shoe(heading.table, base, tuple(shoe.records()), heading.signer)
    except (NoShoe, *_UNREADABLE) as error:
        yield f"its heading and rows cannot be told from its records: {error}"
        return
    for field in fields(heading):
        told, said = getattr(heading, field.name), getattr(due.heading, field.name)
        if told != said:
            yield f"its heading says {field.name} {_shown(told)}, its records {_shown(said)}"
    if shoe.rows != due.rows:
        yield from _row_differences(shoe.rows, due.rows)


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


def _row_differences(told: bytes, due: bytes) -> Iterator[str]:
    if len(told) != len(due):
        yield f"it has {len(told) // ROW_BYTES} rows, its records {len(due) // ROW_BYTES}"
    wrong = [
        at
        for at in range(0, min(len(told), len(due)), ROW_BYTES)
        if told[at : at + ROW_BYTES] != due[at : at + ROW_BYTES]
    ]
    for at in wrong[:LISTED_MAX]:
        yield f"row {at // ROW_BYTES + 1} is not what its record says: {_row_words(told, due, at)}"
    if len(wrong) > LISTED_MAX:
        yield f"and {len(wrong) - LISTED_MAX} more rows"


def _row_words(told: bytes, due: bytes, at: int) -> str:
    try:
        row = read_row(told, at)
    except ValueError as error:
        return str(error)
    said = read_row(due, at)
    names = (one.name for one in fields(row))
    pairs = ((name, getattr(row, name), getattr(said, name)) for name in names)
    wrong = (f"{name} {_shown(one)}, not {_shown(two)}" for name, one, two in pairs if one != two)
    return ", ".join(wrong) or "its unused bytes are not zero"
