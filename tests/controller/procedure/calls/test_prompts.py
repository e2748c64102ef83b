"""The calls that are due at each moment of a coup, without disclosing an unseen card.

Source: NY (f)(2), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2), (h)(1)-(3), (h)(5), (j)(1); WA
overview 3, before 1 and 2, procedure 2 to 7, announcements; HG game play; X-9, X-10, X-23.
"""

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.procedure.calls.prompts import due_calls
from controller.procedure.effects import Prompt
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.actions.actions import ReportTurned
from controller.rules.actions.choices import LayoutPart
from controller.rules.profiles.call_phrases import GROUP_OF, CallGroup, call_words
from controller.rules.profiles.house_profile import apply_house, parse_house
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import DealOption, RequiredCall, ThirdCardDealt
from controller.system.messages.catalogue import to_words

NATURAL = "P 9h; B 7c; P Kd; B Kh"
STAND = "P 7h; B 6c; P Kd; B Kh"
PLAYER_DRAWS = "P 2h; B 3c; P Kd; B Kh"
BANKER_DRAWS = "P 7h; B 3c; P Kd; B Kh"
TURNED = (ObservableFact.TURNED,)


@pytest.fixture
def new_layout(new_table):
    """A table after its burn, with some settings changed and nothing prompted yet."""

    def made(profile: str = "s42-mini", observed=(), **rules):
        table = new_table()
        chosen = load_profile(profile)
        chosen = replace(chosen, rules=replace(chosen.rules, **rules))
        table.book = RuleBook.of(chosen, 8, tuple(observed))
        table.deal("start; burn Ac: 2c")
        table.effects.clear()
        return table

    return made


def new_prompts(table) -> list[str]:
    """The prompts since the last look, as texts."""
    prompts = [to_words(one.text) for one in table.of(Prompt)]
    table.effects.clear()
    return prompts


def cited(table) -> list[str]:
    return [clause for one in table.of(Prompt) for clause in one.clauses]


def turn(table, *parts: str) -> None:
    for part in parts:
        table.apply(acted(ReportTurned(LayoutPart(part))))


def due(table) -> list[str]:
    return [to_words(one.text) for one in due_calls(table.book, table.state)]


# --- before the first card ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param("ny-mini", "NY-f-2", marks=pytest.mark.clause("NY-f-2")),
        pytest.param("s42-mini", "S42-g-2", marks=pytest.mark.clause("S42-g-2")),
        pytest.param("house-mini", "HG-mini-before", marks=pytest.mark.clause("HG-mini-before")),
        pytest.param("house-baccarat", "HG-bac-before", marks=pytest.mark.clause("HG-bac-before")),
    ],
)
def test_no_more_bets_is_prompted_with_the_first_card(new_layout, profile, clause) -> None:
    table = new_layout(profile)
    table.deal("P 7h")
    (prompt,) = table.of(Prompt)
    assert prompt.kind.value == "no_more_bets"
    assert to_words(prompt.text).startswith('call "no more bets" before the first card')
    assert clause in prompt.clauses


@pytest.mark.clause("WA-pre-1")
def test_washington_has_the_layout_checked_before_every_coup(new_layout) -> None:
    table = new_layout("wa-mini")
    table.deal("P 7h")
    (prompt,) = table.of(Prompt)
    assert prompt.kind.value == "before_deal"
    assert to_words(prompt.text).startswith("check that every wager lies in its own area")
    assert "WA-pre-1" in prompt.clauses


@pytest.mark.clause("WA-pre-2")
@pytest.mark.clause("WA-an-before")
@pytest.mark.clause("WA-an-b-set")
def test_announcements_before_the_deal_are_prompted_where_the_house_makes_them(new_layout) -> None:
    table = new_layout("wa-mini", calls_required=(RequiredCall.BEFORE, RequiredCall.NO_MORE_BETS))
    (text,) = due(table)
    assert text == (
        'check that every wager lies in its own area; announce "place your bets please"; '
        'call "no more bets" before the first card; deal face up, each card to its hand\'s area'
    )
    table.deal("P 7h")
    (prompt,) = table.of(Prompt)
    assert {"WA-pre-2", "WA-an-before", "WA-an-b-set"} < set(prompt.clauses)


def test_where_no_more_bets_is_sensed_only_the_rest_is_prompted(new_layout) -> None:
    calls = (RequiredCall.BEFORE, RequiredCall.NO_MORE_BETS)
    table = new_layout("wa-mini", observed=(ObservableFact.NO_MORE_BETS,), calls_required=calls)
    table.deal("no more bets; P 7h")
    (prompt,) = table.of(Prompt)
    assert prompt.kind.value == "before_deal"
    assert "no more bets" not in to_words(prompt.text)


@pytest.mark.parametrize(
    ("profile", "option", "how", "clauses"),
    [
        pytest.param(
            "ny-mini",
            DealOption.FACE_UP,
            "deal face up",
            ("NY-f-3-option", "NY-f-3-i-a"),
            marks=[pytest.mark.clause("NY-f-3-option"), pytest.mark.clause("NY-f-3-i-a")],
        ),
        pytest.param(
            "ny-mini",
            DealOption.FACE_DOWN_DEALER,
            "deal face down",
            ("NY-f-3-i-b-down",),
            marks=pytest.mark.clause("NY-f-3-i-b-down"),
        ),
        pytest.param(
            "ny-midi",
            DealOption.PLAYERS_REVEAL,
            "deal face down",
            ("NY-f-3-ii-a-down",),
            marks=pytest.mark.clause("NY-f-3-ii-a-down"),
        ),
        pytest.param(
            "s42-mini",
            DealOption.FACE_UP,
            "deal face up",
            ("S42-g-1", "S42-g-3-option", "S42-g-3-i"),
            marks=[
                pytest.mark.clause("S42-g-1"),
                pytest.mark.clause("S42-g-3-option"),
                pytest.mark.clause("S42-g-3-i"),
            ],
        ),
        pytest.param(
            "s42-mini",
            DealOption.FACE_DOWN_DEALER,
            "deal face down",
            ("S42-g-3-ii",),
            marks=pytest.mark.clause("S42-g-3-ii"),
        ),
        pytest.param(
            "s42-mini",
            DealOption.PLAYERS_REVEAL,
            "deal face down",
            ("S42-g-3-iii",),
            marks=pytest.mark.clause("S42-g-3-iii"),
        ),
        pytest.param(
            "wa-mini",
            DealOption.MIXED,
            "deal the Player's Hand face up, the Banker's face down",
            ("WA-ov-3-face", "WA-pr-1-face", "WA-pr-1-parea", "WA-pr-1-barea"),
            marks=[
                pytest.mark.clause("WA-ov-3-face"),
                pytest.mark.clause("WA-pr-1-face"),
                pytest.mark.clause("WA-pr-1-parea"),
                pytest.mark.clause("WA-pr-1-barea"),
            ],
        ),
    ],
)
def test_the_deal_option_is_prompted_before_the_first_card(
    new_layout, profile, option, how, clauses
) -> None:
    table = new_layout(profile, deal_option=option)
    table.deal("P 7h")
    assert set(clauses) <= set(cited(table))
    (text,) = new_prompts(table)
    assert f"; {how}, each card to its hand's area" in text


@pytest.mark.parametrize(
    ("profile", "four", "player", "banker"),
    [
        pytest.param(
            "ny-mini",
            "NY-f-3-four",
            "NY-f-3-player",
            "NY-f-3-banker",
            marks=[
                pytest.mark.clause("NY-f-3-four"),
                pytest.mark.clause("NY-f-3-player"),
                pytest.mark.clause("NY-f-3-banker"),
            ],
        ),
        pytest.param(
            "s42-mini",
            "S42-g-3-four",
            "S42-g-3-player",
            "S42-g-3-banker",
            marks=[
                pytest.mark.clause("S42-g-3-four"),
                pytest.mark.clause("S42-g-3-player"),
                pytest.mark.clause("S42-g-3-banker"),
            ],
        ),
        pytest.param(
            "wa-mini",
            "WA-ov-3-two",
            "WA-pr-1-player",
            "WA-pr-1-banker",
            marks=[
                pytest.mark.clause("WA-ov-3-two"),
                pytest.mark.clause("WA-ov-3-order"),
                pytest.mark.clause("WA-pr-1-player"),
                pytest.mark.clause("WA-pr-1-banker"),
            ],
        ),
    ],
)
def test_the_four_cards_go_to_player_and_banker_in_turn(
    new_layout, profile, four, player, banker
) -> None:
    table = new_layout(profile)
    before = len(table.verdicts)
    table.deal(STAND)
    dealt = table.verdicts[before:]
    assert [to_words(one.what) for one in dealt] == [
        "Player's first card",
        "Banker's first card",
        "Player's second card",
        "Banker's second card",
    ]
    assert all(four in one.clauses for one in dealt)
    assert [player in one.clauses for one in dealt] == [True, False, True, False]
    assert [banker in one.clauses for one in dealt] == [False, True, False, True]


# --- face up --------------------------------------------------------------------------------------


@pytest.mark.clause("S42-h-1-order")
@pytest.mark.clause("S42-h-2")
@pytest.mark.clause("S42-h-3-order")
@pytest.mark.parametrize(
    ("cards", "text"),
    [
        (PLAYER_DRAWS, "announce: Player 2, Banker 3; then Player's third card, face up"),
        (BANKER_DRAWS, "announce: Player 7, Banker 3; then Banker's third card, face up"),
    ],
)
def test_at_four_cards_the_counts_and_the_third_card_are_prompted(new_layout, cards, text) -> None:
    table = new_layout()
    table.deal(cards)
    assert cited(table)[-4:] == ["S42-h-1-order", "S42-h-1-iii", "S42-h-2", "S42-h-3-order"]
    assert new_prompts(table)[1:] == [text]


@pytest.mark.parametrize(
    ("cards", "texts"),
    [
        (STAND, ["announce: Player 7, Banker 6; no third card", "announce: Player wins, 7 over 6"]),
        (
            NATURAL,
            [
                "announce: Player 9 (natural), Banker 7; no third card",
                "announce: Player wins, 9 over 7",
            ],
        ),
    ],
)
def test_a_coup_of_four_cards_has_counts_and_result_together(new_layout, cards, texts) -> None:
    table = new_layout()
    table.deal(cards)
    assert new_prompts(table)[1:] == texts


@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        pytest.param(
            "ny-mini",
            ("NY-g-announce", "NY-f-3-i-c", "NY-g-1-i"),
            marks=[
                pytest.mark.clause("NY-g-announce"),
                pytest.mark.clause("NY-f-3-i-c"),
                pytest.mark.clause("NY-g-1-i"),
            ],
        ),
        pytest.param(
            "house-mini",
            ("HG-mini-counts", "HG-mini-third"),
            marks=[pytest.mark.clause("HG-mini-counts"), pytest.mark.clause("HG-mini-third")],
        ),
    ],
)
def test_player_third_card_lies_face_up_by_these_rules(new_layout, profile, clauses) -> None:
    table = new_layout(profile)
    table.deal(PLAYER_DRAWS)
    assert set(clauses) <= set(cited(table))


@pytest.mark.clause("NY-f-3-i-d")
@pytest.mark.clause("NY-g-1-ii")
def test_banker_third_card_lies_face_up_in_new_york(new_layout) -> None:
    table = new_layout("ny-mini")
    table.deal(BANKER_DRAWS)
    assert {"NY-f-3-i-d", "NY-g-1-ii"} < set(cited(table))


@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        pytest.param(
            "ny-mini",
            ("NY-i-1-final", "NY-i-1-winner"),
            marks=[pytest.mark.clause("NY-i-1-final"), pytest.mark.clause("NY-i-1-winner")],
        ),
        pytest.param("s42-mini", ("S42-j-1-final",), marks=pytest.mark.clause("S42-j-1-final")),
        pytest.param(
            "wa-mini",
            ("WA-pr-7-call", "WA-an-note", "WA-an-dec", "WA-an-after"),
            marks=[
                pytest.mark.clause("WA-pr-7-call"),
                pytest.mark.clause("WA-an-note"),
                pytest.mark.clause("WA-an-dec"),
                pytest.mark.clause("WA-an-after"),
            ],
        ),
    ],
)
def test_the_final_counts_and_the_winner(new_layout, profile, clauses) -> None:
    table = new_layout(profile)
    table.deal(f"{PLAYER_DRAWS}; P 3d; B 4d")
    assert set(clauses) <= set(cited(table))
    assert new_prompts(table)[-1] == "announce: Banker wins, 7 over 5"


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param("ny-mini", "NY-i-1-tie", marks=pytest.mark.clause("NY-i-1-tie")),
        pytest.param("s42-mini", "S42-j-1-tie", marks=pytest.mark.clause("S42-j-1-tie")),
        pytest.param("nj-baccarat", "NJ-3.10-a-tie", marks=pytest.mark.clause("NJ-3.10-a-tie")),
        pytest.param("nj-minibaccarat", "NJ-7.10-a-tie", marks=pytest.mark.clause("NJ-7.10-a-tie")),
    ],
)
def test_a_tie_hand_has_its_own_call(new_layout, profile, clause) -> None:
    table = new_layout(profile, deal_option=DealOption.FACE_UP)
    table.deal("P 7h; B 7c; P Kd; B Kh")
    assert cited(table)[-1] == clause
    assert new_prompts(table)[-1] == 'announce "tie hand"'


@pytest.mark.parametrize(
    ("profile", "final", "total"),
    [
        pytest.param(
            "nj-baccarat",
            "NJ-3.10-a-final",
            "NJ-3.10-a-total",
            marks=[pytest.mark.clause("NJ-3.10-a-final"), pytest.mark.clause("NJ-3.10-a-total")],
        ),
        pytest.param(
            "nj-minibaccarat",
            "NJ-7.10-a-final",
            "NJ-7.10-a-total",
            marks=[pytest.mark.clause("NJ-7.10-a-final"), pytest.mark.clause("NJ-7.10-a-total")],
        ),
    ],
)
@pytest.mark.parametrize(
    ("cards", "text"),
    [
        (NATURAL, "announce: Player wins, 9 over 7, 4 cards in all"),
        (f"{BANKER_DRAWS}; B 2d", "announce: Player wins, 7 over 5, 5 cards in all"),
        (f"{PLAYER_DRAWS}; P 3d; B 4d", "announce: Banker wins, 7 over 5, 6 cards in all"),
    ],
)
def test_where_total_cards_can_be_bet_on_their_number_is_called(
    new_layout, profile, final, total, cards, text
) -> None:
    up = ThirdCardDealt.FACE_UP
    table = new_layout(profile, deal_option=DealOption.FACE_UP, third_card_dealt=up)
    table.deal(cards)
    assert cited(table)[-2:] == [final, total]
    assert new_prompts(table)[-1] == text


def test_dealt_face_up_by_the_house_the_third_card_is_called_at_once(new_table) -> None:
    """The house changes the deal option alone: how third cards are dealt follows it."""
    text = 'name = "grand"\nbase = "nj-baccarat"\ndeal_option = "face_up"'
    profile = apply_house(parse_house(text, ("nj-baccarat",)), load_profile("nj-baccarat"))
    table = new_table()
    table.book = RuleBook.of(profile, 8, ())
    table.deal("start; burn Ac: 2c; P 4h; B 6s; P Kd; B Qc")
    table.effects.clear()
    table.deal("P 8c")
    assert new_prompts(table) == ["announce: Banker wins, 6 over 2, 5 cards in all"]


@pytest.mark.clause("NY-i-1-ez")
@pytest.mark.parametrize(
    ("cards", "text"),
    [
        (f"{PLAYER_DRAWS}; P 3d; B 4d", 'announce "dragon 7"'),
        ("P 2h; B 7c; P Kd; B Kh; P 6d", 'announce "panda 8"'),
    ],
)
def test_dragon_7_and_panda_8_are_called_at_ez_tables(new_layout, cards, text) -> None:
    table = new_layout("ny-ez")
    table.deal(cards)
    assert cited(table)[-1] == "NY-i-1-ez"
    assert new_prompts(table)[-1] == text


def test_a_house_that_announces_only_counts_is_prompted_for_no_more(new_layout) -> None:
    table = new_layout("house-mini")
    table.deal(f"{NATURAL}; result player")
    assert [one.kind.value for one in table.of(Prompt)] == ["no_more_bets", "counts"]


@pytest.mark.clause("HG-bac-counts")
@pytest.mark.clause("HG-bac-third")
def test_the_house_guide_has_counts_called_and_third_cards_face_up_at_baccarat(new_layout) -> None:
    table = new_layout("house-baccarat", observed=TURNED)
    table.deal(PLAYER_DRAWS)
    turn(table, "player_hand", "banker_hand")
    assert {"HG-bac-counts", "HG-bac-third"} < set(cited(table))
    assert new_prompts(table)[-1] == "announce: Banker 3; then Player's third card, face up"


# --- Washington calls the game --------------------------------------------------------------------


@pytest.mark.clause("WA-an-during")
@pytest.mark.clause("WA-an-d-player")
@pytest.mark.clause("WA-an-d-bank")
@pytest.mark.clause("WA-an-d-gen")
@pytest.mark.clause("WA-pr-4-call")
@pytest.mark.clause("WA-pr-4-place")
@pytest.mark.parametrize(
    ("cards", "words"),
    [
        (
            "P Kh; B Kc; P Kd; B Kh",
            "Player shows nothing, Banker shows nothing, card for the Player",
        ),
        ("P 5h; B 6c; P Kd; B Kh", "Player shows 5, Banker shows 6, card for the Player"),
        ("P 2h; B 7c; P Kd; B Kh", "Player shows 2, Banker stands on 7, card for the Player"),
    ],
)
def test_washington_calls_each_hand_and_the_card_for_the_player(new_layout, cards, words) -> None:
    table = new_layout("wa-mini", calls_required=tuple(RequiredCall))
    table.deal(cards)
    now = set(cited(table))
    assert {"WA-an-during", "WA-an-d-player", "WA-an-d-bank", "WA-an-d-gen"} < now
    assert {"WA-pr-4-call", "WA-pr-4-place"} < now
    assert new_prompts(table)[1:] == [f"announce: {words}; then Player's third card, face up"]


@pytest.mark.clause("WA-pr-5")
@pytest.mark.clause("WA-pr-6-place")
@pytest.mark.clause("WA-pr-6-side")
def test_washington_calls_the_draw_for_the_bank_with_the_number_to_beat(new_layout) -> None:
    table = new_layout("wa-mini", calls_required=tuple(RequiredCall))
    table.deal("P 6h; B 5c; P Kd; B Kh")
    assert {"WA-pr-5", "WA-pr-6-place", "WA-pr-6-side"} < set(cited(table))
    assert new_prompts(table)[1] == (
        "announce: Player stands on 6, Banker shows 5, draw bank, 6 to beat; "
        "then Banker's third card, face up"
    )


def test_washington_calls_the_draw_for_the_bank_after_player_third_card(new_layout) -> None:
    table = new_layout("wa-mini", calls_required=tuple(RequiredCall))
    table.deal(PLAYER_DRAWS)
    new_prompts(table)
    table.deal("P 3d")
    assert new_prompts(table) == ["announce: draw bank, 5 to beat"]


def test_washington_calls_that_the_bank_draws_no_card(new_layout) -> None:
    table = new_layout("wa-mini", calls_required=tuple(RequiredCall))
    table.deal("P 2h; B 7c; P Kd; B Kh")
    new_prompts(table)
    table.deal("P 3d")
    assert new_prompts(table) == ["announce: Banker draws no card, Banker wins, 7 over 5"]


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        (
            "P 8h; B 9c; P Kd; B Kh",
            "Player has a natural 8, no draws, Banker wins with a natural 9",
        ),
        ("P 9h; B 8c; P Kd; B Kh", "Player has a natural 9, no draws, Banker has a natural 8"),
        ("P 8h; B 8c; P Kd; B Kh", "Player has a natural 8, no draws, Banker ties 8-8"),
        ("P 6h; B 8c; P Kd; B Kh", "Player stands on 6, Banker wins with a natural 8"),
    ],
)
def test_a_natural_of_the_bank_is_called_a_win_only_if_it_wins(new_layout, cards, words) -> None:
    table = new_layout("wa-mini", calls_required=tuple(RequiredCall))
    table.deal(cards)
    assert new_prompts(table)[1] == f"announce: {words}; no third card"


@pytest.mark.parametrize("cards", ["P 8h; B 8c; P Kd; B Kh", "P 7h; B 7c; P Kd; B Kh"])
@pytest.mark.parametrize(
    "required",
    [
        tuple(RequiredCall),
        (RequiredCall.FINAL_AND_WINNER,),
        (RequiredCall.FINAL_AND_WINNER, RequiredCall.TIE_HAND),
        (RequiredCall.FINAL_AND_WINNER, RequiredCall.DRAWS),
    ],
)
def test_a_tie_is_announced_once(new_layout, cards, required) -> None:
    table = new_layout("wa-mini", calls_required=required)
    table.deal(cards)
    said = [words for words in new_prompts(table) if "tie" in words]
    assert len(said) == 1


def test_without_calling_draws_nothing_is_called_between_the_third_cards(new_layout) -> None:
    table = new_layout()
    table.deal(PLAYER_DRAWS)
    new_prompts(table)
    table.deal("P 3d")
    assert new_prompts(table) == []
    assert due(table) == []


# --- face down, turning observed -----------------------------------------------------------------


@pytest.mark.clause("S42-g-3-ii")
def test_each_hand_is_called_as_it_is_turned(new_layout) -> None:
    table = new_layout(observed=TURNED, deal_option=DealOption.FACE_DOWN_DEALER)
    table.deal(PLAYER_DRAWS)
    assert cited(table)[-2:] == ["S42-g-3-ii", "S42-g-3-iii"]
    assert new_prompts(table)[1:] == ["turn the Player's Hand"]
    turn(table, "player_hand")
    assert new_prompts(table) == ["announce: Player 2; then turn the Banker's Hand"]
    turn(table, "banker_hand")
    assert new_prompts(table) == ["announce: Banker 3; then Player's third card, face up"]


@pytest.mark.clause("NY-f-3-i-b-turn")
def test_new_york_turns_the_banker_hand_after_the_player_hand_is_called(new_layout) -> None:
    table = new_layout("ny-mini", observed=TURNED, deal_option=DealOption.FACE_DOWN_DEALER)
    table.deal(STAND)
    new_prompts(table)
    turn(table, "player_hand")
    assert cited(table)[-1] == "NY-f-3-i-b-turn"
    turn(table, "banker_hand")
    assert new_prompts(table)[1:] == [
        "announce: Banker 6; no third card",
        "announce: Player wins, 7 over 6",
    ]


@pytest.mark.clause("WA-ov-3-player")
@pytest.mark.clause("WA-ov-3-banker")
@pytest.mark.clause("WA-pr-2")
@pytest.mark.clause("WA-pr-3")
def test_dealt_mixed_the_player_hand_is_called_at_once(new_layout) -> None:
    calls = (RequiredCall.COUNTS, RequiredCall.DRAWS)
    table = new_layout("wa-mini", TURNED, deal_option=DealOption.MIXED, calls_required=calls)
    table.deal(BANKER_DRAWS)
    assert {"WA-ov-3-player", "WA-pr-2"} < set(cited(table))
    assert new_prompts(table)[1:] == ["announce: Player stands on 7; then turn the Banker's Hand"]
    turn(table, "banker_hand")
    assert {"WA-ov-3-banker", "WA-pr-3"} < set(cited(table))
    assert new_prompts(table) == [
        "announce: Banker shows 3, draw bank, 7 to beat; then Banker's third card, face up"
    ]


def test_a_banker_hand_turned_first_is_called_by_its_count_alone(new_layout) -> None:
    table = new_layout(
        "wa-mini",
        TURNED,
        deal_option=DealOption.FACE_DOWN_DEALER,
        calls_required=(RequiredCall.COUNTS, RequiredCall.DRAWS),
    )
    table.deal(BANKER_DRAWS)
    new_prompts(table)
    turn(table, "banker_hand")
    assert new_prompts(table) == ["announce: Banker 3; then turn the Player's Hand"]


def test_where_no_counts_are_called_the_hands_are_only_turned(new_layout) -> None:
    table = new_layout("house-mini", TURNED, deal_option=DealOption.MIXED, calls_required=())
    table.deal(PLAYER_DRAWS)
    assert new_prompts(table) == ["turn the Banker's Hand"]
    turn(table, "banker_hand")
    assert new_prompts(table) == []


def test_hands_turned_after_the_third_card_leave_only_the_result_to_call(new_layout) -> None:
    table = new_layout(observed=TURNED, deal_option=DealOption.FACE_DOWN_DEALER)
    table.deal("P 2h; B 7c; P Kd; B Kh; P 3d")
    new_prompts(table)
    turn(table, "player_hand", "banker_hand")
    assert new_prompts(table) == [
        "announce: Player 2; then turn the Banker's Hand",
        "announce: Banker wins, 7 over 5",
    ]


# --- face down, nothing observed -----------------------------------------------------------------

IN_GENERAL = (
    "as the cards are turned, announce the point count of the Player's Hand, then the Banker's, "
    'then the final point counts and the winner, then "tie hand" if they are equal'
)


@pytest.mark.clause("S42-j-1-tie")
@pytest.mark.clause("S42-j-1-final")
@pytest.mark.parametrize("cards", [NATURAL, STAND, PLAYER_DRAWS, BANKER_DRAWS])
def test_without_observed_turning_a_general_prompt_comes_at_the_fourth_card(
    new_layout, cards
) -> None:
    table = new_layout(deal_option=DealOption.FACE_DOWN_DEALER)
    table.deal(cards)
    assert {"S42-j-1-tie", "S42-j-1-final"} <= set(cited(table))
    assert new_prompts(table)[1:] == [IN_GENERAL]
    assert due(table) == [IN_GENERAL]


def test_a_third_card_that_lies_face_up_adds_nothing_to_that(new_layout) -> None:
    table = new_layout(deal_option=DealOption.FACE_DOWN_DEALER)
    table.deal(PLAYER_DRAWS)
    new_prompts(table)
    table.deal("P 3d; B 4d")
    assert new_prompts(table) == []
    assert due(table) == [IN_GENERAL]


def test_in_general_every_announcement_of_the_house_is_named(new_layout) -> None:
    table = new_layout(
        "ny-ez",
        deal_option=DealOption.FACE_DOWN_DEALER,
        calls_required=(RequiredCall.COUNTS, RequiredCall.DRAWS),
        total_card_wagers=True,
    )
    table.deal(STAND)
    assert new_prompts(table)[-1] == (
        "as the cards are turned, announce the point count of the Player's Hand, then the "
        "Banker's, then who draws, then the total number of cards, then "
        '"dragon 7" or "panda 8" if it is one'
    )


def test_a_house_without_announcements_gets_no_general_prompt(new_layout) -> None:
    table = new_layout("house-mini", deal_option=DealOption.FACE_DOWN_DEALER, calls_required=())
    table.deal(STAND)
    assert new_prompts(table) == []


# --- last hand, and what is due now ---------------------------------------------------------------


@pytest.mark.clause("S42-h-5-last")
def test_the_last_hand_is_due_before_its_first_card(new_layout) -> None:
    table = new_layout()
    table.deal("P 9h; cut card; B 7c; P Kd; B Kh; result player")
    assert cited(table)[-1] == "S42-h-5-last"
    assert due(table) == [
        'announce "last hand"',
        'call "no more bets" before the first card; deal face up, each card to its hand\'s area',
    ]


@pytest.mark.parametrize(
    "words", ["P 7h; B 6c; P Kd", f"{NATURAL}; more 3d", "P 7h; forced exit", "P1 7h; lost 2"]
)
def test_nothing_is_due_in_mid_deal_or_while_a_floorperson_decides(new_layout, words) -> None:
    table = new_layout()
    table.deal(words)
    assert due(table) == []


def test_nothing_is_due_without_a_shoe_or_in_its_burn(new_table) -> None:
    assert due(new_table()) == []
    assert due(new_table("start; burn 3c: 2c")) == []


def test_cards_dealt_while_suspended_are_not_called(new_layout) -> None:
    table = new_layout()
    table.deal(f"{NATURAL}; more 3d; result player")
    new_prompts(table)
    table.deal(PLAYER_DRAWS)
    assert [text for text in new_prompts(table) if "announce" in text] == []


@pytest.mark.parametrize("option", list(DealOption))
@pytest.mark.parametrize("cards", [NATURAL, STAND, PLAYER_DRAWS, BANKER_DRAWS])
def test_the_calls_due_at_the_fourth_card_are_the_prompted_ones(new_layout, option, cards) -> None:
    table = new_layout(observed=TURNED, deal_option=option)
    table.deal(cards)
    assert new_prompts(table)[1:] == due(table)


# --- the words and references of the house --------------------------------------------------------


@pytest.fixture
def new_house(new_table):
    """A Washington table after its burn, with settings of its house."""

    def made(changes: str):
        text = f'name = "grand"\nbase = "wa-mini"\ncalls_control_reference = "IC 1"\n{changes}'
        profile = apply_house(parse_house(text, ("wa-mini",)), load_profile("wa-mini"))
        table = new_table()
        table.book = RuleBook.of(profile, 8, ())
        table.deal("start; burn Ac: 2c")
        return table

    return made


# What Washington's page of calls says, and what has to be dealt to hear it.
WASHINGTON_CALLS = {
    "before: Place your bets please": ("", 'announce "Place your bets please"'),
    "no_more_bets: All bets set": ("", 'call "All bets set" before the first card'),
    "player_nothing: Player shows zero": ("P Kh; B 6c; P Qd; B Kh", "Player shows zero, Banker"),
    "player_shows: Player shows a {player}": (PLAYER_DRAWS, "announce: Player shows a 2, Banker"),
    "player_stands: Player shows {player} and must stand": (STAND, "Player shows 7 and must stand"),
    "player_natural: Player shows a Natural {player}. There will be no draws.": (
        NATURAL,
        "announce: Player shows a Natural 9. There will be no draws., Banker",
    ),
    "banker_nothing: Bank has Baccarat": ("P 2h; B Jc; P Kd; B Kh", "shows 2, Bank has Baccarat"),
    "banker_shows: Bank has {banker}": (BANKER_DRAWS, "Player stands on 7, Bank has 3, draw"),
    "banker_stands: Bank has {banker} and must stand": (NATURAL, "Bank has 7 and must stand; no"),
    "banker_natural: Bank has {banker} natural": ("P 9h; B 8c; P Kd; B Kh", "Bank has 8 natural;"),
    "banker_natural_wins: Bank wins with a Natural {banker}": (
        "P 2h; B 8c; P Kd; B Kh",
        "Player shows 2, Bank wins with a Natural 8; no third card",
    ),
    "banker_natural_ties: Bank ties it up {player} - {banker}": (
        "P 8h; B 8c; P Kd; B Kh",
        "Bank ties it up 8 - 8; no third card",
    ),
    "player_card: Card for the player": (PLAYER_DRAWS, "Banker shows 3, Card for the player; then"),
    "banker_card: Draw Bank, beat {player}": (BANKER_DRAWS, "shows 3, Draw Bank, beat 7; then"),
    "banker_no_card: Bank stays": ("P 2h; B 7c; P Kd; B Kh; P 3d", "announce: Bank stays, Banker"),
    "player_wins: Player wins {player} over {banker}": (STAND, "announce: Player wins 7 over 6"),
    "banker_wins: Bank wins {banker} over {player}": (
        "P 6h; B 7c; P Kd; B Kh",
        "announce: Bank wins 7 over 6",
    ),
    "tie_counts: We have a Tie hand {player} {banker}": (
        "P 7h; B 7c; P Kd; B Kh",
        "announce: We have a Tie hand 7 7",
    ),
    "tie_hand: égalité": ("P 7h; B 7c; P Kd; B Kh", 'announce "égalité"'),
    "last_hand: This is the last hand": (
        "P 9h; cut card; B 7c; P Kd; B Kh; result player",
        'announce "This is the last hand"',
    ),
}
ALL_CALLS = (
    'calls_required = ["before", "no_more_bets", "draws", "final_counts_and_winner", '
    '"tie_hand", "last_hand"]'
)


@pytest.mark.clause("WA-pl-ann")
@pytest.mark.clause("WA-bk-ann")
@pytest.mark.parametrize("line", WASHINGTON_CALLS)
def test_a_call_is_made_in_the_words_of_the_internal_controls(new_house, line) -> None:
    cards, words = WASHINGTON_CALLS[line]
    table = new_house(f"{ALL_CALLS}\ncall_texts = ['{line}']")
    table.deal(cards or "P 2h")
    spoken = "\n".join(to_words(one.text) for one in table.of(Prompt))
    assert words in spoken
    unchosen = new_house(ALL_CALLS)
    unchosen.deal(cards or "P 2h")
    # Without it every other word is the same: the house changes its own phrase only.
    changed = [
        (to_words(one.text), to_words(other.text))
        for one, other in zip(table.of(Prompt), unchosen.of(Prompt), strict=True)
        if to_words(one.text) != to_words(other.text)
    ]
    assert len(changed) == 1 or line.startswith(("before", "no_more_bets"))
    assert {clause for one in table.verdicts for clause in one.clauses} >= WASHINGTON_NOTES


WASHINGTON_NOTES = {"WA-an-doc", "WA-an-cat", "WA-an-which", "WA-pl-ann", "WA-bk-ann"}


@pytest.mark.parametrize(
    ("line", "cards", "words"),
    [
        ("player_count: player: {player}", PLAYER_DRAWS, "announce: player: 2, Banker 3; then"),
        ("player_count_natural: nat {player}", NATURAL, "announce: nat 9, Banker 7; no third card"),
        ("banker_count: bank: {banker}", PLAYER_DRAWS, "announce: Player 2, bank: 3; then"),
        ("banker_count_natural: nat {banker}", "P 2h; B 9c; P Kd; B Kh", "Player 2, nat 9; no"),
        ("total_cards: {cards} cards", STAND, "announce: Player wins, 7 over 6, 4 cards"),
        ("dragon_7: dragon", f"{PLAYER_DRAWS}; P 3d; B 4d", 'announce "dragon"'),
        ("panda_8: panda", "P 2h; B 7c; P Kd; B Kh; P 6d", 'announce "panda"'),
    ],
)
def test_other_calls_have_the_words_of_the_house_too(new_layout, line, cards, words) -> None:
    profile = "ny-ez" if line.startswith(("dragon", "panda")) else "s42-mini"
    table = new_layout(profile, total_card_wagers="total" in line, call_texts=call_words((line,)))
    table.deal(cards)
    assert words in "\n".join(new_prompts(table))


def test_the_words_of_the_house_are_in_the_general_prompt(new_layout) -> None:
    words = call_words(("tie_hand: égalité", "dragon_7: dragon", "panda_8: panda"))
    option = DealOption.FACE_DOWN_DEALER
    calls = (RequiredCall.TIE_HAND,)
    table = new_layout("ny-ez", deal_option=option, calls_required=calls, call_texts=words)
    table.deal(STAND)
    assert new_prompts(table)[-1].endswith(
        'announce "égalité" if they are equal, then "dragon" or "panda" if it is one'
    )


@pytest.mark.clause("WA-an-which")
@pytest.mark.clause("WA-an-cat")
@pytest.mark.clause("WA-an-doc")
def test_each_call_of_the_house_is_recorded_with_its_group_and_reference(new_house) -> None:
    table = new_house(f'{ALL_CALLS}\ncall_references = ["draws: IC 7.2", "last_hand: IC 9"]')
    (found,) = [one for one in table.verdicts if to_words(one.what).startswith("calls")]
    assert to_words(found.what) == (
        "calls as in the internal controls: before the deal before (IC 1), no_more_bets (IC 1), "
        "last_hand (IC 9); during the deal draws (IC 7.2); after the deal "
        "final_counts_and_winner (IC 1), tie_hand (IC 1)"
    )
    assert set(found.clauses) == WASHINGTON_NOTES


def test_every_call_has_a_group_and_every_group_a_call() -> None:
    assert set(GROUP_OF) == set(RequiredCall)
    assert set(GROUP_OF.values()) == set(CallGroup)


def test_a_call_without_a_reference_is_recorded_as_such(new_layout) -> None:
    table = new_layout("wa-mini")
    (found,) = [one for one in table.verdicts if to_words(one.what).startswith("calls")]
    assert to_words(found.what).endswith(
        "after the deal final_counts_and_winner (no reference is set in the profile)"
    )
