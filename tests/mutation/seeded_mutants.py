"""Writes the program wrongly at seeded places, one at a time, and sees whether the tests notice.

python tests/mutation/seeded_mutants.py --count 300 --seed 1 [--resume]

Spreads the places evenly over the rooms that conclude and store. Works on a clone of a commit,
never on this checkout. First all places are marked, and all tests run once: each mark writes down
the test that reaches it, from any process. Then each mutant is tried by the files of tests that
reach its place, those of its own room first. What takes effect at import, outside functions, is
tried by all tests. A failure counts if it repeats; a test that times out has noticed nothing, and
its mutant counts as a survivor. A run that was broken off goes on with --resume: what its file
holds is not tried again, and each mutant there names the commit that it was tried on.
"""

import argparse
import ast
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import cache_from_source
from pathlib import Path

from hil.run_record import record_run

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Two measurements over all packages, and one over the rooms.
BEFORE, NOW = HERE / "seeded_before.json", HERE / "seeded_now.json"
OVER_ROOMS = HERE / "seeded_rooms.json"
PACKAGES = ("foundation", "firmware_bridge", "drivers", "controller", "office", "hil")
ROOMS = {
    "rules": "controller/rules",
    "settlement": "controller/rules/settlement",
    "procedure": "controller/procedure",
    "custody": "controller/custody",
    "wire": "firmware_bridge",
    "drivers": "drivers",
    "core": "controller/core",
    "journal": "controller/journal",
    "archive": "controller/archive",
}
FATES = ("room", "whole", "survived")
LIMIT_S = 1200
# Exit codes of pytest.
PASSED, INTERNAL_ERROR, NO_TESTS = 0, 3, 5
COMPARISONS = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
# Imported by every marked place, and a plugin of every run. PYTEST_CURRENT_TEST names the test, in
# children too.
RECORDER = """
import os
from os import close, open, write  # tests replace those of `os`
_known = set()

def _write(file, line):
    if line in _known:
        return
    _known.add(line)
    try:
        file = open("{folder}/" + file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError:  # a process of another user: the program goes on
        return
    write(file, line.encode() + b"\\n")
    close(file)

def reached(number):
    _write("reached", str(number) + "\\t" + os.environ.get("PYTEST_CURRENT_TEST", ""))

def pytest_runtest_logreport(report):
    if report.failed:
        _write("failed", report.nodeid)
        if "StoodStill: the test stood still" in report.longreprtext:
            _write("timed_out", report.nodeid)

def pytest_collectreport(report):
    if report.failed:
        _write("failed", report.nodeid)
"""


Results = Sequence[dict[str, object]]


@dataclass(frozen=True)
class Mutant:
    """`old`, at an offset in bytes of a file, is written as `new`."""

    path: str
    line: int
    offset: int
    old: str
    new: str
    markable: bool = field(compare=False)
    is_statement: bool = field(compare=False)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {shortened(self.old)}  ->  {shortened(self.new)}"


def shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def rewritten(node: ast.AST) -> str | None:
    """The node's text written wrongly; None where this kind of node is left alone."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            return f"{ast.unparse(left)} {COMPARISONS[type(op)]} {ast.unparse(right)}"
        case ast.BoolOp(op=ast.And()):
            return "(" + " or ".join(ast.unparse(one) for one in node.values) + ")"
        case ast.BoolOp(op=ast.Or()):
            return "(" + " and ".join(ast.unparse(one) for one in node.values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"bool({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int(value)):
            return str(value + 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"({ast.unparse(left)} - {ast.unparse(right)})"
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return f"({ast.unparse(left)} + {ast.unparse(right)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
        case ast.Return(value=value) if value is not None:
            return None if ast.unparse(value) == "None" else "return None"
        case ast.Expr(value=ast.Call()):
            return "pass"
        case _:
            return None


def nodes_in(roots: Iterable[ast.AST | None]) -> set[int]:
    return {id(node) for root in roots if root is not None for node in ast.walk(root)}


def annotations_and_texts(tree: ast.Module) -> set[int]:
    """Nodes inside annotations, decorators and f-strings."""
    found: set[int] = set()
    for node in ast.walk(tree):
        found |= nodes_in(getattr(node, name, None) for name in ("annotation", "returns"))
        found |= nodes_in(getattr(node, "decorator_list", []))
        if isinstance(node, ast.JoinedStr):
            found |= nodes_in([node])
    return found


def markable(tree: ast.Module) -> set[int]:
    """Nodes in functions, where a call can stand: in no pattern of a `match`."""
    nodes = list(ast.walk(tree))
    bodies = [nodes_in(node.body) for node in nodes if isinstance(node, ast.FunctionDef)]
    patterns = [nodes_in([node.pattern]) for node in nodes if isinstance(node, ast.match_case)]
    return set().union(*bodies) - set().union(*patterns)


def mutants_of(file: Path, root: Path) -> Iterator[Mutant]:
    data = file.read_bytes()
    tree = ast.parse(data)
    excluded, can_be_marked = annotations_and_texts(tree), markable(tree)
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if id(node) in excluded or not hasattr(node, "lineno"):
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        old = data[begin : starts[node.end_lineno - 1] + node.end_col_offset].decode()
        new = rewritten(node)
        if new is not None and new != old:
            path = file.relative_to(root).as_posix()
            statement, mark = isinstance(node, ast.stmt), id(node) in can_be_marked
            yield Mutant(path, node.lineno, begin, old, new, mark, statement)


def compiles(mutant: Mutant, root: Path) -> bool:
    """Whether Python accepts the file with that mutant: what it refuses needs no test."""
    try:
        compile(mutated(root / mutant.path, mutant), mutant.path, "exec")
    except SyntaxError:
        return False
    return True


def chosen(root: Path, count: int, seed: int, tried: Results = ()) -> list[Mutant]:
    """So many mutants: by turns one of each room, in it each place as likely as any other.

    The first of a larger number are those of a smaller one. Places already tried are counted and
    left out: by file and text, which a later commit may have moved to another line.
    """
    known = {(one["path"], one["old"], one["new"]) for one in tried}
    shuffled = []
    for room, folder in ROOMS.items():
        files = sorted((root / folder).rglob("*.py"))
        places = [mutant for file in files for mutant in mutants_of(file, root)]
        random.Random(f"{seed} {room}").shuffle(places)
        new = [one for one in places if (one.path, one.old, one.new) not in known]
        shuffled.append(one for one in new if compiles(one, root))
    return [next(shuffled[number % len(ROOMS)]) for number in range(len(tried), count)]


def mutated(file: Path, mutant: Mutant) -> bytes:
    data, old = file.read_bytes(), mutant.old.encode()
    begin, end = mutant.offset, mutant.offset + len(old)
    assert data[begin:end] == old
    return data[:begin] + mutant.new.encode() + data[end:]


def marked(data: bytes, places: list[tuple[int, Mutant]]) -> bytes:
    """The file with a mark at each of its places, which may lie in one another."""
    inserted: dict[int, str] = {}
    for number, mutant in sorted(places, key=lambda place: len(place[1].old)):
        call = f"__import__('mutation_marks').reached({number})"
        before, after = (f"{call}; ", "") if mutant.is_statement else (f"({call} or (", "))")
        begin, end = mutant.offset, mutant.offset + len(mutant.old.encode())
        inserted[begin] = before + inserted.get(begin, "")
        inserted[end] = inserted.get(end, "") + after
    for at in sorted(inserted, reverse=True):
        data = data[:at] + inserted[at].encode() + data[at:]
    return data


def rewrite(file: Path, data: bytes) -> None:
    """Without its compiled form, which is taken for current if size and second are the same."""
    file.write_bytes(data)
    Path(cache_from_source(file)).unlink(missing_ok=True)


class TimedOut(Exception):
    """A test did not end within its time."""


class Tree:
    """A clone of a commit with its own environment, in which tests run."""

    def __init__(self, folder: Path, commit: str, python: str) -> None:
        self.root = folder / "tree"
        self.marks = folder / "marks"
        self.commit = (
            subprocess.run(
                ["git", "rev-parse", "--short", commit], cwd=ROOT, check=True, capture_output=True
            )
            .stdout.decode()
            .strip()
        )
        self.output = folder / "output"
        subprocess.run(["git", "clone", "-q", ROOT, self.root], check=True)
        subprocess.run(["git", "checkout", "-q", commit], cwd=self.root, check=True)
        environment = {**os.environ, "PYTHON": python}
        make = ["make", "-s", ".venv/.installed-dev"]
        subprocess.run(make, cwd=self.root, env=environment, check=True, stdout=sys.stderr)
        self.marks.mkdir()
        # Importable in every process of that environment, also where it runs isolated.
        (packages,) = self.root.glob(".venv/lib/python*/site-packages")
        (packages / "mutation_marks.py").write_text(RECORDER.format(folder=str(self.marks)))

    def run(self, *arguments: str) -> list[str] | None:
        """The tests that fail; None if the run breaks off. Raises TimedOut.

        A run with an error of pytest itself has not tried all tests.
        """
        failed, timed_out = self.marks / "failed", self.marks / "timed_out"
        failed.write_text("")
        timed_out.write_text("")
        command = [self.root / ".venv/bin/python", "-m", "pytest", "-q", *arguments]
        command += ["-p", "no:cacheprovider", "-p", "mutation_marks"]
        dropped = ("PYTEST", "PYTHONDONTWRITEBYTECODE")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
        with self.output.open("w") as output:
            process = subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=output, start_new_session=True
            )
            try:
                code = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                raise TimedOut("the whole run") from None
            finally:
                process.terminate()
                process.wait()
                self.end_strays()
        if tests := timed_out.read_text().splitlines():
            raise TimedOut(tests[0])
        failures = sorted(set(failed.read_text().splitlines()))
        broke_off = code == INTERNAL_ERROR or not (failures or code in (PASSED, NO_TESTS))
        return None if broke_off else failures

    def end_strays(self) -> None:
        """Ends what tests of a wrong program left running."""
        for words in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if str(self.root).encode() in words.read_bytes():
                    os.kill(int(words.parent.name), signal.SIGKILL)

    def write_marks(self, mutants: list[Mutant]) -> None:
        by_file: dict[str, list[tuple[int, Mutant]]] = {}
        for number, mutant in enumerate(mutants):
            if mutant.markable:
                by_file.setdefault(mutant.path, []).append((number, mutant))
        for path, places in by_file.items():
            file = self.root / path
            rewrite(file, marked(file.read_bytes(), places))

    def reached(self) -> dict[int, set[str]]:
        """The files of tests that reach each place; "" where a process without a test does."""
        found: dict[int, set[str]] = {}
        for line in (self.marks / "reached").read_text().splitlines():
            number, _, test = line.partition("\t")
            file = test.partition("::")[0]
            found.setdefault(int(number), set()).add(file)
        return found

    def restore(self) -> None:
        subprocess.run(["git", "checkout", "-q", "."], cwd=self.root, check=True)
        subprocess.run(["git", "clean", "-qdfX", *PACKAGES], cwd=self.root, check=True)

    def test_files(self) -> list[str]:
        found = (self.root / "tests").rglob("test_*.py")
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def room_of(self, path: str) -> str:
        """The folder of tests nearest to a module."""
        parts = Path(path).with_suffix("").parts
        for depth in range(len(parts) - 1, 0, -1):
            folder = Path("tests", *parts[:depth])
            if any((self.root / folder).rglob("test_*.py")):
                return folder.as_posix() + "/"
        return "tests/"


@dataclass
class Trial:
    """One mutant: which files of tests may notice it, and which test did."""

    tree: Tree
    mutant: Mutant
    files: list[str]
    unsteady: list[str]
    fate: str = "survived"
    noticed_by: str = ""
    tried_by: str = ""

    def notices(self, files: list[str], processes: int) -> bool:
        """Whether a test in these files fails, twice, or the run breaks off. Raises TimedOut."""
        deselected = [f"--deselect={test}" for test in self.unsteady]
        options = ["-n", str(processes), "--dist", "worksteal"] if len(files) > 20 else []
        while files:
            failures = self.tree.run("-x", *options, *deselected, *files)
            if failures == []:
                self.noticed_by = ""
                return False
            self.noticed_by = failures[0] if failures else "breaks off"
            if failures is None or self.tree.run(failures[0]) != []:
                return True
            deselected.append(f"--deselect={failures[0]}")
        return False

    def attempt(self, *, room: bool, processes: int) -> None:
        """Try the mutant by the tests of its own room, or by all others that reach it."""
        file = self.tree.root / self.mutant.path
        data = file.read_bytes()
        rewrite(file, mutated(file, self.mutant))
        own = self.tree.room_of(self.mutant.path)
        files = [one for one in self.files if one.startswith(own) is room]
        self.tried_by = "room" if room else "whole"
        try:
            if self.notices(files, processes):
                self.fate = "room" if room else "whole"
        except TimedOut as timed_out:
            self.noticed_by = f"none: {timed_out} timed out"
        finally:
            rewrite(file, data)

    def result(self) -> dict[str, object]:
        found = {"fate": self.fate, "noticed_by": self.noticed_by, "files": len(self.files)}
        found |= {"tried_by": self.tried_by, "commit": self.tree.commit}
        shown = asdict(self.mutant)
        return {name: shown[name] for name in ("path", "line", "offset", "old", "new")} | found


def trials(
    tree: Tree, mutants: list[Mutant], processes: int, *, rooms_only: bool
) -> Iterator[Trial]:
    """A trial of each mutant, after one marked run and one clean run of what failed in it."""
    tree.write_marks(mutants)
    rooms = sorted({tree.room_of(one.path) for one in mutants}) if rooms_only else []
    disturbed = tree.run("-n", str(processes), "--dist", "worksteal", *rooms)
    tree.restore()
    assert disturbed is not None, f"the marked run broke off, see {tree.output}"
    unsteady = tree.run(*disturbed) if disturbed else []
    assert unsteady is not None, f"the clean run broke off, see {tree.output}"
    everywhere = {one.partition("::")[0] for one in disturbed}
    reached = tree.reached()
    print(f"failed with marks: {len(disturbed)} in {sorted(everywhere)}; without: {unsteady}")
    every = tree.test_files()
    for number, mutant in enumerate(mutants):
        found = reached.get(number, set())
        if mutant.markable and "" not in found:
            yield Trial(tree, mutant, sorted(found | everywhere), unsteady)
        else:
            yield Trial(tree, mutant, every, unsteady)


def package_of(path: str) -> str:
    return path.partition("/")[0]


def room_name(path: str) -> str:
    return next(name for name, folder in ROOMS.items() if path.startswith(f"{folder}/"))


def table(results: tuple[Path, ...], row_of: Callable[[str], str]) -> str:
    """How many mutants of each row which tests noticed, the results side by side."""
    counted: dict[str, list[Counter[str]]] = {}
    for column, file in enumerate(results):
        for one in json.loads(file.read_text()):
            for row in (row_of(one["path"]), "all"):
                counted.setdefault(row, [Counter() for _ in results])[column][one["fate"]] += 1
    rows = ["| |" + " mutants | room | whole | survived |" * len(results)]
    rows.append("|---|" + "--:|--:|--:|--:|" * len(results))
    order = [name for name in (*PACKAGES, *ROOMS, "all") if name in counted]
    # A room and a package may share a name.
    for name in dict.fromkeys(order):
        fates = [(one.total(), *(one[fate] for fate in FATES)) for one in counted[name]]
        rows.append("| " + " | ".join([name, *(str(one) for row in fates for one in row)]) + " |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, default=OVER_ROOMS, help="every mutant and its fate")
    parser.add_argument("--resume", action="store_true", help="go on with what --json holds")
    parser.add_argument("--rooms-only", action="store_true", help="by tests of the own room only")
    parser.add_argument("--table", action="store_true", help="print the tables of the results")
    options = parser.parse_args()
    if options.table:
        print(table(tuple(one for one in (BEFORE, NOW) if one.exists()), package_of))
        print(table((OVER_ROOMS,), room_name))
        return
    # A run in the background ignores SIGINT and would hand that on to the programs under test.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Tree(Path(folder), options.commit, options.python)
        before = json.loads(options.json.read_text()) if options.resume else []
        mutants = chosen(tree.root, options.count, options.seed, before)
        tried = list(trials(tree, mutants, options.jobs, rooms_only=options.rooms_only))
        # Most are noticed by their own room, within seconds.
        for room in (True,) if options.rooms_only else (True, False):
            for trial in [one for one in tried if one.fate == "survived" and not one.noticed_by]:
                began = time.monotonic()
                trial.attempt(room=room, processes=options.jobs)
                took = time.monotonic() - began
                number = tried.index(trial)
                print(f"{number:>3} {trial.fate:<8} {took:5.0f} s  {trial.mutant}", flush=True)
                results = [*before, *(one.result() for one in tried if one.tried_by)]
                options.json.write_text(json.dumps(results, indent=1) + "\n")
    print(table((options.json,), room_name))
    if not options.rooms_only:
        fates = Counter(one["fate"] for one in json.loads(options.json.read_text()))
        figures = {"mutants": fates.total()} | {fate: fates[fate] for fate in FATES}
        record_run("make mutants", figures, time.monotonic() - began_s)


if __name__ == "__main__":
    main()
