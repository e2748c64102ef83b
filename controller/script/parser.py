"""From the text of a dealing script to its statements.

Responsible for: choosing the form of each statement by its first word, and telling every problem
of a script at once, each with line and column.
Not responsible for: the single statements (said_of_cards, said_of_people, said_of_shuffler).
Source: package README, "Statements", "Errors".
"""

from collections.abc import Callable
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from controller.procedure.events import (
    NoticeRecorded,
    SettingChangeAsked,
    ShufflerEventsLost,
    ShufflerGone,
    WarningCleared,
)
from controller.script import card_statements as said_of_cards
from controller.script import people_statements as said_of_people
from controller.script import shuffler_statements as said_of_shuffler
from controller.script.errors import Misread, Problem, ScriptError
from controller.script.statement_forms import FORMS
from controller.script.statement_reader import Reading
from controller.script.statements import Said, ShufflerSaid, Statement
from controller.script.tokens import Spoken, spoken

_HAND_WORDS: Final = tuple(f"{hand}{number}" for hand in "PB" for number in ("", 1, 2, 3))
_FORM_OF: Final = MappingProxyType(
    {
        **{form.first: form for form in FORMS},
        **{word: form for word in _HAND_WORDS for form in FORMS if form.first == word[0]},
    }
)
_READERS: Final[MappingProxyType[str, Callable[[Reading], Said]]] = MappingProxyType(
    {
        "burn": said_of_cards.burn,
        "card": said_of_cards.due_card,
        "unclaimed": said_of_cards.unclaimed_card,
        "custody": said_of_cards.custody_found,
        "again": said_of_cards.repeated_card,
        "result": said_of_cards.result,
        "lost": said_of_cards.lost,
        "day": said_of_cards.day,
        "found": said_of_people.found_face_up,
        "turn": said_of_people.turned,
        "give": said_of_people.given_up,
        "ghost": said_of_people.ghost_hand,
        "record": said_of_people.recorded,
        "wagers": said_of_people.wagers,
        "collect": said_of_people.collected,
        "document": said_of_people.documented,
        "leave": said_of_people.left,
        "notice": said_of_people.notice,
        "set": said_of_people.setting_change,
        "resolve": said_of_people.resolved,
        "close": said_of_people.closed,
        "shuffler": said_of_shuffler.told,
        "clear": said_of_shuffler.cleared,
    }
)
_TIMED: Final = (
    NoticeRecorded,
    SettingChangeAsked,
    ShufflerSaid,
    ShufflerEventsLost,
    ShufflerGone,
    WarningCleared,
)
_PLACED: Final = ("more", "out", "extra", "burned")


def parse(text: str, name: str = "script") -> tuple[Statement, ...]:
    """The statements of a script. Raises ScriptError with every problem; `name` is said in it."""
    sentences, no_words = spoken(text)
    problems = list(no_words)
    statements: list[Statement] = []
    clock_ns = 0
    for sentence in sentences:
        try:
            said = _said(sentence, clock_ns)
        except Misread as misread:
            problems.append(Problem(sentence.line, misread.column, misread.words))
            continue
        if isinstance(said, _TIMED):
            clock_ns = said.at_ns
        statements.append(Statement(sentence.line, sentence.words[0].column, said))
    if problems:
        in_order = sorted(problems, key=lambda one: (one.line, one.column))
        raise ScriptError(name, tuple(in_order))
    return tuple(statements)


def _said(sentence: Spoken, clock_ns: int) -> Said:
    first = sentence.words[0]
    form = _FORM_OF.get(first.text)
    if form is None or first.quoted:
        raise _unknown(sentence)
    read = Reading(sentence, form.example, clock_ns)
    read.take(first.text)
    if first.text in _HAND_WORDS:
        said: Said = said_of_cards.hand_card(read, first.text)
    elif first.text in _PLACED:
        said = said_of_cards.placed_card(read, first.text)
    elif first.text in _READERS:
        said = _READERS[first.text](read)
    else:
        said = said_of_cards.plain(read, first.text)
    read.ended()
    return said


def _unknown(sentence: Spoken) -> Misread:
    first = sentence.words[0]
    near = get_close_matches(first.text, tuple(_FORM_OF), n=1) or ["P"]
    allowed = ", ".join(form.words for form in FORMS)
    words = f'"{first.text}" begins no statement; allowed: {allowed}'
    return Misread(first.column, f"{words}; write `{_FORM_OF[near[0]].example}`")
