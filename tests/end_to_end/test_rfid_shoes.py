"""The same shoes dealt from an RFID shoe and from an Angel Eye give the same coups."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from drivers.shoes.rfid_model import RfidSettings
from firmware_bridge.feig.settings import Delivery
from hil.dealing.dealer import DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.emulator.feig.rfid_shoe import GATE_INPUT
from hil.emulator.lines.faults import Envelope, FaultPlan, Pieces
from hil.rig.in_process import RigSettings
from hil.rig.shoe_models import ShoeKind

RFID = RigSettings(shoe=ShoeKind.RFID)
POLLED = RfidSettings(gate_input=GATE_INPUT, delivery=Delivery.POLL)

# On a busy machine the reader has more cards in one answer, and sends some 1,450 answers a shoe.
FAULTS_EVERY = 300


@dataclass(frozen=True)
class DirtyLine(FaultPlan):
    """Fragments all, and loses or damages what is sent now and then.

    Never two in a row: then nothing would prove that no card was missed, and play would stop.
    Few, because what is lost or damaged is sent again only after a second.
    """

    envelope: Envelope = Envelope.FEIG
    fragment_bytes_max: int = 7
    sent: Iterator[int] = field(default_factory=count)

    def apply(self, frames: bytes, at_ns: int) -> Pieces:
        faults = {100: {"drop_repeat": 1.0}, 200: {"bad_bcc": 1.0}}
        plan = replace(self, **faults.get(next(self.sent) % FAULTS_EVERY, {}))
        return FaultPlan.apply(plan, frames, at_ns)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("transport", ["pty", "tcp"])
def test_a_shoe_of_tagged_cards(bench, transport, seed, as_dealt, as_recorded) -> None:
    played = bench.play(DealerSettings(seed=seed), transport, rig_settings=RFID)

    assert played.codes == []
    assert [as_recorded(c) for c in played.coups] == [as_dealt(c) for c in played.truth.coups]
    assert len(played.coups) > 60


def test_a_shoe_of_tagged_cards_over_a_noisy_line(bench, as_dealt, as_recorded) -> None:
    line = DirtyLine(seed=3)
    played = bench.play(DealerSettings(seed=3), "pty", line, RFID)

    assert next(line.sent) > 4 * FAULTS_EVERY, "too little was lost and damaged"
    assert played.codes == []
    assert [as_recorded(c) for c in played.coups] == [as_dealt(c) for c in played.truth.coups]


def test_a_polled_reader_gives_the_same_coups(bench, as_recorded) -> None:
    polled = bench.play(
        DealerSettings(seed=4), "pty", rig_settings=RigSettings(shoe=ShoeKind.RFID, driver=POLLED)
    )
    notified = bench.play(DealerSettings(seed=4), "pty", rig_settings=RFID)

    assert [as_recorded(c) for c in polled.coups] == [as_recorded(c) for c in notified.coups]
    assert polled.codes == notified.codes == []


@pytest.mark.parametrize(
    "mistake",
    [
        Mistake.WRONG_RESULT,
        Mistake.EXTRA_CARD,
        Mistake.OVERDRAW_AFTER_NATURAL,
    ],
)
def test_a_mistake_is_found_at_either_shoe(bench, mistake, as_recorded) -> None:
    planned = (PlannedMistake(mistake, coup=3),)
    # The decision of the bench's floorperson: the card was disclosed, its amount is burned.
    burned = OverdrawRemedy.BURN_AMOUNT
    dealer = DealerSettings(seed=5, mistakes=planned, overdraw_remedy=burned)
    played = {kind: bench.play(dealer, rig_settings=RigSettings(shoe=kind)) for kind in ShoeKind}
    angel_eye, rfid = played[ShoeKind.ANGEL_EYE], played[ShoeKind.RFID]

    assert rfid.codes == angel_eye.codes != []
    assert [as_recorded(c) for c in rfid.coups] == [as_recorded(c) for c in angel_eye.coups]


def test_batches_take_turns_shoe_by_shoe(bench, as_dealt, as_recorded) -> None:
    played = bench.play(DealerSettings(seed=6, shoes=2), rig_settings=RFID)

    assert played.codes == []
    assert [as_recorded(c) for c in played.coups] == [as_dealt(c) for c in played.truth.coups]
    assert played.state.shoe_number == 2


@pytest.mark.full
@pytest.mark.parametrize("seed", range(101, 126))
@pytest.mark.parametrize("transport", ["pty", "tcp"])
def test_fifty_shoes_of_tagged_cards_over_a_noisier_line(
    bench, transport, seed, as_dealt, as_recorded
) -> None:
    plan = DirtyLine(seed, noise=0.01, extra_repeat=0.02, joined=seed % 2 == 0)
    played = bench.play(DealerSettings(seed=seed), transport, plan, RFID)

    assert played.codes == []
    assert [as_recorded(c) for c in played.coups] == [as_dealt(c) for c in played.truth.coups]
