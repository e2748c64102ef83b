"""Builds the wheel, installs it with the locked requirements elsewhere and runs its commands."""

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("foundation", "firmware_bridge", "drivers", "controller", "office", "hil")

# Each runs in the empty environment and an empty directory, and must exit with 0 and print.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("smartshoe", "--version"),
    ("smartshoe", "--help"),
    ("smartshoe", "rules"),
    ("smartshoe", "clauses"),
    ("smartshoe-hil", "--help"),
)

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


def sources() -> set[str]:
    """Every file of the packages in this tree, by its name in the wheel."""
    return {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not NOT_INSTALLED.intersection(path.parts)
    }


def strays(names: set[str], version: str) -> list[str]:
    """Names that do not belong in the wheel."""
    info = f"smartshoe-{version}.dist-info"
    return sorted(
        name
        for name in names
        for path in (PurePosixPath(name),)
        if path.parts[0] != info
        and (
            path.parts[0] not in PACKAGES
            or (path.suffix or path.name) not in SUFFIXES
            or FOREIGN_PARTS.intersection(path.parts)
        )
    )


def missing(names: set[str], in_tree: set[str]) -> list[str]:
    """Files of the packages that are missing from the wheel."""
    return sorted(in_tree - names)


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command without stdin; on failure exit with its whole output."""
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
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nwheel: {' '.join(map(str, command))} ended {done.returncode}")
    return done.stdout


def build_wheel(into: Path) -> Path:
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", into, ROOT)
    run(*build, cwd=into)
    (wheel,) = into.glob("*.whl")
    return wheel


def check_contents(wheel: Path, version: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    if found := strays(names, version):
        sys.exit(f"wheel: does not belong in it: {', '.join(found)}")
    if found := missing(names, sources()):
        sys.exit(f"wheel: missing from it: {', '.join(found)}")


def check_commands(wheel: Path, version: str, work: Path) -> None:
    home = work / "environment"
    elsewhere = work / "elsewhere"
    elsewhere.mkdir()
    venv.create(home, with_pip=True, symlinks=True)
    python = home / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    run(*pip, "--no-deps", "--require-hashes", "-r", ROOT / "requirements.lock", cwd=elsewhere)
    run(*pip, "--no-deps", "--no-index", wheel, cwd=elsewhere)
    run(python, "-m", "pip", "check", cwd=elsewhere)
    # No PYTHON* variable and no active environment of the caller reaches the commands.
    clean = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "HOME": str(elsewhere), "LANG": "C.UTF-8"}
    for name, *arguments in COMMANDS:
        output = run(home / "bin" / name, *arguments, cwd=elsewhere, env=clean)
        if not output.strip():
            sys.exit(f"wheel: {name} {' '.join(arguments)} printed nothing")
        if arguments == ["--version"] and version not in output:
            sys.exit(f"wheel: {name} --version prints {output.strip()!r}, the wheel is {version}")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = str(project["version"])
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory(prefix="smartshoe-wheel-") as name:
        work = Path(name)
        wheel = build_wheel(work)
        check_contents(wheel, version)
        check_commands(wheel, version, work)


if __name__ == "__main__":
    main()
