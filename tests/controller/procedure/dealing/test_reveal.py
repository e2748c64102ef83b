"""Turning cards up: in which order, by whom, and what was turned too early.

Source: NY (f)(3), (g)(2); S42 (g)(3), (h)(3), (k)(5); D-8, D-26, D-37; X-9, X-10.
"""

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.procedure.calls.prompts import due_calls
from controller.procedure.calls.reveal_seats import highest_bettor, next_seat
from controller.procedure.calls.visibility import all_seen, card_seen, is_seen
from controller.procedure.effects import ActRecord, Prompt, Refusal
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.actions.actions import GiveUpReveal, ReportTurned
from controller.rules.actions.choices import LayoutPart
from controller.rules.hands import HandName
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import BankerPlacement, DealOption, SeatDirection
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

FOUR = "P 2h; B 3c; P Kd; B Kh"
STAND = "P 7h; B 6c; P Kd; B Kh"
TURNED = (ObservableFact.TURNED,)
KNOWN = (ObservableFact.TURNED, ObservableFact.WAGERS)
CORNER = "place the Banker's Hand under the shoe's right corner until the Player's Hand is called"
MIDI_DEAL = ("NY-f-3-option", "NY-f-3-ii-a-down", "NY-f-3-ii-a-corner")
UNDER = {"banker_placement": BankerPlacement.UNDER_SHOE}
COUNTER, CLOCKWISE = SeatDirection.COUNTER_CLOCKWISE, SeatDirection.CLOCKWISE


def wagers(words: str) -> tuple[Wager, ...]:
    """Wagers as "3P200 5B100": seat, Player or Banker or tie, whole dollars."""
    kinds = {"P": WagerKind.PLAYER, "B": WagerKind.BANKER, "T": WagerKind.TIE}
    return tuple(Wager(int(one[0]), kinds[one[1]], 100 * int(one[2:])) for one in words.split())


@pytest.fixture
def new_layout(new_table):
    """A table after its burn, with the wagers of its first coup."""

    def made(
        option: DealOption = DealOption.FACE_DOWN_DEALER,
        observed=TURNED,
        on_layout: str = "",
        profile: str = "s42-mini",
        **rules,
    ):
        table = new_table()
        chosen = load_profile(profile)
        down = load_profile("ny-midi").rules.third_card_dealt
        if option is DealOption.PLAYERS_REVEAL:
            rules = {"third_card_dealt": down, **rules}
        values = replace(chosen.rules, deal_option=option, **rules)
        table.book = RuleBook.of(replace(chosen, rules=values), 8, tuple(observed))
        table.deal("start; burn Ac: 2c")
        wagering = replace(table.state.wagering, wagers=wagers(on_layout))
        table.state = replace(table.state, wagering=wagering)
        return table

    return made


def turn(table, *parts: str) -> list[str]:
    """Turn these parts; the codes of the irregularities it gave."""
    before = len(table.irregularities)
    for part in parts:
        table.apply(acted(ReportTurned(LayoutPart(part))))
    return [one.code.value for one in table.irregularities[before:]]


def give_up(table, hand: str = "player", *, by_order: bool = False, reason: str = "delay") -> str:
    """Give the right up; the reason of a refusal, empty where it was accepted."""
    event = acted(GiveUpReveal(HandName(hand), by_order=by_order), "Ann Lee", reason=reason)
    refused = [one for one in table.apply(event).effects if isinstance(one, Refusal)]
    return to_words(refused[0].why) if refused else ""


def handed(table) -> list[str]:
    """The prompts to hand over or turn a part."""
    texts = [to_words(one.text) for one in table.of(Prompt) if one.kind.value == "hand_over"]
    table.effects.clear()
    return texts


def seen(table) -> list[str]:
    parts = [part for part in LayoutPart if part is not LayoutPart.ERROR_CARD]
    return [part.value for part in parts if is_seen(table.book, table.shoe.coup, part)]


# --- the Banker's Hand under the shoe -------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (("ny-midi", "NY-f-3-ii-a-corner"), ("s42-mini", "S42-g-3-iii"))
    ],
)
def test_the_banker_hand_waits_under_the_corner_until_the_player_hand_is_called(
    new_layout, profile, clause
) -> None:
    """Cards to their areas, Banker's then under the corner, Player's called, then Banker's."""
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50", profile, **UNDER)
    table.effects.clear()
    table.deal("P 2h")
    (before,) = table.of(Prompt)
    assert to_words(before.text).endswith(
        f"; deal face down, each card to its hand's area; after the fourth card {CORNER}"
    )
    assert clause in before.clauses
    table.effects.clear()
    table.deal("B 3c; P Kd; B Kh")
    at_four = table.of(Prompt)[0]
    assert to_words(at_four.text) == f"{CORNER}; hand the Player's Hand face down to seat 3"
    assert clause in at_four.clauses
    assert seen(table) == []
    give_up(table)
    assert CORNER not in handed(table)[-1], "it lies there since the fourth card"
    turn(table, "player_hand")
    assert seen(table) == ["player_hand"]
    assert [to_words(one.text) for one in table.of(Prompt)] == [
        "announce: Player 2",
        "hand the Banker's Hand face down to seat 5",
    ]


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (
            ("ny-mini", "NY-f-3-i-b-down"),
            ("ny-mini", "NY-f-3-i-b-turn"),
            ("s42-mini", "S42-g-3-ii"),
        )
    ],
)
def test_the_dealer_leaves_the_banker_hand_under_the_corner(new_layout, profile, clause) -> None:
    table = new_layout(DealOption.FACE_DOWN_DEALER, profile=profile, **UNDER)
    table.effects.clear()
    table.deal("P 2h")
    (before,) = table.of(Prompt)
    stays = "under the shoe's right corner until the Player's Hand is called"
    assert to_words(before.text).endswith(
        f"; deal face down, the Player's Hand to its area, the Banker's Hand {stays}"
    )
    assert clause in before.clauses
    table.deal("B 3c; P Kd; B Kh")
    at_four = table.of(Prompt)[-1]
    assert to_words(at_four.text) == f"leave the Banker's Hand {stays}; turn the Player's Hand"
    assert clause in at_four.clauses
    turn(table, "player_hand")
    called = table.of(Prompt)[-1]
    assert (
        to_words(called.text)
        == "announce: Player 2; then turn the Banker's Hand and put it on its area"
    )
    assert seen(table) == ["player_hand", *THIRDS]


def test_where_no_turning_is_observed_the_corner_is_in_the_general_prompt(new_layout) -> None:
    table = new_layout(DealOption.FACE_DOWN_DEALER, (), **UNDER)
    table.deal(FOUR)
    text = to_words(table.of(Prompt)[-1].text)
    assert text.startswith(
        "leave the Banker's Hand under the shoe's right corner until the Player's Hand is called; "
        "as the cards are turned, announce the point count of the Player's Hand"
    )


@pytest.mark.clause("WA-pr-1-barea")
@pytest.mark.parametrize("placement", list(BankerPlacement))
def test_washington_places_the_banker_cards_as_the_house_chose(new_layout, placement) -> None:
    option = DealOption.FACE_DOWN_DEALER
    table = new_layout(option, profile="wa-mini", banker_placement=placement)
    table.effects.clear()
    table.deal(FOUR)
    under = ["under the shoe" in to_words(one.text) for one in table.of(Prompt)]
    assert under == [placement is BankerPlacement.UNDER_SHOE] * 2
    assert "WA-pr-1-barea" in table.of(Prompt)[0].clauses


# --- what people have seen ------------------------------------------------------------------------

THIRDS = ["player_third", "banker_third"]
HANDS = ["player_hand", "banker_hand"]


@pytest.mark.parametrize(
    ("option", "at_the_draw"),
    [
        (DealOption.FACE_UP, [*HANDS, *THIRDS]),
        (DealOption.FACE_DOWN_DEALER, THIRDS),
        (DealOption.MIXED, ["player_hand", *THIRDS]),
        (DealOption.PLAYERS_REVEAL, []),
    ],
)
def test_parts_seen_at_the_draw(new_layout, option, at_the_draw) -> None:
    table = new_layout(option)
    table.deal(FOUR)
    assert seen(table) == at_the_draw


def test_hands_are_seen_one_by_one(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(f"{FOUR}; P 3d; B 4d")
    for part in ("player_hand", "banker_hand", "player_third"):
        turn(table, part)
        assert seen(table)[-1] == part or part in seen(table)
        assert not all_seen(table.book, table.shoe.coup)
    turn(table, "banker_third")
    assert all_seen(table.book, table.shoe.coup)


def test_a_card_is_seen_with_its_part(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(f"{FOUR}; P 3d")
    turn(table, "player_hand")
    shown = [card_seen(table.book, table.shoe.coup, dealt) for dealt in table.shoe.coup.cards]
    assert shown == [True, False, True, False, False]


def test_a_declared_result_discloses_the_hands_but_no_card_drawn_in_error(new_layout) -> None:
    table = new_layout()
    table.deal(f"{STAND}; more 3d; result tie")
    assert seen(table) == [*HANDS, *THIRDS]
    assert [one.turned for one in table.shoe.remedy.waiting] == [False]


# --- turning --------------------------------------------------------------------------------------


def test_player_hand_before_banker_hand_is_in_order(new_layout) -> None:
    table = new_layout()
    table.deal(FOUR)
    assert turn(table, *HANDS) == []
    assert table.last.clauses == ("S42-h-1-order",)


@pytest.mark.clause("S42-g-3-ii")
@pytest.mark.clause("S42-g-3-iii")
def test_the_banker_hand_first_is_out_of_order_and_play_goes_on(new_layout) -> None:
    table = new_layout()
    table.deal(FOUR)
    assert turn(table, "banker_hand") == ["TURNED_OUT_OF_ORDER"]
    assert set(table.last.clauses) == {"S42-g-3-ii", "S42-g-3-iii"}
    assert table.state.suspension is None
    assert "banker_hand" in seen(table)
    assert turn(table, "player_hand") == []


def test_dealt_mixed_only_the_banker_hand_needs_turning(new_layout) -> None:
    table = new_layout(DealOption.MIXED)
    table.deal(FOUR)
    assert turn(table, "banker_hand") == []


def test_a_table_that_does_not_observe_turning_judges_no_order(new_layout) -> None:
    table = new_layout(observed=())
    table.deal(FOUR)
    assert turn(table, "banker_hand", "player_hand") == []
    assert seen(table) == [*HANDS, *THIRDS]


@pytest.mark.parametrize(
    ("cards", "part", "words"),
    [
        ("P 2h; B 3c", "player_hand", "the Player's Hand: not on the table, so not turned"),
        (FOUR, "player_third", "Player's third card: not on the table, so not turned"),
        (FOUR, "error_card", "no card drawn in error is on the table: nothing to turn"),
    ],
)
def test_a_part_not_on_the_layout_is_not_turned(new_layout, cards, part, words) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(cards)
    state = table.state
    assert turn(table, part) == []
    assert (to_words(table.last.what), table.state) == (words, state)


@pytest.mark.parametrize("words", ["", f"{STAND}; result player"])
def test_without_a_coup_nothing_is_turned(new_layout, words) -> None:
    table = new_layout()
    if words:
        table.deal(words)
    assert turn(table, "player_hand") == []
    assert to_words(table.last.what) == "cards turned with no coup on the table: no effect"


def test_a_part_already_seen_is_not_turned_again(new_layout) -> None:
    table = new_layout(DealOption.FACE_UP)
    table.deal(FOUR)
    assert turn(table, "banker_hand") == []
    assert to_words(table.last.what) == "the Banker's Hand: already seen"
    assert table.shoe.coup.reveal.turned == ()


def test_of_a_partial_coup_turning_is_not_judged(new_layout) -> None:
    table = new_layout()
    table.deal("P 2h; B 3c; P Kd; B ??")
    assert turn(table, "banker_hand") == []
    assert to_words(table.last.what).endswith("of a partial coup turned up, not judged")


def test_cards_turned_while_a_floorperson_decides_are_seen_and_not_called(new_layout) -> None:
    table = new_layout()
    table.deal(f"{STAND}; more 3d")
    table.effects.clear()
    assert turn(table, *HANDS) == []
    assert (seen(table), table.effects) == ([*HANDS, *THIRDS], [])


# --- third cards ----------------------------------------------------------------------------------


@pytest.mark.clause("S42-h-1-order")
@pytest.mark.parametrize("turned", [[], ["player_hand"], ["banker_hand"]])
def test_a_third_card_before_both_hands_were_turned(new_layout, turned) -> None:
    table = new_layout()
    table.deal(FOUR)
    turn(table, *turned)
    assert table.deal("P 3d") == ["THIRD_CARD_BEFORE_TURNED"]
    assert "S42-h-1-order" in table.last.clauses
    assert table.state.suspension is None


@pytest.mark.clause("NY-g-announce")
def test_new_york_has_both_counts_announced_before_a_third_card(new_layout) -> None:
    table = new_layout(profile="ny-mini")
    table.deal(FOUR)
    table.deal("P 3d")
    assert "NY-g-announce" in table.last.clauses


def test_after_both_hands_were_turned_a_third_card_may_come(new_layout) -> None:
    table = new_layout()
    table.deal(FOUR)
    turn(table, *HANDS)
    assert table.deal("P 3d; B 4d") == []


def test_banker_third_card_waits_until_player_third_card_was_turned(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(FOUR)
    turn(table, *HANDS)
    assert table.deal("P 3d; B 4d") == ["THIRD_CARD_BEFORE_TURNED"]
    assert to_words(table.last.detail).endswith(
        "Banker's third card, while Player's third card lay face down"
    )
    assert turn(table, "banker_third") == ["TURNED_OUT_OF_ORDER"]
    assert turn(table, "player_third") == []


def test_a_table_that_does_not_observe_turning_judges_no_third_card(new_layout) -> None:
    table = new_layout(observed=())
    assert table.deal(f"{FOUR}; P 3d; B 4d") == []


# --- cards drawn in error -------------------------------------------------------------------------


@pytest.mark.clause("S42-k-2-burn")
def test_each_card_drawn_in_error_is_turned_by_itself(new_layout) -> None:
    table = new_layout(DealOption.FACE_UP)
    table.deal(f"{STAND}; more 3d")
    assert turn(table, "error_card") == []
    assert "S42-k-2-burn" in table.last.clauses
    assert turn(table, "error_card") == []
    assert to_words(table.last.what) == "the card drawn in error was already seen"
    table.deal("more 4d")
    assert [one.turned for one in table.shoe.remedy.waiting] == [True, False]


# --- who turns a hand -----------------------------------------------------------------------------


@pytest.mark.clause("S42-g-3-iii-A")
@pytest.mark.clause("S42-g-3-iii-B")
def test_the_highest_bettor_on_a_hand_turns_it(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "1P100 3P200 5B50 2T900")
    table.deal(FOUR)
    assert handed(table) == ["hand the Player's Hand face down to seat 3"]
    turn(table, "player_hand")
    assert table.of(Prompt)[-1].clauses == ("S42-g-3-iii-B",)
    assert handed(table) == ["hand the Banker's Hand face down to seat 5"]


@pytest.mark.clause("NY-f-3-ii-b-hand")
@pytest.mark.clause("NY-f-3-ii-b-return")
@pytest.mark.clause("NY-f-3-ii-c-hand")
@pytest.mark.clause("NY-f-3-ii-c-return")
@pytest.mark.clause("NY-f-3-ii-d")
@pytest.mark.clause("NY-f-3-ii-e")
@pytest.mark.clause("NY-g-2-i")
@pytest.mark.clause("NY-g-2-ii")
@pytest.mark.clause("NY-g-2-iii")
@pytest.mark.clause("NY-g-2-iv")
@pytest.mark.clause("NY-g-2-v")
def test_at_midi_tables_the_third_cards_go_to_the_same_patrons(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50", "ny-midi")
    table.deal(FOUR)
    turn(table, *HANDS)
    table.deal("P 3d")
    turn(table, "player_third")
    table.deal("B 4d")
    over = [one for one in table.of(Prompt) if one.kind.value == "hand_over"]
    assert [to_words(one.text) for one in over] == [
        f"{CORNER}; hand the Player's Hand face down to seat 3",
        "hand the Banker's Hand face down to seat 5",
        "hand Player's third card face down to seat 3",
        "hand Banker's third card face down to seat 5",
    ]
    assert [one.clauses for one in over] == [
        ("NY-f-3-ii-b-hand", "NY-f-3-ii-b-return", *MIDI_DEAL),
        ("NY-f-3-ii-c-hand", "NY-f-3-ii-c-return"),
        ("NY-f-3-ii-d", "NY-g-2-i", "NY-g-2-ii"),
        ("NY-f-3-ii-e", "NY-g-2-iii", "NY-g-2-iv", "NY-g-2-v"),
    ]


@pytest.mark.clause("S42-h-3-iii")
@pytest.mark.clause("S42-g-3-iii-C")
@pytest.mark.clause("S42-g-3-iii-D")
@pytest.mark.clause("S42-h-1-iii")
def test_third_cards_of_section_42_go_to_the_same_patrons_face_down(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50")
    table.deal(FOUR)
    turn(table, *HANDS)
    table.deal("P 3d; B 4d")
    cited = [clause for one in table.of(Prompt) for clause in one.clauses]
    assert {"S42-h-3-iii", "S42-g-3-iii-C", "S42-g-3-iii-D", "S42-h-1-iii"} < set(cited)
    assert handed(table)[-2:] == [
        "hand Player's third card face down to seat 3",
        "hand Banker's third card face down to seat 5",
    ]


@pytest.mark.parametrize(
    ("profile", "player", "banker"),
    [
        pytest.param(
            "ny-midi",
            "NY-f-3-ii-f-player",
            "NY-f-3-ii-f-banker",
            marks=[
                pytest.mark.clause("NY-f-3-ii-f-player"),
                pytest.mark.clause("NY-f-3-ii-f-banker"),
            ],
        ),
        pytest.param(
            "s42-mini",
            "S42-g-3-iii-E-player",
            "S42-g-3-iii-E-banker",
            marks=[
                pytest.mark.clause("S42-g-3-iii-E-player"),
                pytest.mark.clause("S42-g-3-iii-E-banker"),
            ],
        ),
    ],
)
def test_of_equal_wagers_the_one_nearest_to_the_dealer_counts(
    new_layout, profile, player, banker
) -> None:
    on_layout = "6P200 2P200 4P100 7B50 5B50"
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, on_layout, profile)
    table.deal(FOUR)
    assert player in table.of(Prompt)[-1].clauses
    assert table.shoe.coup.reveal.banker_seat == 5
    corner = f"{CORNER}; " if profile == "ny-midi" else ""
    assert handed(table) == [f"{corner}hand the Player's Hand face down to seat 2"]
    turn(table, "player_hand")
    assert banker in table.of(Prompt)[-1].clauses
    assert handed(table) == ["hand the Banker's Hand face down to seat 5"]


@pytest.mark.clause("NY-f-3-ii-g-3")
def test_a_hand_that_nobody_bet_on_is_turned_by_the_dealer(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "5B50", "ny-midi")
    table.deal(FOUR)
    assert "NY-f-3-ii-g-3" in table.of(Prompt)[-1].clauses
    assert handed(table) == [f"{CORNER}; turn the Player's Hand: no patron does"]


def test_where_wagers_are_not_known_the_prompt_says_whom_to_look_for(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(FOUR)
    (text,) = handed(table)
    assert text == (
        "hand the Player's Hand face down to the patron with the highest Player wager; "
        "if there is none, the dealer turns it"
    )


def test_without_observed_turning_both_hands_are_handed_over_at_the_fourth_card(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, (ObservableFact.WAGERS,), "3P200 5B50")
    table.deal(FOUR)
    (text,) = handed(table)
    assert text == (
        "hand the Player's Hand face down to seat 3; "
        "then hand the Banker's Hand face down to seat 5"
    )
    table.deal("P 3d")
    third = ["hand Player's third card face down to seat 3"]
    assert handed(table) == third
    assert [to_words(one.text) for one in due_calls(table.book, table.state)][2:] == third


@pytest.mark.parametrize(
    ("on_layout", "direction", "seat", "tied"),
    [
        ("", COUNTER, 0, False),
        ("4B900", COUNTER, 0, False),
        ("4P100 6P300 2P200", COUNTER, 6, False),
        ("4P100 6P300 2P300", COUNTER, 2, True),
        ("4P100 6P300 2P300", CLOCKWISE, 6, True),
        ("4P100 4P250 6P300", COUNTER, 4, False),
    ],
)
def test_the_highest_wager(on_layout, direction, seat, tied) -> None:
    found = highest_bettor(wagers(on_layout), HandName.PLAYER, direction)
    assert (found.seat, found.tied) == (seat, tied)


@pytest.mark.parametrize(
    ("holder", "given_up", "direction", "seat"),
    [
        (3, (3,), COUNTER, 5),
        (5, (3, 5), COUNTER, 7),
        (7, (3, 5, 7), COUNTER, 1),
        (1, (3, 5, 7, 1), COUNTER, 0),
        (3, (3,), CLOCKWISE, 1),
        (1, (3, 1), CLOCKWISE, 7),
    ],
)
def test_whom_the_right_is_offered_to_next(holder, given_up, direction, seat) -> None:
    on_layout = wagers("5T10 1B20 7P30 3P900")
    assert next_seat(on_layout, holder, given_up, direction) == seat


# --- the right is given up ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "right", "turn_of", "dealer"),
    [
        pytest.param(
            "s42-mini",
            "S42-k-5-right",
            "S42-k-5-turn",
            "S42-k-5-dealer",
            marks=[
                pytest.mark.clause("S42-k-5-right"),
                pytest.mark.clause("S42-k-5-turn"),
                pytest.mark.clause("S42-k-5-dealer"),
            ],
        ),
        pytest.param(
            "ny-midi",
            "NY-f-3-ii-g-1",
            "NY-f-3-ii-g-2",
            "NY-f-3-ii-g-3",
            marks=[
                pytest.mark.clause("NY-f-3-ii-g-1"),
                pytest.mark.clause("NY-f-3-ii-g-2"),
                pytest.mark.clause("NY-f-3-ii-g-3"),
            ],
        ),
    ],
)
def test_a_right_given_up_goes_to_the_right_then_on_then_to_the_dealer(
    new_layout, profile, right, turn_of, dealer
) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50 1T10", profile)
    table.deal(FOUR)
    table.effects.clear()
    cited = []
    for _ in range(3):
        assert give_up(table) == ""
        cited.append(table.of(ActRecord)[-1].clauses)
    assert cited == [(right,), (turn_of,), (dealer,)]
    assert handed(table) == [
        "hand the Player's Hand face down to seat 5",
        "hand the Player's Hand face down to seat 1",
        "turn the Player's Hand: no patron does",
    ]
    assert give_up(table) == "the dealer already turns the Player's Hand"


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(
            "s42-mini", "S42-k-5-relinquish", marks=pytest.mark.clause("S42-k-5-relinquish")
        ),
        pytest.param("ny-midi", "NY-f-3-ii-g", marks=pytest.mark.clause("NY-f-3-ii-g")),
    ],
)
def test_dealer_or_floorperson_may_order_it_with_a_reason(new_layout, profile, clause) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50", profile)
    table.deal(FOUR)
    assert give_up(table, by_order=True, reason="unreasonable delay") == ""
    (recorded,) = table.of(ActRecord)
    assert (recorded.what, recorded.person) == ("reveal-given-up", "Ann Lee")
    assert to_words(recorded.detail) == (
        "the Player's Hand given up by order (unreasonable delay); seat 3; offered to seat 5"
    )
    assert clause in recorded.clauses


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(profile, clause, marks=pytest.mark.clause(clause))
        for profile, clause in (("s42-mini", "S42-k-5-relinquish"), ("ny-midi", "NY-f-3-ii-g"))
    ],
)
@pytest.mark.parametrize("who_and_why", [("Ann Lee", ""), ("", "delay"), ("", "")])
def test_an_order_without_a_name_or_a_reason_is_refused(
    new_layout, profile, clause, who_and_why
) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50", profile)
    table.deal(FOUR)
    person, reason = who_and_why
    table.apply(acted(GiveUpReveal(HandName.PLAYER, by_order=True), person, reason=reason))
    (refused,) = table.of(Refusal)
    assert to_words(refused.why) == "an order needs a named dealer or floorperson and a reason"
    assert clause in refused.clauses
    assert table.shoe.coup.reveal.player_seat == 3, "the right stays where it was"


def test_a_seat_that_gave_up_one_hand_may_still_turn_the_other(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 3B50 5B20")
    table.deal(FOUR)
    assert give_up(table, "banker") == ""
    reveal = table.shoe.coup.reveal
    assert (reveal.player_seat, reveal.banker_seat) == (3, 5)


def test_a_right_given_up_holds_for_the_third_card_and_not_for_the_next_coup(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL, KNOWN, "3P200 5B50")
    table.deal(FOUR)
    turn(table, *HANDS)
    table.effects.clear()
    assert give_up(table) == ""
    assert handed(table) == []
    table.deal("P 3d")
    assert handed(table) == ["hand Player's third card face down to seat 5"]


def test_where_wagers_are_not_known_the_way_of_the_offer_is_recorded(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(FOUR)
    assert give_up(table) == ""
    (recorded,) = table.of(ActRecord)
    assert to_words(recorded.detail) == (
        "the Player's Hand given up; offered to the patron to the right, "
        "then counter-clockwise; if nobody accepts, the dealer turns it"
    )
    assert recorded.clauses == ("S42-k-5-right", "S42-k-5-turn", "S42-k-5-dealer")


@pytest.mark.parametrize(
    ("option", "words", "why"),
    [
        (
            DealOption.PLAYERS_REVEAL,
            "P 2h",
            "no hand has been handed over: wait for the fourth card",
        ),
        (
            DealOption.PLAYERS_REVEAL,
            "P 2h; B 3c; P Kd; B ??",
            "no hand has been handed over: wait for the fourth card",
        ),
        (
            DealOption.FACE_DOWN_DEALER,
            FOUR,
            "no patron turns cards at this table: the dealer does",
        ),
    ],
)
def test_a_right_that_no_seat_has_cannot_be_given_up(new_layout, option, words, why) -> None:
    table = new_layout(option)
    table.deal(words)
    assert give_up(table) == why


@pytest.mark.clause("NY-f-3-i-e")
def test_at_new_york_mini_tables_no_patron_ever_holds_a_card(new_layout) -> None:
    table = new_layout(DealOption.FACE_DOWN_DEALER, profile="ny-mini")
    table.deal(FOUR)
    give_up(table)
    assert "NY-f-3-i-e" in table.of(Refusal)[0].clauses


def test_without_a_shoe_there_is_nothing_to_give_up(new_table) -> None:
    assert give_up(new_table()) == "no hand has been handed over: wait for the fourth card"


def test_once_every_card_lies_face_up_nothing_is_left_to_give_up(new_layout) -> None:
    table = new_layout(DealOption.PLAYERS_REVEAL)
    table.deal(STAND)
    turn(table, *HANDS)
    assert give_up(table) == "every card lies face up: nothing is left to turn"
