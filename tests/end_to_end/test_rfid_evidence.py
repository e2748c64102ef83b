"""The evidence of an RFID shoe: told again byte for byte, and every record in its chain.

Responsible for: a journal with batches bound, plugs pulled, faults of the exit and a decision, read
by the commands people use.
Not responsible for: changed bits (test_evidence) and many shoes (tests/simulation).
Source: controller/README.md, "Replay"; controller/journal/README.md, "Chain".
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.verify import verify
from hil.dealing.actions import Action, MistakeMade, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.lines.serve import PtyServer
from hil.rig.in_process import RigSettings, TableRig
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe, PulledLine, SerialPlug

PULLS, COUPS = 4, 12
RFID = RigSettings(shoe=ShoeKind.RFID)
MISTAKES = (PlannedMistake(Mistake.WRONG_RESULT, 3),)


@pytest.fixture
def journal(fast_dir: Path, bench) -> Path:
    """The journal of some coups of two batches in which much happens."""
    shoe = CountedShoe()
    settings = line_settings(ShoeKind.RFID, speed=0)
    with (
        PtyServer(shoe, settings, link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path, RFID) as rig,
    ):
        line = PulledLine(server, SerialPlug(server), 7, PULLS, rig.console_hand(server))

        def on_action(action: Action) -> None:
            if isinstance(action, NewShoe):
                line.perform(lambda shoe: shoe.order(ExitFault.DOUBLE_READ))
            if isinstance(action, MistakeMade):
                rig.wait_for(lambda state: bool(state.open_irregularities))
                rig.resolve_anyhow()

        dealer = Dealer(DealerSettings(seed=7, mistakes=MISTAKES))
        ShoeRunner(dealer, line, people=line, on_action=on_action, coups_max=COUPS).run()
        assert [one.code.value for one in bench.irregularities(rig)] == ["RESULT_MISMATCH"]
    assert line.pulls == PULLS
    return fast_dir / "journal"


def told(command: str, journal: Path, hash_seed: str) -> dict[str, object]:
    """What `smartshoe COMMAND journal --json` says; it must be content."""
    words = [str(Path(sys.executable).parent / "smartshoe"), command, str(journal), "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def test_replay_gives_the_same_entries_under_two_hash_seeds_and_the_chain_is_whole(
    journal: Path,
) -> None:
    first, second = told("replay", journal, "0"), told("replay", journal, "4242")
    counted = ("records", "inputs", "entries", "coups", "shoes")

    assert {key: first[key] for key in counted} == {key: second[key] for key in counted}
    assert first["entries"] == verify(journal).entries
    assert told("verify", journal, "0")["intact"] is True
