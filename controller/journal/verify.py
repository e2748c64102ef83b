"""The regulator's verifier: is a table's evidence complete and unchanged? `--help` says how to run.

Responsible for: checking sealed shoes, what links them, the lists of seals, the live part and
bundles, and naming what is missing, what was changed, and where. It needs this file and Python
3.11; where the library `cryptography` is installed it checks signatures, too.
Not responsible for: what the rules make of the cards. It shares no line with the program that wrote
the files, so that no mistake hides in both. BLIND says what no check can see.
Source: controller/journal/README.md; FIPS 180-4 (SHA-256), RFC 1950 (zlib), RFC 8949 (CBOR),
RFC 8032 (Ed25519), RFC 8410 (its public key in a file), RFC 4648 (base32).
"""

import argparse
import base64
import json
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

EXAMPLES = """examples:
  python verify.py /var/lib/smartshoe/table-1           a journal's folder; it may be in use
  python verify.py archive --key table.key.pub          sealed by this key and no other
  python verify.py bundle.zip --witness ABCDE-FGHIJ-KLMNO-PQRST
  python verify.py 0007.shoe --json

0 intact, 1 not intact, 2 cannot be read."""
BLIND = """These files cannot show that the newest records, or the newest shoes with their lists,
were cut off, that the oldest were taken away, or that who holds the key wrote everything anew:
compare the head and the short codes with those noted elsewhere (--witness)."""
NONE, APPLICATION_ID, UNREADABLE_MAX = bytes(32), 0x534D5348, 10_000
TRAILER, FILE_MAX, SEARCH_MAX = 96, 1 << 30, 64 << 30  # bytes of a file; hashed to find bits
_PLAIN = (OSError, ValueError, LookupError, RuntimeError, OverflowError, EOFError, TypeError)
DAMAGE = (*_PLAIN, AttributeError, sqlite3.Error, zipfile.BadZipFile, zlib.error, struct.error)
HEAD, ROW = struct.Struct(">8sHHIIQQ"), struct.Struct(">QqIBBBBBB6s16s16s")
HEAD_PARTS = {0: "mark", 8: "format", 10: "flags", 12: "length of the heading"}
HEAD_PARTS |= {16: "number of rows", 20: "length of the packed part", 28: "length unpacked"}
ROW_PARTS = {0: "record number", 8: "time", 16: "coup", 20: "role", 21: "card", 22: "claimed role"}
ROW_PARTS |= {23: "flags", 24: "end", 25: "declared", 26: "zeros", 32: "tag", 48: "chain value"}
Fields = dict[str, type]
HEADING: Fields = {"type": str, "table": str, "software": str, "gaming_day": str, "shoe": int}
HEADING |= {"first_seq": int, "last_seq": int, "chain_before": bytes, "chain_after": bytes}
HEADING |= {"from_ns": int, "until_ns": int, "previous": bytes, "signer": bytes}
HEADING |= {"started_seq": int, "state_software": str, "opened_seq": int, "clean": bool}
HEADING |= {"batch": str, "back": str, "decks": int, "coups": int, "irregularities": int}
LISTED: Fields = {"form": str, "table": str, "gaming_day": str, "seals": list}
LISTED |= {"signer": str, "signature": str}
SEAL: Fields = {"shoe": int, "digest": str, "first_seq": int, "last_seq": int, "until_ns": int}
UNFINISHED = "shoes/sealing.part"
SHOE_NAME = re.compile(r"shoes/(\d{4}-\d\d-\d\d)/(\d{4,9})\.shoe", re.ASCII)
LIST_NAME = re.compile(r"days/(\d{4}-\d\d-\d\d)\.seals\.json", re.ASCII)
LAID_ASIDE = re.compile(r"days/(\.)?\d{4}-\d\d-\d\d\.seals\.json\.(?(1)new|\d+)", re.ASCII)
KEY_HEAD = bytes.fromhex("302a300506032b6570032100")  # an Ed25519 public key as RFC 8410 has it
RECORDS = """SELECT seq, CAST(record AS BLOB), CAST(chain AS BLOB)
    FROM records WHERE seq >= ? ORDER BY seq"""
CHECKPOINT = """SELECT CAST(c.seq AS INTEGER), CAST(started_seq AS INTEGER),
    CAST(software AS BLOB), CAST(state AS BLOB), CAST(digest AS BLOB), CAST(binding AS BLOB),
    CAST(chain AS BLOB) FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq"""
BASE = """SELECT CAST(seq AS INTEGER), CAST(started_seq AS INTEGER), CAST(chain AS BLOB),
    CAST(seal AS BLOB), CAST(started AS BLOB), CAST(software AS BLOB), CAST(state AS BLOB),
    CAST(digest AS BLOB), CAST(ledger AS BLOB), CAST(binding AS BLOB) FROM base"""
Row = tuple[int, bytes, bytes]  # number, record, chain value
Run = tuple[int, bytes]  # number and SHA-256 of the record that began a run
Progress = Callable[[int, int], None]


# --- what is told -------------------------------------------------------------------------------


class CannotRead(Exception):
    """The path holds nothing that this verifier can read; the message says why."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: at record `seq` (0: none), in `file` at byte `at` (-1: at none)."""

    seq: int
    what: str
    file: str = ""
    at: int = -1

    def __str__(self) -> str:
        place = f"{self.file}, byte {self.at}" if self.at >= 0 else self.file
        return f"{place}: {self.what}" if place else self.what


@dataclass(slots=True)
class VerifyReport:
    """What was found. `head_hex`: the last chain value; `sound_after`: sound records of the live

    part after its first problem; `codes`: by gaming day the short code of its list with no seal,
    with the first, and so on; `files`: each sealed file in words; `signers`: files by key.
    """

    path: Path
    progress: Progress = field(default=lambda done, total: None, repr=False, compare=False)
    keys: tuple[bytes, ...] = ()
    records: int = 0
    inputs: int = 0
    shoes: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    head_hex: str = NONE.hex()
    sound_after: int = 0
    codes: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signers: dict[bytes, int] = field(default_factory=dict)
    unchecked: int = 0
    bundle: bool = False
    live: bool = False
    newest: str = ""  # the sealed file a table in use made last
    done: int = 0
    total: int = 0
    search: int = SEARCH_MAX

    @property
    def entries(self) -> int:
        return self.records - self.inputs

    @property
    def intact(self) -> bool:
        return not self.problems

    def wrong(self, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        self.problems.append(Problem(seq, what, file, at))

    def unless(self, right: bool, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if not right:
            self.wrong(file, what, seq, at)

    def read(self, size: int) -> None:
        self.done += size
        self.progress(self.done, self.total)


def fingerprint(key: bytes) -> str:
    digits = sha256(key).hexdigest()
    return " ".join(digits[at : at + 8] for at in range(0, 64, 8))


def short_code(digest: bytes) -> str:
    letters = base64.b32encode(digest)[:20].decode()
    return "-".join(letters[at : at + 5] for at in range(0, 20, 5))


# --- chain and encoding -------------------------------------------------------------------------


def link(previous: bytes, record: bytes) -> bytes:
    """SHA-256 of: chain value before, length of the record in 8 bytes big-endian, record."""
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()


def read_item(data: bytes, at: int) -> tuple[Any, int]:
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
    items: list[Any] = []
    for _ in range(n if major == 4 else 2 * n):
        item, at = read_item(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2], strict=True))), at


def has(item: dict[str, Any], form: Fields) -> None:
    """Raises ValueError where these are other fields, or of other kinds."""
    if {key: type(value) for key, value in item.items()} != form:
        raise ValueError(f"there are not just {', '.join(form)}, each of its kind")


def value_of(record: bytes, kind: str) -> dict[str, Any]:
    """The value of an input ("in") or an entry ("out"); nothing where it is none or no record."""
    with suppress(*DAMAGE):
        plain, end = read_item(record, 0)
        if plain[0] == kind and end == len(record) and isinstance(plain[1], dict):
            return plain[1]
    return {}


def name_of(record: bytes, last_input: bytes) -> str:
    """What a record says it is, and when: "input 'Chunk', 2025-11-21 09:00:00 UTC"."""
    name = "unreadable"
    with suppress(*DAMAGE):
        if entry := value_of(record, "out"):
            name = f"entry {entry['type']!r:.50}"
            return f"{name}, after {name_of(last_input, b'')}" if last_input else name
        given = value_of(record, "in")
        name = f"input {given['type']!r:.50}"
        age = timedelta(microseconds=given["at"]["utc_ns"] // 1000)
        return f"{name}, {datetime(1970, 1, 1, tzinfo=UTC) + age:%Y-%m-%d %H:%M:%S} UTC"
    return name


# --- signatures ---------------------------------------------------------------------------------


def check_signature(
    told: VerifyReport, name: str, signer: bytes, signature: bytes, data: bytes, at: int = -1
) -> None:
    """Whether `signer` signed the data, and may."""
    told.signers[signer] = told.signers.get(signer, 0) + 1
    if told.keys and signer not in told.keys:
        who = f"key {fingerprint(signer)} signed it" if signer else "nobody signed it"
        told.wrong(name, f"{who}, and that is no trusted key", at=at)
    if not signer and any(signature):
        told.wrong(name, "signature: it has one and names no key", at=at)
    if not signer:
        return
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - may be absent
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        told.unchecked += 1
        return
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(signer).verify(signature, data)
    except (InvalidSignature, ValueError):
        told.wrong(name, "signature: the key that it names did not sign this", at=at)


def public_key(path: Path) -> bytes:
    """The 32 bytes of a public key file. Raises CannotRead."""
    try:
        lines = path.read_text("ascii").split("-----")
        data = base64.b64decode(lines[2]) if lines[1] == "BEGIN PUBLIC KEY" else b""
    except DAMAGE as error:
        raise CannotRead(f"{path}: no public key: {error}") from error
    if len(data) != len(KEY_HEAD) + 32 or not data.startswith(KEY_HEAD):
        raise CannotRead(f"{path}: no Ed25519 public key; `smartshoe keys show` writes one")
    return data[len(KEY_HEAD) :]


# --- a sealed shoe: its bytes -------------------------------------------------------------------


def layout(data: bytes) -> tuple[int, int, int, int]:
    """Where rows, packed part and digest begin as the head says, and the length unpacked."""
    _, _, _, heading, rows, packed, plain = HEAD.unpack_from(data)
    at_rows = HEAD.size + heading
    return at_rows, at_rows + ROW.size * rows, at_rows + ROW.size * rows + packed, plain


def place(data: bytes, at: int) -> str:
    """What stands at byte `at` of a sealed file."""
    rows, packed, stop, _ = layout(data)
    if at < HEAD.size:
        return f"head, {HEAD_PARTS[max(one for one in HEAD_PARTS if one <= at)]}"
    if at < rows:
        key, end = "", HEAD.size + 1
        with suppress(*DAMAGE):
            while end <= at:
                key, end = read_item(data, end)
                _, end = read_item(data, end)
        return f"heading, {key}"
    if at < packed:
        row, at = divmod(at - rows, ROW.size)
        return f"row {row + 1}, {ROW_PARTS[max(one for one in ROW_PARTS if one <= at)]}"
    return "packed records" if at < stop else "digest"


def changed_bit(told: VerifyReport, data: bytes, start: int, stop: int) -> int:
    """The bit from byte `start` to `stop` that makes the digest fail, -1 where none is found."""
    end = len(data) - TRAILER
    start = max(start, stop - told.search // 2 // (8 * end))
    told.search -= 8 * (stop - start) * (end - start)
    view, wanted, before = memoryview(data), data[end : end + 32], sha256(data[:start])
    for at in range(start, min(stop, end)):
        for bit in range(8):
            trial = before.copy()
            trial.update(bytes((data[at] ^ 1 << bit,)))
            trial.update(view[at + 1 : end])
            if trial.digest() == wanted:
                return at * 8 + bit
        before.update(view[at : at + 1])
    return -1


def unpacked(packed: bytes, size: int) -> tuple[bytes, int, str]:
    """What it unpacks to as far as that goes, where it fails (-1: nowhere), and why."""
    with suppress(zlib.error):
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(packed, min(size, FILE_MAX) + 1)
        if unpacking.eof and len(plain) == size and not unpacking.unused_data:
            return plain, -1, ""
    unpacking, pieces, length = zlib.decompressobj(), list[bytes](), 0
    for at in range(len(packed)):
        try:
            pieces.append(unpacking.decompress(packed[at : at + 1]))
        except zlib.error as error:
            return b"".join(pieces), at, str(error)
        length += len(pieces[-1])
        if length > size or unpacking.unused_data:
            return b"".join(pieces), at, f"there is more than the {size} bytes its head says"
    return b"".join(pieces), len(packed), "they are fewer than their head says, or cut short"


def mended(told: VerifyReport, name: str, data: bytes) -> bytes:
    """Check the digest. Where it fails, name the place and give the bytes set right if one bit

    was changed or something added, so that what else is wrong shows."""
    rows, packed, stop, size = layout(data)
    if len(data) > stop + TRAILER and sha256(data[:stop]).digest() == data[stop : stop + 32]:
        over = len(data) - stop - TRAILER
        told.wrong(name, f"{over} bytes too many: they stand after its end", at=stop + TRAILER)
        return data[: stop + TRAILER]
    end = len(data) - TRAILER
    found = sha256(memoryview(data)[:end]).digest()
    changed = [end + at for at in range(32) if found[at] != data[end + at]]
    if 0 < len(changed) <= 4:
        told.wrong(name, "digest: it was changed, and what it stands for was not", at=changed[0])
        return data[:end] + found + data[end + 32 :]
    if not changed:
        return data
    bad = unpacked(data[packed:stop], size)[1] if stop == end else -1
    suspects = [(0, HEAD.size), (packed, packed + bad + 1)]
    if bad < 0:
        suspects = [(0, rows), (rows, packed), (packed, end)] if stop == end else suspects[:1]
    for start, until in suspects:
        if (bit := changed_bit(told, data, start, until)) >= 0:
            at = bit // 8
            data = data[:at] + bytes((data[at] ^ 1 << bit % 8,)) + data[at + 1 :]
            told.wrong(name, f"{place(data, at)}: bit {bit % 8} of this byte was changed", at=at)
            return data
    if stop != end:
        kind = "cut short" if stop > end else "too long"
        what = f"{kind}, or its head was changed: it has {len(data)} of {stop + TRAILER} bytes"
        told.wrong(name, what, at=min(len(data), stop + TRAILER))
    else:
        where = f"packed records, up to byte {packed + bad}" if bad >= 0 else "heading or rows"
        told.wrong(name, f"{where}: its digest does not hold, and no single bit was found changed")
    return data


# --- a sealed shoe: what it says ----------------------------------------------------------------


@dataclass(slots=True)
class Sealed:
    """What one sealed file's records say, for comparison with its heading and the other files."""

    name: str
    heading: dict[str, Any]
    seq: int
    chain: bytes
    began: Run  # the run in force before its first record
    run: Run  # and after its last
    digest: bytes = b""
    state: bytes = b""  # SHA-256 of the state in the file
    state_after: bytes = b""  # the last StateDigest
    first: bytes = b""
    latest: bytes = b""
    said: dict[str, Any] = field(default_factory=dict)
    cards: dict[int, tuple[int, int | None, bytes]] = field(default_factory=dict)
    inputs: int = 0
    count: int = 0
    begins: bool = False  # whether its first record begins a run
    whole: bool = True  # whether all its records could be read

    def __getattr__(self, key: str) -> Any:
        """A value of the heading."""
        return self.heading[key]

    def take(self, record: bytes) -> None:
        self.seq, self.chain = self.seq + 1, link(self.chain, record)
        if record.startswith(b"\x82\x62in"):
            self.inputs, self.first, self.latest = self.inputs + 1, self.first or record, record
            if b"gStarted" in record and value_of(record, "in").get("type") == "Started":
                self.run = self.seq, sha256(record).digest()
                self.begins = self.begins or self.seq == self.first_seq
        elif b"CardDrawn" in record:
            with suppress(*DAMAGE):
                event = value_of(record, "out")["event"]
                kind, card = event["type"], event.get("card")
                number = 13 * "DCSH".index(card["suit"]) + card["rank"] if card else 0
                if kind in ("CardDrawn", "CutCardDrawn"):
                    number = -1 if kind == "CutCardDrawn" else number
                    self.cards[self.seq] = (number, utc_ns(self.latest), self.chain[:16])
        elif b"StateDigest" in record or b"ShoeEnded" in record or b"ShoeOpened" in record:
            entry = value_of(record, "out")
            match entry.get("type"):
                case "StateDigest":
                    self.state_after = entry["digest"]
                case "ShoeOpened" if "shoe" not in self.said:  # else it is the next one
                    self.said |= {"opened_seq": self.run[0], "decks": entry["decks"]}
                case "ShoeEnded":
                    keys = ("gaming_day", "shoe", "coups", "irregularities")
                    self.said |= {key: entry[key] for key in keys}


def utc_ns(record: bytes) -> int | None:
    """When an input came; of chunks in one record, the last."""
    given = value_of(record, "in")
    with suppress(*DAMAGE):
        later = given["chunks"][-1][1] if given.get("chunks") else 0
        return int(given["at"]["utc_ns"] + later)
    return None


def parts_of(plain: bytes) -> tuple[list[bytes], bool]:
    """The parts, and whether the last one is whole."""
    parts, at = list[bytes](), 0
    while at < len(plain):
        begin = at + 4
        at = begin + int.from_bytes(plain[at:begin], "big")
        if begin > len(plain) or at > len(plain):
            return parts, False
        parts.append(plain[begin:at])
    return parts, True


def check_shoe(told: VerifyReport, name: str, data: bytes) -> Sealed | None:
    """All that one sealed file can show alone; None where its heading cannot be read."""
    told.shoes, before = told.shoes + 1, len(told.problems)
    if len(data) < HEAD.size + TRAILER:
        what = f"cut short: it has {len(data)} bytes, fewer than any sealed shoe"
        told.wrong(name, what, at=len(data))
        return None
    data = mended(told, name, data)
    mark, form, flags = HEAD.unpack_from(data)[:3]
    if (mark, form, flags) != (b"SMSHSEAL", 1, 0) and before == len(told.problems):
        raise CannotRead(f"it is sealed in format {form}, flags {flags}, and 1, 0 is known")
    at_rows, at_packed, stop, size = layout(data)
    try:
        heading, end = read_item(data[:at_rows], HEAD.size)
        has(heading, HEADING)
        if end != at_rows or heading["type"] != "ShoeHeading":
            raise ValueError("it is not the heading of a shoe, or of another length")
    except DAMAGE as error:
        told.wrong(name, f"heading: it cannot be read: {error}", at=HEAD.size)
        return None
    plain, bad, why = unpacked(data[at_packed:stop], size)
    parts, whole = parts_of(plain)
    whole = whole and bad < 0 and len(parts) > 2
    if not whole:
        what = f"packed records: they cannot be unpacked beyond part {len(parts)}: {why}"
        told.wrong(name, what, at=at_packed + max(bad, 0))
    started, state = (*parts[:2], b"", b"")[:2]
    began = (heading["started_seq"], sha256(started).digest() if started else b"")
    shoe = Sealed(name, heading, heading["first_seq"] - 1, heading["chain_before"], began, began)
    shoe.digest = data[-TRAILER:-64]
    shoe.state = sha256(state).digest() if state else b""
    for record in parts[2:]:
        shoe.take(record)
    shoe.count, shoe.whole = len(parts[2:]), whole
    told.records, told.inputs = told.records + shoe.count, told.inputs + shoe.inputs
    check_rows(told, shoe, data[at_rows:at_packed], at_rows, whole)
    if whole:
        check_heading(told, shoe, started)
    if stop + TRAILER == len(data):
        signed = b"smartshoe seal 1\n" + shoe.digest
        check_signature(told, name, heading["signer"], data[-64:], signed, len(data) - 64)
    shoe.cards, shoe.said, shoe.first, shoe.latest = {}, {}, b"", b""
    return shoe


def check_rows(told: VerifyReport, shoe: Sealed, rows: bytes, at: int, whole: bool) -> None:
    """Each row against its record; where the chain went wrong, as near as rows can tell."""
    last, good, broken = 0, shoe.first_seq - 1, list[tuple[int, int]]()
    whole_rows = rows[: len(rows) // ROW.size * ROW.size]
    for n, row in enumerate(ROW.iter_unpack(whole_rows), 1):
        seq, _, _, role, _, claimed, flags, end, declared, zeros, _, half = row
        known = shoe.cards.pop(seq, None)
        checks = [(seq > last, "it does not stand in the order of its record")]
        means = max(role, claimed) <= 9 and flags <= 7 and end <= 6 and declared <= 3
        checks.append((means and not any(zeros), "a number in it means nothing"))
        last = seq
        if known is not None:
            number, ns, chain = known
            same = (row[4], role == 9) == (max(number, 0), number < 0)
            checks.append((same, f"its card is not that of record {seq}"))
            checks.append((row[1] == ns, f"its time is not that of the input before {seq}"))
            good = seq if half == chain else good
            broken += [(n, seq)] if half != chain else []
        elif whole or seq <= shoe.seq:
            checks.append((False, f"record {seq} tells of no card, or of one that has a row"))
        for right, what in checks:
            told.unless(right, shoe.name, f"row {n}: {what}", seq, at + (n - 1) * ROW.size)
    led = shoe.chain == shoe.chain_after
    late = [seq for _, seq in broken if seq > good and not led]
    if late or (whole and not led):
        what = f"records {good + 1} to {late[0] if late else shoe.seq}: one of them was changed"
        what += ", or chain_before" if good < shoe.first_seq else ""
        told.wrong(shoe.name, what + ("" if late else ", or chain_after"), good + 1)
    for n, seq in broken:
        if led or seq < good:
            what = f"row {n}: its chain value is not that of record {seq}"
            told.wrong(shoe.name, what, seq, at + (n - 1) * ROW.size)
    for seq in shoe.cards if whole else ():
        told.wrong(shoe.name, f"record {seq} tells of a card and no row does", seq)


def check_heading(told: VerifyReport, shoe: Sealed, started: bytes) -> None:
    """The heading against what the records say."""
    said = {"last_seq": shoe.seq, "from_ns": utc_ns(shoe.first), "until_ns": utc_ns(shoe.latest)}
    for key, value in (said | shoe.said).items():
        if shoe.heading[key] != value:
            what = f"heading: {key} is {shoe.heading[key]}, and its records say {value}"
            told.wrong(shoe.name, what)
    given = value_of(started, "in").get("type") == "Started"
    right = given == bool(shoe.started_seq) and given != shoe.begins
    told.unless(right, shoe.name, "started_seq: the record that began the run is not there")
    told.unless("shoe" in shoe.said, shoe.name, "heading: no record ends a shoe here")
    right = bool(shoe.state) == bool(shoe.state_software)
    told.unless(right, shoe.name, "heading: state_software does not go with the state")


# --- between files ------------------------------------------------------------------------------


def check_links(told: VerifyReport, shoes: Sequence[Sealed]) -> None:
    """Each shoe, in order of its records, against the one before it."""
    for a, b in pairwise(shoes):
        number = a.shoe + 1 if a.gaming_day == b.gaming_day else 1
        follows, again = b.first_seq == a.last_seq + 1, b.first_seq <= a.last_seq
        twice = f"records {b.first_seq} to {min(a.last_seq, b.last_seq)} stand in {a.name}, too"
        named = f"its seal names {b.previous.hex()[:16]} before it"
        lost = f"{missing(a, b, number)}, records {a.last_seq + 1} to {b.first_seq - 1}: {named}"
        checks = [
            (a.table == b.table, f"table: {b.table!r}, and {a.name} is of {a.table!r}"),
            (told.keys or a.signer in (b"", b.signer), f"signer: it is not the key of {a.name}"),
            (not again, f"{twice}: it is {'a copy' if a.digest == b.digest else 'extra'}"),
            (follows or again, lost),
        ]
        if follows:
            seal = f"{named}, and that of {a.name} is {a.digest.hex()[:16]}: one was exchanged"
            checks += [
                (b.previous == a.digest, seal),
                (b.chain_before == a.chain_after, f"chain_before: the chain of {a.name} ends else"),
                (b.shoe == number, f"it is shoe {b.shoe}, and {number} should follow {a.name}"),
                (
                    b.begins or not a.whole or b.began == a.run,
                    f"its run is not the one at the end of {a.name}",
                ),
                (
                    not a.whole or b.state in (b"", a.state_after),
                    f"its state is not that at the end of {a.name}",
                ),
            ]
        for right, what in checks:
            told.unless(right, b.name, what, b.first_seq)


def missing(a: Sealed, b: Sealed, number: int) -> str:
    """The shoes between two that are here; `number` should follow the first."""
    if b.shoe > number + 1:
        return f"shoes {number} to {b.shoe - 1} of {b.gaming_day} are missing"
    if b.shoe == number + 1:
        return f"shoe {number} of {b.gaming_day} is missing"
    return f"one or more shoes after {a.name} are missing"


# --- lists of seals -----------------------------------------------------------------------------


def read_list(data: bytes) -> dict[str, Any]:
    """A day's list of seals. Raises one of DAMAGE."""
    plain = json.loads(data.decode())
    has(plain, LISTED)
    for seal in plain["seals"]:
        has(seal, SEAL)
    if any(bytes.fromhex(plain[key]).hex() != plain[key] for key in ("signer", "signature")):
        raise ValueError("signer and signature stand in small hex digits")
    if plain["form"] != "smartshoe-seals-1":
        raise ValueError(f"form is {plain['form']!r}, and smartshoe-seals-1 is known")
    return {key: plain[key] for key in LISTED}


def signed_lists(said: dict[str, Any]) -> Iterator[bytes]:
    """The bytes that are signed: with no seal, with the first, and so on up to all of them."""
    data = f"smartshoe seals 1\n{said['table']}\n{said['gaming_day']}\n".encode()
    yield data
    for seal in said["seals"]:
        data += (" ".join(str(seal[key]) for key in SEAL) + "\n").encode()
        yield data


def check_list(told: VerifyReport, name: str, data: bytes, shoes: Sequence[Sealed]) -> None:
    """A list against the shoes of its day."""
    try:
        said = read_list(data)
    except DAMAGE as error:
        told.wrong(name, f"the list cannot be read: {error}")
        return
    signed = list(signed_lists(said))
    signer, signature = (bytes.fromhex(said[key]) for key in ("signer", "signature"))
    check_signature(told, name, signer, signature, signed[-1])
    day, there = said["gaming_day"], {shoe.shoe: shoe for shoe in shoes}
    if f"days/{day}.seals.json" != name:
        told.wrong(name, f"gaming_day: it is the list of {day}")
    for n, seal in enumerate(said["seals"], 1):
        number, shoe = seal["shoe"], there.pop(seal["shoe"], None)
        if number != n:
            told.wrong(name, f"shoe: seal {n} is of shoe {number}, and one is missing or extra")
        if shoe is None and not told.bundle:
            told.wrong(name, f"shoe {number} of {day} is missing, or cannot be read")
        if shoe is None:
            continue
        has_it = {**shoe.heading, "digest": shoe.digest.hex()}
        for key in SEAL:
            if seal[key] != has_it[key]:
                what = f"shoe {number}: {key} is {seal[key]}, and {shoe.name} has {has_it[key]}"
                told.wrong(name, what, shoe.first_seq)
    for other in [shoe for shoe in shoes if shoe.table != said["table"]][:1]:
        told.wrong(name, f"table: it is {said['table']!r}, and {other.name} is of {other.table!r}")
    if shoes and shoes[-1].signer not in (b"", signer) and not told.keys and not told.bundle:
        told.wrong(name, f"signer: it is not the key that signed {shoes[-1].name}")
    for shoe in there.values():
        unlisted(told, name, shoe)
    told.codes[day] = [short_code(sha256(one).digest()) for one in signed]


def unlisted(told: VerifyReport, name: str, shoe: Sealed) -> None:
    """A shoe that no list names: a table's newest may just have been sealed."""
    if shoe.name == told.newest:
        told.notes.append(f"{name}: {shoe.name} is not listed yet; the next start lists it")
    elif told.bundle and "missing" in name:
        told.notes.append(f"{name}, so that nothing but its seal vouches for {shoe.name}")
    else:
        told.wrong(name, f"shoe {shoe.shoe} of {shoe.gaming_day} is here and not listed")


def check_days(told: VerifyReport, lists: dict[str, bytes | None], shoes: Sequence[Sealed]) -> None:
    """Every list of seals, and that each day of which a shoe is here has one."""
    days: dict[str, list[Sealed]] = {}
    for shoe in shoes:
        days.setdefault(f"days/{shoe.gaming_day}.seals.json", []).append(shoe)
    for name in sorted({**lists, **dict.fromkeys(days)}):
        data = lists.get(name)
        if LAID_ASIDE.fullmatch(name):
            told.notes.append(f"{name}: a list that the table did not believe or did not finish")
        elif not LIST_NAME.fullmatch(name):
            told.wrong(name, "extra: no list of seals has such a name")
        elif name not in lists:
            for shoe in days[name]:
                unlisted(told, f"{name} is missing", shoe)
        elif data is not None:
            check_list(told, name, data, days.get(name, []))


def check_witness(told: VerifyReport, witness: str) -> None:
    """What somebody kept elsewhere, a short code or a copy of a list, against all lists."""
    with suppress(OSError):
        data = Path(witness).read_bytes()
        try:
            said = read_list(data)
        except DAMAGE as error:
            raise CannotRead(f"{witness}: no list of seals: {error}") from error
        witness = short_code(sha256([*signed_lists(said)][-1]).digest())
    kept = re.sub("[^A-Z2-7]", "", witness.upper())
    for day, those in told.codes.items():
        for count, code in enumerate(those[1:], 1):
            if code.replace("-", "") == kept:
                seals = f"{count} of its {len(those) - 1} seals"
                told.notes.append(f"witness: the list of {day} agrees with {code} in {seals}")
                return
    told.wrong("", f"witness: no list of seals agrees with {witness}, now or when it was shorter")


# --- the live part ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Base:
    """Where a live part begins; of one that does not hold nothing is believed."""

    seq: int = 0
    chain: bytes = NONE
    seal: bytes = NONE
    run: Run = (0, b"")
    state: bytes = b""
    holds: bool = True


@dataclass(slots=True)
class Walk:
    """The check of its records so far. `before`, `previous`: the last two chain values."""

    told: VerifyReport
    name: str
    last_seq: int
    previous: bytes  # b"" where it is not known
    before: bytes = b""
    last_input: bytes = b""
    bad: bool = False
    unreadable: set[int] = field(default_factory=set)

    def wrong(self, seq: int, what: str) -> None:
        self.bad = True
        self.told.wrong(self.name, what, seq)

    def take(self, row: Row, following: Row | None) -> None:
        """Check one record; the one after it helps to tell what was changed."""
        seq, record, stored = row
        if (lost := self.last_seq + 1) < seq:
            which = f"record {lost} is" if lost + 1 == seq else f"records {lost} to {seq - 1} are"
            unread = lost in self.unreadable
            self.wrong(
                lost, f"{which} {'unreadable: the file is damaged' if unread else 'missing'}"
            )
            self.previous = b""
        self.last_seq, self.told.head_hex = max(seq, 0), stored.hex()
        self.told.records += 1
        if record[:4] == b"\x82\x62in":
            self.told.inputs, self.last_input = self.told.inputs + 1, record
        start, chain = self.previous, stored
        if start and link(start, record) != stored:
            at, what, chain = self.judge(start, row, following)
            self.wrong(at, what)
        elif start and self.bad:
            self.told.sound_after += 1
        self.before, self.previous = start, chain

    def judge(self, start: bytes, row: Row, following: Row | None) -> tuple[int, str, bytes]:
        """What is wrong with a record that does not follow on `start`; where to go on from."""
        seq, record, stored = row
        if self.before and link(self.before, record) == stored:
            return seq - 1, f"record {seq - 1} is extra: {seq} follows {seq - 2}", stored
        named = f"{seq} ({name_of(record, self.last_input)})"
        choices = (
            (stored, f"record {named} was changed, or records before it were taken out"),
            (link(start, record), f"the chain value of record {named} was changed"),
            (start, f"record {named} is extra: {seq + 1} follows {seq - 1}"),
        )
        if following is not None and following[0] == seq + 1:
            for chain, what in choices:
                if link(chain, following[1]) == following[2]:
                    return seq, what, chain
        return seq, f"record {named} or its chain value was changed", stored


def rows_of(ask: sqlite3.Connection, unreadable: set[int]) -> Iterator[Row]:
    """All records in order of their numbers; numbers SQLite cannot read go to `unreadable`."""
    wanted, failed = -(2**63), 0
    while failed < UNREADABLE_MAX:
        try:
            for seq, record, chain in ask.execute(RECORDS, (wanted,)):
                wanted, failed = max(seq, wanted) + 1, 0
                yield seq, record or b"", chain or b""
            break
        except DAMAGE:
            failed, wanted = failed + 1, max(wanted, 1) + 1
            unreadable.add(wanted - 1)


def numbers(*those: int | None) -> bytes:
    return b"".join(((one or 0) % 2**64).to_bytes(8, "big") for one in those)


def check_checkpoint(told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base) -> None:
    """The checkpoint's state against its digest, and all of it against its record."""
    try:
        for seq, started, *fields in ask.execute(CHECKPOINT):
            software, stored, digest, binding, chain = (value or b"" for value in fields)
            chain = base.chain if seq == base.seq else chain
            state = stored.rstrip(b"\0").removesuffix(b"\x80")
            whole = (chain, numbers(seq, started), digest, sha256(stored).digest(), software)
            if (sha256(state).digest(), sha256(b"".join(whole)).digest()) != (digest, binding):
                what = "the checkpoint was changed or belongs to another record"
                told.wrong(name, what, seq or 0)
    except DAMAGE as error:
        told.wrong(name, f"the checkpoint is unreadable: {error}")


def read_base(told: VerifyReport, name: str, ask: sqlite3.Connection) -> Base:
    """The base, checked against its own digests."""
    try:
        ((seq, started_seq, *fields),) = ask.execute(BASE)
        chain, seal, started, software, state, digest, ledger, binding = (
            value or b"" for value in fields
        )
        run = (started_seq, sha256(started).digest() if started else b"")
        long = (sha256(started).digest(), sha256(ledger).digest(), digest or NONE, software)
        whole = (chain, seal, numbers(seq, started_seq), *long)
        right = sha256(state).digest() if state else b""
        if (sha256(b"".join(whole)).digest(), right) == (binding, digest):
            return Base(seq, chain, seal, run, digest)
        what = "it or its state was changed"
    except DAMAGE as error:
        what = f"it is missing or unreadable: {error}"
    told.wrong(name, f"base, where the live part begins: {what}")
    return Base(-1, b"", holds=False)


def check_base(
    told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base, last: Sealed
) -> Base:
    """The base against the last sealed shoe; where the live records begin."""
    run, state = (last.run, last.state_after) if last.whole else (base.run, base.state)
    after = Base(last.last_seq, last.chain_after, last.digest, run, state)
    what, found = "", None
    if not base.holds:
        return after
    if base.seq > after.seq:
        what = f"records {after.seq + 1} to {base.seq} are missing, in one or more shoes after"
        what += f" {last.name}: the base names the seal {base.seal.hex()[:16]}"
    elif base.seq == after.seq and base != (after if base.state else replace(after, state=b"")):
        what = f"base: its chain value, seal, run or state is not that at the end of {last.name}"
    elif base.seq < after.seq:
        with suppress(*DAMAGE):
            asked = "SELECT CAST(chain AS BLOB) FROM records WHERE seq = ?"
            found = ask.execute(asked, (after.seq,)).fetchone()
        stand = f"records {base.seq + 1} to {after.seq} stand in {last.name}, too"
        if found == (after.chain,) and (base.seq + 1, base.seal) == (last.first_seq, last.previous):
            told.notes.append(f"{name}: {stand}: it was being sealed; the next start ends that")
            told.records, told.inputs = told.records - last.count, told.inputs - last.inputs
        else:
            what = f"{stand}: it is an older {name}, or its base is"
    if what:
        told.wrong(name, what, min(base.seq, after.seq) + 1)
    return base


def open_live(file: Path, copies: Path) -> sqlite3.Connection:
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


def check_live(told: VerifyReport, file: Path, sealed: Callable[[], Sequence[Sealed]]) -> None:
    """The live part, and by `sealed` the shoes beside it, so that neither moves meanwhile."""
    name, size = file.name, file.stat().st_size
    with tempfile.TemporaryDirectory() as copies, closing(open_live(file, Path(copies))) as ask:
        ask.execute("BEGIN")
        found = ask.execute("SELECT * FROM pragma_application_id, pragma_user_version").fetchone()
        if found not in ((APPLICATION_ID, 1), (APPLICATION_ID, 2)):
            raise CannotRead(f"no journal of format 1, 2: application, version are {found}")
        base = read_base(told, name, ask) if found[1] == 2 else Base()
        if shoes := sealed():
            base = check_base(told, name, ask, base, shoes[-1])
        elif base.seq > 0:
            what = f"records 1 to {base.seq} stand in sealed shoes that are not here"
            told.notes.append(f"{name}: {what}")
        check_records(told, name, ask, base, size)
        check_checkpoint(told, name, ask, base)
        check_log(told, *(Path(copies, name + end) for end in ("-wal", "-shm")))
    told.read(size)


def check_log(told: VerifyReport, log: Path, index: Path) -> None:
    """Of a log without a running table: SQLite takes the first damage for the end, silently.

    A power cut tears one commit, the last; what stands after that one's mark was durable before.
    The index tells how many frames SQLite took (SQLite, "WAL-mode File Format").
    """
    if not index.exists() or len(data := log.read_bytes()) <= 32:
        return
    taken = int.from_bytes(index.read_bytes()[16:20], sys.byteorder)
    head, step, sums = data[:32], 24 + int.from_bytes(data[8:12], "big"), [0, 0]
    order: Any = {b"\x82": "little", b"\x83": "big"}.get(head[3:4], "big")
    for at in range(0, 24, 4):
        word = int.from_bytes(head[at : at + 4], order)
        sums[at // 4 % 2] = (sums[at // 4 % 2] + word + sums[1 - at // 4 % 2]) % 2**32
    broken = b"".join(each.to_bytes(4, "big") for each in sums) != head[24:]
    ours = [
        data[at + 4 : at + 8] != bytes(4)
        for at in range(32 + taken * step, len(data) - 23, step)
        if data[at + 8 : at + 16] == head[16:24]
    ]
    if broken or any(ours[:-1]):
        told.wrong(log.name, "damaged before its end: records stored after that place are cut off")


def check_records(
    told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base, size: int
) -> None:
    """The records of the live part, from its base on."""
    first, last = 1, 0
    with suppress(*DAMAGE):
        asked = "SELECT ifnull(min(seq), 1), ifnull(max(seq), 0) FROM records"
        first, last = ask.execute(asked).fetchone()
    walk = Walk(told, name, base.seq if base.chain else first - 1, base.chain)
    told.head_hex = base.chain.hex() or told.head_hex
    found = rows_of(ask, walk.unreadable)
    row = next(found, None)
    while row is not None:
        following = next(found, None)
        walk.take(row, following)
        if row[0] % 4096 == 0:
            done = size * (row[0] - first + 1) // max(last - first + 1, 1)
            told.progress(told.done + min(done, size), told.total)
        row = following
    if max(walk.unreadable, default=0) >= (seq := walk.last_seq + 1):
        walk.wrong(seq, f"from record {seq} on the file is unreadable")


# --- folders and bundles ------------------------------------------------------------------------


class Files:
    """A folder, or a .zip: names, with / between, and bytes."""

    def __init__(self, path: Path) -> None:
        self.path, self.zip = path, zipfile.ZipFile(path) if path.is_file() else None

    def names(self) -> list[str]:
        if self.zip is not None:
            return [name for name in self.zip.namelist() if not name.endswith("/")]
        found = (one for one in self.path.rglob("*") if not one.is_dir())
        return sorted(one.relative_to(self.path).as_posix() for one in found)

    def size(self, name: str) -> int:
        if self.zip is not None:
            return self.zip.getinfo(name).file_size
        return (self.path / name).stat().st_size

    def read(self, told: VerifyReport, name: str) -> bytes | None:
        """The bytes; None, and told, where they cannot be read."""
        try:
            if self.size(name) > FILE_MAX:
                raise ValueError(f"it is larger than {FILE_MAX} bytes")
            return (self.path / name).read_bytes() if self.zip is None else self.zip.read(name)
        except DAMAGE as error:
            told.wrong(name, f"it cannot be read: {error}")
        return None


def check_manifest(told: VerifyReport, files: Files, names: Sequence[str]) -> None:
    """A bundle's files against its manifest: each there, unchanged, and no other."""
    name, listed = "manifest.json", dict[str, Any]()
    try:
        plain = json.loads(files.read(told, name) or b"")
        listed = dict(plain["files"])
        if plain["form"] != "smartshoe-bundle-1":
            raise ValueError(f"form is {plain['form']!r}, and smartshoe-bundle-1 is known")
    except DAMAGE as error:
        told.wrong(name, f"it cannot be read: {error}")
    for one in sorted({**listed, **dict.fromkeys(names)}):
        if names.count(one) > 1:
            told.wrong(one, "extra: it stands in the bundle more than once")
        elif one not in names:
            told.wrong(one, "missing: the manifest names it")
        elif one not in listed and one != name:
            told.wrong(one, "extra: the manifest does not name it")
        elif one != name and (data := files.read(told, one)) is not None:
            told.unless(sha256(data).hexdigest() == listed[one], one, "changed since it was listed")


def check_sealed(told: VerifyReport, files: Files) -> list[Sealed]:
    """All sealed shoes, one in memory at a time, and all lists of seals.

    Lists are read first: beside a table in use they then name no shoe that is not here yet.
    """
    days = [name for name in files.names() if name.startswith("days/")]
    lists = {name: files.read(told, name) if LIST_NAME.fullmatch(name) else None for name in days}
    names = [name for name in files.names() if name.startswith("shoes/")]
    if UNFINISHED in names:
        names.remove(UNFINISHED)
        told.notes.append(f"{UNFINISHED}: a sealed shoe in the making; the next start removes it")
    told.total += sum(files.size(name) for name in names)
    shoes = list[Sealed]()
    for name in sorted(names, key=lambda one: (one.rpartition("/")[0], len(one), one)):
        if not (match := SHOE_NAME.fullmatch(name)):
            told.wrong(name, "extra: no sealed shoe has such a name")
        if not match or (data := files.read(told, name)) is None:
            continue
        try:
            shoe = judged_shoe(told, name, data, (match[1], int(match[2])))
            shoes += [shoe] if shoe is not None else []
        except CannotRead as error:
            told.wrong(name, str(error))
        told.read(len(data))
    shoes.sort(key=lambda one: (one.first_seq, one.name))
    told.newest = shoes[-1].name if shoes and told.live else ""
    check_links(told, shoes)
    check_days(told, lists, shoes)
    if shoes and shoes[0].first_seq > 1:
        what = f"records 1 to {shoes[0].first_seq - 1} are not here"
        told.notes.append(f"{shoes[0].name} is the first shoe here: {what}")
    told.head_hex = shoes[-1].chain_after.hex() if shoes else told.head_hex
    return shoes


def judged_shoe(
    told: VerifyReport, name: str, data: bytes, named: tuple[str, int] | None = None
) -> Sealed | None:
    """One sealed shoe, by its file's name that of a day and number, and in words what it is."""
    before, shoe, which = len(told.problems), None, ""
    try:
        shoe = check_shoe(told, name, data)
    except DAMAGE as error:
        told.wrong(name, f"it cannot be judged: {type(error).__name__} {error}")
    if shoe is not None:
        which = f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        right = named in (None, (shoe.gaming_day, shoe.shoe))
        told.unless(right, name, f"by its heading it is shoe {shoe.shoe} of {shoe.gaming_day}")
    count = len(told.problems) - before
    told.files[name] = (f"{count} problems" if count else "intact") + which
    return shoe


def check_path(told: VerifyReport, path: Path) -> None:
    """By what it is: a sealed shoe, a live part, a bundle, or a folder."""
    told.total = path.stat().st_size if path.is_file() else 0
    if path.is_file():
        with path.open("rb") as file:
            begins = file.read(8)
        if path.suffix == ".shoe" or begins == b"SMSHSEAL":
            shoe = judged_shoe(told, path.name, path.read_bytes())
            told.head_hex = shoe.chain_after.hex() if shoe else told.head_hex
            return
        if not begins.startswith(b"PK"):
            check_live(told, path, tuple)
            return
    files = Files(path)
    names = files.names()
    tops = dict.fromkeys(name.partition("/")[0] for name in names)
    told.bundle, told.live = path.is_file() or "manifest.json" in tops, "live.db" in tops
    if told.bundle:
        check_manifest(told, files, names)
    if told.live and not told.bundle:
        told.total = files.size("live.db")
        check_live(told, path / "live.db", lambda: check_sealed(told, files))
    elif told.bundle or "shoes" in tops:
        check_sealed(told, files)
        if "lock" in tops:
            told.wrong("live.db", "missing: the records since the last seal")
    else:
        raise CannotRead("it holds no live.db, no shoes/ and no manifest.json")


def verify(
    path: Path,
    progress: Progress = lambda done, total: None,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> VerifyReport:
    """Check what is at `path`; `progress` gets bytes done and in all. Raises CannotRead."""
    told = VerifyReport(path, progress, tuple(public_key(key) for key in keys))
    try:
        check_path(told, path)
    except (CannotRead, *DAMAGE) as error:
        raise CannotRead(f"{path}: {error}") from error
    for witness in witnesses:
        check_witness(told, witness)
    for key, count in told.signers.items():
        who = f"name the key {fingerprint(key)}" if key else "are unsigned"
        told.notes.append(f"of the sealed shoes and lists {count} {who}")
    if told.bundle:
        told.notes.append("files beside shoes/ and days/ are vouched for by no key, only listed")
    if told.unchecked:
        told.notes.append("signatures not checked: the library `cryptography` is not installed")
    if any(told.signers) and not told.keys:
        told.notes.append("nobody vouches for that key: compare it, or name its file with --key")
    return told


# --- the program --------------------------------------------------------------------------------


def words(report: VerifyReport, most: int = 50) -> Iterator[str]:
    """The report, line by line."""
    yield f"{'intact' if report.intact else 'NOT INTACT'}: {report.path}"
    yield from (f"  {problem}" for problem in report.problems[:most])
    if len(report.problems) > most:
        yield f"  and {len(report.problems) - most} more problems; --json lists them all"
    if len(report.files) <= most:
        yield from (f"  {name}: {state}" for name, state in report.files.items())
    counts = f"{report.records} records: {report.inputs} inputs, {report.entries} entries"
    yield f"  {report.shoes} sealed shoes; {counts}"
    if report.sound_after:
        yield f"  after the first problem of the live part {report.sound_after} more records hold"
    yield from (f"  {note}" for note in report.notes)
    yield from (f"  short code of {day}: {codes[-1]}" for day, codes in report.codes.items())
    yield f"  head {report.head_hex}"
    yield from BLIND.splitlines()


def as_json(report: VerifyReport) -> dict[str, Any]:
    plain = ("records", "inputs", "entries", "shoes", "sound_after", "notes", "files")
    told: dict[str, Any] = {"path": str(report.path), "intact": report.intact}
    told |= {"head": report.head_hex} | {key: getattr(report, key) for key in plain}
    told |= {"codes": {day: codes[-1] for day, codes in report.codes.items()}}
    told |= {"signers": {key.hex(): count for key, count in report.signers.items()}}
    return told | {"problems": [asdict(problem) for problem in report.problems]}


def main() -> int:
    about = "Check that a table's evidence is complete and unchanged. Nothing is written."
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=EXAMPLES, formatter_class=form)
    parser.add_argument("path", type=Path, help="journal, archive, live.db, .shoe, or bundle")
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--key", type=Path, **many, help="public key that may sign; repeatable")
    parser.add_argument("--witness", **many, help="short code, or list of seals, kept elsewhere")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    try:
        report = verify(given.path, keys=given.key, witnesses=given.witness)
    except CannotRead as error:
        print(f"cannot read: {error}")
        return 2
    told = json.dumps(as_json(report), indent=2) if given.json else "\n".join(words(report))
    print(told)
    return 0 if report.intact else 1


if __name__ == "__main__":
    sys.exit(main())
