"""Statements about acts at the table: the call, cards turned or given up, and acts on record.

A person whom the script does not name is the floorperson Ann Lee or the dealer Dee Dealer.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import DEALER, FLOORPERSON, PATRON
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.rules.actions.actions import (
    Action,
    CallNoMoreBets,
    GiveUpReveal,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
)
from controller.rules.actions.choices import ActKind, LayoutPart
from controller.rules.actions.declaration import Role
from controller.rules.hands import HandName
from controller.rules.settlement.wagers import SEAT_MAX

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
