"""Builds the three wheels and installs each with the locked requirements in an empty environment.

The table's alone says which other one brings a command; each other one requires its equal.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Distribution(NamedTuple):
    """One distribution: its folder, and what is in its wheel and what is not."""

    folder: str
    packages: tuple[str, ...]
    left_out: tuple[str, ...] = ()


DISTRIBUTIONS = {
    "smartshoe": Distribution(".", ("foundation", "firmware_bridge", "drivers", "controller")),
    "smartshoe_office": Distribution("deploy/distributions/office", ("office",)),
    "smartshoe_hil": Distribution(
        "deploy/distributions/hil", ("hil",), ("hil/bench", "hil/crash", "hil/gate")
    ),
}

# Each runs in the empty environment and an empty directory, and must exit with 0 and print.
TABLE = (
    "smartshoe --version",
    "smartshoe --help",
    "smartshoe rules",
    "smartshoe clauses",
    "smartshoe check-config --example",
)
OFFICE = ("smartshoe audit --help", "smartshoe evidence --help", "smartshoe report day --help")
BENCH = (
    "smartshoe-hil --help",
    "smartshoe-hil floor --help",
    "smartshoe-hil demo --seed 7 --speed max --no-mistakes --journal journal",
)
# Without their distributions: each ends with 2, and names what brings it.
MISSING = {
    "smartshoe audit journal": "smartshoe-office brings it",
    "smartshoe evidence 1/1 journal --out coup.zip": "smartshoe-office brings it",
    "smartshoe report day newest journal --out day": "smartshoe-office brings it",
    "smartshoe journal export . --parquet tables": "smartshoe-office brings it",
}

# The suffixes of the packages' files, and the one name without a suffix. Any other file in a
# wheel is a stray.
SUFFIXES = frozenset(
    {
        ".py",
        ".md",
        ".mo",
        ".po",
        ".toml",
        ".csv",
        ".json",
        ".scenario",
        ".scripts",
        ".answers",
        ".sql",
        ".html",
        ".svg",
        ".css",
        ".js",
        ".c",
        ".h",
        ".ld",
        "Makefile",
        ".sh",
        ".config",
    }
)
FOREIGN_PARTS = frozenset({"tests", "__pycache__", "deploy", "dist", "build"})


# Caches and measured figures stay in the repository.
NOT_INSTALLED = {"__pycache__", "results"}


def sources(one: Distribution = DISTRIBUTIONS["smartshoe"]) -> set[str]:
    """Every file of the packages in this tree, by its name in the wheel."""
    found = {
        path.relative_to(ROOT).as_posix()
        for package in one.packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not NOT_INSTALLED.intersection(path.parts)
    }
    return {name for name in found if not name.startswith(tuple(f"{x}/" for x in one.left_out))}


def strays(names: set[str], version: str, name: str = "smartshoe") -> list[str]:
    """Names that do not belong in the wheel of a distribution."""
    info = f"{name}-{version}.dist-info"
    packages, left_out = DISTRIBUTIONS[name].packages, DISTRIBUTIONS[name].left_out
    return sorted(
        file
        for file in names
        for path in (PurePosixPath(file),)
        if path.parts[0] != info
        and (
            path.parts[0] not in packages
            or path.as_posix().startswith(left_out or "//")
            or (path.suffix or path.name) not in SUFFIXES
            or FOREIGN_PARTS.intersection(path.parts)
        )
    )


def missing(names: set[str], in_tree: set[str]) -> list[str]:
    """Files of the packages that are missing from the wheel."""
    return sorted(in_tree - names)


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int = 0) -> str:
    """Run a command without stdin; where it ends otherwise, exit with its whole output."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != code:
        sys.exit(f"{done.stdout}\nwheel: {' '.join(map(str, command))} ended {done.returncode}")
    return done.stdout


def build_wheel(name: str, into: Path) -> Path:
    place = ROOT / DISTRIBUTIONS[name].folder
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", into, place)
    run(*build, cwd=into)
    (wheel,) = into.glob(f"{name}-*.whl")
    return wheel


def check_contents(name: str, wheel: Path, version: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {one for one in archive.namelist() if not one.endswith("/")}
    if found := strays(names, version, name):
        sys.exit(f"wheel {name}: does not belong in it: {', '.join(found)}")
    if found := missing(names, sources(DISTRIBUTIONS[name])):
        sys.exit(f"wheel {name}: missing from it: {', '.join(found)}")
    print(f"wheel {name}: {len(names)} files, {wheel.stat().st_size // 1024} KiB")


class Environment:
    """An empty environment with the locked libraries, and an empty folder to work in."""

    def __init__(self, work: Path) -> None:
        self.home, self.elsewhere = work / "environment", work / "elsewhere"
        self.elsewhere.mkdir()
        venv.create(self.home, with_pip=True, symlinks=True)
        self.pip("install", "--no-deps", "--require-hashes", "-r", ROOT / "requirements.lock")

    def pip(self, *words: str | Path) -> str:
        """What pip prints; exits where it fails."""
        pip = (self.home / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet")
        return run(*pip, *words, cwd=self.elsewhere)

    def pip_fails(self, *words: str | Path) -> str:
        """What pip prints where it refuses."""
        pip = (self.home / "bin/python", "-m", "pip", "--disable-pip-version-check")
        return run(*pip, *words, cwd=self.elsewhere, code=1)

    def play(self, line: str, code: int = 0) -> str:
        """What a command prints. No PYTHON* variable of the caller reaches it."""
        name, *words = line.split()
        clean = {"PATH": f"{self.home / 'bin'}:/usr/bin:/bin", "HOME": str(self.elsewhere)}
        clean["LANG"] = "C.UTF-8"
        printed = run(self.home / "bin" / name, *words, cwd=self.elsewhere, env=clean, code=code)
        if not printed.strip():
            sys.exit(f"wheel: {line} printed nothing")
        return printed


def check_commands(wheels: dict[str, Path], version: str, work: Path) -> None:
    there = Environment(work)
    for name, lines in (
        ("smartshoe", TABLE),
        ("smartshoe_hil", BENCH),
        ("smartshoe_office", OFFICE),
    ):
        if name == "smartshoe_office":
            for line, words in MISSING.items():
                if words not in there.play(line, code=2):
                    sys.exit(f"wheel: without {name}, {line} names no distribution")
        there.pip("install", "--no-deps", "--no-index", wheels[name])
        there.pip("check")
        for line in lines:
            printed = there.play(line)
            if line.endswith("--version") and version not in printed:
                sys.exit(f"wheel: {line} prints {printed.strip()!r}, the wheel is {version}")
    # Another version of the table's is no equal.
    there.pip("uninstall", "--yes", "smartshoe-hil", "smartshoe")
    refused = there.pip_fails("install", "--no-index", wheels["smartshoe_office"])
    if f"smartshoe=={version}" not in refused:
        sys.exit(f"wheel: the office alone is installed, or says {refused!r}")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = str(project["version"])
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory(prefix="smartshoe-wheel-") as folder:
        work = Path(folder)
        wheels = {name: build_wheel(name, work) for name in DISTRIBUTIONS}
        for name, wheel in wheels.items():
            check_contents(name, wheel, version)
        check_commands(wheels, version, work)


if __name__ == "__main__":
    main()
