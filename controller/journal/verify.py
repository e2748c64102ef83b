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
from typing import Any

EXAMPLES = """examples:
  python3 verify.py /var/lib/smartshoe/table-1          a journal's folder; it may be in use
  python3 verify.py archive --key table.key.pub         signed by this key and no other
  python3 verify.py bundle.zip --witness ABCDE-FGHIJ-KLMNO-PQRST
  python3 verify.py 0007.shoe --json

0 intact, 1 not intact, 2 cannot be read."""
LIMITS = """These files alone cannot show that the newest records, or the newest shoes and lists,
were removed, that the oldest were removed, or that a holder of the key rewrote everything:
compare the head and the short codes with those noted elsewhere (--witness)."""
NONE, UNREADABLE_MAX, DEPTH_MAX = bytes(32), 10_000, 64  # DEPTH_MAX: maps and arrays nested
APPLICATION_ID, FORMAT = 0x534D5348, 5  # of live.db
TRAILER, FILE_MAX, SEARCH_MAX = 97, 1 << 30, 4 << 30  # SEARCH_MAX: bytes hashed to find a bit
DAMAGE = Exception  # damaged data makes Python's libraries raise whatever they like
HEAD, ROW = struct.Struct(">8sHHIIQQ"), struct.Struct(">QqIBBBBBB6s16s16s")
# The fields of what is read, by type. A seal is signed in the order of SIGNED.
HEADING = {
    str: "table software gaming_day algorithm state_software batch back",
    int: "shoe first_seq last_seq from_ns until_ns started_seq opened_seq decks coups"
    " irregularities",
    bytes: "chain_before chain_after signer",
    bool: "clean",
}
LISTED: dict[type, str] = {str: "form table gaming_day signer signature", list: "seals"}
SEAL: dict[type, str] = {int: "shoe first_seq last_seq until_ns", str: "digest"}
SIGNED = ("shoe", "digest", "first_seq", "last_seq", "until_ns")
SHOE_NAME = re.compile(r"shoes/(\d{4}-\d\d-\d\d)/(\d{4,9})\.shoe", re.ASCII)
LIST_NAME = re.compile(r"days/(\d{4}-\d\d-\d\d)\.seals\.json", re.ASCII)
SET_ASIDE = re.compile(r"days/(\.)?\d{4}-\d\d-\d\d\.seals\.json\.(?(1)new|\d+)", re.ASCII)
KEY_HEAD = bytes.fromhex("302a300506032b6570032100")  # precedes an Ed25519 public key (RFC 8410)
RELEVANT = (b"started", b"card-drawn", b"state-digest", b"shoe-opened", b"shoe-ended")
CONSTANTS: dict[int, bool | None] = {0xC0: None, 0xC2: False, 0xC3: True}
# MessagePack's forms with a number after the first byte: kind, bytes of the number, and the least
# number that no shorter form can hold (for a negative number n: the least ~n).
LONG_FORMS = {
    first + n: (kind, size, least)
    for kind, first, forms in (
        ("bin", 0xC4, {1: 0, 2: 1 << 8, 4: 1 << 16}),
        ("uint", 0xCC, {1: 1 << 7, 2: 1 << 8, 4: 1 << 16, 8: 1 << 32}),
        ("int", 0xD0, {1: 1 << 5, 2: 1 << 7, 4: 1 << 15, 8: 1 << 31}),
        ("str", 0xD9, {1: 1 << 5, 2: 1 << 8, 4: 1 << 16}),
        ("array", 0xDC, {2: 1 << 4, 4: 1 << 16}),
        ("map", 0xDE, {2: 1 << 4, 4: 1 << 16}),
    )
    for n, (size, least) in enumerate(forms.items())
}
RECORDS = "SELECT seq, record, chain FROM records WHERE seq >= ? ORDER BY seq"
SAVED_STATE = """SELECT c.seq, started_seq, software, state, digest, binding, chain
    FROM checkpoint AS c LEFT JOIN records AS r ON r.seq = c.seq"""
BASE = """SELECT seq, started_seq, chain, seal, started, software, state, digest, ledger, binding
    FROM base"""
Row = tuple[int, bytes, bytes]  # number, record, chain value
Run = tuple[int, bytes]  # number and SHA-256 of the record that began a run
Progress = Callable[[int, int], None]
Read = Callable[[str], bytes]


# --- the report ---------------------------------------------------------------------------------


class CannotRead(ValueError):
    """The path holds nothing that this verifier can read; the message says why."""


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
    """

    path: Path
    progress: Progress = field(default=lambda done, total: None, repr=False, compare=False)
    keys: tuple[bytes, ...] = ()
    records: int = 0
    inputs: int = 0
    shoes: int = 0
    problems: list[EvidenceProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    head_hex: str = NONE.hex()
    sound_after: int = 0
    codes: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    signers: Counter[bytes] = field(default_factory=Counter)
    bundle: bool = False
    newest: str = ""
    total: int = 1

    @property
    def entries(self) -> int:
        return self.records - self.inputs

    @property
    def intact(self) -> bool:
        return not self.problems

    def fail(self, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        self.problems.append(EvidenceProblem(seq, what, file, at))

    def check(self, holds: object, file: str, what: str, seq: int = 0, at: int = -1) -> None:
        if not holds:
            self.fail(file, what, seq, at)

    @contextmanager
    def catch_damage(self, file: str, what: str, at: int = -1) -> Iterator[None]:
        """If damaged data ends the block with an error, add that as a problem."""
        try:
            yield
        except DAMAGE as error:
            self.fail(file, f"{what}: {error}", at=at)


def fingerprint(key: bytes) -> str:
    return " ".join(wrap(sha256(key).hexdigest(), 8))


def short_code(signed: bytes) -> str:
    return "-".join(wrap(base64.b32encode(sha256(signed).digest()).decode()[:20], 5))


def digest_of(data: bytes) -> bytes:
    """SHA-256; empty for empty data."""
    return sha256(data).digest() if data else b""


# --- chain, encoding, signatures ----------------------------------------------------------------


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value: SHA-256 of the previous one, the record's length (8 bytes), the record."""
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()


def read_item(data: bytes, at: int, depth: int = 0) -> tuple[Any, int]:
    """The MessagePack item at offset `at` and the offset after it.

    Raises LookupError or ValueError, also for a longer form than needed and for a doubled key.
    """
    first, at = data[at], at + 1
    if first < 0x80 or first >= 0xE0:
        return (first if first < 0x80 else first - 256), at
    if first in CONSTANTS:
        return CONSTANTS[first], at
    if first < 0xC0:
        kind = "map" if first < 0x90 else "array" if first < 0xA0 else "str"
        n = first & (31 if kind == "str" else 15)
    else:
        kind, size, least = LONG_FORMS[first]
        n, at = int.from_bytes(data[at : at + size], "big", signed=kind == "int"), at + size
        if (~n if kind == "int" else n) < least:
            raise ValueError("in a longer form than needed")
    length = 0 if kind in ("uint", "int") else n
    if length > len(data) - at or depth > DEPTH_MAX:
        raise ValueError("cut short, or nested too deep")
    if kind in ("uint", "int"):
        return n, at
    if kind in ("bin", "str"):
        return (data[at : at + n] if kind == "bin" else data[at : at + n].decode()), at + n
    items: list[Any] = []
    for _ in range(n if kind == "array" else 2 * n):
        item, at = read_item(data, at, depth + 1)
        items.append(item)
    if kind == "array":
        return items, at
    if len(set(items[::2])) < n:
        raise ValueError("a key is there twice")
    return dict(zip(items[::2], items[1::2], strict=True)), at


def require_fields(item: dict[str, Any], fields: dict[type, str]) -> None:
    """Raises ValueError unless the item has exactly these fields with these types."""
    wanted = {name: kind for kind, names in fields.items() for name in names.split()}
    if {name: type(value) for name, value in item.items()} != wanted:
        raise ValueError(f"its fields are not exactly {', '.join(wanted)}, each of its type")


def is_input(record: bytes) -> bool:
    return record.startswith(b"\x92\xa2in")


def value_of(record: bytes) -> tuple[str, dict[str, Any]]:
    """The kind, input ("in") or entry ("out"), and value of a record; empty if it is not one."""
    with suppress(DAMAGE):
        (kind, value), end = read_item(record, 0)
        if kind in ("in", "out") and end == len(record) and isinstance(value, dict):
            return kind, value
    return "", {}


def utc_ns(record: bytes) -> int | None:
    """The UTC time of an input; of several chunks in one record, that of the last."""
    with suppress(DAMAGE):
        value = value_of(record)[1]
        later = value["chunks"][-1][1] if value.get("chunks") else 0
        return int(value["at"]["utc_ns"] + later)
    return None


def describe_record(record: bytes, latest: bytes) -> str:
    """A record's type and the time of the latest input: "input 'Chunk', 2025-11-21 ..."."""
    kind, value = value_of(record)
    name = {"in": "input", "out": "entry"}.get(kind, "unreadable")
    with suppress(DAMAGE):
        name += f" {value['type']!r:.50}"
        since = timedelta(microseconds=(utc_ns(latest) or 0) // 1000)
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
        note = "signatures not checked: the library `cryptography` is not installed"
        report.notes += [note] if note not in report.notes else []
        return
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(signer).verify(signature, data)
    except (InvalidSignature, ValueError):
        report.fail(name, "signature: the key that it names did not sign this file", at=at)


def public_key(path: Path) -> bytes:
    """The 32 bytes of a public key file. Raises CannotRead."""
    try:
        _, mark, text, *_ = path.read_text("ascii").split("-----")
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


def read_parts(packed: bytes, size: int) -> tuple[list[bytes], int]:
    """The parts that can be unpacked, and how many packed bytes are intact: all if it is whole."""
    unpacking, plain, good = zlib.decompressobj(), bytearray(), 0
    with suppress(zlib.error):
        for good in range(0, len(packed), 64):
            plain += unpacking.decompress(packed[good : good + 64])
            if len(plain) > min(size, FILE_MAX) or unpacking.unused_data:
                break
    parts, at = list[bytes](), 0
    while (begin := at + 4) <= len(plain):
        end = begin + int.from_bytes(plain[at:begin], "big")
        if end > len(plain):
            break
        parts.append(bytes(plain[begin:end]))
        at = end
    whole = unpacking.eof and not unpacking.unused_data and at == len(plain) == size
    return parts, len(packed) if whole else good


def describe_place(data: bytes, at: int) -> str:
    """The part of a sealed file that contains byte `at`."""
    rows, packed, _, _ = layout(data)
    if rows <= at < packed:
        return f"row {(at - rows) // ROW.size + 1}, its byte {(at - rows) % ROW.size}"
    return "head" if at < HEAD.size else "heading" if at < rows else "packed records"


def suspected_bytes(data: bytes) -> list[int]:
    """The bytes of which one may be changed, the likeliest first."""
    rows, packed, stop, size = layout(data)
    end, head = len(data) - TRAILER, [*range(HEAD.size)]
    if stop != end:
        return head
    good = packed + read_parts(data[packed:stop], size)[1]
    if good < stop:
        return [*head, *reversed(range(packed, min(good + 64, end)))]
    # Some bits of a packed part are unused, most of them at its ends. Of the rows, search first the
    # fields that no record repeats: coup, role to declared, tag.
    first, all_packed = {*range(16, 26), *range(32, 48)}, [*range(packed, end)]
    in_rows = sorted(range(rows, packed), key=lambda at: (at - rows) % ROW.size not in first)
    return [*range(rows), *all_packed[:128], *all_packed[-8:], *in_rows, *all_packed]


def find_changed_bit(data: bytes) -> tuple[int, int]:
    """The byte and the single bit in it whose change explains the digest; byte -1: none."""
    end, view, hashed = len(data) - TRAILER, memoryview(data), 0
    for at in suspected_bytes(data):
        if (hashed := hashed + at + 8 * (end - at)) > SEARCH_MAX:
            break
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
    at, bit = find_changed_bit(data)
    if at >= 0:
        report.fail(name, f"{describe_place(data, at)}: bit {bit} of this byte was changed", at=at)
        return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
    if stop == end:
        report.fail(name, "the digest fails, and no single bit that was searched explains it")
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
    cards: dict[int, tuple[int, int | None, bytes]] = field(default_factory=dict)
    inputs: int = 0
    begins_run: bool = False  # whether its first record begins a run

    def __getattr__(self, key: str) -> Any:
        """A value of the heading."""
        return self.heading[key]

    def add_record(self, record: bytes) -> None:
        """Continue the chain with one more record, and collect what it shows of the shoe."""
        self.seq, self.chain = self.seq + 1, link(self.chain, record)
        if is_input(record):
            self.inputs, self.first, self.latest = self.inputs + 1, self.first or record, record
        if not any(word in record for word in RELEVANT):
            return
        match value_of(record):
            case "in", {"type": "started"}:
                self.run = self.seq, digest_of(record)
                self.begins_run = self.begins_run or self.seq == self.first_seq
            case "out", {"type": "state-digest", "digest": digest}:
                self.state_after = digest
            case "out", {"type": "shoe-opened", **entry} if "shoe" not in self.from_records:
                self.from_records |= {"opened_seq": self.run[0], "decks": entry["decks"]}
            case "out", {"type": "shoe-ended", **entry}:
                keys = ("gaming_day", "shoe", "coups", "irregularities")
                self.from_records |= {key: entry[key] for key in keys}
            case "out", {"event": {"type": "cut-card-drawn"}}:
                self.cards[self.seq] = -1, utc_ns(self.latest), self.chain[:16]
            case "out", {"event": {"type": "card-drawn", "card": card}}:
                number = 13 * "DCSH".index(card["suit"]) + card["rank"] if card else 0
                self.cards[self.seq] = number, utc_ns(self.latest), self.chain[:16]


def check_shoe(report: VerifyReport, name: str, data: bytes) -> Shoe | None:
    """Check one sealed file by itself; None where it cannot be read."""
    report.shoes, before, shoe = report.shoes + 1, len(report.problems), None
    if len(data) < HEAD.size + TRAILER:
        report.fail(name, f"cut short: {len(data)} bytes, fewer than any shoe", at=len(data))
    else:
        data = check_digest(report, name, data)
        mark, form, flags = HEAD.unpack_from(data)[:3]
        if (mark, form, flags) != (b"SMSHSEAL", 4, 0) and before == len(report.problems):
            raise CannotRead(f"its format is {form}, flags {flags}; this verifier reads 4, flags 0")
        with report.catch_damage(name, "heading or records: they cannot be read", HEAD.size):
            heading, end = read_item(data[: layout(data)[0]], HEAD.size)
            require_fields(heading, HEADING)
            if end != layout(data)[0]:
                raise ValueError("the heading has another length")
            shoe = check_content(report, name, data, heading)
    count = len(report.problems) - before
    report.files[name] = counted(count, "problem") if count else "intact"
    if shoe is not None:
        report.files[name] += f"; shoe {shoe.shoe}, records {shoe.first_seq} to {shoe.last_seq}"
        report.head_hex = shoe.chain_after.hex()
    return shoe


def check_content(report: VerifyReport, name: str, data: bytes, heading: dict[str, Any]) -> Shoe:
    """Check the records, rows and signature of a sealed file, and its heading against them."""
    at_rows, at_packed, stop, size = layout(data)
    parts, good = read_parts(data[at_packed:stop], size)
    (started, state), records = [*parts, b"", b""][:2], parts[2:]
    whole, run = good == stop - at_packed and bool(records), heading["started_seq"]
    begin = heading["first_seq"] - 1, heading["chain_before"]
    before = digest_of(state), (run, digest_of(started)), (run, digest_of(started))
    shoe = Shoe(name, heading, data[-97:-65], whole, *before, *begin)
    for record in records:
        shoe.add_record(record)
    report.records += len(records)
    report.inputs += shoe.inputs
    if not whole:
        what = f"packed records: damaged; readable up to record {shoe.seq} of {shoe.last_seq}"
        report.fail(name, what, at=at_packed + good)
    check_rows(report, shoe, data[at_rows:at_packed], at_rows)
    if whole:
        check_heading(report, shoe, started)
    if stop + TRAILER == len(data):
        named = (shoe.algorithm, data[-65]) in (("", 0), ("ed25519", 1))
        report.check(named, name, "seal: heading and seal do not name the same algorithm")
        signed = b"smartshoe seal 2\n" + data[-65:-64] + shoe.digest
        check_signature(report, name, shoe.signer, data[-64:], signed, len(data) - 64)
    return shoe


def check_rows(report: VerifyReport, shoe: Shoe, rows: bytes, at: int) -> None:
    """Check each row against its record; if the chain fails, locate it as near as rows allow."""
    last, good, broken = 0, shoe.first_seq - 1, list[EvidenceProblem]()
    for n, row in enumerate(ROW.iter_unpack(rows[: len(rows) // ROW.size * ROW.size]), 1):
        seq, ns, _, role, card, claimed, flags, end, declared, zeros, _, half = row
        defined = max(role, claimed) <= 9 and flags <= 7 and end <= 6 and declared <= 3
        checks = [
            (seq > last, "it is not in the order of its record"),
            (defined and not any(zeros), "a number in it is not defined"),
        ]
        begin, last = at + (n - 1) * ROW.size, seq
        if seq in shoe.cards:
            number, input_ns, value = shoe.cards.pop(seq)
            same = (card, role == 9) == (max(number, 0), number < 0)
            checks.append((same, f"its card is not that of record {seq}"))
            checks.append((ns == input_ns, f"its time is not that of the input before {seq}"))
            what = f"row {n}: its chain value is not that of record {seq}"
            broken += [EvidenceProblem(seq, what, shoe.name, begin)] if half != value else []
            good = seq if half == value else good
        elif shoe.whole or seq <= shoe.seq:
            checks.append((False, f"record {seq} has no card, or one that has a row already"))
        for holds, what in checks:
            report.check(holds, shoe.name, f"row {n}: {what}", seq, begin)
    # If the chain does not reach chain_after, mismatches after the last good row are the records'.
    reached = shoe.chain == shoe.chain_after
    report.problems += [one for one in broken if reached or one.seq < good]
    late = [one.seq for one in broken if not reached and one.seq > good]
    if late or (shoe.whole and not reached):
        those = f"chain_before, chain_after or a record from {good + 1} to {[*late, shoe.seq][0]}"
        report.fail(shoe.name, f"{those} was changed", good + 1)
    for seq in shoe.cards if shoe.whole else ():
        report.fail(shoe.name, f"the card of record {seq} has no row", seq)


def check_heading(report: VerifyReport, shoe: Shoe, started: bytes) -> None:
    """Check the heading against the records."""
    seen = {"last_seq": shoe.seq, "from_ns": utc_ns(shoe.first), "until_ns": utc_ns(shoe.latest)}
    for key, value in (seen | shoe.from_records).items():
        what = f"heading: {key} is {shoe.heading[key]}, but by its records {value}"
        report.check(shoe.heading[key] == value, shoe.name, what)
    given = is_input(started) and value_of(started)[1].get("type") == "started"
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
    require_fields(plain, LISTED)
    for seal in plain["seals"]:
        require_fields(seal, SEAL)
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
    with suppress(OSError):
        data = Path(witness).read_bytes()
        try:
            witness = short_code(signed_lists(read_list(data))[-1])
        except DAMAGE as error:
            raise CannotRead(f"{witness}: not a list of seals: {error}") from error
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


def open_live(file: Path, copies: Path) -> sqlite3.Connection:
    """Open the live part without writing to the file or its folder.

    The newest records may be in a second file, -wal. If its index, -shm, is there, a table may be
    running, and the files are read in place; without the index copies of both are read.
    """
    log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
    options = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    if log.exists() and not index.exists():
        shutil.copy(log, copies)
        file, options = Path(shutil.copy(file, copies)), "mode=rw"
    db = sqlite3.connect(f"{file.resolve().as_uri()}?{options}", uri=True, isolation_level=None)
    db.text_factory = bytes
    return db


def check_live(report: VerifyReport, file: Path, sealed: Callable[[], Sequence[Shoe]]) -> None:
    """Check the live part. `sealed` checks the shoes beside it, in the same read transaction."""
    name = file.name
    with tempfile.TemporaryDirectory() as copies, closing(open_live(file, Path(copies))) as db:
        db.execute("BEGIN")
        found = db.execute("SELECT * FROM pragma_application_id, pragma_user_version").fetchone()
        if found != (APPLICATION_ID, FORMAT):
            raise CannotRead(f"not a journal of format {FORMAT}: application, version are {found}")
        base = read_base(report, name, db)
        if shoes := sealed():
            base = check_base(report, name, db, base, shoes[-1])
        elif base.seq > 0:
            report.notes.append(f"{name}: records 1 to {base.seq} are in shoes that are not here")
        check_records(report, name, db, base)
        check_saved_state(report, name, db, base)
        check_log(report, *(Path(copies, name + end) for end in ("-wal", "-shm")))
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


def rows_of(db: sqlite3.Connection, unreadable: set[int]) -> Iterator[Row]:
    """All records in order; numbers that SQLite cannot read are added to `unreadable`."""
    wanted, failed = -(2**63), 0
    while failed < UNREADABLE_MAX:
        try:
            for seq, *values in db.execute(RECORDS, (wanted,)):
                wanted, failed = max(seq, wanted) + 1, 0
                record, chain = (one if isinstance(one, bytes) else b"" for one in values)
                yield seq, record, chain
            break
        except DAMAGE:
            failed, wanted = failed + 1, max(wanted, 1) + 1
            unreadable.add(wanted - 1)


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


def check_records(report: VerifyReport, name: str, db: sqlite3.Connection, base: Base) -> None:
    """Check the records of the live part, each against the one before it, from the base on."""
    problems, unreadable, latest = len(report.problems), set[int](), b""
    last, before, previous = base.seq, b"", base.chain  # the last two chain values, if known
    report.head_hex = base.chain.hex() or report.head_hex
    for row, following in pairwise(chain(rows_of(db, unreadable), (END,))):
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
            named = f"{seq} ({describe_record(record, latest)})"
            at, what, previous = explain_break(before, start, row, following, named)
            report.fail(name, what, at)
        elif start and len(report.problems) > problems:
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


def files_of(path: Path) -> tuple[list[str], Read]:
    """All file names in a folder or .zip, with / as separator, and a function that reads one."""
    if path.is_dir():
        found = (one for one in path.rglob("*") if not one.is_dir())
        names = sorted(one.relative_to(path).as_posix() for one in found)
        return names, lambda name: (path / name).read_bytes()
    bundle = zipfile.ZipFile(path)
    if sum(one.file_size for one in bundle.infolist()) > FILE_MAX:
        raise CannotRead(f"unpacked it is larger than {FILE_MAX} bytes")
    return [name for name in bundle.namelist() if not name.endswith("/")], bundle.read


def check_manifest(report: VerifyReport, path: Path) -> None:
    """Check a bundle against its manifest: every file listed and unchanged, and no other."""
    (names, read), name, files = files_of(path), "manifest.json", dict[str, Any]()
    with report.catch_damage(name, "it cannot be read"):
        files = dict(read_json(read(name), "smartshoe-bundle-1")["files"])
    for one in sorted({*files, *names} - {name}):
        if names.count(one) > 1:
            report.fail(one, "extra: it is in the bundle more than once")
        elif one not in names:
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


def check_sealed(report: VerifyReport, path: Path, *, live: bool = False) -> list[Shoe]:
    """Check all sealed shoes, one in memory at a time, and all lists of seals.

    Lists are read first: if the table is in use, they then name no shoe that is not here yet.
    """
    names, read = files_of(path)
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


def check_path(report: VerifyReport, path: Path) -> None:
    """Check a path by its kind: a sealed shoe, a live part, a bundle, or a folder."""
    if path.is_file():
        with path.open("rb") as file:
            begins = file.read(8)
        if path.suffix == ".shoe" or begins == b"SMSHSEAL":
            check_shoe(report, path.name, path.read_bytes())
            return
        if not begins.startswith(b"PK"):
            check_live(report, path, tuple)
            return
    tops = {name.partition("/")[0] for name in files_of(path)[0]}
    report.bundle = path.is_file() or "manifest.json" in tops
    if report.bundle:
        check_manifest(report, path)
        check_sealed(report, path)
    elif "live.db" in tops:
        check_live(report, path / "live.db", lambda: check_sealed(report, path, live=True))
    elif "shoes" in tops:
        check_sealed(report, path)
        report.check("lock" not in tops, "live.db", "missing: the records since the last seal")
    else:
        raise CannotRead("it holds no live.db, no shoes/ and no manifest.json")


def verify(
    path: Path,
    progress: Progress = lambda done, total: None,
    keys: Sequence[Path] = (),
    witnesses: Sequence[str] = (),
) -> VerifyReport:
    """Check what is at `path`; `progress` gets files done and total. Raises CannotRead."""
    report = VerifyReport(path, progress, tuple(public_key(key) for key in keys))
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


def report_lines(report: VerifyReport, most: int = 50) -> Iterator[str]:
    """The report, line by line; at most `most` problems and files."""
    yield f"{'intact' if report.intact else 'NOT INTACT'}: {report.path}"
    yield from (f"  {problem}" for problem in report.problems[:most])
    if len(report.problems) > most:
        yield f"  and {counted(len(report.problems) - most, 'more problem')}; --json lists them all"
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
        text, code = f"cannot read: {error}", 2
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader closed the pipe; prevents a second error at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


if __name__ == "__main__":
    sys.exit(main())
