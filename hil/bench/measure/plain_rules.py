"""The rules of a coup once more, as anybody would write them: plain ifs, coup after coup.

Responsible for: being the other side of the audit's measurement and, in tests, an opinion on a
shoe's rows that shares nothing with the program.
Not responsible for: speed, words and clauses.
Source: S42-g-3, S42-h, S42-i, S42-j-1; NY (f)(3), (h), (i)(1).
"""

from collections.abc import Sequence
from dataclasses import dataclass

PLAYER_1, BANKER_1, PLAYER_2, BANKER_2, PLAYER_3, BANKER_3 = 3, 4, 5, 6, 7, 8
PLAYER_WINS, BANKER_WINS, TIE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class DealtCard:
    """Where a card was put, which it is (1 to 52), and who won with it, 0 for not the last one."""

    role: int
    card: int
    end: int


def points(card: int) -> int:
    """Point value of a card's number: 13 times its suit plus its rank."""
    rank = (card - 1) % 13 + 1
    return rank if rank < 10 else 0


def banker_draws(banker: int, third: int) -> bool:
    """Whether Banker draws on this count after that third card of Player's."""
    if banker <= 2:
        return True
    if banker == 3:
        return third != 8
    if banker == 4:
        return 2 <= third <= 7
    if banker == 5:
        return 4 <= third <= 7
    if banker == 6:
        return third in (6, 7)
    return False


def lawful(coup: Sequence[DealtCard]) -> bool:
    """Whether these cards, in this order, are one whole coup with the right winner."""
    if not 4 <= len(coup) <= 6:
        return False
    if [one.role for one in coup[:4]] != [PLAYER_1, BANKER_1, PLAYER_2, BANKER_2]:
        return False
    if any(one.end for one in coup[:-1]):
        return False
    player = (points(coup[0].card) + points(coup[2].card)) % 10
    banker = (points(coup[1].card) + points(coup[3].card)) % 10
    rest = list(coup[4:])
    if player < 8 and banker < 8:
        if player <= 5:
            if not rest or rest[0].role != PLAYER_3:
                return False
            third = points(rest.pop(0).card)
            player = (player + third) % 10
            draws = banker_draws(banker, third)
        else:
            draws = banker <= 5
        if draws:
            if not rest or rest[0].role != BANKER_3:
                return False
            banker = (banker + points(rest.pop(0).card)) % 10
    if rest:
        return False
    if player > banker:
        winner = PLAYER_WINS
    elif banker > player:
        winner = BANKER_WINS
    else:
        winner = TIE
    return coup[-1].end == winner


def coups_of(cards: Sequence[DealtCard]) -> list[list[DealtCard]]:
    """Cut where a coup is told to be over."""
    coups: list[list[DealtCard]] = [[]]
    for card in cards:
        coups[-1].append(card)
        if card.end:
            coups.append([])
    return coups if coups[-1] else coups[:-1]
