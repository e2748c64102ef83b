"""Every way in which a coup can be dealt, card by card, and how likely it is then to be won.

A *place* is what the point values of a coup's cards so far leave open: the pairs' counts and
Player's third card. For each place and value of the next card: the place after it, and what a row
of Player's or Banker's wins may hope for, with cards from very many decks. Those figures only say
how a bet is spread; its odds are exact whatever they are.

Source: NY-h-2-draw to NY-h-4-7 by controller/rules/tableau.
"""

from enum import IntEnum
from typing import Final, TypeAlias

from controller.monitors.faces import FACES, RANKS
from controller.rules.tableau import banker_draws, player_draws

VALUES: Final = 10
NATURALS: Final = (8, 9)
# The point value of each face.
VALUE_OF: Final = bytes(min(face % RANKS + 1, 10) % 10 for face in range(FACES))
_PAIR: Final = 4
# Of thirteen ranks four are worth nothing.
_WEIGHTS: Final = (4,) + (1,) * 9
_RANKS_OF_ALL: Final = sum(_WEIGHTS)
_SCALE: Final = 1 << 18
# Of 10,000 coups of many decks.
_PLAYER_WINS, _BANKER_WINS = 4_462, 4_586
_Values: TypeAlias = tuple[int, ...]
_Hopes: TypeAlias = tuple[int, int]


class Winner(IntEnum):
    """Who won a coup."""

    TIE = 0
    PLAYER = 1
    BANKER = 2


def _pairs(values: _Values) -> tuple[int, int]:
    """Player's and Banker's count of two cards each."""
    return (values[0] + values[2]) % 10, (values[1] + values[3]) % 10


def _is_over(values: _Values) -> bool:
    if len(values) < _PAIR:
        return False
    player, banker = _pairs(values)
    if player in NATURALS or banker in NATURALS:
        return True
    third = values[_PAIR] if len(values) > _PAIR and player_draws(player) else None
    if player_draws(player) and third is None:
        return False
    return len(values) == _PAIR + player_draws(player) + banker_draws(banker, third)


def _winner(values: _Values) -> Winner:
    player, banker = _pairs(values)
    thirds = list(values[_PAIR:])
    if thirds and player_draws(player):
        player += thirds.pop(0)
    player, banker = player % 10, (banker + sum(thirds)) % 10
    if player == banker:
        return Winner.TIE
    return Winner.PLAYER if player > banker else Winner.BANKER


def _place_of(values: _Values) -> _Values:
    """The same for all that leave the same open: a pair counts as its sum and a ten."""
    if len(values) < _PAIR - 1:
        return values
    player = (values[0] + values[2]) % 10
    if len(values) < _PAIR:
        return player, values[1], 0
    return player, (values[1] + values[3]) % 10, 0, 0, *values[_PAIR:]


def _final(winner: Winner) -> _Hopes:
    """A tie leaves a row of wins as it was: it is worth as much as it was hoped for.

    A row goes on where its side wins, as often as either side does.
    """
    if winner is Winner.TIE:
        return _SCALE, _SCALE
    decided = _PLAYER_WINS + _BANKER_WINS
    if winner is Winner.PLAYER:
        return _SCALE * decided // _PLAYER_WINS, 0
    return 0, _SCALE * decided // _BANKER_WINS


class _Paths:
    """Numbers the places as it comes to them, and computes their hopes from the last card back."""

    def __init__(self) -> None:
        self.numbers: dict[_Values, int] = {}
        self.after: list[list[int]] = []
        self.hopes: list[list[_Hopes]] = []
        self.means: list[_Hopes] = []

    def place(self, values: _Values) -> tuple[int, _Hopes]:
        """The number of a place, -1 less the winner for a coup that is over, and its hopes."""
        values = _place_of(values)
        if _is_over(values):
            winner = _winner(values)
            return -1 - winner, _final(winner)
        number = self.numbers.get(values)
        if number is not None:
            return number, self.means[number]
        number = self.numbers[values] = len(self.after)
        self.after.append([])
        self.hopes.append([])
        self.means.append((0, 0))
        for value in range(VALUES):
            after, hopes = self.place((*values, value))
            self.after[number].append(after)
            self.hopes[number].append(hopes)
        player, banker = (
            sum(weight * one for weight, one in zip(_WEIGHTS, column, strict=True)) // _RANKS_OF_ALL
            for column in zip(*self.hopes[number], strict=True)
        )
        self.means[number] = player, banker
        return number, self.means[number]


_PATHS: Final = _Paths()
START: Final = _PATHS.place(())[0]
# Cards of the coup were not seen, or it is not known where coups begin: no place until its end.
LOST: Final = len(_PATHS.after)
# By place and value: the place after the card, or at the coup's end -1 less the winner.
AFTER: Final = (*(tuple(row) for row in _PATHS.after), (LOST,) * VALUES)
# By place: how many cards of the coup are out.
DEPTH: Final = (*(len(values) for values in _PATHS.numbers), 0)
# By winner, place and value: what a row of that side's wins hopes for after the card.
HOPES: Final = (
    (),
    *(tuple(tuple(hopes[at] for hopes in row) for row in _PATHS.hopes) for at in range(2)),
)
