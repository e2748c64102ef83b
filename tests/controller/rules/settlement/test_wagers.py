"""Amounts as text, and names of wagers."""

import pytest

from controller.rules.settlement.wagers import KIND_NAMES, WagerKind, money


@pytest.mark.parametrize(
    ("cents", "words"), [(0, "0.00"), (5, "0.05"), (12350, "123.50"), (-905, "-9.05")]
)
def test_amounts_as_text(cents: int, words: str) -> None:
    assert money(cents) == words


def test_every_kind_has_a_name() -> None:
    assert list(KIND_NAMES) == list(WagerKind)
