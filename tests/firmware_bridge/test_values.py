"""Frozen values: their classes, and copies with some fields changed.

Responsible for: `replace` and `dataclass` against the library's over classes of every kind the
program has.
Not responsible for: how quick it is (hil.bench).
Source: package README of firmware_bridge, "Values and their copies".
"""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Generic, TypeVar

import pytest

from firmware_bridge import values
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


# --- classes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TheirsOfFour:
    """Four."""

    number: int
    text: str = "a"
    inner: tuple[int, ...] = ()
    made: tuple[int, ...] = field(default_factory=tuple)


@values.dataclass(frozen=True, slots=True)
class OursOfFour:
    """Four."""

    number: int
    text: str = "a"
    inner: tuple[int, ...] = ()
    made: tuple[int, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class TheirsOfOne:
    number: float


@values.dataclass(frozen=True, slots=True)
class OursOfOne:
    number: float


@dataclass(frozen=True, slots=True)
class TheirsOfNone:
    pass


@values.dataclass(frozen=True, slots=True)
class OursOfNone:
    pass


@values.dataclass(frozen=True, slots=True)
class OursByName:
    first: int
    second: int = field(default=2, kw_only=True)


@values.dataclass(frozen=True, slots=True)
class OursHidden:
    shown: int
    hidden: int = field(default=2, repr=False, compare=False)


@values.dataclass(frozen=True, slots=True)
class OursWithItsOwn:
    number: int

    def __repr__(self) -> str:
        return "its own"


@values.dataclass(frozen=True, slots=True)
class OursChecked:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(self.number)


ROUNDS = (
    (TheirsOfFour, OursOfFour, ((1,), (1, "b"), (1, "a", (2,)), (1, "a", (), (3,)))),
    (TheirsOfOne, OursOfOne, ((1,), (2,))),
    (TheirsOfNone, OursOfNone, ((),)),
)
PAIRS = [(theirs, ours, args) for theirs, ours, every in ROUNDS for args in every]


@pytest.mark.parametrize(("theirs", "ours", "args"), PAIRS)
def test_a_value_says_what_it_is_as_the_library_has_it(
    theirs: type, ours: type, args: tuple[object, ...]
) -> None:
    assert repr(ours(*args)) == repr(theirs(*args)).replace("Theirs", "Ours")
    assert hash(ours(*args)) == hash(theirs(*args))


@pytest.mark.parametrize(("theirs", "ours", "_args"), PAIRS)
def test_a_class_says_what_it_is_as_the_library_has_it(
    theirs: type, ours: type, _args: tuple[object, ...]
) -> None:
    assert dataclasses.is_dataclass(ours)
    assert [(one.name, one.type, one.default) for one in dataclasses.fields(ours)] == [
        (one.name, one.type, one.default) for one in dataclasses.fields(theirs)
    ]
    assert inspect.signature(ours).parameters.keys() == inspect.signature(theirs).parameters.keys()
    assert getattr(ours, "__match_args__") == getattr(theirs, "__match_args__")  # noqa: B009
    assert getattr(ours, "__slots__") == getattr(theirs, "__slots__")  # noqa: B009


def test_values_are_equal_where_class_and_fields_are() -> None:
    assert OursOfFour(1) == OursOfFour(number=1, text="a", inner=(), made=())
    assert OursOfFour(1) != OursOfFour(2)
    assert OursOfFour(1) != TheirsOfFour(1)
    assert OursOfOne(1) != 1
    assert OursOfNone() == OursOfNone()
    itself_unequal = float("nan")
    assert OursOfOne(itself_unequal) == OursOfOne(itself_unequal)


@pytest.mark.parametrize("value", [OursOfFour(1, "b"), OursOfOne(1), OursByName(1, second=3)])
def test_a_value_is_frozen_and_can_be_copied_and_pickled(value: object) -> None:
    name = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError, match="assign"):
        setattr(value, name, 2)
    with pytest.raises(FrozenInstanceError, match="delete"):
        delattr(value, name)
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("cls", [TheirsOfFour, OursOfFour])
@pytest.mark.parametrize(
    ("args", "named"), [((), {}), ((1, "a", (), (), 5), {}), ((1,), {"nothing": 2})]
)
def test_a_value_is_not_built_from_other_fields(
    cls: type, args: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError):
        cls(*args, **named)


def test_a_field_that_is_given_by_name_only_is_refused_by_place() -> None:
    with pytest.raises(TypeError):
        OursByName(1, 2)  # type: ignore[misc]


def test_what_differs_from_the_plain_kind_is_made_by_the_library() -> None:
    assert OursHidden(1, 2) == OursHidden(1, 3)
    assert repr(OursHidden(1)) == "OursHidden(shown=1)"
    assert repr(OursWithItsOwn(1)) == "its own"
    with pytest.raises(ValueError, match="-1"):
        OursChecked(-1)


def test_who_watches_a_class_sees_its_first_value_and_every_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @values.dataclass(frozen=True, slots=True)
    class Watched:
        number: int

    made = []
    original = Watched.__init__

    def watching(self: Watched, number: int) -> None:
        original(self, number)
        made.append(number)

    monkeypatch.setattr(Watched, "__init__", watching)
    assert [Watched(1).number, Watched(2).number] == made == [1, 2]
    monkeypatch.undo()
    assert Watched(3) == Watched(3)
    assert made == [1, 2]
