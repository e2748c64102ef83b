"""A face that a batch lacks one card of; fair odds, and whole batches."""

from fractions import Fraction
from math import comb
from random import Random

import pytest
from simulated_shoes import DECKS, fair_shoe

from controller.monitors.across_shoes.missing_cards import BatchFaces, _growth, count_faces
from controller.monitors.budget import ONE
from controller.monitors.faces import FACES
from controller.rules.advisory import MissingEvidence

CARDS = DECKS * FACES


@pytest.mark.parametrize("unseen", [9, 14, 40, 200])
def test_no_bet_is_better_than_fair(unseen: int) -> None:
    mean = sum(
        Fraction(comb(CARDS - unseen, count) * comb(unseen, DECKS - count), comb(CARDS, DECKS))
        * _growth(count, unseen, DECKS)
        for count in range(DECKS + 1)
        if unseen >= DECKS - count
    )
    assert ONE * 0.9 < mean <= ONE


def dealt(chance: Random, missing: int | None, extra: int | None) -> bytes:
    faces = fair_shoe(chance)
    if missing is not None and extra is not None:
        faces[faces.index(missing)] = extra
    return bytes(faces[: -chance.randrange(14, 40)])


def test_a_queen_that_is_gone_is_said_within_some_shoes_and_no_face_is_named() -> None:
    """A jack is there instead: the number of the cards is right."""
    for seed in range(5):
        chance, known = Random(seed), tuple[BatchFaces, ...]()
        for _ in range(20):
            known, alarm, evidence = count_faces(known, "red", dealt(chance, 37, 36), DECKS)
            if evidence is not None:
                break
        assert alarm is not None
        assert evidence is not None
        assert evidence == MissingEvidence("red", evidence.shoes, DECKS - 1, DECKS)
        assert 5 <= evidence.shoes <= 20


def test_a_whole_batch_is_not_said() -> None:
    chance, known = Random(9), tuple[BatchFaces, ...]()
    for _ in range(300):
        known, _, evidence = count_faces(known, "red", dealt(chance, None, None), DECKS)
        assert evidence is None


def test_batches_are_bounded() -> None:
    chance, known = Random(9), tuple[BatchFaces, ...]()
    for number in range(9):
        known, _, _ = count_faces(known, f"b{number}", dealt(chance, None, None), DECKS)
    assert [one.batch for one in known] == ["b5", "b6", "b7", "b8"]
