"""The command by which this account starts a table, as `setup` and `doctor` name it."""

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.service.config.table_files import INSTALLED
from controller.service.install.machine_checks import start_of
from controller.service.install.table_account import ACCOUNT, has_account

Lookup = Callable[[str], object]


def present(_name: str) -> object:
    return pwd.getpwuid(0)


def absent(_name: str) -> object:
    return pwd.getpwnam("nobody has this name")


@pytest.mark.parametrize(
    ("file", "is_root", "lookup", "start"),
    [
        (INSTALLED / "M-12.toml", True, present, "systemctl start smartshoe@M-12"),
        (INSTALLED / "pit-3" / "M-12.toml", True, present, "systemctl start smartshoe@pit-3"),
        (Path("M-12.toml"), True, absent, "smartshoe run M-12.toml"),
        (Path("M-12.toml"), False, absent, "smartshoe run M-12.toml"),
        (Path("M-12.toml"), False, present, "smartshoe run M-12.toml"),
        (Path("M-12.toml"), True, present, "smartshoe run --as-root M-12.toml"),
    ],
)
def test_the_start_that_is_named_is_one_that_this_account_can_run(
    file: Path, is_root: bool, lookup: Lookup, start: str
) -> None:
    assert start_of(file, is_root=is_root, lookup=lookup) == start


def test_who_asks_and_the_machine_decide_where_nothing_is_given() -> None:
    names = {entry.pw_name for entry in pwd.getpwall()}

    assert has_account() is (ACCOUNT in names)
    as_root = os.geteuid() == 0 and ACCOUNT in names
    assert ("--as-root" in start_of(Path("M-12.toml"))) is as_root
