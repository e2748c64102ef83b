"""The regulator's verifier: is a table's evidence complete and unchanged? `--help` shows its use.

Checks sealed shoes, their links, the lists of seals, the live part and bundles, and names what is
missing or changed, and where. It needs only this file and Python 3.11, and `cryptography` to check
signatures. It shares no code with the program that wrote the files, so that no mistake hides in
both. Not: whether the cards obey the rules (`smartshoe audit`).
Source: controller/journal/README.md; FIPS 180-4 (SHA-256), RFC 1950 (zlib), MessagePack,
RFC 8032 (Ed25519), RFC 8410 (its public key in a file), RFC 4648 (base32).
"""

import argparse
import base64
import json
import os
import re
import shutil
import sqlite3
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from textwrap import wrap
from typing import Any, BinaryIO

EXAMPLES = """examples:
  python3 verify.py /var/lib/smartshoe/table-1          a journal's folder; it may be in use
  python3 verify.py archive --key table.key.pub         signed by this key and no other
  python3 verify.py bundle.zip --witness ABCDE-FGHIJ-KLMNO-PQRST
  python3 verify.py 0007.shoe --json

0 intact, 1 not intact, 2 cannot be read."""
LIMITS = """These files alone cannot show that the newest records, or the newest shoes and lists,
were removed, that the oldest were removed, or that a holder of the key rewrote everything:
compare the head and the short codes with those noted elsewhere (--witness)."""
# The largest that is read: a shoe has 60 kB, of which 400 rows, and unpacks to 400 kB; a live part
# has a few MB. WORK_*: units of 2 ns (a byte unpacked; STEP a record) for all, and for each byte.
SHOE_MAX, PLAIN_MAX, ROWS_MAX, HEADING_MAX = 16 << 20, 64 << 20, 1 << 16, 4096
RECORD_MAX, DATABASE_MAX, LOG_MAX, SCHEMA_STEPS_MAX = 16 << 20, 1 << 30, 64 << 20, 50_000
NAMES_MAX, INDEX_MAX, TEXT_MAX, PROBLEMS_MAX, TEXT_SHOWN_MAX = 1 << 16, 1 << 20, 1 << 20, 5_000, 600
WORK_MIN, WORK_RATE, STEP, SEARCH_MAX = 1_500_000_000, 120, 1_000, 4 << 30
SIGNATURE_WORK, KEY_FILE_MAX = 50_000, 4096
NONE, UNREADABLE_MAX = bytes(32), 10_000
APPLICATION_ID, FORMAT = 0x534D5348, 5  # of live.db
# What a table may be: no view, index, or computed column, so that reading it comes to an end.
TABLE = re.compile(
    rb"CREATE TABLE (\w+)\(\w+ INTEGER PRIMARY KEY(?: CHECK \(only = 1\))?"
    rb"(?:, \w+ (?:INTEGER|BLOB|TEXT)(?: NOT NULL)?)+\)"
)
TRAILER, ALGORITHMS = 97, ("", "ed25519")
DAMAGE = Exception  # damaged data makes Python's libraries raise whatever they like
OPEN = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
HEAD, ROW = struct.Struct(">8sHHIIQQ"), struct.Struct(">QqIBBBBBB6s16s16s")
# The fields of a heading, in order.
HEADING: dict[str, type] = {
    name: kind
    for kind, names in (
        (str, "table software gaming_day"),
        (int, "shoe first_seq last_seq"),
        (bytes, "chain_before chain_after"),
        (int, "from_ns until_ns"),
        (str, "algorithm"),
        (bytes, "signer"),
        (int, "started_seq"),
        (str, "state_software"),
        (int, "opened_seq"),
        (bool, "clean"),
        (str, "batch back"),
        (int, "decks coups irregularities"),
    )
    for name in names.split()
}
KEPT = "table gaming_day shoe first_seq last_seq chain_before chain_after until_ns signer"
LISTED: dict[type, str] = {str: "form table gaming_day signer signature", list: "seals"}
SEAL: dict[type, str] = {int: "shoe first_seq last_seq until_ns", str: "digest"}
SIGNED = ("shoe", "digest", "first_seq", "last_seq", "until_ns")
SHOE_NAME = re.compile(r"shoes/(\d{4}-\d\d-\d\d)/(\d{4,9})\.shoe", re.ASCII)
LIST_NAME = re.compile(r"days/(\d{4}-\d\d-\d\d)\.seals\.json", re.ASCII)
SET_ASIDE = re.compile(r"days/(\.)?\d{4}-\d\d-\d\d\.seals\.json\.(?(1)new|\d+)", re.ASCII)
CODE = re.compile(r"([A-Z2-7]{5}[- ]?){4}", re.ASCII | re.IGNORECASE)
KEY_HEAD = bytes.fromhex("302a300506032b6570032100")  # precedes an Ed25519 public key (RFC 8410)
# A record begins with its kind and its type; its fields follow in one order.
RECORD = re.compile(
    rb"\x92(?:\xa2in|\xa3out)(?:[\x80-\x8f]|\xde..)\xa4type(?:[\xa0-\xbf]|\xd9.)([a-z-]+)",
    re.DOTALL,
)
CARD = re.compile(
    rb"\xa5event[\x80-\x8f]\xa4type"
    rb"(?:(\xaecut-card-drawn)|\xaacard-drawn\xa4card(?:\xc0|\x82\xa4rank(.)\xa4suit\xa1(.)))",
    re.DOTALL,
)
# MessagePack's forms with a number after the first byte: kind, bytes of the number, and the least
# number that no shorter form can hold (for a negative number n: the least ~n).
LONG_FORMS = {
    first + n: (kind, size, least)
    for kind, first, forms in (
        ("bin", 0xC4, {1: 0, 2: 1 << 8, 4: 1 << 16}),
        ("uint", 0xCC, {1: 1 << 7, 2: 1 << 8, 4: 1 << 16, 8: 1 << 32}),
        ("int", 0xD0, {1: 1 << 5, 2: 1 << 7, 4: 1 << 15, 8: 1 << 31}),
        ("str", 0xD9, {1: 1 << 5, 2: 1 << 8, 4: 1 << 16}),
    )
    for n, (size, least) in enumerate(forms.items())
}
RECORDS = "SELECT seq, record, chain FROM records WHERE seq >= ? ORDER BY seq LIMIT ?"
SAVED_STATE = """SELECT c.seq, started_seq, software, state, digest, binding, chain
    FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq LIMIT 1"""
BASE = """SELECT seq, started_seq, chain, seal, started, software, state, digest, ledger, binding
    FROM base LIMIT 2"""
Row = tuple[int, bytes, bytes]  # number, record, chain value
Run = tuple[int, bytes]  # number and SHA-256 of the record that began a run
Progress = Callable[[int, int], None]
Read = Callable[[str], bytes]
Files = tuple[list[str], Read]


# --- the report ---------------------------------------------------------------------------------


class CannotRead(ValueError):
    """The path holds nothing that this verifier can read; the message says why."""


class TooMuchWork(CannotRead):
    """The files are made to take more work than files of their size can need."""


@dataclass(frozen=True, slots=True)
class EvidenceProblem:
    """One problem: at record `seq` (0: none), in `file` at byte `at` (-1: none)."""

    seq: int
    what: str
    file: str = ""
    at: int = -1

    def __str__(self) -> str:
        place = f"{self.file}, byte {self.at}" if self.at >= 0 else self.file
        return f"{place}: {self.what}" if place else self.what


@dataclass(slots=True)
class VerifyReport:
    """The result of a verification, filled in while it runs.

    `head_hex`: the last chain value. `sound_after`: intact live records after the first problem.
    `codes`: by gaming day, the short codes of its list with no seal, with one, and so on. `files`:
    a line on each sealed file. `signers`: files by key. `newest`: a running table's newest file.
    `unlisted`: problems past the most that are listed. `work`, `searched`: what was spent so far.
    """

    path: Path
    progress: Progress = field(default=lambda done, total: None, repr=False, compare=False)
    keys: tuple[bytes, ...] = ()
    records: int = 0
    inputs: int = 0
    shoes: int = 0
    problems: list[EvidenceProblem] = field(default_factory=list)
    unlisted: int = 0
    notes: list[str] = field(default_factory=list)
    head_hex: str = NONE.hex()
    sound_after: int = 0
    codes: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signers: Counter[bytes] = field(default_factory=Counter)
    unchecked: bool = False
    bundle: bool = False
    newest: str = ""
    total: int = 1
    work: int = field(default=0, compare=False)
    searched: int = field(default=0, compare=False)

    @property
    def entries(self) -> int:
        return self.records - self.inputs

    @property
    def intact(self) -> bool:
        return not self.problems

    @property
    def failed(self) -> int:
        """The number of problems."""
        return len(self.problems) + self.unlisted

    def fail(self, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(EvidenceProblem(seq, what[:TEXT_SHOWN_MAX], file, at))
        else:
            self.unlisted += 1

    def check(self, holds: object, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if not holds:
            self.fail(file, what, seq, at)

    def spend(self, work: int) -> None:
        """Count work before it is done. Raises TooMuchWork."""
        self.work += work
        if self.work > WORK_MIN:
            raise TooMuchWork("it takes more work than evidence of its size can need")

    @contextmanager
    def catch_damage(self, file: str, what: str, at: int = -1) -> Iterator[None]:
        """If damaged data ends the block with an error, add that as a problem."""
        try:
            yield
        except TooMuchWork:
            raise
        except DAMAGE as error:
            self.fail(file, f"{what}: {error}", at=at)


def fingerprint(key: bytes) -> str:
    return " ".join(wrap(sha256(key).hexdigest(), 8))


def short_code(signed: bytes) -> str:
    return "-".join(wrap(base64.b32encode(sha256(signed).digest()).decode()[:20], 5))


def digest_of(data: bytes) -> bytes:
    """SHA-256; empty for empty data."""
    return sha256(data).digest() if data else b""


# --- files, chain, encoding, signatures ---------------------------------------------------------


def open_file(report: VerifyReport, path: Path, most: int) -> BinaryIO:
    """Open a regular file of at most `most` bytes; no link is followed. Raises CannotRead."""
    try:
        file = os.fdopen(os.open(path, OPEN), "rb")
    except OSError as error:
        what = "a link, which is not followed" if path.is_symlink() else str(error)
        raise CannotRead(f"{path.name}: {what}") from error
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        file.close()
        regular = stat.S_ISREG(status.st_mode)
        what = f"it has {status.st_size} bytes, and may have {most}"
        raise CannotRead(f"{path.name}: {what if regular else 'it is not a regular file'}")
    report.work -= WORK_RATE * status.st_size
    return file


def read_file(report: VerifyReport, path: Path, most: int) -> bytes:
    """The bytes of a regular file, like open_file()."""
    with open_file(report, path, most) as file:
        return file.read(most)


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value: SHA-256 of the previous one, the record's length (8 bytes), the record."""
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()


def read_value(data: bytes, at: int) -> tuple[Any, int]:
    """The MessagePack text, bytes, integer or truth value at `at`, and the offset after it.

    Raises LookupError or ValueError, also for a longer form than needed.
    """
    first, at = data[at], at + 1
    if first < 0x80 or first >= 0xE0:
        return (first if first < 0x80 else first - 256), at
    if first in (0xC2, 0xC3):
        return first == 0xC3, at
    kind, size, least, n = "str", 0, 0, first & 31
    if not 0xA0 <= first < 0xC0:
        kind, size, least = LONG_FORMS[first]
        n = int.from_bytes(data[at : at + size], "big", signed=kind == "int")
    at += size
    if (~n if kind == "int" else n) < least:
        raise ValueError("in a longer form than needed")
    length = 0 if kind in ("uint", "int") else n
    if at + length > len(data):
        raise ValueError("cut short")
    if kind in ("uint", "int"):
        return n, at
    return (data[at : at + n] if kind == "bin" else data[at : at + n].decode()), at + n


def read_map(data: bytes, fields: dict[str, type]) -> dict[str, Any]:
    """The MessagePack map with exactly these fields in their order. Raises like read_value()."""
    size, found = len(fields), dict[str, Any]()
    at = 1 if size < 16 else 3
    if data[:at] != (bytes((0x80 | size,)) if size < 16 else b"\xde" + size.to_bytes(2, "big")):
        raise ValueError(f"it is no map of {size} fields")
    for name, kind in fields.items():
        key, at = read_value(data, at)
        found[name], at = read_value(data, at)
        if key != name or type(found[name]) is not kind:
            raise ValueError(f"its fields are not exactly {', '.join(fields)}, each of its type")
    if at != len(data):
        raise ValueError("it has extra bytes")
    return found


def field_of(record: bytes, name: str) -> Any:
    """The value of the first field of that name in a record. Raises like read_value()."""
    key = bytes((0xA0 | len(name),)) + name.encode()
    return read_value(record, record.index(key) + len(key))[0]


def is_input(record: bytes) -> bool:
    return record.startswith(b"\x92\xa2in")


def type_of(record: bytes) -> str:
    """The type of a record; empty if it is not one."""
    found = RECORD.match(record)
    return found[1].decode() if found else ""


def utc_ns(report: VerifyReport, record: bytes) -> int | None:
    """The UTC time of an input; of several chunks in one record, that of the last."""
    with suppress(LookupError, ValueError, TypeError):
        at = record.index(b"\xa2at\x82\xacmonotonic_ns") + 17
        utc = field_of(record[at : at + 32], "utc_ns")
        if type_of(record) != "chunk-run":
            return int(utc)
        at = record.index(b"\xa6chunks", at) + 7
        short = record[at] != 0xDC
        count = record[at] & 15 if short else int.from_bytes(record[at + 1 : at + 3], "big")
        report.spend(count * STEP)
        at, later = at + (1 if short else 3), 0
        for _ in range(count):  # array of three: delay on another clock, delay in UTC, bytes
            _, at = read_value(record, at + 1)
            later, at = read_value(record, at)
            _, at = read_value(record, at)
        return int(utc + later)
    return None


def describe_record(report: VerifyReport, record: bytes, latest: bytes) -> str:
    """A record's type and the time of the latest input: "input 'Chunk', 2025-11-21 ..."."""
    name = ("input" if is_input(record) else "entry") + f" {type_of(record)!r:.50}"
    if not type_of(record):
        return "unreadable"
    with suppress(OverflowError, TypeError):
        since = timedelta(microseconds=(utc_ns(report, latest) or 0) // 1000)
        name += f", {datetime(1970, 1, 1, tzinfo=UTC) + since:%Y-%m-%d %H:%M:%S} UTC"
    return name


def check_signature(
    report: VerifyReport, name: str, signer: bytes, signature: bytes, data: bytes, at: int = -1
) -> None:
    """Check that `signer` signed the data, and is trusted."""
    report.signers[signer] += 1
    if report.keys and signer not in report.keys:
        who = f"key {fingerprint(signer)}, which is not trusted," if signer else "nobody"
        report.fail(name, f"{who} signed it", at=at)
    if not signer:
        report.check(not any(signature), name, "signature: it has one but names no key", at=at)
        return
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - may be absent
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        report.unchecked = True
        return
    report.spend(SIGNATURE_WORK)
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(signer).verify(signature, data)
    except (InvalidSignature, ValueError):
        report.fail(name, "signature: the key that it names did not sign this file", at=at)


def public_key(report: VerifyReport, path: Path) -> bytes:
    """The 32 bytes of a public key file. Raises CannotRead."""
    try:
        _, mark, text, *_ = read_file(report, path, KEY_FILE_MAX).decode("ascii").split("-----")
        data = base64.b64decode(text)
        if (mark, data[:-32]) != ("BEGIN PUBLIC KEY", KEY_HEAD):
            raise ValueError("not of Ed25519; `smartshoe keys show` writes one")
    except DAMAGE as error:
        raise CannotRead(f"{path}: not a public key: {error}") from error
    return data[-32:]


# --- a sealed shoe: its bytes -------------------------------------------------------------------


def layout(data: bytes) -> tuple[int, int, int, int]:
    """The offsets of rows, packed part and digest by the head, and the unpacked length."""
    _, _, _, heading, rows, packed, plain = HEAD.unpack_from(data)
    at_rows = HEAD.size + heading
    at_packed = at_rows + ROW.size * rows
    return at_rows, at_packed, at_packed + packed, plain


def unpack(report: VerifyReport, packed: bytes, size: int) -> tuple[bytearray, int]:
    """What can be unpacked, and how many packed bytes are intact: all if they are `size` bytes."""
    unpacking, plain, good, most = zlib.decompressobj(), bytearray(), 0, min(size, PLAIN_MAX)
    report.spend(most)
    with suppress(zlib.error):
        for good in range(0, len(packed), 64):
            plain += unpacking.decompress(packed[good : good + 64])
            if len(plain) > most or unpacking.unused_data:
                break
    whole = unpacking.eof and not unpacking.unused_data and len(plain) == size
    return plain, len(packed) if whole else good


def parts_of(report: VerifyReport, plain: bytearray) -> Iterator[bytes]:
    """The parts, each after its length; none is empty but the first two."""
    at, size, view = 0, len(plain), memoryview(plain)
    while at + 4 <= size:
        begin = at + 4
        at = begin + int.from_bytes(view[at:begin], "big")
        if at > size:
            break
        report.spend(STEP)
        yield bytes(view[begin:at])


def describe_place(data: bytes, at: int) -> str:
    """The part of a sealed file that contains byte `at`."""
    rows, packed, _, _ = layout(data)
    if rows <= at < packed:
        return f"row {(at - rows) // ROW.size + 1}, its byte {(at - rows) % ROW.size}"
    return "head" if at < HEAD.size else "heading" if at < rows else "packed records"


def suspected_bytes(report: VerifyReport, data: bytes) -> Iterator[int]:
    """The bytes of which one may be changed, the likeliest first."""
    rows, packed, stop, size = layout(data)
    end, head = len(data) - TRAILER, range(HEAD.size)
    if stop != end:
        return chain(head)
    good = packed + unpack(report, data[packed:stop], size)[1]
    if good < stop:
        return chain(head, reversed(range(packed, min(good + 64, end))))
    # Some bits of a packed part are unused, most of them at its ends. Of the rows, search first the
    # fields that no record repeats: coup, role to declared, tag.
    alone, of_row = {*range(16, 26), *range(32, 48)}, range(rows, packed)
    likely = (at for at in of_row if (at - rows) % ROW.size in alone)
    others = (at for at in of_row if (at - rows) % ROW.size not in alone)
    ends = range(packed, min(packed + 128, end)), range(max(packed, end - 8), end)
    return chain(range(rows), *ends, likely, others, range(packed, end))


def find_changed_bit(report: VerifyReport, data: bytes) -> tuple[int, int]:
    """The byte and the single bit in it whose change explains the digest.

    Byte -1: there is none; -2: not known, because the work for the search is spent.
    """
    end, view = len(data) - TRAILER, memoryview(data)
    for at in suspected_bytes(report, data):
        report.searched += at + 8 * (end - at)
        if report.searched > SEARCH_MAX:
            return -2, 0
        before = sha256(view[:at])
        for bit in range(8):
            trial = before.copy()
            trial.update(bytes((data[at] ^ 1 << bit,)))
            trial.update(view[at + 1 : end])
            if trial.digest() == data[end : end + 32]:
                return at, bit
    return -1, 0


def check_digest(report: VerifyReport, name: str, data: bytes) -> bytes:
    """Check the digest; return the bytes, with one changed bit or appended bytes repaired."""
    end, stop = len(data) - TRAILER, layout(data)[2]
    if end > stop and sha256(data[:stop]).digest() == data[stop : stop + 32]:
        report.fail(name, f"{end - stop} extra bytes after its end", at=stop + TRAILER)
        return data[: stop + TRAILER]
    found = sha256(data[:end]).digest()
    changed = [end + at for at in range(32) if found[at] != data[end + at]]
    if len(changed) <= 4:
        report.check(not changed, name, "digest: only it was changed", at=min(changed, default=0))
        return data[:end] + found + data[end + 32 :]
    at, bit = find_changed_bit(report, data)
    if at >= 0:
        report.fail(name, f"{describe_place(data, at)}: bit {bit} of this byte was changed", at=at)
        return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
    if stop == end:
        why = (
            "no single bit explains it"
            if at == -1
            else "the search for one changed bit was given up"
        )
        report.fail(name, f"the digest fails, and {why}")
    else:
        kind, size = "cut short" if stop > end else "too long", stop + TRAILER
        what = f"{kind}, or its head was changed: it has {len(data)} of {size} bytes"
        report.fail(name, what, at=min(len(data), size))
    return data


# --- a sealed shoe: its content -----------------------------------------------------------------


@dataclass(slots=True)
class Shoe:
    """What one sealed file's records show, for comparison with its heading and the other files."""

    name: str
    heading: dict[str, Any]
    digest: bytes
    whole: bool  # whether all its records could be read
    state: bytes  # SHA-256 of the state in the file
    run_before: Run  # the run in force before its first record
    run: Run  # the run in force after its last record
    seq: int
    chain: bytes
    state_after: bytes = b""  # the last StateDigest
    first: bytes = b""  # the first input
    latest: bytes = b""  # the latest input
    from_records: dict[str, Any] = field(default_factory=dict)  # heading fields as records show
    cards: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    inputs: int = 0
    begins_run: bool = False  # whether its first record begins a run

    def __getattr__(self, key: str) -> Any:
        """A value of the heading."""
        return self.heading[key]

    def add_record(self, report: VerifyReport, record: bytes) -> None:
        """Continue the chain with one more record, and collect what it shows of the shoe."""
        self.seq, self.chain = self.seq + 1, link(self.chain, record)
        found = RECORD.match(record)
        kind = found[1] if found else b""
        if is_input(record):
            self.inputs, self.first, self.latest = self.inputs + 1, self.first or record, record
            if kind == b"started":
                self.run = self.seq, digest_of(record)
                self.begins_run = self.begins_run or self.seq == self.first_seq
        elif found and kind == b"event-verdicts":
            card = CARD.match(record, found.end())
            if card and len(self.cards) <= ROWS_MAX:
                rank, suit = (card[2], card[3]) if card[2] else (b"\0", b"D")
                number = 13 * b"DCSH".index(suit) + rank[0]
                self.cards[self.seq] = (
                    (number, bool(card[1])),
                    utc_ns(report, self.latest),
                    self.chain[:16],
                )
        elif kind == b"state-digest":
            self.state_after = field_of(record, "digest")
        elif kind == b"shoe-opened" and "shoe" not in self.from_records:
            opened = {"opened_seq": self.run[0], "decks": field_of(record, "decks")}
            self.from_records |= opened
        elif kind == b"shoe-ended":
            for key in ("gaming_day", "shoe", "coups", "irregularities"):
                self.from_records[key] = field_of(record, key)

    def forget(self) -> None:
        """Keep only what other files are compared with."""
        self.heading = {key: self.heading[key] for key in KEPT.split()}
        self.first, self.latest, self.from_records, self.cards = b"", b"", {}, {}


def check_shoe(report: VerifyReport, name: str, data: bytes) -> Shoe | None:
    """Check one sealed file by itself; None where it cannot be read."""
    report.shoes, before, shoe = report.shoes + 1, report.failed, None
    report.spend(STEP * 50)
    if len(data) < HEAD.size + TRAILER:
        report.fail(name, f"cut short: {len(data)} bytes, fewer than any shoe", at=len(data))
    else:
        data = check_digest(report, name, data)
        mark, form, flags, size, rows = HEAD.unpack_from(data)[:5]
        if (mark, form, flags) != (b"SMSHSEAL", 4, 0) and before == report.failed:
            raise CannotRead(f"its format is {form}, flags {flags}; this verifier reads 4, flags 0")
        with report.catch_damage(name, "heading or records: they cannot be read", HEAD.size):
            if size > HEADING_MAX or rows > ROWS_MAX or layout(data)[3] > PLAIN_MAX:
                raise ValueError("by its head it is larger than any shoe")
            heading = read_map(data[HEAD.size : layout(data)[0]], HEADING)
            shoe = check_content(report, name, data, heading)
    count = report.failed - before
    report.files[name] = counted(count, "problem") if count else "intact"
    if shoe is not None:
        report.files[name] += f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        report.head_hex = shoe.chain_after.hex()
        shoe.forget()
    return shoe


def check_content(report: VerifyReport, name: str, data: bytes, heading: dict[str, Any]) -> Shoe:
    """Check the records, rows and signature of a sealed file, and its heading against them."""
    at_rows, at_packed, stop, size = layout(data)
    plain, good = unpack(report, data[at_packed:stop], size)
    parts, run, whole = parts_of(report, plain), heading["started_seq"], good == stop - at_packed
    started, state = next(parts, b""), next(parts, b"")
    begin = heading["first_seq"] - 1, heading["chain_before"]
    before = digest_of(state), (run, digest_of(started)), (run, digest_of(started))
    shoe, length = Shoe(name, heading, data[-97:-65], whole, *before, *begin), 0
    for record in parts:
        if not record:
            break
        shoe.add_record(report, record)
        length += 4 + len(record)
    shoe.whole = whole = whole and 0 < length == size - 8 - len(started) - len(state)
    report.records += shoe.seq - begin[0]
    report.inputs += shoe.inputs
    if not whole:
        what = f"packed records: damaged; readable up to record {shoe.seq} of {shoe.last_seq}"
        report.fail(name, what, at=at_packed + good)
    check_rows(report, shoe, data[at_rows:at_packed], at_rows)
    if whole:
        check_heading(report, shoe, started)
    if stop + TRAILER == len(data):
        named = (shoe.algorithm, data[-65]) in zip(ALGORITHMS, range(9), strict=False)
        report.check(named, name, "seal: heading and seal do not name the same algorithm")
        signed = b"smartshoe seal 2\n" + data[-65:-64] + shoe.digest
        check_signature(report, name, shoe.signer, data[-64:], signed, len(data) - 64)
    return shoe


def check_rows(report: VerifyReport, shoe: Shoe, rows: bytes, at: int) -> None:
    """Check each row against its record; if the chain fails, locate it as near as rows allow."""
    last, good, broken = 0, shoe.first_seq - 1, list[EvidenceProblem]()
    report.spend(STEP * (len(rows) // ROW.size))
    for n, row in enumerate(ROW.iter_unpack(rows[: len(rows) // ROW.size * ROW.size]), 1):
        seq, ns, _, role, number, claimed, flags, end, declared, zeros, _, half = row
        defined = max(role, claimed) <= 9 and flags <= 7 and end <= 6 and declared <= 3
        here, card = (number, role == 9), shoe.cards.pop(seq, None)
        ordered, begin, last = seq > last, at + (n - 1) * ROW.size, seq
        if ordered and defined and zeros == NONE[:6] and card == (here, ns, half):
            good = seq
            continue
        report.check(
            ordered, shoe.name, f"row {n}: it is not in the order of its record", seq, begin
        )
        holds = defined and not any(zeros)
        report.check(holds, shoe.name, f"row {n}: a number in it is not defined", seq, begin)
        if card:
            what = f"row {n}: its card is not that of record {seq}"
            report.check(card[0] == here, shoe.name, what, seq, begin)
            what = f"row {n}: its time is not that of the input before {seq}"
            report.check(card[1] == ns, shoe.name, what, seq, begin)
            what = f"row {n}: its chain value is not that of record {seq}"
            broken += [EvidenceProblem(seq, what, shoe.name, begin)] if half != card[2] else []
            good = seq if half == card[2] else good
        elif shoe.whole or seq <= shoe.seq:
            what = f"row {n}: record {seq} has no card, or one that has a row already"
            report.fail(shoe.name, what, seq, begin)
    # If the chain does not reach chain_after, mismatches after the last good row are the records'.
    reached = shoe.chain == shoe.chain_after
    for one in broken:
        if reached or one.seq < good:
            report.fail(one.file, one.what, one.seq, one.at)
    late = [one.seq for one in broken if not reached and one.seq > good]
    if late or (shoe.whole and not reached):
        those = f"chain_before, chain_after or a record from {good + 1} to {[*late, shoe.seq][0]}"
        report.fail(shoe.name, f"{those} was changed", good + 1)
    for seq in shoe.cards if shoe.whole else ():
        report.fail(shoe.name, f"the card of record {seq} has no row", seq)


def check_heading(report: VerifyReport, shoe: Shoe, started: bytes) -> None:
    """Check the heading against the records."""
    times = {"from_ns": utc_ns(report, shoe.first), "until_ns": utc_ns(report, shoe.latest)}
    seen = {"last_seq": shoe.seq} | times
    for key, value in (seen | shoe.from_records).items():
        what = f"heading: {key} is {shoe.heading[key]}, but by its records {value}"
        report.check(shoe.heading[key] == value, shoe.name, what)
    given = is_input(started) and type_of(started) == "started"
    holds = given == bool(shoe.started_seq) and given != shoe.begins_run
    report.check(holds, shoe.name, "started_seq: the record that began the run is missing")
    report.check("shoe" in shoe.from_records, shoe.name, "heading: none of its records ends a shoe")
    holds = bool(shoe.state) == bool(shoe.state_software)
    report.check(holds, shoe.name, "heading: state_software does not fit the state")


# --- between sealed files -----------------------------------------------------------------------


def check_links(report: VerifyReport, shoes: Sequence[Shoe]) -> None:
    """Check each shoe, in the order of records, against the one before it."""
    for a, b in pairwise(shoes):
        number = a.shoe + 1 if a.gaming_day == b.gaming_day else b.shoe // 1000 * 1000 + 1
        lost = f"records {a.last_seq + 1} to {b.first_seq - 1} are missing after {a.name}"
        if b.shoe > number:
            which = f"shoe {number}" if b.shoe == number + 1 else f"shoes {number} to {b.shoe - 1}"
            lost += f" ({which} of {b.gaming_day})"
        checks = [
            (a.table == b.table, f"table: {b.table!r}, but {a.name} is of {a.table!r}"),
            (report.keys or a.signer in (b"", b.signer), f"signer: it is not the key of {a.name}"),
            (b.first_seq <= a.last_seq + 1, lost),
        ]
        if b.first_seq <= a.last_seq:
            twice = f"records {b.first_seq} to {min(a.last_seq, b.last_seq)} are in {a.name}, too"
            checks.append(
                (False, f"{twice}: it is {'a copy' if a.digest == b.digest else 'extra'}")
            )
        elif b.first_seq == a.last_seq + 1:
            same_run = b.begins_run or not a.whole or b.run_before == a.run
            same_state = not a.whole or b.state in (b"", a.state_after)
            checks += [
                (b.chain_before == a.chain_after, f"chain_before: {a.name} ends with another"),
                (b.shoe == number, f"it is shoe {b.shoe}, but {number} should follow {a.name}"),
                (same_run, f"its run is not the one at the end of {a.name}"),
                (same_state, f"its state is not the one at the end of {a.name}"),
            ]
        for holds, what in checks:
            report.check(holds, b.name, what, b.first_seq)


def read_json(data: bytes, form: str) -> dict[str, Any]:
    """Parse a JSON object that names its form. Raises DAMAGE."""
    plain: dict[str, Any] = json.loads(data.decode())
    if plain["form"] != form:
        raise ValueError(f"form is {plain['form']!r}; this verifier reads {form}")
    return plain


def read_list(data: bytes) -> dict[str, Any]:
    """Parse a day's list of seals. Raises DAMAGE."""
    plain = read_json(data, "smartshoe-seals-1")
    if len(plain["seals"]) > 1000:
        raise ValueError(f"it has {len(plain['seals'])} seals, more than any day")
    for item, fields in [(plain, LISTED), *((seal, SEAL) for seal in plain["seals"])]:
        wanted = {name: kind for kind, names in fields.items() for name in names.split()}
        if {name: type(value) for name, value in item.items()} != wanted:
            raise ValueError(f"its fields are not exactly {', '.join(wanted)}, each of its type")
    if any(bytes.fromhex(plain[key]).hex() != plain[key] for key in ("signer", "signature")):
        raise ValueError("signer and signature must be lower-case hex digits")
    return plain


def signed_lists(listed: dict[str, Any]) -> list[bytes]:
    """The signed bytes of the list with no seal, with the first, and so on up to all of them."""
    lists = [f"smartshoe seals 1\n{listed['table']}\n{listed['gaming_day']}\n".encode()]
    for seal in listed["seals"]:
        lists.append(lists[-1] + (" ".join(str(seal[key]) for key in SIGNED) + "\n").encode())
    return lists


def check_list(report: VerifyReport, name: str, listed: Any, shoes: dict[int, Shoe]) -> None:
    """Check a list against the shoes of its day; remove those that it names from `shoes`."""
    signed, day, table = signed_lists(listed), listed["gaming_day"], listed["table"]
    signer, signature = (bytes.fromhex(listed[key]) for key in ("signer", "signature"))
    check_signature(report, name, signer, signature, signed[-1])
    report.codes[day] = [short_code(one) for one in signed]
    report.check(f"days/{day}.seals.json" == name, name, f"gaming_day: it is the list of {day}")
    others = [shoe.table for shoe in shoes.values() if shoe.table != table]
    report.check(not others, name, f"table: it is {table!r}, but its shoes are of {others[:1]}")
    holds = report.keys or report.bundle or not shoes or shoes[max(shoes)].signer in (b"", signer)
    report.check(holds, name, "signer: it is not the key that signed its last shoe")
    for n, seal in enumerate(listed["seals"], 1):
        number, shoe = seal["shoe"], shoes.pop(seal["shoe"], None)
        holds = number == n or number > 1000  # a day that was put back goes on at 1001
        report.check(holds, name, f"seal {n} is of shoe {number}: one is missing or extra")
        lost = f"shoe {number} of {day} is missing, or cannot be read"
        report.check(shoe or report.bundle, name, lost)
        in_file = {**shoe.heading, "digest": shoe.digest.hex()} if shoe else seal
        for key in SIGNED:
            what = f"shoe {number}: {key} is {seal[key]}, but in its file {in_file[key]}"
            report.check(seal[key] == in_file[key], name, what)


def check_days(report: VerifyReport, lists: dict[str, Any], shoes: Sequence[Shoe]) -> None:
    """Check every list of seals, and that each shoe is listed, except a table's newest."""
    days: dict[str, dict[int, Shoe]] = {name: {} for name in lists}
    for shoe in shoes:
        days.setdefault(f"days/{shoe.gaming_day}.seals.json", {})[shoe.shoe] = shoe
    for name, unlisted in sorted(days.items()):
        where, listed = name if name in lists else f"{name} is missing", lists.get(name, {})
        if listed:
            check_list(report, name, listed, unlisted)
        for shoe in unlisted.values() if listed is not None else ():
            if shoe.name == report.newest:
                report.notes.append(f"{where}: {shoe.name} is not listed; the next start lists it")
            elif report.bundle and name not in lists:
                report.notes.append(f"{where}, so that only its own seal vouches for {shoe.name}")
            else:
                report.fail(where, f"shoe {shoe.shoe} of {shoe.gaming_day} is here but not listed")


def check_witness(report: VerifyReport, witness: str) -> None:
    """Compare what somebody kept elsewhere, a short code or a copy of a list, with all lists."""
    if not CODE.fullmatch(witness):
        try:
            data = read_file(report, Path(witness), TEXT_MAX)
            witness = short_code(signed_lists(read_list(data))[-1])
        except DAMAGE as error:
            what = f"neither a short code nor a list of seals: {error}"
            raise CannotRead(f"{witness}: {what}") from error
    wanted = re.sub("[^A-Z2-7]", "", witness.upper())
    for day, codes in report.codes.items():
        for count, code in enumerate(codes[1:], 1):
            if code.replace("-", "") == wanted:
                seals = f"{count} of its {len(codes) - 1} seals"
                report.notes.append(f"witness: the list of {day} agrees with {code} in {seals}")
                return
    report.fail("", f"witness: no list of seals agrees with {witness}, now or when it was shorter")


# --- the live part ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Base:
    """Where a live part begins."""

    seq: int = 0
    chain: bytes = NONE
    seal: bytes = NONE
    run: Run = (0, b"")
    state: bytes = b""


UNKNOWN, END = Base(-1, b""), (0, b"", b"")


@contextmanager
def open_database(report: VerifyReport, file: Path) -> Iterator[tuple[sqlite3.Connection, int]]:
    """Open an SQLite file in a read transaction, without writing to it or its folder.

    Also yields the bytes that it has. The newest commits may be in a second file, -wal. If its
    index, -shm, is there, a table may be running, and the files are read in place; without the
    index copies of both are read. Raises CannotRead.
    """
    log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
    size, options = 0, "mode=ro" if os.path.lexists(log) else "mode=ro&immutable=1"
    for one, most in ((file, DATABASE_MAX), (log, LOG_MAX), (index, LOG_MAX)):
        if one == file or os.path.lexists(one):
            with open_file(report, one, most) as opened:
                size += os.fstat(opened.fileno()).st_size
    with tempfile.TemporaryDirectory() as copies:
        if os.path.lexists(log) and not os.path.lexists(index):
            shutil.copy(log, copies)
            file, options = Path(shutil.copy(file, copies)), "mode=rw"
        where = f"{file.absolute().as_uri()}?{options}"
        with closing(sqlite3.connect(where, uri=True, isolation_level=None)) as db:
            db.text_factory = bytes
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, RECORD_MAX)
            db.set_progress_handler(lambda: 1, SCHEMA_STEPS_MAX)  # ends an endless schema
            db.execute("BEGIN")
            found = db.execute(
                "SELECT * FROM pragma_application_id, pragma_user_version"
            ).fetchone()
            if found != (APPLICATION_ID, FORMAT):
                what = f"application, version are {found}"
                raise CannotRead(f"not a journal of format {FORMAT}: {what}")
            for (text,) in db.execute("SELECT coalesce(sql, name) FROM sqlite_schema LIMIT 9"):
                if not TABLE.fullmatch(text):
                    raise CannotRead(f"{text[:50]!r} is no table that a journal has")
            db.set_progress_handler(None, 0)
            yield db, size
            check_log(report, *(Path(copies, file.name + end) for end in ("-wal", "-shm")))


def check_live(report: VerifyReport, file: Path, sealed: Callable[[], Sequence[Shoe]]) -> None:
    """Check the live part. `sealed` checks the shoes beside it, in the same read transaction."""
    name = file.name
    with open_database(report, file) as (db, size):
        base = read_base(report, name, db)
        if shoes := sealed():
            base = check_base(report, name, db, base, shoes[-1])
        elif base.seq > 0:
            report.notes.append(f"{name}: records 1 to {base.seq} are in shoes that are not here")
        check_records(report, name, db, size, base)
        check_saved_state(report, name, db, base)
    report.progress(report.total, report.total)


def read_base(report: VerifyReport, name: str, db: sqlite3.Connection) -> Base:
    """The base, checked against its own digests; UNKNOWN where they do not match."""
    with report.catch_damage(name, "base, where the live part begins: it is missing or unreadable"):
        ((seq, started_seq, chain, seal, *those, digest, ledger, binding),) = db.execute(BASE)
        started, software, state = those
        whole = chain + seal + struct.pack(">qq", seq, started_seq) + sha256(started).digest()
        whole += sha256(ledger).digest() + (digest or NONE) + software
        if (sha256(whole).digest(), digest_of(state)) == (binding, digest):
            return Base(seq, chain, seal, (started_seq, digest_of(started)), digest)
        report.fail(name, "base, where the live part begins: it or its state was changed")
    return UNKNOWN


def check_base(
    report: VerifyReport, name: str, db: sqlite3.Connection, base: Base, last: Shoe
) -> Base:
    """Check the base against the last sealed shoe; return where the live records begin."""
    run, state = (last.run, last.state_after) if last.whole else (base.run, base.state)
    after = Base(last.last_seq, last.chain_after, last.digest, run, state)
    if base == UNKNOWN:
        return after
    if base.seq > after.seq:
        lost = f"records {after.seq + 1} to {base.seq} are missing, in one or more shoes after"
        lost += f" {last.name}: the base names the seal {base.seal.hex()[:16]}"
        report.fail(name, lost, after.seq + 1)
    elif base.seq == after.seq:
        what = f"base: its chain value, seal, run or state is not the one after {last.name}"
        report.check(base == replace(after, state=base.state and after.state), name, what)
    else:
        query, found = "SELECT chain FROM records WHERE seq = ?", None
        with suppress(DAMAGE):
            found = db.execute(query, (after.seq,)).fetchone()
        twice = f"records {base.seq + 1} to {after.seq} are in {last.name}, too"
        if found == (after.chain,) and base.seq + 1 == last.first_seq:
            report.notes.append(f"{name}: {twice}: sealing was interrupted; the next start ends it")
            report.records -= last.last_seq - last.first_seq + 1
            report.inputs -= last.inputs
        else:
            report.fail(name, f"{twice}: it is an older {name}, or its base is", base.seq + 1)
    return base


def rows_of(db: sqlite3.Connection, size: int, unreadable: set[int]) -> Iterator[Row]:
    """All records in order; numbers that SQLite cannot read are added to `unreadable`.

    `size`: the bytes that the file has. Raises CannotRead where records repeat or overlap: the file
    is made so that reading it does not end.
    """
    wanted, most = -(2**63), -1
    while len(unreadable) < UNREADABLE_MAX and wanted < 2**63:
        try:
            rows = 0
            for seq, *values in db.execute(RECORDS, (wanted, most)):
                record, value = (one if isinstance(one, bytes) else b"" for one in values)
                size -= len(record) + len(value)
                if seq < wanted or size < 0:
                    raise CannotRead("its records repeat or overlap")  # noqa: TRY301
                wanted, rows = seq + 1, rows + 1
                yield seq, record, value
            if most < 0 or not rows:
                break
            most = -1
        except CannotRead:
            raise
        except DAMAGE:
            # SQLite reads a row ahead: the one that it wants alone shows whether it is readable.
            if most > 0:
                wanted = max(wanted, 1) + 1
                unreadable.add(wanted - 1)
            most = -most


def explain_break(
    before: bytes, start: bytes, row: Row, following: Row, named: str
) -> tuple[int, str, bytes]:
    """Why a record does not follow the chain value `start`: place, sentence, next chain value."""
    seq, record, stored = row
    if before and link(before, record) == stored:
        return seq - 1, f"record {seq - 1} is extra: {seq} follows {seq - 2}", stored
    choices = (
        (stored, f"record {named} was changed, or records before it were removed"),
        (link(start, record), f"the chain value of record {named} was changed"),
        (start, f"record {named} is extra: {seq + 1} follows {seq - 1}"),
    )
    for value, what in choices:
        if following[0] == seq + 1 and link(value, following[1]) == following[2]:
            return seq, what, value
    return seq, f"record {named} or its chain value was changed", stored


def check_records(
    report: VerifyReport, name: str, db: sqlite3.Connection, size: int, base: Base
) -> None:
    """Check the records of the live part, each against the one before it, from the base on."""
    problems, unreadable, latest = report.failed, set[int](), b""
    last, before, previous = base.seq, b"", base.chain  # the last two chain values, if known
    report.head_hex = base.chain.hex() or report.head_hex
    for row, following in pairwise(chain(rows_of(db, size, unreadable), (END,))):
        seq, record, stored = row
        lost = last + 1 if previous or last >= 0 else seq
        if lost < seq:
            which = f"record {lost} is" if lost + 1 == seq else f"records {lost} to {seq - 1} are"
            kind = "unreadable: the file is damaged" if lost in unreadable else "missing"
            report.fail(name, f"{which} {kind}", lost)
            previous = b""
        report.records, report.head_hex = report.records + 1, stored.hex()
        if is_input(record):
            report.inputs, latest = report.inputs + 1, record
        last, start, previous = max(seq, 0), previous, stored
        if start and link(start, record) != stored:
            named = f"{seq} ({describe_record(report, record, latest)})"
            at, what, previous = explain_break(before, start, row, following, named)
            report.fail(name, what, at)
        elif start and report.failed > problems:
            report.sound_after += 1
        before = start
    if max(unreadable, default=0) > last:
        report.fail(name, f"from record {last + 1} on the file is unreadable", last + 1)


def check_saved_state(report: VerifyReport, name: str, db: sqlite3.Connection, base: Base) -> None:
    """Check the saved state against its digest, and its binding against its record."""
    with report.catch_damage(name, "saved state (checkpoint): unreadable"):
        for seq, started_seq, software, stored, digest, binding, value in db.execute(SAVED_STATE):
            state = sha256(stored.rstrip(b"\0").removesuffix(b"\x80")).digest()
            whole = base.chain if seq == base.seq else value or b""
            whole += struct.pack(">qq", seq, started_seq) + digest
            whole += sha256(stored).digest() + software
            holds = (state, sha256(whole).digest()) == (digest, binding)
            report.check(holds, name, "saved state (checkpoint): changed or misplaced", seq)


def check_log(report: VerifyReport, log: Path, index: Path) -> None:
    """Check the log of a table that does not run: SQLite silently stops at the first damage.

    A power cut tears only the last commit; a further commit after a damaged one was durable. The
    index holds the number of frames that SQLite accepted (SQLite, "WAL-mode File Format").
    """
    if not index.exists() or len(data := log.read_bytes()) <= 32:
        return
    valid = int.from_bytes(index.read_bytes()[16:20], sys.byteorder)
    head, step, sums = data[:32], 24 + int.from_bytes(data[8:12], "big"), [0, 0]
    words = struct.unpack("<6I" if head[3:4] == b"\x82" else ">6I", head[:24])
    for n, word in enumerate(words):
        sums[n % 2] = (sums[n % 2] + word + sums[1 - n % 2]) % 2**32
    broken = struct.pack(">2I", *sums) != head[24:]
    commits = [
        data[at + 4 : at + 8] != bytes(4)
        for at in range(32 + valid * step, len(data) - 23, step)
        if data[at + 8 : at + 16] == head[16:24]
    ]
    if broken or any(commits[:-1]):
        report.fail(log.name, "damaged before its end: records stored after that place are lost")


# --- folders and bundles ------------------------------------------------------------------------


def names_below(report: VerifyReport, path: Path, top: Sequence[str] = ()) -> list[str]:
    """The names of all regular files in a folder, with / as separator; of these tops, if given."""
    names, folders = list[str](), [""]
    while folders:
        inner = folders.pop()
        with os.scandir(path / inner) as found:
            for entry in found:
                name = inner + entry.name
                if top and not inner and name not in top:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{name}/")
                elif entry.is_file(follow_symlinks=False):
                    names.append(name)
                else:
                    report.fail(name, "extra: it is a link, or no regular file")
                if len(names) + len(folders) > NAMES_MAX:
                    raise CannotRead(f"it has more than {NAMES_MAX} files")
    return sorted(names)


@contextmanager
def open_files(report: VerifyReport, path: Path, top: Sequence[str] = ()) -> Iterator[Files]:
    """The names of the files in a folder or a .zip, and a function that reads one."""
    if path.is_dir():
        yield names_below(report, path, top), lambda name: read_file(report, path / name, SHOE_MAX)
        return
    with open_file(report, path, DATABASE_MAX) as file:
        # What zipfile reads whole, and trusts: the list of files, just before the end.
        file.seek(-min(42, os.fstat(file.fileno()).st_size), 2)
        end = file.read()
        if end[20:24] != b"PK\5\6" or end[:4] == b"PK\6\7" or end[40:] != b"\0\0":
            raise CannotRead("not a zip file as a bundle is")
        if int.from_bytes(end[32:36], "little") > INDEX_MAX:
            raise CannotRead("it lists more files than a bundle has")
        bundle = zipfile.ZipFile(file)

        def read(name: str) -> bytes:
            info = bundle.getinfo(name)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("it is packed in another way than a bundle is")
            if info.file_size > SHOE_MAX:
                raise ValueError(f"unpacked it is larger than {SHOE_MAX} bytes")
            report.spend(info.file_size + STEP * 50)
            with bundle.open(info) as member:
                data = member.read(info.file_size + 1)
            if len(data) != info.file_size:
                raise ValueError("it has another size than the .zip lists")
            return data

        yield [name for name in bundle.namelist() if not name.endswith("/")], read


def check_manifest(report: VerifyReport, names: list[str], read: Read) -> None:
    """Check a bundle against its manifest: every file listed and unchanged, and no other."""
    name, files, there = "manifest.json", dict[str, Any](), Counter(names)
    with report.catch_damage(name, "it cannot be read"):
        files = dict(read_json(read(name), "smartshoe-bundle-1")["files"])
    for one in sorted({*files, *there} - {name}):
        if there[one] > 1:
            report.fail(one, "extra: it is in the bundle more than once")
        elif one not in there:
            report.fail(one, "missing: the manifest names it")
        elif one not in files:
            report.fail(one, "extra: the manifest does not name it")
        else:
            with report.catch_damage(one, "it cannot be read"):
                holds = sha256(read(one)).hexdigest() == files[one]
                report.check(holds, one, "changed since it was listed")


def read_lists(report: VerifyReport, names: list[str], read: Read) -> dict[str, Any]:
    """All lists of seals by their names; None for one that cannot be read."""
    lists: dict[str, Any] = {}
    for name in names:
        if SET_ASIDE.fullmatch(name):
            report.notes.append(f"{name}: a list that the table rejected or did not finish")
        elif not LIST_NAME.fullmatch(name):
            report.fail(name, "extra: this is not the name of a list of seals")
        else:
            lists[name] = None
            with report.catch_damage(name, "the list cannot be read"):
                lists[name] = read_list(read(name))
    return lists


def check_sealed(
    report: VerifyReport, names: list[str], read: Read, *, live: bool = False
) -> list[Shoe]:
    """Check all sealed shoes, one in memory at a time, and all lists of seals.

    Lists are read first: if the table is in use, they then name no shoe that is not here yet.
    """
    names = [name for name in names if name.startswith("shoes/")]
    if "shoes/sealing.part" in names:
        names.remove("shoes/sealing.part")
        report.notes.append("shoes/sealing.part: an unfinished file; the next start removes it")
    report.total, shoes = len(names) + live, list[Shoe]()
    names.sort(key=lambda one: (one.rpartition("/")[0], len(one), one))
    for done, name in enumerate(names, 1):
        match, shoe = SHOE_NAME.fullmatch(name), None
        report.check(match, name, "extra: this is not the name of a sealed shoe")
        with report.catch_damage(name, "it cannot be checked"):
            shoe = check_shoe(report, name, read(name)) if match else None
        if match and shoe:
            shoes.append(shoe)
            holds = (shoe.gaming_day, shoe.shoe) == (match[1], int(match[2]))
            what = f"by its heading it is shoe {shoe.shoe} of {shoe.gaming_day}"
            report.check(holds, name, what)
        report.progress(done, report.total)
    shoes.sort(key=lambda one: (one.first_seq, one.name))
    report.newest = shoes[-1].name if shoes and live else ""
    check_links(report, shoes)
    if shoes and shoes[0].first_seq > 1:
        report.notes.append(f"records 1 to {shoes[0].first_seq - 1} are in shoes that are not here")
    return shoes


def check_folder(report: VerifyReport, path: Path) -> None:
    """Check a bundle, packed or not, a journal, or an archive."""
    if report.bundle:
        with open_files(report, path) as (names, read):
            check_manifest(report, names, read)
            check_sealed(report, names, read)
    elif os.path.lexists(path / "live.db"):
        check_live(report, path / "live.db", lambda: check_archive(report, path, live=True))
    elif os.path.lexists(path / "shoes"):
        check_archive(report, path)
        here = os.path.lexists(path / "lock")
        report.check(not here, "live.db", "missing: the records since the last seal")
    else:
        raise CannotRead("it holds no live.db, no shoes/ and no manifest.json")


def check_archive(report: VerifyReport, path: Path, *, live: bool = False) -> list[Shoe]:
    with open_files(report, path, ("shoes", "days")) as (names, read):
        return check_sealed(report, names, read, live=live)


def check_path(report: VerifyReport, path: Path) -> None:
    """Check a path by its kind: a sealed shoe, a live part, a bundle, or a folder."""
    if path.is_dir():
        report.bundle = os.path.lexists(path / "manifest.json")
        check_folder(report, path)
        return
    with open_file(report, path, DATABASE_MAX) as file:
        begins = file.read(8)
    if path.suffix == ".shoe" or begins == b"SMSHSEAL":
        check_shoe(report, path.name, read_file(report, path, SHOE_MAX))
    elif begins.startswith(b"PK"):
        report.bundle = True
        check_folder(report, path)
    else:
        check_live(report, path, tuple)


def verify(
    path: Path,
    progress: Progress = lambda done, total: None,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> VerifyReport:
    """Check what is at `path`; `progress` gets files done and total. Raises CannotRead."""
    report = VerifyReport(path, progress)
    report.keys = tuple(public_key(report, key) for key in keys)
    try:
        check_path(report, path)
    except DAMAGE as error:
        raise CannotRead(f"{path}: {error}") from error
    for witness in witnesses:
        check_witness(report, witness)
    for key, count in report.signers.items():
        who = f"name the key {fingerprint(key)}" if key else "are unsigned"
        report.notes.append(f"of the sealed shoes and lists {count} {who}")
    if report.bundle:
        report.notes.append("files outside shoes/ and days/ are not signed, only listed")
    if any(report.signers) and not report.keys:
        report.notes.append("nothing vouches for that key: compare it, or name its file with --key")
    return report


# --- the program --------------------------------------------------------------------------------


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def printable(text: str) -> str:
    """The text with everything escaped that could command a terminal."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def report_lines(report: VerifyReport, most: int = 50) -> Iterator[str]:
    """The report, line by line; at most `most` problems and files."""
    return map(printable, plain_lines(report, most))


def plain_lines(report: VerifyReport, most: int) -> Iterator[str]:
    unchecked = "; signatures were NOT checked: the library `cryptography` is not installed"
    verdict = "intact" if report.intact else "NOT INTACT"
    yield f"{verdict}: {report.path}{unchecked if report.unchecked else ''}"
    yield from (f"  {problem}" for problem in report.problems[:most])
    if report.failed > most:
        yield f"  and {counted(report.failed - most, 'more problem')}; --json lists {PROBLEMS_MAX}"
    if len(report.files) <= most:
        yield from (f"  {name}: {state}" for name, state in report.files.items())
    parts = f"{counted(report.inputs, 'input')}, {counted(report.entries, 'entry', 'entries')}"
    yield f"  {counted(report.shoes, 'sealed shoe')}; {counted(report.records, 'record')}: {parts}"
    if report.sound_after:
        yield f"  after the first problem: {counted(report.sound_after, 'more intact record')}"
    yield from (f"  {note}" for note in report.notes)
    yield from (f"  short code of {day}: {codes[-1]}" for day, codes in report.codes.items())
    yield f"  head {report.head_hex}"
    yield from LIMITS.splitlines()


def as_json(report: VerifyReport) -> dict[str, Any]:
    plain = ("records", "inputs", "entries", "shoes", "sound_after", "notes", "files")
    values: dict[str, Any] = {"path": str(report.path), "intact": report.intact}
    values |= {"signatures_checked": not report.unchecked, "problem_count": report.failed}
    values |= {"head": report.head_hex} | {key: getattr(report, key) for key in plain}
    values |= {"codes": {day: codes[-1] for day, codes in report.codes.items()}}
    values |= {"signers": {key.hex(): count for key, count in report.signers.items()}}
    return values | {"problems": [asdict(problem) for problem in report.problems]}


def main() -> int:
    about = "Check that a table's evidence is complete and unchanged. No file is changed."
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=EXAMPLES, formatter_class=form)
    parser.add_argument("path", type=Path, help="journal, archive, live.db, .shoe, or bundle")
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--key", type=Path, **many, help="public key that may sign; repeatable")
    parser.add_argument("--witness", **many, help="short code, or list of seals, kept elsewhere")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    try:
        report = verify(args.path, keys=args.key, witnesses=args.witness)
        lines = [json.dumps(as_json(report), indent=2)] if args.json else report_lines(report)
        text, code = "\n".join(lines), 0 if report.intact else 1
    except CannotRead as error:
        text, code = printable(f"cannot read: {error}"), 2
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader closed the pipe; prevents a second error at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    sys.exit(main())
