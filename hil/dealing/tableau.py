"""The bench's own drawing rules: point count, next hand due a card, winner and pairs.

This module and the program's rules must never share a line, or they would be wrong together.

Source: clauses S42-i-1, S42-i-2-draw, S42-i-3-012 to S42-i-3-789; F-29 (natural).
"""

from enum import StrEnum

from hil.dealing.cards import Card


class Hand(StrEnum):
    PLAYER = "player"
    BANKER = "banker"


class Winner(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


# The Player's third card on which the Banker draws, by the Banker's point count.
BANKER_DRAWS_AGAINST = {
    3: (0, 1, 2, 3, 4, 5, 6, 7, 9),
    4: (2, 3, 4, 5, 6, 7),
    5: (4, 5, 6, 7),
    6: (6, 7),
}


def points(values: tuple[int, ...]) -> int:
    """The point count of a hand, from the values of its cards."""
    return sum(values) % 10


def is_natural(player: tuple[int, ...], banker: tuple[int, ...]) -> bool:
    """Whether either hand holds 8 or 9 on its first two cards."""
    return any(len(hand) >= 2 and points(hand[:2]) >= 8 for hand in (player, banker))


def banker_draws(banker: int, player_third: int | None) -> bool:
    """Table 2: whether a Banker count of `banker` draws; `player_third` None: the Player stood."""
    if player_third is None:
        return banker <= 5
    if banker <= 2:
        return True
    return player_third in BANKER_DRAWS_AGAINST.get(banker, ())


def next_hand(player: tuple[int, ...], banker: tuple[int, ...]) -> Hand | None:
    """The hand due the next card, or None when both hands are complete."""
    dealt = len(player) + len(banker)
    if dealt < 4:
        return (Hand.PLAYER, Hand.BANKER)[dealt % 2]
    if is_natural(player, banker) or len(banker) > 2:
        return None
    if len(player) == 2 and points(player) <= 5:
        return Hand.PLAYER
    third = player[2] if len(player) > 2 else None
    return Hand.BANKER if banker_draws(points(banker), third) else None


def winner(player: tuple[int, ...], banker: tuple[int, ...]) -> Winner:
    """The winner by the point counts."""
    difference = points(player) - points(banker)
    if difference == 0:
        return Winner.TIE
    return Winner.PLAYER if difference > 0 else Winner.BANKER


def is_pair(hand: tuple[Card, ...]) -> bool:
    """Whether the first two cards are of equal rank."""
    return len(hand) >= 2 and hand[0].rank == hand[1].rank
