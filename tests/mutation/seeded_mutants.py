"""Writes the program wrongly at seeded places, one at a time, and sees whether the tests notice.

python tests/mutation/seeded_mutants.py --count 100 --seed 1 --json mutants.json

Each mutant is tried against the tests of its own room; a survivor then against all tests. Nothing
in this checkout changes: a copy is mutated. A mutant is one comparison, connective, number, truth
value, sign, condition, returned value or call; texts, docstrings and annotations are left alone.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("firmware_bridge", "drivers", "controller", "hil")
ROOM_LIMIT_S = 900
WHOLE_LIMIT_S = 3600
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


@dataclass(frozen=True)
class Mutant:
    """`old`, at a character offset of a file, is written as `new`."""

    path: str
    line: int
    offset: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {shortened(self.old)}  ->  {shortened(self.new)}"


def shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def rewritten(node: ast.AST, text: str) -> str | None:
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


def annotations_and_texts(tree: ast.Module) -> set[int]:
    """Nodes inside annotations, decorators and f-strings."""
    found: set[int] = set()
    for node in ast.walk(tree):
        inner = [getattr(node, name, None) for name in ("annotation", "returns")]
        inner += getattr(node, "decorator_list", [])
        if isinstance(node, ast.JoinedStr):
            inner.append(node)
        for one in inner:
            if one is not None:
                found.update(map(id, ast.walk(one)))
    return found


def mutants_of(path: Path) -> Iterator[Mutant]:
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    excluded = annotations_and_texts(tree)
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    data = source.encode()
    for node in ast.walk(tree):
        if id(node) in excluded or not hasattr(node, "lineno"):
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        old = data[begin:end].decode()
        new = rewritten(node, old)
        if new is not None and new != old:
            shown = path.relative_to(ROOT).as_posix()
            yield Mutant(shown, node.lineno, begin, old, new)


def chosen(count: int, seed: int) -> list[Mutant]:
    """So many mutants over all packages, each place as likely as any other."""
    files = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    every = [mutant for path in files for mutant in mutants_of(path)]
    return random.Random(seed).sample(every, count)


def room_tests(path: str) -> str:
    """The folder or file of tests nearest to a module."""
    parts = Path(path).with_suffix("").parts
    for depth in range(len(parts) - 1, 0, -1):
        folder = Path("tests", *parts[:depth])
        if (ROOT / folder).is_dir() and any((ROOT / folder).rglob("test_*.py")):
            return folder.as_posix()
    return "tests"


def fails(tree: Path, tests: str, limit_s: int, jobs: int) -> bool:
    """Whether some test notices. A run that hangs has noticed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests]
    command += ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else []
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, timeout=limit_s, capture_output=True, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 5)


def tried(mutant: Mutant, tree: Path, *, whole: bool) -> str:
    file = tree / mutant.path
    data = file.read_bytes()
    at, old = mutant.offset, mutant.old.encode()
    assert data[at : at + len(old)] == old
    file.write_bytes(data[:at] + mutant.new.encode() + data[at + len(old) :])
    try:
        if fails(tree, room_tests(mutant.path), ROOM_LIMIT_S, 1):
            return "room"
        if whole and fails(tree, "tests", WHOLE_LIMIT_S, 2):
            return "whole"
        return "survived"
    finally:
        file.write_bytes(data)


def table(fates: list[tuple[Mutant, str]]) -> str:
    counted: dict[str, Counter[str]] = {}
    for mutant, fate in fates:
        counted.setdefault(mutant.path.split("/")[0], Counter())[fate] += 1
    columns = ("room", "whole", "survived")
    rows = ["| package | mutants | room | whole | survived |", "|---|--:|--:|--:|--:|"]
    for package, fate in sorted(counted.items()):
        numbers = " | ".join(str(fate[one]) for one in columns)
        rows.append(f"| {package} | {fate.total()} | {numbers} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room-only", action="store_true", help="leave out the runs of all tests")
    parser.add_argument("--json", type=Path, help="write every mutant and its fate")
    options = parser.parse_args()
    fates: list[tuple[Mutant, str]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build")
        shutil.copytree(ROOT, tree, ignore=ignored)
        for number, mutant in enumerate(chosen(options.count, options.seed), start=1):
            began = time.monotonic()
            fate = tried(mutant, tree, whole=not options.room_only)
            fates.append((mutant, fate))
            took = time.monotonic() - began
            print(f"{number:>3} {fate:<8} {took:5.0f} s  {mutant}", flush=True)
            if options.json is not None:
                shown = [asdict(one) | {"fate": fate} for one, fate in fates]
                options.json.write_text(json.dumps(shown, indent=1))
    print(table(fates))


if __name__ == "__main__":
    main()
