"""The regulator's verifier: is a table's evidence complete and unchanged? `--help` shows its use.

Checks sealed shoes, the evidence log over them, the live part and bundles; names what is missing or
changed, and where. Needs only this file and Python 3.11, and `cryptography` to check signatures.
Shares no code with the program that wrote the files, so that no mistake hides in both. Not: whether
records, rows and cards obey the rules (`smartshoe audit --deep`).
Source: FIPS 180-4 (SHA-256), RFC 1950 (zlib), MessagePack, RFC 6962, C2SP signed-note, tlog-
checkpoint, tlog-proof and tlog-cosignature, RFC 8032, 8410, 5480, 4648.
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
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
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
LEAVES_MAX, LOG_SHOES_MAX, NOTE_MAX, SIGNATURES_MAX = 8_000_000, 1 << 17, 1 << 16, 64
MISPLACED_MAX = 10_000
NAMES_MAX, BUNDLE_MAX, FILES_MAX, LIST_MAX = 1 << 16, 8 << 20, 1 << 12, 1 << 20
WORK_MAX, WORK_PER_BYTE, RECORD_WORK = 1_500_000_000, 120, 1_000
PLAIN_WORK, DEEP_MAX = 500, 64
PROBLEMS_MAX, NOTES_MAX, TEXT_MAX, WAL_TRIES = 5_000, 1_000, 600, 20
NONE, TRAILER, INPUT, DAMAGE = bytes(32), 97, b"\x92\xa2in", Exception  # damage raises anything
DAMAGED = 'see docs/damaged-journal.md, "The journal is damaged"'
# What SQLite says of no damage: no right, busy, locked, no memory, too much work, not opened.
NOT_DAMAGE, WAL_MAGIC = (3, 5, 6, 7, 9, 14), {b"7\x7f\x06\x82": "<8I", b"7\x7f\x06\x83": ">8I"}
# Application and formats of live.db and log.db.
LIVE, LOG = (0x534D5348, 5, 6), (0x534D534C, 1, 2)
OPEN = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
HEAD, ROW_BYTES = struct.Struct(">8sHHIIQQ"), 64
TYPES = {"s": str, "i": int, "b": bytes, "?": bool}
# The fields of a heading and of a leaf in order, each after the letter of its type.
HEADING = """stable ssoftware sgaming_day ishoe ifirst_seq ilast_seq bchain_before bchain_after
    ifrom_ns iuntil_ns salgorithm bsigner istarted_seq sstate_software iopened_seq ?clean sbatch
    sback idecks icoups iirregularities"""
LEAF = "skind iseq bchain iat_ns sgaming_day ishoe bseal bnext_key bkey bwitness_key sperson"
PROOFS = {"pin": "proved by PIN", "account": "proved by the account of the machine"}
FIRST, UNSIGNED = ("commissioned", "begun-anew"), ("coup", "decision", "records")
PLAIN = ("start", "stop", "shoe", "opening", "burn", "irregularity", *UNSIGNED)
KEY_NAMED, LAST = (*FIRST, "restored", "key"), ("revoked", "retired")
MARKED = (*KEY_NAMED, "revoked", "shoe")
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
# A table that a file may have: no view, index or computed column, so that reading it ends.
TABLE = re.compile(
    rb"CREATE TABLE \w+\(\w+ INTEGER PRIMARY KEY(?: CHECK \(only = 1\))?"
    rb"(?:, \w+ (?:INTEGER|BLOB|TEXT)(?: NOT NULL)?)+\)"
)
# The first byte of bytes, positive and negative integers, texts; further ones; least in one byte.
FORMS = ((0xC4, range(3), 0), (0xCC, range(4), 128), (0xD0, range(4), 32), (0xD9, range(3), 32))
# Of what coup.json states, what begins or ends a coup, and what is said of one later.
COUP_FORM, COUP_MAX, FLOATS = "smartshoe-coup-1", 4 << 20, {0xCA: ">f", 0xCB: ">d"}
LATER = ("resolution-recorded", "coup-corrected")
DECODED = ("coup-closed", "coup-payment", *LATER)
RECORDS = "SELECT seq, record, chain FROM records ORDER BY seq"
LEAVES = "SELECT number, entry, note FROM leaves LEFT JOIN heads ON size = number + 1 ORDER BY 1"
Database = sqlite3.Connection
Progress = Callable[[int, int], None]
NO_BAR: Progress = lambda done, total: None  # noqa: E731
Leaf = dict[str, Any]
Note = tuple[str, dict[tuple[str, bytes], bytes]]  # text; signatures by name and id of their keys
KeptShoe = namedtuple(  # what is kept of a sealed shoe until all files are read
    "KeptShoe",
    "name table gaming_day shoe first_seq last_seq chain_before chain_after digest key",
)


class CannotRead(ValueError):
    """The path holds nothing that this verifier can read, or too much; the message says why."""


class OtherFormat(BaseException):
    """A file has a format that this verifier does not read: no damage."""


class TooMuchWork(BaseException):
    """The files are made to take more work than files of their size can need: no mere damage."""


def require(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(what)


def damage(error: Exception) -> Exception:
    """The same error: damaged data raised it. Raises TooMuchWork where memory was short."""
    if isinstance(error, MemoryError):
        raise TooMuchWork("there is not enough memory to check it") from error
    return error


def fingerprint(key: bytes) -> str:
    """Of a key with the number of its algorithm before it."""
    return " ".join(wrap(sha256(key[1:]).hexdigest(), 8))


def short_code(text: str) -> str:
    return "-".join(wrap(base64.b32encode(sha256(text.encode()).digest()).decode()[:20], 5))


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value: SHA-256 of the previous one, the record's length (8 bytes), the record."""
    return sha256(previous + len(record).to_bytes(8) + record).digest()


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
        ((kind, least),) = ((one, least) for one, forms, least in FORMS if first - one in forms)
        size, signed = 1 << (first - kind), kind == 0xD0
        n, at = int.from_bytes(data[at : at + size], signed=signed), at + size
        least = least if size == 1 else 1 << 4 * size - signed
        require((~n if signed else n) >= least, "in a longer form than needed")
    end = at if kind in (0xCC, 0xD0) else at + n
    require(end <= len(data), "cut short")
    return (data[at:end] if kind == 0xC4 else data[at:end].decode() if kind == 0xD9 else n), end


def read_map(data: bytes, fields: str) -> dict[str, Any]:
    """The MessagePack map with exactly these fields in their order. Raises like read_value()."""
    wanted, found = fields.split(), dict[str, Any]()
    size = len(wanted)
    head = bytes((0x80 | size,)) if size < 16 else b"\xde" + size.to_bytes(2)
    at = len(head) if data.startswith(head) else len(data)
    for one in wanted:
        key, at = read_value(data, at)
        found[key], at = read_value(data, at)
        holds = key == one[1:] and type(found[key]) is TYPES[one[0]]
        require(holds, f"its field {one[1:]} is missing, or of another type")
    require(at == len(data), "it has extra bytes")
    return found


def read_plain(data: bytes, at: int, deep: int = 0) -> tuple[Any, int]:
    """The MessagePack value at `at` as JSON has it, bytes as hex digits; the offset after it."""
    first, many = data[at], 0
    require(deep < DEEP_MAX, "nested deeper than any record")
    if first == 0xC0:
        return None, at + 1
    if first in FLOATS:
        form = struct.Struct(FLOATS[first])
        return form.unpack_from(data, at + 1)[0], at + 1 + form.size
    if 0x80 <= first < 0xA0:
        many, at = first & 15, at + 1
    elif 0xDC <= first <= 0xDF:
        size = 2 if first in (0xDC, 0xDE) else 4
        many, at = int.from_bytes(data[at + 1 : at + 1 + size]), at + 1 + size
    else:
        value, at = read_value(data, at)
        return (value.hex() if isinstance(value, bytes) else value), at
    found = list[Any]()
    is_map = first < 0x90 or first >= 0xDE
    for _ in range(many << is_map):
        value, at = read_plain(data, at, deep + 1)
        found.append(value)
    return (dict(zip(found[::2], found[1::2], strict=True)) if is_map else found), at


def unique(pairs: list[tuple[str, Any]]) -> Leaf:
    """A JSON object of these pairs; two readers could read two of one name differently."""
    require(len(dict(pairs)) == len(pairs), "a name is there twice")
    return dict(pairs)


def cited_in(plain: Leaf) -> set[str]:
    """The clauses that an object itself cites."""
    return {str(one) for name in ("clauses", "charged_by") for one in plain.get(name) or ()}


def differences(place: str, stated: Any, said: Any) -> Iterator[str]:
    """The places at which something is stated otherwise than said, each with its path.

    Of the clauses that it cites an object may also state which are borrowed, and by what decision.
    """
    if isinstance(stated, dict) and isinstance(said, dict):
        borrowed = stated.get("borrowed", {}) if "borrowed" not in said else {}
        if borrowed and isinstance(borrowed, dict) and borrowed.keys() <= cited_in(said):
            stated = {name: value for name, value in stated.items() if name != "borrowed"}
        for name in {**said, **stated}:
            inner = f"{place}.{name}" if place else name
            if name in stated and name in said:
                yield from differences(inner, stated[name], said[name])
            else:
                yield inner
    elif isinstance(stated, list) and isinstance(said, list) and len(stated) == len(said):
        for number, (one, other) in enumerate(zip(stated, said, strict=True)):
            yield from differences(f"{place}[{number}]", one, other)
    elif type(stated) is not type(said) or stated != said:
        yield place


class CoupEntry(NamedTuple):
    """An entry of the sealed shoes; `value` and `at` where they are needed, `own`: of its shoe.

    `corrects`: concluded from a request to correct a coup, maybe another.
    """

    seq: int
    kind: str
    own: bool
    corrects: bool
    value: Leaf
    at: str


class StatedCoup:
    """What a bundle's coup.json states, and the records that must say the same, as they pass by.

    `file`: the sealed shoe of the coup. `unproven`: records it states that are not sealed yet.
    """

    def __init__(self, data: bytes) -> None:
        self.stated = json.loads(data, object_pairs_hook=unique)
        day, shoe, coup = self.stated["coup"].split("/")
        self.place, self.number = (day, int(shoe)), int(coup)
        self.file = f"shoes/{day}/{int(shoe):04}.shoe"
        self.listed = {one["record"]: one for one in self.stated["happenings"]}
        self.entries, self.unproven, self.last = list[CoupEntry](), list[int](), 0
        self.newest, self.reading = b"", ""

    def take(self, file: str, seq: int, record: bytes) -> int:
        """Take in a record of a sealed file, and return the work that it was."""
        if file != self.reading:
            self.newest, self.reading = b"", file
        self.last = max(self.last, seq)
        if record.startswith(INPUT):
            self.newest = record
            return 0
        key = 8 if record[5:6] == b"\xde" else 6  # after the mark of an entry, and that of a map
        kind = read_value(record, key + 5)[0] if record[key : key + 5] == b"\xa4type" else ""
        own, value, at, work = file == self.file, Leaf(), "", 0
        if seq in self.listed or kind in DECODED or (own and b"\xacirregularity" in record):
            value, work = read_plain(record, 0)[0][1], len(record) * PLAIN_WORK
        if seq in self.listed:
            at, work = self.time_of_newest(), work + len(self.newest) * PLAIN_WORK
        if own or kind in LATER:
            corrects = b"\xaccorrect-coup" in self.newest
            self.entries.append(CoupEntry(seq, kind, own, corrects, value, at))
        return work

    def time_of_newest(self) -> str:
        """When the input before an entry arrived, as coup.json writes it."""
        if not self.newest:
            return time_text(0)
        plain = read_plain(self.newest, 0)[0][1]
        runs = plain["chunks"] if plain["type"] == "chunk-run" else [(0, 0, "")]
        return time_text(plain["at"]["utc_ns"] + runs[-1][1])

    def problems(self, table: str, provisional: bool) -> Iterator[str]:
        """What it states otherwise than the records, or leaves out. Raises ValueError, others."""
        here = {one.seq: one for one in self.entries}
        closing = [one for one in self.entries if one.own and self.closes(one) == self.number]
        require(closing, "no record of its shoe closes this coup")
        closed = closing[0]
        for seq in self.listed:
            if seq in here:
                continue
            says = self.listed[seq].get("says", {})
            if provisional and seq > self.last and says.get("type") in LATER:
                self.unproven.append(seq)
            else:
                yield f"happenings: no record {seq} is in the sealed shoes"
        record = closed.value["record"]
        numbers = {*record["irregular"]} | {
            found["number"] for one in self.entries for found in irregularities(one, self.number)
        }
        due, allowed = self.due(closed, numbers)
        for seq in sorted(due - self.listed.keys()):
            yield f"happenings: record {seq} ({here[seq].kind}) is left out"
        for seq in sorted((self.listed.keys() & here.keys()) - allowed) if allowed else ():
            yield f"happenings: record {seq} is of no happening of this coup"
        yield from differences("", self.stated, self.said(here, closed, numbers, table))

    def closes(self, one: CoupEntry) -> int:
        """The number of the coup of this shoe that an entry closes; 0: none."""
        of = one.value["record"] if one.kind == "coup-closed" else {}
        return int(of["coup"]) if of and of["shoe"] == self.place[1] else 0

    def is_about(self, one: CoupEntry, numbers: set[int]) -> bool:
        """Whether an entry must be among the happenings, whenever it was stored."""
        value = one.value
        if one.kind == "resolution-recorded":
            return not numbers.isdisjoint(value["closed"])
        if one.kind in ("coup-corrected", "coup-payment"):
            place = value["gaming_day"], value["shoe"], value["coup"]
            return place == (*self.place, self.number)
        return self.closes(one) == self.number or any(irregularities(one, self.number))

    def due(self, closed: CoupEntry, numbers: set[int]) -> tuple[set[int], set[int]]:
        """The records that must be among the happenings, and those that may be; none: any may.

        The entries from the end of the coup before to what follows from its own end, unless cards
        of other coups were dealt meanwhile, while play was suspended.
        """
        about = {one.seq for one in self.entries if self.is_about(one, numbers)}
        own = [one for one in self.entries if one.own]
        drawn = (seq for seq, one in self.listed.items() if is_card(one.get("says")))
        first, begins = min(drawn, default=closed.seq), 0
        ends = next_event(own, closed.seq)
        for one in own:
            if one.seq >= first:
                break
            if 0 < self.closes(one) < self.number:
                begins = next_event(own, one.seq)
            elif one.kind in ("shoe-opened", "burn-done"):
                begins = one.seq + 1
        between = [one for one in own if min(begins, first) <= one.seq < ends]
        others = [one for one in between if 0 != self.closes(one) != self.number]
        dealt = [one for one in between if one.value.get("cards_dealt")]
        if others or dealt or closed.value["record"]["suspended_cards"]:
            return about, set()
        within = {
            one.seq
            for one in between
            if one.kind not in ("state-digest", "coup-closed", "coup-payment")
        }
        # A request to correct a coup is of the one that it names, whenever it came.
        free = {one.seq for one in own if one.corrects}
        return about | within - free, about | within | free

    def said(
        self, here: dict[int, CoupEntry], closed: CoupEntry, numbers: set[int], table: str
    ) -> Leaf:
        """What the records say in the place of coup.json; of one not sealed yet, what it states."""
        entries = [
            here.get(seq)
            or CoupEntry(seq, one["says"]["type"], False, False, one["says"], one["at"])
            for seq, one in self.listed.items()
            if seq in here or seq in self.unproven
        ]
        corrections = [
            one for one in entries if one.kind == "coup-corrected" and self.is_about(one, numbers)
        ]
        raised = (
            found["number"]
            for one in entries
            for found in irregularities(one)
            if found["coup"] == self.number
            or found["number"] in closed.value["record"]["irregular"]
        )
        return {
            "form": COUP_FORM,
            "coup": "/".join(map(str, (*self.place, self.number))),
            "table": table,
            "closed": {"record": closed.seq, "says": closed.value},
            "irregularities": [*raised],
            "decisions": [one.seq for one in entries if one.kind == "resolution-recorded"],
            "corrected": corrections[-1].value["outcome"] if corrections else None,
            "corrections": [one.seq for one in corrections],
            "happenings": [
                {"record": one.seq, "at": one.at, "says": one.value}
                for one in sorted(entries, key=lambda one: one.seq)
            ],
        }


def irregularities(one: CoupEntry, coup: int = -1) -> list[Leaf]:
    """The irregularities that an entry raises; only those of a coup where one is given."""
    verdicts = one.value.get("verdicts", ()) if one.kind == "event-verdicts" else ()
    found = [each for each in verdicts if each["type"] == "irregularity"]
    return [each for each in found if coup in (-1, each["coup"])]


def is_card(says: Any) -> bool:
    event = says.get("event") if isinstance(says, dict) else None
    return isinstance(event, dict) and event.get("type") == "card-drawn"


def next_event(entries: Sequence[CoupEntry], seq: int) -> int:
    """The next record of verdicts: until then everything follows from record `seq`."""
    later = (one.seq for one in entries if one.seq > seq and one.kind == "event-verdicts")
    return next(later, 1 << 63)


def time_text(utc_ns: int) -> str:
    if not 0 <= utc_ns < 1 << 63:
        return f"{utc_ns} ns"
    return f"{datetime.fromtimestamp(utc_ns // 10**9, UTC):%Y-%m-%dT%H:%M:%S}.{utc_ns % 10**9:09}Z"


def key_id(name: str, key: bytes) -> bytes:
    """By which a note names a key, given with the number of its type before it."""
    named = KEY_HEADS[b"\2"] + key[1:] if key[:1] == b"\2" else name.encode() + b"\n" + key
    return sha256(named).digest()[:4]


def read_note(data: bytes) -> Note:
    """The text of a signed note and its signatures. Raises ValueError."""
    text, mark, rest = data.decode().rpartition("\n\n")
    signatures, found = rest.split("\n"), dict[tuple[str, bytes], bytes]()
    whole = mark and not signatures.pop() and len(data) <= NOTE_MAX
    require(whole and len(signatures) <= SIGNATURES_MAX, "it is no signed note, or larger than any")
    for one in signatures:
        line = SIGNATURE.fullmatch(one)
        name, signed = (line[1], base64.b64decode(line[2], validate=True)) if line else ("", b"")
        holds = len(signed) > 4 and (name, signed[:4]) not in found
        require(holds, "a line of its signatures is none, or is there twice")
        found[name, signed[:4]] = signed[4:]
    return f"{text}\n", found


def add_leaf(roots: list[tuple[int, bytes]], entry: bytes) -> bytes:
    """Add a leaf to the roots of the full subtrees, with their heights; return the tree's root."""
    height, found = 0, sha256(b"\0" + entry).digest()
    while roots and roots[-1][0] == height:
        height, found = height + 1, sha256(b"\1" + roots.pop()[1] + found).digest()
    roots.append((height, found))
    for _, left in reversed(roots[:-1]):
        found = sha256(b"\1" + left + found).digest()
    return found


def proven_root(index: int, size: int, entry: bytes, proof: Sequence[bytes]) -> bytes:
    """The root to which a proof leads from a leaf; empty if it has another length."""
    found, last = sha256(b"\0" + entry).digest(), size - 1
    for one in proof:
        if index & 1 or index == last:
            found = sha256(b"\1" + one + found).digest()
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            found = sha256(b"\1" + found + one).digest()
        index, last = index >> 1, last >> 1
    return b"" if last or index else found


class EvidenceProblem(NamedTuple):
    """One problem: in `file`, at or near record `seq` (0: none)."""

    seq: int
    what: str
    file: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.what}" if self.file else self.what


def wal_damaged(wal: int, head: bytes, index: bytes) -> bool:
    """Whether a -wal with this head holds commits after the frames of which its index speaks.

    One commit may be torn: it was never acknowledged. (SQLite, "WAL-mode File Format".)
    """
    size, order = os.fstat(wal).st_size, WAL_MAGIC.get(head[:4], "")
    if size <= len(head):
        return False
    first = second = 0
    words = struct.unpack(order, head)[:6] if order else ()
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = first + one + second & 0xFFFFFFFF
        second = second + other + first & 0xFFFFFFFF
    if not order or struct.pack(">2I", first, second) != head[24:]:
        return True
    if head[16:24] != index[32:40]:  # it was copied into the database, and is begun again
        return False
    frame, commits = 24 + int.from_bytes(head[8:12]), 0
    valid = int.from_bytes(index[16:20], sys.byteorder)
    for at in range(32 + valid * frame, size - 23, frame):
        one = os.pread(wal, 24, at)
        if one[8:16] == head[16:24]:  # else it is left over from an earlier log in this file
            if commits:
                return True
            commits += one[4:8] != bytes(4)
    return False


class VerifyReport:
    """The result of a verification, filled in while it runs.

    `head_hex`: the last chain value. `codes`: short codes by gaming day. `files`: a line on each
    sealed file. `vouched`: who signed what, for the first line. `keys`, `cosigners`, `kept_codes`,
    `kept_heads`: who is trusted, and what was kept elsewhere. `failed`: problems, listed or not.
    `folder`, `file`: what is checked now. `coup`, `coup_json`: of a bundle, and whether it agrees.
    """

    def __init__(self, path: Path, progress: Progress = NO_BAR) -> None:
        self.path, self.folder, self.file, self.progress = path, path, "", progress
        self.head_hex, self.intact, self.unchecked, self.total = NONE.hex(), True, False, 1
        self.records = self.inputs = self.shoes = self.failed = self.work = 0
        self.problems, self.notes = list[EvidenceProblem](), list[str]()
        self.codes, self.files, self.vouched = dict[str, str](), dict[str, str](), dict[str, str]()
        self.coup: StatedCoup | None = None
        self.coup_json = ""
        self.keys, self.cosigners = set[bytes](), list[tuple[str, bytes]]()
        self.kept_codes, self.kept_heads = set[str](), dict[int, str]()

    def check(self, holds: object, what: str, seq: int = 0) -> None:
        if not holds:
            self.failed, self.intact = self.failed + 1, False
            if self.failed <= PROBLEMS_MAX:
                self.problems.append(EvidenceProblem(seq, what[:TEXT_MAX], self.file))

    def note(self, text: str) -> None:
        if len(self.notes) < NOTES_MAX:
            self.notes.append(text[:TEXT_MAX])

    def spend(self, work: int) -> None:
        """Count work before it is done. Raises TooMuchWork."""
        self.work += work
        if self.work > WORK_MAX:
            raise TooMuchWork("it takes more work than evidence of its size can need")

    @contextmanager
    def checking(self, file: str, what: str) -> Iterator[None]:
        """Check `file` in the block; if damaged data ends it with an error, that is a problem."""
        self.file = file
        try:
            yield
        except DAMAGE as error:
            self.check(False, f"{what}: {damage(error)}")

    def open(self, path: Path, most: int) -> BinaryIO:
        """Open a regular file of at most `most` bytes; no link is followed. Raises CannotRead."""
        status, name = os.lstat(path), path.name
        link, regular = stat.S_ISLNK(status.st_mode), stat.S_ISREG(status.st_mode)
        if not regular or status.st_size > most:
            size = f"it has {status.st_size} bytes; {most} are read"
            what = "a link, which is not followed" if link else "it is not a regular file"
            raise CannotRead(f"{name}: {size if regular else what}")
        self.work -= WORK_PER_BYTE * status.st_size
        return os.fdopen(os.open(path, OPEN), "rb")

    def read(self, path: Path, most: int = SHOE_MAX) -> bytes:
        with self.open(path, most) as file:
            return file.read(most)

    def trust_key(self, path: Path) -> None:
        """Trust the public key in a file: of a table, or of a witness. Raises CannotRead."""
        try:
            text = self.read(path, SMALL_MAX).decode("ascii")
            if vkey := VKEY.fullmatch(text):
                key = base64.b64decode(vkey[3])
                known = key[:1] in (b"\1", b"\4") and key_id(vkey[1], key).hex() == vkey[2]
                self.cosigners.append((vkey[1], key))
            else:
                mark, data = text.split("-----")[1], base64.b64decode(text.split("-----")[2])
                ((n, head),) = (one for one in KEY_HEADS.items() if data.startswith(one[1]))
                known = mark == "BEGIN PUBLIC KEY" and len(data) in (44, 91)
                self.keys.add(n + data[len(head) :])
            require(known, "not of Ed25519 or P-256; `smartshoe keys show` writes one")
        except DAMAGE as error:
            raise CannotRead(f"{path}: not a public key: {error}") from error

    def read_witness(self, witness: str) -> None:
        """Note what somebody kept elsewhere, a short code or a checkpoint. Raises CannotRead."""
        if CODE.fullmatch(witness):
            self.kept_codes.add("-".join(wrap(re.sub("[- ]", "", witness.upper()), 5)))
            return
        try:
            text = read_note(self.read(Path(witness), NOTE_MAX))[0]
            self.kept_heads[int(text.split("\n")[1])] = text
        except DAMAGE as error:
            what = f"neither a short code nor a file with a checkpoint: {error}"
            raise CannotRead(f"{witness}: {what}") from error

    def compare_kept(self, text: str, size: int) -> None:
        """Compare a head with what somebody kept elsewhere."""
        if self.kept_codes and (code := short_code(text)) in self.kept_codes:
            self.kept_codes.remove(code)
            self.note(f"witness: {code} is the short code of head {size}")
        if kept := self.kept_heads.pop(size, ""):
            self.check(kept == text, f"witness: head {size} is another than the one kept")
            self.note(f"witness: head {size} was compared with the one kept")

    def holds(self, key: bytes, signature: bytes, data: bytes) -> bool:
        """Whether a signature holds; True where that cannot be checked, which is then said."""
        try:
            from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - may be absent
            from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils  # noqa: PLC0415
        except ImportError:
            self.unchecked = True
            return True
        try:
            if key[:1] == b"\2":
                if len(signature) == 64:  # in a seal two numbers, else in DER
                    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:])
                    signature = utils.encode_dss_signature(r, s)
                point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key[1:])
                point.verify(signature, data, ec.ECDSA(hashes.SHA256()))
            else:
                ed25519.Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature, data)
        except DAMAGE as error:
            return damage(error) is None
        return True

    def signed_at(self, note: Note, name: str, key: bytes) -> int:
        """When a witness signed a note; 0: the key of a table did; -1: nobody, or wrongly."""
        text, at = note[0], 0
        signature = note[1].get((name, key_id(name, key))) if key else None
        if signature is None:
            return -1
        if key[:1] == b"\4":
            at, signature = int.from_bytes(signature[:8]), signature[8:]
            text = f"cosignature/v1\ntime {at}\n{text}"
        holds, size = self.holds(key, signature, text.encode()), note[0].split("\n")[1]
        self.check(holds, f"head {size}: a signature of {name} does not hold")
        return at if holds else -1

    def check_cosigners(self, note: Note, size: int) -> None:
        """Check the signatures of those witnesses whose keys were given."""
        for name, key in self.cosigners:
            if (at := self.signed_at(note, name, key)) >= 0:
                self.vouched[name] = (
                    f"head {size} cosigned by {name}, {datetime.fromtimestamp(at, UTC):%F %T} UTC"
                )


class LogVerifier(VerifyReport):
    """Checks an evidence log by itself, and compares records and sealed files with its leaves.

    `seqs`, `halves`: record, and 16 bytes of its chain value, of each leaf; `at`: the next to
    compare. `misplaced`: by leaf, the one before it that speaks of a later record; `late`: these
    leaves by record, in `seqs` they repeat that one. `sealed`: record, day, number, how many keys
    there were, by seal. `log_keys`: the table's, the newest last. `signed`: the last head that it
    signed; `unsigned`: how many it lacks.
    """

    def __init__(self, path: Path, progress: Progress = NO_BAR) -> None:
        super().__init__(path, progress)
        self.origin, self.leaf, self.roots = "", Leaf(), list[tuple[int, bytes]]()
        self.seqs, self.halves, self.retired = array("q"), bytearray(), False
        self.misplaced, self.late = dict[int, int](), dict[int, list[tuple[int, bytes]]]()
        self.unlike, self.newest_leaf = set[int](), 0
        self.marked = list[tuple[int, bytes]]()
        self.sealed = dict[bytes, tuple[int, str, int, int]]()
        self.log_keys, self.revoked, self.witness_key = list[bytes](), set[bytes](), b""
        self.newest = self.newest_seal = self.kept = self.signed = self.unsigned = 0
        self.compared = self.at = 0

    def read_log(self) -> None:
        """Check the log by itself: its leaves, its tree, and who signed each head."""
        self.kept, failed, sizes = max(self.kept_heads, default=0), self.failed, None
        file = self.folder / "log.db"
        with self.checking(file.name, "it cannot be read"), self.database(file, LOG) as opened:
            for number, entry, stored in self.rows_of(*opened, LEAVES):
                if number != len(self.seqs) or number == LEAVES_MAX:
                    break
                with self.checking(file.name, f"leaf {number}, or the head after it"):
                    self.add_leaf(entry, read_note(stored))
                if len(self.seqs) == number:
                    return
            else:
                heads = "SELECT min(size), max(size), count(*) FROM heads"
                sizes = opened[0].execute(heads).fetchone()
                self.check_marks(opened[0])
        n = len(self.seqs)
        whole = (n and sizes == (1, n, n)) or self.failed > failed
        self.check(whole, f"leaf {n} or a head is missing, or there are too many")
        if self.unsigned:
            what = "after a start, stop or shoe are not signed by the table's key"
            self.note(f"log.db: {counted(self.unsigned, 'head')} {what}")
        for key in sorted({*self.log_keys} - {b"", *self.keys}) if self.keys else ():
            self.check(False, f"key {fingerprint(key)}, which is not trusted, was the table's")
        self.check(any(self.log_keys) or not self.keys, "nobody signed it")
        if self.keys & self.revoked:
            self.note("a key that is trusted here was revoked: see the leaf that says so")
        if self.signed:
            who = f"head {self.signed} of {n} signed by key {fingerprint(self.log_keys[-1])}"
            self.vouched = {"": who, **self.vouched}

    def check_marks(self, db: Database) -> None:
        """Check that format 2 marks the leaves that a table looks for, and no other."""
        (form,) = db.execute("PRAGMA user_version").fetchone()
        rows = db.execute("SELECT * FROM marks ORDER BY 1") if form > 1 else iter(self.marked)
        whole = all(next(rows, None) == one for one in self.marked) and next(rows, None) is None
        self.check(whole, "the marks are not those of its leaves")

    def add_leaf(self, entry: bytes, note: Note) -> None:
        """Check the next leaf, and the head after it. Raises ValueError and others."""
        size, proof = len(self.seqs) + 1, entry[:1] == b"\x8c"
        leaf = read_map(entry, LEAF + " sproof" * proof)
        self.origin = self.origin or note[0].partition("\n")[0]
        root = base64.b64encode(add_leaf(self.roots, entry)).decode()
        head = f"{self.origin}\n{size}\n{root}\n"
        require(note[0] == head, "the head is not that of the leaves: one of them was changed")
        self.check_leaf(leaf, size - 1)
        self.check_head(leaf, note, size)
        self.compare_kept(head, size)
        if leaf["kind"] in MARKED:
            self.marked.append((size - 1, leaf["kind"].encode()))
        if leaf["kind"] == "shoe":
            self.codes[leaf["gaming_day"]] = short_code(head)
        self.leaf, n, half = leaf, size - 1, leaf["chain"][:16]
        if n in self.misplaced:
            self.late.setdefault(leaf["seq"], []).append((n, half))
            half = self.halves[-16:]
        self.halves += half
        self.seqs.append(self.newest)

    def check_leaf(self, leaf: Leaf, n: int) -> None:
        """Check what leaf `n` says against the leaves before it. Raises ValueError."""
        kind, seq, seal, key = leaf["kind"], leaf["seq"], leaf["seal"], leaf["key"]
        holds = (n == 0) == (kind in FIRST) and len(self.sealed) < LOG_SHOES_MAX
        holds = holds and kind in (*PLAIN, *KEY_NAMED, *LAST)
        require(holds, f"{kind!r} is nothing that it may say")
        require(not self.retired, "the table was retired by the leaf before")
        holds = key not in self.revoked and (kind != "revoked" or key in self.log_keys[:-1])
        require(holds, "its key is revoked, or none that the table had before")
        late = 0 < seq < self.newest and kind in ("start", "coup", "decision")
        late = late and len(self.misplaced) < MISPLACED_MAX
        holds = len(leaf["chain"]) == len(leaf["next_key"]) == 32 and (late or seq >= self.newest)
        if late:  # versions before 0.11 could write it
            self.misplaced[n] = self.newest_leaf
        else:
            self.newest_leaf = n
        require(holds and (seq or leaf["chain"] == NONE), "it cannot follow the leaf before")
        holds = (kind == "shoe") == (len(seal) == 32) and seal not in self.sealed
        require(holds, "its seal is none, or one that another leaf names")
        self.retired, self.newest = kind == "retired", max(seq, self.newest)
        self.revoked |= {key} if kind == "revoked" else set()
        self.compared += not seq
        if seal:
            self.sealed[seal] = seq, leaf["gaming_day"], leaf["shoe"], len(self.log_keys)
            self.newest_seal = seq
        elif kind not in (*PLAIN, "commissioned"):
            named = f"; key {fingerprint(key)}" if key else ""
            known = PROOFS.get(leaf.get("proof", ""), "not proved")
            by = f"{leaf['person']} ({known})" if leaf["person"] else "nobody who is named"
            when = f"{datetime.fromtimestamp(leaf['at_ns'] // 10**9, UTC):%F %T} UTC"
            self.note(f"leaf {n}, {when}, record {seq}: {kind} by {by}{named}")

    def check_head(self, leaf: Leaf, note: Note, size: int) -> None:
        """Check who signed the head after a leaf."""
        kind, before, old = leaf["kind"], self.leaf, [b"", *self.log_keys][-1]

        def signed(key: bytes) -> bool:
            return self.signed_at(note, self.origin, key) >= 0

        # What a head that was kept elsewhere proves needs no other proof.
        proven = not before or size < self.kept or signed(b"\1" + before["next_key"])
        self.check(
            proven, f"head {size}: the key that the leaf before names for it did not sign it"
        )
        key = leaf["key"] if kind in KEY_NAMED else b"" if leaf["key"] == old else old
        new, by_key = not before or key != old, signed(key)
        self.signed = size if by_key else self.signed
        self.unsigned += bool(key) and not by_key and kind not in UNSIGNED
        what = "the table's key, which its leaf names, did not sign it"
        self.check(by_key or not key or not new, f"head {size}: {what}")
        self.log_keys += [key] if new else []
        if before and new and key:
            by_old = signed(old)
            what = "signed" if by_old else "did NOT sign"
            self.note(f"head {size}, with another key: the key before {what} it")
            self.check(
                by_old or leaf["person"], f"head {size}: nobody is named who changed its key"
            )
            self.keys |= {key} if by_old and old in self.keys else set()
        self.witness_key = leaf["witness_key"] if kind in KEY_NAMED else self.witness_key
        signed(b"\1" + self.witness_key)
        self.check_cosigners(note, size)

    def compare(self, seq: int, value: bytes) -> None:
        """Compare a record's chain value with the leaves that speak of it."""
        said = self.late.pop(seq, [])
        while self.at < len(self.seqs) and self.seqs[self.at] == seq:
            n, self.at, self.compared = self.at, self.at + 1, self.compared + 1
            said += (
                [(n, bytes(self.halves[16 * n : 16 * n + 16]))] if n not in self.misplaced else []
            )
        for n, half in said:
            what = f"record {seq}, or one before it, is not the one of which leaf {n} speaks"
            self.check(half == value[:16], what, seq)
            self.unlike |= {n} if half != value[:16] else set()

    def compare_order(self) -> None:
        """Say which leaves are out of order, and whether they agree with the records here."""
        self.file, absent = "log.db", {n for said in self.late.values() for n, _ in said}
        for n, before in self.misplaced.items():
            what = "each agrees with its record, written by a version before this one"
            what = "not each agrees with its record" if {n, before} & self.unlike else what
            what = f"the record of leaf {n} is not here" if n in absent else what
            self.check(False, f"leaves {before} and {n} out of order, {what}")

    def compare_shoe(self, shoe: KeptShoe, live: bool) -> None:
        """Compare a sealed file with its leaf, which a table in play (`live`) may still write."""
        self.file, what = shoe.name, "the log has no leaf for this seal"
        seq, day, number, keys = self.sealed.get(shoe.digest, (0, "", 0, 0))
        if keys:
            self.check(shoe.last_seq <= seq, "its leaf speaks of an earlier record")
            holds = (shoe.gaming_day, shoe.shoe) == (day, number)
            self.check(holds, f"its leaf says shoe {number} of {day}")
            # A shoe may have been sealed before a key was changed, and named after.
            named = shoe.key in self.log_keys[max(0, keys - 2) : keys]
            self.check(named, "signer: the log does not name it as the table's")
            self.check(shoe.table == self.origin, f"table: the log is of {self.origin!r}")
        elif shoe.last_seq > (self.newest_seal if live else self.newest):
            self.note(f"{shoe.name}: {what} yet")
        else:
            self.check(False, what, shoe.last_seq)

    def compare_all(self, last: int, shoes: Sequence[KeptShoe], live: bool) -> None:
        """Compare the sealed files; say what log and records, up to `last`, leave out."""
        count = len(self.seqs)
        for shoe in shoes if count else ():
            self.compare_shoe(shoe, live)
        if absent := len(self.sealed.keys() - {shoe.digest for shoe in shoes}):
            self.note(f"log.db: {counted(absent, 'sealed shoe')} in it: not here")
        if count and last > self.newest:
            self.note(f"nothing in the log speaks of records {self.newest + 1} to {last} yet")
        if self.compared < count:
            others = counted(count - self.compared, "leaf", "leaves")
            self.note(f"log.db: {others} of {count} speak of records that are not here")

    @contextmanager
    def database(self, file: Path, kind: tuple[int, int, int]) -> Iterator[tuple[Database, int]]:
        """Open an SQLite file for reading, without writing to it or its folder; also its size.

        The newest commits may be in a second file, -wal. If its index, -shm, is there, a table may
        be running, and the files are read in place; without the index copies of both are read.
        """
        log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
        has_log, has_index, size = os.path.lexists(log), os.path.lexists(index), 0
        options, both = "mode=ro" if has_log else "mode=ro&immutable=1", list[BinaryIO]()
        for one in filter(os.path.lexists, (file, log, index)):
            with self.open(one, DATABASE_MAX if one == file else WAL_MAX) as opened:
                size += os.fstat(opened.fileno()).st_size
        with tempfile.TemporaryDirectory() as copies, ExitStack() as held:
            if has_log and not has_index:
                shutil.copy(log, copies)
                file, options = Path(shutil.copy(file, copies)), "mode=rw"
                log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
            elif has_log:
                # Opened before SQLite does and closed after it: that drops SQLite's own locks.
                both = [held.enter_context(self.open(one, WAL_MAX)) for one in (log, index)]
            where = f"{file.absolute().as_uri()}?{options}"
            with closing(sqlite3.connect(where, uri=True, isolation_level=None)) as db:
                db.text_factory = bytes
                db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, RECORD_MAX)
                db.set_progress_handler(lambda: 1, SCHEMA_STEPS_MAX)  # ends an endless schema
                db.execute("BEGIN")
                (found,) = db.execute("SELECT * FROM pragma_application_id, pragma_user_version")
                if found[0] == kind[0] and found[1] not in kind[1:]:
                    what = f"{file.name}: it has another format: {found}, not {kind[:2]}"
                    raise OtherFormat(f"{what} or {kind[2]}")
                require(found[0] == kind[0], f"{file.name}: it is no file of a table")
                for (text,) in db.execute("SELECT coalesce(sql, name) FROM sqlite_schema LIMIT 9"):
                    require(TABLE.fullmatch(text), f"{file.name}: {text[:50]!r} is no table of it")
                db.set_progress_handler(None, 0)
                if has_log and not has_index:
                    both = [held.enter_context(self.open(one, WAL_MAX)) for one in (log, index)]
                if both:
                    self.check_wal(log.name, *(one.fileno() for one in both))
                yield db, size

    def check_wal(self, name: str, wal: int, shm: int) -> None:
        """Check that no commit follows the damage that SQLite takes for the end of the -wal.

        A table in play writes both: what it has changed meanwhile is looked at again.
        """
        for _ in range(WAL_TRIES):
            before = os.pread(wal, 32, 0), os.pread(shm, 40, 0)
            damaged = wal_damaged(wal, *before)
            if (os.pread(wal, 32, 0), os.pread(shm, 40, 0)) == before:
                break
        else:
            damaged = False
        file, self.file = self.file, name
        self.check(not damaged, f"records in it cannot be read: it is damaged; {DAMAGED}")
        self.file = file

    @contextmanager
    def open_live(self, file: Path) -> Iterator[tuple[Database, int] | None]:
        """Open a live part as `database` does; None, and a problem, where it is damaged."""
        self.file, damage = file.name, None
        begun = not (os.lstat(file).st_size or os.path.lexists(self.folder / "log.db"))
        if begun or os.path.lexists(f"{file}-journal"):
            raise CannotRead(f"{file.name}: it is empty, or half made by a first start")
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self.database(file, LIVE))
            except (OSError, CannotRead):
                raise
            except DAMAGE as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_DAMAGE:
                    raise
                opened, damage = None, error
            self.check(not damage, f"no record of it can be read: {damage}; {DAMAGED}")
            yield opened

    def rows_of(self, db: Database, size: int, query: str) -> Iterator[tuple[int, bytes, bytes]]:
        """All rows by their numbers, up to one that is unreadable, of a file of `size` bytes."""
        last = -(2**63) - 1
        with self.checking(self.file, "it is damaged, and no further row of it was read"):
            for seq, *values in db.execute(query):
                one, other = (value if isinstance(value, bytes) else b"" for value in values)
                size -= len(one) + len(other)
                if seq <= last or size < 0:  # the file is made so that reading it does not end
                    raise TooMuchWork("its rows repeat or overlap")
                last = seq
                yield seq, one, other


class Verifier(LogVerifier):
    """Checks what is at a path, one sealed file in memory at a time; the result is the report."""

    def check_file(self) -> None:
        """Check a sealed shoe, a live part, or a packed bundle."""
        with self.open(self.path, DATABASE_MAX) as file, tempfile.TemporaryDirectory() as folder:
            self.file, size, begins = self.path.name, os.fstat(file.fileno()).st_size, file.read(8)
            if begins[:2] == b"PK":
                require(size <= BUNDLE_MAX, f"a packed bundle has at most {BUNDLE_MAX} bytes")
                packed = zipfile.ZipFile(file)
                files = {one.filename: one for one in packed.filelist if not one.compress_type}
                what = "it compresses its files, has too many, or one twice, as no bundle does"
                require(len(files) == len(packed.filelist) < FILES_MAX, what)
                require(sum(one.file_size for one in files.values()) <= size, "its sizes are wrong")
                packed.extractall(folder)
                self.folder = Path(folder)
                self.check_bundle()
            elif self.path.suffix != ".shoe" and begins != b"SMSHSEAL":
                # Without both, nothing says that it ever was a live part.
                named = self.path.suffix == ".db" or begins == b"SQLite f"
                require(named, f"{self.file}: it is no file of a table")
                with self.open_live(self.path) as opened:
                    if opened:
                        self.check_records(*opened, 0, NONE)
            elif (shoe := self.check_shoe(self.path.name, self.read(self.path))) and shoe.key:
                self.vouched[""] = f"sealed by key {fingerprint(shoe.key)}"

    def check_folder(self) -> None:
        """Check a journal or an archive: its log first, so that it names nothing newer."""
        names = ("log.db", "live.db", "shoes", "lock")
        log, live, shoes, lock = (os.path.lexists(self.folder / one) for one in names)
        above = ": name the folder above it" if self.folder.absolute().name == "shoes" else ""
        require(live or shoes, f"it holds no live.db, no shoes/ and no manifest.json{above}")
        if log:
            self.read_log()
        if live:
            with self.open_live(self.folder / "live.db") as opened:
                sealed = self.check_sealed(1)
                self.file = "live.db"
                end = (sealed[-1].last_seq, sealed[-1].chain_after) if sealed else (0, NONE)
                last = self.check_records(*opened, *end) if opened else end[0]
            what = f"records {last + 1} to {self.newest} are missing: the log speaks of them"
            self.check(last >= self.newest or not opened, what, last + 1)
        else:
            sealed = self.check_sealed()
            last = max((shoe.last_seq for shoe in sealed), default=0)
            self.file = "live.db"
            self.check(not lock, "missing: the records since the last seal")
        self.file = "shoes/"
        here = not live or not self.sealed or self.shoes
        self.check(here, "missing: the newest sealed shoe, which no prune takes")
        self.compare_all(last, sealed, live)
        self.compare_order()
        self.file = "log.db"
        self.check(log or not self.records, "missing: nothing shows what was changed")

    def names_below(self, top: str) -> list[str]:
        """The names of all regular files in folder `top`, which ends with a /, or in all."""
        names, folders = list[str](), [top] if os.path.lexists(self.folder / top) else []
        require(not top or not (self.folder / top[:-1]).is_symlink(), f"{top} is a link")
        while folders:
            inner = folders.pop()
            with os.scandir(self.folder / inner) as found:
                for entry in found:
                    self.file = inner + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{self.file}/")
                    elif entry.is_file(follow_symlinks=False):
                        names.append(self.file)
                    else:
                        self.check(False, "extra: it is a link, or no regular file")
                    require(len(names) + len(folders) <= NAMES_MAX, f"more than {NAMES_MAX} files")
        return sorted(names, key=lambda one: (one.rpartition("/")[0], len(one), one))

    def check_bundle(self) -> None:
        """Check a bundle against its manifest, and each shoe in it by its proof."""
        name, names = "manifest.json", set(self.names_below(""))
        manifest, listed = Leaf(), Leaf()
        with self.checking(name, "it cannot be read"):
            manifest = json.loads(self.read(self.folder / name, LIST_MAX))
            require(manifest["form"] == "smartshoe-bundle-2", "its form is not smartshoe-bundle-2")
            listed = dict(manifest["files"])
        for one in sorted({*listed, *names} - {name}):
            with self.checking(one, "it cannot be read"):
                digest = sha256(self.read(self.folder / one)).hexdigest() if one in names else ""
                what = "changed since it was listed" if digest else "missing: the manifest names it"
                what = what if one in listed else "extra: the manifest does not name it"
                self.check(digest == listed.get(one), what)
        self.read_coup("coup.json" in names)
        shoes = self.check_sealed()
        for shoe in shoes:
            proof = f"log/{shoe.name[6:-5].replace('/', '-')}.tlog-proof"
            with self.checking(proof, "the shoe is not proven"):
                self.check_proof(shoe, self.folder / proof)
        self.check_coup(manifest, shoes)
        self.note("files outside shoes/ and log/ are not signed, only listed")

    def read_coup(self, here: bool) -> None:
        """Read what the bundle states of its coup, if it has a file that does."""
        self.coup_json = "does not agree" if here else "is not here"
        if not here:
            return
        with self.checking("coup.json", "it cannot be read"):
            self.coup = StatedCoup(self.read(self.folder / "coup.json", COUP_MAX))

    def check_coup(self, manifest: Leaf, shoes: Sequence[KeptShoe]) -> None:
        """Compare what the bundle states of its coup with the records of its sealed shoes."""
        failed, coup = self.failed, self.coup
        if coup is None:
            return
        with self.checking("coup.json", "it cannot be compared with the records"):
            tables = [one.table for one in shoes if one.name == coup.file]
            require(tables, f"its shoe, {coup.file}, is not here, or cannot be read")
            provisional = manifest.get("provisional") is True
            for place in coup.problems(tables[0], provisional):
                self.check(False, f"{place}: the records do not say so")
            same = manifest.get("coup"), manifest.get("table")
            holds = same == (coup.stated["coup"], tables[0])
            self.check(holds, "the manifest names another coup or table")
        if self.failed == failed:
            more = counted(len(coup.unproven), "record")
            self.coup_json = f"agrees, but for {more} not sealed yet" if coup.unproven else "agrees"

    def check_proof(self, shoe: KeptShoe, file: Path) -> None:
        """Check that a shoe is in the log with a signed head. Raises ValueError and others."""
        proof, _, head = self.read(file).partition(b"\n\n")
        (form, index, *lines), note = proof.decode().split("\n"), read_note(head)
        leaf = read_map(entry := self.read(file.with_suffix(".leaf")), LEAF)
        size, root = int(note[0].split("\n")[1]), b""
        if form == "c2sp.org/tlog-proof@v1" and index.startswith("index ") and len(lines) < 64:
            hashes = [base64.b64decode(one, validate=True) for one in lines]
            root = proven_root(int(index[6:]), size, entry, hashes)
        holds = note[0] == f"{shoe.table}\n{size}\n{base64.b64encode(root).decode()}\n"
        require(holds, "its proof does not lead from its leaf to its checkpoint")
        said = leaf["kind"], leaf["seal"], leaf["gaming_day"], leaf["shoe"]
        holds = said == ("shoe", shoe.digest, shoe.gaming_day, shoe.shoe)
        require(holds and leaf["seq"] >= shoe.last_seq, "its leaf is of another shoe")
        holds = leaf["seq"] > shoe.last_seq or leaf["chain"] == shoe.chain_after
        require(holds, "its leaf speaks of other records")
        self.codes[shoe.gaming_day] = short_code(note[0])
        self.compare_kept(note[0], size)
        if shoe.key and self.signed_at(note, shoe.table, shoe.key) >= 0:
            self.vouched[shoe.name] = f"head {size} signed by key {fingerprint(shoe.key)}"
        self.check_cosigners(note, size)

    def check_sealed(self, more: int = 0) -> list[KeptShoe]:
        """Check all sealed shoes; `more`: files that are checked after them."""
        names, shoes = self.names_below("shoes/"), list[KeptShoe]()
        if "shoes/sealing.part" in names:
            names.remove("shoes/sealing.part")
            self.note("shoes/sealing.part: an unfinished file; the next start removes it")
        self.total = len(names) + more
        for done, name in enumerate(names, 1):
            match = SHOE_NAME.fullmatch(name)
            with self.checking(name, "it cannot be checked"):
                self.check(match, "extra: this is not the name of a sealed shoe")
                shoe = self.check_shoe(name, self.read(self.folder / name)) if match else None
                if match and shoe:
                    shoes.append(shoe)
                    what = f"by its heading it is shoe {shoe.shoe} of {shoe.gaming_day}"
                    self.check((shoe.gaming_day, shoe.shoe) == (match[1], int(match[2])), what)
            self.progress(done, self.total)
        shoes.sort(key=lambda one: (one.first_seq, one.name))
        if shoes and shoes[0].first_seq > 1:
            self.note(f"records 1 to {shoes[0].first_seq - 1} are in shoes that are not here")
        for before, shoe in pairwise(shoes):
            self.check_link(before, shoe)
        return shoes

    def check_shoe(self, name: str, data: bytes) -> KeptShoe | None:
        """Check one sealed file by itself; None where it cannot be read."""
        self.file, self.shoes, before, shoe = name, self.shoes + 1, self.failed, None
        self.spend(RECORD_WORK * 100)
        mark, form, flags, size, rows, packed, plain = HEAD.unpack_from(data.ljust(HEAD.size))
        rows_end = HEAD.size + size + ROW_BYTES * rows
        stop, end = rows_end + packed, len(data) - TRAILER
        if stop != end:
            whole = f"{len(data)} of {stop + TRAILER} bytes"
            self.check(False, f"cut short, too long, or its head was changed: it has {whole}")
        elif sha256(data[:end]).digest() != data[end : end + 32]:
            self.check(False, "digest: a byte of this file was changed")
        elif (mark, form, flags) != (b"SMSHSEAL", 4, 0):
            raise CannotRead(f"its format is {form}, flags {flags}; this verifier reads 4, flags 0")
        with self.checking(name, "it cannot be read"):
            large = size > SMALL_MAX or rows > ROWS_MAX or plain > PLAIN_MAX
            require(not large, "by its head it is larger than any shoe")
            said = read_map(data[HEAD.size : HEAD.size + size], HEADING)
            self.check_chain(said, data[rows_end:stop], plain)
            key = self.check_seal(said, data[stop : stop + TRAILER])
            self.head_hex = said["chain_after"].hex()
            said |= {"name": name, "digest": data[stop : stop + 32], "key": key}
            shoe = KeptShoe(*(said[one] for one in KeptShoe._fields))
        count = self.failed - before
        self.files[name] = counted(count, "problem") if count else "intact"
        if shoe:
            self.files[name] += f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        return shoe

    def check_chain(self, heading: Leaf, packed: bytes, size: int) -> None:
        """Check the records of a sealed file."""
        first, last = heading["first_seq"], heading["last_seq"]
        unpacking, plain = zlib.decompressobj(), bytearray()
        self.spend(size)
        with suppress(zlib.error):
            for at in range(0, len(packed), 64):
                plain += unpacking.decompress(packed[at : at + 64])
                if len(plain) > size:
                    break
        seq, chain, at, part = first - 1, heading["chain_before"], 0, 0
        self.at = bisect_left(self.seqs, first)
        # Two parts precede the records: the record that began the run, and the state.
        while (begin := at + 4) <= len(plain):
            if (stop := begin + int.from_bytes(plain[at:begin])) > len(plain):
                break
            self.spend(RECORD_WORK)
            if part >= 2:
                record = bytes(plain[begin:stop])
                self.records, self.inputs = self.records + 1, self.inputs + record.startswith(INPUT)
                seq, chain = seq + 1, link(chain, record)
                self.compare(seq, chain)
                if self.coup:
                    self.spend(self.coup.take(self.file, seq, record))
            at, part = stop, part + 1
        if not unpacking.eof or unpacking.unused_data or not len(plain) == size == at:
            self.check(False, f"packed records: damaged; readable up to {seq} of {last}", seq)
        elif (seq, chain) != (last, heading["chain_after"]):
            self.check(False, "its records do not lead from chain_before to chain_after", first)

    def check_seal(self, heading: Leaf, seal: bytes) -> bytes:
        """Check the signature of a sealed file; return the key that its heading names."""
        algorithm, signature = seal[32:33], seal[33:]
        key = ALGORITHMS.get(heading["algorithm"], b"\0") + heading["signer"]
        signed = b"smartshoe seal 2\n" + algorithm + seal[:32]
        holds = self.holds(key, signature, signed) if key else not any(signature)
        holds = holds and key[:1] == algorithm.strip(b"\0") and bool(key) == bool(heading["signer"])
        self.check(holds, "signature: the key that the heading names did not sign this file")
        who = f"key {fingerprint(key)}, which is not trusted," if key else "nobody"
        self.check(not self.keys or key in self.keys, f"{who} signed it")
        return bytes(key)

    def check_link(self, a: KeptShoe, b: KeptShoe) -> None:
        """Check a shoe against the one before it in the order of records."""
        number = a.shoe + 1 if a.gaming_day == b.gaming_day else b.shoe // 1000 * 1000 + 1
        self.file = b.name
        self.check(a.table == b.table, f"table: {b.table!r}, but {a.name} is of {a.table!r}")
        if b.first_seq > a.last_seq + 1:
            lost = f"records {a.last_seq + 1} to {b.first_seq - 1} are missing after {a.name}"
            which = f"shoe {number}" if b.shoe <= number + 1 else f"shoes {number} to {b.shoe - 1}"
            which = f" ({which} of {b.gaming_day})" if b.shoe > number else ""
            self.check(False, lost + which, b.first_seq)
        elif b.first_seq <= a.last_seq:
            twice = f"records {b.first_seq} to {min(a.last_seq, b.last_seq)} are in {a.name}, too"
            twice += ": it is a copy" if a.digest == b.digest else ": it is extra"
            self.check(False, twice, b.first_seq)
        else:
            holds = b.chain_before == a.chain_after
            self.check(holds, f"chain_before: {a.name} ends with another", b.first_seq)
            self.check(b.shoe == number, f"it is shoe {b.shoe}, but {number} follows {a.name}")

    def check_records(self, db: Database, size: int, end: int, chain: bytes) -> int:
        """Check the live records after record `end`; return the last's number."""
        last, twice, same, alone = end, 0, True, self.path.is_file()
        chains = [chain]  # the values that the next record may follow
        self.at = bisect_left(self.seqs, end + 1)
        for seq, record, stored in self.rows_of(db, size, RECORDS):
            if seq <= last:  # only the first can be
                last, twice, chains = seq - 1, max(seq, 1), []
                self.check(seq > 0, f"record {seq} is extra", seq)
            if last < seq - 1:  # a live part alone may begin anywhere
                lost, alone = f"records {last + 1} to {seq - 1} are", alone and not last
                self.check(alone, f"{lost} missing", last + 1)
                self.notes += [f"{self.file}: {lost} in shoes that are not here"] if alone else []
                chains, self.at = [], bisect_left(self.seqs, seq)
            holds = not chains or any(link(one, record) == stored for one in chains)
            what = "it, its chain value or a record before it was changed, added or removed"
            self.check(holds, f"record {seq} does not follow: {what}", seq)
            chains = [stored] if holds else [stored, link(chains[0], record), chains[0]]
            if seq > end:
                self.records, self.inputs = self.records + 1, self.inputs + record.startswith(INPUT)
                self.compare(seq, stored)
            same = same and (seq != end or stored == chain)
            self.head_hex, last = stored.hex(), max(seq, 0)
        what = f"records {twice} to {end} are in the last sealed shoe, too"
        if twice and same and last >= end:
            self.note(f"{self.file}: {what}: sealing was interrupted; the next start ends it")
        elif twice:
            self.check(False, f"{what}: it is an older live.db", twice)
        self.progress(self.total, self.total)
        return max(last, end)


def verify(
    path: Path,
    progress: Progress = NO_BAR,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> VerifyReport:
    """Check what is at `path`; `progress` gets files done and total. Raises CannotRead."""
    report = Verifier(path, progress)
    for key in keys:
        report.trust_key(key)
    for witness in witnesses:
        report.read_witness(witness)
    try:
        if not path.is_dir():
            report.check_file()
        elif os.path.lexists(path / "manifest.json"):
            report.check_bundle()
        else:
            report.check_folder()
    except (DAMAGE, TooMuchWork, OtherFormat) as error:
        raise CannotRead(f"{path}: {str(error) or 'there is not enough memory'}") from error
    report.file = ""
    for kept in (*report.kept_codes, *(f"head {size}" for size in report.kept_heads)):
        report.check(False, f"witness: no head that is here is the one of {kept}, which was kept")
    return report


def printable(text: str) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def who_vouches(report: VerifyReport) -> str:
    """Whose signatures speak for the evidence."""
    if report.unchecked:
        return "signatures were NOT checked: the library `cryptography` is not installed"
    found = "; ".join([*report.vouched.values()][:9]) or "nobody signed it"
    unknown = report.vouched and not (report.keys or report.cosigners)
    return f"{found}, a key that is not checked (give --key)" if unknown else found


def report_lines(report: VerifyReport, most: int = 50) -> list[str]:
    """The report, line by line; at most `most` problems and files. No line commands a terminal."""
    lines = [f"{'intact' if report.intact else 'NOT INTACT'}: {report.path}: {who_vouches(report)}"]
    if report.coup_json:
        word, _, rest = lines[0].partition(": ")
        what = f"coup.json {report.coup_json}; index.html is not signed"
        lines = [f"{word}: {counted(report.shoes, 'shoe')}, {what}", f"  {rest}"]
    lines += [f"  {problem}" for problem in report.problems[:most]]
    if report.failed > most:
        lines += [f"  and {report.failed - most} more problems; --json lists {PROBLEMS_MAX}"]
    if len(report.files) <= most:
        lines += [f"  {name}: {state}" for name, state in report.files.items()]
    entries = counted(report.records - report.inputs, "entry", "entries")
    parts = f"{counted(report.records, 'record')}: {counted(report.inputs, 'input')}, {entries}"
    lines += [f"  {counted(report.shoes, 'sealed shoe')}; {parts}"]
    lines += [f"  {note}" for note in report.notes]
    lines += [f"  short code of {day}: {code}" for day, code in report.codes.items()]
    lines += [f"  head {report.head_hex}", *LIMITS.splitlines()]
    return [printable(line) for line in lines]


def as_json(report: VerifyReport) -> dict[str, Any]:
    plain = ("intact", "records", "inputs", "shoes", "notes", "files", "codes")
    values: Leaf = {"path": str(report.path), **{key: getattr(report, key) for key in plain}}
    values |= {"signatures_checked": not report.unchecked, "problem_count": report.failed}
    values |= {"entries": report.records - report.inputs, "head": report.head_hex}
    values |= {"vouched": who_vouches(report)}
    values |= {"coup_json": report.coup_json} if report.coup_json else {}
    return values | {"problems": [problem._asdict() for problem in report.problems]}


def main() -> int:
    about = "Check that a table's evidence is complete and unchanged. No file is changed."
    form = argparse.RawDescriptionHelpFormatter
    try:
        parser = argparse.ArgumentParser(description=about, epilog=EXAMPLES, formatter_class=form)
        parser.add_argument("path", type=Path, help="journal, archive, live.db, .shoe, or bundle")
        many: dict[str, Any] = {"action": "append", "default": []}
        parser.add_argument("--key", type=Path, **many, help="public key that may sign; repeatable")
        parser.add_argument("--witness", **many, help="short code, or checkpoint, kept elsewhere")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        args = parser.parse_args()
        report = verify(args.path, keys=args.key, witnesses=args.witness)
        lines = [json.dumps(as_json(report), indent=2)] if args.json else report_lines(report)
        text, code = "\n".join(lines), 0 if report.intact else 1
    except (CannotRead, MemoryError) as error:  # else Python ends with 1, which is not intact
        text = printable(f"cannot read: {str(error) or 'there is not enough memory'}")
        code = 2
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader closed the pipe; prevents a second error at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    sys.exit(main())
