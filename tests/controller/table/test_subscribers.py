"""Whoever follows a table may sleep, raise or fall behind: no card waits, the others have all."""

import logging
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from types import SimpleNamespace
from typing import ClassVar

import pytest
from msgspec.structs import replace
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from controller.core.state import Stored, Subscriber
from controller.core.stored_settings import SETTINGS
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.rules.profiles.load import load_clauses
from controller.service.coup_history import CoupHistory
from controller.service.shoe_monitors import ShoeMonitors
from controller.service.table_log import LinesBehind, TableLog
from controller.table import table as table_module
from controller.table.subscribers import Behind, Follower, Turns
from controller.table.table import Health, RunSpec, Table

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
# Who waits so long waits for ever: a test that must not wait fails by its time limit.
FOR_EVER_S = 3600.0


FAULT = ValueError("the 7h lies face down")


class Noting:
    """A subscriber that keeps what it is handed."""

    name: ClassVar[str] = "noting"

    def __init__(self) -> None:
        self.taken: list[Stored] = []

    def stored(self, stored: Stored) -> None:
        self.taken.append(stored)


class Sleeping(Noting):
    """A subscriber that takes nothing in before it is woken."""

    name = "sleeping"

    def __init__(self) -> None:
        super().__init__()
        self.asleep, self.woken = threading.Event(), threading.Event()

    def stored(self, stored: Stored) -> None:
        self.asleep.set()
        assert self.woken.wait()
        super().stored(stored)


class Raising(Noting):
    """A subscriber that fails at everything."""

    name = "raising"

    def stored(self, stored: Stored) -> None:
        raise FAULT


class Followed:
    """A table that may lock its shoe, with its subscribers and what it wrote to the shoe."""

    def __init__(self, folder, script, *subscribers) -> None:
        self.script = script
        self.written: list[bytes] = []
        spec = RunSpec(folder, load_clauses(), lambda _: script.started)
        self.table = Table("M7", spec, lambda: script.at)
        self.table.subscribe(*subscribers)
        self.table.attach_writer(PORT, self)
        self.table.start()

    def write(self, data: bytes, opened: bytes = b"") -> None:
        self.written.append(data)

    def deal(self, *reports: str) -> list[object]:
        """Put what the shoe says; the entries of its last report, once they are stored."""
        before = len(self.script.inputs)
        self.script.reported(*reports)
        *others, last = self.script.inputs[before:]
        for item in others:
            self.table.put(item)
        return list(self.table.act(last, FOR_EVER_S) or ())

    def overdraw(self) -> list[object]:
        self.script.opened()
        self.table.put(self.script.inputs[-1])
        concluded = self.deal(*NEW_SHOE, *OVERDRAW)
        assert self.table.responds(FOR_EVER_S), "it is handed on before the next input"
        return concluded

    def follower(self, name: str) -> Follower:
        return next(one for one in self.table.followers if one.name == name)


@pytest.fixture
def followed(fast_dir, script) -> Iterator[Callable[..., Followed]]:
    made: list[tuple[Followed, tuple[Noting, ...]]] = []

    def followed_by(*subscribers: Noting) -> Followed:
        one = Followed(fast_dir / "journal", script(allow_commands=True), *subscribers)
        made.append((one, subscribers))
        return one

    yield followed_by
    for one, subscribers in made:
        for each in subscribers:
            if isinstance(each, Sleeping):
                each.woken.set()
        one.table.stop()
        one.table.join()


@pytest.fixture
def stored_of(fast_dir, script) -> Callable[[int], list[Stored]]:
    """So many transactions of a table, a second apart."""

    def made(many: int) -> list[Stored]:
        noting = Noting()
        one = Followed(fast_dir / "one", script(), noting)
        one.table.stop()
        one.table.join()
        first = noting.taken[0]
        at = first.at
        return [
            replace(first, at=replace(at, monotonic_ns=at.monotonic_ns + number * 10**9))
            for number in range(many)
        ]

    return made


# --- no card waits --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Sleeping, Raising])
def test_the_verdict_and_the_lock_wait_for_no_subscriber(followed, kind) -> None:
    table = followed(kind())
    assert table.overdraw()
    assert table.written == [LOCK]
    assert table.table.published[1].table == table.script.state.table


@pytest.mark.parametrize("kind", [Sleeping, Raising])
def test_the_others_are_handed_everything_in_order(followed, kind) -> None:
    before, after = Noting(), Noting()
    table = followed(before, kind(), after)
    table.overdraw()
    assert [one.caught_up(FOR_EVER_S) for one in table.table.followers if one.name == "noting"]
    assert before.taken == after.taken
    ranges = [(one.after_seq, one.head.seq) for one in before.taken]
    assert ranges[0][0] == 0
    assert [first for first, _ in ranges[1:]] == [last for _, last in ranges[:-1]]


def test_who_slept_is_handed_everything_later(followed) -> None:
    noting, sleeping = Noting(), Sleeping()
    table = followed(noting, sleeping)
    table.overdraw()
    sleeping.woken.set()
    assert [one.caught_up(FOR_EVER_S) for one in table.table.followers]
    assert sleeping.taken == noting.taken


def test_an_error_of_a_subscriber_is_no_error_of_the_table(followed, caplog) -> None:
    table = followed(Raising())
    table.overdraw()
    assert table.follower("raising").caught_up(FOR_EVER_S)
    assert table.table.health is Health.RUNNING
    assert table.table.recovered_inputs == 0
    assert "table M7: raising: internal error: ValueError in test_subscribers.py" in caplog.text
    assert "7h" not in caplog.text


class Lingering(Turns):
    """Its thread ends when it is joined, or at the test's end."""

    def __init__(self) -> None:
        super().__init__("lingering")
        self.may_end = threading.Event()

    def _run(self) -> None:
        super()._run()
        self.may_end.wait()

    def join(self) -> None:
        self.may_end.set()
        super().join()


def test_one_who_is_closed_can_be_closed_again() -> None:
    """Its thread may be on its way out: nothing takes what is put then."""
    lingering = Lingering()
    follower = Follower("M7", Noting(), lingering)
    follower.start()
    closed = [follower.close(FOR_EVER_S), follower.close(0.0), follower.caught_up()]
    lingering.may_end.set()
    assert closed == [True, True, True]


# --- one thread for several -----------------------------------------------------------------------


class Signalling:
    """A subscriber of the program, which blocks, fails or does what it does; `taken` says how far.

    One that blocks takes nothing in before it is woken.
    """

    def __init__(self, subscriber: Subscriber, trouble: str) -> None:
        self.name = subscriber.name
        self.taken: SimpleQueue[int] = SimpleQueue()
        self.threads: set[threading.Thread] = set()
        self.woken = threading.Event()
        self._subscriber, self._trouble = subscriber, trouble

    def stored(self, stored: Stored) -> None:
        self.threads.add(threading.current_thread())
        if self._trouble == "fails":
            raise FAULT
        if self._trouble == "blocks":
            assert self.woken.wait()
        self._subscriber.stored(stored)
        self.taken.put(stored.head.seq)

    def wait_for(self, seq: int) -> None:
        """Wait until it has taken in all up to this record."""
        while self.taken.get() < seq:
            pass


SHARING = ("metrics", "log", "monitors", "coups")


@pytest.fixture
def sharing(fast_dir, script) -> Iterator[Callable[[str, str], tuple[Followed, list[Signalling]]]]:
    """A table with those that share a thread in the program; one of them is in trouble."""
    made: list[tuple[Followed, list[Signalling]]] = []

    def shared(who: str, trouble: str) -> tuple[Followed, list[Signalling]]:
        journal, played = fast_dir / "journal", script(allow_commands=True)
        table = SimpleNamespace(name="M7", published=None, stored_seq=0)
        real: list[Subscriber] = [
            TableMetrics(table, journal=journal),
            TableLog(SETTINGS.decode(played.started.configuration)),
            ShoeMonitors(journal, lambda _: None, lambda: None, lambda _: None),
            CoupHistory(journal, lambda: None),
        ]
        subscribers = [Signalling(one, trouble if one.name == who else "") for one in real]
        made.append((Followed(journal, played, *subscribers), subscribers))
        return made[-1]

    yield shared
    for followed_table, subscribers in made:
        for one in subscribers:
            one.woken.set()
        followed_table.table.stop()
        followed_table.table.join()


@pytest.mark.parametrize("trouble", ["blocks", "fails"])
@pytest.mark.parametrize("who", SHARING)
def test_one_in_trouble_keeps_none_of_the_others_that_share_its_thread(
    sharing, who, trouble
) -> None:
    table, subscribers = sharing(who, trouble)
    assert tuple(one.name for one in subscribers) == SHARING
    table.overdraw()
    seq = table.table.stored_seq
    for one in subscribers:
        if one.name != who:
            # Nothing more is put meanwhile, and nobody asks: the table itself has to look.
            one.wait_for(seq)
    if trouble == "fails":
        assert all(one.caught_up(FOR_EVER_S) for one in table.table.followers)
    left_out = {one.name for one in table.table.followers if one.skipped}
    assert left_out == ({who} if trouble == "fails" else set())
    assert (table.follower(who).waiting > 1) == (trouble == "blocks")


def test_they_have_one_thread_and_one_who_blocked_comes_back_to_it(sharing) -> None:
    table, subscribers = sharing("monitors", "blocks")
    blocked, others = subscribers[2], [*subscribers[:2], *subscribers[3:]]
    table.overdraw()
    for one in others:
        one.wait_for(table.table.stored_seq)
    (apart,) = blocked.threads
    assert apart.name == "monitors"
    blocked.woken.set()
    apart.join()
    blocked.wait_for(table.table.stored_seq)
    for one in subscribers:
        one.threads.clear()

    table.deal("43")
    for one in subscribers:
        one.wait_for(table.table.stored_seq)

    assert len(set.union(*(one.threads for one in subscribers))) == 1


def test_each_has_its_turn_while_another_has_much_to_take(stored_of) -> None:
    turns, order = Turns("subscribers"), list[str]()

    class Ordered(Noting):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.named = name

        def stored(self, stored: Stored) -> None:
            order.append(self.named)

    many, few = (Follower("M7", Ordered(name), turns) for name in ("many", "few"))
    transactions = stored_of(6)
    for one in transactions:
        many.put(one)
    for one in transactions[:2]:
        few.put(one)
    many.start()
    assert many.close(FOR_EVER_S)
    assert few.close(FOR_EVER_S)
    assert order == ["many", "few", "many", "few", "many", "many", "many", "many"]


# --- who falls behind -----------------------------------------------------------------------------


@pytest.fixture
def behind(stored_of) -> Iterator[tuple[Follower, Sleeping, list[Stored]]]:
    """Somebody who sleeps over the first of many transactions, a second apart."""
    sleeping, transactions = Sleeping(), stored_of(Follower.WAITING_MAX + 5)
    follower = Follower("M7", sleeping)
    follower.start()
    follower.put(transactions[0])
    assert sleeping.asleep.wait()
    yield follower, sleeping, transactions
    sleeping.woken.set()
    assert follower.close(FOR_EVER_S)


def test_one_who_is_too_slow_misses_the_oldest_and_has_the_newest(behind) -> None:
    follower, sleeping, transactions = behind
    for one in transactions[1:]:
        follower.put(one)
    assert (follower.waiting, follower.skipped) == (Follower.WAITING_MAX + 1, 4)
    sleeping.woken.set()
    assert follower.caught_up(FOR_EVER_S)
    assert sleeping.taken == [transactions[0], *transactions[5:]]
    assert follower.waiting == 0


def test_one_who_is_behind_is_said_once_and_when_it_is_up_to_date(behind, caplog) -> None:
    follower, sleeping, transactions = behind
    for one in transactions[1:]:
        follower.put(one)
    late = "table M7: sleeping: behind what is stored; no card waits for it"
    assert [one.getMessage() for one in caplog.records] == [late]
    sleeping.woken.set()
    assert follower.close(FOR_EVER_S)
    assert [one.getMessage() for one in caplog.records] == [
        late,
        "table M7: sleeping: up to date again; 4 transactions left out",
    ]


def test_the_metrics_show_who_is_behind_and_what_was_left_out(followed) -> None:
    sleeping = Sleeping()
    table = followed(sleeping, Raising())
    table.overdraw()
    assert sleeping.asleep.wait()
    assert table.follower("raising").caught_up(FOR_EVER_S)
    text = generate_latest(TablesCollector([TableMetrics(table.table)])).decode()
    waiting, failed = table.follower("sleeping").waiting, table.follower("raising").skipped
    assert waiting == failed > 1
    samples = [
        (one.name, one.labels["subscriber"], one.value)
        for family in text_string_to_metric_families(text)
        for one in family.samples
        if "subscriber" in one.labels
    ]
    assert ("smartshoe_stored_waiting", "sleeping", waiting) in samples
    assert ("smartshoe_stored_left_out_total", "raising", failed) in samples
    assert ("smartshoe_stored_left_out_total", "sleeping", 0) in samples


# --- the end --------------------------------------------------------------------------------------


def test_what_waits_at_a_stop_is_taken_in_before_the_end(followed) -> None:
    noting = Noting()
    table = followed(noting)
    table.overdraw()
    table.table.stop()
    table.table.join()
    assert noting.taken[-1].state is table.table.published[1]
    assert not table.follower("noting").waiting


def test_a_stop_does_not_wait_for_one_who_sleeps_on(followed, monkeypatch, caplog) -> None:
    monkeypatch.setattr(table_module, "END_S", 0.0)
    table = followed(Sleeping())
    table.overdraw()
    table.table.stop()
    table.table.join()
    assert table.table.health is Health.STOPPED
    assert "table M7: sleeping ended behind what is stored" in caplog.text


# --- the log's lines ------------------------------------------------------------------------------


class Stalled(logging.Handler):
    """A terminal that nobody reads before `read` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.read, self.lines = threading.Event(), []

    def emit(self, record: logging.LogRecord) -> None:
        assert self.read.wait()
        self.lines.append(record.getMessage())


def test_a_terminal_that_is_not_read_keeps_nobody_waiting() -> None:
    terminal = Stalled()
    lines, log = LinesBehind(terminal), logging.Logger("smartshoe.wire.test")
    log.addHandler(lines)
    for number in range(Behind.WAITING_MAX // 2):
        log.warning("line %d", number)
    assert terminal.lines == []
    terminal.read.set()
    lines.flush()
    assert terminal.lines == [f"line {number}" for number in range(Behind.WAITING_MAX // 2)]
    lines.close()
