"""The regulator's verifier: is a table's journal complete and unchanged? Run it alone:

    python verify.py PATH      PATH is a journal's folder or its live.db; 0 intact, 1 not, 2 unread

Responsible for: recomputing the chain over all records, naming each record that is wrong and how,
and checking the stored checkpoint. It needs only this file and Python's standard library.
Not responsible for: what records mean. It shares no line with the program that wrote them, so that
no mistake hides in both. That the newest records were cut off shows only in the printed head.
Source: controller/journal/README.md; FIPS 180-4 (SHA-256); RFC 8949 (CBOR, to name a record).
"""

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

GENESIS = bytes(32)  # the chain value before the first record
APPLICATION_ID, FORMAT, UNREADABLE_MAX = 0x534D5348, 2, 10_000
DAMAGE = (OSError, ValueError, OverflowError, sqlite3.Error)
ROWS = """SELECT seq, CAST(record AS BLOB), CAST(chain AS BLOB)
    FROM records WHERE seq >= ? ORDER BY seq"""
CHECKPOINT = """SELECT CAST(c.seq AS INTEGER), CAST(started_seq AS INTEGER),
    CAST(software AS BLOB), CAST(state AS BLOB), CAST(digest AS BLOB), CAST(binding AS BLOB),
    CAST(chain AS BLOB) FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq"""
Row = tuple[int, bytes, bytes]  # number, record, chain value


class CannotRead(Exception):
    """The path holds no journal that this verifier can read; the message says why."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong, at record `seq` (0: not at a record); `what` is a sentence."""

    seq: int
    what: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """`sound_after`: sound records after the first problem; `head_hex`: the last chain value."""

    path: Path
    records: int
    inputs: int
    entries: int
    intact: bool
    problems: tuple[Problem, ...]
    head_hex: str
    sound_after: int


def link(previous: bytes, record: bytes) -> bytes:
    """SHA-256 of: chain value before, length of the record in 8 bytes big-endian, record."""
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()


def read_item(data: bytes, at: int) -> tuple[object, int]:
    """One CBOR item at `at`, and where the next begins. Raises LookupError or ValueError."""
    major, n, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7:
        return {20: False, 21: True, 22: None}[n], at
    if n >= 24:
        size = {24: 1, 25: 2, 26: 4, 27: 8}[n]
        n, at = int.from_bytes(data[at : at + size], "big"), at + size
    if major < 2:
        return (n, at) if major == 0 else (-1 - n, at)
    if major == 6 or n > len(data) - at:
        raise ValueError("not an item of a journal, or cut short")
    if major < 4:
        piece = data[at : at + n]
        return (piece if major == 2 else piece.decode()), at + n
    items: list[object] = []
    for _ in range(n if major == 4 else 2 * n):
        item, at = read_item(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2], strict=True))), at


def name_of(record: bytes, last_input: bytes) -> str:
    """What a record says it is, and when: "input 'Chunk', 2025-11-21 09:00:00 UTC"."""
    name = "unreadable"
    try:
        plain: Any = read_item(record, 0)[0]
        name = f"{ {'in': 'input', 'out': 'entry'}[plain[0]] } {plain[1]['type']!r:.50}"
        if plain[0] == "out":
            return f"{name}, after {name_of(last_input, b'')}" if last_input else name
        age = timedelta(microseconds=plain[1]["at"]["utc_ns"] // 1000)
        return f"{name}, {datetime(1970, 1, 1, tzinfo=UTC) + age:%Y-%m-%d %H:%M:%S} UTC"
    except (LookupError, ValueError, TypeError, OverflowError, RecursionError):
        return name


@dataclass(slots=True)
class Walk:
    """The check so far. `before`, `previous`: the last two chain values, b"" where unknown."""

    problems: list[Problem] = field(default_factory=list)
    unreadable: set[int] = field(default_factory=set)
    before: bytes = b""
    previous: bytes = GENESIS
    head: bytes = GENESIS
    last_input: bytes = b""
    last_seq: int = 0
    records: int = 0
    inputs: int = 0
    entries: int = 0
    sound_after: int = 0

    def take(self, row: Row, following: Row | None) -> None:
        """Check one record; the one after it helps to tell what was changed."""
        seq, record, stored = row
        if (lost := self.last_seq + 1) < seq:
            which = f"record {lost} is" if lost + 1 == seq else f"records {lost} to {seq - 1} are"
            what = "unreadable: the file is damaged" if lost in self.unreadable else "missing"
            self.problems.append(Problem(lost, f"{which} {what}"))
            self.previous = b""
        self.last_seq, self.records, self.head = max(seq, 0), self.records + 1, stored
        self.entries += record[:5] == b"\x82\x63out"
        if record[:4] == b"\x82\x62in":
            self.inputs, self.last_input = self.inputs + 1, record
        start, chain = self.previous, stored
        if start and link(start, record) != stored:
            problem, chain = self.judge(start, row, following)
            self.problems.append(problem)
        elif start and self.problems:
            self.sound_after += 1
        self.before, self.previous = start, chain

    def judge(self, start: bytes, row: Row, following: Row | None) -> tuple[Problem, bytes]:
        """What is wrong with a record that does not follow on `start`; where to go on from."""
        seq, record, stored = row
        if self.before and link(self.before, record) == stored:
            return Problem(seq - 1, f"record {seq - 1} is extra: {seq} follows {seq - 2}"), stored
        named = f"{seq} ({name_of(record, self.last_input)})"
        told = (
            (stored, f"record {named} was changed, or records before it were taken out"),
            (link(start, record), f"the chain value of record {named} was changed"),
            (start, f"record {named} is extra: {seq + 1} follows {seq - 1}"),
        )
        if following is not None and following[0] == seq + 1:
            for chain, what in told:
                if link(chain, following[1]) == following[2]:
                    return Problem(seq, what), chain
        return Problem(seq, f"record {named} or its chain value was changed"), stored


def rows(ask: sqlite3.Connection, unreadable: set[int]) -> Iterator[Row]:
    """All records in order of their numbers; numbers SQLite cannot read go to `unreadable`."""
    wanted, failed = -(2**63), 0
    while failed < UNREADABLE_MAX:
        try:
            for seq, record, chain in ask.execute(ROWS, (wanted,)):
                wanted, failed = max(seq, wanted) + 1, 0
                yield seq, record or b"", chain or b""
            break
        except DAMAGE:
            failed, wanted = failed + 1, max(wanted, 1) + 1
            unreadable.add(wanted - 1)


def check_checkpoint(ask: sqlite3.Connection) -> Iterator[Problem]:
    """The checkpoint's state against its digest, and all of it against its record."""
    try:
        for seq, started, *fields in ask.execute(CHECKPOINT):
            software, stored, digest, binding, chain = (value or b"" for value in fields)
            numbers = b"".join(((n or 0) % 2**64).to_bytes(8, "big") for n in (seq, started))
            state = stored.rstrip(b"\0").removesuffix(b"\x80")
            parts = (chain or GENESIS, numbers, digest, sha256(stored).digest(), software)
            if (sha256(state).digest(), sha256(b"".join(parts)).digest()) != (digest, binding):
                yield Problem(seq or 0, "the checkpoint was changed or belongs to another record")
    except DAMAGE as error:
        yield Problem(0, f"the checkpoint is unreadable: {error}")


def open_unchanged(file: Path, copies: Path) -> sqlite3.Connection:
    """Open so that nothing is written to the file or beside it.

    The newest records may stand in a second file, -wal. With its index, -shm, a table may run:
    read beside it. Without it, both are copied and the copies are read.
    """
    log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
    options = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    if log.exists() and not index.exists():
        shutil.copy(log, copies)
        file, options = Path(shutil.copy(file, copies)), "mode=rw"
    return sqlite3.connect(f"{file.resolve().as_uri()}?{options}", uri=True, isolation_level=None)


def check(ask: sqlite3.Connection, progress: Callable[[int, int], None]) -> Walk:
    ask.execute("BEGIN")
    named = ask.execute("SELECT * FROM pragma_application_id, pragma_user_version").fetchone()
    if named not in ((APPLICATION_ID, 1), (APPLICATION_ID, FORMAT)):
        raise CannotRead(f"not a journal of format {FORMAT}: application, version are {named}")
    walk, total = Walk(), 0
    with suppress(*DAMAGE):
        (total,) = ask.execute("SELECT ifnull(max(seq), 0) FROM records").fetchone()
    found = rows(ask, walk.unreadable)
    row = next(found, None)
    while row is not None:
        following = next(found, None)
        walk.take(row, following)
        if walk.records % 4096 == 0:
            progress(walk.records, total)
        row = following
    if max(walk.unreadable, default=0) >= (seq := walk.last_seq + 1):
        walk.problems.append(Problem(seq, f"from record {seq} on the file is unreadable"))
    walk.problems += check_checkpoint(ask)
    return walk


def verify(path: Path, progress: Callable[[int, int], None] | None = None) -> VerifyReport:
    """Check a journal; `progress` gets records done and in all. Raises CannotRead."""
    file = path / "live.db" if path.is_dir() else path
    try:
        with (
            tempfile.TemporaryDirectory() as copies,
            closing(open_unchanged(file, Path(copies))) as ask,
        ):
            walk = check(ask, progress or (lambda done, total: None))
    except DAMAGE as error:
        raise CannotRead(f"{file}: {error}") from error
    found = (not walk.problems, tuple(walk.problems), walk.head.hex(), walk.sound_after)
    return VerifyReport(path, walk.records, walk.inputs, walk.entries, *found)


def main(path: Path) -> int:
    try:
        report = verify(path)
    except CannotRead as error:
        print(f"cannot read: {error}")
        return 2
    for problem in report.problems:
        print(f"problem: {problem.what}")
    print(f"{report.records} records: {report.inputs} inputs, {report.entries} entries")
    further = f"NOT INTACT; after the first problem {report.sound_after} more records hold"
    print(f"head {report.head_hex}\n{'intact' if report.intact else further}")
    return 0 if report.intact else 1


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:])))
