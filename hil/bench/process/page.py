"""P21: how soon a page receives what was dealt, and what pages that look on cost the table.

Not: what a browser needs to draw it, which is shown and not judged.

Source: goal P21.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from controller.outlets.control.client import ControlClient
from controller.service.config.load import load_config
from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.bench.process.page_streams import page_streams
from hil.dealing.actions import DealerAction, Draw, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal_unless,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import NS_PER_MS, Unit, percentile
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import Pace, ShoeRunner

BROWSERS: Final = 4
CARD_NS: Final = 250 * NS_PER_MS
WAIT_S: Final = 30.0
SAMPLES_MIN: Final = 40
CHROMIUM: Final = Path("/usr/bin/chromium")
# Notes, in the page, when each number of cards left is drawn.
_WATCH: Final = """() => {
  window.drawn = {};
  const look = () => {
    const found = /(\\d+) of 416 cards left/.exec(document.getElementById("shoe").innerText);
    if (found && !(found[1] in window.drawn)) window.drawn[found[1]] = Date.now();
  };
  new MutationObserver(look).observe(
    document.getElementById("shoe"), {childList: true, subtree: true, characterData: true});
}"""


def measure_page(plan: Plan) -> tuple[Check, ...]:
    """P21."""
    with folder_on_disk(plan) as folder:
        return (*_paced(plan, folder / "paced"), *_at_full_speed(plan, folder))


# --- at a dealing pace ----------------------------------------------------------------------------


def _paced(plan: Plan, folder: Path) -> tuple[Check, ...]:
    """From a card's leaving the shoe, before it is stored, to its receipt by every browser."""
    drawn_ns: list[int] = []
    with (
        PtyServer(AngelEye(), LineServerSettings()) as server,
        RunningProgram(folder, server.path) as program,
        page_streams(program.metrics_address, BROWSERS) as streams,
        _real_browser(program.metrics_address) as shown,
    ):
        runner = ShoeRunner(
            Dealer(DealerSettings(seed=21)),
            server,
            pace=Pace.uniform(CARD_NS),
            coups_max=plan.count(20, 2),
            on_action=lambda one: drawn_ns.append(_now(one)) if isinstance(one, Draw) else None,
        )
        runner.run()
        _await(lambda: all(416 - len(drawn_ns) in one.received_ns for one in streams))
        drawn_in_browser = shown()
    delays = [
        one.received_at_ns(416 - number) - drawn
        for number, drawn in enumerate(drawn_ns, start=1)
        for one in streams
    ]
    few = too_few_reason(len(drawn_ns), SAMPLES_MIN)
    beside = f"{len(drawn_ns)} cards, 4 a second, {BROWSERS} browsers; from the end of its report"
    p50, most = (percentile(delays, each) / NS_PER_MS for each in (50, 100))
    checks = (
        check_goal_unless(
            few, "P21", "received by a page, slowest", most, Unit.MS, Bound(200, 50), beside
        ),
        report_figure("P21", "  p50", p50, Unit.MS),
    )
    if not drawn_in_browser:
        return checks
    wall_ns = time.time_ns() - time.monotonic_ns()
    own = [
        drawn_in_browser[416 - number] * NS_PER_MS - (drawn + wall_ns)
        for number, drawn in enumerate(drawn_ns, start=1)
        if 416 - number in drawn_in_browser
    ]
    shown_ms = median(own) / NS_PER_MS
    return (*checks, report_figure("P21", "  in Chromium's page, p50", shown_ms, Unit.MS))


def _now(_action: Draw) -> int:
    return time.monotonic_ns()


def _await(done: Callable[[], bool]) -> None:
    """Raises CannotMeasure."""
    until_s = time.monotonic() + WAIT_S
    while not done():
        if time.monotonic() > until_s:
            raise CannotMeasure(f"a page did not receive every card within {WAIT_S:.0f} s")
        time.sleep(0.01)


@contextlib.contextmanager
def _real_browser(address: tuple[str, int]) -> Iterator[Callable[[], dict[int, int]]]:
    """Debian's Chromium at the page: when it had drawn each number of cards, by its own clock."""
    if not CHROMIUM.exists():
        yield dict
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where there is a browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("http://{}:{}/".format(*address))
        page.evaluate(_WATCH)
        yield lambda: {
            int(left): drawn
            for left, drawn in json.loads(
                page.evaluate("() => JSON.stringify(window.drawn)")
            ).items()
        }
        browser.close()


# --- at full simulated speed ----------------------------------------------------------------------


def _at_full_speed(plan: Plan, folder: Path) -> tuple[Check, ...]:
    """Cards a second with nobody at the page, with browsers, and with one that does not read."""
    kinds = {"alone": (0, 0), "browsers": (BROWSERS, 0), "stuck": (BROWSERS, 1)}
    speeds: dict[str, list[float]] = {kind: [] for kind in kinds}
    events: list[float] = []
    cards = 0
    for number in range(plan.repeats):
        for kind, (reading, stuck) in kinds.items():
            one = _deal_shoes(folder / f"{kind}-{number}", plan.count(8, 3), reading, stuck)
            speeds[kind].append(one.cards / one.took_s)
            events += one.events_per_card
            cards = one.cards
    alone = median(speeds["alone"])
    beside = f"{alone:.0f} cards a second with nobody at the page, {cards} cards"
    few = f"{cards} cards" if plan.quick else ""

    def ratio(kind: str, what: str) -> Check:
        bound = Bound(0.9, at_least=True)
        return check_goal_unless(
            few, "P21", what, median(speeds[kind]) / alone, Unit.RATIO, bound, beside
        )

    return (
        ratio("browsers", f"speed with {BROWSERS} browsers"),
        ratio("stuck", f"speed with {BROWSERS} browsers and one that does not read"),
        report_figure("P21", "  events a browser got for a card", median(events), Unit.COUNT),
    )


@dataclass(frozen=True, slots=True)
class _DealtShoes:
    """Whole shoes at full speed: their cards, how long they took, events of a browser for each."""

    cards: int
    took_s: float
    events_per_card: tuple[float, ...]


def _deal_shoes(folder: Path, shoes: int, reading: int, stuck: int) -> _DealtShoes:
    """From the beginning of the second shoe, or of the first one seen after it, to the last."""
    drawn: list[int] = []
    with (
        PtyServer(AngelEye(), LineServerSettings()) as server,
        RunningProgram(folder, server.path) as program,
        page_streams(program.metrics_address, reading, stuck) as streams,
    ):
        client = ControlClient(load_config(folder / "table.toml").control_socket)
        dealing = threading.Thread(target=_deal, args=(server, shoes, drawn), name="dealer")
        dealing.start()
        began_s: dict[int, float] = {}
        for snapshot in client.subscribe(WAIT_S):
            if snapshot.shoe is not None:
                began_s.setdefault(snapshot.shoe.number, time.perf_counter())
            if shoes in began_s:
                break
        events = [len(one.received_ns) for one in streams]
        dealing.join()
    first = min(number for number in began_s if number > 1)  # snapshots are coalesced
    cards = sum(drawn[first - 1 : -1])
    took_s = began_s[shoes] - began_s[first]
    every = sum(drawn[:-1])
    return _DealtShoes(cards, took_s, tuple(one / every for one in events))


def _deal(server: PtyServer[AngelEye], shoes: int, drawn: list[int]) -> None:
    """Deal these shoes; `drawn` gets the number of cards of each."""

    def count(action: DealerAction) -> None:
        if isinstance(action, NewShoe):
            drawn.append(0)
        elif isinstance(action, Draw):
            drawn[-1] += 1

    dealer = Dealer(DealerSettings(seed=22, shoes=shoes))
    ShoeRunner(dealer, server, on_action=count).run()
