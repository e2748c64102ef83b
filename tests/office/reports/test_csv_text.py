"""CSV: what is written is read back, and no spreadsheet takes a text for a formula."""

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from office.reports.csv_text import csv_text

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"))
SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def read(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline="")))


def quoted(text: str) -> str:
    return f"'{text}" if text.startswith(SIGNS) else text


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), max_size=5))
def test_every_text_is_read_back_but_for_the_quote_before_a_sign(rows: list[list[str]]) -> None:
    back = read(csv_text(("a", "b", "c"), rows))

    assert back[0] == ["a", "b", "c"]
    assert back[1:] == [
        [f"'{one}" if one.startswith(SIGNS) else one for one in row] for row in rows
    ]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_text_that_begins_like_a_formula_begins_with_a_quote(sign: str) -> None:
    assert read(csv_text(("a",), [(f"{sign}1+cmd|' /C calc'!A0",)]))[1][0][:2] == f"'{sign}"


def test_numbers_stay_numbers() -> None:
    assert csv_text(("a", "b"), [(-5, -1.5)]) == "a,b\r\n-5,-1.500\r\n"


def test_yes_no_and_unknown() -> None:
    assert csv_text(("a", "b", "c"), [(True, False, None)]) == "a,b,c\r\nyes,no,\r\n"


def test_lines_end_as_rfc_4180_asks() -> None:
    assert csv_text(("a",), [('say "no"\nmore',)]) == 'a\r\n"say ""no""\nmore"\r\n'
