"""The machine of play, and the model that it moves for the time of one input.

The machine holds no state and no model: a `Play` is made for each input, moved and let go, so the
procedure stays a pure function, and several threads may share the machine. Its rows are added by
`table`. The one importer of `transitions` in the procedure.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from transitions import Machine

from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import ObservableFact, RuleBook

if TYPE_CHECKING:
    from controller.procedure.step_result import Step

MACHINE: Final = Machine(
    model=None,
    states=Phase,
    initial=Phase.CLOSED,
    auto_transitions=False,
    model_attribute="phase",
    name="play",
)


def takes(phase: Phase, trigger: Trigger) -> bool:
    """Whether the table has a row for this trigger in this phase."""
    return trigger in _taken(phase)


@cache
def _taken(phase: Phase) -> frozenset[str]:
    """The triggers; the library walks through all events to name them, which is 5 us."""
    return frozenset(MACHINE.get_triggers(phase))


def fill_cache() -> None:
    """Answer `takes` for every phase; the table does it when its last row was added."""
    _taken.cache_clear()
    for phase in Phase:
        _taken(phase)


def ends_unreported(book: RuleBook, phase: Phase) -> bool:
    """Whether a coup waits only for a result that nothing reports: it is over."""
    return takes(phase, Trigger.COUP_DONE) and not book.observes(ObservableFact.RESULT_BUTTON)


class Play:
    """One input at one table: what the conditions of a row read, and what its callbacks change.

    `counted`: its card is counted as drawn. `asked` and `before`: the happening that is asked now,
    and the step in which it was asked. `back`: the phase in which play resumes.
    """

    __slots__ = ("asked", "back", "before", "book", "counted", "event", "step")

    def __init__(self, book: RuleBook, step: "Step", event: Any = None) -> None:
        self.book = book
        self.step = step
        self.event = event
        self.counted = False
        self.back: Phase | None = None
        self.asked: Trigger | None = None
        self.before = step

    @property
    def phase(self) -> Phase:
        """The phase of play; the library reads and sets it here, and nothing else moves it.

        Its one place is the state: while the table is suspended, the phase beneath.
        """
        return self.step.state.play_phase

    @phase.setter
    def phase(self, phase: Phase) -> None:
        state = self.step.state
        if state.suspension is None:
            self.step = self.step.with_state(replace(state, phase=phase))
        else:
            beneath = replace(state.suspension, resume_to=phase)
            self.step = self.step.with_state(replace(state, suspension=beneath))

    def fire(self, trigger: Trigger) -> None:
        """Fire this trigger; that no row answers is an internal error."""
        answered = MACHINE.events[trigger].trigger(self, self)
        assert answered, f"no row for {trigger} in {self.phase}"

    def ask(self, trigger: Trigger) -> None:
        """Fire what happened; it may be asked again in the phase that follows."""
        self.asked, self.before = trigger, self.step
        self.fire(trigger)

    @property
    def moved(self) -> bool:
        return self.step.phase is not self.before.phase


def ask(
    book: RuleBook, step: "Step", trigger: Trigger, event: Any, *, counted: bool = False
) -> "Step":
    """The step after this happened; `counted`: its card is counted as drawn already."""
    play = Play(book, step, event)
    play.counted = counted
    play.ask(trigger)
    return play.step
