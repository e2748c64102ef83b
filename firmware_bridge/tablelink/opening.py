"""Opening a session: HELLO, proof of identity, admission or refusal, first event number.

Source: firmware_bridge/tablelink/README.md, opening, identity.
"""

from typing import Final

from msgspec.structs import replace

from firmware_bridge import attestation
from firmware_bridge.attestation import Attestation, Untrusted
from firmware_bridge.tablelink import messages, requests
from firmware_bridge.tablelink.clock import DeviceClock
from firmware_bridge.tablelink.fields import FieldMismatch, decode_fields
from firmware_bridge.tablelink.heartbeat import uptime_us
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceHello,
    DeviceNotAdmitted,
    EventsMissing,
)
from firmware_bridge.tablelink.link_call import LinkCall
from firmware_bridge.tablelink.messages import AttestationResponse, Hello
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.tablelink.state import UNKNOWN_CHAIN, KnownDevice, LinkPhase, Session
from foundation.message import Message, message

_SESSION_BYTES: Final = 4
_NONCE_BYTES: Final = 32

_NO_TRUST: Final = message("no_device_paired_with_port")
_NO_IDENTITY: Final = message("device_has_no_identity")
_LOST_IDENTITY: Final = message("paired_device_lost_identity")
_NO_PROOF: Final = message("device_does_not_prove_identity")
_CONTRADICTION: Final = message("hello_contradicts_itself")


def start_session(call: LinkCall) -> LinkCall:
    """Send HELLO with a new session number."""
    call, random = call.draw_random()
    number = int.from_bytes(random[:_SESSION_BYTES], "little") or 1
    retry_due_ns = call.now_ns + call.settings.hello_ns
    call = call.with_session(Session(LinkPhase.ASKING, number, retry_due_ns=retry_due_ns))
    call = call.with_heartbeat(replace(call.state.heartbeat, uptime_us=0, lag_ns=None))
    return call.send_now(messages.hello(number))


def handle_deadline(call: LinkCall) -> LinkCall:
    """Repeat or give up the request of this phase."""
    session = call.state.session
    if call.now_ns < session.retry_due_ns:
        return call
    again = replace(session, retry_due_ns=call.now_ns + call.settings.hello_ns)
    match session.phase:
        case LinkPhase.ASKING:
            return call.with_session(again).send_now(messages.hello(session.number))
        case LinkPhase.PROVING if call.now_ns >= session.give_up_ns:
            return _refuse(call, Untrusted(_NO_PROOF))
        case LinkPhase.PROVING:
            return call.with_session(again).send_now(messages.attest_request(session.nonce))
        case LinkPhase.REFUSED:
            return start_session(call)
        case _:
            return call


def handle_hello(call: LinkCall, hello: Hello) -> LinkCall:
    """Handle the device's HELLO, solicited or not."""
    session = call.state.session
    if hello.session not in (0, session.number):
        return call
    if session.hello is not None and session.hello.boot_id != hello.boot_id:
        return start_session(call)
    if session.phase is not LinkPhase.ASKING:
        return call
    if not hello.session:
        retry_due_ns = call.now_ns + call.settings.hello_ns
        call = call.with_session(replace(session, retry_due_ns=retry_due_ns))
        return call.send_now(messages.hello(session.number))
    device_hello = DeviceHello(
        hello.device, hello.boot_id, hello.boot_count, hello.firmware, hello.debug
    )
    if device_hello != call.state.reported.hello:
        call = call.emit(device_hello).with_reported(
            replace(call.state.reported, hello=device_hello)
        )
    call = call.with_session(replace(session, hello=hello))
    refusal = _refusal(call, hello)
    if refusal is not None:
        return _refuse(call, refusal)
    return _request_proof(call)


def handle_attestation(call: LinkCall, response: AttestationResponse) -> LinkCall:
    """Handle the device's attestation, or its statement that it has no identity."""
    session = call.state.session
    if session.phase is not LinkPhase.PROVING or session.hello is None:
        return call
    known = _known_device(call, session.hello)
    if not response.cose_sign1:
        trust = call.settings.trust
        if trust.pin is not None:
            return _refuse(call, Untrusted(_LOST_IDENTITY))
        if not trust.bare:
            return _refuse(call, Untrusted(_NO_IDENTITY))
        return _check_counters(call, session.hello, known, None)
    if _is_stale(response.cose_sign1, session.nonce):
        return call
    verdict = _verify_attestation(call, response.cose_sign1, session, known)
    if isinstance(verdict, Attestation):
        return _check_counters(call, session.hello, known, verdict)
    if verdict.rolled_back:
        # Older firmware can be updated; a memory that was rolled back cannot.
        without_boot_count = _verify_attestation(
            call, response.cose_sign1, session, replace(known, boot_count=0)
        )
        if isinstance(without_boot_count, Attestation) or not without_boot_count.rolled_back:
            return _refuse_rolled_back(call, known, verdict.why)
    return _refuse(call, verdict)


def _request_proof(call: LinkCall) -> LinkCall:
    call, nonce = call.draw_random()
    settings, now_ns = call.settings, call.now_ns
    session = replace(
        call.state.session,
        phase=LinkPhase.PROVING,
        nonce=nonce[:_NONCE_BYTES],
        retry_due_ns=now_ns + settings.hello_ns,
        give_up_ns=now_ns + settings.lost_ns,
    )
    return call.with_session(session).send_now(messages.attest_request(session.nonce))


def _known_device(call: LinkCall, hello: Hello) -> KnownDevice:
    """What is known of this device since pairing; for a new one, where counting begins."""
    pin, known = call.settings.trust.pin, call.state.known
    device, pairing = (hello.device, "") if pin is None else (pin.device, pin.pairing)
    if known is not None and (known.device, known.pairing) == (device, pairing):
        return known
    first = hello.first if pin is None else pin.first_event
    return KnownDevice(device, pairing, first - 1, boot_count=0, security_counter=0)


def _refusal(call: LinkCall, hello: Hello) -> Untrusted | None:
    """Why no proof is requested; None if it is."""
    trust, role = call.settings.trust, call.settings.role
    known = _known_device(call, hello)
    if hello.role != role:
        other = DeviceRole(hello.role).name.lower() if hello.role in tuple(DeviceRole) else "other"
        return Untrusted(message("port_is_for_role", role=role.name.lower(), other=other))
    if not 1 <= hello.first <= hello.following:
        return Untrusted(_CONTRADICTION)
    if trust.pin is None and not trust.bare:
        return Untrusted(_NO_TRUST)
    if trust.pin is not None and hello.device != trust.pin.device:
        shown, paired = hello.device.hex(), trust.pin.device.hex()
        return Untrusted(message("device_not_paired_with_port", device=shown, paired=paired))
    return None if known.rolled_back is None else Untrusted(known.rolled_back, rolled_back=True)


def _check_counters(
    call: LinkCall, hello: Hello, known: KnownDevice, proof: Attestation | None
) -> LinkCall:
    """Admit the identified device unless its counters are lower than the known ones."""
    reason: Message | None = None
    if hello.boot_count < known.boot_count:
        reason = message("boots_below_known", boots=hello.boot_count, known=known.boot_count)
    elif known.last >= hello.following:
        reason = message("next_event_is_stored", following=hello.following, last=known.last)
    elif _is_boot_unrecorded(hello, known):
        reason = message("boot_not_recorded", last=known.last)
    if reason is None:
        return _admit(call, hello, proof)
    reason = message("rolled_back", why=reason)
    return (
        _refuse(call, Untrusted(reason, rolled_back=True))
        if proof is None
        else _refuse_rolled_back(call, known, reason)
    )


def _is_boot_unrecorded(hello: Hello, known: KnownDevice) -> bool:
    """Whether the device booted without recording POWER_UP; after OVERFLOW it may have no room."""
    booted = 0 < known.boot_count < hello.boot_count
    return booted and known.boot_id != 0 and hello.following == known.last + 1


def _refuse_rolled_back(call: LinkCall, known: KnownDevice, reason: Message) -> LinkCall:
    """Refuse a device that proved its identity and has an older memory until it is paired again.

    With time its event numbers would pass the stored ones and name other events. An unproved
    identity does not count: anybody could then lock out the true device.
    """
    call = call.with_known(replace(known, rolled_back=reason))
    return _refuse(call, Untrusted(reason, rolled_back=True))


def _is_stale(cose_sign1: bytes, nonce: bytes) -> bool:
    """Whether this attestation answers an earlier request."""
    payload = attestation.unverified_payload(cose_sign1)
    if payload is None:
        return False
    try:
        return decode_fields(payload).octets(1, _NONCE_BYTES) != nonce
    except FieldMismatch:
        return False


def _verify_attestation(
    call: LinkCall, cose_sign1: bytes, session: Session, known: KnownDevice
) -> Attestation | Untrusted:
    assert session.hello is not None
    return attestation.verify_attestation(
        call.settings.trust,
        cose_sign1,
        nonce=session.nonce,
        device=session.hello.device,
        boot_id=session.hello.boot_id,
        boot_count_min=known.boot_count,
        security_counter_min=known.security_counter,
    )


def _refuse(call: LinkCall, refusal: Untrusted) -> LinkCall:
    session = call.state.session
    device = b"" if session.hello is None else session.hello.device
    if refusal.why != call.state.reported.refusal:
        call = call.emit(DeviceNotAdmitted(device, refusal.why, refusal.rolled_back))
        call = call.with_reported(replace(call.state.reported, refusal=refusal.why))
    retry_due_ns = call.now_ns + call.settings.refused_ns
    return call.with_session(replace(session, phase=LinkPhase.REFUSED, retry_due_ns=retry_due_ns))


def _admit(call: LinkCall, hello: Hello, proof: Attestation | None) -> LinkCall:
    known = _known_device(call, hello)
    before = call.state.known
    call = call.emit(DeviceAdmitted(hello.device, proof))
    if before is not None and before.device != known.device:
        call = requests.handle_other_device(call)
    missing = hello.first - known.last - 1
    if missing > 0:
        call = call.emit(EventsMissing(missing))
        chain = UNKNOWN_CHAIN if known.chain else b""
        known = replace(known, last=hello.first - 1, chain=chain, boot_id=0)
    known = replace(known, boot_count=hello.boot_count)
    if proof is not None:
        known = replace(known, boot_count=proof.boot_count, security_counter=proof.security_counter)
        if proof.chained and not known.chain:
            known = replace(known, chain=UNKNOWN_CHAIN)
    session = replace(call.state.session, phase=LinkPhase.ADMITTED, time_due_ns=call.now_ns)
    state = replace(call.state, known=known, session=session)
    state = replace(state, reported=replace(state.reported, refusal=None))
    if state.clock_boot_id != hello.boot_id:
        state = replace(state, clock=DeviceClock(), clock_boot_id=hello.boot_id)
    call = request_time(call.with_state(state))
    call = call.send_after_store(messages.hello_ack(session.number, known.last))
    return requests.resume(call, hello.executed)


def request_time(call: LinkCall) -> LinkCall:
    """Send a time request when it is due; sooner while nothing is known of the clock."""
    session, settings = call.state.session, call.settings
    if call.now_ns < session.time_due_ns:
        return call
    request_us = uptime_us(call)
    pause_ns = settings.time_ns if call.state.clock.exchanges else settings.ping_ns
    session = replace(
        session, pending_time_request=(request_us, call.now_ns), time_due_ns=call.now_ns + pause_ns
    )
    return call.with_session(session).send_now(messages.time_request(request_us))
