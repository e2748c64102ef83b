"""Reads the sealed records before a journal's base, file by file, each checked against the next.

One file is in memory at a time.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from controller.journal.database import READABLE, describe_error
from controller.journal.folder import base_after, base_before, read_heading_of_file, read_sealed
from controller.journal.shoe_file import NO_SEAL, ShoeFile, ShoeFileError
from controller.journal.values import Base, JournalError, StoredRecord


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
