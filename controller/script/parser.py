"""Parses a dealing script into statements and reports every error in it at once.

Source: controller/script/README.md, "Statements", "Errors".
"""

from collections.abc import Callable
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from controller.procedure.events import (
    NoticeRecorded,
    SettingChangeRequested,
    ShufflerDisconnected,
    ShufflerEventsLost,
    WarningCleared,
)
from controller.script import card_statements, people_statements, shuffler_statements
from controller.script.errors import ScriptError, ScriptProblem, StatementError
from controller.script.statement_forms import STATEMENT_FORMS
from controller.script.statement_reader import StatementReader
from controller.script.statements import ShufflerStatement, Statement, StatementBody
from controller.script.tokens import StatementWords, split_statements

_HAND_WORDS: Final = tuple(f"{hand}{number}" for hand in "PB" for number in ("", 1, 2, 3))
_FORM_OF: Final = MappingProxyType(
    {
        **{form.first: form for form in STATEMENT_FORMS},
        **{word: form for word in _HAND_WORDS for form in STATEMENT_FORMS if form.first == word[0]},
    }
)
_READERS: Final[MappingProxyType[str, Callable[[StatementReader], StatementBody]]] = (
    MappingProxyType(
        {
            "burn": card_statements.read_burn,
            "card": card_statements.read_due_card,
            "unclaimed": card_statements.read_unclaimed_card,
            "custody": card_statements.read_custody_finding,
            "again": card_statements.read_repeated_card,
            "result": card_statements.read_result,
            "lost": card_statements.read_lost,
            "day": card_statements.read_day,
            "found": people_statements.read_found_face_up,
            "turn": people_statements.read_turn,
            "give": people_statements.read_give_up,
            "ghost": people_statements.read_ghost_hand,
            "record": people_statements.read_act,
            "wagers": people_statements.read_wagers,
            "collect": people_statements.read_collect,
            "document": people_statements.read_document,
            "leave": people_statements.read_leave,
            "notice": people_statements.read_notice,
            "set": people_statements.read_setting_change,
            "correct": people_statements.read_correction,
            "resolve": people_statements.read_resolve,
            "shoe": people_statements.read_stated_shoe,
            "close": people_statements.read_close_shoe,
            "shuffler": shuffler_statements.read_shuffler,
            "clear": shuffler_statements.read_clear_warning,
        }
    )
)
_TIMED: Final = (
    NoticeRecorded,
    SettingChangeRequested,
    ShufflerStatement,
    ShufflerEventsLost,
    ShufflerDisconnected,
    WarningCleared,
)
_PLACED: Final = ("more", "out", "extra", "burned")


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
        if isinstance(body, _TIMED):
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
    reader.accept(first.text)
    if first.text in _HAND_WORDS:
        body: StatementBody = card_statements.read_hand_card(reader, first.text)
    elif first.text in _PLACED:
        body = card_statements.read_placed_card(reader, first.text)
    elif first.text in _READERS:
        body = _READERS[first.text](reader)
    else:
        body = card_statements.read_plain(reader, first.text)
    reader.expect_end()
    return body


def _unknown_statement(statement: StatementWords) -> StatementError:
    first = statement.words[0]
    near = get_close_matches(first.text, tuple(_FORM_OF), n=1) or ["P"]
    allowed = ", ".join(form.keywords for form in STATEMENT_FORMS)
    message = f'no statement begins with "{first.text}". Allowed: {allowed}'
    return StatementError(first.column, f"{message}. Remedy: write `{_FORM_OF[near[0]].example}`")
