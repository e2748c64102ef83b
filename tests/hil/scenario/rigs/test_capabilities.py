"""What a scenario needs of a rig: by its heading, and by each of its statements."""

import pytest

from hil.scenario.language.reading import parse_scenario
from hil.scenario.rigs.capabilities import MEANINGS, Capability, needs, needs_by_line

NEEDED = [
    ("burn 2c + 2", {Capability.CHOSEN_CARDS}),
    ("burn ?? + 2", {Capability.CHOSEN_CARDS, Capability.UNREADABLE_CARDS}),
    ("P ??", {Capability.CHOSEN_CARDS, Capability.UNREADABLE_CARDS}),
    ("card 7h", {Capability.CHOSEN_CARDS}),
    ("deal burn", {Capability.CHOSEN_CARDS}),
    ("deal to the end", {Capability.CHOSEN_CARDS}),
    ("draw", {Capability.CHOSEN_CARDS}),
    ("cut", {Capability.CHOSEN_CARDS}),
    ("swap red 4 for other back", {Capability.SPARE_CARDS}),
    ("swap red all", {Capability.SPARE_CARDS}),
    ("next card pulled_back", {Capability.EXIT_FAULTS}),
    ("stuck door 1", {Capability.STUCK_SENSORS}),
    ("door 1 open", {Capability.SHUFFLER_DOORS}),
    ("reach in red", {Capability.SHUFFLER_DOORS}),
    ("mode sort", {Capability.MODE_KEY}),
    ("jam 1", {Capability.SHUFFLER_FAULTS}),
    ("residual 16 in 1", {Capability.SHUFFLER_FAULTS}),
    ('lamp 21 on "card feed"', {Capability.SHUFFLER_FAULTS}),
    ("interfere shuffler opened", {Capability.TAMPER}),
    ("interfere shuffler reflashed", {Capability.INTERFERENCE}),
    ("unplug shoe", {Capability.CABLES}),
    ("plug rack", {Capability.CABLES}),
    ("unplug shuffler", {Capability.SHUFFLER_CABLE}),
    ("power shoe off", {Capability.POWER_SHOE}),
    ("power shuffler on", {Capability.POWER_SHUFFLER}),
    ("power table off", {Capability.POWER_TABLE}),
    ("host kill", {Capability.PROGRAM_KILL}),
    ("host stop 2s", {Capability.PROGRAM_KILL}),
    ("host disk-full", {Capability.DISK}),
    ("host slow-disk 2s", {Capability.SLOW_DISK}),
    ("host clock-step 2h", {Capability.CLOCK}),
    ("wire shoe drop 10%", {Capability.WIRE_FAULTS}),
    ("wait 5min", set()),
    ("wait 301s", {Capability.LONG_WAITS}),
    ("expect phase closed within 2h", {Capability.LONG_WAITS}),
    ("expect metric smartshoe_a is 1", {Capability.METRICS}),
    ("expect phase closed", set()),
    ("measure scan-to-verdict", {Capability.SCAN_TIMES}),
    ("measure step", set()),
    ("load red", set()),
    ('resolve burn-card because "x"', set()),
]


@pytest.mark.parametrize(("statement", "needed"), NEEDED, ids=[text for text, _ in NEEDED])
def test_a_statement_needs(statement: str, needed: set[Capability]) -> None:
    assert needs(parse_scenario(statement)) == needed | {Capability.ANGEL_EYE}


@pytest.mark.parametrize(
    ("heading", "needed"),
    [
        ("device shoe rfid", {Capability.RFID}),
        ("device shuffler tablelink", {Capability.ANGEL_EYE, Capability.SHUFFLER}),
        ("device rack feig", {Capability.ANGEL_EYE, Capability.RACK}),
    ],
)
def test_a_device_is_needed(heading: str, needed: set[Capability]) -> None:
    assert needs(parse_scenario(f"{heading}\nwait 1s")) == needed


def test_every_capability_has_a_meaning_and_something_that_needs_it() -> None:
    needed = {one for _, found in NEEDED for one in found}
    devices = {Capability.ANGEL_EYE, Capability.RFID, Capability.SHUFFLER, Capability.RACK}

    assert set(MEANINGS) == set(Capability)
    assert needed | devices == set(Capability)


def test_a_need_has_the_line_of_its_statement() -> None:
    *_, last = needs_by_line(parse_scenario("wait 1s\n\nwait 30min # long"))

    assert (last.capability, last.text, last.line) == (Capability.LONG_WAITS, "wait 30min", 3)
