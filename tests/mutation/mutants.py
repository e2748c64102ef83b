"""Makes the mutants of a module: mutmut's operators and some that mutmut lacks.

The latter: an entry of a table removed, a cell of the third-card table turned, another member of an
enumeration, a check that is never made.

Source: https://mutmut.readthedocs.io, "operators".
"""

import ast
import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import (
    mutation_operators,
    operator_assignment,
    operator_name,
    operator_string,
)

ROOT = Path(__file__).resolve().parents[2]

Enumerations = dict[str, tuple[str, ...]]
Operator = Callable[..., Iterable[cst.CSTNode]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a file.

    `function` is the changed function, empty for code that runs on import; `body` its first and
    last line. `constant`: it changes an assignment that runs on import.
    """

    path: str
    line: int
    function: str
    body: tuple[int, int]
    constant: bool
    start: int
    end: int
    replacement: str

    @property
    def original(self) -> str:
        return (ROOT / self.path).read_text("utf-8")

    @property
    def source(self) -> str:
        text = self.original
        return text[: self.start] + self.replacement + text[self.end :]

    @property
    def change(self) -> str:
        """The lines before and after, in one line."""
        before, after = self.original.splitlines(), self.source.splitlines()
        lines = tuple(difflib.unified_diff(before, after, n=0, lineterm=""))[3:]
        old = " / ".join(each[1:].strip() for each in lines if each.startswith("-"))
        new = " / ".join(each[1:].strip() for each in lines if each.startswith("+"))
        return f"{old} -> {new}"

    @property
    def name(self) -> str:
        """A name that does not change when lines move."""
        return f"{self.path} {self.function or '(module)'}: {self.change}"


def enumerations() -> Enumerations:
    """The members of every enumeration of the controller, by its name."""
    found: Enumerations = {}
    for path in sorted((ROOT / "controller").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.ClassDef(name=name, bases=[ast.Name(id="StrEnum" | "IntEnum" | "Enum")]):
                    found[name] = tuple(_members(node))
    return found


def _members(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name


def mutants(path: str, known: Enumerations) -> tuple[Mutant, ...]:
    """All mutants of a file that compile, none twice."""
    text = (ROOT / path).read_text("utf-8")
    visitor = _Visitor(known)
    wrapper = MetadataWrapper(cst.parse_module(text))
    wrapper.visit(visitor)
    tree = ast.parse(text)
    bodies = tuple(_bodies(tree))
    assigned = {
        line
        for each in tree.body
        if isinstance(each, ast.Assign | ast.AnnAssign)
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    }
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[str, Mutant] = {}
    for span, node, changed in visitor.found:
        line = span.start.line
        within = (each for each in bodies if each[0] <= line <= each[1])
        *body, function = next(within, (0, 0, ""))
        where = (path, line, function, (body[0], body[1]), line in assigned)
        if isinstance(node, cst.Match | cst.If):
            source = str(wrapper.module.deep_replace(node, changed).code)
            mutant = Mutant(*where, 0, len(text), source)
        else:
            start = starts[line - 1] + span.start.column
            end = starts[span.end.line - 1] + span.end.column
            written = cst.Module(body=()).code_for_node(changed)
            mutant = Mutant(*where, start, end, written)
        if mutant.source != text and _compiles(mutant.source):
            found.setdefault(mutant.source, mutant)
    return tuple(found.values())


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _bodies(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    """First and last line of the body of every function that is not inside another one."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for each in inner:
            if isinstance(each, ast.FunctionDef):
                yield each.body[0].lineno, each.end_lineno or 0, f"{prefix}{each.name}"


class _Visitor(cst.CSTVisitor):
    """Mutates everything but annotations, imports and docstrings, which do not affect a run.

    mutmut itself omits code that runs on import, decorated functions and arguments of len().
    """

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, known: Enumerations) -> None:
        self.found: list[tuple[CodeRange, cst.CSTNode, cst.CSTNode]] = []
        self._depth = 0
        self._decorating = False
        self._own: tuple[tuple[type[cst.CSTNode], Operator], ...] = (
            (cst.If, removed_check),
            (cst.SimpleString, inverted_cells),
            (cst.Attribute, lambda node: other_member(node, known)),
        )

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:  # noqa: N802
        self._depth -= 1

    def visit_Decorator(self, node: cst.Decorator) -> None:  # noqa: N802
        self._decorating = True

    def leave_Decorator(self, original_node: cst.Decorator) -> None:  # noqa: N802
        self._decorating = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Import | cst.ImportFrom):
            return False
        for kind, operator in (*mutation_operators, *self._own):
            if isinstance(node, kind):
                self._note(node, self._distinct(operator, node))
        if not self._depth and isinstance(node, cst.Dict | cst.Tuple):
            self._note(node, removed_entries(node))
        return super().on_visit(node)

    def _distinct(self, operator: Operator, node: cst.CSTNode) -> Iterable[cst.CSTNode]:
        """Code that runs on import is slow to test, so equivalent mutants are made once.

        A string is changed once, and a decorator's flag is inverted but not also removed.
        """
        if self._decorating:
            return operator(node) if operator is operator_name else ()
        if self._depth:
            return operator(node)
        if operator is operator_string:
            return islice(operator(node), 1)
        if operator is operator_assignment and isinstance(
            node.value, cst.BaseString | cst.BaseNumber
        ):
            return ()
        return operator(node)

    def _note(self, node: cst.CSTNode, changed: Iterable[cst.CSTNode]) -> None:
        span = self.get_metadata(PositionProvider, node)
        self.found.extend((span, node, each) for each in changed)


def removed_check(node: cst.If) -> Iterator[cst.If]:
    """`if wrong: refuse` becomes `if False: refuse`."""
    yield node.with_changes(test=cst.Name("False"))


def inverted_cells(node: cst.SimpleString) -> Iterator[cst.SimpleString]:
    """Each cell of a row of the third-card table inverted: draw becomes stand and the reverse."""
    row = node.raw_value
    if len(row) > 3 and set(row) <= {"D", "S"}:
        for place, cell in enumerate(row):
            other = "S" if cell == "D" else "D"
            yield node.with_changes(value=f'"{row[:place]}{other}{row[place + 1 :]}"')


def other_member(node: cst.Attribute, known: Enumerations) -> Iterator[cst.Attribute]:
    """`RulePoint.NATURAL` becomes the member after it."""
    if isinstance(node.value, cst.Name) and node.attr.value in known.get(node.value.value, ()):
        members = known[node.value.value]
        after = members[(members.index(node.attr.value) + 1) % len(members)]
        yield node.with_changes(attr=cst.Name(after))


def removed_entries(node: cst.Dict | cst.Tuple) -> Iterator[cst.Dict | cst.Tuple]:
    """A table without one of its entries."""
    entries = node.elements
    for place in range(len(entries)):
        remaining = [*entries[:place], *entries[place + 1 :]]
        if remaining:
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            remaining = [each.with_changes(comma=comma) for each in remaining]
            yield node.with_changes(elements=remaining)
