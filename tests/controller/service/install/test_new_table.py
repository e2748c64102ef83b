"""A table from answers: what they may be, what is added, and that nothing half is left."""

from pathlib import Path

import pytest

from controller.rules.actions.declaration import Role
from controller.service.config.load import load_config
from controller.service.install.new_table import (
    Answers,
    NewPerson,
    SetUpError,
    example_answers,
    named_answers,
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


def test_a_table_of_a_pit_has_its_journal_where_the_unit_of_the_pit_may_write(
    fast_dir: Path,
) -> None:
    pit = fast_dir / "pit-3"
    pit.mkdir()
    installed = new_table(Answers(TABLE, ()), pit, installed=fast_dir)
    assert installed.config.journal_folder == Path("/var/lib/smartshoe/pit-3/M-12/journal")


def another(name: str, port: str) -> Answers:
    return Answers({"table": {"name": name}, "shoe": {"port": port}}, ())


def test_units_have_ports_of_their_own_and_tables_of_a_pit_share_one(fast_dir: Path) -> None:
    pit = fast_dir / "pit-3"
    pit.mkdir()
    tables = ((fast_dir, "M-1"), (fast_dir, "M-2"), (pit, "M-3"), (pit, "M-4"))
    ports = []
    for number, (folder, name) in enumerate(tables):
        table = new_table(another(name, f"/dev/ttyUSB{number}"), folder, installed=fast_dir)
        write_table(table, over_old=False)
        ports.append(table.config.metrics_port)
    assert ports == [9309, 9310, 9311, 9311]
    again = new_table(another("M-2", "/dev/ttyUSB1"), fast_dir, installed=fast_dir)
    assert again.config.metrics_port == 9310


def test_a_second_table_in_a_folder_of_ones_own_has_places_of_its_own(fast_dir: Path) -> None:
    write_table(new_table(another("M-1", "/dev/ttyUSB1"), fast_dir), over_old=False)
    second = new_table(another("M-2", "/dev/ttyUSB2"), fast_dir).config
    assert second.journal_folder == fast_dir / "M-2/journal"
    assert second.control_socket == fast_dir / "M-2/control.sock"
    assert second.metrics_port == 9310


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("Ann Lee", "Ann Lee"), "person.2.name: Ann Lee is in the list already. Allowed: one"),
        (("Ann\aLee",), "person.1.name: it is not one printable line. Allowed: at most 500"),
    ],
)
def test_people_whom_the_table_would_refuse_are_named_before_anything_is_written(
    fast_dir: Path, names: tuple[str, ...], expected: str
) -> None:
    people = tuple(NewPerson(one, Role.FLOORPERSON, PIN) for one in names)
    with pytest.raises(SetUpError) as raised:
        new_table(Answers(TABLE, people), fast_dir)
    assert str(raised.value).startswith(expected)
    assert list(fast_dir.iterdir()) == []


def test_answers_beside_the_new_table_are_no_other_table(fast_dir: Path) -> None:
    (fast_dir / "answers.toml").write_text(ANSWERS.partition("[[person]]")[0])
    table = new_table(read_answers(fast_dir / "answers.toml"), fast_dir)
    assert table.config.journal_folder == fast_dir / "journal"


def test_the_same_answers_serve_another_name(fast_dir: Path) -> None:
    named = named_answers(Answers(TABLE, ()), "M-13")
    assert new_table(named, fast_dir).file == fast_dir / "M-13.toml"
    assert named_answers(Answers(TABLE, ()), "").sections == TABLE


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
