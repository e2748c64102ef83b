"""Statements about cards and the shoe.

Responsible for: reading what left the shoe, what the shoe did and what was declared.
Not responsible for: what people did beside the cards (said_of_people).
Source: package README, "Statements".
"""

from typing import Final

from controller.custody.findings import Finding, FindingCode
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CustodyFound,
    CutCardDrawn,
    GamingDayTurned,
    Loss,
    NoMoreBetsCalled,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.script.statement_reader import Reading
from controller.script.statements import FURTHER_MAX, Burn, DueCard, HandCard, Said

HAND_LETTERS: Final = {"P": HandName.PLAYER, "B": HandName.BANKER}
# How a place is called where a statement names one.
PLACE_WORDS: Final = {
    "P1": Place.PLAYER_1,
    "P2": Place.PLAYER_2,
    "P3": Place.PLAYER_3,
    "B1": Place.BANKER_1,
    "B2": Place.BANKER_2,
    "B3": Place.BANKER_3,
    "burn": Place.BURN_FIRST,
    "burned": Place.BURN,
    "extra": Place.BURN_EXTRA,
    "out": Place.OUTSIDE,
    "more": Place.PLAYER_MORE,
    "unclaimed": Place.UNCLAIMED,
}
PLAYER_PAIR: Final = "P-pair"
BANKER_PAIR: Final = "B-pair"


def burn(read: Reading) -> Burn:
    first = read.card()
    if read.take("+"):
        count = read.number("number of cards", 0, FURTHER_MAX)
        return Burn(first, (None,) * count)
    further: list[Card | None] = []
    if read.take(":"):
        further.append(read.card())
        while read.next() is not None:
            further.append(read.card())
    return Burn(first, tuple(further))


def hand_card(read: Reading, word: str) -> HandCard:
    """A card of the hand that `word` (P, P1, B3 and so on) names."""
    return HandCard(HAND_LETTERS[word[0]], int(word[1:] or 0), read.card())


def due_card(read: Reading) -> DueCard:
    return DueCard(read.card())


def placed_card(read: Reading, word: str) -> CardDrawn:
    place = _further(read) if word == "more" else PLACE_WORDS[word]
    return CardDrawn(read.card(), place)


def unclaimed_card(read: Reading) -> CardDrawn:
    card = read.card()
    back = read.text("back") if read.take("of") else ""
    return CardDrawn(card, Place.UNCLAIMED, back, again=read.take("again"))


def custody_found(read: Reading) -> CustodyFound:
    code = read.choice("finding", FindingCode)
    card = read.card()
    tag = read.text("tag") if read.take("tag") else ""
    back = read.text("back") if read.take("of") else ""
    read.need("at")
    step = read.text("step")
    read.need("because")
    return CustodyFound(Finding(code, step, read.text("detail"), card, tag, back))


def repeated_card(read: Reading) -> CardRepeated:
    word = read.one_of("place", tuple(PLACE_WORDS))
    place = _further(read) if word == "more" else PLACE_WORDS[word]
    return CardRepeated(read.card(), place)


def _further(read: Reading) -> Place:
    return Place.BANKER_MORE if read.take("banker") else Place.PLAYER_MORE


def result(read: Reading) -> ResultDeclared:
    outcome = read.choice("result", Outcome)
    pairs = tuple(read.parts(PLAYER_PAIR, BANKER_PAIR))
    return ResultDeclared(outcome, PLAYER_PAIR in pairs, BANKER_PAIR in pairs)


def lost(read: Reading) -> ReportsMissing:
    for loss in (Loss.UNPROVEN, Loss.UNREADABLE):
        if read.take(loss.value):
            return ReportsMissing(loss, 0)
    word = read.next()
    if word is None or not word.text[:1].isdigit():
        raise read.wrong("no loss", "a number from 1, unproven, unreadable", word)
    return ReportsMissing(Loss.GAP, read.number("number of reports", 1))


def day(read: Reading) -> GamingDayTurned:
    allowed = "a day such as 2026-11-21"
    return GamingDayTurned(read.matching("day", allowed, _is_day))


def _is_day(text: str) -> bool:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not text.replace("-", "").isdecimal():
        return False
    return text.isascii() and 1 <= int(parts[1]) <= 12 and 1 <= int(parts[2]) <= 31


def plain(read: Reading, word: str) -> Said:
    """Statements that say nothing beside themselves."""
    match word:
        case "cut":
            read.take("card")
            return CutCardDrawn()
        case "forced":
            read.need("exit")
            return CoupForcedOut()
        case "no":
            read.need("more", "bets")
            return NoMoreBetsCalled()
        case "stand-by":
            return ShoeStandsBy()
        case "program":
            return ProgramReplaced(read.text("version"))
        case _:
            assert word == "start", f"no plain statement begins with {word}"
            return ShoeDeviceStarted()
