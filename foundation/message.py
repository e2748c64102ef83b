"""A message: the id of a text and its parameters, as the record holds it; no words."""

from typing import TypeAlias

from msgspec import Struct

from foundation.recorded_text import Identifier, ParameterText


class Message(Struct, frozen=True, omit_defaults=True):
    """The id of a text in the catalogues, and what is put into it by name.

    A parameter is a number, an identifier, another message, or a list of them. Any other text has a
    name of its own: `typed` by a person, `configured`, or `foreign` from a device or the operating
    system.
    """

    id: Identifier
    parameters: tuple[tuple[Identifier, "Parameter"], ...] = ()


Parameter: TypeAlias = int | ParameterText | Message | tuple[int | ParameterText | Message, ...]


class MessageError(Exception):
    """An error that states a message: where people read it, words are made of `why`."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def message(identifier: str, /, **parameters: Parameter) -> Message:
    """A message with named parameters."""
    return Message(identifier, tuple(parameters.items()))
