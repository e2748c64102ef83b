"""Phrases of calls and constants: complete, and as the README lists them."""

from importlib.resources import files

import pytest

from controller.rules.profiles.call_phrases import DEFAULT_WORDS, CallPhrase
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.profiles.setting_definitions import CONSTANTS, LATER_SETTINGS, SHAPES
from controller.rules.profiles.setting_types import (
    NOT_APPLICABLE,
    Shape,
    Text,
    Token,
    WholeNumber,
    YesNo,
    fits,
)

# Settings that RuleValues holds under another name, or that stand for one of its values.
READ_AS = {
    "ez_dragon7": "ez",
    "ghost_hands": "ghost_hands_max",
    "tie_result_player_banker": "tie_result",
    "vig_deferred_deadline": "vig_deadline",
    "pay_procedure_pit_uniform": "pay_pit_uniform",
    "opening_inspection_record": "opening_inspection",
}


def readme_table(mark: str) -> dict[str, str]:
    """The rows of the page between the marks: first cell to second."""
    text = (files("controller.rules.profiles") / "values.md").read_text("utf-8")
    table = text.split(f"<!-- {mark}:begin -->\n")[1].split(f"<!-- {mark}:end -->")[0]
    cells = (row.strip("| ").split(" | ", 1) for row in table.splitlines()[2:])
    return {name.strip("`"): words for name, words in cells}


def test_the_page_lists_every_phrase_with_its_words() -> None:
    assert readme_table("phrases") == {one: words.text for one, words in DEFAULT_WORDS.items()}


def test_the_page_lists_every_constant_with_its_reason() -> None:
    assert readme_table("constants") == CONSTANTS


def test_every_phrase_has_words_that_a_house_could_have_written() -> None:
    assert set(DEFAULT_WORDS) == set(CallPhrase)
    lines = [f"{one}: {words.text}" for one, words in DEFAULT_WORDS.items()]
    assert fits(SHAPES["call_texts"], lines)


def values_of(shape: Shape) -> list[object]:
    """The values of a shape with few of them."""
    match shape:
        case Token(words):
            found: list[object] = list(words)
        case YesNo(answers, word):
            found = [*answers, word]
        case WholeNumber(least, most, word):
            found = [*range(least, most + 1), word]
        case _:
            found = [1, 2]
    return [one for one in found if one not in ("", NOT_APPLICABLE)]


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_has_one_value(name: str) -> None:
    assert len(values_of(SHAPES[name])) == 1


def test_every_other_setting_is_read_or_bounds_one_that_is() -> None:
    """Nothing is only written down: what the program does not read is named as a constant."""
    read = {READ_AS.get(name, name) for name in RuleValues.__struct_fields__} | set(READ_AS)
    bounds = {name for name in SHAPES if name.endswith("_allowed")}
    texts = {name for name, shape in SHAPES.items() if isinstance(shape, Text)}
    assert set(SHAPES) - bounds - texts - set(CONSTANTS) <= read
    assert not set(CONSTANTS) & read


def test_a_setting_of_a_later_version_has_a_value_that_fits() -> None:
    assert all(fits(SHAPES[name], entry["value"]) for name, entry in LATER_SETTINGS.items())
