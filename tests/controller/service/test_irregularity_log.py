"""The log lines of irregularities, decisions and suspensions; they disclose no unseen card."""

import logging
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from controller.core.core import account_record
from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import AccountChange, AccountChanged
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.actions.actions import CallNoMoreBets, OperatorAction
from controller.rules.actions.declaration import Proof, Role
from controller.rules.profiles.load import load_profile
from controller.service.irregularity_log import IrregularityLog
from drivers.shoes.models import ANGEL_EYE_II_EX
from foundation.timestamp import Timestamp

AT = Timestamp(1, 2)
SUSPENDED = (
    "the table is suspended: no further card until a floorperson decides; `smartshoe resolve`"
    " lists what is open"
)
PLAYING = "the table is no longer suspended"
BURN = "burn Ac + 1; "
# A natural against seven, then a card that no hand is due.
OVERDRAW = "P 9h; B 2d; P Kc; B 5s; P 3c"
MISPLACED = "P 9h; B 7c; P Kd; P3 Kh"
TIE = "P1 7h; B 7c; P Kd; B Kh; result tie"


@pytest.fixture(autouse=True)
def _capture(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "smartshoe")


def book_of(profile: str, *observed: ObservableFact) -> RuleBook:
    return RuleBook.of(load_profile(profile), 8, (ObservableFact.RESULT_BUTTON, *observed))


def transaction(book: RuleBook, played: Sequence[PlayedStatement], role: Role) -> Stored:
    """These statements as one durable transaction; its actions are of a person with this role."""
    item = OperatorAction(AT, "Ann Lee", role, "test", CallNoMoreBets(), "the 7h lay open")
    conclusions = tuple(
        Conclusion(item, (EventVerdicts(one.events[-1], one.verdicts), *one.effects))
        for one in played
    )
    driver = ANGEL_EYE_II_EX.build().initial()
    return Stored(conclusions, (), AT, CoreState("", None, played[-1].state, driver), book)


def logged(
    caplog: pytest.LogCaptureFixture,
    script: str,
    book: RuleBook,
    role: Role = Role.FLOORPERSON,
    begun_at: int = 0,
) -> list[str]:
    """The lines of a script stored statement by statement; the first `begun_at` are one start."""
    caplog.clear()
    log, played = IrregularityLog(), play(book, parse(script))
    parts = [played[:begun_at], *([one] for one in played[begun_at:])]
    for part in filter(None, parts):
        log.stored(transaction(book, part, role))
    assert {(one.levelname, one.name) for one in caplog.records} <= {
        ("WARNING", "smartshoe.irregularities")
    }
    return [one.getMessage() for one in caplog.records]


def test_a_clean_coup_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert logged(caplog, f"{BURN}{TIE}; {TIE}", book_of("s42-mini")) == []


def test_an_irregularity_its_suspension_and_the_decision_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; result player; resolve continue"

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "irregularity 1 CLAIM_DIFFERS, coup 1: the shoe reports another place for the card than"
            " the order of drawing gives; clauses S42-g-3-player, S42-g-3-banker; suspends the"
            " table"
        ),
        SUSPENDED,
        (
            "continue decided by Ann Lee (floorperson, not proved), closes irregularity 1; no"
            " card dealt while suspended"
        ),
        PLAYING,
    ]


def test_cards_dealt_while_suspended_are_counted_in_the_line_of_the_decision(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; result player; {TIE}; P1 7h; B 7c; resolve continue take-over"

    assert logged(caplog, script, book_of("s42-mini"), Role.PIT_MANAGER)[2:] == [
        (
            "irregularity 2 DEALT_WHILE_SUSPENDED, coup 2: cards were dealt while the table was"
            " suspended; clauses S42-f-1-shoe; raised while the table is suspended"
        ),
        (
            "continue decided by Ann Lee (pit manager, not proved), closes irregularities 1 to"
            " 2; take-over: 6 cards in 2 coups dealt while suspended"
        ),
        PLAYING,
    ]


def test_the_stated_outcome_of_a_partial_coup_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}P 7h; lost 1; resolve state-outcome banker"

    assert logged(caplog, script, book_of("s42-mini"))[2:] == [
        (
            "state-outcome banker decided by Ann Lee (floorperson, not proved), closes"
            " irregularity 1; no card dealt while suspended"
        ),
        PLAYING,
    ]


def test_an_irregularity_that_does_not_suspend_says_so(caplog: pytest.LogCaptureFixture) -> None:
    script = f"{BURN}{TIE}; result tie; resolve continue"

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "irregularity 1 RESULT_WITHOUT_COUP, between coups: a result was declared with no coup"
            " on the table; clauses S42-j-1-final; does not suspend the table"
        ),
        (
            "continue decided by Ann Lee (floorperson, not proved), closes irregularity 1; no"
            " card dealt while suspended"
        ),
    ]


def test_a_decision_that_is_refused_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    lines = logged(caplog, f"{BURN}{MISPLACED}; P 3c; resolve continue", book_of("s42-mini"))

    assert lines[1] == SUSPENDED
    assert not [one for one in lines if "decided" in one or one == PLAYING]


def test_a_table_that_the_decision_suspends_again_is_logged_as_suspended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{TIE}; close shoe; P1 2h; start; start; P1 3c; resolve close-shoe void"

    assert logged(caplog, script, book_of("s42-mini"))[3:] == [
        (
            "close-shoe decided by Ann Lee (floorperson, not proved), closes irregularities 1 to"
            " 2; void: 1 card dealt while suspended"
        ),
        (
            "irregularity 3 SHOE_JOINED, between coups: the program joined a shoe that was already"
            " in play; clauses S42-e-6-load, S42-e-6-burn1; suspends the table"
        ),
        SUSPENDED,
    ]


def test_a_table_left_suspended_is_logged_at_the_next_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    book = book_of("s42-mini")
    played = play(book, parse(f"{BURN}{MISPLACED}; result player; P1 7h; B 7c; no more bets"))
    IrregularityLog().stored(transaction(book, played[-1:], Role.DEALER))

    assert [one.getMessage() for one in caplog.records] == [
        (
            "the table is still suspended: 2 irregularities open, 2 cards in 1 coup dealt while"
            " suspended"
        )
    ]


def test_a_start_that_suspends_the_table_is_logged_as_its_suspension(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}P 9h; program 0.8.0"
    lines = logged(caplog, script, book_of("s42-mini"), begun_at=len(parse(script)))

    assert lines[-1] == SUSPENDED


def test_an_irregularity_and_its_decision_in_one_transaction_are_logged_in_their_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; resolve continue"
    lines = logged(caplog, script, book_of("s42-mini"), begun_at=len(parse(script)))

    assert [one.split()[0] for one in lines] == ["irregularity", "continue", "the"]
    assert lines[-1] == PLAYING


# --- disclosure -----------------------------------------------------------------------------------

NATURAL = "P 9h; B 2d; P Kc; B 5s; P 3c"
BOTH_STAND = "P 7h; B 7d; P Kc; B Ks; P 8c"


def test_hands_that_lie_face_down_have_the_same_lines(caplog: pytest.LogCaptureFixture) -> None:
    book = book_of("ny-midi")
    scripts = [f"{BURN}{cards}; resolve void-coup" for cards in (NATURAL, BOTH_STAND)]
    one, other = (logged(caplog, script, book) for script in scripts)

    assert one == other
    assert one[0].endswith(
        "clauses S42-h-4 (borrowed, X-8), NY-j, S42-k-2-carry (borrowed, X-26),"
        " S42-k-2-burn (borrowed, X-26); suspends the table"
    )


def test_the_clauses_of_cards_are_logged_once_people_have_seen_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    down = f"{BURN}P 9h; B 2d; P Kc; B 5s; "
    book = book_of("ny-midi", ObservableFact.TURNED)
    hidden = logged(caplog, f"{down}P 3c", book)[0]
    seen = logged(caplog, f"{down}turn player; turn banker; P 3c", book)[0]

    assert hidden != seen
    assert set(hidden.replace(";", ",").split(", ")) < set(seen.replace(";", ",").split(", "))


def test_no_line_has_a_reason_or_the_sentence_of_an_irregularity(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f'{BURN}{OVERDRAW}; resolve burn-card because "the 3c lay open"'
    text = "\n".join(logged(caplog, script, book_of("s42-mini")))

    assert not [one for one in ("9h", "3c", "lay open", "Kc") if one in text]


def test_a_correction_is_logged_with_both_persons(caplog: pytest.LogCaptureFixture) -> None:
    script = f'{BURN}{TIE}; correct coup 1 to player second "Bo Ray" because "the 7h lay open"'

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "coup 1 of shoe 1 of 2026-11-21 corrected to player by Ann Lee (floorperson, not"
            " proved) and Bo Ray (not proved), was tie"
        )
    ]


def test_a_changed_account_is_logged_without_a_name(caplog: pytest.LogCaptureFixture) -> None:
    person, book = "person-00112233aabb", book_of("s42-mini")
    locked = AccountChanged(AT, person, AccountChange.LOCKED, Role.DEALER, "", "uid-7", Proof.NONE)
    stored = transaction(book, play(book, parse(f"{BURN}{TIE}")), Role.DEALER)
    conclusion = Conclusion(locked, (account_record(locked),))
    caplog.clear()

    IrregularityLog().stored(replace(stored, conclusions=(conclusion,)))

    assert [one.getMessage() for one in caplog.records] == [
        f"account of {person}: locked, dealer, after wrong PINs from uid-7"
    ]
