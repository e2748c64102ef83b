"""The shoe's line blinks between two coups, or the program is killed there: nobody is called.

Source: firmware_bridge/angel_eye/README.md, "After a reopening or a restart".
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_entry, read_input
from controller.journal.store import open_read_only
from controller.procedure.verdicts import Irregularity
from controller.service.config.load import load_config
from controller.table import stored_until
from controller.table.stored_until import note_file
from firmware_bridge.transport.port import PortEnd, PortLost
from hil.dealing.actions import DealerAction, Pause, PauseKind
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.progress import Patience
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

NS_PER_S = 1_000_000_000
LISTENED_NS = NS_PER_S // 4


def stored(folder: Path) -> list[object]:
    with open_read_only(folder / "journal") as journal:
        return [read_input(one.record) or read_entry(one.record) for one in journal.records()]


def codes(folder: Path) -> list[str]:
    judged = [one for one in stored(folder) if isinstance(one, EventVerdicts)]
    return [v.code.value for one in judged for v in one.verdicts if isinstance(v, Irregularity)]


def deal_two_coups(server: LineServer[AngelEye], between: Callable[[], None]) -> None:
    """Deal two coups; `between` is what happens in the pause after the first."""
    done: list[DealerAction] = []

    def on_action(action: DealerAction) -> None:
        if isinstance(action, Pause) and action.kind is PauseKind.BETWEEN_COUPS and not done:
            done.append(action)
            between()

    ShoeRunner(Dealer(DealerSettings(seed=3)), server, on_action=on_action, coups_max=2).run()
    assert done


def wait_for_coups(program: Program, count: int) -> None:
    patience = Patience()
    while True:
        shoe = program.snapshot().shoe
        if shoe is not None and shoe.coups_begun == count and program.snapshot().coup is None:
            return
        patience.check(f"{shoe}")
        threading.Event().wait(0.02)


def noted_ns(program: Program) -> int:
    """What the program's note says at this moment."""
    file = note_file(load_config(program.config).control_socket)
    assert file is not None
    return int(stored_until._NOTE.unpack_from(file.read_bytes())[2])


def listened_on(program: Program) -> int:
    """Wait until the note says that a quarter of a second more passed; what it says."""
    since_ns, patience = noted_ns(program), Patience(progress=lambda: noted_ns(program))
    while noted_ns(program) < since_ns + LISTENED_NS:
        patience.check("the note stands still")
        threading.Event().wait(0.02)
    return noted_ns(program)


def test_a_kill_in_the_pause_is_bounded_by_when_the_program_last_listened(
    fast_dir: Path, program_on
) -> None:
    listened_ns = killed_ns = 0
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        # A restart may take as long as it likes.
        program_on(fast_dir, server.path, report_interval_ms_min=60_000) as program,
    ):
        program.start()

        def kill() -> None:
            nonlocal listened_ns, killed_ns
            wait_for_coups(program, 1)
            listened_ns = listened_on(program)
            program.kill()
            killed_ns = time.monotonic_ns()
            program.start()

        deal_two_coups(server, kill)
        wait_for_coups(program, 2)
        program.stop()
    runs = [one for one in stored(fast_dir) if isinstance(one, Started)]
    until_ns = runs[1].stored_until_ns
    assert isinstance(until_ns, int)
    assert listened_ns <= until_ns <= killed_ns
    assert codes(fast_dir) == []


# --- as long as it takes --------------------------------------------------------------------------

# With reports a second apart eight seconds prove nothing any more; a restart may take six of them.
INTERVAL_MS = 1000
DEALER_PAUSES_S = 9.0


def pause() -> None:
    time.sleep(DEALER_PAUSES_S)


@pytest.mark.full
def test_a_kill_after_a_long_pause_suspends_nothing(fast_dir: Path, program_on) -> None:
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, INTERVAL_MS) as program,
    ):
        program.start()

        def kill() -> None:
            wait_for_coups(program, 1)
            pause()
            program.kill()
            program.start()
            pause()

        deal_two_coups(server, kill)
        wait_for_coups(program, 2)
        program.stop()
    assert codes(fast_dir) == []


@pytest.mark.full
def test_a_pulled_terminal_after_a_long_pause_suspends_nothing(fast_dir: Path, program_on) -> None:
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, INTERVAL_MS) as program,
    ):
        program.start()

        def pull() -> None:
            wait_for_coups(program, 1)
            pause()
            server.unplug()
            time.sleep(1.0)
            server.replug()
            pause()

        deal_two_coups(server, pull)
        wait_for_coups(program, 2)
        program.stop()
    assert codes(fast_dir) == []
    assert ends(fast_dir) == [PortEnd.READ_ERROR]


@pytest.mark.full
@pytest.mark.parametrize("reset", [False, True])
def test_a_closed_connection_after_a_long_pause(fast_dir: Path, program_on, reset: bool) -> None:
    with (
        TcpServer(AngelEye()) as server,
        program_on(fast_dir, server.url, INTERVAL_MS) as program,
    ):
        program.start()
        server.wait_connected(1)

        def drop() -> None:
            wait_for_coups(program, 1)
            pause()
            server.drop(reset=reset)
            server.wait_connected(2)
            pause()

        deal_two_coups(server, drop)
        if not reset:
            wait_for_coups(program, 2)
        program.stop()
    assert (codes(fast_dir)[:1] == ["CONTINUITY_UNPROVEN"]) is reset
    assert ends(fast_dir)[0] is (PortEnd.RESET if reset else PortEnd.END_OF_STREAM)


def ends(folder: Path) -> list[PortEnd]:
    """What ended each opening, without openings that failed."""
    lost = [one for one in stored(folder) if isinstance(one, PortLost)]
    return [one.ended_by for one in lost if one.ended_by is not PortEnd.OTHER]
