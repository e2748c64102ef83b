"""Reads a scenario: the dealing language with a heading, happenings, expectations and measures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.core.script.errors import ScriptError, ScriptProblem
from controller.core.script.parser import parse_forms
from controller.core.script.statement_forms import STATEMENT_FORMS
from controller.core.script.statement_reader import StatementForm
from controller.core.script.statements import Statement
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import profile_names
from controller.system.atomic_file import read_text
from hil.scenario.language.expectation_forms import EXPECTATION_FORMS
from hil.scenario.language.happening_forms import HAPPENING_FORMS
from hil.scenario.language.heading_forms import HEADING_FORMS
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
