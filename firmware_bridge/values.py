"""Frozen values: their classes, made quickly, and copies with some fields changed.

Responsible for: `dataclass(frozen=True, slots=True)` and `replace`, which do what the functions of
these names in the standard library do, in a fraction of the time.
Not responsible for: any other kind of class; those are handed to the standard library.
Source: Python, `dataclasses`; "Custom classes" (`object.__class__` may be assigned where the
layouts are equal); package README, "Values and their copies".

The library compiles six functions for each class when it is made, and the program has six hundred
classes. Here all classes share what does not differ, and the one function that does, `__init__`, is
compiled when the first value is built. Filling a frozen value means getting round its own ban on
assignments, field by field; here a twin that has the same slots and no ban is filled, and is then
declared to be of the class.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache, partial
from inspect import Signature, signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

__all__ = ["dataclass", "replace"]

T = TypeVar("T")
_Copier: TypeAlias = Callable[[Any, Mapping[str, object]], Any]

_FROZEN_AND_SLOTTED: Final = {"frozen": True, "slots": True}
# With fewer fields the two changes of class cost more than they save.
_TWIN_FIELDS_MIN: Final = 3

if TYPE_CHECKING:
    # A type checker knows the library's functions, and which fields a class has.
    from dataclasses import dataclass, replace
else:

    def dataclass(**kinds):
        """A decorator for a class of values. With anything but frozen and slots: the library's."""
        plain = kinds == _FROZEN_AND_SLOTTED

        def decorate(cls):
            if plain and _is_like_the_others(cls):
                return _value_class(cls)
            return dataclasses.dataclass(**kinds)(cls)

        return decorate

    def replace(value, /, **changes):
        """A copy with these fields changed. Raises as `dataclasses.replace` does."""
        return _copier(type(value))(value, changes)


# --- classes --------------------------------------------------------------------------------------


def _is_like_the_others(cls: type) -> bool:
    """Whether its fields, all of them, are what a value of it is built of, shows and is."""
    if cls.__bases__ != (object,) or hasattr(cls, "__post_init__"):
        return False
    told = (one for one in cls.__dict__.values() if isinstance(one, dataclasses.Field))
    return all(one.init and one.repr and one.compare and one.hash is None for one in told)


def _value_class(cls: type) -> type:
    """The class as the library makes it, but for the functions it would compile."""
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    names = tuple(field.name for field in dataclasses.fields(made))
    getattr(made, "__dataclass_params__").frozen = True  # noqa: B009 unknown to its stub
    functions: dict[str, object] = {
        "__init__": _written_at_first_use(made),
        "__repr__": _repr,
        "__eq__": _equality(names),
        "__hash__": _hashing(names),
        "__setattr__": _no_assignment,
        "__delattr__": _no_deletion,
        "__getstate__": _state,
        "__setstate__": _with_state,
        "__signature__": _SIGNATURE,
    }
    for name, function in functions.items():
        if name not in cls.__dict__:
            setattr(made, name, function)
    return made


def _repr(self: object) -> str:
    fields = dataclasses.fields(self)  # type: ignore[arg-type]
    inside = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{type(self).__qualname__}({inside})"


def _no_assignment(self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deletion(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]


def _with_state(self: object, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, field.name, value)


def _parts(names: tuple[str, ...]) -> Callable[[object], object]:
    """All fields of a value as one tuple, or its only field."""
    return attrgetter(*names) if names else lambda _value: ()


def _equality(names: tuple[str, ...]) -> Callable[[object, object], bool]:
    parts = _parts(names)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 it becomes one
        if other.__class__ is not self.__class__:
            return NotImplemented
        # One field may be unequal to itself; in a tuple the library compares it by identity first.
        return (parts(self),) == (parts(other),)

    return __eq__


def _hashing(names: tuple[str, ...]) -> Callable[[object], int]:
    parts = _parts(names)
    if len(names) == 1:
        return lambda self: (parts(self),).__hash__()
    return lambda self: parts(self).__hash__()


class _Signature:
    """How a class is called, for who asks before the first value is built."""

    def __get__(self, _value: object, cls: type) -> Signature:
        return signature(partial(_written_init(cls), None))


_SIGNATURE: Final = _Signature()


def _written_at_first_use(cls: type) -> Callable[..., None]:
    written: list[Callable[..., None]] = []

    def __init__(self: object, *args: object, **by_name: object) -> None:  # noqa: N807 it becomes one
        if not written:
            written.append(_written_init(cls))
            # Whoever put a function of his own around this one keeps it.
            if cls.__dict__["__init__"] is __init__:
                setattr(cls, "__init__", written[0])  # noqa: B010 a type checker forbids it
        written[0](self, *args, **by_name)

    # Resolved where the class stands, not here.
    __init__.__annotations__ = {}
    return __init__


def _written_init(cls: type) -> Callable[..., None]:
    """`__init__` with the fields of a class as its parameters."""
    fields = dataclasses.fields(cls)
    known: dict[str, Any] = {"_twin": _twin(cls), "_cls": cls, "_put": object.__setattr__}
    parameters = ["self"]
    made_now = []
    by_name = False
    for field in fields:
        if field.kw_only and not by_name:
            parameters.append("*")
            by_name = True
        given = ""
        if field.default is not dataclasses.MISSING:
            known[f"_default_{field.name}"] = field.default
            given = f"=_default_{field.name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_make_{field.name}"] = field.default_factory
            given = "=_MISSING"
            made_now.append(f"    if {field.name} is _MISSING: {field.name} = _make_{field.name}()")
        parameters.append(field.name + given)
    known["_MISSING"] = object()
    names = tuple(field.name for field in fields)
    filled = [f"    _put(self, {name!r}, {name})" for name in names] or ["    pass"]
    if len(names) >= _TWIN_FIELDS_MIN:
        filled = [f"    self.{name} = {name}" for name in names]
        filled = ["    _put(self, '__class__', _twin)", *filled, "    self.__class__ = _cls"]
    source = "\n".join((f"def __init__({', '.join(parameters)}):", *made_now, *filled))
    exec(source, known)  # noqa: S102 - names of fields are all that goes in
    written: Callable[..., None] = known["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    written.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return written


# --- copies ---------------------------------------------------------------------------------------


@cache
def _twin(cls: type) -> type:
    """A class with the same slots whose values may be assigned to."""
    return type(f"_Unfrozen{cls.__name__}", (), {"__slots__": cls.__dict__["__slots__"]})


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
        "twin": _twin(cls),
        "cls": cls,
        "names": frozenset(names),
        "by_the_library": _by_the_library,
    }
    exec(source, known)  # noqa: S102 - names of fields are all that goes in
    copied: _Copier = known["copied"]
    return copied
