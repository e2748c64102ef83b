"""A series of runs of the firmware rig: what is green, and how an interrupted one goes on."""

from pathlib import Path

import pytest

from hil.scenario.benches.emulated_bench import emulated_bench
from hil.scenario.commands.firmware_runs import PlayedOnce, coups_in, run_firmware_rig
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioRun

GREEN = PlayedOnce("PASS", "", 2, 2, 6.0)
EMPTY = PlayedOnce("PASS", "", 2, 0, 110.0)
RED = PlayedOnce("ERROR", "not online: shoe (lost)", 2, 0, 61.0)


def test_a_pass_without_its_coups_in_the_journal_is_not_green(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = iter([GREEN, EMPTY, RED])

    assert not run_firmware_rig(3, tmp_path, lambda: next(runs))
    said = capsys.readouterr().out
    assert "run 2: PASS, 0 of 2 coups in its journal\n" in said
    assert "run 3: ERROR, 0 of 2 coups in its journal not online: shoe (lost)\n" in said
    assert "1 of 3 runs green" in said


def test_an_interrupted_series_goes_on_and_a_whole_one_begins_again(tmp_path: Path) -> None:
    def interrupted() -> PlayedOnce:
        if not played:
            played.append(GREEN)
            return GREEN
        raise KeyboardInterrupt

    played: list[PlayedOnce] = []
    with pytest.raises(KeyboardInterrupt):
        run_firmware_rig(3, tmp_path, interrupted)
    left = iter([GREEN] * 5)

    assert run_firmware_rig(3, tmp_path, lambda: next(left))
    assert len([*left]) == 3
    assert not [*tmp_path.iterdir()]


def test_the_coups_are_read_from_the_journal(fast_dir: Path) -> None:
    scenario = parse_scenario("load red\ndeal burn\ndeal 2 coups")
    with emulated_bench(scenario, fast_dir / "one") as bench:
        ScenarioRun(scenario, bench, "test", 7).run()

    assert coups_in(fast_dir / "one" / "journal") == 2
    assert coups_in(fast_dir / "none") == 0
