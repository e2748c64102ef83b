"""The same shoes through an Angel Eye and an RFID shoe: the same coups and verdicts.

Source: NY (f), (h), (i); S42 (g), (h), (i), (j); D-16 (the order of drawing decides).
"""

import pytest

from controller.procedure.events import CardDrawn, CutCardDrawn, ResultDeclared
from controller.rules.actions.actions import DeclareResult, OperatorAction
from hil.dealing.dealer import DealerSettings

SHORT = range(1, 9)
LONG = range(1, 51)
# A result is declared by the shoe's buttons, or by the dealer in words.
KINDS = {
    CardDrawn: "card",
    CutCardDrawn: "cut card",
    ResultDeclared: "result",
    DeclareResult: "result",
}


def play_verdicts(played) -> list[tuple[str, tuple[object, ...]]]:
    """The verdicts on cards, cut cards and results, in their order.

    The opening of a shoe (the device's start, or its first card) and stand-by depend on the device.
    """
    actions = (one.action for one in played.table.inputs if isinstance(one, OperatorAction))
    judged = [
        (type(next(actions) if one.event is None else one.event), one.verdicts)
        for one in played.events_judged
    ]
    return [(KINDS[kind], verdicts) for kind, verdicts in judged if kind in KINDS]


def check_same_shoe(simulation, seed: int, gate: int) -> None:
    dealer = DealerSettings(seed=seed)
    angel_eye = simulation.play("angel-eye", dealer)
    rfid = simulation.play("rfid", dealer, gate=gate)
    assert rfid.coups == angel_eye.coups
    assert play_verdicts(rfid) == play_verdicts(angel_eye)
    assert rfid.codes == []
    assert len(rfid.coups) > 60


@pytest.mark.parametrize("gate", [0, 1])
@pytest.mark.parametrize("seed", SHORT)
def test_a_seeded_shoe_gives_the_same_coups_and_verdicts(simulation, seed, gate) -> None:
    check_same_shoe(simulation, seed, gate)


@pytest.mark.full
@pytest.mark.parametrize("gate", [0, 1])
@pytest.mark.parametrize("seed", [seed for seed in LONG if seed not in SHORT])
def test_fifty_seeded_shoes_give_the_same_coups_and_verdicts(simulation, seed, gate) -> None:
    check_same_shoe(simulation, seed, gate)
