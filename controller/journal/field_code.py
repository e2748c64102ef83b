"""The encoder of a class, written out field by field.

Responsible for: one function a class that builds the map of its fields, in which plain fields cost
no call; any value that does not fit goes to the function that names the place.
Not responsible for: what has a form (forms) and for bytes (canonical).
Source: controller/journal/README.md, "Encoding".

A card is some seven values of some forty fields. A loop over the fields of a class asks for each
field by its name and calls a function for it; written out, a text is a look and a comparison.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

Encoder: TypeAlias = Callable[[object], object]

_PLAIN: Final = (str, bytes, bool)


@dataclass(frozen=True, slots=True)
class FieldCode:
    """One field: the exact type of its values (`object` for several) and their encoder.

    `may_be_none`: None is one of them.
    """

    name: str
    value_type: type
    encode: Encoder
    may_be_none: bool


def written_out(
    cls: type,
    codes: tuple[FieldCode, ...],
    ordered: tuple[str, ...],
    refused: type[Exception],
    exactly: Encoder,
) -> Encoder:
    """The encoder of `cls`, its keys in this order ("type" holds the name of the class).

    Where it meets what it does not expect, or a field's encoder raises `refused`, it gives the
    value to `exactly`, which knows what to say of it.
    """
    known: dict[str, object] = {"cls": cls, "refused": refused, "exactly": exactly, "EMPTY": ()}
    parts = {"type": repr(cls.__name__)}
    for number, code in enumerate(codes):
        known[f"kind_{number}"] = code.value_type
        known[f"encode_{number}"] = code.encode
        parts[code.name] = _expression(number, code)
    source = "\n".join(
        (
            "def encode(value):",
            "    if type(value) is cls:",
            "        try:",
            "            return {",
            *(f"                {key!r}: {parts[key]}," for key in ordered),
            "            }",
            "        except refused:",
            "            pass",
            "    return exactly(value)",
        )
    )
    exec(source, known)  # noqa: S102 - names of fields are all that goes in
    encode: Encoder = known["encode"]  # type: ignore[assignment]
    return encode


def _expression(number: int, code: FieldCode) -> str:
    """Python that gives the plain value of one field; what does not fit goes to its encoder."""
    field, otherwise = f"value.{code.name}", f"encode_{number}(value.{code.name})"
    if code.may_be_none:
        return f"None if {field} is None else {otherwise}"
    if code.value_type in _PLAIN:
        return f"{field} if type({field}) is kind_{number} else {otherwise}"
    if code.value_type is tuple:
        return f"[] if {field} is EMPTY else {otherwise}"
    if issubclass(code.value_type, Enum):
        return f"{field}._value_ if type({field}) is kind_{number} else {otherwise}"
    return otherwise
