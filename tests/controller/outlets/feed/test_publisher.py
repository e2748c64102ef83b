"""A publisher at a real Mosquitto: TLS, sessions, kills, cuts, requests, cursor."""

import json
import shutil
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from ssl import SSLSocket

import pytest
from journals import BASE, DAY, SOURCE, events_of
from msgspec.json import encode

from controller.archive.consumers import FeedBegin, FeedSettings, load_cursor
from controller.outlets.feed.publisher import BACK_OFF_S_MAX, Publisher, back_off_s
from controller.outlets.feed.sending import FeedSource
from firmware_bridge.transport.clock import now
from hil.progress import BOUND_S
from hil.rig.device_programs import wait_until
from hil.rig.servers.certificates import CertificateAuthority
from hil.rig.servers.feed_consumer import BrokerAccess, FeedConsumer, Held
from hil.rig.servers.mosquitto import Mosquitto
from hil.rig.servers.network import Network

pytestmark = pytest.mark.needs("mosquitto")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path / "broker") as running:
        yield running


@pytest.fixture
def own(journal: Path, tmp_path: Path) -> Path:
    """The journal, for a test that writes a cursor."""
    return shutil.copytree(journal, tmp_path / "journal")


def heads(journal: Path) -> int:
    return 4


@contextmanager
def publishing(journal: Path, port: int, **others) -> Iterator[Publisher]:
    settings = {"name": "office", "host": "127.0.0.1", "port": port, "topic": "smartshoe"}
    settings |= {"tls": False, "broker_saves_s": 30, **others}
    source = FeedSource("SIM-1", "bench/SIM-1", journal, now, lambda: heads(journal))
    publisher = Publisher(FeedSettings(**settings), source, lambda _client, _attempt: 0.05)
    publisher.start()
    try:
        yield publisher
    finally:
        publisher.stop(5.0)
        publisher.join(BOUND_S)


def stored(journal: Path) -> dict[str, object]:
    """What a consumer is to hold."""
    return {one.event.id: json.loads(encode(one.event)) for one in events_of(journal)[0]}


def has_all(journal: Path):
    wanted = stored(journal)
    return lambda held: len(held.events.get(SOURCE, ())) == len(wanted)


def assert_equal(held: Held, journal: Path) -> None:
    assert held.events[SOURCE] == stored(journal)
    assert (held.gaps(SOURCE), held.differing) == ([], [])


def test_a_consumer_gets_exactly_the_events_of_the_journal(own: Path, broker: Mosquitto) -> None:
    with FeedConsumer(BrokerAccess(broker.port), "office") as consumer:
        with publishing(own, broker.port) as publisher:
            assert consumer.wait(has_all(own))
            wait_until(lambda: publisher.status.lag_events == 0)
            assert publisher.status.connected
            assert publisher.status.sent == len(stored(own))
        assert_equal(consumer.held, own)
    topics = {topic.rpartition("/")[0] for topic in consumer.held.topics.values()}
    assert topics == {BASE}


def test_what_was_published_while_the_consumer_is_away_waits_in_its_session(
    own: Path, broker: Mosquitto
) -> None:
    with FeedConsumer(BrokerAccess(broker.port), "office"):
        pass
    with publishing(own, broker.port) as publisher:
        wait_until(lambda: publisher.status.sent == len(stored(own)))
    with FeedConsumer(BrokerAccess(broker.port), "office") as consumer:
        assert consumer.wait(has_all(own))
        assert_equal(consumer.held, own)


def test_a_broker_that_was_killed_gets_again_what_it_may_have_forgotten(
    own: Path, broker: Mosquitto
) -> None:
    with (
        FeedConsumer(BrokerAccess(broker.port), "office") as consumer,
        publishing(own, broker.port) as publisher,
    ):
        assert consumer.wait(has_all(own))
        # The consumer may have an event before its publisher has the acknowledgement.
        wait_until(lambda: publisher.status.lag_events == 0)
        broker.kill()
        wait_until(lambda: not publisher.status.connected)
        # As if it had saved nothing.
        for saved in broker.folder.glob("mosquitto.db*"):
            saved.unlink()
        broker.start()
        wanted = len(stored(own))
        wait_until(lambda: publisher.status.sent >= 2 * wanted)
        assert publisher.status.lag_events == 0
    assert_equal(consumer.held, own)


def test_kills_and_cuts_while_it_sends_lose_nothing(own: Path, broker: Mosquitto) -> None:
    with (
        FeedConsumer(BrokerAccess(broker.port), "office") as consumer,
        Network(broker.port) as network,
    ):
        network.slow_s = 0.001
        with publishing(own, network.port) as publisher:
            for part in (10, 25, 40):
                assert consumer.wait(lambda held, part=part: held.count(SOURCE) >= part)
                network.cut()
                broker.kill()
                broker.start()
            network.slow_s = 0.0
            network.cut()
            assert consumer.wait(has_all(own))
            wait_until(lambda: publisher.status.lag_events == 0)
        assert_equal(consumer.held, own)


def test_while_the_broker_is_away_the_lag_is_known(own: Path, broker: Mosquitto) -> None:
    broker.kill()
    with publishing(own, broker.port) as publisher:
        wait_until(lambda: publisher.status.lag_events == len(stored(own)))
        assert not publisher.status.connected
        assert publisher.status.lag_seconds > 0
        broker.start()
        wait_until(lambda: publisher.status.lag_events == 0)
        assert publisher.status.lag_seconds == 0


def test_the_cursor_is_behind_what_the_broker_may_forget(own: Path, broker: Mosquitto) -> None:
    with publishing(own, broker.port, broker_saves_s=3600) as publisher:
        wait_until(lambda: publisher.status.sent == len(stored(own)))
    kept = load_cursor(own, "office")
    assert kept is not None
    assert kept.record == 0

    with publishing(own, broker.port, broker_saves_s=0) as publisher:
        wait_until(lambda: publisher.status.sent == len(stored(own)))
    kept = load_cursor(own, "office")
    assert kept is not None
    # What came after the last event tells nothing.
    assert kept.before == events_of(own)[0][-1].event.sequence

    with publishing(own, broker.port, broker_saves_s=0) as publisher:
        wait_until(lambda: publisher.status.connected)
    assert publisher.status.sent == 0


def test_a_new_consumer_may_begin_with_the_shoe_in_play(own: Path, broker: Mosquitto) -> None:
    with (
        FeedConsumer(BrokerAccess(broker.port), "office") as consumer,
        publishing(own, broker.port, begin=FeedBegin.SHOE_IN_PLAY),
    ):
        assert consumer.wait(lambda held: bool(held.heads))
    assert not consumer.held.events


def test_a_shoe_is_sent_again_on_request(own: Path, broker: Mosquitto) -> None:
    with (
        FeedConsumer(BrokerAccess(broker.port), "office") as consumer,
        publishing(own, broker.port, backfill=True),
    ):
        assert consumer.wait(has_all(own))
        *events, done = consumer.ask(BASE, {"gaming_day": DAY, "shoe": 2})
        refused = consumer.ask(BASE, {"gaming_day": DAY, "shoe": 99})
    assert [one["data"]["refused"] for one in refused] == ["not_sealed_here"]
    assert done["data"]["events"] == len(events)
    assert events[-1]["type"] == "io.smartshoe.shoe-ended.v1"
    held = consumer.held.events[SOURCE]
    assert all(held[one["id"]] == one for one in events)


def test_without_the_setting_no_request_is_taken(own: Path, broker: Mosquitto) -> None:
    with (
        FeedConsumer(BrokerAccess(broker.port), "office") as consumer,
        publishing(own, broker.port) as publisher,
    ):
        assert consumer.wait(has_all(own))
        consumer.request(BASE, {"gaming_day": DAY, "shoe": 2})
        # The head comes after all that waited.
        assert consumer.wait(lambda held: bool(held.heads))
        wait_until(lambda: publisher.status.lag_events == 0)
    assert consumer.answers == []


# --- who may connect ------------------------------------------------------------------------------


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[Mosquitto, CertificateAuthority]]:
    """A broker that asks for a certificate by the authority, and for a password."""
    authority = CertificateAuthority(tmp_path / "ca", "floor")
    certificate, key = authority.signed("broker")
    passwords = tmp_path / "passwords"
    passwords.touch(0o600)
    words = ("mosquitto_passwd", "-b", str(passwords), "table", "secret")
    subprocess.run(words, check=True)
    lines = (
        f"cafile {authority.file}\ncertfile {certificate}\nkeyfile {key}\n"
        f"require_certificate true\npassword_file {passwords}\n"
    )
    with Mosquitto(tmp_path / "broker", anonymous=False, more=lines) as running:
        yield running, authority


def secured(
    authority: CertificateAuthority, folder: Path, password: str = "secret"
) -> dict[str, object]:
    certificate, key = authority.signed("table")
    (folder / "password").write_text(f"{password}\n")
    return {
        "tls": True,
        "ca": authority.file,
        "certificate": certificate,
        "key": key,
        "user": "table",
        "password_file": folder / "password",
    }


@contextmanager
def securely_published(
    own: Path, broker: Mosquitto, authority: CertificateAuthority, folder: Path
) -> Iterator[FeedConsumer]:
    """The consumer of a table that publishes with a certificate and a password, as it has both."""
    certificate, key = authority.signed("office")
    access = BrokerAccess(broker.port, "table", "secret", authority.file, certificate, key)
    with (
        FeedConsumer(access, "office") as consumer,
        publishing(own, broker.port, **secured(authority, folder)),
    ):
        yield consumer


def test_tls_a_certificate_and_a_password_are_used(
    own: Path, guarded: tuple[Mosquitto, CertificateAuthority], tmp_path: Path
) -> None:
    broker, authority = guarded
    with securely_published(own, broker, authority, tmp_path) as consumer:
        assert consumer.wait(has_all(own))
        assert_equal(consumer.held, own)


def test_one_thread_alone_reads_and_writes_a_connection(
    own: Path,
    guarded: tuple[Mosquitto, CertificateAuthority],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker, authority = guarded
    threads: defaultdict[int, set[str]] = defaultdict(set)
    for name in ("send", "recv"):
        monkeypatch.setattr(SSLSocket, name, noting(threads, getattr(SSLSocket, name)))
    with securely_published(own, broker, authority, tmp_path) as consumer:
        assert consumer.wait(has_all(own))

    published = [names for names in threads.values() if "feed broker" in names]
    assert published
    assert published == [{"feed broker"}] * len(published)


def noting(threads: defaultdict[int, set[str]], call: Callable) -> Callable:
    """A method of a socket that notes which threads call it, by the socket's file descriptor."""

    def noted(used: SSLSocket, *others: object) -> object:
        threads[used.fileno()].add(threading.current_thread().name)
        return call(used, *others)

    return noted


def refusal(own: Path, port: int, caplog: pytest.LogCaptureFixture, **others) -> str:
    with publishing(own, port, **others) as publisher:
        wait_until(lambda: "not connected" in caplog.text)
        assert publisher.status.sent == 0
    return caplog.text


def test_a_wrong_password_is_said(
    own: Path,
    guarded: tuple[Mosquitto, CertificateAuthority],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker, authority = guarded
    others = secured(authority, tmp_path, "guessed")

    assert "Not authorized" in refusal(own, broker.port, caplog, **others)
    assert "guessed" not in caplog.text


# The MQTT library leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_broker_of_another_authority_is_refused(
    own: Path,
    guarded: tuple[Mosquitto, CertificateAuthority],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker, _ = guarded
    other = CertificateAuthority(tmp_path / "other", "stranger")

    words = refusal(own, broker.port, caplog, **secured(other, tmp_path))
    assert "certificate verify failed" in words


def test_a_missing_file_is_said(own: Path, tmp_path: Path, caplog) -> None:
    words = refusal(own, 1, caplog, tls=True, ca=tmp_path / "absent.pem")

    assert "a file of its credentials cannot be used" in words


def test_attempts_are_spread_and_bounded() -> None:
    waits = [back_off_s(f"smartshoe-{table}-office", 20) for table in range(200)]

    assert BACK_OFF_S_MAX / 2 <= min(waits) < max(waits) <= BACK_OFF_S_MAX
    assert len(set(waits)) > 50
    assert back_off_s("smartshoe-1-office", 0) <= 1
