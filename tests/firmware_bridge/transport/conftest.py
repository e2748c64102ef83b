"""The events of a blink as the shoe's link takes them, after a dealer's pause before it."""

from collections.abc import Callable
from queue import Queue
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from firmware_bridge.angel_eye.link import AngelEyeItem, AngelEyeLink
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

PAUSE_NS = 600 * 1_000_000_000

LinkItems: TypeAlias = tuple[AngelEyeItem | LinkFault, ...]
AcrossABlink: TypeAlias = Callable[["Queue[PortEvent]"], tuple[PortLost, LinkItems]]


def _across_a_blink(events: "Queue[PortEvent]") -> tuple[PortLost, LinkItems]:
    """Take the events of a port up to a report after its first loss.

    That loss, and the items of the link since; what came before it is ten minutes older.
    """
    link = AngelEyeLink()
    state = link.initial()
    lost: PortLost | None = None
    while True:
        event = events.get()
        if lost is None and not isinstance(event, PortLost):
            event = replace(event, at=event.at.earlier(PAUSE_NS))
        match event:
            case PortOpened():
                state, output = link.opened(state, event.at)
            case Chunk():
                state, output = link.receive(state, event.data, event.at, event.waited_ns)
                if lost is not None and output.items:
                    return lost, output.items
            case PortLost():
                lost = lost or event
                state, output = link.closed(state, event.at, event.read_until)


@pytest.fixture
def across_a_blink() -> AcrossABlink:
    return _across_a_blink
