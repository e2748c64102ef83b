"""The shapes a setting can have: what it may hold at all, whatever the clauses say.

Responsible for: telling a value that fits from one that does not, and saying in words what fits.
Not responsible for: which setting has which shape (settings) and what the clauses allow (house).
Source: package README, "Profiles".
"""

from collections.abc import Callable
from typing import Final, assert_never

from controller.rules.odds import Odds, OddsLimit
from firmware_bridge.values import dataclass

# What a TOML value becomes: whole numbers, yes and no, words, lists of words or whole numbers.
SettingValue = int | bool | str | tuple[int | str, ...]

NOT_APPLICABLE: Final = "not_applicable"
TEXT_LENGTH_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number from `least` to `most`, or the word, where there is one."""

    least: int
    most: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class WholeNumbers:
    """Some whole numbers from `least` to `most`, at least one, none twice."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class YesNo:
    """True or false. One alone: a rule without an alternative, written down as a clause says it."""

    answers: tuple[bool, ...] = (True, False)
    word: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """One of the words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Some of the words, at least `least`, none twice."""

    words: tuple[str, ...]
    least: int = 1


@dataclass(frozen=True, slots=True)
class OddsText:
    """Odds such as 8:1, or not_applicable where `absent` allows it."""

    absent: bool = False


@dataclass(frozen=True, slots=True)
class OddsLimitText:
    """A limit of odds such as at_least 8:1, or not_applicable where `absent` allows it."""

    absent: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """One printable line, or nothing: a reference to the house's own papers."""


Shape = WholeNumber | WholeNumbers | YesNo | Token | Tokens | OddsText | OddsLimitText | Text


def allowed(shape: Shape) -> str:
    """What a setting of this shape may hold, in words."""
    match shape:
        case WholeNumber(least, most, word):
            numbers = f"{least}" if least == most else f"a whole number from {least} to {most}"
            return f'{numbers}, or "{word}"' if word else numbers
        case WholeNumbers(least, most):
            return f"a list, each at most once, of whole numbers from {least} to {most}"
        case YesNo(answers, word):
            said = " or ".join("true" if answer else "false" for answer in answers)
            return f'{said}, or "{word}"' if word else said
        case Token(words):
            return ", ".join(f'"{word}"' for word in words)
        case Tokens(words):
            return "a list, each at most once, of " + ", ".join(f'"{word}"' for word in words)
        case OddsText(absent):
            return 'odds such as "8:1"' + _or_absent(absent)
        case OddsLimitText(absent):
            return '"at_least N:M" or "exactly N:M"' + _or_absent(absent)
        case Text():
            return f"one printable line of at most {TEXT_LENGTH_MAX} characters"
        case _:
            assert_never(shape)


def _or_absent(absent: bool) -> str:
    return f', or "{NOT_APPLICABLE}"' if absent else ""


def fits(shape: Shape, value: object) -> bool:
    """Whether a value as TOML gives it is one the setting may hold."""
    match shape:
        case WholeNumber(least, most, word):
            return (word != "" and value == word) or _number_fits(value, least, most)
        case WholeNumbers(least, most):
            return _list_fits(value, 1, lambda one: _number_fits(one, least, most))
        case YesNo(answers, word):
            return (word != "" and value == word) or any(value is answer for answer in answers)
        case Token(words):
            return value in words
        case Tokens(words, least):
            return _list_fits(value, least, lambda one: one in words)
        case OddsText(absent):
            return (absent and value == NOT_APPLICABLE) or _reads(Odds.parse, value)
        case OddsLimitText(absent):
            return (absent and value == NOT_APPLICABLE) or _reads(OddsLimit.parse, value)
        case Text():
            return (
                isinstance(value, str)
                and value.isprintable()
                and value == value.strip()
                and len(value) <= TEXT_LENGTH_MAX
            )
        case _:
            assert_never(shape)


def _number_fits(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _list_fits(value: object, least: int, one_fits: Callable[[object], bool]) -> bool:
    return (
        isinstance(value, list)
        and len(value) >= least
        and all(one_fits(one) for one in value)
        and len(set(value)) == len(value)
    )


def _reads(parse: Callable[[str], object], value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse(value)
    except ValueError:
        return False
    return True


def frozen(value: object) -> SettingValue:
    """A value that fits its shape, as it is kept."""
    assert isinstance(value, int | str | list)
    return tuple(value) if isinstance(value, list) else value


def in_words(value: SettingValue) -> str:
    """A value as people write it: true, "hand", 4, 5."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "nothing"
    return str(value) or "nothing"
