"""Commands that another distribution brings: named here, found by its entry points.

Entry points are read where such a command is asked for, and by completion: reading them takes
longer than the program's page.
"""
# ruff: noqa: PLC0415 - importlib.metadata takes longer to load than the rest of a help page.

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controller.system.command_line.command import Command, Family
from controller.system.command_line.errors import CommandError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OFFICE: Final = "smartshoe-office"
# Each entry point is named for a command or family, and names what is Declared of it.
COMMANDS_GROUP: Final = "smartshoe.commands"
# Each entry point is named for an option, and names the module that carries it out.
OPTIONS_GROUP: Final = "smartshoe.options"


class Brought(NamedTuple):
    """A command or family on the program's page, and the distribution that brings it."""

    summary: str
    distribution: str = OFFICE


class Declared(NamedTuple):
    """What a distribution declares of one command, or of a family and its commands."""

    commands: tuple[Command, ...]
    family: Family | None = None


BROUGHT: Final = MappingProxyType(
    {
        "audit": Brought("Validate the journals of many days and tables again."),
        "evidence": Brought("Write the evidence of one coup into one file."),
        "report": Brought("Write printed reports of a shoe or a gaming day."),
    }
)
TABLES: Final = "--parquet"


def declared(name: str) -> Declared:
    """What is declared of a command or family. Raises CommandError if it is not installed."""
    found: Declared = _loaded(COMMANDS_GROUP, name, BROUGHT[name].distribution)
    return found


def brought_part(option: str, function: str) -> Any:
    """The function that carries out an option. Raises CommandError if it is not installed."""
    return getattr(_loaded(OPTIONS_GROUP, option.removeprefix("--"), OFFICE, option), function)


def is_installed(name: str) -> bool:
    """Whether the distribution of this command or family is installed."""
    return any(_entry_points(COMMANDS_GROUP, name))


def _loaded(group: str, name: str, distribution: str, place: str = "") -> Any:
    for one in _entry_points(group, name):
        return one.load()
    raise CommandError(
        f"{distribution} brings it, which is not installed here",
        place=place or name,
        remedy=f"install {distribution}, of the version that `smartshoe --version` prints",
    )


def _entry_points(group: str, name: str) -> "Iterator[EntryPoint]":
    from importlib.metadata import entry_points

    yield from entry_points(group=group, name=name)
