"""`smartshoe run` at a peer that floods the shoe's port: little memory, /healthz, a quick end.

Source: controller/table/README.md, "The queue"; performance goal P20.
"""

import urllib.request
from pathlib import Path

import pytest

from controller.journal.verify import verify
from hil.bench.measure.program import rss_of
from hil.progress import Patience
from hil.rig.flood_peer import Flood, FloodPeer, flood_block
from hil.rig.program import Program

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
