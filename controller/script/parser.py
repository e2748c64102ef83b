"""Parses a dealing script into statements and reports every error in it at once.

Source: controller/script/README.md, "Statements", "Errors".
"""

from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from controller.actions.actions import OperatorAction
from controller.procedure.events import ShufflerDisconnected, ShufflerEventsLost
from controller.script.errors import ScriptError, ScriptProblem, StatementError
from controller.script.statement_forms import STATEMENT_FORMS
from controller.script.statement_reader import StatementReader
from controller.script.statements import ShufflerStatement, Statement, StatementBody
from controller.script.tokens import StatementWords, split_statements

_FORM_OF: Final = MappingProxyType({word: form for form in STATEMENT_FORMS for word in form.first})


def parse(text: str, name: str = "script") -> tuple[Statement, ...]:
    """The statements of a script. Raises ScriptError with every problem, each behind `name`."""
    found, word_problems = split_statements(text)
    problems = list(word_problems)
    statements: list[Statement] = []
    clock_ns = 0
    for words in found:
        try:
            body = _parse_statement(words, clock_ns)
        except StatementError as error:
            problems.append(ScriptProblem(words.line, error.column, error.message))
            continue
        match body:
            case OperatorAction(at=at):
                clock_ns = at.utc_ns
            case ShufflerStatement() | ShufflerEventsLost() | ShufflerDisconnected():
                clock_ns = body.at_ns
        statements.append(Statement(words.line, words.words[0].column, body))
    if problems:
        in_order = sorted(problems, key=lambda one: (one.line, one.column))
        raise ScriptError(name, tuple(in_order))
    return tuple(statements)


def _parse_statement(statement: StatementWords, clock_ns: int) -> StatementBody:
    first = statement.words[0]
    form = _FORM_OF.get(first.text)
    if form is None or first.quoted:
        raise _unknown_statement(statement)
    reader = StatementReader(statement, form.example, clock_ns)
    body = form.read(reader)
    reader.expect_end()
    return body


def _unknown_statement(statement: StatementWords) -> StatementError:
    first = statement.words[0]
    near = get_close_matches(first.text, tuple(_FORM_OF), n=1) or ["P"]
    allowed = ", ".join(form.keywords for form in STATEMENT_FORMS)
    message = f'no statement begins with "{first.text}". Allowed: {allowed}'
    return StatementError(first.column, f"{message}. Remedy: write `{_FORM_OF[near[0]].example}`")
