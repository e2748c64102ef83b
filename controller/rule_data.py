"""The rule documents' clauses and the profiles that come with the program, as files.

Responsible for: reading them, and a casino's own profile file, into text and values.
Not responsible for: what they mean (controller.rules).
Source: controller/rules/README.md, "Profiles".
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from controller.rules.clauses import Clause, parse_clauses
from controller.rules.profile import Profile, parse_profile


def load_clauses() -> Mapping[str, Clause]:
    """All clauses by id."""
    return parse_clauses((files("controller.rules") / "data" / "clauses.csv").read_text("utf-8"))


def profile_names() -> tuple[str, ...]:
    """Names of the profiles that come with the program."""
    folder = files("controller.rules") / "profiles"
    names = (Path(entry.name) for entry in folder.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".toml"))


def profile_text(name: str) -> str:
    """TOML text of a profile that comes with the program. Raises KeyError."""
    if name not in profile_names():
        raise KeyError(name)
    return (files("controller.rules") / "profiles" / f"{name}.toml").read_text("utf-8")


def load_profile(name: str) -> Profile:
    """A profile that comes with the program. Raises KeyError."""
    return parse_profile(profile_text(name), load_clauses())
