"""The version in every run's first record is that of pyproject.toml and CHANGELOG.md."""

import tomllib
from pathlib import Path

from controller.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_it_is_the_version_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION
