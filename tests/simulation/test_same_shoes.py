"""The same shoes through either kind of shoe: the same coups, the same verdicts.

Responsible for: seeded shoes through an Angel Eye and an RFID shoe, with a gate and without.
Not responsible for: what only custody can prove (test_incidents).
Source: NY (f), (h), (i); S42 (g), (h), (i), (j); D-16 (the order of drawing decides).
"""

import pytest

from controller.procedure.events import CardDrawn, CutCardDrawn, ResultDeclared
from hil.dealing.dealer import DealerSettings

SHORT = range(1, 9)
LONG = range(1, 51)


def of_play(played) -> list[tuple[str, tuple[object, ...]]]:
    """The verdicts on cards, cut cards and results, in their order.

    What opens a shoe (the device's start, or its first card) and stand-by are of the device.
    """
    kinds = (CardDrawn, CutCardDrawn, ResultDeclared)
    return [
        (type(one.event).__name__, one.verdicts)
        for one in played.judged
        if isinstance(one.event, kinds)
    ]


def the_same_either_way(simulation, seed: int, gate: int) -> None:
    dealer = DealerSettings(seed=seed)
    seen = simulation.play("angel-eye", dealer)
    tagged = simulation.play("rfid", dealer, gate=gate)
    assert tagged.coups == seen.coups
    assert of_play(tagged) == of_play(seen)
    assert tagged.codes == []
    assert len(tagged.coups) > 60


@pytest.mark.parametrize("gate", [0, 1])
@pytest.mark.parametrize("seed", SHORT)
def test_a_seeded_shoe_gives_the_same_coups_and_verdicts(simulation, seed, gate) -> None:
    the_same_either_way(simulation, seed, gate)


@pytest.mark.full
@pytest.mark.parametrize("gate", [0, 1])
@pytest.mark.parametrize("seed", [seed for seed in LONG if seed not in SHORT])
def test_fifty_seeded_shoes_give_the_same_coups_and_verdicts(simulation, seed, gate) -> None:
    the_same_either_way(simulation, seed, gate)
