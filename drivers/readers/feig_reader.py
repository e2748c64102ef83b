"""Common part of the FEIG reader drivers: link, life cycle, faults and refused commands.

Not: what a tag means, which depends on where the reader is installed.
"""

from typing import Final, TypeVar, assert_never

from msgspec import UNSET

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    UnlockExit,
)
from drivers.events import CommandAnswered, DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.shell import LinkDriver, LinkedState, StageStep, refused
from firmware_bridge.feig import frames
from firmware_bridge.feig.items import (
    BlocksRead,
    BufferOverflow,
    BufferRecord,
    FeigItem,
    FeigRequest,
    InventoryDone,
    KeepAlive,
    ReaderIdentified,
    RepeatsDropped,
    RequestFailed,
    SetPace,
    TagInventoried,
)
from firmware_bridge.feig.link import FeigLink
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState, Question
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind
from foundation.message import Message, message

_IDENTIFIED: Final[StageStep] = (Stage.IDENTIFIED, message("reader_identified"))
_ONLINE: Final[StageStep] = (Stage.ONLINE, message("first_report_or_answer_understood"))
_FIRST_QUESTIONS = (Question.VERSION, Question.TIMER)
_UNDERSTOOD = (BufferRecord, BufferOverflow, RepeatsDropped, KeepAlive, ContinuityUnproven)


class FeigReaderState(LinkedState[FeigLinkState], frozen=True):
    """What every driver of a FEIG reader remembers."""

    @property
    def remarks(self) -> tuple[Message, ...]:
        """Why the reader is refused, if it is."""
        return () if self.link.misconfigured is UNSET else (self.link.misconfigured,)


FeigStateT = TypeVar("FeigStateT", bound=FeigReaderState)


class FeigReader(LinkDriver[FeigStateT, FeigItem | LinkFault], frozen=True):
    """One reader; where it is installed says what a tag means."""

    @property
    def link_settings(self) -> FeigLinkSettings:
        raise NotImplementedError

    @property
    def link(self) -> FeigLink:
        return FeigLink(self.link_settings)

    def split(self, state: FeigStateT, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each frame of the reader, which may hold several records."""
        return frames.split(state.link.unframed, data)

    def request(self, state: FeigStateT, command: DeviceCommand) -> FeigRequest | CommandAnswered:
        """A reader of cards in play accepts only SetPolling."""
        match command:
            case SetPolling(closely):
                return SetPace(closely)
            case LockExit() | UnlockExit():
                return refused(command, message("device_has_no_lock"))
            case ClearError():
                return refused(command, message("reader_stores_no_error"))
            case ListTags():
                return refused(command, message("reader_reads_cards_in_play"))
            case OrderShuffler():
                return refused(command, message("this_is_a_reader"))
            case _:
                assert_never(command)

    def reached(
        self, state: FeigStateT, link: FeigLinkState, items: tuple[FeigItem | LinkFault, ...]
    ) -> tuple[StageStep, ...]:
        """The stages reached, judged by the link's state and items."""
        if link.misconfigured is not UNSET:
            return ((Stage.OPENED, link.misconfigured),)
        # A link that has gone on from version and timer had its answer to both.
        pending = None if link.outstanding is None else link.outstanding.question
        answered = link.identified and not link.silence_reported and pending not in _FIRST_QUESTIONS
        if answered or any(isinstance(item, _UNDERSTOOD) for item in items):
            return (_IDENTIFIED, _ONLINE)
        return (_IDENTIFIED,) if link.identified else ()


def events_of(item: FeigItem | LinkFault) -> tuple[DeviceEvent, ...]:
    """Map an item about the reader itself; items about tags mean nothing without the place."""
    match item:
        case LinkFault(LinkFaultKind.BUFFER_OVERFLOW):
            return ()  # it comes with BufferOverflow, which gives a fault and a loss
        case LinkFault(kind, detail):
            return (DeviceFault(kind, detail),)
        case BufferOverflow():
            return (
                DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, message("reader_could_not_record")),
                ReportsLost(LossReason.GAP, 0),
            )
        case ContinuityUnproven():
            detail = message("reader_may_have_lost_buffer")
            return (
                DeviceFault(LinkFaultKind.CONTINUITY_UNPROVEN, detail),
                ReportsLost(LossReason.UNPROVEN, 0),
            )
        case RequestFailed(request, status, detail):
            if status is None:
                failed = message("reader_request_failed", request=request, why=detail)
                return (DeviceFault(LinkFaultKind.NO_ANSWER, failed),)
            refused = message(
                "reader_request_refused", request=request, status=f"{status:02X}", why=detail
            )
            return (DeviceFault(LinkFaultKind.DEVICE_STATUS, refused),)
        case ReaderIdentified() | KeepAlive() | RepeatsDropped():
            return ()
        case BufferRecord() | TagInventoried() | InventoryDone() | BlocksRead():
            return ()
        case _:
            assert_never(item)
