"""The regulator's verifier: is a table's evidence complete and unchanged? `--help` shows its use.

Checks sealed shoes, the evidence log over them, the live part and bundles; names what is missing or
changed, and where. Needs only this file and Python 3.11, and `cryptography` to check signatures.
Shares no code with the program that wrote the files, so that no mistake hides in both. Ends soon on
any input. Not: whether the cards obey the rules (`smartshoe audit`).
Source: controller/journal/README.md; FIPS 180-4 (SHA-256), RFC 1950 (zlib), MessagePack, RFC 6962,
C2SP signed-note, tlog-checkpoint, tlog-proof and tlog-cosignature, RFC 8032, 8410, 5480, 4648.
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
from array import array
from bisect import bisect_left
from collections import Counter, namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain, pairwise, takewhile
from pathlib import Path
from textwrap import wrap
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple

EXAMPLES = """examples:
  python3 verify.py /var/lib/smartshoe/table-1          a journal's folder; it may be in use
  python3 verify.py archive --key table.key.pub         signed by this key and no other
  python3 verify.py bundle.zip --witness ABCDE-FGHIJ-KLMNO-PQRST
0 intact, 1 not intact, 2 cannot be read."""
LIMITS = """These files alone do not show whether the newest records and heads were removed, or
all was made again with all keys: compare a head that was kept elsewhere (--witness)."""
# The largest that is read. A shoe has 60 kB, of which 400 rows, and unpacks to 400 kB; a live part
# has a few MB, a log 1 MB for 2,000 leaves. A unit of work is 2 ns.
SHOE_MAX, PLAIN_MAX, ROWS_MAX, SMALL_MAX = 16 << 20, 64 << 20, 1 << 16, 4096
RECORD_MAX, DATABASE_MAX, WAL_MAX, SCHEMA_STEPS_MAX = 16 << 20, 4 << 30, 64 << 20, 50_000
LEAVES_MAX, LOG_SHOES_MAX, NOTE_MAX, SIGNATURES_MAX = 4_000_000, 1 << 17, 1 << 16, 64
NAMES_MAX, INDEX_MAX, PROBLEMS_MAX, TEXT_MAX, NOTES_MAX = 1 << 16, 1 << 20, 5_000, 600, 1_000
WORK_MIN, WORK_PER_BYTE, RECORD_WORK = 1_500_000_000, 120, 1_000
SEARCH_MAX, SEARCH_FILE_MAX = 4 << 30, 1 << 20  # bytes hashed for a changed bit; of the file
NONE, UNREADABLE_MAX, TRAILER, DAMAGE = bytes(32), 10_000, 97, Exception  # damage raises anything
LIVE, LOG = (0x534D5348, 5), (0x534D534C, 1)  # application and format of live.db and log.db
OPEN = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
HEAD, ROW = struct.Struct(">8sHHIIQQ"), struct.Struct(">QqIBBBBBB6s16s16s")
TYPES = {"s": str, "i": int, "b": bytes, "?": bool}
# The fields of a heading and of a leaf in order, each after the letter of its type.
HEADING = """stable ssoftware sgaming_day ishoe ifirst_seq ilast_seq bchain_before bchain_after
    ifrom_ns iuntil_ns salgorithm bsigner istarted_seq sstate_software iopened_seq ?clean sbatch
    sback idecks icoups iirregularities"""
LEAF = "skind iseq bchain iat_ns sgaming_day ishoe bseal bnext_key bkey bwitness_key sperson"
FIRST, PLAIN = ("commissioned", "begun-anew"), ("start", "stop", "coup", "decision", "shoe")
KEY_NAMED = (*FIRST, "restored", "key")
SHOE_NAME = re.compile(r"shoes/(\d{4}-\d\d-\d\d)/(\d{4,9})\.shoe", re.ASCII)
CODE = re.compile(r"(?:[A-Z2-7]{5}[- ]?){4}", re.ASCII | re.IGNORECASE)
SIGNATURE = re.compile("\u2014 ([^\\s+]+) ([A-Za-z0-9+/]+={0,2})")
VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})\s*")
# What precedes a public key in its file, by the number of its algorithm (RFC 8410, RFC 5480).
ALGORITHMS = {"": b"", "ed25519": b"\1", "ecdsa-p256": b"\2"}
KEY_HEADS = {
    b"\1": bytes.fromhex("302a300506032b6570032100"),
    b"\2": bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200"),
}
# A record begins with its kind and its type; its fields follow in one order.
RECORD = re.compile(rb"(?s)\x92(\xa2in|\xa3out)(?:[\x80-\x8f]|\xde..)\xa4type[\xa0-\xbf]([a-z-]+)")
CARD = re.compile(
    rb"(?s)\xa5event.\xa4type"
    rb"(?:(\xaecut-card-drawn)|\xaacard-drawn\xa4card(?:\xc0|.\xa4rank(.)\xa4suit.(.)))"
)
# A table that a file may have: no view, index or computed column, so that reading it ends.
TABLE = re.compile(
    rb"CREATE TABLE \w+\(\w+ INTEGER PRIMARY KEY(?: CHECK \(only = 1\))?"
    rb"(?:, \w+ (?:INTEGER|BLOB|TEXT)(?: NOT NULL)?)+\)"
)
LONG_FORMS = ((0xC4, 3), (0xCC, 4), (0xD0, 4), (0xD9, 3))  # bin, uint, int, str: first, how many
RECORDS = "SELECT seq, record, chain FROM records WHERE seq >= ? ORDER BY seq LIMIT ?"
LEAVES = """SELECT number, entry, note FROM leaves LEFT JOIN heads ON size = number + 1
    WHERE number >= ? ORDER BY number LIMIT ?"""
SAVED_STATE = """SELECT c.seq, started_seq, software, state, digest, binding, chain
    FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq LIMIT 1"""
BASE = """SELECT seq, started_seq, chain, seal, started, software, state, digest, ledger, binding
    FROM base LIMIT 2"""
Row = tuple[int, bytes, bytes]  # number, record, chain value
Run = tuple[int, bytes]  # number and SHA-256 of the record that began a run
Note = tuple[str, dict[tuple[str, bytes], bytes]]  # text; signatures by name and id of their keys
Progress = Callable[[int, int], None]
Read = Callable[[str], bytes]
Shoe = SimpleNamespace  # what one sealed file shows, and the fields of its heading
KeptShoe = namedtuple(  # what is kept of it until all files are read
    "KeptShoe",
    "name table gaming_day shoe first_seq last_seq chain_before chain_after digest whole state"
    " run_before run begins_run state_after inputs key",
)
Database = sqlite3.Connection


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
class Log:
    """What an evidence log says, for comparison with records and sealed files.

    `seqs`, `halves`: record, and 16 bytes of its chain value, of each leaf in order. `shoes`:
    record, day, number, and how many keys there were, by seal. `keys`: the table's keys so far, the
    one in force last; `revoked`: those not to be trusted since. `signed`
    is the last head that the table's key signed, `unsigned` counts those that it should have,
    `kept` the newest that was kept elsewhere.
    """

    origin: str = ""
    seqs: "array[int]" = field(default_factory=lambda: array("q"))
    halves: bytearray = field(default_factory=bytearray)
    shoes: dict[bytes, tuple[int, str, int, int]] = field(default_factory=dict)
    keys: list[bytes] = field(default_factory=list)
    revoked: set[bytes] = field(default_factory=set)
    retired: bool = False
    witness_key: bytes = b""
    newest: int = 0
    signed: int = 0
    unsigned: int = 0
    kept: int = 0
    compared: int = 0

    def compare(self, report: "VerifyReport", file: str, seq: int, value: bytes, at: int) -> int:
        """Compare a record with the leaves from number `at` on; return the next leaf's number."""
        while at < len(self.seqs) and self.seqs[at] == seq:
            what = f"record {seq}, or one before it, is not the one of which leaf {at} speaks"
            report.check(self.halves[16 * at : 16 * at + 16] == value[:16], file, what, seq)
            at, self.compared = at + 1, self.compared + 1
        return at


@dataclass(slots=True)
class VerifyReport:
    """The result of a verification, filled in while it runs.

    `head_hex`: the last chain value. `sound_after`: intact live records after the first problem.
    `codes`: short codes by gaming day. `files`: a line on each sealed file. `vouched`: who signed
    what, for the first line. `keys`, `cosigners`, `kept_codes`, `kept_heads`: who is trusted, and
    what was kept elsewhere. `unlisted`: problems past the most that are listed.
    """

    path: Path
    progress: Progress = field(default=lambda done, total: None, repr=False, compare=False)
    keys: set[bytes] = field(default_factory=set)
    cosigners: list[tuple[str, bytes]] = field(default_factory=list)
    kept_codes: set[str] = field(default_factory=set)
    kept_heads: dict[int, str] = field(default_factory=dict)
    records: int = 0
    inputs: int = 0
    shoes: int = 0
    problems: list[EvidenceProblem] = field(default_factory=list)
    unlisted: int = 0
    notes: list[str] = field(default_factory=list)
    head_hex: str = NONE.hex()
    sound_after: int = 0
    codes: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    vouched: dict[str, str] = field(default_factory=dict)
    unchecked: bool = False
    log: Log = field(default_factory=Log)
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
        return len(self.problems) + self.unlisted

    def fail(self, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(EvidenceProblem(seq, what[:TEXT_MAX], file, at))
        else:
            self.unlisted += 1

    def check(self, holds: object, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if not holds:
            self.fail(file, what, seq, at)

    def note(self, text: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(text[:TEXT_MAX])

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


Report = VerifyReport


def fingerprint(key: bytes) -> str:
    """Of a key with the number of its algorithm before it."""
    return " ".join(wrap(sha256(key[1:]).hexdigest(), 8))


def short_code(text: str) -> str:
    return "-".join(wrap(base64.b32encode(sha256(text.encode()).digest()).decode()[:20], 5))


def moment(ns: int) -> str:
    with suppress(OverflowError):
        return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ns // 1000):%F %T} UTC"
    return "at no time"


def digest_of(data: bytes) -> bytes:
    """SHA-256; empty for empty data."""
    return sha256(data).digest() if data else b""


# --- files, chain, encoding ---------------------------------------------------------------------


def open_file(report: Report, path: Path, most: int) -> BinaryIO:
    """Open a regular file of at most `most` bytes; no link is followed. Raises CannotRead."""
    try:
        file = os.fdopen(os.open(path, OPEN), "rb")
    except OSError as error:
        what = "a link, which is not followed" if path.is_symlink() else str(error)
        raise CannotRead(f"{path.name}: {what}") from error
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        file.close()
        size = f"it has {status.st_size} bytes, and may have {most}"
        what = size if stat.S_ISREG(status.st_mode) else "it is not a regular file"
        raise CannotRead(f"{path.name}: {what}")
    report.work -= WORK_PER_BYTE * status.st_size
    return file


def read_file(report: Report, path: Path, most: int = SHOE_MAX) -> bytes:
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
    kind, n = 0xD9, first & 31
    if not 0xA0 <= first < 0xC0:  # a number of 1, 2, 4 or 8 bytes follows
        ((kind, _),) = (one for one in LONG_FORMS if 0 <= first - one[0] < one[1])
        size, signed = 1 << (first - kind), kind == 0xD0
        n, at = int.from_bytes(data[at : at + size], "big", signed=signed), at + size
        least = {0xC4: 0, 0xCC: 128, 0xD0: 32, 0xD9: 32}[kind]
        least = least if size == 1 else 1 << 4 * size - signed
        if (~n if signed else n) < least:
            raise ValueError("in a longer form than needed")
    end = at if kind in (0xCC, 0xD0) else at + n
    if end > len(data):
        raise ValueError("cut short")
    value = data[at:end] if kind == 0xC4 else data[at:end].decode() if kind == 0xD9 else n
    return value, end


def read_map(data: bytes, fields: str) -> dict[str, Any]:
    """The MessagePack map with exactly these fields in their order. Raises like read_value()."""
    wanted, found = fields.split(), dict[str, Any]()
    size = len(wanted)
    head = bytes((0x80 | size,)) if size < 16 else b"\xde" + size.to_bytes(2, "big")
    at = len(head) if data.startswith(head) else len(data)
    for one in wanted:
        key, at = read_value(data, at)
        found[key], at = read_value(data, at)
        if key != one[1:] or type(found[key]) is not TYPES[one[0]]:
            raise ValueError(f"its field {one[1:]} is missing, or of another type")
    if at != len(data):
        raise ValueError("it has extra bytes")
    return found


def field_of(record: bytes, name: str) -> Any:
    """The value of the first field of that name in a record. Raises like read_value()."""
    key = bytes((0xA0 | len(name),)) + name.encode()
    return read_value(record, record.index(key) + len(key))[0]


def is_input(record: bytes) -> bool:
    return record.startswith(b"\x92\xa2in")


def utc_ns(report: Report, record: bytes) -> int | None:
    """The UTC time of an input; of several chunks in one record, that of the last."""
    with suppress(LookupError, ValueError, TypeError):
        at = record.index(b"\xa2at\x82\xacmonotonic_ns")
        utc, later = field_of(record[at : at + 48], "utc_ns"), 0
        if record.startswith(b"\xa9chunk-run", 10):
            at = record.index(b"\xa6chunks", at) + 7
            size = 0 if record[at] < 0xA0 else 2
            count = int.from_bytes(record[at + 1 : at + 1 + size], "big") or record[at] & 15
            report.spend(count * RECORD_WORK)
            at += 1 + size
            for _ in range(count):  # array of three: delay on another clock, delay in UTC, bytes
                later, at = read_value(record, read_value(record, at + 1)[1])
                at = read_value(record, at)[1]
        return int(utc + later)
    return None


def describe_record(report: Report, record: bytes, latest: bytes) -> str:
    """A record's type and the time of the latest input: "input 'chunk', 2025-11-21 ..."."""
    found, at = RECORD.match(record), moment(utc_ns(report, latest) or 0)
    kind = "input" if is_input(record) else "entry"
    return f"{kind} {found[2].decode()!r:.50}, {at}" if found else "unreadable"


# --- keys, signed notes, the tree of a log ------------------------------------------------------


def key_id(name: str, key: bytes) -> bytes:
    """By which a note names a key, given with the number of its type before it."""
    named = KEY_HEADS[b"\2"] + key[1:] if key[:1] == b"\2" else name.encode() + b"\n" + key
    return sha256(named).digest()[:4]


def signature_holds(
    report: Report, key: bytes, signature: bytes, data: bytes, *, raw: bool = False
) -> bool:
    """Whether a signature holds; True where that cannot be checked, which the report then says.

    `raw`: one of ECDSA is its two numbers, else it is in DER.
    """
    try:
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - may be absent
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils  # noqa: PLC0415
    except ImportError:
        report.unchecked = True
        return True
    with suppress(DAMAGE):
        if key[:1] != b"\2":
            ed25519.Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature, data)
            return True
        if raw:
            numbers = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
            signature = utils.encode_dss_signature(*numbers)
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key[1:])
        point.verify(signature, data, ec.ECDSA(hashes.SHA256()))
        return True
    return False


def read_key(report: Report, path: Path) -> None:
    """Trust the public key in a file: of a table, or of a witness. Raises CannotRead."""
    try:
        text = read_file(report, path, SMALL_MAX).decode("ascii")
        if vkey := VKEY.fullmatch(text):
            key = base64.b64decode(vkey[3])
            if key[:1] not in (b"\1", b"\4") or key_id(vkey[1], key).hex() != vkey[2]:
                raise ValueError("its hash is not that of an Ed25519 key")
            report.cosigners.append((vkey[1], key))
            return
        _, mark, body, *_ = text.split("-----")
        data = base64.b64decode(body)
        found = [n + data[len(head) :] for n, head in KEY_HEADS.items() if data.startswith(head)]
        if mark != "BEGIN PUBLIC KEY" or not found or len(found[0]) not in (33, 66):
            raise ValueError("not of Ed25519 or P-256; `smartshoe keys show` writes one")
        report.keys.add(found[0])
    except DAMAGE as error:
        raise CannotRead(f"{path}: not a public key: {error}") from error


def read_note(data: bytes) -> Note:
    """The text of a signed note and its signatures. Raises ValueError."""
    text, mark, rest = data.decode().rpartition("\n\n")
    signatures, found = rest.split("\n"), dict[tuple[str, bytes], bytes]()
    if not mark or signatures.pop() or len(data) > NOTE_MAX or len(signatures) > SIGNATURES_MAX:
        raise ValueError("it is no signed note, or larger than any")
    for one in signatures:
        line = SIGNATURE.fullmatch(one)
        signed = base64.b64decode(line[2], validate=True) if line else b""
        if not line or len(signed) < 5 or (line[1], signed[:4]) in found:
            raise ValueError("a line of its signatures is none, or is there twice")
        found[line[1], signed[:4]] = signed[4:]
    return f"{text}\n", found


def signed_at(report: Report, file: str, note: Note, name: str, key: bytes) -> int:
    """When a witness signed a note; 0: the key of a table did; -1: nobody, or wrongly."""
    text, at = note[0], 0
    signature = note[1].get((name, key_id(name, key))) if key else None
    if signature is None:
        return -1
    if key[:1] == b"\4":
        at, signature = int.from_bytes(signature[:8], "big"), signature[8:]
        text = f"cosignature/v1\ntime {at}\n{text}"
    if signature_holds(report, key, signature, text.encode()):
        return at
    size = note[0].split("\n")[1]
    report.fail(file, f"head {size}: a signature of {name} does not hold")
    return -1


def check_cosigners(report: Report, file: str, note: Note, size: int) -> None:
    """Check the signatures of those witnesses whose keys were given."""
    for name, key in report.cosigners:
        if (at := signed_at(report, file, note, name, key)) >= 0:
            report.vouched[name] = f"head {size} cosigned by {name}, {moment(at * 10**9)}"


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def add_leaf(roots: list[tuple[int, bytes]], entry: bytes) -> bytes:
    """Add a leaf to the roots of the full subtrees, with their heights; return the tree's root."""
    height, found = 0, sha256(b"\0" + entry).digest()
    while roots and roots[-1][0] == height:
        height, found = height + 1, node(roots.pop()[1], found)
    roots.append((height, found))
    for _, left in reversed(roots[:-1]):
        found = node(left, found)
    return found


def proven_root(index: int, size: int, entry: bytes, proof: Sequence[bytes]) -> bytes:
    """The root to which a proof leads from a leaf; empty if it has another length."""
    found, last = sha256(b"\0" + entry).digest(), size - 1
    for one in proof:
        if index & 1 or index == last:
            found = node(one, found)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            found = node(found, one)
        index, last = index >> 1, last >> 1
    return b"" if last or index else found


# --- the evidence log ---------------------------------------------------------------------------


def read_log(report: Report, file: Path) -> None:
    """Check an evidence log by itself: its leaves, its tree, and who signed each head."""
    log, name, unreadable, leaf = report.log, file.name, set[int](), dict[str, Any]()
    roots, sizes, log.kept = list[tuple[int, bytes]](), None, max(report.kept_heads, default=0)
    with report.catch_damage(name, "it cannot be read"), open_database(report, file, LOG) as opened:
        for number, entry, stored in rows_of(*opened, LEAVES, unreadable):
            n, before = len(log.seqs), leaf
            if number != n or n == LEAVES_MAX or len(log.shoes) > LOG_SHOES_MAX:
                unreadable.add(n)
                break
            with report.catch_damage(name, f"leaf {n}, or the head after it"):
                leaf, note = read_map(entry, LEAF), read_note(stored)
                log.origin = log.origin or note[0].partition("\n")[0]
                root = base64.b64encode(add_leaf(roots, entry)).decode()
                if note[0] != f"{log.origin}\n{n + 1}\n{root}\n":
                    raise ValueError("the head is not that of the leaves: one of them was changed")
                check_leaf(report, leaf, n)
                check_head(report, name, before, leaf, note)
                compare_kept(report, name, note[0], n + 1)
                if leaf["kind"] == "shoe":
                    report.codes[leaf["gaming_day"]] = short_code(note[0])
                log.halves += leaf["chain"][:16]
                log.seqs.append(leaf["seq"])
            if len(log.seqs) == n:
                return
        sizes = opened[0].execute("SELECT min(size), max(size), count(*) FROM heads").fetchone()
    n = len(log.seqs)
    whole = n and not unreadable and sizes == (1, n, n)
    report.check(whole, name, f"leaf {n} or a head is missing or unreadable")
    if log.unsigned:
        what = "are not signed by the table's key, as they should be"
        report.note(f"{name}: {counted(log.unsigned, 'head')} after a start, stop or shoe {what}")
    for key in [*filter(None, log.keys)] if report.keys else ():
        what = f"key {fingerprint(key)}, which is not trusted, was the table's"
        report.check(key in report.keys, name, what)
    report.check(any(log.keys) or not report.keys, name, "nobody signed it")
    if report.keys & log.revoked:
        report.note("a key that is trusted here was revoked: see the leaf that says so")
    if log.signed:
        who = f"head {log.signed} of {n} signed by key {fingerprint(log.keys[-1])}"
        report.vouched = {"": who} | report.vouched


def check_leaf(report: Report, leaf: dict[str, Any], n: int) -> None:
    """Check what leaf `n` says against the leaves before it. Raises ValueError."""
    log, kind, seq, seal = report.log, leaf["kind"], leaf["seq"], leaf["seal"]
    if kind not in (*PLAIN, *KEY_NAMED, "revoked", "retired") or (n == 0) != (kind in FIRST):
        raise ValueError(f"{kind!r} is nothing that it may say")
    if log.retired:
        raise ValueError("the table was retired by the leaf before")
    log.retired, key = kind == "retired", leaf["key"]
    if key in log.revoked or (kind == "revoked" and key not in log.keys[:-1]):
        raise ValueError("its key is revoked, or none that the table had before")
    log.revoked |= {key} if kind == "revoked" else set()
    wrong = len(leaf["chain"]) != 32 or (not seq and leaf["chain"] != NONE)
    if wrong or seq < log.newest or len(leaf["next_key"]) != 32:
        raise ValueError("its record, chain value or next key cannot follow")
    log.newest, log.compared = seq, log.compared + (not seq)
    if (kind == "shoe") != (len(seal) == 32) or seal in log.shoes:
        raise ValueError("its seal is none, or one that another leaf names")
    if seal:
        log.shoes[seal] = seq, leaf["gaming_day"], leaf["shoe"], len(log.keys)
    elif kind not in (*PLAIN, "commissioned"):
        named = f"; key {fingerprint(key)}" if key else ""
        who = leaf["person"] or "nobody who is named"
        report.note(f"leaf {n}, {moment(leaf['at_ns'])}, record {seq}: {kind} by {who}{named}")


def check_head(
    report: Report, name: str, before: dict[str, Any], leaf: dict[str, Any], note: Note
) -> None:
    """Check who signed the head after a leaf. `before`: the leaf before, empty for the first."""
    log, kind, head = report.log, leaf["kind"], f"head {len(report.log.seqs) + 1}"

    def signed(key: bytes) -> bool:
        return signed_at(report, name, note, log.origin, key) >= 0

    # What a head that was kept elsewhere proves needs no other proof.
    proven = len(log.seqs) + 1 < log.kept
    if before and not proven and not signed(b"\1" + before["next_key"]):
        report.fail(name, f"{head}: the key that the leaf before names for it did not sign it")
    old = log.keys[-1] if log.keys else b""
    key = leaf["key"] if kind in KEY_NAMED else b"" if leaf["key"] == old else old
    if signed(key):
        log.signed = len(log.seqs) + 1
    elif key and (key != old or not before):
        report.fail(name, f"{head}: the table's key, which its leaf names, did not sign it")
    log.unsigned += bool(key) and log.signed <= len(log.seqs) and kind not in ("coup", "decision")
    if key != old or not before:
        log.keys.append(key)
    if before and key and key != old:
        by_old = signed(old)
        what = "the key before signed it" if by_old else "the key before did NOT sign it"
        report.note(f"{head}, with another key: {what}")
        report.check(by_old or leaf["person"], name, f"{head}: nobody is named who changed the key")
        report.keys |= {key} if by_old and old in report.keys else set()
    log.witness_key = leaf["witness_key"] if kind in KEY_NAMED else log.witness_key
    signed(b"\1" + log.witness_key)
    check_cosigners(report, name, note, len(log.seqs) + 1)


def compare_kept(report: Report, file: str, text: str, size: int) -> None:
    """Compare a head with what somebody kept elsewhere."""
    if report.kept_codes and (code := short_code(text)) in report.kept_codes:
        report.kept_codes.remove(code)
        report.note(f"witness: {code} is the short code of head {size}")
    if kept := report.kept_heads.pop(size, ""):
        report.check(kept == text, file, f"witness: head {size} is another than the one kept")
        report.note(f"witness: head {size} was compared with the one kept")


def check_shoe_leaf(report: Report, shoe: Shoe, newest: bool) -> None:
    """Check a sealed file against its leaf in the log."""
    log, leaf = report.log, report.log.shoes.get(shoe.digest)
    if leaf is None:
        what = "the log has no leaf for this seal"
        if newest or shoe.last_seq > log.newest:
            report.note(f"{shoe.name}: {what} yet")
        else:
            report.fail(shoe.name, what, shoe.last_seq)
        return
    report.check(shoe.last_seq <= leaf[0], shoe.name, "its leaf speaks of an earlier record")
    holds = (shoe.gaming_day, shoe.shoe) == leaf[1:3]
    report.check(holds, shoe.name, f"its leaf says shoe {leaf[2]} of {leaf[1]}")
    # A shoe may have been sealed before a key was changed, and named after.
    named = shoe.key in log.keys[max(0, leaf[3] - 2) : leaf[3]]
    report.check(named, shoe.name, "signer: the log does not name it as the table's")
    report.check(shoe.table == log.origin, shoe.name, f"table: the log is of {log.origin!r}")


# --- a sealed shoe ------------------------------------------------------------------------------


def layout(data: bytes) -> tuple[int, int, int, int]:
    """The offsets of rows, packed part and digest by the head, and the unpacked length."""
    _, _, _, heading, rows, packed, plain = HEAD.unpack_from(data)
    at_rows = HEAD.size + heading
    at_packed = at_rows + ROW.size * rows
    return at_rows, at_packed, at_packed + packed, plain


def unpack(report: Report, packed: bytes, size: int) -> tuple[bytearray, int]:
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


def parts_of(report: Report, plain: bytearray) -> Iterator[bytes]:
    """The parts, each after its length, up to one that is cut short."""
    at, view = 0, memoryview(plain)
    while (begin := at + 4) <= len(plain):
        at = begin + int.from_bytes(view[at:begin], "big")
        if at > len(plain):
            break
        report.spend(RECORD_WORK)
        yield bytes(view[begin:at])


def find_changed_bit(report: Report, data: bytes) -> tuple[int, int]:
    """The byte and the single bit in it whose change explains the digest.

    Byte -1: there is none; -2: not known, because the work for the search is spent.
    """
    (rows, packed, stop, size), end, view = layout(data), len(data) - TRAILER, memoryview(data)
    if end > SEARCH_FILE_MAX:
        return -2, 0
    good = packed + unpack(report, data[packed:stop], size)[1] if stop == end else 0
    suspected: list[Sequence[int]] = [range(HEAD.size)]
    if stop == end and good < stop:
        suspected += [range(min(good + 64, end) - 1, packed - 1, -1)]
    elif stop == end:
        # Some bits of a packed part are unused, most of them at its ends. Of the rows, first the
        # fields that no record repeats: coup, role to declared, tag.
        alone = {*range(16, 26), *range(32, 48)}
        in_rows = sorted(range(rows, packed), key=lambda at: (at - rows) % ROW.size not in alone)
        ends = range(packed, min(packed + 128, end)), range(max(packed, end - 8), end)
        suspected += [range(HEAD.size, rows), *ends, in_rows, range(packed, end)]
    for at in chain(*suspected):
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


def check_digest(report: Report, name: str, data: bytes) -> bytes:
    """Check the digest; return the bytes, with one changed bit or appended bytes repaired."""
    end, (rows, packed, stop, _) = len(data) - TRAILER, layout(data)
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
        place = "head" if at < HEAD.size else "heading" if at < rows else "packed records"
        if rows <= at < packed:
            place = f"row {(at - rows) // ROW.size + 1}, its byte {(at - rows) % ROW.size}"
        report.fail(name, f"{place}: bit {bit} of this byte was changed", at=at)
        return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
    if stop == end:
        why = ("the search for one changed bit was given up", "no single bit explains it")[at + 2]
        report.fail(name, f"the digest fails, and {why}")
    else:
        kind, size = "cut short" if stop > end else "too long", stop + TRAILER
        what = f"{kind}, or its head was changed: it has {len(data)} of {size} bytes"
        report.fail(name, what, at=min(len(data), size))
    return data


def check_shoe(report: Report, name: str, data: bytes) -> Any:
    """Check one sealed file by itself; None where it cannot be read."""
    report.shoes, before, shoe = report.shoes + 1, report.failed, None
    report.spend(RECORD_WORK * 50)
    if len(data) < HEAD.size + TRAILER:
        report.fail(name, f"cut short: {len(data)} bytes, fewer than any shoe", at=len(data))
    else:
        data = check_digest(report, name, data)
        mark, form, flags, size, rows, _, plain = HEAD.unpack_from(data)
        if (mark, form, flags) != (b"SMSHSEAL", 4, 0) and before == report.failed:
            raise CannotRead(f"its format is {form}, flags {flags}; this verifier reads 4, flags 0")
        with report.catch_damage(name, "heading or records: they cannot be read", HEAD.size):
            if size > SMALL_MAX or rows > ROWS_MAX or plain > PLAIN_MAX:
                raise ValueError("by its head it is larger than any shoe")
            heading = read_map(data[HEAD.size : layout(data)[0]], HEADING)
            shoe = check_content(report, name, data, heading)
    count = report.failed - before
    report.files[name] = counted(count, "problem") if count else "intact"
    if shoe is not None:
        report.files[name] += f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        report.head_hex = shoe.chain_after.hex()
        return KeptShoe(*(getattr(shoe, key) for key in KeptShoe._fields))
    return None


def check_content(report: Report, name: str, data: bytes, heading: dict[str, Any]) -> Shoe:
    """Check the records, rows and signature of a sealed file, and its heading against them."""
    shoe, (at_rows, at_packed, stop, size) = Shoe(**heading), layout(data)
    plain, good = unpack(report, data[at_packed:stop], size)
    parts, left = parts_of(report, plain), size
    started, state = next(parts, b""), next(parts, b"")
    shoe.name, shoe.digest, shoe.heading = name, data[-TRAILER : 32 - TRAILER], heading
    shoe.key = ALGORITHMS.get(shoe.algorithm, b"\0") + shoe.signer
    shoe.state, shoe.state_after = digest_of(state), b""
    shoe.run_before = shoe.run = shoe.started_seq, digest_of(started)
    shoe.begins_run, shoe.inputs, shoe.first, shoe.latest = False, 0, b"", b""
    shoe.seq, shoe.chain, shoe.shown, shoe.cards = shoe.first_seq - 1, shoe.chain_before, {}, {}
    leaf, left = bisect_left(report.log.seqs, shoe.first_seq), left - 8 - len(started) - len(state)
    for record in takewhile(len, parts):
        add_record(report, shoe, record)
        leaf = report.log.compare(report, name, shoe.seq, shoe.chain, leaf)
        left -= 4 + len(record)
    shoe.whole = good == stop - at_packed and not left and shoe.seq >= shoe.first_seq
    report.records += shoe.seq - shoe.first_seq + 1
    report.inputs += shoe.inputs
    if not shoe.whole:
        what = f"packed records: damaged; readable up to record {shoe.seq} of {shoe.last_seq}"
        report.fail(name, what, at=at_packed + good)
    check_rows(report, shoe, data[at_rows:at_packed], at_rows)
    if shoe.whole:
        check_heading(report, shoe, started)
    if stop + TRAILER == len(data):
        signature, signed = data[-64:], b"smartshoe seal 2\n" + data[-65:-64] + shoe.digest
        algorithm = data[-65:-64].strip(b"\0")
        named = ALGORITHMS.get(shoe.algorithm) == algorithm and bool(algorithm) == bool(shoe.signer)
        report.check(named, name, "heading and seal do not name the same algorithm of a signature")
        report.spend(RECORD_WORK * 50)
        if not shoe.key:
            report.check(not any(signature), name, "signature: it has one but names no key")
        elif not signature_holds(report, shoe.key, signature, signed, raw=True):
            what = "signature: the key that it names did not sign this file"
            report.fail(name, what, at=len(data) - 64)
        who = f"key {fingerprint(shoe.key)}, which is not trusted," if shoe.key else "nobody"
        report.check(not report.keys or shoe.key in report.keys, name, f"{who} signed it")
    return shoe


def add_record(report: Report, shoe: Shoe, record: bytes) -> None:
    """Continue the chain with one more record, and collect what it shows of the shoe."""
    shoe.seq, shoe.chain, found = shoe.seq + 1, link(shoe.chain, record), RECORD.match(record)
    kind = found[2] if found else b""
    if is_input(record):
        shoe.inputs, shoe.first, shoe.latest = shoe.inputs + 1, shoe.first or record, record
        if kind == b"started":
            shoe.run = shoe.seq, digest_of(record)
            shoe.begins_run = shoe.begins_run or shoe.seq == shoe.first_seq
    elif kind == b"event-verdicts":
        card = CARD.match(record, found.end()) if found else None
        if card and len(shoe.cards) <= ROWS_MAX:
            number = 13 * b"DCSH".index(card[3]) + card[2][0] if card[2] else 0
            utc = utc_ns(report, shoe.latest)
            shoe.cards[shoe.seq] = (number, bool(card[1])), utc, shoe.chain[:16]
    elif kind == b"state-digest":
        shoe.state_after = field_of(record, "digest")
    elif kind == b"shoe-opened" and "shoe" not in shoe.shown:
        shoe.shown |= {"opened_seq": shoe.run[0], "decks": field_of(record, "decks")}
    elif kind == b"shoe-ended":
        keys = ("gaming_day", "shoe", "coups", "irregularities")
        shoe.shown |= {key: field_of(record, key) for key in keys}


def check_rows(report: Report, shoe: Shoe, rows: bytes, at: int) -> None:
    """Check each row against its record; if the chain fails, locate it as near as rows allow."""
    last, good, broken, reached = 0, shoe.first_seq - 1, list[int](), shoe.chain == shoe.chain_after
    report.spend(RECORD_WORK * (len(rows) // ROW.size))
    for n, row in enumerate(ROW.iter_unpack(rows[: len(rows) // ROW.size * ROW.size]), 1):
        seq, ns, _, role, number, claimed, flags, end, declared, zeros, _, half = row
        defined = max(role, claimed) <= 9 and flags <= 7 and end <= 6 and declared <= 3
        card = shoe.cards.pop(seq, None)
        is_card, is_time, is_half = (
            (card[0] == (number, role == 9), card[1] == ns, card[2] == half)
            if card
            else (not shoe.whole and seq > shoe.seq,) * 3
        )
        ordered, last = seq > last, seq
        if is_half:
            good = seq
        elif card:
            broken.append(seq)
        if ordered and defined and not any(zeros) and is_card and is_time and is_half:
            continue
        for holds, what in (
            (ordered, "it is not in the order of its record"),
            (defined and not any(zeros), "a number in it is not defined"),
            (card or is_card, f"record {seq} has no card, or one that has a row already"),
            (not card or is_card, f"its card is not that of record {seq}"),
            (not card or is_time, f"its time is not that of the input before {seq}"),
            (not card or is_half or not reached, f"its chain value is not that of record {seq}"),
        ):
            report.check(holds, shoe.name, f"row {n}: {what}", seq, at + (n - 1) * ROW.size)
    # If the chain does not reach chain_after, mismatches after the last good row are the records'.
    late = [seq for seq in broken if not reached and seq > good]
    if late or (shoe.whole and not reached):
        those = f"chain_before, chain_after or a record from {good + 1} to {[*late, shoe.seq][0]}"
        report.fail(shoe.name, f"{those} was changed", good + 1)
    for seq in shoe.cards if shoe.whole else ():
        report.fail(shoe.name, f"the card of record {seq} has no row", seq)


def check_heading(report: Report, shoe: Shoe, started: bytes) -> None:
    """Check the heading against the records."""
    times = {"from_ns": utc_ns(report, shoe.first), "until_ns": utc_ns(report, shoe.latest)}
    for key, value in ({"last_seq": shoe.seq} | times | shoe.shown).items():
        what = f"heading: {key} is {shoe.heading[key]}, but by its records {value}"
        report.check(shoe.heading[key] == value, shoe.name, what)
    found = RECORD.match(started)
    given = found is not None and is_input(started) and found[2] == b"started"
    holds = given == bool(shoe.started_seq) and given != shoe.begins_run
    report.check(holds, shoe.name, "started_seq: the record that began the run is missing")
    report.check("shoe" in shoe.shown, shoe.name, "heading: none of its records ends a shoe")
    holds = bool(shoe.state) == bool(shoe.state_software)
    report.check(holds, shoe.name, "heading: state_software does not fit the state")


def check_links(report: Report, shoes: Sequence[Shoe]) -> None:
    """Check each shoe, in the order of records, against the one before it."""
    for a, b in pairwise(shoes):
        number = a.shoe + 1 if a.gaming_day == b.gaming_day else b.shoe // 1000 * 1000 + 1
        lost = f"records {a.last_seq + 1} to {b.first_seq - 1} are missing after {a.name}"
        if b.shoe > number:
            which = f"shoe {number}" if b.shoe == number + 1 else f"shoes {number} to {b.shoe - 1}"
            lost += f" ({which} of {b.gaming_day})"
        what = f"records {b.first_seq} to {min(a.last_seq, b.last_seq)} are in {a.name}, too"
        twice = f"{what}: it is {'a copy' if a.digest == b.digest else 'extra'}"
        gap, follows = b.first_seq > a.last_seq + 1, b.first_seq == a.last_seq + 1
        run = b.begins_run or not a.whole or b.run_before == a.run
        state = not a.whole or b.state in (b"", a.state_after)
        named = f"it is shoe {b.shoe}, but {number} should follow {a.name}"
        checks = [(a.table == b.table, f"table: {b.table!r}, but {a.name} is of {a.table!r}")]
        checks += [(not gap, lost), (gap or follows, twice)]
        if follows:
            ends = f"chain_before: {a.name} ends with another"
            checks += [(b.chain_before == a.chain_after, ends), (b.shoe == number, named)]
            checks += [(run, f"its run is not the one at the end of {a.name}")]
            checks += [(state, f"its state is not the one at the end of {a.name}")]
        for holds, what in checks:
            report.check(holds, b.name, what, b.first_seq)


# --- the live part ------------------------------------------------------------------------------


class Base(NamedTuple):
    """Where a live part begins; all but number and chain value as compared with the last shoe."""

    seq: int = 0
    chain: bytes = NONE
    seal: bytes = NONE
    run: Run = (0, b"")
    state: bytes = b""


UNKNOWN, END = Base(-1, b""), (0, b"", b"")


@contextmanager
def open_database(
    report: Report, file: Path, kind: tuple[int, int]
) -> Iterator[tuple[Database, int]]:
    """Open an SQLite file for reading, without writing to it or its folder; also its size.

    The newest commits may be in a second file, -wal. If its index, -shm, is there, a table may be
    running, and the files are read in place; without the index copies of both are read.
    """
    log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
    has_log, has_index, size = os.path.lexists(log), os.path.lexists(index), 0
    options = "mode=ro" if has_log else "mode=ro&immutable=1"
    for one, most in ((file, DATABASE_MAX), (log, WAL_MAX), (index, WAL_MAX)):
        if one == file or os.path.lexists(one):
            with open_file(report, one, most) as opened:
                size += os.fstat(opened.fileno()).st_size
    with tempfile.TemporaryDirectory() as copies:
        if has_log and not has_index:
            shutil.copy(log, copies)
            file, options = Path(shutil.copy(file, copies)), "mode=rw"
        where = f"{file.absolute().as_uri()}?{options}"
        with closing(sqlite3.connect(where, uri=True, isolation_level=None)) as db:
            db.text_factory = bytes
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, RECORD_MAX)
            db.set_progress_handler(lambda: 1, SCHEMA_STEPS_MAX)  # ends an endless schema
            db.execute("BEGIN")
            (found,) = db.execute("SELECT * FROM pragma_application_id, pragma_user_version")
            if found != kind:
                what = f"application, version are {found}, of this verifier {kind}"
                raise CannotRead(f"{file.name}: it has another format: {what}")
            for (text,) in db.execute("SELECT coalesce(sql, name) FROM sqlite_schema LIMIT 9"):
                if not TABLE.fullmatch(text):
                    raise CannotRead(f"{file.name}: {text[:50]!r} is no table that it has")
            db.set_progress_handler(None, 0)
            yield db, size
            check_wal(report, *(Path(copies, file.name + end) for end in ("-wal", "-shm")))


def check_live(report: Report, file: Path, sealed: Callable[[], Sequence[Shoe]]) -> int:
    """Check the live part, and by `sealed` the shoes beside it; return the last record."""
    name = file.name
    with open_database(report, file, LIVE) as (db, size):
        base = read_base(report, name, db)
        if shoes := sealed():
            base = check_base(report, name, db, base, shoes[-1])
        elif base.seq > 0:
            report.note(f"{name}: records 1 to {base.seq} are in shoes that are not here")
        last = check_records(report, name, db, size, base)
        last = max(last, shoes[-1].last_seq if shoes else 0)
        with report.catch_damage(name, "saved state (checkpoint): unreadable"):
            for seq, started_seq, software, stored, digest, *more in db.execute(SAVED_STATE):
                binding, value = more
                state = sha256(stored.rstrip(b"\0").removesuffix(b"\x80")).digest()
                whole = base.chain if seq == base.seq else value or b""
                whole += struct.pack(">qq", seq, started_seq) + digest
                whole += sha256(stored).digest() + software
                holds = (state, sha256(whole).digest()) == (digest, binding)
                report.check(holds, name, "saved state (checkpoint): changed or misplaced", seq)
    report.progress(report.total, report.total)
    return last


def read_base(report: Report, name: str, db: Database) -> Base:
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


def check_base(report: Report, name: str, db: Database, base: Base, last: Shoe) -> Base:
    """Check the base against the last sealed shoe; return where the live records begin."""
    run, state = (last.run, last.state_after) if last.whole else (base.run, base.state)
    after = Base(last.last_seq, last.chain_after, last.digest, run, state)
    if base == UNKNOWN:
        return after
    twice = f"records {base.seq + 1} to {after.seq} are in {last.name}, too"
    if base.seq > after.seq:
        lost = f"records {after.seq + 1} to {base.seq} are missing, in one or more shoes after"
        lost += f" {last.name}: the base names the seal {base.seal.hex()[:16]}"
        report.fail(name, lost, after.seq + 1)
    elif base.seq == after.seq:
        what = f"base: its chain value, seal, run or state is not the one after {last.name}"
        report.check(base == after._replace(state=base.state and after.state), name, what)
    else:
        found = list[Any]()
        with suppress(DAMAGE):
            found = db.execute(RECORDS, (after.seq, 1)).fetchone()
        if [*(found or ())][::2] == [after.seq, after.chain] and base.seq + 1 == last.first_seq:
            report.note(f"{name}: {twice}: sealing was interrupted; the next start ends it")
            report.records -= last.last_seq - last.first_seq + 1
            report.inputs -= last.inputs
        else:
            report.fail(name, f"{twice}: it is an older {name}, or its base is", base.seq + 1)
    return base


def rows_of(db: Database, size: int, query: str, unreadable: set[int]) -> Iterator[Row]:
    """All rows in the order of their numbers; those that are unreadable are added to the set.

    `size`: the bytes that the file has. Raises CannotRead where rows repeat or overlap: the file is
    made so that reading it does not end.
    """
    wanted, most = -(2**63), -1
    while len(unreadable) < UNREADABLE_MAX and wanted < 2**63:
        rows = 0
        try:
            for seq, *values in db.execute(query, (wanted, most)):
                one, other = (value if isinstance(value, bytes) else b"" for value in values)
                size -= len(one) + len(other)
                if seq < wanted or size < 0:
                    raise CannotRead("its rows repeat or overlap")  # noqa: TRY301
                wanted, rows = seq + 1, rows + 1
                yield seq, one, other
            if most < 0 or not rows:
                return
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
    for value, what in (
        (stored, f"record {named} was changed, or records before it were removed"),
        (link(start, record), f"the chain value of record {named} was changed"),
        (start, f"record {named} is extra: {seq + 1} follows {seq - 1}"),
    ):
        if following[0] == seq + 1 and link(value, following[1]) == following[2]:
            return seq, what, value
    return seq, f"record {named} or its chain value was changed", stored


def check_records(report: Report, name: str, db: Database, size: int, base: Base) -> int:
    """Check each record of the live part against the one before it; return the last."""
    problems, unreadable, latest, log = report.failed, set[int](), b"", report.log
    last, before, previous = base.seq, b"", base.chain  # the last two chain values, if known
    report.head_hex = base.chain.hex() or report.head_hex
    leaf = bisect_left(log.seqs, base.seq + (report.shoes > 0 or not base.seq))
    leaf = log.compare(report, name, base.seq, base.chain, leaf)
    for row, following in pairwise(chain(rows_of(db, size, RECORDS, unreadable), (END,))):
        seq, record, stored = row
        lost = last + 1 if previous or last >= 0 else seq
        if lost < seq:
            which = f"record {lost} is" if lost + 1 == seq else f"records {lost} to {seq - 1} are"
            kind = "unreadable: the file is damaged" if lost in unreadable else "missing"
            report.fail(name, f"{which} {kind}", lost)
            previous = b""
            leaf = bisect_left(log.seqs, seq)
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
        leaf, before = log.compare(report, name, seq, stored, leaf), start
    if max(unreadable, default=0) > last:
        report.fail(name, f"from record {last + 1} on the file is unreadable", last + 1)
    return last


def check_wal(report: Report, log: Path, index: Path) -> None:
    """Check the log of a table that does not run: SQLite silently stops at the first damage.

    A power cut tears only the last commit; a further commit after a damaged one was durable. The
    index holds the number of frames that SQLite accepted (SQLite, "WAL-mode File Format").
    """
    if not index.exists() or len(data := log.read_bytes()) <= 32:
        return
    valid = int.from_bytes(index.read_bytes()[16:20], sys.byteorder)
    head, step, sums = data[:32], 24 + int.from_bytes(data[8:12], "big"), [0, 0]
    for n, word in enumerate(struct.unpack("<6I" if head[3:4] == b"\x82" else ">6I", head[:24])):
        sums[n % 2] = (sums[n % 2] + word + sums[1 - n % 2]) % 2**32
    commits = [
        data[at + 4 : at + 8] != bytes(4)
        for at in range(32 + valid * step, len(data) - 23, step)
        if data[at + 8 : at + 16] == head[16:24]
    ]
    if struct.pack(">2I", *sums) != head[24:] or any(commits[:-1]):
        report.fail(log.name, "damaged before its end: records stored after that place are lost")


# --- folders and bundles ------------------------------------------------------------------------


def names_below(report: Report, path: Path, top: str = "") -> list[str]:
    """The names of all regular files in a folder, or in `top` in it, with / as separator."""
    names, folders = list[str](), [top] if os.path.lexists(path / top) else []
    if top and (path / top).is_symlink():
        raise CannotRead(f"{top} is a link, which is not followed")
    while folders:
        inner = folders.pop()
        with os.scandir(path / inner) as found:
            for entry in found:
                name = inner + entry.name
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
def open_zip(report: Report, path: Path) -> Iterator[tuple[list[str], Read]]:
    """The names of the files in a .zip, and a function that reads one."""
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
            if info.compress_type not in (0, 8) or info.file_size > SHOE_MAX:
                raise ValueError("it is larger than any file of a bundle, or packed otherwise")
            report.spend(info.file_size + RECORD_WORK * 50)
            with bundle.open(info) as member:
                data = member.read(info.file_size + 1)
            if len(data) != info.file_size:
                raise ValueError("it has another size than the .zip lists")
            return data

        yield [name for name in bundle.namelist() if not name.endswith("/")], read


def check_bundle(report: Report, names: list[str], read: Read) -> None:
    """Check a bundle against its manifest, and each shoe in it by its proof."""
    name, files, there = "manifest.json", dict[str, Any](), Counter(names)
    with report.catch_damage(name, "it cannot be read"):
        plain = json.loads(read(name)[: 1 << 20].decode())
        if plain["form"] != "smartshoe-bundle-2":
            raise ValueError(f"form is {plain['form']!r}; this verifier reads smartshoe-bundle-2")
        files = dict(plain["files"])
    for one in sorted({*files, *there} - {name}):
        if there[one] > 1:
            report.fail(one, "extra: it is in the bundle more than once")
        elif one not in there or one not in files:
            what = "missing: the manifest names it" if one in files else "extra: the manifest does"
            report.fail(one, what if one in files else f"{what} not name it")
        else:
            with report.catch_damage(one, "it cannot be read"):
                holds = sha256(read(one)).hexdigest() == files[one]
                report.check(holds, one, "changed since it was listed")
    for shoe in check_sealed(report, names, read):
        proof = f"log/{shoe.gaming_day}-{shoe.shoe:04}.tlog-proof"
        with report.catch_damage(proof, "the shoe is not proven"):
            check_proof(report, shoe, proof, read)
    report.note("files outside shoes/ and log/ are not signed, only listed")


def check_proof(report: Report, shoe: Shoe, name: str, read: Read) -> None:
    """Check that a shoe is in the log with a signed head. Raises ValueError and others."""
    entry = read(name.removesuffix("tlog-proof") + "leaf")
    leaf, (proof, _, note_text) = read_map(entry, LEAF), read(name).partition(b"\n\n")
    form, index, *lines = proof.decode().split("\n")
    note = read_note(note_text)
    size, root = int(note[0].split("\n")[1]), b""
    if form == "c2sp.org/tlog-proof@v1" and index.startswith("index ") and len(lines) < 64:
        hashes = [base64.b64decode(one, validate=True) for one in lines]
        root = proven_root(int(index[6:]), size, entry, hashes)
    if note[0] != f"{shoe.table}\n{size}\n{base64.b64encode(root).decode()}\n":
        raise ValueError("its proof does not lead from its leaf to its checkpoint")
    said = leaf["kind"], leaf["seal"], leaf["gaming_day"], leaf["shoe"]
    if said != ("shoe", shoe.digest, shoe.gaming_day, shoe.shoe) or leaf["seq"] < shoe.last_seq:
        raise ValueError("its leaf is of another shoe")
    if leaf["seq"] == shoe.last_seq and leaf["chain"] != shoe.chain_after:
        raise ValueError("its leaf speaks of other records")
    report.codes[shoe.gaming_day] = short_code(note[0])
    compare_kept(report, name, note[0], size)
    if shoe.key and signed_at(report, name, note, shoe.table, shoe.key) >= 0:
        report.vouched[shoe.name] = f"head {size} signed by key {fingerprint(shoe.key)}"
    check_cosigners(report, name, note, size)
    for other in [*report.kept_heads]:
        what = f"head {other}, which was kept, cannot be compared with this bundle, of head {size}"
        report.fail(name, f"{what}: compare it with the journal")
        del report.kept_heads[other]


def check_sealed(report: Report, names: list[str], read: Read, *, live: bool = False) -> list[Shoe]:
    """Check all sealed shoes, one in memory at a time."""
    names = [name for name in names if name.startswith("shoes/")]
    if "shoes/sealing.part" in names:
        names.remove("shoes/sealing.part")
        report.note("shoes/sealing.part: an unfinished file; the next start removes it")
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
    check_links(report, shoes)
    if shoes and shoes[0].first_seq > 1:
        report.note(f"records 1 to {shoes[0].first_seq - 1} are in shoes that are not here")
    for shoe in shoes if report.log.seqs else ():
        check_shoe_leaf(report, shoe, live and shoe is shoes[-1])
    if others := len(report.log.shoes.keys() - {shoe.digest for shoe in shoes}):
        report.note(f"log.db: {counted(others, 'sealed shoe')} in it: not here")
    return shoes


def check_folder(report: Report, path: Path) -> None:
    """Check a journal's folder, or an archive: its log first, so that it names nothing newer."""
    live, shoes, log = (os.path.lexists(path / one) for one in ("live.db", "shoes", "log.db"))
    if not live and not shoes:
        raise CannotRead("it holds no live.db, no shoes/ and no manifest.json")
    if log:
        read_log(report, path / "log.db")

    def sealed() -> list[Shoe]:
        names = names_below(report, path, "shoes/")
        return check_sealed(report, names, lambda name: read_file(report, path / name), live=live)

    if live:
        last = check_live(report, path / "live.db", sealed)
        lost = report.log.shoes and not report.shoes
        what = "missing: the newest sealed shoe, which no prune takes"
        report.check(not lost, "shoes/", what)
        what = f"records {last + 1} to {report.log.newest} are missing: the log speaks of them"
        report.check(last >= report.log.newest, "live.db", what, last + 1)
    else:
        last = max((shoe.last_seq for shoe in sealed()), default=0)
        here = os.path.lexists(path / "lock")
        report.check(not here, "live.db", "missing: the records since the last seal")
    finish_log(report, last, log)


def finish_log(report: Report, last: int, here: bool) -> None:
    """Say what the log and the records that are here do not say of each other."""
    log, count = report.log, len(report.log.seqs)
    report.check(here or not report.records, "log.db", "missing: nothing shows what was changed")
    if count and last > log.newest:
        report.note(f"nothing in the log speaks of records {log.newest + 1} to {last} yet")
    if log.compared < count:
        others = counted(count - log.compared, "leaf", "leaves")
        report.note(f"log.db: {others} of {count} speak of records that are not here")


def verify(
    path: Path,
    progress: Progress = lambda done, total: None,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> Report:
    """Check what is at `path`; `progress` gets files done and total. Raises CannotRead."""
    report = Report(path, progress)
    for key in keys:
        read_key(report, key)
    for witness in witnesses:
        read_witness(report, witness)
    try:
        if path.is_dir() and os.path.lexists(path / "manifest.json"):
            names = names_below(report, path)
            check_bundle(report, names, lambda name: read_file(report, path / name))
        elif path.is_dir():
            check_folder(report, path)
        else:
            check_file(report, path)
    except DAMAGE as error:
        raise CannotRead(f"{path}: {error}") from error
    for kept in (*report.kept_codes, *(f"head {size}" for size in report.kept_heads)):
        report.fail("", f"witness: no head that is here is the one of {kept}, which was kept")
    return report


def check_file(report: Report, path: Path) -> None:
    """Check a sealed shoe, a live part, or a packed bundle."""
    with open_file(report, path, DATABASE_MAX) as file:
        begins = file.read(8)
    if path.suffix == ".shoe" or begins == b"SMSHSEAL":
        shoe = check_shoe(report, path.name, read_file(report, path))
        if shoe and shoe.key:
            report.vouched[""] = f"sealed by key {fingerprint(shoe.key)}"
    elif begins.startswith(b"PK"):
        with open_zip(report, path) as (names, read):
            check_bundle(report, names, read)
    else:
        check_live(report, path, tuple)


def read_witness(report: Report, witness: str) -> None:
    """Note what somebody kept elsewhere, a short code or a checkpoint. Raises CannotRead."""
    if CODE.fullmatch(witness):
        report.kept_codes.add("-".join(wrap(re.sub("[- ]", "", witness.upper()), 5)))
        return
    try:
        text = read_note(read_file(report, Path(witness), NOTE_MAX))[0]
        report.kept_heads[int(text.split("\n")[1])] = text
    except DAMAGE as error:
        what = f"neither a short code nor a file with a checkpoint: {error}"
        raise CannotRead(f"{witness}: {what}") from error


# --- the program --------------------------------------------------------------------------------


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def printable(text: str) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def who_vouches(report: Report) -> str:
    """Whose signatures speak for the evidence."""
    if report.unchecked:
        return "signatures were NOT checked: the library `cryptography` is not installed"
    known = report.keys or report.cosigners
    found = "; ".join([*report.vouched.values()][:9]) or "nobody signed it"
    more = "" if known or not report.vouched else ", for which nothing here vouches (--key)"
    return found + more


def report_lines(report: Report, most: int = 50) -> list[str]:
    """The report, line by line; at most `most` problems and files. No line commands a terminal."""
    verdict = "intact" if report.intact else "NOT INTACT"
    lines = [f"{verdict}: {report.path}: {who_vouches(report)}"]
    lines += [f"  {problem}" for problem in report.problems[:most]]
    if report.failed > most:
        more = counted(report.failed - most, "more problem")
        lines += [f"  and {more}; --json lists {PROBLEMS_MAX}"]
    if len(report.files) <= most:
        lines += [f"  {name}: {state}" for name, state in report.files.items()]
    parts = f"{counted(report.inputs, 'input')}, {counted(report.entries, 'entry', 'entries')}"
    records = counted(report.records, "record")
    lines += [f"  {counted(report.shoes, 'sealed shoe')}; {records}: {parts}"]
    if report.sound_after:
        lines += [f"  after the first problem: {counted(report.sound_after, 'more intact record')}"]
    lines += [f"  {note}" for note in report.notes]
    lines += [f"  short code of {day}: {code}" for day, code in report.codes.items()]
    lines += [f"  head {report.head_hex}", *LIMITS.splitlines()]
    return [printable(line) for line in lines]


def as_json(report: Report) -> dict[str, Any]:
    values: dict[str, Any] = {"path": str(report.path), "intact": report.intact}
    values |= {"head": report.head_hex, "vouched": who_vouches(report)}
    values |= {"signatures_checked": not report.unchecked, "problem_count": report.failed}
    for key in ("records", "inputs", "entries", "shoes", "sound_after", "notes", "files", "codes"):
        values[key] = getattr(report, key)
    return values | {"problems": [asdict(problem) for problem in report.problems]}


def main() -> int:
    about = "Check that a table's evidence is complete and unchanged. No file is changed."
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=EXAMPLES, formatter_class=form)
    parser.add_argument("path", type=Path, help="journal, archive, live.db, .shoe, or bundle")
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--key", type=Path, **many, help="public key that may sign; repeatable")
    parser.add_argument("--witness", **many, help="short code, or checkpoint, kept elsewhere")
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
