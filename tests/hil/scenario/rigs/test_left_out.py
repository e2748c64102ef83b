"""What each rig leaves out, said before the run; of the shipped scenarios the list is pinned.

make generate writes the lists again.
"""

from pathlib import Path

import pytest

from hil.scenario.commands.files import SHIPPED, scenario_files
from hil.scenario.language.reading import parse_scenario, read_scenario
from hil.scenario.rigs.left_out import reason_left_out
from hil.scenario.rigs.rig_file import parse_rig, read_rig, rig_names

LISTS = Path(__file__).parent / "left_out"
LEAST = """
name = "least"
title = "a shoe and no more"
kind = "emulated"
[shoe]
models = ["angel-eye"]
"""


def left_out(rig_name: str) -> str:
    """A line for each shipped scenario that the rig leaves out: its file, and why."""
    rig = read_rig(rig_name)
    found = [
        f"{path.relative_to(SHIPPED).as_posix()}: {why}\n"
        for path in scenario_files(SHIPPED)
        if (why := reason_left_out(read_scenario(path), rig))
    ]
    return "".join(found)


@pytest.mark.parametrize("rig", rig_names())
def test_what_a_rig_leaves_out_is_pinned(rig: str) -> None:
    pinned = (LISTS / f"{rig}.txt").read_text(encoding="utf-8")

    assert left_out(rig) == pinned, "run: make generate"


def test_the_emulated_rig_leaves_nothing_out() -> None:
    assert left_out("emulated") == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("wait 30min\nwait 1h", "rig least has no long-waits: `wait 30min` at line 1"),
        ("wait 1s\nunplug shoe", "rig least has no cables: `unplug shoe` at line 2"),
        (
            "device shoe rfid\nunplug shoe",
            "rig least has no rfid: `device shoe rfid` in its heading",
        ),
        ("wait 1s", ""),
    ],
)
def test_the_reason_names_the_first_statement_that_the_rig_cannot_do(text: str, why: str) -> None:
    assert reason_left_out(parse_scenario(text), parse_rig(LEAST, "least.toml")) == why


def write_generated() -> None:
    LISTS.mkdir(exist_ok=True)
    for name in rig_names():
        (LISTS / f"{name}.txt").write_text(left_out(name), encoding="utf-8")
