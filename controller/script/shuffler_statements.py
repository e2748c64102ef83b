"""Statements about the shuffler, and about who clears its warnings.

Responsible for: reading them, writing them, and the events they say.
Not responsible for: what follows from them (controller.procedure). Times of the device, its
versions and what its readers counted face by face are not said.
Source: package README, "The shuffler".
"""

from typing import Final, assert_never

from controller.procedure.events import (
    ShufflerEventsLost,
    ShufflerGone,
    ShufflerTold,
    WarningCleared,
)
from controller.script.people_statements import when_by_and_because
from controller.script.statement_reader import Reading
from controller.script.statements import (
    FLOORPERSON,
    Proven,
    Shuffled,
    ShufflerSaid,
    ShufflerStatement,
)
from controller.script.tokens import quoted, written
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
    ShuffleBegan,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerEvent,
    ShufflerMode,
    ShufflerWarning,
)

CLEARING_REASON: Final = "seen and put right"
DEVICE: Final = "shuffler-1"
_CARDS_MAX: Final = 9_999
_CODE_MAX: Final = 65_535
_NS: Final = 1_000_000_000
_OF_COMPARTMENT: Final = ("began", "done", "aborted", "jam", "unjammed", "residual")
_OF_DEVICE: Final = ("door", "mode", "warning", "proven", "lost", "gone")
_STATES: Final = tuple(state.value for state in CompartmentState)


# --- reading --------------------------------------------------------------------------------------


def told(read: Reading) -> ShufflerSaid | ShufflerEventsLost | ShufflerGone:
    """`shuffler` and what it says."""
    word = read.one_of("word of the shuffler", ("1", "2", *_OF_DEVICE))
    if word == "lost":
        count = 0 if read.take("unproven") else read.number("number of events", 1)
        return ShufflerEventsLost(count, _at(read))
    if word == "gone":
        return ShufflerGone(_at(read))
    said = _of_device(read, word) if word in _OF_DEVICE else _of_compartment(read, int(word))
    return ShufflerSaid(said, _at(read))


def cleared(read: Reading) -> WarningCleared:
    read.need("warning")
    number = read.number("number of a warning", 1)
    at_ns, person, reason = when_by_and_because(read, FLOORPERSON, CLEARING_REASON)
    return WarningCleared(number, person, reason, at_ns)


def _at(read: Reading) -> int:
    return read.offset_ns() if read.take("at") else read.clock_ns


def _of_device(read: Reading, word: str) -> ShufflerStatement:
    match word:
        case "door":
            number = read.number("compartment", 0, 2)
            return DoorMoved(read.one_of("movement", ("open", "closed")) == "open", number)
        case "mode":
            return ModeChanged(read.choice("mode", ShufflerMode))
        case "warning":
            code = read.number("code", 0, _CODE_MAX)
            active = read.one_of("state of a lamp", ("on", "off")) == "on"
            return ShufflerWarning(code, read.text("text"), active)
        case _:
            return Proven(bare=read.take("bare"))


def _of_compartment(read: Reading, number: int) -> ShufflerStatement:
    word = read.one_of("happening", (*_STATES, *_OF_COMPARTMENT))
    match word:
        case "began":
            return ShuffleBegan(number, _cycle(read))
        case "done":
            return _shuffled(read, number)
        case "aborted":
            cycle = _cycle(read)
            return ShuffleAborted(number, cycle, read.choice("reason", AbortReason))
        case "jam" | "unjammed":
            return JamReported(number, cleared=word == "unjammed")
        case "residual":
            return ResidualCards(number, read.number("number of cards", 0, _CARDS_MAX))
        case _:
            cards = None if read.take("uncounted") else _cards(read)
            return CompartmentChanged(number, CompartmentState(word), cards, _back(read), b"")


def _shuffled(read: Reading, number: int) -> Shuffled:
    cycle, cards, back = _cycle(read), _cards(read), _back(read)
    result = ShuffleResult.GOOD
    for one in ShuffleResult:
        if read.take(one.value):
            result = one
    return Shuffled(number, cycle, cards, back, result, genuine=not read.take("forged"))


def _cycle(read: Reading) -> int:
    return read.number("number of the shuffle", 1)


def _cards(read: Reading) -> int:
    return read.number("number of cards", 0, _CARDS_MAX)


def _back(read: Reading) -> str:
    return read.text("back colour") if read.take("of") else ""


# --- what it is taken for -------------------------------------------------------------------------


def event_of(said: ShufflerSaid, begins_at_ns: int) -> ShufflerTold:
    """What the shuffler tells; of a shuffle its whole proof."""
    return ShufflerTold(_event(said.event), begins_at_ns + said.at_ns)


def _event(said: ShufflerStatement) -> ShufflerEvent:
    match said:
        case Shuffled():
            return ShuffleDone(_proof(said))
        case Proven():
            return IdentityProven(DEVICE, "1.0", b"", 1, 1, said.bare)
        case _:
            return said


def _proof(said: Shuffled) -> ShuffleProof:
    return ShuffleProof(
        device=DEVICE,
        boot_id=1,
        boot_count=1,
        cycle=said.cycle,
        compartment=said.compartment,
        count=said.cards,
        result=said.result,
        back=said.back,
        faces=b"",
        began_us=said.cycle * 1_000_000,
        ended_us=said.cycle * 1_000_000 + 600_000,
        image=b"",
        version="1.0",
        sealed=b"",
        signed=True,
        genuine=said.genuine,
    )


# --- writing --------------------------------------------------------------------------------------


def in_words(
    said: ShufflerSaid | ShufflerEventsLost | ShufflerGone | WarningCleared,
) -> str:
    """The statement in words."""
    at = f" at +{said.at_ns // _NS}s" if said.at_ns else " at +0"
    match said:
        case ShufflerSaid():
            return f"shuffler {_said(said.event)}{at}"
        case ShufflerEventsLost():
            return f"shuffler lost {said.count or 'unproven'}{at}"
        case ShufflerGone():
            return f"shuffler gone{at}"
        case WarningCleared():
            by = f" by {quoted(said.person)} because {quoted(said.reason)}"
            return f"clear warning {said.number}{at}{by}"
        case _:
            assert_never(said)


def _said(said: ShufflerStatement) -> str:
    match said:
        case DoorMoved():
            return f"door {said.compartment} {'open' if said.open else 'closed'}"
        case ModeChanged():
            return f"mode {said.mode.value}"
        case ShufflerWarning():
            return f"warning {said.code} {'on' if said.active else 'off'} {quoted(said.text)}"
        case Proven():
            return "proven bare" if said.bare else "proven"
        case _:
            return f"{said.compartment} {_said_of_compartment(said)}"


def _said_of_compartment(
    said: CompartmentChanged
    | ShuffleBegan
    | Shuffled
    | ShuffleAborted
    | JamReported
    | ResidualCards,
) -> str:
    match said:
        case CompartmentChanged():
            cards = "uncounted" if said.cards is None else str(said.cards)
            return f"{said.state.value} {cards}{_of(said.back)}"
        case ShuffleBegan():
            return f"began {said.cycle}"
        case Shuffled():
            forged = "" if said.genuine else " forged"
            counted = f"{said.cycle} {said.cards}{_of(said.back)}"
            return f"done {counted} {said.result.value}{forged}"
        case ShuffleAborted():
            return f"aborted {said.cycle} {said.reason.value}"
        case JamReported():
            return "unjammed" if said.cleared else "jam"
        case ResidualCards():
            return f"residual {said.cards}"
        case _:
            assert_never(said)


def _of(back: str) -> str:
    return f" of {written(back)}" if back else ""
