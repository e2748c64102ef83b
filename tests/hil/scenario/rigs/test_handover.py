"""A rig hands itself over when each device is online, and else says which one is not."""

import fcntl
import os
from pathlib import Path

import pytest

from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.scenario.benches import emulated_bench as emulated
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.bench import RigBroken
from hil.scenario.play.online import devices_offline

EACH_DEVICE = parse_scenario(
    "device shoe rfid\ndevice shuffler tablelink\ndevice rack feig\nwait 1s"
)
HELD = r"(?s)^not online: shoe \((lost|closed)\); .*another program holds it"


class HeldPty(PtyServer[AngelEye]):
    """Its terminal is held by another program: one that a killed run has left."""

    def _open(self) -> None:
        super()._open()
        self._stranger = os.open(self._name, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(self._stranger, fcntl.LOCK_EX)

    def _close(self) -> None:
        super()._close()
        os.close(self._stranger)


def test_a_shoe_whose_line_another_program_holds_is_an_error_with_its_name(
    monkeypatch: pytest.MonkeyPatch, fast_dir: Path
) -> None:
    monkeypatch.setattr(emulated, "PtyServer", HeldPty)
    monkeypatch.setattr("hil.progress.PLAY_STILL_S", 0.5)
    scenario = parse_scenario("burn 2c + 2")
    opened = emulated.emulated_bench(scenario, fast_dir / "one")

    with pytest.raises(RigBroken, match=HELD):
        opened.__enter__()


def test_each_device_of_a_simulated_rig_is_online() -> None:
    assert devices_offline(SimulatedBench(EACH_DEVICE).table.snapshot()) == ()


def test_each_device_of_an_emulated_rig_is_online(fast_dir: Path) -> None:
    with emulated.emulated_bench(EACH_DEVICE, fast_dir / "one") as bench:
        assert devices_offline(bench.table.snapshot()) == ()
