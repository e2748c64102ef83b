"""The protocol part: asks for one act after the other, and compares what arrives.

Source: the sections that the steps name.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from controller.rules.cards import Card, Rank, Suit
from controller.system.messages.catalogue import to_words
from drivers.events import CommandAnswered, DeviceEvent, Face
from drivers.faults import DeviceFault
from drivers.monitor import event_text
from foundation.message import Message
from hil.acceptance.bench import DeviceBench
from hil.acceptance.people import PersonAnswer, PersonQuestion
from hil.acceptance.report.results import Departure, Figure, WalkOutcome, WalkStep
from hil.acceptance.walk.guided_step import READ, GuidedStep

PART: Final = "protocol"
_NS_PER_US: Final = 1000
_ALSO_SHOWN_MAX: Final = 20


class Arrived(Struct, frozen=True):
    """The event that a step waited for, its place among all events, and its times."""

    index: int
    event: DeviceEvent
    asked_ns: int
    first_byte_ns: int | None
    event_ns: int


class GuidedWalk:
    """Does the steps in their order; each begins where the one before ended."""

    def __init__(self, bench: DeviceBench) -> None:
        self._bench = bench
        self._seen = 0

    def do(self, step: GuidedStep) -> WalkStep:
        """One step. Raises NobodyAnswers, TapeEnded."""
        refusal = self._refusal(step)
        if refusal:
            return _result(step, WalkOutcome.NOT_DONE, reason=refusal)
        bench = self._bench
        put = len(bench.session.events)
        after_question = bench.answerer.present and not step.follows
        begin = put if after_question or step.command is not None else self._seen
        answer = bench.answerer.ask(PersonQuestion(step.name, self._question(step)))
        if answer.skipped:
            self._leave(put)
            return _result(step, WalkOutcome.NOT_DONE, reason=answer.skipped)
        if not step.kinds:
            return self._quiet(step, put, answer)
        arrived = self._await(step, begin)
        if arrived is None:
            self._leave(len(bench.session.events))
            return self._missing(step, begin, answer)
        also = self._texts(begin if step.command is not None else self._seen, arrived.index)
        # What came before a command was not waited for yet where nobody acts.
        if step.command is None or bench.answerer.present:
            self._seen = arrived.index + 1
        return self._compared(step, arrived, also, answer)

    def _leave(self, seen: int) -> None:
        """A step found nothing: what came meanwhile still counts where nobody acts."""
        if self._bench.answerer.present:
            self._seen = seen

    def _refusal(self, step: GuidedStep) -> str:
        """Why the step may not be done; empty if it may."""
        if step.command is None:
            return ""
        if self._bench.listen:
            return "nothing is written to the device (--listen)"
        if step.needs_permission and not self._bench.installed.allow_commands:
            return "commands are not allowed (--allow-commands)"
        return ""

    def _question(self, step: GuidedStep) -> str:
        where = self._bench.document.named(step.section)
        return f"{step.act}\n  To arrive ({where}): {step.states}."

    def _await(self, step: GuidedStep, begin: int) -> Arrived | None:
        """Wait for the step's event, as often as the person asks for it."""
        session = self._bench.session
        while True:
            asked_ns = session.clock().monotonic_ns
            if step.command is not None:
                session.command(step.command)

            def ready(begin: int = begin) -> bool:
                return self._find(step, begin) is not None

            if session.wait_for(ready, self._bench.wait_s):
                break
            why = f"nothing of this kind came within {self._bench.wait_s:g} s"
            if not self._bench.answerer.ask_again(step.name, why):
                return None
        index = self._find(step, begin)
        assert index is not None
        heard = session.events[index]
        first = next(
            (
                one.at.monotonic_ns
                for one in session.turns
                if one.data and one.at.monotonic_ns >= asked_ns
            ),
            None,
        )
        return Arrived(index, heard.event, asked_ns, first, heard.at.monotonic_ns)

    def _find(self, step: GuidedStep, begin: int) -> int | None:
        """The place of the first event that the step waits for."""
        for index, heard in enumerate(self._bench.session.events[begin:], begin):
            one = heard.event
            if isinstance(one, step.kinds) and all(
                field_of(one, name) == value for name, value in step.picked
            ):
                return index
        return None

    def _missing(self, step: GuidedStep, begin: int, answer: PersonAnswer) -> WalkStep:
        session = self._bench.session
        also = self._texts(begin, len(session.events))
        refused = next(
            (
                to_words(heard.event.detail)
                for heard in session.events[begin:]
                if step.command is not None and isinstance(heard.event, CommandAnswered)
            ),
            "",
        )
        where = self._bench.document.named(step.section)
        return _result(
            step,
            WalkOutcome.FAIL,
            figures=(("also_arrived", also),) if also else (),
            differences=(Departure(where, step.states, f"did not arrive{_colon(refused)}"),),
            reason="what the wire document states did not arrive" + _colon(refused),
            answer=answer,
        )

    def _quiet(self, step: GuidedStep, put: int, answer: PersonAnswer) -> WalkStep:
        """Nothing may have arrived while the person acted."""
        came = self._texts(put, len(self._bench.session.events))
        self._seen = len(self._bench.session.events)
        where = self._bench.document.named(step.section)
        differences = tuple(Departure(where, step.states, one) for one in came)
        outcome = WalkOutcome.DIFFERS if came else WalkOutcome.PASS
        return _result(step, outcome, differences=differences, answer=answer)

    def _compared(
        self, step: GuidedStep, arrived: Arrived, also: tuple[str, ...], answer: PersonAnswer
    ) -> WalkStep:
        """Compare the fields, and what a person reads from the card or label."""
        where = self._bench.document.named(step.section)
        wrong = [
            Departure(where, f"{name} {_shown(stated)}", f"{name} {_shown(found)}")
            for name, stated in step.fields
            if not _fits(stated, found := field_of(arrived.event, name))
        ]
        figures: list[tuple[str, Figure]] = [
            ("event", event_text(arrived.event, to_words, masked=False)),
            *_times(arrived),
        ]
        if step.printed:
            figures.append(self._ask_printed(step, arrived.event, where, wrong))
        if also:
            figures.append(("also_arrived", also))
        outcome = WalkOutcome.DIFFERS if wrong else WalkOutcome.PASS
        return _result(
            step, outcome, figures=tuple(figures), differences=tuple(wrong), answer=answer
        )

    def _ask_printed(
        self, step: GuidedStep, event: DeviceEvent, where: str, wrong: list[Departure]
    ) -> tuple[str, Figure]:
        """What is printed, as the person reads it; a difference is added to `wrong`."""
        asked = "What is printed on the card, such as 7d or 10s?"
        question = asked if step.printed == "face" else "What does the label say?"
        text = self._bench.answerer.ask(
            PersonQuestion(f"{step.name}-printed", question, optional=True)
        ).text
        if not text:
            return "printed", "not compared"
        found = _shown(field_of(event, step.printed))
        printed = text
        if step.printed == "face":
            try:
                printed = str(Card.parse(text[:-1].upper() + text[-1:].lower()))
            except ValueError as error:
                self._bench.answerer.say(f"{error}; it is not compared.")
                return "printed", f"not compared: {text}"
        if printed != found:
            wrong.append(Departure(where, f"printed {printed}", f"reported {found}"))
        return "printed", printed

    def _texts(self, begin: int, end: int) -> tuple[str, ...]:
        """The events between two places, as a technician reads them; faults are listed apart."""
        found = [
            event_text(one.event, to_words, masked=False)
            for one in self._bench.session.events[begin:end]
            if not isinstance(one.event, DeviceFault)
        ]
        left = len(found) - _ALSO_SHOWN_MAX
        return (*found[:_ALSO_SHOWN_MAX], *((f"and {left} more",) if left > 0 else ()))


def names_of(steps: Sequence[GuidedStep]) -> tuple[str, ...]:
    """The names of all questions of these steps."""
    printed = (f"{one.name}-printed" for one in steps if one.printed)
    return (*(one.name for one in steps), *printed)


def field_of(event: object, name: str) -> Any:
    """A field of an event; a dot leads into a field."""
    for part in name.split("."):
        event = getattr(event, part, None)
    return event


def _fits(stated: object, found: object) -> bool:
    return found not in (None, "", b"") if stated == READ else found == stated


def _times(arrived: Arrived) -> tuple[tuple[str, Figure], ...]:
    """From the answer to the first byte and to the event; the person's hand is in both."""
    event_us = (arrived.event_ns - arrived.asked_ns) // _NS_PER_US
    if event_us < 0 or arrived.first_byte_ns is None:
        return (("came", "before the question was answered"),)
    first_us = (arrived.first_byte_ns - arrived.asked_ns) // _NS_PER_US
    return ("answer_to_first_byte_us", first_us), ("answer_to_event_us", event_us)


def _shown(value: object) -> str:
    match value:
        case None:
            return "not read"
        case Face(rank, suit):
            return str(Card(Rank(rank), Suit(suit.value)))
        case bool():
            return "yes" if value else "no"
        case bytes():
            return value.hex().upper()
        case Message():
            return to_words(value)
        case _:
            return str(value)


def _colon(words: str) -> str:
    return f": {words}" if words else ""


def _result(
    step: GuidedStep,
    outcome: WalkOutcome,
    *,
    figures: tuple[tuple[str, Figure], ...] = (),
    differences: tuple[Departure, ...] = (),
    reason: str = "",
    answer: PersonAnswer | None = None,
) -> WalkStep:
    said = "" if answer is None else answer.text
    return WalkStep(PART, step.name, step.act, outcome, figures, differences, reason, said)
