"""`smartshoe run` at a peer that floods the shoe's port: little memory, /healthz, a quick end.

Source: performance goal P20.
"""

import urllib.request
from pathlib import Path

import pytest

from controller.core.tape.entries import DeviceEventRecorded
from controller.core.tape.records import read_entry
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from drivers.events import Stage
from drivers.faults import DeviceFault
from firmware_bridge.link import LinkFaultKind
from hil.measure.program import rss_of
from hil.progress import Patience
from hil.rig.flood_peer import Flood, FloodPeer, flood_block
from hil.rig.program import Program
from hil.rig.rfid_programs import wait_until

MB = 1_000_000
ENOUGH_BYTES = 2 * MB
MEMORY_BYTES_MAX = 10 * MB
# An empty journal with its reserve of 1 MiB, and 1 MB of noise.
STORED_MAX = 4 * MB


def healthz(program: Program) -> str:
    found = program.await_log(r"metrics (http://[\d.:]+)/metrics")
    with urllib.request.urlopen(found[1] + "/healthz") as answer:
        return answer.read().decode()


@pytest.mark.parametrize("flood", Flood)
def test_a_flood_costs_neither_memory_nor_the_answer_nor_the_end(
    fast_dir: Path, program_on, flood: Flood
) -> None:
    with FloodPeer(flood_block(flood)) as peer, program_on(fast_dir, peer.url) as program:
        config = program.config.read_text()
        program.config.write_text(config.replace("enabled = false", "port = 0"))
        program.start()
        assert "running" in healthz(program)
        before = rss_of(program.pid)
        peer.begin()
        patience = Patience(progress=lambda: peer.sent)
        while peer.sent < ENOUGH_BYTES:
            patience.check(f"{peer.sent} bytes were read")
            assert "running" in healthz(program)
            assert rss_of(program.pid) - before < MEMORY_BYTES_MAX
        program.stop()
    assert "Traceback" not in program.log_text()
    if flood is not Flood.CARDS:
        assert sum(one.stat().st_size for one in (fast_dir / "journal").iterdir()) < STORED_MAX
    assert verify(fast_dir / "journal").intact


@pytest.mark.full
def test_cards_faster_than_any_hand_close_the_port_and_are_on_record(
    fast_dir: Path, program_on
) -> None:
    journal = fast_dir / "journal"
    with (
        FloodPeer(flood_block(Flood.CARDS)) as peer,
        program_on(fast_dir, peer.url, reports_s_max=10) as program,
    ):
        program.start()
        peer.begin()
        program.await_log(r"more than 10 new reports a second .* tried again after 60 s")
        wait_until(lambda: program.snapshot().device.stage is Stage.LOST)
        assert peer.connections == 1
        program.stop()

    assert verify(journal).intact
    with open_read_only(journal) as reader:
        entries = [read_entry(one.record) for one in reader.records()]
    faults = [
        one.event
        for one in entries
        if isinstance(one, DeviceEventRecorded) and isinstance(one.event, DeviceFault)
    ]
    assert LinkFaultKind.TOO_MANY_REPORTS in [one.kind for one in faults]
    # A hundred of them, then one a second that says how many more.
    assert len(program.log_text().splitlines()) < 1_000
