"""The catalogues as translators write them: each text by its id, with its parameters."""

from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages.catalog import Message as Entry
from compile_catalogues import FOLDER, read_source, sources

ENGLISH: Final = FOLDER / "en.po"
TRANSLATED: Final = tuple(one for one in sources() if one != ENGLISH)


def entries(source: Path) -> dict[str, tuple[str, ...]]:
    """The texts of a catalogue by id: one, or one for each form of the plural."""
    return {_identifier(one): _texts(one) for one in read_source(source) if one.id}


def _identifier(entry: Entry) -> str:
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def _texts(entry: Entry) -> tuple[str, ...]:
    return (entry.string,) if isinstance(entry.string, str) else tuple(entry.string)


def fields(text: str) -> dict[str, str]:
    """The parameters that the text uses, each with the separator of its list."""
    parsed = Formatter().parse(text)
    return {name: spec or "" for _, name, spec, _ in parsed if name is not None}
