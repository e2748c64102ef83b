"""The first promise of the feed: a broker that forgets loses nothing; and it is not pestered."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from journals import BASE, events_of
from plain_broker import PlainBroker, Published, plain_broker

from controller.archive.consumers import FeedSettings
from controller.outlets.feed.publisher import BACK_OFF_S_MAX, BACK_OFF_S_MIN, Publisher, back_off_s
from controller.outlets.feed.sending import FeedSource
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp
from hil.progress import BOUND_S
from hil.rig.device_programs import wait_until

SAVES_S = 30
HEAD = f"{BASE}/checkpoint"


class Clock:
    """The machine's clock, or one that stands where it was stopped; it can be set forward."""

    def __init__(self) -> None:
        self._ahead_ns = 0
        self._stopped: Timestamp | None = None

    def __call__(self) -> Timestamp:
        at = self._stopped or now()
        return Timestamp(at.monotonic_ns + self._ahead_ns, at.utc_ns + self._ahead_ns)

    def stop(self) -> None:
        self._stopped = now()

    def go_on(self) -> None:
        self._stopped = None

    def pass_s(self, seconds: int) -> None:
        self._ahead_ns += seconds * 1_000_000_000


@pytest.fixture
def broker() -> Iterator[PlainBroker]:
    with plain_broker() as listening:
        yield listening


@pytest.fixture
def own(journal: Path, tmp_path: Path) -> Path:
    """The journal, for a test that writes a cursor."""
    return shutil.copytree(journal, tmp_path / "journal")


@contextmanager
def publishing(
    journal: Path,
    broker: PlainBroker,
    clock: Clock,
    back_off: Callable[[str, int], float] = lambda _client, _attempt: 0.01,
) -> Iterator[Publisher]:
    settings = FeedSettings(
        "office", "127.0.0.1", broker.port, "smartshoe", tls=False, broker_saves_s=SAVES_S
    )
    source = FeedSource("SIM-1", "bench/SIM-1", journal, clock, lambda: 4)
    publisher = Publisher(settings, source, back_off)
    publisher.start()
    try:
        yield publisher
    finally:
        publisher.stop(0.0)
        publisher.join(BOUND_S)


def ids_in(received: list[Published]) -> set[str]:
    return {json.loads(one.payload)["id"] for one in received if one.topic != HEAD}


def ids_of(journal: Path) -> set[str]:
    return {one.event.id for one in events_of(journal)[0]}


def test_what_a_broker_forgot_comes_again_however_late_it_is_back(
    own: Path, broker: PlainBroker
) -> None:
    """Its time to save passed while it was away: that it was away then saved nothing."""
    clock = Clock()
    with publishing(own, broker, clock) as publisher:
        wait_until(lambda: publisher.status.sent == len(ids_of(own)))
        # It dies with everything it acknowledged. Longer than its time to save later it is back,
        # and dies again before it has acknowledged anything.
        broker.acknowledges = False
        broker.received.clear()
        broker.cut()
        clock.pass_s(SAVES_S + 1)
        wait_until(lambda: bool(broker.received))
        broker.acknowledges = True
        broker.received.clear()
        broker.cut()
        wait_until(lambda: any(one.topic == HEAD for one in broker.received))
        assert ids_in(broker.received), "it goes on behind what the broker has forgotten"
        wait_until(lambda: ids_in(broker.received) == ids_of(own))


def test_what_a_broker_had_time_to_save_does_not_come_again(own: Path, broker: PlainBroker) -> None:
    clock = Clock()
    with publishing(own, broker, clock) as publisher:
        wait_until(lambda: publisher.status.sent == len(ids_of(own)))
        clock.pass_s(SAVES_S + 1)
        # Awake, it looks at the time.
        publisher.wake()
        wait_until(lambda: publisher._progress.kept_number == len(ids_of(own)))
        broker.received.clear()
        broker.cut()
        wait_until(lambda: any(one.topic == HEAD for one in broker.received))
    assert ids_in(broker.received) == set()


def test_the_broker_keeps_the_newest_head_for_whoever_comes_and_no_event(
    own: Path, broker: PlainBroker
) -> None:
    with publishing(own, broker, Clock()):
        wait_until(lambda: ids_in(broker.received) == ids_of(own))
        wait_until(lambda: any(one.topic == HEAD for one in broker.received))
    assert {one.topic for one in broker.received if one.retain} == {HEAD}
    assert [one for one in broker.received if one.topic == HEAD and not one.retain] == []
    assert {one.qos for one in broker.received} == {1}


def test_a_broker_that_is_away_is_asked_again_after_a_wait_that_grows(
    own: Path, broker: PlainBroker
) -> None:
    clock, attempts = Clock(), list[int]()
    clock.stop()
    broker.refuses = True

    def back_off(_client: str, attempt: int) -> float:
        attempts.append(attempt)
        return 0.01

    with publishing(own, broker, clock, back_off) as publisher:
        for attempt in range(1, 4):
            wait_until(lambda attempt=attempt: len(attempts) == attempt)
            # While it waits it counts what is stored: nothing is asked of the broker.
            publisher.wake()
            wait_until(
                lambda attempt=attempt: (
                    publisher.status.lag_events == len(ids_of(own)) or len(attempts) > attempt
                )
            )
            assert (attempts, broker.connections) == ([*range(1, attempt + 1)], attempt)
            clock.pass_s(1)
        broker.refuses = False
        clock.go_on()
        wait_until(lambda: publisher.status.sent == len(ids_of(own)))
        broker.refuses = True
        broker.cut()
        # What was acknowledged in between begins the waits anew.
        wait_until(lambda: 0 in attempts)


def test_each_wait_is_at_least_half_of_a_time_that_doubles() -> None:
    for attempt in range(20):
        longest_s = min(BACK_OFF_S_MAX, BACK_OFF_S_MIN * 2**attempt)
        for table in range(50):
            wait_s = back_off_s(f"smartshoe-{table}-office", attempt)
            assert longest_s / 2 <= wait_s <= longest_s


def test_a_publisher_waits_so_unless_it_is_told_otherwise(own: Path, broker: PlainBroker) -> None:
    settings = FeedSettings("office", "127.0.0.1", broker.port, "smartshoe", tls=False)
    source = FeedSource("SIM-1", "bench/SIM-1", own, Clock(), lambda: 4)
    publisher = Publisher(settings, source)
    assert publisher._back_off_s is back_off_s
