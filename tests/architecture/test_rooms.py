"""Rooms stay small, and a class name means one thing in all of them."""

import ast
from collections import Counter
from pathlib import Path

from import_configuration import ROOT, root_packages

MODULES_MAX = 16
# Readers on purpose: they share no code with the program, and may name the same thing the same.
EMULATORS = ("hil/emulator/", "hil/dealing/")
ALONE = ("controller/journal/verify.py", "hil/bench/measure/plain_rules.py")


def modules() -> list[Path]:
    return [path for package in root_packages() for path in sorted((ROOT / package).rglob("*.py"))]


def modules_of_rooms() -> Counter[str]:
    return Counter(
        path.parent.relative_to(ROOT).as_posix() for path in modules() if path.name != "__init__.py"
    )


def class_homes() -> dict[str, list[str]]:
    """Where each class name is defined."""
    homes: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    return homes


def test_a_room_has_at_most_sixteen_modules() -> None:
    crowded = {room: count for room, count in modules_of_rooms().items() if count > MODULES_MAX}

    assert len(modules_of_rooms()) > 60
    assert not crowded, f"make a part of the room a room of its own: {crowded}"


def test_every_room_is_a_package() -> None:
    assert all((ROOT / room / "__init__.py").is_file() for room in modules_of_rooms())


def test_no_class_name_is_defined_twice_but_by_independent_readers() -> None:
    every, found = class_homes(), {}
    for name, homes in every.items():
        emulated = [one for one in homes if one.startswith(EMULATORS)]
        others = [one for one in homes if one not in (*emulated, *ALONE)]
        if len(others) > 1 or len(emulated) > 1:
            found[name] = homes
    assert len(every) > 1_000
    assert not found, f"give each its own name: {found}"
