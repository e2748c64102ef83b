"""Ghost hands: coups without wagers, dealt face up because a patron asked for one.

Source: WA overview 9; X-28.
"""

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.procedure.calls.visibility import all_seen
from controller.procedure.effects import ActRecord, Prompt, Refusal
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.actions.actions import RequestGhostHand
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import DealOption
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

COUP = "P 2h; B 3c; P Kd; B Kh; P 3d; B 4d; result banker"


@pytest.fixture
def new_layout(new_table):
    """A Washington table after its burn that allows so many ghost hands."""

    def made(most: int = 2, observed=(ObservableFact.TURNED,), **rules):
        table = new_table()
        chosen = load_profile("wa-mini")
        values = replace(chosen.rules, ghost_hands_max=most, **rules)
        table.book = RuleBook.of(replace(chosen, rules=values), 8, tuple(observed))
        table.deal("start; burn Ac: 2c")
        return table

    return made


def ask(table) -> str:
    """Request a ghost hand; the reason of a refusal, empty where it was accepted."""
    result = table.apply(acted(RequestGhostHand(), "Ann Lee"))
    refused = [one for one in result.effects if isinstance(one, Refusal)]
    return to_words(refused[0].why) if refused else ""


def bet(table) -> None:
    wagering = replace(table.state.wagering, wagers=(Wager(3, WagerKind.PLAYER, 500),))
    table.state = replace(table.state, wagering=wagering)


@pytest.mark.clause("WA-ov-9-offer")
@pytest.mark.clause("WA-ov-9-face")
@pytest.mark.clause("WA-ov-9-nowager")
def test_the_next_coup_is_dealt_face_up_without_wagers(new_layout) -> None:
    table = new_layout(deal_option=DealOption.FACE_DOWN_DEALER)
    assert ask(table) == ""
    assert to_words(table.of(ActRecord)[-1].detail) == "coup 1: ghost hand 1 of at most 2"
    table.effects.clear()
    assert table.deal("P 2h; B 3c; P Kd; B Kh") == []
    assert all_seen(table.book, table.shoe.coup)
    (prompt,) = table.of(Prompt)
    assert to_words(prompt.text) == "a ghost hand: no wagers; deal every card face up"
    assert {"WA-ov-9-offer", "WA-ov-9-face", "WA-ov-9-nowager"} <= set(prompt.clauses)


def test_the_ordinary_rules_decide_it_and_its_record_marks_it(new_layout) -> None:
    table = new_layout()
    ask(table)
    assert table.deal(f"{COUP}; {COUP}") == []
    assert [record.ghost for record in table.records] == [True, False]
    assert table.tally == (0, 2, 0, 0)
    assert table.shoe.ghost_hands == 1


def test_a_card_too_many_is_drawn_in_error_in_a_ghost_hand_too(new_layout) -> None:
    table = new_layout()
    ask(table)
    assert table.deal("P 9h; B 7c; P Kd; B Kh; more 3d")[0] == "OVERDRAW"


@pytest.mark.clause("WA-ov-9-max")
def test_beyond_the_house_maximum_it_is_refused(new_layout) -> None:
    table = new_layout(most=1)
    ask(table)
    assert table.deal(COUP) == [], "the last one allowed is in order"
    assert ask(table) == "1 of at most 1 ghost hands were dealt from this shoe"
    assert table.of(Refusal)[0].clauses == ("WA-ov-9-max",)


def test_the_next_shoe_starts_its_own_count(new_layout) -> None:
    table = new_layout(most=1)
    ask(table)
    table.deal(f"{COUP}; close shoe; start; burn Ac: 2c")
    assert ask(table) == ""


def test_it_is_not_requested_twice(new_layout) -> None:
    table = new_layout()
    ask(table)
    assert ask(table) == "the next coup is already a ghost hand"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("P 2h", "ask between two coups of an open shoe"),
        ("P 2h; B 3c; P Kd; B Kh", "ask between two coups of an open shoe"),
        ("close shoe", "ask between two coups of an open shoe"),
        ("P 2h; forced exit", "ask between two coups of an open shoe"),
    ],
)
def test_it_is_requested_between_coups(new_layout, words, why) -> None:
    table = new_layout()
    table.deal(words)
    assert ask(table) == why


def test_without_a_shoe_it_is_refused(new_layout, new_table) -> None:
    table = new_table()
    table.book = new_layout().book
    assert ask(table) == "ask between two coups of an open shoe"


def test_where_nothing_reports_results_a_complete_coup_is_the_time_to_ask(new_layout) -> None:
    table = new_layout()
    table.deal("P 9h; B 7c; P Kd; B Kh")
    assert ask(table) == ""
    table.deal("P1 9h; B 7c")
    assert [table.records[0].ghost, table.shoe.coup.ghost] == [False, True]


def test_after_the_last_hand_there_is_none(new_layout) -> None:
    table = new_layout()
    table.deal("P 9h; cut card; B 7c; P Kd; B Kh; result player; P 9h; B 7c; P Kd; B Kh")
    assert ask(table) == "ask between two coups of an open shoe"


@pytest.mark.clause("WA-ov-9-nowager")
def test_with_wagers_on_the_layout_it_is_refused(new_layout) -> None:
    table = new_layout()
    bet(table)
    assert ask(table) == "wagers lie on the layout: return them, then ask again"
    assert table.of(Refusal)[0].clauses == ("WA-ov-9-nowager",)


@pytest.mark.clause("WA-ov-9-nowager")
def test_a_ghost_hand_with_wagers_is_irregular_and_goes_on(new_layout) -> None:
    table = new_layout()
    ask(table)
    bet(table)
    assert table.deal("P 2h") == ["GHOST_HAND_WITH_WAGERS"]
    assert table.irregularities[0].clauses == ("WA-ov-9-nowager",)
    assert table.state.suspension is None


@pytest.mark.clause("WA-ov-9-max")
def test_a_maximum_lowered_meanwhile_is_exceeded(new_layout) -> None:
    table = new_layout()
    ask(table)
    table.book = new_layout(most=0).book
    assert table.deal("P 2h") == ["GHOST_HANDS_EXCEEDED"]
    assert table.irregularities[0].clauses == ("WA-ov-9-max",)


@pytest.mark.parametrize(
    "profile", ["ny-mini", "ny-midi", "nj-baccarat", "wa-mini", "house-mini", "s42-mini"]
)
def test_as_they_come_no_profile_deals_ghost_hands(new_table, profile) -> None:
    table = new_table()
    table.book = RuleBook.of(load_profile(profile), 8, ())
    table.deal("start; burn Ac: 2c")
    assert ask(table).startswith("ghost hands are off at this table")
