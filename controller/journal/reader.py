"""Reads a journal: head, records of sealed files and of the live part, base, saved state, chain.

Sealed files are read one at a time, each checked against the next.

Not: locating damage in a broken journal (verify).
"""

import itertools
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from controller.journal.database import (
    DAMAGE,
    DAMAGED_REMEDY,
    READABLE,
    OpenFile,
    describe_error,
    stored_base,
)
from controller.journal.encoding import link
from controller.journal.folder import (
    base_after,
    base_before,
    read_heading_of_file,
    read_sealed,
    sealed_files,
)
from controller.journal.shoe_file import NO_SEAL, ShoeFile, ShoeFileError
from controller.journal.values import (
    Base,
    ChainBreak,
    Head,
    JournalError,
    SavedState,
    SavedStateDamage,
    StoredRecord,
    binding,
    unpadded,
)


class _Span(Struct, frozen=True):
    """The records that a sealed file holds, by its heading."""

    path: Path
    first_seq: int
    last_seq: int


class RecentShoes(Struct, frozen=True):
    """The whole sealed files since a time: their records begin after record `before`.

    `damage`: a sentence on the file that ended the search, which is damaged, missing or another's.
    """

    before: int
    damage: str = ""


class SealedPart:
    """The sealed files before `base`. `paths` returns them in order; it is called when needed."""

    def __init__(self, file: Path, base: Base, paths: Callable[[], tuple[Path, ...]]) -> None:
        self._file = file
        self._base = base
        self._paths = paths

    @property
    def first_seq(self) -> int:
        """The first record of the unbroken row of files up to the base. Raises JournalError."""
        first = self._base.seq + 1
        for span in self._backwards():
            first = span.first_seq
        return first

    def records(self, after_seq: int) -> Iterator[StoredRecord]:
        """The records after `after_seq` up to the base. Raises JournalError."""
        spans: list[_Span] = []
        for span in self._backwards():
            spans.append(span)
            if span.first_seq <= after_seq + 1:
                break
        begin = spans[-1].first_seq if spans else self._base.seq + 1
        if begin > after_seq + 1:
            raise self._records_missing(after_seq + 1, begin - 1)
        before: ShoeFile | None = None
        for span in reversed(spans):
            sealed = _read(span.path)
            if before is not None and not _follows(before, sealed):
                raise _broken(span.path, "does not follow the file before it")
            yield from _records(span.path, sealed, after_seq)
            before = sealed
        if before is not None and not self._leads_to_base(before):
            raise _broken(spans[0].path, f"does not lead to the base of {self._file}")

    def bases(self) -> Iterator[Base]:
        """The base at each file's beginning, newest first, up to a gap. Raises JournalError."""
        for span in self._backwards():
            yield _base_before(span.path, _read(span.path))

    def recent(self, since_utc_ns: int) -> RecentShoes:
        """Check the files since that time, the newest first, up to one that does not hold.

        No shoe of the last days is taken by a prune, so that one that is not here was lost.
        """
        after = _SealedEnd(self._base.seq, self._base.chain, self._base.seal)
        try:
            paths = [*_paths(self._file, self._paths)]
            while after.seq:
                # A file after the base was sealed since, or its move was interrupted.
                while paths and _span(paths[-1]).first_seq > after.seq:
                    paths.pop()
                if not paths or _span(paths[-1]).last_seq < after.seq:
                    return RecentShoes(after.seq, _shoe_missing(self._file, after.seq))
                path = paths.pop()
                sealed = _read(path)
                heading = sealed.heading
                if not after.fits(sealed):
                    raise _broken(path, "is not the one that was sealed there")
                if heading.until_ns < since_utc_ns:
                    break
                after = _SealedEnd(heading.first_seq - 1, heading.chain_before)
                if heading.from_ns < since_utc_ns:
                    break
        except JournalError as error:
            return RecentShoes(after.seq, str(error))
        return RecentShoes(after.seq)

    def _backwards(self) -> Iterator[_Span]:
        """The files, the newest first, until one is missing."""
        expected = self._base.seq
        if expected == 0:
            return
        for path in reversed(_paths(self._file, self._paths)):
            span = _span(path)
            # A file after the base was sealed since, or its move was interrupted.
            if span.first_seq > self._base.seq:
                continue
            if span.last_seq != expected:
                return
            yield span
            expected = span.first_seq - 1

    def _leads_to_base(self, last: ShoeFile) -> bool:
        base, end = self._base, last.heading
        return (end.last_seq, end.chain_after, last.digest) == (base.seq, base.chain, base.seal)

    def _records_missing(self, first: int, last: int) -> JournalError:
        return JournalError(
            f"{self._file}: records {first} to {last} are in sealed files that are not here: they"
            " were archived, moved or lost. Remedy: put the files of those shoes back into the"
            f" journal's folder, or read on from record {last + 1}."
        )


class _SealedEnd(Struct, frozen=True):
    """What the next earlier sealed file ends with; a `seal` of NO_SEAL is not known."""

    seq: int
    chain: bytes
    seal: bytes = NO_SEAL

    def fits(self, sealed: ShoeFile) -> bool:
        heading = sealed.heading
        ends = (heading.last_seq, heading.chain_after) == (self.seq, self.chain)
        return ends and self.seal in (NO_SEAL, sealed.digest)


def bases_around_last(file: Path, paths: Callable[[], tuple[Path, ...]]) -> Iterator[Base]:
    """The base after the last sealed file, then the one before it (for an interrupted move).

    Raises JournalError.
    """
    for path in _paths(file, paths)[-1:]:
        last = _read(path)
        yield base_after(last)
        yield _base_before(path, last)


def _base_before(path: Path, sealed: ShoeFile) -> Base:
    try:
        return base_before(sealed)
    except ShoeFileError as error:
        raise _broken(path, f"cannot be read: {error}") from error


def _paths(file: Path, paths: Callable[[], tuple[Path, ...]]) -> tuple[Path, ...]:
    try:
        return paths()
    except OSError as error:
        raise JournalError(
            f"{file}: cannot look for shoes: {describe_error(error)}. {READABLE}"
        ) from error


def _span(path: Path) -> _Span:
    try:
        heading = read_heading_of_file(path)
    except ShoeFileError as error:
        raise _broken(path, _cannot_be_read(path, error)) from error
    except OSError as error:
        raise JournalError(
            f"{path}: cannot read the sealed file: {describe_error(error)}. {READABLE}"
        ) from error
    if not 0 < heading.first_seq <= heading.last_seq:
        raise _broken(path, "holds no records by its heading")
    return _Span(path, heading.first_seq, heading.last_seq)


def _read(path: Path) -> ShoeFile:
    try:
        return read_sealed(path)
    except ShoeFileError as error:
        raise _broken(path, _cannot_be_read(path, error)) from error
    except OSError as error:
        raise JournalError(
            f"{path}: cannot read the sealed file: {describe_error(error)}. {READABLE}"
        ) from error


def _shoe_missing(file: Path, seq: int) -> str:
    return (
        f"{file}: the sealed file that ends with record {seq} is not here: it was moved or lost."
        " Remedy: put it back from the archive or the last backup; `smartshoe verify` on the"
        " journal's folder says more"
    )


def _cannot_be_read(path: Path, error: ShoeFileError) -> str:
    return f"cannot be read: {str(error).removeprefix(f'{path}: ')}"


def _follows(before: ShoeFile, after: ShoeFile) -> bool:
    one, two = before.heading, after.heading
    return (two.first_seq, two.chain_before) == (one.last_seq + 1, one.chain_after)


def _records(path: Path, sealed: ShoeFile, after_seq: int) -> Iterator[StoredRecord]:
    try:
        for stored in sealed.records():
            if stored.seq > after_seq:
                yield stored
    except ShoeFileError as error:
        raise _broken(path, f"cannot be read: {error}") from error


def _broken(path: Path, what: str) -> JournalError:
    return JournalError(
        f"{path}: the sealed file {what}. Remedy: keep it as evidence, put the whole one in its"
        " place from the archive or the last backup; `smartshoe verify` on the journal's folder"
        " says more"
    )


_Row = tuple[int, bytes, bytes]


class JournalReader(OpenFile):
    """An open journal, read-only. To be used by one thread at a time."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        file: Path,
        close: Callable[[], None],
        sealed: tuple[Path, ...] | None = None,
    ) -> None:
        """Raises JournalError where the file cannot be read.

        `sealed` are the sealed files before its live part; None: those in the file's folder.
        """
        super().__init__(connection, file, close)
        self._sealed = sealed
        self._saved_state_damage: SavedStateDamage | None = None
        self.base_damage = ""
        self._base = self._stored_base()
        self._head = self._stored_head()

    @property
    def head(self) -> Head:
        """The newest record; number 0 and GENESIS in an empty journal."""
        return self._head

    @property
    def base(self) -> Base:
        """Where the live part begins: after the last sealed record, or record 0.

        A damaged state is left out; `base_damage` then says what is wrong.
        """
        return self._base

    @property
    def first_available_seq(self) -> int:
        """The first record from which on all are here; those before it were archived.

        One more than the head where there is none. Raises JournalError.
        """
        return self._sealed_part().first_seq

    def recent_shoes(self, since_utc_ns: int) -> RecentShoes:
        """The whole sealed files since that time, and what is wrong with the one before them."""
        return self._sealed_part().recent(since_utc_ns)

    def bases(self) -> Iterator[Base]:
        """Where a replay may begin, the newest first: the base, then where each sealed file begins.

        It ends at record 0, or where the file before is not here. Raises JournalError.
        """
        yield self._base
        yield from self._sealed_part().bases()

    @property
    def saved_state_damage(self) -> SavedStateDamage | None:
        """Why the last call of `saved_state` returned None, if a state is stored but damaged."""
        return self._saved_state_damage

    @property
    def damages(self) -> tuple[str, ...]:
        """Sentences on damage that was repaired from elsewhere: no record is lost by it."""
        damage = self._saved_state_damage
        return tuple(filter(None, (damage.what if damage is not None else "", self.base_damage)))

    def records(self, after_seq: int = 0) -> Iterator[StoredRecord]:
        """Stream the records after number `after_seq` in stored order. Raises JournalError.

        They come from the sealed files and then from the live part, with one file in memory at a
        time. Records before `first_available_seq` raise JournalError.
        """
        if after_seq < self._base.seq:
            yield from self._sealed_part().records(after_seq)
        for row in self._rows(max(after_seq, self._base.seq)):
            yield StoredRecord(*row)

    def saved_state(self) -> SavedState | None:
        """The saved state, or None where there is none or `saved_state_damage` says why.

        Without a usable one, replay from the first record. Raises JournalError.
        """
        self._saved_state_damage = None
        row = self._one(
            "SELECT seq, started_seq, software, state, digest, binding FROM checkpoint LIMIT 1"
        )
        if row is None:
            return None
        checked = self._check_saved_state(row)
        if isinstance(checked, SavedStateDamage):
            self._saved_state_damage = checked
            return None
        return checked

    def verify_all(self, progress: Callable[[int, int], None] | None = None) -> ChainBreak | None:
        """Check the chain over the live part; None where it holds. Raises JournalError.

        `progress` is called with records done and total records, every 4096 records.
        """
        return self._verify(self._base.head, progress)

    def _verify(
        self, start: Head, progress: Callable[[int, int], None] | None = None
    ) -> ChainBreak | None:
        """Check the chain after `start`, whose chain value is taken as given."""
        with closing(self._rows(start.seq)) as rows:
            reached = _follow_chain(
                _with_progress(rows, self._head.seq - start.seq, progress), start
            )
        if isinstance(reached, ChainBreak):
            return reached
        if reached.seq != self._head.seq:
            return ChainBreak(reached.seq + 1, f"record {reached.seq + 1} is missing")
        return None

    def chain_at(self, seq: int) -> bytes | None:
        """The chain value of record `seq` of the live part or the base, None for any other."""
        if seq == self._base.seq:
            return self._base.chain
        row = self._one("SELECT chain FROM records WHERE seq = ?", seq)
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def _check_saved_state(self, row: tuple[object, ...]) -> SavedState | SavedStateDamage:
        match row:
            case (
                int(seq),
                int(started),
                str(software),
                bytes(stored),
                bytes(digest),
                bytes(bound),
            ):
                state = unpadded(stored)
                saved_state = SavedState(seq, started, software, state, digest)
            case _:
                return SavedStateDamage("the fields of the saved state have wrong types")
        if sha256(state).digest() != digest:
            return SavedStateDamage(f"the state stored after record {seq} was changed")
        chain = self.chain_at(seq) if 0 <= started <= seq <= self._head.seq else None
        if chain is None or binding(saved_state, stored, chain) != bound:
            return SavedStateDamage(f"the saved state does not belong to record {seq}")
        return saved_state

    def _stored_head(self) -> Head:
        row = self._one("SELECT seq, chain FROM records ORDER BY seq DESC LIMIT 1")
        match row:
            case None:
                return self._base.head
            case (int(seq), bytes(chain)):
                return Head(seq, chain)
            case _:
                raise JournalError(f"{self.file}: the last record is damaged. {DAMAGED_REMEDY}")

    def _stored_base(self) -> Base:
        try:
            base = stored_base(self._connection)
        except DAMAGE as error:
            raise self._read_error(error) from error
        if base is None:
            return self._derive_base()
        if base.state and not base.state_holds:
            self.base_damage = f"the state stored after record {base.seq} was changed"
            return replace(base, software="", state=b"", digest=b"")
        return base

    def _derive_base(self) -> Base:
        """Find the base from its neighbours: a sealed file before it, live records after it."""
        first = self._one("SELECT seq, record, chain FROM records ORDER BY seq LIMIT 1")
        for base in itertools.chain((Base(),), bases_around_last(self.file, self._sealed_paths)):
            self._base, self._head = base, base.head
            if self._follows_base(first):
                self.base_damage = (
                    f"where the live part begins (table base) was damaged; by the sealed shoes and"
                    f" the chain, it begins after record {base.seq}"
                )
                return base
        raise JournalError(
            f"{self.file}: where its live part begins (table base) is damaged, and no sealed shoe"
            f" here leads to it. {DAMAGED_REMEDY}"
        )

    def _follows_base(self, first: tuple[object, ...] | None) -> bool:
        """Whether the first live record, or without any the saved state, follows the base."""
        match first:
            case None:
                saved_state = self.saved_state()
                return saved_state is not None and saved_state.seq == self._base.seq
            case (int(seq), bytes(record), bytes(stored)):
                return seq == self._base.seq + 1 and link(self._base.chain, record) == stored
            case _:
                return False

    def _sealed_part(self) -> SealedPart:
        return SealedPart(self.file, self._base, self._sealed_paths)

    def _sealed_paths(self) -> tuple[Path, ...]:
        return sealed_files(self.file.parent) if self._sealed is None else self._sealed

    def _one(self, query: str, *values: int) -> tuple[object, ...] | None:
        try:
            row: tuple[object, ...] | None = self._connection.execute(query, values).fetchone()
        except DAMAGE as error:
            raise self._read_error(error) from error
        return row

    def _rows(self, after_seq: int) -> Generator[_Row, None, None]:
        query = "SELECT seq, record, chain FROM records WHERE seq > ? ORDER BY seq"
        try:
            with closing(self._connection.execute(query, (after_seq,))) as cursor:
                yield from cursor
        except DAMAGE as error:
            raise self._read_error(error) from error

    def _read_error(self, error: Exception) -> JournalError:
        remedy = FREE_MEMORY if isinstance(error, MemoryError) else DAMAGED_REMEDY
        return JournalError(
            f"{self.file}: cannot read the journal: {describe_error(error)}. {remedy}"
        )


FREE_MEMORY = "Remedy: end other programs, or give this one more memory, then repeat it"


def _with_progress(
    rows: Iterable[_Row], total: int, progress: Callable[[int, int], None] | None
) -> Iterator[_Row]:
    for done, row in enumerate(rows):
        if progress is not None and done % 4096 == 0:
            progress(done, total)
        yield row


def _follow_chain(rows: Iterable[_Row], start: Head) -> Head | ChainBreak:
    """Recompute the chain over `rows`, which follow `start`: the last record, or the break."""
    expected, chain = start.seq, start.chain
    for seq, record, stored in rows:
        expected += 1
        if seq != expected:
            return ChainBreak(expected, f"record {expected} is missing, record {seq} comes next")
        if type(record) is not bytes or link(chain, record) != stored:
            return ChainBreak(seq, f"record {seq} does not match its chain value")
        chain = stored
    return Head(expected, chain)
