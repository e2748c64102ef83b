"""The ledger of one batch: one place a card, moves, counts, blocks.

Responsible for: every move of one card and of all, counted; and what a check says.
Not responsible for: what moves prove.
Source: controller/custody/README.md, "Places".
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from controller.custody.batch_ledger import BatchLedger, ledger_of
from controller.custody.card_states import (
    PLACE_OF,
    PLACE_WORDS,
    PLAIN,
    STANDINGS_AT,
    Standing,
    Whereabouts,
)
from controller.custody.manifest import Manifest

Batches = Callable[..., Manifest]
PLACES = tuple(Whereabouts)


@pytest.fixture(scope="module")
def ledger(batch: Batches) -> BatchLedger:
    return ledger_of(batch("red", cut_cards=1))


def test_a_batch_is_bound_in_its_carton(ledger: BatchLedger) -> None:
    assert dict(ledger.counts()) == {**dict.fromkeys(PLACES, 0), Whereabouts.CARTON: 52}


@pytest.mark.parametrize("place", PLACES)
def test_every_card_can_be_moved_to_every_place_and_is_nowhere_else(
    ledger: BatchLedger, place: Whereabouts
) -> None:
    cut = ledger.cut_cards()
    for index in range(53):
        moved = ledger.moved(index, place)
        here = 52 if place is Whereabouts.CARTON else int(index not in cut)

        assert moved.place_of(index) is place
        assert moved.count(place) == here
        assert sum(number for _, number in moved.counts()) == 52


@pytest.mark.parametrize(("source", "target"), list(product(PLACES, PLACES)))
def test_all_cards_of_a_place_can_be_moved_to_another(
    ledger: BatchLedger, source: Whereabouts, target: Whereabouts
) -> None:
    spread = ledger
    for index in range(53):
        spread = spread.moved(index, PLACES[index % len(PLACES)])

    moved = spread.moved_all(source, target)

    expected = [target if PLACES[at % 10] is source else PLACES[at % 10] for at in range(53)]
    assert [moved.place_of(at) for at in range(53)] == expected


def test_a_cut_card_has_a_place_and_is_not_counted(ledger: BatchLedger) -> None:
    (cut,) = ledger.cut_cards()

    moved = ledger.moved(cut, Whereabouts.SHOE)

    assert ledger.manifest.card(cut) is None
    assert moved.place_of(cut) is Whereabouts.SHOE
    assert (moved.count(Whereabouts.SHOE), moved.count(Whereabouts.CARTON)) == (0, 52)


def test_codes_of_standings_are_stored_and_stay() -> None:
    assert " ".join(f"{standing.name}={standing}" for standing in Standing) == (
        "SHUFFLER=0 CARTON=1 QUARANTINE=2 SHOE=3 PASSED=4 PLAYER=5 BANKER=6 ASIDE=7"
        " CUT_CARD_OUT=8 BURN=9 BURN_BEFORE=10 RACK_LAST=11 RACK=12 CLEARED_LAST=13"
        " CLEARED_BEFORE=14 LOST=15 ABSENT=16 UNSURE=17 UNKNOWN=18"
    )


def test_every_standing_means_one_place_and_every_place_has_one_standing_of_its_name() -> None:
    assert len(PLACE_OF) == len(Standing)
    assert all(PLAIN[place] in STANDINGS_AT[place] for place in PLACES)
    assert PLACE_WORDS.keys() == set(PLACES)


def test_the_check_names_a_place_too_few_or_too_many(ledger: BatchLedger) -> None:
    assert replace(ledger, places=ledger.places[1:]).check() == (
        "batch red-0001: 53 tags, and places for 52",
    )
    assert replace(ledger, places=ledger.places + b"\0").check() == (
        "batch red-0001: 53 tags, and places for 54",
    )


@pytest.mark.parametrize("code", range(256))
def test_the_check_names_a_place_that_does_not_exist(ledger: BatchLedger, code: int) -> None:
    said = replace(ledger, places=bytes([code]) + ledger.places[1:]).check()

    assert said == (() if code < 19 else ("batch red-0001: 1 at a place there is not",))


@pytest.mark.parametrize(
    ("ledger_with", "why"),
    [
        ({}, ""),
        ({"blocked": "its receipt is not signed"}, "its receipt is not signed"),
        ({"blocked": "its receipt is not signed", "damage": "torn"}, "torn"),
        ({"miscount": -1}, "its last count gave 1 fewer than it has"),
        ({"miscount": 2}, "its last count gave 2 more than it has"),
    ],
)
def test_why_a_batch_may_not_be_dealt_from(
    ledger: BatchLedger, ledger_with: dict[str, str | int], why: str
) -> None:
    changed = BatchLedger(ledger.manifest, ledger.places, **ledger_with)  # type: ignore[arg-type]

    assert changed.block() == why
