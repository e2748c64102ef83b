"""The tape part: its digest, and the same events once more from the tape alone."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import ValidationError, convert

from controller.system.messages.catalogue import to_words
from drivers.catalogue import AnyModel
from drivers.model import Installation, ReaderSeat
from drivers.monitor import event_text
from hil.acceptance.report.results import Departure, WalkOutcome, WalkStep
from hil.acceptance.report.signed_report import BadReport
from hil.acceptance.wire.conversation import Conversation
from hil.acceptance.wire.inputs import DriverInput, NotReplayable, Replayed, replay
from hil.acceptance.wire.session import DeviceSession
from hil.recording.capture import Direction, NotARecord, read_recording

_TITLE: Final = "The tape replays to the same events"


def check_tape(
    tape: Path, session: DeviceSession, again: Conversation, *, listen: bool
) -> WalkStep:
    """Replay the tape in a conversation that has not begun, and compare with the session.

    `listen`: nothing was written to the device, so the bytes to write are not compared.
    """
    data = tape.read_bytes()
    figures = (
        ("bytes", len(data)),
        ("sha256", hashlib.sha256(data).hexdigest()),
        ("events", len(session.events)),
    )
    try:
        given = replayed(data, session.inputs, session.clock.offset_ns, again)
    except (NotARecord, NotReplayable) as error:
        return WalkStep("tape", "replay", _TITLE, WalkOutcome.FAIL, figures, reason=str(error))
    live = tuple(event_text(one.event, to_words, masked=False) for one in session.events)
    wrong = difference_of(live, texts_of(given))
    compares = not listen and not session.failure
    if not wrong and compares and given.written != written_of(data):
        wrong = "the driver would write other bytes"
    differences = (Departure("Records of real devices", "the same events", wrong),) if wrong else ()
    outcome = WalkOutcome.FAIL if wrong else WalkOutcome.PASS
    return WalkStep("tape", "replay", _TITLE, outcome, figures, differences, wrong)


def replayed(
    data: bytes,
    inputs: Sequence[DriverInput],
    clock_offset_ns: int,
    conversation: Conversation,
) -> Replayed:
    """What a tape of one port gives. Raises NotARecord, NotReplayable."""
    wire = read_recording(data).wires[0]
    return replay(wire, inputs, clock_offset_ns, conversation)


def require_same_events(document: dict[str, Any], tape: bytes, model: AnyModel) -> int:
    """Replay the tape of a report; the number of its events. Raises BadReport."""
    try:
        named, kept = document["model"], document["tape"]
        installed = Installation(
            allow_commands=bool(document["permissions"]["commands"]),
            seat=ReaderSeat(named["seat"]),
        )
        conversation = Conversation(model, bytes.fromhex(named["settings"]), installed)
        inputs = convert(kept["inputs"], list[DriverInput])
        given = replayed(tape, inputs, int(kept["clock_offset_ns"]), conversation)
        stated = tuple(str(one["event"]) for one in document["events"])
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise BadReport(f"its tape cannot be replayed: {error}") from error
    except (NotARecord, NotReplayable) as error:
        raise BadReport(f"its tape cannot be replayed: {error}") from error
    if wrong := difference_of(stated, texts_of(given)):
        raise BadReport(f"its tape gives other events: {wrong}")
    return len(stated)


def texts_of(given: Replayed) -> tuple[str, ...]:
    """The events as the report has them."""
    return tuple(event_text(one, to_words, masked=False) for one in given.events)


def written_of(data: bytes) -> bytes:
    """The bytes that were written to the device, by the tape."""
    events = read_recording(data).wires[0].events
    return b"".join(one.data for one in events if one.direction is Direction.WRITTEN)


def difference_of(live: Sequence[str], again: Sequence[str]) -> str:
    """The first event that differs; empty where all are the same."""
    for number, (one, other) in enumerate(zip(live, again, strict=False), 1):
        if one != other:
            return f"event {number} was {one}, and is {other}"
    if len(live) != len(again):
        return f"{len(live)} events, and {len(again)} from the tape"
    return ""
