"""The fixtures of dealt tables, for the tests of this package."""

from dealt_tables import *  # noqa: F403 (a fixture is found by its name in a conftest)
