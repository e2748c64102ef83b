"""Kill -9 at random moments of batch exchanges: each event and order is recorded once.

Source: NY (a)(4)(iv); firmware_bridge README, "TableLink/1".
"""

import contextlib
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import CommandGiven, DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_input
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.outlets.control.client import ControlError
from controller.procedure.effects import CoupClosed, WarningOpened
from controller.procedure.events import ShufflerEventsLost
from controller.system.messages.catalogue import to_words
from drivers.events import CommandAnswered, CommandOutcome
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    CompartmentChanged,
    CompartmentState,
    ShuffleDone,
    ShufflerEvent,
    ShufflerStarted,
    ShuffleStarted,
)
from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.tableau import Winner
from hil.dealing.truth import ReportTruth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.reports import Report
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.compartment import CompartmentPhase
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.memory import TableLinkMemory
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import EventKind, RequestType
from hil.rig.batch_exchange import batch_of_shoe, compartment_of, playing_cards
from hil.rig.device_programs import (
    ShufflerTable,
    angel_eye,
    shuffler,
    shuffler_reports,
    wait_until,
)

MS = 1_000_000
DECKS = 8
BACKS = ("red", "blue")
COUPS = 2
# Long enough that some kills come in the middle of each.
TEMPO = ShufflerSettings(
    bare=True,
    chained=True,
    load_card_ns=MS // 8,
    count_card_ns=MS // 8,
    shuffle_ns=150 * MS,
    store_ns=50 * MS,
    release_ns=50 * MS,
)
LIFE_S = (0.05, 0.9)
LOOK_S, CARRIED_OUT_S = 0.05, 1.0
# An ace and one card more are burned; then a natural nine of Player's against seven.
BURN = (Card(1, Suit.SPADE), Card(7, Suit.CLUB))
COUP = (Card(9, Suit.HEART), Card(2, Suit.DIAMOND), Card(13, Suit.CLUB), Card(5, Suit.SPADE))
# The emulator's numbers of states, as the wire document has them.
STATES = tuple(CompartmentState)


class Memory(TableLinkMemory):
    """A memory that keeps every request of the host with its answer."""

    def __init__(self, capacity: int, *, chained: bool) -> None:
        super().__init__(capacity, chained=chained)
        self.executed: list[tuple[int, RequestType]] = []

    def store_answer(self, request: int, type_: int, payload: bytes) -> None:
        super().store_answer(request, type_, payload)
        if decode_map(payload)[1] == 0:
            self.executed.append((request, RequestType(type_)))


class WatchedShuffler(Shuffler):
    """A shuffler that records the orders it executed."""

    memory: Memory

    def _blank_memory(self) -> Memory:
        return Memory(self.settings.ring, chained=self.settings.chained)


class StopPeople(Exception):
    """Stops the people at the end of a shoe."""


class People(threading.Thread):
    """An attendant and a dealer, who continue whether the program runs or not."""

    def __init__(
        self,
        table: ShufflerTable,
        shoe: PtyServer[AngelEye],
        shuffler: TcpServer[WatchedShuffler],
        seed: int,
    ) -> None:
        super().__init__(name="people")
        self.table, self.shoe, self.shuffler = table, shoe, shuffler
        self.moods = random.Random(seed)
        self.enough = threading.Event()
        self.failure: BaseException | None = None
        self.dealt: list[str] = []
        self.dealing = threading.Lock()

    def run(self) -> None:
        try:
            with contextlib.suppress(StopPeople):
                self.work()
        except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
            self.failure = error

    def work(self) -> None:
        for number in (1, 2):
            self.puts_away(playing_cards(batch_of_shoe(number, DECKS)), BACKS[number - 1])
        while True:
            back = BACKS[len(self.dealt) % 2]
            cards = self.brings_out(back)
            self.deals_a_shoe(back)
            if self.enough.is_set():
                raise StopPeople
            self.puts_away(cards, back)

    # The attendant.

    def puts_away(self, cards: Sequence[PhysicalCard], back: str) -> None:
        self.shuffler.perform(lambda device: device.put_in(cards))
        for order, holding in (
            ("load", CompartmentPhase.LOADING),
            ("count", CompartmentPhase.COUNTED),
            ("shuffle", CompartmentPhase.SHUFFLED),
            ("store", CompartmentPhase.STORED),
        ):
            self.has_done(order, compartment_of(back), holding)

    def brings_out(self, back: str) -> Sequence[PhysicalCard]:
        self.has_done("release", compartment_of(back), CompartmentPhase.RELEASED)
        taken: list[PhysicalCard] = []

        def take(device: WatchedShuffler) -> tuple[()]:
            taken.extend(device.take(compartment_of(back)))
            return ()

        self.shuffler.perform(take)
        return taken

    def has_done(self, order: str, compartment: int, holding: CompartmentPhase) -> None:
        """Press its button or give an order at the table; repeated if not answered."""

        def done(device: WatchedShuffler) -> bool:
            return device.compartment_record(compartment).phase is holding and not device.busy

        def tried() -> bool:
            if self.shuffler.wait_for(done, LOOK_S):
                return True
            if self.moods.random() < 0.5:
                self.shuffler.perform(lambda device: device.press(order, compartment))
            elif not self.ordered(order, compartment):
                return False
            return self.shuffler.wait_for(done, CARRIED_OUT_S)

        wait_until(tried)

    def ordered(self, order: str, compartment: int) -> bool:
        with contextlib.suppress(ControlError):
            asked = {"order": order, "compartment": compartment}
            return self.table.act("order-shuffler", **asked).ok
        return False

    # The dealer: he looks at the page before he deals.

    def deals_a_shoe(self, back: str) -> None:
        self.table.wait_for_stage(back, "released")
        # A pty keeps nothing for a program that is killed with what it has read: shoes that are
        # dealt at full speed are dealt to a running one. Kills in mid-coup are tests of their own.
        with self.dealing:
            self.deals(back)

    def deals(self, back: str) -> None:
        self.does(lambda shoe: shoe.power_on())
        self.draws(BURN)
        self.does(lambda shoe: shoe.stand_by())
        # The cut card makes the coup that follows the last but one.
        self.does(lambda shoe: shoe.draw_cut_card())
        for _ in range(COUPS):
            self.draws(COUP)
            self.does(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
            self.does(lambda shoe: shoe.stand_by())
        self.dealt.append(back)
        # Not merely that a shoe is over: that may still be the one before.
        self.table.wait_for_stage(back, "spent")

    def draws(self, cards: Iterable[Card]) -> None:
        for card in cards:
            self.does(lambda shoe, card=card: shoe.draw(card))  # type: ignore[misc]

    def does(self, act: Callable[[AngelEye], tuple[Report, ...]]) -> None:
        self.shoe.perform(act)


def kills(people: People, count: int, seed: int) -> None:
    """Kill the program `count` times at random moments."""
    moments = random.Random(seed)
    program = people.table.program
    program.start()
    people.start()
    for _ in range(count):
        people.join(moments.uniform(*LIFE_S))
        assert people.is_alive(), people.failure
        with people.dealing:
            program.kill()
            program.start()
    people.enough.set()
    people.join()
    if people.failure is not None:
        raise people.failure


def shuffler_events(reports: Iterable[ReportTruth]) -> Iterator[tuple[object, ...]]:
    """The shuffler's own record of the events that it reports."""
    for report in reports:
        body = decode_map(report.frame)[5]
        assert isinstance(body, dict)
        match EventKind[report.code]:
            case EventKind.POWER_UP:
                yield ("started", body[1])
            case EventKind.COMPARTMENT:
                yield ("compartment", body[1], STATES[body[2]], body.get(3))
            case EventKind.BATCH_STARTED:
                yield ("began", body[1], body[2])
            case EventKind.BATCH_DONE:
                receipt = decode_map(body[1])
                yield ("done", receipt[4], receipt[3])
            case other:
                raise AssertionError(other)


def journal_events(entries: list[Entry]) -> Iterator[tuple[object, ...]]:
    """The same events in the journal."""
    for event in shuffler_reports(entries, ShufflerEvent):
        match event:
            case ShufflerStarted(boot_count, _):
                yield ("started", boot_count)
            case CompartmentChanged(compartment, state, cards, _, _):
                yield ("compartment", compartment, state, cards)
            case ShuffleStarted(compartment, cycle):
                yield ("began", compartment, cycle)
            case ShuffleDone(proof):
                yield ("done", proof.compartment, proof.cycle)
            case _:
                pass


def check_executed_orders(executed: list[tuple[int, RequestType]], table: ShufflerTable) -> int:
    """Check that each executed order was given, and none twice; returns their number."""
    orders = [ask.name.lower() for _, ask in executed if ask is not RequestType.STATUS]
    words = [to_words(one.command) for one in table.stored(CommandGiven)]
    given = iter([word.split()[1] for word in words if word.startswith("OrderShuffler")])
    assert all(order in given for order in orders), "not a part of what was given, in its order"
    answers = [
        one for one in table.device_events(CommandAnswered) if one.command == "OrderShuffler"
    ]
    assert sum(one.outcome is CommandOutcome.DONE for one in answers) <= len(orders)
    ids = [request for request, _ in executed]
    assert ids == sorted(set(ids))
    return len(orders)


def starts(table: ShufflerTable) -> int:
    with open_read_only(table.journal) as journal:
        return sum(isinstance(read_input(one.record), Started) for one in journal.records())


def killed(folder: Path, count: int, seed: int) -> None:
    line = LineServerSettings(speed=0, patience_s=60.0)
    with (
        PtyServer(AngelEye(), line, link=folder / "shoe") as shoe,
        TcpServer(WatchedShuffler(TEMPO), line) as device,
    ):
        url = device.url
        table = ShufflerTable(folder, angel_eye(shoe.path), shuffler(url))
        people = People(table, shoe, device, seed)
        with table.program:
            kills(people, count, seed)
            assert device.wait_for(lambda shuffler: shuffler.all_delivered)
            table.program.stop()
        reports = device.take_reports()
        executed = device.emulator.memory.executed
    entries = table.entries()
    orders = check_executed_orders(executed, table)
    print(
        f"seed {seed}: {count} kills, {len(people.dealt)} shoes, {len(reports)} events,"
        f" {orders} orders"
    )

    assert starts(table) == count + 1
    assert [report.ordinal for report in reports] == list(range(1, len(reports) + 1))
    assert list(journal_events(entries)) == list(shuffler_events(reports))
    events = [one.event for one in entries if isinstance(one, EventVerdicts)]
    assert not [one for one in events if isinstance(one, ShufflerEventsLost)]
    faults = [one.event for one in table.stored(DeviceEventRecorded) if one.port == url]
    assert not [one for one in faults if isinstance(one, DeviceFault)]
    assert table.irregularities() == []
    assert table.stored(WarningOpened) == []
    assert [one.refused for one in table.stored(ShuffleRecorded) if one.refused] == []
    in_play = [one.batch for one in table.stored(StageChange) if one.after == "in_play"]
    assert in_play == people.dealt
    assert len(table.stored(CoupClosed)) == COUPS * len(people.dealt)
    assert verify(table.journal).intact
    assert replay(table.journal).finding is ReplayFinding.SAME


def test_five_kills_in_exchanges(fast_dir: Path) -> None:
    killed(fast_dir, count=5, seed=1)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10, 15))
def test_fifty_kills_in_exchanges(fast_dir: Path, seed: int) -> None:
    killed(fast_dir, count=10, seed=seed)
