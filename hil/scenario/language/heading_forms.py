"""Reads the heading of a scenario: its name and source, the table and the devices it needs."""

from typing import Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.procedure.rulebook import ObservableFact
from hil.scenario.language.statements import (
    Control,
    DeviceWanted,
    FirstKnown,
    Heading,
    Named,
    ObservedFacts,
    ProfileUsed,
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
