"""The link to a FEIG OBID reader: raw bytes become records, in order, each once.

Identifies the reader, decides which question is sent when, and clears records from the reader's
buffer with the same output that delivers them.
Source: firmware_bridge/feig/README.md.
"""

from collections.abc import Iterable
from types import MappingProxyType
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_bridge.feig import answers, buffer, commands, continuity, tags
from firmware_bridge.feig import state as states
from firmware_bridge.feig.frames import (
    AnswerFrame,
    FeigCommand,
    FeigFrame,
    FeigUnframed,
    RequestFrame,
    feed,
    flush,
)
from firmware_bridge.feig.items import FeigItem, FeigRequest, Inventory, ReadBlocks, SetPace
from firmware_bridge.feig.settings import LAYOUTS, BufferLayout, Delivery, FeigLinkSettings
from firmware_bridge.feig.state import (
    FeigItems,
    FeigLinkState,
    OutstandingQuestion,
    Question,
    Schedule,
)
from firmware_bridge.link import LinkFault, LinkOutput
from foundation.message import Message, message
from foundation.timestamp import Timestamp

FeigOutput: TypeAlias = LinkOutput[FeigItem]
FeigLinkResult: TypeAlias = tuple[FeigLinkState, FeigOutput]

_CLEARING = message("clearing_of_reader_buffer")
_QUESTIONS = MappingProxyType(
    {
        Question.VERSION: message("question_for_version"),
        Question.TIMER: message("question_for_timer"),
        Question.BUFFER: message("question_for_buffer"),
        Question.CONFIRM: message("question_for_first_records"),
        Question.TAGS: message("question_for_tags"),
    }
)


class FeigLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link."""

    settings: FeigLinkSettings = field(default_factory=FeigLinkSettings)

    def __post_init__(self) -> None:
        assert self.settings.layout in LAYOUTS

    @property
    def layout(self) -> BufferLayout:
        return LAYOUTS[self.settings.layout]

    def initial(self) -> FeigLinkState:
        """The state before anything was received."""
        return FeigLinkState()

    def opened(self, state: FeigLinkState, at: Timestamp) -> FeigLinkResult:
        """The port is open (again): half a frame is dropped, and continuity must be proved."""
        state, output = self.closed(state, at)
        now_ns = at.monotonic_ns
        # The buffer is read with either delivery: a notification sent while nobody listened may not
        # be repeated.
        state = replace(
            state,
            open=True,
            schedule=Schedule(now_ns, now_ns, now_ns, buffer_ns=now_ns),
            continuity=continuity.require_proof(state.continuity),
        )
        state = answers.schedule_keep_alive(self.settings, state, at)
        return self._send_next(state, output.items, at)

    def closed(self, state: FeigLinkState, at: Timestamp) -> FeigLinkResult:
        """The port was lost at `at`: no answer will come."""
        detail = message("port_lost_before_reader_answered")
        state, failed = states.fail_tag_requests(state, detail)
        closed_state = FeigLinkState(
            closely=state.closely,
            overflow_reported=state.overflow_reported,
            delivered=state.delivered,
            continuity=state.continuity,
        )
        return closed_state, LinkOutput(failed)

    def receive(self, state: FeigLinkState, data: bytes, at: Timestamp) -> FeigLinkResult:
        """Take received bytes, in any fragmentation."""
        state, items = self._flush_after_gap(state, at)
        unframed, found = feed(state.unframed, data)
        state = replace(state, unframed=unframed, bytes_ns=at.monotonic_ns)
        state, more = self._handle_found(state, found, at)
        return self._send_next(state, (*items, *more), at)

    def send(self, state: FeigLinkState, request: FeigRequest, at: Timestamp) -> FeigLinkResult:
        """Set the polling pace, or queue a request behind the outstanding question."""
        match request:
            case SetPace(closely):
                return self._send_next(self._with_pace(state, at, closely=closely), (), at)
            case Inventory() | ReadBlocks():
                state, items = tags.queue_request(self.settings, state, request)
                return self._send_next(state, items, at)
            case _:
                assert_never(request)

    def tick(self, state: FeigLinkState, at: Timestamp) -> FeigLinkResult:
        """Handle deadlines that have passed."""
        now_ns = at.monotonic_ns
        state, items = self._flush_after_gap(state, at)
        if state.outstanding is not None and now_ns >= state.outstanding.deadline_ns:
            state, more = self._handle_timeout(state, state.outstanding, at)
            items = (*items, *more)
        if state.clear_deadline_ns is not None and now_ns >= state.clear_deadline_ns:
            # Not sent again: the next reading of the buffer shows whether it was cleared.
            schedule = replace(state.schedule, buffer_ns=now_ns, version_ns=now_ns)
            state = replace(
                state, clear_deadline_ns=None, uncleared=True, settled=False, schedule=schedule
            )
            state, more = self._report_silence(state, _CLEARING)
            items = (*items, *more)
        alive_ns = state.schedule.keep_alive_due_ns
        if alive_ns is not None and now_ns >= alive_ns:
            state = replace(state, schedule=replace(state.schedule, keep_alive_due_ns=None))
            state, more = answers.report_no_keep_alive(self.settings, state)
            items = (*items, *more)
        return self._send_next(state, items, at)

    def next_deadline_ns(self, state: FeigLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return states.next_deadline_ns(self.settings, state)

    def _with_pace(self, state: FeigLinkState, at: Timestamp, *, closely: bool) -> FeigLinkState:
        state = replace(state, closely=closely)
        due_ns = state.schedule.buffer_ns
        soon_ns = states.next_poll_ns(self.settings, state, at.monotonic_ns)
        if due_ns is None or soon_ns is None or not closely:
            return state
        return replace(state, schedule=replace(state.schedule, buffer_ns=min(due_ns, soon_ns)))

    def _flush_after_gap(
        self, state: FeigLinkState, at: Timestamp
    ) -> tuple[FeigLinkState, FeigItems]:
        """Drop half a frame after a gap in the received bytes."""
        since_ns = at.monotonic_ns - state.bytes_ns
        if not state.unframed.pending or since_ns < self.settings.gap_ns_max:
            return state, ()
        found = flush(state.unframed)
        return self._handle_found(replace(state, unframed=FeigUnframed()), found, at)

    def _handle_found(
        self, state: FeigLinkState, found: Iterable[FeigFrame | LinkFault], at: Timestamp
    ) -> tuple[FeigLinkState, FeigItems]:
        items: list[FeigItem | LinkFault] = []
        for one in found:
            match one:
                case AnswerFrame():
                    state, more = self._handle_answer(
                        answers.note_frame(self.settings, state, at), one, at
                    )
                case LinkFault():
                    state, more = self._schedule_reread(state, at), (one,)
                case RequestFrame():
                    more = ()
                case _:
                    assert_never(one)
            items.extend(more)
        return state, tuple(items)

    def _schedule_reread(self, state: FeigLinkState, at: Timestamp) -> FeigLinkState:
        """Schedule a reading: the damaged frame may have been a notification."""
        if self.settings.delivery is Delivery.POLL or state.schedule.buffer_ns is not None:
            return state
        due_ns = at.monotonic_ns + self.settings.gap_ns_max
        return replace(state, schedule=replace(state.schedule, buffer_ns=due_ns))

    def _handle_answer(
        self, state: FeigLinkState, answer: AnswerFrame, at: Timestamp
    ) -> tuple[FeigLinkState, FeigItems]:
        if answer.command in (FeigCommand.READ_BUFFER, FeigCommand.READ_BUFFER_OLD):
            return buffer.handle_reading(self.settings, self.layout, state, answer, at)
        return answers.handle_answer(self.settings, state, answer, at)

    # --- questions -------------------------------------------------------------------------------

    def _handle_timeout(
        self, state: FeigLinkState, outstanding: OutstandingQuestion, at: Timestamp
    ) -> tuple[FeigLinkState, FeigItems]:
        state = replace(state, outstanding=None)
        if outstanding.query is not None:
            return tags.handle_timeout(self.settings, state, outstanding.query, at)
        state, items = self._report_silence(state, _QUESTIONS[outstanding.question])
        due_ns = states.retry_ns(self.settings, state, at.monotonic_ns)
        match outstanding.question:
            case Question.VERSION:
                schedule = replace(state.schedule, version_ns=due_ns)
            case Question.TIMER:
                schedule = replace(state.schedule, timer_ns=due_ns)
                state = replace(state, continuity=continuity.record_no_answer(state.continuity))
            case Question.BUFFER | Question.CONFIRM:
                buffer_ns = (
                    due_ns if outstanding.question is Question.BUFFER else state.schedule.buffer_ns
                )
                schedule = replace(state.schedule, buffer_ns=buffer_ns, version_ns=due_ns)
                state = replace(state, settled=False)
            case Question.TAGS:
                schedule = state.schedule
            case _:
                assert_never(outstanding.question)
        return replace(state, schedule=schedule), items

    def _report_silence(
        self, state: FeigLinkState, what: Message
    ) -> tuple[FeigLinkState, FeigItems]:
        limit_ms = self.settings.answer_ns_max // 1_000_000
        detail = message("reader_did_not_answer_question", what=what, ms=limit_ms)
        return states.report_silence(state, detail)

    def _send_next(self, state: FeigLinkState, items: FeigItems, at: Timestamp) -> FeigLinkResult:
        """Clear what was delivered, once it is stored, and send the next question."""
        to_write: tuple[bytes, ...] = ()
        deadline_ns = at.monotonic_ns + self.settings.answer_ns_max
        if state.clear_due:
            state = replace(state, clear_due=False, clear_deadline_ns=deadline_ns)
            to_write = (commands.clear_buffer(self.layout.form),)
        question = states.next_question(state, at.monotonic_ns)
        if question is None:
            return state, LinkOutput(items, to_write)
        # Not before the store is done: only stored records may be confirmed and cleared.
        after_storing = question is Question.CONFIRM or not state.settled
        state, frame = self._encode_question(state, question, at)
        if after_storing:
            return state, LinkOutput(items, (*to_write, frame))
        return state, LinkOutput(items, to_write, (frame,))

    def _encode_question(
        self, state: FeigLinkState, question: Question, at: Timestamp
    ) -> tuple[FeigLinkState, bytes]:
        form = self.layout.form
        deadline_ns = at.monotonic_ns + self.settings.answer_ns_max
        query = None
        match question:
            case Question.VERSION:
                frame = commands.ask_version(form)
            case Question.TIMER:
                frame = commands.ask_timer(form)
                state = replace(state, continuity=continuity.record_question(state.continuity, at))
            case Question.BUFFER:
                frame = commands.read_buffer(self.layout)
                state = replace(state, schedule=replace(state.schedule, buffer_ns=None))
            case Question.CONFIRM:
                frame = commands.read_buffer(self.layout, state.to_confirm)
            case Question.TAGS:
                query, *waiting = state.waiting
                frame = tags.encode_query(query, form)
                deadline_ns = at.monotonic_ns + self.settings.inventory_ns_max
                state = replace(state, waiting=tuple(waiting))
            case _:
                assert_never(question)
        return replace(
            state, outstanding=OutstandingQuestion(question, at, deadline_ns, query)
        ), frame
