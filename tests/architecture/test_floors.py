"""The floors in docs/architecture.md are those of the import contracts.

The floors of `controller` have words beside them there, so that table is compared alone.
"""

import re

from generated_parts import with_parts
from import_configuration import ROOT, configuration

PAGE = ROOT / "docs" / "architecture.md"
WORDED = "controller"
COLUMNS = "| package | its floors, from the top |\n| --- | --- |\n"
ROOM = re.compile(r"`([a-z_]+)`")


def floors() -> dict[str, tuple[tuple[str, ...], ...]]:
    """By package, the rooms of each floor, from the top."""
    return {
        one["containers"][0]: tuple(tuple(re.split(r" [|:] ", row)) for row in one["layers"])
        for one in configuration()["contracts"]
        if one["type"] == "layers" and "containers" in one
    }


def table_of_floors() -> str:
    rows = []
    for package, found in floors().items():
        if package != WORDED:
            words = floor_words(package, found)
            rows.append(f"| {package.replace('.', '/')} | {'; '.join(words)} |\n")
    return COLUMNS + "".join(rows)


def floor_words(package: str, found: tuple[tuple[str, ...], ...]) -> list[str]:
    """The floors; "its modules" where all modules share one: the list of modules names them."""
    folder = ROOT / package.replace(".", "/")
    modules = {room for floor in found for room in floor if (folder / f"{room}.py").exists()}
    return [
        "its modules"
        if modules == set(floor) and len(floor) > 1
        else ", ".join(f"`{room}`" for room in sorted(floor))
        for floor in found
    ]


def floors_with_words(text: str) -> tuple[tuple[str, ...], ...]:
    """The rooms of each row of the table of `controller`."""
    table = text.split("| floor of `controller` |", 1)[1].split("\n\n", 1)[0]
    return tuple(tuple(ROOM.findall(row.split("|")[2])) for row in table.splitlines()[2:])


def page_again(text: str) -> str:
    return with_parts(text, {"floors": table_of_floors()})


def test_the_floors_of_the_controller_are_those_of_its_contract() -> None:
    shown = floors_with_words(PAGE.read_text("utf-8"))

    assert [sorted(one) for one in shown] == [sorted(one) for one in floors()[WORDED]]


def test_the_other_floors_are_those_of_their_contracts() -> None:
    text = PAGE.read_text("utf-8")

    assert text == page_again(text), "run: make generate"


def test_a_floor_names_rooms_that_exist() -> None:
    """In brackets a contract lets a room be absent: then nobody notices that it was built."""
    named = [
        (package, room) for package, found in floors().items() for one in found for room in one
    ]
    missing = [
        f"{package}.{room}"
        for package, room in named
        if not (ROOT / package.replace(".", "/") / room).is_dir()
        and not (ROOT / package.replace(".", "/") / f"{room}.py").is_file()
    ]

    assert missing == []
    assert len(named) > 100


def test_a_room_that_the_page_does_not_name_is_found() -> None:
    text = PAGE.read_text("utf-8")
    assert "`custody`" in text

    rooms = [
        room for one in floors_with_words(text.replace("| `custody` |", "| |")) for room in one
    ]
    assert "custody" not in rooms
    assert "procedure" in rooms


def write_generated() -> None:
    PAGE.write_text(page_again(PAGE.read_text("utf-8")), encoding="utf-8")
