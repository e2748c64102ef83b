"""Reading an action from a request's name and values; each error names what is allowed.

Source: D-32; controller/tape/README.md, "Actions".
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.control.requests import VALUES, VALUES_OF, action_from_request, checked_text
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import FloorDecision, Provisional, Resolution
from controller.procedure.events import LayoutPart
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager, WagerKind
from controller.tape.actions import (
    ACTION_NAMES,
    ActionError,
    BindBatch,
    CallNoMoreBets,
    ChangeSetting,
    ClearShoeError,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    DeclareResult,
    DocumentVigorish,
    GiveNotice,
    GiveShufflerOrder,
    GiveUpReveal,
    LockShoe,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolve,
    SetCardApart,
    StateWagers,
    UnlockShoe,
    VacateSeat,
)
from drivers.commands import ShufflerOrder

NAMES = tuple(name for name, _, _ in ACTION_NAMES)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.lists(st.none())
ENOUGH = {
    "resolve": {"decision": "continue"},
    "declare-result": {"outcome": "tie"},
    "bind-batch": {"batch": "RED-0042"},
    "set-card-apart": {"batch": "red"},
    "clear-shoe-error": {"code": 1},
    "order-shuffler": {"order": "status"},
    "clear-warning": {"number": 1},
    "record": {"act": "inspected"},
    "turned": {"what": "player_hand"},
    "give-up": {"hand": "player"},
    "wagers": {"wagers": []},
    "collect-vigorish": {"seat": 5},
    "document-vigorish": {
        "seat": 5,
        "form_number": 1001,
        "patron": "P. Chen",
        "dealer": "D. Dealer",
        "pit_clerk": "C. Clark",
    },
    "seat-vacated": {"seat": 5},
    "notice": {"setting": "vig_rate", "value": "4", "to": "players"},
    "change-setting": {"setting": "vig_rate", "value": "4"},
}


@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("resolve", {"decision": "continue"}, Resolve(Resolution(FloorDecision.CONTINUE))),
        (
            "resolve",
            {"decision": "void-coup", "provisional": "void"},
            Resolve(Resolution(FloorDecision.VOID_COUP, Provisional.VOID)),
        ),
        (
            "resolve",
            {"decision": "state-outcome", "provisional": "", "outcome": "tie"},
            Resolve(Resolution(FloorDecision.STATE_OUTCOME, None, Outcome.TIE)),
        ),
        ("close-shoe", {}, CloseShoe()),
        ("no-more-bets", {}, CallNoMoreBets()),
        ("lock-shoe", {}, LockShoe()),
        ("unlock-shoe", {}, UnlockShoe()),
        ("clear-shoe-error", {"code": 7}, ClearShoeError(7)),
        ("order-shuffler", {"order": "self-test"}, GiveShufflerOrder(ShufflerOrder.SELF_TEST)),
        (
            "order-shuffler",
            {"order": "load", "compartment": 2, "batch": "red"},
            GiveShufflerOrder(ShufflerOrder.LOAD, 2, "red"),
        ),
        ("clear-warning", {"number": 12}, ClearWarning(12)),
        ("record", {"act": "inspected"}, RecordAct(ActKind.INSPECTED)),
        (
            "record",
            {
                "act": "recut",
                "batch": "red",
                "seat": 4,
                "amount": 180,
                "reference": "W 7",
                "second": " B. Ray ",
            },
            RecordAct(ActKind.RECUT, "red", 4, 180, "W 7", "B. Ray"),
        ),
        ("turned", {"what": "banker_third"}, ReportTurned(LayoutPart.BANKER_THIRD)),
        ("found-face-up", {}, ReportFaceUp()),
        ("give-up", {"hand": "player"}, GiveUpReveal(HandName.PLAYER, by_order=False)),
        (
            "give-up",
            {"hand": "banker", "by_order": True},
            GiveUpReveal(HandName.BANKER, by_order=True),
        ),
        ("ghost-hand", {}, RequestGhostHand()),
        ("wagers", {"wagers": []}, StateWagers(())),
        (
            "wagers",
            {"wagers": [{"seat": 5, "wager": "banker", "cents": 10000}]},
            StateWagers((Wager(5, WagerKind.BANKER, 10000),)),
        ),
        ("collect-vigorish", {"seat": 5}, CollectVigorish(5)),
        (
            "document-vigorish",
            {**ENOUGH["document-vigorish"], "patron_signed": False, "void": True},
            DocumentVigorish(5, 1001, "P. Chen", "D. Dealer", "C. Clark", False, True),
        ),
        ("seat-vacated", {"seat": 5}, VacateSeat(5)),
        (
            "declare-result",
            {"outcome": "player", "player_pair": True},
            DeclareResult(Outcome.PLAYER, player_pair=True),
        ),
        ("bind-batch", ENOUGH["bind-batch"], BindBatch("RED-0042")),
        ("set-card-apart", {"batch": "red", "tag": "e004"}, SetCardApart("red", "E004")),
        ("notice", ENOUGH["notice"], GiveNotice("vig_rate", "4", "players")),
        ("change-setting", ENOUGH["change-setting"], ChangeSetting("vig_rate", "4")),
    ],
)
def test_an_action_is_read_from_its_name_and_values(name, values, action) -> None:
    assert action_from_request(name, values) == action


def test_every_action_name_can_be_read() -> None:
    read = {type(action_from_request(name, ENOUGH.get(name, {}))) for name in NAMES}
    assert len(read) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("deal", {}, "'deal'; allowed: resolve, close-shoe, no-more-bets, declare-result"),
        ("resolve", {}, "decision is missing; allowed: continue, carry-card, burn-card, void-coup"),
        ("resolve", {"decision": "undo"}, "decision is 'undo'; allowed: continue, carry-card"),
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
        (
            "clear-shoe-error",
            {"code": 7, "seat": 1},
            "'seat' is not a value of clear-shoe-error; it",
        ),
        ("order-shuffler", {}, "order is missing; allowed: load, count, shuffle, store, release"),
        ("order-shuffler", {"order": "deal"}, "order is 'deal'; allowed: load, count, shuffle"),
        (
            "order-shuffler",
            {"order": "count", "compartment": 3},
            "compartment must be a whole number from 1 to 2, not 3",
        ),
        ("clear-warning", {}, "number must be a whole number from 1 to 1000000000, not None"),
        ("lock-shoe", {"code": 7}, "'code' is not a value of lock-shoe; it takes no values"),
        ("record", {}, "act is missing; allowed: odds-posted, "),
        ("record", {"act": "sung"}, "act is 'sung'; allowed: odds-posted, "),
        ("record", {"act": "cut", "seat": 0}, "seat must be a whole number from 1 to 99, not 0"),
        ("record", {"act": "cut", "amount": -1}, "amount must be a whole number from 0 to 1000000"),
        ("record", {"act": "cut", "batch": 7}, "batch must be text, not int"),
        ("turned", {}, "what is missing; allowed: player_hand, banker_hand, player_third, banker_"),
        ("give-up", {"hand": "both"}, "hand is 'both'; allowed: player, banker"),
        (
            "give-up",
            {"hand": "player", "by_order": "yes"},
            "by_order must be true or false, not 'yes'",
        ),
        ("wagers", {}, "wagers must be a list of at most 500 objects such as {"),
        ("wagers", {"wagers": [{}] * 501}, "wagers must be a list of at most 500 objects"),
        ("wagers", {"wagers": [5]}, "wager 1 must be an object such as {"),
        ("wagers", {"wagers": [{"seat": 5}]}, "wager 1 must be an object such as {"),
        (
            "wagers",
            {"wagers": [{"seat": 5, "wager": "bnker", "cents": 1}]},
            "wager 1: wager is 'bnker'; allowed: banker, player, tie, bonus_player",
        ),
        (
            "wagers",
            {"wagers": [{"seat": 5, "wager": "tie", "cents": 0}]},
            "wager 1: cents must be a whole number from 1 to 1000000000000, not 0",
        ),
        ("collect-vigorish", {}, "seat must be a whole number from 1 to 99, not None"),
        ("document-vigorish", {"seat": 5, "form_number": 0}, "form_number must be a whole number"),
        ("document-vigorish", {"seat": 5, "form_number": 1}, "patron is missing: write one line"),
        ("notice", {"setting": "a", "value": "4"}, "to is missing: write one line"),
        ("change-setting", {"setting": "vig_rate"}, "value is missing: write one line"),
        ("change-setting", {"setting": "a", "value": 4}, "value must be text, not int"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name, values, expected) -> None:
    with pytest.raises(ActionError) as refused:
        action_from_request(name, values)
    assert expected in str(refused.value)


@given(
    st.sampled_from(NAMES) | st.text(max_size=12),
    st.fixed_dictionaries({}, optional=dict.fromkeys(VALUES, PLAIN)),
)
def test_a_request_is_an_action_or_an_action_error(name, values) -> None:
    try:
        taken = action_from_request(name, values)
    except ActionError as error:
        taken = str(error)
    assert taken != ""
    assert isinstance(taken, str) or name in NAMES


@given(st.data())
def test_values_of_its_own_are_an_action_or_an_action_error(data) -> None:
    name = data.draw(st.sampled_from(sorted(VALUES_OF)))
    values = dict(ENOUGH[name])
    values.update(
        data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(VALUES_OF[name], PLAIN)))
    )
    try:
        taken = type(action_from_request(name, values)).__name__
    except ActionError as error:
        taken = str(error)
    assert taken


def test_text_is_stripped() -> None:
    assert checked_text("reason", "  Zwei Karten, gesehen. ", required=True) == (
        "Zwei Karten, gesehen."
    )


@pytest.mark.parametrize("value", [None, "", "   "])
def test_required_text_must_be_present(value) -> None:
    with pytest.raises(ActionError, match="reason is missing: the name of the person and a reason"):
        checked_text("reason", value, required=True)


@pytest.mark.parametrize("value", [None, ""])
def test_optional_text_may_be_absent(value) -> None:
    assert checked_text("reason", value, required=False) == ""


@pytest.mark.parametrize("value", ["a\nb", "\x1b[2J", "x" * 501, "\ud800", "\u202e"])
def test_text_is_one_printable_line(value) -> None:
    with pytest.raises(ActionError, match="one printable line of at most 500 characters"):
        checked_text("by", value, required=True)


def test_text_must_be_a_string() -> None:
    with pytest.raises(ActionError, match="by must be text, not int"):
        checked_text("by", 7, required=True)
