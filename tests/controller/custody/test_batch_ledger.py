"""The ledger of one batch: card states, counts, block reasons, inconsistencies."""

from collections.abc import Callable
from itertools import product

import pytest
from msgspec.structs import replace

from controller.custody.batch_ledger import BatchLedger, new_ledger
from controller.custody.card_states import (
    PLACE_OF,
    PLACE_WORDS,
    STATE_IN,
    STATES_AT,
    CardPlace,
    CardState,
)
from controller.custody.manifest import Manifest
from foundation.message import Message, message

Batches = Callable[..., Manifest]
PLACES = tuple(CardPlace)
TORN = message("as_typed", typed="torn")


@pytest.fixture(scope="module")
def ledger(batch: Batches) -> BatchLedger:
    return new_ledger(batch("red", cut_cards=1))


def test_a_new_batch_is_in_its_carton(ledger: BatchLedger) -> None:
    assert dict(ledger.counts()) == {**dict.fromkeys(PLACES, 0), CardPlace.CARTON: 52}


@pytest.mark.parametrize("place", PLACES)
def test_a_moved_card_is_in_one_place(ledger: BatchLedger, place: CardPlace) -> None:
    cut = ledger.cut_cards()
    for index in range(53):
        moved = ledger.with_place(index, place)
        here = 52 if place is CardPlace.CARTON else int(index not in cut)

        assert moved.place_of(index) is place
        assert moved.count(place) == here
        assert sum(number for _, number in moved.counts()) == 52


def test_all_cards_of_a_place_can_be_moved_to_another(ledger: BatchLedger) -> None:
    spread = ledger
    for index in range(53):
        spread = spread.with_place(index, PLACES[index % len(PLACES)])

    for source, target in product(PLACES, PLACES):
        moved = spread.move_between(source, target)
        expected = [target if PLACES[at % 10] is source else PLACES[at % 10] for at in range(53)]
        assert [moved.place_of(at) for at in range(53)] == expected, (source, target)


def test_a_cut_card_has_a_place_and_is_not_counted(ledger: BatchLedger) -> None:
    (cut,) = ledger.cut_cards()

    moved = ledger.with_place(cut, CardPlace.SHOE)

    assert ledger.manifest.card(cut) is None
    assert moved.place_of(cut) is CardPlace.SHOE
    assert (moved.count(CardPlace.SHOE), moved.count(CardPlace.CARTON)) == (0, 52)


def test_stored_codes_of_card_states_are_fixed() -> None:
    assert " ".join(f"{state.name}={state}" for state in CardState) == (
        "SHUFFLER=0 CARTON=1 QUARANTINE=2 SHOE=3 PASSED=4 PLAYER=5 BANKER=6 ASIDE=7"
        " CUT_CARD_OUT=8 BURN=9 BURN_BEFORE=10 RACK_LAST=11 RACK=12 CLEARED_LAST=13"
        " CLEARED_BEFORE=14 LOST=15 ABSENT=16 UNSURE=17 UNKNOWN=18"
    )


def test_every_card_state_has_one_place_and_every_place_a_default_state() -> None:
    assert len(PLACE_OF) == len(CardState)
    assert all(STATE_IN[place] in STATES_AT[place] for place in PLACES)
    assert PLACE_WORDS.keys() == set(PLACES)


def test_missing_or_extra_states_are_inconsistent(ledger: BatchLedger) -> None:
    for places, cards in ((ledger.places[1:], 52), (ledger.places + b"\0", 54)):
        with pytest.raises(AssertionError, match=f"53 tags, and states of {cards} cards"):
            replace(ledger, places=places).check_consistent()


def test_unknown_states_are_inconsistent(ledger: BatchLedger) -> None:
    for code in range(256):
        changed = replace(ledger, places=bytes([code]) + ledger.places[1:])
        if code < 19:
            changed.check_consistent()
            continue
        with pytest.raises(AssertionError, match="batch red-0001: 1 in an unknown state"):
            changed.check_consistent()


@pytest.mark.parametrize(
    ("ledger_with", "reason"),
    [
        ({}, None),
        ({"damage": TORN, "miscount": 2}, TORN),
        ({"miscount": -1}, message("last_count_gave_fewer", cards=1)),
        ({"miscount": 2}, message("last_count_gave_more", cards=2)),
    ],
)
def test_block_reason_of_a_ledger(
    ledger: BatchLedger, ledger_with: dict[str, Message | int], reason: Message | None
) -> None:
    changed = BatchLedger(ledger.manifest, ledger.places, **ledger_with)  # type: ignore[arg-type]

    assert changed.block_reason() == reason
