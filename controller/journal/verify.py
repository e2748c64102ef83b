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
import os
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain, pairwise
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
TRAILER, FILE_MAX, SEARCH_MAX = 96, 1 << 30, 4 << 30  # bytes of a file; hashed to find a bit
_PLAIN = (OSError, ValueError, LookupError, RuntimeError, OverflowError, EOFError, TypeError)
_OTHER = (AttributeError, MemoryError, sqlite3.Error, zipfile.BadZipFile, zlib.error, struct.error)
DAMAGE = (*_PLAIN, *_OTHER)  # what damaged files make Python raise
HEAD, ROW = struct.Struct(">8sHHIIQQ"), struct.Struct(">QqIBBBBBB6s16s16s")
Fields = dict[str, type]
HEADING: Fields = {"type": str, "table": str, "software": str, "gaming_day": str, "shoe": int}
HEADING |= {"first_seq": int, "last_seq": int, "chain_before": bytes, "chain_after": bytes}
HEADING |= {"from_ns": int, "until_ns": int, "previous": bytes, "signer": bytes}
HEADING |= {"started_seq": int, "state_software": str, "opened_seq": int, "clean": bool}
HEADING |= {"batch": str, "back": str, "decks": int, "coups": int, "irregularities": int}
LISTED: Fields = {"form": str, "table": str, "gaming_day": str, "seals": list}
LISTED |= {"signer": str, "signature": str}
SEAL: Fields = {"shoe": int, "digest": str, "first_seq": int, "last_seq": int, "until_ns": int}
SHOE_NAME = re.compile(r"shoes/(\d{4}-\d\d-\d\d)/(\d{4,9})\.shoe", re.ASCII)
LIST_NAME = re.compile(r"days/(\d{4}-\d\d-\d\d)\.seals\.json", re.ASCII)
LAID_ASIDE = re.compile(r"days/(\.)?\d{4}-\d\d-\d\d\.seals\.json\.(?(1)new|\d+)", re.ASCII)
KEY_HEAD = bytes.fromhex("302a300506032b6570032100")  # an Ed25519 public key as RFC 8410 has it
TELLING = (b"Started", b"CardDrawn", b"StateDigest", b"ShoeOpened", b"ShoeEnded")
RECORDS = "SELECT seq, record, chain FROM records WHERE seq >= ? ORDER BY seq"
CHECKPOINT = """SELECT c.seq, started_seq, software, state, digest, binding, chain
    FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq"""
BASE = """SELECT seq, started_seq, chain, seal, started, software, state, digest, ledger, binding
    FROM base"""
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
    with the first, and so on; `files`: each sealed file in words; `signers`: files by key;
    `newest`: the sealed file that a table in use made last.
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
    bundle: bool = False
    newest: str = ""
    done: int = 0
    total: int = 1

    @property
    def entries(self) -> int:
        return self.records - self.inputs

    @property
    def intact(self) -> bool:
        return not self.problems

    def wrong(self, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        self.problems.append(Problem(seq, what, file, at))

    def unless(self, right: object, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if not right:
            self.wrong(file, what, seq, at)

    @contextmanager
    def damage(self, file: str, what: str, at: int = -1) -> Iterator[None]:
        """Where a damaged file ends what is done here, it is told."""
        try:
            yield
        except DAMAGE as error:
            self.wrong(file, f"{what}: {error}", at=at)

    def step(self) -> None:
        self.done += 1
        self.progress(self.done, self.total)


def groups(text: str, size: int, mark: str) -> str:
    return mark.join(text[at : at + size] for at in range(0, len(text), size))


def fingerprint(key: bytes) -> str:
    return groups(sha256(key).hexdigest(), 8, " ")


def short_code(signed: bytes) -> str:
    return groups(base64.b32encode(sha256(signed).digest()).decode()[:20], 5, "-")


def digest_of(data: bytes) -> bytes:
    """SHA-256, of nothing nothing."""
    return sha256(data).digest() if data else b""


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


def is_input(record: bytes) -> bool:
    return record.startswith(b"\x82\x62in")


def value_of(record: bytes) -> tuple[str, dict[str, Any]]:
    """An input ("in") or an entry ("out") and its value; nothing where it is no record."""
    with suppress(*DAMAGE):
        (kind, value), end = read_item(record, 0)
        if kind in ("in", "out") and end == len(record) and isinstance(value, dict):
            return kind, value
    return "", {}


def utc_ns(record: bytes) -> int | None:
    """When an input came; of chunks in one record, the last."""
    with suppress(*DAMAGE):
        given = value_of(record)[1]
        later = given["chunks"][-1][1] if given.get("chunks") else 0
        return int(given["at"]["utc_ns"] + later)
    return None


def name_of(record: bytes, latest: bytes) -> str:
    """What a record says it is, with the time of the latest input: "input 'Chunk', 2025-11-21"."""
    kind, value = value_of(record)
    name = {"in": "input", "out": "entry"}.get(kind, "unreadable")
    with suppress(*DAMAGE):
        name += f" {value['type']!r:.50}"
        since = timedelta(microseconds=(utc_ns(latest) or 0) // 1000)
        name += f", {datetime(1970, 1, 1, tzinfo=UTC) + since:%Y-%m-%d %H:%M:%S} UTC"
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
    if not signer:
        told.unless(not any(signature), name, "signature: it has one and names no key", at=at)
        return
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - may be absent
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        note = "signatures not checked: the library `cryptography` is not installed"
        told.notes += [note] if note not in told.notes else []
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
    at_packed = at_rows + ROW.size * rows
    return at_rows, at_packed, at_packed + packed, plain


def unpacked(packed: bytes, size: int) -> tuple[bytes, int]:
    """What the packed part unpacks to, and up to which of its bytes: all where it is whole."""
    unpacking, plain = zlib.decompressobj(), bytearray()
    for at in range(0, len(packed), 64):
        try:
            plain += unpacking.decompress(packed[at : at + 64])
        except zlib.error:
            return bytes(plain), at
        if len(plain) > min(size, FILE_MAX) or unpacking.unused_data:
            return bytes(plain), at
    whole = unpacking.eof and len(plain) == size
    return bytes(plain), len(packed) if whole else len(packed) - 1


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


def place(data: bytes, at: int) -> str:
    """In which part of a sealed file byte `at` stands."""
    rows, packed, _, _ = layout(data)
    if rows <= at < packed:
        return f"row {(at - rows) // ROW.size + 1}, its byte {(at - rows) % ROW.size}"
    return "head" if at < HEAD.size else "heading" if at < rows else "packed records"


def changed_bit(data: bytes, places: Iterable[int]) -> int:
    """The bit of the bytes at `places` that makes the digest fail; -1: none found in time."""
    end, hashed = len(data) - TRAILER, 0
    view, wanted = memoryview(data), data[end : end + 32]
    for at in places:
        before = sha256(view[:at])
        for bit in range(8):
            trial = before.copy()
            trial.update(bytes((data[at] ^ 1 << bit,)))
            trial.update(view[at + 1 : end])
            if trial.digest() == wanted:
                return at * 8 + bit
        hashed += at + 8 * (end - at)
        if hashed > SEARCH_MAX:
            break
    return -1


def mended(told: VerifyReport, name: str, data: bytes) -> bytes:
    """Check the digest. Where it fails, name the place, and set right one bit or what was added."""
    rows, packed, stop, size = layout(data)
    end = len(data) - TRAILER
    if end > stop and sha256(data[:stop]).digest() == data[stop : stop + 32]:
        told.wrong(name, f"{end - stop} bytes too many, after its end", at=stop + TRAILER)
        return data[: stop + TRAILER]
    found = sha256(data[:end]).digest()
    changed = [end + at for at in range(32) if found[at] != data[end + at]]
    if len(changed) <= 4:
        told.unless(not changed, name, "digest: only it was changed", at=min(changed, default=0))
        return data[:end] + found + data[end + 32 :]
    good = packed + unpacked(data[packed:stop], size)[1]
    if stop != end:
        kind = "cut short" if stop > end else "too long"
        where = f"{kind}, or its head was changed: it has {len(data)} of {stop + TRAILER} bytes"
        suspects = list[int]()
    elif good < stop:
        until = min(good + 64, end)
        where, suspects = (
            f"packed records, bytes {packed} to {until}",
            [*range(until - 1, packed - 1, -1)],
        )
    else:
        # Some bits of a packed part say nothing, most at its ends. Of the rows first what no
        # record says: coup, role to declared, tag.
        where, all_packed = "heading, rows or unused bits", range(packed, end)
        first = {*range(16, 26), *range(32, 48)}
        inside = sorted(range(rows, packed), key=lambda at: (at - rows) % ROW.size not in first)
        suspects = [*range(HEAD.size, rows), *all_packed[:128], *all_packed[-8:], *inside]
        suspects += all_packed
    at, bit = divmod(changed_bit(data, [*range(HEAD.size), *suspects]), 8)
    if at >= 0:
        told.wrong(name, f"{place(data, at)}: bit {bit} of this byte was changed", at=at)
        return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
    at = min(len(data), stop + TRAILER) if stop != end else -1
    told.wrong(name, f"{where}: the digest does not hold, and not for a single bit", at=at)
    return data


# --- a sealed shoe: what it says ----------------------------------------------------------------


@dataclass(slots=True)
class Sealed:
    """What one sealed file's records say, for comparison with its heading and the other files."""

    name: str
    heading: dict[str, Any]
    digest: bytes
    whole: bool  # whether all its records could be read
    state: bytes  # SHA-256 of the state in the file
    began: Run  # the run in force before its first record
    run: Run  # and after its last
    seq: int = 0
    chain: bytes = b""
    state_after: bytes = b""  # the last StateDigest
    first: bytes = b""  # input, and the latest
    latest: bytes = b""
    said: dict[str, Any] = field(default_factory=dict)
    cards: dict[int, tuple[int, int | None, bytes]] = field(default_factory=dict)
    count: int = 0
    inputs: int = 0
    begins: bool = False  # whether its first record begins a run

    def __post_init__(self) -> None:
        self.seq, self.chain = self.first_seq - 1, self.chain_before

    def __getattr__(self, key: str) -> Any:
        """A value of the heading."""
        return self.heading[key]

    def take(self, record: bytes) -> None:
        """One more record: its chain value, and what it says of the shoe."""
        self.seq, self.chain = self.seq + 1, link(self.chain, record)
        if is_input(record):
            self.inputs, self.first, self.latest = self.inputs + 1, self.first or record, record
        if not any(word in record for word in TELLING):
            return
        match value_of(record):
            case "in", {"type": "Started"}:
                self.run = self.seq, digest_of(record)
                self.begins = self.begins or self.seq == self.first_seq
            case "out", {"type": "StateDigest", "digest": digest}:
                self.state_after = digest
            case "out", {"type": "ShoeOpened", **entry} if "shoe" not in self.said:
                self.said |= {"opened_seq": self.run[0], "decks": entry["decks"]}
            case "out", {"type": "ShoeEnded", **entry}:
                keys = ("gaming_day", "shoe", "coups", "irregularities")
                self.said |= {key: entry[key] for key in keys}
            case "out", {"event": {"type": "CutCardDrawn"}}:
                self.cards[self.seq] = -1, utc_ns(self.latest), self.chain[:16]
            case "out", {"event": {"type": "CardDrawn", "card": card}}:
                number = 13 * "DCSH".index(card["suit"]) + card["rank"] if card else 0
                self.cards[self.seq] = number, utc_ns(self.latest), self.chain[:16]


def check_shoe(told: VerifyReport, name: str, data: bytes) -> Sealed | None:
    """All that one sealed file can show alone; None where its heading cannot be read."""
    told.shoes, before = told.shoes + 1, len(told.problems)
    if len(data) < HEAD.size + TRAILER:
        told.wrong(name, f"cut short: it has {len(data)} bytes, no shoe so few", at=len(data))
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
    plain, good = unpacked(data[at_packed:stop], size)
    parts, whole = parts_of(plain)
    whole = whole and good == stop - at_packed and len(parts) > 2
    started, state = (*parts[:2], b"", b"")[:2]
    run = heading["started_seq"], digest_of(started)
    shoe = Sealed(name, heading, data[-96:-64], whole, digest_of(state), run, run)
    for record in parts[2:]:
        shoe.take(record)
    if not whole:
        what = f"packed records: damaged, read as far as record {shoe.seq} of {shoe.last_seq}"
        told.wrong(name, what, at=at_packed + max(good, 0))
    shoe.count = len(parts[2:])
    told.records, told.inputs = told.records + shoe.count, told.inputs + shoe.inputs
    check_rows(told, shoe, data[at_rows:at_packed], at_rows)
    if whole:
        check_heading(told, shoe, started)
    if stop + TRAILER == len(data):
        signed = b"smartshoe seal 1\n" + shoe.digest
        check_signature(told, name, heading["signer"], data[-64:], signed, len(data) - 64)
    shoe.cards, shoe.said, shoe.first, shoe.latest = {}, {}, b"", b""
    return shoe


def check_rows(told: VerifyReport, shoe: Sealed, rows: bytes, at: int) -> None:
    """Each row against its record; where the chain went wrong, as near as rows can tell."""
    last, good, broken = 0, shoe.first_seq - 1, list[Problem]()
    whole_rows = rows[: len(rows) // ROW.size * ROW.size]
    for n, row in enumerate(ROW.iter_unpack(whole_rows), 1):
        seq, ns, _, role, card, claimed, flags, end, declared, zeros, _, half = row
        means = max(role, claimed) <= 9 and flags <= 7 and end <= 6 and declared <= 3
        checks = [
            (seq > last, "it does not stand in the order of its record"),
            (means and not any(zeros), "a number in it means nothing"),
        ]
        begin, last = at + (n - 1) * ROW.size, seq
        if (known := shoe.cards.pop(seq, None)) is not None:
            number, came, value = known
            same = (card, role == 9) == (max(number, 0), number < 0)
            checks.append((same, f"its card is not that of record {seq}"))
            checks.append((ns == came, f"its time is not that of the input before {seq}"))
            what = f"row {n}: its chain value is not that of record {seq}"
            broken += [Problem(seq, what, shoe.name, begin)] if half != value else []
            good = seq if half == value else good
        elif shoe.whole or seq <= shoe.seq:
            checks.append((False, f"record {seq} tells of no card, or of one that has a row"))
        for right, what in checks:
            told.unless(right, shoe.name, f"row {n}: {what}", seq, begin)
    # Where the chain does not lead to its end, what follows on the last good row is the records'.
    led = shoe.chain == shoe.chain_after
    told.problems += [one for one in broken if led or one.seq < good]
    late = [one.seq for one in broken if not led and one.seq > good]
    if late or (shoe.whole and not led):
        those = f"chain_before, chain_after or a record from {good + 1} to {[*late, shoe.seq][0]}"
        told.wrong(shoe.name, f"{those} was changed", good + 1)
    for seq in shoe.cards if shoe.whole else ():
        told.wrong(shoe.name, f"record {seq} tells of a card and no row does", seq)


def check_heading(told: VerifyReport, shoe: Sealed, started: bytes) -> None:
    """The heading against what the records say."""
    said = {"last_seq": shoe.seq, "from_ns": utc_ns(shoe.first), "until_ns": utc_ns(shoe.latest)}
    for key, value in (said | shoe.said).items():
        what = f"heading: {key} is {shoe.heading[key]}, and its records say {value}"
        told.unless(shoe.heading[key] == value, shoe.name, what)
    given = is_input(started) and value_of(started)[1].get("type") == "Started"
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
        named = f"its seal names {b.previous.hex()[:16]} before it"
        lost = f"records {a.last_seq + 1} to {b.first_seq - 1} are missing after {a.name}"
        if b.shoe > number:
            which = f"shoe {number}" if b.shoe == number + 1 else f"shoes {number} to {b.shoe - 1}"
            lost += f", of {b.gaming_day} {which}"
        checks = [
            (a.table == b.table, f"table: {b.table!r}, and {a.name} is of {a.table!r}"),
            (told.keys or a.signer in (b"", b.signer), f"signer: it is not the key of {a.name}"),
            (b.first_seq <= a.last_seq + 1, f"{lost}: {named}"),
        ]
        if b.first_seq <= a.last_seq:
            twice = f"records {b.first_seq} to {min(a.last_seq, b.last_seq)} stand in {a.name}, too"
            checks.append((a.digest != b.digest, f"{twice}: it is a copy"))
            checks.append((a.digest == b.digest, f"{twice}: it is extra"))
        elif b.first_seq == a.last_seq + 1:
            seal = f"{named}, and that of {a.name} is {a.digest.hex()[:16]}: one was exchanged"
            same_run = b.begins or not a.whole or b.began == a.run
            same_state = not a.whole or b.state in (b"", a.state_after)
            checks += [
                (b.previous == a.digest, seal),
                (b.chain_before == a.chain_after, f"chain_before: the chain of {a.name} ends else"),
                (b.shoe == number, f"it is shoe {b.shoe}, and {number} should follow {a.name}"),
                (same_run, f"its run is not the one at the end of {a.name}"),
                (same_state, f"its state is not that at the end of {a.name}"),
            ]
        for right, what in checks:
            told.unless(right, b.name, what, b.first_seq)


# --- lists of seals -----------------------------------------------------------------------------


def read_list(data: bytes) -> dict[str, Any]:
    """A day's list of seals. Raises one of DAMAGE."""
    plain: dict[str, Any] = json.loads(data.decode())
    has(plain, LISTED)
    for seal in plain["seals"]:
        has(seal, SEAL)
    if any(bytes.fromhex(plain[key]).hex() != plain[key] for key in ("signer", "signature")):
        raise ValueError("signer and signature stand in small hex digits")
    if plain["form"] != "smartshoe-seals-1":
        raise ValueError(f"form is {plain['form']!r}, and smartshoe-seals-1 is known")
    return plain


def signed_lists(said: dict[str, Any]) -> list[bytes]:
    """The bytes that are signed: with no seal, with the first, and so on up to all of them."""
    lists = [f"smartshoe seals 1\n{said['table']}\n{said['gaming_day']}\n".encode()]
    for seal in said["seals"]:
        lists.append(lists[-1] + (" ".join(str(seal[key]) for key in SEAL) + "\n").encode())
    return lists


def check_list(told: VerifyReport, name: str, data: bytes, shoes: dict[int, Sealed]) -> None:
    """A list against the shoes of its day; those that it names are taken out of `shoes`."""
    try:
        said = read_list(data)
    except DAMAGE as error:
        told.wrong(name, f"the list cannot be read: {error}")
        shoes.clear()
        return
    signed, day, table = signed_lists(said), said["gaming_day"], said["table"]
    signer, signature = (bytes.fromhex(said[key]) for key in ("signer", "signature"))
    check_signature(told, name, signer, signature, signed[-1])
    told.codes[day] = [short_code(one) for one in signed]
    told.unless(f"days/{day}.seals.json" == name, name, f"gaming_day: it is the list of {day}")
    others = [shoe.table for shoe in shoes.values() if shoe.table != table]
    told.unless(not others, name, f"table: it is {table!r}, and its shoes are of {others[:1]}")
    right = told.keys or told.bundle or not shoes or shoes[max(shoes)].signer in (b"", signer)
    told.unless(right, name, "signer: it is not the key that signed its last shoe")
    for n, seal in enumerate(said["seals"], 1):
        number, shoe = seal["shoe"], shoes.pop(seal["shoe"], None)
        told.unless(number == n, name, f"seal {n} is of shoe {number}: one is missing or extra")
        lost = f"shoe {number} of {day} is missing, or cannot be read"
        told.unless(shoe or told.bundle, name, lost)
        there = {**shoe.heading, "digest": shoe.digest.hex()} if shoe else seal
        for key in SEAL:
            what = f"shoe {number}: {key} is {seal[key]}, and in its file {there[key]}"
            told.unless(seal[key] == there[key], name, what)


def check_days(told: VerifyReport, lists: dict[str, bytes | None], shoes: Sequence[Sealed]) -> None:
    """Every list of seals, and that each shoe is listed; a table's newest may not be yet."""
    days: dict[str, dict[int, Sealed]] = {}
    for shoe in shoes:
        days.setdefault(f"days/{shoe.gaming_day}.seals.json", {})[shoe.shoe] = shoe
    for name in sorted({*lists, *days}):
        data, there = lists.get(name), days.get(name, {})
        if LAID_ASIDE.fullmatch(name):
            told.notes.append(f"{name}: a list that the table did not believe or did not finish")
        elif not LIST_NAME.fullmatch(name):
            told.wrong(name, "extra: no list of seals has such a name")
        elif data is not None:
            check_list(told, name, data, there)
        where = name if name in lists else f"{name} is missing"
        for shoe in there.values():
            if shoe.name == told.newest:
                told.notes.append(f"{where}: {shoe.name} is not listed; the next start lists it")
            elif told.bundle and name not in lists:
                told.notes.append(f"{where}, so that nothing but its seal vouches for {shoe.name}")
            else:
                told.wrong(where, f"shoe {shoe.shoe} of {shoe.gaming_day} is here and not listed")


def check_witness(told: VerifyReport, witness: str) -> None:
    """What somebody kept elsewhere, a short code or a copy of a list, against all lists."""
    with suppress(OSError):
        data = Path(witness).read_bytes()
        try:
            witness = short_code(signed_lists(read_list(data))[-1])
        except DAMAGE as error:
            raise CannotRead(f"{witness}: no list of seals: {error}") from error
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
    """Where a live part begins."""

    seq: int = 0
    chain: bytes = NONE
    seal: bytes = NONE
    run: Run = (0, b"")
    state: bytes = b""


UNKNOWN, END = Base(-1, b""), (0, b"", b"")


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
    ask = sqlite3.connect(f"{file.resolve().as_uri()}?{options}", uri=True, isolation_level=None)
    ask.text_factory = bytes
    return ask


def check_live(told: VerifyReport, file: Path, sealed: Callable[[], Sequence[Sealed]]) -> None:
    """The live part, and by `sealed` the shoes beside it, so that neither moves meanwhile."""
    name = file.name
    with tempfile.TemporaryDirectory() as copies, closing(open_live(file, Path(copies))) as ask:
        ask.execute("BEGIN")
        found = ask.execute("SELECT * FROM pragma_application_id, pragma_user_version").fetchone()
        if found not in ((APPLICATION_ID, 1), (APPLICATION_ID, 2)):
            raise CannotRead(f"no journal of format 1, 2: application, version are {found}")
        base = read_base(told, name, ask) if found[1] == 2 else Base()
        if shoes := sealed():
            base = check_base(told, name, ask, base, shoes[-1])
        elif base.seq > 0:
            told.notes.append(f"{name}: records 1 to {base.seq} stand in shoes that are not here")
        check_records(told, name, ask, base)
        check_checkpoint(told, name, ask, base)
        check_log(told, *(Path(copies, name + end) for end in ("-wal", "-shm")))
    told.step()


def read_base(told: VerifyReport, name: str, ask: sqlite3.Connection) -> Base:
    """The base, checked against its own digests; UNKNOWN where it does not hold."""
    base = UNKNOWN
    with told.damage(name, "base, where the live part begins: it is missing or unreadable"):
        ((seq, started_seq, chain, seal, *those, digest, ledger, binding),) = ask.execute(BASE)
        started, software, state = those
        whole = chain + seal + struct.pack(">qq", seq, started_seq) + sha256(started).digest()
        whole += sha256(ledger).digest() + (digest or NONE) + software
        if (sha256(whole).digest(), digest_of(state)) == (binding, digest):
            base = Base(seq, chain, seal, (started_seq, digest_of(started)), digest)
        else:
            told.wrong(name, "base, where the live part begins: it or its state was changed")
    return base


def check_base(
    told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base, last: Sealed
) -> Base:
    """The base against the last sealed shoe; where the live records begin."""
    run, state = (last.run, last.state_after) if last.whole else (base.run, base.state)
    after = Base(last.last_seq, last.chain_after, last.digest, run, state)
    if base == UNKNOWN:
        return after
    lost = f"records {after.seq + 1} to {base.seq} are missing, in one or more shoes after"
    lost += f" {last.name}: the base names the seal {base.seal.hex()[:16]}"
    told.unless(base.seq <= after.seq, name, lost, after.seq + 1)
    if base.seq == after.seq:
        what = f"base: its chain value, seal, run or state is not that at the end of {last.name}"
        told.unless(base == replace(after, state=base.state and after.state), name, what)
    if base.seq < after.seq:
        asked, found = "SELECT chain FROM records WHERE seq = ?", None
        with suppress(*DAMAGE):
            found = ask.execute(asked, (after.seq,)).fetchone()
        twice = f"records {base.seq + 1} to {after.seq} stand in {last.name}, too"
        if found == (after.chain,) and (base.seq + 1, base.seal) == (last.first_seq, last.previous):
            told.notes.append(f"{name}: {twice}: it was being sealed; the next start ends that")
            told.records, told.inputs = told.records - last.count, told.inputs - last.inputs
        else:
            told.wrong(name, f"{twice}: it is an older {name}, or its base is", base.seq + 1)
    return base


def rows_of(ask: sqlite3.Connection, unreadable: set[int]) -> Iterator[Row]:
    """All records in order of their numbers; numbers SQLite cannot read go to `unreadable`."""
    wanted, failed = -(2**63), 0
    while failed < UNREADABLE_MAX:
        try:
            for seq, *those in ask.execute(RECORDS, (wanted,)):
                wanted, failed = max(seq, wanted) + 1, 0
                record, chain = (one if isinstance(one, bytes) else b"" for one in those)
                yield seq, record, chain
            break
        except DAMAGE:
            failed, wanted = failed + 1, max(wanted, 1) + 1
            unreadable.add(wanted - 1)


def explained(
    before: bytes, start: bytes, row: Row, following: Row, named: str
) -> tuple[int, str, bytes]:
    """What is wrong with a record that does not follow on `start`; where the chain goes on from."""
    seq, record, stored = row
    if before and link(before, record) == stored:
        return seq - 1, f"record {seq - 1} is extra: {seq} follows {seq - 2}", stored
    choices = (
        (stored, f"record {named} was changed, or records before it were taken out"),
        (link(start, record), f"the chain value of record {named} was changed"),
        (start, f"record {named} is extra: {seq + 1} follows {seq - 1}"),
    )
    for value, what in choices:
        if following[0] == seq + 1 and link(value, following[1]) == following[2]:
            return seq, what, value
    return seq, f"record {named} or its chain value was changed", stored


def check_records(told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base) -> None:
    """The records of the live part, each against the one before it, from the base on."""
    problems, unreadable, latest = len(told.problems), set[int](), b""
    last, before, previous = base.seq, b"", base.chain  # the last two chain values, if known
    told.head_hex = base.chain.hex() or told.head_hex
    for row, following in pairwise(chain(rows_of(ask, unreadable), (END,))):
        seq, record, stored = row
        lost = last + 1 if previous or last >= 0 else seq
        if lost < seq:
            which = f"record {lost} is" if lost + 1 == seq else f"records {lost} to {seq - 1} are"
            kind = "unreadable: the file is damaged" if lost in unreadable else "missing"
            told.wrong(name, f"{which} {kind}", lost)
            previous = b""
        told.records, told.head_hex = told.records + 1, stored.hex()
        if is_input(record):
            told.inputs, latest = told.inputs + 1, record
        last, start, previous = max(seq, 0), previous, stored
        if start and link(start, record) != stored:
            named = f"{seq} ({name_of(record, latest)})"
            at, what, previous = explained(before, start, row, following, named)
            told.wrong(name, what, at)
        elif start and len(told.problems) > problems:
            told.sound_after += 1
        before = start
    if max(unreadable, default=0) > last:
        told.wrong(name, f"from record {last + 1} on the file is unreadable", last + 1)


def check_checkpoint(told: VerifyReport, name: str, ask: sqlite3.Connection, base: Base) -> None:
    """The checkpoint's state against its digest, and all of it against its record."""
    with told.damage(name, "the checkpoint is unreadable"):
        for seq, started_seq, software, stored, digest, binding, value in ask.execute(CHECKPOINT):
            state = sha256(stored.rstrip(b"\0").removesuffix(b"\x80")).digest()
            whole = base.chain if seq == base.seq else value or b""
            whole += struct.pack(">qq", seq, started_seq) + digest
            whole += sha256(stored).digest() + software
            right = (state, sha256(whole).digest()) == (digest, binding)
            told.unless(right, name, "the checkpoint was changed or belongs to another record", seq)


def check_log(told: VerifyReport, log: Path, index: Path) -> None:
    """Of a log without a running table: SQLite takes the first damage for the end, silently.

    A power cut tears one commit, the last; what stands after that one's mark was durable before.
    The index tells how many frames SQLite took (SQLite, "WAL-mode File Format").
    """
    if not index.exists() or len(data := log.read_bytes()) <= 32:
        return
    taken = int.from_bytes(index.read_bytes()[16:20], sys.byteorder)
    head, step, sums = data[:32], 24 + int.from_bytes(data[8:12], "big"), [0, 0]
    words = struct.unpack("<6I" if head[3:4] == b"\x82" else ">6I", head[:24])
    for n, word in enumerate(words):
        sums[n % 2] = (sums[n % 2] + word + sums[1 - n % 2]) % 2**32
    broken = struct.pack(">2I", *sums) != head[24:]
    commits = [
        data[at + 4 : at + 8] != bytes(4)
        for at in range(32 + taken * step, len(data) - 23, step)
        if data[at + 8 : at + 16] == head[16:24]
    ]
    if broken or any(commits[:-1]):
        told.wrong(log.name, "damaged before its end: records stored after that place are cut off")


# --- folders and bundles ------------------------------------------------------------------------


def files_of(path: Path) -> tuple[list[str], Callable[[str], bytes]]:
    """Of a folder or a .zip all names, with / between, and what reads a file."""
    if path.is_dir():
        found = (one for one in path.rglob("*") if not one.is_dir())
        names = sorted(one.relative_to(path).as_posix() for one in found)
        return names, lambda name: (path / name).read_bytes()
    packed = zipfile.ZipFile(path)
    if sum(one.file_size for one in packed.infolist()) > FILE_MAX:
        raise CannotRead(f"unpacked it is larger than {FILE_MAX} bytes")
    return [name for name in packed.namelist() if not name.endswith("/")], packed.read


def read_file(told: VerifyReport, read: Callable[[str], bytes], name: str) -> bytes | None:
    """The bytes; None, and told, where they cannot be read."""
    try:
        return read(name)
    except DAMAGE as error:
        told.wrong(name, f"it cannot be read: {error}")
    return None


def check_manifest(told: VerifyReport, path: Path) -> None:
    """A bundle's files against its manifest: each there, unchanged, and no other."""
    (names, read), name, listed = files_of(path), "manifest.json", dict[str, Any]()
    with told.damage(name, "it cannot be read"):
        plain = json.loads(read(name))
        listed = dict(plain["files"])
        if plain["form"] != "smartshoe-bundle-1":
            raise ValueError(f"form is {plain['form']!r}, and smartshoe-bundle-1 is known")
    for one in sorted({*listed, *names} - {name}):
        if names.count(one) > 1:
            told.wrong(one, "extra: it stands in the bundle more than once")
        elif one not in names:
            told.wrong(one, "missing: the manifest names it")
        elif one not in listed:
            told.wrong(one, "extra: the manifest does not name it")
        elif (data := read_file(told, read, one)) is not None:
            told.unless(sha256(data).hexdigest() == listed[one], one, "changed since it was listed")


def check_sealed(told: VerifyReport, path: Path, *, live: bool = False) -> list[Sealed]:
    """All sealed shoes, one in memory at a time, and all lists of seals.

    Lists are read first: beside a table in use they then name no shoe that is not here yet.
    """
    names, read = files_of(path)
    days = [name for name in names if name.startswith("days/")]
    lists = {name: read_file(told, read, name) for name in days}
    names = [name for name in names if name.startswith("shoes/")]
    if "shoes/sealing.part" in names:
        names.remove("shoes/sealing.part")
        told.notes.append("shoes/sealing.part: a shoe in the making; the next start removes it")
    told.total, shoes = len(names) + live, list[Sealed]()
    for name in sorted(names, key=lambda one: (one.rpartition("/")[0], len(one), one)):
        match = SHOE_NAME.fullmatch(name)
        told.unless(match is not None, name, "extra: no sealed shoe has such a name")
        if match and (data := read_file(told, read, name)) is not None:
            try:
                shoe = judged_shoe(told, name, data, (match[1], int(match[2])))
                shoes += [shoe] if shoe else []
            except CannotRead as error:
                told.wrong(name, str(error))
        told.step()
    shoes.sort(key=lambda one: (one.first_seq, one.name))
    told.newest = shoes[-1].name if shoes and live else ""
    check_links(told, shoes)
    check_days(told, lists, shoes)
    if shoes and shoes[0].first_seq > 1:
        told.notes.append(f"records 1 to {shoes[0].first_seq - 1} stand in shoes that are not here")
    return shoes


def judged_shoe(
    told: VerifyReport, name: str, data: bytes, named: tuple[str, int] | None = None
) -> Sealed | None:
    """One sealed shoe, by its file's name that of a day and number, and in words what it is."""
    before, shoe, which = len(told.problems), None, ""
    with told.damage(name, "it cannot be judged"):
        shoe = check_shoe(told, name, data)
    if shoe is not None:
        which = f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        right = named in (None, (shoe.gaming_day, shoe.shoe))
        told.unless(right, name, f"by its heading it is shoe {shoe.shoe} of {shoe.gaming_day}")
    count = len(told.problems) - before
    told.files[name] = (f"{count} problems" if count else "intact") + which
    told.head_hex = shoe.chain_after.hex() if shoe else told.head_hex
    return shoe


def check_path(told: VerifyReport, path: Path) -> None:
    """By what it is: a sealed shoe, a live part, a bundle, or a folder."""
    if path.is_file():
        with path.open("rb") as file:
            begins = file.read(8)
        if path.suffix == ".shoe" or begins == b"SMSHSEAL":
            judged_shoe(told, path.name, path.read_bytes())
            return
        if not begins.startswith(b"PK"):
            check_live(told, path, tuple)
            return
    tops = {name.partition("/")[0] for name in files_of(path)[0]}
    told.bundle = path.is_file() or "manifest.json" in tops
    if told.bundle:
        check_manifest(told, path)
        check_sealed(told, path)
    elif "live.db" in tops:
        check_live(told, path / "live.db", lambda: check_sealed(told, path, live=True))
    elif "shoes" in tops:
        check_sealed(told, path)
        told.unless("lock" not in tops, "live.db", "missing: the records since the last seal")
    else:
        raise CannotRead("it holds no live.db, no shoes/ and no manifest.json")


def verify(
    path: Path,
    progress: Progress = lambda done, total: None,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> VerifyReport:
    """Check what is at `path`; `progress` gets files done and in all. Raises CannotRead."""
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
        told = json.dumps(as_json(report), indent=2) if given.json else "\n".join(words(report))
        code = 0 if report.intact else 1
    except CannotRead as error:
        told, code = f"cannot read: {error}", 2
    try:
        print(told, flush=True)
    except BrokenPipeError:  # who reads has seen enough; Python would complain at its end, too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    sys.exit(main())
