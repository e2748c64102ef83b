"""The Debian packages' names and versions, and the pages and commands that name them."""

import importlib.util
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from controller.version import VERSION
from hil.gate.debian_root import DEBIANS

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "deploy" / "debian"
PAGES = (ROOT / "docs/installation.md", PACKAGING / "README.md")
NAME = re.compile(r"smartshoe(?:-\w+)?_[^\s`/_]+_\w+\.deb")


@pytest.fixture(scope="module")
def target() -> ModuleType:
    """deploy/debian/package_target.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("package_target", PACKAGING / "package_target.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launcher(tmp_path: Path, home: Path, release: str) -> Path:
    """The package's command for Debian 12, with its folder and the machine's release elsewhere."""
    sys.path.insert(0, str(PACKAGING))
    try:
        import build_package  # noqa: PLC0415 - it finds its modules beside it
    finally:
        sys.path.remove(str(PACKAGING))
    facts = tmp_path / "os-release"
    facts.write_text(release)
    text = build_package.LAUNCHER.format(
        module="json.tool", debian=12, interpreter="python3.11", version="0.9.0", arch="amd64"
    )
    file = tmp_path / "smartshoe"
    file.write_text(
        text.replace("/usr/lib/smartshoe", str(home)).replace("/etc/os-release", str(facts))
    )
    file.chmod(0o755)
    return file


def test_names_and_versions_sort_by_version_then_debian(target: ModuleType) -> None:
    names = [
        target.PackageTarget(DEBIANS[number], "amd64").version(version)
        for version in ("0.9.0.dev0", "0.9.0", "0.9.1", "0.10.0")
        for number in (12, 13)
    ]

    assert names[2:4] == ["0.9.0+deb12", "0.9.0+deb13"]
    for before, after in pairwise(names):
        assert sorts_before(before, after), f"{before} does not sort before {after}"


def sorts_before(one: str, other: str) -> bool:
    """By the rules of Debian policy 5.6.12, for versions of digits, dots, plus and tilde."""

    def weight(character: str) -> int:
        # A tilde sorts before the end, letters before other characters.
        if character == "~":
            return -1
        return ord(character) + (0 if character.isalpha() else 256)

    def key(version: str) -> list[object]:
        parts = re.findall(r"(\D*)(\d*)", version)
        return [([*map(weight, text), 0], int(number or 0)) for text, number in parts]

    return key(one) < key(other)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_name_the_files_that_make_deb_writes(page: Path, target: ModuleType) -> None:
    written = {
        target.PackageTarget(debian, arch).file_name(package, VERSION)
        for debian in DEBIANS.values()
        for arch in target.MACHINES
        for package in ("smartshoe", "smartshoe-office", "smartshoe-hil")
    }
    named = set(NAME.findall(page.read_text(encoding="utf-8")))

    assert named, "the page names no package"
    assert named <= written, f"make deb writes {sorted(written)}"


def test_the_wheel_on_the_page_is_that_of_this_version() -> None:
    named = re.findall(r"smartshoe-([\w.+]+)-py3", PAGES[0].read_text(encoding="utf-8"))

    assert set(named) == {VERSION}


def test_a_package_depends_on_the_python_of_its_debian(target: ModuleType) -> None:
    packages = [target.PackageTarget(one, "amd64").depends for one in DEBIANS.values()]

    assert packages == [
        "python3 (>= 3.11), python3 (<< 3.12)",
        "python3 (>= 3.13), python3 (<< 3.14)",
    ]


def test_a_package_knows_the_file_for_each_debian(target: ModuleType) -> None:
    facts = target.package_files(
        target.PackageTarget(DEBIANS[12], "arm64"), "smartshoe-hil", "0.9.0"
    )

    assert facts == {
        "debian": 12,
        "files": {
            "12": "smartshoe-hil_0.9.0+deb12_arm64.deb",
            "13": "smartshoe-hil_0.9.0+deb13_arm64.deb",
        },
    }


def test_without_its_python_the_program_names_the_packages_for_this_debian(tmp_path: Path) -> None:
    release = 'ID=debian\nVERSION_ID="13"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n'
    for name in ("smartshoe", "smartshoe-hil"):
        (tmp_path / "lib" / name).mkdir(parents=True)
        (tmp_path / "lib" / name / "package.json").touch()
    file = launcher(tmp_path, tmp_path / "lib/smartshoe", release)

    done = subprocess.run([file, "doctor"], capture_output=True, text=True, check=False)

    assert done.returncode == 4
    assert done.stdout == ""
    assert "made for Debian 12, and its python3.11 is not here" in done.stderr
    names = ("smartshoe-hil", "smartshoe")
    files = " ".join(f"./{one}_0.9.0+deb13_amd64.deb" for one in names)
    assert f"apt-get install {files}\n" in done.stderr


def test_with_its_python_the_program_is_given_its_words(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin/python3").symlink_to(sys.executable)
    file = launcher(tmp_path, home, "")

    words = [file, "-", "--sort-keys", "--compact"]
    done = subprocess.run(
        words, input='{"b": 1, "a": 2}', capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, '{"a":2,"b":1}\n'), done.stderr
