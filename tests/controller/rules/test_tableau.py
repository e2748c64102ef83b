"""The third-card table against a second definition by sets."""

import pytest

from controller.rules.tableau import banker_draws, player_draws

# Banker's two-card count, and the values of Player's third card on which Banker draws.
BANKER_DRAWS_ON = {
    0: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    1: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    2: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    3: {0, 1, 2, 3, 4, 5, 6, 7, 9},
    4: {2, 3, 4, 5, 6, 7},
    5: {4, 5, 6, 7},
    6: {6, 7},
    7: set[int](),
}


def drawn_on(banker_count: int) -> set[int]:
    return {value for value in range(10) if banker_draws(banker_count, value)}


@pytest.mark.parametrize("count", range(6))
def test_player_draws_on_0_to_5(count: int) -> None:
    assert player_draws(count)


@pytest.mark.parametrize("count", [6, 7])
def test_player_stands_on_6_and_7(count: int) -> None:
    assert not player_draws(count)


@pytest.mark.parametrize("count", range(6))
def test_when_player_stands_banker_draws_on_0_to_5(count: int) -> None:
    assert banker_draws(count, None)


@pytest.mark.parametrize("count", [6, 7])
def test_when_player_stands_banker_stands_on_6_and_7(count: int) -> None:
    assert not banker_draws(count, None)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_banker_0_to_2_always_draws(count: int) -> None:
    assert drawn_on(count) == BANKER_DRAWS_ON[count]
    assert banker_draws(count, None)


def test_banker_3_draws_except_against_8() -> None:
    assert drawn_on(3) == BANKER_DRAWS_ON[3]
    assert banker_draws(3, None)


def test_banker_4_draws_against_2_to_7() -> None:
    assert drawn_on(4) == BANKER_DRAWS_ON[4]
    assert banker_draws(4, None)


def test_banker_5_draws_against_4_to_7() -> None:
    assert drawn_on(5) == BANKER_DRAWS_ON[5]
    assert banker_draws(5, None)


def test_banker_6_draws_against_6_and_7() -> None:
    assert drawn_on(6) == BANKER_DRAWS_ON[6]
    assert not banker_draws(6, None)


def test_banker_7_always_stands() -> None:
    assert drawn_on(7) == BANKER_DRAWS_ON[7]
    assert not banker_draws(7, None)


def test_banker_5_against_a_drawn_4_is_the_example_of_the_rule() -> None:
    assert banker_draws(5, 4)


@pytest.mark.parametrize("count", [-1, 8, 9])
def test_a_natural_never_reaches_the_table(count: int) -> None:
    with pytest.raises(AssertionError, match=r"^a natural never reaches the table"):
        player_draws(count)
    with pytest.raises(AssertionError, match=r"^a natural never reaches the table"):
        banker_draws(count, None)


@pytest.mark.parametrize("value", [-1, 10])
def test_the_column_is_the_value_of_one_card(value: int) -> None:
    with pytest.raises(AssertionError, match=r"^the column is the point value of one card"):
        banker_draws(0, value)
