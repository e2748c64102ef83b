"""Who may do what at an installed table: the page's table, and a walk of it without the package.

The walk itself is that of the gate (tests/gate/people_walk.py), there at the installed package.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from people_walk import PEOPLE, VALUES, commands_in, tables

from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import Role, values_of

ROOT = Path(__file__).resolve().parents[3]
ACCOUNTS, PAGE = ROOT / "docs" / "commissioning.md", ROOT / "docs" / "people.md"
ALONE = ROOT / "tests" / "gate" / "people_at_this_clone.py"


def test_the_page_says_of_every_action_what_its_declaration_says() -> None:
    _, people = tables((ACCOUNTS, PAGE))
    said: dict[str, set[str]] = {name: set() for name in ACTIONS}
    for cell in people:
        for command in re.findall(r"`([^`]+)`", cell.row):
            if not command.startswith("people "):
                said[command] |= {cell.column.replace(" ", "_")} if cell.may else set()

    readers = {Role.INSPECTOR.value}
    assert said == {
        name: {role.value for role in kind.roles} - readers for name, kind in ACTIONS.items()
    }


def test_each_person_of_the_walk_has_a_role_of_the_program() -> None:
    assert {one.replace(" ", "_") for one in PEOPLE} == set(Role) - {Role.INSPECTOR}


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_what_the_walk_asks_for_is_a_whole_request(name: str) -> None:
    wanted = {one.name for one in values_of(ACTIONS[name]) if one.required} - {"second"}

    assert wanted <= set(VALUES.get(name, {}))


@pytest.mark.parametrize("page", ["day.md", "what-to-do.md", "floorperson-card.md"])
def test_the_commands_of_a_floorpersons_pages_name_a_table(page: str) -> None:
    assert commands_in(PAGE.with_name(page))


# --- the walk -------------------------------------------------------------------------------------


@pytest.mark.needs("another-account", "mount", "own-root")
def test_two_accounts_and_five_people_do_at_this_clone_what_the_page_says(tmp_path: Path) -> None:
    # In namespaces of its own: accounts, mounts and ports are gone with it.
    alone = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    ended = subprocess.run(
        [*alone, sys.executable, str(ALONE), str(tmp_path / "root")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
