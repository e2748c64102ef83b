"""`smartshoe run` on a full disk: it stops, loses nothing, and says what to do."""

import resource
from pathlib import Path

from controller.journal.verify import verify
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import ShoeRunner

FILE_BYTES_MAX = 200_000


def no_larger_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, FILE_BYTES_MAX))


def test_a_full_disk_stops_the_table_and_loses_nothing(fast_dir: Path, program_on) -> None:
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path) as program,
    ):
        program.start(no_larger_files)
        ShoeRunner(Dealer(DealerSettings(seed=3)), server).run()
        assert program.wait_for_end() == 1
    log = program.log_text()
    assert "cannot store" in log
    assert "Remedy: remove the cause, then start the table again" in log
    assert "Traceback" not in log
    assert verify(fast_dir / "journal").intact


def test_the_table_continues_once_there_is_space(fast_dir: Path, program_on) -> None:
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path) as program,
    ):
        program.start(no_larger_files)
        ShoeRunner(Dealer(DealerSettings(seed=3)), server).run()
        assert program.wait_for_end() == 1
        stored = verify(fast_dir / "journal").records
        program.start()
        assert program.snapshot().health == "running"
        program.stop()
    assert verify(fast_dir / "journal").records > stored
