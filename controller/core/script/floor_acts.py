"""Statements about acts of floorpersons: settings, decisions, corrections, and warnings."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import DEALER, FLOORPERSON
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.rules.actions.actions import (
    Action,
    ChangeSetting,
    ClearWarning,
    CloseShoe,
    CorrectCoup,
    GiveNotice,
    OperatorAction,
    Resolution,
)
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome

CLOSING_REASON: Final = "dead table"
DECIDING_REASON: Final = "seen on the layout"
CHANGING_REASON: Final = "decided by the house"
CORRECTING_REASON: Final = "seen on the film"
CLEARING_REASON: Final = "seen and put right"
_NS: Final = 1_000_000_000

# --- reading --------------------------------------------------------------------------------------


def _read_notice(reader: StatementReader) -> OperatorAction[Action]:
    setting, value = reader.text("setting"), reader.text("value")
    reader.expect("to")
    to = reader.text("name")
    reference = reader.text("reference") if reader.accept("reference") else ""
    notice = GiveNotice(setting, value, to, reference)
    at_ns, person, _ = reader.time_person_reason(FLOORPERSON, "", "at", "by")
    return reader.act(notice, person, Role.FLOORPERSON, at_ns=at_ns)


def _read_setting_change(reader: StatementReader) -> OperatorAction[Action]:
    setting, value = reader.text("setting"), reader.text("value")
    change = ChangeSetting(setting, value, reader.text("pit") if reader.accept("of-pit") else "")
    at_ns, person, reason = reader.time_person_reason(FLOORPERSON, CHANGING_REASON)
    return reader.act(change, person, Role.FLOORPERSON, reason, at_ns)


def _read_resolve(reader: StatementReader) -> OperatorAction[Action]:
    decision = reader.choice("decision", FloorDecision)
    outcome: Outcome | None = None
    if decision is FloorDecision.STATE_OUTCOME:
        outcome = reader.choice("outcome", Outcome)
    provisional: Provisional | None = None
    for member in Provisional:
        if reader.accept(member.value):
            provisional = member
    given = {part: reader.text("name") for part in reader.parts("second", "by", "because")}
    second = given.get("second", "")
    # A decision of two people has a reason of its own.
    reason = given.get("because", "" if second else DECIDING_REASON)
    resolution = Resolution(decision, provisional, outcome, second)
    return reader.act(resolution, given.get("by", FLOORPERSON), Role.FLOORPERSON, reason)


def _read_correction(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("coup")
    coup = reader.number("coup", 1)
    shoe = reader.number("shoe", 1) if reader.accept("of", "shoe") else 0
    reader.expect("to")
    outcome = reader.choice("outcome", Outcome)
    person, second, reason = FLOORPERSON, DEALER, CORRECTING_REASON
    for part in reader.parts("by", "second", "because"):
        match part:
            case "by":
                person = reader.text("name")
            case "second":
                second = reader.text("name")
            case _:
                reason = reader.text("reason")
    return reader.act(CorrectCoup(coup, outcome, second, shoe), person, Role.FLOORPERSON, reason)


def _read_close_shoe(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("shoe")
    person, reason = reader.by_and_because(FLOORPERSON, CLOSING_REASON)
    return reader.act(CloseShoe(), person, Role.FLOORPERSON, reason)


def _read_clear_warning(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("warning")
    number = reader.number("warning number", 1)
    at_ns, person, reason = reader.time_person_reason(FLOORPERSON, CLEARING_REASON)
    return reader.act(ClearWarning(number), person, Role.FLOORPERSON, reason, at_ns)


# --- writing --------------------------------------------------------------------------------------


def _because(act: OperatorAction[Action]) -> str:
    return f"by {quote_text(act.person)} because {quote_text(act.reason)}"


def _offset(act: OperatorAction[Action]) -> str:
    return f"at +{act.at.utc_ns // _NS}s" if act.at.utc_ns else "at +0"


def _setting(action: GiveNotice | ChangeSetting) -> str:
    return f"{quote_if_needed(action.setting)} {quote_if_needed(action.value)}"


def _change_text(act: OperatorAction[ChangeSetting]) -> str:
    pit = act.action.pit and f"of-pit {quote_if_needed(act.action.pit)} "
    return f"set {_setting(act.action)} {pit}{_offset(act)} {_because(act)}"


def _notice_text(act: OperatorAction[GiveNotice]) -> str:
    what = f"{_setting(act.action)} to {quote_if_needed(act.action.to)}"
    if act.action.reference:
        what += f" reference {quote_if_needed(act.action.reference)}"
    return f"notice {what} {_offset(act)} by {quote_text(act.person)}"


def _resolution_text(act: OperatorAction[Resolution]) -> str:
    resolution = act.action
    parts = [f"resolve {resolution.decision.value}"]
    if resolution.outcome is not None:
        parts.append(resolution.outcome.value)
    if resolution.provisional is not None:
        parts.append(resolution.provisional.value)
    if resolution.second:
        parts.append(f"second {quote_text(resolution.second)}")
    return " ".join((*parts, _because(act)))


def _correction_text(act: OperatorAction[CorrectCoup]) -> str:
    action = act.action
    of_shoe = f" of shoe {action.shoe}" if action.shoe else ""
    people = f"by {quote_text(act.person)} second {quote_text(action.second)}"
    to = f"to {action.outcome.value} {people} because {quote_text(act.reason)}"
    return f"correct coup {action.coup}{of_shoe} {to}"


FLOOR_ACT_FORMS: Final = (
    StatementForm(
        "notice",
        "notice vig_rate 4 to players at +0",
        "notice of a coming change of a setting",
        _read_notice,
    ),
    StatementForm(
        "set",
        'set vig_rate 4 at +30min because "agreed"',
        "a setting is changed at this table",
        _read_setting_change,
    ),
    StatementForm(
        "resolve",
        "resolve void-coup take-over",
        "a floorperson decides the open irregularities",
        _read_resolve,
    ),
    StatementForm(
        "correct coup",
        'correct coup 3 to banker second "Bo Ray"',
        "two persons correct the outcome of a counted coup",
        _read_correction,
    ),
    StatementForm(
        "close shoe",
        'close shoe because "dead table"',
        "a named person ends the shoe early",
        _read_close_shoe,
    ),
    StatementForm(
        "clear warning",
        "clear warning 1",
        "a named person clears a warning of the shuffler",
        _read_clear_warning,
    ),
)
FLOOR_ACT_TEXTS: Final[Mapping[type[Action], Callable[[OperatorAction[Any]], str]]] = (
    MappingProxyType(
        {
            GiveNotice: _notice_text,
            ChangeSetting: _change_text,
            Resolution: _resolution_text,
            CorrectCoup: _correction_text,
            CloseShoe: lambda act: f"close shoe {_because(act)}",
            ClearWarning: (
                lambda act: f"clear warning {act.action.number} {_offset(act)} {_because(act)}"
            ),
        }
    )
)
