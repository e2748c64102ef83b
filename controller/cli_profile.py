"""A profile named on the command line: one that comes with the program, or a .toml file.

Responsible for: finding and reading it, and saying which there are.
Not responsible for: what a profile holds (controller.rules) and for showing one (cli_rules).
Source: controller/rules/README.md, "Profiles".
"""
# ruff: noqa: PLC0415 - rule data is loaded only when a profile is asked for.

from typing import TYPE_CHECKING, Final

from controller.cli_errors import Unable

if TYPE_CHECKING:
    from controller.rules.profile import Profile

PROFILE_HELP: Final = "A profile's name (`smartshoe rules`), or a house's .toml file."


def profile_named(name: str) -> "Profile":
    """The profile of that name or in that file. Raises Unable."""
    from controller.rule_data import load_profile, profile_names

    if name in profile_names() or name.endswith(".toml"):
        return load_profile(name)
    known = ", ".join(profile_names())
    raise Unable(f"there is no profile {name!r}; there are {known}, or name a .toml file")
