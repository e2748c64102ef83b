"""The kinds of text that a stored record may hold; sentences are messages (`message.py`) instead.

A test walks the types of the record: every text there is of one of these kinds.
"""

import re
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

# A name, number, code, path or address; empty where there is none. It holds no white space.
Identifier: TypeAlias = Annotated[str, Meta(extra={"text": "identifier"})]
# A person, by the id under which a file beside the record has the name.
PersonId: TypeAlias = Annotated[str, Meta(extra={"text": "person"})]
# What a person typed, as it was typed.
TypedText: TypeAlias = Annotated[str, Meta(extra={"text": "typed"})]
# What the configuration, the rule profile or a manifest says.
ConfiguredText: TypeAlias = Annotated[str, Meta(extra={"text": "configured"})]
# What a device or the operating system said, as it came: printable, its length bounded.
ForeignText: TypeAlias = Annotated[str, Meta(extra={"text": "foreign"})]
# A parameter of a message: an identifier, unless its name says whose text it is.
ParameterText: TypeAlias = Annotated[str, Meta(extra={"text": "parameter"})]
# What a parameter is called, or begins with, that holds another text than an identifier.
FREE_TEXT_PARAMETERS: Final = ("typed", "configured", "foreign")

IDENTIFIER_PATTERN: Final = re.compile(r"[^\s\x00-\x1f]*")

TEXT_MAX: Final = 64
_REPLACEMENT: Final = "?"


def name_line(text: str) -> TypedText:
    """The name of a person or company, stripped. Raises ValueError: it is not one short line."""
    line = text.strip()
    if line and line.isprintable() and len(line) <= TEXT_MAX:
        return line
    raise ValueError(
        f"{text[:TEXT_MAX]!r}. Allowed: one line of 1 to {TEXT_MAX} characters."
        " Remedy: write the name"
    )


def foreign_text(text: str, longest: int = TEXT_MAX) -> ForeignText:
    """Bound a device's text, and replace all but printable ASCII by question marks."""
    text = text[:longest]
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one.isascii() and one.isprintable() else _REPLACEMENT for one in text)
