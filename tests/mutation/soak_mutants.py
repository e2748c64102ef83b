"""Writes the core wrongly at named places, one at a time, and sees how many shoes the soak needs.

python tests/mutation/soak_mutants.py [--only NAME ...] [--seeds N] [--first S] [--jobs J]

The mutants stand in soak_mutants.toml. Each is a module of the program with one piece of its text
replaced, which a process of its own loads in place of the module; then seeds are played until a
checker fires. Prints a row for each, and ends with 1 if a mutant was not found.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mutant:
    """One wrong program: in a module the text `old`, which occurs once, is replaced by `new`."""

    name: str
    module: str
    old: str
    new: str


MUTANTS = tuple(
    Mutant(**row)
    for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["mutant"]
)


class MutantLoader(SourceFileLoader):
    """Loads one module with its text replaced, never from a compiled file."""

    mutant: Mutant

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        text = Path(path).read_text(encoding="utf-8")
        assert text.count(self.mutant.old) == 1, f"{self.mutant.name}: occurs otherwise than once"
        mutated = text.replace(self.mutant.old, self.mutant.new)
        return compile(mutated, path, "exec", dont_inherit=True)


class MutantFinder(MetaPathFinder):
    """Finds the mutant's module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None, f"there is no module {fullname}"
        assert spec.origin is not None, f"{fullname} has no file"
        loader = MutantLoader(fullname, spec.origin)
        loader.mutant = self.mutant
        spec.loader = loader
        return spec


@dataclass(frozen=True)
class Found:
    """What found a mutant, and after how many shoes; `checker` is empty where nothing did."""

    name: str
    seed: int
    shoes: int
    checker: str


def play_mutant(mutant: Mutant, seeds: Iterator[int]) -> Found:
    """Play seeds in this process, which has loaded nothing of the program, until one fails."""
    sys.meta_path.insert(0, MutantFinder(mutant))
    # Only now: what is loaded before would not be the mutant's.
    from hil.soak.soak import play_seed  # noqa: PLC0415

    shoes = seed = 0
    for seed in seeds:
        played = play_seed(seed)
        shoes += max(1, played.shoes)
        if played.violated:
            return Found(mutant.name, seed, shoes, played.checker)
    return Found(mutant.name, seed, shoes, "")


def found(mutant: Mutant, first: int, seeds: int) -> Found:
    """Play a mutant in a process of its own."""
    words = ["--play", mutant.name, "--first", str(first), "--seeds", str(seeds)]
    process = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if process.returncode:
        raise RuntimeError(f"{mutant.name}: {process.stderr[-2000:]}")
    return Found(**json.loads(process.stdout))


def find_all(names: Sequence[str], first: int, seeds: int, jobs: int) -> Iterator[Found]:
    """Play the mutants of these names, all where none is named."""
    chosen = [one for one in MUTANTS if not names or one.name in names]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda one: found(one, first, seeds), chosen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--first", type=int, default=0, metavar="S")
    parser.add_argument("--seeds", type=int, default=400, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="J")
    parser.add_argument("--play", metavar="NAME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.play:
        mutant = next(one for one in MUTANTS if one.name == given.play)
        seeds = iter(range(given.first, given.first + given.seeds))
        print(json.dumps(asdict(play_mutant(mutant, seeds))))
        return 0
    print("| mutant | seed | shoes | found by |\n| --- | --: | --: | --- |", flush=True)
    survived = 0
    for one in find_all(given.only, given.first, given.seeds, given.jobs):
        survived += not one.checker
        row = f"| {one.name} | {one.seed} | {one.shoes} | {one.checker or 'not found'} |"
        print(row, flush=True)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
