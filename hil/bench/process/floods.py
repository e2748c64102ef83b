"""`python -m hil.bench.process.floods`: a table in 256 MB under minutes of each flood: peak, end.

Needs root for the memory limit; without it the peaks are measured and the limit is not set.
Source: goal P20.
"""

import argparse
import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from controller.journal.verify import verify
from hil.emulator.witness import Witness
from hil.measure.program import TABLE
from hil.rig.flood_peer import Flood, FloodPeer, flood_block
from hil.rig.loopback_server import LOOPBACK
from hil.rig.program import Program
from hil.rig.servers.certificates import CertificateAuthority
from hil.rig.servers.hostile_broker import Attack, HostileBroker
from hil.rig.servers.hostile_witness import HostileWitness

MEMORY_BYTES: Final = 256 << 20
PEAK_BYTES_MAX: Final = 200_000_000
END_S_MAX: Final = 2.0
_CGROUPS: Final = Path("/sys/fs/cgroup")
_SAMPLE_S: Final = 0.5
_OPEN_MAX: Final = 400

_NO_METRICS: Final = "\n[metrics]\nenabled = false\n"
_FEED: Final = """
[[feed]]
name = "office"
host = "127.0.0.1"
port = {port}
topic = "smartshoe"
tls = false
backfill = true
"""
_METRICS: Final = """
[metrics]
address = "127.0.0.1"
port = 0
certificate = "{certificate}"
key = "{key}"
"""
_WITNESSES: Final = """
[evidence]
witnesses = [
    {{ url = "{drips}", key = "{key}" }},
    {{ url = "{floods}", key = "{key}" }},
]
"""
# A flood gives the table's configuration, and what is done each time while the program runs.
Step = Callable[[Program], None]
Attacker = Callable[[ExitStack, Path], tuple[str, Step]]


def _nothing(_program: Program) -> None:
    """The peer floods by itself."""


def cards(*, limited: bool) -> Attacker:
    """Valid reports at TCP speed, against `reports_s_max` or without a limit."""

    def begin(stack: ExitStack, _folder: Path) -> tuple[str, Step]:
        peer = stack.enter_context(FloodPeer(flood_block(Flood.CARDS)))
        shoe = "" if limited else "reports_s_max = 0"
        peer.begin()
        return TABLE.format(port=peer.url, shoe=shoe) + _NO_METRICS, _nothing

    return begin


def broker(attack: Attack) -> Attacker:
    """A hostile broker of the feed; the shoe deals nothing."""

    def begin(stack: ExitStack, _folder: Path) -> tuple[str, Step]:
        peer = stack.enter_context(FloodPeer(flood_block(Flood.ZEROS)))
        hostile = stack.enter_context(HostileBroker(attack))
        feed = _FEED.format(port=hostile.port)
        return TABLE.format(port=peer.url, shoe="") + _NO_METRICS + feed, _nothing

    return begin


def _close(opened: Sequence[socket.socket]) -> None:
    for one in opened:
        one.close()


def half_open(stack: ExitStack, folder: Path) -> tuple[str, Step]:
    """Connections that never finish their handshake, from eight addresses."""
    peer = stack.enter_context(FloodPeer(flood_block(Flood.ZEROS)))
    certificate, key = CertificateAuthority(folder / "ca", "house").signed("table")
    metrics = _METRICS.format(certificate=certificate, key=key)
    opened: list[socket.socket] = []
    stack.callback(lambda: _close(opened))

    def step(program: Program) -> None:
        port = int(program.await_log(r"metrics https://[\d.]+:(\d+)")[1])
        for number in range(100):
            with contextlib.suppress(OSError):
                address = (f"127.0.0.{2 + number % 8}", 0)
                client = socket.create_connection((LOOPBACK, port), 5.0, address)
                opened.append(client)
                client.sendall(b"\x16\x03\x01\x02\x00\x01")
            if len(opened) > _OPEN_MAX:
                opened.pop(0).close()

    return TABLE.format(port=peer.url, shoe="") + metrics, step


def witnesses(stack: ExitStack, _folder: Path) -> tuple[str, Step]:
    """A witness that drips its answer without end, and one that floods; no card is dealt."""
    peer = stack.enter_context(FloodPeer(flood_block(Flood.ZEROS)))
    drips, floods = (stack.enter_context(HostileWitness(drips=one)) for one in (True, False))
    section = _WITNESSES.format(
        drips=drips.http_url, floods=floods.http_url, key=Witness("witness", {}).published_key
    )
    return TABLE.format(port=peer.url, shoe="") + _NO_METRICS + section, _nothing


FLOODS: Final[dict[str, Attacker]] = {
    "cards": cards(limited=True),
    "cards-unlimited": cards(limited=False),
    "half-open": half_open,
    "witnesses": witnesses,
    **{f"broker-{one.name.lower().replace('_', '-')}": broker(one) for one in Attack},
}

# A bench asked for it: every report raises what a person has to decide. It has to end in time.
UNBOUNDED: Final = ("cards-unlimited",)


@contextmanager
def memory_limit(name: str) -> Iterator[Callable[[], None] | None]:
    """What a new process calls to be limited; None where no limit can be set."""
    group = _memory_group(name)
    if group is None:
        yield None
        return

    def enter() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    try:
        yield enter
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def _memory_group(name: str) -> Path | None:
    """A new control group with the limit, of either version of them."""
    lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    own = {kinds: path for _, kinds, path in (line.split(":", 2) for line in lines)}
    places = (
        (_CGROUPS / "memory" / own.get("memory", "").lstrip("/"), "memory.limit_in_bytes"),
        (_CGROUPS / own.get("", "").lstrip("/"), "memory.max"),
    )
    for folder, limit in places:
        group = folder / name
        try:
            group.mkdir()
            (group / limit).write_text(str(MEMORY_BYTES), encoding="ascii")
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
        else:
            return group
    return None


def peak_of(pid: int) -> int:
    """The most memory that a process ever had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return int(next(one.split()[1] for one in status.splitlines() if one.startswith("VmHWM"))) << 10


def flood(name: str, seconds: float) -> bool:
    """Run one flood, and say what came of it; whether both bounds held."""
    folder = Path(tempfile.mkdtemp(prefix="flood-"))
    try:
        with ExitStack() as stack:
            bounded = memory_limit(f"smartshoe-{name}-{os.getpid()}")
            enter = None if name in UNBOUNDED else stack.enter_context(bounded)
            text, step = FLOODS[name](stack, folder)
            config = folder / "table.toml"
            config.write_text(text, encoding="utf-8")
            program = stack.enter_context(Program(config, folder / "program.log"))
            return _measured(name, program, step, enter, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(
    name: str, program: Program, step: Step, enter: Callable[[], None] | None, seconds: float
) -> bool:
    program.start(enter)
    began, peak = time.monotonic(), 0
    while (lasted := time.monotonic() - began) < seconds and program.alive:
        step(program)
        peak = peak_of(program.pid)
        time.sleep(_SAMPLE_S)
    alive = program.alive
    began = time.monotonic()
    if alive:
        program.stop()
    ended_s = time.monotonic() - began
    journal = program.config.parent / "journal"
    stored = sum(one.stat().st_size for one in journal.rglob("*") if one.is_file())
    lines = len(program.log_text().splitlines())
    limited = f"{MEMORY_BYTES >> 20} MB" if enter is not None else "no limit"
    print(
        f"{name}: {lasted:.0f} s in {limited}: peak {peak / 1e6:.0f} MB, ended in {ended_s:.2f} s,"
        f" {stored / 1e6:.1f} MB stored, {lines} log lines",
        flush=True,
    )
    held = alive and ended_s <= END_S_MAX and (peak < PEAK_BYTES_MAX or name in UNBOUNDED)
    if held and name not in UNBOUNDED:
        held = verify(journal).intact
    if not held:
        print(program.with_log_tail(f"{name}: a bound does not hold"), flush=True)
    return held


def main(words: Sequence[str] | None = None) -> int:
    """Run the floods that are named, or all; 1 where a bound did not hold."""
    parser = argparse.ArgumentParser(prog="python -m hil.bench.process.floods", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="of each flood; default 600")
    parser.add_argument("floods", nargs="*", choices=[[], *FLOODS], help="default: all")
    given = parser.parse_args(words)
    held = [flood(name, given.seconds) for name in given.floods or FLOODS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
