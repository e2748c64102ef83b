"""Draws the five roads of a shoe as SVG, each with a text alternative and a frame around one coup.

Source: controller/evidence/README.md, "Roads", "Evidence bundle"; SVG 2 (W3C).
"""

from typing import Final

from msgspec import Struct

from controller.evidence.rendering import render
from controller.messages.catalogue import to_words
from controller.rules.outcome import Outcome
from controller.rules.roads import ROWS, Bead, BigCell, Colour, DerivedCell, RoadCoup, Roads
from firmware_bridge.message import Message

RED: Final = "#b3151d"
BLUE: Final = "#1846a3"
GREEN: Final = "#1d7a36"
GOLD: Final = "#c98a00"
_LETTERS: Final = {Outcome.PLAYER: "P", Outcome.BANKER: "B", Outcome.TIE: "T"}
_COLOURS: Final = {Outcome.PLAYER: BLUE, Outcome.BANKER: RED, Outcome.TIE: GREEN}
_PLATE: Final = 22
_SMALL: Final = 12


class Boards(Struct, frozen=True):
    """The fewest columns that are drawn: of the first two roads, and of the three derived ones.

    So many that the roads of a short shoe keep their usual shape, or fill their place on a page.
    """

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
    played = tuple(bead.played for bead in roads.bead_plate)
    by_streaks, columns = _words("wins_by_streaks"), boards.derived_columns
    return (
        (_words("bead_plate"), _drawing(_PLATE, boards.columns, beads, _in_words(played))),
        (_words("big_road"), _drawing(_PLATE, boards.columns, streaks, by_streaks)),
        (_words("big_eye_boy"), _derived(roads.big_eye_boy, coup, columns, "ring")),
        (_words("small_road"), _derived(roads.small_road, coup, columns, "disc")),
        (_words("cockroach_pig"), _derived(roads.cockroach_pig, coup, columns, "slash")),
    )


def _words(name: str, **parameters: str) -> str:
    return to_words(Message(f"road_{name}", tuple(parameters.items())))


def _in_words(played: tuple[RoadCoup, ...]) -> str:
    """The outcomes and the marked coups, for readers who cannot see the marks."""
    outcomes = "".join(_LETTERS[one.outcome] for one in played) or _words("nothing")
    marks = (
        ("player_pair_in", tuple(one.coup for one in played if one.player_pair)),
        ("banker_pair_in", tuple(one.coup for one in played if one.banker_pair)),
        ("natural_in", tuple(one.coup for one in played if one.natural)),
        ("corrected_in", tuple(one.coup for one in played if one.corrected)),
    )
    marked = (_words(name, coups=", ".join(map(str, coups))) for name, coups in marks if coups)
    return "; ".join((_words("outcomes", outcomes=outcomes), *marked))


def _bead(bead: Bead, coup: int) -> _Mark:
    played = bead.played
    letter, colour = _LETTERS[played.outcome], _COLOURS[played.outcome]
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
    title = " ".join(_words(one.colour.value) for one in cells) or _words("nothing")
    return _drawing(_SMALL, columns, marks, title)


def _drawing(size: int, columns: int, marks: tuple[_Mark, ...], title: str) -> str:
    return render(
        "road.svg",
        size=size,
        columns=max(columns, 1 + max((mark.column for mark in marks), default=0)),
        rows=ROWS,
        marks=marks,
        title=title,
        red=RED,
        blue=BLUE,
        green=GREEN,
        gold=GOLD,
    )
