"""The marker `needs`: leaves out tests whose needs are absent, and names what brings them.

`--services none` runs the tests without needs, `--services only` the others. A file whose
`pytestmark` names a library that is absent is not imported.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from declared_needs import Need, needs, remedies

LEFT_OUT = "needs "


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--services",
        choices=("none", "only", "both"),
        default="both",
        help="run the tests that need nothing (none), those that need more (only), or both",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(name, ...): left out where one of them is absent")


def needs_of(item: pytest.Item) -> list[Need]:
    """What a test needs. Raises pytest.UsageError for a name that is not declared."""
    names = [name for mark in item.iter_markers("needs") for name in mark.args or ("",)]
    return [_declared(name) for name in names]


def _declared(name: str) -> Need:
    known = needs()
    if name not in known:
        raise pytest.UsageError(
            f'write @pytest.mark.needs("name"), not {name!r}: one of {", ".join(known)};'
            " or declare it in tests/needs/needs.toml"
        )
    return known[name]


@cache
def is_absent(name: str) -> bool:
    return bool(_declared(name).absent())


# --- selecting ------------------------------------------------------------------------------------


def needs_of_file(path: Path) -> list[str]:
    """What the `pytestmark` of a file names, read without importing it."""
    text = path.read_text("utf-8")
    if "pytestmark" not in text or "mark.needs(" not in text:
        return []
    return [name for node in ast.parse(text).body for name in _names_in(node)]


def _names_in(node: ast.stmt) -> Iterator[str]:
    if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"):
        return
    for call in ast.walk(node.value):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.needs":
            yield from (ast.literal_eval(name) for name in call.args)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without services, a file that needs some is not even read."""
    is_module = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    if config.getoption("--services") == "none" and is_module and needs_of_file(collection_path):
        return True
    return None


class AbsentModule(pytest.Module):
    """A file that is left out whole: what it needs is not here."""

    def collect(self) -> Iterator[pytest.Item]:
        pytest.skip(reason_for(absent_libraries(self.path)[0]), allow_module_level=True)


def absent_libraries(path: Path) -> list[str]:
    """The needs of a file without which its imports fail."""
    named = needs_of_file(path)
    return [name for name in named if _declared(name).distributions and is_absent(name)]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    if absent_libraries(module_path):
        return AbsentModule.from_parent(parent, path=module_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    which = config.getoption("--services")
    if which == "both":
        return
    wanted = [item for item in items if bool(needs_of(item)) is (which == "only")]
    kept = {id(item) for item in wanted}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = wanted


def reason_for(name: str) -> str:
    return LEFT_OUT + name


def pytest_runtest_setup(item: pytest.Item) -> None:
    for need in needs_of(item):
        if is_absent(need.name):
            pytest.skip(reason_for(need.name))


# --- naming what was left out ---------------------------------------------------------------------


def pytest_report_header(config: pytest.Config) -> list[str]:
    if config.getoption("--services") == "none":
        return ["tests: those that need nothing beside the table; the others: make test-services"]
    left_out = files_left_out(config.rootpath / "tests", long=config.getoption("--full"))
    return [
        *(["left out, because what they need is absent (counted at the end):"] if left_out else []),
        *(f"  {need}: tests in {', '.join(names)}" for need, names in left_out.items()),
    ]


def files_left_out(tests: Path, *, long: bool) -> dict[str, list[str]]:
    """By absent need, the files with tests that name it."""
    absent = [need.name for need in needs().values() if (long or not need.long) and need.absent()]
    found: dict[str, list[str]] = {}
    for file in sorted(tests.rglob("test_*.py")):
        text = file.read_text("utf-8")
        marks = [part.partition(")")[0] for part in text.split("mark.needs(")[1:]]
        for name in absent:
            if any(f'"{name}"' in mark for mark in marks):
                found.setdefault(name, []).append(file.name)
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which tests were left out, and how to have them."""
    skipped = [report.longrepr[2] for report in terminalreporter.getreports("skipped")]
    counted = Counter(reason.removeprefix("Skipped: ") for reason in skipped)
    if not counted:
        return
    terminalreporter.section(f"{counted.total()} tests left out")
    for reason, count in counted.most_common():
        what = needs().get(reason.removeprefix(LEFT_OUT))
        terminalreporter.line(f"{count:>5}  {reason}" + (f": {what.what}" if what else ""))
    absent = [need for need in needs().values() if reason_for(need.name) in counted]
    for line in remedies(absent):
        terminalreporter.line(f"To run them: {line}")
