"""The link to an Angel Eye II-EX: raw bytes become accepted messages, in order, each once.

Drops repeated reports, detects missing ones, reports where continuity cannot be proved, and
exchanges commands.

Is a report the next one: an order is a set of pairs (SEQ, the SEQ after it). Configured orders are
known from the start; `learn` starts empty and takes each pair seen first, so nothing is proved
until the cycle has closed. A wrong setting shows as the same wrong step again and again while every
SEQ always has the same successor; losses on the line do not do that, because the lost SEQ is seen
in the next cycle. The observed order is then adopted: steady wrong steps are no longer gaps, any
*other* step still is one.
Source: firmware_bridge/angel_eye/README.md, sequence and commands.
"""

from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias, assert_never

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from firmware_bridge.angel_eye import commands
from firmware_bridge.angel_eye.commands import (
    AngelEyeCommand,
    CommandExchange,
    CommandExchangeResult,
    CommandItem,
)
from firmware_bridge.angel_eye.frames import (
    AckFrame,
    AngelEyeFrame,
    NakFrame,
    ReadReplyFrame,
    ReportFrame,
    feed,
)
from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    MalformedMessage,
    StartMessage,
    UnknownMessage,
    is_plain,
    parse,
)
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm, SequenceCycle
from firmware_bridge.link import (
    SILENT_WITHIN_FRAME,
    ContinuityUnproven,
    LinkFault,
    LinkFaultKind,
    LinkOutput,
    Unframed,
)
from foundation.message import message
from foundation.timestamp import Timestamp, elapsed_ns, same_boot

SequenceOrder: TypeAlias = tuple[tuple[str, str], ...]

# Three rounds of an alphabet of 36 characters fit into the history.
_HISTORY_MAX = 128
_STEADY_TIMES = 3
# No device counts in more single printable characters than this.
_ORDER_MAX = 64

_ALPHABETS = MappingProxyType(
    {
        SequenceCycle.HEX: "0123456789ABCDEF",
        SequenceCycle.DECIMAL: "0123456789",
        SequenceCycle.ONE_TO_NINE: "123456789",
        SequenceCycle.LEARN: "",
    }
)


class StepKind(StrEnum):
    NEXT = "next"
    GAP = "gap"
    UNJUDGED = "unjudged"  # the order is not known here yet
    SETTING = "setting"  # the same wrong step repeatedly: the configured order is wrong


class SequenceStep(Struct, frozen=True):
    """`missing_min`: at least so many reports are missing; 0 if the number is unknown."""

    kind: StepKind
    missing_min: int = 0


class SequenceState(Struct, frozen=True):
    """`last` is the SEQ of the last accepted report, "" before the first.

    `history` holds the SEQs since the last damaged frame. `adopted`: a wrong setting was reported,
    and `order` is the observed one.
    """

    order: SequenceOrder
    last: str = ""
    history: str = ""
    adopted: bool = False


def first_sequence(cycle: SequenceCycle) -> SequenceState:
    """The state before any report."""
    return SequenceState(order=_configured_order(cycle))


def _configured_order(cycle: SequenceCycle) -> SequenceOrder:
    alphabet = _ALPHABETS[cycle]
    return tuple(zip(alphabet, alphabet[1:] + alphabet[:1], strict=True))


def reset_sequence(cycle: SequenceCycle, state: SequenceState) -> SequenceState:
    """Return to the configured order after `S` or reopening; keep a learned one."""
    order = state.order if cycle is SequenceCycle.LEARN else _configured_order(cycle)
    return SequenceState(order=order, last=state.last)


def restart_sequence(state: SequenceState, seq: str) -> SequenceState:
    """Continue at `seq` without judging the step: first report, `S`, or first after blindness."""
    return replace(state, last=seq, history=seq)


def clear_step_history(state: SequenceState) -> SequenceState:
    """Forget the history: after a damaged frame it does not prove a wrong setting."""
    return replace(state, history="") if state.history else state


def cycle_length(state: SequenceState) -> int:
    """Number of steps until the last SEQ returns; 0 while that is unknown."""
    return _steps(state.order, state.last, state.last)


def advance_sequence(
    cycle: SequenceCycle, state: SequenceState, seq: str
) -> tuple[SequenceState, SequenceStep]:
    """Judge the step from the last SEQ to `seq`, which may be any character."""
    learning = state.adopted or cycle is SequenceCycle.LEARN
    history = (state.history + seq)[-_HISTORY_MAX:]
    moved = replace(state, last=seq, history=history)
    expected = _successor(state.order, state.last)
    if expected == seq:
        return moved, SequenceStep(StepKind.NEXT)
    if expected is None and learning and len(state.order) < _ORDER_MAX:
        learned = replace(moved, order=(*state.order, (state.last, seq)))
        return learned, SequenceStep(StepKind.UNJUDGED)
    if not state.adopted and _is_steady(history):
        observed = tuple(sorted(set(pairwise(history))))
        return replace(moved, order=observed, adopted=True), SequenceStep(StepKind.SETTING)
    missing_min = max(_steps(state.order, state.last, seq) - 1, 0)
    return moved, SequenceStep(StepKind.GAP, missing_min)


def _successor(order: SequenceOrder, seq: str) -> str | None:
    for before, after in order:
        if before == seq:
            return after
    return None


def _steps(order: SequenceOrder, start: str, target: str) -> int:
    """Steps from `start` forward to `target`, at least one; 0 if the order does not lead there."""
    successors = dict(order)
    at = start
    for steps in range(1, len(order) + 1):
        following = successors.get(at)
        if following is None:
            return 0
        if following == target:
            return steps
        at = following
    return 0


def _is_steady(history: str) -> bool:
    """Whether the last step occurred often enough and no SEQ had two successors."""
    steps = list(pairwise(history))
    if not steps or steps.count(steps[-1]) < _STEADY_TIMES:
        return False
    distinct = set(steps)
    return len(distinct) == len({before for before, _after in distinct})


class SequenceGap(Struct, frozen=True):
    """At least `missing_min` reports are missing before the next message; 0: at least some."""

    missing_min: int


PLAIN_PAYLOAD = LinkFault(LinkFaultKind.PAYLOAD_SETTING, message("set_payload_plain"))

AngelEyeItem: TypeAlias = AngelEyeMessage | SequenceGap | ContinuityUnproven | CommandItem
AngelEyeOutput: TypeAlias = LinkOutput[AngelEyeItem]


class AngelEyeProgress(StrEnum):
    """What has been received since the port was opened."""

    NOTHING = "nothing"
    FRAME = "frame"
    UNDERSTOOD = "understood"


class PayloadLearning(Struct, frozen=True):
    """So many reports in a row lacked bit 7 and fitted without it; `plain`: that is adopted."""

    in_row: int
    plain: bool


class BlindTime(Struct, frozen=True):
    """All that the port brought since the last report was read, but from `since` to `until`.

    `until` is None until the port is open again; `before_ns` is what earlier losses since that
    report add.
    """

    since: Timestamp
    until: Timestamp | None = None
    before_ns: int = 0


class LastReport(Struct, frozen=True, omit_defaults=True):
    """The last accepted report, and when its first copy was read.

    `waited_ns`: it may have arrived that much earlier. `blind_time`: what may have been missed
    since, where losses of the port bound it.
    """

    seq: str
    data: bytes
    at: Timestamp
    waited_ns: int = 0
    blind_time: BlindTime | None = None


class AngelEyeLinkState(Struct, frozen=True):
    """`blind`: the link was not listening for some time since the last report.

    `silence_ns`: when silence within an incomplete frame is a fault. `learning`: what is known of a
    payload's form that is learnt; left out of stored states before the first report shows it.
    """

    sequence: SequenceState
    exchange: CommandExchange
    unframed: Unframed = field(default_factory=Unframed)
    silence_ns: int | None = None
    last: LastReport | None = None
    blind: bool = False
    progress: AngelEyeProgress = AngelEyeProgress.NOTHING
    learning: PayloadLearning | UnsetType = UNSET

    @property
    def plain(self) -> bool:
        """Whether it was learnt that payloads have no bit 7."""
        return self.learning is not UNSET and self.learning.plain


AngelEyeLinkResult: TypeAlias = tuple[AngelEyeLinkState, AngelEyeOutput]


class AngelEyeLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link."""

    settings: AngelEyeLinkSettings = field(default_factory=AngelEyeLinkSettings)

    def initial(self) -> AngelEyeLinkState:
        """The state before anything was received."""
        return AngelEyeLinkState(
            sequence=first_sequence(self.settings.seq_cycle),
            exchange=commands.initial(self.settings),
        )

    def opened(self, state: AngelEyeLinkState, at: Timestamp) -> AngelEyeLinkResult:
        """The port is open (again): half a frame is dropped, and continuity must be proved."""
        blind_time = None if state.last is None else state.last.blind_time
        if blind_time is not None:
            # Without a loss before, nothing bounds what was missed.
            lost = blind_time.until is None and same_boot(blind_time.since, at)
            blind_time = replace(blind_time, until=at) if lost else None
        state, output = self.closed(state, at)
        state = replace(
            _with_blind_time(state, blind_time),
            sequence=reset_sequence(self.settings.seq_cycle, state.sequence),
            blind=state.last is not None,
            learning=UNSET,
        )
        return state, output

    def closed(
        self, state: AngelEyeLinkState, at: Timestamp, read_until: Timestamp | None = None
    ) -> AngelEyeLinkResult:
        """The port was lost at `at`: commands already sent will not be answered.

        `read_until`: all that it brought until then was received; None: nothing proves it.
        """
        state = replace(
            _with_blind_time(state, self._blind_since(state, read_until)),
            unframed=Unframed(),
            silence_ns=None,
            progress=AngelEyeProgress.NOTHING,
        )
        detail = message("port_lost_before_shoe_answered")
        return _with_exchange(state, commands.fail_all(state.exchange, detail))

    def _blind_since(
        self, state: AngelEyeLinkState, read_until: Timestamp | None
    ) -> BlindTime | None:
        """The blind time from a loss on; None where nothing proves what was read before it."""
        known = None if state.last is None else state.last.blind_time
        if known is not None and known.until is None:
            return known  # it was not open: an opening failed
        if read_until is None or (state.blind and known is None):
            return None
        if known is None or known.until is None:
            return BlindTime(read_until)
        if not same_boot(known.since, known.until):
            return None
        # A server that is another's for now accepts and closes: that was no time of listening.
        listened = same_boot(known.until, read_until) and (
            elapsed_ns(known.until, read_until) >= self.settings.listened_ns_min
        )
        if not listened:
            return replace(known, until=None)
        # At each loss one report may have been on its way.
        lost_ns = elapsed_ns(known.since, known.until) + self.settings.report_interval_ns_min
        return BlindTime(read_until, None, known.before_ns + lost_ns)

    def receive(
        self, state: AngelEyeLinkState, data: bytes, at: Timestamp, waited_ns: int = 0
    ) -> AngelEyeLinkResult:
        """Take received bytes, in any fragmentation; they may have waited `waited_ns` unread."""
        outstanding = state.exchange.outstanding
        reading = state.exchange.reading if outstanding is None else outstanding.reading
        unframed, found = feed(
            state.unframed, data, reading, plain=self.settings.payload is not PayloadForm.BIT_7
        )
        silence_ns = at.monotonic_ns + self.settings.silence_ns_max if unframed.pending else None
        if (unframed, silence_ns) != (state.unframed, state.silence_ns):
            state = replace(state, unframed=unframed, silence_ns=silence_ns)
        items: list[AngelEyeItem | LinkFault] = []
        to_write: list[bytes] = []
        for one in found:
            state, output = self._handle_frame(state, one, at, waited_ns)
            items.extend(output.items)
            to_write.extend(output.to_write)
        return state, LinkOutput(tuple(items), tuple(to_write))

    def send(
        self, state: AngelEyeLinkState, command: AngelEyeCommand, at: Timestamp
    ) -> AngelEyeLinkResult:
        """Send a command or queue it behind the one still unanswered."""
        return _with_exchange(state, commands.send(self.settings, state.exchange, command, at))

    def tick(self, state: AngelEyeLinkState, at: Timestamp) -> AngelEyeLinkResult:
        """Handle deadlines that have passed."""
        state, output = _with_exchange(state, commands.tick(self.settings, state.exchange, at))
        if state.silence_ns is None or at.monotonic_ns < state.silence_ns:
            return state, output
        return replace(state, silence_ns=None), replace(
            output, items=(SILENT_WITHIN_FRAME, *output.items)
        )

    def next_deadline_ns(self, state: AngelEyeLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        outstanding = state.exchange.outstanding
        answer_ns = None if outstanding is None else outstanding.deadline_ns
        return min((one for one in (answer_ns, state.silence_ns) if one is not None), default=None)

    def _handle_frame(
        self,
        state: AngelEyeLinkState,
        one: AngelEyeFrame | LinkFault,
        at: Timestamp,
        waited_ns: int,
    ) -> AngelEyeLinkResult:
        if isinstance(one, LinkFault):
            history = clear_step_history(state.sequence)
            state = replace(state, sequence=history)
            if not state.plain:
                state = replace(state, learning=UNSET)
            known = None if state.last is None else state.last.blind_time
            if known is not None:
                # What came since the opening was not understood: as if nobody had listened.
                state = _with_blind_time(state, replace(known, until=at))
            return state, LinkOutput(items=(one,))
        if state.progress is AngelEyeProgress.NOTHING:
            state = replace(state, progress=AngelEyeProgress.FRAME)
        match one:
            case ReportFrame():
                return self._handle_report(state, one, at, waited_ns)
            case AckFrame():
                result = commands.handle_ack(self.settings, state.exchange, at)
            case NakFrame(code):
                result = commands.handle_nak(self.settings, state.exchange, code, at)
            case ReadReplyFrame(data):
                result = commands.handle_read_reply(self.settings, state.exchange, data, at)
            case _:
                assert_never(one)
        return _with_exchange(state, result)

    def _handle_report(
        self, state: AngelEyeLinkState, report: ReportFrame, at: Timestamp, waited_ns: int
    ) -> AngelEyeLinkResult:
        last = state.last
        same = last is not None and (last.seq, last.data) == (report.seq, report.data)
        repeated = same and self._is_soon(state, at, waited_ns)
        if repeated and not state.blind:
            return state, LinkOutput()
        plain = state.plain or self.settings.payload is PayloadForm.PLAIN
        message = parse(report.data, plain=plain, longer=self.settings.longer_payload)
        if state.progress is not AngelEyeProgress.UNDERSTOOD and not isinstance(
            message, MalformedMessage | UnknownMessage
        ):
            state = replace(state, progress=AngelEyeProgress.UNDERSTOOD)
        if repeated:
            return replace(_with_blind_time(state, None), blind=False), LinkOutput()
        items: tuple[AngelEyeItem | LinkFault, ...]
        if same and not isinstance(message, StartMessage):
            # A late copy, or a new report after a whole cycle: nothing proves it a new one.
            moved, items = restart_sequence(state.sequence, report.seq), (ContinuityUnproven(),)
        else:
            moved, findings = self._check_sequence(state, report.seq, message, at, waited_ns)
            items = (*findings, message)
            state, learnt = self._learn_payload(state, report.data)
            items = (*items, *learnt)
        accepted = LastReport(report.seq, report.data, at, waited_ns)
        return replace(state, sequence=moved, last=accepted, blind=False), LinkOutput(items=items)

    def _learn_payload(
        self, state: AngelEyeLinkState, data: bytes
    ) -> tuple[AngelEyeLinkState, tuple[LinkFault, ...]]:
        """Learn from a new report whether payloads lack bit 7; `S` begins anew."""
        if self.settings.payload is not PayloadForm.LEARN:
            return state, ()
        if isinstance(parse(data), StartMessage):
            return replace(state, learning=UNSET), ()
        plain = is_plain(data, longer=self.settings.longer_payload)
        if plain is None or state.plain:
            return state, ()
        if not plain:
            return replace(state, learning=UNSET), ()
        in_row = 1 if state.learning is UNSET else state.learning.in_row + 1
        learning = PayloadLearning(in_row, plain=in_row >= self.settings.learn_frames)
        return replace(state, learning=learning), (PLAIN_PAYLOAD,) if learning.plain else ()

    def _is_soon(self, state: AngelEyeLinkState, at: Timestamp, waited_ns: int) -> bool:
        """Whether a report with the SEQ of the last one came too soon for a cycle between them.

        Bytes that waited for a stopped host may have arrived when it stopped.
        """
        last = state.last
        if last is None or (state.blind and not same_boot(last.at, at)):
            return False
        later_ns = at.monotonic_ns - last.at.monotonic_ns
        if state.blind and self._unread_ns(state, last, at) >= self._cycle_ns_min(state):
            return False
        return later_ns >= 0 and later_ns - waited_ns <= self.settings.repeat_ns_max

    def _check_sequence(
        self,
        state: AngelEyeLinkState,
        seq: str,
        message: AngelEyeMessage,
        at: Timestamp,
        waited_ns: int,
    ) -> tuple[SequenceState, tuple[AngelEyeItem | LinkFault, ...]]:
        """The sequence after a new report, and what is known to be missing before it."""
        cycle = self.settings.seq_cycle
        before = state.sequence
        findings: tuple[AngelEyeItem | LinkFault, ...] = ()
        if state.blind and (isinstance(message, StartMessage) or not self._is_countable(state, at)):
            findings = (ContinuityUnproven(),)
        if isinstance(message, StartMessage):
            before = reset_sequence(cycle, before)
        if state.last is None or findings or isinstance(message, StartMessage):
            return restart_sequence(before, seq), findings
        moved, step = advance_sequence(cycle, before, seq)
        match step.kind:
            case StepKind.NEXT | StepKind.UNJUDGED:
                return moved, ()
            case StepKind.GAP:
                # The shortest time between reports leaves no room for a whole cycle of them.
                soon = seq == before.last and self._is_soon(state, at, waited_ns)
                return moved, (SequenceGap(0 if soon else step.missing_min),)
            case StepKind.SETTING:
                return moved, (_wrong_cycle(self.settings, moved),)
            case _:
                assert_never(step.kind)

    def _is_countable(self, state: AngelEyeLinkState, at: Timestamp) -> bool:
        """Whether the time without listening is too short for half a cycle of reports.

        The next SEQ then proves how many were missed.
        """
        last = state.last
        if last is None or not same_boot(last.at, at):
            return False
        return 2 * self._unread_ns(state, last, at) < self._cycle_ns_min(state)

    def _unread_ns(self, state: AngelEyeLinkState, last: LastReport, at: Timestamp) -> int:
        """At most so long nobody listened since the last report, in the same boot."""
        since_last_ns = at.monotonic_ns - last.at.monotonic_ns + last.waited_ns
        known = last.blind_time
        if known is None or known.until is None or not same_boot(known.since, known.until):
            return since_last_ns
        return min(since_last_ns, elapsed_ns(known.since, known.until) + known.before_ns)

    def _cycle_ns_min(self, state: AngelEyeLinkState) -> int:
        """A whole cycle of reports takes at least so long; 0 while its length is unknown."""
        return cycle_length(state.sequence) * self.settings.report_interval_ns_min


def _with_blind_time(state: AngelEyeLinkState, blind_time: BlindTime | None) -> AngelEyeLinkState:
    last = state.last
    if last is None or last.blind_time == blind_time:
        return state
    return replace(state, last=replace(last, blind_time=blind_time))


def _with_exchange(state: AngelEyeLinkState, result: CommandExchangeResult) -> AngelEyeLinkResult:
    exchange, output = result
    return replace(state, exchange=exchange), LinkOutput(output.items, output.to_write)


def _wrong_cycle(settings: AngelEyeLinkSettings, adopted: SequenceState) -> LinkFault:
    observed = "".join(sorted({before for before, _after in adopted.order}))
    shown = observed.encode("unicode_escape").decode("ascii")
    detail = message("set_seq_cycle", cycle=settings.seq_cycle.value, foreign=shown)
    return LinkFault(LinkFaultKind.SEQUENCE_SETTING, detail)
