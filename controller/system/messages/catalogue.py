"""Renders messages as words of a language, from that language's gettext catalogue.

At the edge alone: command line, logs, page, answers. A language is a file of `catalogues`; what
speaks to one person in another language than English does so inside `speaking`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from pathlib import PurePath
from string import Formatter
from types import MappingProxyType
from typing import Any, Final

from foundation.message import Message
from foundation.recorded_text import FREE_TEXT_PARAMETERS

ENGLISH: Final = "en"
# The number that decides between singular and plural.
COUNT: Final = "count"
_COMMA: Final = "separator_comma"
# The name of a language in that language.
_NAME: Final = "language_name"
# The id of the words for a code, before the code.
_CODE: Final = "code_"
# A parameter of such a name is what somebody wrote, or a person.
_NEVER_CODE: Final = (*FREE_TEXT_PARAMETERS, "person", "second", "staff", "patron", "dealer", "who")
_COMPILED: Final = ".mo"
_FOLDER: Final = files("controller.system.messages") / "catalogues"
# A thread begins with English; a task goes on with the language of the one that made it.
_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default=ENGLISH)


class UnknownLanguageError(ValueError):
    """A language without a catalogue."""

    def __init__(self, language: str) -> None:
        super().__init__(
            f"language: {language!r} has no catalogue. Allowed: {', '.join(languages())}. Remedy:"
            " name one of them"
        )


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Inside it `to_words` speaks this language, in this thread or task alone.

    Raises:
        UnknownLanguageError: there is no catalogue of it.
    """
    if language not in languages():
        raise UnknownLanguageError(language)
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def spoken_language() -> str:
    """The language that `to_words` speaks here."""
    return _SPOKEN.get()


@cache
def languages() -> Mapping[str, str]:
    """The languages there are, English first: their own names by those of the catalogues."""
    names = (PurePath(one.name) for one in _FOLDER.iterdir())
    found = sorted(one.stem for one in names if one.suffix == _COMPILED)
    ordered = sorted(found, key=lambda one: one != ENGLISH)
    return MappingProxyType({one: to_words(Message(_NAME), one) for one in ordered})


def to_words(text: Message, language: str | None = None) -> str:
    """The message in words of this language, or of the one that is spoken here.

    A text that the language does not have is in English; one without any as id and parameters.
    """
    own = language or _SPOKEN.get()
    parameters = dict(text.parameters)
    for one in dict.fromkeys((own, ENGLISH)):
        pattern = _pattern(text, one)
        if pattern is not None:
            try:
                return _Renderer(own).vformat(pattern, (), parameters)
            except (LookupError, ValueError):
                continue
    return _without_text(text, own)


def code_words(code: str, language: str | None = None) -> str:
    """A code as this language says it, such as an outcome, an act or the colour of a back.

    English says each as it is.
    """
    said = _pattern(Message(f"{_CODE}{code}"), language or _SPOKEN.get())
    return code if said is None else said


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

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        value = super().get_value(key, args, kwargs)
        if self._language == ENGLISH or str(key).startswith(_NEVER_CODE):
            return value
        if isinstance(value, tuple):
            return tuple(self._said(one) for one in value)
        return self._said(value)

    def _said(self, value: object) -> object:
        return code_words(value, self._language) if isinstance(value, str) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple):
            separator = to_words(Message(format_spec or _COMMA), self._language)
            return separator.join(_plain(one, self._language) for one in value)
        if format_spec:
            raise ValueError(format_spec)
        return _plain(value, self._language)


@cache
def _translations(language: str) -> GNUTranslations:
    with (_FOLDER / f"{language}{_COMPILED}").open("rb") as file:
        return GNUTranslations(file)


def catalogue_source(language: str = ENGLISH) -> bytes:
    """The catalogue as translators read it, for a bundle that was rendered with it."""
    return (_FOLDER / f"{language}.po").read_bytes()
