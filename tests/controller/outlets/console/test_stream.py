"""Streams of a table's state: drawn once for all who see the same, newest state, bounded, ended.

Source: WHATWG HTML, "Server-sent events".
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from controller.outlets.console.stream import (
    PATRON_STREAMS_MAX,
    RETRY_MS,
    STREAMS_MAX,
    SnapshotStream,
    TooManyStreams,
    event,
    first_words,
    pause_after,
)
from controller.system.messages.catalogue import speaking, spoken_language


class Table:
    """What a stream asks of a table: its version, its changes, its snapshot."""

    name = "M-12"

    def __init__(self) -> None:
        self.version = 0
        self.snapshots: list[str] = []
        self._changed = threading.Condition()

    @property
    def table(self) -> "Table":
        return self

    def change(self, times: int = 1) -> None:
        with self._changed:
            self.version += times
            self._changed.notify_all()

    def wait_for_change(self, version: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self.version > version, timeout_s)
            return self.version

    def snapshot_of(self) -> int:
        self.snapshots.append(spoken_language())
        return self.version


class Drawing:
    """Draws a snapshot as its number; counts how often."""

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def __call__(self, snapshot: int) -> bytes:
        self.drawn.append(snapshot)
        return b"%d" % snapshot


def run(test: Callable[[SnapshotStream, Table], object]) -> None:
    """Run a test on an event loop, with a stream of a table."""

    async def within() -> None:
        table = Table()
        stream = SnapshotStream(table)  # type: ignore[arg-type]
        try:
            await test(stream, table)  # type: ignore[arg-type]
        finally:
            stream.stop()

    asyncio.run(within())


async def until(bodies: AsyncIterator[bytes], wanted: bytes) -> list[bytes]:
    """The bodies up to the wanted one."""
    found = []
    async for body in bodies:
        found.append(body)
        if body == wanted:
            return found
    raise AssertionError(f"{wanted!r} never came: {found}")


def test_a_follower_gets_the_state_now_and_the_newest_after_many_changes() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        bodies = stream.subscribe("page", Drawing())
        assert await anext(bodies) == b"0"
        for _ in range(200):
            table.change()
        received = await until(bodies, b"200")
        assert len(received) < 200, "changes are coalesced"
        assert received == sorted(received, key=int)
        await bodies.aclose()

    run(test)


def test_who_sees_the_same_gets_what_was_drawn_once() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        drawing = Drawing()
        followers = [stream.subscribe("page", drawing) for _ in range(4)]
        assert [await anext(one) for one in followers] == [b"0"] * 4
        assert drawing.drawn == [0]
        other = Drawing()
        assert await anext(stream.subscribe("patrons", other)) == b"0"
        assert other.drawn == [0]
        assert table.snapshots == ["en"], "one snapshot for both"

    run(test)


def test_a_snapshot_is_made_in_each_language_that_is_spoken() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        for language in ("en", "zh_Hant"):
            with speaking(language):
                await anext(stream.subscribe(language, Drawing()))
        assert table.snapshots == ["en", "zh_Hant"]

    run(test)


def test_one_that_does_not_read_holds_up_nobody_and_then_gets_the_newest() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        stuck = stream.subscribe("page", Drawing())
        assert await anext(stuck) == b"0"
        reading = stream.subscribe("page", Drawing())
        for version in (b"5", b"10", b"15"):
            table.change(5)
            await until(reading, version)
        assert await anext(stuck) == b"15"

    run(test)


def test_more_than_may_follow_are_refused_with_the_remedy() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        followers = [stream.subscribe("page", Drawing()) for _ in range(STREAMS_MAX)]
        for one in followers:
            await anext(one)
        with pytest.raises(TooManyStreams, match=r"32 streams follow this table.* Remedy: close"):
            await anext(stream.subscribe("page", Drawing()))
        await followers[0].aclose()
        assert await anext(stream.subscribe("page", Drawing())) == b"0"

    run(test)


def test_displays_for_patrons_leave_room_for_those_who_may_read() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        patrons = [
            stream.subscribe("patrons", Drawing(), PATRON_STREAMS_MAX)
            for _ in range(PATRON_STREAMS_MAX)
        ]
        for one in patrons:
            await anext(one)
        with pytest.raises(TooManyStreams):
            await anext(stream.subscribe("patrons", Drawing(), PATRON_STREAMS_MAX))
        assert await anext(stream.subscribe("page", Drawing())) == b"0"

    run(test)


def test_the_end_of_the_server_ends_every_stream() -> None:
    async def test(stream: SnapshotStream, table: Table) -> None:
        followers = [stream.subscribe("page", Drawing()) for _ in range(3)]
        for one in followers:
            await anext(one)
        stream.stop()
        for one in followers:
            assert [body async for body in one] == []
        assert stream.followers == 0

    run(test)


def test_an_event_has_each_line_of_its_body() -> None:
    assert event(b"one\ntwo", "parts") == b"event: parts\ndata: one\ndata: two\n\n"
    assert event(b"one") == b"data: one\n\n"
    assert first_words() == f"retry: {RETRY_MS}\n\n".encode()


@pytest.mark.parametrize(
    ("drawn_ms", "changes", "pause_s"),
    [
        (1, 1, 0.05),
        (5, 1, 0.1),
        (25, 1, 0.15),  # a person waits for no card longer
        (25, 10, 0.15),
        (25, 11, 0.5),  # a simulation
        (10, 11, 0.2),
        (1_000, 400, 0.5),
    ],
)
def test_drawing_takes_a_twentieth_of_the_time_and_a_dealt_card_is_soon_shown(
    drawn_ms: int, changes: int, pause_s: float
) -> None:
    assert pause_after(drawn_ms * 1_000_000, changes) == pytest.approx(pause_s)
