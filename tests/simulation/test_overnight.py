"""Shoes are switched off overnight and loaded in the morning: nothing is raised, on every model."""

import pytest

from controller.core.settings import DeviceSettings, Settings
from controller.procedure.effects import ShoeOpened
from controller.rules.actions.actions import CloseShoe
from firmware_bridge.attestation import Trust
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioRun, StepOutcome
from hil.simulation.table import SimulatedTable
from hil.soak.checkers import irregularities_in

SECOND_NS = 1_000_000_000
# An ace and one card more are burned; then a natural nine of Player's against seven.
ROW = [
    PhysicalCard(Card(rank, suit), "red", "")
    for rank, suit in (
        *((1, Suit.SPADE), (7, Suit.CLUB)),
        *((9, Suit.HEART), (2, Suit.DIAMOND), (13, Suit.CLUB), (5, Suit.SPADE)),
    )
]
LOADED = "record loaded batch blue amount 416"
EVENING = """\
device shoe {model}
load red; deal burn; deal 2 coups
close shoe
unload
power shoe off
"""
OFF = {
    "the shoe alone": "wait {night}",
    "its cable, too": "unplug shoe; wait {night}; plug shoe",
    "the program, too": "power table off; wait {night}; power table on",
}
# Simulated hours cost seconds; the reader's timer restarts in a minute, too.
NIGHTS = ["2min", pytest.param("9h", marks=pytest.mark.full)]
MORNING = """
power shoe on
wait 10s
{loading}
load blue; deal burn; deal 2 coups
expect {raised}
"""


def failures(text: str) -> list[str]:
    scenario = parse_scenario(text)
    result = ScenarioRun(scenario, SimulatedBench(scenario), "test", 7).run()
    wrong = [one for one in result.steps if one.outcome is not StepOutcome.PASS]
    return [f"{one.line}: {one.text}: {one.why}" for one in wrong]


def overnight(model: str, off: str, night: str, loading: str, raised: str) -> list[str]:
    evening, hours = EVENING.format(model=model), OFF[off].format(night=night)
    return failures(evening + hours + MORNING.format(loading=loading, raised=raised))


@pytest.mark.parametrize("night", NIGHTS)
@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize(("model", "loading"), [("angel-eye", ""), ("rfid", LOADED)])
def test_a_shoe_loaded_in_the_morning_raises_nothing(
    model: str, loading: str, off: str, night: str
) -> None:
    assert overnight(model, off, night, loading, "nothing") == []


@pytest.mark.parametrize("night", NIGHTS)
@pytest.mark.parametrize("off", OFF)
def test_where_no_loading_is_recorded_the_first_card_is_raised(off: str, night: str) -> None:
    raised = "irregularity CONTINUITY_UNPROVEN among others"

    assert overnight("rfid", off, night, "", raised) == []


@pytest.mark.parametrize("night_s", [120, pytest.param(9 * 3600, marks=pytest.mark.full)])
def test_a_shoe_that_proves_its_identity_reports_its_loading(night_s: int) -> None:
    shoe = TableLinkShoe(TableLinkShoeSettings(bare=True))
    device = DeviceSettings("/dev/shoe", "tablelink", trust=Trust(bare=True))
    table = SimulatedTable(Settings("M7", "3", 8, 0, (), device), "s42-mini", {"/dev/shoe": shoe})
    table.advance(SECOND_NS)
    for seconds in (night_s, 1):
        shoe.load_pieces(ROW)
        for _ in ROW:
            shoe.draw_next()
            table.advance(SECOND_NS)
        table.act(CloseShoe())
        shoe.power_off()
        table.advance(seconds * SECOND_NS)
        shoe.power_on()
        table.advance(10 * SECOND_NS)

    assert [one.shoe for one in table.entries if isinstance(one, ShoeOpened)] == [1, 2]
    assert irregularities_in(table.entries) == []
