"""Reports that may be missing with no shoe in play: raised at the next first card, or loaded since.

Source: NY (a)(3); S42 (f)(1); D-22.
"""

import pytest
from msgspec import UNSET

from controller.procedure.effects import Prompt
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Irregularity
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words

NO_SHOE_YET = ""
SHOE_OVER = "start; burn Ac: 2c; close shoe; "
LOADED = 'record loaded batch red amount 416 by "Ann Lee"'
FIRST_CARDS = ("unclaimed 3c", "unclaimed 3c of blue", "unclaimed ??", "burn 3c")


@pytest.mark.parametrize("first", FIRST_CARDS)
@pytest.mark.parametrize("before", [NO_SHOE_YET, SHOE_OVER])
def test_an_unproven_continuity_is_raised_at_the_next_first_card(new_table, before, first) -> None:
    table = new_table(f"{before}lost unproven")
    assert table.phase in (Phase.CLOSED, Phase.SHOE_OVER)

    assert "CONTINUITY_UNPROVEN" in table.deal(first)
    assert table.phase is Phase.SUSPENDED
    detail = next(one.detail for one in table.verdicts if isinstance(one, Irregularity))
    assert "no loading of it is on record since" in to_words(detail)


@pytest.mark.parametrize("lost", ["lost 3", "lost unreadable"])
def test_so_are_reports_that_were_missing_with_no_shoe_open(new_table, lost) -> None:
    assert new_table(lost).deal("unclaimed 3c") == ["CONTINUITY_UNPROVEN"]


@pytest.mark.parametrize("before", [NO_SHOE_YET, SHOE_OVER])
@pytest.mark.parametrize("loading", ["start", LOADED, f"{LOADED}; start", f"start; {LOADED}"])
def test_a_loading_recorded_since_proves_the_beginning(new_table, before, loading) -> None:
    table = new_table(f"{before}lost unproven")

    assert table.deal(f"{loading}; burn 3c: 2c 4c 5c") == []
    assert table.phase is Phase.BETWEEN_COUPS


def test_a_loading_recorded_before_the_device_was_back_proves_nothing(new_table) -> None:
    assert new_table(f"{LOADED}; lost unproven").deal("unclaimed 3c") == ["CONTINUITY_UNPROVEN"]


def test_a_loading_that_was_refused_proves_nothing(new_table) -> None:
    table = new_table("lost unproven; record loaded batch red amount 415")

    assert table.deal("unclaimed 3c") == ["CONTINUITY_UNPROVEN"]


def test_the_loading_is_prompted_once(new_table) -> None:
    table = new_table("lost unproven; lost unproven")
    prompts = [one for one in table.effects if isinstance(one, Prompt)]

    assert [one.kind for one in prompts] == ["batch"]
    assert "record its loading" in to_words(prompts[0].text)


def test_a_floorperson_who_saw_that_nothing_is_missing_lets_the_burn_go_on(new_table) -> None:
    table = new_table("lost unproven; unclaimed 3c")

    assert table.decide("continue") == ""
    assert table.phase is Phase.BURN_REST
    assert table.deal("unclaimed 2c; unclaimed 4c; unclaimed 5c") == []
    assert table.phase is Phase.BETWEEN_COUPS


def test_it_is_raised_of_one_shoe_alone(new_table) -> None:
    table = new_table("lost unproven; burn 3c: 2c 4c 5c")
    table.decide("continue take-over")

    assert table.deal("close shoe; burn 3c") == []


def test_a_shoe_that_is_joined_is_raised_as_such(new_table) -> None:
    table = new_table("lost unproven")

    assert table.deal("B1 2h") == ["SHOE_JOINED"]
    assert table.state.loading_unseen is UNSET


def test_a_loss_while_a_finished_shoe_waits_for_a_decision_is_kept(new_table) -> None:
    table = new_table(f"{SHOE_OVER}P1 7h; lost unproven; resolve continue")

    assert table.deal("burn 3c") == ["CONTINUITY_UNPROVEN"]


def test_a_start_of_the_shoe_while_it_waits_proves_the_next_one(new_table) -> None:
    table = new_table(f"{SHOE_OVER}P1 7h; lost unproven; start; resolve continue")

    assert table.deal("burn 3c: 2c 4c 5c") == []


def test_a_continuous_shuffler_is_not_loaded_so_no_loading_is_prompted(new_table) -> None:
    table = new_table("lost unproven", shuffle_mode=ShuffleMode.CONTINUOUS)

    assert not any(isinstance(one, Prompt) for one in table.effects)
    assert "CONTINUITY_UNPROVEN" in table.deal("unclaimed 3c")


def test_a_table_that_observes_loadings_is_asked_for_both(new_table) -> None:
    table = new_table("lost unproven", observed=(ObservableFact.BATCH_LOADED,))

    assert table.deal("unclaimed 3c") == ["CONTINUITY_UNPROVEN", "OPENING_INCOMPLETE"]
