"""Every answer of the net's scripts cites its profile's document, or says that it borrows."""

import json
import re
from collections.abc import Iterator

import pytest
import scripts_file
from verdict_answers import rule_book

from controller.cli.rules.try_output import statement_json, statement_lines
from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.verdicts import Irregularity
from controller.record.irregularity import permitted_words
from controller.rules.actions.choices import FloorDecision
from controller.rules.profiles.rule_points import RulePoint

EVERY_NTH = 12
PROFILES = sorted({one.profile for one in scripts_file.read()})
CLAUSE = re.compile(r"\b(?:NY|NJ|WA|HG|S42)-[\w.-]*\w(?: \(borrowed, [DX]-\d+\))?")


def played(profile: str) -> Iterator[tuple[RuleBook, PlayedStatement]]:
    scripts = [one for one in scripts_file.read() if one.profile == profile]
    for one in scripts[::EVERY_NTH]:
        book = rule_book(one.profile, one.decks, one.observed)
        for statement in play(book, parse("\n".join(one.statements))):
            yield book, statement


def borrowed_in(value: object) -> Iterator[tuple[str, object]]:
    """Each clause cited in JSON values, with what stands beside it on borrowing."""
    match value:
        case dict():
            for key in ("clauses", "charged_by"):
                for one in value.get(key, ()):
                    yield one, value.get("borrowed", {}).get(one)
            for inner in value.values():
                yield from borrowed_in(inner)
        case list():
            for inner in value:
                yield from borrowed_in(inner)


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_cited_is_the_profiles_own_or_said_to_be_borrowed(profile: str) -> None:
    cited = 0
    for book, statement in played(profile):
        own = f"{book.document}-"
        listed = {one for point in RulePoint for one in book.clauses(point)}
        listed |= {one for value in book.profile.values for one in value.basis}
        for words in CLAUSE.findall("\n".join(statement_lines(book, statement)[1:])):
            cited += 1
            assert words.startswith(own) is ("borrowed" not in words), words
            assert words.partition(" ")[0] in listed, words
    assert cited > 500


@pytest.mark.parametrize("profile", PROFILES)
def test_json_names_the_decision_beside_a_borrowed_clause(profile: str) -> None:
    for book, statement in played(profile):
        shown = json.loads(json.dumps(statement_json(book, statement)))
        for clause, decision in borrowed_in(shown):
            assert clause.startswith(f"{book.document}-") is (decision is None), clause


def is_between_coups(table: TableState) -> bool:
    """Whether no coup is open, and none waits for the decision that a suspension awaits."""
    waits = table.suspension is not None and (table.suspension.coup or table.suspension.coups_dealt)
    return not waits and (table.shoe is None or table.shoe.coup is None)


@pytest.mark.parametrize("profile", PROFILES)
def test_between_coups_no_void_of_a_coup_is_offered(profile: str) -> None:
    raised = [
        verdict
        for _, statement in played(profile)
        if is_between_coups(statement.state)
        for verdict in statement.verdicts
        if isinstance(verdict, Irregularity)
    ]
    assert raised
    for one in raised:
        assert FloorDecision.VOID_COUP not in [each.decision for each in one.decisions], one
        assert not any(text.startswith("void the coup") for text in permitted_words(one)), one
