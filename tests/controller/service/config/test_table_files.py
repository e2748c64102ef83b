"""Which configuration a person means: a file, a folder of one table, or a table's name."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.service.config.table_files import (
    files_beside,
    installed_files,
    table_file,
    table_files,
)
from controller.service.install.running_table import find_table

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes the least configuration of a table into a file of the folder.

    The current folder is an empty one.
    """
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def written(place: str, name: str) -> Path:
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[table]\nname = "{name}"\n[shoe]\nport = "/dev/ttyUSB0"\n')
        return file

    return written


def problem_of(given: Path, installed: Path = Path("/nowhere")) -> str:
    with pytest.raises(ConfigError) as found:
        table_file(given, installed)
    assert found.value.unreadable
    return str(found.value)


# --- a folder ---------------------------------------------------------------------------------


def test_a_folders_tables_are_its_toml_files_by_name(put: Put, tmp_path: Path) -> None:
    later, earlier = put("M-2.toml", "A"), put("M-10.toml", "B")
    put("notes.txt", "C")
    put(".M-3.toml", "D")
    put("old.toml/M-4.toml", "E")

    assert table_files(tmp_path) == (earlier, later)


def test_the_tables_of_a_machine_are_those_of_its_pits_too(put: Put, tmp_path: Path) -> None:
    plain, pit = put("etc/M-2.toml", "A"), put("etc/pit-3/M-1.toml", "B")
    put("etc/pit-3/deeper/M-4.toml", "C")

    assert installed_files(tmp_path / "etc") == (plain, pit)
    assert installed_files(tmp_path / "nowhere") == ()


def test_a_link_that_leads_nowhere_is_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "M-1.toml").symlink_to("gone")

    assert table_files(tmp_path) == (tmp_path / "M-1.toml",)


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"this folder has no table\. Allowed: .*NAME\.toml"):
        table_files(tmp_path)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read: No such file") as found:
        table_files(tmp_path / "none")
    assert found.value.unreadable


def test_a_folder_with_one_table_is_that_table(put: Put, tmp_path: Path) -> None:
    file = put("M-1.toml", "M-1")

    assert table_file(tmp_path) == file


def test_of_several_tables_one_must_be_named(put: Put, tmp_path: Path) -> None:
    put("a.toml", "M-1")
    put("b.toml", "M-2")
    (tmp_path / "c.toml").write_text("[")

    assert problem_of(tmp_path) == (
        f"{tmp_path}: this folder has 3 tables. Allowed: M-1, M-2, c.toml. Remedy: name one of"
        f" them, such as {tmp_path}/M-1."
    )


# --- a file -----------------------------------------------------------------------------------


def test_a_file_is_itself_whatever_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "table"
    file.write_text("[")

    assert table_file(file) == file


def test_a_path_through_a_file_is_left_to_its_reader(tmp_path: Path) -> None:
    (tmp_path / "table.toml").touch()

    assert table_file(tmp_path / "table.toml" / "M-1") == tmp_path / "table.toml" / "M-1"


def test_a_missing_file_is_left_to_its_reader(tmp_path: Path) -> None:
    assert table_file(tmp_path / "t.toml", tmp_path) == tmp_path / "t.toml"
    with pytest.raises(ConfigError, match=r"t\.toml: no such file\. Remedy: .*--example"):
        load_config(tmp_path / "t.toml")


# --- a name -----------------------------------------------------------------------------------


def test_a_plain_name_is_an_installed_table(put: Put, tmp_path: Path) -> None:
    file = put("etc/M-1.toml", "M-1")

    assert table_file(Path("M-1"), tmp_path / "etc") == file


def test_a_name_in_a_folder(put: Put, tmp_path: Path) -> None:
    put("M-1.toml", "M-1")
    file = put("table.toml", "M-2")

    assert table_file(tmp_path / "M-2") == file


def test_a_plain_name_is_found_in_the_current_folder_last(put: Put, tmp_path: Path) -> None:
    put("here/M-1.toml", "M-1")

    assert table_file(Path("./M-1"), tmp_path / "etc") == Path("M-1.toml")
    installed = put("etc/a.toml", "M-1")
    assert table_file(Path("M-1"), tmp_path / "etc") == installed


def test_a_table_of_a_pit_is_found_from_the_folder_above(put: Put, tmp_path: Path) -> None:
    put("pit-2/M-11.toml", "M-11")
    file = put("pit-3/M-12.toml", "M-12")

    assert table_file(tmp_path / "M-12") == file
    assert table_file(Path("M-12"), tmp_path) == file
    assert table_file(Path("pit-3/M-12"), tmp_path) == file


def test_a_file_two_folders_below_is_not_looked_for(put: Put, tmp_path: Path) -> None:
    put("house/pit-3/M-12.toml", "M-12")

    assert table_file(tmp_path / "M-12") == tmp_path / "M-12"


def test_a_name_may_have_slashes(put: Put, tmp_path: Path) -> None:
    file = put("a.toml", "casino.example/pit-3/bac-12")

    assert table_file(tmp_path / "casino.example/pit-3/bac-12") == file
    assert table_file(Path("casino.example/pit-3/bac-12"), tmp_path) == file


def test_a_name_with_slashes_is_found_beside_a_folder_of_that_name(
    put: Put, tmp_path: Path
) -> None:
    put("pit-3/M-11.toml", "M-11")
    file = put("a.toml", "pit-3/M-12")

    assert table_file(Path("pit-3/M-12"), tmp_path) == file


def test_the_file_with_the_tables_name_is_read_first_and_alone(put: Put, tmp_path: Path) -> None:
    put("a.toml", "M-1")
    file = put("M-1.toml", "M-1")

    assert table_file(tmp_path / "M-1") == file


def test_a_file_with_another_tables_name_is_not_the_table(put: Put, tmp_path: Path) -> None:
    put("M-1.toml", "M-2")
    file = put("M-2.toml", "M-1")

    assert table_file(tmp_path / "M-1") == file


def test_files_that_cannot_be_read_do_not_stop_the_search(put: Put, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[")
    (tmp_path / "b.toml").symlink_to("gone")
    (tmp_path / "c.toml").write_text("table = 5")
    (tmp_path / "d.toml").write_text("[table]\nname = 5")
    os.mkfifo(tmp_path / "e.toml")
    file = put("z.toml", "M-1")

    assert table_file(tmp_path / "M-1") == file


def test_two_tables_with_the_name_are_named_both(put: Put, tmp_path: Path) -> None:
    one, other = put("a.toml", "M-1"), put("pit-3/b.toml", "M-1")

    assert problem_of(tmp_path / "M-1") == (
        f"{tmp_path}/M-1: several files have a table with this name: {one}, {other}. Allowed: a"
        " name of its own for each table. Remedy: name the file."
    )


def test_a_link_to_a_table_is_that_table(put: Put, tmp_path: Path) -> None:
    put("pit-3/b.toml", "M-1")
    (tmp_path / "a.toml").symlink_to("pit-3/b.toml")
    (tmp_path / "current").symlink_to("pit-3")

    assert table_file(tmp_path / "M-1") == tmp_path / "a.toml"


def test_an_unknown_name_is_answered_with_the_known_ones(put: Put, tmp_path: Path) -> None:
    put("M-12.toml", "M-12")
    put("pit-3/K-7.toml", "K-7")

    assert problem_of(tmp_path / "M-21") == (
        f"{tmp_path}/M-21: no such file, and no table has this name. Allowed: K-7, M-12. Remedy:"
        ' did you mean "M-12"?'
    )
    assert problem_of(Path("X"), tmp_path).endswith("Remedy: name one of them, or a table.toml.")


def test_of_many_tables_only_some_are_named(put: Put, tmp_path: Path) -> None:
    for number in range(10, 30):
        put(f"{number}.toml", f"M-{number}")

    assert "M-20, M-21 and 8 more. Remedy" in problem_of(tmp_path / "none")


# --- every reader resolves --------------------------------------------------------------------


def test_a_configuration_and_its_socket_are_found_by_the_name(put: Put, tmp_path: Path) -> None:
    file = put("pit-3/a.toml", "M-12")

    assert load_config(tmp_path / "M-12").file == file
    assert find_table(tmp_path / "M-12").path == tmp_path / "pit-3" / "control.sock"


def test_the_files_beside_are_a_tables_own_and_nothing_of_another_table(put: Put) -> None:
    own = put("pit/M-12.toml", "M-12")
    other = put("pit/M-13.toml", "M-13")
    own.write_text(own.read_text() + '[rules]\nprofile = "house"\n[evidence]\nkey = "m12.key"\n')
    other.write_text(
        other.read_text() + '[rules]\nprofile = "house"\n[evidence]\nkey = "./m13.key"\n'
        '[[evidence.witnesses]]\nurl = "http://w/"\nkey = "w.pub"\n'
    )
    (own.parent / "batches").mkdir()
    for name in (
        "house.toml",
        "m12.key",
        "m12.key.pub",
        "m13.key",
        "m13.key.pub",
        "w.pub",
        "notes",
    ):
        (own.parent / name).write_text("")

    found = [one.name for one in files_beside(own)]

    assert found == ["house.toml", "m12.key", "m12.key.pub", "notes"]
