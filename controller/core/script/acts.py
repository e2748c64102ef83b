"""Statements about acts of people: at the table, with wagers, by floorpersons, and plain ones.

A plain statement is the action's name, then its values by name. A person whom the script does not
name is the floorperson Ann Lee or the dealer Dee Dealer.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from msgspec import to_builtins

from controller.core.script.errors import StatementError
from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import CLERK, DEALER, FLOORPERSON, PATRON
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.rules.actions.actions import (
    Action,
    CallNoMoreBets,
    ChangeSetting,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    DocumentVigorish,
    GiveNotice,
    GiveUpReveal,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.actions.declaration import ActionValue, Role, name_of, purpose_of, values_of
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import SEAT_MAX, Wager, WagerKind, WagerMedium, money
from controller.system.json_document import JsonError, typed
from controller.system.messages.catalogue import to_words

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


# --- reading --------------------------------------------------------------------------------------


def _seat(reader: StatementReader) -> int:
    return reader.number("seat", 1, SEAT_MAX)


def _read_wagers(reader: StatementReader) -> OperatorAction[Action]:
    stated: list[Wager] = []
    if not reader.accept("none"):
        stated.append(_wager(reader))
        while reader.accept(","):
            stated.append(_wager(reader))
    return reader.act(StateWagers(tuple(stated)), reader.by(DEALER), Role.DEALER)


def _wager(reader: StatementReader) -> Wager:
    seat = _seat(reader)
    kind, cents = reader.choice("wager", WagerKind), reader.cents()
    coupon = reader.accept(WagerMedium.COUPON.value)
    return Wager(seat, kind, cents, WagerMedium.COUPON if coupon else WagerMedium.CHIPS)


def _read_collect(reader: StatementReader) -> OperatorAction[Action]:
    return reader.act(CollectVigorish(_seat(reader)), reader.by(DEALER), Role.DEALER)


def _read_leave(reader: StatementReader) -> OperatorAction[Action]:
    return reader.act(VacateSeat(_seat(reader)), reader.by(DEALER), Role.DEALER)


def _read_document(reader: StatementReader) -> OperatorAction[Action]:
    seat = _seat(reader)
    reader.expect("form")
    form = reader.number("form number", 1)
    people = {"patron": PATRON, "dealer": DEALER, "pit-boss": FLOORPERSON, "clerk": CLERK}
    signed, void, reason = True, False, ""
    for part in reader.parts(*people, "unsigned", "void", "because"):
        match part:
            case "unsigned":
                signed = False
            case "void":
                void = True
            case "because":
                reason = reader.text("reason")
            case _:
                people[part] = reader.text("name")
    documented = DocumentVigorish(
        seat=seat,
        form_number=form,
        patron=people["patron"],
        dealer=people["dealer"],
        pit_clerk=people["clerk"],
        patron_signed=signed,
        void=void,
    )
    return reader.act(documented, people["pit-boss"], Role.FLOORPERSON, reason)


# --- writing --------------------------------------------------------------------------------------


def _wagers_text(act: OperatorAction[StateWagers]) -> str:
    stated = [
        f"{one.seat} {one.kind.value} {money(one.cents)}"
        + (f" {one.medium.value}" if one.medium is WagerMedium.COUPON else "")
        for one in act.action.wagers
    ]
    return f"wagers {', '.join(stated) or 'none'} by {quote_text(act.person)}"


def _document_text(act: OperatorAction[DocumentVigorish]) -> str:
    action = act.action
    parts = [
        f"document {action.seat} form {action.form_number} patron {quote_text(action.patron)}",
        f"dealer {quote_text(action.dealer)} pit-boss {quote_text(act.person)}",
        f"clerk {quote_text(action.pit_clerk)}",
    ]
    if not action.patron_signed:
        parts.append("unsigned")
    if action.void:
        parts.append("void")
    if act.reason:
        parts.append(f"because {quote_text(act.reason)}")
    return " ".join(parts)


WAGER_ACT_FORMS: Final = (
    StatementForm(
        "wagers",
        "wagers 5 banker 100.00, 3 tie 25",
        "every wager on the layout now, by seat",
        _read_wagers,
    ),
    StatementForm("collect", "collect 5", "the vigorish of a seat was collected", _read_collect),
    StatementForm(
        "document",
        'document 5 form 1001 patron "Pat Chen"',
        "vigorish documented, not collected",
        _read_document,
    ),
    StatementForm("leave", "leave 5", "the patron of a seat left", _read_leave),
)
WAGER_ACT_TEXTS: Final[Mapping[type[Action], Callable[[OperatorAction[Any]], str]]] = (
    MappingProxyType(
        {
            StateWagers: _wagers_text,
            CollectVigorish: lambda act: f"collect {act.action.seat} by {quote_text(act.person)}",
            DocumentVigorish: _document_text,
            VacateSeat: lambda act: f"leave {act.action.seat} by {quote_text(act.person)}",
        }
    )
)


_WHO: tuple[str, ...] = ("by", "as", "because")


def plain_form(kind: type[Action]) -> StatementForm[OperatorAction[Action]]:
    """The form of an action that has no words of its own."""
    required = [one for one in values_of(kind) if one.required]
    given = [f"{one.name} {(*one.choices, _EXAMPLES[one.kind])[0]}" for one in required]
    example = " ".join((name_of(kind), *given))
    return StatementForm(name_of(kind), example, to_words(purpose_of(kind)), _reader_of(kind))


_EXAMPLES = {int: "1", bool: "yes", str: "text"}


def _reader_of(kind: type[Action]) -> Callable[[StatementReader], OperatorAction[Action]]:
    declared = {one.name: one for one in values_of(kind)}

    def read(reader: StatementReader) -> OperatorAction[Action]:
        values: dict[str, object] = {}
        who: dict[str, str] = {}
        for part in reader.parts(*declared, *_WHO):
            if part in declared:
                values[part] = _read_value(reader, declared[part])
            elif part == "as":
                who[part] = reader.choice("role", Role)
            else:
                who[part] = reader.text("name" if part == "by" else "reason")
        try:
            action = typed(values, kind, f"write `{plain_form(kind).example}`")
        except JsonError as error:
            raise StatementError(reader.column, str(error)) from error
        role = Role(who.get("as", action.requirements().roles[0]))
        person = who.get("by", DEALER if role is Role.DEALER else FLOORPERSON)
        return reader.act(action, person, role, who.get("because", ""))

    return read


def _read_value(reader: StatementReader, value: ActionValue) -> object:
    if value.kind is bool:
        return reader.one_of(value.name, ("yes", "no")) == "yes"
    if value.kind is int:
        return reader.number(value.name, 0)
    if value.choices:
        return reader.one_of(value.name, value.choices)
    return reader.text(value.name)


def plain_text(act: OperatorAction[Any]) -> str:
    """The text of an act that has no words of its own."""
    values = to_builtins(act.action)
    parts = [name_of(act.action)]
    for one in values_of(type(act.action)):
        value = values[one.name]
        if isinstance(value, bool):
            parts.append(f"{one.name} {'yes' if value else 'no'}")
        elif value not in ("", None):
            parts.append(f"{one.name} {quote_if_needed(str(value))}")
    parts.append(f"by {quote_text(act.person)} as {act.role.value}")
    if act.reason:
        parts.append(f"because {quote_text(act.reason)}")
    return " ".join(parts)


_TURNED_WORDS: Final = {
    "player": LayoutPart.PLAYER_HAND,
    "banker": LayoutPart.BANKER_HAND,
    "player third": LayoutPart.PLAYER_THIRD,
    "banker third": LayoutPart.BANKER_THIRD,
    "error": LayoutPart.ERROR_CARD,
}


class StatedShoe(StrEnum):
    """What a person states of the shoe."""

    EMPTY = "empty"
    JAMMED = "jammed"


# --- reading --------------------------------------------------------------------------------------


def _read_call(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("more", "bets")
    return reader.act(CallNoMoreBets(), DEALER, Role.DEALER)


def _read_found_face_up(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("face", "up")
    return reader.act(ReportFaceUp(), reader.by(DEALER), Role.DEALER)


def _read_turn(reader: StatementReader) -> OperatorAction[Action]:
    word = reader.one_of("hand", ("player", "banker", "error"))
    if word != "error" and reader.accept("third"):
        word = f"{word} third"
    return reader.act(ReportTurned(_TURNED_WORDS[word]), DEALER, Role.DEALER)


def _read_give_up(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("up")
    hand = reader.choice("hand", HandName)
    by_order = reader.accept("by", "order")
    person, reason = reader.by_and_because(FLOORPERSON if by_order else PATRON, "")
    return reader.act(GiveUpReveal(hand, by_order), person, Role.DEALER, reason)


def _read_ghost_hand(reader: StatementReader) -> OperatorAction[Action]:
    reader.expect("hand")
    return reader.act(RequestGhostHand(), reader.by(DEALER), Role.DEALER)


def _read_record(reader: StatementReader) -> OperatorAction[Action]:
    kind = reader.choice("act", ActKind)
    batch = reference = second = reason = person = ""
    seat, amount, role = 0, 0, Role.DEALER
    for part in reader.parts(
        "batch", "seat", "amount", "reference", "second", "by", "as", "because"
    ):
        match part:
            case "batch":
                batch = reader.text("back colour")
            case "seat":
                seat = reader.number("seat", 1, SEAT_MAX)
            case "amount":
                amount = reader.number("amount", 0)
            case "reference":
                reference = reader.text("reference")
            case "second":
                second = reader.text("name")
            case "by":
                person = reader.text("name")
            case "as":
                role = reader.choice("role", Role)
            case _:
                reason = reader.text("reason")
    person = person or (DEALER if role is Role.DEALER else FLOORPERSON)
    return reader.act(RecordAct(kind, batch, seat, amount, reference, second), person, role, reason)


def _read_stated_shoe(reader: StatementReader) -> OperatorAction[Action]:
    kind = ActKind(f"shoe-{reader.choice('what', StatedShoe)}")
    person, reason = reader.by_and_because(FLOORPERSON, "")
    return reader.act(RecordAct(kind), person, Role.FLOORPERSON, reason)


# --- writing --------------------------------------------------------------------------------------


def _turn_text(act: OperatorAction[ReportTurned]) -> str:
    return f"turn {next(key for key, what in _TURNED_WORDS.items() if what is act.action.what)}"


def _give_up_text(act: OperatorAction[GiveUpReveal]) -> str:
    order = " by order" if act.action.by_order else ""
    because = f" because {quote_text(act.reason)}" if act.reason else ""
    return f"give up {act.action.hand.value}{order} by {quote_text(act.person)}{because}"


def _record_text(act: OperatorAction[RecordAct]) -> str:
    action, because = act.action, f" because {quote_text(act.reason)}" if act.reason else ""
    stated = action.kind in (ActKind.SHOE_EMPTY, ActKind.SHOE_JAMMED)
    if stated and act.role is Role.FLOORPERSON and action == RecordAct(action.kind):
        what = action.kind.value.removeprefix("shoe-")
        return f"shoe {what} by {quote_text(act.person)}{because}"
    parts = [f"record {action.kind.value}"]
    if action.batch:
        parts.append(f"batch {quote_if_needed(action.batch)}")
    if action.seat:
        parts.append(f"seat {action.seat}")
    if action.amount:
        parts.append(f"amount {action.amount}")
    if action.reference:
        parts.append(f"reference {quote_if_needed(action.reference)}")
    if action.second:
        parts.append(f"second {quote_text(action.second)}")
    parts.append(f"by {quote_text(act.person)} as {act.role.value}{because}")
    return " ".join(parts)


PLAY_ACT_FORMS: Final = (
    StatementForm("no more bets", "no more bets", 'the dealer called "no more bets"', _read_call),
    StatementForm(
        "found face up",
        'found face up by "Dee Dealer"',
        "the last card lay face up in the shoe",
        _read_found_face_up,
    ),
    StatementForm("turn", "turn player third", "cards were turned up on the layout", _read_turn),
    StatementForm(
        "give up",
        'give up player by order because "slow"',
        "a patron will not turn a hand",
        _read_give_up,
    ),
    StatementForm(
        "ghost hand", "ghost hand", "a ghost hand is requested for the next coup", _read_ghost_hand
    ),
    StatementForm(
        "record",
        'record inspected batch red second "Ann Lee"',
        "an act of a named person",
        _read_record,
    ),
    StatementForm(
        "shoe",
        "shoe empty",
        "a floorperson states that it is empty, or jammed",
        _read_stated_shoe,
    ),
)
PLAY_ACT_TEXTS: Final[Mapping[type[Action], Callable[[OperatorAction[Any]], str]]] = (
    MappingProxyType(
        {
            CallNoMoreBets: lambda _: "no more bets",
            ReportFaceUp: lambda act: f"found face up by {quote_text(act.person)}",
            ReportTurned: _turn_text,
            GiveUpReveal: _give_up_text,
            RequestGhostHand: lambda act: f"ghost hand by {quote_text(act.person)}",
            RecordAct: _record_text,
        }
    )
)
