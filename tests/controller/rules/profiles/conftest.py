"""Fixtures: shipped profiles, and house profiles based on one."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files

import pytest

from controller.rules.profiles.clauses import Clause, parse_clauses
from controller.rules.profiles.house_profile import apply_house, parse_house
from controller.rules.profiles.profile import Profile, parse_profile

RULES = files("controller.rules.profiles")
NAMES = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)


@cache
def catalogue() -> dict[str, Clause]:
    return parse_clauses(RULES.joinpath("data/clauses.csv").read_text("utf-8"))


@cache
def shipped_profile(name: str) -> Profile:
    return parse_profile(RULES.joinpath(f"shipped/{name}.toml").read_text("utf-8"), catalogue())


@pytest.fixture(scope="session")
def clauses() -> dict[str, Clause]:
    return catalogue()


@pytest.fixture(scope="session")
def shipped() -> Callable[[str], Profile]:
    """Loads a shipped profile."""
    return shipped_profile


@pytest.fixture(scope="session")
def house(shipped: Callable[[str], Profile]) -> Callable[[str, str], Profile]:
    """Makes a house profile from a base and TOML changes."""

    def written(base: str, changes: str) -> Profile:
        text = f'name = "grand"\nbase = "{base}"\n{changes}'
        return apply_house(parse_house(text, NAMES), shipped(base))

    return written
