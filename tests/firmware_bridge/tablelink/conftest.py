"""An independent TableLink device, line, program and store for these tests; no code of the link.

Source: firmware_bridge README, "TableLink/1".
"""

import heapq
import itertools
import struct
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from controller.journal.encoding import Codec
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.tablelink.items import EventsMissing, TableLinkEvent, TableLinkRequest
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from foundation.timestamp import Timestamp

MS = 1_000_000
UTC = 1_790_000_000_000_000_000
DEVICE = bytes.fromhex("5eed0000c0ffee01")
IMAGE = bytes(range(32))
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
STATE: Codec[TableLinkState] = Codec(TableLinkState)
LINK, EVENT, RPC = 0, 1, 2

PIN = Pin(DEVICE, PUBLIC, "first", 1)
TRUST = Trust(PIN, (ApprovedImage(IMAGE, "1.0.0", 3),))
SETTINGS = TableLinkSettings(DeviceRole.SHUFFLER, TRUST)


# --- bytes ----------------------------------------------------------------------------------------


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    for low, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | low]) + number.to_bytes(size, "big")
    raise AssertionError(number)


def cbor(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value]
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        return _head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(cbor, value))
    pairs = [cbor(key) + cbor(value[key]) for key in sorted(value)]
    return _head(5, len(value)) + b"".join(pairs)


def uncbor(data: bytes) -> Any:
    """Decode what the tests' own encoder or the link encoded."""
    value, at = _item(data, 0)
    assert at == len(data)
    return value


def _item(data: bytes, at: int) -> tuple[Any, int]:
    major, low = data[at] >> 5, data[at] & 31
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    at += 1
    number = int.from_bytes(data[at : at + size], "big") if size else low
    at += size
    if major in (2, 3):
        raw = data[at : at + number]
        return (raw if major == 2 else raw.decode()), at + number
    if major in (4, 5):
        flat = []
        for _ in range(number * (major - 3)):
            one, at = _item(data, at)
            flat.append(one)
        return (flat if major == 4 else dict(zip(flat[::2], flat[1::2], strict=True))), at
    return ({20: False, 21: True, 22: None}[number] if major == 7 else number), at


def crc32c(data: bytes) -> int:
    register = 0xFFFFFFFF
    for value in data:
        register ^= value
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def stuffed(data: bytes) -> bytes:
    out, block = bytearray(), bytearray()
    for value in data + b"\0":
        if value:
            block.append(value)
        if not value or len(block) == 254:
            out.append(len(block) + 1)
            out += block
            block.clear()
    return bytes(out)


def unstuffed(data: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(data):
        code = data[at]
        out += data[at + 1 : at + code]
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out)


@dataclass(frozen=True)
class ReceivedFrame:
    """One frame as decoded by these tests."""

    channel: int
    type: int
    seq: int
    ack: int | None
    content: Any
    resent: bool


def framed(
    channel: int, kind: int, content: Any = None, *, seq: int = 0, ctr: int = 0, flags: int = 0
) -> bytes:
    payload = b"" if content is None else cbor(content)
    body = struct.pack("<BBBBIII", 1, flags, channel, kind, ctr, seq, 0) + payload
    return b"\0" + stuffed(body + struct.pack("<I", crc32c(body))) + b"\0"


def unframed(data: bytes) -> list[ReceivedFrame]:
    """The valid frames in written bytes."""
    frames_found = []
    for run in data.split(b"\0"):
        raw = unstuffed(run)
        if len(raw) < 20 or crc32c(raw[:-4]) != struct.unpack("<I", raw[-4:])[0]:
            continue
        _version, flags, channel, kind, _ctr, seq, ack = struct.unpack("<BBBBIII", raw[:16])
        content = uncbor(raw[16:-4]) if raw[16:-4] else None
        frames_found.append(
            ReceivedFrame(channel, kind, seq, ack if flags & 8 else None, content, bool(flags & 2))
        )
    return frames_found


def sealed(payload: bytes, key: Ed25519PrivateKey = KEY) -> bytes:
    head = bytes.fromhex("a10127")
    signature = key.sign(cbor(["Signature1", head, b"", payload]))
    return cbor([head, {}, payload, signature])


# --- a device -------------------------------------------------------------------------------------


@dataclass
class Device:
    """A device; the first fields survive a power cut. Each method returns the frames it sends."""

    device: bytes = DEVICE
    identity: Ed25519PrivateKey | None = KEY
    role: int = 2
    capacity: int = 64
    following: int = 1
    buffered: list[tuple[int, int, int, int, Any]] = field(default_factory=list)
    answers: dict[int, bytes] = field(default_factory=dict)
    executed: list[tuple[int, int, Any]] = field(default_factory=list)
    highest: int = 0
    boot_count: int = 0
    freed: int = 0
    security_counter: int = 3
    version: str = "1.0.0"
    debug: bool = False
    # the following fields belong to one boot
    boot_ns: int = 0
    session: int = 0
    flowing: bool = False
    sent: int = 0
    again_ns: int | None = None
    pause_ns: int = 50 * MS
    ping_ns: int = 0

    @property
    def boot_id(self) -> int:
        return 0xB0070000 + self.boot_count

    def boot(self, now_ns: int) -> list[bytes]:
        self.boot_count += 1
        self.boot_ns, self.session, self.flowing = now_ns, 0, False
        self.sent, self.again_ns, self.pause_ns = 0, None, 50 * MS
        if self.boot_count > 1:
            self.record_event(now_ns, 14, {1: self.boot_count, 2: 0})
        return [self._hello(now_ns)]

    def record_event(self, now_ns: int, kind: int = 5, body: Any = None) -> list[bytes]:
        uptime_us = (now_ns - self.boot_ns) // 1000
        self.buffered.append((self.following, self.boot_id, uptime_us, kind, body or {}))
        self.following += 1
        return self._flow(now_ns)

    def receive(self, data: bytes, now_ns: int) -> list[bytes]:
        return [out for one in unframed(data) for out in self._handle(one, now_ns)]

    def tick(self, now_ns: int) -> list[bytes]:
        out: list[bytes] = []
        if self.again_ns is not None and now_ns >= self.again_ns:
            self.sent = 0
            self.pause_ns = min(self.pause_ns * 2, 1600 * MS)
            out = self._flow(now_ns)
        if now_ns >= self.ping_ns:
            self.ping_ns = now_ns + 1000 * MS
            uptime_us = (now_ns - self.boot_ns) // 1000
            out.append(framed(LINK, 5, {1: uptime_us, 2: len(self.buffered), 3: False}))
            if not self.session:
                out.append(self._hello(now_ns))
        return out

    def due_ns(self) -> int:
        return min(self.ping_ns, self.ping_ns if self.again_ns is None else self.again_ns)

    def _hello(self, now_ns: int) -> bytes:
        self.ping_ns = now_ns + 1000 * MS
        first = self.buffered[0][0] if self.buffered else self.following
        content = {1: self.device, 2: self.boot_id, 3: first, 4: self.following, 5: self.capacity}
        content |= {6: self.version, 7: self.session, 8: self.highest, 9: self.role}
        return framed(LINK, 1, content | {10: self.boot_count, 11: self.debug})

    def _handle(self, one: ReceivedFrame, now_ns: int) -> list[bytes]:
        uptime_us = (now_ns - self.boot_ns) // 1000
        match one.channel, one.type:
            case 0, 1:
                self.flowing = self.flowing and self.session == one.content[1]
                self.session = one.content[1]
                return [self._hello(now_ns)]
            case 0, 2 if one.content[1] == self.session:
                self._free(one.content[2])
                self.flowing, self.sent = True, 0
                return self._flow(now_ns)
            case 0, 3 if self.flowing and one.ack is not None:
                self._free(self.following - 1 - ((self.following - 1 - one.ack) & 0xFFFFFFFF))
                return self._flow(now_ns)
            case 0, 4 if self.flowing:
                self.sent = 0
                return self._flow(now_ns)
            case 0, 5:
                return [framed(LINK, 6, one.content)]
            case 0, 7:
                return [framed(LINK, 8, {1: one.content[1], 2: uptime_us, 3: uptime_us})]
            case 0, 10:
                return [framed(LINK, 11, self._proof(one.content[1]))]
            case 2, _:
                return [self._answer_request(one)]
        return []

    def _proof(self, nonce: bytes) -> Any:
        if self.identity is None:
            return {2: True}
        content = {1: nonce, 2: self.device, 3: self.boot_id, 4: IMAGE, 5: self.version}
        content |= {6: self.security_counter, 7: self.boot_count, 8: self.debug}
        return {1: sealed(cbor(content), self.identity)}

    def _answer_request(self, one: ReceivedFrame) -> bytes:
        if one.seq not in self.answers and one.seq > self.highest:
            self.highest = one.seq
            self.executed.append((one.seq, one.type, one.content))
            self.answers[one.seq] = cbor({1: 0})
        content = self.answers.get(one.seq)
        known = {1: 1, 2: "this id is old"} if content is None else uncbor(content)
        return framed(RPC, one.type, known, seq=one.seq)

    def _free(self, number: int) -> None:
        gone = [one[0] for one in self.buffered if one[0] <= number]
        self.freed = max([self.freed, *gone])
        before = len(self.buffered)
        self.buffered = [one for one in self.buffered if one[0] > number]
        self.sent = max(self.sent - (before - len(self.buffered)), 0)
        self.pause_ns = 50 * MS
        self.again_ns = None

    def _flow(self, now_ns: int) -> list[bytes]:
        """Send unsent events, at most eight in flight."""
        if not self.flowing:
            self.again_ns = None
            return []
        out = []
        for number, boot_id, device_us, kind, body in self.buffered[self.sent : 8]:
            content = {1: boot_id, 2: number, 3: device_us, 4: kind, 5: body}
            out.append(framed(EVENT, kind, content, seq=number & 0xFFFFFFFF))
        self.sent = max(self.sent, min(len(self.buffered), 8))
        if not self.buffered:
            self.again_ns = None
        elif out or self.again_ns is None:
            self.again_ns = now_ns + self.pause_ns
        if out:
            self.ping_ns = now_ns + 1000 * MS
        return out


# --- a world --------------------------------------------------------------------------------------

Fault = str
FAULTS: tuple[Fault, ...] = (
    "lost",
    "twice",
    "cut",
    "damaged",
    "late",
    "crash before store",
    "crash after store",
    "reboot",
    "reopened",
)


@dataclass
class World:
    """Device, line, program and store on one clock. `faults` hits frames by their count."""

    link: TableLink
    device: Device
    faults: dict[int, Fault] = field(default_factory=dict)
    now_ns: int = 1000 * MS
    state: TableLinkState = field(default_factory=TableLinkState)
    stored: TableLinkState = field(default_factory=TableLinkState)
    journal: list[Any] = field(default_factory=list)
    queue: list[Any] = field(default_factory=list)
    order: Iterator[int] = field(default_factory=itertools.count)
    frames: int = 0
    openings: int = 0
    offset_ns: int = 0

    # --- incidents ---

    def start(self) -> None:
        self._to_host(self.device.boot(self.now_ns))
        self.open()

    def open(self) -> None:
        """Open the port; earlier bytes on the line are lost."""
        self.openings += 1
        self.queue = [one for one in self.queue if one[2] in ("do",)]
        heapq.heapify(self.queue)
        entropy = struct.pack(">Q", self.openings) * 4
        self._apply(self.link.opened(self.state, self.at, entropy))

    def ask(self, request: TableLinkRequest) -> None:
        self._apply(self.link.send(self.state, request, self.at))

    def later(self, after_ms: int, do: Callable[[], None]) -> None:
        self._put(after_ms * MS, "do", do)

    def record_event(self, kind: int = 5, body: Any = None) -> None:
        self._to_host(self.device.record_event(self.now_ns, kind, body))

    def crash(self) -> None:
        """Restart the program from its store, on a rebooted machine."""
        self.state = STATE.decode(STATE.encode(self.stored))
        self.offset_ns -= 500 * MS
        self.open()

    def run(self, until_ms: int) -> None:
        """Run for `until_ms`, through every delivery and deadline."""
        end_ns = self.now_ns + until_ms * MS
        while True:
            dues = [self.device.due_ns()]
            deadline_ns = self.link.next_deadline_ns(self.state)
            if deadline_ns is not None:
                dues.append(deadline_ns - self.offset_ns)
            if self.queue:
                dues.append(self.queue[0][0])
            due_ns = max(min(dues), self.now_ns)
            if due_ns > end_ns:
                break
            self.now_ns = due_ns
            if self.queue and self.queue[0][0] <= due_ns:
                _ns, _order, what, data = heapq.heappop(self.queue)
                self._deliver(what, data)
            elif deadline_ns is not None and deadline_ns - self.offset_ns <= due_ns:
                self._apply(self.link.tick(self.state, self.at))
            else:
                self._to_host(self.device.tick(self.now_ns))
        self.now_ns = end_ns

    # --- observations ---

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.now_ns + self.offset_ns, UTC + self.now_ns)

    @property
    def numbers(self) -> list[int]:
        return [one.number for one in self.journal if isinstance(one, TableLinkEvent)]

    @property
    def missing(self) -> int:
        return sum(one.count for one in self.journal if isinstance(one, EventsMissing))

    def of(self, *kinds: type) -> list[Any]:
        return [one for one in self.journal if isinstance(one, kinds)]

    # --- mechanics ---

    def _apply(self, linked: Any) -> None:
        state, output = linked
        fault = self.faults.pop(self.frames, "") if output.to_write else ""
        self._to_device(output.at_once)
        if fault == "crash before store":
            self.crash()
            return
        if fault:
            self.faults[self.frames] = fault
        self.state = self.stored = state
        self.journal += output.items
        if self.faults.get(self.frames) == "crash after store" and output.to_write:
            del self.faults[self.frames]
            self.crash()
            return
        self._to_device(output.to_write)

    def _deliver(self, what: str, data: Any) -> None:
        match what:
            case "do":
                data()
            case "to host":
                self._apply(self.link.receive(self.state, data, self.at))
            case "to device":
                self._to_host(self.device.receive(data, self.now_ns))
                assert self.device.freed <= max(self.numbers, default=0), "not stored, and gone"

    def _to_host(self, frames: list[bytes]) -> None:
        for data in frames:
            self._send("to host", data)

    def _to_device(self, frames: tuple[bytes, ...]) -> None:
        for data in frames:
            self._send("to device", data)

    def _send(self, what: str, data: bytes) -> None:
        fault = self.faults.pop(self.frames, "")
        self.frames += 1
        match fault:
            case "lost":
                return
            case "twice":
                self._put(MS, what, data)
            case "cut":
                data = data[: len(data) // 2]
            case "damaged":
                data = data[:3] + bytes([data[3] ^ 0x40]) + data[4:]
            case "late":
                self._put(70 * MS, what, data)
                return
            case "reboot":
                self._put(MS // 2, "do", lambda: self._to_host(self.device.boot(self.now_ns)))
            case "reopened" | "crash after store" | "crash before store":
                again = self.open if fault == "reopened" else self.crash
                self._put(MS // 2, "do", again)
        self._put(MS, what, data)

    def _put(self, after_ns: int, what: str, data: Any) -> None:
        heapq.heappush(self.queue, (self.now_ns + after_ns, next(self.order), what, data))


class Bench:
    """Access to these tools for tests."""

    device = Device
    settings = SETTINGS
    states = STATE
    faults = FAULTS
    key = KEY

    def framed(self, channel: int, kind: int, content: Any = None, **fields: int) -> bytes:
        return framed(channel, kind, content, **fields)

    def unframed(self, data: bytes) -> list[ReceivedFrame]:
        return unframed(data)

    def cbor(self, value: Any) -> bytes:
        return cbor(value)

    def world(self, device: Device | None = None, **settings: Any) -> World:
        return World(TableLink(replace(SETTINGS, **settings)), device or Device())


@pytest.fixture(scope="session")
def bench() -> Bench:
    return Bench()


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    path = Path(__file__).parents[2] / "vectors" / "tablelink.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
