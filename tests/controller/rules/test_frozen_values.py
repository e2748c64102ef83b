"""Values of the rules cannot be changed once made.

Responsible for: that every dataclass of the package is frozen and takes no further attributes.
Not responsible for: what the values hold.
Source: package README, "Rules of the house".
"""

import dataclasses
import pkgutil
from importlib import import_module

import pytest

import controller.rules as package


def values() -> list[type]:
    modules = [
        import_module(f"{package.__name__}.{each.name}")
        for each in pkgutil.iter_modules(package.__path__)
    ]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and dataclasses.is_dataclass(value)
        and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("value", values())
def test_a_value_is_frozen_and_slotted(value: type) -> None:
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(value)
