"""What a table's people have to do, in words: each part of a status by itself.

Responsible for: what stands on the lines, and that an empty part has none.
Not responsible for: where the parts stand in the block (test_cli_status).
Source: controller/README.md, "Calls", "Dealing options and turning", "Opening to closing", "Wagers
and payment at the table".
"""

from collections.abc import Callable

import pytest

from controller.cli.table.status_tasks import (
    Typed,
    due_lines,
    irregularity_lines,
    opening_lines,
    turning_lines,
    wagering_lines,
)
from controller.views.snapshot_reader import Shown

SIGNED = "smartshoe resolve --socket s --by NAME --reason 'it lay open'"
TYPED = "smartshoe resolve --socket s --by NAME --reason WHY --decision burn-card --provisional"
PARTS = (due_lines, turning_lines, opening_lines, wagering_lines)
REMEDY = {
    "permitted": ["let the coup end", "burn it"],
    "forbidden": ["adding it to a hand"],
    "done": ["1 card drawn in error set aside"],
    "owed": [
        {"step": "decision", "count": 1, "text": "a floorperson's decision"},
        {"step": "burn", "count": 2, "text": "burn 2 cards, face up, before the next hand"},
    ],
    "decisions": [{"decision": "burn-card", "when": "the card was seen"}],
}
OPEN = {
    "irregularities": [
        {"number": 1, "code": "OVERDRAW", "title": "a card", "coup": 4, "clauses": ["S42-h-4"]}
    ],
    "remedy": REMEDY,
    "shoe": {"coups_begun": 4},
}
WAGERS = [
    {"seat": 3, "name": "Player", "amount": "50.00", "refused": ""},
    {"seat": 3, "name": "Tie", "amount": "5.00", "refused": ""},
    {"seat": 5, "name": "Dragon 7", "amount": "5.00", "refused": "not offered here"},
]
PAYMENT = {
    "coup": 4,
    "note": "the wager of seat 5 is returned",
    "steps": [{"text": "seat 5: take 100.00 from Banker"}, {"text": "seat 3: pay 50.00 on Player"}],
}
WINS = [
    {"name": "Banker", "verdict": "loses", "odds": None},
    {"name": "Player", "verdict": "wins", "odds": "1:1"},
    {"name": "Tie", "verdict": "pushes", "odds": None},
]
DUTIES = [
    {"act": "inspected", "text": "inspect every deck", "done": True, "observed": True},
    {"act": "shuffled", "text": "shuffle the cards", "done": False, "observed": False},
    {"act": "cut", "text": "have it cut", "done": False, "observed": True},
]


def wagering(**parts: object) -> dict[str, object]:
    return {"wagering": parts}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_an_empty_part_has_no_lines(part: Callable[[Shown], list[str]]) -> None:
    assert part(Shown({})) == []


def test_calls_stand_before_the_card_that_is_due() -> None:
    table = Shown({"due": "the result", "due_calls": ["announce: Banker 7", "announce: Tie"]})

    assert due_lines(table) == [
        "now        announce: Banker 7",
        "           announce: Tie",
        "due        the result",
    ]


def test_long_words_go_on_below_the_first() -> None:
    lines = due_lines(Shown({"due": "the next coup, then Player's first card"}), width=40)

    assert lines == ["due        the next coup, then Player's", "           first card"]


@pytest.mark.parametrize(
    ("reveal", "observed", "words"),
    [
        ({"by": "dealer"}, [], "Player's Hand: the dealer, Banker's Hand: the dealer"),
        (
            {"by": "patrons", "player_seat": 3, "banker_seat": 5},
            ["wagers"],
            "Player's Hand: seat 3, Banker's Hand: seat 5",
        ),
        (
            {"by": "patrons", "player_seat": 3, "banker_seat": None},
            ["wagers"],
            "Player's Hand: seat 3, Banker's Hand: the dealer",
        ),
        (
            {"by": "patrons", "player_seat": None, "banker_seat": None},
            [],
            "Player's Hand: the patron with the right, Banker's Hand: the patron with the right",
        ),
    ],
    ids=["dealer", "seats", "nobody bet on Banker", "wagers not known"],
)
def test_who_turns_which_hand(reveal: dict[str, object], observed: list[str], words: str) -> None:
    lying = {**reveal, "face_down": ["player_hand", "banker_hand"]}

    assert turning_lines(Shown({"reveal": lying, "observed": observed})) == [f"turned by  {words}"]


def test_a_hand_that_was_turned_is_not_to_be_turned() -> None:
    reveal = {"by": "dealer", "face_down": ["banker_third"], "turned": ["player_hand"]}

    assert turning_lines(Shown({"reveal": reveal})) == ["turned by  Banker's Hand: the dealer"]


def test_a_remedy_is_walked_through() -> None:
    assert irregularity_lines(Shown(OPEN), Typed(("--socket", "s"), reason="it lay open")) == [
        "OPEN       1 OVERDRAW, coup 4: a card",
        " clauses   S42-h-4",
        " permitted let the coup end",
        "           burn it",
        " forbidden adding it to a hand",
        " done      1 card drawn in error set aside",
        " owed      burn 2 cards, face up, before the next hand",
        "decide     the card was seen",
        f"             {SIGNED} --decision burn-card",
    ]


FOUND = {
    "code": "CARD_RETURNED",
    "step": "shoe 1, card 61, coup 9, Banker's first card",
    "detail": "it was in the discard rack, and came out of the shoe once more",
    "back": "red",
    "card": "9h",
    "tag": "E0040150000A0001",
}


@pytest.mark.parametrize(
    ("told", "card"),
    [
        ({}, [" card      9h, red back, tag E0040150000A0001"]),
        ({"card": "unread", "back": ""}, [" card      tag E0040150000A0001"]),
        ({"back": "", "tag": ""}, [" card      9h"]),
        ({"card": "??", "tag": ""}, [" card      red back"]),
    ],
    ids=["known", "foreign", "a shoe that reads faces", "not seen"],
)
def test_what_custody_found_is_told_with_step_and_proof(
    told: dict[str, str], card: list[str]
) -> None:
    found = {"number": 1, "code": "CARD_RETURNED", "title": "a card", "found": {**FOUND, **told}}

    assert irregularity_lines(Shown({"irregularities": [found]}), Typed())[2:] == [
        " found at  shoe 1, card 61, coup 9, Banker's first card",
        " proof     it was in the discard rack, and came out of the shoe once more",
        *card,
    ]


def test_irregularities_that_say_the_same_are_told_once() -> None:
    absent = {"code": "CARD_ABSENT", "title": "a card", "coup": 4, "clauses": ["S42-j-4"]}
    numbered = [{**absent, "number": 1}, {**absent, "number": 2, "coup": 5}]
    table = {"irregularities": [*numbered, {**absent, "number": 3}]}

    assert irregularity_lines(Shown(table), Typed()) == [
        "OPEN       1, 3 CARD_ABSENT, coup 4: a card",
        " clauses   S42-j-4",
        "OPEN       2 CARD_ABSENT, coup 5: a card",
        " clauses   S42-j-4",
    ]


def test_what_is_owed_stands_after_the_decision_too() -> None:
    table = Shown({**OPEN, "irregularities": []})

    assert irregularity_lines(table, Typed()) == [
        "owed       burn 2 cards, face up, before the next hand"
    ]


def test_the_burn_of_a_new_shoe_is_no_remedy() -> None:
    table = Shown({**OPEN, "irregularities": [], "shoe": {"coups_begun": 0}})

    assert irregularity_lines(table, Typed()) == []


def test_nothing_open_and_nothing_owed_has_no_lines() -> None:
    assert irregularity_lines(Shown({}), Typed()) == []


def test_cards_dealt_while_suspended_are_asked_for() -> None:
    lines = irregularity_lines(
        Shown({**OPEN, "provisional_needed": True}), Typed(("--socket", "s"))
    )

    assert " besides   cards were dealt while suspended: take them over, or void them" in lines
    assert lines[-2:] == [f"             {TYPED} take-over", f"             {TYPED} void"]


def test_between_shoes_the_duties_are_told() -> None:
    opening = {"duties": DUTIES, "batch": "red", "refused": []}

    assert opening_lines(Shown({"phase": "shoe_over", "opening": opening})) == [
        "next shoe  batch red; on record: inspected",
        " record    cut: have it cut",
        " to do     shuffled: shuffle the cards",
    ]


def test_in_play_only_what_was_done_or_refused_is_told() -> None:
    refused = [{"act": "cut", "detail": "3 cards from the end; at least 10"}]
    opening = {"duties": DUTIES, "batch": "", "refused": refused}

    assert opening_lines(Shown({"phase": "player_2", "opening": opening})) == [
        "next shoe  on record: inspected",
        " refused   cut: 3 cards from the end; at least 10",
    ]


def test_wagers_are_told_seat_by_seat_with_what_may_not_stand() -> None:
    assert wagering_lines(Shown(wagering(wagers=WAGERS, locked=True))) == [
        "wagers     seat 3 Player 50.00, Tie 5.00; seat 5 Dragon 7 5.00; they stand",
        " refused   seat 5: Dragon 7: not offered here",
    ]


def test_a_wager_by_word_of_mouth_is_told() -> None:
    table = wagering(verbal=[{"seat": 3, "amount": "50.00"}])

    assert wagering_lines(Shown(table)) == [" by word   seat 3 50.00"]


def test_the_payment_is_told_act_by_act_until_the_next_coup() -> None:
    table = {**wagering(payment=PAYMENT, wins=WINS), "last_coup": {"coup": 4}}

    assert wagering_lines(Shown(table)) == [
        "pay        seat 5: take 100.00 from Banker",
        "           seat 3: pay 50.00 on Player",
        " note      the wager of seat 5 is returned",
    ]
    assert wagering_lines(Shown({**table, "coup": {"number": 5}})) == []


def test_without_wagers_the_odds_are_told() -> None:
    table = {**wagering(payment=PAYMENT, wins=WINS), "last_coup": {"coup": 5}}

    assert wagering_lines(Shown(table)) == ["pays       Player 1:1, Tie returned"]


def test_vigorish_owed_is_told_with_its_deadline() -> None:
    owed = [{"seat": 5, "amount": "5.00", "deadline": "before the reshuffle"}]

    assert wagering_lines(Shown(wagering(owed=owed))) == [
        "vigorish   seat 5 5.00, before the reshuffle"
    ]


def test_notice_and_changed_settings_are_told() -> None:
    table = wagering(
        notices=[{"setting": "vig_rate", "value": "4", "to": "players"}],
        settings=[{"setting": "vig_rate", "value": "4", "file": "5"}],
    )

    assert wagering_lines(Shown(table)) == [
        "notice     vig_rate will be 4: players told",
        "changed    vig_rate is 4, in the file 5",
    ]
