"""Every action a person can take: read from a request, or refused with what is allowed.

Responsible for: names, values, roles and a person's words.
Not responsible for: the control socket (test_control) and what an action leads to (test_core).
Source: D-32; package README, "Actions".
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.actions import (
    ACTION_NAMES,
    REASON_REQUIRED,
    ActionError,
    CallNoMoreBets,
    ClearShoeError,
    CloseShoe,
    LockShoe,
    Resolve,
    Role,
    UnlockShoe,
    action_from_request,
    checked_text,
    roles_for,
)
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.rules.outcome import Outcome

NAMES = tuple(name for name, _, _ in ACTION_NAMES)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20)


@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("resolve", {"decision": "continue"}, Resolve(Resolution(Decision.CONTINUE))),
        (
            "resolve",
            {"decision": "void-coup", "provisional": "void"},
            Resolve(Resolution(Decision.VOID_COUP, Provisional.VOID)),
        ),
        (
            "resolve",
            {"decision": "state-outcome", "provisional": "", "outcome": "tie"},
            Resolve(Resolution(Decision.STATE_OUTCOME, None, Outcome.TIE)),
        ),
        ("close-shoe", {}, CloseShoe()),
        ("no-more-bets", {}, CallNoMoreBets()),
        ("lock-shoe", {}, LockShoe()),
        ("unlock-shoe", {}, UnlockShoe()),
        ("clear-shoe-error", {"code": 7}, ClearShoeError(7)),
    ],
)
def test_an_action_is_read_from_its_name_and_values(name, values, action) -> None:
    assert action_from_request(name, values) == action


def test_every_name_can_be_read() -> None:
    read = {type(action_from_request(n, {"decision": "continue", "code": 1})) for n in NAMES}
    assert len(read) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("deal", {}, "'deal'; allowed: resolve, close-shoe, no-more-bets, lock-shoe"),
        ("resolve", {}, "decision is missing; allowed: continue, void-coup, state-outcome"),
        ("resolve", {"decision": "undo"}, "decision is 'undo'; allowed: continue, void-coup"),
        ("resolve", {"decision": 1}, "decision is 1; allowed: continue"),
        (
            "resolve",
            {"decision": "continue", "provisional": "keep"},
            "provisional is 'keep'; allowed: take-over, void",
        ),
        (
            "resolve",
            {"decision": "state-outcome", "outcome": "PLAYER"},
            "outcome is 'PLAYER'; allowed: player, banker, tie",
        ),
        ("clear-shoe-error", {}, "code must be a whole number from 1 to 99, not None"),
        ("clear-shoe-error", {"code": True}, "from 1 to 99, not True"),
        ("clear-shoe-error", {"code": "7"}, "from 1 to 99, not '7'"),
        ("clear-shoe-error", {"code": 0}, "from 1 to 99, not 0"),
        ("clear-shoe-error", {"code": 100}, "from 1 to 99, not 100"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name, values, said) -> None:
    with pytest.raises(ActionError) as refused:
        action_from_request(name, values)
    assert said in str(refused.value)


@given(
    st.sampled_from(NAMES) | st.text(max_size=12),
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("decision", "provisional", "outcome", "code"), PLAIN)
    ),
)
def test_a_request_is_an_action_or_an_action_error(name, values) -> None:
    try:
        taken = action_from_request(name, values)
    except ActionError as error:
        taken = str(error)
    assert taken != ""
    assert isinstance(taken, str) or name in NAMES


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("resolve", {Role.FLOORPERSON, Role.PIT_MANAGER}),
        ("close-shoe", {Role.FLOORPERSON, Role.PIT_MANAGER}),
        ("lock-shoe", {Role.FLOORPERSON, Role.PIT_MANAGER}),
        ("unlock-shoe", {Role.FLOORPERSON, Role.PIT_MANAGER}),
        ("clear-shoe-error", {Role.FLOORPERSON, Role.PIT_MANAGER}),
        ("no-more-bets", {Role.DEALER, Role.FLOORPERSON, Role.PIT_MANAGER}),
    ],
)
def test_who_may_act(name, roles) -> None:
    assert set(roles_for(name)) == roles


def test_nobody_may_take_an_unknown_action() -> None:
    with pytest.raises(ActionError, match="unknown action 'deal'"):
        roles_for("deal")


def test_a_decision_needs_a_reason() -> None:
    assert set(REASON_REQUIRED) == set(NAMES) - {"no-more-bets"}


def test_a_persons_words_are_taken_without_the_space_around_them() -> None:
    assert checked_text("reason", "  Zwei Karten, gesehen. ", required=True) == (
        "Zwei Karten, gesehen."
    )


@pytest.mark.parametrize("value", [None, "", "   "])
def test_words_that_are_required_must_be_there(value) -> None:
    with pytest.raises(ActionError, match="reason is missing: a named person and a reason"):
        checked_text("reason", value, required=True)


@pytest.mark.parametrize("value", [None, ""])
def test_words_that_are_not_required_may_be_absent(value) -> None:
    assert checked_text("reason", value, required=False) == ""


@pytest.mark.parametrize("value", ["a\nb", "\x1b[2J", "x" * 501, "\ud800", "\u202e"])
def test_words_are_one_printable_line(value) -> None:
    with pytest.raises(ActionError, match="one printable line of at most 500 signs"):
        checked_text("by", value, required=True)


def test_words_are_text() -> None:
    with pytest.raises(ActionError, match="by must be text, not int"):
        checked_text("by", 7, required=True)
