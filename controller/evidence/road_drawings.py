"""Draws the five roads of a shoe as SVG, each with a text alternative and a frame around one coup.

Source: controller/evidence/README.md, "Roads", "Evidence bundle"; SVG 2 (W3C).
"""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from controller.evidence.html import NOTHING, Markup, concatenate, element
from controller.rules.outcome import Outcome
from controller.rules.roads import ROWS, Bead, BigCell, Colour, DerivedCell, RoadCoup, Roads

RED: Final = "#b3151d"
BLUE: Final = "#1846a3"
GREEN: Final = "#1d7a36"
_GRID: Final = "#c9c9c9"
_FRAME: Final = "#111111"
_LETTERS: Final = {Outcome.PLAYER: "P", Outcome.BANKER: "B", Outcome.TIE: "T"}
_COLOURS: Final = {Outcome.PLAYER: BLUE, Outcome.BANKER: RED, Outcome.TIE: GREEN}
_PLATE: Final = 22
_SMALL: Final = 12
# Wide enough that the roads of a short shoe keep their usual shape.
_COLUMNS_MIN: Final = 12


class _Mark(Struct, frozen=True):
    """A drawing in one cell of the grid, its top left corner at 0, 0."""

    column: int
    row: int
    drawn: Markup
    framed: bool


def road_drawings(roads: Roads, coup: int) -> tuple[tuple[str, Markup], ...]:
    """Name and drawing of each road; the cell of that coup has a frame."""
    return (
        ("Bead plate", _drawing(_PLATE, _beads(roads.bead_plate, coup), _outcomes_text(roads))),
        ("Big road", _drawing(_PLATE, _big(roads.big_road, coup), "wins by streaks")),
        ("Big eye boy", _derived(roads.big_eye_boy, coup, _ring)),
        ("Small road", _derived(roads.small_road, coup, _disc)),
        ("Cockroach pig", _derived(roads.cockroach_pig, coup, _slash)),
    )


def _outcomes_text(roads: Roads) -> str:
    letters = "".join(_LETTERS[bead.played.outcome] for bead in roads.bead_plate)
    return f"outcomes in order: {letters or 'none'}"


def _beads(beads: Iterable[Bead], coup: int) -> tuple[_Mark, ...]:
    return tuple(
        _Mark(one.column, one.row, _bead(one.played), one.played.coup == coup) for one in beads
    )


def _bead(played: RoadCoup) -> Markup:
    colour, middle = _COLOURS[played.outcome], _PLATE // 2
    return concatenate(
        (
            element("circle", cx=middle, cy=middle, r=9, fill=colour),
            _text(middle, middle + 4, _LETTERS[played.outcome], "#ffffff"),
            _pairs(played),
        )
    )


def _big(cells: Iterable[BigCell], coup: int) -> tuple[_Mark, ...]:
    return tuple(
        _Mark(
            one.column,
            one.row,
            _big_cell(one),
            any(played.coup == coup for played in (*one.ties, *((one.won,) if one.won else ()))),
        )
        for one in cells
    )


def _big_cell(cell: BigCell) -> Markup:
    middle = _PLATE // 2
    parts = []
    if cell.won is not None:
        colour = _COLOURS[cell.won.outcome]
        parts.append(
            element("circle", cx=middle, cy=middle, r=8, fill="none", stroke=colour, stroke_width=2)
        )
    if cell.ties:
        parts.append(_line(3, _PLATE - 3, _PLATE - 3, 3, GREEN))
    if len(cell.ties) > 1:
        parts.append(_text(middle, middle + 4, str(len(cell.ties)), GREEN))
    if cell.won is not None:
        parts.append(_pairs(cell.won))
    return concatenate(parts)


def _pairs(played: RoadCoup) -> Markup:
    """Banker's pair at the top left, Player's at the bottom right."""
    dots = ((played.banker_pair, 4, RED), (played.player_pair, _PLATE - 4, BLUE))
    return concatenate(
        element("circle", cx=at, cy=at, r=3, fill=colour, stroke="#ffffff", stroke_width=1)
        for there, at, colour in dots
        if there
    )


def _derived(cells: Iterable[DerivedCell], coup: int, draw: Callable[[str], Markup]) -> Markup:
    marks = tuple(
        _Mark(
            one.column,
            one.row,
            draw(RED if one.colour is Colour.RED else BLUE),
            one.coup == coup,
        )
        for one in cells
    )
    return _drawing(_SMALL, marks, " ".join(one.colour.value for one in cells) or "nothing yet")


def _ring(colour: str) -> Markup:
    middle = _SMALL // 2
    return element("circle", cx=middle, cy=middle, r=4, fill="none", stroke=colour, stroke_width=2)


def _disc(colour: str) -> Markup:
    return element("circle", cx=_SMALL // 2, cy=_SMALL // 2, r=5, fill=colour)


def _slash(colour: str) -> Markup:
    return _line(2, _SMALL - 2, _SMALL - 2, 2, colour)


def _line(from_x: int, from_y: int, to_x: int, to_y: int, colour: str) -> Markup:
    return element("line", x1=from_x, y1=from_y, x2=to_x, y2=to_y, stroke=colour, stroke_width=2)


def _text(x: int, y: int, text: str, colour: str) -> Markup:
    return element("text", text, x=x, y=y, fill=colour, text_anchor="middle", font_size=11)


def _drawing(size: int, marks: tuple[_Mark, ...], title: str) -> Markup:
    columns = max(_COLUMNS_MIN, 1 + max((mark.column for mark in marks), default=0))
    width, height = columns * size, ROWS * size
    lines = [_rule(column * size, 0, column * size, height) for column in range(columns + 1)]
    lines += [_rule(0, row * size, width, row * size) for row in range(ROWS + 1)]
    placed = (_placed(mark, size) for mark in marks)
    return element(
        "svg",
        element("title", title),
        element("g", *lines, stroke=_GRID, stroke_width=1),
        *placed,
        role="img",
        width=width + 2,
        height=height + 2,
        viewBox=f"-1 -1 {width + 2} {height + 2}",
    )


def _rule(from_x: int, from_y: int, to_x: int, to_y: int) -> Markup:
    return element("line", x1=from_x, y1=from_y, x2=to_x, y2=to_y)


def _placed(mark: _Mark, size: int) -> Markup:
    frame = NOTHING
    if mark.framed:
        frame = element(
            "rect", x=0, y=0, width=size, height=size, fill="none", stroke=_FRAME, stroke_width=2
        )
    at = f"translate({mark.column * size} {mark.row * size})"
    return element("g", mark.drawn, frame, transform=at)
