"""Driver of the Angel Eye II-EX dealing shoe.

What the shoe claims is passed on unchecked.

Source: drivers/README.md, "Angel Eye II-EX"; firmware_bridge README, "Angel Eye II-EX".
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    UnlockExit,
)
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.lifecycle import OPENED, StageStep, advance_through
from drivers.shoes.angel_eye_events import events_of
from firmware_bridge.angel_eye import commands as wire
from firmware_bridge.angel_eye import frames
from firmware_bridge.angel_eye.link import (
    AngelEyeLink,
    AngelEyeLinkResult,
    AngelEyeLinkState,
    AngelEyeProgress,
)
from firmware_bridge.angel_eye.messages import LockState, StartMessage
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.message import Message, message
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

_ERROR_CODE_MAX = 99

_IDENTIFIED = (Stage.IDENTIFIED, message("first_good_frame_received"))
_STAGES_REACHED = MappingProxyType(
    {
        AngelEyeProgress.NOTHING: (),
        AngelEyeProgress.FRAME: (_IDENTIFIED,),
        AngelEyeProgress.UNDERSTOOD: (
            _IDENTIFIED,
            (Stage.ONLINE, message("first_report_understood")),
        ),
    }
)


class AngelEyeShoeSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)
    allow_commands: bool = False


class AngelEyeShoeState(Struct, frozen=True, tag="angel-eye-shoe-state"):
    """`locked` is the lock's state as last reported; None while it is unknown.

    After a restart, or after the port was not read for a while, the shoe has yet to report it.
    """

    stage: Stage
    link: AngelEyeLinkState
    locked: bool | None = None


class AngelEyeShoe(Struct, frozen=True):
    """Implements drivers.interface.ShoeDriver."""

    settings: AngelEyeShoeSettings = field(default_factory=AngelEyeShoeSettings)

    def initial(self) -> AngelEyeShoeState:
        """The state before the port was first opened."""
        return AngelEyeShoeState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: AngelEyeShoeState, event: PortEvent
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """Process one event of the port."""
        match event:
            case PortOpened(at=at):
                return _map_output(state, self._link.opened(state.link, at), OPENED)
            case Chunk(at=at, data=data, waited_ns=waited_ns):
                return _map_output(state, self._link.receive(state.link, data, at, waited_ns))
            case PortLost(at=at, reason=reason):
                return _map_output(state, self._link.closed(state.link, at), (Stage.LOST, reason))
            case _:
                assert_never(event)

    def split(self, state: AngelEyeShoeState, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each report."""
        return frames.split(state.link.unframed, data)

    def command(
        self, state: AngelEyeShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """Send a command; answered at once where it is not allowed or not possible."""
        name = type(command).__name__
        if isinstance(command, SetPolling):
            return state, DriverOutput()  # this shoe reports unasked
        if isinstance(command, ListTags):
            detail = message("shoe_reads_faces_not_tags")
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if isinstance(command, OrderShuffler):
            detail = message("this_is_a_shoe")
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if not self.settings.allow_commands:
            detail = message("commands_to_shoe_not_allowed")
            return state, _answer(name, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            return state, _answer(name, CommandOutcome.NO_ANSWER, message("shoe_port_not_open"))
        match command:
            case LockExit():
                wire_command: wire.AngelEyeCommand = wire.LockCommand()
            case UnlockExit():
                wire_command = wire.UnlockCommand()
            case ClearError(code):
                if not 0 <= code <= _ERROR_CODE_MAX:
                    detail = message("error_code_has_two_digits", code=code)
                    return state, _answer(name, CommandOutcome.REFUSED, detail)
                wire_command = wire.ClearErrorCommand(code)
            case _:
                assert_never(command)
        return _map_output(state, self._link.send(state.link, wire_command, at))

    def tick(
        self, state: AngelEyeShoeState, at: Timestamp
    ) -> tuple[AngelEyeShoeState, DriverOutput]:
        """Process deadlines that have passed."""
        return _map_output(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: AngelEyeShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> AngelEyeLink:
        return AngelEyeLink(self.settings.link)


def _map_output(
    state: AngelEyeShoeState, linked: AngelEyeLinkResult, to: StageStep | None = None
) -> tuple[AngelEyeShoeState, DriverOutput]:
    """Map the link's output; `to` is the stage that the port's event brings."""
    link, output = linked
    stage, locked = state.stage, state.locked
    events: list[DeviceEvent] = []
    if to is not None:
        stage, changed = advance_through(stage, (to,))
        events.extend(changed)
        locked = None
    if link.progress is not state.link.progress:
        stage, changed = advance_through(stage, _STAGES_REACHED[link.progress])
        events.extend(changed)
    for item in output.items:
        if isinstance(item, LockState):
            locked = item.locked
        elif isinstance(item, StartMessage):
            locked = None
        events.extend(events_of(item))
    if link is not state.link or stage is not state.stage or locked is not state.locked:
        state = replace(state, stage=stage, link=link, locked=locked)
    return state, DriverOutput(tuple(events), output.to_write)


def _answer(command: str, outcome: CommandOutcome, detail: Message) -> DriverOutput:
    return DriverOutput(events=(CommandAnswered(command, outcome, detail),))
