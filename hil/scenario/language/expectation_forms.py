"""Reads what a scenario expects and measures."""

import re
from collections.abc import Callable
from typing import Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.custody.findings import FindingCode
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.rules.advisory import AdvisoryKind
from hil.dealing.tags import BACKS
from hil.scenario.language.happening_forms import CARDS_MAX, time_ns
from hil.scenario.language.statements import Expect, Measure, MeasureKind, Subject, TablePart

# counted: with any result.
COUNTED: Final = "counted"
FATES: Final = ("player", "banker", "tie", "void", COUNTED)
COMPARISONS: Final = ("is", "at-least", "at-most")
LINKS: Final = ("up", "down")
_METRIC: Final = re.compile(r"smartshoe_[a-z0-9_]+")
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?", re.ASCII)

Words = tuple[str, ...]


def _codes(reader: StatementReader) -> Words:
    codes = [reader.choice("irregularity", IrregularityCode).value]
    while reader.accept(","):
        codes.append(reader.choice("irregularity", IrregularityCode).value)
    return tuple(codes)


def _refusal(reader: StatementReader) -> Words:
    word = reader.peek()
    clause = word is not None and word.text not in _ENDINGS
    return (reader.text("clause"),) if clause else ()


def _coup(reader: StatementReader) -> Words:
    number = reader.number("coup", 1)
    return (str(number), reader.one_of("fate", FATES))


def _stage(reader: StatementReader) -> Words:
    back = reader.one_of("batch", BACKS)
    return (back, reader.choice("stage", BatchStage).value)


def _link(reader: StatementReader) -> Words:
    part = reader.one_of("device", (TablePart.SHOE, TablePart.SHUFFLER))
    return (part, reader.one_of("state", LINKS))


def _metric(reader: StatementReader) -> Words:
    name = reader.matching(
        "metric",
        "smartshoe_...",
        lambda word: bool(_METRIC.fullmatch(word)),
        "smartshoe_coups_total",
    )
    how = reader.one_of("comparison", COMPARISONS)
    number = reader.matching("number", "a number", lambda word: bool(_NUMBER.fullmatch(word)), "1")
    return (name, how, number)


_READ_WORDS: Final[dict[Subject, Callable[[StatementReader], Words]]] = {
    Subject.IRREGULARITY: _codes,
    Subject.NOTHING: lambda _: (),
    Subject.REFUSAL: _refusal,
    Subject.FINDING: lambda reader: (reader.choice("finding", FindingCode).value,),
    Subject.WARNING: lambda reader: (reader.choice("warning", WarningKind).value,),
    Subject.ADVISORY: lambda reader: (reader.choice("advisory", AdvisoryKind).value,),
    Subject.COUP: _coup,
    Subject.PHASE: lambda reader: (reader.choice("phase", Phase).value,),
    Subject.STAGE: _stage,
    Subject.LINK: _link,
    Subject.METRIC: _metric,
    Subject.LOCK: lambda reader: (reader.one_of("state", ("locked", "free")),),
}
_ENDINGS: Final = ("by", "within", "among")


def _read_expectation(reader: StatementReader) -> Expect:
    caught = reader.first == "caught"
    if caught:
        reader.expect("by")
    subject = reader.choice("subject", Subject)
    words = _READ_WORDS[subject](reader)
    card = within_ns = 0
    others = False
    face = None
    for part in reader.parts(*_ENDINGS):
        match part:
            case "by":
                reader.expect("card")
                card = reader.number("card", 1, CARDS_MAX)
                face = reader.card() if reader.accept("of") else None
            case "within":
                within_ns = time_ns(reader)
            case _:
                reader.expect("others")
                others = True
    return Expect(subject, words, card, within_ns, caught=caught, others=others, face=face)


def _read_measure(reader: StatementReader) -> Measure:
    kind = reader.choice("measure", MeasureKind)
    limit_ns = 0
    if reader.accept("at", "most"):
        limit_ns = time_ns(reader)
    return Measure(kind, limit_ns)


EXPECTATION_FORMS: Final[tuple[StatementForm[Expect | Measure], ...]] = (
    StatementForm(
        "expect",
        "expect irregularity OVERDRAW by card 30",
        "what the table has concluded since; `caught by` marks how an incident is caught",
        _read_expectation,
        ("caught",),
    ),
    StatementForm(
        "measure",
        "measure scan-to-verdict at most 200ms",
        "a time of this run, with its limit",
        _read_measure,
    ),
)
