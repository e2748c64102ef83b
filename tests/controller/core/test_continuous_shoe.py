"""An Angel Eye at a table with a continuous shuffler: its own announcements, coup after coup.

Source: S42 (l)(1).
"""

import pytest
from msgspec.structs import replace

from controller.core.build import build_core
from controller.core.tape.entries import EventVerdicts
from controller.procedure.effects import CoupClosed
from controller.procedure.verdicts import Irregularity
from controller.rules.profiles.load import complete_text, load_clauses, load_profile
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_runner import perform

PORT = "/dev/ttyUSB0"
REPORT_NS = 300 * 1_000_000
CONTINUOUS = """\
name = "endless"
base = "s42-mini"
[values]
shuffle_mode = "continuous"
shuffle_control_reference = "IC 3"
"""


@pytest.mark.clause("S42-l-1-use")
def test_every_coup_of_an_angel_eye_counts_although_it_announces_burns(fast_dir, script) -> None:
    house = fast_dir / "endless.toml"
    house.write_text(CONTINUOUS)
    profile = complete_text(load_profile(str(house))).encode()
    started = replace(script().started, profile=profile)
    core = build_core(started, load_clauses())
    state, _ = core.handle(core.initial(), started)
    state, _ = core.handle(state, PortOpened(PORT, started.at, bytes(32)))
    device, dealer = AngelEye(), Dealer(DealerSettings(seed=5, shoes=2))
    at, entries = started.at, []
    for action in dealer.actions():
        for report in perform(device, action):
            at = Timestamp(at.monotonic_ns + REPORT_NS, at.utc_ns + REPORT_NS)
            state, output = core.handle(state, Chunk(PORT, at, report.frame))
            entries.extend(output.entries)

    verdicts = [
        one for entry in entries if isinstance(entry, EventVerdicts) for one in entry.verdicts
    ]
    assert [one for one in verdicts if isinstance(one, Irregularity)] == []
    closed = [entry.record for entry in entries if isinstance(entry, CoupClosed)]
    assert [one.outcome.value for one in closed] == [one.winner.value for one in dealer.truth.coups]
