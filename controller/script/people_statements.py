"""Statements about what people did: turned, recorded, bet, noticed, decided.

Responsible for: reading them, with the person who did it; whom a script does not name is a
floorperson Ann Lee or a dealer Dee Dealer.
Not responsible for: whether it may be done now (controller.procedure).
Source: package README, "Statements".
"""

from typing import Final

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.events import (
    ActRecorded,
    CardsTurned,
    FoundFaceUp,
    GhostHandAsked,
    IrregularityResolved,
    NoticeRecorded,
    RevealGivenUp,
    SeatVacated,
    SettingChangeAsked,
    ShoeClosedByPerson,
    TurnedCards,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
)
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.script.statement_reader import Reading
from controller.script.statements import CLERK, DEALER, FLOORPERSON, PATRON
from controller.settlement.wagers import Wager, WagerKind
from controller.tape.actions import Role

SEAT_MAX: Final = 99
CLOSING_REASON: Final = "dead table"
DECIDING_REASON: Final = "seen on the layout"
CHANGING_REASON: Final = "decided by the house"
TURNED_WORDS: Final = {
    "player": TurnedCards.PLAYER_HAND,
    "banker": TurnedCards.BANKER_HAND,
    "player third": TurnedCards.PLAYER_THIRD,
    "banker third": TurnedCards.BANKER_THIRD,
    "error": TurnedCards.ERROR_CARD,
}


def _by(read: Reading, otherwise: str) -> str:
    """The rest of a statement that can only name who did it."""
    for _ in read.parts("by"):
        return read.text("name")
    return otherwise


def _by_and_because(read: Reading, person: str, reason: str) -> tuple[str, str]:
    for part in read.parts("by", "because"):
        if part == "by":
            person = read.text("name")
        else:
            reason = read.text("reason")
    return person, reason


def found_face_up(read: Reading) -> FoundFaceUp:
    read.need("face", "up")
    return FoundFaceUp(_by(read, DEALER))


def turned(read: Reading) -> CardsTurned:
    word = read.one_of("hand", ("player", "banker", "error"))
    if word != "error" and read.take("third"):
        word = f"{word} third"
    return CardsTurned(TURNED_WORDS[word])


def given_up(read: Reading) -> RevealGivenUp:
    read.need("up")
    hand = read.choice("hand", HandName)
    by_order = read.take("by", "order")
    person, reason = _by_and_because(read, FLOORPERSON if by_order else PATRON, "")
    return RevealGivenUp(hand, person, by_order, reason)


def ghost_hand(read: Reading) -> GhostHandAsked:
    read.need("hand")
    return GhostHandAsked(_by(read, DEALER))


def recorded(read: Reading) -> ActRecorded:
    kind = read.choice("act", ActKind)
    batch = reference = second = reason = person = ""
    seat, amount, role = 0, 0, Role.DEALER
    for part in read.parts("batch", "seat", "amount", "reference", "second", "by", "as", "because"):
        match part:
            case "batch":
                batch = read.text("back colour")
            case "seat":
                seat = read.number("seat", 1, SEAT_MAX)
            case "amount":
                amount = read.number("amount", 0)
            case "reference":
                reference = read.text("reference")
            case "second":
                second = read.text("name")
            case "by":
                person = read.text("name")
            case "as":
                role = read.choice("role", Role)
            case _:
                reason = read.text("reason")
    person = person or (DEALER if role is Role.DEALER else FLOORPERSON)
    return ActRecorded(kind, person, role.value, reason, batch, seat, amount, reference, second)


def wagers(read: Reading) -> WagersStated:
    stated: list[Wager] = []
    if not read.take("none"):
        stated.append(_wager(read))
        while read.take(","):
            stated.append(_wager(read))
    return WagersStated(tuple(stated), _by(read, DEALER))


def _wager(read: Reading) -> Wager:
    seat = read.number("seat", 1, SEAT_MAX)
    return Wager(seat, read.choice("wager", WagerKind), read.cents())


def collected(read: Reading) -> VigorishCollected:
    return VigorishCollected(read.number("seat", 1, SEAT_MAX), _by(read, DEALER))


def left(read: Reading) -> SeatVacated:
    return SeatVacated(read.number("seat", 1, SEAT_MAX), _by(read, DEALER))


def documented(read: Reading) -> VigorishDocumented:
    seat = read.number("seat", 1, SEAT_MAX)
    read.need("form")
    form = read.number("form number", 1)
    people = {"patron": PATRON, "dealer": DEALER, "pit-boss": FLOORPERSON, "clerk": CLERK}
    signed, void, reason = True, False, ""
    for part in read.parts(*people, "unsigned", "void", "because"):
        match part:
            case "unsigned":
                signed = False
            case "void":
                void = True
            case "because":
                reason = read.text("reason")
            case _:
                people[part] = read.text("name")
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


def notice(read: Reading) -> NoticeRecorded:
    setting, value = read.text("setting"), read.text("value")
    read.need("to")
    told, person, at_ns = read.text("name"), FLOORPERSON, read.clock_ns
    for part in read.parts("at", "by"):
        if part == "at":
            at_ns = read.offset_ns()
        else:
            person = read.text("name")
    return NoticeRecorded(setting, value, told, person, at_ns)


def when_by_and_because(read: Reading, person: str, reason: str) -> tuple[int, str, str]:
    """The rest of a statement that can say when it was done, who did it and why."""
    at_ns = read.clock_ns
    for part in read.parts("at", "by", "because"):
        match part:
            case "at":
                at_ns = read.offset_ns()
            case "by":
                person = read.text("name")
            case _:
                reason = read.text("reason")
    return at_ns, person, reason


def setting_change(read: Reading) -> SettingChangeAsked:
    setting, value = read.text("setting"), read.text("value")
    at_ns, person, reason = when_by_and_because(read, FLOORPERSON, CHANGING_REASON)
    return SettingChangeAsked(setting, value, person, reason, at_ns)


def resolved(read: Reading) -> IrregularityResolved:
    decision = read.choice("decision", Decision)
    outcome: Outcome | None = None
    if decision is Decision.STATE_OUTCOME:
        outcome = read.choice("outcome", Outcome)
    provisional: Provisional | None = None
    for member in Provisional:
        if read.take(member.value):
            provisional = member
    person, reason = _by_and_because(read, FLOORPERSON, DECIDING_REASON)
    return IrregularityResolved(person, reason, Resolution(decision, provisional, outcome))


def closed(read: Reading) -> ShoeClosedByPerson:
    read.need("shoe")
    return ShoeClosedByPerson(*_by_and_because(read, FLOORPERSON, CLOSING_REASON))
