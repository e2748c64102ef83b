"""Forms of actions: every action has one, and what it sends is what its declaration takes."""

import re

import pytest

from controller.outlets.console.pages.forms import action_forms, action_values
from controller.outlets.control.action_texts import ActionTextError
from controller.outlets.control.requests import action_from_request
from controller.procedure.people.setting_changes import MOMENTS, ChangeMoment
from controller.rules.actions.actions import ACTIONS, ChangeSetting, DeclareResult, StateWagers
from controller.rules.actions.declaration import values_of
from controller.rules.outcome import Outcome
from controller.rules.profiles.setting_definitions import SHAPES
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import speaking


def test_every_action_has_a_form_with_all_its_values() -> None:
    forms = {one.action: one for one in action_forms(ACTIONS.values())}
    assert set(forms) == set(ACTIONS)
    for name, kind in ACTIONS.items():
        assert [field.name for field in forms[name].fields] == [one.name for one in values_of(kind)]


def test_a_setting_is_chosen_from_those_that_may_change_with_what_each_may_be() -> None:
    (form,) = action_forms([ChangeSetting])
    (choices,) = (one.choices for one in form.fields if one.name == "setting")
    named = dict(choices)
    assert named["deal_option"].startswith("deal_option: ")
    assert "decks_min" not in named
    assert {one for one in SHAPES if MOMENTS[one] is not ChangeMoment.NEVER} == set(named)


def test_a_form_asks_for_a_proof_where_a_dealers_claim_is_not_enough() -> None:
    asking = {one.action for one in action_forms(ACTIONS.values()) if one.proof}
    assert {"resolve", "change-setting", "dealer-on"} <= asking
    assert not asking & {"turned", "no-more-bets", "order-shuffler", "record"}


def test_every_name_and_choice_of_a_form_is_said_in_the_language_of_the_page() -> None:
    with speaking("zh_Hant"):
        forms = action_forms(ACTIONS.values())
    fields = [field for form in forms for field in form.fields if field.name != "setting"]
    latin = re.compile("[a-z]")
    assert [field.name for field in fields if latin.search(field.title)] == []
    said = {named for field in fields for _, named in field.choices}
    assert said
    assert [one for one in said if latin.search(one)] == []


def test_a_form_becomes_the_action() -> None:
    sent = {"csrf": "x", "by": "Di", "reason": "", "outcome": "tie", "player_pair": "yes"}
    values = action_values("declare-result", sent)
    assert action_from_request("declare-result", values) == DeclareResult(
        outcome=Outcome.TIE, player_pair=True
    )


def test_wagers_are_written_as_at_the_terminal() -> None:
    values = action_values("wagers", {"wagers": "5:banker:100.00"})
    assert action_from_request("wagers", values) == StateWagers(
        wagers=(Wager(5, WagerKind.BANKER, 100_00),)
    )


def test_what_is_left_empty_is_left_out() -> None:
    assert action_values("record", {"act": "cut", "batch": " ", "seat": ""}) == {"act": "cut"}


@pytest.mark.parametrize(
    ("action", "name", "text"),
    [
        ("record", "seat", "five"),
        ("declare-result", "player_pair", "maybe"),
        ("wagers", "wagers", "5"),
    ],
)
def test_what_is_no_value_names_the_field_and_the_remedy(action: str, name: str, text: str) -> None:
    with pytest.raises(ActionTextError, match=f"^{name}.*Allowed: .*Remedy: "):
        action_values(action, {name: text})
