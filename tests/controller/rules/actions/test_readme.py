"""The README's table of actions matches the list of actions and values."""

import re
from pathlib import Path

from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import values_of

README = Path(__file__).parents[4] / "controller" / "rules" / "actions" / "README.md"


def rows() -> dict[str, tuple[str, ...]]:
    """The README's table: action to values."""
    section = README.read_text("utf-8").split("## Actions")[1]
    read: dict[str, tuple[str, ...]] = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`([a-z-]+)`", cells[0]) if line.startswith("| `") else []
        read.update((name, tuple(re.findall(r"`(\w+)`", cells[2]))) for name in names)
    return read


def test_every_action_is_in_the_readme() -> None:
    assert sorted(rows()) == sorted(ACTIONS)


def test_every_value_is_listed_with_its_action() -> None:
    declared = {name: tuple(one.name for one in values_of(kind)) for name, kind in ACTIONS.items()}

    listed = rows()
    assert {name: listed[name] for name, values in declared.items() if values} == {
        name: values for name, values in declared.items() if values
    }
