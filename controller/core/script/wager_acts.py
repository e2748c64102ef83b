"""Statements about wagers and vigorish: stated, collected, documented, and patrons who leave."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import CLERK, DEALER, FLOORPERSON, PATRON
from controller.core.script.tokens import quote_text
from controller.rules.actions.actions import (
    Action,
    CollectVigorish,
    DocumentVigorish,
    OperatorAction,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.declaration import Role
from controller.rules.settlement.wagers import SEAT_MAX, Wager, WagerKind, WagerMedium, money

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
