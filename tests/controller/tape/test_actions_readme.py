"""The README's table of actions is the list of actions with their values."""

import re
from pathlib import Path

from controller.control.requests import VALUES_OF
from controller.tape.actions import ACTION_NAMES

README = Path(__file__).parents[3] / "controller" / "README.md"


def rows() -> dict[str, tuple[str, ...]]:
    """Action to values, as the README tells them."""
    section = README.read_text("utf-8").split("## Actions")[1].split("## Control socket")[0]
    read: dict[str, tuple[str, ...]] = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`([a-z-]+)`", cells[0]) if line.startswith("| `") else []
        read.update((name, tuple(re.findall(r"`(\w+)`", cells[2]))) for name in names)
    return read


def test_every_action_stands_there() -> None:
    assert sorted(rows()) == sorted(name for name, _, _ in ACTION_NAMES)


def test_every_value_stands_with_its_action() -> None:
    told = rows()

    assert {name: told[name] for name in VALUES_OF} == dict(VALUES_OF)
