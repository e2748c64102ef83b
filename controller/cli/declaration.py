"""The one declaration of all commands: help pages, dispatch, exit codes, examples, completion."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from controller.cli.declared_devices import DEVICES
from controller.cli.declared_evidence import EVIDENCE
from controller.cli.declared_reports import REPORTS
from controller.cli.declared_rules import RULES
from controller.cli.declared_set_up import SET_UP
from controller.cli.declared_table import DECIDE, RUN
from controller.system.command_line.command import Command, Family, HelpSection

FAMILIES: Final = (
    Family("journal", HelpSection.EVIDENCE, "List, export, archive, prune and hold sealed shoes."),
    Family("report", HelpSection.EVIDENCE, "Write printed reports of a shoe or a gaming day."),
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


COMMANDS: Final = (*RUN, *DECIDE, *EVIDENCE, *REPORTS, *RULES, *DEVICES, *SET_UP)
BY_NAME: Final = MappingProxyType({one.name: one for one in COMMANDS})
FAMILY_OF: Final = MappingProxyType({one.name: one for one in FAMILIES})


def find_command(words: Sequence[str]) -> tuple[Command, list[str]] | None:
    """The command that the first words name, and the words that follow; None if there is none.

    A family's default is meant if nothing but options follows its name.
    """
    for count in (2, 1):
        found = BY_NAME.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            return found, list(words[count:])
    family = FAMILY_OF.get(words[0]) if words else None
    if family is not None and family.default and all(one.startswith("-") for one in words[1:2]):
        return BY_NAME[family.default], list(words[1:])
    return None


def commands_of(family: str) -> tuple[Command, ...]:
    """The commands whose first word is `family`."""
    return tuple(one for one in COMMANDS if one.family == family)
