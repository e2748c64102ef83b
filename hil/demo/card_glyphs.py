"""Draws cards, hands and beads on a terminal, in colour or not, in Unicode or ASCII."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rich.text import Text

from controller.record.snapshot import HIDDEN_CARD

CARD_WIDTH, CARD_HEIGHT = 7, 5
HAND_CARDS_MAX = 3
PLAYER_STYLE, BANKER_STYLE, TIE_STYLE = "bright_blue", "bright_red", "bright_green"
FACE_STYLE, RED_STYLE, BACK_STYLE = "black on bright_white", "red on bright_white", "white on blue"
ALERT_STYLE = "bold yellow"

_BEADS = MappingProxyType(
    {
        "player": ("P", f"bold {PLAYER_STYLE}"),
        "banker": ("B", f"bold {BANKER_STYLE}"),
        "tie": ("T", f"bold {TIE_STYLE}"),
        "void": ("x", "dim"),
    }
)


@dataclass(frozen=True, slots=True)
class BeadResult:
    """The outcome of a coup as a bead; a corrected one has an apostrophe."""

    outcome: str
    corrected: bool = False

    def append_to(self, line: Text) -> None:
        """Append the bead in two columns."""
        sign, style = _BEADS[self.outcome]
        line.append(sign, style=style).append("'" if self.corrected else " ")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that a terminal can show."""

    suits: MappingProxyType[str, str]
    corners: str  # top left, top right, bottom left, bottom right
    across: str
    down: str
    back: str
    dot: str
    arrow: str
    ellipsis: str


UNICODE = Glyphs(
    MappingProxyType({"s": "♠", "h": "♥", "d": "♦", "c": "♣"}), "╭╮╰╯", "─", "│", "░", "●", "→", "…"
)
ASCII = Glyphs(
    MappingProxyType({"s": "s", "h": "h", "d": "d", "c": "c"}), "++++", "-", "|", "#", "*", ">", "~"
)


def card_text(card: str, glyphs: Glyphs) -> str:
    """A card in two or three characters, such as "7♥"."""
    suit = glyphs.suits.get(card[-1:])
    return card if suit is None or card == HIDDEN_CARD else card[:-1] + suit


def cards_line(cards: Sequence[str], glyphs: Glyphs) -> Text:
    """Cards in one line."""
    line = Text()
    for card in cards:
        if line:
            line.append(" ")
        line.append(card_text(card, glyphs), style="red" if card[-1:] in ("h", "d") else "")
    return line


def _face(card: str, glyphs: Glyphs) -> tuple[tuple[str, ...], str]:
    """The rows of a card and their style."""
    inner = CARD_WIDTH - 2
    style = RED_STYLE if card[-1:] in ("h", "d") else FACE_STYLE
    if card == HIDDEN_CARD:
        rows, style = (glyphs.back * inner,) * 3, BACK_STYLE
    elif card[-1:] in glyphs.suits:
        rank, suit = card[:-1], glyphs.suits[card[-1]]
        rows = (f" {rank:<{inner - 1}}", suit.center(inner), f"{rank:>{inner - 1}} ")
    else:
        rows = (" " * inner, "?".center(inner), " " * inner)
    top = glyphs.corners[0] + glyphs.across * inner + glyphs.corners[1]
    bottom = glyphs.corners[2] + glyphs.across * inner + glyphs.corners[3]
    framed = (glyphs.down + row + glyphs.down for row in rows)
    return (top, *framed, bottom), style


def hand_text(cards: Sequence[str], glyphs: Glyphs, room: int = HAND_CARDS_MAX) -> Text:
    """Cards side by side, CARD_HEIGHT rows high and `room` cards wide.

    The width is fixed, so that cards do not move when another one comes.
    """
    faces = [_face(card, glyphs) for card in cards]
    width = room * (CARD_WIDTH + 1) - 1
    lines = []
    for row in range(CARD_HEIGHT):
        line = Text()
        for number, (rows, style) in enumerate(faces):
            line.append(" " if number else "")
            line.append(rows[row], style=style)
        line.append(" " * (width - line.cell_len))
        lines.append(line)
    return Text("\n").join(lines)


def bead_row(outcomes: Sequence[BeadResult], width: int, glyphs: Glyphs) -> Text:
    """The newest results in one row, the newest last; `width` columns."""
    room = (width - 2) // 2
    line = Text()
    if len(outcomes) > room:
        line.append(glyphs.ellipsis + " ", style="dim")
    for outcome in outcomes[-room:]:
        outcome.append_to(line)
    return line


def bead_plate(outcomes: Sequence[BeadResult], rows: int, width: int, glyphs: Glyphs) -> list[Text]:
    """The results in columns of `rows`; the oldest columns are left out if there is no room."""
    columns = [outcomes[at : at + rows] for at in range(0, len(outcomes), rows)]
    columns = columns[-(width // 2) :]
    plate = []
    for row in range(rows):
        line = Text()
        for column in columns:
            if row < len(column):
                column[row].append_to(line)
        plate.append(line)
    return plate
