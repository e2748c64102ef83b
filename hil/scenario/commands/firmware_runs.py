"""The firmware rig beside two busy loops, many times: green only with the coups in its journal.

An interrupted series goes on where it ended. By hand, with another number of runs:

    python -m hil.scenario.commands.firmware_runs --runs 200
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from controller.archive.replay.stored_conclusions import stored_conclusions
from controller.journal.store import open_read_only
from controller.procedure.effects import CoupClosed
from controller.version import software_identifier
from hil.run_guard import ending_at_once, guarded_run
from hil.run_record import CHECKOUT
from hil.scenario.language.reading import parse_scenario
from hil.scenario.language.statements import DealCoups
from hil.scenario.play.bench import RigBroken
from hil.scenario.play.run import ScenarioRun
from hil.scenario.rigs.open_rig import open_bench
from hil.scenario.rigs.rig_file import read_rig

RUNS: Final = 60
SEED: Final = 7
BUSY_LOOPS: Final = 2
PAGE: Final = CHECKOUT / "docs" / "for-makers.md"
FOLDER: Final = CHECKOUT / "build" / "firmware-runs"
_SCENARIO: Final = re.compile(r"^cat > mine\.scenario <<END\n(.*?)^END$", re.M | re.S)


class PlayedOnce(msgspec.Struct, frozen=True):
    """One run: what the rig said, and the coups that were to be dealt and that its journal has."""

    said: str
    why: str
    dealt: int
    stored: int
    took_s: float

    @property
    def green(self) -> bool:
        return self.said == "PASS" and self.dealt == self.stored > 0


def run_firmware_rig(
    runs: int = RUNS, folder: Path = FOLDER, play: Callable[[], PlayedOnce] | None = None
) -> bool:
    """Whether all runs are green; prints each that is not, and the counts."""
    folder.mkdir(parents=True, exist_ok=True)
    series = folder / f"{software_identifier().replace('/', '-')}-{runs}.jsonl"
    played = _played(series)
    if played:
        print(f"firmware rig: {len(played)} of {runs} runs were played before", flush=True)
    with busy_loops(BUSY_LOOPS):
        while len(played) < runs:
            played.append((play or play_once)())
            with series.open("ab") as file:
                file.write(msgspec.json.encode(played[-1]) + b"\n")
            if not played[-1].green:
                print(f"firmware rig: run {len(played)}: {describe(played[-1])}", flush=True)
    series.unlink()
    green = sum(one.green for one in played)
    longest_s = max(one.took_s for one in played)
    print(f"firmware rig: {green} of {runs} runs green, the longest {longest_s:.0f} s", flush=True)
    return green == runs


def describe(one: PlayedOnce) -> str:
    """Why it is not green."""
    return f"{one.said}, {one.stored} of {one.dealt} coups in its journal {one.why}".rstrip()


def play_once() -> PlayedOnce:
    """Play the scenario of the page on the firmware rig, and read its journal."""
    found = _SCENARIO.search(PAGE.read_text("utf-8"))
    assert found is not None, f"{PAGE} has no scenario"
    scenario = parse_scenario(found[1], "docs/for-makers.md", "mine")
    dealt = sum(one.body.coups for one in scenario.steps if isinstance(one.body, DealCoups))
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="smartshoe-") as place:
        folder = Path(place) / "scenario"
        try:
            with open_bench(read_rig("firmware"), scenario, folder) as bench:
                result = ScenarioRun(scenario, bench, "firmware", SEED).run()
            said, why = result.outcome.value, next((s.why for s in result.steps if s.why), "")
        except RigBroken as error:
            said, why = "ERROR", str(error)
        stored = coups_in(folder / "journal")
    return PlayedOnce(said, why, dealt, stored, time.monotonic() - began_s)


def coups_in(journal: Path) -> int:
    """The coups that a journal has, counted or void, as anybody reads them."""
    if not journal.exists():
        return 0
    with open_read_only(journal) as reader:
        entries = [one for found in stored_conclusions(reader.records()) for one in found.entries]
    return sum(isinstance(one, CoupClosed) for one in entries)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that want a processor all the time."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


def _played(series: Path) -> list[PlayedOnce]:
    """What an interrupted series has played."""
    if not series.exists():
        return []
    lines = series.read_bytes().splitlines()
    return [msgspec.json.decode(one, type=PlayedOnce) for one in lines]


def main() -> int:
    """Play a series; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hil.scenario.commands.firmware_runs")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N")
    with ending_at_once(), guarded_run():
        return 0 if run_firmware_rig(parser.parse_args().runs) else 1


if __name__ == "__main__":
    sys.exit(main())
