"""The README's table of actions matches the list of actions and values."""

import re
from pathlib import Path

from controller.control.requests import VALUES_OF
from controller.tape.actions import ACTION_NAMES

README = Path(__file__).parents[3] / "controller" / "tape" / "README.md"


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
    assert sorted(rows()) == sorted(name for name, _, _ in ACTION_NAMES)


def test_every_value_is_listed_with_its_action() -> None:
    listed = rows()

    assert {name: listed[name] for name in VALUES_OF} == dict(VALUES_OF)
