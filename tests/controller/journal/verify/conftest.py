"""Sealed shoes made by hand for the tests of the verifier, with another MessagePack encoder."""

import base64
import sqlite3
import struct
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from controller.journal.encoding import GENESIS, link
from controller.journal.evidence_log.tree import frontier_of, inclusion_proof, leaf_hash, roots_of
from controller.journal.shoe_file import ShoeHeading, ShoeParts, shoe_bytes

NINE_O_CLOCK_NS = 1_795_251_600_000_000_000  # 2026-11-21 09:00:00 UTC
SECOND_NS = 10**9
CARDS = (("D", 7), ("H", 13), ("C", 1))
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PUBLIC = KEY.public_key().public_bytes_raw()


def input_record(name: str, ns: int, **fields: object) -> bytes:
    at = {"monotonic_ns": 1, "utc_ns": ns}
    return msgpack.packb(["in", {"type": name, "at": at, **fields}])


def entry_record(name: str, **fields: object) -> bytes:
    return msgpack.packb(["out", {"type": name, **fields}])


def card_record(suit: str, rank: int) -> bytes:
    card = {"rank": rank, "suit": suit}
    event = {"type": "card-drawn", "card": card, "claimed": "player_1", "back": "", "again": False}
    return entry_record("event-verdicts", event=event, verdicts=[])


CUT_CARD = entry_record("event-verdicts", event={"type": "cut-card-drawn"}, verdicts=[])


@dataclass(frozen=True)
class HandmadeShoe:
    """A sealed shoe, its bytes, and what the next shoe continues from."""

    heading: ShoeHeading
    rows: bytes
    parts: ShoeParts
    data: bytes

    @property
    def name(self) -> str:
        return f"shoes/{self.heading.gaming_day}/{self.heading.shoe:04}.shoe"

    @property
    def digest(self) -> bytes:
        return self.data[-97:-65]


@dataclass
class LogMaker:
    """Makes an evidence log leaf by leaf. `key` None: the table has none."""

    origin: str = "Table-7"
    key: Ed25519PrivateKey | None = KEY
    leaves: list[dict[str, object]] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    notes: list[bytes] = field(default_factory=list)
    _next: Ed25519PrivateKey = KEY

    @property
    def named_key(self) -> bytes:
        return b"" if self.key is None else b"\1" + self.key.public_key().public_bytes_raw()

    def add(
        self,
        kind: str,
        seq: int = 0,
        chain: bytes = GENESIS,
        *,
        signed: bool = True,
        **said: object,
    ) -> None:
        """Add a leaf and its head; `signed`: by the table's key too, where a table does that."""
        number, one_time = len(self.entries), self._next
        self._next = Ed25519PrivateKey.from_private_bytes(sha256(b"key %d" % number).digest())
        leaf: dict[str, object] = {"kind": kind, "seq": seq, "chain": chain}
        leaf |= {"at_ns": NINE_O_CLOCK_NS + number, "gaming_day": "", "shoe": 0, "seal": b""}
        leaf |= {"next_key": raw(self._next), "key": b"", "witness_key": b"", "person": ""}
        self.leaves.append(leaf | said)
        self.entries.append(msgpack.packb(self.leaves[-1]))
        keys = [one_time] if number else []
        if self.key is not None and signed and kind not in ("coup", "decision"):
            keys.append(self.key)
        self.notes.append(self.note(*keys))

    def head(self, size: int = 0) -> str:
        """The checkpoint of that size, the newest if none is given."""
        size = size or len(self.entries)
        root = frontier_of([leaf_hash(one) for one in self.entries[:size]]).root
        return f"{self.origin}\n{size}\n{base64.b64encode(root).decode()}\n"

    def note(self, *keys: Ed25519PrivateKey, size: int = 0) -> bytes:
        """The signed head of that size."""
        text = self.head(size)
        return f"{text}\n{''.join(self.line(key, text) for key in keys)}".encode()

    def line(self, key: Ed25519PrivateKey, text: str) -> str:
        named = self.origin.encode() + b"\n\x01" + raw(key)
        signed = sha256(named).digest()[:4] + key.sign(text.encode())
        return f"\u2014 {self.origin} {base64.b64encode(signed).decode()}\n"

    def proof(self, index: int, note: bytes = b"") -> bytes:
        """The proof that leaf `index` is in the log with that signed head, the newest if none."""
        hashes = [leaf_hash(one) for one in self.entries]
        steps = inclusion_proof(roots_of(hashes), index, len(hashes))
        lines = ["c2sp.org/tlog-proof@v1", f"index {index}"]
        lines += [base64.b64encode(one).decode() for one in steps]
        return "".join(f"{line}\n" for line in lines).encode() + b"\n" + (note or self.notes[-1])

    def write(self, folder: Path) -> None:
        """Write `log.db` as a table does."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "log.db").unlink(missing_ok=True)
        with closing(sqlite3.connect(folder / "log.db", isolation_level=None)) as made:
            made.execute("PRAGMA application_id = 0x534D534C")
            made.execute("PRAGMA user_version = 1")
            made.execute("BEGIN")
            made.execute("CREATE TABLE leaves(number INTEGER PRIMARY KEY, entry BLOB NOT NULL)")
            made.execute("CREATE TABLE heads(size INTEGER PRIMARY KEY, note BLOB NOT NULL)")
            made.executemany("INSERT INTO leaves VALUES (?, ?)", enumerate(self.entries))
            made.executemany("INSERT INTO heads VALUES (?, ?)", enumerate(self.notes, 1))
            made.execute("COMMIT")


def raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


@dataclass
class ShoeMaker:
    """Makes consecutive shoes. `key` None: unsigned."""

    key: Ed25519PrivateKey | None = KEY
    table: str = "Table-7"
    seq: int = 0
    chain: bytes = GENESIS
    now_ns: int = NINE_O_CLOCK_NS
    started: tuple[int, bytes] = (0, b"")
    state: bytes = b""
    shoes: list[HandmadeShoe] = field(default_factory=list)

    def records(self, day: str, number: int, *, run: bool, state: bytes) -> list[bytes]:
        """A shoe of three cards and a cut card; with `run`, a run begins before it."""
        stored: list[bytes] = []
        if run:
            stored.append(input_record("started", self._later(), software="0.5.0", boot_id="boot"))
        stored.append(input_record("tick", self._later()))
        stored.append(
            entry_record("shoe-opened", gaming_day=day, shoe=number, decks=8, joined=False)
        )
        for suit, rank in CARDS:
            stored.append(
                input_record("chunk", self._later(), port="/dev/ttyUSB0", data=b"\x05x\x03")
            )
            stored.append(card_record(suit, rank))
        stored += [
            input_record("chunk", self._later(), port="/dev/ttyUSB0", data=b"\x05c\x03"),
            CUT_CARD,
        ]
        ended = {"gaming_day": day, "shoe": number, "coups": 1, "irregularities": 0}
        stored.append(entry_record("shoe-ended", **ended, cards_drawn=3, person="", reason=""))
        stored.append(entry_record("state-digest", digest=sha256(state).digest()))
        return stored

    def _later(self) -> int:
        self.now_ns += SECOND_NS
        return self.now_ns

    def shoe(self, day: str, number: int, *, run: bool = False) -> HandmadeShoe:
        """Seal the next shoe."""
        state = f"state after shoe {number} of {day}".encode()
        records = self.records(day, number, run=run, state=state)
        made = self.sealed(day, number, records)
        self.state = state
        return made

    def sealed(self, day: str, number: int, records: Sequence[bytes]) -> HandmadeShoe:
        """Seal these records as the next shoe."""
        first, before, rows, stamps = self.seq + 1, self.chain, b"", list[int]()
        started_before, opened = self.started, 0
        for record in records:
            kind, value = msgpack.unpackb(record)
            self.seq, self.chain = self.seq + 1, link(self.chain, record)
            if kind == "in":
                stamps.append(value["at"]["utc_ns"])
            if value["type"] == "started":
                self.started = (self.seq, record)
            if value["type"] == "shoe-opened":
                opened = self.started[0]
            if value["type"] == "event-verdicts":
                rows += row(self.seq, stamps[-1], value["event"], self.chain)
        begins = self.started[0] == first
        heading = ShoeHeading(
            table=self.table,
            software="0.5.0",
            gaming_day=day,
            shoe=number,
            first_seq=first,
            last_seq=self.seq,
            chain_before=before,
            chain_after=self.chain,
            from_ns=stamps[0],
            until_ns=stamps[-1],
            algorithm="" if self.key is None else "ed25519",
            signer=b"" if self.key is None else self.key.public_key().public_bytes_raw(),
            started_seq=0 if begins else started_before[0],
            state_software="0.5.0" if self.state else "",
            opened_seq=opened,
            clean=True,
            batch="RED-0001",
            back="red",
            decks=8,
            coups=1,
            irregularities=0,
        )
        parts = ShoeParts(b"" if begins else started_before[1], self.state, tuple(records))
        return self.put(heading, rows, parts)

    def put(self, heading: ShoeHeading, rows: bytes, parts: ShoeParts) -> HandmadeShoe:
        """Seal exactly this as the newest shoe, consistent or not."""
        sign = None if self.key is None else self.key.sign
        made = HandmadeShoe(heading, rows, parts, shoe_bytes(heading, rows, parts, sign))
        self.shoes.append(made)
        return made

    def log(self) -> "LogMaker":
        """The log of these shoes: begun, then one leaf for each."""
        log = LogMaker(self.table, self.key)
        log.add("commissioned", key=log.named_key)
        for made in self.shoes:
            heading = made.heading
            day = {"gaming_day": heading.gaming_day, "shoe": heading.shoe}
            log.add("shoe", heading.last_seq, heading.chain_after, seal=made.digest, **day)
        return log

    def write(self, folder: Path, log: "LogMaker | None" = None) -> None:
        """Write all shoes and their log as an archive."""
        for made in self.shoes:
            file = folder / made.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(made.data)
        (log or self.log()).write(folder)


def row(seq: int, ns: int, event: dict[str, object], chain: bytes) -> bytes:
    card = event.get("card")
    assert card is None or isinstance(card, dict)
    number = 13 * "DCSH".index(card["suit"]) + card["rank"] if card else 0
    role = 3 if card else 9
    numbers = struct.pack(">QqIBBBBBB6x", seq, ns, 1 if card else 0, role, number, 0, 0, 0, 0)
    tag = sha256(b"tag %d" % seq).digest()[:16] if card else bytes(16)
    return numbers + tag + chain[:16]


@pytest.fixture
def shoe_maker() -> ShoeMaker:
    """A maker that has sealed nothing yet."""
    return ShoeMaker()


@pytest.fixture
def one_shoe(shoe_maker: ShoeMaker) -> HandmadeShoe:
    """The first shoe of a journal, signed."""
    return shoe_maker.shoe("2026-11-21", 1, run=True)


@pytest.fixture
def sealed_shoes(shoe_maker: ShoeMaker) -> ShoeMaker:
    """Three shoes of one day and two of the next; another run begins with the fourth."""
    for number in (1, 2, 3):
        shoe_maker.shoe("2026-11-21", number, run=number == 1)
    shoe_maker.shoe("2026-11-22", 1, run=True)
    shoe_maker.shoe("2026-11-22", 2)
    return shoe_maker


@pytest.fixture
def resealed() -> Callable[..., HandmadeShoe]:
    """The same shoe with a changed heading and a valid seal."""

    def other(made: HandmadeShoe, **heading_changes: object) -> HandmadeShoe:
        again = ShoeMaker()
        rows, parts = (
            heading_changes.pop("rows", made.rows),
            heading_changes.pop("parts", made.parts),
        )
        return again.put(replace(made.heading, **heading_changes), rows, parts)  # type: ignore[arg-type]

    return other


@pytest.fixture
def log_maker() -> LogMaker:
    """A maker of a log without leaves."""
    return LogMaker()


@pytest.fixture
def public_key(fast_dir: Path) -> Path:
    """The file of the key that signs, as `smartshoe keys` exports it."""
    return pem(fast_dir / "table.key.pub", KEY)


@pytest.fixture
def other_key(fast_dir: Path) -> Path:
    """The file of a key that signed nothing."""
    return pem(fast_dir / "other.key.pub", OTHER_KEY)


def pem(path: Path, key: Ed25519PrivateKey) -> Path:
    head = bytes.fromhex("302a300506032b6570032100")
    text = base64.b64encode(head + key.public_key().public_bytes_raw()).decode()
    path.write_text(f"-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
    return path
