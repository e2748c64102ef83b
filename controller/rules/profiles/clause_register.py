"""The register of clauses: how, by which modules and by which tests each is proven.

Not: collecting the citations (a plugin of the test run does).
"""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Final, TypeAlias

from msgspec import Struct

from controller.rules.profiles.clauses import Clause, Observable


class Coverage(StrEnum):
    """What the program does about a clause, in the order of listing."""

    CHECKED = "checked"  # a verdict or a refused action cites it
    COMPUTED = "computed"  # a coup's result or a payment cites it
    PROMPTED = "prompted"  # a person is prompted
    RECORDED = "recorded"  # the act is recorded in the journal
    VALIDATED = "validated"  # a setting that breaks it is refused
    OUTSIDE = "outside"  # no table controller can do anything about it


class ClauseProof(Struct, frozen=True):
    """How one clause is proven; `tests` are `file::function`. All sorted, without duplicates."""

    kinds: tuple[Coverage, ...]
    modules: tuple[str, ...]
    tests: tuple[str, ...]


# By clause id; only clauses that a test proves.
Register: TypeAlias = Mapping[str, ClauseProof]


def make_proof(
    kinds: Iterable[Coverage], modules: Iterable[str], tests: Iterable[str]
) -> ClauseProof:
    """A proof, sorted and without duplicates."""
    found = tuple(kinds)
    return ClauseProof(
        tuple(kind for kind in Coverage if kind in found),
        tuple(sorted(frozenset(modules))),
        tuple(sorted(frozenset(tests))),
    )


def load_register() -> Register:
    """The shipped register."""
    return parse_register(
        (files("controller.rules.profiles") / "data" / "register.json").read_text("utf-8")
    )


def parse_register(text: str) -> Register:
    """Read a register. Raises ValueError where the text is not one."""
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError("a register is one JSON object, by clause")  # noqa: TRY004 - text, not type
    return {name: _parsed(name, entry) for name, entry in read.items()}


def _parsed(name: str, entry: object) -> ClauseProof:
    match entry:
        case {"kinds": list(kinds), "modules": list(modules), "tests": list(tests)}:
            return make_proof((Coverage(kind) for kind in kinds), modules, tests)
        case _:
            raise ValueError(f"{name}: an entry has kinds, modules and tests")


def render_register(register: Register, order: Iterable[str]) -> str:
    """The canonical text: one clause per line, in the order of the catalogue."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_plain(register[name]))}"
        for name in order
        if name in register
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(proof: ClauseProof) -> dict[str, list[str]]:
    return {
        "kinds": [kind.value for kind in proof.kinds],
        "modules": list(proof.modules),
        "tests": list(proof.tests),
    }


class ClauseCoverage(Struct, frozen=True):
    """One clause and its proof."""

    clause: Clause
    proof: ClauseProof

    @property
    def outside(self) -> bool:
        return self.clause.observable is Observable.OUT

    @property
    def covered(self) -> bool:
        """Whether a test proves it."""
        return bool(self.proof.tests)

    @property
    def open(self) -> bool:
        """Whether a test should prove it and none does."""
        return not self.covered and not self.outside

    @property
    def kinds(self) -> tuple[Coverage, ...]:
        return (*self.proof.kinds, Coverage.OUTSIDE) if self.outside else self.proof.kinds


_UNPROVEN: Final = ClauseProof((), (), ())


def clause_coverage(
    clauses: Mapping[str, Clause], register: Register
) -> tuple[ClauseCoverage, ...]:
    """Every clause of the catalogue, in its order."""
    return tuple(
        ClauseCoverage(clause, register.get(name, _UNPROVEN)) for name, clause in clauses.items()
    )


class DocumentCount(Struct, frozen=True):
    """One rule document in numbers; a clause counts once in each of its kinds."""

    document: str
    clauses: int
    kinds: tuple[tuple[Coverage, int], ...]
    open: int


def by_document(clauses: Iterable[ClauseCoverage]) -> tuple[DocumentCount, ...]:
    """Counts of each document, in the order of the catalogue."""
    listed = tuple(clauses)
    names = tuple(dict.fromkeys(one.clause.rule for one in listed))
    return tuple(
        _counted(name, tuple(one for one in listed if one.clause.rule == name)) for name in names
    )


def _counted(name: str, listed: tuple[ClauseCoverage, ...]) -> DocumentCount:
    kinds = tuple((kind, sum(kind in one.kinds for one in listed)) for kind in Coverage)
    return DocumentCount(name, len(listed), kinds, sum(one.open for one in listed))


def describe_document(count: DocumentCount) -> str:
    """One line on a document."""
    kinds = ", ".join(f"{kind.value} {number}" for kind, number in count.kinds)
    return f"{count.document}: {count.clauses} clauses; {kinds}; open {count.open}"


def describe_register(clauses: Iterable[ClauseCoverage]) -> str:
    """The whole register in one line."""
    listed = tuple(clauses)
    covered = sum(one.covered and not one.outside for one in listed)
    outside, still_open = sum(one.outside for one in listed), sum(one.open for one in listed)
    return f"clauses: {len(listed)}; covered {covered}; outside {outside}; open {still_open}"


BEGIN: Final = "<!-- register:begin -->"
END: Final = "<!-- register:end -->"


def markdown_table(clauses: Iterable[ClauseCoverage]) -> str:
    """The table of documents by kinds for the README."""
    kinds = tuple(kind.value for kind in Coverage)
    rows = [
        ("document", "clauses", *kinds, "open"),
        ("---", *("---:" for _ in range(len(kinds) + 2))),
    ]
    for count in by_document(clauses):
        numbers = (count.clauses, *(number for _, number in count.kinds), count.open)
        rows.append((f"`{count.document}`", *map(str, numbers)))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_table(readme: str, table: str) -> str:
    """The README's text with the table between its markers. Raises ValueError without them."""
    before, begin, rest = readme.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} with {END} after it, each on a line of its own")
    return f"{before}{begin}{table}{end}{after}"
