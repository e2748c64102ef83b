"""Roles and required reasons of each action.

Source: D-32; controller/tape/README.md, "Actions".
"""

import pytest

from controller.control.requests import action_from_request
from controller.tape.actions import (
    ACTION_NAMES,
    REASON_REQUIRED,
    ActionError,
    Role,
    requirements_for,
    roles_for,
)

NAMES = tuple(name for name, _, _ in ACTION_NAMES)
SUPERVISORS = {Role.FLOORPERSON, Role.PIT_MANAGER}
AT_THE_TABLE = {Role.DEALER, *SUPERVISORS}


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        *((name, SUPERVISORS) for name in ("resolve", "close-shoe", "lock-shoe", "unlock-shoe")),
        ("clear-shoe-error", SUPERVISORS),
        ("clear-warning", SUPERVISORS),
        ("order-shuffler", set(Role)),
        ("no-more-bets", AT_THE_TABLE),
        ("record", set(Role)),
        *((name, AT_THE_TABLE) for name in ("turned", "found-face-up", "give-up", "ghost-hand")),
        *((name, AT_THE_TABLE) for name in ("wagers", "collect-vigorish", "seat-vacated")),
        *((name, SUPERVISORS) for name in ("document-vigorish", "notice", "change-setting")),
        ("correct-coup", SUPERVISORS),
    ],
)
def test_who_may_act(name, roles) -> None:
    assert set(roles_for(name)) == roles


def test_nobody_may_take_an_unknown_action() -> None:
    with pytest.raises(ActionError, match="'deal' is not an action"):
        roles_for("deal")


def test_a_decision_needs_a_reason() -> None:
    assert set(REASON_REQUIRED) == {
        *("resolve", "close-shoe", "lock-shoe", "unlock-shoe", "clear-shoe-error"),
        *("change-setting", "set-card-apart", "clear-warning", "correct-coup"),
    }


@pytest.mark.parametrize(
    ("name", "values", "roles", "reason"),
    [
        ("record", {"act": "cut"}, set(Role), False),
        ("record", {"act": "recut"}, SUPERVISORS, True),
        ("give-up", {"hand": "player"}, AT_THE_TABLE, False),
        ("give-up", {"hand": "player", "by_order": True}, AT_THE_TABLE, True),
        ("change-setting", {"setting": "vig_rate", "value": "4"}, SUPERVISORS, True),
        ("order-shuffler", {"order": "release", "batch": "red"}, set(Role), False),
        *(
            ("order-shuffler", {"order": order}, set(Role), True)
            for order in ("abort", "service", "sort")
        ),
        ("clear-warning", {"number": 1}, SUPERVISORS, True),
    ],
)
def test_requirements_of_an_action_with_its_values(name, values, roles, reason) -> None:
    asked = requirements_for(name, action_from_request(name, values))

    assert set(asked.roles) == roles
    assert asked.reason is reason


@pytest.mark.parametrize("signed", [True, False])
def test_an_unsigned_vigorish_form_needs_a_reason(signed) -> None:
    people = {"patron": "P. Chen", "dealer": "D. Dealer", "pit_clerk": "C. Clark"}
    values = {"seat": 5, "form_number": 1001, "patron_signed": signed, **people}

    asked = requirements_for("document-vigorish", action_from_request("document-vigorish", values))

    assert asked.reason is not signed
