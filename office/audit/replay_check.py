"""Replays a sealed shoe or a journal's open part from its stored state and reports differences.

Compares verdicts and entries, and the rows and heading of a sealed file.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from msgspec import Struct

from controller.archive.finished_shoe import NoFinishedShoe, finished_shoe
from controller.archive.replay.replayer import Replayer, Run
from controller.core.build import build_core
from controller.core.state import encode_state, state_of_base
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_input
from controller.journal.card_row_format import read_row
from controller.journal.encoding import EncodingError
from controller.journal.reader import JournalReader
from controller.journal.shoe_file import NO_SEAL, ROW_BYTES, ShoeFile, ShoeHeading, ShoeParts
from controller.journal.values import Base, Head, StoredRecord
from controller.rules.profiles.profile import ProfileError
from controller.version import software_identifier
from office.audit.shoe_rules import clauses

LISTED_MAX: Final = 20
_UNREADABLE: Final = (EncodingError, ProfileError, ValueError)


class ReplayComparison(Struct, frozen=True):
    """The result of a replay. `different` are sentences on records of this version.

    `other_version` are sentences on another version's records, whose verdicts alone are compared.
    `not_replayed`: why nothing could be replayed. The states are SHA-256, empty if not known.
    """

    different: tuple[str, ...] = ()
    other_version: tuple[str, ...] = ()
    not_replayed: str = ""
    state_before: bytes = b""
    state_after: bytes = b""


def replay_shoe(shoe: ShoeFile) -> ReplayComparison:
    """Replay all records of a sealed file. Raises JournalError where they are damaged."""
    parts = shoe.parts()
    base = base_of(shoe.heading, parts)
    compared = _replay(base, shoe.records())
    wrong = tuple(file_differences(shoe, parts, base))
    if shoe.heading.software == software_identifier():
        return ReplayComparison(
            compared.different + wrong,
            compared.other_version,
            compared.not_replayed,
            sha256(parts.state).digest() if parts.state else b"",
            compared.state_after,
        )
    return ReplayComparison(
        compared.different, compared.other_version + wrong, compared.not_replayed
    )


def replay_open_part(journal: JournalReader) -> ReplayComparison:
    """Replay the open part of a journal. Raises JournalError."""
    return _replay(journal.base, journal.records(after_seq=journal.base.seq))


def base_of(heading: ShoeHeading, parts: ShoeParts) -> Base:
    """The base that the records of a sealed file follow."""
    return Base.of(
        Head(heading.first_seq - 1, heading.chain_before),
        NO_SEAL,
        (heading.started_seq, parts.started),
        (heading.state_software, parts.state),
    )


# --- records --------------------------------------------------------------------------------------


def _replay(base: Base, records: Iterable[StoredRecord]) -> ReplayComparison:
    replayer = Replayer(clauses())
    try:
        not_replayed, damaged = _restore(replayer, base), ""
    except _UNREADABLE as error:
        words = f"its state or run at the beginning cannot be read: {error}"
        this_version = base.software == software_identifier()
        not_replayed, damaged = ("", words) if this_version else (words, "")
    if not_replayed or damaged:
        for _ in records:  # reading them checks their chain
            pass
        return ReplayComparison(different=(damaged,) if damaged else (), not_replayed=not_replayed)
    different: list[str] = []
    other_version: list[str] = []
    seq = base.seq
    for stored in records:
        exact, seq = replayer.exact, stored.seq
        try:
            found = replayer.replay(stored)
        except _UNREADABLE as error:
            different.append(f"record {seq} cannot be replayed: {error}")
            break
        if found is not None:
            words = f"record {found.seq} holds {found.stored}"
            words += f"; this program concludes {found.concluded}"
            (different if exact else other_version).append(words)
    else:
        left = replayer.finish(seq)
        if left is not None:
            words = f"after record {seq} this program concludes {left.concluded}"
            (different if replayer.exact else other_version).append(words)
    known = replayer.exact and replayer.state is not None
    after = sha256(encode_state(replayer.state)).digest() if known and replayer.state else b""
    return ReplayComparison(_first(different), _first(other_version), state_after=after)


def _first(words: list[str]) -> tuple[str, ...]:
    """The first LISTED_MAX sentences, and how many more there are."""
    more = len(words) - LISTED_MAX
    rest = "and 1 more record" if more == 1 else f"and {more} more records"
    return (*words[:LISTED_MAX], *([rest] if more > 0 else ()))


def _restore(replayer: Replayer, base: Base) -> str:
    """Restore state and run before the first record; returns why that fails, else empty."""
    if base.seq == 0:
        return ""
    if not base.state:
        return "the state before it was not known when it was sealed"
    if not base.state_holds:
        return "the state that it begins with is damaged"
    if base.software != software_identifier() and state_of_base(base) is None:
        return f"version {base.software} wrote the state it begins with; replay it with that one"
    if not base.started:
        # Its first record begins a run.
        replayer.restore(None, base.state)
        return ""
    started = read_input(base.started)
    if not isinstance(started, Started):
        return "the record that should begin its run is another"
    if started.software != base.software:
        return f"version {started.software} continued it; replay it with that one"
    run = Run(build_core(started, clauses()), base.started_seq, started.software)
    replayer.restore(run, base.state)
    return ""


# --- heading and rows of the file -----------------------------------------------------------------


def file_differences(shoe: ShoeFile, parts: ShoeParts, base: Base) -> Iterator[str]:
    """Differences between heading and rows and the records. Raises JournalError."""
    heading = shoe.heading
    try:
        signer = heading.algorithm, heading.signer
        due = finished_shoe(heading.table, base, tuple(shoe.records()), signer)
    except (NoFinishedShoe, *_UNREADABLE) as error:
        yield f"its heading and rows cannot be derived from its records: {error}"
        return
    for name in heading.__struct_fields__:
        stored, derived = getattr(heading, name), getattr(due.heading, name)
        if stored != derived:
            yield f"its heading says {name} {_text(stored)}, its records {_text(derived)}"
    if shoe.rows != due.rows:
        yield from _row_differences(shoe.rows, due.rows)


def _text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


def _row_differences(stored: bytes, due: bytes) -> Iterator[str]:
    if len(stored) != len(due):
        yield f"rows: {len(stored) // ROW_BYTES} stored, {len(due) // ROW_BYTES} by its records"
    wrong = [
        at
        for at in range(0, min(len(stored), len(due)), ROW_BYTES)
        if stored[at : at + ROW_BYTES] != due[at : at + ROW_BYTES]
    ]
    for at in wrong[:LISTED_MAX]:
        number = at // ROW_BYTES + 1
        yield f"row {number} does not match its record: {_row_difference(stored, due, at)}"
    if len(wrong) > LISTED_MAX:
        more = len(wrong) - LISTED_MAX
        yield "and 1 more row" if more == 1 else f"and {more} more rows"


def _row_difference(stored: bytes, due: bytes, at: int) -> str:
    try:
        row = read_row(stored, at)
    except ValueError as error:
        return str(error)
    right = read_row(due, at)
    names = row.__struct_fields__
    pairs = ((name, getattr(row, name), getattr(right, name)) for name in names)
    wrong = (f"{name} {_text(one)}, not {_text(two)}" for name, one, two in pairs if one != two)
    return ", ".join(wrong) or "its unused bytes are not zero"
