"""Builds and checks the register of clauses: a mark counts only if the program cites the clause.

Refuses marks of unknown clauses, fails a run in which a marked test ran without the citation, and
after a whole run compares with the committed register, or writes it when asked to.
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from register_citations import Citation, Citations, citing_classes

from controller.rules.profiles.clause_register import (
    ClauseCoverage,
    Coverage,
    Register,
    clause_coverage,
    describe_register,
    make_proof,
    markdown_table,
    parse_register,
    render_register,
    with_table,
)
from controller.rules.profiles.clauses import Clause

# With `register_complete = true`, in pyproject.toml or here, an open clause fails the run.
COMPLETE_BY_DEFAULT = False
REGISTER = "controller/rules/profiles/data/register.json"
README = "controller/rules/profiles/README.md"
REMEDY = "run `make register` and commit what it writes"

PROPERTY = "clauses"  # the user property of a report that holds its test's citations
SHOWN_MAX = 12
# Options that deselect single tests, and so perhaps some cases of a function.
PICKING = {
    "keyword": "-k",
    "markexpr": "-m",
    "lf": "--last-failed",
    "stepwise": "--stepwise",
    "deselect": "--deselect",
    "maxfail": "--maxfail",
}
# Options that deselect whole files, or use other examples than the register was built from.
NARROWING = {
    **PICKING,
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "collectonly": "--collect-only",
    "hypothesisseed": "--hypothesis-seed",
}


@cache
def catalogue() -> Mapping[str, Clause]:
    """All clauses, read on first use: tests without marks do not need them."""
    from controller.rules.profiles.load import load_clauses  # noqa: PLC0415

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
        config.pluginmanager.register(RegisterCheck(config), "clause-register")


# --- where tests run ----------------------------------------------------------------------------


def marked_clauses(item: pytest.Item) -> list[str]:
    """The clauses a test is marked with."""
    return list(dict.fromkeys(mark.args[0] for mark in item.iter_markers("clause")))


def faulty_marks(item: pytest.Item) -> list[str]:
    """The problems of a test's marks."""
    found = []
    if item.get_closest_marker("clause") and item.get_closest_marker("needs"):
        # `make test` leaves out what needs more, and judges the whole register.
        found.append("a proof of a clause needs nothing beside the program: no mark `needs`")
    for mark in item.iter_markers("clause"):
        match mark.args:
            case (str(name),) if not mark.kwargs:
                if name not in catalogue():
                    found.append(f"there is no clause {name!r} in data/clauses.csv")
            case _:
                found.append('write @pytest.mark.clause("NY-h-1"), one clause a mark')
    return found


class Marks:
    """In each process that runs tests: checks the marks and records citations."""

    def __init__(self) -> None:
        self._citations = Citations(citing_classes)
        self._recorded: set[Citation] = set()
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
        with self._citations.recording() as self._recorded:
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        """Citations by a shared fixture count for each of its tests, not only for the first."""
        if fixturedef.scope == "function":
            return (yield)
        with self._citations.recording() as recorded:
            self._of_fixture[fixturedef] = recorded
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        marked = marked_clauses(item)
        if not marked:
            return
        recorded = set(self._recorded)
        if isinstance(item, pytest.Function):
            for name in item.fixturenames:
                for fixture in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]:
                    recorded |= self._of_fixture.get(fixture, set())
        item.user_properties.append((PROPERTY, plain_citations(item, marked, recorded)))


def plain_citations(
    item: pytest.Item, marked: list[str], recorded: set[Citation]
) -> dict[str, Any]:
    """The citations of a marked test as plain values, which a report can carry."""
    proven: dict[str, list[list[str]]] = {name: [] for name in marked}
    others: dict[str, None] = {}
    for one in sorted(recorded):
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


# --- checking the run ---------------------------------------------------------------------------


@dataclass(slots=True)
class Test:
    """A test function with the citations of its cases in this run, by marked clause."""

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


def partial_run_reason(config: pytest.Config) -> str:
    """Why this is not the whole run; empty if it is."""
    if config.getoption("services", "") == "only":
        return "tests that prove a clause need nothing, and are not among these"
    return narrowed_reason(config)


def narrowed_reason(config: pytest.Config) -> str:
    """Why these are not all tests of the asked kind; empty if they are."""
    for name, option in NARROWING.items():
        if name != "maxfail" and config.getoption(name, None):
            return f"{option} was given"
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        given = {Path(config.invocation_params.dir, one).resolve() for one in config.args}
        whole = {Path(config.rootpath, one).resolve() for one in config.getini("testpaths")}
        if not whole or not whole <= given:
            return "only some of the tests were selected"
    return ""


def cases_may_be_missing(config: pytest.Config) -> bool:
    """Whether a function may have run in only some of its cases."""
    return any(config.getoption(name, None) for name in PICKING) or any(
        "[" in one for one in config.args
    )


def abbreviated(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - SHOWN_MAX
    return ", ".join(listed[:SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")


class RegisterCheck:
    """In the reporting process: collects the tests' citations and checks the run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._passed: set[str] = set()
        self._not_passed: set[str] = set()
        self._tests: dict[str, Test] = {}
        self._summary: list[str] = []

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
            self._not_passed.add(function)
            return
        test = self._tests.setdefault(function, Test())
        test.long |= value["long"]
        test.of_many |= value["of_many"]
        test.others.update(value["others"])
        for clause, found in value["proven"].items():
            cited = {(Coverage(kind), module) for kind, module in found}
            test.proven.setdefault(clause, set()).update(cited)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        part = partial_run_reason(self._config)
        if not part and exitstatus != pytest.ExitCode.OK:
            part = "not everything passed"
        problems = self._marks_without_proof()
        if not part and problems:
            part = "marks do not count"
        if not part:
            problems += self._check_whole()
        elif self._config.getoption("--write-register"):
            problems.append(Problem("register of clauses", [f"not written: {part}"]))
        if problems and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        for problem in problems:
            self._report(problem)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in self._summary:
            terminalreporter.write_line(line)

    def _report(self, problem: Problem) -> None:
        """Report it so that pytest itself lists and counts it as an error."""
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
        part = cases_may_be_missing(self._config)
        lines = []
        for function, test in sorted(self._tests.items()):
            lacking = sorted(name for name, found in test.proven.items() if not found)
            if not lacking or (test.of_many and (part or function in self._not_passed)):
                continue
            cited = abbreviated(self._cited(test)) or "nothing"
            lines.append(f"{function}: {', '.join(lacking)} (cited there: {cited})")
        if not lines:
            return []
        lines.append(
            "The program cited none of these in that test, so the mark proves nothing: test where"
            " the program cites the clause, or remove the mark."
        )
        return [Problem("clause marks without a citation", lines)]

    @staticmethod
    def _cited(test: Test) -> list[str]:
        return sorted({*test.others, *(name for name, found in test.proven.items() if found)})

    def _check_whole(self) -> list[Problem]:
        clauses = catalogue()
        register = self._register()
        coverage = clause_coverage(clauses, register)
        self._summary.append(describe_register(coverage))
        if self._not_passed:
            names = abbreviated(sorted(self._not_passed))
            self._summary.append(f"clauses: not compared with the register, not run: {names}")
            return []
        problems = []
        text = render_register(register, clauses)
        if self._config.getoption("--write-register"):
            self._write(text, markdown_table(coverage))
        else:
            problems += self._drift(text, register)
        if self._config.getini("register_complete"):
            problems += open_clauses(coverage)
        return problems

    def _register(self) -> Register:
        """What this run proves, without long tests, because not every run has them."""
        found: dict[str, dict[str, set[tuple[Coverage, str]]]] = {}
        for function, test in self._tests.items():
            if not test.long:
                for clause, cited in test.proven.items():
                    found.setdefault(clause, {})[function] = cited
        return {
            clause: make_proof(
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
        self._summary.append(f"clauses: {self._config.getini('register')} is written")

    def _drift(self, text: str, register: Register) -> list[Problem]:
        path = self._path("register")
        committed = path.read_text("utf-8") if path.exists() else ""
        if committed == text:
            return []
        name = self._config.getini("register")
        lines = [f"{name} is not what this run shows; {REMEDY}.", *differences(committed, register)]
        return [Problem("register of clauses", lines)]


def differences(committed: str, register: Register) -> list[str]:
    """How a committed register differs, one line for each kind of difference."""
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
    return [f"{title}: {abbreviated(sorted(names))}" for title, names in words if names]


def open_clauses(coverage: Iterable[ClauseCoverage]) -> list[Problem]:
    """The problem of clauses that no test proves, listed by document."""
    by_rule: dict[str, list[str]] = {}
    for one in coverage:
        if one.open:
            by_rule.setdefault(one.clause.rule, []).append(one.clause.id)
    if not by_rule:
        return []
    lines = [f"{rule} ({len(names)}): {', '.join(names)}" for rule, names in by_rule.items()]
    lines.append("Each needs a test marked with it during which the program cites it.")
    return [Problem("open clauses", lines)]
