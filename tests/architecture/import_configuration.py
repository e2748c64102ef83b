"""The import contracts and owners of libraries as contracts.toml has them: read, not judged."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def _document() -> dict[str, dict]:
    return tomllib.loads((ROOT / "contracts.toml").read_text("utf-8"))


def configuration() -> dict[str, object]:
    return _document()["tool"]["importlinter"]


def owners_of_libraries() -> dict[str, list[str]]:
    """Each library that few import: their modules or packages."""
    return _document()["libraries"]


def settings_of(contract: str) -> dict[str, list[str]]:
    return next(one for one in configuration()["contracts"] if one["id"] == contract)


def root_packages() -> tuple[str, ...]:
    return tuple(configuration()["root_packages"])
