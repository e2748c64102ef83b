"""Which releases of a library its tests run on, and that there are such tests."""

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from hil.gate.releases import TESTS, releases_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", TESTS)
def test_the_lowest_and_the_newest_release_are_inside_the_range(name: str) -> None:
    lowest, newest = (Requirement(one) for one in releases_of(name))
    (version,) = (one.version for one in lowest.specifier if one.operator == "==")
    assert lowest.name == newest.name == name
    assert version in newest.specifier
    assert version in {one.version for one in newest.specifier}


@pytest.mark.parametrize("name", TESTS)
def test_its_tests_are_there(name: str) -> None:
    assert all((ROOT / one).exists() for one in TESTS[name])
