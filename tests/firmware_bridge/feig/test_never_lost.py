"""A clearing removes only stored records in every interleaving of line, store and reader (bounded).

Records are made, sent, repeated with more behind them, requested, cleared, lost on the line and
stored, with the line cut and the program crashing anywhere. The model of the reader answers in
order and returns its first records; a clearing removes as many as it returned last. It sends
unsolicited, and repeats uncleared records together with new ones at any moment except between its
answer to a question and the clearing that the host sends at once on this answer (`patient`).
Source: firmware_bridge README, "FEIG OBID", what can cross what.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import field
from functools import cache

import pytest
from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.feig.link import FeigLink, FeigLinkState, FeigOutput
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from foundation.timestamp import Timestamp

MS = 1_000_000
VERSION, TIMER, READ, CLEAR = 0x65, 0x86, 0x22, 0x32


@cache
def checked(body: bytes) -> bytes:
    frame = b"\x02" + (len(body) + 5).to_bytes(2, "big") + body
    register = 0xFFFF
    for value in frame:
        register ^= value
        for _ in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1
    return frame + register.to_bytes(2, "little")


def sets(cards: tuple[int, ...], *, more: bool) -> bytes:
    """The answer to 22, solicited or not."""
    if not cards:
        return checked(bytes((0, READ, 0x92)))
    body = b"".join(
        b"\x00\x11\x03\x00\x08" + card.to_bytes(8, "big") + card.to_bytes(4, "big")
        for card in cards
    )
    head = bytes((0, READ, 0x94 if more else 0, 0x21)) + len(cards).to_bytes(2, "big")
    return checked(head + body)


class Bounds(Struct, frozen=True):
    """How often each thing happens at most."""

    cards: int = 3
    repeats: int = 1
    polls: int = 0
    ticks: int = 0
    breaks: int = 0
    noise: int = 0


class World(Struct, frozen=True):
    """Reader, line, program and store at one moment. `unstored` waits for the store, in order."""

    link: FeigLinkState
    stored: FeigLinkState
    left: Bounds
    now_ns: int
    unstored: tuple[tuple[FeigLinkState, FeigOutput], ...] = ()
    delivered: tuple[int, ...] = ()
    to_reader: tuple[bytes, ...] = ()
    to_host: tuple[bytes, ...] = ()
    made: int = 0
    buffered: tuple[int, ...] = ()
    returned: int = 0
    waits: bool = False
    wrong: str = ""

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.now_ns, 10**18 + self.now_ns)


Linked = tuple[FeigLinkState, FeigOutput]


class Model(Struct):
    """Yield all successors of a world."""

    delivery: Delivery
    patient: bool = True
    hasty: bool = False
    link: FeigLink = field(init=False)

    def __post_init__(self) -> None:
        self.link = FeigLink(FeigLinkSettings(delivery=self.delivery))

    def begin(self, left: Bounds) -> World:
        """The port is open, version and timer are answered, the buffer is requested."""
        state = self.link.initial()
        world = World(state, state, left, 5_000 * MS)
        world = self.apply(world, self.link.opened(state, world.at))
        while not world.to_reader or world.to_reader[0][4] != READ:
            for step in (self.store, self.reader_receives, self.host_receives):
                if world.to_reader[:1] and world.to_reader[0][4] == READ:
                    break
                world = next(step(world), world)
        return world

    def check_end(self, left: Bounds) -> tuple[int, tuple[str, ...]]:
        """Count the reachable worlds, and find the shortest path to a wrong one."""
        steps = (
            self.card,
            self.notify,
            self.repeat,
            self.reader_receives,
            self.host_receives,
            self.store,
            self.poll,
            self.tick,
            self.cut,
            self.crash,
            self.noise,
        )
        first = self.begin(left)
        before: dict[World, tuple[World, str] | None] = {first: None}
        fresh = deque([first])
        while fresh:
            world = fresh.popleft()
            for step in steps:
                for after in step(world):
                    known = len(before)
                    before.setdefault(after, (world, step.__name__))
                    if len(before) > known:
                        fresh.append(after)
                    if after.wrong:
                        return len(before), story(before, after)
        return len(before), ()

    # --- the program -----------------------------------------------------------------------------

    def apply(self, world: World, linked: Linked) -> World:
        state, output = linked
        if self.hasty:
            hasty = tuple(
                checked(b"\xff\x32") if one[4] == READ else one for one in output.to_write
            )
            output = replace(output, to_write=hasty)
        world = replace(world, link=state, to_reader=(*world.to_reader, *output.at_once))
        if output.items or output.to_write:
            return replace(world, unstored=(*world.unstored, (state, output)))
        return world

    def host_receives(self, world: World) -> Iterator[World]:
        """A frame arrives, or two in one chunk."""
        for count in range(1, min(2, len(world.to_host)) + 1):
            data = b"".join(world.to_host[:count])
            after = replace(world, to_host=world.to_host[count:])
            yield self.apply(after, self.link.receive(world.link, data, world.at))

    def store(self, world: World) -> Iterator[World]:
        if world.unstored:
            (state, output), *rest = world.unstored
            new = tuple(
                int.from_bytes(one.identity, "big")
                for one in output.items
                if isinstance(one, BufferRecord)
            )
            delivered = (*world.delivered, *new)
            yield replace(
                world,
                unstored=tuple(rest),
                delivered=delivered,
                stored=state,
                to_reader=(*world.to_reader, *output.to_write),
                wrong="" if delivered == tuple(sorted(set(delivered))) else f"given {delivered}",
            )

    def poll(self, world: World) -> Iterator[World]:
        """The buffer is polled again; no request is outstanding."""
        open_ = world.link.outstanding is not None or world.link.clear_deadline_ns is not None
        if self.delivery is Delivery.POLL and world.left.polls and not open_:
            left = replace(world.left, polls=world.left.polls - 1)
            yield self.later(replace(world, left=left))

    def tick(self, world: World) -> Iterator[World]:
        """Time advances to the next deadline; frames may still be on their way."""
        if world.left.ticks:
            left = replace(world.left, ticks=world.left.ticks - 1)
            yield self.later(replace(world, left=left))

    def later(self, world: World) -> World:
        due_ns = self.link.next_deadline_ns(world.link)
        world = replace(world, now_ns=world.now_ns if due_ns is None else due_ns)
        return self.apply(world, self.link.tick(world.link, world.at))

    def cut(self, world: World) -> Iterator[World]:
        """The line is cut within a frame, and is back at once."""
        if not world.left.breaks:
            return
        left = replace(world.left, breaks=world.left.breaks - 1)
        if world.to_host:
            half = world.to_host[0][: len(world.to_host[0]) // 2]
            world = self.apply(world, self.link.receive(world.link, half, world.at))
        unwritten = tuple((state, replace(output, to_write=())) for state, output in world.unstored)
        world = replace(world, left=left, unstored=unwritten, to_reader=(), to_host=())
        world = self.apply(world, self.link.closed(world.link, world.at))
        yield self.apply(world, self.link.opened(world.link, world.at))

    def crash(self, world: World) -> Iterator[World]:
        """The program ends, before the store or between store and line, and starts again."""
        if not world.left.breaks:
            return
        left = replace(world.left, breaks=world.left.breaks - 1)
        for before in (world, *self.store(world)):
            after = replace(before, left=left, unstored=(), to_reader=(), to_host=())
            yield self.apply(after, self.link.opened(before.stored, before.at))

    # --- the line and the reader -----------------------------------------------------------------

    def noise(self, world: World) -> Iterator[World]:
        """A whole frame vanishes."""
        if not world.left.noise:
            return
        world = replace(world, left=replace(world.left, noise=world.left.noise - 1))
        if world.to_host:
            yield replace(world, to_host=world.to_host[1:])
        if world.to_reader:
            yield replace(world, to_reader=world.to_reader[1:])

    def card(self, world: World) -> Iterator[World]:
        if world.made < world.left.cards:
            made = world.made + 1
            yield replace(world, made=made, buffered=(*world.buffered, made))

    def notify(self, world: World) -> Iterator[World]:
        notifies = self.delivery is Delivery.NOTIFY and not world.waits
        if notifies and world.buffered and not (self.patient and clearing_due(world)):
            yield self.return_records(world, 32, waits=True)

    def repeat(self, world: World) -> Iterator[World]:
        """Uncleared records are sent again, together with new ones."""
        if not world.waits or not world.left.repeats or (self.patient and clearing_due(world)):
            return
        left = replace(world.left, repeats=world.left.repeats - 1)
        yield self.return_records(replace(world, left=left), 32, waits=True)

    def return_records(self, world: World, count: int, *, waits: bool) -> World:
        first = world.buffered[:count]
        frame = sets(first, more=len(first) < len(world.buffered))
        to_host = (*world.to_host, frame)
        return replace(world, returned=len(first), to_host=to_host, waits=waits)

    def reader_receives(self, world: World) -> Iterator[World]:
        if not world.to_reader:
            return
        request, *rest = world.to_reader
        world = replace(world, to_reader=tuple(rest))
        match request[4]:
            case 0x22:
                count = int.from_bytes(request[5:7], "big")
                yield self.return_records(world, count, waits=world.waits)
            case 0x32:
                gone = world.buffered[: world.returned]
                unknown = [card for card in gone if card not in world.delivered]
                yield replace(
                    world,
                    buffered=world.buffered[world.returned :],
                    returned=0,
                    waits=False,
                    to_host=(*world.to_host, checked(b"\x00\x32\x00")),
                    wrong=f"{unknown} cleared before it was stored" if unknown else "",
                )
            case 0x86:
                minute, ms = divmod(world.now_ns // MS, 60_000)
                body = bytes((0, TIMER, 0, 0, minute)) + ms.to_bytes(2, "big")
                yield replace(world, to_host=(*world.to_host, checked(body)))
            case _:
                answer = checked(b"\x00\x65\x00\x03\x03\x00")
                yield replace(world, to_host=(*world.to_host, answer))


def clearing_due(world: World) -> bool:
    """The host has written a clearing, or will as soon as the answer that is on its way arrives."""
    waiting = tuple(one for _, output in world.unstored for one in output.to_write)
    clearing = any(one[4] == CLEAR for one in (*world.to_reader, *waiting))
    return clearing or any(one[4] == READ for one in world.to_host)


def story(before: dict[World, tuple[World, str] | None], last: World) -> tuple[str, ...]:
    """The steps that lead to a world, and what is wrong in it."""
    steps, world = [last.wrong], last
    while (one := before[world]) is not None:
        world, step = one
        steps.append(step)
    return tuple(reversed(steps))


EVERYTHING = [
    pytest.param(Bounds(cards=3, repeats=2), id="repeats"),
    pytest.param(Bounds(cards=2, repeats=1, breaks=1), id="cut or crash"),
    pytest.param(Bounds(cards=2, repeats=1, ticks=1), id="line stalled"),
    pytest.param(Bounds(cards=2, repeats=1, ticks=1, noise=1), id="frame vanished"),
    pytest.param(Bounds(cards=2, repeats=1, noise=2), id="frames vanished"),
]


POLLS, WORLDS_MIN = 3, 200


@pytest.mark.parametrize("delivery", list(Delivery))
@pytest.mark.parametrize("bounds", EVERYTHING)
def test_a_clearing_removes_only_stored_records(delivery: Delivery, bounds: Bounds) -> None:
    worlds, wrong = Model(delivery).check_end(replace(bounds, polls=POLLS))

    assert not wrong
    assert worlds > WORLDS_MIN


def test_clearing_directly_after_a_notification_would_remove_more() -> None:
    _, wrong = Model(Delivery.NOTIFY, hasty=True).check_end(Bounds(cards=2, repeats=0))

    assert wrong


def test_a_repetition_that_crosses_the_clearing_is_a_gap_of_the_protocol() -> None:
    _, wrong = Model(Delivery.NOTIFY, patient=False).check_end(Bounds(cards=2, repeats=1))

    assert wrong
