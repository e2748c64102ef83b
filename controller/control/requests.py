"""Reads a typed action from the plain values of a request; errors say which values are allowed.

Source: controller/tape/README.md, "Actions".
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeVar

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import FloorDecision, Provisional, Resolution
from controller.procedure.events import LayoutPart
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager, WagerKind
from controller.tape.actions import (
    Action,
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
    roles_for,
)
from drivers.commands import ShufflerOrder

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)

# The keys that every action request has: whose action it is, and why.
SIGNATURE: Final = ("request", "action", "by", "role", "reason")
# The further values of each action that has any.
VALUES_OF: Final = MappingProxyType(
    {
        "resolve": ("decision", "provisional", "outcome"),
        "declare-result": ("outcome", "player_pair", "banker_pair"),
        "bind-batch": ("batch",),
        "set-card-apart": ("batch", "tag"),
        "clear-shoe-error": ("code",),
        "order-shuffler": ("order", "compartment", "batch"),
        "clear-warning": ("number",),
        "record": ("act", "batch", "seat", "amount", "reference", "second"),
        "turned": ("what",),
        "give-up": ("hand", "by_order"),
        "wagers": ("wagers",),
        "collect-vigorish": ("seat",),
        "document-vigorish": (
            *("seat", "form_number", "patron", "dealer", "pit_clerk"),
            *("patron_signed", "void"),
        ),
        "seat-vacated": ("seat",),
        "notice": ("setting", "value", "to"),
        "change-setting": ("setting", "value"),
    }
)
VALUES: Final = tuple(dict.fromkeys(name for names in VALUES_OF.values() for name in names))
WAGER_KEYS: Final = ("seat", "wager", "cents")

TEXT_LENGTH_MAX: Final = 500
SEAT_MAX: Final = 99
NUMBER_MAX: Final = 10**9
CENTS_MAX: Final = 10**12
WAGERS_MAX: Final = 500


def action_from_request(name: str, values: Mapping[str, object]) -> Action:
    """Read an action from its name and plain values. Raises ActionError."""
    roles_for(name)
    _require_known_values(name, values)
    match name:
        case "resolve":
            return Resolve(_read_resolution(values))
        case "close-shoe":
            return CloseShoe()
        case "no-more-bets":
            return CallNoMoreBets()
        case "bind-batch":
            return BindBatch(checked_text("batch", values.get("batch"), required=True))
        case "lock-shoe":
            return LockShoe()
        case "unlock-shoe":
            return UnlockShoe()
        case "clear-shoe-error":
            return ClearShoeError(_number("code", values.get("code"), 1, 99))
        case "clear-warning":
            return ClearWarning(_number("number", values.get("number"), 1, NUMBER_MAX))
        case "found-face-up":
            return ReportFaceUp()
        case "ghost-hand":
            return RequestGhostHand()
        case _:
            return _action_with_values(name, values)


def _action_with_values(name: str, values: Mapping[str, object]) -> Action:
    match name:
        case "record":
            return _read_act(values)
        case "declare-result":
            return _read_result(values)
        case "set-card-apart":
            return _read_card_set_apart(values)
        case "turned":
            return ReportTurned(_required_member(LayoutPart, "what", values))
        case "give-up":
            hand = _required_member(HandName, "hand", values)
            return GiveUpReveal(hand, _boolean("by_order", values, default=False))
        case "wagers":
            return StateWagers(_read_wagers(values.get("wagers")))
        case "collect-vigorish":
            return CollectVigorish(_seat(values))
        case "document-vigorish":
            return _read_vigorish_document(values)
        case "seat-vacated":
            return VacateSeat(_seat(values))
        case "order-shuffler":
            return _read_order(values)
        case "notice":
            to = checked_text("to", values.get("to"), required=True)
            return GiveNotice(*_read_setting(values), to)
        case _:
            assert name == "change-setting", f"{name} is an action without a parser"
            return ChangeSetting(*_read_setting(values))


def _require_known_values(name: str, values: Mapping[str, object]) -> None:
    """Raise ActionError for a value that the action does not take."""
    allowed = VALUES_OF.get(name, ())
    for key in values:
        if key not in allowed and key not in SIGNATURE:
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes no values"
            raise ActionError(f"{key!r} is not a value of {name}; {takes}")


# --- whole actions -------------------------------------------------------------------------------


def _read_resolution(values: Mapping[str, object]) -> Resolution:
    return Resolution(
        decision=_required_member(FloorDecision, "decision", values),
        provisional=_optional_member(Provisional, "provisional", values.get("provisional")),
        outcome=_optional_member(Outcome, "outcome", values.get("outcome")),
    )


def _read_result(values: Mapping[str, object]) -> DeclareResult:
    return DeclareResult(
        outcome=_required_member(Outcome, "outcome", values),
        player_pair=_boolean("player_pair", values, default=False),
        banker_pair=_boolean("banker_pair", values, default=False),
    )


def _read_card_set_apart(values: Mapping[str, object]) -> SetCardApart:
    back = checked_text("batch", values.get("batch"), required=True)
    return SetCardApart(back, checked_text("tag", values.get("tag"), required=False).upper())


def _read_order(values: Mapping[str, object]) -> GiveShufflerOrder:
    compartment = values.get("compartment")
    return GiveShufflerOrder(
        order=_required_member(ShufflerOrder, "order", values),
        compartment=_number("compartment", compartment, 1, 2) if compartment is not None else 0,
        batch=checked_text("batch", values.get("batch"), required=False),
    )


def _read_act(values: Mapping[str, object]) -> RecordAct:
    return RecordAct(
        kind=_required_member(ActKind, "act", values),
        batch=checked_text("batch", values.get("batch"), required=False),
        seat=_seat(values) if values.get("seat") is not None else 0,
        amount=_number("amount", values.get("amount", 0), 0, NUMBER_MAX),
        reference=checked_text("reference", values.get("reference"), required=False),
        second=checked_text("second", values.get("second"), required=False),
    )


def _read_vigorish_document(values: Mapping[str, object]) -> DocumentVigorish:
    return DocumentVigorish(
        seat=_seat(values),
        form_number=_number("form_number", values.get("form_number"), 1, NUMBER_MAX),
        patron=checked_text("patron", values.get("patron"), required=True),
        dealer=checked_text("dealer", values.get("dealer"), required=True),
        pit_clerk=checked_text("pit_clerk", values.get("pit_clerk"), required=True),
        patron_signed=_boolean("patron_signed", values, default=True),
        void=_boolean("void", values, default=False),
    )


def _read_setting(values: Mapping[str, object]) -> tuple[str, str]:
    name = checked_text("setting", values.get("setting"), required=True)
    return name, checked_text("value", values.get("value"), required=True)


def _read_wagers(value: object) -> tuple[Wager, ...]:
    """The wagers in a request; an empty list states that nobody bets."""
    shape = '{"seat": 5, "wager": "banker", "cents": 10000}'
    if not isinstance(value, list) or len(value) > WAGERS_MAX:
        raise ActionError(f"wagers must be a list of at most {WAGERS_MAX} objects such as {shape}")
    read: list[Wager] = []
    for number, one in enumerate(value, start=1):
        if not isinstance(one, Mapping) or sorted(map(str, one)) != sorted(WAGER_KEYS):
            raise ActionError(f"wager {number} must be an object such as {shape}, not {one!r}")
        try:
            cents = _number("cents", one["cents"], 1, CENTS_MAX)
            read.append(Wager(_seat(one), _required_member(WagerKind, "wager", one), cents))
        except ActionError as error:
            raise ActionError(f"wager {number}: {error}") from error
    return tuple(read)


# --- single values -------------------------------------------------------------------------------


def _seat(values: Mapping[str, object]) -> int:
    return _number("seat", values.get("seat"), 1, SEAT_MAX)


def _number(key: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ActionError(f"{key} must be a whole number from {least} to {most}, not {value!r}")
    return value


def _boolean(key: str, values: Mapping[str, object], *, default: bool) -> bool:
    value = values.get(key, default)
    if not isinstance(value, bool):
        raise ActionError(f"{key} must be true or false, not {value!r}")
    return value


def _allowed(kind: type[StrEnum]) -> str:
    return ", ".join(member.value for member in kind)


def _required_member(kind: type[ChoiceT], key: str, values: Mapping[str, object]) -> ChoiceT:
    chosen = _optional_member(kind, key, values.get(key))
    if chosen is None:
        raise ActionError(f"{key} is missing; allowed: {_allowed(kind)}")
    return chosen


def _optional_member(kind: type[ChoiceT], key: str, value: object) -> ChoiceT | None:
    if value is None or value == "":
        return None
    for member in kind:
        if value == member.value:
            return member
    raise ActionError(f"{key} is {value!r}; allowed: {_allowed(kind)}")


def checked_text(key: str, value: object, *, required: bool) -> str:
    """The value as one stripped line of printable text. Raises ActionError."""
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise ActionError(f"{key} must be text, not {type(value).__name__}")
    text = value.strip()
    if required and not text:
        raise ActionError(f"{key} is missing: {_why_needed(key)}")
    if len(text) > TEXT_LENGTH_MAX or not text.isprintable():
        raise ActionError(
            f"{key} must be one printable line of at most {TEXT_LENGTH_MAX} characters"
        )
    return text


def _why_needed(key: str) -> str:
    if key.removeprefix("--") in ("by", "reason"):
        return "the name of the person and a reason are recorded"
    return "write one line"
