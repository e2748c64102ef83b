"""Every coup by point value, against an independent implementation of the rules."""

from collections.abc import Iterator

import pytest

from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import (
    DrawDecision,
    Hands,
    Place,
    draw_decision,
    hands,
    is_complete,
    next_place,
)
from controller.rules.outcome import Outcome, coup_result

# One card for each point value 0..9: the ranks ten, ace, two, ... nine.
BY_VALUE = tuple(Card(Rank(value or 10), Suit.SPADE) for value in range(10))


def coup(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(word) for word in text.split())


def plain_rules(values: tuple[int, ...]) -> str:
    """An independent implementation of the rules, from point values."""
    if len(values) < 4:
        return "first_four"
    p1, b1, p2, b2, *thirds = values
    player, banker = (p1 + p2) % 10, (b1 + b2) % 10
    if player > 7 or banker > 7:
        return "natural" if not thirds else "too many"
    if player in (6, 7):
        if banker > 5:
            return "both_stand" if not thirds else "too many"
        return ("player_stands_banker_draws", "complete", "too many")[len(thirds)]
    if not thirds:
        return "player_draws"
    third = thirds[0]
    if banker < 3:
        must = True
    elif banker == 3:
        must = third != 8
    elif banker == 4:
        must = third not in (0, 1, 8, 9)
    elif banker == 5:
        must = 4 <= third <= 7
    else:
        must = banker == 6 and third in (6, 7)
    if len(thirds) == 1:
        return "banker_draws" if must else "banker_stands"
    return "complete" if must else "too many"


def walk(values: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every lawful prefix of every coup, depth first."""
    yield values
    if plain_rules(values) in {
        "first_four",
        "player_draws",
        "player_stands_banker_draws",
        "banker_draws",
    }:
        for value in range(10):
            yield from walk((*values, value))


def winner(values: tuple[int, ...]) -> str:
    p1, b1, p2, b2, *thirds = values
    player, banker = p1 + p2, b1 + b2
    if (p1 + p2) % 10 < 6:
        player += sum(thirds[:1])
        banker += sum(thirds[1:])
    else:
        banker += sum(thirds)
    difference = player % 10 - banker % 10
    return "tie" if difference == 0 else "player" if difference > 0 else "banker"


def test_every_coup_by_point_value_matches_an_independent_implementation() -> None:
    prefixes = complete = 0
    for values in walk():
        cards = tuple([BY_VALUE[value] for value in values])
        plain = plain_rules(values)
        prefixes += 1
        assert draw_decision(cards) == plain, values
        if plain in {"natural", "both_stand", "banker_stands", "complete"}:
            complete += 1
            assert coup_result(cards).outcome == winner(values), values
    assert prefixes == 377_111  # with the one of no cards
    assert complete == 339_400


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("9h 2d Kh 3c 4s", "no third card is due to either hand"),  # a natural
        ("6h 6d Kh Kc 4s", "no third card is due to either hand"),  # both stand
        ("6h 2d Kh 3c 4s 4d", r"no card is due after Banker's third \(S42-h-4\)"),
        ("2h 7d Kh Kc 4s 4d", "Banker stands, a sixth card is not due"),
        ("2h 2d Kh Kc 4s 4d 5h", r"no coup has more than six cards \(S42-h-4\)"),
    ],
)
def test_an_undue_card_fails(cards: str, message: str) -> None:
    with pytest.raises(AssertionError, match=f"^{message}"):
        draw_decision(coup(cards))


def test_the_first_four_cards_alternate_between_player_and_banker() -> None:
    assert hands(coup("9h 2d Kh 3c")) == Hands(player=coup("9h Kh"), banker=coup("2d 3c"))


@pytest.mark.parametrize(
    ("cards", "player", "banker"),
    [
        ("2h 7d Kh Kc 4s", "2h Kh 4s", "7d Kc"),
        ("6h 2d Kh 3c 4s", "6h Kh", "2d 3c 4s"),
        ("2h 2d Kh Kc 4s 5d", "2h Kh 4s", "2d Kc 5d"),
        ("2h 2d Kh Kc 4s", "2h Kh 4s", "2d Kc"),
    ],
)
def test_the_fifth_card_goes_to_the_hand_that_draws(cards: str, player: str, banker: str) -> None:
    assert hands(coup(cards)) == Hands(coup(player), coup(banker))


@pytest.mark.parametrize(
    ("cards", "player", "banker"),
    [("", "", ""), ("9h", "9h", ""), ("9h 2d", "9h", "2d"), ("9h 2d Kh", "9h Kh", "2d")],
)
def test_hands_fill_card_by_card(cards: str, player: str, banker: str) -> None:
    assert hands(coup(cards)) == Hands(coup(player), coup(banker))


@pytest.mark.parametrize(
    ("cards", "place"),
    [
        ("", Place.PLAYER_1),
        ("2h", Place.BANKER_1),
        ("2h 2d", Place.PLAYER_2),
        ("2h 2d Kh", Place.BANKER_2),
        ("2h 2d Kh Kc", Place.PLAYER_3),
        ("2h 2d Kh Kc 4s", Place.BANKER_3),
        ("6h 2d Kh 3c", Place.BANKER_3),
        ("9h 2d Kh 3c", None),
        ("6h 6d Kh Kc", None),
        ("2h 7d Kh Kc 4s", None),
        ("6h 2d Kh 3c 4s", None),
        ("2h 2d Kh Kc 4s 5d", None),
    ],
)
def test_the_place_of_the_next_card(cards: str, place: Place | None) -> None:
    assert next_place(coup(cards)) == place
    assert is_complete(coup(cards)) is (place is None)


def test_banker_uses_players_third_card_not_players_total() -> None:
    # Player has 5 and draws an 8: the total is 3, on which Banker 3 would draw.
    assert draw_decision(coup("5h 3d Kh Kc 8s")) is DrawDecision.BANKER_STANDS


def test_the_table_row_is_bankers_two_card_count() -> None:
    assert draw_decision(coup("5h 9d Kh 6c 4s")) is DrawDecision.BANKER_DRAWS


def test_an_outcome_has_one_of_three_values() -> None:
    assert [outcome.value for outcome in Outcome] == ["player", "banker", "tie"]
