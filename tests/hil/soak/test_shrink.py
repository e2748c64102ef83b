"""A failing list is shrunk to what it takes, and a scenario to a file that fails again."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.script.parser import parse_forms
from controller.procedure.rulebook import ObservableFact
from controller.rules.cards import Card, Rank, Suit
from hil.dealing.mistakes import Mistake
from hil.dealing.tags import BACKS
from hil.scenario.language import statements as said
from hil.scenario.language.expectation_forms import EXPECTATION_FORMS
from hil.scenario.language.happening_forms import BUTTONS, HAPPENING_FORMS, MODES
from hil.scenario.language.reading import DEVICES, HEADING_FORMS, SCENARIO_FORMS, parse_scenario
from hil.soak.shrink import minimised, scenario_text, time_text, written
from hil.soak.soak import Played

TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20).filter(
    lambda text: text.strip() == text
)
BACK = st.sampled_from(BACKS)
CARDS = st.builds(Card, st.sampled_from(Rank), st.sampled_from(Suit))
COMPARTMENT = st.sampled_from((1, 2))
NUMBER = st.integers(1, 400)
TIMES = st.builds(
    lambda count, unit: count * unit,
    st.integers(1, 999),
    st.sampled_from((10**6, 10**9, 60 * 10**9, 3600 * 10**9)),
)
CABLES = st.sampled_from((said.TablePart.SHOE, said.TablePart.SHUFFLER, said.TablePart.RACK))
LASTING = (said.HostFault.STOP, said.HostFault.SLOW_DISK, said.HostFault.CLOCK_STEP)
SHARED = [
    one
    for one in said.WireFault
    if one not in (said.WireFault.NONE, said.WireFault.STALL, said.WireFault.DELAY)
]

BODIES = st.one_of(
    st.builds(said.Named, TEXTS, TEXTS),
    st.builds(said.Source, TEXTS),
    st.builds(said.FirstKnown, TEXTS),
    st.builds(said.Control, st.lists(TEXTS, min_size=1, max_size=3).map(tuple)),
    st.builds(said.ProfileUsed, st.sampled_from(("s42-mini", "ny-midi"))),
    st.builds(
        said.ObservedFacts,
        st.lists(st.sampled_from(ObservableFact), min_size=1, max_size=3).map(tuple),
    ),
    st.sampled_from([said.DeviceWanted(part, one) for part in DEVICES for one in DEVICES[part]]),
    st.builds(said.HandShuffle, BACK, st.integers(0, 400)),
    st.builds(said.PutInOrder, BACK),
    st.builds(said.SwapCard, BACK, NUMBER, CARDS, st.just(False)),
    st.builds(said.SwapCard, BACK, NUMBER, st.none(), st.booleans()),
    st.builds(said.SwapAll, BACK),
    st.builds(said.RemoveCards, BACK, NUMBER),
    st.builds(said.CutCardAt, NUMBER),
    st.builds(said.LoadShoe, BACK),
    st.sampled_from((said.EmptyShoe(), said.DealBurn(), said.FloorDecides())),
    st.builds(said.DealCoups, st.integers(0, 100)),
    st.builds(said.Err, st.sampled_from(Mistake)),
    st.builds(said.DrawNext, st.none() | CARDS),
    st.builds(said.NextCardDoes, st.sampled_from(said.CardFault)),
    st.builds(said.PutIn, BACK),
    st.builds(said.TakeOut, BACK),
    st.builds(said.Press, st.sampled_from(BUTTONS), st.integers(0, 2), st.booleans()),
    st.builds(said.ShuffleBatch, BACK),
    st.builds(said.BringOut, BACK),
    st.builds(said.MoveDoor, st.integers(0, 2), st.booleans()),
    st.builds(said.JamMechanism, COMPARTMENT, st.booleans()),
    st.builds(said.StickSensor, st.none() | st.integers(0, 2), st.booleans()),
    st.builds(said.LeaveCards, NUMBER, COMPARTMENT) | st.just(said.LeaveCards(0, 0)),
    st.builds(said.ReachIn, BACK),
    st.builds(said.TurnModeKey, st.sampled_from(MODES)),
    st.builds(said.Lamp, st.integers(4, 65535), st.just(True), TEXTS),
    st.builds(said.Lamp, st.integers(4, 65535), st.just(False), st.just("")),
    st.builds(said.Interfere, st.just(said.TablePart.SHUFFLER), st.sampled_from(said.Interference)),
    st.builds(said.MovePlug, CABLES, st.booleans()),
    st.builds(
        said.SwitchPower,
        st.sampled_from((said.TablePart.SHOE, said.TablePart.SHUFFLER, said.TablePart.TABLE)),
        st.booleans(),
    ),
    st.builds(said.Befall, st.sampled_from(LASTING), TIMES),
    st.builds(
        said.Befall,
        st.sampled_from([one for one in said.HostFault if one not in LASTING]),
        st.just(0),
    ),
    st.builds(
        said.Disturb, CABLES, st.sampled_from(SHARED), st.integers(1, 100).map(lambda n: n * 10),
        st.just(0),
    ),
    st.builds(
        said.Disturb, CABLES, st.sampled_from((said.WireFault.STALL, said.WireFault.DELAY)),
        st.just(0), TIMES,
    ),
    st.builds(said.Disturb, CABLES, st.just(said.WireFault.NONE), st.just(0), st.just(0)),
    st.builds(said.Wait, TIMES),
    st.builds(said.Measure, st.sampled_from(said.MeasureKind), st.just(0) | TIMES),
    st.builds(
        said.Expect,
        st.just(said.Subject.IRREGULARITY),
        st.lists(st.sampled_from(("OVERDRAW", "BURN_SHORT")), min_size=1).map(tuple),
        st.integers(0, 400), st.just(0) | TIMES, st.booleans(), st.booleans(),
    ),
    st.builds(said.Expect, st.just(said.Subject.REFUSAL), st.tuples(TEXTS) | st.just(())),
    st.builds(said.Expect, st.just(said.Subject.COUP), st.just(("3", "tie"))),
    st.just(said.Expect(said.Subject.METRIC, ("smartshoe_cards_total", "at-least", "3"))),
    st.just(said.Expect(said.Subject.LINK, ("shoe", "down"))),
    st.just(said.Expect(said.Subject.NOTHING, ())),
)  # fmt: skip


@given(BODIES)
def test_a_statement_reads_back_as_itself(body: said.ScenarioBody) -> None:
    (read,) = parse_forms(written(body), SCENARIO_FORMS, "written")

    assert read.body == body


@pytest.mark.parametrize(
    "example", [one.example for one in (*HEADING_FORMS, *HAPPENING_FORMS, *EXPECTATION_FORMS)]
)
def test_the_example_of_each_form_is_written_back(example: str) -> None:
    (read,) = parse_forms(example, SCENARIO_FORMS, "example")
    (again,) = parse_forms(written(read.body), SCENARIO_FORMS, "written")

    assert again.body == read.body


def test_a_statement_of_the_dealing_language_is_written_back() -> None:
    (read,) = parse_forms("P 9h", SCENARIO_FORMS, "script")

    assert written(read.body) == "P 9h"


def test_a_time_without_a_unit_of_the_language_is_refused() -> None:
    with pytest.raises(ValueError, match="1 ns cannot be written"):
        time_text(1)


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
