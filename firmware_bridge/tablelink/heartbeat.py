"""Detects silence and unseen reboots of the device, sends PING, reports how full its memory is.

Source: firmware_bridge/tablelink/README.md, time and heartbeat.
"""

from typing import Final

from msgspec.structs import replace

from firmware_bridge.tablelink import messages
from firmware_bridge.tablelink.items import DeviceSilence, RingFillLevel, SilenceEnded
from firmware_bridge.tablelink.link_call import LinkCall
from firmware_bridge.tablelink.messages import Ping
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import LinkPhase, SilenceLevel, TableLinkState

_MS: Final = 1_000_000
# A device that falls further behind this machine's clock has stopped or rebooted.
_BEHIND_NS_MAX: Final = 500 * _MS
_EIGHTHS: Final = 8
_FILL_REPORTED_FROM: Final = 4


def record_contact(call: LinkCall) -> LinkCall:
    """Record that a good frame was received; report the end of silence."""
    heartbeat = call.state.heartbeat
    if heartbeat.silence is not SilenceLevel.NONE:
        call = call.emit(SilenceEnded())
    return call.with_heartbeat(
        replace(heartbeat, last_received_ns=call.now_ns, silence=SilenceLevel.NONE)
    )


def check_silence(call: LinkCall) -> LinkCall:
    """Report a silent device: first as suspect, then as lost."""
    heartbeat = call.state.heartbeat
    silent_ns = call.now_ns - heartbeat.last_received_ns
    due = SilenceLevel.NONE
    if silent_ns >= call.settings.lost_ns:
        due = SilenceLevel.LOST
    elif silent_ns >= call.settings.suspect_ns:
        due = SilenceLevel.SUSPECT
    if due is SilenceLevel.NONE or heartbeat.silence in (due, SilenceLevel.LOST):
        return call
    call = call.emit(DeviceSilence(silent_ns // _MS, lost=due is SilenceLevel.LOST))
    return call.with_heartbeat(replace(heartbeat, silence=due))


def ping_if_idle(call: LinkCall) -> LinkCall:
    """Send PING if nothing else was sent for a time."""
    if call.now_ns < call.state.heartbeat.sent_ns + call.settings.ping_ns:
        return call
    return call.send_now(messages.ping(uptime_us(call)))


def uptime_us(call: LinkCall) -> int:
    """This machine's uptime in microseconds."""
    return max(call.now_ns, 0) // 1_000


def check_reboot(call: LinkCall, device_us: int) -> tuple[LinkCall, bool]:
    """Whether the device's uptime proves a reboot since the session began."""
    heartbeat = call.state.heartbeat
    lag_ns = call.now_ns - device_us * 1_000
    if heartbeat.lag_ns is None:
        return call.with_heartbeat(replace(heartbeat, uptime_us=device_us, lag_ns=lag_ns)), False
    # A slow quartz also falls behind, by less than one part in a thousand.
    allowed_ns = heartbeat.lag_ns + max(device_us - heartbeat.uptime_us, 0)
    if device_us < heartbeat.uptime_us or lag_ns > allowed_ns + _BEHIND_NS_MAX:
        return call, True
    heartbeat = replace(heartbeat, uptime_us=device_us, lag_ns=min(lag_ns, allowed_ns))
    return call.with_heartbeat(heartbeat), False


def report_fill_level(call: LinkCall, ping: Ping) -> LinkCall:
    """Report the device's fill level in eighths, from one half on, when it changes."""
    hello = call.state.session.hello
    capacity = 0 if hello is None else hello.capacity
    eighths = min(ping.buffered * _EIGHTHS // capacity, _EIGHTHS) if capacity else 0
    eighths = eighths if eighths >= _FILL_REPORTED_FROM else 0
    before = call.state.reported
    if (eighths, ping.gate_closed) == (before.fill_eighths, before.gate_closed):
        return call
    call = call.with_reported(replace(before, fill_eighths=eighths, gate_closed=ping.gate_closed))
    return call.emit(RingFillLevel(ping.buffered, capacity, ping.gate_closed))


def deadlines_ns(settings: TableLinkSettings, state: TableLinkState) -> tuple[int, ...]:
    """Deadlines of silence and PING on an open link."""
    heartbeat = state.heartbeat
    deadlines: tuple[int, ...] = ()
    match heartbeat.silence:
        case SilenceLevel.NONE:
            deadlines = (heartbeat.last_received_ns + settings.suspect_ns,)
        case SilenceLevel.SUSPECT:
            deadlines = (heartbeat.last_received_ns + settings.lost_ns,)
        case SilenceLevel.LOST:
            pass
    if state.session.phase is LinkPhase.ADMITTED:
        deadlines = (*deadlines, heartbeat.sent_ns + settings.ping_ns)
    return deadlines
