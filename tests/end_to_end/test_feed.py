"""The floor feed of running tables: broker and program killed, the network cut and slow.

A consumer that drops repeats holds exactly the events of the journals, and a head that it kept
shows a journal that was cut back.
"""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from journals import events_of
from msgspec.json import encode

from controller.archive.consumers import FeedSettings
from controller.cli.main import main
from controller.journal.log_database import LogDatabase
from controller.outlets.feed.publisher import Publisher
from controller.outlets.feed.sending import FeedSource
from controller.system.command_line.errors import ExitCode
from firmware_bridge.transport.clock import now
from hil.progress import BOUND_S, poll_until
from hil.rig.program import Program
from hil.rig.servers.feed_consumer import BrokerAccess, FeedConsumer
from hil.rig.servers.mosquitto import Mosquitto
from hil.rig.servers.network import Network
from hil.rig.shoe_runner import Pace
from hil.rig.tables.table_folder import TableFolder
from hil.rig.tables.table_shoe import TableShoe

pytestmark = pytest.mark.needs("mosquitto")
FEED = """
[[feed]]
name = "office"
host = "127.0.0.1"
port = {port}
tls = false
broker_saves_s = {saves}
"""
# Far more than this Mosquitto needs, which saves after each change.
SAVES_S = 20
SLOW_S = 0.002


class Floor:
    """So many tables in one program, a broker behind a network, and a consumer beside it."""

    def __init__(self, root: Path, stack: ExitStack, count: int, pace: Pace) -> None:
        self.names = tuple(f"M-{number}" for number in range(1, count + 1))
        self.broker = stack.enter_context(Mosquitto(root / "broker"))
        self.network = stack.enter_context(Network(self.broker.port))
        access = BrokerAccess(self.broker.port)
        self.consumer = stack.enter_context(FeedConsumer(access, "office"))
        self.folder = TableFolder(root / "floor")
        self.shoes: dict[str, TableShoe] = {}
        for seed, name in enumerate(self.names, start=1):
            shoe = stack.enter_context(TableShoe(seed, pace))
            self.shoes[name] = shoe
            more = FEED.format(port=self.network.port, saves=SAVES_S)
            self.folder.add(name, shoe.url, more=more)
        self.program = stack.enter_context(Program(self.folder.configs, self.folder.log))

    def begin(self) -> None:
        self.program.start()
        for shoe in self.shoes.values():
            shoe.begin()

    def held(self) -> int:
        """How many events the consumer has of all tables."""
        return sum(map(self.consumer.held.count, map(source_of, self.names)))

    def metrics(self, name: str) -> str:
        with urllib.request.urlopen(f"{self.folder.metrics_url}/metrics/{name}") as page:
            return page.read().decode()

    def await_more(self, count: int) -> None:
        wanted = self.held() + count
        poll_until(lambda: self.held() >= wanted, f"{self.held()} events of {wanted}")

    def end(self) -> None:
        """Stop dealing and program; what could not be sent by then, the next start sends."""
        self.network.slow_s = 0.0
        for shoe in self.shoes.values():
            shoe.leave_after_coup()
        for shoe in self.shoes.values():
            shoe.finish()
        self.program.stop()
        for name in self.names:
            self._send_rest(name)

    def _send_rest(self, name: str) -> None:
        journal = self.folder.journal_of(name)
        settings = FeedSettings("office", "127.0.0.1", self.broker.port, "smartshoe", tls=False)
        source = FeedSource(name, f"-/{name}", journal, now, lambda: 0)
        publisher = Publisher(settings, source)
        publisher.start()
        wanted = len(events_of(journal)[0])
        try:
            poll_until(
                lambda: self.consumer.held.count(source_of(name)) >= wanted,
                f"{name}: {self.consumer.held.count(source_of(name))} events of {wanted}",
            )
        finally:
            publisher.stop(5.0)
            publisher.join(BOUND_S)

    def assert_exactly_the_journals(self) -> None:
        held = self.consumer.held
        for name in self.names:
            made, _ = events_of(self.folder.journal_of(name))
            wanted = {one.event.id: json.loads(encode(one.event)) for one in made}
            assert held.events[source_of(name)] == wanted, name
            assert held.gaps(source_of(name)) == [], name
        assert held.differing == []


def source_of(name: str) -> str:
    return f"/smartshoe/-/{name}"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def trouble(floor: Floor, number: int) -> None:
    """The broker is killed; before it comes back, or as it does, the network fails, too."""
    floor.network.slow_s = SLOW_S if number % 3 == 1 else 0.0
    floor.broker.kill()
    floor.network.down = number % 5 == 4
    floor.broker.start()
    if floor.network.down:
        floor.network.cut()
        floor.network.down = False
    elif number % 2:
        floor.network.cut()


def test_kills_of_broker_and_program_and_a_bad_network_lose_nothing(
    fast_dir: Path, stack: ExitStack
) -> None:
    floor = Floor(fast_dir, stack, count=2, pace=Pace.uniform(5_000_000))
    floor.begin()
    poll_until(lambda: "feed_connected{" in floor.metrics("M-1"), "no metrics of the feed")
    for number in range(4):
        floor.await_more(4)
        trouble(floor, number)
    floor.await_more(4)
    floor.program.kill()
    older = shutil.copytree(floor.folder.journal_of("M-1"), fast_dir / "older")
    floor.program.start()
    floor.await_more(4)
    log = f"{source_of('M-1')}/log"
    with LogDatabase.open_read_only(older) as stored:
        size = stored.size
    poll_until(lambda: floor.consumer.held.heads[log]["data"]["size"] > size, "no newer head")
    floor.end()
    floor.assert_exactly_the_journals()

    kept = fast_dir / "kept"
    kept.write_text(floor.consumer.held.heads[log]["data"]["note"])
    journal = str(floor.folder.journal_of("M-1"))
    assert main(("verify", journal, "--witness", str(kept))) == 0
    assert main(("verify", str(older), "--witness", str(kept))) == ExitCode.NO


@pytest.mark.full
def test_a_broker_killed_fifty_times_under_twenty_tables_loses_nothing(
    fast_dir: Path, stack: ExitStack
) -> None:
    floor = Floor(fast_dir, stack, count=20, pace=Pace.uniform(150_000_000))
    floor.begin()
    for number in range(50):
        floor.await_more(20)
        trouble(floor, number)
    floor.await_more(20)
    floor.end()
    floor.assert_exactly_the_journals()
    held = floor.consumer.held
    print(f"{floor.held()} events, {held.repeats} repeats, {floor.network.cuts} cuts")
