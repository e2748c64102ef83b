"""Reads and writes a batch's cards as CSV; reports every problem with line and column.

Not: files (controller.service.commissioning.batch_folder).

The reader accepts what other programs write (byte order mark, CRLF, blank lines, lower case, spaces
around a cell). The writer has one canonical form: a heading, then rows by deck and tag. A batch
name is also a file name and the text of a bar code, so few characters are allowed.
"""

import re
from typing import Final

from msgspec import Struct

from controller.custody.manifest import (
    CUT_CARD_DECK,
    Manifest,
    ManifestCard,
    ManifestError,
    build_manifest,
)
from controller.rules.cards import Card, Rank, Suit
from controller.rules.profiles.deck_bounds import DECKS_MAX
from foundation.message import Message, message

HEADING: Final = ("batch", "back", "decks")
COLUMNS: Final = ("tag", "rank", "suit", "deck")
CUT_CARD: Final = "cut"
_TAG_BYTES_MAX: Final = 32
_CELL_SHOWN_MAX: Final = 40

_BATCH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BACK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
_NUMBER: Final = re.compile(r"[0-9]{1,3}")
_HEADING_LINE: Final = re.compile(r"#\s*(\w+)\s*=\s*(.*?)\s*")
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_SUITS: Final = tuple(suit.value for suit in Suit)

_BATCH_ALLOWED: Final = message("letters_digits_dot_dash")
_BACK_ALLOWED: Final = message("one_word")
_DECKS_ALLOWED: Final = message("number_from_1_to", most=DECKS_MAX)
_COLUMNS_LINE: Final = ",".join(COLUMNS)


class BatchSheet(Struct, frozen=True):
    """The contents of a valid file; its cards need not be a complete batch."""

    batch: str
    back: str
    decks: int
    cards: tuple[ManifestCard, ...]


def heading_problem(name: str, value: str) -> Message | None:
    """Why `value` is invalid for `name` (batch, back or decks) in the heading; None where valid."""
    if name == "batch":
        valid, allowed = _BATCH.fullmatch(value) is not None, _BATCH_ALLOWED
    elif name == "back":
        valid, allowed = _BACK.fullmatch(value) is not None, _BACK_ALLOWED
    else:
        is_number = _NUMBER.fullmatch(value) is not None
        valid, allowed = is_number and 1 <= int(value) <= DECKS_MAX, _DECKS_ALLOWED
    return (
        None
        if valid
        else message("value_allowed_correct_it", typed=_quoted(value), allowed=allowed)
    )


def read_manifest(text: str) -> Manifest:
    """A complete batch. Raises ManifestError with every problem, with its line where it has one.

    Completeness is checked only where every row is valid: an invalid row is not a missing card.
    """
    sheet = read_sheet(text)
    return build_manifest(sheet.batch, sheet.back, sheet.decks, sheet.cards)


def read_sheet(text: str) -> BatchSheet:
    """Heading and rows. Raises ManifestError with every problem that has a line."""
    parser = _SheetParser()
    # Only these end a line: any other separator belongs to a cell, which its column then refuses.
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")), start=1):
        parser.add_line(number, line.strip())
    return parser.finish()


def write_manifest(manifest: Manifest) -> str:
    """The canonical text: equal manifests give equal text."""
    return write_sheet(
        BatchSheet(manifest.batch, manifest.back, manifest.decks, manifest.cards()),
    )


def write_sheet(sheet: BatchSheet) -> str:
    """The canonical text of cards that need not be a complete batch."""
    rows = sorted(sheet.cards, key=lambda one: (one.deck, one.tag))
    heading = zip(HEADING, (sheet.batch, sheet.back, sheet.decks), strict=True)
    return "".join(
        f"{line}\n"
        for line in (
            *(f"# {name} = {value}" for name, value in heading),
            _COLUMNS_LINE,
            *(f"{one.tag},{_rank(one.card)},{_suit(one.card)},{one.deck}" for one in rows),
        )
    )


def _rank(card: Card | None) -> str:
    return CUT_CARD if card is None else _RANKS[card.rank - 1]


def _suit(card: Card | None) -> str:
    return "" if card is None else card.suit.value


def _upper(cell: str) -> str:
    """Upper case for ASCII only: upper() maps some other letters to ASCII letters."""
    return cell.upper() if cell.isascii() else cell


def _quoted(cell: str) -> str:
    short = cell if len(cell) <= _CELL_SHOWN_MAX else f"{cell[:_CELL_SHOWN_MAX]}..."
    return repr(short)


class _SheetParser:
    """Parses one file line by line and collects its problems."""

    def __init__(self) -> None:
        self._heading: dict[str, str] = {}
        self._columns_at = 0
        self._cards: list[ManifestCard] = []
        self._lines: dict[str, int] = {}
        self._problems: list[Message] = []

    def add_line(self, number: int, line: str) -> None:
        if not line:
            return
        if line.startswith("#"):
            self._add_heading(number, line)
            return
        cells = tuple(cell.strip() for cell in line.split(","))
        if not self._columns_at:
            self._add_columns(number, cells)
            return
        self._add_row(number, cells)

    def finish(self) -> BatchSheet:
        self._problems.extend(
            message("heading_line_missing", name=name)
            for name in HEADING
            if name not in self._heading
        )
        if not self._columns_at:
            self._problems.append(message("columns_line_missing", columns=_COLUMNS_LINE))
        if self._problems:
            raise ManifestError(self._problems)
        heading = self._heading
        return BatchSheet(
            heading["batch"], heading["back"], int(heading["decks"]), tuple(self._cards)
        )

    def _add_heading(self, number: int, line: str) -> None:
        found = _HEADING_LINE.fullmatch(line)
        if found is None or found[1] not in HEADING:
            return  # any other line starting with # is a comment
        name, value = found[1], found[2]
        if name in self._heading:
            self._add_problem(number, message("heading_repeated", name=name))
            return
        self._heading[name] = value
        problem = heading_problem(name, value)
        if problem is not None:
            self._add_problem(number, message("heading_wrong", name=name, problem=problem))

    def _add_columns(self, number: int, cells: tuple[str, ...]) -> None:
        self._columns_at = number
        if tuple(cell.lower() for cell in cells) == COLUMNS:
            return
        found = _quoted(",".join(cells))
        self._add_problem(number, message("columns_wrong", typed=found, columns=_COLUMNS_LINE))

    def _add_row(self, number: int, cells: tuple[str, ...]) -> None:
        if len(cells) != len(COLUMNS):
            wrong = message("number_of_columns", number=len(cells), columns=_COLUMNS_LINE)
            self._add_problem(number, wrong)
            return
        tag, rank, suit, deck = cells
        before = len(self._problems)
        self._check_tag(number, tag)
        card = self._card(number, rank, suit)
        if not (_NUMBER.fullmatch(deck) and int(deck) <= DECKS_MAX):
            self._add_cell_problem(number, 3, deck, message("number_of_a_deck"))
        elif (card is None) is not (int(deck) == CUT_CARD_DECK) and len(self._problems) == before:
            allowed = message("zero_for_cut_card") if card is None else message("one_or_more")
            self._add_cell_problem(number, 3, deck, allowed)
        if len(self._problems) == before:
            self._cards.append(ManifestCard(tag.upper(), card, int(deck)))

    def _check_tag(self, number: int, tag: str) -> None:
        valid = re.fullmatch(r"(?:[0-9A-Fa-f]{2})+", tag)
        if valid is None or len(tag) > 2 * _TAG_BYTES_MAX:
            self._add_cell_problem(number, 0, tag, message("bytes_in_hex_digits"))
            return
        known = self._lines.setdefault(tag.upper(), number)
        if known != number:
            self._add_problem(number, message("tag_in_line_already", tag=tag, line=known))

    def _card(self, number: int, rank: str, suit: str) -> Card | None:
        """The face of a row; None for a cut card and for an invalid face."""
        if rank.lower() == CUT_CARD:
            if suit:
                self._add_cell_problem(number, 2, suit, message("nothing_for_cut_card"))
            return None
        upper_rank, upper_suit = _upper(rank), _upper(suit)
        if upper_rank not in _RANKS:
            self._add_cell_problem(number, 1, rank, message("ranks_or_cut", ranks=_RANKS))
        if upper_suit not in _SUITS:
            self._add_cell_problem(number, 2, suit, _SUITS)
        if upper_rank not in _RANKS or upper_suit not in _SUITS:
            return None
        return Card(Rank(_RANKS.index(upper_rank) + 1), Suit(upper_suit))

    def _add_cell_problem(
        self, number: int, column: int, cell: str, allowed: Message | tuple[str, ...]
    ) -> None:
        wrong = message("value_allowed_correct_it", typed=_quoted(cell), allowed=allowed)
        self._add_problem(
            number,
            message("cell_wrong", number=column + 1, column=COLUMNS[column], problem=wrong),
        )

    def _add_problem(self, number: int, problem: Message) -> None:
        self._problems.append(message("problem_of_line", line=number, problem=problem))
