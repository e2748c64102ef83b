"""`make quick`: plays the tests of the rooms that a change touches, nearest first, for a minute.

A change is what differs from the branch's beginning on `main`, committed or not. A test file is
touched if it changed, if its room mirrors a changed module's or that of a direct importer, or if it
imports a changed module.
"""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parents[2]
TESTS: Final = ROOT / "tests"
PAGE_TEST: Final = "tests/examples/test_pages.py::test_the_examples_of_a_page_print_what_is_shown"
# Rooms of what is no module.
ROOMS_OF_FILES: Final = {
    "deploy": ("tests/deploy", "tests/packaging"),
    "docs": ("tests/docs", "tests/architecture/test_docs.py"),
    ".ci": ("tests/architecture/test_test_rules.py", "tests/packaging"),
    "": ("tests/packaging", "tests/architecture/test_docs.py"),
}
JOBS: Final = 3


def main(words: Sequence[str]) -> int:
    """Play the touched tests, with further words for pytest; the exit code is pytest's."""
    changed = changed_files()
    if not changed:
        print("quick: nothing differs from main; `make test` plays all")
        return 0
    touched = list(dict.fromkeys(touched_tests(changed)))
    if not touched:
        print(f"quick: no test mirrors or imports {', '.join(changed)}")
        return 0
    rooms = dict.fromkeys(str(Path(one.partition("::")[0]).parent) for one in touched)
    print(f"quick: {counted(len(changed), 'changed file')}, {counted(len(touched), 'test file')}")
    print(f"quick: nearest first, until a minute is over: {', '.join(rooms)}", flush=True)
    plugins = ("-p", "time_limit", "-n", str(JOBS), "--dist", "load", "--services", "none")
    pytest = (sys.executable, "-m", "pytest", "-q", *plugins, *words, *touched)
    return subprocess.run(pytest, cwd=ROOT, check=False).returncode


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def changed_files() -> list[str]:
    """Paths that differ from the merge base with main, and new ones; not what was deleted."""
    base = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    names = [*git("diff", "--name-only", base[0]), *git("ls-files", "-o", "--exclude-standard")]
    return [name for name in dict.fromkeys(names) if (ROOT / name).is_file()]


def git(*words: str) -> list[str]:
    """The lines that git prints; none if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def touched_tests(changed: Iterable[str]) -> Iterator[str]:
    """Test files and pages that a change touches, nearest first."""
    files = list(changed)
    modules = {name for one in files if (name := module_of(one))}
    yield from (test for one in files for test in tests_of_file(one))
    yield from (test for name in sorted(modules) for test in room_of(name))
    if not modules:
        return
    yield from (test for test in all_tests() if imports_of(ROOT / test, modules) & modules)
    yield from (test for name in importers_of(modules) for test in room_of(name))


def tests_of_file(path: str) -> list[str]:
    """The tests of a file that is no module: a test, what stands beside tests, a page, a file."""
    place = Path(path)
    if place.parts[0] == "tests":
        if place.name.startswith("test_") and place.suffix == ".py":
            return [path]
        beside = relative(sorted((ROOT / path).parent.glob("test_*.py")))
        return beside or list(ROOMS_OF_FILES[".ci"])
    if place.suffix == ".md":
        page = [f"{PAGE_TEST}[{path}]"] if place.name != "CHANGELOG.md" else []
        return [*page, "tests/architecture/test_docs.py"]
    if module_of(path):
        return []
    top = place.parts[0] if len(place.parts) > 1 else ""
    return list(ROOMS_OF_FILES.get(top, ()))


def module_of(path: str) -> str:
    """The module of a source file; for a data file, the package that it lies in."""
    place = Path(path)
    if place.parts[0] not in root_packages():
        return ""
    if place.suffix == ".py":
        return ".".join(place.with_suffix("").parts).removesuffix(".__init__")
    while not (ROOT / place.parent / "__init__.py").exists() and len(place.parts) > 1:
        place = place.parent
    return ".".join(place.parent.parts)


def root_packages() -> list[str]:
    text = (ROOT / "contracts.toml").read_text("utf-8")
    names: list[str] = tomllib.loads(text)["tool"]["importlinter"]["root_packages"]
    return names


def room_of(module: str) -> list[str]:
    """The tests that mirror a module: `test_NAME.py`, then the others of the nearest room."""
    parts = module.split(".")
    own = TESTS.joinpath(*parts[:-1], f"test_{parts[-1]}.py")
    folder = TESTS.joinpath(*parts)
    while not folder.is_dir():
        folder = folder.parent
    others = sorted(folder.glob("test_*.py")) if folder != TESTS else []
    return relative(dict.fromkeys([*([own] if own.is_file() else []), *others]))


def importers_of(modules: Iterable[str]) -> list[str]:
    graph = grimp.build_graph(*root_packages())
    known = [one for one in sorted(modules) if one in graph.modules]
    return sorted({user for one in known for user in graph.find_modules_that_directly_import(one)})


def imports_of(test: Path, sought: Iterable[str]) -> frozenset[str]:
    """The modules that a test file imports, and the names that may be modules.

    Nothing for a file without a word of those that are sought: to parse all takes seconds.
    """
    names: set[str] = set()
    text = test.read_text("utf-8")
    if not any(module.rpartition(".")[2] in text for module in sought):
        return frozenset()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(names)


def all_tests() -> Mapping[str, None]:
    return dict.fromkeys(relative(sorted(TESTS.rglob("test_*.py"))))


def relative(paths: Iterable[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
