"""The screen on rows of dealt shoes, correct and wrong in one place, against an independent check.

Source: hil/bench/stored/audit.py (the independent check).
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from controller.journal.card_row_format import RowEnd, RowFlag, RowRole
from hil.bench.stored.audit import DealtCard, coups_of, lawful
from office.audit.screen import CLEAN, ScreenResult, screen

SHOE = 11
TAG = bytes(range(16))


def passes_plain_rules(rows) -> bool:
    """Whether an independent check of the rules accepts burn and coups."""
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
def opening_rows(rows):
    """The burn and the first coups, of which every single change is tried."""
    return tuple(row for row in rows if row.coup <= 10 and row.role != RowRole.CUT_CARD)


@pytest.fixture
def screen_rows(pack, rules):
    def screened(rows, by=rules) -> ScreenResult:
        return screen(pack(rows), by)

    return screened


@pytest.mark.parametrize("seed", range(12))
def test_a_shoe_dealt_by_the_rules_is_clean(dealt, screen_rows, seed) -> None:
    assert screen_rows(dealt(seed)[0]) == CLEAN


@pytest.mark.parametrize("profile", ["ny-mini", "nj-baccarat", "wa-mini", "house-mini"])
def test_profiles_with_the_same_burn_and_end_are_screened_alike(
    dealt, screen_rows, new_rules, profile
) -> None:
    assert screen_rows(dealt(2)[0], new_rules(profile)) == CLEAN


def test_six_decks_are_counted_as_six(dealt, screen_rows, new_rules) -> None:
    (rows,) = dealt(4, decks=6)
    assert screen_rows(rows, new_rules(decks=6)) == CLEAN
    words = [one.words for one in screen_rows(rows, new_rules(decks=5)).discrepancies]
    assert f"{len(rows) - 1} cards were drawn; 5 decks have 260" in words


# --- one wrong place ------------------------------------------------------------------------------


def test_every_single_wrong_card_that_breaks_a_rule_is_found(opening_rows, screen_rows) -> None:
    """Each card in turn becomes the next higher one; a coup may by chance stay lawful."""
    found = 0
    for at, row in enumerate(opening_rows):
        wrong = changed(opening_rows, at, card=row.card % 52 + 1)
        lawful_still = passes_plain_rules(wrong)
        assert bool(screen_rows(wrong).discrepancies) is not lawful_still, at
        found += not lawful_still
    assert found > len(opening_rows) // 3


def test_every_single_wrong_place_is_found(opening_rows, screen_rows) -> None:
    for at, row in enumerate(opening_rows):
        for role in set(RowRole) - {row.role, RowRole.OTHER, RowRole.CUT_CARD}:
            wrong = screen_rows(changed(opening_rows, at, role=role, claimed=role))
            assert wrong.discrepancies, (at, role)


def test_every_single_wrong_outcome_is_found(opening_rows, screen_rows) -> None:
    for at, row in enumerate(opening_rows):
        for end in (RowEnd.NOT_LAST, RowEnd.PLAYER, RowEnd.BANKER, RowEnd.TIE):
            if end != row.ends:
                wrong = screen_rows(changed(opening_rows, at, ends=end, declared=end))
                assert wrong.discrepancies, (at, end)


def test_every_single_wrong_declaration_is_found(rows, screen_rows) -> None:
    for at, row in enumerate(rows):
        if row.ends:
            wrong = screen_rows(changed(rows, at, declared=RowEnd(row.ends % 3 + 1)))
            (fault,) = wrong.discrepancies
            assert fault.coup == row.coup
            assert "as declared" in fault.words
            assert "S42-j-1-final" in fault.clauses


def test_every_single_wrong_number_of_a_coup_is_found(opening_rows, screen_rows) -> None:
    for at, row in enumerate(opening_rows):
        for coup in {max(0, row.coup - 1), row.coup + 1} - {row.coup}:
            assert screen_rows(changed(opening_rows, at, coup=coup)).discrepancies, at


def test_a_missing_or_an_additional_burn_card_is_found(rows, screen_rows) -> None:
    burned = sum(row.role in (RowRole.BURN_FIRST, RowRole.BURN) for row in rows)
    for wrong in (rows[: burned - 1] + rows[burned:], rows[:1] + rows[:1] + rows[1:]):
        (fault,) = screen_rows(wrong).discrepancies
        assert fault.coup == 0
        assert "burn" in fault.words
        assert "S42-e-6-burnn" in fault.clauses


def test_every_missing_card_is_found(opening_rows, screen_rows) -> None:
    for at, row in enumerate(opening_rows):
        assert screen_rows(opening_rows[:at] + opening_rows[at + 1 :]).discrepancies, (
            at,
            row,
        )


def test_a_coup_after_the_last_one_is_found(rows, screen_rows) -> None:
    """The cut card is moved one coup forward."""
    at = next(place for place, row in enumerate(rows) if row.role == RowRole.CUT_CARD)
    cut, rest = rows[at], rows[:at] + rows[at + 1 :]
    coup = rows[at - 1].coup
    earlier = next(place for place, row in enumerate(rest) if row.coup == coup - 2)
    wrong = screen_rows((*rest[:earlier], replace(cut, coup=0), *rest[earlier:]))
    assert any("by the cut card coup" in one.words for one in wrong.discrepancies)
    assert any("S42-h-5-finish" in one.clauses for one in wrong.discrepancies)


def test_a_cut_card_too_near_the_back_is_found(rows, screen_rows, new_rules) -> None:
    """The same shoe with fewer decks has fewer cards behind its cut card."""
    wrong = screen_rows(rows, new_rules(decks=7))
    assert any("behind the cut card" in one.words for one in wrong.discrepancies)
    assert any("S42-e-6-first" in one.clauses for one in wrong.discrepancies)


def test_a_face_more_often_than_there_are_decks_is_found(rows, screen_rows) -> None:
    """A ninth ace of diamonds in place of other aces, so that every coup stays lawful."""
    wrong = tuple(
        replace(row, card=1) if (row.card - 1) % 13 == 0 and row.card else row for row in rows
    )
    assert any(one.words.startswith("Ad was drawn") for one in screen_rows(wrong).discrepancies)


def test_a_card_of_one_identity_drawn_twice_is_found(rows, screen_rows) -> None:
    tagged = tuple(replace(row, tag=at.to_bytes(16, "little")) for at, row in enumerate(rows, 1))
    assert screen_rows(tagged) == CLEAN
    (fault,) = screen_rows(changed(tagged, 30, tag=tagged[7].tag)).discrepancies
    assert tagged[7].tag.hex() in fault.words
    assert screen_rows(changed(changed(rows, 5, tag=TAG), 9, tag=TAG)).discrepancies


def test_identities_with_equal_first_halves_are_distinct(rows, screen_rows) -> None:
    alike = changed(changed(rows, 5, tag=TAG), 9, tag=TAG[:15] + b"\xff")
    assert screen_rows(alike) == CLEAN


def test_all_wrong_coups_of_a_shoe_are_reported(rows, screen_rows) -> None:
    wrong = list(rows)
    for coup in (3, 20, 41):
        at = next(p for p, row in enumerate(rows) if row.coup == coup and row.ends)
        wrong[at] = replace(wrong[at], ends=RowEnd(rows[at].ends % 3 + 1), declared=RowEnd.NOT_LAST)
    assert [one.coup for one in screen_rows(tuple(wrong)).discrepancies] == [3, 20, 41]


# --- what rows cannot tell ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"flags": RowFlag.IRREGULAR}, "irregular"),
        ({"flags": RowFlag.CARRIED}, "irregular"),
        ({"card": 0}, "not read"),
        ({"ends": RowEnd.VOID}, "void, partial or decided"),
        ({"claimed": RowRole.CUT_CARD}, "reported another place"),
        ({"coup": 256}, "255 coups"),
    ],
)
def test_undecidable_rows_are_left_to_the_records(rows, screen_rows, fields, why) -> None:
    screened = screen_rows(changed(rows, 40, **fields))
    assert not screened.discrepancies
    assert why in screened.unclear


def test_a_shoe_without_its_cut_card_is_left_to_the_records(rows, screen_rows) -> None:
    without = tuple(row for row in rows if row.role != RowRole.CUT_CARD)
    assert screen_rows(without) == ScreenResult(unclear="the shoe ended without its cut card")


def test_no_rows_at_all_are_left_to_the_records(screen_rows) -> None:
    assert screen_rows(()).unclear


def test_a_shoe_without_claimed_places_is_screened(rows, screen_rows) -> None:
    assert screen_rows(tuple(replace(row, claimed=RowRole.OTHER) for row in rows)) == CLEAN


def test_two_cut_cards_in_a_row_are_left_to_the_records(rows, screen_rows) -> None:
    at = next(place for place, row in enumerate(rows) if row.role == RowRole.CUT_CARD)
    twice = (*rows[: at + 1], rows[at], *rows[at + 1 :])
    assert screen_rows(twice) == ScreenResult(unclear="more than one cut card was drawn")


@pytest.mark.parametrize("cards_before", [0, 1, 3])
def test_one_coup_after_the_last_one_is_found_wherever_the_cut_card_came(
    rows, screen_rows, cards_before
) -> None:
    """The cut card comes before a coup's first card, or in it: then that coup is the first one."""
    at = next(place for place, row in enumerate(rows) if row.role == RowRole.CUT_CARD)
    cut, rest = rows[at], rows[:at] + rows[at + 1 :]
    last = max(row.coup for row in rest)

    def cut_in(coup: int) -> ScreenResult:
        place = next(n for n, row in enumerate(rest) if row.coup == coup) + cards_before
        moved = replace(cut, coup=coup if cards_before else 0)
        return screen_rows((*rest[:place], moved, *rest[place:]))

    words = "by the cut card coup"
    # With the coup at which it appears, one more may be dealt: the last two, and no third.
    assert not any(words in one.words for one in cut_in(last - 1).discrepancies)
    found = [one for one in cut_in(last - 2).discrepancies if words in one.words]
    assert [one.coup for one in found] == [last]
