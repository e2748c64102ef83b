"""`make mutants`: how many wrongly written places of the pure packages the tests notice.

Responsible for: running the mutants of each package against the tests of that package, telling the
result, and writing it down with the survivors and why each survives.
Not responsible for: making mutants (mutants), trying them (trying), and why one is let live
(explained.txt, written by hand).
Source: README of this folder.

    make mutants                                    all packages, rewrites results.md
    make mutants ARGS=controller/settlement         one package, rewrites its part of results.md
    make mutants ARGS=controller/rules/tableau.py   one file, tells only
    make mutants EVERY=8                            every 8th mutant
"""

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from mutants import ROOT, Mutant, enumerations, mutants
from trying import Fate, fresh_fates, quick_fates

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.md"
# A package that is too large to try whole is judged by every so manieth of its mutants.
EVERY = int(os.environ.get("EVERY", "1"))
PACKAGES = ("controller/rules", "controller/settlement", "controller/procedure")
# Walks of minutes; what they alone would notice counts as a survivor.
LEFT_OUT = "not every_coup and not by_chance and not explored_whole"
# Imported once, before any fork, as they take longest and hold nothing of the program.
AHEAD = ("hypothesis", "pydantic", "transitions", "cbor2", "coverage")
OPENING = """\
# Mutants

Written by `make mutants`; see README.md here. A mutant is one place of the program written
wrongly. It is killed when a test of its own package fails, by name: a package is measured by its
own tests alone. Nothing is excluded but annotations, imports and docstrings.
"""


@dataclass(frozen=True, slots=True)
class Tried:
    mutant: Mutant
    fate: str


def main(arguments: Sequence[str]) -> int:
    chosen = [each.rstrip("/") for each in arguments] or list(PACKAGES)
    unknown = [each for each in chosen if not (ROOT / each).exists()]
    if unknown or any(not each.startswith(PACKAGES) for each in chosen):
        print(f"Name packages or files of {', '.join(PACKAGES)}: {unknown or chosen}")
        return 2
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    for name in AHEAD:
        import_module(name)
    known = enumerations()
    for package in PACKAGES:
        paths = sorted(files_of(package, chosen))
        if paths:
            made = tuple(mutant for path in paths for mutant in mutants(path, known))[::EVERY]
            print(f"{package}: {len(made)} mutants of {len(paths)} files", flush=True)
            found = tried_all(package, made)
            text = part(package, found)
            print(text, flush=True)
            if package in chosen:
                RESULTS.write_text(with_part(package, text), "utf-8")
    return 0


def files_of(package: str, chosen: Sequence[str]) -> Iterator[str]:
    for path in (ROOT / package).rglob("*.py"):
        shown = path.relative_to(ROOT).as_posix()
        if any(shown == each or shown.startswith(f"{each}/") for each in chosen):
            yield shown


def tried_all(package: str, made: tuple[Mutant, ...]) -> list[Tried]:
    tests, jobs = f"tests/{package}", int(os.environ.get("JOBS", "2"))
    numbered = tuple(enumerate(made))
    quick = [each for each in numbered if each[1].function or each[1].constant]
    fates, unsure = quick_fates([*controls(quick), *quick], (tests, "-k", LEFT_OUT), jobs)
    broken = [number for number, fate in fates.items() if number < 0 and fate is not Fate.SURVIVED]
    if broken:
        raise SystemExit(f"{package}: {len(broken)} controls, where nothing is changed, are killed")
    print(f"{package}: tried quickly: {dict(Counter(fates.values()))}", flush=True)
    again = [
        (number, mutant)
        for number, mutant in numbered
        if fates.get(number, Fate.SURVIVED) is Fate.SURVIVED
        and (not mutant.function or number in unsure)
    ]

    def selections(mutant: Mutant) -> list[list[str]]:
        own = (f"{tests}/test_{Path(mutant.path).stem}.py", f"{tests}/test_frozen_values.py")
        near = [each for each in own if (ROOT / each).exists()]
        return [*([near] if near else []), [tests, "-k", LEFT_OUT]]

    for count, (number, fate) in enumerate(fresh_fates(again, selections, jobs), start=1):
        fates[number] = fate
        if count % 100 == 0:
            print(f"{package}: {count} of {len(again)} tried afresh", flush=True)
    return [Tried(mutant, fates.get(number, Fate.SURVIVED)) for number, mutant in numbered]


def controls(quick: list[tuple[int, Mutant]]) -> list[tuple[int, Mutant]]:
    """One function and one constant of each file with nothing changed: they have to survive."""
    first = {(mutant.path, mutant.constant): mutant for _, mutant in reversed(quick)}
    unchanged = [replace(each, start=0, end=0, replacement="") for each in first.values()]
    return [(-number, each) for number, each in enumerate(unchanged, start=1)]


# --- what is told -------------------------------------------------------------------------------


def part(package: str, found: list[Tried]) -> str:
    why = explanations()
    rows = [
        row(path, [each for each in found if each.mutant.path == path]) for path in paths(found)
    ]
    survivors = [each.mutant for each in found if each.fate == "survived"]
    lines = [
        f"## {package}",
        "",
        f"Measured at {version()}{'' if EVERY == 1 else f', every {EVERY}th mutant'}.",
        "",
        "| file | mutants | killed | timeouts | survived | share |",
        "|---|--:|--:|--:|--:|--:|",
        *rows,
        row("**all**", found),
        "",
        "Survivors:" if survivors else "No survivors.",
        "",
    ]
    for mutant in survivors:
        place = f"{mutant.path.removeprefix(package + '/')}:{mutant.line}"
        lines.append(f"- {place} {mutant.function} `{shown(mutant.change)}`")
        lines.append(f"  {why.get(mutant.name.rstrip(), 'Untested.')}")
    return "\n".join(lines).rstrip() + "\n"


def paths(found: list[Tried]) -> list[str]:
    return list(dict.fromkeys(each.mutant.path for each in found))


def row(name: str, found: list[Tried]) -> str:
    fates = Counter(each.fate for each in found)
    lived = fates["survived"]
    figures = (len(found), fates["killed"], fates["timeout"], lived)
    share = f"{100 * lived / len(found):.1f} %" if found else "-"
    return f"| {name} | {' | '.join(map(str, figures))} | {share} |"


def shown(change: str) -> str:
    return (change if len(change) <= 240 else f"{change[:237]}...").replace("`", "'")


def explanations() -> dict[str, str]:
    """Why a mutant is let live, by its name: a line, and below it the reason, indented."""
    found: dict[str, str] = {}
    name = ""
    for line in (HERE / "explained.txt").read_text("utf-8").splitlines():
        if line.startswith("  "):
            found[name] = f"{found[name]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            name = line.rstrip()
            found[name] = ""
    return found


def version() -> str:
    number = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    told = ("git", "describe", "--always", "--dirty=, with changes")
    commit = subprocess.run(told, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return f"{number}, commit {commit.strip() or 'unknown'}, {datetime.now(UTC):%Y-%m-%d}"


def with_part(package: str, text: str) -> str:
    """The results with the part of this package replaced, in the order of PACKAGES."""
    before = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
    parts = {
        each.splitlines()[0].removeprefix("## "): each.rstrip() + "\n"
        for each in re.split(r"^(?=## )", before, flags=re.MULTILINE)
        if each.startswith("## ")
    } | {package: text}
    return "\n".join([OPENING, *(parts[each] for each in PACKAGES if each in parts)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
