"""Scenarios in pytest: collected files, the fixture of the rig, what is left out."""

import pytest
from played_scenarios import LATE, LEFT_OUT, OVERDRAW

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "hil.scenario.commands.pytest_plugin", "-p", "no:cacheprovider", "-rA")
WITH_FIXTURE = """
from pathlib import Path


def test_a_text(rig):
    assert rig("wait 1s").outcome == "PASS"


def test_a_file(rig):
    assert rig(Path("overdraw.scenario")).caught_card == 8


def test_what_the_rig_cannot_do(rig):
    rig("expect metric smartshoe_a is 1")
"""
BARE = """
name = "bare"
title = "a bench whose shoe is not plugged in"
kind = "bench"
[shoe]
models = ["angel-eye"]
line = "/dev/no-such-shoe"
[feeder]
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    for name, text in {"overdraw": OVERDRAW, "late": LATE, "left-out": LEFT_OUT}.items():
        (pytester.path / f"{name}.scenario").write_text(text)
    (pytester.path / "bare.toml").write_text(BARE)
    return pytester


def test_a_file_is_a_test_and_what_is_left_out_a_skip(folder: pytest.Pytester) -> None:
    done = folder.runpytest_subprocess(*PLUGIN)

    done.assert_outcomes(passed=1, failed=1, skipped=1)
    done.stdout.fnmatch_lines(
        [
            "rig: simulated, seed 1",
            "*PASS  2:1 * wait 2s*",
            "*FAIL  3:1 * measure step at most 1s: 2 s: it took 2000.0 ms",
            "*late.scenario:3:1: measure step at most 1s: it took 2000.0 ms",
            "PASSED overdraw.scenario::overdraw",
            "SKIPPED *rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1",
            "FAILED late.scenario::late*",
        ]
    )


def test_the_fixture_plays_texts_and_files(folder: pytest.Pytester) -> None:
    folder.makepyfile(WITH_FIXTURE)
    done = folder.runpytest_subprocess(*PLUGIN, "--scenario-seed", "4", "-k", "test_")

    done.assert_outcomes(passed=2, skipped=1)
    done.stdout.fnmatch_lines(["rig: simulated, seed 4"])


@pytest.mark.full
def test_a_wrong_scenario_fails_the_collection_with_each_place(folder: pytest.Pytester) -> None:
    (folder.path / "wrong.scenario").write_text("shake red\nwait")
    done = folder.runpytest_subprocess(*PLUGIN, "wrong.scenario")

    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*wrong.scenario:1:1: *", "*wrong.scenario:2:5: *"])


@pytest.mark.full
def test_a_broken_rig_fails_every_test_with_the_first_cause(folder: pytest.Pytester) -> None:
    words = ("--rig", "bare.toml", "late.scenario", "overdraw.scenario")
    done = folder.runpytest_subprocess(*PLUGIN, *words)

    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*4:1: burn 2c + 2: rig bare broke: the port of the shoe is not *"])


@pytest.mark.full
def test_an_unknown_rig_is_a_wrong_usage(folder: pytest.Pytester) -> None:
    done = folder.runpytest_subprocess(*PLUGIN, "--rig", "none")

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*there is no rig 'none'. Allowed: bench-example, *"])


def test_without_the_plugin_scenarios_are_no_tests(folder: pytest.Pytester) -> None:
    done = folder.runpytest_subprocess("-p", "no:cacheprovider")

    assert done.ret == pytest.ExitCode.NO_TESTS_COLLECTED
