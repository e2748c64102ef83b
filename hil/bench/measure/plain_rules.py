"""The rules of a coup as plain ifs: the baseline of the audit's measurement.

It shares nothing with the program, so that tests can use it as an independent check.

Source: S42-g-3, S42-h, S42-i, S42-j-1; NY (f)(3), (h), (i)(1).
"""

from collections.abc import Sequence
from dataclasses import dataclass

PLAYER_1, BANKER_1, PLAYER_2, BANKER_2, PLAYER_3, BANKER_3 = 3, 4, 5, 6, 7, 8
PLAYER_WINS, BANKER_WINS, TIE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card's place, its number (1 to 52), and the outcome if it ends the coup, else 0."""

    role: int
    card: int
    end: int


def points(card: int) -> int:
    """Point value of a card's number, which is 13 times its suit plus its rank."""
    rank = (card - 1) % 13 + 1
    return rank if rank < 10 else 0


def banker_draws(banker: int, third: int) -> bool:
    """Whether Banker draws with this count after Player's third card `third`."""
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
    """Split the cards into coups at the cards that end one."""
    coups: list[list[DealtCard]] = [[]]
    for card in cards:
        coups[-1].append(card)
        if card.end:
            coups.append([])
    return coups if coups[-1] else coups[:-1]
