"""Driver of the Angel Eye II-EX dealing shoe.

What the shoe claims is passed on unchecked.

Source: firmware_bridge README, "Angel Eye II-EX".
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import UNSET, Struct, UnsetType, field
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
from drivers.events import CommandAnswered, DeviceEvent, Stage
from drivers.lifecycle import StageStep
from drivers.shell import UNDERSTOOD, LinkDriver, LinkedState, is_closed, refused, unanswered
from drivers.shoes.angel_eye_events import events_of, unread_fault
from firmware_bridge.angel_eye import commands as wire
from firmware_bridge.angel_eye import frames
from firmware_bridge.angel_eye.link import (
    PLAIN_PAYLOAD,
    AngelEyeItem,
    AngelEyeLink,
    AngelEyeLinkResult,
    AngelEyeLinkState,
    AngelEyeProgress,
)
from firmware_bridge.angel_eye.messages import (
    LockState,
    MalformedMessage,
    StartMessage,
    UnknownMessage,
)
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortLost
from foundation.message import Message, message
from foundation.timestamp import Timestamp

_ERROR_CODE_MAX = 99

_STAGES_REACHED = MappingProxyType(
    {
        AngelEyeProgress.NOTHING: (),
        AngelEyeProgress.FRAME: UNDERSTOOD[:1],
        AngelEyeProgress.UNDERSTOOD: UNDERSTOOD,
    }
)


class AngelEyeShoeSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)
    allow_commands: bool = False


class UnreadReports(Struct, frozen=True):
    """How many reports came whole and were not understood, and why the last was not."""

    count: int
    last: Message


class AngelEyeShoeState(LinkedState[AngelEyeLinkState], frozen=True, tag="angel-eye-shoe-state"):
    """`locked` is the lock's state as last reported; None while it is unknown.

    After a restart, or after the port was not read for a while, the shoe has yet to report it.
    `unread`: the reports of this opening that were not understood; left out where there are none.
    """

    locked: bool | None = None
    unread: UnreadReports | UnsetType = UNSET

    @property
    def remarks(self) -> tuple[Message, ...]:
        """What was not understood since the port was opened, and a form that was learnt."""
        remarks = (PLAIN_PAYLOAD.detail,) if self.link.plain else ()
        if self.unread is UNSET:
            return remarks
        count, last = self.unread.count, self.unread.last
        return (message("reports_not_understood", count=count, last=last), *remarks)


class AngelEyeShoe(LinkDriver[AngelEyeShoeState, AngelEyeItem | LinkFault], frozen=True):
    settings: AngelEyeShoeSettings = field(default_factory=AngelEyeShoeSettings)

    @property
    def link(self) -> AngelEyeLink:
        return AngelEyeLink(self.settings.link)

    def initial(self) -> AngelEyeShoeState:
        """The state before the port was first opened."""
        return AngelEyeShoeState(Stage.CLOSED, self.link.initial())

    def received(self, state: AngelEyeShoeState, event: Chunk) -> AngelEyeLinkResult:
        """Let the link have received bytes, and know how long they may have waited."""
        return self.link.receive(state.link, event.data, event.at, event.waited_ns)

    def closed(self, state: AngelEyeShoeState, event: PortLost) -> AngelEyeLinkResult:
        """Let the link know that its port is lost, and up to when all it brought was read."""
        return self.link.closed(state.link, event.at, event.read_until)

    def split(self, state: AngelEyeShoeState, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each report."""
        plain = self.settings.link.payload is not PayloadForm.BIT_7
        return frames.split(state.link.unframed, data, plain=plain)

    def request(
        self, state: AngelEyeShoeState, command: DeviceCommand
    ) -> wire.AngelEyeCommand | CommandAnswered | None:
        """What to send for a command, or its answer; this shoe reports unasked."""
        match command:
            case SetPolling():
                return None
            case ListTags():
                return refused(command, message("shoe_reads_faces_not_tags"))
            case OrderShuffler():
                return refused(command, message("this_is_a_shoe"))
            case _ if not self.settings.allow_commands:
                return refused(command, message("commands_to_shoe_not_allowed"))
            case _ if is_closed(state):
                return unanswered(command, message("shoe_port_not_open"))
            case LockExit():
                return wire.LockCommand()
            case UnlockExit():
                return wire.UnlockCommand()
            case ClearError(code) if not 0 <= code <= _ERROR_CODE_MAX:
                return refused(command, message("error_code_has_two_digits", code=code))
            case ClearError(code):
                return wire.ClearErrorCommand(code)
            case _:
                assert_never(command)

    def reached(
        self, state: AngelEyeShoeState, link: AngelEyeLinkState, _items: object
    ) -> tuple[StageStep, ...]:
        """The stages that the link's progress proves."""
        return () if link.progress is state.link.progress else _STAGES_REACHED[link.progress]

    def advance(
        self,
        state: AngelEyeShoeState,
        link: AngelEyeLinkState,
        items: tuple[AngelEyeItem | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[AngelEyeShoeState, tuple[DeviceEvent, ...]]:
        """Take over the link's new state; a port that was opened or lost says nothing of a lock."""
        state, changed = super().advance(state, link, items, at, steps)
        if steps:
            state = replace(state, locked=None, unread=UNSET)
        return state, changed

    def item(
        self, state: AngelEyeShoeState, item: AngelEyeItem | LinkFault, at: Timestamp
    ) -> tuple[AngelEyeShoeState, tuple[DeviceEvent, ...]]:
        """Map one item of the link."""
        locked = state.locked
        if isinstance(item, LockState):
            locked = item.locked
        elif isinstance(item, StartMessage):
            locked = None
        elif isinstance(item, MalformedMessage | UnknownMessage):
            before = 0 if state.unread is UNSET else state.unread.count
            unread = UnreadReports(before + 1, unread_fault(item).detail)
            state = replace(state, unread=unread)
        if locked is not state.locked:
            state = replace(state, locked=locked)
        return state, events_of(item)
