"""Reads statements about cards, the shoe and the declared result.

Source: controller/script/README.md, "Statements".
"""

from typing import Final

from controller.custody.findings import Finding, FindingCode
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CustodyFindingRaised,
    CutCardDrawn,
    GamingDayChanged,
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
from controller.script.statement_reader import StatementReader
from controller.script.statements import FURTHER_MAX, Burn, DueCard, HandCard, StatementBody

HAND_LETTERS: Final = {"P": HandName.PLAYER, "B": HandName.BANKER}
# The word for each place.
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


def read_burn(reader: StatementReader) -> Burn:
    first = reader.card()
    if reader.accept("+"):
        count = reader.number("number of cards", 0, FURTHER_MAX)
        return Burn(first, (None,) * count)
    further: list[Card | None] = []
    if reader.accept(":"):
        further.append(reader.card())
        while reader.peek() is not None:
            further.append(reader.card())
    return Burn(first, tuple(further))


def read_hand_card(reader: StatementReader, word: str) -> HandCard:
    """A card of the hand that `word` names: P, P1, B3 and so on."""
    return HandCard(HAND_LETTERS[word[0]], int(word[1:] or 0), reader.card())


def read_due_card(reader: StatementReader) -> DueCard:
    return DueCard(reader.card())


def read_placed_card(reader: StatementReader, word: str) -> CardDrawn:
    place = _further(reader) if word == "more" else PLACE_WORDS[word]
    return CardDrawn(reader.card(), place)


def read_unclaimed_card(reader: StatementReader) -> CardDrawn:
    card = reader.card()
    back = reader.text("back") if reader.accept("of") else ""
    return CardDrawn(card, Place.UNCLAIMED, back, again=reader.accept("again"))


def read_custody_finding(reader: StatementReader) -> CustodyFindingRaised:
    code = reader.choice("finding", FindingCode)
    card = reader.card()
    tag = reader.text("tag") if reader.accept("tag") else ""
    back = reader.text("back") if reader.accept("of") else ""
    reader.expect("at")
    step = reader.text("step")
    reader.expect("because")
    return CustodyFindingRaised(Finding(code, step, reader.text("detail"), card, tag, back))


def read_repeated_card(reader: StatementReader) -> CardRepeated:
    word = reader.one_of("place", tuple(PLACE_WORDS))
    place = _further(reader) if word == "more" else PLACE_WORDS[word]
    return CardRepeated(reader.card(), place)


def _further(reader: StatementReader) -> Place:
    return Place.BANKER_MORE if reader.accept("banker") else Place.PLAYER_MORE


def read_result(reader: StatementReader) -> ResultDeclared:
    outcome = reader.choice("result", Outcome)
    pairs = tuple(reader.parts(PLAYER_PAIR, BANKER_PAIR))
    return ResultDeclared(outcome, PLAYER_PAIR in pairs, BANKER_PAIR in pairs)


def read_lost(reader: StatementReader) -> ReportsMissing:
    for loss in (Loss.UNPROVEN, Loss.UNREADABLE):
        if reader.accept(loss.value):
            return ReportsMissing(loss, 0)
    word = reader.peek()
    if word is None or not word.text[:1].isdigit():
        raise reader.error("is not a valid loss", "a number from 1, unproven, unreadable", word)
    return ReportsMissing(Loss.GAP, reader.number("number of reports", 1))


def read_day(reader: StatementReader) -> GamingDayChanged:
    allowed = "a day such as 2026-11-21"
    return GamingDayChanged(reader.matching("day", allowed, _is_day))


def _is_day(text: str) -> bool:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not text.replace("-", "").isdecimal():
        return False
    return text.isascii() and 1 <= int(parts[1]) <= 12 and 1 <= int(parts[2]) <= 31


def read_plain(reader: StatementReader, word: str) -> StatementBody:
    """A statement that is selected by its first word alone."""
    match word:
        case "cut":
            reader.accept("card")
            return CutCardDrawn()
        case "forced":
            reader.expect("exit")
            return CoupForcedOut()
        case "no":
            reader.expect("more", "bets")
            return NoMoreBetsCalled()
        case "stand-by":
            return ShoeStandsBy()
        case "program":
            return ProgramReplaced(reader.text("version"))
        case _:
            assert word == "start", f"no statement begins with {word}"
            return ShoeDeviceStarted()
