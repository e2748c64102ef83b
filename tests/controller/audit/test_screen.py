"""The screen against an opinion of its own: rows of dealt shoes, whole and wrong in one place.

Responsible for: what is lawful passes, every wrong card, place, outcome, burn and cut card is found
and told with its coup and clause, and what rows cannot tell is left to the records.
Not responsible for: the column table (test_column_table) and sealed files (test_audit).
Source: package README, "Audit"; hil/bench/measure/plain_rules.py (the other opinion).
"""

from collections import Counter
from dataclasses import replace

import pytest

from controller.audit.screen import CLEAN, Screened, screen
from controller.journal.card_row_format import RowEnd, RowFlag, RowRole
from hil.bench.measure.plain_rules import DealtCard, coups_of, lawful

SHOE = 11
TAG = bytes(range(16))


def plainly_lawful(rows) -> bool:
    """The other opinion on burn and coups."""
    cards = [row for row in rows if row.role != RowRole.CUT_CARD]
    owed = min((cards[0].card - 1) % 13 + 1, 10)
    roles = [row.role for row in cards[: owed + 1]]
    if roles != [RowRole.BURN_FIRST, *[RowRole.BURN] * owed]:
        return False
    coups = coups_of([DealtCard(row.role, row.card, row.ends) for row in cards[owed + 1 :]])
    counted = Counter(row.card for row in cards)
    return all(map(lawful, coups)) and max(counted.values()) <= 8


def changed(rows, at: int, **fields):
    return (*rows[:at], replace(rows[at], **fields), *rows[at + 1 :])


@pytest.fixture
def rows(dealt):
    return dealt(SHOE)[0]


@pytest.fixture
def begun(rows):
    """The burn and the first coups: every single change of it is tried."""
    return tuple(row for row in rows if row.coup <= 10 and row.role != RowRole.CUT_CARD)


@pytest.fixture
def told(pack, terms):
    def screened(rows, by=terms) -> Screened:
        return screen(pack(rows), by)

    return screened


@pytest.mark.parametrize("seed", range(12))
def test_a_shoe_dealt_by_the_rules_is_clean(dealt, told, seed) -> None:
    assert told(dealt(seed)[0]) == CLEAN


@pytest.mark.parametrize("profile", ["ny-mini", "nj-baccarat", "wa-mini", "house-mini"])
def test_profiles_that_burn_and_end_alike_are_screened_alike(
    dealt, told, new_terms, profile
) -> None:
    assert told(dealt(2)[0], new_terms(profile)) == CLEAN


def test_six_decks_are_counted_as_six(dealt, told, new_terms) -> None:
    (rows,) = dealt(4, decks=6)
    assert told(rows, new_terms(decks=6)) == CLEAN
    words = [one.words for one in told(rows, new_terms(decks=5)).faults]
    assert f"{len(rows) - 1} cards were drawn, 5 decks have 260" in words


# --- one wrong place ------------------------------------------------------------------------------


def test_every_single_wrong_card_that_breaks_a_rule_is_found(begun, told) -> None:
    """Each card in turn becomes the next higher one; a coup may by chance stay lawful."""
    found = 0
    for at, row in enumerate(begun):
        wrong = changed(begun, at, card=row.card % 52 + 1)
        lawful_still = plainly_lawful(wrong)
        assert bool(told(wrong).faults) is not lawful_still, at
        found += not lawful_still
    assert found > len(begun) // 3


def test_every_single_wrong_place_is_found(begun, told) -> None:
    for at, row in enumerate(begun):
        for role in set(RowRole) - {row.role, RowRole.OTHER, RowRole.CUT_CARD}:
            wrong = told(changed(begun, at, role=role, claimed=role))
            assert wrong.faults, (at, role)


def test_every_single_wrong_outcome_is_found(begun, told) -> None:
    for at, row in enumerate(begun):
        for end in (RowEnd.NOT_LAST, RowEnd.PLAYER, RowEnd.BANKER, RowEnd.TIE):
            if end != row.ends:
                wrong = told(changed(begun, at, ends=end, declared=end))
                assert wrong.faults, (at, end)


def test_every_single_wrong_declaration_is_found(rows, told) -> None:
    for at, row in enumerate(rows):
        if row.ends:
            wrong = told(changed(rows, at, declared=RowEnd(row.ends % 3 + 1)))
            (fault,) = wrong.faults
            assert fault.coup == row.coup
            assert "as declared" in fault.words
            assert "S42-j-1-final" in fault.clauses


def test_every_single_wrong_number_of_a_coup_is_found(begun, told) -> None:
    for at, row in enumerate(begun):
        for coup in {max(0, row.coup - 1), row.coup + 1} - {row.coup}:
            assert told(changed(begun, at, coup=coup)).faults, at


def test_a_missing_or_an_additional_burn_card_is_found(rows, told) -> None:
    burned = sum(row.role in (RowRole.BURN_FIRST, RowRole.BURN) for row in rows)
    for wrong in (rows[: burned - 1] + rows[burned:], rows[:1] + rows[:1] + rows[1:]):
        (fault,) = told(wrong).faults
        assert fault.coup == 0
        assert "burn" in fault.words
        assert "S42-e-6-burnn" in fault.clauses


def test_every_missing_card_is_found(begun, told) -> None:
    for at, row in enumerate(begun):
        assert told(begun[:at] + begun[at + 1 :]).faults, (at, row)


def test_a_coup_after_the_last_one_is_found(rows, told) -> None:
    """The cut card comes a coup earlier than it did."""
    at = next(place for place, row in enumerate(rows) if row.role == RowRole.CUT_CARD)
    cut, rest = rows[at], rows[:at] + rows[at + 1 :]
    coup = rows[at - 1].coup
    earlier = next(place for place, row in enumerate(rest) if row.coup == coup - 2)
    wrong = told((*rest[:earlier], replace(cut, coup=0), *rest[earlier:]))
    assert any("is the last by the cut card" in one.words for one in wrong.faults)
    assert any("S42-h-5-finish" in one.clauses for one in wrong.faults)


def test_a_cut_card_too_near_the_back_is_found(rows, told, new_terms) -> None:
    """The same shoe of fewer decks: fewer cards lie behind its cut card."""
    wrong = told(rows, new_terms(decks=7))
    assert any("behind the cut card" in one.words for one in wrong.faults)
    assert any("S42-e-6-first" in one.clauses for one in wrong.faults)


def test_a_face_more_often_than_there_are_decks_is_found(rows, told) -> None:
    """A ninth ace of diamonds in place of other aces, so that every coup stays lawful."""
    wrong = tuple(
        replace(row, card=1) if (row.card - 1) % 13 == 0 and row.card else row for row in rows
    )
    assert any(one.words.startswith("Ad was drawn") for one in told(wrong).faults)


def test_a_card_of_one_identity_drawn_twice_is_found(rows, told) -> None:
    tagged = tuple(replace(row, tag=at.to_bytes(16, "little")) for at, row in enumerate(rows, 1))
    assert told(tagged) == CLEAN
    (fault,) = told(changed(tagged, 30, tag=tagged[7].tag)).faults
    assert tagged[7].tag.hex() in fault.words
    assert told(changed(changed(rows, 5, tag=TAG), 9, tag=TAG)).faults


def test_identities_that_begin_alike_are_two(rows, told) -> None:
    alike = changed(changed(rows, 5, tag=TAG), 9, tag=TAG[:15] + b"\xff")
    assert told(alike) == CLEAN


def test_all_wrong_coups_of_a_shoe_are_told(rows, told) -> None:
    wrong = list(rows)
    for coup in (3, 20, 41):
        at = next(p for p, row in enumerate(rows) if row.coup == coup and row.ends)
        wrong[at] = replace(wrong[at], ends=RowEnd(rows[at].ends % 3 + 1), declared=RowEnd.NOT_LAST)
    assert [one.coup for one in told(tuple(wrong)).faults] == [3, 20, 41]


# --- what rows cannot tell ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"flags": RowFlag.IRREGULAR}, "irregular"),
        ({"flags": RowFlag.CARRIED}, "irregular"),
        ({"card": 0}, "not read"),
        ({"ends": RowEnd.VOID}, "void, partial or decided"),
        ({"claimed": RowRole.CUT_CARD}, "claimed another place"),
        ({"coup": 256}, "255 coups"),
    ],
)
def test_what_rows_cannot_tell_is_left_to_the_records(rows, told, fields, why) -> None:
    screened = told(changed(rows, 40, **fields))
    assert not screened.faults
    assert why in screened.unclear


def test_a_shoe_without_its_cut_card_is_left_to_the_records(rows, told) -> None:
    without = tuple(row for row in rows if row.role != RowRole.CUT_CARD)
    assert told(without) == Screened(unclear="the shoe ended without its cut card")


def test_no_rows_at_all_are_left_to_the_records(told) -> None:
    assert told(()).unclear


def test_a_shoe_that_claims_nothing_is_screened(rows, told) -> None:
    assert told(tuple(replace(row, claimed=RowRole.OTHER) for row in rows)) == CLEAN
