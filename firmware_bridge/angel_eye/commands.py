"""Commands to the Angel Eye II-EX and what becomes of them.

Responsible for: the closed set of commands with their wire codes, and one exchange at a time:
one outstanding, the others queued, time-outs, busy answers, and the two readings of the BCC.
Not responsible for: frames, reports, and for whether a command is allowed (drivers).

Every command names a state wanted (locked, unlocked, error gone) or asks; doing one twice does
no harm, so a command without an answer is sent again.
Source: package README, "Angel Eye II-EX", commands.
"""

from types import MappingProxyType
from typing import TypeAlias, assert_never

from firmware_bridge.angel_eye.frames import BccReading, NakCode, encode_command
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Lock:
    """Lock the card exit."""


@dataclass(frozen=True, slots=True)
class Unlock:
    """Unlock the card exit."""


@dataclass(frozen=True, slots=True)
class ClearError:
    """Clear the error of that number, 0 to 99."""

    code: int

    def __post_init__(self) -> None:
        assert 0 <= self.code <= 99


@dataclass(frozen=True, slots=True)
class AskGameProcess:
    """Ask where in the game the shoe is."""


Command: TypeAlias = Lock | Unlock | ClearError | AskGameProcess


@dataclass(frozen=True, slots=True)
class CommandDone:
    command: Command


@dataclass(frozen=True, slots=True)
class CommandRefused:
    command: Command
    detail: str


@dataclass(frozen=True, slots=True)
class CommandTimedOut:
    command: Command
    detail: str


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The shoe's answer to a question, as it came."""

    data: bytes


CommandItem: TypeAlias = CommandDone | CommandRefused | CommandTimedOut | ReadReply


@dataclass(frozen=True, slots=True)
class Outstanding:
    """The command that waits: for an answer, or (`held_back`) for a busy shoe to be ready."""

    command: Command
    reading: BccReading
    deadline_ns: int
    held_back: bool = False
    resends: int = 0
    busy_resends: int = 0


@dataclass(frozen=True, slots=True)
class ExchangeState:
    """`reading` is the BCC reading in use: the configured one, or the one found to work."""

    reading: BccReading
    outstanding: Outstanding | None = None
    waiting: tuple[Command, ...] = ()


ExchangeOutput: TypeAlias = LinkOutput[CommandItem]
Exchanged: TypeAlias = tuple[ExchangeState, ExchangeOutput]

_OTHER_READING = MappingProxyType(
    {
        BccReading.STX_COUNTED: BccReading.STX_NOT_COUNTED,
        BccReading.STX_NOT_COUNTED: BccReading.STX_COUNTED,
    }
)

_NAK_MEANINGS = MappingProxyType(
    {
        NakCode.FRAMING: "framing or parity error",
        NakCode.BCC: "wrong BCC, in both readings",
        NakCode.NO_ETX: "no ETX",
        NakCode.LENGTH: "wrong length",
        NakCode.ADDRESS: "wrong address",
        NakCode.COMMAND: "unknown command",
        NakCode.TYPE: "unknown type",
        NakCode.BUSY: "busy",
        NakCode.WRITE_IN_PROGRESS: "a write is in progress",
        NakCode.OTHER: "another reason",
    }
)

_BUSY = (NakCode.BUSY, NakCode.WRITE_IN_PROGRESS)


def initial(settings: AngelEyeLinkSettings) -> ExchangeState:
    """No command was sent yet."""
    return ExchangeState(reading=settings.bcc_reading)


def send(
    settings: AngelEyeLinkSettings, state: ExchangeState, command: Command, at: Timestamp
) -> Exchanged:
    """Send now, or queue behind the one outstanding; refused when too many wait."""
    if state.outstanding is None:
        return _send_now(settings, state, command, at)
    if len(state.waiting) >= settings.commands_waiting_max:
        detail = f"{settings.commands_waiting_max} commands already wait for the shoe's answer"
        return state, LinkOutput(items=(CommandRefused(command, detail),))
    return replace(state, waiting=(*state.waiting, command)), LinkOutput()


def acknowledged(settings: AngelEyeLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """The shoe answered ACK."""
    outstanding = _awaited(state)
    if outstanding is None:
        return state, _unexpected("ACK")
    faults: tuple[LinkFault, ...] = ()
    if outstanding.reading is not state.reading:
        state = replace(state, reading=outstanding.reading)
        faults = (_other_reading_works(outstanding.reading),)
    done = CommandDone(outstanding.command)
    return _finish(settings, state, at, (*faults, done))


def refused(
    settings: AngelEyeLinkSettings, state: ExchangeState, code: NakCode, at: Timestamp
) -> Exchanged:
    """The shoe answered NAK: wait and try again, try the other reading, or give up."""
    outstanding = _awaited(state)
    if outstanding is None:
        return state, _unexpected(f"NAK {code:02X}")
    if code in _BUSY and outstanding.busy_resends < settings.busy_resends_max:
        held_back = replace(
            outstanding,
            held_back=True,
            busy_resends=outstanding.busy_resends + 1,
            deadline_ns=at.monotonic_ns + settings.busy_delay_ns,
        )
        return replace(state, outstanding=held_back), LinkOutput()
    if code is NakCode.BCC and outstanding.reading is state.reading:
        other = replace(outstanding, reading=_OTHER_READING[state.reading])
        return _write(settings, state, other, at)
    detail = f"the shoe refused {_name(outstanding.command)}: {_NAK_MEANINGS[code]} ({code:02X})"
    fault = LinkFault(LinkFaultKind.COMMAND_REFUSED, detail)
    return _finish(settings, state, at, (fault, CommandRefused(outstanding.command, detail)))


def replied(
    settings: AngelEyeLinkSettings, state: ExchangeState, data: bytes, at: Timestamp
) -> Exchanged:
    """The shoe sent a read reply; it also answers a question that is outstanding."""
    outstanding = _awaited(state)
    reply = ReadReply(data)
    if outstanding is None or not isinstance(outstanding.command, AskGameProcess):
        return state, LinkOutput(items=(reply,))
    return _finish(settings, state, at, (reply, CommandDone(outstanding.command)))


def tick(settings: AngelEyeLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """Send again what was held back or had no answer; give up in the end."""
    outstanding = state.outstanding
    if outstanding is None or at.monotonic_ns < outstanding.deadline_ns:
        return state, LinkOutput()
    if outstanding.held_back:
        return _write(settings, state, replace(outstanding, held_back=False), at)
    if outstanding.resends < settings.command_resends_max:
        again = replace(outstanding, resends=outstanding.resends + 1)
        return _write(settings, state, again, at)
    sent = outstanding.resends + 1
    detail = f"the shoe did not answer {_name(outstanding.command)}, sent {sent} times"
    fault = LinkFault(LinkFaultKind.COMMAND_TIMEOUT, detail)
    return _finish(settings, state, at, (fault, CommandTimedOut(outstanding.command, detail)))


def dropped(state: ExchangeState, detail: str) -> Exchanged:
    """The port is gone or new: no answer will come, and nothing is sent from memory."""
    outstanding = () if state.outstanding is None else (state.outstanding.command,)
    items = tuple(CommandTimedOut(command, detail) for command in (*outstanding, *state.waiting))
    return ExchangeState(reading=state.reading), LinkOutput(items=items)


def _name(command: Command) -> str:
    """The command in a technician's words."""
    match command:
        case Lock():
            return "lock (LK 02)"
        case Unlock():
            return "unlock (LK 01)"
        case ClearError(code):
            return f"clear error (EC {code:02d})"
        case AskGameProcess():
            return "ask for the game process (GP 00)"
        case _:
            assert_never(command)


def encode(command: Command, reading: BccReading) -> bytes:
    """The command's frame."""
    match command:
        case Lock():
            return encode_command("LK", "02", reading)
        case Unlock():
            return encode_command("LK", "01", reading)
        case ClearError(code):
            return encode_command("EC", f"{code:02d}", reading)
        case AskGameProcess():
            return encode_command("GP", "00", reading)
        case _:
            assert_never(command)


def _awaited(state: ExchangeState) -> Outstanding | None:
    """The command an answer can belong to: one held back was answered already."""
    outstanding = state.outstanding
    return None if outstanding is None or outstanding.held_back else outstanding


def _send_now(
    settings: AngelEyeLinkSettings, state: ExchangeState, command: Command, at: Timestamp
) -> Exchanged:
    return _write(settings, state, Outstanding(command, state.reading, at.monotonic_ns), at)


def _write(
    settings: AngelEyeLinkSettings, state: ExchangeState, outstanding: Outstanding, at: Timestamp
) -> Exchanged:
    deadline_ns = at.monotonic_ns + settings.command_timeout_ns
    state = replace(state, outstanding=replace(outstanding, deadline_ns=deadline_ns))
    return state, LinkOutput(to_write=(encode(outstanding.command, outstanding.reading),))


def _finish(
    settings: AngelEyeLinkSettings,
    state: ExchangeState,
    at: Timestamp,
    items: tuple[CommandItem | LinkFault, ...],
) -> Exchanged:
    """The outstanding command is over; the next one waiting is sent."""
    state = replace(state, outstanding=None)
    if not state.waiting:
        return state, LinkOutput(items=items)
    command, *waiting = state.waiting
    state, output = _send_now(settings, replace(state, waiting=tuple(waiting)), command, at)
    return state, LinkOutput(items=(*items, *output.items), to_write=output.to_write)


def _unexpected(answer: str) -> ExchangeOutput:
    detail = f"the shoe answered {answer} and no command waits for an answer"
    return LinkOutput(items=(LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),))


def _other_reading_works(reading: BccReading) -> LinkFault:
    detail = f'the shoe takes the other reading of the BCC: set bcc_reading = "{reading}"'
    return LinkFault(LinkFaultKind.CHECKSUM_READING, detail)
