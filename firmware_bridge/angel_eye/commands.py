"""Commands to the Angel Eye II-EX: one outstanding at a time, with queue, timeouts and retries.

Every command names a wanted state (locked, unlocked, error cleared) or is a query; executing one
twice does no harm, so a command without an answer is sent again.
Not: whether a command is allowed (drivers).
Source: firmware_bridge/angel_eye/README.md, commands.
"""

from types import MappingProxyType
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.angel_eye.frames import BccReading, NakCode, encode_command
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from foundation.message import Message, message
from foundation.timestamp import Timestamp


class LockCommand(Struct, frozen=True, tag="lock-command"):
    """Lock the card exit."""


class UnlockCommand(Struct, frozen=True, tag="unlock-command"):
    """Unlock the card exit."""


class ClearErrorCommand(Struct, frozen=True, tag="clear-error-command"):
    """Clear the error with this number, 0 to 99."""

    code: int

    def __post_init__(self) -> None:
        assert 0 <= self.code <= 99


class GameProcessQuery(Struct, frozen=True, tag="game-process-query"):
    """Ask in which phase of the game the shoe is."""


AngelEyeCommand: TypeAlias = LockCommand | UnlockCommand | ClearErrorCommand | GameProcessQuery


class CommandDone(Struct, frozen=True):
    command: AngelEyeCommand


class CommandRefused(Struct, frozen=True):
    command: AngelEyeCommand
    detail: Message


class CommandTimedOut(Struct, frozen=True):
    command: AngelEyeCommand
    detail: Message


class ReadReply(Struct, frozen=True):
    """The shoe's answer to a query, unparsed."""

    data: bytes


CommandItem: TypeAlias = CommandDone | CommandRefused | CommandTimedOut | ReadReply


class OutstandingCommand(Struct, frozen=True):
    """The command that waits for an answer or, `held_back`, for a busy shoe to be ready."""

    command: AngelEyeCommand
    reading: BccReading
    deadline_ns: int
    held_back: bool = False
    resends: int = 0
    busy_resends: int = 0


class CommandExchange(Struct, frozen=True):
    """`reading` is the BCC reading in use: the configured one, or the other one if that worked."""

    reading: BccReading
    outstanding: OutstandingCommand | None = None
    waiting: tuple[AngelEyeCommand, ...] = ()


CommandOutput: TypeAlias = LinkOutput[CommandItem]
CommandExchangeResult: TypeAlias = tuple[CommandExchange, CommandOutput]

_OTHER_READING = MappingProxyType(
    {
        BccReading.STX_COUNTED: BccReading.STX_NOT_COUNTED,
        BccReading.STX_NOT_COUNTED: BccReading.STX_COUNTED,
    }
)

_NAK_MEANINGS = MappingProxyType(
    {
        NakCode.FRAMING: message("framing_or_parity_error"),
        NakCode.BCC: message("wrong_bcc_in_both_readings"),
        NakCode.NO_ETX: message("no_etx"),
        NakCode.LENGTH: message("wrong_length"),
        NakCode.ADDRESS: message("wrong_address"),
        NakCode.COMMAND: message("unknown_command"),
        NakCode.TYPE: message("unknown_type"),
        NakCode.BUSY: message("shoe_busy"),
        NakCode.WRITE_IN_PROGRESS: message("write_in_progress"),
        NakCode.OTHER: message("another_reason"),
    }
)

_BUSY = (NakCode.BUSY, NakCode.WRITE_IN_PROGRESS)


def initial(settings: AngelEyeLinkSettings) -> CommandExchange:
    """The state before any command was sent."""
    return CommandExchange(reading=settings.bcc_reading)


def send(
    settings: AngelEyeLinkSettings, state: CommandExchange, command: AngelEyeCommand, at: Timestamp
) -> CommandExchangeResult:
    """Send now, or queue behind the outstanding command; refused when too many wait."""
    if state.outstanding is None:
        return _send_now(settings, state, command, at)
    if len(state.waiting) >= settings.commands_waiting_max:
        detail = message("commands_wait_for_shoe", most=settings.commands_waiting_max)
        return state, LinkOutput(items=(CommandRefused(command, detail),))
    return replace(state, waiting=(*state.waiting, command)), LinkOutput()


def handle_ack(
    settings: AngelEyeLinkSettings, state: CommandExchange, at: Timestamp
) -> CommandExchangeResult:
    """Handle ACK: the outstanding command is done."""
    outstanding = _sent_command(state)
    if outstanding is None:
        return state, _unexpected_answer(message("ack"))
    faults: tuple[LinkFault, ...] = ()
    if outstanding.reading is not state.reading:
        state = replace(state, reading=outstanding.reading)
        faults = (_wrong_bcc_reading(outstanding.reading),)
    done = CommandDone(outstanding.command)
    return _finish(settings, state, at, (*faults, done))


def handle_nak(
    settings: AngelEyeLinkSettings, state: CommandExchange, code: NakCode, at: Timestamp
) -> CommandExchangeResult:
    """Handle NAK: wait and retry, try the other BCC reading, or give up."""
    outstanding = _sent_command(state)
    if outstanding is None:
        return state, _unexpected_answer(message("nak", code=f"{code:02X}"))
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
    detail = message(
        "shoe_refused_command",
        command=_name(outstanding.command),
        why=_NAK_MEANINGS[code],
        code=f"{code:02X}",
    )
    fault = LinkFault(LinkFaultKind.COMMAND_REFUSED, detail)
    return _finish(settings, state, at, (fault, CommandRefused(outstanding.command, detail)))


def handle_read_reply(
    settings: AngelEyeLinkSettings, state: CommandExchange, data: bytes, at: Timestamp
) -> CommandExchangeResult:
    """Handle a read reply; it also completes an outstanding query."""
    outstanding = _sent_command(state)
    reply = ReadReply(data)
    if outstanding is None or not isinstance(outstanding.command, GameProcessQuery):
        return state, LinkOutput(items=(reply,))
    return _finish(settings, state, at, (reply, CommandDone(outstanding.command)))


def tick(
    settings: AngelEyeLinkSettings, state: CommandExchange, at: Timestamp
) -> CommandExchangeResult:
    """Resend a command that was held back or not answered; give up after the last retry."""
    outstanding = state.outstanding
    if outstanding is None or at.monotonic_ns < outstanding.deadline_ns:
        return state, LinkOutput()
    if outstanding.held_back:
        return _write(settings, state, replace(outstanding, held_back=False), at)
    if outstanding.resends < settings.command_resends_max:
        again = replace(outstanding, resends=outstanding.resends + 1)
        return _write(settings, state, again, at)
    sent = outstanding.resends + 1
    detail = message("shoe_did_not_answer", command=_name(outstanding.command), sent=sent)
    fault = LinkFault(LinkFaultKind.COMMAND_TIMEOUT, detail)
    return _finish(settings, state, at, (fault, CommandTimedOut(outstanding.command, detail)))


def fail_all(state: CommandExchange, detail: Message) -> CommandExchangeResult:
    """Time out all commands: the port was lost, so no answer will come."""
    outstanding = () if state.outstanding is None else (state.outstanding.command,)
    items = tuple(CommandTimedOut(command, detail) for command in (*outstanding, *state.waiting))
    return CommandExchange(reading=state.reading), LinkOutput(items=items)


def _name(command: AngelEyeCommand) -> Message:
    """The command as shown to a technician."""
    match command:
        case LockCommand():
            return message("shoe_command_lock")
        case UnlockCommand():
            return message("shoe_command_unlock")
        case ClearErrorCommand(code):
            return message("shoe_command_clear_error", code=f"{code:02d}")
        case GameProcessQuery():
            return message("shoe_command_query_game_process")
        case _:
            assert_never(command)


def encode(command: AngelEyeCommand, reading: BccReading) -> bytes:
    """Encode the frame of a command."""
    match command:
        case LockCommand():
            return encode_command("LK", "02", reading)
        case UnlockCommand():
            return encode_command("LK", "01", reading)
        case ClearErrorCommand(code):
            return encode_command("EC", f"{code:02d}", reading)
        case GameProcessQuery():
            return encode_command("GP", "00", reading)
        case _:
            assert_never(command)


def _sent_command(state: CommandExchange) -> OutstandingCommand | None:
    """The command that an answer can belong to; one held back was answered already."""
    outstanding = state.outstanding
    return None if outstanding is None or outstanding.held_back else outstanding


def _send_now(
    settings: AngelEyeLinkSettings, state: CommandExchange, command: AngelEyeCommand, at: Timestamp
) -> CommandExchangeResult:
    return _write(settings, state, OutstandingCommand(command, state.reading, at.monotonic_ns), at)


def _write(
    settings: AngelEyeLinkSettings,
    state: CommandExchange,
    outstanding: OutstandingCommand,
    at: Timestamp,
) -> CommandExchangeResult:
    deadline_ns = at.monotonic_ns + settings.command_timeout_ns
    state = replace(state, outstanding=replace(outstanding, deadline_ns=deadline_ns))
    return state, LinkOutput(to_write=(encode(outstanding.command, outstanding.reading),))


def _finish(
    settings: AngelEyeLinkSettings,
    state: CommandExchange,
    at: Timestamp,
    items: tuple[CommandItem | LinkFault, ...],
) -> CommandExchangeResult:
    """Complete the outstanding command and send the next one waiting."""
    state = replace(state, outstanding=None)
    if not state.waiting:
        return state, LinkOutput(items=items)
    command, *waiting = state.waiting
    state, output = _send_now(settings, replace(state, waiting=tuple(waiting)), command, at)
    return state, LinkOutput(items=(*items, *output.items), to_write=output.to_write)


def _unexpected_answer(answer: Message) -> CommandOutput:
    detail = message("shoe_answered_without_command", answer=answer)
    return LinkOutput(items=(LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),))


def _wrong_bcc_reading(reading: BccReading) -> LinkFault:
    detail = message("set_bcc_reading", reading=reading.value)
    return LinkFault(LinkFaultKind.CHECKSUM_READING, detail)
