"""The link to an Angel Eye II-EX: raw bytes to accepted messages, in order, each once.

Responsible for: dropping repeats, proving that nothing is missing or saying that it cannot be
proved, and exchanging commands. The link object holds settings only; all it has learnt stands in
the frozen state.
Not responsible for: ports, and for what a message means at a table (drivers).
Source: package README, "Angel Eye II-EX", sequence and commands.
"""

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias, assert_never

from firmware_bridge.angel_eye import commands, sequence
from firmware_bridge.angel_eye.commands import Command, CommandItem, Exchanged, ExchangeState
from firmware_bridge.angel_eye.frames import Ack, Frame, Nak, ReadReply, Report, Unframed, feed
from firmware_bridge.angel_eye.messages import Malformed, Message, Start, Unknown, parse
from firmware_bridge.angel_eye.sequence import SequenceState, StepKind
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

# Two stamps whose clocks lie further apart than this are of different boots, or the clock was
# set: their monotonic times must not be compared.
_CLOCK_OFFSET_NS_MAX = 5_000_000_000


@dataclass(frozen=True, slots=True)
class SequenceGap:
    """At least `missing_min` reports are missing before the next message; 0: at least some."""

    missing_min: int


@dataclass(frozen=True, slots=True)
class ContinuityUnproven:
    """After a time without listening, nothing proves that no report was missed."""


AngelEyeItem: TypeAlias = Message | SequenceGap | ContinuityUnproven | CommandItem
AngelEyeOutput: TypeAlias = LinkOutput[AngelEyeItem]


class Heard(StrEnum):
    """What was heard since the port was opened."""

    NOTHING = "nothing"
    FRAME = "frame"
    UNDERSTOOD = "understood"


@dataclass(frozen=True, slots=True)
class LastReport:
    """The last accepted report, and when its first copy came."""

    seq: str
    data: bytes
    at: Timestamp


@dataclass(frozen=True, slots=True)
class AngelEyeLinkState:
    """`blind` says that the link was not listening since the last report."""

    sequence: SequenceState
    exchange: ExchangeState
    unframed: Unframed = field(default_factory=Unframed)
    last: LastReport | None = None
    blind: bool = False
    heard: Heard = Heard.NOTHING


Linked: TypeAlias = tuple[AngelEyeLinkState, AngelEyeOutput]


@dataclass(frozen=True, slots=True)
class AngelEyeLink:
    """Follows firmware_bridge.link.Link."""

    settings: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)

    def initial(self) -> AngelEyeLinkState:
        """The state before anything was heard."""
        return AngelEyeLinkState(
            sequence=sequence.initial(self.settings.seq_cycle),
            exchange=commands.initial(self.settings),
        )

    def opened(self, state: AngelEyeLinkState, at: Timestamp) -> Linked:
        """The port is open (again): half a frame is gone, and continuity is to be proved."""
        state, output = self.closed(state, at)
        state = replace(
            state,
            sequence=sequence.reset(self.settings.seq_cycle, state.sequence),
            blind=state.last is not None,
        )
        return state, output

    def closed(self, state: AngelEyeLinkState, at: Timestamp) -> Linked:
        """The port is gone at `at`: no answer will come to what was sent."""
        state = replace(state, unframed=Unframed(), heard=Heard.NOTHING)
        return _with_exchange(
            state, commands.dropped(state.exchange, "the port was lost before the shoe answered")
        )

    def receive(self, state: AngelEyeLinkState, data: bytes, at: Timestamp) -> Linked:
        """Take raw bytes as they came, in any fragmentation."""
        outstanding = state.exchange.outstanding
        reading = state.exchange.reading if outstanding is None else outstanding.reading
        unframed, found = feed(state.unframed, data, reading)
        if unframed != state.unframed:
            state = replace(state, unframed=unframed)
        items: list[AngelEyeItem | LinkFault] = []
        to_write: list[bytes] = []
        for one in found:
            state, output = self._take(state, one, at)
            items.extend(output.items)
            to_write.extend(output.to_write)
        return state, LinkOutput(tuple(items), tuple(to_write))

    def send(self, state: AngelEyeLinkState, command: Command, at: Timestamp) -> Linked:
        """Send a command or queue it behind the one still unanswered."""
        return _with_exchange(state, commands.send(self.settings, state.exchange, command, at))

    def tick(self, state: AngelEyeLinkState, at: Timestamp) -> Linked:
        """A deadline may have passed."""
        return _with_exchange(state, commands.tick(self.settings, state.exchange, at))

    def next_deadline_ns(self, state: AngelEyeLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        outstanding = state.exchange.outstanding
        return None if outstanding is None else outstanding.deadline_ns

    def _take(self, state: AngelEyeLinkState, one: Frame | LinkFault, at: Timestamp) -> Linked:
        if isinstance(one, LinkFault):
            state = replace(state, sequence=sequence.disturbed(state.sequence))
            return state, LinkOutput(items=(one,))
        if state.heard is Heard.NOTHING:
            state = replace(state, heard=Heard.FRAME)
        match one:
            case Report():
                return self._report(state, one, at)
            case Ack():
                exchanged = commands.acknowledged(self.settings, state.exchange, at)
            case Nak(code):
                exchanged = commands.refused(self.settings, state.exchange, code, at)
            case ReadReply(data):
                exchanged = commands.replied(self.settings, state.exchange, data, at)
            case _:
                assert_never(one)
        return _with_exchange(state, exchanged)

    def _report(self, state: AngelEyeLinkState, report: Report, at: Timestamp) -> Linked:
        message = parse(report.data)
        if state.heard is not Heard.UNDERSTOOD and not isinstance(message, Malformed | Unknown):
            state = replace(state, heard=Heard.UNDERSTOOD)
        if self._is_repeat(state, report, at):
            return replace(state, blind=False), LinkOutput()
        moved, findings = self._judge(state, report.seq, message, at)
        state = replace(
            state, sequence=moved, last=LastReport(report.seq, report.data, at), blind=False
        )
        return state, LinkOutput(items=(*findings, message))

    def _is_repeat(self, state: AngelEyeLinkState, report: Report, at: Timestamp) -> bool:
        last = state.last
        if last is None or (last.seq, last.data) != (report.seq, report.data):
            return False
        if state.blind and not _same_boot(last.at, at):
            return False
        return 0 <= at.monotonic_ns - last.at.monotonic_ns <= self.settings.repeat_window_ns

    def _judge(
        self, state: AngelEyeLinkState, seq: str, message: Message, at: Timestamp
    ) -> tuple[SequenceState, tuple[AngelEyeItem | LinkFault, ...]]:
        """Whether anything is missing before a new report, and the sequence after it."""
        cycle = self.settings.seq_cycle
        before = state.sequence
        findings: tuple[AngelEyeItem | LinkFault, ...] = ()
        if state.blind and (isinstance(message, Start) or not self._can_be_counted(state, at)):
            findings = (ContinuityUnproven(),)
        if isinstance(message, Start):
            before = sequence.reset(cycle, before)
        if state.last is None or findings or isinstance(message, Start):
            return sequence.moved_to(before, seq), findings
        moved, step = sequence.advance(cycle, before, seq)
        match step.kind:
            case StepKind.NEXT | StepKind.UNJUDGED:
                return moved, ()
            case StepKind.GAP:
                return moved, (SequenceGap(step.missing_min),)
            case StepKind.SETTING:
                return moved, (_wrong_cycle(self.settings, moved),)
            case _:
                assert_never(step.kind)

    def _can_be_counted(self, state: AngelEyeLinkState, at: Timestamp) -> bool:
        """Too soon for half a cycle of reports to have passed: the next SEQ tells how many did."""
        last = state.last
        if last is None or not _same_boot(last.at, at):
            return False
        elapsed_ns = at.monotonic_ns - last.at.monotonic_ns
        cycle_ns_min = sequence.cycle_length(state.sequence) * self.settings.report_interval_ns_min
        return 2 * elapsed_ns < cycle_ns_min


def _same_boot(earlier: Timestamp, later: Timestamp) -> bool:
    offset_ns = (later.utc_ns - later.monotonic_ns) - (earlier.utc_ns - earlier.monotonic_ns)
    return earlier.monotonic_ns <= later.monotonic_ns and abs(offset_ns) <= _CLOCK_OFFSET_NS_MAX


def _with_exchange(state: AngelEyeLinkState, exchanged: Exchanged) -> Linked:
    exchange, output = exchanged
    return replace(state, exchange=exchange), LinkOutput(output.items, output.to_write)


def _wrong_cycle(settings: AngelEyeLinkSettings, adopted: SequenceState) -> LinkFault:
    seen = "".join(sorted({before for before, _after in adopted.order}))
    detail = (
        f'the shoe does not count as seq_cycle = "{settings.seq_cycle}" says; '
        f"seen: {seen.encode('unicode_escape').decode('ascii')}. Gaps are judged by the order seen "
        "until the shoe starts anew or the port is opened again: correct the setting"
    )
    return LinkFault(LinkFaultKind.SEQUENCE_SETTING, detail)
