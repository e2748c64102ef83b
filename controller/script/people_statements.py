"""Reads statements about what people did: turned cards, bet, recorded an act, decided.

A person whom the script does not name is the floorperson Ann Lee or the dealer Dee Dealer.
Source: controller/script/README.md, "Statements".
"""

from enum import StrEnum
from typing import Final

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import FloorDecision, Provisional, Resolution
from controller.procedure.events import (
    ActReported,
    BoxedCardFound,
    CardsTurned,
    CoupCorrectionRequested,
    GhostHandRequested,
    IrregularityResolved,
    LayoutPart,
    NoticeRecorded,
    RevealGivenUp,
    SeatVacated,
    SettingChangeRequested,
    ShoeClosedByPerson,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
)
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.script.statement_reader import StatementReader
from controller.script.statements import CLERK, DEALER, FLOORPERSON, PATRON
from controller.settlement.wagers import Wager, WagerKind
from controller.tape.actions import Role

SEAT_MAX: Final = 99
CLOSING_REASON: Final = "dead table"
DECIDING_REASON: Final = "seen on the layout"
CHANGING_REASON: Final = "decided by the house"
CORRECTING_REASON: Final = "seen on the film"
TURNED_WORDS: Final = {
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


def _by(reader: StatementReader, otherwise: str) -> str:
    """The rest of a statement that can only name a person."""
    for _ in reader.parts("by"):
        return reader.text("name")
    return otherwise


def _by_and_because(reader: StatementReader, person: str, reason: str) -> tuple[str, str]:
    for part in reader.parts("by", "because"):
        if part == "by":
            person = reader.text("name")
        else:
            reason = reader.text("reason")
    return person, reason


def read_found_face_up(reader: StatementReader) -> BoxedCardFound:
    reader.expect("face", "up")
    return BoxedCardFound(_by(reader, DEALER))


def read_turn(reader: StatementReader) -> CardsTurned:
    word = reader.one_of("hand", ("player", "banker", "error"))
    if word != "error" and reader.accept("third"):
        word = f"{word} third"
    return CardsTurned(TURNED_WORDS[word])


def read_give_up(reader: StatementReader) -> RevealGivenUp:
    reader.expect("up")
    hand = reader.choice("hand", HandName)
    by_order = reader.accept("by", "order")
    person, reason = _by_and_because(reader, FLOORPERSON if by_order else PATRON, "")
    return RevealGivenUp(hand, person, by_order, reason)


def read_ghost_hand(reader: StatementReader) -> GhostHandRequested:
    reader.expect("hand")
    return GhostHandRequested(_by(reader, DEALER))


def read_act(reader: StatementReader) -> ActReported:
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
    return ActReported(kind, person, role.value, reason, batch, seat, amount, reference, second)


def read_wagers(reader: StatementReader) -> WagersStated:
    stated: list[Wager] = []
    if not reader.accept("none"):
        stated.append(_wager(reader))
        while reader.accept(","):
            stated.append(_wager(reader))
    return WagersStated(tuple(stated), _by(reader, DEALER))


def _wager(reader: StatementReader) -> Wager:
    seat = reader.number("seat", 1, SEAT_MAX)
    return Wager(seat, reader.choice("wager", WagerKind), reader.cents())


def read_collect(reader: StatementReader) -> VigorishCollected:
    return VigorishCollected(reader.number("seat", 1, SEAT_MAX), _by(reader, DEALER))


def read_leave(reader: StatementReader) -> SeatVacated:
    return SeatVacated(reader.number("seat", 1, SEAT_MAX), _by(reader, DEALER))


def read_document(reader: StatementReader) -> VigorishDocumented:
    seat = reader.number("seat", 1, SEAT_MAX)
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
    return VigorishDocumented(
        seat=seat,
        form_number=form,
        patron=people["patron"],
        dealer=people["dealer"],
        pit_boss=people["pit-boss"],
        pit_clerk=people["clerk"],
        patron_signed=signed,
        reason=reason,
        void=void,
    )


def read_notice(reader: StatementReader) -> NoticeRecorded:
    setting, value = reader.text("setting"), reader.text("value")
    reader.expect("to")
    recipient, person, at_ns = reader.text("name"), FLOORPERSON, reader.clock_ns
    for part in reader.parts("at", "by"):
        if part == "at":
            at_ns = reader.offset_ns()
        else:
            person = reader.text("name")
    return NoticeRecorded(setting, value, recipient, person, at_ns)


def read_time_person_reason(
    reader: StatementReader, person: str, reason: str
) -> tuple[int, str, str]:
    """The rest of a statement that can give a time, a person and a reason."""
    at_ns = reader.clock_ns
    for part in reader.parts("at", "by", "because"):
        match part:
            case "at":
                at_ns = reader.offset_ns()
            case "by":
                person = reader.text("name")
            case _:
                reason = reader.text("reason")
    return at_ns, person, reason


def read_setting_change(reader: StatementReader) -> SettingChangeRequested:
    setting, value = reader.text("setting"), reader.text("value")
    at_ns, person, reason = read_time_person_reason(reader, FLOORPERSON, CHANGING_REASON)
    return SettingChangeRequested(setting, value, person, reason, at_ns)


def read_correction(reader: StatementReader) -> CoupCorrectionRequested:
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
    return CoupCorrectionRequested(coup, outcome, person, second, reason, shoe)


def read_resolve(reader: StatementReader) -> IrregularityResolved:
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
    person = given.get("by", FLOORPERSON)
    return IrregularityResolved(person, reason, Resolution(decision, provisional, outcome, second))


def read_stated_shoe(reader: StatementReader) -> ActReported:
    kind = ActKind(f"shoe-{reader.choice('what', StatedShoe)}")
    person, reason = _by_and_because(reader, FLOORPERSON, "")
    return ActReported(kind, person, Role.FLOORPERSON.value, reason)


def read_close_shoe(reader: StatementReader) -> ShoeClosedByPerson:
    reader.expect("shoe")
    return ShoeClosedByPerson(*_by_and_because(reader, FLOORPERSON, CLOSING_REASON))
