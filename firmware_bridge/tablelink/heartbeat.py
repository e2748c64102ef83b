"""Whether the device is there, and still the same boot of it.

Responsible for: silence and its end, PING where nothing else is said, how full the device's memory
is, and the suspicion that it rebooted unseen.
Not responsible for: what is done about a lost or rebooted device (link).
Source: package README, "TableLink/1", time and heartbeat.
"""

from typing import Final

from firmware_bridge.tablelink import messages
from firmware_bridge.tablelink.items import HeardAgain, RingFilling, Silent
from firmware_bridge.tablelink.messages import Ping
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import Phase, Silence, TableLinkState
from firmware_bridge.tablelink.turn import Turn
from firmware_bridge.values import replace

_MS: Final = 1_000_000
# A device that falls behind this machine's clock by more has stood still or begun anew.
_BEHIND_NS_MAX: Final = 500 * _MS
_EIGHTHS: Final = 8
_FILL_TOLD_FROM: Final = 4


def heard(turn: Turn) -> Turn:
    """A good frame came."""
    pulse = turn.state.pulse
    if pulse.silence is not Silence.NONE:
        turn = turn.tell(HeardAgain())
    return turn.with_pulse(replace(pulse, heard_ns=turn.now_ns, silence=Silence.NONE))


def silence(turn: Turn) -> Turn:
    """What is to be told of a device that is not heard."""
    pulse = turn.state.pulse
    silent_ns = turn.now_ns - pulse.heard_ns
    due = Silence.NONE
    if silent_ns >= turn.settings.lost_ns:
        due = Silence.LOST
    elif silent_ns >= turn.settings.suspect_ns:
        due = Silence.SUSPECT
    if due is Silence.NONE or pulse.silence in (due, Silence.LOST):
        return turn
    turn = turn.tell(Silent(silent_ns // _MS, lost=due is Silence.LOST))
    return turn.with_pulse(replace(pulse, silence=due))


def ping(turn: Turn) -> Turn:
    """Something to hear for a device to which nothing else was said."""
    if turn.now_ns < turn.state.pulse.sent_ns + turn.settings.ping_ns:
        return turn
    return turn.say(messages.ping(uptime_us(turn)))


def uptime_us(turn: Turn) -> int:
    """This machine's uptime as the wire has it."""
    return max(turn.now_ns, 0) // 1_000


def rebooted(turn: Turn, device_us: int) -> tuple[Turn, bool]:
    """Whether the device's uptime can no longer be that of the boot this session began with."""
    pulse = turn.state.pulse
    lag_ns = turn.now_ns - device_us * 1_000
    if pulse.lag_ns is None:
        return turn.with_pulse(replace(pulse, uptime_us=device_us, lag_ns=lag_ns)), False
    # A slow quartz falls behind, too, by less than one part in a thousand.
    allowed_ns = pulse.lag_ns + max(device_us - pulse.uptime_us, 0)
    if device_us < pulse.uptime_us or lag_ns > allowed_ns + _BEHIND_NS_MAX:
        return turn, True
    pulse = replace(pulse, uptime_us=device_us, lag_ns=min(lag_ns, allowed_ns))
    return turn.with_pulse(pulse), False


def filling(turn: Turn, told: Ping) -> Turn:
    """How full the device's memory is, from half of it on and by eighths."""
    hello = turn.state.session.hello
    capacity = 0 if hello is None else hello.capacity
    eighths = min(told.kept * _EIGHTHS // capacity, _EIGHTHS) if capacity else 0
    eighths = eighths if eighths >= _FILL_TOLD_FROM else 0
    before = turn.state.told
    if (eighths, told.gate_closed) == (before.fill_eighths, before.gate_closed):
        return turn
    turn = turn.with_told(replace(before, fill_eighths=eighths, gate_closed=told.gate_closed))
    return turn.tell(RingFilling(told.kept, capacity, told.gate_closed))


def deadlines_ns(settings: TableLinkSettings, state: TableLinkState) -> tuple[int, ...]:
    """When something is due of an open link."""
    pulse = state.pulse
    dues: tuple[int, ...] = ()
    match pulse.silence:
        case Silence.NONE:
            dues = (pulse.heard_ns + settings.suspect_ns,)
        case Silence.SUSPECT:
            dues = (pulse.heard_ns + settings.lost_ns,)
        case Silence.LOST:
            pass
    if state.session.phase is Phase.ADMITTED:
        dues = (*dues, pulse.sent_ns + settings.ping_ns)
    return dues
