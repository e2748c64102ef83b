"""The shapes of settings; what a profile may hold is tried out in test_profile."""

from typing import cast

import pytest

from controller.rules.rule_values import SHAPES, Shape, allowed, fits


def test_every_setting_says_what_it_may_hold() -> None:
    assert all(allowed(shape) for shape in SHAPES.values())


def test_a_shape_that_nobody_built_is_a_programmers_error() -> None:
    unknown = cast("Shape", "a colour")
    with pytest.raises(AssertionError):
        allowed(unknown)
    with pytest.raises(AssertionError):
        fits(unknown, "red")
