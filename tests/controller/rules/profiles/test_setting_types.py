"""The types of setting values: fitting values and their text."""

from typing import cast

import pytest

from controller.rules.profiles.setting_definitions import SHAPES, choices_setting
from controller.rules.profiles.setting_types import (
    TEXT_LENGTH_MAX,
    KeyedTexts,
    OddsLimitText,
    OddsText,
    Shape,
    Text,
    Token,
    Tokens,
    WholeNumber,
    WholeNumbers,
    YesNo,
    describe_allowed,
    describe_value,
    fits,
)
from controller.system.messages.catalogue import to_words


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (WholeNumber(1, 1), "1"),
        (WholeNumber(1, 16), "a whole number from 1 to 16"),
        (WholeNumber(1, 16, "none"), 'a whole number from 1 to 16, or "none"'),
        (WholeNumbers(0, 5), "a list, each at most once, of whole numbers from 0 to 5"),
        (YesNo(), "true or false"),
        (YesNo((True,), "not_applicable"), 'true, or "not_applicable"'),
        (Token(("off", "on")), '"off", "on"'),
        (Tokens(("i", "ii")), 'a list, each at most once, of "i", "ii"'),
        (OddsText(), 'odds such as "8:1"'),
        (OddsText(absent=True), 'odds such as "8:1", or "not_applicable"'),
        (OddsLimitText(), '"at_least N:M" or "exactly N:M"'),
        (OddsLimitText(absent=True), '"at_least N:M" or "exactly N:M", or "not_applicable"'),
        (Text(), "one printable line of at most 200 characters"),
        (
            KeyedTexts({"tie": (), "wins": ("player", "banker")}),
            'a list of lines "KEY: TEXT", each KEY at most once, of tie, wins {player} {banker}',
        ),
    ],
)
def test_the_allowed_values_of_a_shape_as_text(shape: Shape, expected: str) -> None:
    assert to_words(describe_allowed(shape)) == expected


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (WholeNumber(1, 16), 1),
        (WholeNumber(1, 16), 16),
        (WholeNumber(1, 16, "none"), "none"),
        (WholeNumbers(0, 5), [0, 5]),
        (YesNo(), False),
        (YesNo((True,), "not_applicable"), "not_applicable"),
        (Token(("off", "on")), "on"),
        (Tokens(("i", "ii")), ["ii", "i"]),
        (Tokens(("i", "ii"), least=0), []),
        (OddsText(), "8:1"),
        (OddsText(absent=True), "not_applicable"),
        (OddsLimitText(), "at_least 8:1"),
        (OddsLimitText(), "exactly 3:2"),
        (OddsLimitText(absent=True), "not_applicable"),
        (Text(), ""),
        (Text(), "x" * TEXT_LENGTH_MAX),
        (KeyedTexts({"tie": ()}), []),
        (KeyedTexts({"tie": ()}), ["tie: 7: 7"]),
        (KeyedTexts({"tie": ()}), ["tie:so {{ it }} is"]),
        (KeyedTexts({"tie": ("player",), "wins": ()}), ["tie: a {player} tie", "wins: it wins"]),
    ],
)
def test_fitting_values(shape: Shape, value: object) -> None:
    assert fits(shape, value)


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (WholeNumber(1, 16), 0),
        (WholeNumber(1, 16), 17),
        (WholeNumber(1, 16), 6.0),
        (WholeNumber(1, 16), True),
        (WholeNumber(1, 16), "none"),
        (WholeNumber(1, 16), ""),
        (WholeNumbers(0, 5), []),
        (WholeNumbers(0, 5), [5, 5]),
        (WholeNumbers(0, 5), [6]),
        (WholeNumbers(0, 5), 5),
        (YesNo(), 1),
        (YesNo(), ""),
        (YesNo((True,)), False),
        (Token(("off", "on")), True),
        (Tokens(("i", "ii")), []),
        (Tokens(("i", "ii")), ["i", "i"]),
        (Tokens(("i", "ii")), [["i"]]),
        (Tokens(("i", "ii")), "i"),
        (OddsText(), "not_applicable"),
        (OddsText(), "8"),
        (OddsText(), "0:1"),
        (OddsText(), "8:1 "),
        (OddsText(), 8),
        (OddsLimitText(), "8:1"),
        (OddsLimitText(), "not_applicable"),
        (OddsLimitText(), "at least 8:1"),
        (Text(), "x" * (TEXT_LENGTH_MAX + 1)),
        (Text(), "two\nlines"),
        (Text(), " "),
        (Text(), 5),
        (KeyedTexts({"tie": ()}), "tie: it is a tie"),
        (KeyedTexts({"tie": ()}), [5]),
        (KeyedTexts({"tie": ()}), ["win: it wins"]),
        (KeyedTexts({"tie": ()}), ["tie"]),
        (KeyedTexts({"tie": ()}), ["tie: "]),
        (KeyedTexts({"tie": ()}), ["tie: {player}"]),
        (KeyedTexts({"tie": ("player",)}), ["tie: {player:>3}"]),
        (KeyedTexts({"tie": ("player",)}), ["tie: {player!r}"]),
        (KeyedTexts({"tie": ("player",)}), ["tie: {player.real}"]),
        (KeyedTexts({"tie": ("player",)}), ["tie: {}"]),
        (KeyedTexts({"tie": ()}), ["tie: {"]),
        (KeyedTexts({"tie": ()}), ["tie: a", "tie: b"]),
        (KeyedTexts({"tie": ()}), ["tie: two\nlines"]),
    ],
)
def test_values_that_do_not_fit(shape: Shape, value: object) -> None:
    assert not fits(shape, value)


def test_an_unknown_shape_is_an_internal_error() -> None:
    unknown = cast("Shape", "a colour")
    with pytest.raises(AssertionError, match="a colour"):
        describe_allowed(unknown)
    with pytest.raises(AssertionError, match="a colour"):
        fits(unknown, "red")


def test_a_setting_with_choices_has_a_choices_setting() -> None:
    assert choices_setting("vig_rate") == "vig_rate_allowed"
    assert choices_setting("vig_rate_allowed") == ""
    assert choices_setting("decks_min") == ""


def test_every_choices_setting_belongs_to_a_setting() -> None:
    owners = [name.removesuffix("_allowed") for name in SHAPES if name.endswith("_allowed")]
    assert [name for name in owners if name not in SHAPES] == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "true"),
        (False, "false"),
        (5, "5"),
        ("hand", "hand"),
        ("", "nothing"),
        ((5, 4), "5, 4"),
        (("i", "ii"), "i, ii"),
        ((), "nothing"),
    ],
)
def test_the_text_of_a_value(value: object, expected: str) -> None:
    assert describe_value(cast("bool", value)) == expected
