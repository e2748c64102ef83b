"""The rule profile that a command names, and whether it allows a number of decks."""
# ruff: noqa: PLC0415 - profiles are read only by the command that names one.

from typing import TYPE_CHECKING

from controller.system.command_line.errors import CommandError

if TYPE_CHECKING:
    from controller.rules.profiles.profile import Profile


def load_named_profile(name: str) -> "Profile":
    """The profile of that name or in that .toml file. Raises CommandError."""
    from controller.rules.profiles.load import load_profile, profile_names

    if name in profile_names() or name.endswith(".toml"):
        return load_profile(name)
    known = ", ".join(profile_names())
    raise CommandError(
        f"there is no profile {name!r}",
        place="profile",
        allowed=known,
        remedy="use one of them, or name a house's .toml file",
    )


def check_decks(decks: int, profile: "Profile") -> None:
    """Raise CommandError if a profile does not allow a shoe with so many decks."""
    from controller.rules.profiles.deck_bounds import decks_refusal

    refusal = decks_refusal(decks, profile)
    if refusal is not None:
        raise CommandError(
            f"{decks} is not allowed",
            place="--decks",
            allowed=refusal.allowed,
            remedy="give another number, or another --profile",
        )
