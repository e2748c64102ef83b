"""The README of the script language: every example plays, every statement form is listed."""

import re
from pathlib import Path

import pytest

from controller.core.script.parser import parse
from controller.core.script.player import play
from controller.core.script.statement_forms import STATEMENT_FORMS, unparse
from controller.procedure.effects import CoupClosed
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.profiles.load import load_profile

README = Path(__file__).parents[4] / "controller" / "core" / "script" / "README.md"
EXAMPLES = re.findall(r"```script (\S+)(?: observed (\S+))?\n(.*?)```", README.read_text(), re.S)
PROFILES = [profile for profile, _, _ in EXAMPLES]


def table_of_statements() -> str:
    return README.read_text("utf-8").split("## Statements")[1].split("## Cards")[0]


def test_the_examples_cover_these_profiles() -> None:
    assert PROFILES == ["ny-midi", "nj-minibaccarat", "wa-mini", "house-baccarat", "s42-mini"]


@pytest.mark.parametrize(("profile", "observed", "text"), EXAMPLES, ids=PROFILES)
def test_an_example_plays_and_settles_a_coup(profile: str, observed: str, text: str) -> None:
    facts = tuple(ObservableFact(word) for word in observed.split(",") if word)
    rules = load_profile(profile)
    book = RuleBook.of(rules, rules.rules.decks_per_shoe, facts)

    played = play(book, parse(text))

    closed = [effect for one in played for effect in one.effects if isinstance(effect, CoupClosed)]
    assert closed
    assert all(one.verdicts or one.effects for one in played)


@pytest.mark.parametrize("form", STATEMENT_FORMS, ids=lambda form: form.keywords)
def test_every_statement_form_is_in_the_table(form) -> None:
    assert re.search(rf"`{re.escape(form.keywords)}\b", table_of_statements())


@pytest.mark.parametrize("form", STATEMENT_FORMS, ids=lambda form: form.keywords)
def test_the_example_of_a_form_parses_to_that_form(form) -> None:
    (statement,) = parse(form.example)

    assert unparse(statement.body).startswith(form.keywords)
