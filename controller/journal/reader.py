"""Reads a journal: head, records, base, saved state, and whether the chain of the live part holds.

Not: locating damage in a broken journal (verify).
"""

import itertools
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from controller.journal.database import (
    DAMAGE,
    DAMAGED_REMEDY,
    OpenFile,
    describe_error,
    stored_base,
)
from controller.journal.folder import sealed_files
from controller.journal.record import link
from controller.journal.sealed_reader import RecentShoes, SealedPart, bases_around_last
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
