"""A table from answers: what they may be, what is added, and that nothing half is left.

Source: controller/install/README.md, "Setting up".
"""

from pathlib import Path

import pytest

from controller.actions.declaration import Role
from controller.config.load import load_config
from controller.install.new_table import (
    Answers,
    NewPerson,
    SetUpError,
    example_answers,
    new_table,
    problems_at,
    read_answers,
    table_folder,
    write_table,
)

PIN = "270918"
TABLE = {"table": {"name": "M-12"}, "shoe": {"port": "/dev/ttyUSB0"}}
ANSWERS = """\
[table]
name = "M-12"
[shoe]
port = "/dev/ttyUSB0"
[[person]]
name = "Ann Lee"
role = "floorperson"
pin_file = "ann.pin"
"""


@pytest.fixture
def answers(fast_dir: Path) -> Path:
    (fast_dir / "ann.pin").write_text(f"{PIN}\nnot of the PIN\n")
    (fast_dir / "short.pin").write_text("12")
    file = fast_dir / "answers.toml"
    file.write_text(ANSWERS)
    return file


def test_answers_are_sections_of_a_table_and_its_people(answers: Path) -> None:
    read = read_answers(answers)
    assert read.sections == TABLE
    assert read.people == (NewPerson("Ann Lee", Role.FLOORPERSON, PIN),)
    assert PIN not in repr(read)


def test_the_example_is_accepted(fast_dir: Path) -> None:
    (fast_dir / "answers.toml").write_text(example_answers())
    for name in ("ann.pin", "bo.pin"):
        (fast_dir / name).write_text(PIN)
    table = new_table(read_answers(fast_dir / "answers.toml"), fast_dir)
    assert (table.config.settings.table, len(table.people)) == ("M-12", 2)


@pytest.mark.parametrize(
    ("wrong", "right", "expected"),
    [
        ("boss", "floorperson", "person.1.role: 'boss' is no role. Allowed: dealer, floorperson"),
        ("bo.pin", "ann.pin", "person.1.pin_file: .*bo.pin: there is no such file. Remedy: "),
        ("short.pin", "ann.pin", "person.1.pin_file: it is too short.* Allowed: .* Remedy: "),
        ("pin", "pin_file", "person.1.pin: there is no such key. Allowed: name, role, pin_file"),
        ('" "', '"Ann Lee"', "person.1.name: it is missing. Allowed: a text. Remedy: "),
        (
            "[person]",
            "[[person]]",
            "person: it is not a list of persons. .*Remedy: write \\[\\[per",
        ),
    ],
)
def test_a_wrong_person_is_named_with_place_and_remedy(
    answers: Path, wrong: str, right: str, expected: str
) -> None:
    answers.write_text(ANSWERS.replace(right, wrong, 1))
    with pytest.raises(SetUpError, match=expected):
        read_answers(answers)


@pytest.mark.parametrize(
    ("section", "key", "value", "expected"),
    [
        ("table", "name", "M 12", "table.name: 'M 12' names no file and no unit. Allowed: "),
        ("table", "name", "../M-12", "table.name: '../M-12' names no file"),
        ("table", "time_zone", "Wien", "table.time_zone: 'Wien' is not a time zone"),
        ("rules", "profile", "mini", "rules.profile: 'mini'"),
        ("shoe", "model", "lumen", "shoe.model: 'lumen' is not allowed. Allowed: angel-eye-ii-ex"),
        ("shoe", "prot", "x", "shoe.prot: there is no such key"),
        ("metrics", "port", 70000, "metrics.port: 70000 is not allowed. Allowed: at most 65535"),
    ],
)
def test_a_wrong_setting_is_named_as_check_config_names_it_and_nothing_is_left(
    fast_dir: Path, section: str, key: str, value: object, expected: str
) -> None:
    sections = {**TABLE, section: {**TABLE.get(section, {}), key: value}}
    with pytest.raises(SetUpError) as raised:
        new_table(Answers(sections, ()), fast_dir)
    assert str(raised.value).startswith(expected)
    assert "Remedy: " in str(raised.value)
    assert list(fast_dir.iterdir()) == []


def test_one_key_can_be_checked_while_others_are_missing(fast_dir: Path) -> None:
    sections = {"table": {"name": "M-12", "time_zone": "Wien"}}
    (problem,) = problems_at(sections, fast_dir, "table.time_zone")
    assert problem.startswith("'Wien' is not a time zone")
    assert problems_at(sections, fast_dir, "table.name") == ()


def test_an_installed_table_has_its_journal_and_socket_where_its_unit_may_write(
    fast_dir: Path,
) -> None:
    installed = new_table(Answers(TABLE, ()), fast_dir, installed=fast_dir)
    assert installed.config.journal_folder == Path("/var/lib/smartshoe/M-12/journal")
    assert installed.config.control_socket == Path("/run/smartshoe/M-12.sock")
    beside = new_table(Answers(TABLE, ()), fast_dir)
    assert beside.config.journal_folder == fast_dir / "journal"


def test_what_the_answers_say_is_not_replaced(fast_dir: Path) -> None:
    sections = {**TABLE, "journal": {"folder": "/srv/journal"}}
    table = new_table(Answers(sections, ()), fast_dir, installed=fast_dir)
    assert table.config.journal_folder == Path("/srv/journal")


def test_a_table_beside_others_may_not_take_what_is_theirs(fast_dir: Path) -> None:
    write_table(new_table(Answers(TABLE, ()), fast_dir), over_old=False)
    second = {"table": {"name": "M-13"}, "shoe": {"port": "/dev/ttyUSB0"}}
    with pytest.raises(SetUpError, match=r"shoe.port: /dev/ttyUSB0 is shoe.port of .*M-12.toml"):
        new_table(Answers(second, ()), fast_dir)


def test_a_file_is_replaced_only_on_request_and_kept(fast_dir: Path) -> None:
    write_table(new_table(Answers(TABLE, ()), fast_dir), over_old=False)
    other = new_table(Answers({**TABLE, "rules": {"decks": 6}}, ()), fast_dir)
    with pytest.raises(
        SetUpError, match=r"is not overwritten. Remedy: --replace keeps the old one"
    ):
        write_table(other, over_old=False)
    assert load_config(fast_dir / "M-12.toml").settings.decks == 8

    write_table(other, over_old=True)

    assert load_config(fast_dir / "M-12.toml").settings.decks == 6
    assert "decks" not in (fast_dir / "M-12.toml.before").read_text()
    assert (fast_dir / "M-12.toml").stat().st_mode & 0o007 == 0


def test_the_file_goes_where_installed_tables_are_else_where_it_is_named(fast_dir: Path) -> None:
    installed = fast_dir / "etc"
    assert table_folder(None, installed) == Path()
    installed.mkdir()
    assert table_folder(None, installed) == installed
    assert table_folder(fast_dir, installed) == fast_dir
    with pytest.raises(SetUpError, match=r"there is no such folder.* Remedy: make it"):
        table_folder(fast_dir / "none", installed)
