"""The register of clauses: how each clause is proven, by which modules and which tests.

Responsible for: the kinds of proof, reading and writing the register's text, which clauses are
open, the counts per document, and the table the package README shows.
Not responsible for: collecting the citations (the test run does) and for the clauses themselves
(controller.rules).
Source: package README, "Clauses and their proof".
"""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Final, TypeAlias

from controller.profiles.clauses import Clause, Observable
from firmware_bridge.values import dataclass


class Coverage(StrEnum):
    """What the program does about a clause, in the order in which it is listed."""

    CHECKED = "checked"  # a verdict or a refused action cites it
    COMPUTED = "computed"  # a coup's result or a payment cites it
    PROMPTED = "prompted"  # a person is told
    RECORDED = "recorded"  # what was done stands in the journal
    VALIDATED = "validated"  # a setting that breaks it is refused
    OUTSIDE = "outside"  # no table controller can do anything about it


@dataclass(frozen=True, slots=True)
class Proof:
    """How one clause is proven; `tests` are `file::function`. All three sorted, none twice."""

    kinds: tuple[Coverage, ...]
    modules: tuple[str, ...]
    tests: tuple[str, ...]


# By clause id, only clauses that a test proves.
Register: TypeAlias = Mapping[str, Proof]


def proof(kinds: Iterable[Coverage], modules: Iterable[str], tests: Iterable[str]) -> Proof:
    """A proof in its one form."""
    found = tuple(kinds)
    return Proof(
        tuple(kind for kind in Coverage if kind in found),
        tuple(sorted(frozenset(modules))),
        tuple(sorted(frozenset(tests))),
    )


def load_register() -> Register:
    """The register that comes with the program."""
    return parse_register(
        (files("controller.profiles") / "data" / "register.json").read_text("utf-8")
    )


def parse_register(text: str) -> Register:
    """Read a register; ValueError for text that is none."""
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError("a register is one JSON object, by clause")  # noqa: TRY004 - text, not type
    return {name: _parsed(name, entry) for name, entry in read.items()}


def _parsed(name: str, entry: object) -> Proof:
    match entry:
        case {"kinds": list(kinds), "modules": list(modules), "tests": list(tests)}:
            return proof((Coverage(kind) for kind in kinds), modules, tests)
        case _:
            raise ValueError(f"{name}: an entry has kinds, modules and tests")


def render_register(register: Register, order: Iterable[str]) -> str:
    """The register's one text: a clause a line, in the order of the catalogue."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_plain(register[name]))}"
        for name in order
        if name in register
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(shown: Proof) -> dict[str, list[str]]:
    return {
        "kinds": [kind.value for kind in shown.kinds],
        "modules": list(shown.modules),
        "tests": list(shown.tests),
    }


@dataclass(frozen=True, slots=True)
class Standing:
    """One clause and how it stands."""

    clause: Clause
    proof: Proof

    @property
    def outside(self) -> bool:
        return self.clause.observable is Observable.OUT

    @property
    def covered(self) -> bool:
        """Does a test prove it?"""
        return bool(self.proof.tests)

    @property
    def open(self) -> bool:
        """Should a test prove it, and none does?"""
        return not self.covered and not self.outside

    @property
    def kinds(self) -> tuple[Coverage, ...]:
        return (*self.proof.kinds, Coverage.OUTSIDE) if self.outside else self.proof.kinds


_UNPROVEN: Final = Proof((), (), ())


def standings(clauses: Mapping[str, Clause], register: Register) -> tuple[Standing, ...]:
    """Every clause of the catalogue, in its order."""
    return tuple(
        Standing(clause, register.get(name, _UNPROVEN)) for name, clause in clauses.items()
    )


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """One rule document in numbers; a clause counts once in each of its kinds."""

    document: str
    clauses: int
    kinds: tuple[tuple[Coverage, int], ...]
    open: int


def by_document(standing: Iterable[Standing]) -> tuple[DocumentCount, ...]:
    """The documents in the order in which the catalogue comes to them."""
    listed = tuple(standing)
    names = tuple(dict.fromkeys(one.clause.rule for one in listed))
    return tuple(
        _counted(name, tuple(one for one in listed if one.clause.rule == name)) for name in names
    )


def _counted(name: str, listed: tuple[Standing, ...]) -> DocumentCount:
    kinds = tuple((kind, sum(kind in one.kinds for one in listed)) for kind in Coverage)
    return DocumentCount(name, len(listed), kinds, sum(one.open for one in listed))


def in_words(count: DocumentCount) -> str:
    """One line on a document."""
    kinds = ", ".join(f"{kind.value} {number}" for kind, number in count.kinds)
    return f"{count.document}: {count.clauses} clauses; {kinds}; open {count.open}"


def in_one_line(standing: Iterable[Standing]) -> str:
    """The whole register in one line."""
    listed = tuple(standing)
    covered = sum(one.covered and not one.outside for one in listed)
    outside, still_open = sum(one.outside for one in listed), sum(one.open for one in listed)
    return f"clauses: {len(listed)}; covered {covered}; outside {outside}; open {still_open}"


BEGIN: Final = "<!-- register:begin -->"
END: Final = "<!-- register:end -->"


def markdown_table(standing: Iterable[Standing]) -> str:
    """Documents by kinds, counted, as it stands in the README."""
    kinds = tuple(kind.value for kind in Coverage)
    rows = [
        ("document", "clauses", *kinds, "open"),
        ("---", *("---:" for _ in range(len(kinds) + 2))),
    ]
    for count in by_document(standing):
        numbers = (count.clauses, *(number for _, number in count.kinds), count.open)
        rows.append((f"`{count.document}`", *map(str, numbers)))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_table(readme: str, table: str) -> str:
    """The README's text with the table between its two marks. ValueError where they are not."""
    before, begin, rest = readme.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} with {END} after it, each on a line of its own")
    return f"{before}{begin}{table}{end}{after}"
