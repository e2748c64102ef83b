"""An advisory suspends the table only where the house's profile asks for it, and voids nothing."""

import pytest
from phase_events import PHASES, WAYS

from controller.procedure.phases import Phase
from controller.rules.advisory import AdvisoryKind

OPENED = "start; burn Ac: 2c"
COUP = "P 9h; B 2c; P Ks; B 3h; result player"
GIVEN = 'advisory order because "as new decks"'


@pytest.fixture
def stopping(new_table):
    """A table whose house stops for an order of new decks."""
    return new_table(OPENED, advisories_suspend=["order"])


def test_no_shipped_profile_stops_for_an_advisory(new_table, profile) -> None:
    table = new_table(OPENED, profile=profile)
    for kind in AdvisoryKind:
        assert table.deal(f"advisory {kind.value} because seen") == []
    assert table.phase is not Phase.SUSPENDED


def test_the_kind_that_the_house_names_suspends_and_the_coup_stays_counted(stopping) -> None:
    stopping.deal(COUP)
    finished = stopping.shoe.finished
    assert stopping.deal(GIVEN) == ["ADVISORY_GIVEN"]
    assert stopping.phase is Phase.SUSPENDED
    assert stopping.permitted == ["continue", "close-shoe"]
    assert stopping.decide("continue") == ""
    assert stopping.phase is Phase.BETWEEN_COUPS
    assert stopping.shoe.finished == finished != ()


def test_another_kind_does_not(stopping) -> None:
    assert stopping.deal("advisory run because seen") == []
    assert stopping.phase is Phase.BETWEEN_COUPS


def test_without_a_shoe_there_is_no_play_to_stop(new_table) -> None:
    table = new_table(advisories_suspend=["order"])
    assert table.deal(GIVEN) == ["ADVISORY_GIVEN"]
    assert table.phase is Phase.CLOSED


def test_it_suspends_in_every_phase_of_a_shoe_and_play_goes_on_there(new_table, naming) -> None:
    for phase, way in WAYS.items():
        if PHASES[phase] is Phase.CLOSED:
            continue
        with naming(phase):
            table = new_table(way, observed="", ghost_hands_max=2, advisories_suspend=["order"])
            before = table.state.play_phase
            assert table.deal(GIVEN)[-1:] == ["ADVISORY_GIVEN"]
            assert (table.phase, table.state.play_phase) == (Phase.SUSPENDED, before)
