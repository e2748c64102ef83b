"""From an open port to an admitted device, and back to the question who is there.

Responsible for: sessions, HELLO, the proof of identity, who is admitted and why not, and from which
event on counting goes.
Not responsible for: the judgement of a signed attestation (attestation) and for events (delivery).
Source: package README, "TableLink/1", opening, identity.
"""

from typing import Final

from firmware_bridge import attestation
from firmware_bridge.attestation import Attestation, RolledBack
from firmware_bridge.tablelink import messages, requests
from firmware_bridge.tablelink.clock import Clock
from firmware_bridge.tablelink.fields import Misfit, fields_of
from firmware_bridge.tablelink.heartbeat import uptime_us
from firmware_bridge.tablelink.items import Admitted, DeviceSaidHello, EventsMissing, NotAdmitted
from firmware_bridge.tablelink.messages import Attested, Hello
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.tablelink.state import Known, Phase, Session
from firmware_bridge.tablelink.turn import Turn
from firmware_bridge.values import replace

_SESSION_BYTES: Final = 4
_NONCE_BYTES: Final = 32

_NO_TRUST: Final = (
    "no device is paired with this port: pair it, or allow a device without identity on a bench"
)
_NO_IDENTITY: Final = "the device has no identity: pair one that has"
_LOST_IDENTITY: Final = (
    "the device says that it has no identity, but the one paired with this port has: "
    "look what was plugged in"
)
_NO_PROOF: Final = "the device does not prove who it is: look what was plugged in, and restart it"
_ROLLED_BACK: Final = "it was replaced, or its memory was rolled back; pair it anew"
_CONTRADICTION: Final = "its HELLO contradicts itself: its firmware has to be mended by its maker"


def begin(turn: Turn) -> Turn:
    """Ask who is there, with a session of its own."""
    turn, drawn = turn.draw()
    number = int.from_bytes(drawn[:_SESSION_BYTES], "little") or 1
    again_ns = turn.now_ns + turn.settings.hello_ns
    turn = turn.with_session(Session(Phase.ASKING, number, again_ns=again_ns))
    turn = turn.with_pulse(replace(turn.state.pulse, uptime_us=0, lag_ns=None))
    return turn.say(messages.hello(number))


def due(turn: Turn) -> Turn:
    """Repeat or give up the question of this phase."""
    session = turn.state.session
    if turn.now_ns < session.again_ns:
        return turn
    again = replace(session, again_ns=turn.now_ns + turn.settings.hello_ns)
    match session.phase:
        case Phase.ASKING:
            return turn.with_session(again).say(messages.hello(session.number))
        case Phase.PROVING if turn.now_ns >= session.until_ns:
            return _refused(turn, _NO_PROOF)
        case Phase.PROVING:
            return turn.with_session(again).say(messages.attest_request(session.nonce))
        case Phase.REFUSED:
            return begin(turn)
        case _:
            return turn


def hello(turn: Turn, told: Hello) -> Turn:
    """The device says who it is, asked or not."""
    session = turn.state.session
    if told.session not in (0, session.number):
        return turn
    if session.hello is not None and session.hello.boot_id != told.boot_id:
        return begin(turn)
    if session.phase is not Phase.ASKING:
        return turn
    if not told.session:
        again_ns = turn.now_ns + turn.settings.hello_ns
        turn = turn.with_session(replace(session, again_ns=again_ns))
        return turn.say(messages.hello(session.number))
    said = DeviceSaidHello(told.device, told.boot_id, told.boot_count, told.firmware, told.debug)
    if said != turn.state.told.hello:
        turn = turn.tell(said).with_told(replace(turn.state.told, hello=said))
    turn = turn.with_session(replace(session, hello=told))
    why_not, rolled_back = _why_not(turn, told)
    if why_not:
        return _refused(turn, why_not, rolled_back=rolled_back)
    return _prove(turn)


def attested(turn: Turn, told: Attested) -> Turn:
    """The device says who it is under its key, or that it has none."""
    session = turn.state.session
    if session.phase is not Phase.PROVING or session.hello is None:
        return turn
    known = _known(turn, session.hello)
    if not told.sealed:
        trust = turn.settings.trust
        if trust.pin is not None:
            return _refused(turn, _LOST_IDENTITY)
        if not trust.bare:
            return _refused(turn, _NO_IDENTITY)
        return _counted(turn, session.hello, known, None)
    if _late(told.sealed, session.nonce):
        return turn
    judged = _judged(turn, told.sealed, session, known)
    if isinstance(judged, RolledBack):
        # Older firmware can be mended; a memory that was set back cannot.
        unbooted = _judged(turn, told.sealed, session, replace(known, boot_count=0))
        if not isinstance(unbooted, RolledBack):
            return _set_back(turn, known, str(judged))
        return _refused(turn, str(judged), rolled_back=True)
    if isinstance(judged, str):
        return _refused(turn, judged)
    return _counted(turn, session.hello, known, judged)


def _prove(turn: Turn) -> Turn:
    turn, nonce = turn.draw()
    settings, now_ns = turn.settings, turn.now_ns
    session = replace(
        turn.state.session,
        phase=Phase.PROVING,
        nonce=nonce[:_NONCE_BYTES],
        again_ns=now_ns + settings.hello_ns,
        until_ns=now_ns + settings.lost_ns,
    )
    return turn.with_session(session).say(messages.attest_request(session.nonce))


def _known(turn: Turn, told: Hello) -> Known:
    """What is known of this device since it was paired; for a new one, where counting begins."""
    pin, known = turn.settings.trust.pin, turn.state.known
    device, pairing = (told.device, "") if pin is None else (pin.device, pin.pairing)
    if known is not None and (known.device, known.pairing) == (device, pairing):
        return known
    first = told.first if pin is None else pin.first_event
    return Known(device, pairing, first - 1, boot_count=0, security_counter=0)


def _why_not(turn: Turn, told: Hello) -> tuple[str, bool]:
    """Why the device is not even asked for a proof (empty: it is), and whether it rolled back."""
    trust, role = turn.settings.trust, turn.settings.role
    known = _known(turn, told)
    if told.role != role:
        other = DeviceRole(told.role).name.lower() if told.role in tuple(DeviceRole) else "other"
        return f"a {role.name.lower()} belongs at this port, and this is a device: {other}", False
    if not 1 <= told.first <= told.following:
        return _CONTRADICTION, False
    if trust.pin is None and not trust.bare:
        return _NO_TRUST, False
    if trust.pin is not None and told.device != trust.pin.device:
        return _other_device(told.device, trust.pin.device), False
    return known.rolled_back, bool(known.rolled_back)


def _counted(turn: Turn, told: Hello, known: Known, proof: Attestation | None) -> Turn:
    """It is who it says; its counters must not lie before what is known of it."""
    why = ""
    if told.boot_count < known.boot_count:
        why = f"it says it booted {told.boot_count} times, and {known.boot_count} were seen"
    elif known.last >= told.following:
        why = f"its next event is {told.following}, and {known.last} is stored"
    elif _boot_unrecorded(told, known):
        why = f"it booted since event {known.last}, and recorded no event of it"
    if not why:
        return _admitted(turn, told, proof)
    why = f"{why}: {_ROLLED_BACK}"
    return _refused(turn, why, rolled_back=True) if proof is None else _set_back(turn, known, why)


def _boot_unrecorded(told: Hello, known: Known) -> bool:
    """Every boot is an event of its own, unless the last one said that there was no room."""
    booted = 0 < known.boot_count < told.boot_count
    return booted and known.boot_id != 0 and told.following == known.last + 1


def _set_back(turn: Turn, known: Known, why: str) -> Turn:
    """A device that proved itself and has an older memory stays out until it is paired anew.

    With time its numbers would pass those that are stored, and tell other events. It is not enough
    that something calls itself by its name: anybody could then shut the true one out.
    """
    turn = turn.with_known(replace(known, rolled_back=why))
    return _refused(turn, why, rolled_back=True)


def _other_device(device: bytes, paired: bytes) -> str:
    return (
        f"device {device.hex()} is not the one paired with this port, {paired.hex()}: "
        "plug that one in, or pair this one"
    )


def _late(sealed: bytes, nonce: bytes) -> bool:
    """Whether this answers an earlier question: a frame that was long on its way."""
    payload = attestation.seal_payload(sealed)
    if payload is None:
        return False
    try:
        return fields_of(payload).octets(1, _NONCE_BYTES) != nonce
    except Misfit:
        return False


def _judged(turn: Turn, sealed: bytes, session: Session, known: Known) -> Attestation | str:
    assert session.hello is not None
    return attestation.judge(
        turn.settings.trust,
        sealed,
        nonce=session.nonce,
        device=session.hello.device,
        boot_id=session.hello.boot_id,
        boot_count_min=known.boot_count,
        security_counter_min=known.security_counter,
    )


def _refused(turn: Turn, why: str, *, rolled_back: bool = False) -> Turn:
    session = turn.state.session
    device = b"" if session.hello is None else session.hello.device
    if why != turn.state.told.refusal:
        turn = turn.tell(NotAdmitted(device, why, rolled_back))
        turn = turn.with_told(replace(turn.state.told, refusal=why))
    again_ns = turn.now_ns + turn.settings.refused_ns
    return turn.with_session(replace(session, phase=Phase.REFUSED, again_ns=again_ns))


def _admitted(turn: Turn, told: Hello, proof: Attestation | None) -> Turn:
    known = _known(turn, told)
    before = turn.state.known
    turn = turn.tell(Admitted(told.device, proof))
    if before is not None and before.device != known.device:
        turn = requests.replaced(turn)
    missing = told.first - known.last - 1
    if missing > 0:
        turn = turn.tell(EventsMissing(missing))
        known = replace(known, last=told.first - 1, chain=b"", boot_id=0)
    known = replace(known, boot_count=told.boot_count)
    if proof is not None:
        known = replace(known, boot_count=proof.boot_count, security_counter=proof.security_counter)
    session = replace(turn.state.session, phase=Phase.ADMITTED, time_due_ns=turn.now_ns)
    state = replace(turn.state, known=known, session=session)
    state = replace(state, told=replace(state.told, refusal=""))
    if state.clock_boot_id != told.boot_id:
        state = replace(state, clock=Clock(), clock_boot_id=told.boot_id)
    turn = asked_time(turn.with_state(state))
    turn = turn.say_after_store(messages.hello_ack(session.number, known.last))
    return requests.resumed(turn, told.executed)


def asked_time(turn: Turn) -> Turn:
    """Ask for the device's clock when it is due; sooner while nothing is known of it."""
    session, settings = turn.state.session, turn.settings
    if turn.now_ns < session.time_due_ns:
        return turn
    asked = uptime_us(turn)
    pause_ns = settings.time_ns if turn.state.clock.exchanges else settings.ping_ns
    session = replace(session, time_asked=(asked, turn.now_ns), time_due_ns=turn.now_ns + pause_ns)
    return turn.with_session(session).say(messages.time_request(asked))
