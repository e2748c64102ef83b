"""Runs the tests of a package against its mutants.

Quick: one process collects and runs the tests once and notes which functions each test enters;
then, for each mutant, a forked copy replaces the changed function and runs the tests that enter it,
or the changed constant and runs the tests that enter its module. Fresh: a forked process that has
imported nothing of the program imports it with the changed file and runs everything. A survivor
whose code runs on import is tried fresh, because tests may hold values made before the change.

Source: mutmut, which tries by function alike; pytest's runner.
"""

import ast
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol
from mutants import ROOT, Mutant

MEMORY_BYTES = 3 << 30
QUICK_SECONDS = 60
FRESH_SECONDS = 180
_OPTIONS = ("-q", "-x", "--timeout=0", "-pno:cacheprovider", "-pno:xdist", "-pno:register_plugin")
_OPTIONS += ("-W", "ignore::pytest.PytestAssertRewriteWarning")


class Fate(StrEnum):
    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def run_work(
    work: Iterable[tuple[int, Callable[[], bool], int]], jobs: int
) -> Iterator[tuple[int, Fate]]:
    """Run each piece of work in a process of its own, `jobs` at a time.

    A piece of work is its number, a function that returns whether all tests passed, and the limit
    in seconds.
    """
    running: dict[int, int] = {}
    for number, passes, seconds in work:
        if len(running) >= jobs:
            yield _wait_for_one(running)
        running[_fork_work(passes, seconds)] = number
    while running:
        yield _wait_for_one(running)


def _fork_work(passes: Callable[[], bool], seconds: int) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    # The child must not return: it is a copy of the process that forked it.
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.alarm(4 * seconds)
        os._exit(0 if passes() else 1)
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(1)


def _wait_for_one(running: dict[int, int]) -> tuple[int, Fate]:
    while True:
        pid, status = os.wait()
        if pid in running:
            break
    if os.WIFSIGNALED(status):
        return running.pop(pid), Fate.TIMEOUT
    return running.pop(pid), Fate.KILLED if os.WEXITSTATUS(status) else Fate.SURVIVED


# --- quick --------------------------------------------------------------------------------------

ON_COLLECTION = "while tests are collected"


@dataclass(slots=True, eq=False)
class QuickRuns:
    """A pytest plugin that runs the tests once, then for each mutant the tests that enter it.

    A shared fixture and a cached function count as entered by each test that uses them.
    """

    numbered: Sequence[tuple[int, Mutant]]
    jobs: int
    notes: Path
    _coverage: coverage.Coverage
    _context: str = ON_COLLECTION
    _recorded: bool = False
    _seconds: list[float] = field(default_factory=list)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[Any]:
        self._coverage.start()
        self._coverage.switch_context(ON_COLLECTION)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        if self._recorded:
            return (yield)
        before, self._context = self._context, f"fixture {id(fixturedef)}"
        self._coverage.switch_context(self._context)
        try:
            return (yield)
        finally:
            self._context = before
            self._coverage.switch_context(before)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        caches = tuple(each for each in gc.get_objects() if isinstance(each, CACHED_FUNCTION))
        for place, (item, following) in enumerate(_with_next(items)):
            self._run_recording(place, item, following, caches)
        self._coverage.stop()
        self._recorded = True
        tests_by_function = self._tests_by_function(items)
        gc.collect()
        gc.freeze()

        def work() -> Iterator[tuple[int, Callable[[], bool], int]]:
            for number, mutant in self.numbered:
                tests, _ = tests_by_function[mutant.path, mutant.function]
                if tests and not mutant.function:
                    yield number, _with_constants(mutant, tests, caches), QUICK_SECONDS
                elif tests and (function := live_function(mutant)) is not None:
                    yield number, _with_function(mutant, function, tests, caches), QUICK_SECONDS

        uncertain = [
            n for n, each in self.numbered if tests_by_function[each.path, each.function][1]
        ]
        with self.notes.open("w") as notes:
            notes.write(json.dumps(uncertain) + "\n")
            for number, fate in run_work(work(), self.jobs):
                notes.write(json.dumps([number, fate]) + "\n")
                notes.flush()
        return True

    def _run_recording(
        self, place: int, item: pytest.Item, following: pytest.Item | None, caches: Sequence[Any]
    ) -> None:
        for each in caches:
            each.cache_clear()
        self._context = f"item {place}"
        self._coverage.switch_context(self._context)
        reports = runtestprotocol(item, log=False, nextitem=following)
        for report in reports:
            assert not report.failed, f"{item.nodeid} fails without any mutant:\n{report.longrepr}"
        self._seconds.append(sum(report.duration for report in reports))

    def _tests_by_function(
        self, items: list[pytest.Item]
    ) -> dict[tuple[str, str], tuple[list[pytest.Item], bool]]:
        """The tests that enter each function, fastest first; whether collection enters it."""
        places: dict[str, list[int]] = {}
        for place in sorted(range(len(items)), key=self._seconds.__getitem__):
            places.setdefault(f"item {place}", []).append(place)
            fixtures = items[place]._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
            for each in {id(one): None for several in fixtures.values() for one in several}:
                places.setdefault(f"fixture {each}", []).append(place)
        data = self._coverage.get_data()
        by_line = {
            path: data.contexts_by_lineno(str(ROOT / path))
            for path in {mutant.path: None for _, mutant in self.numbered}
        }
        found: dict[tuple[str, str], tuple[list[pytest.Item], bool]] = {}
        for _, mutant in self.numbered:
            key = mutant.path, mutant.function
            if key not in found:
                lines = by_line[mutant.path]
                first, last = mutant.body if mutant.function else (1, max(lines, default=0))
                contexts = {each for at in range(first, last + 1) for each in lines.get(at, ())}
                entered = {place for each in contexts for place in places.get(each, ())}
                own = f"test_{Path(mutant.path).stem}.py"
                order = sorted(
                    entered, key=lambda at: (items[at].path.name != own, self._seconds[at])
                )
                found[key] = [items[place] for place in order], ON_COLLECTION in contexts
        return found


CACHED_FUNCTION = type(cache(lambda: None))


def _with_next(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _with_function(
    mutant: Mutant, function: FunctionType, items: list[pytest.Item], caches: Sequence[Any]
) -> Callable[[], bool]:
    def passes() -> bool:
        function.__code__ = code_in(compile(mutant.source, mutant.path, "exec"), mutant.function)
        return _all_pass(items, caches)

    return passes


def _with_constants(
    mutant: Mutant, items: list[pytest.Item], caches: Sequence[Any]
) -> Callable[[], bool]:
    """Evaluate the module's constants again and replace them wherever they were imported."""

    def passes() -> bool:
        tree = ast.parse(mutant.source)
        tree.body = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
        old = vars(sys.modules[module_name(mutant.path)])
        new = dict(old)
        exec(compile(tree, mutant.path, "exec"), new)
        changed = {name: old.get(name) for name in new if new[name] != old.get(name)}
        for module in tuple(sys.modules.values()):
            for name in changed if isinstance(module, ModuleType) else ():
                if vars(module).get(name, module) is changed[name]:
                    setattr(module, name, new[name])
        return _all_pass(items, caches)

    return passes


def _all_pass(items: list[pytest.Item], caches: Sequence[Any]) -> bool:
    for each in caches:
        each.cache_clear()
    for item, following in _with_next(items):
        if any(each.failed for each in runtestprotocol(item, log=False, nextitem=following)):
            return False
    return True


def live_function(mutant: Mutant) -> FunctionType | None:
    """The imported function that a mutant changes."""
    found: Any = sys.modules.get(module_name(mutant.path))
    for name in mutant.function.split("."):
        found = vars(found).get(name) if found is not None else None
    for inner in ("__func__", "fget", "__wrapped__", "func"):
        found = getattr(found, inner, found)
    return found if isinstance(found, FunctionType) else None


def code_in(code: CodeType, function: str) -> CodeType:
    for name in function.split("."):
        code = next(
            each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name
        )
    return code


def quick_fates(
    numbered: Sequence[tuple[int, Mutant]], selection: Sequence[str], jobs: int
) -> tuple[dict[int, Fate], tuple[int, ...]]:
    """The fate of each mutant whose function some test enters, and the uncertain survivors.

    A survivor is uncertain if tests may hold values that its function made on import.
    """
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        folders = sorted({str((ROOT / mutant.path).parent) for _, mutant in numbered})
        recording = coverage.Coverage(data_file=None, config_file=False, source=folders)
        plugin = QuickRuns(numbered, jobs, notes, recording)
        if _status_in_fork(selection, plugin):
            raise SystemExit(f"The tests fail without a mutant: {' '.join(selection)}")
        first, *lines = notes.read_text().splitlines()
        found = map(json.loads, lines)
        return {number: Fate(fate) for number, fate in found}, tuple(json.loads(first))


# --- fresh --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MutantImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated module from the mutant's source."""

    mutant: Mutant

    def find_spec(self, name: str, path: object, target: object = None) -> object:
        if name != module_name(self.mutant.path):
            return None
        place = ROOT / self.mutant.path
        return importlib.util.spec_from_file_location(name, place, loader=self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.source, self.mutant.path, "exec"), vars(module))


def fresh_fates(
    numbered: Iterable[tuple[int, Mutant]],
    selections: Callable[[Mutant], Sequence[Sequence[str]]],
    jobs: int,
) -> Iterator[tuple[int, Fate]]:
    """Run each mutant against one selection of tests after the other, until one fails.

    A mutant with which the profiles cannot be read is killed at once.
    """

    def with_file(mutant: Mutant) -> Callable[[], bool]:
        def passes() -> bool:
            sys.meta_path.insert(0, MutantImporter(mutant))
            if _in_fork(_read_all_profiles):
                return False
            return all(not _status_in_fork(each) for each in selections(mutant))

        return passes

    work = ((number, with_file(mutant), FRESH_SECONDS) for number, mutant in numbered)
    yield from run_work(work, jobs)


def _read_all_profiles() -> int:
    data = importlib.import_module("controller.profiles.load")
    for path in sorted((ROOT / "controller/profiles/shipped").glob("*.toml")):
        data.load_profile(path.stem)
    return 0


class WithoutRegister:
    """Declares the settings of the clause register, which is not loaded here."""

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        for name in ("register", "register_readme", "register_complete"):
            parser.addini(name, "not used here")


def _status_in_fork(selection: Sequence[str], *plugins: object) -> int:
    """Run pytest on a selection in a fork, because it can run only once in a process."""
    arguments, plugins_used = [*_OPTIONS, *selection], [WithoutRegister(), *plugins]
    return _in_fork(lambda: int(pytest.main(arguments, plugins_used)))


def _in_fork(run: Callable[[], int]) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            status = run()
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    return status
