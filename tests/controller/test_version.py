"""What records name the program by: its version, and a build that follows from its own bytes."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

import controller
from controller.version import (
    LIBRARIES,
    SOURCES,
    VERSION,
    identifier_at,
    matching_files,
    software_identifier,
    source_digest,
)

if TYPE_CHECKING:
    from grimp import ImportGraph

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("deploy/distributions/office", "deploy/distributions/hil")
PACKAGES = ("foundation", "firmware_bridge", "drivers", "controller", "office")
# What decides what a record, a saved state or a sealed shoe holds.
DECIDING = (
    "controller.core",
    "controller.archive.replay",
    "drivers",
    "controller.archive.finished_shoe",
)
# On the same floor, and of no record: what a person types as text.
BESIDE = "controller.core.script"
TEXTS = "controller/system/messages/catalogues"


@pytest.fixture(scope="module")
def deciding() -> set[str]:
    """Every module that those import, and the modules of other distributions."""
    from grimp import build_graph  # noqa: PLC0415 (not in the small environment)

    graph = build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
    return imported(graph)


def imported(graph: "ImportGraph") -> set[str]:
    found: set[str] = set()
    waiting = [
        one
        for one in graph.modules
        if f"{one}.".startswith(tuple(f"{x}." for x in DECIDING)) and not one.startswith(BESIDE)
    ]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(graph.find_modules_directly_imported_by(module))
    return found


def file_of(module: str) -> str:
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A second copy of the program, to be changed."""
    return copy_to(tmp_path / "tree")


def copy_to(folder: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def change(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n")


def project_at(place: str) -> dict[str, Any]:
    text = (ROOT / place / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


@pytest.mark.parametrize("place", [".", *OTHERS])
def test_it_is_the_version_of_each_distribution(place: str) -> None:
    assert project_at(place)["version"] == VERSION


@pytest.mark.parametrize("place", OTHERS)
def test_each_other_distribution_requires_exactly_its_equal(place: str) -> None:
    assert project_at(place)["dependencies"] == [f"smartshoe=={VERSION}"]


def test_the_distributions_have_the_same_readers_and_makers() -> None:
    table = project_at(".")
    for place in OTHERS:
        other = project_at(place)
        for key in ("license", "requires-python", "authors", "classifiers"):
            assert other[key] == table[key], (place, key)


@pytest.mark.needs("import-linter")
def test_whatever_decides_is_in_the_build(deciding: set[str]) -> None:
    files = {file_of(one) for one in deciding if one.partition(".")[0] in PACKAGES}
    assert sorted(files - set(matching_files(SOURCES))) == []


@pytest.mark.needs("import-linter")
@pytest.mark.parametrize("pattern", [one for one in SOURCES if one.endswith(".py")])
def test_nothing_is_in_the_build_that_decides_nothing(pattern: str, deciding: set[str]) -> None:
    files = {file_of(one) for one in deciding if one.partition(".")[0] in PACKAGES}
    assert files & set(matching_files((pattern,)))


def test_the_rules_as_data_are_in_the_build() -> None:
    data = sorted(one for one in matching_files(SOURCES) if not one.endswith(".py"))
    shipped = (ROOT / "controller/rules/profiles/shipped").glob("*.toml")
    profiles = sorted(one.relative_to(ROOT).as_posix() for one in shipped)
    assert data == ["controller/rules/profiles/data/clauses.csv", *profiles]
    assert len(profiles) > 1


@pytest.mark.needs("import-linter")
def test_its_libraries_are_those_that_are_imported(deciding: set[str]) -> None:
    outside = {one.partition(".")[0] for one in deciding} - {*PACKAGES, *sys.stdlib_module_names}
    named = {name for one in outside for name in packages_distributions()[one]}
    assert named == set(LIBRARIES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_clone_and_a_package_pin_the_same_version_of_it(library: str) -> None:
    locks = [one.read_text("utf-8") for one in ROOT.glob("requirements*.lock")]
    pinned = {pin for one in locks for pin in re.findall(rf"(?m)^{library}==(\S+)", one)}
    assert len(pinned) == 1


def test_the_same_files_are_the_same_program(tree: Path) -> None:
    assert identifier_at(tree) == software_identifier()
    assert software_identifier().startswith(f"{VERSION}+")


@pytest.mark.parametrize("changed", ["controller/rules/tableau.py", "drivers/shell.py"])
def test_another_rule_is_another_program(tree: Path, changed: str) -> None:
    change(tree / changed)
    assert identifier_at(tree) != software_identifier()


def test_another_value_of_a_profile_is_another_program(tree: Path) -> None:
    change(tree / "controller/rules/profiles/shipped/s42-mini.toml")
    assert identifier_at(tree) != software_identifier()


def test_a_file_under_another_name_is_another_program(tree: Path) -> None:
    (tree / "controller/rules/roads.py").rename(tree / "controller/rules/roadmaps.py")
    assert identifier_at(tree) != software_identifier()


def test_style_words_pages_and_what_python_compiles_are_not_of_the_build(tree: Path) -> None:
    console = "outlets/console"
    for name in (f"{console}/static/console.css", f"{console}/templates/page.html", "README.md"):
        change(tree / "controller" / name)
    for words in (tree / TEXTS).iterdir():
        change(words)
    for name in ("rules/__pycache__/tableau.cpython-311.pyc", "rules/.#tableau.py"):
        (tree / "controller" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "controller" / name).write_bytes(b"other")
    assert identifier_at(tree) == software_identifier()


def test_another_version_of_a_library_is_another_program(tree: Path) -> None:
    beside = tree / "msgspec-0.0.1.dist-info"
    beside.mkdir()
    (beside / "METADATA").write_text("Metadata-Version: 2.1\nName: msgspec\nVersion: 0.0.1\n")
    assert identifier_at(tree) != software_identifier()


def test_a_module_beside_the_rows_of_analysts_changes_their_digest(tree: Path) -> None:
    before = source_digest(("office/analytics/*.py",), tree)
    change(tree / "office/analytics/schema.py")
    assert source_digest(("office/analytics/*.py",), tree) != before


def test_an_installation_from_the_wheel_is_the_same_program(tmp_path: Path) -> None:
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    code = "import controller.version as v; print(v.__file__, v.software_identifier())"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        (sys.executable, "-P", "-c", code),
        env=environment,
        cwd="/",
        check=True,
        capture_output=True,
        text=True,
    )
    file, word = done.stdout.split()
    assert Path(file).is_relative_to(tmp_path)
    assert word == software_identifier()


def test_help_does_not_compute_it() -> None:
    """A page of help is read often, at once, and by people who wait."""
    code = (
        "import sys\n"
        "from controller.cli.main import main\n"
        "main(['--help'])\n"
        "sys.exit('controller.version' in sys.modules or 'importlib.metadata' in sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(controller.__file__).parents[1])}
    done = subprocess.run(
        (sys.executable, "-P", "-c", code), env=environment, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
