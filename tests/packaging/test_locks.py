"""The lock files match pyproject.toml: ranges, hashes, no download locations."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
RUN_LOCK = ROOT / "requirements.lock"
TEST_LOCK = ROOT / "requirements-test.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
LABGRID_LOCK = ROOT / "requirements-labgrid.lock"
LOCKS = (RUN_LOCK, TEST_LOCK, DEV_LOCK, LABGRID_LOCK)
# `make test` stays small; pip, its base and the program are installed too.
TEST_PACKAGES_MAX = 60
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; [^\\]+)?(?: \\)?")
HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}(?: \\)?")


def pins(path: Path) -> dict[str, tuple[str, int]]:
    """Version and number of hashes of each distribution by name."""
    found: dict[str, tuple[str, int]] = {}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if pin := PIN.fullmatch(line):
            name = pin["name"]
            found[name] = (pin["version"], 0)
        elif HASH.fullmatch(line):
            version, hashes = found[name]
            found[name] = (version, hashes + 1)
    return found


def asked_for(group: str) -> tuple[Requirement, ...]:
    """Run-time and build requirements, and those of one dependency group."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [*pyproject["project"]["dependencies"], *pyproject["build-system"]["requires"]]
    pending = [group]
    while pending:
        for item in pyproject["dependency-groups"][pending.pop()]:
            if isinstance(item, str):
                lines.append(item)
            else:
                pending.append(item["include-group"])
    return tuple(map(Requirement, lines))


def asked_only_for(group: str) -> Requirement:
    """The one requirement of a dependency group."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (line,) = pyproject["dependency-groups"][group]
    return Requirement(line)


@pytest.mark.parametrize(
    ("path", "group"), [(RUN_LOCK, "build"), (TEST_LOCK, "test"), (DEV_LOCK, "dev")]
)
def test_every_dependency_is_locked_inside_its_range(path: Path, group: str) -> None:
    locked = pins(path)

    outside = [
        f"{wanted} is locked as {locked.get(canonicalize_name(wanted.name), ('nothing', 0))[0]}"
        for wanted in asked_for(group)
        if canonicalize_name(wanted.name) not in locked
        or not wanted.specifier.contains(locked[canonicalize_name(wanted.name)][0])
    ]

    assert not outside, "run `make lock`"


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_holds_pins_hashes_and_comments_only(path: Path) -> None:
    other = [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if not (PIN.fullmatch(line) or HASH.fullmatch(line) or line.lstrip().startswith("#"))
    ]

    assert not other


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_no_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert not re.findall(r"index|find-links|file:|\w+://|/\w+/", text)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_pin_carries_hashes_for_all_its_files(path: Path) -> None:
    locked = pins(path)

    assert not [name for name, (_, hashes) in locked.items() if hashes == 0]
    # Wheels for many platforms: a lock made from one machine's files has one or two hashes here.
    many = ("grpcio",) if path == LABGRID_LOCK else ("pydantic-core", "msgspec")
    assert all(locked[name][1] > 20 for name in many)


@pytest.mark.parametrize(
    ("larger", "smaller"), [(DEV_LOCK, TEST_LOCK), (DEV_LOCK, RUN_LOCK), (TEST_LOCK, RUN_LOCK)]
)
def test_a_larger_lock_contains_the_smaller(larger: Path, smaller: Path) -> None:
    inner, outer = pins(smaller), pins(larger)

    assert {name: outer.get(name) for name in inner} == inner


def test_the_environment_of_the_tests_is_small() -> None:
    assert len(pins(TEST_LOCK)) + len(("pip", "setuptools", "smartshoe")) <= TEST_PACKAGES_MAX


def test_labgrid_is_locked_for_an_environment_of_its_own() -> None:
    labgrid = pins(LABGRID_LOCK)

    assert asked_only_for("labgrid").specifier.contains(labgrid["labgrid"][0])
    assert "pyserial-labgrid" in labgrid, "it no longer replaces pyserial: one environment may do"
    assert not {"labgrid", "pyserial-labgrid"} & pins(DEV_LOCK).keys()
