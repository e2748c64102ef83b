"""Draws the five roads of a shoe as SVG, each with a text alternative and a frame around one coup.

Source: controller/evidence/README.md, "Roads", "Evidence bundle"; SVG 2 (W3C).
"""

from typing import Final

from msgspec import Struct

from controller.evidence.rendering import render
from controller.rules.outcome import Outcome
from controller.rules.roads import ROWS, Bead, BigCell, Colour, DerivedCell, RoadCoup, Roads

RED: Final = "#b3151d"
BLUE: Final = "#1846a3"
GREEN: Final = "#1d7a36"
GOLD: Final = "#c98a00"
_LETTERS: Final = {Outcome.PLAYER: "P", Outcome.BANKER: "B", Outcome.TIE: "T"}
_COLOURS: Final = {Outcome.PLAYER: BLUE, Outcome.BANKER: RED, Outcome.TIE: GREEN}
_PLATE: Final = 22
_SMALL: Final = 12
# Wide enough that the roads of a short shoe keep their usual shape.
_COLUMNS_MIN: Final = 12


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


def road_drawings(roads: Roads, coup: int) -> tuple[tuple[str, str], ...]:
    """Name and drawing of each road; the cell of that coup has a frame."""
    beads = tuple(_bead(one, coup) for one in roads.bead_plate)
    outcomes = "".join(one.letter for one in beads)
    marks = _marked_coups(tuple(bead.played for bead in roads.bead_plate))
    streaks = tuple(_streak(one, coup) for one in roads.big_road)
    return (
        ("Bead plate", _drawing(_PLATE, beads, f"outcomes in order: {outcomes or 'none'}{marks}")),
        ("Big road", _drawing(_PLATE, streaks, "wins by streaks")),
        ("Big eye boy", _derived(roads.big_eye_boy, coup, "ring")),
        ("Small road", _derived(roads.small_road, coup, "disc")),
        ("Cockroach pig", _derived(roads.cockroach_pig, coup, "slash")),
    )


def _marked_coups(played: tuple[RoadCoup, ...]) -> str:
    """The coups that are marked, for readers who cannot see the marks."""
    marks = (
        ("Player pair", tuple(one.coup for one in played if one.player_pair)),
        ("Banker pair", tuple(one.coup for one in played if one.banker_pair)),
        ("natural", tuple(one.coup for one in played if one.natural)),
        ("corrected", tuple(one.coup for one in played if one.corrected)),
    )
    return "".join(
        f"; {name} in coup {', '.join(map(str, coups))}" for name, coups in marks if coups
    )


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


def _derived(cells: tuple[DerivedCell, ...], coup: int, shape: str) -> str:
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
    return _drawing(_SMALL, marks, " ".join(one.colour.value for one in cells) or "nothing yet")


def _drawing(size: int, marks: tuple[_Mark, ...], title: str) -> str:
    return render(
        "road.svg",
        size=size,
        columns=max(_COLUMNS_MIN, 1 + max((mark.column for mark in marks), default=0)),
        rows=ROWS,
        marks=marks,
        title=title,
        red=RED,
        blue=BLUE,
        green=GREEN,
        gold=GOLD,
    )
