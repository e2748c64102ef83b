"""Kill -9 while an RFID shoe deals: every card and coup is recorded once, none is partial.

Source: D-22; firmware_bridge/feig/README.md, delivery.
"""

import threading
from random import Random

import pytest

from controller.core.tape.inputs import Started
from controller.journal.verify import verify
from drivers.events import Stage
from hil.dealing.actions import DealerAction, Draw, Place
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.rfid_programs import RfidPrograms, console_dealer, wait_until
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe

LINE = line_settings(ShoeKind.RFID, speed=1)
# The first four cards of each coup, one of which the program does not outlive.
MOMENTS = 4


class Dealing(threading.Thread):
    """A dealer who never waits; one card of each coup triggers a kill of the program."""

    def __init__(self, server: PtyServer[CountedShoe], program: Program, *, coups: int, seed: int):
        super().__init__(name="dealing")
        self.kill_due = threading.Semaphore(0)
        self._chance = Random(seed)
        self._cards = 0
        self._kill_at = self._chance.randint(1, MOMENTS)
        dealer = Dealer(DealerSettings(seed=seed))
        hand = console_dealer(program, server)
        self._runner = ShoeRunner(
            dealer, server, people=hand, on_action=self._look, coups_max=coups
        )
        self.truth = Truth()

    def run(self) -> None:
        self.truth = self._runner.run()

    def _look(self, action: DealerAction) -> None:
        if not isinstance(action, Draw) or action.place is Place.BURN:
            self._cards = 0
            return
        self._cards += 1
        if self._cards == self._kill_at:
            self._kill_at = self._chance.randint(1, MOMENTS)
            self.kill_due.release()


def killed_in_mid_coup(rfid_programs: RfidPrograms, whole, *, kills: int, seed: int) -> None:
    shoe = CountedShoe()
    with (
        PtyServer(shoe, LINE, link=rfid_programs.folder / "shoe") as server,
        rfid_programs.program(server.path) as program,
    ):
        program.start()
        wait_until(lambda: program.snapshot().device.stage == Stage.ONLINE)
        dealing = Dealing(server, program, coups=kills + 1, seed=seed)
        dealing.start()
        for _ in range(kills):
            assert dealing.kill_due.acquire(), program.with_log_tail("no card came")
            program.kill()
            program.start()
        dealing.join()
        assert not dealing.is_alive(), program.with_log_tail("the dealer waits")
        program.stop()

    assert verify(rfid_programs.journal).intact
    runs = [one for one in rfid_programs.inputs() if isinstance(one, Started)]
    assert len(runs) == kills + 1
    whole(rfid_programs.entries(), dealing.truth, shoe.drawn)


def test_five_kills_mid_coup(rfid_programs: RfidPrograms, whole) -> None:
    killed_in_mid_coup(rfid_programs, whole, kills=5, seed=81)


@pytest.mark.full
@pytest.mark.parametrize("seed", [82, 83])
def test_fifty_kills_in_two_shoes(rfid_programs: RfidPrograms, whole, seed: int) -> None:
    killed_in_mid_coup(rfid_programs, whole, kills=25, seed=seed)
