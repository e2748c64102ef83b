"""The import contracts as they stand in pyproject.toml: read, not judged."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def configuration() -> dict[str, object]:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    return tomllib.loads(text)["tool"]["importlinter"]


def settings_of(contract: str) -> dict[str, list[str]]:
    return next(one for one in configuration()["contracts"] if one["id"] == contract)


def root_packages() -> tuple[str, ...]:
    return tuple(configuration()["root_packages"])
