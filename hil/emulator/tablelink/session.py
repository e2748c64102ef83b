"""Emulates the device's side of a TableLink session, from one boot to the next.

Greeting, attestation, sending events, acknowledgements, requests executed once, time and heartbeat.
All of it is forgotten when power fails.

Source: wire document of TableLink/1, "Opening", "Events", "Requests", "Time and heartbeat".
"""

from collections.abc import Callable
from dataclasses import dataclass

from hil.emulator.tablelink.cbor import (
    Map,
    WrongPayload,
    bytes_at,
    decode_map,
    encode,
    number_at,
)
from hil.emulator.tablelink.identity import TableLinkIdentity
from hil.emulator.tablelink.memory import DeviceTime, StoredEvent, TableLinkMemory
from hil.emulator.tablelink.wire import (
    LOW_32,
    Flag,
    Frame,
    FrameChannel,
    LinkType,
    RefusedFrame,
    RequestStatus,
    RequestType,
    encode_frame,
)

NS_PER_MS = 1_000_000
WINDOW = 8
REPEAT_NS, REPEAT_NS_MAX = 50 * NS_PER_MS, 1_600 * NS_PER_MS


class SendWindow:
    """Sends stored events: at most eight unacknowledged, repeated from the first one on.

    Lost with power. `repeat_at_ns`: when unacknowledged events are repeated.
    """

    def __init__(self, memory: TableLinkMemory) -> None:
        self._memory = memory
        self._next = memory.first_number
        self._sent_before = memory.first_number
        self._repeat_ns = REPEAT_NS
        self.repeat_at_ns: int | None = None

    @property
    def all_sent(self) -> bool:
        """Whether all stored events were sent at least once."""
        return max(self._sent_before, self._memory.first_number) == self._memory.next_number

    @property
    def can_send(self) -> bool:
        """Whether an event can be sent now, apart from repetitions."""
        first = self._memory.first_number
        return max(self._next, first) < min(self._memory.next_number, first + WINDOW)

    def restart(self) -> None:
        """Restart at the oldest event for a new session."""
        self._next = self._memory.first_number
        self._repeat_ns = REPEAT_NS
        self.repeat_at_ns = None

    def go_back(self, number: int) -> None:
        """Send again from that event on: the host misses it."""
        if self._memory.first_number <= number < self._next:
            self._next = number

    def advance(self, at_ns: int) -> None:
        """Move on after events were freed."""
        self._next = max(self._next, self._memory.first_number)
        self._repeat_ns = REPEAT_NS
        under_way = self._next > self._memory.first_number
        self.repeat_at_ns = at_ns + REPEAT_NS if under_way else None

    def due(self, at_ns: int) -> tuple[tuple[StoredEvent, bool], ...]:
        """The events to send now, each with whether it was sent before."""
        if self.repeat_at_ns is not None and at_ns >= self.repeat_at_ns:
            self._next = self._memory.first_number
            self._repeat_ns = min(2 * self._repeat_ns, REPEAT_NS_MAX)
            self.repeat_at_ns = None
        sending: list[tuple[StoredEvent, bool]] = []
        while self.can_send:
            number = max(self._next, self._memory.first_number)
            sending.append((self._memory.event(number), number < self._sent_before))
            self._next = number + 1
            self._sent_before = max(self._sent_before, self._next)
        if sending and self.repeat_at_ns is None:
            self.repeat_at_ns = at_ns + self._repeat_ns
        return tuple(sending)

    def postpone(self, at_ns: int) -> None:
        """Repeat soon instead of at once, after the host was silent."""
        if self.repeat_at_ns is not None:
            self._repeat_ns = REPEAT_NS
            self.repeat_at_ns = at_ns + REPEAT_NS


NONCE_BYTES = 32
PING_NS, HELLO_NS, SILENCE_NS = 1_000 * NS_PER_MS, 1_000 * NS_PER_MS, 4_000 * NS_PER_MS
TEXT_CHARACTERS_MAX = 64
FRAME_REFUSED, PAYLOAD_REFUSED, NUMBER_REFUSED = 1, 2, 3


@dataclass(frozen=True, slots=True)
class DeviceBoot:
    """One boot of the device, until power fails."""

    id: int
    count: int
    at_ns: int

    def time(self, at_ns: int) -> DeviceTime:
        """The device's time at `at_ns`."""
        return DeviceTime(self.id, (at_ns - self.at_ns) // 1000)


@dataclass(frozen=True, slots=True)
class RequestDecision:
    """The answer to a request, and the action to run once the answer is stored."""

    status: RequestStatus = RequestStatus.DONE
    text: str = ""
    result: Map | None = None
    act: Callable[[], None] | None = None

    @property
    def payload(self) -> bytes:
        """The encoded answer."""
        body: Map = {1: int(self.status)}
        if self.text:
            body[2] = self.text
        if self.result is not None:
            body[3] = self.result
        return encode(body)


def refuse(why: str) -> RequestDecision:
    """Refuse a request."""
    return RequestDecision(RequestStatus.REFUSED, why)


RequestDecider = Callable[[RequestType, int], RequestDecision]
FreedListener = Callable[[tuple[StoredEvent, ...]], None]


class Session:
    """The device's side of a session. `silent`: the host was silent for four seconds."""

    def __init__(
        self,
        role: int,
        identity: TableLinkIdentity,
        memory: TableLinkMemory,
        boot: DeviceBoot,
        decide: RequestDecider,
        on_freed: FreedListener,
    ) -> None:
        self._role = role
        self._identity = identity
        self._memory = memory
        self.boot = boot
        self._decide = decide
        self._on_freed = on_freed
        self._window = SendWindow(memory)
        self._out: list[bytes] = []
        self._at_ns = self._received_ns = self._sent_ns = boot.at_ns
        self._ctr = self._session_number = 0
        self._sending_events = False
        self._host_hello_received = False
        self.silent = False
        self._send_hello(0)

    # Deadlines and output.

    @property
    def settled(self) -> bool:
        """Whether everything that can be sent was sent once."""
        return not self._out and (self._window.all_sent or not self._sending_events or self.silent)

    @property
    def next_due_ns(self) -> int | None:
        if self._out:
            return 0
        if not self._host_hello_received:
            return self._sent_ns + HELLO_NS
        if self.silent:
            return None
        dues: list[int | None] = [self._received_ns + SILENCE_NS]
        if self._session_number:
            dues.append(self._sent_ns + PING_NS)
        if self._sending_events:
            dues.append(0 if self._window.can_send else self._window.repeat_at_ns)
        return min(due for due in dues if due is not None)

    def take(self) -> bytes:
        """Take the bytes to send."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def due(self, at_ns: int) -> None:
        """Queue what is due: events, their repetitions, a heartbeat."""
        self._at_ns = at_ns
        if at_ns - self._received_ns >= SILENCE_NS:
            self.silent = True
        if not self._host_hello_received and at_ns - self._sent_ns >= HELLO_NS:
            self._send_hello(0)
        if self.silent:
            return
        if self._sending_events:
            for event, repeated in self._window.due(at_ns):
                flags = Flag.REPEATED if repeated else 0
                frame = Frame(
                    FrameChannel.EVENT, event.kind, event.payload, event.number & LOW_32, flags
                )
                self._send(frame)
        if self._session_number and at_ns - self._sent_ns >= PING_NS:
            stored, closed = len(self._memory.ring), self._memory.gate_closed
            self._send_link(LinkType.PING, {1: self._uptime_us, 2: stored, 3: closed})

    def receive(self, found: Frame | RefusedFrame, at_ns: int) -> None:
        """Process a frame of the host."""
        self._at_ns = self._received_ns = at_ns
        if self.silent:
            self.silent = False
            self._window.postpone(at_ns)
        if isinstance(found, RefusedFrame):
            self._send_error(FRAME_REFUSED, found.why)
            return
        if found.flags & Flag.ACK_COUNTS and self._sending_events:
            self._free_acknowledged(found.ack)
        try:
            if found.channel == FrameChannel.LINK:
                self._receive_link(found.type, decode_map(found.payload))
            elif found.channel == FrameChannel.REQUEST:
                self._receive_request(found)
        except WrongPayload as error:
            self._send_error(PAYLOAD_REFUSED, str(error))

    # The link.

    def _receive_link(self, type_: int, body: Map) -> None:
        match type_:
            case LinkType.HELLO:
                self._receive_hello(number_at(body, 1, LOW_32))
            case LinkType.HELLO_ACK:
                self._start_events(number_at(body, 1, LOW_32), number_at(body, 2))
            case LinkType.NAK:
                self._window.go_back(number_at(body, 1))
            case LinkType.PING:
                self._send_link(LinkType.PONG, {1: number_at(body, 1)}, acknowledging=True)
            case LinkType.TIME_REQ:
                now_us = self._uptime_us
                self._send_link(LinkType.TIME_RSP, {1: number_at(body, 1), 2: now_us, 3: now_us})
            case LinkType.ATTEST_REQ:
                nonce = bytes_at(body, 1)
                if len(nonce) != NONCE_BYTES:
                    raise WrongPayload("a nonce has 32 bytes")
                attestation = self._identity.attestation(nonce, self.boot.id, self.boot.count)
                self._send_link(LinkType.ATTEST_RSP, attestation)
            case LinkType.BYE:
                self._session_number, self._sending_events = 0, False

    def _receive_hello(self, session: int) -> None:
        if session == 0:
            raise WrongPayload("a session number must not be 0")
        self._host_hello_received = True
        if session != self._session_number:
            self._session_number, self._sending_events = session, False
        self._send_hello(session)

    def _start_events(self, session: int, stored: int) -> None:
        """Start sending events: the host answered HELLO."""
        if session != self._session_number or session == 0:
            return
        if stored >= self._memory.next_number:
            self._send_error(NUMBER_REFUSED, "no event has that number yet")
            return
        self._free(stored)
        if not self._sending_events:
            self._sending_events = True
            self._window.restart()

    def _free_acknowledged(self, ack: int) -> None:
        base = self._memory.first_number - 1
        number = base + ((ack - base) & LOW_32)
        if number < self._memory.next_number:
            self._free(number)

    def _free(self, number: int) -> None:
        freed = self._memory.free(number)
        if freed:
            self._on_freed(freed)
            self._window.advance(self._at_ns)

    # Requests.

    def _receive_request(self, frame: Frame) -> None:
        stored = self._memory.answer_to(frame.seq)
        if stored is not None:
            self._send_answer(frame.seq, *stored)
            return
        if frame.seq <= self._memory.highest_request:
            late = refuse("this id is not above all previous ones")
            self._send_answer(frame.seq, frame.type, late.payload)
            return
        decision = self._decide_frame(frame)
        self._memory.store_answer(frame.seq, frame.type, decision.payload)
        self._send_answer(frame.seq, frame.type, decision.payload)
        if decision.act is not None:
            decision.act()

    def _decide_frame(self, frame: Frame) -> RequestDecision:
        body = decode_map(frame.payload)
        argument = number_at(body, 1) if 1 in body else 0
        if frame.type not in tuple(RequestType):
            return RequestDecision(RequestStatus.UNKNOWN, "no such request")
        return self._decide(RequestType(frame.type), argument)

    def _send_answer(self, request: int, type_: int, payload: bytes) -> None:
        ack = self._memory.highest_request
        self._send(Frame(FrameChannel.REQUEST, type_, payload, request, Flag.ACK_COUNTS, ack))

    # Output.

    def _send_hello(self, session: int) -> None:
        memory, identity = self._memory, self._identity
        body: Map = {
            1: identity.device,
            2: self.boot.id,
            3: memory.first_number,
            4: memory.next_number,
            5: memory.capacity,
            6: identity.firmware.version,
            7: session,
            8: memory.highest_request,
            9: self._role,
            10: self.boot.count,
            11: identity.debug,
        }
        self._send_link(LinkType.HELLO, body)

    def _send_error(self, code: int, why: str) -> None:
        self._send_link(LinkType.ERROR, {1: code, 2: why[:TEXT_CHARACTERS_MAX]})

    def _send_link(self, type_: LinkType, body: Map, *, acknowledging: bool = False) -> None:
        flags, ack = 0, 0
        if acknowledging:
            flags, ack = Flag.ACK_COUNTS, self._memory.highest_request
        self._send(Frame(FrameChannel.LINK, type_, encode(body), 0, flags, ack))

    def _send(self, frame: Frame) -> None:
        numbered = Frame(
            frame.channel, frame.type, frame.payload, frame.seq, frame.flags, frame.ack, self._ctr
        )
        self._ctr = self._ctr + 1 & LOW_32
        self._sent_ns = self._at_ns
        self._out.append(encode_frame(numbered))

    @property
    def _uptime_us(self) -> int:
        return self.boot.time(self._at_ns).uptime_us
