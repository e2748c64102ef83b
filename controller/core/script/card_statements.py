"""Reads and writes statements about cards, the shoe and the declared result."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import (
    FURTHER_MAX,
    UNREAD,
    Burn,
    DueCard,
    HandCard,
    StatementBody,
)
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.custody.findings import Finding, FindingCode
from controller.procedure.events import (
    AdvisoryRaised,
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CustodyFindingRaised,
    CutCardDrawn,
    GamingDayChanged,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.rules.advisory import AdvisoryKind
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.system.messages.catalogue import to_words
from foundation.message import message

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


def _read_burn(reader: StatementReader) -> Burn:
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


def _read_hand_card(reader: StatementReader) -> HandCard:
    """A card of the hand that the first word names: P, P1, B3 and so on."""
    word = reader.first
    return HandCard(HAND_LETTERS[word[0]], int(word[1:] or 0), reader.card())


def _read_due_card(reader: StatementReader) -> DueCard:
    return DueCard(reader.card())


def _read_placed_card(reader: StatementReader) -> CardDrawn:
    word = reader.first
    place = _further(reader) if word == "more" else PLACE_WORDS[word]
    return CardDrawn(reader.card(), place)


def _read_unclaimed_card(reader: StatementReader) -> CardDrawn:
    card = reader.card()
    back = reader.text("back") if reader.accept("of") else ""
    return CardDrawn(card, Place.UNCLAIMED, back, again=reader.accept("again"))


def _read_custody_finding(reader: StatementReader) -> CustodyFindingRaised:
    code = reader.choice("finding", FindingCode)
    card = reader.card()
    tag = reader.text("tag") if reader.accept("tag") else ""
    back = reader.text("back") if reader.accept("of") else ""
    reader.expect("at")
    step = message("as_typed", typed=reader.text("step"))
    reader.expect("because")
    detail = message("as_typed", typed=reader.text("detail"))
    return CustodyFindingRaised(Finding(code, step, detail, card, tag, back))


def _read_advisory(reader: StatementReader) -> AdvisoryRaised:
    kind = reader.choice("kind of advisory", AdvisoryKind)
    reader.expect("because")
    return AdvisoryRaised(kind, message("as_typed", typed=reader.text("detail")))


def _read_repeated_card(reader: StatementReader) -> CardRepeated:
    word = reader.one_of("place", tuple(PLACE_WORDS))
    place = _further(reader) if word == "more" else PLACE_WORDS[word]
    return CardRepeated(reader.card(), place)


def _further(reader: StatementReader) -> Place:
    return Place.BANKER_MORE if reader.accept("banker") else Place.PLAYER_MORE


def _read_result(reader: StatementReader) -> ResultDeclared:
    outcome = reader.choice("result", Outcome)
    pairs = tuple(reader.parts(PLAYER_PAIR, BANKER_PAIR))
    return ResultDeclared(outcome, PLAYER_PAIR in pairs, BANKER_PAIR in pairs)


def _read_lost(reader: StatementReader) -> ReportsMissing:
    for loss in (Loss.UNPROVEN, Loss.UNREADABLE, Loss.NOT_JUDGED):
        if reader.accept(loss.value):
            return ReportsMissing(loss, 0)
    word = reader.peek()
    if word is None or not word.text[:1].isdigit():
        raise reader.error(
            "is not a valid loss",
            "a number from 1, unproven, unreadable, not_judged",
            word,
            valid="1",
        )
    return ReportsMissing(Loss.GAP, reader.number("number of reports", 1))


def _read_day(reader: StatementReader) -> GamingDayChanged:
    allowed = "a day such as 2026-11-21"
    return GamingDayChanged(reader.matching("day", allowed, _is_day, "2026-11-21"))


def _is_day(text: str) -> bool:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not text.replace("-", "").isdecimal():
        return False
    return text.isascii() and 1 <= int(parts[1]) <= 12 and 1 <= int(parts[2]) <= 31


def _read_cut(reader: StatementReader) -> CutCardDrawn:
    reader.accept("card")
    return CutCardDrawn()


def _read_forced_exit(reader: StatementReader) -> CoupForcedOut:
    reader.expect("exit")
    return CoupForcedOut()


def _read_program(reader: StatementReader) -> ProgramReplaced:
    return ProgramReplaced(reader.text("version"))


# --- writing --------------------------------------------------------------------------------------


def _card(card: Card | None) -> str:
    return str(card) if card is not None else UNREAD


def _place(place: Place) -> str:
    if place is Place.BANKER_MORE:
        return "more banker"
    return next(word for word, named in PLACE_WORDS.items() if named is place)


def _burn_text(body: Burn) -> str:
    if not body.further:
        return f"burn {_card(body.first)}"
    if all(card is None for card in body.further):
        return f"burn {_card(body.first)} + {len(body.further)}"
    return f"burn {_card(body.first)}: {' '.join(map(_card, body.further))}"


def _hand_card_text(body: HandCard) -> str:
    letter = next(key for key, hand in HAND_LETTERS.items() if hand is body.hand)
    return f"{letter}{body.number or ''} {_card(body.card)}"


def _drawn_text(body: CardDrawn) -> str:
    of_back = f" of {quote_if_needed(body.back)}" if body.back else ""
    again = " again" if body.again else ""
    return f"{_place(body.claimed)} {_card(body.card)}{of_back}{again}"


def _custody_text(body: CustodyFindingRaised) -> str:
    found = body.finding
    parts = [f"custody {found.code.value} {_card(found.card)}"]
    if found.tag:
        parts.append(f"tag {quote_if_needed(found.tag)}")
    if found.back:
        parts.append(f"of {quote_if_needed(found.back)}")
    parts.append(
        f"at {quote_text(to_words(found.step))} because {quote_text(to_words(found.detail))}"
    )
    return " ".join(parts)


def _result_text(body: ResultDeclared) -> str:
    pairs = f" {PLAYER_PAIR}" * body.player_pair + f" {BANKER_PAIR}" * body.banker_pair
    return f"result {body.outcome.value}{pairs}"


def _advisory_text(body: AdvisoryRaised) -> str:
    return f"advisory {body.kind.value} because {quote_text(to_words(body.detail))}"


def _lost_text(body: ReportsMissing) -> str:
    return f"lost {body.count_min if body.loss is Loss.GAP else body.loss.value}"


CARD_FORMS: Final = (
    StatementForm(
        "burn",
        "burn 7h + 7",
        "the first burn card, and 7 more whose faces are not given",
        _read_burn,
    ),
    StatementForm(
        "P",
        "P 7h",
        "a card the shoe claims for the Player; P1 to P3 give the number",
        _read_hand_card,
        ("P1", "P2", "P3"),
        ("Player",),
    ),
    StatementForm(
        "B",
        "B 2c",
        "a card the shoe claims for the Banker; B1 to B3 give the number",
        _read_hand_card,
        ("B1", "B2", "B3"),
        ("Banker",),
    ),
    StatementForm(
        "card", "card 7h", "a card without a claim: it takes the place that is due", _read_due_card
    ),
    StatementForm(
        "more",
        "more banker 7h",
        "a card the shoe claims to be beyond the third of a hand",
        _read_placed_card,
    ),
    StatementForm(
        "out",
        "out 7h",
        "a card that left the shoe while the shoe considered play stopped",
        _read_placed_card,
    ),
    StatementForm(
        "extra",
        "extra 7h",
        "a card the shoe claims to be burned outside the count",
        _read_placed_card,
    ),
    StatementForm(
        "burned",
        "burned 7h",
        "a single card the shoe claims to be a counted burn card",
        _read_placed_card,
    ),
    StatementForm(
        "unclaimed",
        "unclaimed 7h of red",
        "a card of a shoe that claims no place; its back",
        _read_unclaimed_card,
    ),
    StatementForm(
        "custody",
        'custody FOREIGN_CARD 7h tag E00401 of red at "coup 3" because "in no manifest"',
        "custody has found a wrong card",
        _read_custody_finding,
    ),
    StatementForm(
        "again", "again P1 7h", "the shoe repeats its report of a card", _read_repeated_card
    ),
    StatementForm("cut", "cut", "a cut card left the shoe", _read_cut),
    StatementForm("result", "result player P-pair", "the dealer declared the result", _read_result),
    StatementForm(
        "forced exit",
        "forced exit",
        "the dealer left the coup by the shoe's forced exit",
        _read_forced_exit,
    ),
    StatementForm("stand-by", "stand-by", "the shoe waits between coups", lambda _: ShoeStandsBy()),
    StatementForm(
        "start", "start", "the shoe started, or was reset", lambda _: ShoeDeviceStarted()
    ),
    StatementForm(
        "lost",
        "lost 2",
        "reports are missing: how many at least, unproven or unreadable",
        _read_lost,
    ),
)
HOUSE_FORMS: Final = (
    StatementForm("day", "day 2026-11-21", "the gaming day the next shoe belongs to", _read_day),
    StatementForm(
        "advisory",
        'advisory order because "as new decks"',
        "a monitor gave an advisory; it counts where the profile lets its kind suspend the table",
        _read_advisory,
    ),
    StatementForm(
        "program",
        "program 2.0",
        "another software version takes over with a shoe open",
        _read_program,
    ),
)
CARD_TEXTS: Final[Mapping[type[StatementBody], Callable[[Any], str]]] = MappingProxyType(
    {
        Burn: _burn_text,
        HandCard: _hand_card_text,
        DueCard: lambda body: f"card {_card(body.card)}",
        CardDrawn: _drawn_text,
        CustodyFindingRaised: _custody_text,
        CardRepeated: lambda body: f"again {_place(body.claimed)} {_card(body.card)}",
        CutCardDrawn: lambda _: "cut",
        ResultDeclared: _result_text,
        CoupForcedOut: lambda _: "forced exit",
        ShoeStandsBy: lambda _: "stand-by",
        ShoeDeviceStarted: lambda _: "start",
        ReportsMissing: _lost_text,
        GamingDayChanged: lambda body: f"day {body.day}",
        AdvisoryRaised: _advisory_text,
        ProgramReplaced: lambda body: f"program {quote_if_needed(body.software)}",
    }
)
