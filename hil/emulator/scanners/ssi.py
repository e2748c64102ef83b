"""Emulates a bar code scanner over Zebra's Simple Serial Interface: bar codes in, packets out.

Packets are sent again until they are acknowledged or given up. Time comes in with each call; the
device never waits and has no thread.

Source: wire document of SSI.
"""

from collections import deque
from dataclasses import dataclass
from types import MappingProxyType

RESPONSE_NS_MAX = 2_000_000_000
PACKET_TEXT_MAX = 250
ACK, NAK = 0xD0, 0xD1
NAK_RESEND, NAK_DENIED = 0x01, 0x06
DECODE_DATA, REVISION, EVENT = 0xF3, 0xA4, 0xF6
BOOT_EVENT = 0x03
CODE_TYPES = MappingProxyType(
    {
        "code-39": 0x01,
        "code-128": 0x03,
        "interleaved-2-of-5": 0x06,
        "ean-13": 0x0B,
        "gs1-128": 0x0F,
        "pdf417": 0x11,
        "data-matrix": 0x1B,
        "qr-code": 0x1C,
    }
)


def packet(opcode: int, data: bytes = b"", *, status: int = 0, source: int = 0) -> bytes:
    """Encode a packet: length, opcode, source, status, data, and the checksum (16-bit sum is 0)."""
    body = [4 + len(data), opcode, source, status, *data]
    rest = (0x10000 - sum(body) % 0x10000) % 0x10000
    return bytes([*body, rest // 256, rest % 256])


@dataclass(frozen=True, slots=True)
class SsiSettings:
    """The unit's set-up.

    `packets` False: bare text until the host asks for packets, as scanners leave the factory.
    `host_trigger`: it accepts sessions. `resends_max` None: it resends without limit.
    `type_in_each_part`: whether each part of a long message begins with the type.
    """

    packets: bool = False
    host_trigger: bool = False
    resends_max: int | None = 2
    type_in_each_part: bool = True
    revision: bytes = b"EMULATED-00-R01"


@dataclass(slots=True)
class _OutgoingPacket:
    """One packet to send to the host, or a bare text (opcode 0)."""

    opcode: int
    data: bytes
    continues: bool = False
    sent: int = 0
    due_ns: int = 0


class SsiDevice:
    """The device. Scans queue packets; `tick` returns the bytes due."""

    def __init__(self, settings: SsiSettings | None = None) -> None:
        self.settings = settings or SsiSettings()
        self.packets = self.settings.packets
        self.enabled = False
        self.in_session = False
        self.acknowledged: list[bytes] = []
        self.given_up: list[bytes] = []
        self._outbox: deque[_OutgoingPacket] = deque()
        self._received = b""

    # The wire.

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes from the host; returns the answers to packets completed by them."""
        self._received += data
        answers = b""
        while self._received:
            length = self._received[0]
            if length < 4:
                self._received = self._received[1:]  # a wake-up byte, or noise
                continue
            if len(self._received) < length + 2:
                break
            whole, self._received = self._received[: length + 2], self._received[length + 2 :]
            answers += self._answer(whole, at_ns)
        return answers

    def tick(self, at_ns: int) -> bytes:
        """All bytes due at that time: one packet, since the next waits for its answer."""
        while self._outbox:
            first = self._outbox[0]
            if first.opcode == 0:
                self._outbox.popleft()
                return first.data
            if first.sent and at_ns < first.due_ns:
                return b""
            if self._retries_used_up(first):
                self._give_up()
                continue
            first.sent += 1
            first.due_ns = at_ns + RESPONSE_NS_MAX
            status = int(first.sent > 1) | int(first.continues) << 1
            return packet(first.opcode, first.data, status=status)
        return b""

    @property
    def next_due_ns(self) -> int | None:
        """When `tick` has something to do; None: only after another input."""
        return self._outbox[0].due_ns if self._outbox else None

    # The operator's side.

    def scan(self, text: bytes, symbology: str = "code-128") -> bool:
        """Read a bar code; returns whether the scanner accepted it; disabled, it accepts none."""
        if not self.enabled:
            return False
        if not self.packets:
            self._outbox.append(_OutgoingPacket(0, text + b"\r\n"))
            return True
        kind = bytes((CODE_TYPES[symbology],))
        parts = [text[i : i + PACKET_TEXT_MAX] for i in range(0, len(text), PACKET_TEXT_MAX)]
        for place, part in enumerate(parts or [b""], start=1):
            headed = kind + part if place == 1 or self.settings.type_in_each_part else part
            self._outbox.append(_OutgoingPacket(DECODE_DATA, headed, continues=place < len(parts)))
        return True

    def power_on(self, *, reports_boot: bool = False) -> None:
        """Switch on (again): unsaved settings and waiting packets are lost."""
        self.packets = self.settings.packets
        self.enabled = self.in_session = False
        self._outbox.clear()
        self._received = b""
        if reports_boot:
            self._outbox.append(_OutgoingPacket(EVENT, bytes((BOOT_EVENT,))))

    # Internals.

    def _retries_used_up(self, outgoing: _OutgoingPacket) -> bool:
        resends_max = self.settings.resends_max
        return resends_max is not None and outgoing.sent > resends_max

    def _give_up(self) -> None:
        """The host stays silent: drop the whole message."""
        continues = True
        while continues and self._outbox:
            dropped = self._outbox.popleft()
            self.given_up.append(dropped.data)
            continues = dropped.continues

    def _answer(self, whole: bytes, at_ns: int) -> bytes:
        body = whole[:-2]
        if packet(body[1], body[4:], status=body[3], source=body[2]) != whole:
            return packet(NAK, bytes((NAK_RESEND,)))
        match body[1]:
            case 0xD0:
                self._acknowledge()
            case 0xD1:
                self._send_again(at_ns)
            case 0xA3:
                return packet(REVISION, self.settings.revision)
            case 0xC6:
                return self._set(body[5:])
            case 0xE4 | 0xE5:
                if not (self.enabled and self.settings.host_trigger):
                    return packet(NAK, bytes((NAK_DENIED,)))
                self.in_session = body[1] == 0xE4
                return packet(ACK)
            case 0xE9 | 0xEA:
                self.enabled = body[1] == 0xE9
                return packet(ACK)
            case _:
                return packet(NAK, bytes((NAK_DENIED,)))
        return b""

    def _set(self, pairs: bytes) -> bytes:
        for number, value in zip(pairs[::2], pairs[1::2], strict=False):
            if number == 0xEE:
                self.packets = value == 1
        return packet(ACK)

    def _acknowledge(self) -> None:
        """The packet under way has arrived; without one, the answer came late."""
        if self._outbox and self._outbox[0].sent:
            self.acknowledged.append(self._outbox.popleft().data)

    def _send_again(self, at_ns: int) -> None:
        if self._outbox and self._outbox[0].sent:
            self._outbox[0].due_ns = at_ns
