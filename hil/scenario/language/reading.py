"""Reads a scenario: a heading, then the dealing language with happenings and expectations."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.core.script.errors import ScriptError, ScriptProblem
from controller.core.script.parser import parse_forms
from controller.core.script.statement_forms import STATEMENT_FORMS
from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import Statement
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import profile_names
from controller.system.atomic_file import read_text
from hil.scenario.language.expectation_forms import EXPECTATION_FORMS
from hil.scenario.language.happening_forms import HAPPENING_FORMS
from hil.scenario.language.statements import (
    Control,
    DeviceWanted,
    FirstKnown,
    Heading,
    Named,
    ObservedFacts,
    ProfileUsed,
    ScenarioBody,
    Source,
    TablePart,
)

# The devices that a scenario may ask for, as the language names them.
DEVICES: Final = {
    TablePart.SHOE: ("angel-eye", "rfid"),
    TablePart.SHUFFLER: ("tablelink",),
    TablePart.RACK: ("feig",),
}


def _read_name(reader: StatementReader) -> Named:
    return Named(reader.text("name"), reader.text("title"))


def _read_observed(reader: StatementReader) -> ObservedFacts:
    facts = [reader.choice("fact", ObservableFact)]
    while reader.accept(","):
        facts.append(reader.choice("fact", ObservableFact))
    return ObservedFacts(tuple(facts))


def _read_control(reader: StatementReader) -> Control:
    names = [reader.text("control")]
    while reader.accept(","):
        names.append(reader.text("control"))
    return Control(tuple(names))


def _read_device(reader: StatementReader) -> DeviceWanted:
    part = TablePart(reader.one_of("part", tuple(DEVICES)))
    return DeviceWanted(part, reader.one_of("device", DEVICES[part]))


HEADING_FORMS: Final[tuple[StatementForm[Heading], ...]] = (
    StatementForm(
        "scenario",
        'scenario overdraw "a fifth card after a natural"',
        "the name, and what the scenario shows in one line",
        _read_name,
    ),
    StatementForm(
        "source",
        'source "Philadelphia Inquirer, 2019-01-16"',
        "where an incident is described",
        lambda reader: Source(reader.text("source")),
    ),
    StatementForm(
        "known",
        'known "at the draw of the card with the other back"',
        "the first moment at which the incident can be known",
        lambda reader: FirstKnown(reader.text("moment")),
    ),
    StatementForm(
        "control",
        "control batch-identity",
        "what stops the incident; of several, each has its `caught by`, in this order",
        _read_control,
    ),
    StatementForm(
        "profile",
        "profile s42-mini",
        "the rules of the table",
        lambda reader: ProfileUsed(reader.text("profile")),
    ),
    StatementForm(
        "observed",
        "observed result_button, batch_loaded",
        "the facts that the table senses or people enter",
        _read_observed,
    ),
    StatementForm("device", "device shoe rfid", "a device that the scenario needs", _read_device),
)


SUFFIX: Final = ".scenario"
PROFILE: Final = "s42-mini"
SCENARIO_FORMS: Final[tuple[StatementForm[ScenarioBody], ...]] = (
    *HEADING_FORMS,
    *HAPPENING_FORMS,
    *EXPECTATION_FORMS,
    *STATEMENT_FORMS,
)

Step = Statement[ScenarioBody]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: its heading, and its steps in order.

    `controls` stop an incident, each by the `caught by` of its place.
    `shoe` is the model of the dealing shoe, `shuffler` and `rack` whether it needs one. A plain
    dealing script is a scenario that is named after its file.
    """

    name: str
    title: str
    steps: tuple[Step, ...]
    source: str = ""
    known: str = ""
    controls: tuple[str, ...] = ()
    profile: str = PROFILE
    observed: tuple[ObservableFact, ...] = (ObservableFact.RESULT_BUTTON,)
    shoe: str = "angel-eye"
    shuffler: bool = False
    rack: bool = False

    @property
    def control(self) -> str:
        """Its controls in one text."""
        return ", ".join(self.controls)


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file. Raises ScriptError, SmallFileError."""
    return parse_scenario(read_text(path), str(path), path.stem)


def parse_scenario(text: str, place: str = "scenario", name: str = "scenario") -> Scenario:
    """The scenario of a text. Raises ScriptError with every problem behind `place`."""
    statements = parse_forms(text, SCENARIO_FORMS, place)
    body = next((n for n, one in enumerate(statements) if not _is_heading(one)), len(statements))
    late = [one for one in statements[body:] if _is_heading(one)]
    problems = [
        ScriptProblem(
            one.line,
            one.column,
            f"`{one.text}` belongs to the heading. Allowed: before the first step. Remedy: move it"
            " to the top",
        )
        for one in late
    ]
    values: dict[str, object] = {"name": name, "title": ""}
    for one in statements[:body]:
        heading = one.body
        assert isinstance(heading, Heading), "the heading comes first"
        if isinstance(heading, ProfileUsed) and heading.name not in profile_names():
            allowed = ", ".join(profile_names())
            wrong = f'there is no profile "{heading.name}". Allowed: {allowed}. Remedy: use one'
            problems.append(ScriptProblem(one.line, one.column, wrong))
        values |= _heading_values(heading)
    if problems:
        raise ScriptError(place, tuple(problems))
    return Scenario(steps=statements[body:], **values)  # type: ignore[arg-type]


def _is_heading(statement: Step) -> bool:
    return isinstance(statement.body, Heading)


def _heading_values(heading: Heading) -> dict[str, object]:
    match heading:
        case Named():
            return {"name": heading.name, "title": heading.title}
        case Source():
            return {"source": heading.text}
        case FirstKnown():
            return {"known": heading.text}
        case Control():
            return {"controls": heading.names}
        case ProfileUsed():
            return {"profile": heading.name}
        case ObservedFacts():
            return {"observed": heading.facts}
        case DeviceWanted(part=TablePart.SHOE):
            return {"shoe": heading.model}
        case DeviceWanted(part=TablePart.RACK):
            return {"rack": True}
        case DeviceWanted():
            return {"shuffler": True}
