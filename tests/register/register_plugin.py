"""Marks count only if the program cites: the register of clauses is built and held here.

Responsible for: refusing `clause` marks that name no clause; failing a run in which a marked test
ran without the program citing the clause; after a whole run comparing with the committed register
of clauses, demanding that no clause is open, and writing the register when asked to.
Not responsible for: noting citations (register_citations) and the register's form
(controller.profiles.clause_register).
Source: package README of the controller, "Clauses and their proof".
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from register_citations import Citation, Citations, citing_classes

from controller.profiles.clause_register import (
    Coverage,
    Register,
    Standing,
    in_one_line,
    markdown_table,
    parse_register,
    proof,
    render_register,
    standings,
    with_table,
)
from controller.profiles.clauses import Clause

# While clauses are still open: set `register_complete = true` in pyproject.toml, or here, and an
# open clause fails the run.
COMPLETE_BY_DEFAULT = False
REGISTER = "controller/profiles/data/register.json"
README = "controller/README.md"
REMEDY = "run `make register` and commit what it writes"

PROPERTY = "clauses"  # the name under which a report carries what its test cited
SHOWN_MAX = 12
# Options that leave single tests out, and with them perhaps some cases of a function.
PICKING = {
    "keyword": "-k",
    "markexpr": "-m",
    "lf": "--last-failed",
    "stepwise": "--stepwise",
    "deselect": "--deselect",
    "maxfail": "--maxfail",
}
# Options that leave whole files out, or choose other examples than the register was built from.
NARROWING = {
    **PICKING,
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "collectonly": "--collect-only",
    "hypothesisseed": "--hypothesis-seed",
}


@cache
def catalogue() -> Mapping[str, Clause]:
    """All clauses, read once they are asked for: tests that mark nothing need none of it."""
    from controller.profiles.load import load_clauses  # noqa: PLC0415

    return load_clauses()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-register",
        action="store_true",
        help="after a whole run without a failure, write the register of clauses",
    )
    parser.addini("register", "the register of clauses, from the root", default=REGISTER)
    parser.addini("register_readme", "the README that shows its table", default=README)
    parser.addini(
        "register_complete", "an open clause fails a whole run", "bool", COMPLETE_BY_DEFAULT
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Marks(), "clause-marks")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Judgement(config), "clause-register")


# --- where tests run ----------------------------------------------------------------------------


def marked_with(item: pytest.Item) -> list[str]:
    """The clauses a test is marked with."""
    return list(dict.fromkeys(mark.args[0] for mark in item.iter_markers("clause")))


def faulty_marks(item: pytest.Item) -> list[str]:
    """What is wrong with a test's marks, in words."""
    found = []
    for mark in item.iter_markers("clause"):
        match mark.args:
            case (str(name),) if not mark.kwargs:
                if name not in catalogue():
                    found.append(f"there is no clause {name!r} in data/clauses.csv")
            case _:
                found.append('write @pytest.mark.clause("NY-h-1"), one clause a mark')
    return found


class Marks:
    """In each process that runs tests: judges marks as written, notes what is cited."""

    def __init__(self) -> None:
        self._citations = Citations(citing_classes)
        self._noted: set[Citation] = set()
        self._of_fixture: dict[object, set[Citation]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, Any]:
        report = yield
        wrong = {
            f"{item.nodeid}: {problem}": None
            for item in report.result or ()
            if isinstance(item, pytest.Item)
            for problem in faulty_marks(item)
        }
        if wrong:
            report.outcome = "failed"
            report.longrepr = "\n".join(wrong)
            report.result = []
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if item.get_closest_marker("clause") is None:
            return (yield)
        with self._citations.recording() as self._noted:
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        """What a fixture of several tests cites counts for each of them, not for the first."""
        if fixturedef.scope == "function":
            return (yield)
        with self._citations.recording() as noted:
            self._of_fixture[fixturedef] = noted
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        marked = marked_with(item)
        if not marked:
            return
        noted = set(self._noted)
        if isinstance(item, pytest.Function):
            for name in item.fixturenames:
                for fixture in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]:
                    noted |= self._of_fixture.get(fixture, set())
        item.user_properties.append((PROPERTY, carried(item, marked, noted)))


def carried(item: pytest.Item, marked: list[str], noted: set[Citation]) -> dict[str, Any]:
    """What a report carries of a marked test, in values that travel between processes."""
    proven: dict[str, list[list[str]]] = {name: [] for name in marked}
    others: dict[str, None] = {}
    for one in sorted(noted):
        for name in one.clauses:
            if name in proven:
                proven[name].append([one.kind.value, one.module])
            else:
                others[name] = None
    return {
        "proven": proven,
        "others": sorted(others),
        "long": item.get_closest_marker("full") is not None,
        "of_many": hasattr(item, "callspec"),
    }


# --- where the run is judged --------------------------------------------------------------------


@dataclass(slots=True)
class Test:
    """A test function, with what its cases cited in this run, by clause it is marked with."""

    proven: dict[str, set[tuple[Coverage, str]]] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    long: bool = False
    of_many: bool = False


@dataclass(slots=True)
class Problem:
    title: str
    lines: list[str]


def function_of(nodeid: str) -> str:
    """A test's name without its parameters."""
    return nodeid.partition("[")[0]


def narrowed(config: pytest.Config) -> str:
    """Why this is not the whole run; empty where it is."""
    for name, option in NARROWING.items():
        if name != "maxfail" and config.getoption(name, None):
            return f"{option} was given"
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        given = {Path(config.invocation_params.dir, one).resolve() for one in config.args}
        whole = {Path(config.rootpath, one).resolve() for one in config.getini("testpaths")}
        if not whole or not whole <= given:
            return "only some of the tests were asked for"
    return ""


def cases_may_lack(config: pytest.Config) -> bool:
    """May a function have run in some of its cases only?"""
    return any(config.getoption(name, None) for name in PICKING) or any(
        "[" in one for one in config.args
    )


def shortened(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - SHOWN_MAX
    return ", ".join(listed[:SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")


class Judgement:
    """In the one process that reports: takes what the tests carried and judges the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._passed: set[str] = set()
        self._stopped: set[str] = set()
        self._tests: dict[str, Test] = {}
        self._said: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == PROPERTY and isinstance(value, dict):
                self._take(report.nodeid, value)

    def _take(self, nodeid: str, value: dict[str, Any]) -> None:
        function = function_of(nodeid)
        if nodeid not in self._passed:
            self._stopped.add(function)
            return
        test = self._tests.setdefault(function, Test())
        test.long |= value["long"]
        test.of_many |= value["of_many"]
        test.others.update(value["others"])
        for clause, found in value["proven"].items():
            cited = {(Coverage(kind), module) for kind, module in found}
            test.proven.setdefault(clause, set()).update(cited)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        part = narrowed(self._config)
        if not part and exitstatus != pytest.ExitCode.OK:
            part = "not everything passed"
        problems = self._marks_without_proof()
        if not part and problems:
            part = "marks do not count"
        if not part:
            problems += self._judge_whole()
        elif self._config.getoption("--write-register"):
            problems.append(Problem("register of clauses", [f"it was not written: {part}"]))
        if problems and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        for problem in problems:
            self._tell(problem)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in self._said:
            terminalreporter.write_line(line)

    def _tell(self, problem: Problem) -> None:
        """Listed and counted by pytest itself as an error."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        report = pytest.TestReport(
            nodeid=problem.title,
            location=("", None, f"the run: {problem.title}"),
            keywords={},
            outcome="failed",
            longrepr="\n".join(problem.lines),
            when="teardown",
        )
        reporter.stats.setdefault("error", []).append(report)

    def _marks_without_proof(self) -> list[Problem]:
        """A function's marks count if one of its cases cites."""
        part = cases_may_lack(self._config)
        lines = []
        for function, test in sorted(self._tests.items()):
            lacking = sorted(name for name, found in test.proven.items() if not found)
            if not lacking or (test.of_many and (part or function in self._stopped)):
                continue
            cited = shortened(self._cited(test)) or "nothing"
            lines.append(f"{function}: {', '.join(lacking)} (cited there: {cited})")
        if not lines:
            return []
        lines.append(
            "The program cited none of these in that test, so the mark proves nothing: test where"
            " the program cites the clause, or take the mark off."
        )
        return [Problem("clause marks without a citation", lines)]

    @staticmethod
    def _cited(test: Test) -> list[str]:
        return sorted({*test.others, *(name for name, found in test.proven.items() if found)})

    def _judge_whole(self) -> list[Problem]:
        clauses = catalogue()
        register = self._register()
        standing = standings(clauses, register)
        self._said.append(in_one_line(standing))
        if self._stopped:
            names = shortened(sorted(self._stopped))
            self._said.append(f"clauses: not compared with the register, not run: {names}")
            return []
        problems = []
        text = render_register(register, clauses)
        if self._config.getoption("--write-register"):
            self._write(text, markdown_table(standing))
        else:
            problems += self._drift(text, register)
        if self._config.getini("register_complete"):
            problems += open_clauses(standing)
        return problems

    def _register(self) -> Register:
        """What this run proves; long tests are left out, since not every run has them."""
        found: dict[str, dict[str, set[tuple[Coverage, str]]]] = {}
        for function, test in self._tests.items():
            if not test.long:
                for clause, cited in test.proven.items():
                    found.setdefault(clause, {})[function] = cited
        return {
            clause: proof(
                (kind for cited in by_test.values() for kind, _ in cited),
                (module for cited in by_test.values() for _, module in cited),
                by_test,
            )
            for clause, by_test in found.items()
        }

    def _path(self, name: str) -> Path:
        return Path(self._config.rootpath, self._config.getini(name))

    def _write(self, text: str, table: str) -> None:
        self._path("register").write_text(text, "utf-8")
        readme = self._path("register_readme")
        readme.write_text(with_table(readme.read_text("utf-8"), table), "utf-8")
        self._said.append(f"clauses: {self._config.getini('register')} is written")

    def _drift(self, text: str, register: Register) -> list[Problem]:
        path = self._path("register")
        committed = path.read_text("utf-8") if path.exists() else ""
        if committed == text:
            return []
        name = self._config.getini("register")
        lines = [f"{name} is not what this run shows; {REMEDY}.", *differences(committed, register)]
        return [Problem("register of clauses", lines)]


def differences(committed: str, register: Register) -> list[str]:
    """What a committed register says otherwise, in words."""
    try:
        old = parse_register(committed)
    except ValueError as error:
        return [f"It cannot be read: {error}"]
    changed = [name for name in register if name in old and old[name] != register[name]]
    words = (
        ("proven now, not there", [name for name in register if name not in old]),
        ("there, not proven now", [name for name in old if name not in register]),
        ("other kinds, modules or tests", changed),
    )
    return [f"{title}: {shortened(sorted(names))}" for title, names in words if names]


def open_clauses(standing: Iterable[Standing]) -> list[Problem]:
    """Clauses that a test should prove and none does, by document."""
    by_rule: dict[str, list[str]] = {}
    for one in standing:
        if one.open:
            by_rule.setdefault(one.clause.rule, []).append(one.clause.id)
    if not by_rule:
        return []
    lines = [f"{rule} ({len(names)}): {', '.join(names)}" for rule, names in by_rule.items()]
    lines.append("Each needs a test marked with it during which the program cites it.")
    return [Problem("open clauses", lines)]
