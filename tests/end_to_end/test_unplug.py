"""A cable unplugged and plugged in again in the middle of a shoe.

Source: wire document, "Continuity"; firmware_bridge/transport/README.md, "Ports".
"""

from pathlib import Path

import pytest

from controller.core.tape.entries import DeviceEventRecorded
from controller.procedure.phases import Phase
from drivers.events import Stage, StageChanged
from hil.dealing.actions import DealerAction, Draw
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.in_process import TableRig
from hil.rig.shoe_runner import ShoeRunner

PULLED_AFTER_CARDS = (30, 31, 77, 200)


def stages(rig: TableRig) -> list[Stage]:
    noted = [
        entry.event
        for entry in rig.of(DeviceEventRecorded)
        if isinstance(entry, DeviceEventRecorded)
    ]
    return [event.stage for event in noted if isinstance(event, StageChanged)]


def reopened(rig: TableRig, times: int) -> None:
    rig.wait_for(lambda _state: stages(rig).count(Stage.OPENED) > times)


def test_an_unplug_between_two_cards_loses_nothing(
    fast_dir: Path, bench, as_dealt, as_recorded
) -> None:
    pulls = 0
    cards = 0
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path) as rig,
    ):

        def on_action(action: DealerAction) -> None:
            nonlocal pulls, cards
            cards += isinstance(action, Draw)
            if not isinstance(action, Draw) or cards not in PULLED_AFTER_CARDS:
                return
            rig.wait_for(lambda s: s.shoe is not None and s.shoe.cards_drawn == cards)
            server.unplug()
            server.replug()
            pulls += 1
            reopened(rig, pulls)

        dealer = Dealer(DealerSettings(seed=5))
        truth = ShoeRunner(dealer, server, on_action=on_action).run()
        rig.wait_for(lambda s: s.phase is Phase.SHOE_OVER)
        assert pulls == len(PULLED_AFTER_CARDS)
        assert bench.irregularities(rig) == []
        recorded = [as_recorded(record) for record in bench.coups(rig)]
    assert recorded == [as_dealt(coup) for coup in truth.coups]


@pytest.mark.parametrize("cards", [40, 41, 42])
def test_a_card_drawn_while_unplugged_makes_its_coup_partial(
    fast_dir: Path, bench, cards: int
) -> None:
    drawn = 0
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path) as rig,
    ):

        def on_action(action: DealerAction) -> None:
            nonlocal drawn
            drawn += isinstance(action, Draw)
            if isinstance(action, Draw) and drawn == cards:
                rig.wait_for(lambda s: s.shoe is not None and s.shoe.cards_drawn == drawn)
                server.unplug()
            if isinstance(action, Draw) and drawn == cards + 1:
                server.replug()
                reopened(rig, 1)

        dealer = Dealer(DealerSettings(seed=5))
        ShoeRunner(dealer, server, on_action=on_action, coups_max=12).run()
        rig.wait_for(lambda s: s.phase is Phase.SUSPENDED)
        codes = {one.code.value for one in bench.irregularities(rig)}
    assert "REPORTS_LOST" in codes
    assert codes <= {"REPORTS_LOST", "COUP_JOINED", "DEALT_WHILE_SUSPENDED"}
