"""`smartshoe-hil run`, `rigs` and `check` as a whole: output, reports and exit codes."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from played_scenarios import IMPOSSIBLE, LATE, LEFT_OUT, OVERDRAW

from hil.cli import main
from hil.scenario.rigs.capabilities import MEANINGS

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
def folder(fast_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(fast_dir)
    texts = {"overdraw": OVERDRAW, "late": LATE, "impossible": IMPOSSIBLE, "left-out": LEFT_OUT}
    for name, text in texts.items():
        (fast_dir / f"{name}.scenario").write_text(text)
    (fast_dir / "bare.toml").write_text(BARE)
    return fast_dir


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("overdraw.scenario",), 0),
        (("overdraw.scenario", "left-out.scenario"), 0),
        (("left-out.scenario",), 1),
        (("overdraw.scenario", "late.scenario"), 1),
        (("impossible.scenario",), 1),
        (("overdraw.scenario", "--rig", "bare.toml"), 1),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_exit_code_says_whether_all_that_was_played_passed(
    words: tuple[str, ...], code: int
) -> None:
    assert main(["run", *words]) == code


@pytest.mark.usefixtures("folder")
def test_each_step_is_a_line_and_the_end_has_measures_reasons_and_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["run", ".", "--seed", "5"])

    assert capsys.readouterr().out.splitlines() == [
        "impossible  <b>&  impossible.scenario",
        "  ERROR 2:1    measure exchange: no batch was exchanged",
        "  SKIP  3:1    wait 1s",
        "  = ERROR",
        "late  late.scenario",
        "  PASS  1:1    burn 2c + 2  (1.2 s)",
        "  PASS  2:1    wait 2s  (2 s)",
        "  FAIL  3:1    measure step at most 1s: 2 s: it took 2000.0 ms",
        "  SKIP  4:1    P 9h",
        "  = FAIL",
        "left-out  left-out.scenario",
        "  = SKIP  rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1",
        "overdraw  a fifth card after a natural  overdraw.scenario",
        "  PASS  4:1    burn 2c + 2  (1.2 s)",
        "  PASS  5:1    P 9h  (300 ms)",
        "  PASS  5:7    B Kc  (300 ms)",
        "  PASS  5:13   P Qd  (300 ms)",
        "  PASS  5:19   B Jh  (300 ms)",
        "  PASS  6:1    P 3c  [irregularity OVERDRAW]  (300 ms)",
        "  PASS  7:1    caught by irregularity OVERDRAW by card 8",
        "  PASS  8:1    measure step at most 10s: 0 ms",
        "  = PASS  caught at card 8, line 7",
        "measured  late: step 2 s, at most 1 s",
        "measured  overdraw: step 0 ms, at most 10 s",
        "ERROR  impossible.scenario:2:1: measure exchange: no batch was exchanged",
        "FAIL   late.scenario:3:1: measure step at most 1s: it took 2000.0 ms",
        (
            "SKIP   left-out.scenario: rig simulated has no metrics: "
            "`expect metric smartshoe_a is 1` at line 1"
        ),
        "incidents: 1 of 1 caught",
        "4 played on simulated, seed 5: 1 PASS, 1 FAIL, 1 ERROR, 1 SKIP",
    ]


@pytest.mark.usefixtures("folder")
def test_json_is_an_object_for_each_scenario_and_a_last_one_for_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["run", "overdraw.scenario", "late.scenario", "--json"])
    output = capsys.readouterr()
    first, second, last = (json.loads(line) for line in output.out.splitlines())

    assert code == 1
    assert (first["scenario"], second["scenario"]) == ("overdraw", "late")
    assert last["incidents"]["overdraw"]["caught"] is True
    assert last["incidents"]["overdraw"]["card"] == 8
    assert last["counts"] == {"PASS": 1, "FAIL": 1, "ERROR": 0, "SKIP": 0}
    assert "2 played on simulated" in output.err


def test_reports_replace_older_ones(folder: Path) -> None:
    (folder / "r.xml").write_text("old")
    main(["run", ".", "--junit", "r.xml", "--html", "r.html"])

    assert ET.parse(folder / "r.xml").getroot().get("tests") == "15"
    assert "</html>" in (folder / "r.html").read_text()
    assert {one.suffix for one in folder.iterdir()} == {".scenario", ".toml", ".xml", ".html"}


@pytest.mark.usefixtures("folder")
def test_a_problem_in_one_file_keeps_all_from_being_played(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "wrong.scenario").write_text("burn 2c\nshake red\nwait")
    code = main(["run", "."])
    output = capsys.readouterr()

    assert (code, output.out) == (2, "")
    assert "wrong.scenario:2:1: " in output.err
    assert "wrong.scenario:3:5: " in output.err


def test_the_rigs_are_listed_also_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rigs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["rigs", "--json"]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [one["name"] for one in objects] == [line.split()[0] for line in lines]
    assert objects[1]["name"] == "emulated"
    assert set(objects[1]["capabilities"]) == {one.value for one in MEANINGS}


@pytest.mark.usefixtures("folder")
def test_check_says_what_is_missing_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "bare.toml"]) == 1
    text = capsys.readouterr().out
    assert main(["check", "bare.toml", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)

    assert "  no   the port of the shoe is there: /dev/no-such-shoe. Remedy: plug it in" in text
    assert "  not  metrics           serves the program's metrics" in text
    assert found["points"][0]["good"] is False
    assert found["capabilities"] == ["angel-eye", "chosen-cards"]


@contextmanager
def at_a_terminal(*words: str) -> Iterator["tuple[subprocess.Popen[bytes], int]"]:
    """The command with its standard output at a terminal; the process and the other end."""
    own, other = pty.openpty()
    command = [sys.executable, "-m", "hil.cli", *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=other, stderr=other) as running:
        os.close(other)
        try:
            yield running, own
        finally:
            running.kill()
            os.close(own)


def read_until(end: int, words: bytes) -> bytes:
    """What the terminal shows up to those words; empty words: to its end."""
    shown = b""
    while not words or words not in shown:
        try:
            more = os.read(end, 4096)
        except OSError:
            break
        shown += more
    return shown


def test_a_terminal_shows_colours_and_the_step_that_is_done(folder: Path) -> None:
    with at_a_terminal("run", str(folder / "overdraw.scenario")) as (running, end):
        shown = read_until(end, b"").decode()

        assert running.wait() == 0
    assert "\x1b[32mPASS" in shown
    assert "1 played on simulated, seed 1: 1 PASS" in shown


def test_ctrl_c_ends_the_run_with_reports_of_what_was_run(folder: Path) -> None:
    (folder / "a.scenario").write_text(
        "device shoe angel-eye\nwait 2s\n" + "load red\ndeal to the end\nunload\n" * 60
    )
    words = ("run", "a.scenario", "overdraw.scenario", "--junit", "r.xml", "--json")
    with at_a_terminal(*words) as (running, end):
        read_until(end, b"wait 2s")
        running.send_signal(signal.SIGINT)
        shown = read_until(end, b"").decode()

        assert running.wait() == 130
    (suite,) = ET.parse(folder / "r.xml").getroot()
    assert suite.get("name") == "a"
    assert suite.get("errors") == "1"
    assert '"interrupted": true' in shown
