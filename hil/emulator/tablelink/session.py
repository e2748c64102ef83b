"""What a TableLink device says and hears from one boot to the next.

Responsible for: sessions, HELLO, attestation, sending events in a session, acknowledgements,
requests executed once, time and heartbeat. All of it is forgotten with power.
Not responsible for: what survives (tablelink_memory), what a request means to the machine
(shuffler_works, tablelink_shoe), power and people (tablelink_device).
Source: wire document of TableLink/1, "Opening", "Events", "Requests", "Time and heartbeat".
"""

from collections.abc import Callable
from dataclasses import dataclass

from hil.emulator.tablelink.cbor import (
    Map,
    WrongPayload,
    bytes_at,
    encoded,
    number_at,
    payload_map,
)
from hil.emulator.tablelink.identity import Identity
from hil.emulator.tablelink.memory import KeptEvent, Moment, TableLinkMemory
from hil.emulator.tablelink.send_window import NS_PER_MS, Window
from hil.emulator.tablelink.wire import (
    LOW_32,
    Answer,
    Ask,
    Channel,
    Flag,
    Frame,
    Refused,
    Say,
    on_wire,
)

NONCE_BYTES = 32
PING_NS, HELLO_NS, SILENCE_NS = 1_000 * NS_PER_MS, 1_000 * NS_PER_MS, 4_000 * NS_PER_MS
TEXT_CHARACTERS_MAX = 64
FRAME_REFUSED, PAYLOAD_REFUSED, NUMBER_REFUSED = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Boot:
    """One life between two losses of power."""

    id: int
    count: int
    at_ns: int

    def moment(self, at_ns: int) -> Moment:
        """Then, as the device counts."""
        return Moment(self.id, (at_ns - self.at_ns) // 1000)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a device answers to a request, and what it does once that is written down."""

    answer: Answer = Answer.DONE
    text: str = ""
    told: Map | None = None
    act: Callable[[], None] | None = None

    @property
    def payload(self) -> bytes:
        """As it goes over the line."""
        told: Map = {1: int(self.answer)}
        if self.text:
            told[2] = self.text
        if self.told is not None:
            told[3] = self.told
        return encoded(told)


def refused(why: str) -> Judged:
    """It will not do that now."""
    return Judged(Answer.REFUSED, why)


Judge = Callable[[Ask, int], Judged]
Freed = Callable[[tuple[KeptEvent, ...]], None]


class Talk:
    """`silent`: nothing was heard of a host for four seconds. `take`: what there is to send."""

    def __init__(
        self,
        role: int,
        identity: Identity,
        memory: TableLinkMemory,
        boot: Boot,
        judge: Judge,
        freed: Freed,
    ) -> None:
        self._role = role
        self._identity = identity
        self._memory = memory
        self.boot = boot
        self._judge = judge
        self._freed = freed
        self._window = Window(memory)
        self._out: list[bytes] = []
        self._at_ns = self._heard_ns = self._said_ns = boot.at_ns
        self._ctr = self._session = 0
        self._flowing = False
        self._greeted_by_host = False
        self.silent = False
        self._hello(0)

    # When and what.

    @property
    def settled(self) -> bool:
        """Whether all that can be sent was sent once."""
        return not self._out and (self._window.all_sent or not self._flowing or self.silent)

    @property
    def next_due_ns(self) -> int | None:
        if self._out:
            return 0
        if not self._greeted_by_host:
            return self._said_ns + HELLO_NS
        if self.silent:
            return None
        dues: list[int | None] = [self._heard_ns + SILENCE_NS]
        if self._session:
            dues.append(self._said_ns + PING_NS)
        if self._flowing:
            dues.append(0 if self._window.can_send else self._window.repeat_at_ns)
        return min(due for due in dues if due is not None)

    def take(self) -> bytes:
        """What is to be sent, which is said with that."""
        said = b"".join(self._out)
        self._out.clear()
        return said

    def due(self, at_ns: int) -> None:
        """Say what time makes due: events, their repetitions, a sign of life."""
        self._at_ns = at_ns
        if at_ns - self._heard_ns >= SILENCE_NS:
            self.silent = True
        if not self._greeted_by_host and at_ns - self._said_ns >= HELLO_NS:
            self._hello(0)
        if self.silent:
            return
        if self._flowing:
            for event, said_before in self._window.due(at_ns):
                flags = Flag.SAID_BEFORE if said_before else 0
                frame = Frame(
                    Channel.EVENT, event.kind, event.payload, event.number & LOW_32, flags
                )
                self._put(frame)
        if self._session and at_ns - self._said_ns >= PING_NS:
            kept, closed = len(self._memory.ring), self._memory.gate_closed
            self._say(Say.PING, {1: self._uptime_us, 2: kept, 3: closed})

    def hear(self, found: Frame | Refused, at_ns: int) -> None:
        """A frame came."""
        self._at_ns = self._heard_ns = at_ns
        if self.silent:
            self.silent = False
            self._window.put_off(at_ns)
        if isinstance(found, Refused):
            self._error(FRAME_REFUSED, found.why)
            return
        if found.flags & Flag.ACK_COUNTS and self._flowing:
            self._acknowledged(found.ack)
        try:
            if found.channel == Channel.LINK:
                self._hear_link(found.type, payload_map(found.payload))
            elif found.channel == Channel.REQUEST:
                self._asked(found)
        except WrongPayload as error:
            self._error(PAYLOAD_REFUSED, str(error))

    # The link.

    def _hear_link(self, type_: int, told: Map) -> None:
        match type_:
            case Say.HELLO:
                self._greeted(number_at(told, 1, LOW_32))
            case Say.HELLO_ACK:
                self._begin(number_at(told, 1, LOW_32), number_at(told, 2))
            case Say.NAK:
                self._window.go_back(number_at(told, 1))
            case Say.PING:
                self._say(Say.PONG, {1: number_at(told, 1)}, acknowledging=True)
            case Say.TIME_REQ:
                now_us = self._uptime_us
                self._say(Say.TIME_RSP, {1: number_at(told, 1), 2: now_us, 3: now_us})
            case Say.ATTEST_REQ:
                nonce = bytes_at(told, 1)
                if len(nonce) != NONCE_BYTES:
                    raise WrongPayload("a nonce has 32 bytes")
                told = self._identity.attested(nonce, self.boot.id, self.boot.count)
                self._say(Say.ATTEST_RSP, told)
            case Say.BYE:
                self._session, self._flowing = 0, False

    def _greeted(self, session: int) -> None:
        if session == 0:
            raise WrongPayload("no session is numbered 0")
        self._greeted_by_host = True
        if session != self._session:
            self._session, self._flowing = session, False
        self._hello(session)

    def _begin(self, session: int, stored: int) -> None:
        """The host's answer to our HELLO: events flow."""
        if session != self._session or session == 0:
            return
        if stored >= self._memory.next_number:
            self._error(NUMBER_REFUSED, "no event has that number yet")
            return
        self._free(stored)
        if not self._flowing:
            self._flowing = True
            self._window.begin()

    def _acknowledged(self, ack: int) -> None:
        base = self._memory.first_number - 1
        number = base + ((ack - base) & LOW_32)
        if number < self._memory.next_number:
            self._free(number)

    def _free(self, number: int) -> None:
        freed = self._memory.free(number)
        if freed:
            self._freed(freed)
            self._window.progressed(self._at_ns)

    # Requests.

    def _asked(self, frame: Frame) -> None:
        kept = self._memory.answer_to(frame.seq)
        if kept is not None:
            self._answer(frame.seq, *kept)
            return
        if frame.seq <= self._memory.highest_request:
            late = refused("this id is not above all before")
            self._answer(frame.seq, frame.type, late.payload)
            return
        judged = self._judged(frame)
        self._memory.answered(frame.seq, frame.type, judged.payload)
        self._answer(frame.seq, frame.type, judged.payload)
        if judged.act is not None:
            judged.act()

    def _judged(self, frame: Frame) -> Judged:
        told = payload_map(frame.payload)
        argument = number_at(told, 1) if 1 in told else 0
        if frame.type not in tuple(Ask):
            return Judged(Answer.UNKNOWN, "no such request")
        return self._judge(Ask(frame.type), argument)

    def _answer(self, request: int, type_: int, payload: bytes) -> None:
        ack = self._memory.highest_request
        self._put(Frame(Channel.REQUEST, type_, payload, request, Flag.ACK_COUNTS, ack))

    # Saying.

    def _hello(self, session: int) -> None:
        memory, identity = self._memory, self._identity
        told: Map = {
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
        self._say(Say.HELLO, told)

    def _error(self, code: int, why: str) -> None:
        self._say(Say.ERROR, {1: code, 2: why[:TEXT_CHARACTERS_MAX]})

    def _say(self, type_: Say, told: Map, *, acknowledging: bool = False) -> None:
        flags, ack = 0, 0
        if acknowledging:
            flags, ack = Flag.ACK_COUNTS, self._memory.highest_request
        self._put(Frame(Channel.LINK, type_, encoded(told), 0, flags, ack))

    def _put(self, frame: Frame) -> None:
        counted = Frame(
            frame.channel, frame.type, frame.payload, frame.seq, frame.flags, frame.ack, self._ctr
        )
        self._ctr = self._ctr + 1 & LOW_32
        self._said_ns = self._at_ns
        self._out.append(on_wire(counted))

    @property
    def _uptime_us(self) -> int:
        return self.boot.moment(self._at_ns).uptime_us
