"""Writes tables as CSV that a spreadsheet opens without running anything that is in it.

Source: RFC 4180; OWASP, "CSV Injection".
"""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final, TypeAlias

from msgspec import Struct

Cell: TypeAlias = str | int | float | bool | None

# A spreadsheet takes a text that begins so for a formula; the last four are full-width = + - @.
_FORMULA_SIGNS: Final = (
    *("=", "+", "-", "@", "\t", "\r", "\n"),
    *("\uff1d", "\uff0b", "\uff0d", "\uff20"),
)


class CsvTable(Struct, frozen=True):
    """A table with the names of its columns; `name` is that of its file without the suffix."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table with a line of names, lines ended by CRLF; None is an empty cell."""
    text = StringIO()
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(columns)
    for row in rows:
        lines.writerow([_cell(one) for one in row])
    return text.getvalue()


def _cell(value: Cell) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return f"'{value}" if value.startswith(_FORMULA_SIGNS) else value
        case float():
            return f"{value:.3f}"
        case _:
            return str(value)
