"""The host is stopped while an RFID shoe deals: every card and coup is recorded once, in order.

Source: firmware_bridge/feig/README.md, delivery.
"""

import os
import signal
import threading

import pytest

from drivers.events import Stage
from hil.dealing.actions import DealerAction, Draw, Place
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.rfid_programs import RfidPrograms, console_dealer, wait_until
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe

LINE = line_settings(ShoeKind.RFID, speed=1)
CARDS_PER_STOP = 6
STOPPED_S = 4.0


class Stops:
    """Stops the program at every sixth card, and lets it go on a few seconds later."""

    def __init__(self, program: Program) -> None:
        self.count = 0
        self._program = program
        self._cards = 0

    def __call__(self, action: DealerAction) -> None:
        if not isinstance(action, Draw) or action.place is Place.BURN:
            return
        self._cards += 1
        if self._cards % CARDS_PER_STOP == 0:
            self.count += 1
            os.kill(self._program.pid, signal.SIGSTOP)
            go_on = (self._program.pid, signal.SIGCONT)
            threading.Timer(STOPPED_S, os.kill, go_on).start()


@pytest.mark.full
def test_stops_of_the_host_lose_no_card(rfid_programs: RfidPrograms, whole) -> None:
    shoe = CountedShoe()
    with (
        PtyServer(shoe, LINE, link=rfid_programs.folder / "shoe") as server,
        rfid_programs.program(server.path) as program,
    ):
        program.start()
        wait_until(lambda: program.snapshot().device.stage == Stage.ONLINE)
        stops = Stops(program)
        dealer, hand = Dealer(DealerSettings(seed=17)), console_dealer(program, server)
        truth = ShoeRunner(dealer, server, people=hand, on_action=stops, coups_max=8).run()
        program.stop()

    assert stops.count == 6
    whole(rfid_programs.entries(), truth, shoe.drawn)
