"""Reading an action from a request's name and values; each error names what is allowed.

Source: D-32.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.outlets.control.declared_actions import schema_of
from controller.outlets.control.requests import action_from_request, checked_text
from controller.rules.actions.actions import (
    ACTIONS,
    BindBatch,
    CallNoMoreBets,
    ChangeSetting,
    ClearShoeError,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
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
    Resolution,
    SetCardApart,
    StateWagers,
    UnlockShoe,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.actions.declaration import ActionError, values_of
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import Wager, WagerKind
from drivers.commands import ShufflerOrder

NAMES = tuple(ACTIONS)
VALUES_OF = {
    name: tuple(one.name for one in values_of(kind))
    for name, kind in ACTIONS.items()
    if kind.__struct_fields__
}
VALUES = tuple(dict.fromkeys(name for names in VALUES_OF.values() for name in names))
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
    "correct-coup": {"coup": 3, "outcome": "tie", "second": "Bo Ray"},
}
# Of an action that is not listed: its required values, each the least that its type allows.
ENOUGH |= {
    name: {
        one.name: one.choices[0] if one.choices else {int: 1, bool: True}.get(one.kind, "words")
        for one in values_of(kind)
        if one.required
    }
    for name, kind in ACTIONS.items()
    if name not in ENOUGH
}


@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("resolve", {"decision": "continue"}, Resolution(FloorDecision.CONTINUE)),
        (
            "resolve",
            {"decision": "void-coup", "provisional": "void"},
            Resolution(FloorDecision.VOID_COUP, Provisional.VOID),
        ),
        (
            "resolve",
            {"decision": "state-outcome", "provisional": None, "outcome": "tie"},
            Resolution(FloorDecision.STATE_OUTCOME, None, Outcome.TIE),
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
        ("correct-coup", ENOUGH["correct-coup"], CorrectCoup(3, Outcome.TIE, "Bo Ray")),
        (
            "correct-coup",
            {**ENOUGH["correct-coup"], "shoe": 7},
            CorrectCoup(3, Outcome.TIE, "Bo Ray", 7),
        ),
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
        ("resolve", {}, "decision: it is missing. Allowed: continue, carry-card, burn-card, "),
        ("resolve", {"decision": "undo"}, 'decision: it is "undo". Allowed: continue, carry'),
        ("resolve", {"decision": 1}, "decision: it is 1. Allowed: continue"),
        (
            "resolve",
            {"decision": "continue", "provisional": "keep"},
            'provisional: it is "keep". Allowed: take-over, void. Remedy: `smartshoe act resolve ',
        ),
        (
            "resolve",
            {"decision": "state-outcome", "outcome": "PLAYER"},
            'outcome: it is "PLAYER". Allowed: player, banker, tie. Remedy: ',
        ),
        ("resolve", {"decision": "continue", "second": None}, "second: it is null. Allowed: one "),
        ("resolve", {"decision": "continue", "provisional": ""}, 'provisional: it is "". Allowed'),
        ("declare-result", {"outcome": "tie", "player_pair": None}, "player_pair: it is null. All"),
        ("declare-result", {"outcome": "tie", "player_pair": ""}, 'player_pair: it is "". Allowed'),
        ("record", {"act": "cut", "seat": None}, "seat: it is null. Allowed: a whole number from"),
        ("bind-batch", {"batch": ""}, "batch: it is missing. Allowed: one line of text"),
        ("wagers", {"wagers": None}, "wagers: it is null. Allowed: a list of at most 500, each"),
        ("clear-shoe-error", {}, "code: it is missing. Allowed: a whole number from 1 to 99. "),
        ("clear-shoe-error", {"code": True}, "code: it is true. Allowed: a whole number from 1"),
        ("clear-shoe-error", {"code": "7"}, 'code: it is "7". Allowed: a whole number from 1'),
        ("clear-shoe-error", {"code": 0}, "code: it is 0. Allowed: a whole number from 1 to 99"),
        ("clear-shoe-error", {"code": 100}, "code: it is 100. Allowed: a whole number from 1 to"),
        (
            "clear-shoe-error",
            {"code": 7, "seat": 1},
            "seat: there is no such field. Allowed: code. Remedy: remove it",
        ),
        ("order-shuffler", {}, "order: it is missing. Allowed: load, count, shuffle, store, "),
        ("order-shuffler", {"order": "deal"}, 'order: it is "deal". Allowed: load, count, shuf'),
        (
            "order-shuffler",
            {"order": "count", "compartment": 3},
            "compartment: it is 3. Allowed: a whole number from 0 to 2",
        ),
        ("clear-warning", {}, "number: it is missing. Allowed: a whole number from 1 to 10000000"),
        ("lock-shoe", {"code": 7}, "code: there is no such field. Allowed: none. Remedy: remove"),
        ("record", {}, "act: it is missing. Allowed: odds-posted, "),
        ("record", {"act": "sung"}, 'act: it is "sung". Allowed: odds-posted, '),
        ("record", {"act": "cut", "kind": "cut"}, "kind: there is no such field. Allowed: act, "),
        ("record", {"act": "cut", "seat": 100}, "seat: it is 100. Allowed: a whole number from 0"),
        ("record", {"act": "cut", "amount": -1}, "amount: it is -1. Allowed: a whole number from"),
        ("record", {"act": "cut", "batch": 7}, "batch: it is 7. Allowed: one line of text of at"),
        ("record", {"act": "cut", "batch": "a\nb"}, "batch: it is not one printable line. Allowed"),
        ("turned", {}, "what: it is missing. Allowed: player_hand, banker_hand, player_third, "),
        ("give-up", {"hand": "both"}, 'hand: it is "both". Allowed: player, banker'),
        (
            "give-up",
            {"hand": "player", "by_order": "yes"},
            'by_order: it is "yes". Allowed: true or false',
        ),
        ("wagers", {}, "wagers: it is missing. Allowed: a list of at most 500, each item an obje"),
        ("wagers", {"wagers": [{}] * 501}, "wagers: it is [{}, {}, "),
        ("wagers", {"wagers": [5]}, "wagers[1]: it is 5. Allowed: an object of seat, wager, cents"),
        ("wagers", {"wagers": [{"seat": 5}]}, "wagers[1].wager: it is missing. Allowed: banker, "),
        (
            "wagers",
            {"wagers": [{"seat": 5, "wager": "bnker", "cents": 1}]},
            'wagers[1].wager: it is "bnker". Allowed: banker, player, tie, bonus_player',
        ),
        (
            "wagers",
            {"wagers": [{"seat": 5, "wager": "tie", "cents": 0}]},
            "wagers[1].cents: it is 0. Allowed: a whole number from 1 to 1000000000000",
        ),
        ("collect-vigorish", {}, "seat: it is missing. Allowed: a whole number from 1 to 99"),
        ("collect-vigorish", {"seat": 0}, "seat: it is 0. Allowed: a whole number from 1 to 99"),
        ("document-vigorish", {"seat": 5, "form_number": 0}, "form_number: it is 0. Allowed: a "),
        ("document-vigorish", {"seat": 5, "form_number": 1}, "patron: it is missing. Allowed: on"),
        ("notice", {"setting": "a", "value": "4"}, "to: it is missing. Allowed: one line of text"),
        ("change-setting", {"setting": "vig_rate", "value": " "}, "value: it is missing. Allowed"),
        ("correct-coup", {"coup": 3, "outcome": "tie"}, "second: it is missing. Allowed: "),
        ("correct-coup", {**ENOUGH["correct-coup"], "outcome": "void"}, 'outcome: it is "void"'),
        ("correct-coup", {**ENOUGH["correct-coup"], "coup": 0}, "coup: it is 0. Allowed: "),
        ("change-setting", {"setting": "a", "value": 4}, "value: it is 4. Allowed: one line of "),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name, values, expected) -> None:
    with pytest.raises(ActionError) as refused:
        action_from_request(name, values)
    assert str(refused.value).startswith(expected)
    assert ". Remedy: " in str(refused.value)


def test_an_unknown_action_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ActionError, match="resolve, close-shoe, no-more-bets, declare-result"):
        action_from_request("deal", {})


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


@pytest.mark.parametrize("value", ["", "   "])
def test_required_text_must_be_present(value) -> None:
    with pytest.raises(ActionError, match=r"reason: it is missing\. .*the person and a reason are"):
        checked_text("reason", value, required=True)


def test_optional_text_may_be_absent() -> None:
    assert checked_text("reason", "", required=False) == ""


@pytest.mark.parametrize("value", ["a\nb", "\x1b[2J", "x" * 501, "\ud800", "\u202e"])
def test_text_is_one_printable_line(value) -> None:
    with pytest.raises(
        ActionError, match=r"by: it is not one printable line\. Allowed: at most 500"
    ):
        checked_text("by", value, required=True)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30])
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("clear-shoe-error", "code"),
        ("order-shuffler", "compartment"),
        ("clear-warning", "number"),
        ("record", "seat"),
        ("record", "amount"),
        ("collect-vigorish", "seat"),
        ("document-vigorish", "seat"),
        ("document-vigorish", "form_number"),
        ("seat-vacated", "seat"),
    ],
)
def test_a_number_beyond_its_bounds_is_refused(name, key, number) -> None:
    with pytest.raises(ActionError, match=f"^{key}: it is {number}. Allowed: a whole number from"):
        action_from_request(name, {**ENOUGH[name], key: number})


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30])
@pytest.mark.parametrize("key", ["seat", "cents"])
def test_a_number_of_a_wager_beyond_its_bounds_is_refused(key, number) -> None:
    wager = {"seat": 5, "wager": "tie", "cents": 1, key: number}
    with pytest.raises(ActionError, match=rf"^wagers\[1\].{key}: it is {number}. Allowed: "):
        action_from_request("wagers", {"wagers": [wager]})


# --- what the schema says -------------------------------------------------------------------------

# One value of each type of JSON, and texts that say nothing.
OF_EACH_TYPE = (None, True, 7, 0.5, "words", "", "  ", [], {})
_TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "null": type(None)}


def fits(schema: dict, value: object, definitions: dict) -> bool:
    """Whether the schema takes a value; of the words of JSON schema those that actions use."""
    if "anyOf" in schema:
        return any(fits(one, value, definitions) for one in schema["anyOf"])
    if "$ref" in schema:
        return fits(definitions[schema["$ref"].removeprefix("#/$defs/")], value, definitions)
    if "enum" in schema:
        return value in schema["enum"]
    if type(value) is not _TYPES[schema["type"]]:
        return False
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    return least <= value <= most if isinstance(value, int) else True


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, keys in VALUES_OF.items() for key in keys]
)
def test_a_value_is_accepted_as_the_schema_says_and_no_other_is(name, key) -> None:
    schema = schema_of(ACTIONS[name])
    definitions = schema.get("$defs", {})
    for value in OF_EACH_TYPE:
        try:
            action_from_request(name, {**ENOUGH[name], key: value})
            accepted = True
        except ActionError:
            accepted = False
        assert accepted is fits(schema["properties"][key], value, definitions), value
