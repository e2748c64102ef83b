"""The five roads of a shoe (bead plate to cockroach pig) as cells on a grid of six rows.

Source: the public description "Baccarat Score Boards" at wizardofodds.com/games/baccarat/score-
boards.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.rules.outcome import Outcome

ROWS: Final = 6


class Colour(StrEnum):
    """A mark of a derived road: red where the compared columns match, blue where not."""

    RED = "red"
    BLUE = "blue"


class RoadCoup(Struct, frozen=True):
    """A coup on the roads: the outcome that counts, its pairs, and whether a hand was a natural.

    `corrected`: people corrected the outcome after the coup was counted.
    """

    coup: int
    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False
    corrected: bool = False


class Bead(Struct, frozen=True):
    """A coup on the bead plate. Columns and rows count from 0."""

    column: int
    row: int
    played: RoadCoup


class BigCell(Struct, frozen=True):
    """A win on the big road, with the ties that came after it.

    `won` is None only where the shoe began with ties and has no win yet.
    """

    column: int
    row: int
    won: RoadCoup | None
    ties: tuple[RoadCoup, ...] = ()


class DerivedCell(Struct, frozen=True):
    """A mark of a derived road, and the coup that caused it; a corrected one is marked."""

    column: int
    row: int
    colour: Colour
    coup: int
    corrected: bool = False


class Roads(Struct, frozen=True):
    """The five roads, each in the order of the coups."""

    bead_plate: tuple[Bead, ...]
    big_road: tuple[BigCell, ...]
    big_eye_boy: tuple[DerivedCell, ...]
    small_road: tuple[DerivedCell, ...]
    cockroach_pig: tuple[DerivedCell, ...]


def build_roads(coups: Sequence[RoadCoup]) -> Roads:
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


def _streaks(wins: Iterable[RoadCoup]) -> tuple[tuple[RoadCoup, ...], ...]:
    """Runs of wins of one side: columns of the big road of unlimited length."""
    streaks: list[list[RoadCoup]] = []
    for won in wins:
        if streaks and streaks[-1][-1].outcome is won.outcome:
            streaks[-1].append(won)
        else:
            streaks.append([won])
    return tuple(tuple(streak) for streak in streaks)


def _cells(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Column and row of every mark of streaks of these lengths.

    A streak goes down from the first free column head. At the last row, or above an occupied
    cell, it turns right and stays in its row: the dragon's tail.
    """
    occupied: set[tuple[int, int]] = set()
    head = 0
    for length in lengths:
        while (head, 0) in occupied:
            head += 1
        column, row, turned = head, 0, False
        for mark in range(length):
            turned = turned or row == ROWS - 1 or (column, row + 1) in occupied
            if mark and turned:
                column += 1
            elif mark:
                row += 1
            occupied.add((column, row))
            yield column, row


def _big_road(
    coups: Sequence[RoadCoup], streaks: tuple[tuple[RoadCoup, ...], ...]
) -> tuple[BigCell, ...]:
    places = tuple(_cells(len(streak) for streak in streaks))
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


def _ties(coups: Sequence[RoadCoup]) -> tuple[tuple[RoadCoup, ...], ...]:
    """The ties before the first win, then those after each win."""
    after: list[tuple[RoadCoup, ...]] = [()]
    for played in coups:
        if played.outcome is Outcome.TIE:
            after[-1] = (*after[-1], played)
        else:
            after.append(())
    return tuple(after)


def _derived(streaks: tuple[tuple[RoadCoup, ...], ...], back: int) -> tuple[DerivedCell, ...]:
    """The derived road that compares with the column `back` columns earlier."""
    lengths = tuple(len(streak) for streak in streaks)
    marks = [
        (colour, won)
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
        DerivedCell(column, row, colour, won.coup, won.corrected)
        for (column, row), (colour, won) in zip(_cells(runs), marks, strict=True)
    )


def _colour(lengths: Sequence[int], column: int, row: int, back: int) -> Colour | None:
    """The colour that a mark of the big road gives a derived road; None where too early.

    At the head of a column: red where the previous column is as long as the one `back` before it.
    Below: red unless the column `back` columns earlier ends exactly one row above.
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
