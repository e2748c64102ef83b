"""The catalogue of clauses: read as a whole, or refused with line and column."""

import csv
from importlib.resources import files

import pytest

from controller.rules.profiles.clauses import (
    Clause,
    ClauseError,
    ClauseKind,
    Observable,
    parse_clauses,
)

HEADING = "id,source,text,kind,observable,check"
GOOD = 'NY-h-1,9 NYCRR 5324.21 (h)(1),"A natural, either hand",third-card,yes,Close dealing.'


def catalogue(*rows: str) -> str:
    return "\n".join((HEADING, *rows)) + "\n"


def test_a_row_becomes_a_clause() -> None:
    assert parse_clauses(catalogue(GOOD)) == {
        "NY-h-1": Clause(
            id="NY-h-1",
            source="9 NYCRR 5324.21 (h)(1)",
            text="A natural, either hand",
            kind=ClauseKind.THIRD_CARD,
            observable=Observable.YES,
            check="Close dealing.",
        )
    }


def test_the_id_names_the_rule_document() -> None:
    assert parse_clauses(catalogue(GOOD))["NY-h-1"].rule == "NY"


def test_the_shipped_catalogue_is_read() -> None:
    text = (
        files("controller.rules.profiles").joinpath("data/clauses.csv").read_text(encoding="utf-8")
    )
    clauses = parse_clauses(text)
    ids = [row[0] for row in csv.reader(text.splitlines())][1:]
    assert list(clauses) == ids
    assert {clause.rule for clause in clauses.values()} == {"NY", "NJ", "WA", "HG", "S42"}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "the heading must be id,source,text,kind,observable,check$"),
        ("id,text\n", 1, 1, "heading"),
        (catalogue(GOOD, GOOD), 3, 1, "NY-h-1 is repeated"),
        (catalogue(GOOD, ""), 3, 1, "0 fields"),
        (catalogue(GOOD, "NY-h-2,a,b"), 3, 4, "3 fields"),
        (catalogue("NY-h-2,a,b,wager,yes,c,d"), 2, 7, "7 fields"),
        (catalogue("NY-h-2,,b,wager,yes,c"), 2, 2, "source is empty"),
        (catalogue("NY-h-2,a, b,wager,yes,c"), 2, 3, "text is empty or has space"),
        (catalogue("NY-h 2,a,b,wager,yes,c"), 2, 1, "not a clause id"),
        (catalogue("NYh2,a,b,wager,yes,c"), 2, 1, "not a clause id"),
        (catalogue("NY-h-2,a,b,bet,yes,c"), 2, 4, "kind 'bet' is not one of announce, batch"),
        (catalogue("NY-h-2,a,b,wager,maybe,c"), 2, 5, "is not one of yes, config, human, out"),
        (catalogue(GOOD, 'NY-h-2,a,"b'), 3, 1, "not a CSV row"),
    ],
)
def test_a_fault_in_the_catalogue_is_refused_with_line_and_column(
    text: str, line: int, column: int, words: str
) -> None:
    with pytest.raises(ClauseError, match=f"line {line}, column {column}: .*{words}") as caught:
        parse_clauses(text)
    assert (caught.value.line, caught.value.column) == (line, column)
