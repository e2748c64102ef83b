"""Copies of frozen values with some fields changed.

Responsible for: `replace` against `dataclasses.replace` over classes of every kind the program has.
Not responsible for: how quick it is (hil.bench).
Source: package README of firmware_bridge, "Values and their copies".
"""

import dataclasses
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Generic, TypeVar

import pytest

from firmware_bridge.values import replace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plain:
    number: int
    text: str = "a"
    inner: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Checked:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(self.number)


@dataclass(frozen=True, slots=True)
class Wider(Plain):
    more: int = 0


@dataclass(frozen=True, slots=True)
class Of(Generic[T]):
    held: T


@dataclass
class Open:
    number: int


@dataclass(frozen=True, slots=True)
class Derived:
    number: int
    twice: int = field(init=False, default=2)


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (Plain(1), {}),
        (Plain(1), {"number": 2}),
        (Plain(1, "b", (3,)), {"text": "c", "inner": (4, 5)}),
        (Empty(), {}),
        (Checked(1), {"number": 2}),
        (Wider(1, "b", (), 7), {"number": 2}),
        (Of(1), {"held": "text"}),
        (Open(1), {"number": 2}),
        (Derived(1), {"number": 2}),
    ],
)
def test_a_copy_is_what_the_library_makes(value: object, changes: dict[str, object]) -> None:
    copy = replace(value, **changes)  # type: ignore[type-var]
    assert copy == dataclasses.replace(value, **changes)  # type: ignore[type-var]
    assert type(copy) is type(value)


def test_the_value_copied_stays_as_it_was() -> None:
    value = Plain(1, "b", (3,))
    replace(value, number=2, text="c", inner=())
    assert value == Plain(1, "b", (3,))


def test_what_a_copy_shares_is_the_very_same() -> None:
    value = Plain(1, "b", (3, 4))
    assert replace(value, number=2).inner is value.inner


def test_a_copy_is_as_frozen_as_its_value() -> None:
    copy = replace(Plain(1), number=2)
    with pytest.raises(FrozenInstanceError):
        copy.number = 3  # type: ignore[misc]
    assert hash(copy) == hash(Plain(2))


def test_a_class_that_checks_its_values_checks_those_of_a_copy() -> None:
    with pytest.raises(ValueError, match="-1"):
        replace(Checked(1), number=-1)


@pytest.mark.parametrize("value", [Plain(1), Checked(1)])
def test_a_field_that_a_class_has_not_is_refused(value: Plain | Checked) -> None:
    with pytest.raises(TypeError, match="nothing"):
        replace(value, nothing=1)  # type: ignore[call-arg]


def test_what_is_no_dataclass_is_refused() -> None:
    with pytest.raises(TypeError, match="dataclass"):
        replace(1, real=2)  # type: ignore[type-var]
