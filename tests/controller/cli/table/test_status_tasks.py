"""Lines of `status` about calls, turning, remedies, duties and wagers, each part separately."""

from collections.abc import Callable

import pytest
from shown_tables import shown

from controller.cli.table.status_tasks import (
    CommandHints,
    due_lines,
    irregularity_lines,
    opening_lines,
    turning_lines,
    wagering_lines,
)
from controller.record.snapshot import Snapshot

SIGNED = "smartshoe resolve --socket s --by NAME --reason 'it lay open'"
TYPED = "smartshoe resolve --socket s --by NAME --reason WHY --decision burn-card --provisional"
PARTS = (due_lines, turning_lines, opening_lines, wagering_lines)
DECISION = {"decision": "burn-card", "when": "the card was seen"}
REMEDY = {
    "permitted": ["let the coup end", "burn it"],
    "forbidden": ["adding it to a hand"],
    "done": ["1 card drawn in error set aside"],
    "owed": [
        {"step": "decision", "count": 1, "text": "a floorperson's decision"},
        {"step": "burn", "count": 2, "text": "burn 2 cards, face up, before the next hand"},
    ],
    "decisions": [DECISION],
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
def test_an_empty_part_has_no_lines(part: Callable[[Snapshot], list[str]]) -> None:
    assert part(shown()) == []


def test_due_calls_come_before_the_due_card() -> None:
    table = shown(due="the result", due_calls=["announce: Banker 7", "announce: Tie"])

    assert due_lines(table) == [
        "now        announce: Banker 7",
        "           announce: Tie",
        "due        the result",
    ]


def test_a_long_text_is_wrapped() -> None:
    lines = due_lines(shown(due="the next coup, then Player's first card"), width=40)

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

    assert turning_lines(shown(coup={"turning": lying}, observed=observed)) == [
        f"turned by  {words}"
    ]


def test_a_hand_that_was_turned_is_not_to_be_turned() -> None:
    reveal = {"by": "dealer", "face_down": ["banker_third"], "turned": ["player_hand"]}

    assert turning_lines(shown(coup={"turning": reveal})) == [
        "turned by  Banker's Hand: the dealer"
    ]


def test_a_remedy_is_walked_through() -> None:
    assert irregularity_lines(
        shown(**OPEN), CommandHints(("--socket", "s"), reason="it lay open")
    ) == [
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
    "detail": "it was in the discard rack, and left the shoe again",
    "back": "red",
    "card": "9h",
    "tag": "E0040150000A0001",
}


@pytest.mark.parametrize(
    ("given", "card"),
    [
        ({}, [" card      9h, red back, tag E0040150000A0001"]),
        ({"card": "unread", "back": ""}, [" card      tag E0040150000A0001"]),
        ({"back": "", "tag": ""}, [" card      9h"]),
        ({"card": "??", "tag": ""}, [" card      red back"]),
    ],
    ids=["known", "foreign", "a shoe that reads faces", "not seen"],
)
def test_a_custody_finding_is_shown_with_step_and_proof(
    given: dict[str, str], card: list[str]
) -> None:
    found = {"number": 1, "code": "CARD_RETURNED", "title": "a card", "found": {**FOUND, **given}}

    assert irregularity_lines(shown(irregularities=[found]), CommandHints())[2:] == [
        " found at  shoe 1, card 61, coup 9, Banker's first card",
        " proof     it was in the discard rack, and left the shoe again",
        *card,
    ]


def test_a_borrowed_clause_is_said_to_be_borrowed() -> None:
    found = {"number": 1, "code": "OVERDRAW", "title": "a card", "clauses": ["NY-j", "S42-h-4"]}
    table = shown(irregularities=[{**found, "borrowed": {"S42-h-4": "X-8"}}])

    assert irregularity_lines(table, CommandHints())[1] == (
        " clauses   NY-j, S42-h-4 (borrowed, X-8)"
    )


def test_equal_irregularities_are_merged() -> None:
    absent = {"code": "CARD_ABSENT", "title": "a card", "coup": 4, "clauses": ["S42-j-4"]}
    numbered = [{**absent, "number": 1}, {**absent, "number": 2, "coup": 5}]
    table = {"irregularities": [*numbered, {**absent, "number": 3}]}

    assert irregularity_lines(shown(**table), CommandHints()) == [
        "OPEN       1 to 3 CARD_ABSENT, coups 4, 5: a card",
        " clauses   S42-j-4",
    ]


def test_owed_steps_are_shown_after_the_decision_too() -> None:
    table = shown(**{**OPEN, "irregularities": []})

    assert irregularity_lines(table, CommandHints()) == [
        "owed       burn 2 cards, face up, before the next hand"
    ]


def test_the_burn_of_a_new_shoe_is_not_a_remedy() -> None:
    table = shown(**{**OPEN, "irregularities": [], "shoe": {"coups_begun": 0}})

    assert irregularity_lines(table, CommandHints()) == []


def test_nothing_open_and_nothing_owed_has_no_lines() -> None:
    assert irregularity_lines(shown(), CommandHints()) == []


@pytest.mark.parametrize(
    ("coups", "cards", "words"),
    [
        (0, 0, "no card while suspended"),
        (0, 1, "1 card while suspended: take them over, or void them"),
        (1, 4, "4 cards in 1 coup while suspended: take them over, or void them"),
        (2, 5, "5 cards in 2 coups while suspended: take them over, or void them"),
    ],
)
def test_a_suspended_table_shows_what_was_dealt_on(coups: int, cards: int, words: str) -> None:
    dealt = {"suspension": {"resume_to": "result", "coups": coups, "cards": cards}}

    assert f" dealt on  {words}" in irregularity_lines(shown(**{**OPEN, **dealt}), CommandHints())


def test_cards_dealt_while_suspended_need_a_provisional_option() -> None:
    decision = {**DECISION, "provisional": ["take-over", "void"]}
    lines = irregularity_lines(
        shown(**{**OPEN, "remedy": {**REMEDY, "decisions": [decision]}}),
        CommandHints(("--socket", "s")),
    )

    assert lines[-2:] == [f"             {TYPED} take-over", f"             {TYPED} void"]


def test_between_shoes_the_duties_are_shown() -> None:
    opening = {"duties": DUTIES, "batch": "red", "refused": []}

    assert opening_lines(shown(phase="shoe_over", opening=opening)) == [
        "next shoe  batch red; on record: inspected",
        " record    cut: have it cut",
        " to do     shuffled: shuffle the cards",
    ]


def test_in_play_only_done_or_refused_duties_are_shown() -> None:
    refused = [{"act": "cut", "detail": "3 cards from the end; at least 10"}]
    opening = {"duties": DUTIES, "batch": "", "refused": refused}

    assert opening_lines(shown(phase="player_2", opening=opening)) == [
        "next shoe  on record: inspected",
        " refused   cut: 3 cards from the end; at least 10",
    ]


def test_wagers_are_shown_by_seat_with_refusals() -> None:
    assert wagering_lines(shown(**wagering(wagers=WAGERS, locked=True))) == [
        "wagers     seat 3 Player 50.00, Tie 5.00; seat 5 Dragon 7 5.00; locked",
        " refused   seat 5: Dragon 7: not offered here",
    ]


def test_a_verbal_wager_is_shown() -> None:
    table = wagering(verbal=[{"seat": 3, "amount": "50.00"}])

    assert wagering_lines(shown(**table)) == [" verbal    seat 3 50.00"]


def test_the_payment_is_shown_act_by_act_until_the_next_coup() -> None:
    table = {**wagering(payment=PAYMENT, wins=WINS), "last_coup": {"number": 4}}

    assert wagering_lines(shown(**table)) == [
        "pay        seat 5: take 100.00 from Banker",
        "           seat 3: pay 50.00 on Player",
        " note      the wager of seat 5 is returned",
    ]
    assert wagering_lines(shown(**{**table, "coup": {"number": 5}})) == []


def test_without_wagers_the_odds_are_shown() -> None:
    table = {**wagering(payment=PAYMENT, wins=WINS), "last_coup": {"number": 5}}

    assert wagering_lines(shown(**table)) == ["pays       Player 1:1, Tie returned"]


def test_owed_vigorish_is_shown_with_its_deadline() -> None:
    owed = [{"seat": 5, "amount": "5.00", "deadline": "before the reshuffle"}]

    assert wagering_lines(shown(**wagering(owed=owed))) == [
        "vigorish   seat 5 5.00, before the reshuffle"
    ]


def test_notice_and_changed_settings_are_shown() -> None:
    table = wagering(
        notices=[{"setting": "vig_rate", "value": "4", "to": "players"}],
        settings=[{"setting": "vig_rate", "value": "4", "file": "5"}],
    )

    assert wagering_lines(shown(**table)) == [
        "notice     vig_rate will be 4: players notified",
        "changed    vig_rate is 4, in the file 5",
    ]
