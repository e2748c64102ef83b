"""Roles and required reasons of each action.

Source: D-32.
"""

from typing import get_args

import pytest

from controller.outlets.control.requests import action_from_request
from controller.procedure.step import ACT_JUDGES, PLAY_ACT_JUDGES
from controller.rules.actions.actions import (
    ACTIONS,
    BindBatch,
    DeviceAction,
    SetCardApart,
    SetGamingDay,
    action_named,
)
from controller.rules.actions.declaration import (
    ActionError,
    ActionValues,
    Role,
    name_of,
    purpose_of,
    values_of,
)
from controller.rules.profiles.load import load_profile, profile_names
from controller.system.messages.catalogue import to_words

SUPERVISORS = {Role.FLOORPERSON, Role.PIT_MANAGER}
AT_THE_TABLE = {Role.DEALER, *SUPERVISORS}
AT_DEVICES = {*AT_THE_TABLE, Role.ENGINEER}


def test_who_may_act() -> None:
    """Whatever is not named here is for supervisors; surveillance and the inspector only read."""
    at_the_table = {
        *("no-more-bets", "declare-result", "record", "turned", "found-face-up", "give-up"),
        *("ghost-hand", "wagers", "collect-vigorish", "seat-vacated", "dealer-on", "dealer-off"),
    }
    expected = dict.fromkeys(ACTIONS, SUPERVISORS) | {
        **dict.fromkeys(at_the_table, AT_THE_TABLE),
        "change-setting": {Role.PIT_MANAGER},
        "clear-shoe-error": {*SUPERVISORS, Role.ENGINEER},
        "order-shuffler": AT_DEVICES,
    }
    assert {name: set(action.roles) for name, action in ACTIONS.items()} == expected


def test_nobody_may_take_an_unknown_action() -> None:
    with pytest.raises(ActionError, match="'deal' is not an action"):
        action_named("deal")


def test_a_decision_needs_a_reason() -> None:
    assert {name for name, kind in ACTIONS.items() if kind.reason_required} == {
        *("resolve", "close-shoe", "lock-shoe", "unlock-shoe", "clear-shoe-error"),
        *("change-setting", "set-card-apart", "clear-warning", "correct-coup"),
        "set-gaming-day",
    }


@pytest.mark.parametrize(
    ("name", "values", "roles", "reason"),
    [
        ("record", {"act": "cut"}, AT_THE_TABLE, False),
        ("record", {"act": "recut"}, SUPERVISORS, True),
        ("give-up", {"hand": "player"}, AT_THE_TABLE, False),
        ("give-up", {"hand": "player", "by_order": True}, AT_THE_TABLE, True),
        ("change-setting", {"setting": "vig_rate", "value": "4"}, {Role.PIT_MANAGER}, True),
        ("order-shuffler", {"order": "release", "batch": "red"}, AT_DEVICES, False),
        *(
            ("order-shuffler", {"order": order}, AT_DEVICES, True)
            for order in ("abort", "service", "sort")
        ),
        ("clear-warning", {"number": 1}, SUPERVISORS, True),
    ],
)
def test_requirements_of_an_action_with_its_values(name, values, roles, reason) -> None:
    asked = action_from_request(name, values).requirements()

    assert set(asked.roles) == roles
    assert asked.reason is reason


@pytest.mark.parametrize("signed", [True, False])
def test_an_unsigned_vigorish_form_needs_a_reason(signed) -> None:
    people = {"patron": "P. Chen", "dealer": "D. Dealer", "pit_clerk": "C. Clark"}
    values = {"seat": 5, "form_number": 1001, "patron_signed": signed, **people}

    asked = action_from_request("document-vigorish", values).requirements()

    assert asked.reason is not signed


# The clauses that their records cite follow from something else, or there are none.
WITHOUT_POINTS = {
    "resolve": "from the cards and coups that it decides on",
    "lock-shoe": "none: no rule document knows a lock",
    "unlock-shoe": "none: no rule document knows a lock",
    "clear-shoe-error": "none: no rule document knows the device's errors",
    "order-shuffler": "from the order",
    "clear-warning": "from the warning",
    "record": "from the act (procedure.acts.duties)",
    "turned": "from the part of the layout",
    "dealer-on": "none: no rule document has dealers sign on",
    "dealer-off": "none: no rule document has dealers sign on",
    "seat-vacated": "from what the seat owes",
    "notice": "from the setting",
    "change-setting": "from the setting",
    "correct-coup": "none: no rule document knows a correction (D-42)",
    "set-gaming-day": "none: no rule document knows a wrong clock",
}


def test_every_other_action_declares_the_rule_points_that_it_cites() -> None:
    assert {name for name, kind in ACTIONS.items() if not kind.points} == set(WITHOUT_POINTS)


@pytest.mark.parametrize("name", sorted(ACTIONS.keys() - WITHOUT_POINTS.keys()))
def test_a_rule_document_has_a_clause_at_each_point(name) -> None:
    profiles = [load_profile(one) for one in profile_names()]
    for point in ACTIONS[name].points:
        assert any(profile.citations_for(point) for profile in profiles), point


def test_every_action_is_judged_in_one_place() -> None:
    by_the_core = {*get_args(DeviceAction), BindBatch, SetCardApart, SetGamingDay}
    judged = [*ACT_JUDGES, *PLAY_ACT_JUDGES, *by_the_core]

    assert len(judged) == len(set(judged))
    assert set(judged) == set(ACTIONS.values())


def test_every_action_and_value_has_its_text() -> None:
    for kind in ACTIONS.values():
        for text in (purpose_of(kind), *(one.description for one in values_of(kind))):
            words = to_words(text)
            assert words
            assert not words.startswith(text.id), "the id is shown where there is no text"


def test_every_action_declares_its_roles() -> None:
    for name, kind in ACTIONS.items():
        assert name_of(kind) == name
        assert kind.roles
        assert kind.__doc__ != ActionValues.__doc__
        assert "roles" in vars(kind), "each names its own"
