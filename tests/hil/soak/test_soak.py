"""Seeds of the soak: made, played and counted, equal each time; and faults by name."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from hil.cli import main
from hil.dealing.mistakes import Mistake
from hil.scenario.language import statements as said
from hil.scenario.language.reading import parse_scenario
from hil.soak.faults import BY_NAME, FAULTS, FaultPlace
from hil.soak.generate import scenario_of, swarm_of
from hil.soak.report import Tally
from hil.soak.soak import play, play_seed
from hil.soak.spread import played_here

ROOT = Path(__file__).resolve().parents[3]
SHORT, LONG = range(12), range(12, 400)
# Seeds at which the program was wrong: cards left beside a stored batch, a shoe without power.
ONCE_VIOLATED = (9061, 14681)
# Seeds at which a checker was wrong, of the first runs of many shoes.
ONCE_TAKEN_FOR_A_VIOLATION = (
    535,
    1817,
    3475,
    4532,
    11004,
    11258,
    11948,
    12224,
    12254,
    15113,
    30235,
)


@pytest.mark.parametrize("seed", SHORT)
def test_no_checker_fires(seed: int) -> None:
    played = play_seed(seed)

    assert (played.checker, played.what) == ("", "")
    assert played.statements > 0


@pytest.mark.parametrize("seed", ONCE_TAKEN_FOR_A_VIOLATION)
def test_what_is_right_is_not_taken_for_a_violation(seed: int) -> None:
    """A cut card in a burn that was broken off, a shoe that nobody saw emptied, and the like."""
    played = play_seed(seed)

    assert (played.checker, played.what) == ("", "")


@pytest.mark.parametrize("seed", ONCE_VIOLATED)
def test_what_was_a_violation_is_on_record(seed: int) -> None:
    played = play_seed(seed)

    assert (played.checker, played.what) == ("", "")


@pytest.mark.full
@pytest.mark.parametrize("seed", LONG)
def test_no_checker_fires_in_more_seeds(seed: int) -> None:
    played = play_seed(seed)

    assert (played.checker, played.what) == ("", "")


def test_the_long_run_prints_its_first_seed_which_moves_with_the_day_or_is_given() -> None:
    """Seeds of the tests stay; those of `make full`, which the gate runs too, do not."""
    for given, first in (([], r"\d{8}"), (["SOAK_FIRST=14681"], "14681")):
        words = ["make", "--dry-run", "--no-print-directory", "full", *given]
        plan = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout

        assert re.search(rf"the first is {first};", plan), plan
        assert re.search(rf" soak --seeds 300 --first {first} ", plan), plan
    assert "SOAK_FIRST" not in (ROOT / ".ci" / "run").read_text("utf-8")


def test_equal_seeds_are_equal_scenarios_and_equal_runs() -> None:
    assert scenario_of(3) == scenario_of(3) != scenario_of(4)
    assert play_seed(3) == play_seed(3)


def test_several_processes_play_what_one_plays() -> None:
    assert list(played_here(range(4), 2)) == list(played_here(range(4), 1))


def test_a_scenario_of_another_writer_is_played_with_the_checkers() -> None:
    scenario = parse_scenario("device shoe rfid\nload red\ndeal burn\ndeal 3 coups\n")
    played = play(scenario, 1)

    assert (played.shoes, played.coups, played.checker) == (1, 3, "")


def test_what_is_not_possible_is_passed_over() -> None:
    played = play(parse_scenario("load red\nload blue\nunplug rack\n"), 1)

    assert (played.statements, played.passed_over) == (3, 2)


def test_every_fault_can_be_written_and_read() -> None:
    for fault in FAULTS:
        begin, end = fault.write(Random(1), "red")
        for text in filter(None, (*begin, *end)):
            assert parse_scenario(text).steps, fault.name


def test_every_kind_of_fault_has_its_name() -> None:
    names = set(BY_NAME)
    assert len(names) == len(FAULTS)
    assert {f"dealer-{one.value}" for one in Mistake} <= names
    assert {f"card-{one.value}" for one in said.CardFault} <= names
    assert {f"shoe-{one.value}" for one in said.WireFault if one.value != "none"} <= names
    assert {f"host-{one.value}" for one in said.HostFault if one.value != "disk-free"} <= names


def test_swarms_differ_and_some_have_no_fault() -> None:
    swarms = [swarm_of(seed) for seed in range(200)]
    on = {name for swarm in swarms for name in swarm.names}

    assert on == set(BY_NAME)
    assert 5 < sum(not swarm.faults for swarm in swarms) < 80
    places = [{one.place for one in swarm.faults} for swarm in swarms]
    assert {FaultPlace.PEOPLE} in places
    assert any(len(one) > 2 for one in places)


def test_a_tally_counts_what_was_played() -> None:
    tally = Tally()
    for played in played_here(range(3), 1):
        tally.add(played)
    line, figures = tally.line(2.0), tally.as_json(2.0)

    assert line.startswith("3 seeds, ")
    assert line.endswith(" 0 failed")
    assert (figures["first_seed"], figures["last_seed"], figures["failed"]) == (0, 2, [])
    assert figures["shoes_per_s"] == round(tally.shoes / 2.0, 2)


def test_the_command_counts_shoes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soak", "--seeds", "2", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)

    assert (figures["seeds"], figures["failed"]) == (2, [])


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.full)])
def test_ctrl_c_ends_a_run_with_its_figures(jobs: str) -> None:
    words = [sys.executable, "-m", "hil.cli", "soak", "--seeds", "100000", "--jobs", jobs]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stderr is not None
        assert "shoes/s" in run.stderr.readline()
        os.killpg(run.pid, signal.SIGINT)
        out, err = run.communicate()

    assert run.returncode == 130
    assert "0 failed" in out
    assert "stopped; this was played:" in err


def test_the_command_lists_the_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults"]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert len(lines) == len(FAULTS)
    assert any(line.startswith("host-kill ") for line in lines)
    assert main(["faults", "--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == BY_NAME.keys()


def test_a_file_is_played_with_the_checkers(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.scenario"
    path.write_text("load red\ndeal burn\ndeal 2 coups\n")

    assert main(["soak", "--scenario", str(path), "--seed", "3"]) == 0
    assert "no checker fired" in capsys.readouterr().out
