"""A message: the id of a text and its parameters, as the record holds it; no words of a language.

Source: controller/messages/README.md.
"""

from typing import TypeAlias

from msgspec import Struct


class Message(Struct, frozen=True, omit_defaults=True):
    """The id of a text in the catalogues, and what is put into it by name.

    A parameter is a number, an identifier, what a person typed, another message, or a list of them.
    """

    id: str
    parameters: tuple[tuple[str, "int | str | Message | tuple[int | str | Message, ...]"], ...] = ()


Parameter: TypeAlias = int | str | Message | tuple[int | str | Message, ...]


# While rooms still state sentences of their own (tests/controller/messages).
Wording: TypeAlias = Message | str


def message(identifier: str, /, **parameters: Parameter) -> Message:
    """A message with named parameters."""
    return Message(identifier, tuple(parameters.items()))
