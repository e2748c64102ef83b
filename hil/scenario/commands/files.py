"""Which scenarios are meant: files, folders, and the collections that come with the bench."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.core.script.errors import ScriptError
from controller.system.atomic_file import SmallFileError
from controller.system.command_line.errors import CommandError
from hil.scenario.language.reading import SUFFIX, Scenario, read_scenario

SHIPPED: Final = Path(__file__).parents[2] / "scenarios"


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario and its file."""

    path: Path
    scenario: Scenario


def collections() -> tuple[str, ...]:
    """The names of the collections that come with the bench."""
    folders = {one.relative_to(SHIPPED).parts[0] for one in scenario_files(SHIPPED)}
    return tuple(sorted(one for one in folders if not one.endswith(SUFFIX)))


def scenario_files(folder: Path) -> tuple[Path, ...]:
    """The files of scenarios below a folder."""
    return tuple(sorted(folder.rglob(f"*{SUFFIX}")))


def read_scenarios(words: Sequence[str]) -> tuple[ScenarioFile, ...]:
    """The scenarios that `words` mean: files, folders or collections, each one once.

    Raises CommandError with every problem of every file.
    """
    paths = list(dict.fromkeys(path for word in words for path in _paths_of(word)))
    found: list[ScenarioFile] = []
    problems: list[str] = []
    for path in paths:
        try:
            found.append(ScenarioFile(path, read_scenario(path)))
        except ScriptError as error:
            problems.append(str(error))
        except SmallFileError as error:
            problems.append(str(error))
    if problems:
        raise CommandError("\n".join(problems))
    return tuple(found)


def _paths_of(word: str) -> Iterator[Path]:
    if word in collections():
        yield from scenario_files(SHIPPED / word)
        return
    path = Path(word)
    if path.is_file():
        yield path
        return
    inside = scenario_files(path) if path.is_dir() else ()
    if inside:
        yield from inside
        return
    known = ", ".join(collections())
    raise CommandError(
        f"there is no {SUFFIX} file in this folder" if path.is_dir() else "there is no such file",
        place=word,
        allowed=f"a file, a folder{f' or a collection ({known})' if known else ''}",
        remedy="correct the path",
    )
