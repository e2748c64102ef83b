"""A failing list is shrunk to what it takes, and a scenario to a file that fails again."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hil.scenario.language.reading import parse_scenario
from hil.soak.shrink import minimised, scenario_text
from hil.soak.soak import Played


@given(st.sets(st.integers(0, 39), min_size=1, max_size=6))
def test_only_what_it_takes_is_left(needed: set[int]) -> None:
    left = minimised(tuple(range(40)), lambda parts: needed <= set(parts))

    assert set(left) == needed
    assert list(left) == sorted(left)


def test_a_shrunk_scenario_is_a_file_that_reads_as_the_same_steps() -> None:
    text = "profile ny-mini\ndevice shoe rfid\ndevice shuffler tablelink\nshuffle red\nload red\n"
    scenario = replace(parse_scenario(text), name="soak-7")
    played = Played(7, 1, 0, 0, 2, 0, (), "cards are conserved", 'one "more"', 5)
    written = scenario_text(scenario, played)
    read = parse_scenario(written)

    assert [one.body for one in read.steps] == [one.body for one in scenario.steps]
    assert (read.profile, read.shoe, read.shuffler) == ("ny-mini", "rfid", True)
    assert "soak --scenario FILE --seed 7" in written
