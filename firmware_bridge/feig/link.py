"""The link to a FEIG OBID reader: raw bytes to records, in order, each once.

Responsible for: who the reader is, what is asked when, deadlines, and clearing what was given with
the very output that gives it. The link object holds settings only; all it has learnt stands in the
frozen state.
Not responsible for: ports, and for what a tag means at a table (drivers).
Source: package README, "FEIG OBID".
"""

from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias, assert_never

from firmware_bridge.feig import answers, buffer, commands, continuity, tags
from firmware_bridge.feig import state as states
from firmware_bridge.feig.frames import Answer, Command, Frame, Request, Unframed, feed, silence
from firmware_bridge.feig.items import FeigItem, FeigRequest, Inventory, ReadBlocks, SetPace
from firmware_bridge.feig.layouts import LAYOUTS, Layout
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.feig.state import Asked, Dues, FeigLinkState, Items, Question
from firmware_bridge.link import LinkFault, LinkOutput
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

FeigOutput: TypeAlias = LinkOutput[FeigItem]
Linked: TypeAlias = tuple[FeigLinkState, FeigOutput]


@dataclass(frozen=True, slots=True)
class FeigLink:
    """Follows firmware_bridge.link.Link."""

    settings: FeigLinkSettings = field(default_factory=FeigLinkSettings)

    def __post_init__(self) -> None:
        assert self.settings.layout in LAYOUTS

    @property
    def layout(self) -> Layout:
        return LAYOUTS[self.settings.layout]

    def initial(self) -> FeigLinkState:
        """The state before anything was heard."""
        return FeigLinkState()

    def opened(self, state: FeigLinkState, at: Timestamp) -> Linked:
        """The port is open (again): half a frame is gone, and continuity is to be proved."""
        state, output = self.closed(state, at)
        now_ns = at.monotonic_ns
        # What waits in the buffer is fetched in either way of delivery: a notification sent while
        # nobody listened need not come again.
        state = replace(
            state,
            open=True,
            dues=Dues(now_ns, now_ns, now_ns, buffer_ns=now_ns),
            continuity=continuity.reopened(state.continuity),
        )
        state = answers.sign_of_life_due(self.settings, state, at)
        return self._asked_next(state, output.items, at)

    def closed(self, state: FeigLinkState, at: Timestamp) -> Linked:
        """The port is gone at `at`: no answer will come to what was asked."""
        state, failed = states.without_requests(
            state, "the port was lost before the reader answered"
        )
        kept = FeigLinkState(
            closely=state.closely,
            overflow_told=state.overflow_told,
            delivered=state.delivered,
            continuity=state.continuity,
        )
        return kept, LinkOutput(failed)

    def receive(self, state: FeigLinkState, data: bytes, at: Timestamp) -> Linked:
        """Take raw bytes as they came, in any fragmentation."""
        state, items = self._given_up(state, at)
        unframed, found = feed(state.unframed, data)
        state = replace(state, unframed=unframed, bytes_ns=at.monotonic_ns)
        state, more = self._take(state, found, at)
        return self._asked_next(state, (*items, *more), at)

    def send(self, state: FeigLinkState, request: FeigRequest, at: Timestamp) -> Linked:
        """Set the pace, or queue what is asked behind the question still unanswered."""
        match request:
            case SetPace(closely):
                return self._asked_next(self._paced(state, at, closely=closely), (), at)
            case Inventory() | ReadBlocks():
                state, items = tags.requested(self.settings, state, request)
                return self._asked_next(state, items, at)
            case _:
                assert_never(request)

    def tick(self, state: FeigLinkState, at: Timestamp) -> Linked:
        """A deadline may have passed."""
        now_ns = at.monotonic_ns
        state, items = self._given_up(state, at)
        if state.asked is not None and now_ns >= state.asked.deadline_ns:
            state, more = self._unanswered(state, state.asked, at)
            items = (*items, *more)
        if state.clear_deadline_ns is not None and now_ns >= state.clear_deadline_ns:
            # Not asked again: whether it was done shows when the buffer is read.
            dues = replace(state.dues, buffer_ns=now_ns, version_ns=now_ns)
            state = replace(state, clear_deadline_ns=None, uncleared=True, settled=False, dues=dues)
            state, more = self._fell_silent(state, "the clearing of its buffer")
            items = (*items, *more)
        alive_ns = state.dues.sign_of_life_ns
        if alive_ns is not None and now_ns >= alive_ns:
            state = replace(state, dues=replace(state.dues, sign_of_life_ns=None))
            state, more = answers.no_sign_of_life(self.settings, state)
            items = (*items, *more)
        return self._asked_next(state, items, at)

    def next_deadline_ns(self, state: FeigLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return states.next_deadline_ns(self.settings, state)

    def _paced(self, state: FeigLinkState, at: Timestamp, *, closely: bool) -> FeigLinkState:
        state = replace(state, closely=closely)
        due_ns = state.dues.buffer_ns
        soon_ns = states.after_pace_ns(self.settings, state, at.monotonic_ns)
        if due_ns is None or soon_ns is None or not closely:
            return state
        return replace(state, dues=replace(state.dues, buffer_ns=min(due_ns, soon_ns)))

    def _given_up(self, state: FeigLinkState, at: Timestamp) -> tuple[FeigLinkState, Items]:
        """Half a frame whose rest did not come is none."""
        since_ns = at.monotonic_ns - state.bytes_ns
        if not state.unframed.pending or since_ns < self.settings.gap_ns_max:
            return state, ()
        found = silence(state.unframed)
        return self._take(replace(state, unframed=Unframed()), found, at)

    def _take(
        self, state: FeigLinkState, found: Iterable[Frame | LinkFault], at: Timestamp
    ) -> tuple[FeigLinkState, Items]:
        items: list[FeigItem | LinkFault] = []
        for one in found:
            match one:
                case Answer():
                    state, more = self._answer(answers.heard(self.settings, state, at), one, at)
                case LinkFault():
                    state, more = self._damaged(state, at), (one,)
                case Request():
                    more = ()
                case _:
                    assert_never(one)
            items.extend(more)
        return state, tuple(items)

    def _damaged(self, state: FeigLinkState, at: Timestamp) -> FeigLinkState:
        """It may have been a notification, which need not come again."""
        if self.settings.delivery is Delivery.POLL or state.dues.buffer_ns is not None:
            return state
        due_ns = at.monotonic_ns + self.settings.gap_ns_max
        return replace(state, dues=replace(state.dues, buffer_ns=due_ns))

    def _answer(
        self, state: FeigLinkState, answer: Answer, at: Timestamp
    ) -> tuple[FeigLinkState, Items]:
        if answer.command in (Command.READ_BUFFER, Command.READ_BUFFER_OLD):
            return buffer.reading(self.settings, self.layout, state, answer, at)
        return answers.answer(self.settings, state, answer, at)

    # --- what is asked ---------------------------------------------------------------------------

    def _unanswered(
        self, state: FeigLinkState, asked: Asked, at: Timestamp
    ) -> tuple[FeigLinkState, Items]:
        state = replace(state, asked=None)
        if asked.ask is not None:
            return tags.unanswered(self.settings, state, asked.ask, at)
        state, items = self._fell_silent(state, f"the question for {asked.question}")
        due_ns = states.retry_ns(self.settings, state, at.monotonic_ns)
        match asked.question:
            case Question.VERSION:
                dues = replace(state.dues, version_ns=due_ns)
            case Question.TIMER:
                dues = replace(state.dues, timer_ns=due_ns)
                state = replace(state, continuity=continuity.unanswered(state.continuity))
            case Question.BUFFER | Question.CONFIRM:
                buffer_ns = due_ns if asked.question is Question.BUFFER else state.dues.buffer_ns
                dues = replace(state.dues, buffer_ns=buffer_ns, version_ns=due_ns)
                state = replace(state, settled=False)
            case Question.TAGS:
                dues = state.dues
            case _:
                assert_never(asked.question)
        return replace(state, dues=dues), items

    def _fell_silent(self, state: FeigLinkState, what: str) -> tuple[FeigLinkState, Items]:
        limit_ms = self.settings.answer_ns_max // 1_000_000
        detail = (
            f"the reader did not answer {what} within {limit_ms} ms: "
            "is it switched on, and is this its port?"
        )
        return states.fell_silent(state, detail)

    def _asked_next(self, state: FeigLinkState, items: Items, at: Timestamp) -> Linked:
        """What was given is cleared once it is stored, and the next question is asked."""
        to_write: tuple[bytes, ...] = ()
        deadline_ns = at.monotonic_ns + self.settings.answer_ns_max
        if state.clear_due:
            state = replace(state, clear_due=False, clear_deadline_ns=deadline_ns)
            to_write = (commands.clear_buffer(self.layout.form),)
        question = states.next_question(state, at.monotonic_ns)
        if question is None:
            return state, LinkOutput(items, to_write)
        # Not before what may still wait for the store, and what is stored is confirmed fresh.
        after_storing = question is Question.CONFIRM or not state.settled
        state, frame = self._ask(state, question, at)
        if after_storing:
            return state, LinkOutput(items, (*to_write, frame))
        return state, LinkOutput(items, to_write, (frame,))

    def _ask(
        self, state: FeigLinkState, question: Question, at: Timestamp
    ) -> tuple[FeigLinkState, bytes]:
        form = self.layout.form
        deadline_ns = at.monotonic_ns + self.settings.answer_ns_max
        ask = None
        match question:
            case Question.VERSION:
                frame = commands.ask_version(form)
            case Question.TIMER:
                frame = commands.ask_timer(form)
                state = replace(state, continuity=continuity.asking(state.continuity, at))
            case Question.BUFFER:
                frame = commands.read_buffer(self.layout)
                state = replace(state, dues=replace(state.dues, buffer_ns=None))
            case Question.CONFIRM:
                frame = commands.read_buffer(self.layout, state.to_confirm)
            case Question.TAGS:
                ask, *waiting = state.waiting
                frame = tags.frame_of(ask, form)
                deadline_ns = at.monotonic_ns + self.settings.inventory_ns_max
                state = replace(state, waiting=tuple(waiting))
            case _:
                assert_never(question)
        return replace(state, asked=Asked(question, at, deadline_ns, ask)), frame
