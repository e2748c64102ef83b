"""The link to a TableLink device: raw bytes to events, each once and in order, and requests.

Responsible for: what a good frame means in the phase the link is in, and deadlines. The link object
holds settings only; all it has learnt stands in the frozen state.
Not responsible for: ports, and for what an event means at a table (drivers).
Source: package README, "TableLink/1".
"""

from typing import Final, assert_never

from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import (
    clock,
    delivery,
    heartbeat,
    messages,
    opening,
    requests,
)
from firmware_bridge.tablelink.frames import Channel, Frame, feed
from firmware_bridge.tablelink.items import Request
from firmware_bridge.tablelink.messages import (
    AnswerTold,
    Attested,
    Bye,
    ErrorTold,
    EventTold,
    Hello,
    LinkType,
    Message,
    Ping,
    Pong,
    TimeTold,
)
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import Phase, Pulse, Silence, TableLinkState
from firmware_bridge.tablelink.turn import Linked, Turn
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

# Until a device is admitted it may say who it is, and nothing else.
_HEARD_UNPROVEN: Final = (LinkType.HELLO, LinkType.ATTEST_RSP)


@dataclass(frozen=True, slots=True)
class TableLink:
    """Follows firmware_bridge.link.Link, but that an opening brings 32 bytes of entropy."""

    settings: TableLinkSettings

    def initial(self) -> TableLinkState:
        """The state before anything was heard."""
        return TableLinkState()

    def opened(self, state: TableLinkState, at: Timestamp, entropy: bytes) -> Linked:
        """The port is open (again): who is there is to be proved anew."""
        turn = requests.closed(Turn(self.settings, state, at))
        pulse = Pulse(heard_ns=at.monotonic_ns, sent_ns=at.monotonic_ns)
        fresh = TableLinkState(
            known=turn.state.known, requests=turn.state.requests, seed=entropy, pulse=pulse
        )
        return requests.opened(opening.begin(turn.with_state(fresh))).linked

    def closed(self, state: TableLinkState, at: Timestamp) -> Linked:
        """The port is gone: what was sent may still be answered after the next opening."""
        turn = requests.closed(Turn(self.settings, state, at))
        kept = TableLinkState(known=turn.state.known, requests=turn.state.requests)
        return turn.with_state(kept).linked

    def receive(self, state: TableLinkState, data: bytes, at: Timestamp) -> Linked:
        """Take raw bytes as they came, in any fragmentation."""
        turn = Turn(self.settings, state, at)
        if state.session.phase is Phase.CLOSED:
            return turn.linked
        unframed, found = feed(state.unframed, data)
        turn = turn.with_state(replace(state, unframed=unframed))
        for one in found:
            match one:
                case Frame():
                    turn = self._frame(heartbeat.heard(turn), one)
                case LinkFault():
                    turn = turn.tell(one)
                case _:
                    assert_never(one)
        return delivery.acknowledged(turn).linked

    def send(self, state: TableLinkState, command: Request, at: Timestamp) -> Linked:
        """Ask, or queue behind the request still unanswered."""
        return requests.send(Turn(self.settings, state, at), command).linked

    def tick(self, state: TableLinkState, at: Timestamp) -> Linked:
        """A deadline may have passed."""
        turn = Turn(self.settings, state, at)
        if state.session.phase is Phase.CLOSED:
            return requests.due(turn).linked
        before = state.pulse.silence
        turn = heartbeat.silence(turn)
        if turn.state.pulse.silence is Silence.LOST and before is not Silence.LOST:
            # Whoever is heard next has to prove who it is.
            turn = opening.begin(turn)
        turn = requests.due(opening.due(turn))
        if turn.state.session.phase is Phase.ADMITTED:
            turn = heartbeat.ping(opening.asked_time(turn))
        return turn.linked

    def next_deadline_ns(self, state: TableLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        dues = requests.deadlines_ns(state)
        session = state.session
        if session.phase is not Phase.CLOSED:
            dues = (*dues, *heartbeat.deadlines_ns(self.settings, state))
            own_ns = session.time_due_ns if session.phase is Phase.ADMITTED else session.again_ns
            dues = (*dues, own_ns)
        return min(dues, default=None)

    def _frame(self, turn: Turn, frame: Frame) -> Turn:
        session = turn.state.session
        admitted = session.phase is Phase.ADMITTED
        if not admitted and (frame.channel, frame.type) not in _UNPROVEN:
            return turn
        message = messages.decode(frame)
        if isinstance(message, LinkFault):
            return _misunderstood(turn, message)
        if message is None:
            return turn
        return self._message(turn, message)

    def _message(self, turn: Turn, message: Message) -> Turn:
        match message:
            case Hello():
                return opening.hello(turn, message)
            case Attested():
                return opening.attested(turn, message)
            case EventTold():
                turn = delivery.event(turn, message)
                return opening.begin(turn) if delivery.hopeless(turn) else turn
            case AnswerTold():
                return requests.answered(turn, message)
            case Ping():
                return _pinged(turn, message)
            case TimeTold():
                return _time_told(turn, message)
            case Pong():
                return turn
            case Bye(why):
                said = LinkFault(LinkFaultKind.DEVICE_STATUS, f"the device goes: {why}")
                return opening.begin(turn.tell(said))
            case ErrorTold(code, text):
                detail = f"the device tells error {code}: {text}"
                return turn.tell(LinkFault(LinkFaultKind.DEVICE_STATUS, detail))
            case _:
                assert_never(message)


_UNPROVEN: Final = tuple((Channel.LINK, kind) for kind in _HEARD_UNPROVEN)


def _misunderstood(turn: Turn, fault: LinkFault) -> Turn:
    """Told once, though it comes again and again."""
    session = turn.state.session
    if session.trouble == fault.detail:
        return turn
    return turn.with_session(replace(session, trouble=fault.detail)).tell(fault)


def _pinged(turn: Turn, message: Ping) -> Turn:
    turn, rebooted = heartbeat.rebooted(turn, message.uptime_us)
    if rebooted:
        return opening.begin(turn)
    turn = heartbeat.filling(turn.say(messages.pong(message.uptime_us)), message)
    turn, stalled = delivery.kept_back(turn, message.kept)
    if stalled:
        return opening.begin(turn)
    session, known = turn.state.session, turn.state.known
    if message.kept and not session.flowing and known is not None:
        # It has something to tell and does not: it did not get the HELLO_ACK.
        turn = turn.say_after_store(messages.hello_ack(session.number, known.last))
    return turn


def _time_told(turn: Turn, message: TimeTold) -> Turn:
    session = turn.state.session
    if session.time_asked is None or session.time_asked[0] != message.asked:
        return turn
    turn, rebooted = heartbeat.rebooted(turn, message.left_us)
    if rebooted:
        return opening.begin(turn)
    first = not turn.state.clock.exchanges
    exchanged = clock.heard(
        turn.state.clock,
        sent_ns=session.time_asked[1],
        came_us=message.came_us,
        left_us=message.left_us,
        back_ns=turn.now_ns,
        window=turn.settings.time_window,
    )
    session = replace(session, time_asked=None)
    if first:
        session = replace(session, time_due_ns=turn.now_ns + turn.settings.time_ns)
    return turn.with_state(replace(turn.state, clock=exchanged, session=session))
