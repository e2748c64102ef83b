"""Parses a dealing script into statements and reports every error in it at once."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from controller.core.script.errors import ScriptError, ScriptProblem, StatementError
from controller.core.script.statement_forms import STATEMENT_FORMS
from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import BodyT, DealingStatement, ShufflerStatement, Statement
from controller.core.script.tokens import StatementWords, quote_text, split_statements
from controller.procedure.events import ShufflerDisconnected, ShufflerEventsLost
from controller.rules.actions.actions import OperatorAction

# The commonest, which are declared first: a line of sixty words helps nobody.
_LISTED: Final = 8


def parse(text: str, name: str = "script") -> tuple[DealingStatement, ...]:
    """The statements of a script. Raises ScriptError with every problem, each behind `name`."""
    return parse_forms(text, STATEMENT_FORMS, name)


def parse_forms(
    text: str, forms: Iterable[StatementForm[BodyT]], name: str = "script"
) -> tuple[Statement[BodyT], ...]:
    """The statements of a text that is written in these forms, as `parse` reads a script."""
    form_of = MappingProxyType({word: form for form in forms for word in form.first})
    found, word_problems = split_statements(text)
    problems = list(word_problems)
    statements: list[Statement[BodyT]] = []
    clock_ns = 0
    for words in found:
        try:
            body = _parse_statement(form_of, words, clock_ns)
        except StatementError as error:
            problems.append(ScriptProblem(words.line, error.column, error.message))
            continue
        match body:
            case OperatorAction(at=at):
                clock_ns = at.utc_ns
            case ShufflerStatement() | ShufflerEventsLost() | ShufflerDisconnected():
                clock_ns = body.at_ns
        column = words.words[0].column
        statements.append(Statement(words.line, column, body, words.text))
    if problems:
        in_order = sorted(problems, key=lambda one: (one.line, one.column))
        raise ScriptError(name, tuple(in_order))
    return tuple(statements)


def _parse_statement(
    form_of: Mapping[str, StatementForm[BodyT]], statement: StatementWords, clock_ns: int
) -> BodyT:
    first = statement.words[0]
    form = form_of.get(first.text)
    if form is None or first.quoted:
        raise _unknown_statement(form_of, statement)
    reader = StatementReader(statement, form.example, clock_ns)
    body = form.read(reader)
    reader.expect_end()
    return body


def _unknown_statement(
    form_of: Mapping[str, StatementForm[BodyT]], statement: StatementWords
) -> StatementError:
    first = statement.words[0]
    every = tuple(dict.fromkeys(form.keywords for form in form_of.values()))
    allowed = f"{', '.join(every[:_LISTED])}, or another of the {len(every)} statements"
    meant = _meant(form_of, statement)
    remedy = f"write `{meant}`" if meant else "begin with one of them"
    return StatementError(
        first.column,
        f'no statement begins with "{first.text}". Allowed: {allowed}. Remedy: {remedy}',
    )


def _meant(form_of: Mapping[str, StatementForm[BodyT]], statement: StatementWords) -> str:
    """The statement that was meant, as far as a form is like it; else empty."""
    words = [quote_text(one.text) if one.quoted else one.text for one in statement.words]
    hyphened = "-".join(words[:2])
    if hyphened in form_of:
        return " ".join((hyphened, *words[2:]))
    spoken = {word: form.first[0] for form in form_of.values() for word in form.spoken}
    if (hand := words[0].capitalize()) in spoken:
        return " ".join((spoken[hand], *words[1:]))
    near = get_close_matches(words[0], tuple(form_of), n=1)
    return form_of[near[0]].example if near else ""
