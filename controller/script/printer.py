"""Writes a statement as text that parses back to the same statement.

Source: controller/script/README.md, "Statements".
"""

from typing import assert_never

from controller.custody.findings import Finding
from controller.procedure.act_kinds import ActKind
from controller.procedure.events import (
    ActReported,
    BoxedCardFound,
    CardDrawn,
    CardRepeated,
    CardsTurned,
    CoupCorrectionRequested,
    CoupForcedOut,
    CustodyFindingRaised,
    CutCardDrawn,
    GamingDayChanged,
    GhostHandRequested,
    IrregularityResolved,
    Loss,
    NoMoreBetsCalled,
    NoticeRecorded,
    PersonEvent,
    PlayEvent,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    RevealGivenUp,
    SeatVacated,
    SettingChangeRequested,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerDisconnected,
    ShufflerEventsLost,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.script.card_statements import BANKER_PAIR, HAND_LETTERS, PLACE_WORDS, PLAYER_PAIR
from controller.script.people_statements import TURNED_WORDS
from controller.script.shuffler_statements import format_shuffler_statement
from controller.script.statements import (
    UNREAD,
    Burn,
    DueCard,
    HandCard,
    ShufflerStatement,
    StatementBody,
)
from controller.script.tokens import quote_if_needed, quote_text
from controller.settlement.wagers import money
from controller.tape.actions import Role

_NS = 1_000_000_000


def unparse(body: StatementBody) -> str:
    """The text of a statement."""
    match body:
        case Burn():
            return _burn(body)
        case HandCard():
            letter = next(key for key, hand in HAND_LETTERS.items() if hand is body.hand)
            return f"{letter}{body.number or ''} {_card(body.card)}"
        case DueCard():
            return f"card {_card(body.card)}"
        case GamingDayChanged():
            return f"day {body.day}"
        case ShoeClosedByPerson():
            return f"close shoe by {quote_text(body.person)} because {quote_text(body.reason)}"
        case IrregularityResolved():
            return _resolution(body)
        case (
            ActReported()
            | RevealGivenUp()
            | GhostHandRequested()
            | WagersStated()
            | VigorishCollected()
            | VigorishDocumented()
            | SeatVacated()
            | NoticeRecorded()
            | SettingChangeRequested()
            | CoupCorrectionRequested()
        ):
            return _format_person_event(body)
        case ShufflerStatement() | ShufflerEventsLost() | ShufflerDisconnected() | WarningCleared():
            return format_shuffler_statement(body)
        case _:
            return _format_play_event(body)


def _format_play_event(body: PlayEvent) -> str:
    match body:
        case CardDrawn():
            of_back = f" of {quote_if_needed(body.back)}" if body.back else ""
            again = " again" if body.again else ""
            return f"{_place(body.claimed)} {_card(body.card)}{of_back}{again}"
        case CustodyFindingRaised():
            return _custody(body.finding)
        case CardRepeated(card, claimed):
            return f"again {_place(claimed)} {_card(card)}"
        case ResultDeclared():
            pairs = f" {PLAYER_PAIR}" * body.player_pair + f" {BANKER_PAIR}" * body.banker_pair
            return f"result {body.outcome.value}{pairs}"
        case ReportsMissing():
            return f"lost {body.count_min if body.loss is Loss.GAP else body.loss.value}"
        case CardsTurned():
            return f"turn {next(key for key, what in TURNED_WORDS.items() if what is body.what)}"
        case ProgramReplaced():
            return f"program {quote_if_needed(body.software)}"
        case BoxedCardFound():
            return f"found face up by {quote_text(body.person)}"
        case _:
            return _plain(body)


def _plain(
    body: CutCardDrawn | CoupForcedOut | ShoeStandsBy | ShoeDeviceStarted | NoMoreBetsCalled,
) -> str:
    match body:
        case CutCardDrawn():
            return "cut"
        case CoupForcedOut():
            return "forced exit"
        case ShoeStandsBy():
            return "stand-by"
        case ShoeDeviceStarted():
            return "start"
        case NoMoreBetsCalled():
            return "no more bets"
        case _:
            assert_never(body)


def _format_person_event(body: PersonEvent) -> str:
    match body:
        case ActReported():
            return _act(body)
        case RevealGivenUp():
            order = " by order" if body.by_order else ""
            because = f" because {quote_text(body.reason)}" if body.reason else ""
            return f"give up {body.hand.value}{order} by {quote_text(body.person)}{because}"
        case GhostHandRequested():
            return f"ghost hand by {quote_text(body.person)}"
        case WagersStated():
            stated = [f"{w.seat} {w.kind.value} {money(w.cents)}" for w in body.wagers]
            return f"wagers {', '.join(stated) or 'none'} by {quote_text(body.person)}"
        case VigorishCollected():
            return f"collect {body.seat} by {quote_text(body.person)}"
        case VigorishDocumented():
            return _document(body)
        case SeatVacated():
            return f"leave {body.seat} by {quote_text(body.person)}"
        case NoticeRecorded():
            what = f"{_setting(body.setting, body.value)} to {quote_if_needed(body.to)}"
            return f"notice {what} at {_offset(body.at_ns)} by {quote_text(body.person)}"
        case SettingChangeRequested():
            what = f"{_setting(body.setting, body.value)} at {_offset(body.at_ns)}"
            return f"set {what} by {quote_text(body.person)} because {quote_text(body.reason)}"
        case CoupCorrectionRequested():
            return _correction(body)
        case _:
            assert_never(body)


def _setting(name: str, value: str) -> str:
    return f"{quote_if_needed(name)} {quote_if_needed(value)}"


def _card(card: Card | None) -> str:
    return str(card) if card is not None else UNREAD


def _place(place: Place) -> str:
    if place is Place.BANKER_MORE:
        return "more banker"
    return next(word for word, named in PLACE_WORDS.items() if named is place)


def _custody(found: Finding) -> str:
    parts = [f"custody {found.code.value} {_card(found.card)}"]
    if found.tag:
        parts.append(f"tag {quote_if_needed(found.tag)}")
    if found.back:
        parts.append(f"of {quote_if_needed(found.back)}")
    parts.append(f"at {quote_text(found.step)} because {quote_text(found.detail)}")
    return " ".join(parts)


def _burn(body: Burn) -> str:
    if not body.further:
        return f"burn {_card(body.first)}"
    if all(card is None for card in body.further):
        return f"burn {_card(body.first)} + {len(body.further)}"
    return f"burn {_card(body.first)}: {' '.join(map(_card, body.further))}"


def _act(body: ActReported) -> str:
    stated = ActReported(body.kind, body.person, Role.FLOORPERSON.value, body.reason)
    if body.kind in (ActKind.SHOE_EMPTY, ActKind.SHOE_JAMMED) and body == stated:
        because = f" because {quote_text(body.reason)}" if body.reason else ""
        what = body.kind.value.removeprefix("shoe-")
        return f"shoe {what} by {quote_text(body.person)}{because}"
    parts = [f"record {body.kind.value}"]
    if body.batch:
        parts.append(f"batch {quote_if_needed(body.batch)}")
    if body.seat:
        parts.append(f"seat {body.seat}")
    if body.amount:
        parts.append(f"amount {body.amount}")
    if body.reference:
        parts.append(f"reference {quote_if_needed(body.reference)}")
    if body.second:
        parts.append(f"second {quote_text(body.second)}")
    parts.append(f"by {quote_text(body.person)} as {body.role}")
    if body.reason:
        parts.append(f"because {quote_text(body.reason)}")
    return " ".join(parts)


def _document(body: VigorishDocumented) -> str:
    parts = [
        f"document {body.seat} form {body.form_number} patron {quote_text(body.patron)}",
        f"dealer {quote_text(body.dealer)} pit-boss {quote_text(body.pit_boss)}",
        f"clerk {quote_text(body.pit_clerk)}",
    ]
    if not body.patron_signed:
        parts.append("unsigned")
    if body.void:
        parts.append("void")
    if body.reason:
        parts.append(f"because {quote_text(body.reason)}")
    return " ".join(parts)


def _correction(body: CoupCorrectionRequested) -> str:
    of_shoe = f" of shoe {body.shoe}" if body.shoe else ""
    people = f"by {quote_text(body.person)} second {quote_text(body.second)}"
    to = f"to {body.outcome.value} {people} because {quote_text(body.reason)}"
    return f"correct coup {body.coup}{of_shoe} {to}"


def _resolution(body: IrregularityResolved) -> str:
    resolution = body.resolution
    parts = [f"resolve {resolution.decision.value}"]
    if resolution.outcome is not None:
        parts.append(resolution.outcome.value)
    if resolution.provisional is not None:
        parts.append(resolution.provisional.value)
    if resolution.second:
        parts.append(f"second {quote_text(resolution.second)}")
    parts.append(f"by {quote_text(body.person)} because {quote_text(body.reason)}")
    return " ".join(parts)


def _offset(at_ns: int) -> str:
    return f"+{at_ns // _NS}s" if at_ns else "+0"
