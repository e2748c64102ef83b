"""Loads the clauses, the shipped profiles and house profiles from files."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from controller.rules.profiles.clauses import Clause, parse_clauses
from controller.rules.profiles.house_profile import apply_house, read_house
from controller.rules.profiles.profile import Profile, ProfileError, parse_profile, render_profile
from controller.system.named_file import read_file
from foundation.message import message


@cache
def load_clauses() -> Mapping[str, Clause]:
    """All clauses by id, read once: the file is part of the program."""
    text = (files("controller.rules.profiles") / "data" / "clauses.csv").read_text("utf-8")
    return MappingProxyType(parse_clauses(text))


def profile_names() -> tuple[str, ...]:
    """Names of the shipped profiles."""
    folder = files("controller.rules.profiles") / "shipped"
    names = (Path(entry.name) for entry in folder.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".toml"))


def profile_text(name: str) -> str:
    """TOML text of a shipped profile. Raises KeyError."""
    if name not in profile_names():
        raise KeyError(name)
    return (files("controller.rules.profiles") / "shipped" / f"{name}.toml").read_text("utf-8")


@cache
def _shipped(name: str) -> Profile:
    return parse_profile(profile_text(name), load_clauses())


def load_profile(name_or_path: str, folder: Path | None = None) -> Profile:
    """A shipped profile by name, or a house's .toml file, relative to `folder`.

    Raises KeyError for an unknown name, ProfileError with the file's name, and OSError.
    """
    if name_or_path in profile_names() or not name_or_path.endswith(".toml"):
        return _shipped(name_or_path)
    path = Path(name_or_path)
    data = read_file(path if folder is None else folder / path)
    try:
        house, faults = read_house(_decoded(data), profile_names())
        return apply_house(house, load_profile(house.base), faults)
    except ProfileError as error:
        fault, *others = (_in_file(name_or_path, one) for one in (error, *error.others))
        fault.others = tuple(others)
        raise fault from None


def _in_file(name: str, error: ProfileError) -> ProfileError:
    """The fault with the name of its file."""
    place = message("place_in_file", configured=name, place=error.path)
    return ProfileError(place, error.problem, error.allowed, error.remedy, error.clauses)


@cache
def decks_played_max() -> int:
    """The most decks in a shoe that any shipped profile plays or names as its limit."""
    return max(decks_limit(_shipped(name)) for name in profile_names())


def decks_limit(profile: Profile) -> int:
    """The most decks in a shoe that a profile plays or names as its limit."""
    return max(profile.rules.decks_per_shoe, profile.rules.decks_max or 0)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProfileError(
            message("line_number", number=line),
            message("not_utf8_text"),
            message("utf8"),
            message("save_file_as_utf8"),
        ) from error


def complete_text(profile: Profile) -> str:
    """The profile as a run stores it: complete, so that a record needs no other file.

    A shipped profile is stored with its original text.
    """
    return render_profile(profile) if profile.base else profile_text(profile.name)
