"""Decks in a shoe: what a profile allows, with the grounds of each bound."""

from collections.abc import Callable

import pytest

from controller.rules.profiles.deck_bounds import decks_refusal
from controller.rules.profiles.profile import Profile

HouseProfile = Callable[[str, str], Profile]


@pytest.mark.parametrize(
    ("name", "decks"),
    [("wa-mini", 2), ("wa-mini", 8), ("ny-mini", 6), ("s42-mini", 8), ("s42-mini", 255)],
)
def test_decks_within_the_bounds_are_allowed(
    shipped: Callable[[str], Profile], name: str, decks: int
) -> None:
    assert decks_refusal(decks, shipped(name)) is None


@pytest.mark.parametrize(
    ("name", "decks", "allowed", "remedy"),
    [
        ("wa-mini", 1, "at least 2 (WA-mb-decks)", "set decks = 2 or more"),
        ("wa-mini", 9, "at most 8 (WA-mb-decks)", "set decks = 8 or fewer"),
        ("ny-mini", 5, "at least 6 (NY-a-4-i-decks)", "set decks = 6 or more"),
        (
            "house-mini",
            5,
            "at least 6 (house-mini, assumed: the guide does not say how many decks)",
            "set decks = 6 or more",
        ),
        (
            "s42-mini",
            256,
            "at most 255 (a batch's manifest holds no more)",
            "set decks = 255 or fewer",
        ),
    ],
)
def test_other_decks_are_refused_with_the_grounds(
    shipped: Callable[[str], Profile], name: str, decks: int, allowed: str, remedy: str
) -> None:
    refusal = decks_refusal(decks, shipped(name))

    assert refusal is not None
    assert (refusal.allowed, refusal.remedy) == (allowed, remedy)


def test_each_batch_of_a_shuffler_needs_its_own_decks(house: HouseProfile) -> None:
    profile = house("ny-mini", "batch_min_decks_each = 8")

    refusal = decks_refusal(7, profile)

    assert refusal is not None
    assert refusal.allowed.startswith("at least 8 in each batch of a shuffler (NY-a-4-iv-sets")
    assert refusal.remedy.startswith("set decks = 8 or more, or another shuffle_mode")
    assert decks_refusal(8, profile) is None


def test_a_bound_of_the_house_names_its_reason(house: HouseProfile) -> None:
    profile = house("ny-mini", 'decks_max = { value = 8, reason = "our shoe" }')

    refusal = decks_refusal(9, profile)

    assert refusal is not None
    assert refusal.allowed == "at most 8 (grand, house rule: our shoe)"
