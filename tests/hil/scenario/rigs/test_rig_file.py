"""A rig's file: the shipped ones, and every wrong one with its file, key and remedy."""

from pathlib import Path

import pytest

from hil.scenario.benches.labgrid_place import LabgridPlace
from hil.scenario.rigs.capabilities import Capability
from hil.scenario.rigs.rig_file import (
    CommissionedTable,
    RigFileError,
    RigKind,
    RigPower,
    parse_rig,
    read_rig,
    resources_of_the_place,
    rig_names,
)

EMULATED = """
name = "own"
title = "a rig of a house"
kind = "emulated"
[shoe]
models = ["rfid"]
"""
BENCH = """
name = "own"
title = "a bench of a house"
kind = "bench"
capabilities = ["cables"]
[shoe]
models = ["angel-eye"]
line = "/dev/ttyUSB0"
[power]
shoe = "switch {state}"
[feeder]
command = "feed {card} {batch} {tag}"
"""


def problem_of(text: str) -> str:
    with pytest.raises(RigFileError) as caught:
        parse_rig(text, "own.toml")
    return str(caught.value)


def test_the_shipped_rigs_can_be_read_and_are_named_as_their_files() -> None:
    assert rig_names() == ("bench-example", "emulated", "firmware", "simulated")
    assert [read_rig(name).name for name in rig_names()] == list(rig_names())
    assert {read_rig(name).kind for name in rig_names()} == set(RigKind)


def test_the_emulated_rig_can_do_everything() -> None:
    assert read_rig("emulated").can == set(Capability)


def test_a_rig_of_a_file_has_the_capabilities_of_its_keys(fast_dir: Path) -> None:
    (fast_dir / "own.toml").write_text(BENCH)
    rig = read_rig(str(fast_dir / "own.toml"))

    assert rig.power == RigPower(shoe="switch {state}")
    assert rig.can == {
        Capability.ANGEL_EYE,
        Capability.CABLES,
        Capability.POWER_SHOE,
        Capability.CHOSEN_CARDS,
    }


def test_the_folder_of_a_table_is_relative_to_the_rigs_file(fast_dir: Path) -> None:
    (fast_dir / "own.toml").write_text(BENCH + '[table]\nfolder = "own"')

    assert read_rig(str(fast_dir / "own.toml")).table == CommissionedTable(str(fast_dir / "own"))


def test_without_a_switch_or_feeder_it_lacks_what_they_do() -> None:
    without = BENCH.partition("[power]")[0]

    assert parse_rig(without, "own.toml").can == {Capability.ANGEL_EYE, Capability.CABLES}


@pytest.mark.parametrize(
    ("text", "key", "allowed"),
    [
        (EMULATED.replace('"emulated"', '"real"'), "kind", "simulated, emulated, firmware, bench"),
        (EMULATED.replace('"rfid"', '"round"'), "shoe.models", "angel-eye, rfid"),
        (EMULATED.replace('["rfid"]', "[]"), "shoe.models", "angel-eye, rfid"),
        (EMULATED + 'line = "/dev/ttyUSB0"', "shoe.line", "pty, tcp"),
        (EMULATED + '[shuffler]\ndevice = "real"', "shuffler.device", "emulator, firmware"),
        (EMULATED + '[power]\nshoe = "x {state}"', "power", "`capabilities` alone"),
        (EMULATED + "[feeder]", "feeder", "`capabilities` alone"),
        (EMULATED + '[table]\nfolder = "x"', "table", "`capabilities` alone"),
        (BENCH.replace('"cables"', '"cabels"'), "capabilities[0]", "angel-eye, rfid, shuffler"),
        (BENCH.replace("/dev/ttyUSB0", "pty"), "shoe.line", "a port such as /dev/ttyUSB0"),
        (BENCH.replace("{state}", "{stat}"), "power.shoe", "{state}"),
        (BENCH.replace(" {state}", ""), "power.shoe", "{state}"),
        (BENCH.replace("{tag}", "{chip}"), "feeder.command", "{batch}, {card}, {tag}"),
        (BENCH.replace('"cables"', '"power-shuffler"'), "capabilities", "a command, or person"),
    ],
)
def test_what_is_wrong_has_its_key_what_is_allowed_and_a_remedy(
    text: str, key: str, allowed: str
) -> None:
    problem = problem_of(text)

    assert problem.startswith(f"own.toml: `{key}`: ")
    assert f"Allowed: {allowed}" in problem
    assert "Remedy: " in problem


def test_a_switched_part_is_not_listed_again() -> None:
    assert "follows from another key" in problem_of(BENCH.replace('"cables"', '"power-shoe"'))


def test_the_power_of_the_bench_itself_cannot_be_cut() -> None:
    assert "would end the bench itself" in problem_of(BENCH.replace('"cables"', '"power-table"'))


def test_an_unknown_key_is_named_with_the_known_ones() -> None:
    problem = problem_of(EMULATED + 'colour = "red"')

    assert "`shoe`" in problem
    assert "`colour`" in problem
    assert "Allowed: models, line. Remedy: " in problem


def test_a_missing_key_is_named() -> None:
    assert "`title`" in problem_of(EMULATED.replace("title", "# title"))


def test_every_problem_is_said_at_once() -> None:
    assert len(problem_of(BENCH.replace("{state}", "{a} {b}")).splitlines()) == 2


def test_a_file_that_is_no_toml_names_the_line() -> None:
    assert "line 2" in problem_of('name = "a"\nname "b"')


def test_an_unknown_rig_names_the_known_ones() -> None:
    with pytest.raises(RigFileError, match=r"--rig: there is no rig 'x'\. Allowed: bench-example"):
        read_rig("x")


def test_a_missing_file_is_said(fast_dir: Path) -> None:
    with pytest.raises(RigFileError, match=r"none\.toml: cannot be read: No such file"):
        read_rig(str(fast_dir / "none.toml"))


AT_A_PLACE = BENCH.replace("/dev/ttyUSB0", "labgrid:shoe").replace(
    "switch {state}", "labgrid:strip"
)
PLACE = '[labgrid]\ncoordinator = "lab:20408"\nplace = "table-3"\n'


def test_a_bench_may_be_a_place_of_labgrid() -> None:
    rig = parse_rig(AT_A_PLACE + PLACE, "own.toml")

    assert rig.labgrid == LabgridPlace("lab:20408", "table-3", ".venv-labgrid")
    assert resources_of_the_place(rig) == {"shoe.line": "shoe", "power.shoe": "strip"}


@pytest.mark.parametrize(
    ("text", "key", "allowed"),
    [
        (AT_A_PLACE, "shoe.line", "the table `labgrid` with coordinator and place"),
        (AT_A_PLACE, "power.shoe", "the table `labgrid` with coordinator and place"),
        (EMULATED + PLACE, "labgrid", "it, in a rig of kind bench"),
        (BENCH + PLACE + "port = 1", "labgrid", "coordinator, place, environment"),
    ],
)
def test_a_wrong_place_is_named(text: str, key: str, allowed: str) -> None:
    problem = problem_of(text)

    assert f"own.toml: `{key}`: " in problem
    assert f"Allowed: {allowed}. Remedy: " in problem
