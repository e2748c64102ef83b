"""Renders messages as words of a language, from that language's gettext catalogue.

At the edge alone: command line, logs, page, answers. English is the language there is.

Source: controller/messages/README.md.
"""

from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from string import Formatter
from typing import Any, Final

from firmware_bridge.message import Message

ENGLISH: Final = "en"
# The number that decides between singular and plural.
COUNT: Final = "count"
_COMMA: Final = "separator_comma"


def to_words(text: Message, language: str = ENGLISH) -> str:
    """The message in words; one without a text in the catalogue as its id and parameters."""
    parameters = dict(text.parameters)
    pattern = _pattern(text, language)
    if pattern is None:
        return _without_text(text, language)
    try:
        return _Renderer(language).vformat(pattern, (), parameters)
    except (LookupError, ValueError):
        return _without_text(text, language)


def _pattern(text: Message, language: str) -> str | None:
    translations = _translations(language)
    counts = [value for name, value in text.parameters if name == COUNT]
    number = counts[0] if counts and isinstance(counts[0], int) else 1
    found = translations.ngettext(text.id, text.id, number)
    if found == text.id:
        found = translations.gettext(text.id)
    return None if found == text.id else found


def _without_text(text: Message, language: str) -> str:
    named = (f"{name}={_plain(value, language)}" for name, value in text.parameters)
    return " ".join((text.id, *named))


def _plain(value: object, language: str) -> str:
    if isinstance(value, Message):
        return to_words(value, language)
    if isinstance(value, tuple):
        return ",".join(_plain(one, language) for one in value)
    return str(value)


class _Renderer(Formatter):
    """Puts parameters into a text; those of a list with the separator that the field names."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple):
            separator = to_words(Message(format_spec or _COMMA), self._language)
            return separator.join(_plain(one, self._language) for one in value)
        if format_spec:
            raise ValueError(format_spec)
        return _plain(value, self._language)


@cache
def _translations(language: str) -> GNUTranslations:
    compiled = files("controller.messages") / "catalogues" / f"{language}.mo"
    with compiled.open("rb") as file:
        return GNUTranslations(file)


def catalogue_source(language: str = ENGLISH) -> bytes:
    """The catalogue as translators read it, for a bundle that was rendered with it."""
    return (files("controller.messages") / "catalogues" / f"{language}.po").read_bytes()
