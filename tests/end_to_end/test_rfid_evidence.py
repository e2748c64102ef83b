"""The evidence of an RFID shoe with unplugs and faults: replayed byte for byte, chain intact."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.verify import verify
from hil.dealing.actions import DealerAction, MistakeMade, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.lines.serve import PtyServer
from hil.rig.in_process import RigSettings, TableRig
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe, PulledLine, SerialPlug

PULLS, COUPS = 4, 12
RFID = RigSettings(shoe=ShoeKind.RFID, sealed=True)
MISTAKES = (PlannedMistake(Mistake.WRONG_RESULT, 3),)


@pytest.fixture
def journal(fast_dir: Path, bench) -> Path:
    """The journal of some coups of two batches with many kinds of events."""
    shoe = CountedShoe()
    settings = line_settings(ShoeKind.RFID, speed=0)
    with (
        PtyServer(shoe, settings, link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path, RFID) as rig,
    ):
        line = PulledLine(server, SerialPlug(server), 7, PULLS, rig.console_dealer(server))

        def on_action(action: DealerAction) -> None:
            if isinstance(action, NewShoe):
                line.perform(lambda shoe: shoe.order(ExitFault.DOUBLE_READ))
            if isinstance(action, MistakeMade):
                rig.wait_for(lambda state: bool(state.open_irregularities))
                rig.resolve_if_permitted()

        dealer = Dealer(DealerSettings(seed=7, mistakes=MISTAKES))
        ShoeRunner(dealer, line, people=line, on_action=on_action, coups_max=COUPS).run()
        assert [one.code.value for one in bench.irregularities(rig)] == ["RESULT_MISMATCH"]
    assert line.pulls == PULLS
    return fast_dir / "journal"


def run_json(command: str, journal: Path, hash_seed: str) -> dict[str, object]:
    """The output of `smartshoe COMMAND journal --json`, which must succeed."""
    words = [str(Path(sys.executable).parent / "smartshoe"), command, str(journal), "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def test_replay_gives_the_same_entries_and_the_chain_is_intact(
    journal: Path,
) -> None:
    first, second = run_json("replay", journal, "0"), run_json("replay", journal, "4242")
    counted = ("records", "inputs", "entries", "coups", "shoes")

    assert {key: first[key] for key in counted} == {key: second[key] for key in counted}
    found = verify(journal)
    assert first["entries"] == found.records - found.inputs
    assert run_json("verify", journal, "0")["intact"] is True
