"""The third-card table, the same for all profiles, and its look-up.

Not: naturals, which end a coup before the table applies (coup).
Source: NY-h-2-draw to NY-h-4-7; S42-i-2-draw to S42-i-6. Rows 0 to 2 of the New York text are
garbled; they are read as in Section 42, Table 2 (always draw).
"""

from typing import Final

DRAW: Final = "D"
STAND: Final = "S"

# Player's two-card count 0 to 7 (NY-h-2-draw, NY-h-2-stay, S42-i-2-draw, S42-i-2-stay).
PLAYER_ROW: Final = "DDDDDDSS"

# One row per Banker's two-card count. First column: Player took no third card; then one column
# per point value of Player's third card (S42-i-4, S42-i-5).
BANKER_ROWS: Final[tuple[str, ...]] = (
    # -0123456789
    "DDDDDDDDDDD",  # 0: NY-h-4-012, S42-i-3-012
    "DDDDDDDDDDD",  # 1
    "DDDDDDDDDDD",  # 2
    "DDDDDDDDDSD",  # 3: NY-h-4-3, S42-i-3-3
    "DSSDDDDDDSS",  # 4: NY-h-4-4, S42-i-3-4
    "DSSSSDDDDSS",  # 5: NY-h-4-5, S42-i-3-5
    "SSSSSSSDDSS",  # 6: NY-h-4-6, S42-i-3-6
    "SSSSSSSSSSS",  # 7: NY-h-4-7, S42-i-3-789
)


def player_draws(player_count: int) -> bool:
    """Whether Player takes a third card; `player_count` is the two-card count, 0..7."""
    assert 0 <= player_count < len(PLAYER_ROW), "a natural never reaches the table"
    return PLAYER_ROW[player_count] == DRAW


def banker_draws(banker_count: int, player_third_value: int | None) -> bool:
    """Whether Banker takes a third card.

    `banker_count` is the two-card count, 0..7; `player_third_value` the point value of Player's
    third card, 0..9, or None when Player stood.
    """
    assert 0 <= banker_count < len(BANKER_ROWS), "a natural never reaches the table"
    row = BANKER_ROWS[banker_count]
    if player_third_value is None:
        return row[0] == DRAW
    assert 0 <= player_third_value <= 9, "the column is the point value of one card"
    return row[1 + player_third_value] == DRAW
