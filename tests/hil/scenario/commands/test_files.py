"""Which files are meant by the words of a command line."""

from pathlib import Path

import pytest

from controller.system.command_line.errors import CommandError
from hil.scenario.commands.files import SHIPPED, collections, read_scenarios, scenario_files


@pytest.fixture
def folder(fast_dir: Path) -> Path:
    (fast_dir / "b").mkdir()
    for name in ("z.scenario", "b/a.scenario", "b/notes.txt", "plain.txt"):
        (fast_dir / name).write_text("wait 1s\n")
    return fast_dir


def names(*words: object) -> list[str]:
    return [one.path.name for one in read_scenarios([str(word) for word in words])]


def test_a_folder_means_every_scenario_below_it(folder: Path) -> None:
    assert names(folder) == ["a.scenario", "z.scenario"]


def test_a_file_of_any_name_is_a_scenario_named_after_it(folder: Path) -> None:
    (found,) = read_scenarios([str(folder / "plain.txt")])

    assert found.scenario.name == "plain"


def test_a_file_that_is_named_twice_is_played_once(folder: Path) -> None:
    assert names(folder / "z.scenario", folder, folder) == ["z.scenario", "a.scenario"]


def test_a_collection_means_its_folder() -> None:
    for name in collections():
        assert names(name) == [one.name for one in scenario_files(SHIPPED / name)]


def test_every_problem_of_every_file_is_said(folder: Path) -> None:
    (folder / "z.scenario").write_text("wait\nshake red\n")
    (folder / "b" / "a.scenario").write_bytes(b"\xff")
    with pytest.raises(CommandError) as caught:
        read_scenarios([str(folder)])
    problems = str(caught.value).splitlines()

    assert [one.partition(": ")[0] for one in problems] == [
        f"{folder}/b/a.scenario, line 1",
        f"{folder}/z.scenario:1:5",
        f"{folder}/z.scenario:2:1",
    ]


@pytest.mark.parametrize(
    ("word", "problem"), [("none", "no such file"), ("b/empty", "no .scenario file in this folder")]
)
def test_a_word_that_means_nothing_is_refused(folder: Path, word: str, problem: str) -> None:
    (folder / "b" / "empty").mkdir()

    with pytest.raises(CommandError, match=problem):
        read_scenarios([str(folder / word)])
