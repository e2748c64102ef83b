"""Breaks what each clause rests on, its citation left in place, and runs that clause's tests only.

python tests/mutation/clause_mutants.py [--each 3] [--seed 1] [--clauses S42-i-1 ...]

A mutant is written as the seeded mutants are (seeded_mutants.py), in memory: every place of the
rooms that judge becomes "the mutant if it is the chosen one, else the original". First all marked
tests run once and each place notes which of them reach it. Then each clause gets mutants of the
places that judge it: those in the modules behind the one that cites it (JUDGES) that the fewest
clauses reach, and for a sentence of the third-card rules every cell of its rows. Each mutant runs
in a fork of the collected session, with the marked tests that reach it.

Not tried: places that write citations, module level but for the third-card table, tests longer
than LONGEST_S, and clauses of a document's equipment that no test can break in memory.
"""

import argparse
import ast
import importlib.abc
import importlib.machinery
import json
import os
import pickle
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from judged_places import JUDGED_AT, REASONS, ROWS_OF, judges_of, reason_of  # noqa: E402
from seeded_mutants import annotations_and_texts, markable, rewritten, shortened  # noqa: E402

RESULTS = HERE / "clause_mutants.json"
README = HERE / "README.md"
BEGIN, END = "<!-- clauses:begin -->\n", "<!-- clauses:end -->\n"
ROOMS = ("rules", "settlement", "procedure", "custody", "profiles", "config")
# Citing is left in place: nothing that names a point, a clause or what rests on them is rewritten.
CITES = ("RulePoint", "clauses", "points", "grounds", "basis", "cite", "assert ")
LONGEST_S = 3
CHILD_S = 60
CELLS = "controller/rules/tableau.py"


@dataclass(frozen=True)
class Place:
    """One mutant of one place."""

    path: str
    line: int
    old: str
    new: str
    function: str = ""

    @property
    def name(self) -> str:
        """As JUDGED_AT begins with: module, function, original."""
        module = self.path.removeprefix("controller/").removesuffix(".py")
        return f"{module}:{self.function} {self.old}"

    @property
    def change(self) -> str:
        return f"{self.old} -> {self.new}"

    def __str__(self) -> str:
        return f"{self.path.removeprefix('controller/')}:{self.line} {self.change}"


PLACES: list[Place] = []
REACHED: set[int] = set()
ACTIVE = [-1]


def at(number: int) -> bool:
    """Called at each place: notes that it is reached; whether its mutant is the chosen one."""
    REACHED.add(number)
    return ACTIVE[0] == number


class Schemata(ast.NodeTransformer):
    """Writes every place of a module as a choice between the original and its mutant."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self._path = path
        self._left_alone = annotations_and_texts(tree)
        self._markable = markable(tree)
        self._function = ""

    def visit(self, node: ast.AST) -> Any:
        if id(node) in self._left_alone:
            return node
        if isinstance(node, ast.FunctionDef) and not self._function:
            self._function = node.name
            inner = self.generic_visit(node)
            self._function = ""
            return inner
        new = rewritten(node) if id(node) in self._markable else None
        old = ast.unparse(node) if new is not None else ""
        inner = self.generic_visit(node)
        if new is None or new == old or any(word in old for word in CITES):
            return inner
        line: int = node.lineno  # type: ignore[attr-defined]
        place = Place(self._path, line, shortened(old), shortened(new), self._function)
        PLACES.append(place)
        chosen = ast.parse(f"__import__('clause_mutants').at({len(PLACES) - 1})", mode="eval").body
        if isinstance(node, ast.stmt):
            instead = ast.parse(f"if 1:\n {new}").body[0].body  # type: ignore[attr-defined]
            return ast.If(chosen, instead, [inner])
        return ast.IfExp(chosen, ast.parse(new, mode="eval").body, inner)


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        file = Path(self.get_filename(fullname))
        tree = ast.parse(file.read_bytes())
        tree = Schemata(file.relative_to(ROOT).as_posix(), tree).visit(tree)
        return compile(ast.fix_missing_locations(tree), file, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Loads the modules of the rooms with their mutants."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        parts = fullname.split(".")
        if parts[0] != "controller" or len(parts) < 2 or parts[1] not in ROOMS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin and spec.origin.endswith(".py"):
            spec.loader = Loader(fullname, spec.origin)
        return spec


def table_cells() -> Iterator[tuple[int, int, int]]:
    """The cells of the third-card table as places: number, row (8 is Player's), column."""
    from controller.rules import tableau  # noqa: PLC0415

    for row, cells in enumerate((*tableau.BANKER_ROWS, tableau.PLAYER_ROW)):
        for column, cell in enumerate(cells):
            name = f"row {row} column {column}" if row < 8 else f"Player's row, column {column}"
            PLACES.append(Place(CELLS, 18, f"{name}: {cell}", "S" if cell == "D" else "D"))
            yield len(PLACES) - 1, row, column


def flip_cell(row: int, column: int) -> None:
    from controller.rules import tableau  # noqa: PLC0415

    rows: list[str] = [*tableau.BANKER_ROWS, tableau.PLAYER_ROW]
    other = "S" if rows[row][column] == "D" else "D"
    rows[row] = rows[row][:column] + other + rows[row][column + 1 :]
    vars(tableau).update(BANKER_ROWS=tuple(rows[:8]), PLAYER_ROW=rows[8])


@dataclass
class Run:
    """What tests did in a child: places reached, seconds, failures, clauses still cited."""

    reached: dict[str, frozenset[int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    cited: dict[str, set[str]] = field(default_factory=dict)


class Watch:
    """Collects what the tests of a child do."""

    def __init__(self) -> None:
        self.run = Run()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        self.run.seconds[name] = self.run.seconds.get(name, 0) + report.duration
        if report.failed:
            self.run.failed.add(name)
        for key, value in report.user_properties:
            if key == "clauses":
                proven = {one for one, found in value["proven"].items() if found}
                self.run.cited.setdefault(name, set()).update(proven)


def in_child(
    session: pytest.Session, items: list[pytest.Item], mutant: int, cell: Any, file: Path
) -> int:
    """Run these tests in a fork with one mutant; the process id."""
    pid = os.fork()
    if pid:
        return pid
    # A child that hangs is ended, and writes nothing.
    signal.alarm(CHILD_S if mutant >= 0 else 1200)
    os.setsid()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    watch = Watch()
    session.config.pluginmanager.register(watch)
    ACTIVE[0] = mutant
    if cell is not None:
        flip_cell(*cell)
    for index, item in enumerate(items):
        REACHED.clear()
        following = items[index + 1] if index + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if mutant < 0:
            watch.run.reached[item.nodeid] = frozenset(REACHED)
    file.write_bytes(pickle.dumps(watch.run))
    os._exit(0)


class ClauseMutants:
    """A plugin that, instead of running the collected tests once, tries the mutants on them."""

    def __init__(self, each: int, seed: int, jobs: int, only: frozenset[str]) -> None:
        self._each, self._seed, self._jobs, self._only = each, seed, jobs, only
        self.results: list[dict[str, Any]] = []
        self.before = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        self._survived = {
            one["clause"]: [mutant.partition(" ")[2] for mutant in one["survived"]]
            for one in self.before
        }
        self._cells: dict[int, tuple[int, int]] = {}

    def pytest_internalerror(self, excrepr: object) -> None:
        print(excrepr, file=sys.stderr)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from controller.rules.profiles.load import load_profile, profile_names  # noqa: PLC0415

        for name in profile_names():
            load_profile(name)
        self._cells = {number: (row, column) for number, row, column in table_cells()}
        items = {item.nodeid: item for item in session.items}
        clauses = {
            name: {mark.args[0] for mark in item.iter_markers("clause")}
            for name, item in items.items()
        }
        with tempfile.TemporaryDirectory(prefix="clauses-") as folder:
            base = self._try(session, [(-1, list(items.values()))], Path(folder))[-1]
            assert base is not None, "the run without a mutant broke off"
            print(f"fail with marks, left out: {sorted(base.failed)}", file=sys.stderr)
            short = {name for name in items if base.seconds[name] <= LONGEST_S} - base.failed
            wanted = self._choose(base, clauses, short)
            todo = [
                (number, [items[name] for name in sorted(names)])
                for number, names in wanted.items()
            ]
            print(f"{len(PLACES)} places, {len(todo)} mutants", file=sys.stderr)
            found = self._try(session, todo, Path(folder))
        self._conclude(found, wanted, clauses)
        return True

    def _choose(
        self, base: Run, clauses: dict[str, set[str]], short: set[str]
    ) -> dict[int, set[str]]:
        """For each clause its most specific places; for each mutant the tests to run."""
        from controller.rules.profiles.clause_register import load_register  # noqa: PLC0415

        of_place: dict[int, set[str]] = defaultdict(set)
        reaches: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        lookup = {n for n, one in enumerate(PLACES) if one.path == CELLS and n not in self._cells}
        for name in short:
            reached = base.reached[name]
            if reached & lookup:
                reached |= self._cells.keys()
            for clause in clauses[name]:
                for number in reached:
                    of_place[number].add(clause)
                    reaches[clause][number].add(name)
        wanted: dict[int, set[str]] = defaultdict(set)
        self.chosen: dict[str, list[int]] = {}
        proofs = load_register()
        marked = {one for found in clauses.values() for one in found}
        for clause in sorted(marked & self._only if self._only else marked):
            named = JUDGED_AT.get(clause, ())
            judges = judges_of(proofs[clause].modules if clause in proofs else ())
            places = [
                one
                for one in reaches[clause]
                if one not in self._cells
                and (PLACES[one].name if named else PLACES[one].path[11:]).startswith(
                    named or judges
                )
            ]
            random.Random(f"{self._seed} {clause}").shuffle(places)
            # What survived in an earlier run is tried again.
            earlier = self._survived.get(clause, ())
            places.sort(key=lambda one: (PLACES[one].change not in earlier, len(of_place[one])))
            own = (places if named else places[: self._each]) + self._cells_of(clause)
            self.chosen[clause] = own
            for number in own:
                wanted[number] |= reaches[clause].get(number, set())
        return {number: names for number, names in wanted.items() if names}

    def _cells_of(self, clause: str) -> list[int]:
        """The cells of the rows that a clause of the third-card table speaks of."""
        rows = ROWS_OF.get(clause.partition("-")[2] if clause.startswith("HG") else clause, ())
        return [
            number
            for number, (row, column) in self._cells.items()
            if any(row in wanted and (columns is None or column in columns)
                   for wanted, columns in rows)
        ]  # fmt: skip

    def _try(
        self, session: pytest.Session, todo: list[tuple[int, list[pytest.Item]]], folder: Path
    ) -> dict[int, Run | None]:
        """Each mutant's run, so many at a time; None where it hangs or breaks off."""
        running: dict[int, tuple[int, Path]] = {}
        found: dict[int, Run | None] = {}
        waiting = list(todo)
        began = time.monotonic()
        while waiting or running:
            while waiting and len(running) < self._jobs:
                number, items = waiting.pop()
                file = folder / str(number)
                pid = in_child(session, items, number, self._cells.get(number), file)
                running[pid] = number, file
            pid, _ = os.wait()
            number, file = running.pop(pid)
            found[number] = pickle.loads(file.read_bytes()) if file.exists() else None
            if len(found) % 200 == 0:
                print(f"{len(found)} {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        return found

    def _conclude(
        self,
        found: dict[int, Run | None],
        wanted: dict[int, set[str]],
        clauses: dict[str, set[str]],
    ) -> None:
        for clause, places in self.chosen.items():
            noticed, uncited, survived = 0, 0, []
            for number in places:
                run = found.get(number)
                failed = {
                    name
                    for name in (run.failed if run is not None else ())
                    if clause in clauses[name]
                }
                if run is not None and any(clause in run.cited.get(name, ()) for name in failed):
                    noticed += 1
                elif failed:
                    uncited += 1
                else:
                    survived.append(str(PLACES[number]))
            one = {"clause": clause, "noticed": noticed, "uncited": uncited}
            self.results.append({**one, "survived": survived})


def table(results: Iterable[dict[str, Any]]) -> str:
    """By document: clauses and mutants; then the survivors by reason."""
    listed = list(results)
    rows = [
        "| rules | clauses | mutants | noticed, cited | noticed else | survived | notice none |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for rule in (*dict.fromkeys(one["clause"].partition("-")[0] for one in listed), "all"):
        own = [one for one in listed if rule in ("all", one["clause"].partition("-")[0])]
        counts = [sum(one[key] for one in own) for key in ("noticed", "uncited")]
        survived = sum(len(one["survived"]) for one in own)
        none = [one["clause"] for one in own if one["noticed"] + one["uncited"] == 0]
        names = (", ".join(none) or "none") if rule != "all" else str(len(none))
        cells = (len(own), sum(counts) + survived, *counts, survived, names)
        rows.append(f"| {rule} | " + " | ".join(map(str, cells)) + " |")
    rows += ["", *survivors_by_reason(listed), ""]
    return "\n".join(rows) + "\n"


def survivors_by_reason(results: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The survivors by reason (judged_places.py): how many, in how many places."""
    clauses: dict[str, list[str]] = defaultdict(list)
    mutants: dict[str, set[str]] = defaultdict(set)
    for one in results:
        for mutant in one["survived"]:
            clauses[reason_of(mutant)].append(one["clause"])
            mutants[reason_of(mutant)].add(mutant)
    yield "| why they survived | survived | places |"
    yield "|---|--:|--:|"
    for why in (why for why, _ in REASONS if why in clauses):
        yield f"| {why} | {len(clauses[why])} | {len(mutants[why])} |"


def write_table(results: list[dict[str, Any]]) -> None:
    text = README.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    README.write_text(before + BEGIN + table(results) + END + after, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--each", type=int, default=3, help="mutants of each clause")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests", nargs="*", default=["tests/controller"])
    parser.add_argument("--clauses", nargs="*", default=[], help="these only; others stay as found")
    options = parser.parse_args()
    sys.modules["clause_mutants"] = sys.modules["__main__"]
    sys.meta_path.insert(0, Finder())
    only = frozenset(options.clauses)
    plugin = ClauseMutants(options.each, options.seed, options.jobs, only)
    arguments = ["-m", "clause", "-o", "addopts=--import-mode=importlib --strict-markers"]
    arguments += [
        word for name in ("cacheprovider", "xdist", "terminal") for word in ("-p", f"no:{name}")
    ]
    code = pytest.main([*arguments, "-k", "not whole_tree", *options.tests], plugins=[plugin])
    assert plugin.results, f"no mutant was tried: {code!r}"
    kept = plugin.before if only else []
    results = {one["clause"]: one for one in (*kept, *plugin.results)}
    ordered = [results[name] for name in sorted(results)]
    RESULTS.write_text(json.dumps(ordered, indent=1) + "\n")
    write_table(ordered)


if __name__ == "__main__":
    main()
