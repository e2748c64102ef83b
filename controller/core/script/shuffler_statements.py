"""Reads and writes statements about the shuffler and builds the events they stand for.

A script states neither the device's own times, nor its versions, nor its counts face by face.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, assert_never

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import (
    IdentityConfirmed,
    ScriptedShufflerEvent,
    ShuffleFinished,
    ShufflerStatement,
    StatementBody,
)
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.procedure.events import (
    ShufflerDisconnected,
    ShufflerEventsLost,
    ShufflerReported,
)
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    DoorMoved,
    IdentityProven,
    JamReported,
    ModeChanged,
    ResidualCards,
    ShuffleAborted,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerEvent,
    ShufflerMode,
    ShufflerWarning,
    ShuffleStarted,
)

DEVICE: Final = "shuffler-1"
_CARDS_MAX: Final = 9_999
_CODE_MAX: Final = 65_535
_NS: Final = 1_000_000_000
_COMPARTMENT_WORDS: Final = ("began", "done", "aborted", "jam", "unjammed", "residual")
_DEVICE_WORDS: Final = ("door", "mode", "warning", "proven", "lost", "gone")
_STATES: Final = tuple(state.value for state in CompartmentState)


# --- reading --------------------------------------------------------------------------------------


def _read_shuffler(
    reader: StatementReader,
) -> ShufflerStatement | ShufflerEventsLost | ShufflerDisconnected:
    """The rest of a statement that begins with `shuffler`."""
    word = reader.one_of("shuffler event", ("1", "2", *_DEVICE_WORDS))
    if word == "lost":
        count = 0 if reader.accept("unproven") else reader.number("number of events", 1)
        return ShufflerEventsLost(count, _at(reader))
    if word == "gone":
        return ShufflerDisconnected(_at(reader))
    if word in _DEVICE_WORDS:
        event = _device_event(reader, word)
    else:
        event = _compartment_event(reader, int(word))
    return ShufflerStatement(event, _at(reader))


def _at(reader: StatementReader) -> int:
    return reader.offset_ns() if reader.accept("at") else reader.clock_ns


def _device_event(reader: StatementReader, word: str) -> ScriptedShufflerEvent:
    match word:
        case "door":
            number = reader.number("compartment", 0, 2)
            return DoorMoved(reader.one_of("movement", ("open", "closed")) == "open", number)
        case "mode":
            return ModeChanged(reader.choice("mode", ShufflerMode))
        case "warning":
            code = reader.number("code", 0, _CODE_MAX)
            active = reader.one_of("lamp state", ("on", "off")) == "on"
            return ShufflerWarning(code, reader.text("text"), active)
        case _:
            return IdentityConfirmed(bare=reader.accept("bare"))


def _compartment_event(reader: StatementReader, number: int) -> ScriptedShufflerEvent:
    word = reader.one_of("compartment event", (*_STATES, *_COMPARTMENT_WORDS))
    match word:
        case "began":
            return ShuffleStarted(number, _cycle(reader))
        case "done":
            return _shuffled(reader, number)
        case "aborted":
            cycle = _cycle(reader)
            return ShuffleAborted(number, cycle, reader.choice("reason", AbortReason))
        case "jam" | "unjammed":
            return JamReported(number, cleared=word == "unjammed")
        case "residual":
            return ResidualCards(number, reader.number("number of cards", 0, _CARDS_MAX))
        case _:
            cards = None if reader.accept("uncounted") else _cards(reader)
            return CompartmentChanged(number, CompartmentState(word), cards, _back(reader), b"")


def _shuffled(reader: StatementReader, number: int) -> ShuffleFinished:
    cycle, cards, back = _cycle(reader), _cards(reader), _back(reader)
    result = ShuffleResult.GOOD
    for one in ShuffleResult:
        if reader.accept(one.value):
            result = one
    return ShuffleFinished(number, cycle, cards, back, result, genuine=not reader.accept("forged"))


def _cycle(reader: StatementReader) -> int:
    return reader.number("shuffle number", 1)


def _cards(reader: StatementReader) -> int:
    return reader.number("number of cards", 0, _CARDS_MAX)


def _back(reader: StatementReader) -> str:
    return reader.text("back colour") if reader.accept("of") else ""


# --- events ---------------------------------------------------------------------------------------


def shuffler_event(statement: ShufflerStatement, begins_at_ns: int) -> ShufflerReported:
    """The event that the statement stands for; a finished shuffle carries its whole proof."""
    return ShufflerReported(_event(statement.event), begins_at_ns + statement.at_ns)


def _event(event: ScriptedShufflerEvent) -> ShufflerEvent:
    match event:
        case ShuffleFinished():
            return ShuffleDone(_proof(event))
        case IdentityConfirmed():
            return IdentityProven(DEVICE, "1.0", b"", 1, 1, event.bare)
        case _:
            return event


def _proof(event: ShuffleFinished) -> ShuffleProof:
    return ShuffleProof(
        device=DEVICE,
        boot_id=1,
        boot_count=1,
        cycle=event.cycle,
        compartment=event.compartment,
        count=event.cards,
        result=event.result,
        back=event.back,
        faces=b"",
        began_us=event.cycle * 1_000_000,
        ended_us=event.cycle * 1_000_000 + 600_000,
        image=b"",
        version="1.0",
        sealed=b"",
        signed=True,
        genuine=event.genuine,
    )


# --- writing --------------------------------------------------------------------------------------


def _at_text(statement: ShufflerStatement | ShufflerEventsLost | ShufflerDisconnected) -> str:
    return f"at +{statement.at_ns // _NS}s" if statement.at_ns else "at +0"


def _format_event(event: ScriptedShufflerEvent) -> str:
    match event:
        case DoorMoved():
            return f"door {event.compartment} {'open' if event.open else 'closed'}"
        case ModeChanged():
            return f"mode {event.mode.value}"
        case ShufflerWarning():
            return (
                f"warning {event.code} {'on' if event.active else 'off'} {quote_text(event.text)}"
            )
        case IdentityConfirmed():
            return "proven bare" if event.bare else "proven"
        case _:
            return f"{event.compartment} {_format_compartment_event(event)}"


def _format_compartment_event(
    event: CompartmentChanged
    | ShuffleStarted
    | ShuffleFinished
    | ShuffleAborted
    | JamReported
    | ResidualCards,
) -> str:
    match event:
        case CompartmentChanged():
            cards = "uncounted" if event.cards is None else str(event.cards)
            return f"{event.state.value} {cards}{_of(event.back)}"
        case ShuffleStarted():
            return f"began {event.cycle}"
        case ShuffleFinished():
            forged = "" if event.genuine else " forged"
            counted = f"{event.cycle} {event.cards}{_of(event.back)}"
            return f"done {counted} {event.result.value}{forged}"
        case ShuffleAborted():
            return f"aborted {event.cycle} {event.reason.value}"
        case JamReported():
            return "unjammed" if event.cleared else "jam"
        case ResidualCards():
            return f"residual {event.cards}"
        case _:
            assert_never(event)


def _of(back: str) -> str:
    return f" of {quote_if_needed(back)}" if back else ""


SHUFFLER_FORMS: Final = (
    StatementForm(
        "shuffler",
        "shuffler 1 counted 416 of red",
        "an event that the shuffler reports",
        _read_shuffler,
    ),
)
SHUFFLER_TEXTS: Final[Mapping[type[StatementBody], Callable[[Any], str]]] = MappingProxyType(
    {
        ShufflerStatement: lambda body: f"shuffler {_format_event(body.event)} {_at_text(body)}",
        ShufflerEventsLost: (
            lambda body: f"shuffler lost {body.count or 'unproven'} {_at_text(body)}"
        ),
        ShufflerDisconnected: lambda body: f"shuffler gone {_at_text(body)}",
    }
)
