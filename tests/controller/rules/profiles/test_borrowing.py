"""What a profile cites is its own rule's, or borrowed by a decision and said to be."""

import re
from pathlib import Path

import pytest

from controller.procedure.irregularities import CATALOGUE
from controller.rules.profiles.borrowing import (
    borrowed_by,
    citation_words,
    cite,
    describe_citation,
    with_borrowed,
    with_citation,
)
from controller.rules.profiles.load import profile_names
from controller.rules.profiles.rule_points import RulePoint

NAMES = profile_names()
DECISIONS = Path("docs/decisions.md").read_text("utf-8")
# Irregularities that no clause of a document speaks of, and none that is borrowed for it: handling
# cards and the discard rack in New York and Section 42 alone, the decks not in the house guide,
# calling counts before third cards not in New Jersey, ghost hands in Washington alone.
_GHOST_HANDS = {"GHOST_HAND_WITH_WAGERS", "GHOST_HANDS_EXCEEDED"}
_CARDS_HANDLED = {"CARDS_TOUCHED", "DISCARD_DIFFERS", "CARD_RETURNED", "CARD_ABSENT"}
_STATISTICS = {"ADVISORY_GIVEN"}
WITHOUT_CLAUSES = {
    "NY": _GHOST_HANDS | _STATISTICS,
    "S42": _GHOST_HANDS | _STATISTICS,
    "NJ": _GHOST_HANDS | _CARDS_HANDLED | _STATISTICS | {"THIRD_CARD_BEFORE_TURNED"},
    "WA": _CARDS_HANDLED | _STATISTICS,
    "HG": _GHOST_HANDS | _CARDS_HANDLED | _STATISTICS | {"CARD_EXTRA"},
}
# Clauses that differences.md borrows for no other document, and why it does not.
SECTION_42_ONLY = {
    "S42-b-3-verbal": "X-29",
    "S42-c-3-iii": "X-25",
    "S42-c-3-iv": "X-15",
    "S42-j-4": "no row says what the discard rack is for",
    "S42-j-5": "X-9 speaks of the dealing, none of who may touch cards",
    "S42-a-2": "each document but NJ gives the values, and none is borrowed for NJ",
    "S42-a-3": "the same of the point count",
    "S42-b-1-i-A": "NJ is silent on what wins, and no row gives it",
    "S42-f-1-shoe": "each document says in its own words what is dealt from",
    "S42-l": "X-31",
}


def test_every_rule_point_cites_the_own_rule_or_a_clause_listed_as_borrowed(shipped) -> None:
    for name in NAMES:
        profile = shipped(name)
        for point in RulePoint:
            citation = profile.citation(point)
            borrowed = citation.grounds.borrowed if citation is not None else ()
            for clause in profile.citations_for(point):
                decision = borrowed_by(profile.own_clauses, clause)
                assert (decision is not None) is (clause in borrowed), (name, point, clause)


def test_every_irregularity_cites_the_own_rule_or_a_clause_listed_as_borrowed(shipped) -> None:
    for name in NAMES:
        profile = shipped(name)
        listed = {one for cited in profile.citations for one in cited.grounds.borrowed}
        for code, kind in CATALOGUE.items():
            for clause in (one for point in kind.points for one in profile.citations_for(point)):
                own = clause.startswith(f"{profile.own_clauses}-")
                assert own is not (clause in listed), (name, code, clause)


def test_an_irregularity_cites_nothing_only_where_no_clause_speaks_of_it(shipped) -> None:
    for name in NAMES:
        profile = shipped(name)
        silent = {
            code.value
            for code, kind in CATALOGUE.items()
            if not any(map(profile.citations_for, kind.points))
        }
        assert silent == WITHOUT_CLAUSES[profile.own_clauses], name


def test_every_borrowed_clause_has_its_decision(shipped) -> None:
    for name in NAMES:
        profile = shipped(name)
        grounds = [*(one.grounds for one in profile.citations), *profile.values]
        for clause in (one for each in grounds for one in each.borrowed):
            if (name, clause) == ("ny-ez", "NY-i-2-i"):
                continue  # what its own rule says of the games with vigorish
            decision = borrowed_by(profile.own_clauses, clause)
            assert f"| {decision} |" in DECISIONS, (name, clause, decision)
            assert decision != "D-30", "D-30 leaves open whose rule Section 42 is"


@pytest.mark.parametrize("part", SECTION_42_ONLY)
def test_what_only_section_42_has_is_borrowed_by_nobody(shipped, part) -> None:
    for name in NAMES:
        profile = shipped(name)
        cited = {one for point in RulePoint for one in profile.citations_for(point)}
        found = [one for one in cited if re.match(rf"{part}(-|$)", one)]
        assert bool(found) is (name == "s42-mini"), (name, found)


def test_the_continuous_shuffler_and_the_form_have_no_grounds_in_new_york(shipped) -> None:
    profile = shipped("ny-mini")
    for point in (RulePoint.CONTINUOUS_SHUFFLER, RulePoint.VIGORISH_UNCOLLECTED):
        assert profile.citations_for(point) == ()


@pytest.mark.parametrize(
    ("clause", "decision"),
    [
        ("NY-h-1", None),
        ("S42-k-2-carry", "X-26"),
        ("S42-k-4-void", "X-27"),
        ("S42-e-6-first", "X-3"),
        ("S42-e-6-burnn", "X-4"),
        ("S42-c-3-i", "X-14"),
        ("S42-c-3-ii-when", "X-15"),
        ("S42-k-5-right", "X-26"),
        ("S42-k-5-dealer", "D-37"),
        ("S42-b-2", "X-20"),
        ("S42-e-6-move", "X-6"),
        ("S42-a-2-i", "assumed"),
        ("S42-j-4", "assumed"),
        ("HG-bac-nine", "assumed"),
    ],
)
def test_the_decision_is_that_of_the_smallest_part_the_clause_belongs_to(clause, decision) -> None:
    assert borrowed_by("NY", clause) == decision


def test_words_say_that_a_clause_is_borrowed() -> None:
    assert describe_citation("S42-e-5", "X-6") == "S42-e-5 (borrowed, X-6)"
    assert citation_words("NY", ("NY-j", "S42-e-5")) == "NY-j, S42-e-5 (borrowed, X-6)"
    assert citation_words("S42", ("S42-e-5",)) == "S42-e-5"
    assert with_citation("WA", "it is late", ()) == "it is late"
    assert with_citation("WA", "cut", ("S42-e-5",)) == "cut (S42-e-5 (borrowed, X-6))"


def test_a_citation_is_the_clauses_with_the_decision_of_the_borrowed_ones() -> None:
    assert cite("NY", ("NY-j", "S42-e-5")) == (("NY-j", "S42-e-5"), {"S42-e-5": "X-6"})


def test_where_the_document_is_unknown_nothing_is_said_to_be_borrowed() -> None:
    assert citation_words("", ("S42-e-5", "NY-j")) == "S42-e-5, NY-j"


def test_plain_values_say_it_beside_the_clauses_at_any_depth() -> None:
    plain = {
        "clauses": ["NY-j"],
        "lines": [{"charged_by": ["S42-c-3-i"], "clauses": ["S42-k-4-void"], "seat": 1}, "x"],
        "about": {"clauses": None},
    }

    assert with_borrowed("NY", plain) == {
        "clauses": ["NY-j"],
        "lines": [
            {
                "charged_by": ["S42-c-3-i"],
                "clauses": ["S42-k-4-void"],
                "seat": 1,
                "borrowed": {"S42-k-4-void": "X-27", "S42-c-3-i": "X-14"},
            },
            "x",
        ],
        "about": {"clauses": None},
    }
