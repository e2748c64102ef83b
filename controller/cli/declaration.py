"""The declaration of the table's commands, and the way to those of other distributions."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from controller.cli.declared_devices import DEVICES
from controller.cli.declared_evidence import EVIDENCE
from controller.cli.declared_rules import RULES
from controller.cli.declared_set_up import SET_UP
from controller.cli.declared_table import DECIDE, RUN
from controller.system.command_line.brought import BROUGHT, Declared, declared, is_installed
from controller.system.command_line.command import Command, Family, HelpSection

FAMILIES: Final = (
    Family("journal", HelpSection.EVIDENCE, "List, export, archive, prune and hold sealed shoes."),
    Family("people", HelpSection.EVIDENCE, "Accounts at a table; names of a record, erase one."),
    Family("shuffles", HelpSection.EVIDENCE, "List, export and verify the receipts of shuffles."),
    Family(
        "rules",
        HelpSection.RULES,
        "List the rule profiles; show one, or a clause.",
        "rules list",
    ),
    Family(
        "devices",
        HelpSection.DEVICES,
        "List serial ports and USB devices; watch one.",
        "devices list",
        (
            "usb://, usbhid:// and usbserial:// name a device by its ids and serial number or, if "
            "it has none, by its place (@1-1.2). A keyboard is never opened."
        ),
    ),
    Family("identity", HelpSection.DEVICES, "Pair a device that has a key; show a paired one."),
    Family("firmware", HelpSection.DEVICES, "The signed list of firmware that devices may run."),
    Family("keys", HelpSection.SET_UP, "Make the table's key; show its public half."),
    Family("batch", HelpSection.SET_UP, "Enrol, count, import, export and list batches of cards."),
)


COMMANDS: Final = (*RUN, *DECIDE, *EVIDENCE, *RULES, *DEVICES, *SET_UP)
BY_NAME: Final = MappingProxyType({one.name: one for one in COMMANDS})
FAMILY_OF: Final = MappingProxyType({one.name: one for one in FAMILIES})


def find_command(words: Sequence[str]) -> tuple[Command, list[str]] | None:
    """The command that the first words name, and the words that follow; None if there is none.

    A family's default is meant if nothing but options follows its name. Raises CommandError for
    the command of a distribution that is not installed.
    """
    known: Mapping[str, Command] = BY_NAME
    if words and words[0] in BROUGHT:
        known = {one.name: one for one in declared(words[0]).commands}
    for count in (2, 1):
        found = known.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            return found, list(words[count:])
    family = FAMILY_OF.get(words[0]) if words else None
    if family is not None and family.default and all(one.startswith("-") for one in words[1:2]):
        return BY_NAME[family.default], list(words[1:])
    return None


def family_named(word: str) -> Family | None:
    """The family of this name. Raises CommandError where its distribution is not installed."""
    return declared(word).family if word in BROUGHT else FAMILY_OF.get(word)


def commands_of(family: str) -> tuple[Command, ...]:
    """The commands whose first word is `family`."""
    known = declared(family).commands if family in BROUGHT else COMMANDS
    return tuple(one for one in known if one.family == family)


def installed() -> tuple[Declared, ...]:
    """What this and every other installed distribution declare: help needs less."""
    return (
        *(Declared(commands_of(one.name), one) for one in FAMILIES),
        Declared(tuple(one for one in COMMANDS if one.name == one.family)),
        *(declared(name) for name in BROUGHT if is_installed(name)),
    )
