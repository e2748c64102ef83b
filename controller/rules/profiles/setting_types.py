"""The types of setting values: which TOML values fit, and the allowed values as text."""

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Final, assert_never

from msgspec import Struct

from controller.rules.odds import Odds, OddsLimit
from foundation.message import Message, message

# A setting as stored: whole number, bool, word, or a tuple of words or whole numbers.
SettingValue = int | bool | str | tuple[int | str, ...]

NOT_APPLICABLE: Final = "not_applicable"
TEXT_LENGTH_MAX: Final = 200


class WholeNumber(Struct, frozen=True):
    """A whole number from `least` to `most`, or `word` where it is not empty."""

    least: int
    most: int
    word: str = ""


class WholeNumbers(Struct, frozen=True):
    """One or more whole numbers from `least` to `most`, without duplicates."""

    least: int
    most: int


class YesNo(Struct, frozen=True):
    """True or false; a single answer where a clause leaves no alternative."""

    answers: tuple[bool, ...] = (True, False)
    word: str = ""


class Token(Struct, frozen=True):
    """One of the words."""

    words: tuple[str, ...]


class Tokens(Struct, frozen=True):
    """At least `least` of the words, without duplicates."""

    words: tuple[str, ...]
    least: int = 1


class OddsText(Struct, frozen=True):
    """Odds such as 8:1, or not_applicable where `absent` allows it."""

    absent: bool = False


class OddsLimitText(Struct, frozen=True):
    """A limit of odds such as at_least 8:1, or not_applicable where `absent` allows it."""

    absent: bool = False


class Text(Struct, frozen=True):
    """One printable line or nothing: a reference to the house's documents."""


class KeyedTexts(Struct, frozen=True):
    """Lines "KEY: TEXT", each key at most once; each key with the names allowed in braces."""

    keys: Mapping[str, tuple[str, ...]]


Shape = (
    WholeNumber
    | WholeNumbers
    | YesNo
    | Token
    | Tokens
    | OddsText
    | OddsLimitText
    | Text
    | KeyedTexts
)


def describe_allowed(shape: Shape) -> Message:
    """The allowed values of this shape."""
    match shape:
        case WholeNumber(least, most, word):
            numbers = message("allowed_whole_number", least=least, most=most)
            return _or_word(
                message("allowed_number", number=least) if least == most else numbers, word
            )
        case WholeNumbers(least, most):
            return message("allowed_whole_numbers", least=least, most=most)
        case YesNo(answers, word):
            truths = tuple("true" if answer else "false" for answer in answers)
            return _or_word(message("allowed_truths", truths=truths), word)
        case Token(words):
            return message("listed", parts=_quoted(words))
        case Tokens(words):
            return message("allowed_list_of", parts=_quoted(words))
        case OddsText(absent):
            return _or_word(message("allowed_odds"), NOT_APPLICABLE if absent else "")
        case OddsLimitText(absent):
            return _or_word(message("allowed_odds_limit"), NOT_APPLICABLE if absent else "")
        case Text():
            return message("allowed_text", most=TEXT_LENGTH_MAX)
        case KeyedTexts(keys):
            return message(
                "allowed_keyed_texts", keys=tuple(_key_text(*one) for one in keys.items())
            )
        case _:
            assert_never(shape)


def _or_word(allowed: Message, word: str) -> Message:
    return message("allowed_or_word", allowed=allowed, word=word) if word else allowed


def _quoted(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f'"{word}"' for word in words)


def _key_text(key: str, names: tuple[str, ...]) -> str | Message:
    """A key, and the names that its text may have in braces."""
    braced = tuple(f"{{{name}}}" for name in names)
    return message("allowed_key_with_names", key=key, names=braced) if names else key


def fits(shape: Shape, value: object) -> bool:
    """Whether a TOML value fits the shape."""
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
            return _text_fits(value)
        case KeyedTexts(keys):
            return _list_fits(value, 0, lambda one: _line_fits(one, keys)) and _keys_differ(value)
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


def _text_fits(value: object) -> bool:
    return (
        isinstance(value, str)
        and value.isprintable()
        and value == value.strip()
        and len(value) <= TEXT_LENGTH_MAX
    )


def _line_fits(line: object, keys: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a line has a known key, a text, and in braces only the names allowed there."""
    if not isinstance(line, str) or not _text_fits(line):
        return False
    key, _, text = line.partition(":")
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return False
    plain = {(None, None, None), *((name, "", None) for name in keys.get(key, ()))}
    return key in keys and text.strip() != "" and all(part[1:] in plain for part in parts)


def _keys_differ(lines: object) -> bool:
    assert isinstance(lines, list)
    found = [line.partition(":")[0] for line in lines]
    return len(set(found)) == len(found)


def _reads(parse: Callable[[str], object], value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse(value)
    except ValueError:
        return False
    return True


def to_setting_value(value: object) -> SettingValue:
    """The stored form of a TOML value that fits its shape: lists become tuples."""
    assert isinstance(value, int | str | list)
    return tuple(value) if isinstance(value, list) else value


def describe_value(value: SettingValue) -> str:
    """A value as text: true, hand, 4, 5."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "nothing"
    return str(value) or "nothing"
