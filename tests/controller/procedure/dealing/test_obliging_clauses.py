"""Which clauses of each rule document oblige Banker to draw or stand, where Player stands.

Source: NY (h)(3), (h)(4); WA Banker; HG Banker; S42 (i)(3).
"""

import pytest

from controller.procedure.verdicts import Accepted

OPENED = "start; burn Ac: 2c"
# Player has 7 and stands; Banker has two cards with this count.
BANKER_CARDS = {2: "B 2c; P Kd; B Kh", 5: "B 5c; P Kd; B Kh", 7: "B 7c; P Kd; B Kh"}
NEW_YORK = ("ny-mini", "ny-midi", "ny-ez")
BY_TABLE = ("nj-minibaccarat", "nj-baccarat", "s42-mini")
ROWS_OF_PLAYERS_THIRD = {
    *("NY-h-4-012", "NY-h-4-7", "NY-h-4-3", "NY-h-4-5", "NY-h-2-draw"),
    *("WA-bk-3", "WA-bk-5", "HG-bac-d5", "HG-mini-d5", "HG-bac-d3", "HG-mini-d3"),
}
STANDS = {
    **{name: {"NY-h-2-stay"} for name in NEW_YORK},
    **{name: {"S42-h-2", "S42-i-2-stay"} for name in BY_TABLE},
    "wa-mini": {"WA-ov-5-two", "WA-ov-8", "WA-pl-67"},
    "house-baccarat": {"HG-bac-third", "HG-bac-pstand", "HG-bac-prules-67"},
    "house-mini": {"HG-mini-third", "HG-mini-pstand", "HG-mini-prules-67"},
}
# Profiles -> what obliges Banker with two, with five and with seven.
OBLIGES = {
    **{name: ({"NY-h-3-draw"}, {"NY-h-3-draw"}, {"NY-h-3-stand"}) for name in NEW_YORK},
    **{
        name: ({"S42-i-3", "S42-i-3-012"}, {"S42-i-3"}, {"S42-i-3", "S42-i-3-789"})
        for name in BY_TABLE
    },
    "wa-mini": (
        {"WA-bk-stand-draw", "WA-bk-012"},
        {"WA-bk-stand-draw"},
        {"WA-bk-stand-stay", "WA-bk-7"},
    ),
    "house-baccarat": (
        {"S42-i-3", "HG-bac-b012"},
        {"S42-i-3"},
        {"S42-i-3", "HG-bac-b789", "HG-bac-s7"},
    ),
    "house-mini": (
        {"S42-i-3", "HG-mini-b012"},
        {"S42-i-3"},
        {"S42-i-3", "HG-mini-b789", "HG-mini-s7", "HG-mini-d7"},
    ),
}


@pytest.mark.parametrize("profile", OBLIGES)
@pytest.mark.parametrize("count", BANKER_CARDS)
def test_where_player_stood_the_fourth_card_cites_what_obliges_banker(
    new_table, profile, count
) -> None:
    table = new_table(f"{OPENED}; P 7h", profile=profile)
    table.deal(BANKER_CARDS[count])
    accepted = [one for one in table.verdicts if isinstance(one, Accepted)][-1]

    obliges = OBLIGES[profile][list(BANKER_CARDS).index(count)]
    assert obliges | STANDS[profile] <= set(accepted.clauses)
    assert not ROWS_OF_PLAYERS_THIRD & set(accepted.clauses)


# The row of a table with a column for a Player who stands: "S42-i-3 and its row".
ROW_BESIDE = {name: {5: "S42-i-3-5"} for name in BY_TABLE}


@pytest.mark.parametrize("profile", OBLIGES)
@pytest.mark.parametrize("count", [2, 5])
def test_a_third_card_to_a_player_who_stands_cites_what_obliges_banker_to_draw(
    new_table, profile, count
) -> None:
    table = new_table(f"{OPENED}; P 7h; {BANKER_CARDS[count]}", profile=profile)
    assert table.deal("P 4s") == ["PLAYER_THIRD_UNAUTHORISED"]
    cited = set(table.irregularities[-1].clauses)

    row = ROW_BESIDE.get(profile, {}).get(count)
    obliges = OBLIGES[profile][list(BANKER_CARDS).index(count)]
    assert obliges | STANDS[profile] | {"S42-k-1-banker"} | ({row} if row else set()) <= cited
    assert not ROWS_OF_PLAYERS_THIRD & cited
    assert "S42-k-2-carry" not in cited


@pytest.mark.parametrize("profile", OBLIGES)
def test_cards_dealt_while_suspended_are_not_yet_cards_drawn_in_error(new_table, profile) -> None:
    own = {"ny": "NY-a-3", "nj": "NJ-sum-deal", "wa": "WA-mb-decks", "s42": "S42-f-1-shoe"}
    guide = {"house-baccarat": "HG-bac-shoe", "house-mini": "HG-mini-dealer"}
    table = new_table(f"{OPENED}; P 9h; B 7c; P Kd; P3 Kh", profile=profile)

    assert table.deal("result player; P1 3h; B 4c") == ["DEALT_WHILE_SUSPENDED"]

    wanted = guide.get(profile) or own[profile.partition("-")[0]]
    assert table.irregularities[-1].clauses == (wanted,)
