"""Connections at their limits: who is refused, who makes room, and who takes too long."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from controller.system.peer import ConnectionRules, Connections, Peer, RequestTooLong
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

LINE = re.compile(rb"\n")
LINE_MAX = 100
RULES = ConnectionRules(
    account_of=lambda connection: str(connection.getpeername()[0]),
    account_max=2,
    all_max=3,
    patience_s=10.0,
    idle_s=60.0,
    refused=b"refused\n",
    made_room=b"made room\n",
)
ANN, BEN, CHE = "127.0.0.1", "127.0.0.2", "127.0.0.3"


def echo(peer: Peer) -> None:
    while True:
        peer.send(peer.request(LINE, LINE_MAX))


class Caller:
    """A connection to the listener, from one of this machine's addresses."""

    def __init__(self, port: int, address: str) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), 10.0, (address, 0))
        self._answers = self._connection.makefile("rb")

    def say(self, words: bytes) -> bytes:
        self._connection.sendall(words)
        return self.heard()

    def heard(self) -> bytes:
        """The next line; empty at the end."""
        return self._answers.readline()

    def close(self) -> None:
        self._answers.close()
        self._connection.close()


Call = Callable[[str], Caller]


@pytest.fixture
def call() -> Iterator[Call]:
    """Connect to an echo that takes two connections of an address, three in all."""
    connections = Connections("echo", echo, RULES, now)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    connections.start(listener)
    with ExitStack() as callers:

        def connect(address: str) -> Caller:
            caller = Caller(port, address)
            callers.callback(caller.close)
            return caller

        yield connect
        connections.stop()


def in_the_middle(caller: Caller) -> Caller:
    """One whole request is answered, and the next has begun."""
    assert caller.say(b"one\ntw") == b"one\n"
    return caller


def test_the_longest_idle_makes_room(call: Call) -> None:
    first, second = call(ANN), call(ANN)

    third = call(ANN)

    assert third.say(b"three\n") == b"three\n"
    assert (first.heard(), first.heard()) == (b"made room\n", b"")
    assert second.say(b"two\n") == b"two\n"


def test_in_the_middle_of_a_request_it_keeps_its_place(call: Call) -> None:
    busy, idle = in_the_middle(call(ANN)), call(ANN)

    assert call(ANN).say(b"three\n") == b"three\n"

    assert idle.heard() == b"made room\n"
    assert busy.say(b"o\n") == b"two\n"


def test_without_an_idle_one_the_new_one_is_refused(call: Call) -> None:
    busy = [in_the_middle(call(ANN)) for _ in range(2)]

    refused = call(ANN)

    assert (refused.heard(), refused.heard()) == (b"refused\n", b"")
    assert [one.say(b"o\n") for one in busy] == [b"two\n"] * 2


def test_an_account_at_its_limit_takes_nothing_of_another(call: Call) -> None:
    for _ in range(2):
        in_the_middle(call(ANN))
    bens = call(BEN)

    assert call(ANN).heard() == b"refused\n"

    assert bens.say(b"ben\n") == b"ben\n"


def test_an_idle_flood_ends_the_idle_of_its_own_account_alone(call: Call) -> None:
    bens = call(BEN)

    flood = [call(ANN) for _ in range(10)]

    assert [one.heard() for one in flood[:8]] == [b"made room\n"] * 8
    assert bens.say(b"ben\n") == b"ben\n"


def test_at_the_limit_of_all_the_longest_idle_of_any_account_makes_room(call: Call) -> None:
    in_the_middle(call(ANN))
    bens, anns = call(BEN), call(ANN)

    assert call(CHE).say(b"che\n") == b"che\n"

    assert bens.heard() == b"made room\n"
    assert anns.say(b"ann\n") == b"ann\n"


# --- one connection -------------------------------------------------------------------------------


class Line:
    """Both ends of a connection; each look at the clock takes a second and may send a byte."""

    def __init__(self, *, each_second: bytes = b"", patience_s: float = 10.0) -> None:
        self.client, self.server = socket.socketpair()
        self.seconds = 0
        self._each_second = each_second
        rules = ConnectionRules(
            account_of=lambda _connection: "ann",
            account_max=1,
            all_max=1,
            patience_s=patience_s,
            idle_s=60.0,
            refused=b"",
            made_room=b"made room\n",
        )
        self.peer = Peer(self.server, rules, self._look)

    def _look(self) -> Timestamp:
        self.seconds += 1
        if self._each_second:
            self.client.sendall(self._each_second)
        return Timestamp(self.seconds * 1_000_000_000, 0)

    def request(self) -> bytes:
        return self.peer.request(LINE, LINE_MAX)

    def close(self) -> None:
        self.client.close()
        self.server.close()


@pytest.fixture
def line() -> Iterator[Callable[..., Line]]:
    with ExitStack() as lines:

        def make(**options: object) -> Line:
            made = Line(**options)  # type: ignore[arg-type]
            lines.callback(made.close)
            return made

        yield make


def test_one_byte_a_second_holds_a_connection_no_longer_than_a_request_may_take(line) -> None:
    slow = line(each_second=b"x")

    with pytest.raises(TimeoutError):
        slow.request()

    assert 10 <= slow.seconds <= 15


def test_line_ends_alone_are_no_request(line) -> None:
    empty = line(each_second=b"\r\n")

    with pytest.raises(TimeoutError):
        empty.request()

    assert 60 <= empty.seconds <= 65


def test_the_time_of_a_request_does_not_count_for_the_next(line) -> None:
    calm = line(each_second=b"12345\n")

    for _ in range(30):
        assert calm.request() == b"12345\n"


def test_a_slow_reader_of_an_answer_is_disconnected(line) -> None:
    slow = line(patience_s=0.05)

    def read() -> None:
        while slow.client.recv(1):
            pass

    reader = threading.Thread(target=read)
    reader.start()
    with pytest.raises(TimeoutError):
        slow.peer.send(bytes(100_000_000))
    slow.peer.end()
    slow.client.shutdown(socket.SHUT_RDWR)
    reader.join()


@pytest.mark.parametrize("sent", [b"x" * 101, b"x" * 101 + b"\n"])
def test_a_request_that_is_too_long_is_refused(line, sent) -> None:
    long = line()
    long.client.sendall(sent)

    with pytest.raises(RequestTooLong):
        long.request()


def test_a_request_that_meets_the_end_of_its_connection_is_not_carried_out(line) -> None:
    late = line()
    late.client.sendall(b"resolve\n")

    assert late.peer.make_room()

    with pytest.raises(ConnectionAbortedError):
        late.request()
    assert late.client.recv(100) == b"made room\n"


def test_who_asks_at_this_moment_does_not_make_room(line) -> None:
    asking = line()
    asking.client.sendall(b"one\n")
    asking.request()

    assert not asking.peer.make_room()


def test_who_follows_is_idle_while_it_does_not_read(line) -> None:
    follower = line()
    follower.peer.follow()
    assert follower.peer.idle_since_ns() is None

    follower.peer.send(b"news\n")
    assert not follower.peer.has_read()
    assert follower.peer.idle_since_ns() is not None

    follower.client.recv(100)
    assert follower.peer.has_read()
    assert follower.peer.idle_since_ns() is None


def test_who_follows_and_has_disconnected_is_dropped(line) -> None:
    follower = line()
    follower.peer.follow()
    follower.client.close()

    with pytest.raises(ConnectionAbortedError):
        follower.peer.has_read()


def test_where_no_thread_can_be_started_a_client_is_refused_and_the_next_is_served(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of tasks is reached for a moment (pthread_create, EAGAIN)."""

    def fail(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(ContextThread, "start", fail)
        assert call(ANN).heard() == b"refused\n"
    assert call(ANN).say(b"one\n") == b"one\n"
