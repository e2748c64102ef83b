"""From a statement to the text that says it.

Responsible for: one way to write each statement; what it writes reads back as the same statement.
Not responsible for: lines and columns.
Source: package README, "Statements".
"""

from typing import assert_never

from controller.custody.findings import Finding
from controller.procedure.events import (
    ActRecorded,
    CardDrawn,
    CardRepeated,
    CardsTurned,
    CoupForcedOut,
    CustodyFound,
    CutCardDrawn,
    FollowedEvent,
    FoundFaceUp,
    GamingDayTurned,
    GhostHandAsked,
    IrregularityResolved,
    Loss,
    NoMoreBetsCalled,
    NoticeRecorded,
    PersonsEvent,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    RevealGivenUp,
    SeatVacated,
    SettingChangeAsked,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerEventsLost,
    ShufflerGone,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
    WarningCleared,
)
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.script.card_statements import BANKER_PAIR, HAND_LETTERS, PLACE_WORDS, PLAYER_PAIR
from controller.script.people_statements import TURNED_WORDS
from controller.script.shuffler_statements import in_words
from controller.script.statements import UNREAD, Burn, DueCard, HandCard, Said, ShufflerSaid
from controller.script.tokens import quoted, written
from controller.settlement.wagers import money

_NS = 1_000_000_000


def unparse(said: Said) -> str:
    """The statement in words."""
    match said:
        case Burn():
            return _burn(said)
        case HandCard():
            letter = next(key for key, hand in HAND_LETTERS.items() if hand is said.hand)
            return f"{letter}{said.number or ''} {_card(said.card)}"
        case DueCard():
            return f"card {_card(said.card)}"
        case GamingDayTurned():
            return f"day {said.day}"
        case ShoeClosedByPerson():
            return f"close shoe by {quoted(said.person)} because {quoted(said.reason)}"
        case IrregularityResolved():
            return _resolved(said)
        case (
            ActRecorded()
            | RevealGivenUp()
            | GhostHandAsked()
            | WagersStated()
            | VigorishCollected()
            | VigorishDocumented()
            | SeatVacated()
            | NoticeRecorded()
            | SettingChangeAsked()
        ):
            return _of_people(said)
        case ShufflerSaid() | ShufflerEventsLost() | ShufflerGone() | WarningCleared():
            return in_words(said)
        case _:
            return _of_cards(said)


def _of_cards(said: FollowedEvent) -> str:
    match said:
        case CardDrawn():
            of_back = f" of {written(said.back)}" if said.back else ""
            again = " again" if said.again else ""
            return f"{_place(said.claimed)} {_card(said.card)}{of_back}{again}"
        case CustodyFound():
            return _custody(said.finding)
        case CardRepeated(card, claimed):
            return f"again {_place(claimed)} {_card(card)}"
        case ResultDeclared():
            pairs = f" {PLAYER_PAIR}" * said.player_pair + f" {BANKER_PAIR}" * said.banker_pair
            return f"result {said.outcome.value}{pairs}"
        case ReportsMissing():
            return f"lost {said.count_min if said.loss is Loss.GAP else said.loss.value}"
        case CardsTurned():
            return f"turn {next(key for key, what in TURNED_WORDS.items() if what is said.what)}"
        case ProgramReplaced():
            return f"program {written(said.software)}"
        case FoundFaceUp():
            return f"found face up by {quoted(said.person)}"
        case _:
            return _plain(said)


def _plain(
    said: CutCardDrawn | CoupForcedOut | ShoeStandsBy | ShoeDeviceStarted | NoMoreBetsCalled,
) -> str:
    match said:
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
            assert_never(said)


def _of_people(said: PersonsEvent) -> str:
    match said:
        case ActRecorded():
            return _recorded(said)
        case RevealGivenUp():
            order = " by order" if said.by_order else ""
            because = f" because {quoted(said.reason)}" if said.reason else ""
            return f"give up {said.hand.value}{order} by {quoted(said.person)}{because}"
        case GhostHandAsked():
            return f"ghost hand by {quoted(said.person)}"
        case WagersStated():
            stated = [f"{w.seat} {w.kind.value} {money(w.cents)}" for w in said.wagers]
            return f"wagers {', '.join(stated) or 'none'} by {quoted(said.person)}"
        case VigorishCollected():
            return f"collect {said.seat} by {quoted(said.person)}"
        case VigorishDocumented():
            return _documented(said)
        case SeatVacated():
            return f"leave {said.seat} by {quoted(said.person)}"
        case NoticeRecorded():
            what = f"{written(said.setting)} {written(said.value)} to {written(said.to)}"
            return f"notice {what} at {_offset(said.at_ns)} by {quoted(said.person)}"
        case SettingChangeAsked():
            what = f"{written(said.setting)} {written(said.value)} at {_offset(said.at_ns)}"
            return f"set {what} by {quoted(said.person)} because {quoted(said.reason)}"
        case _:
            assert_never(said)


def _card(card: Card | None) -> str:
    return str(card) if card is not None else UNREAD


def _place(place: Place) -> str:
    if place is Place.BANKER_MORE:
        return "more banker"
    return next(word for word, named in PLACE_WORDS.items() if named is place)


def _custody(found: Finding) -> str:
    parts = [f"custody {found.code.value} {_card(found.card)}"]
    if found.tag:
        parts.append(f"tag {written(found.tag)}")
    if found.back:
        parts.append(f"of {written(found.back)}")
    parts.append(f"at {quoted(found.step)} because {quoted(found.detail)}")
    return " ".join(parts)


def _burn(said: Burn) -> str:
    if not said.further:
        return f"burn {_card(said.first)}"
    if all(card is None for card in said.further):
        return f"burn {_card(said.first)} + {len(said.further)}"
    return f"burn {_card(said.first)}: {' '.join(map(_card, said.further))}"


def _recorded(said: ActRecorded) -> str:
    parts = [f"record {said.kind.value}"]
    if said.batch:
        parts.append(f"batch {written(said.batch)}")
    if said.seat:
        parts.append(f"seat {said.seat}")
    if said.amount:
        parts.append(f"amount {said.amount}")
    if said.reference:
        parts.append(f"reference {written(said.reference)}")
    if said.second:
        parts.append(f"second {quoted(said.second)}")
    parts.append(f"by {quoted(said.person)} as {said.role}")
    if said.reason:
        parts.append(f"because {quoted(said.reason)}")
    return " ".join(parts)


def _documented(said: VigorishDocumented) -> str:
    parts = [
        f"document {said.seat} form {said.form_number} patron {quoted(said.patron)}",
        f"dealer {quoted(said.dealer)} pit-boss {quoted(said.pit_boss)}",
        f"clerk {quoted(said.pit_clerk)}",
    ]
    if not said.patron_signed:
        parts.append("unsigned")
    if said.void:
        parts.append("void")
    if said.reason:
        parts.append(f"because {quoted(said.reason)}")
    return " ".join(parts)


def _resolved(said: IrregularityResolved) -> str:
    resolution = said.resolution
    parts = [f"resolve {resolution.decision.value}"]
    if resolution.outcome is not None:
        parts.append(resolution.outcome.value)
    if resolution.provisional is not None:
        parts.append(resolution.provisional.value)
    parts.append(f"by {quoted(said.person)} because {quoted(said.reason)}")
    return " ".join(parts)


def _offset(at_ns: int) -> str:
    return f"+{at_ns // _NS}s" if at_ns else "+0"
