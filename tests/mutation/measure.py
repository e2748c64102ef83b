"""`make mutants`: counts the mutants of the pure packages that the tests kill.

make mutants                                    all packages, rewrites results.md
make mutants ARGS=controller/settlement         one package, rewrites its part of results.md
make mutants ARGS=controller/rules/tableau.py   one file, prints only
make mutants EVERY=8                            every 8th mutant
"""

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from msgspec.structs import replace
from mutant_runs import Fate, fresh_fates, quick_fates
from mutants import ROOT, Mutant, enumerations, mutants

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.md"
# For a package that is too large, only every n-th mutant is run.
EVERY = int(os.environ.get("EVERY", "1"))
PACKAGES = ("controller/rules", "controller/settlement", "controller/procedure")
# Without tests that take minutes; mutants that only those kill count as survivors.
SELECTION = "not every_coup and not by_chance and not explored_whole"
# Imported once before any fork: slow to import and independent of the program.
PRELOADED = ("hypothesis", "pydantic", "transitions", "cbor2", "coverage")
OPENING = """\
# Mutants

Written by `make mutants`; see README.md here. A mutant is one place of the program written
wrongly. It is killed when a test of its own package fails, by name: a package is measured by its
own tests alone. Nothing is excluded but annotations, imports and docstrings.
"""


@dataclass(frozen=True, slots=True)
class MutantResult:
    mutant: Mutant
    fate: str


def main(arguments: Sequence[str]) -> int:
    chosen = [each.rstrip("/") for each in arguments] or list(PACKAGES)
    unknown = [each for each in chosen if not (ROOT / each).exists()]
    if unknown or any(not each.startswith(PACKAGES) for each in chosen):
        print(f"Give packages or files of {', '.join(PACKAGES)}: {unknown or chosen}")
        return 2
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    for name in PRELOADED:
        import_module(name)
    known = enumerations()
    for package in PACKAGES:
        paths = sorted(files_of(package, chosen))
        if paths:
            package_mutants = tuple(mutant for path in paths for mutant in mutants(path, known))[
                ::EVERY
            ]
            print(f"{package}: {len(package_mutants)} mutants of {len(paths)} files", flush=True)
            found = run_all(package, package_mutants)
            text = package_part(package, found)
            print(text, flush=True)
            if package in chosen:
                RESULTS.write_text(with_part(package, text), "utf-8")
    return 0


def files_of(package: str, chosen: Sequence[str]) -> Iterator[str]:
    for path in (ROOT / package).rglob("*.py"):
        shortened = path.relative_to(ROOT).as_posix()
        if any(shortened == each or shortened.startswith(f"{each}/") for each in chosen):
            yield shortened


def run_all(package: str, package_mutants: tuple[Mutant, ...]) -> list[MutantResult]:
    tests, jobs = f"tests/{package}", int(os.environ.get("JOBS", "2"))
    numbered = tuple(enumerate(package_mutants))
    quick = [each for each in numbered if each[1].function or each[1].constant]
    fates, uncertain = quick_fates([*controls(quick), *quick], (tests, "-k", SELECTION), jobs)
    broken = [number for number, fate in fates.items() if number < 0 and fate is not Fate.SURVIVED]
    if broken:
        raise SystemExit(f"{package}: {len(broken)} controls (nothing is changed) are killed")
    print(f"{package}: quick runs: {dict(Counter(fates.values()))}", flush=True)
    retried = [
        (number, mutant)
        for number, mutant in numbered
        if fates.get(number, Fate.SURVIVED) is Fate.SURVIVED
        and (not mutant.function or number in uncertain)
    ]

    def selections(mutant: Mutant) -> list[list[str]]:
        own = (f"{tests}/test_{Path(mutant.path).stem}.py", f"{tests}/test_frozen_values.py")
        near = [each for each in own if (ROOT / each).exists()]
        return [*([near] if near else []), [tests, "-k", SELECTION]]

    for count, (number, fate) in enumerate(fresh_fates(retried, selections, jobs), start=1):
        fates[number] = fate
        if count % 100 == 0:
            print(f"{package}: {count} of {len(retried)} fresh runs", flush=True)
    return [MutantResult(mutant, fates.get(number, Fate.SURVIVED)) for number, mutant in numbered]


def controls(quick: list[tuple[int, Mutant]]) -> list[tuple[int, Mutant]]:
    """One function and one constant of each file, unchanged: these must survive."""
    first = {(mutant.path, mutant.constant): mutant for _, mutant in reversed(quick)}
    unchanged = [replace(each, start=0, end=0, replacement="") for each in first.values()]
    return [(-number, each) for number, each in enumerate(unchanged, start=1)]


# --- report -------------------------------------------------------------------------------------


def package_part(package: str, found: list[MutantResult]) -> str:
    why = explanations()
    rows = [
        result_row(path, [each for each in found if each.mutant.path == path])
        for path in paths(found)
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
        result_row("**all**", found),
        "",
        "Survivors:" if survivors else "No survivors.",
        "",
    ]
    for mutant in survivors:
        place = f"{mutant.path.removeprefix(package + '/')}:{mutant.line}"
        lines.append(f"- {place} {mutant.function} `{shortened(mutant.change)}`")
        lines.append(f"  {why.get(mutant.name.rstrip(), 'Untested.')}")
    return "\n".join(lines).rstrip() + "\n"


def paths(found: list[MutantResult]) -> list[str]:
    return list(dict.fromkeys(each.mutant.path for each in found))


def result_row(name: str, found: list[MutantResult]) -> str:
    fates = Counter(each.fate for each in found)
    survived = fates["survived"]
    figures = (len(found), fates["killed"], fates["timeout"], survived)
    share = f"{100 * survived / len(found):.1f} %" if found else "-"
    return f"| {name} | {' | '.join(map(str, figures))} | {share} |"


def shortened(change: str) -> str:
    return (change if len(change) <= 240 else f"{change[:237]}...").replace("`", "'")


def explanations() -> dict[str, str]:
    """The reasons for accepted survivors by name, from lines with indented reasons below."""
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
    command = ("git", "describe", "--always", "--dirty=, with changes")
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
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
