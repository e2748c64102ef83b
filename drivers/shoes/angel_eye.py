"""The Angel Eye II-EX dealing shoe: its messages to device events, device commands to its own.

Responsible for: the meaning of each message in words that fit any vendor's shoe, the device's
life cycle, and refusing commands that the configuration does not allow.
Not responsible for: bytes, sequence and answers (firmware_bridge.angel_eye) and for what a card
does to a coup (controller). What the shoe claims is passed on and never judged.
Source: package README, "Angel Eye II-EX"; firmware_bridge README, "Angel Eye II-EX".
"""

from dataclasses import field
from types import MappingProxyType
from typing import assert_never

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    UnlockExit,
    Watch,
)
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.lifecycle import advance_through
from drivers.shoes.angel_eye_events import events_of
from firmware_bridge.angel_eye import commands as wire
from firmware_bridge.angel_eye.link import AngelEyeLink, AngelEyeLinkState, Heard, Linked
from firmware_bridge.angel_eye.messages import LockState, Start
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

_ERROR_CODE_MAX = 99

_STAGES_HEARD = MappingProxyType(
    {
        Heard.NOTHING: (),
        Heard.FRAME: ((Stage.IDENTIFIED, "the first good frame came"),),
        Heard.UNDERSTOOD: (
            (Stage.IDENTIFIED, "the first good frame came"),
            (Stage.ONLINE, "the first report was understood"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class AngelEyeShoeSettings:
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)
    allow_commands: bool = False


@dataclass(frozen=True, slots=True)
class AngelEyeShoeState:
    """`locked` is what the shoe last reported; None while nobody knows.

    A shoe that started anew, or whose port was not read for a while, has yet to report its lock.
    """

    stage: Stage
    link: AngelEyeLinkState
    locked: bool | None = None


@dataclass(frozen=True, slots=True)
class AngelEyeShoe:
    """Follows drivers.interface.Driver."""

    settings: AngelEyeShoeSettings = field(default_factory=AngelEyeShoeSettings)

    def initial(self) -> AngelEyeShoeState:
        """The state before the port was ever opened."""
        return AngelEyeShoeState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: AngelEyeShoeState, event: PortEvent
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """Take what the port tells."""
        match event:
            case PortOpened(at=at):
                return _up(state, self._link.opened(state.link, at), Stage.OPENED, "port open")
            case Chunk(at=at, data=data):
                return _up(state, self._link.receive(state.link, data, at))
            case PortLost(at=at, reason=reason):
                return _up(state, self._link.closed(state.link, at), Stage.LOST, reason)
            case _:
                assert_never(event)

    def command(
        self, state: AngelEyeShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """Ask the shoe for something; answered at once where it is not allowed or not possible."""
        name = type(command).__name__
        if isinstance(command, Watch):
            return state, DriverOutput()  # this shoe reports unasked
        if isinstance(command, ListTags):
            detail = "this shoe reads faces, no tags: use a reader"
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if isinstance(command, OrderShuffler):
            detail = "this is a shoe: order the shuffler at its own port"
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if not self.settings.allow_commands:
            detail = (
                "commands to this shoe are not allowed: set allow_commands = true in its settings"
            )
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            return state, _answer(name, CommandOutcome.NO_ANSWER, "the shoe's port is not open")
        match command:
            case LockExit():
                asked: wire.Command = wire.Lock()
            case UnlockExit():
                asked = wire.Unlock()
            case ClearError(code):
                if not 0 <= code <= _ERROR_CODE_MAX:
                    detail = f"an error code has two digits, and {code} does not fit"
                    return state, _answer(name, CommandOutcome.REFUSED, detail)
                asked = wire.ClearError(code)
            case _:
                assert_never(command)
        return _up(state, self._link.send(state.link, asked, at))

    def tick(
        self, state: AngelEyeShoeState, at: Timestamp
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """A deadline may have passed."""
        return _up(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: AngelEyeShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> AngelEyeLink:
        return AngelEyeLink(self.settings.link)


def _up(
    state: AngelEyeShoeState, linked: Linked, to: Stage | None = None, detail: str = ""
) -> tuple[AngelEyeShoeState, DriverOutput]:
    """What the link gave, one level up; `to` is the stage that the port's event brought."""
    link, output = linked
    stages = () if to is None else ((to, detail),)
    stage, changed = advance_through(state.stage, (*stages, *_STAGES_HEARD[link.heard]))
    events: list[DeviceEvent] = list(changed)
    locked = state.locked if to is None else None
    for item in output.items:
        if isinstance(item, LockState):
            locked = item.locked
        elif isinstance(item, Start):
            locked = None
        events.extend(events_of(item))
    state = replace(state, stage=stage, link=link, locked=locked)
    return state, DriverOutput(tuple(events), output.to_write)


def _answer(command: str, outcome: CommandOutcome, detail: str) -> DriverOutput:
    return DriverOutput(events=(CommandAnswered(command, outcome, detail),))
