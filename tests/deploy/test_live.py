"""A real Prometheus and Alertmanager at running tables: what is scraped, told and shown."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from floor_incidents import READY
from grafana_dashboards import DASHBOARDS, PAGES, queries_of
from quick_floor import Receivers, quick_alertmanager, quick_prometheus
from simulated_history import PIT, SimulatedPage, page_of

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from controller.version import VERSION
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.demo.floorperson import NAME, choose_decision
from hil.progress import Patience
from hil.rig.program import Program
from hil.rig.servers.alertmanager import Alertmanager
from hil.rig.servers.child_server import free_port
from hil.rig.servers.prometheus import Prometheus
from hil.rig.shoe_runner import Pace
from hil.rig.tables.stored_table import StoredTable, stored_table
from hil.rig.tables.table_folder import TableFolder
from hil.rig.tables.table_shoe import TableShoe
from hil.run_guard import memory_folder

pytestmark = [
    pytest.mark.needs("prometheus"),
    pytest.mark.needs("prometheus-alertmanager"),
]

PIT_3 = "pit-3"
ERRS, CLEAN, SHUFFLES = "M-1", "M-2", "M-9"
ALARM = "CardOverdrawn"
MISTAKE = PlannedMistake(Mistake.EXTRA_CARD, coup=3)
PACE = Pace.uniform(10_000_000)
# Generous: how quick the machine is decides nothing here.
# Prometheus and the rules' `for` do little for so long.
RULES_STILL_S = 120.0
POLL_S = 0.1
# What a dashboard asks for: the last seconds of a floor that lives faster.
SHOWN_S = 20


@dataclass
class Seen:
    """What a run of the floor gave. `empty`: queries of dashboards that returned nothing."""

    stored: dict[str, StoredTable] = field(default_factory=dict)
    counted: dict[str, float] = field(default_factory=dict)
    scraped: dict[str, Any] = field(default_factory=dict)
    receivers: Receivers = field(default_factory=Receivers)
    queries: int = 0
    empty: list[str] = field(default_factory=list)


def until(ready: Callable[[], Any], late: Callable[[], str]) -> Any:
    """Wait for a result that is true, and return it."""
    patience = Patience(RULES_STILL_S)
    while not (found := ready()):
        patience.check(late())
        threading.Event().wait(POLL_S)
    return found


def targets(folder: TableFolder, simulated: int) -> list[dict[str, Any]]:
    at = urlsplit(folder.metrics_url).netloc
    listed = [(name, PIT_3, at, f"/metrics/{name}") for name in (ERRS, CLEAN)]
    listed.append((SHUFFLES, PIT, f"127.0.0.1:{simulated}", "/metrics"))
    return [
        {"targets": [at], "labels": {"pit": pit, "table": name, "__metrics_path__": path}}
        for name, pit, at, path in listed
    ]


class Floor:
    """Two tables in one program, a third with a shuffler under the simulated clock."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.seen = Seen()
        self._decided = threading.Event()
        stack.callback(self._decided.set)
        self.tables = TableFolder(root / "t")
        pages = {SHUFFLES: shuffling_table()}
        receivers = self.seen.receivers
        receivers.page = lambda: pages[SHUFFLES].text().encode()
        stack.enter_context(receivers)
        self.shoes = {
            ERRS: TableShoe(7, PACE, mistakes=(MISTAKE,), on_mistake=self._wait_for_decision),
            CLEAN: TableShoe(8, PACE),
        }
        for name, shoe in self.shoes.items():
            stack.enter_context(shoe)
            key = root / f"{name}.key"
            assert main(["keys", "make", str(key)]) == ExitCode.DONE
            signed = f'[evidence]\nkey = "{key}"\n'
            self.tables.add(name, shoe.url, pit=PIT_3, more=signed)
        self.program = Program(self.tables.configs, self.tables.log)
        stack.enter_context(self.program)
        self.program.start()
        port = free_port()
        config = quick_prometheus(root / "p", targets(self.tables, receivers.port), port)
        routes = quick_alertmanager(root / "a", receivers.port)
        stack.enter_context(Alertmanager(root / "a", routes, port))
        self.prometheus = stack.enter_context(Prometheus(root / "p", config))

    def _wait_for_decision(self) -> None:
        self._decided.wait()

    def by_table(self, expression: str) -> dict[str, float]:
        return {one.labels["table"]: one.value for one in self.prometheus.query(expression)}

    def deal(self) -> None:
        """Deal at both tables once both are scraped, with an overdrawn card at one."""
        names = {ERRS, CLEAN, SHUFFLES}
        until(
            lambda: set(self.by_table("smartshoe_coups_total")) == names,
            lambda: f"the tables are not scraped: {self.by_table('up')}",
        )
        for shoe in self.shoes.values():
            shoe.begin()

    def see_dashboards(self, *, decided: bool) -> None:
        """Run the queries of panels on decisions, or of the others, until each has returned data.

        Some show something only while the table is suspended and its alarm fires.
        """
        wanted = {
            f"{name}, {title}: {query}": query
            for name in PAGES
            for title, query in queries_of((DASHBOARDS / f"{name}.json").read_text("utf-8"))
            if ("decision_seconds" in query) is decided
        }
        self.seen.queries += len(wanted)

        def all_seen() -> bool:
            for title, query in list(wanted.items()):
                if any(self._returns_data(query, *one) for one in shown_tables(query)):
                    del wanted[title]
            return not wanted

        patience = Patience(RULES_STILL_S, lambda: len(wanted))
        while not all_seen() and not patience.is_over:
            threading.Event().wait(POLL_S)
        self.seen.empty += wanted

    def _returns_data(self, query: str, pit: str, table: str) -> bool:
        text = query.replace("$pit", pit).replace("$table", table)
        text = text.replace("$__rate_interval", "4s")
        now_s = time.time()
        found = self.prometheus.query_range(text, now_s - SHOWN_S, now_s, 1)
        return any(one.values for one in found)

    def decide(self) -> None:
        """Decide what is open at the table whose dealer erred, and let him go on."""
        client = self.tables.client_of(ERRS)
        decision, why = choose_decision(client.status())
        answer = client.request(
            {
                "request": "act",
                "action": "resolve",
                "by": NAME,
                "role": "floorperson",
                "reason": why,
                "decision": decision,
            }
        )
        assert not answer.error, answer.error
        self._decided.set()
        for shoe in self.shoes.values():
            shoe.wait_for_coups(2)

    def end(self) -> None:
        """Stop dealing, and see what was counted and stored."""
        for name, shoe in self.shoes.items():
            shoe.finish()
            dealt = len(shoe.truth.coups)
            until(
                lambda name=name, dealt=dealt: len(self._stored(name).coups) == dealt,
                lambda name=name: f"{name}: coups are not stored",
            )
        seen = self.seen
        seen.stored = {name: self._stored(name) for name in self.shoes}
        wanted = {name: len(one.coups) for name, one in seen.stored.items()}
        seen.counted = until(
            lambda: (found := self._coups()) == wanted and found,
            lambda: f"{self._coups()} were scraped, {wanted} are stored",
        )
        for name in ("smartshoe_table_info", "up", "smartshoe_log_size"):
            seen.scraped[name] = self.prometheus.query(name)

    def _coups(self) -> dict[str, float]:
        return self.by_table(f'sum by (table) (smartshoe_coups_total{{pit="{PIT_3}"}})')

    def _stored(self, name: str) -> StoredTable:
        return stored_table(self.tables.journal_of(name))


def shown_tables(query: str) -> tuple[tuple[str, str], ...]:
    """Pits and tables that a dashboard may be asked for, the most likely ones first."""
    return ((PIT_3, ERRS), (PIT, SHUFFLES)) if "$table" in query else ((f"{PIT_3}|{PIT}", ""),)


def shuffling_table() -> SimulatedPage:
    page = page_of(SHUFFLES, "device shoe angel-eye\ndevice shuffler tablelink", 3)
    page.play(*READY, "load red", "deal burn", "deal 2 coups")
    return page


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """A floor from its first scrape to the end of its alarm."""
    folder = memory_folder() or tmp_path_factory.mktemp("floor")
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="t-", dir=folder)))
        floor = Floor(root, stack)
        floor.deal()
        floor.seen.receivers.wait_for(ALARM, "firing", 2)
        floor.see_dashboards(decided=False)
        floor.decide()
        floor.see_dashboards(decided=True)
        floor.end()
        floor.seen.receivers.wait_for(ALARM, "resolved", 2)
        yield floor.seen


def test_every_coup_of_the_journals_is_counted_at_its_table(seen: Seen) -> None:
    assert {name: len(one.coups) for name, one in seen.stored.items()} == seen.counted
    assert all(count > 2 for count in seen.counted.values())


def test_the_irregularity_is_at_its_table_alone(seen: Seen) -> None:
    assert seen.stored[ERRS].irregularities == ("OVERDRAW",)
    assert seen.stored[CLEAN].irregularities == ()


def test_every_series_names_its_table_and_pit(seen: Seen) -> None:
    infos = {one.labels["table"]: one.labels for one in seen.scraped["smartshoe_table_info"]}

    for name in (ERRS, CLEAN):
        assert infos[name]["pit"] == PIT_3
        assert infos[name]["version"] == VERSION
        assert infos[name]["profile"] == "s42-mini"
        assert infos[name]["job"] == "smartshoe"
    assert all("exported_table" not in one for one in infos.values())
    assert {one.labels["table"] for one in seen.scraped["up"]} == set(infos)
    assert all(one.value == 1 for one in seen.scraped["up"])


def test_whoever_scrapes_has_the_head_of_the_evidence_log(seen: Seen) -> None:
    sizes = {one.labels["table"]: one.value for one in seen.scraped["smartshoe_log_size"]}

    assert sizes[ERRS] > 0
    assert sizes[CLEAN] > 0


@pytest.mark.parametrize("status", ["firing", "resolved"])
def test_the_alarm_reaches_each_of_its_receivers_once(seen: Seen, status: str) -> None:
    told = seen.receivers.of(ALARM, status)

    assert sorted(one.path for one in told) == ["/floor/pit-3", "/surveillance"]
    assert {one.tables for one in told} == {(ERRS,)}
    (words,) = {one.summaries for one in told}
    assert words == (f"{ERRS} in {PIT_3}: a card was drawn that the rules do not give (OVERDRAW)",)


def test_nobody_else_is_called(seen: Seen) -> None:
    pages = {one.alarm for one in seen.receivers.told if one.path not in ("/heartbeat", "/tickets")}

    assert pages == {ALARM}


def test_no_ticket_is_written_but_for_the_clock_of_this_machine(seen: Seen) -> None:
    tickets = {one.alarm for one in seen.receivers.told if one.path == "/tickets"}

    assert tickets <= {"ClockUnsynchronised"}


def test_the_path_of_alarms_says_that_it_is_alive(seen: Seen) -> None:
    assert any(one.path == "/heartbeat" for one in seen.receivers.of("AlertPathAlive", "firing"))


def test_every_query_of_the_dashboards_returned_data(seen: Seen) -> None:
    assert seen.queries > 50
    assert seen.empty == []
