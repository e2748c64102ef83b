"""Events of an admitted device: each once, in order, acknowledged when they are stored.

Source: firmware_bridge/tablelink/README.md, events.
"""

import hashlib
from typing import Final

from msgspec.structs import replace

from firmware_bridge import attestation
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies, clock, event_bodies, messages
from firmware_bridge.tablelink.bodies import Checkpoint
from firmware_bridge.tablelink.fields import FieldMismatch
from firmware_bridge.tablelink.items import EventsMissing, TableLinkEvent
from firmware_bridge.tablelink.link_call import LinkCall
from firmware_bridge.tablelink.messages import EventMessage
from firmware_bridge.tablelink.state import UNKNOWN_CHAIN, EventGap, KnownDevice
from foundation.message import Message, message

_POWER_UP: Final = 14
_OVERFLOW: Final = 16
_CHECKPOINT_KIND: Final = 19
# OVERFLOW if there was no room for POWER_UP.
_FIRST_OF_A_BOOT: Final = (_POWER_UP, _OVERFLOW)
_UNCHAINED: Final = LinkFaultKind.CONTINUITY_UNPROVEN


def handle_event(call: LinkCall, event: EventMessage) -> LinkCall:
    """Accept the next event; acknowledge a repeat again, request missing ones."""
    known = call.state.known
    assert known is not None, "events are accepted from an admitted device only"
    call = call.with_session(replace(call.state.session, buffered_since_ns=None))
    if event.number > known.last + 1:
        return _request_missing(call, known.last + 1)
    call = replace(call, ack_due=True)
    if event.number <= known.last:
        return _check_repeat(call, event, known)
    if known.boot_id not in (0, event.boot_id) and event.kind not in _FIRST_OF_A_BOOT:
        # Its memory was rolled back, and later events reuse the numbers of stored ones.
        call = call.emit(EventsMissing(0))
    call = _emit_event(call, event, known)
    # After OVERFLOW there may have been no room for later events, including POWER_UP.
    boot_id = 0 if event.kind == _OVERFLOW else event.boot_id
    # A device that had a chain does not lose it: events without one stay unproven.
    chain = event.chain or known.chain
    after = replace(known, last=event.number, chain=chain, boot_id=boot_id)
    call = call.with_known(after)
    return call.with_session(
        replace(call.state.session, gap=None, events_flowing=True, reported_fault=None)
    )


def acknowledge(call: LinkCall) -> LinkCall:
    """Send one ACK for all events of a call, once they are stored."""
    known = call.state.known
    if not call.ack_due or known is None:
        return call
    return replace(call.send_after_store(messages.ack(known.last)), ack_due=False)


def check_withheld_events(call: LinkCall, buffered: int) -> tuple[LinkCall, bool]:
    """Note the buffered events in a PING; return whether a new session is needed.

    If the device withholds events for too long, it may have received a late HELLO of an earlier
    session.
    """
    session, now_ns = call.state.session, call.now_ns
    since_ns = None
    if buffered:
        since_ns = now_ns if session.buffered_since_ns is None else session.buffered_since_ns
    call = call.with_session(replace(session, buffered_since_ns=since_ns))
    return call, since_ns is not None and now_ns - since_ns >= call.settings.lost_ns


def is_gap_overdue(call: LinkCall) -> bool:
    """Whether an event has been missing for so long that a new session is needed."""
    gap = call.state.session.gap
    return gap is not None and call.now_ns - gap.since_ns >= call.settings.lost_ns


def _check_repeat(call: LinkCall, event: EventMessage, known: KnownDevice) -> LinkCall:
    """A repeat of the last event has its chain value; another one stood in the place of this."""
    other = event.number == known.last and event.chain != known.chain
    if not other or known.chain in (b"", UNKNOWN_CHAIN):
        return call
    detail = message("event_repeated_otherwise", number=event.number)
    if call.state.session.reported_fault == detail:
        return call
    call = call.with_session(replace(call.state.session, reported_fault=detail))
    return _emit_unproven(call, detail)


def _emit_unproven(call: LinkCall, detail: Message) -> LinkCall:
    """Report that the device's chain does not prove its events: some of them may be others."""
    return call.emit(LinkFault(_UNCHAINED, detail), EventsMissing(0))


def _request_missing(call: LinkCall, wanted: int) -> LinkCall:
    session, now_ns = call.state.session, call.now_ns
    gap = session.gap
    if gap is not None and gap.wanted == wanted and now_ns < gap.retry_due_ns:
        return call
    since_ns = gap.since_ns if gap is not None and gap.wanted == wanted else now_ns
    gap = EventGap(wanted, now_ns + call.settings.nak_ns, since_ns)
    return call.with_session(replace(session, gap=gap)).send_now(messages.nak(wanted))


def _emit_event(call: LinkCall, event: EventMessage, known: KnownDevice) -> LinkCall:
    """Emit the event, or a fault if it is malformed; report breaks in the device's chain."""
    problem = chain_problem(known.chain, event)
    if problem is not None:
        call = _emit_unproven(call, message("event_unchained", number=event.number, why=problem))
    pin = call.settings.trust.pin
    key = b"" if pin is None else pin.key
    if key and is_checkpoint_missing(event):
        call = _emit_unproven(call, message("checkpoint_missing", number=event.number))
    try:
        body = event_bodies.parse_body(event.kind, event.body, key)
    except FieldMismatch as mismatch:
        detail = message("event_malformed", number=event.number, kind=event.kind, why=mismatch.why)
        return call.emit(LinkFault(LinkFaultKind.MALFORMED, detail))
    if isinstance(body, bodies.Checkpoint):
        problem = checkpoint_problem(known.chain, event, body, key)
        if problem is not None:
            call = _emit_unproven(
                call, message("checkpoint_invalid", number=event.number, why=problem)
            )
    utc_ns, uncertainty_ns = _event_time(call, event)
    return call.emit(
        TableLinkEvent(event.number, event.boot_id, event.device_us, body, utc_ns, uncertainty_ns)
    )


def _event_time(call: LinkCall, event: EventMessage) -> tuple[int | None, int | None]:
    if event.boot_id != call.state.clock_boot_id:
        return None, None
    host_time = clock.host_time(call.state.clock, event.device_us)
    if host_time is None:
        return None, None
    utc_ns = call.at.utc_ns + host_time.host_ns - call.now_ns
    return (utc_ns, host_time.uncertainty_ns) if utc_ns >= 0 else (None, None)


CHAIN_BYTES: Final = 16
CHECKPOINT_EVERY: Final = 64
_BEGINNING: Final = bytes(CHAIN_BYTES)
_CHECKPOINT: Final = b"TableLink/1 checkpoint"
_NUMBER_BYTES: Final = 8


def chain_problem(before: bytes, event: EventMessage) -> Message | None:
    """Why the event does not follow chain value `before`; None if it does, or none is kept."""
    if not event.chain:
        return message("chain_value_missing") if before else None
    before = _BEGINNING if event.number == 1 else before
    if before in (b"", UNKNOWN_CHAIN):
        return None
    if hashlib.sha256(before + event.unchained).digest()[:CHAIN_BYTES] != event.chain:
        return message("chain_does_not_follow")
    return None


def is_checkpoint_missing(event: EventMessage) -> bool:
    """Whether a signed checkpoint is due in this place of a chain, and it is none."""
    due = event.number > 1 and event.number % CHECKPOINT_EVERY == 1 and bool(event.chain)
    return due and event.kind not in (_CHECKPOINT_KIND, _OVERFLOW)


def checkpoint_problem(
    before: bytes, event: EventMessage, checkpoint: Checkpoint, key: bytes
) -> Message | None:
    """Why a checkpoint is not valid; None if it is, or if no key is pinned."""
    if checkpoint.number >= event.number:
        return message("checkpoint_covers_later_events")
    if checkpoint.number < event.number - 1:
        return message("checkpoint_covers_fewer_events")
    if before not in (b"", UNKNOWN_CHAIN) and checkpoint.chain != before:
        return message("checkpoint_chain_differs")
    number = checkpoint.number.to_bytes(_NUMBER_BYTES, "little")
    if key and not attestation.is_valid_signature(
        key, checkpoint.signature, _CHECKPOINT + number + checkpoint.chain
    ):
        return message("checkpoint_signature_wrong")
    return None
