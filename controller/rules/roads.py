"""The five roads of a shoe: how baccarat rooms have always written down who won.

Responsible for: bead plate, big road, big eye boy, small road and cockroach pig as cells on a grid
of six rows, from the outcomes of the coups in order and nothing else.
Not responsible for: which coups count (their records), and for drawing (evidence_roads).
Source: package README, "Roads"; the public description "Baccarat Score Boards" at
wizardofodds.com/games/baccarat/score-boards.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from controller.rules.outcome import Outcome

ROWS: Final = 6


class Colour(StrEnum):
    """What a derived road says: red, the columns are alike; blue, they are not."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Played:
    """A coup that counts: who won it, and the marks beside that."""

    coup: int
    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


@dataclass(frozen=True, slots=True)
class Bead:
    """A coup on the bead plate. Columns and rows count from 0."""

    column: int
    row: int
    played: Played


@dataclass(frozen=True, slots=True)
class BigCell:
    """A win on the big road, with the ties that came after it.

    `won` is None in one case: the shoe began with ties and nobody has won yet.
    """

    column: int
    row: int
    won: Played | None
    ties: tuple[Played, ...] = ()


@dataclass(frozen=True, slots=True)
class DerivedCell:
    """A mark of a derived road, and the coup that gave it."""

    column: int
    row: int
    colour: Colour
    coup: int


@dataclass(frozen=True, slots=True)
class Roads:
    """All five, each in the order of the coups."""

    bead_plate: tuple[Bead, ...]
    big_road: tuple[BigCell, ...]
    big_eye_boy: tuple[DerivedCell, ...]
    small_road: tuple[DerivedCell, ...]
    cockroach_pig: tuple[DerivedCell, ...]


def roads_of(coups: Sequence[Played]) -> Roads:
    """The roads of these coups, in the order in which they were dealt."""
    streaks = _streaks(one for one in coups if one.outcome is not Outcome.TIE)
    return Roads(
        bead_plate=tuple(
            Bead(number // ROWS, number % ROWS, played) for number, played in enumerate(coups)
        ),
        big_road=_big_road(coups, streaks),
        big_eye_boy=_derived(streaks, 1),
        small_road=_derived(streaks, 2),
        cockroach_pig=_derived(streaks, 3),
    )


def _streaks(wins: Iterable[Played]) -> tuple[tuple[Played, ...], ...]:
    """Wins of one side in a row: what a column of the big road would be if it had no end."""
    streaks: list[list[Played]] = []
    for won in wins:
        if streaks and streaks[-1][-1].outcome is won.outcome:
            streaks[-1].append(won)
        else:
            streaks.append([won])
    return tuple(tuple(streak) for streak in streaks)


def _places(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Column and row of every mark of streaks so long.

    A streak goes down from the first free head of a column. At the last row, or above a place that
    is taken, it turns right and stays on its row: the dragon's tail.
    """
    taken: set[tuple[int, int]] = set()
    head = 0
    for length in lengths:
        while (head, 0) in taken:
            head += 1
        column, row, turned = head, 0, False
        for mark in range(length):
            turned = turned or row == ROWS - 1 or (column, row + 1) in taken
            if mark and turned:
                column += 1
            elif mark:
                row += 1
            taken.add((column, row))
            yield column, row


def _big_road(
    coups: Sequence[Played], streaks: tuple[tuple[Played, ...], ...]
) -> tuple[BigCell, ...]:
    places = tuple(_places(len(streak) for streak in streaks))
    wins = tuple(won for streak in streaks for won in streak)
    ties = _ties(coups)
    if not wins:
        return (BigCell(0, 0, None, ties[0]),) if ties[0] else ()
    # Ties before the first win are marked on it, as there is no other place for them.
    after = (ties[0] + ties[1], *ties[2:])
    return tuple(
        BigCell(column, row, won, tied)
        for (column, row), won, tied in zip(places, wins, after, strict=True)
    )


def _ties(coups: Sequence[Played]) -> tuple[tuple[Played, ...], ...]:
    """The ties before the first win, then those after each win."""
    after: list[tuple[Played, ...]] = [()]
    for played in coups:
        if played.outcome is Outcome.TIE:
            after[-1] = (*after[-1], played)
        else:
            after.append(())
    return tuple(after)


def _derived(streaks: tuple[tuple[Played, ...], ...], back: int) -> tuple[DerivedCell, ...]:
    """The road that looks so many columns back."""
    lengths = tuple(len(streak) for streak in streaks)
    marks = [
        (colour, won.coup)
        for column, streak in enumerate(streaks)
        for row, won in enumerate(streak)
        if (colour := _colour(lengths, column, row, back)) is not None
    ]
    runs: list[int] = []
    for number, (colour, _) in enumerate(marks):
        if number and marks[number - 1][0] is colour:
            runs[-1] += 1
        else:
            runs.append(1)
    return tuple(
        DerivedCell(column, row, colour, coup)
        for (column, row), (colour, coup) in zip(_places(runs), marks, strict=True)
    )


def _colour(lengths: Sequence[int], column: int, row: int, back: int) -> Colour | None:
    """What a mark of the big road gives to the road that looks `back` columns back, if anything.

    A new column asks whether the one before it is as long as the one that many before that. Any
    other mark asks whether that column goes on beside it as it did one row higher up.
    """
    if row == 0:
        compared = column - 1 - back
        if compared < 0:
            return None
        alike = lengths[column - 1] == lengths[compared]
    else:
        compared = column - back
        if compared < 0:
            return None
        alike = lengths[compared] != row
    return Colour.RED if alike else Colour.BLUE
