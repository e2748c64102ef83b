"""Snapshots of one table for the browsers and programs that follow it, as server-sent events.

One thread waits for changes while anybody follows; a body is made once for all who see the same.
A follower that is slow gets the newest state when it has read the last one, and slows nobody.
Source: WHATWG HTML Living Standard, "Server-sent events"; performance goal P21.
"""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Hashable
from typing import Final, TypeAlias

from controller.outlets.control.table_requests import TableRequests
from controller.record.snapshot import Snapshot
from controller.system.messages.catalogue import spoken_language
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

# The pause after a drawing. Drawing may take so much of the time: the table's loop needs the
# interpreter as well. A page that took long once, as the first does, is not late for it.
INTERVAL_S: Final = 0.05
DRAWING_SHARE: Final = 1 / 20
PAUSE_S_MAX: Final = 0.15
# No table of people changes so often within a pause: a simulation keeps its speed.
DEALT_CHANGES_MAX: Final = 10
SIMULATED_PAUSE_S_MAX: Final = 0.5
HEART_BEAT_S: Final = 15.0
RETRY_MS: Final = 1000
STREAMS_MAX: Final = 32
# Displays that anybody may open leave room for those who may see the table's state.
PATRON_STREAMS_MAX: Final = 16
BEAT: Final = b": still here\n\n"
_POLL_S: Final = 0.5
_NS_PER_S: Final = 1_000_000_000

# Makes a body of a snapshot; runs on another thread than that of the event loop.
Render: TypeAlias = Callable[[Snapshot], bytes]


class TooManyStreams(Exception):
    """As many follow the table as may; the message says so."""


class SnapshotStream:
    """Bridges the changes of a table to an event loop. Except `stop`, it belongs to that loop."""

    def __init__(self, requests: TableRequests) -> None:
        self._requests = requests
        self._loop = asyncio.get_running_loop()
        self._stopping = threading.Event()
        self._version = -1
        self._lock = threading.Lock()
        self._followers: set[asyncio.Event] = set()
        self._watching = False
        self._bodies: dict[Hashable, tuple[int, asyncio.Future[bytes]]] = {}
        # In each language that is spoken.
        self._snapshots: dict[str, tuple[int, asyncio.Future[Snapshot]]] = {}
        self._drawing_ns = 0

    def stop(self) -> None:
        """End every stream; from any thread."""
        self._stopping.set()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._wake)

    @property
    def followers(self) -> int:
        """How many follow the table now."""
        return len(self._followers)

    async def subscribe(
        self, key: Hashable, render: Render, most: int = STREAMS_MAX
    ) -> AsyncIterator[bytes]:
        """Bodies of the table's state, now and after each change; `BEAT` where nothing changes.

        Whoever gives the same `key` gets the same bodies. Raises TooManyStreams where `most` follow
        the table already.
        """
        if len(self._followers) >= most:
            raise TooManyStreams(
                f"{most} streams follow this table, as many as may. Remedy: close one"
            )
        changed = asyncio.Event()
        self._follow(changed)
        sent = -1
        try:
            while not self._stopping.is_set():
                changed.clear()
                if self._version > sent:
                    sent = self._version
                    yield await self._body(sent, key, render)
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), HEART_BEAT_S)
                except TimeoutError:
                    yield BEAT
        finally:
            with self._lock:
                self._followers.discard(changed)
            if not self._followers:
                self._bodies.clear()
                self._snapshots.clear()

    async def newest(self) -> Snapshot:
        """The state of the table now, made on another thread."""
        return await asyncio.to_thread(self._requests.snapshot_of)

    async def _body(self, version: int, key: Hashable, render: Render) -> bytes:
        found = self._bodies.get(key)
        if found is None or found[0] < version:
            found = version, asyncio.ensure_future(self._draw(version, render))
            self._bodies[key] = found
        # A follower that leaves ends the drawing of nobody else.
        return await asyncio.shield(found[1])

    async def _draw(self, version: int, render: Render) -> bytes:
        # The task was made by a request, and speaks its language.
        language = spoken_language()
        kept = self._snapshots.get(language)
        if kept is None or kept[0] < version:
            kept = version, asyncio.ensure_future(self._timed_snapshot())
            self._snapshots[language] = kept
        snapshot = await asyncio.shield(kept[1])
        began_ns = now().monotonic_ns
        try:
            return await asyncio.to_thread(render, snapshot)
        finally:
            self._drawing_ns += now().monotonic_ns - began_ns

    async def _timed_snapshot(self) -> Snapshot:
        began_ns = now().monotonic_ns
        try:
            return await self.newest()
        finally:
            self._drawing_ns += now().monotonic_ns - began_ns

    def _follow(self, changed: asyncio.Event) -> None:
        with self._lock:
            self._followers.add(changed)
            if self._watching:
                return
            self._watching = True
        table = self._requests.table
        self._version = table.version
        name = f"follow {table.name}"
        args = (self._version,)
        ContextThread(target=self._wait_for_changes, args=args, name=name, daemon=True).start()

    def _wait_for_changes(self, announced: int) -> None:
        """Announce changes to the loop, not too many in a second, while anybody follows."""
        while self._goes_on():
            version = self._requests.table.wait_for_change(announced, _POLL_S)
            if version == announced or self._stopping.is_set():
                continue
            changes, announced = version - announced, version
            drawn_ns, self._drawing_ns = self._drawing_ns, 0
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._announce, version)
            self._stopping.wait(pause_after(drawn_ns, changes))

    def _goes_on(self) -> bool:
        with self._lock:
            self._watching = bool(self._followers) and not self._stopping.is_set()
            return self._watching

    def _announce(self, version: int) -> None:
        self._version = max(version, self._version)
        self._wake()

    def _wake(self) -> None:
        for one in tuple(self._followers):
            one.set()


def pause_after(drawn_ns: int, changes: int) -> float:
    """Seconds without a drawing, after drawings that took so long for so many changes."""
    most_s = PAUSE_S_MAX if changes <= DEALT_CHANGES_MAX else SIMULATED_PAUSE_S_MAX
    return min(max(INTERVAL_S, drawn_ns / _NS_PER_S / DRAWING_SHARE), most_s)


def event(body: bytes, name: str = "") -> bytes:
    """One server-sent event with this body, of one or more lines."""
    lines = [b"data: " + line for line in body.split(b"\n")]
    if name:
        lines.insert(0, b"event: " + name.encode())
    return b"\n".join(lines) + b"\n\n"


def first_words() -> bytes:
    """What a stream of events begins with: when to come back once it has ended."""
    return f"retry: {RETRY_MS}\n\n".encode()
