"""Decodes requests of the control socket, and the action in one; errors say what is allowed.

Source: controller/control/README.md, "Control socket"; controller/tape/README.md, "Actions".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import astuple

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Resolution
from controller.settlement.wagers import Wager, WagerKind
from controller.system.json_document import JsonError, parse_json, typed
from controller.tape.actions import (
    TEXT_LENGTH_MAX,
    Action,
    ActionError,
    ActionValues,
    Amount,
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
    Line,
    LockShoe,
    OptionalSeat,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolve,
    Role,
    Seat,
    SetCardApart,
    StateWagers,
    UnlockShoe,
    VacateSeat,
    roles_for,
)


class StatusRequest(
    Struct, frozen=True, tag_field="request", tag="status", forbid_unknown_fields=True
):
    """The snapshot, once."""


class ActionsRequest(
    Struct, frozen=True, tag_field="request", tag="actions", forbid_unknown_fields=True
):
    """The list of actions."""


class SubscribeRequest(
    Struct, frozen=True, tag_field="request", tag="subscribe", forbid_unknown_fields=True
):
    """A snapshot now and after each change."""


class ActRequest(Struct, frozen=True, tag_field="request", tag="act"):
    """An action, by whom and why; its values are beside."""

    action: str
    by: str
    role: Role
    reason: str = ""


Request: TypeAlias = StatusRequest | ActionsRequest | SubscribeRequest | ActRequest


class _RecordValues(ActionValues, frozen=True):
    act: ActKind
    batch: Line = ""
    seat: OptionalSeat = 0
    amount: Amount = 0
    reference: Line = ""
    second: Line = ""


class _WagerValues(ActionValues, frozen=True):
    seat: Seat
    wager: WagerKind
    cents: Annotated[int, Meta(ge=1, le=10**12)]


class _WagersValues(ActionValues, frozen=True):
    wagers: Annotated[tuple[_WagerValues, ...], Meta(max_length=500)]


_Values: TypeAlias = Action | Resolution | _RecordValues | _WagersValues
# What the values of each action are decoded as: the action itself, unless its words differ.
_KINDS: Final[Mapping[str, type[_Values]]] = MappingProxyType(
    {
        "resolve": Resolution,
        "close-shoe": CloseShoe,
        "no-more-bets": CallNoMoreBets,
        "declare-result": DeclareResult,
        "bind-batch": BindBatch,
        "set-card-apart": SetCardApart,
        "lock-shoe": LockShoe,
        "unlock-shoe": UnlockShoe,
        "clear-shoe-error": ClearShoeError,
        "order-shuffler": GiveShufflerOrder,
        "clear-warning": ClearWarning,
        "record": _RecordValues,
        "turned": ReportTurned,
        "found-face-up": ReportFaceUp,
        "give-up": GiveUpReveal,
        "ghost-hand": RequestGhostHand,
        "wagers": _WagersValues,
        "collect-vigorish": CollectVigorish,
        "document-vigorish": DocumentVigorish,
        "seat-vacated": VacateSeat,
        "notice": GiveNotice,
        "change-setting": ChangeSetting,
        "correct-coup": CorrectCoup,
    }
)
# The names of the values of each action that has any.
VALUES_OF: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {name: kind.__struct_encode_fields__ for name, kind in _KINDS.items() if kind.__struct_fields__}
)
VALUES: Final = tuple(dict.fromkeys(name for names in VALUES_OF.values() for name in names))


def parse_request(line: bytes) -> tuple[Request, Mapping[str, object]]:
    """A request, and the values beside an action. Raises JsonError."""
    remedy = 'write an object such as {"request": "status"} in one line'
    plain = parse_json(line, remedy)
    request: Request = typed(plain, Request, remedy)  # type: ignore[arg-type]
    assert isinstance(plain, dict), "a request is an object"
    known = (request.__struct_config__.tag_field, *request.__struct_encode_fields__)
    return request, {name: value for name, value in plain.items() if name not in known}


def action_from_request(name: str, values: Mapping[str, object]) -> Action:
    """The action of that name with these plain values. Raises ActionError.

    A value that is None or an empty text is one that was not given.
    """
    roles_for(name)
    kind = _KINDS[name]
    lines = {key: _stripped(key, value) for key, value in values.items()}
    given = {key: value for key, value in lines.items() if value not in (None, "")}
    try:
        read = typed(given, kind, f"`smartshoe act {name} --list` shows the values of {name}")
    except JsonError as error:
        raise ActionError(str(error)) from error
    match read:
        case Resolution():
            return Resolve(read)
        case _RecordValues():
            return RecordAct(*astuple(read))
        case _WagersValues():
            return StateWagers(tuple(Wager(*astuple(one)) for one in read.wagers))
        case SetCardApart():
            return SetCardApart(read.batch, read.tag.upper())
        case _:
            return read


def checked_text(key: str, value: str, *, required: bool) -> str:
    """The value as one stripped line of printable text. Raises ActionError."""
    text = value.strip()
    if required and not text:
        raise ActionError(
            f"{key}: it is missing. Allowed: one line of text. Remedy: the name of the person and"
            " a reason are recorded, write them"
        )
    if len(text) > TEXT_LENGTH_MAX or not text.isprintable():
        raise ActionError(
            f"{key}: it is not one printable line. Allowed: at most {TEXT_LENGTH_MAX} characters"
            " without line breaks. Remedy: shorten it to one line"
        )
    return text


def _stripped(key: str, value: object) -> object:
    return checked_text(key, value, required=False) if isinstance(value, str) else value
