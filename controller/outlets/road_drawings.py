"""Draws the five roads of a shoe as SVG, each with a text alternative and a frame around one coup.

Source: SVG 2 (W3C).
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from controller.outlets.rendering import render
from controller.rules.outcome import Outcome
from controller.rules.roads import ROWS, Bead, BigCell, Colour, DerivedCell, RoadCoup, Roads
from controller.system.messages.catalogue import to_words
from foundation.message import message

RED: Final = "#b3151d"
BLUE: Final = "#1846a3"
GREEN: Final = "#1d7a36"
GOLD: Final = "#c98a00"
# One letter each, as on scoreboards of the language.
_LETTERS: Final = {
    Outcome.PLAYER: message("road_letter_player"),
    Outcome.BANKER: message("road_letter_banker"),
    Outcome.TIE: message("road_letter_tie"),
}
_COLOURS: Final = {Outcome.PLAYER: BLUE, Outcome.BANKER: RED, Outcome.TIE: GREEN}
_COLOUR_NAMES: Final = {
    Colour.RED: message("road_red"),
    Colour.BLUE: message("road_blue"),
}
_PLATE: Final = 22
_SMALL: Final = 12


class Boards(Struct, frozen=True):
    """The fewest columns that are drawn, of the first two roads and of the three derived ones.

    So many that the roads of a short shoe keep their usual shape, or fill their place on a page.
    """

    bead_columns: int = 12
    columns: int = 12
    derived_columns: int = 12


PAPER: Final = Boards()


class _Mark(Struct, frozen=True):
    """A drawing in one cell of the grid; `shape` is one that the template knows."""

    column: int
    row: int
    shape: str
    colour: str
    framed: bool
    letter: str = ""
    played: RoadCoup | None = None
    ties: int = 0
    corrected: bool = False


def road_drawings(roads: Roads, coup: int, boards: Boards = PAPER) -> tuple[tuple[str, str], ...]:
    """Name and drawing of each road; the cell of that coup has a frame."""
    beads = tuple(_bead(one, coup) for one in roads.bead_plate)
    streaks = tuple(_streak(one, coup) for one in roads.big_road)
    small = boards.derived_columns
    coups = _in_words(tuple(bead.played for bead in roads.bead_plate))
    by_streaks = to_words(message("road_wins_by_streaks"))
    drawn = (
        (message("road_bead_plate"), _drawing(_PLATE, boards.bead_columns, beads, coups)),
        (message("road_big_road"), _drawing(_PLATE, boards.columns, streaks, by_streaks)),
        (message("road_big_eye_boy"), _derived(roads.big_eye_boy, coup, small, "ring")),
        (message("road_small_road"), _derived(roads.small_road, coup, small, "disc")),
        (message("road_cockroach_pig"), _derived(roads.cockroach_pig, coup, small, "slash")),
    )
    return tuple((to_words(name), drawing) for name, drawing in drawn)


def _in_words(played: tuple[RoadCoup, ...]) -> str:
    """The outcomes and the marked coups, for readers who cannot see the marks."""
    letters = (to_words(_LETTERS[one.outcome]) for one in played)
    outcomes = "".join(letters) or to_words(message("road_nothing"))
    marks = (
        message("road_player_pair_in", coups=_numbers(one for one in played if one.player_pair)),
        message("road_banker_pair_in", coups=_numbers(one for one in played if one.banker_pair)),
        message("road_natural_in", coups=_numbers(one for one in played if one.natural)),
        message("road_corrected_in", coups=_numbers(one for one in played if one.corrected)),
    )
    marked = (to_words(one) for one in marks if dict(one.parameters)["coups"])
    return "; ".join((to_words(message("road_outcomes", outcomes=outcomes)), *marked))


def _numbers(played: Iterable[RoadCoup]) -> tuple[int, ...]:
    return tuple(one.coup for one in played)


def _bead(bead: Bead, coup: int) -> _Mark:
    played = bead.played
    letter, colour = to_words(_LETTERS[played.outcome]), _COLOURS[played.outcome]
    return _Mark(
        bead.column,
        bead.row,
        "bead",
        colour,
        played.coup == coup,
        letter=letter,
        played=played,
        corrected=played.corrected,
    )


def _streak(cell: BigCell, coup: int) -> _Mark:
    won = cell.won
    colour = _COLOURS[won.outcome] if won is not None else GREEN
    here = (*cell.ties, *((won,) if won else ()))
    return _Mark(
        cell.column,
        cell.row,
        "streak",
        colour,
        any(played.coup == coup for played in here),
        played=won,
        ties=len(cell.ties),
        corrected=any(played.corrected for played in here),
    )


def _derived(cells: tuple[DerivedCell, ...], coup: int, columns: int, shape: str) -> str:
    colours = {Colour.RED: RED, Colour.BLUE: BLUE}
    marks = tuple(
        _Mark(
            one.column,
            one.row,
            shape,
            colours[one.colour],
            one.coup == coup,
            corrected=one.corrected,
        )
        for one in cells
    )
    title = " ".join(to_words(_COLOUR_NAMES[one.colour]) for one in cells) or to_words(
        message("road_nothing")
    )
    return _drawing(_SMALL, columns, marks, title)


def _drawing(size: int, columns: int, marks: tuple[_Mark, ...], title: str) -> str:
    filled = 1 + max((mark.column for mark in marks), default=-1)
    return render(
        "road.svg",
        size=size,
        columns=max(columns, filled),
        filled=filled,
        rows=ROWS,
        marks=marks,
        title=title,
        red=RED,
        blue=BLUE,
        green=GREEN,
        gold=GOLD,
    )
