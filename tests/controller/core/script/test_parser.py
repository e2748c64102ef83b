"""The parser of dealing scripts: every statement, and every error with its place."""

import pytest
from acts_of_people import acted
from hypothesis import given
from hypothesis import strategies as st

from controller.core.script.errors import ScriptError
from controller.core.script.parser import parse
from controller.core.script.statements import Burn, DueCard, HandCard
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    GamingDayChanged,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.rules.actions.actions import (
    CallNoMoreBets,
    ChangeSetting,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    DeclareResult,
    DocumentVigorish,
    GiveNotice,
    GiveUpReveal,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import Wager, WagerKind

SEVEN, TWO, KING = Card.parse("7h"), Card.parse("2c"), Card.parse("Kd")
HALF_AN_HOUR_NS = 1_800_000_000_000


def body_of(text: str) -> object:
    (statement,) = parse(text)
    return statement.body


def problems(text: str) -> list[str]:
    with pytest.raises(ScriptError) as refused:
        parse(text)
    return str(refused.value).splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("burn 7h", Burn(SEVEN, ())),
        ("burn 7h + 2", Burn(SEVEN, (None, None))),
        ("burn 7h+2", Burn(SEVEN, (None, None))),
        ("burn ?? + 1", Burn(None, (None,))),
        ("burn 7h: 2c ??", Burn(SEVEN, (TWO, None))),
        ("P 7h", HandCard(HandName.PLAYER, 0, SEVEN)),
        ("B ??", HandCard(HandName.BANKER, 0, None)),
        ("P3 Kd", HandCard(HandName.PLAYER, 3, KING)),
        ("B1 10d", HandCard(HandName.BANKER, 1, Card.parse("10d"))),
        ("card 7h", DueCard(SEVEN)),
        ("more 7h", CardDrawn(SEVEN, Place.PLAYER_MORE)),
        ("more banker 7h", CardDrawn(SEVEN, Place.BANKER_MORE)),
        ("out 7h", CardDrawn(SEVEN, Place.OUTSIDE)),
        ("extra 7h", CardDrawn(SEVEN, Place.BURN_EXTRA)),
        ("burned 7h", CardDrawn(SEVEN, Place.BURN)),
        ("again P1 7h", CardRepeated(SEVEN, Place.PLAYER_1)),
        ("again burn 7h", CardRepeated(SEVEN, Place.BURN_FIRST)),
        ("again more banker ??", CardRepeated(None, Place.BANKER_MORE)),
        ("cut", CutCardDrawn()),
        ("cut card", CutCardDrawn()),
        ("result tie", ResultDeclared(Outcome.TIE, False, False)),
        ("result player P-pair", ResultDeclared(Outcome.PLAYER, True, False)),
        ("result banker B-pair P-pair", ResultDeclared(Outcome.BANKER, True, True)),
        ("forced exit", CoupForcedOut()),
        ("stand-by", ShoeStandsBy()),
        ("start", ShoeDeviceStarted()),
        ("lost 2", ReportsMissing(Loss.GAP, 2)),
        ("lost unproven", ReportsMissing(Loss.UNPROVEN, 0)),
        ("lost unreadable", ReportsMissing(Loss.UNREADABLE, 0)),
        ("lost not_judged", ReportsMissing(Loss.NOT_JUDGED, 0)),
        ("no more bets", acted(CallNoMoreBets(), "Dee Dealer", role="dealer")),
        ("day 2026-11-22", GamingDayChanged("2026-11-22")),
        ("program 2.0", ProgramReplaced("2.0")),
    ],
)
def test_statements_about_cards_and_the_shoe_parse(text: str, expected: object) -> None:
    assert body_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("found face up", acted(ReportFaceUp(), "Dee Dealer", role="dealer")),
        ("turn player", acted(ReportTurned(LayoutPart.PLAYER_HAND), "Dee Dealer", role="dealer")),
        (
            "turn banker third",
            acted(ReportTurned(LayoutPart.BANKER_THIRD), "Dee Dealer", role="dealer"),
        ),
        ("turn error", acted(ReportTurned(LayoutPart.ERROR_CARD), "Dee Dealer", role="dealer")),
        (
            "give up player",
            acted(GiveUpReveal(HandName.PLAYER, by_order=False), "Pat Chen", role="dealer"),
        ),
        (
            'give up banker by order by "Bo Ray" because slow',
            acted(
                GiveUpReveal(HandName.BANKER, by_order=True), "Bo Ray", reason="slow", role="dealer"
            ),
        ),
        ("ghost hand", acted(RequestGhostHand(), "Dee Dealer", role="dealer")),
        (
            "correct coup 3 to tie",
            acted(CorrectCoup(3, Outcome.TIE, "Dee Dealer"), "Ann Lee", reason="seen on the film"),
        ),
        (
            'correct coup 3 of shoe 2 to tie because "film" second "Bo Ray" by "Cy Fox"',
            acted(CorrectCoup(3, Outcome.TIE, "Bo Ray", 2), "Cy Fox", reason="film"),
        ),
        ("record inspected", acted(RecordAct(ActKind.INSPECTED), "Dee Dealer", role="dealer")),
        (
            (
                'record cut-moved batch red seat 4 amount 180 reference "W 7" second "Bo Ray"'
                ' as floorperson because "too deep"'
            ),
            acted(
                RecordAct(ActKind.CUT_MOVED, "red", 4, 180, "W 7", "Bo Ray"),
                "Ann Lee",
                reason="too deep",
            ),
        ),
        (
            "wagers 5 banker 100.00, 3 tie 25",
            acted(
                StateWagers((Wager(5, WagerKind.BANKER, 10000), Wager(3, WagerKind.TIE, 2500))),
                "Dee Dealer",
                role="dealer",
            ),
        ),
        ("wagers none by Eve", acted(StateWagers(()), "Eve", role="dealer")),
        ("collect 5", acted(CollectVigorish(5), "Dee Dealer", role="dealer")),
        ("leave 5", acted(VacateSeat(5), "Dee Dealer", role="dealer")),
        (
            'document 5 form 1001 patron "" clerk Cy unsigned because "he left" void',
            acted(
                DocumentVigorish(5, 1001, "", "Dee Dealer", "Cy", patron_signed=False, void=True),
                "Ann Lee",
                reason="he left",
            ),
        ),
        (
            "notice vig_rate 4 to players",
            acted(GiveNotice("vig_rate", "4", "players"), "Ann Lee"),
        ),
        (
            'set none_six_odds 1:2 at +30min because "agreed"',
            acted(
                ChangeSetting("none_six_odds", "1:2"),
                "Ann Lee",
                reason="agreed",
                at_ns=HALF_AN_HOUR_NS,
            ),
        ),
        (
            "resolve continue",
            acted(
                Resolution(FloorDecision.CONTINUE, None, None),
                "Ann Lee",
                reason="seen on the layout",
            ),
        ),
        (
            'resolve state-outcome tie take-over by "Bo Ray" because "seen"',
            acted(
                Resolution(FloorDecision.STATE_OUTCOME, Provisional.TAKE_OVER, Outcome.TIE),
                "Bo Ray",
                reason="seen",
            ),
        ),
        (
            "declare-result player_pair yes outcome tie",
            acted(DeclareResult(Outcome.TIE, player_pair=True), "Dee Dealer", role="dealer"),
        ),
        (
            'declare-result outcome banker as floorperson because "button broken"',
            acted(DeclareResult(Outcome.BANKER), "Ann Lee", reason="button broken"),
        ),
        ("close shoe", acted(CloseShoe(), "Ann Lee", reason="dead table")),
    ],
)
def test_people(text: str, expected: object) -> None:
    assert body_of(text) == expected


@pytest.mark.parametrize(
    "decision", [d for d in FloorDecision if d is not FloorDecision.STATE_OUTCOME]
)
def test_every_decision_parses(decision: FloorDecision) -> None:
    resolved = body_of(f"resolve {decision.value}")

    assert isinstance(resolved, OperatorAction)
    assert isinstance(resolved.action, Resolution)
    assert resolved.action.decision is decision


@pytest.mark.parametrize("kind", ActKind)
def test_every_act_parses(kind: ActKind) -> None:
    recorded = body_of(f"record {kind.value}")

    assert isinstance(recorded, OperatorAction)
    assert recorded.action == RecordAct(kind)


def test_a_semicolon_or_the_end_of_the_line_ends_a_statement_with_its_line_and_column() -> None:
    text = "start; cut ;\r\n# only this\n\n  stand-by # here\n;;no more bets;"

    places = [(one.line, one.column) for one in parse(text)]

    assert places == [(1, 1), (1, 8), (4, 3), (5, 3)]


def test_quotes_protect_separators_and_comment_signs() -> None:
    closed = body_of(r'close shoe by "A; B # \"C\" \\" because "+,:"')

    assert closed == acted(CloseShoe(), 'A; B # "C" \\', reason="+,:")


def test_a_statement_without_a_time_happens_at_the_last_time_given() -> None:
    first, second = parse("notice a 1 to x at +30min; set a 1")

    assert first.body.at.utc_ns == second.body.at.utc_ns == HALF_AN_HOUR_NS


CARD = (
    "a rank (A, 2 to 10, J, Q, K) and a suit (d, c, s, h) such as 7h, 10d, Qs, or ?? where it"
    " could not be read"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P Bx", f'1:3: "Bx" is not a valid card. Allowed: {CARD}. Remedy: write `P 7h`'),
        ("P 7H", f'1:3: "7H" is not a valid card. Allowed: {CARD}. Remedy: write `P 7h`'),
        ('P "7h"', f'1:3: "7h" is not a valid card. Allowed: {CARD}. Remedy: write `P 7h`'),
        ("P", f"1:2: the statement ends too early. Allowed: {CARD}. Remedy: write `P 7h`"),
        ("burn 7h +", "1:10: the statement ends too early. Allowed: a whole number from 0 to 416"),
        (
            "burn 7h + 417",
            '1:11: "417" is not a valid number of cards. Allowed: a whole number from 0',
        ),
        (
            "P 7h 8h",
            '1:6: "8h" is one word too many. Allowed: nothing more here. Remedy: write `P 7h`',
        ),
        ("P4 7h", '1:1: no statement begins with "P4". Allowed: burn, P, B, card,'),
        ("brun 7h", ". Remedy: write `burn 7h + 7`"),
        ("Player 7h", ". Remedy: write `P 7h`"),
        ("banker 10d", ". Remedy: write `B 10d`"),
        ("dealer off", ". Remedy: write `dealer-off`"),
        ('dealer off by "Dee Dealer"', '. Remedy: write `dealer-off by "Dee Dealer"`'),
        ("sing", ", or another of the 41 statements. Remedy: begin with one of them"),
        (
            "result noone",
            '1:8: "noone" is not a valid result. Allowed: player, banker, tie. Remedy: write',
        ),
        ("result tie P-pair P-pair", '1:19: "P-pair" is given twice. Allowed: each part once'),
        (
            "no bets",
            '1:4: "bets" is not expected here. Allowed: more. Remedy: write `no more bets`',
        ),
        ("lost some", '1:6: "some" is not a valid loss. Allowed: a number from 1, unproven, unr'),
        ("lost 0", '1:6: "0" is not a valid number of reports. Allowed: a whole number from 1'),
        ("day 2026-13-01", '1:5: "2026-13-01" is not a valid day. Allowed: a day such as 2026-11-'),
        ("wagers 5 banker 0.00", '1:17: "0.00" is not a valid amount. Allowed: more than 0, such'),
        ("wagers 5 banker 1.5", '1:17: "1.5" is not a valid amount'),
        ("wagers 0 banker 1", '1:8: "0" is not a valid seat. Allowed: a whole number from 1 to 99'),
        (
            "wagers 5 bnker 1",
            '1:10: "bnker" is not a valid wager. Allowed: banker, player, tie, bon',
        ),
        ("wagers 5 bnker 1", "total_6. Remedy: write `wagers 5 banker`"),
        ("wagers 5 chair 1", "total_6. Remedy: write one of them"),
        (
            "notice a 1 to x at +3y",
            "at most +9999999s. Remedy: write `notice a 1 to x at + 30min`",
        ),
        ("record sung", '1:8: "sung" is not a valid act. Allowed: odds-posted, '),
        ("record cut by Eve as king", '1:22: "king" is not a valid role. Allowed: dealer, floor'),
        ("resolve forget", '1:9: "forget" is not a valid decision. Allowed: continue, '),
        ("resolve state-outcome", "1:22: the statement ends too early. Allowed: player, banker"),
        ("resolve continue tie", '1:18: "tie" is not expected here. Allowed: second, by, because'),
        ("notice a 1 to x at 30", '1:20: "30" is not expected here. Allowed: +'),
        (
            "notice a 1 to x at +3y",
            '1:21: "3y" is not a valid time. Allowed: +0, +90s, +30min, +2h',
        ),
        ("notice a , to x", '1:10: "," is not a valid value. Allowed: one word, or several in'),
        ('close shoe by "Ann', "1:15: this quote is not closed"),
        ('close shoe by "\t"', "1:15: a text is printable and has at most 500 characters"),
    ],
)
def test_an_error_has_its_place_and_what_is_allowed(text: str, expected: str) -> None:
    (problem,) = problems(text)

    assert problem.startswith("script:")
    assert expected in problem


def test_every_error_of_a_script_is_reported_in_order() -> None:
    found = problems('P 7x; B 2c; shuffle\nstart\n  close shop; out "')

    assert [problem.split(": ")[0] for problem in found] == [
        "script:1:3",
        "script:1:13",
        "script:3:9",
        "script:3:19",
    ]


def test_an_error_names_the_file() -> None:
    with pytest.raises(ScriptError, match=r"^evening\.script:1:1: "):
        parse("shuffle", "evening.script")


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text('PB7h;"# +:,\n\\curnate'))
def test_any_text_parses_or_gives_a_list_of_errors(text: str) -> None:
    lines = text.split("\n")
    try:
        places = [(one.line, one.column) for one in parse(text)]
    except ScriptError as error:
        places = [(one.line, one.column) for one in error.problems]
    assert all(1 <= column <= len(lines[line - 1]) + 1 for line, column in places)
    assert places == sorted(places)


# --- too much -------------------------------------------------------------------------------------

TOO_MUCH = "Allowed: at most so many. Remedy: divide it"


def test_a_script_of_twenty_thousand_statements_is_read_and_one_more_is_refused() -> None:
    coups = "P 9h; B 2c\n" * 10_000

    assert len(parse(coups)) == 20_000
    assert problems(f"{coups}no-more-bets; P 9h") == [
        f"script:10001:1: the script has more than 20000 statements. {TOO_MUCH}"
    ]


def test_lines_that_cannot_be_split_count_as_statements() -> None:
    assert problems('"\n' * 20_001) == [
        f"script:20001:1: the script has more than 20000 statements. {TOO_MUCH}"
    ]


def test_a_script_of_a_mebibyte_is_read_and_a_longer_one_is_refused() -> None:
    card = "P 9h\n"
    # An umlaut has two bytes.
    comment = "#" + "ä" * ((1 << 20) - len(card) - 1 >> 1)

    assert len(parse(card + comment)) == 1
    assert problems(card + comment + "##") == [
        f"script:2:1: the script has more than 1048576 bytes. {TOO_MUCH}"
    ]
