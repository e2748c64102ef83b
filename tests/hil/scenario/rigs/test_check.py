"""Checking a rig: it opens, or what is missing is named with a remedy."""

import stat
from pathlib import Path

from hil.scenario.rigs.check import CheckedPoint, check_rig
from hil.scenario.rigs.rig_file import parse_rig, read_rig

BENCH = """
name = "own"
title = "a bench of a house"
kind = "bench"
[shoe]
models = ["angel-eye"]
line = "{port}"
[power]
shoe = "{switch} {{state}}"
[feeder]
command = "no-such-feeder {{card}}"
"""


def point(points: tuple[CheckedPoint, ...], words: str) -> CheckedPoint:
    (found,) = (one for one in points if words in one.what)
    return found


def test_the_simulated_rig_opens_with_each_of_its_shoes() -> None:
    assert check_rig(read_rig("simulated")) == (
        CheckedPoint("the rig opens: angel-eye and a shuffler", good=True),
        CheckedPoint("the rig opens: rfid and a shuffler", good=True),
    )


def test_a_bench_is_checked_for_ports_and_commands(fast_dir: Path) -> None:
    switch = fast_dir / "switch"
    switch.write_text("#!/bin/sh\n")
    switch.chmod(switch.stat().st_mode | stat.S_IXUSR)
    text = BENCH.format(port=fast_dir / "no-shoe", switch=switch)
    points = check_rig(parse_rig(text, "own.toml"))

    assert not point(points, "port of the shoe").good
    assert "plug it in" in point(points, "port of the shoe").remedy
    assert point(points, "`power.shoe`").good
    assert point(points, "`feeder.command`").remedy == (
        "install no-such-feeder, or correct `feeder.command` in the rig's file"
    )
    assert not any(one.what.startswith("the rig opens") for one in points)


def test_a_port_of_another_machine_is_not_called_there(fast_dir: Path) -> None:
    text = BENCH.format(port="socket://127.0.0.1:1", switch="true")
    points = check_rig(parse_rig(text, "own.toml"))

    assert "not tried before the run" in point(points, "port of the shoe").what
