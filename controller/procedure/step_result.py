"""The result of one step, the machine of play that moves it, and the functions that build it.

The machine holds no state and no model: a `Play` is made for each input, moved and let go, so the
procedure stays a pure function, and several threads may share the machine. Its rows are added by
`table`. A card is named by the shoe's claim for it alone, never by the cards on the table or the
phase; where it was placed, the rules' answer on the hands with that card is a second trigger.
Source: NY (h); S42 (e)(6), (h); D-16, D-32.
"""

from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from transitions import Machine

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.moves import CardPlaced, Move
from controller.procedure.effects import CoupRecord, Effect, Prompt, PromptKind
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import (
    CoupState,
    NextShoe,
    OpenIrregularity,
    RemedyState,
    ShoeState,
    Suspension,
    TableState,
)
from controller.procedure.verdicts import Accepted, Irregularity, Verdict
from controller.rules.actions.actions import CallNoMoreBets, DeclareResult
from controller.rules.coup import DrawDecision, Place
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message

Happening: TypeAlias = (
    CardDrawn
    | CutCardDrawn
    | CallNoMoreBets
    | ResultDeclared
    | DeclareResult
    | CoupForcedOut
    | ShoeStandsBy
    | ShoeDeviceStarted
    | ReportsMissing
    | ProgramReplaced
)

_CLAIMS: Final = MappingProxyType(
    {
        Place.BURN_FIRST: Trigger.CLAIMED_BURN_FIRST,
        Place.BURN: Trigger.CLAIMED_BURN,
        Place.BURN_EXTRA: Trigger.CLAIMED_BURN_EXTRA,
        Place.PLAYER_1: Trigger.CLAIMED_PLAYER_1,
        Place.BANKER_1: Trigger.CLAIMED_BANKER_1,
        Place.PLAYER_2: Trigger.CLAIMED_PLAYER_2,
        Place.BANKER_2: Trigger.CLAIMED_BANKER_2,
        Place.PLAYER_3: Trigger.CLAIMED_PLAYER_3,
        Place.BANKER_3: Trigger.CLAIMED_BANKER_3,
        Place.PLAYER_MORE: Trigger.CLAIMED_FURTHER,
        Place.BANKER_MORE: Trigger.CLAIMED_FURTHER,
        Place.OUTSIDE: Trigger.CLAIMED_OUTSIDE,
        Place.UNCLAIMED: Trigger.UNCLAIMED_CARD,
    }
)
RULINGS: Final = MappingProxyType(
    {
        DrawDecision.FIRST_FOUR: Trigger.CARD,
        DrawDecision.NATURAL: Trigger.NATURAL,
        DrawDecision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
        DrawDecision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
        DrawDecision.BOTH_STAND: Trigger.BOTH_STAND,
        DrawDecision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
        DrawDecision.BANKER_STANDS: Trigger.BANKER_STANDS,
        DrawDecision.COMPLETE: Trigger.CARD,
    }
)
_OTHERS: Final = MappingProxyType(
    {
        CutCardDrawn: Trigger.CUT_CARD,
        CallNoMoreBets: Trigger.NO_MORE_BETS,
        ResultDeclared: Trigger.RESULT_DECLARED,
        DeclareResult: Trigger.RESULT_DECLARED,
        CoupForcedOut: Trigger.FORCED_EXIT,
        ShoeStandsBy: Trigger.STAND_BY,
        ShoeDeviceStarted: Trigger.DEVICE_STARTED,
        ReportsMissing: Trigger.REPORTS_MISSING,
        ProgramReplaced: Trigger.PROGRAM_REPLACED,
    }
)


def trigger_of(happening: Happening) -> Trigger:
    """The trigger of this happening."""
    if isinstance(happening, CardDrawn):
        return _CLAIMS[happening.claimed]
    trigger = _OTHERS.get(type(happening))
    assert trigger is not None, f"{happening} is nothing that can happen"
    return trigger


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


# A defective shoe may raise an irregularity at every report. The record has them all; the lists in
# the state stay short: the first ones, and the first of every further kind.
LISTED_IRREGULARITIES_MAX = 32


class Step(Struct, frozen=True):
    """The state after an event, and everything concluded from it, in order.

    `moves`: where the event put cards and batches; custody follows them. Used only while the event
    is judged: `provisional`, the table is suspended, so nothing is counted; `held`, the coups that
    ended meanwhile; `next_shoe`, what the event shows of the next shoe while this one cannot be
    left. `calls`: those of the effects that are calls after a card; they wait where it suspends.
    """

    state: TableState
    verdicts: tuple[Verdict, ...] = ()
    effects: tuple[Effect, ...] = ()
    moves: tuple[Move, ...] = ()
    provisional: bool = False
    held: tuple[CoupRecord, ...] = ()
    next_shoe: NextShoe = NextShoe.NONE
    calls: tuple[Effect, ...] = ()

    def with_state(self, state: TableState) -> "Step":
        return replace(self, state=state)

    def with_effect(self, effect: Effect) -> "Step":
        return replace(self, effects=(*self.effects, effect))

    def with_move(self, *moves: Move) -> "Step":
        return replace(self, moves=(*self.moves, *moves))

    def place_drawn(self, place: CardPlace) -> "Step":
        """The card drawn last went to this place."""
        return self.with_move(CardPlaced(self.shoe.cards_drawn, place, drawn=True))

    def with_shoe(self, shoe: ShoeState) -> "Step":
        return self.with_state(replace(self.state, shoe=shoe))

    def with_coup(self, coup: CoupState | None) -> "Step":
        return self.with_shoe(replace(self.shoe, coup=coup))

    def with_remedy(self, remedy: RemedyState) -> "Step":
        return self.with_shoe(replace(self.shoe, remedy=remedy))

    def advance(self, book: RuleBook, *triggers: Trigger) -> "Step":
        """Fire what follows from the event; that no row answers is an internal error."""
        play = Play(book, self)
        for trigger in triggers:
            play.fire(trigger)
        return play.step

    def resume(self, book: RuleBook, back: Phase) -> "Step":
        """Resume play in that phase."""
        play = Play(book, self)
        play.back = back
        play.fire(Trigger.RESUME)
        return play.step

    @property
    def phase(self) -> Phase:
        """The phase of play: the phase beneath, while the table is suspended."""
        return self.state.play_phase

    @property
    def shoe(self) -> ShoeState:
        assert self.state.shoe is not None, "no shoe is open"
        return self.state.shoe

    @property
    def coup(self) -> CoupState:
        shoe = self.state.shoe
        assert shoe is not None, "no shoe is open"
        assert shoe.coup is not None, "no coup is open"
        return shoe.coup


def accept(step: Step, what: Message, clauses: tuple[str, ...] = ()) -> Step:
    """The event is in order."""
    verdict = Accepted(what, clauses, provisional=step.provisional)
    return replace(step, verdicts=(*step.verdicts, verdict))


def prompt(book: RuleBook, step: Step, kind: PromptKind, text: Message, *points: RulePoint) -> Step:
    """Prompt a person; nothing here observes whether it is done."""
    return step.with_effect(_new_prompt(book, kind, text, points))


def prompt_after_decision(
    book: RuleBook, step: Step, text: Message, points: tuple[RulePoint, ...]
) -> Step:
    """Prompt what is done with a card of the coup, once a decision lets the coup go on."""
    waiting = _new_prompt(book, PromptKind.REMEDY, text, points)
    return step.with_coup(replace(step.coup, remedies=(*step.coup.remedies, waiting)))


def _new_prompt(
    book: RuleBook, kind: PromptKind, text: Message, points: tuple[RulePoint, ...]
) -> Prompt:
    return Prompt(kind, text, book.clauses(*points), observed=False)


def raise_irregularity(
    book: RuleBook,
    step: Step,
    code: IrregularityCode,
    detail: Message,
    *points: RulePoint,
    instead: tuple[RulePoint, ...] = (),
    finding: Finding | None = None,
    suspends_now: bool = True,
) -> Step:
    """Raise an irregularity of the present shoe, or of the table where no shoe is open.

    The decisions on it are named after the whole event was judged (people.permitted).
    `points` are cited after those of the catalogue, or after those of `instead`; `finding` is
    custody's finding, if any. With no shoe there is no play to stop: it does not suspend then.
    With `suspends_now` False it suspends later: `suspend_for`.
    """
    kind = CATALOGUE[code]
    shoe = step.state.shoe
    coup = shoe.coup.number if shoe is not None and shoe.coup is not None else 0
    verdict = Irregularity(
        code=code,
        number=step.state.irregularities + 1,
        coup=coup,
        detail=detail,
        clauses=book.clauses(*(instead or kind.points), *points),
        decisions=(),
        suspends=kind.suspends and suspends_now and shoe is not None,
        provisional=step.provisional,
    )
    return replace(_list_irregularity(step, verdict, finding), verdicts=(*step.verdicts, verdict))


def _list_irregularity(step: Step, verdict: Irregularity, finding: Finding | None) -> Step:
    """Number and list the irregularity in state, shoe and coup."""
    state, number = step.state, verdict.number
    listed = state.open_irregularities
    known = any((one.code, one.suspends) == (verdict.code, verdict.suspends) for one in listed)
    if len(listed) < LISTED_IRREGULARITIES_MAX or not known:
        opened = OpenIrregularity(
            number=number,
            code=verdict.code,
            clauses=verdict.clauses,
            coup=verdict.coup,
            suspends=verdict.suspends,
            provisional=verdict.provisional,
            finding=finding,
        )
        listed = (*listed, opened)
    shoe = state.shoe
    if shoe is None:
        return step.with_state(replace(state, irregularities=number, open_irregularities=listed))
    coup = shoe.coup
    if coup is not None and len(coup.irregular) < LISTED_IRREGULARITIES_MAX:
        coup = replace(coup, irregular=(*coup.irregular, number))
    shoe = replace(shoe, irregularities=shoe.irregularities + 1, coup=coup)
    return step.with_state(
        replace(state, irregularities=number, open_irregularities=listed, shoe=shoe)
    )


def suspend_for(step: Step, code: IrregularityCode) -> Step:
    """From now on the open irregularities of this code suspend the table."""
    opened = step.state.open_irregularities
    listed = tuple(replace(one, suspends=True) if one.code is code else one for one in opened)
    return step.with_state(replace(step.state, open_irregularities=listed))


def suspend_if_due(book: RuleBook, step: Step) -> Step:
    """Suspend the table if an open irregularity suspends it.

    It comes last: until then the whole event is judged in the phase of play, so that one card can
    break two rules.
    """
    if step.state.suspension is not None or not step.state.open_irregularities:
        return step
    first = next((one for one in step.state.open_irregularities if one.suspends), None)
    if first is None:
        return step
    suspension = Suspension(step.phase, first.coup, next_shoe=step.next_shoe)
    step = _without_calls(step).advance(book, Trigger.SUSPEND)
    return step.with_state(replace(step.state, suspension=suspension))


def hold_back_calls(step: Step, findings: tuple[Finding, ...]) -> Step:
    """The step whose calls wait, where custody found something at its card that suspends."""
    suspends = any(CATALOGUE[IrregularityCode(one.code.value)].suspends for one in findings)
    return _without_calls(step) if suspends else step


def _without_calls(step: Step) -> Step:
    """Without the calls of the coup on the table, which wait for the decision."""
    if not step.calls or step.shoe.coup is None:
        return step
    effects = tuple(one for one in step.effects if all(one is not call for call in step.calls))
    return let_calls_wait(replace(step, effects=effects, calls=()))


def let_calls_wait(step: Step) -> Step:
    """The calls after the coup's last card are due when a decision lets it go on."""
    return step.with_coup(replace(step.coup, calls_wait=True))
