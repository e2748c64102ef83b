"""The counts of the metrics go on over kill -9: no card is lost or counted twice."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from controller.core.tape.entries import EventVerdicts
from controller.core.tape.records import read_entry
from controller.journal.folder import COUNTS_NAME
from controller.journal.store import open_read_only
from controller.procedure.effects import CoupClosed
from controller.procedure.events import CardDrawn
from controller.service.config.load import load_config
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace, ShoeRunner

KILLS = 3
CARDS_BETWEEN = 4
COUPS = 10
COUNTED = ("cards_drawn_total", "coups_total")


def counts(program: Program) -> dict[str, float]:
    """The sums of what is counted; waits until a start has read on."""
    config = load_config(program.config)
    url = f"http://127.0.0.1:{config.metrics_port}/metrics"
    found: dict[str, float] = {}
    while len(found) < len(COUNTED):
        with urlopen(url) as answer:
            families = text_string_to_metric_families(answer.read().decode())
        samples = [one for family in families for one in family.samples]
        for name in COUNTED:
            values = [one.value for one in samples if one.name == f"smartshoe_{name}"]
            if values:
                found[name] = sum(values)
    return found


def in_the_journal(folder: Path) -> dict[str, float]:
    """The same, counted in the records."""
    with open_read_only(folder) as reader:
        entries = [read_entry(one.record) for one in reader.records()]
    events = [one.event for one in entries if isinstance(one, EventVerdicts)]
    cards = sum(isinstance(one, CardDrawn) for one in events)
    return {
        "cards_drawn_total": cards,
        "coups_total": sum(isinstance(one, CoupClosed) for one in entries),
    }


def await_same(program: Program, journal: Path) -> dict[str, float]:
    """The counts once nothing more is stored; they are those of the records."""
    shown, stored = counts(program), in_the_journal(journal)
    while shown != stored or in_the_journal(journal) != stored:
        shown, stored = counts(program), in_the_journal(journal)
    return shown


def test_kills_and_a_stop_lose_and_double_nothing(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    """That the counts reach those of the records shows that none is lost, and they never fall."""
    journal = fast_dir / "journal"
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, report_interval_ms_min=1) as program,
    ):
        text = program.config.read_text()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        program.config.write_text(text.replace("enabled = false", f"port = {port}"))
        program.start()
        dealer = Dealer(DealerSettings(seed=5))
        runner = ShoeRunner(dealer, server, Pace.uniform(30_000_000), coups_max=COUPS)
        dealing = threading.Thread(target=runner.run, daemon=True)
        dealing.start()
        seen = counts(program)
        for _ in range(KILLS):
            before = seen["cards_drawn_total"]
            while dealing.is_alive() and seen["cards_drawn_total"] < before + CARDS_BETWEEN:
                seen = counts(program)
            program.kill()
            program.start()
            after = counts(program)
            assert all(after[name] >= seen[name] for name in COUNTED), (seen, after)
            seen = after
        dealing.join()
        settled = await_same(program, journal)
        assert settled["cards_drawn_total"] >= KILLS * CARDS_BETWEEN
        assert not (journal / COUNTS_NAME).exists()
        program.stop()
        assert (journal / COUNTS_NAME).exists()
        program.start()
        assert counts(program) == settled == in_the_journal(journal)
