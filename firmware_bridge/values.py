"""A frozen value with some of its fields changed.

Responsible for: `replace`, which does what `dataclasses.replace` does in a tenth of its time.
Not responsible for: values that are no frozen, slotted dataclasses of fields alone; those are
handed to `dataclasses.replace`.
Source: Python, "Custom classes" (`object.__class__` may be assigned where the layouts are equal);
package README, "Values and their copies".

A card costs some thirty copies of states with up to twenty fields. The library looks every field
up by name and builds the value anew through an `__init__` that has to get round its own ban on
assignments. Here each class gets one function, written out field by field once: it fills a twin
that has the same slots and no ban, and then declares it to be of the class.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["replace"]

_Copier: TypeAlias = Callable[[Any, Mapping[str, object]], Any]

if TYPE_CHECKING:
    # A type checker knows the library's function, and which fields a class has.
    from dataclasses import replace
else:

    def replace(value, /, **changes):
        """A copy with these fields changed. Raises as `dataclasses.replace` does."""
        return _copier(type(value))(value, changes)


@cache
def _copier(cls: type) -> _Copier:
    """The function that copies values of a class; a class never changes once it is used."""
    return _written_out(cls) if _is_plain(cls) else _by_the_library


def _is_plain(cls: type) -> bool:
    """Whether a value is its slots and nothing else, so that a copy of the slots is a copy."""
    if not dataclasses.is_dataclass(cls) or cls.__base__ is not object:
        return False
    names = tuple(field.name for field in dataclasses.fields(cls) if field.init)
    frozen: bool = getattr(cls, "__dataclass_params__").frozen  # noqa: B009 unknown to its stub
    slots = cls.__dict__.get("__slots__")
    return frozen and slots == names and not hasattr(cls, "__post_init__")


def _by_the_library(value: Any, changes: Mapping[str, object]) -> Any:
    return dataclasses.replace(value, **changes)


def _written_out(cls: type) -> _Copier:
    names = tuple(field.name for field in dataclasses.fields(cls))
    twin = type(f"_Unfrozen{cls.__name__}", (), {"__slots__": names})
    source = "\n".join(
        (
            "def copied(value, changes):",
            "    copy = twin()",
            *(f"    copy.{name} = value.{name}" for name in names),
            "    for name, changed in changes.items():",
            "        if name not in names:",
            "            return by_the_library(value, changes)",
            "        setattr(copy, name, changed)",
            "    copy.__class__ = cls",
            "    return copy",
        )
    )
    known: dict[str, Any] = {
        "twin": twin,
        "cls": cls,
        "names": frozenset(names),
        "by_the_library": _by_the_library,
    }
    exec(source, known)  # noqa: S102 - names of fields are all that goes in
    copied: _Copier = known["copied"]
    return copied
