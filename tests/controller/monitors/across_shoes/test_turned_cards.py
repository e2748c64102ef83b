"""Cards turned by their rank: said; turned by chance: not."""

from random import Random

from simulated_shoes import DECKS, SEEN, advisories, fair_shoe

from controller.monitors.across_shoes.turned_cards import BatchTurned, compare_turned
from controller.monitors.faces import GAP, RANKS
from controller.monitors.items import BatchInPlay, CardSeen, ShoeEnds, ShoeOpens
from controller.rules.advisory import AdvisoryKind, TurnedEvidence

HIGH = (6, 7, 8)  # seven, eight and nine


def shoe(chance: Random, *, by_rank: float) -> tuple[bytes, bytes]:
    """Cards, and how each lies; so many of the sevens to nines were turned on purpose."""
    faces = fair_shoe(chance)
    turned = [
        1 if face % RANKS in HIGH and chance.random() < by_rank else int(chance.random() < 0.05)
        for face in faces
    ]
    return bytes(faces), bytes(turned)


def test_high_cards_turned_end_for_end_are_said_in_the_first_shoes() -> None:
    for seed in range(5):
        chance, known, shoes = Random(seed), tuple[BatchTurned, ...](), 0
        evidence = None
        while evidence is None:
            shoes += 1
            assert shoes <= 3
            known, _, evidence = compare_turned(known, "red", *shoe(chance, by_rank=0.8), DECKS)
        assert evidence.rank_turned * evidence.cards > 2 * evidence.turned * evidence.rank_cards


def test_cards_turned_by_chance_are_not_said() -> None:
    chance, known = Random(8), tuple[BatchTurned, ...]()
    for _ in range(60):
        known, _, evidence = compare_turned(known, "red", *shoe(chance, by_rank=0), DECKS)
        assert evidence is None


def test_the_items_tell_how_a_card_lies_and_a_shoe_without_it_is_not_compared() -> None:
    faces, turned = shoe(Random(2), by_rank=1)
    items = [
        CardSeen(SEEN[face].card, None if at < 30 else bool(way))
        for at, (face, way) in enumerate(zip(faces, turned, strict=True))
    ]
    opens = (ShoeOpens(1, DECKS), BatchInPlay("red"))
    state, said = advisories([*opens, *items])
    assert state.shoe is not None
    assert state.shoe.turned[:31] == bytes((GAP,)) * 30 + turned[30:31]
    state, said = advisories([ShoeEnds()], state)
    assert [one.kind for one in said] == [AdvisoryKind.ORIENTATION]
    assert isinstance(said[0].evidence, TurnedEvidence)
    state, _ = advisories([*opens, *(SEEN[face] for face in faces), ShoeEnds()])
    assert state.across.turned == ()
