"""A batch's cards as CSV text: read strictly, with every problem at once, and written in one form.

Responsible for: the form of the file (heading, columns, rows), what is wrong in it by line and
column, and the one canonical text of a manifest.
Not responsible for: whether the cards are a whole batch (manifest), files
(controller.commissioning.batch_folder) and who vouches for them (receipt).
Source: controller/README.md, "The batch file".

Decisions. The file is read as other programs leave it (byte order mark, CRLF, blank lines, small
letters, spaces around a cell), and written in one way only: a heading, then rows by deck and tag. A
name is also a file name and the text of a bar code, so its characters are few.
"""

import re
from typing import Final

from controller.custody.manifest import (
    CUT_CARD_DECK,
    Manifest,
    ManifestCard,
    ManifestError,
    manifest_of,
)
from controller.rules.cards import Card, Rank, Suit
from firmware_bridge.values import dataclass

HEADING: Final = ("batch", "back", "decks")
COLUMNS: Final = ("tag", "rank", "suit", "deck")
CUT_CARD: Final = "cut"
# A deck's number is kept in one byte.
DECKS_MAX: Final = 255
_TAG_BYTES_MAX: Final = 32
_CELL_SHOWN_MAX: Final = 40

_BATCH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BACK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,31}")
_NUMBER: Final = re.compile(r"[0-9]{1,3}")
_HEADING_LINE: Final = re.compile(r"#\s*(\w+)\s*=\s*(.*?)\s*")
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_SUITS: Final = tuple(suit.value for suit in Suit)

BATCH_ALLOWED: Final = "1 to 64 of the letters A to Z, digits, dot, dash and underscore"
BACK_ALLOWED: Final = "one word or a few, 32 characters at most, such as red"
_DECKS_ALLOWED: Final = f"a number from 1 to {DECKS_MAX}"


@dataclass(frozen=True, slots=True)
class BatchSheet:
    """What a file says, read without fault; the cards may still be no whole batch."""

    batch: str
    back: str
    decks: int
    cards: tuple[ManifestCard, ...]


def heading_problem(name: str, value: str) -> str:
    """Why `value` cannot stand in the heading as batch, back or decks; "" where it can."""
    if name == "batch":
        allowed = "" if _BATCH.fullmatch(value) else BATCH_ALLOWED
    elif name == "back":
        allowed = "" if _BACK.fullmatch(value) else BACK_ALLOWED
    else:
        good = _NUMBER.fullmatch(value) and 1 <= int(value) <= DECKS_MAX
        allowed = "" if good else _DECKS_ALLOWED
    return f"{_shown(value)}. Allowed: {allowed}. Remedy: correct it" if allowed else ""


def read_manifest(text: str) -> Manifest:
    """A whole batch. Raises ManifestError with every problem, each with its line where it has one.

    Wholeness is judged only where every row could be read: a card that was not is not missing.
    """
    sheet = read_sheet(text)
    return manifest_of(sheet.batch, sheet.back, sheet.decks, sheet.cards)


def read_sheet(text: str) -> BatchSheet:
    """Heading and rows. Raises ManifestError with every problem that has a line."""
    reading = _Reading()
    # Only these end a line: a cell may hold any other character, and is then refused by its column.
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")), start=1):
        reading.take(number, line.strip())
    return reading.finish()


def write_manifest(manifest: Manifest) -> str:
    """The canonical text: equal manifests give equal text."""
    return write_sheet(
        BatchSheet(manifest.batch, manifest.back, manifest.decks, manifest.cards()),
    )


def write_sheet(sheet: BatchSheet) -> str:
    """The same for cards that need be no whole batch."""
    rows = sorted(sheet.cards, key=lambda one: (one.deck, one.tag))
    return "".join(
        f"{line}\n"
        for line in (
            f"# batch = {sheet.batch}",
            f"# back = {sheet.back}",
            f"# decks = {sheet.decks}",
            ",".join(COLUMNS),
            *(f"{one.tag},{_rank(one.card)},{_suit(one.card)},{one.deck}" for one in rows),
        )
    )


def _rank(card: Card | None) -> str:
    return CUT_CARD if card is None else _RANKS[card.rank - 1]


def _suit(card: Card | None) -> str:
    return "" if card is None else card.suit.value


def _great(cell: str) -> str:
    """Great letters for small ones of ASCII alone: others become one of its letters, too."""
    return cell.upper() if cell.isascii() else cell


def _shown(cell: str) -> str:
    short = cell if len(cell) <= _CELL_SHOWN_MAX else f"{cell[:_CELL_SHOWN_MAX]}..."
    return repr(short)


class _Reading:
    """One file under way, line by line."""

    def __init__(self) -> None:
        self._heading: dict[str, str] = {}
        self._columns_at = 0
        self._cards: list[ManifestCard] = []
        self._lines: dict[str, int] = {}
        self._problems: list[str] = []

    def take(self, number: int, line: str) -> None:
        if not line:
            return
        if line.startswith("#"):
            self._take_heading(number, line)
            return
        cells = tuple(cell.strip() for cell in line.split(","))
        if not self._columns_at:
            self._take_columns(number, cells)
            return
        self._take_row(number, cells)

    def finish(self) -> BatchSheet:
        self._problems.extend(
            f"heading: there is no line `# {name} = ...`. Remedy: write it above the first row"
            for name in HEADING
            if name not in self._heading
        )
        if not self._columns_at:
            self._problems.append(f"there is no line {','.join(COLUMNS)}. Remedy: write it first")
        if self._problems:
            raise ManifestError(self._problems)
        heading = self._heading
        return BatchSheet(
            heading["batch"], heading["back"], int(heading["decks"]), tuple(self._cards)
        )

    def _take_heading(self, number: int, line: str) -> None:
        found = _HEADING_LINE.fullmatch(line)
        if found is None or found[1] not in HEADING:
            return  # any other line with # in front is a remark
        name, value = found[1], found[2]
        if name in self._heading:
            self._tell(number, f"# {name} stands there already. Remedy: keep one of the lines")
            return
        self._heading[name] = value
        problem = heading_problem(name, value)
        if problem:
            self._tell(number, f"# {name}: {problem}")

    def _take_columns(self, number: int, cells: tuple[str, ...]) -> None:
        self._columns_at = number
        if tuple(cell.lower() for cell in cells) == COLUMNS:
            return
        self._tell(
            number,
            f"{_shown(','.join(cells))}. Allowed: {','.join(COLUMNS)}, the names of the columns."
            " Remedy: write this line above the cards",
        )

    def _take_row(self, number: int, cells: tuple[str, ...]) -> None:
        if len(cells) != len(COLUMNS):
            self._tell(
                number,
                f"there are {len(cells)} columns. Allowed: {','.join(COLUMNS)}. Remedy: write all"
                " four, such as E00401500000002A,Q,D,3",
            )
            return
        tag, rank, suit, deck = cells
        told = len(self._problems)
        self._check_tag(number, tag)
        card = self._card(number, rank, suit)
        if not (_NUMBER.fullmatch(deck) and int(deck) <= DECKS_MAX):
            self._tell_cell(number, 3, deck, f"the number of a deck, {CUT_CARD_DECK} of a cut card")
        elif (card is None) is not (int(deck) == CUT_CARD_DECK) and len(self._problems) == told:
            allowed = "0, as a cut card is of no deck" if card is None else "1 or more"
            self._tell_cell(number, 3, deck, allowed)
        if len(self._problems) == told:
            self._cards.append(ManifestCard(tag.upper(), card, int(deck)))

    def _check_tag(self, number: int, tag: str) -> None:
        good = re.fullmatch(r"(?:[0-9A-Fa-f]{2})+", tag)
        if good is None or len(tag) > 2 * _TAG_BYTES_MAX:
            self._tell_cell(number, 0, tag, "the bytes of an identity in hex digits, two a byte")
            return
        known = self._lines.setdefault(tag.upper(), number)
        if known != number:
            self._tell(
                number,
                f"column 1 (tag): {tag} stands in line {known} already. Allowed: each identity"
                " once. Remedy: read both cards again; if both have it, set both apart",
            )

    def _card(self, number: int, rank: str, suit: str) -> Card | None:
        """The face of a row; None for a cut card, and where it was refused."""
        if rank.lower() == CUT_CARD:
            if suit:
                self._tell_cell(number, 2, suit, "nothing, as a cut card has no suit")
            return None
        great_rank, great_suit = _great(rank), _great(suit)
        if great_rank not in _RANKS:
            self._tell_cell(number, 1, rank, f"{', '.join(_RANKS)} or {CUT_CARD}")
        if great_suit not in _SUITS:
            self._tell_cell(number, 2, suit, ", ".join(_SUITS))
        if great_rank not in _RANKS or great_suit not in _SUITS:
            return None
        return Card(Rank(_RANKS.index(great_rank) + 1), Suit(great_suit))

    def _tell_cell(self, number: int, column: int, cell: str, allowed: str) -> None:
        place = f"column {column + 1} ({COLUMNS[column]})"
        self._tell(number, f"{place}: {_shown(cell)}. Allowed: {allowed}. Remedy: correct it")

    def _tell(self, number: int, problem: str) -> None:
        self._problems.append(f"line {number}, {problem}")
