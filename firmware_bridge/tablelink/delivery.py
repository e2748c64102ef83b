"""Events of an admitted device: each once, in order, acknowledged when they are stored.

Responsible for: which number is taken, acknowledged again or asked for, what an event says, and
when by this machine's clock it was.
Not responsible for: who is admitted (opening) and what an event means (drivers).
Source: package README, "TableLink/1", events.
"""

from typing import Final

from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies, chain, clock, event_bodies, messages
from firmware_bridge.tablelink.fields import Misfit
from firmware_bridge.tablelink.items import EventsMissing, Happened
from firmware_bridge.tablelink.messages import EventTold
from firmware_bridge.tablelink.state import Hole, Known
from firmware_bridge.tablelink.turn import Turn
from firmware_bridge.values import replace

_POWER_UP: Final = 14
_OVERFLOW: Final = 16
# OVERFLOW where there was no room for the other.
_FIRST_OF_A_BOOT: Final = (_POWER_UP, _OVERFLOW)
_UNCHAINED: Final = LinkFaultKind.CONTINUITY_UNPROVEN


def event(turn: Turn, told: EventTold) -> Turn:
    """Take the number after the last one; any other is known already, or comes too early."""
    known = turn.state.known
    assert known is not None, "events are taken of an admitted device only"
    turn = turn.with_session(replace(turn.state.session, kept_since_ns=None))
    if told.number > known.last + 1:
        return _missing(turn, known.last + 1)
    turn = replace(turn, ack_due=True)
    if told.number <= known.last:
        return turn
    if known.boot_id not in (0, told.boot_id) and told.kind not in _FIRST_OF_A_BOOT:
        # Its memory was set back, and what it wrote since has the numbers of what was stored.
        turn = turn.tell(EventsMissing(0))
    turn = _tell(turn, told, known)
    # After OVERFLOW more may have found no room, a POWER_UP, too.
    boot_id = 0 if told.kind == _OVERFLOW else told.boot_id
    after = replace(known, last=told.number, chain=told.chain, boot_id=boot_id)
    turn = turn.with_known(after)
    return turn.with_session(replace(turn.state.session, hole=None, flowing=True, trouble=""))


def acknowledged(turn: Turn) -> Turn:
    """One ACK for all events of a call, written when they are stored."""
    known = turn.state.known
    if not turn.ack_due or known is None:
        return turn
    return replace(turn.say_after_store(messages.ack(known.last)), ack_due=False)


def kept_back(turn: Turn, kept: int) -> tuple[Turn, bool]:
    """What a PING says of kept events, and whether they are kept back for so long that the device

    has to be asked anew: a HELLO of an earlier session may have come to it late.
    """
    session, now_ns = turn.state.session, turn.now_ns
    since_ns = None
    if kept:
        since_ns = now_ns if session.kept_since_ns is None else session.kept_since_ns
    turn = turn.with_session(replace(session, kept_since_ns=since_ns))
    return turn, since_ns is not None and now_ns - since_ns >= turn.settings.lost_ns


def hopeless(turn: Turn) -> bool:
    """Whether a missing event was asked for so long that the device has to be asked anew."""
    hole = turn.state.session.hole
    return hole is not None and turn.now_ns - hole.since_ns >= turn.settings.lost_ns


def _missing(turn: Turn, wanted: int) -> Turn:
    session, now_ns = turn.state.session, turn.now_ns
    hole = session.hole
    if hole is not None and hole.wanted == wanted and now_ns < hole.again_ns:
        return turn
    since_ns = hole.since_ns if hole is not None and hole.wanted == wanted else now_ns
    hole = Hole(wanted, now_ns + turn.settings.nak_ns, since_ns)
    return turn.with_session(replace(session, hole=hole)).say(messages.nak(wanted))


def _tell(turn: Turn, told: EventTold, known: Known) -> Turn:
    """The event as an item, or why it is none, and what is wrong with the device's chain."""
    why_broken = chain.why_broken(known.chain, told)
    if why_broken:
        turn = turn.tell(LinkFault(_UNCHAINED, f"event {told.number}: {why_broken}"))
    pin = turn.settings.trust.pin
    key = b"" if pin is None else pin.key
    try:
        body = event_bodies.body_of(told.kind, told.body, key)
    except Misfit as misfit:
        detail = f"event {told.number} of kind {told.kind} makes no sense: {misfit}"
        return turn.tell(LinkFault(LinkFaultKind.MALFORMED, detail))
    if isinstance(body, bodies.Checkpoint):
        why_not = chain.why_not_genuine(known.chain, told, body, key)
        if why_not:
            turn = turn.tell(LinkFault(_UNCHAINED, f"checkpoint {told.number}: {why_not}"))
    utc_ns, uncertainty_ns = _when(turn, told)
    return turn.tell(
        Happened(told.number, told.boot_id, told.device_us, body, utc_ns, uncertainty_ns)
    )


def _when(turn: Turn, told: EventTold) -> tuple[int | None, int | None]:
    if told.boot_id != turn.state.clock_boot_id:
        return None, None
    moment = clock.when(turn.state.clock, told.device_us)
    if moment is None:
        return None, None
    utc_ns = turn.at.utc_ns + moment.host_ns - turn.now_ns
    return (utc_ns, moment.uncertainty_ns) if utc_ns >= 0 else (None, None)
