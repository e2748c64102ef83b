"""Reads the events of one consumer on from the journal: no second copy, bounded at a time."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.archive.consumers import FeedBegin, FeedContent, FeedCursor
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_input
from controller.journal.folder import base_before, read_heading_of_file, read_sealed, sealed_files
from controller.journal.reader import JournalReader
from controller.journal.shoe_file import ShoeFile, ShoeFileError
from controller.journal.store import open_read_only
from controller.journal.values import Base, JournalError, StoredRecord
from controller.outlets.feed.mapping import MadeEvent, feed_events, read_feed_rules, record_groups
from controller.outlets.feed.state import FeedRules, FeedState
from controller.rules.profiles.clauses import Clause

# So many events are read at once; those of one input are never separated.
READ_MAX: Final = 256


class OutboxItem(Struct, frozen=True):
    """An event to send. `after` is the state once it and all before it are acknowledged.

    It is None for an event that is not the last one of its input.
    """

    made: MadeEvent
    after: FeedState | None


class Outbox:
    """The events after `state`, for one thread. `state` is that after what `read` returned last."""

    def __init__(
        self, folder: Path, content: FeedContent, clauses: Mapping[str, Clause], state: FeedState
    ) -> None:
        self.state = state
        self._folder = folder
        self._content = content
        self._clauses = clauses

    def read(self, most: int = READ_MAX) -> list[OutboxItem]:
        """The next events, `most` or somewhat more; none: all that is stored has been read.

        The state goes on over records without an event. Raises JournalError, EncodingError.
        """
        items: list[OutboxItem] = []
        with open_read_only(self._folder) as reader:
            for group in record_groups(_without_gap(reader, self.state.record)):
                self.state, made = feed_events(self.state, group, self._content, self._clauses)
                items += [OutboxItem(one, None) for one in made[:-1]]
                items += [OutboxItem(one, self.state) for one in made[-1:]]
                if len(items) >= most:
                    break
        return items


def _without_gap(reader: JournalReader, after: int) -> Iterator[StoredRecord]:
    for stored in reader.records(after):
        after += 1
        if stored.seq != after:
            raise JournalError(
                f"{reader.file}: record {after} is missing, record {stored.seq} comes next."
                " Remedy: run `smartshoe verify`"
            )
        yield stored


# --- where a consumer begins ----------------------------------------------------------------------


class FeedStart(Struct, frozen=True):
    """Where a consumer goes on, and a sentence where events before it are not here any more."""

    state: FeedState
    lost: str = ""


def feed_start(
    folder: Path,
    cursor: FeedCursor | None,
    begin: FeedBegin,
    content: FeedContent,
    clauses: Mapping[str, Clause],
) -> FeedStart:
    """The state at a cursor, or where a consumer without one begins.

    Raises JournalError, EncodingError, OSError.
    """
    with open_read_only(folder) as reader:
        base, head = reader.base, reader.head.seq
        if cursor is not None and cursor.record <= head:
            found = _base_at(folder, base, cursor.base)
            if found is not None:
                state = _state_at(found, cursor.before, clauses)
                state = _up_to(reader, state, cursor.record, content, clauses)
                if (state.record, state.mark) == (cursor.record, cursor.mark):
                    return FeedStart(state)
    if begin is FeedBegin.SHOE_IN_PLAY and cursor is None:
        return FeedStart(state_at_base(folder, base, clauses))
    oldest = _oldest_base(folder, base)
    state = _state_at(oldest, "", clauses)
    if cursor is None or oldest.seq <= cursor.base:
        return FeedStart(state)
    lost = (
        f"records {cursor.record + 1} to {oldest.seq} are not here any more: their events are not"
        " sent. Remedy: read them from the archive (`smartshoe journal export`)"
    )
    return FeedStart(state, lost)


def _up_to(
    reader: JournalReader,
    state: FeedState,
    record: int,
    content: FeedContent,
    clauses: Mapping[str, Clause],
) -> FeedState:
    """The state after `record`, made again from the beginning of its shoe."""
    records = (one for one in _without_gap(reader, state.record) if one.seq <= record)
    for group in record_groups(records):
        state, _ = feed_events(state, group, content, clauses)
    return state


def state_at_base(folder: Path, base: Base, clauses: Mapping[str, Clause]) -> FeedState:
    """The state at the beginning of the live part or of a sealed shoe.

    The last sequence before it is made again from the shoe before, if that is here. Raises
    JournalError, EncodingError, OSError.
    """
    before = ""
    earlier = _sealed_until(folder, base.seq)
    if earlier is not None:
        state = _state_at(base_before(earlier), "", clauses)
        before = last_state(earlier, state, clauses).before
    return _state_at(base, before, clauses)


def last_state(shoe: ShoeFile, state: FeedState, clauses: Mapping[str, Clause]) -> FeedState:
    """The state after a sealed shoe."""
    for group in record_groups(shoe.records()):
        state, _ = feed_events(state, group, FeedContent.METERS_AND_EVENTS, clauses)
    return state


def _state_at(base: Base, before: str, clauses: Mapping[str, Clause]) -> FeedState:
    rules = FeedRules()
    if base.started:
        started = read_input(base.started)
        assert isinstance(started, Started), "a base names the input that began the run"
        rules = read_feed_rules(started, clauses)
    return FeedState.at(base.seq, base.chain, before, rules)


def _base_at(folder: Path, live: Base, seq: int) -> Base | None:
    """The base after record `seq`; None where no shoe and no live part begins there."""
    if seq == live.seq:
        return live
    for path in sealed_files(folder):
        heading = read_heading_of_file(path)
        if heading.first_seq == seq + 1 and heading.last_seq <= live.seq:
            return base_before(read_sealed(path))
    return None


def _oldest_base(folder: Path, live: Base) -> Base:
    """Where the unbroken row of sealed shoes up to the live part begins."""
    first, expected = None, live.seq
    for path in reversed(sealed_files(folder)):
        heading = read_heading_of_file(path)
        if heading.first_seq > live.seq:
            continue  # its move was interrupted: the records are in the live part
        if heading.last_seq != expected:
            break
        first, expected = path, heading.first_seq - 1
    return live if first is None else base_before(read_sealed(first))


def _sealed_until(folder: Path, seq: int) -> ShoeFile | None:
    """The sealed shoe that ends with record `seq`, if it is here."""
    for path in reversed(sealed_files(folder)):
        if read_heading_of_file(path).last_seq == seq:
            try:
                return read_sealed(path)
            except ShoeFileError:
                return None
    return None
