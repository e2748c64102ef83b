"""An acceptance from the first step to the signed report."""

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, to_builtins

from controller.service.capture_file import CaptureFile, CaptureFileError, RecordedPort
from controller.system.atomic_file import SmallFileError
from controller.system.json_document import time_text
from controller.system.keys import TableKey
from controller.system.messages.catalogue import to_words
from controller.version import software_identifier
from drivers.catalogue import AnyModel, option_name
from drivers.model import Installation
from drivers.monitor import event_text
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from hil.acceptance import arrived, cable, levels
from hil.acceptance.bench import DeviceBench
from hil.acceptance.people import Answerer, NobodyAnswers, PersonQuestion
from hil.acceptance.report.page import report_page
from hil.acceptance.report.results import WalkOutcome, WalkStep
from hil.acceptance.report.signed_report import (
    ReportFiles,
    ReportKeeper,
    is_accepted,
    step_fields,
    verdict_of,
)
from hil.acceptance.walk.guided import GuidedWalk
from hil.acceptance.walk.walks import walk_of
from hil.acceptance.wire.conversation import Conversation
from hil.acceptance.wire.documents import document_of, line_text
from hil.acceptance.wire.session import (
    DeviceSession,
    EventHeard,
    PortMaker,
    SteadyClock,
    TapeEnded,
    TapeMoment,
)
from hil.acceptance.wire.tape_check import check_tape
from hil.run_guard import SignalReceived

_UNDER_WAY: Final = "it is under way, or was killed"
LABELS: Final = (
    ("label-firmware", "Which firmware does the device's label or display name?"),
    ("label-serial", "Which serial number is on the device?"),
)


class Order(Struct, frozen=True):
    """What is to be accepted, and how. `stored`: the model's settings as a record holds them."""

    url: str
    model: AnyModel
    line: LineSettings
    stored: bytes
    installed: Installation
    person: str
    wait_s: float
    listen: bool = False


class Ended(Struct, frozen=True):
    """The signed document, and the signal or Ctrl-C that ended the run, if one did."""

    document: dict[str, Any]
    accepted: bool
    stopped_by: BaseException | None = None
    unwritten: str = ""


class PlannedStep(Struct, frozen=True):
    """A step that is still to be done."""

    part: str
    name: str
    title: str
    do: Callable[[], WalkStep]


def accept(
    order: Order,
    answerer: Answerer,
    key: TableKey,
    files: ReportFiles,
    make_port: PortMaker = open_port,
) -> Ended:
    """Walk through an acceptance and write its report. Raises CaptureFileError: it cannot begin."""
    clock = SteadyClock()
    conversation = Conversation(order.model, order.stored, order.installed)
    recorded = RecordedPort(order.url, option_name(order.model), order.line)
    with ReportKeeper(files, key) as keeper, CaptureFile(files.tape, (recorded,)) as tape:
        session = DeviceSession(
            order.url,
            conversation,
            tape,
            clock=clock,
            listen=order.listen,
            make_port=make_port,
        )
        bench = DeviceBench(
            order.model,
            document_of(order.model),
            order.installed,
            order.line,
            session,
            answerer,
            order.wait_s,
            order.listen,
        )
        run = _Run(order, bench, conversation, keeper, tape)
        with session:
            run.do_all()
        return run.end()


class _Run:
    """One run: its results so far, and its report after each of them."""

    def __init__(
        self,
        order: Order,
        bench: DeviceBench,
        conversation: Conversation,
        keeper: ReportKeeper,
        tape: CaptureFile,
    ) -> None:
        self._order = order
        self._bench = bench
        self._conversation = conversation
        self._keeper = keeper
        self._tape = tape
        self._began_ns = bench.session.clock().utc_ns
        self._label: dict[str, str] = {}
        self._steps: list[WalkStep] = []
        self._incomplete = ""
        self._stopped_by: BaseException | None = None
        self._ended_in_order = False

    def do_all(self) -> None:
        """Do the steps until they are done, or something ends them."""
        plan = list(self._plan())
        try:
            self._bench.session.open(self._order.line)
            self._ask_labels()
            while plan:
                step = plan[0]
                self._bench.answerer.say(f"--- {step.part}: {step.title}")
                result = step.do()
                plan.pop(0)
                self._steps.append(result)
                self._bench.answerer.say(f"{result.outcome}: {result.name}{_why(result)}")
                self._save_draft()
        except TapeEnded as ended:
            self._incomplete = f"the tape ended: {ended}"
        except NobodyAnswers as left:
            self._incomplete = f"nobody answers: {left}"
        except (KeyboardInterrupt, SignalReceived) as signal:
            by = "Ctrl-C" if isinstance(signal, KeyboardInterrupt) else str(signal)
            self._incomplete, self._stopped_by = f"ended by {by}", signal
        reason = f"not reached: {self._incomplete}"
        self._steps += [_not_reached(one, reason) for one in plan]

    def end(self) -> Ended:
        """Conclude from all that arrived, and write the last report."""
        session, bench = self._bench.session, self._bench
        try:
            session.finish()
            self._ended_in_order = not session.failure
        except CaptureFileError as error:
            self._incomplete = self._incomplete or f"the tape ended: {error}"
        self._steps.append(arrived.check_understood(session.turns, bench.document))
        times = arrived.check_times(session.turns, bench.document, bench.model.framing, bench.line)
        self._steps.append(times)
        self._steps.append(self._tape_step())
        document = self._keeper.sign(self._document(whole=True))
        unwritten = ""
        try:
            self._keeper.save(document)
            self._keeper.files.text.write_text(report_page(document), encoding="utf-8")
        except (SmallFileError, OSError) as error:
            unwritten = str(error)
        return Ended(document, is_accepted(document), self._stopped_by, unwritten)

    def _tape_step(self) -> WalkStep:
        order, tape = self._order, self._keeper.files.tape
        again = Conversation(order.model, order.stored, order.installed)
        return check_tape(tape, self._bench.session, again, listen=order.listen)

    def _plan(self) -> Iterator[PlannedStep]:
        bench, walk = self._bench, GuidedWalk(self._bench)
        yield PlannedStep("cable", "port", "the port", lambda: cable.check_port(bench))
        yield PlannedStep("cable", "unplug", "unplugging", lambda: cable.check_unplugging(bench))
        if self._conversation.asks_identity:
            yield PlannedStep(
                "levels",
                "identity",
                "who the device is",
                lambda: levels.check_identity(bench, self._conversation),
            )
        yield PlannedStep("levels", "line", "the line", lambda: levels.check_levels(bench))
        for one in walk_of(bench.model, bench.installed):

            def do(one: Any = one) -> WalkStep:
                return walk.do(one)

            yield PlannedStep("protocol", one.name, one.act, do)

    def _ask_labels(self) -> None:
        for name, question in LABELS:
            text = self._bench.answerer.ask(PersonQuestion(name, question, optional=True)).text
            if text:
                self._label[name.removeprefix("label-")] = text

    def _save_draft(self) -> None:
        try:
            self._keeper.save(self._keeper.sign(self._document(whole=False)))
        except SmallFileError as error:
            self._bench.answerer.say(f"the report cannot be written now: {error}")

    def _document(self, *, whole: bool) -> dict[str, Any]:
        """The report as it is so far."""
        incomplete = self._incomplete if whole else _UNDER_WAY
        session = self._bench.session
        kept = session.snapshot()
        model = self._order.model
        return {
            "verdict": verdict_of(self._steps, incomplete),
            "incomplete": incomplete,
            "model": {
                "name": option_name(model),
                "title": model.title,
                "kind": model.kind.value,
                "driver": model.plug_in or f"smartshoe {software_identifier()}",
                "settings": self._order.stored.hex(),
                "seat": self._order.installed.seat.value,
            },
            "device": {
                "stated": dict(levels.stated_figures(self._conversation)),
                "label": dict(self._label),
            },
            "port": self._order.url,
            "line": line_text(self._bench.line),
            "adapter": dict(cable.adapter_of(self._order.url)),
            "host": host_facts(),
            "person": self._order.person,
            "answers": self._bench.answerer.source,
            "allowed": _allowed(self._order),
            "began": time_text(self._began_ns),
            "ended": time_text(session.clock().utc_ns),
            "steps": [step_fields(one) for one in self._steps],
            "permissions": {
                "listen": self._order.listen,
                "commands": self._order.installed.allow_commands,
            },
            "events": events_as_text(kept.events),
            "tape": self._tape_fields(kept, whole=whole),
        }

    def _tape_fields(self, kept: TapeMoment, *, whole: bool) -> dict[str, Any]:
        path, session = self._keeper.files.tape, self._bench.session
        size = kept.tape_bytes
        with path.open("rb") as file:
            digest = hashlib.sha256(file.read(size)).hexdigest()
        return {
            "file": path.name,
            "bytes": size,
            "sha256": digest,
            "whole": whole,
            "ended_in_order": self._ended_in_order,
            "clock_offset_ns": session.clock.offset_ns,
            "inputs": to_builtins(list(kept.inputs)),
        }


def events_as_text(events: Sequence[EventHeard]) -> list[dict[str, str]]:
    """All device events, with the times at which the reads returned."""
    return [
        {
            "at": time_text(one.at.utc_ns),
            "event": event_text(one.event, to_words, masked=False),
        }
        for one in events
    ]


def host_facts() -> dict[str, str]:
    """The machine on which the acceptance was done."""
    system = os.uname()
    return {
        "name": system.nodename,
        "system": f"{system.sysname} {system.release} {system.machine}",
        "python": platform.python_version(),
        "program": f"smartshoe {software_identifier()}",
    }


def question_names(steps: Sequence[str]) -> tuple[str, ...]:
    """The names of all questions of an acceptance, for a file of answers."""
    labels = (name for name, _ in LABELS)
    return (*labels, *cable.QUESTIONS, *levels.QUESTIONS, *steps)


def _allowed(order: Order) -> str:
    if order.listen:
        return "to listen alone: nothing is written to the device"
    if order.installed.allow_commands:
        return "what its link needs, and commands"
    return "what its link needs; no commands"


def _not_reached(step: PlannedStep, reason: str) -> WalkStep:
    return WalkStep(step.part, step.name, step.title, WalkOutcome.NOT_DONE, reason=reason)


def _why(result: WalkStep) -> str:
    found: Iterable[str] = (one.found for one in result.differences)
    words = result.reason or "; ".join(found)
    return f": {words}" if words else ""
