"""Prints the size and the shape of the house: `make house`. It judges nothing.

Files and rooms by their lines, modules that one other module imports, the longest ways of imports,
the words of pages, the functions that an input passes in the core, and all that a card enters.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

from function_walk import WALKS, drawn_walk
from import_configuration import ROOT, root_packages

SHOWN: Final = 15
CHAINS_SHOWN: Final = 3
CARD_WALK: Final = Path(__file__).with_name("card_walk.py")
_WORD: Final = re.compile(r"\w[\w'-]*")
PEOPLE_WORDS_MAX: Final = 1_500
BUILDERS_WORDS_MAX: Final = 2_500
# Pages beside docs/ for who runs a table or looks after it.
PEOPLE: Final = frozenset({"README.md", "deploy/README.md", "deploy/debian/README.md"})
# Pages of docs/ for who writes rules, tests, drivers, devices, queries.
BUILDERS: Final = frozenset(
    f"docs/{name}.md"
    for name in (
        *("adding-a-device", "analytics", "api", "architecture", "benches", "for-makers"),
        *("performance", "profiles", "scenarios", "scripts", "soak", "feed"),
    )
)
# Looked up, not read: lists of one entry after the other, wire documents, formats.
REFERENCES: Final = frozenset(
    {
        "CHANGELOG.md",
        *(
            f"docs/{name}.md"
            for name in (
                *("alerts", "analytics-tables", "attacks-on-evidence", "clause-coverage"),
                *("decisions", "frozen-formats", "incidents", "metrics", "proof", "record-format"),
                *("state-table", "wire-attacks"),
            )
        ),
        *(
            f"firmware_bridge/{name}/README.md"
            for name in ("angel_eye", "contacts", "feig", "hid_pos", "ssi", "tablelink")
        ),
    }
)


class Module(NamedTuple):
    """A file of the program: its dotted name, its lines, and how many of them are imports."""

    name: str
    lines: int
    import_lines: int
    imports: frozenset[str]

    @property
    def room(self) -> str:
        return self.name.rpartition(".")[0]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files() -> dict[str, Path]:
    """Each module's file, by its dotted name; packages too."""
    found = (path for one in root_packages() for path in sorted((ROOT / one).rglob("*.py")))
    return {name_of(path): path for path in found}


def imported(node: ast.AST) -> Iterator[str]:
    """The modules of the program that a statement imports; relative imports are not used here."""
    match node:
        case ast.Import(names=names):
            yield from (one.name for one in names if one.name in files())
        case ast.ImportFrom(module=str(module), names=names):
            below = [f"{module}.{one.name}" for one in names]
            yield from (one if one in files() else module for one in below if module in files())


def module_of(name: str) -> Module:
    text = files()[name].read_text("utf-8")
    tree = ast.parse(text)
    nodes = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
    spent = sum((one.end_lineno or one.lineno) - one.lineno + 1 for one in nodes)
    found = frozenset(target for one in nodes for target in imported(one)) - {name}
    return Module(name, len(text.splitlines()), spent, found)


@cache
def modules() -> tuple[Module, ...]:
    """All modules; a package counts if it holds code."""
    found = map(module_of, files())
    return tuple(one for one in found if one.lines)


def importers() -> dict[str, list[str]]:
    """The importers of each module."""
    found: dict[str, list[str]] = {one.name: [] for one in modules()}
    for one in modules():
        for target in one.imports & found.keys():
            found[target].append(one.name)
    return found


def single_importers() -> dict[str, str]:
    """Modules that exactly one other module imports, with it."""
    return {name: by[0] for name, by in importers().items() if len(by) == 1}


def chains(graph: Mapping[str, Set[str]]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The longest way of imports from each module, the longest first; and the circles.

    Of each circle one import is left out.
    """
    left = {name: set(found) for name, found in graph.items()}
    circles: list[tuple[str, ...]] = []
    while True:
        try:
            order = tuple(TopologicalSorter(left).static_order())
            break
        except CycleError as error:
            circle = error.args[1]
            circles.append(tuple(circle))
            # Each is imported by the one after it.
            left[circle[1]].remove(circle[0])
    longest: dict[str, tuple[str, ...]] = {}
    for name in order:
        below = (longest[one] for one in left.get(name, ()))
        longest[name] = (name, *max(below, key=len, default=()))
    return sorted(longest.values(), key=len, reverse=True), circles


def table(heading: str, rows: Iterable[tuple[object, ...]]) -> str:
    lines = ("  ".join(f"{x:>8}" if isinstance(x, int) else str(x) for x in row) for row in rows)
    return "\n".join([heading, *(f"  {one}" for one in lines)]) + "\n"


def packages_part() -> str:
    rows = []
    for package in root_packages():
        own = [one for one in modules() if one.name.split(".")[0] == package]
        lines, spent = sum(one.lines for one in own), sum(one.import_lines for one in own)
        rows.append((len(own), lines, f"{100 * spent / lines:.1f} %", package))
    return table("packages: files, lines, of them imports", rows)


def files_part() -> str:
    largest = sorted(modules(), key=lambda one: -one.lines)[:SHOWN]
    return table("largest files: lines", ((one.lines, one.name) for one in largest))


def rooms_part() -> str:
    count = Counter(one.room for one in modules())
    lines = Counter[str]()
    for one in modules():
        lines[one.room] += one.lines
    rows = ((number, lines[room], room) for room, number in count.most_common(SHOWN))
    return table(f"fullest of {len(count)} rooms: files, lines", rows)


def importers_part() -> str:
    found = single_importers()
    product = [one for one in found if not one.startswith("hil.")]
    heading = f"files with one importer: {len(product)} of the product, {len(found)} in all"
    return table(heading, ((name, f"<- {by}") for name, by in sorted(found.items())))


def chains_part() -> str:
    longest, circles = chains({one.name: one.imports for one in modules()})
    ways = ((len(one), " -> ".join(one)) for one in longest[:CHAINS_SHOWN])
    shown = table("longest ways of imports: modules", ways)
    return shown + table("circles of imports", ((" <- ".join(one),) for one in circles))


def words_of_pages() -> dict[str, int]:
    """The words of each page of Markdown, by its path in the repository."""
    pages = [path for path in sorted(ROOT.rglob("*.md")) if not _is_made(path)]
    return {
        str(path.relative_to(ROOT)): len(_WORD.findall(path.read_text("utf-8"))) for path in pages
    }


def words_max_of(page: str) -> int:
    """How many words a page may have: who runs a table reads less than who builds it."""
    for_people = page.startswith("docs/") and page not in BUILDERS
    return PEOPLE_WORDS_MAX if for_people or page in PEOPLE else BUILDERS_WORDS_MAX


def pages_part() -> str:
    words = words_of_pages()
    read = {page: count for page, count in words.items() if page not in REFERENCES}
    rows = sorted(((count, page) for page, count in words.items()), reverse=True)
    long = [
        (read[page], f"{page}: at most {words_max_of(page)}")
        for page in sorted(read, key=lambda one: -read[one])
        if read[page] > words_max_of(page)
    ]
    heading = f"{len(words)} pages, {sum(words.values())} words; the longest"
    return "\n".join(
        (
            table(heading, rows[:SHOWN]),
            table(
                f"words of {len(words) - len(read)} references",
                ((sum(words.values()) - sum(read.values()),),),
            ),
            table(f"{len(long)} pages over their limit of words", long),
        )
    )


def _is_made(path: Path) -> bool:
    """Whether a page is of an environment or of a build."""
    first = path.relative_to(ROOT).parts[0]
    return first.startswith(".") or first in ("build", "dist", "site", "node_modules")


def walks_part() -> str:
    return "\n".join(f"functions of the core for a {name}: {drawn_walk(name)}" for name in WALKS)


def main() -> None:
    parts = (packages_part, files_part, rooms_part, importers_part, chains_part, pages_part)
    for part in (*parts, walks_part):
        print(part(), flush=True)
    subprocess.run([sys.executable, CARD_WALK], check=True)


if __name__ == "__main__":
    main()
