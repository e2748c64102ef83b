"""The table of play: each row may answer, and each one matters."""

import inspect
import sys
import threading
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple, get_args

import pytest
from phase_events import answer
from recorded_rows import SCRIPTS, Script, Witness, book_named, judged, witness_of, witnesses
from transitions import Machine, MachineError, Transition

from controller.procedure.phases import IN_PLAY, IN_SHOE, RESTING, Phase, Trigger
from controller.procedure.step_result import MACHINE, Happening, Step, takes
from controller.procedure.table.claims import ANY_CARD
from controller.procedure.table.table import ROWS

HAPPENINGS = (
    *ANY_CARD,
    Trigger.CUT_CARD,
    Trigger.NO_MORE_BETS,
    Trigger.RESULT_DECLARED,
    Trigger.FORCED_EXIT,
    Trigger.STAND_BY,
    Trigger.DEVICE_STARTED,
    Trigger.REPORTS_MISSING,
    Trigger.PROGRAM_REPLACED,
)

# What the program asks after it, or on a person's word, in the phases in which it does.
FOLLOWING = {
    Trigger.PROGRESS_LOST: IN_SHOE,
    Trigger.NO_CARD_LEFT: RESTING,
    Trigger.STATED_EMPTY: IN_PLAY,
    Trigger.DEALT_WHILE_SUSPENDED: RESTING,
    Trigger.DRAWN_UNDER_WARNING: RESTING,
    Trigger.OF_NEXT_SHOE: RESTING,
}


def rows_for(trigger: Trigger, phase: Phase) -> list[Transition]:
    return MACHINE.get_transitions(trigger, source=phase)


def name_of(one: Transition, trigger: str) -> str:
    held = " & ".join(condition.func.__name__ for condition in one.conditions)
    done = ", ".join(call.__name__ for call in (*one.before, *one.after))
    return f"{trigger} in {one.source} [{held}] {done} -> {one.dest}"


def test_whatever_happens_has_a_last_row_without_conditions_in_every_phase_that_waits() -> None:
    for trigger in HAPPENINGS:
        for phase in RESTING:
            *others, last = rows_for(trigger, phase)
            assert not last.conditions, (trigger, phase)
            assert all(one.conditions for one in others), (trigger, phase)
    for trigger, phases in FOLLOWING.items():
        for phase in phases:
            *others, last = rows_for(trigger, phase)
            assert not last.conditions, (trigger, phase)
            assert all(one.conditions for one in others), (trigger, phase)


def test_a_happening_with_a_row_is_one_that_can_happen() -> None:
    assert set(HAPPENINGS) <= set(Trigger)
    assert len(get_args(Happening)) == 10


def test_what_is_done_takes_what_its_row_gives_it() -> None:
    """mypy holds it too, where it can see which function a row names."""
    for one in ROWS:
        further = (one.why,) if one.why is not None else one.raises
        if one.do is not None:
            inspect.signature(one.do).bind(None, None, None, *further)
        if one.then is not None:
            inspect.signature(one.then).bind(None, None, None)


def test_every_source_and_destination_is_a_phase() -> None:
    """The library does not check them."""
    every = MACHINE.get_transitions()
    met = {one.source for one in every} | {one.dest for one in every if one.dest is not None}
    assert met == set(Phase.__members__)
    assert set(MACHINE.events) == set(Trigger)


# --- every row answers some script, and matters --------------------------------------------------


class Written(NamedTuple):
    """A row as it is written, with what the library made of it, and the events that try it."""

    name: str
    made: list[Transition]
    tried: list[Witness]
    answered: bool


@cache
def usual() -> dict[int, Step]:
    return {id(one): judged(book_named(one.book), one.state, one.event) for one in witnesses()}


@cache
def written_rows() -> tuple[Written, ...]:
    """The transitions of one row share its lists of callbacks."""
    made: dict[int, list[Transition]] = {}
    names: dict[int, str] = {}
    for trigger, event in MACHINE.events.items():
        for one in chain.from_iterable(event.transitions.values()):
            made.setdefault(id(one.before), []).append(one)
            names.setdefault(id(one.before), name_of(one, trigger))
    found = []
    for key, rows in made.items():
        ids = {id(one) for one in rows}
        tried = [one for one in witnesses() if any(id(row) in ids for row in one.tried)]
        answered = any(id(row) in ids for one in tried for row in one.answered)
        found.append(Written(names[key], rows, tried, answered))
    return tuple(found)


def is_noticed(row: Written) -> bool:
    """Whether an event is answered otherwise, or an internal error, while the row is changed."""
    for one in row.tried:
        try:
            if judged(book_named(one.book), one.state, one.event) != usual()[id(one)]:
                return True
        except (MachineError, AssertionError, AttributeError, KeyError, TypeError, ValueError):
            return True
        except RecursionError:
            return True
    return False


# A row is changed to lead to the first of these that it neither leaves nor leads to.
ELSEWHERE = (Phase.BURN_REST, Phase.SHOE_OVER, Phase.PLAYER_3, Phase.SUSPENDED, Phase.OPENING)


def changes(row: Written) -> Iterator[tuple[str, dict[str, object]]]:
    """The row left out, without one of its callbacks, without one condition, to another phase."""
    one = row.made[0]
    yield "left out", {"conditions": [Transition.condition_cls(never)]}
    for kind in ("before", "after", "conditions"):
        every = getattr(one, kind)
        for place, part in enumerate(every):
            name = part.func.__name__ if kind == "conditions" else part.__name__
            yield f"without {name}", {kind: every[:place] + every[place + 1 :]}
    for place, part in enumerate(one.conditions):
        other = Transition.condition_cls(part.func, not part.target)
        opposite = [*one.conditions[:place], other, *one.conditions[place + 1 :]]
        yield f"opposite of {part.func.__name__}", {"conditions": opposite}
    passed = {*(one.source for one in row.made), one.dest}
    elsewhere = next(phase for phase in ELSEWHERE if phase.name not in passed)
    yield f"to {elsewhere}", {"dest": elsewhere.name}


def never(play: object) -> bool:
    return False


def unnoticed() -> list[str]:
    left = []
    usual()
    for row in written_rows():
        for what, change in changes(row):
            before = [{name: getattr(one, name) for name in change} for one in row.made]
            for one in row.made:
                for name, value in change.items():
                    setattr(one, name, value)
            if not is_noticed(row):
                left.append(f"{what}: {row.name}")
            for one, values in zip(row.made, before, strict=True):
                for name, value in values.items():
                    setattr(one, name, value)
    return left


@pytest.mark.parametrize("script", dict.fromkeys(SCRIPTS), ids=lambda one: one.words[-60:])
def test_the_script_has_its_answer(script: Script) -> None:
    found = witness_of(script)
    assert answer(found.state, judged(book_named(script.book), *found[2:4])) == script.answer


UNNOTICED_MAX = 11
# Changes that none of these events shows, by the reason.
UNNOTICED = {
    "it is counted where it is asked again, and what comes between reads no count but of a shoe at"
    " its last card": (
        "without count: claimed_player_1 in BETWEEN_COUPS [cards_carried & calls_observed]",
        "without count: claimed_player_1 in BETWEEN_COUPS [cards_carried]",
        "without count: claimed_player_1 in BURN_UNCOUNTED []",
        (
            "without count: claimed_player_3 in BETWEEN_COUPS"
            " [of_next_coup & cards_carried & calls_observed]"
        ),
        "without count: claimed_player_3 in BETWEEN_COUPS [of_next_coup & cards_carried]",
    ),
    "the last of the rows that resume play there: it is asked where none of the others holds": (
        "without back_to_shoe_over: resume in SUSPENDED [back_to_shoe_over]",
        "without back_to_banker_3: resume in ABANDONED [back_to_banker_3]",
        "without back_to_result: resume in ABANDONED_COMPLETE [back_to_result]",
        "without back_to_betting_closed: resume in REMEDY_BURN [back_to_betting_closed]",
        "without back_to_abandoned: resume in COUP_BURN [back_to_abandoned]",
        "without back_to_banker_3: resume in PARTIAL [back_to_banker_3]",
    ),
}


def test_a_changed_row_is_noticed() -> None:
    """Leaving out any row, condition or callback, turning a condition round, going elsewhere."""
    named = {change for changes in UNNOTICED.values() for change in changes}
    assert len(named) <= UNNOTICED_MAX
    assert {one.partition("] ")[0] + "]" for one in unnoticed()} <= named


def test_every_row_answers_something() -> None:
    assert [row.name for row in written_rows() if not row.answered] == []


# --- the machine itself --------------------------------------------------------------------------


def test_the_machine_of_play_is_flat_and_holds_no_model() -> None:
    assert type(MACHINE) is Machine
    assert MACHINE.models == []
    assert not MACHINE.has_queue
    assert not MACHINE.auto_transitions
    assert not MACHINE.ignore_invalid_triggers


def test_whether_a_phase_takes_a_trigger_is_answered_before_the_first_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The library's own answer would cost each card some microseconds."""
    answers = {phase: set(MACHINE.get_triggers(phase)) for phase in Phase}
    monkeypatch.setattr(MACHINE, "events", {})
    for phase in Phase:
        assert {one for one in Trigger if takes(phase, one)} == answers[phase]


def test_four_threads_on_one_machine_answer_as_one() -> None:
    expected = [usual()[id(one)] for one in witnesses()]
    found: list[list[Step]] = [[] for _ in range(4)]

    def judge_all(into: list[Step]) -> None:
        into += [judged(book_named(one.book), one.state, one.event) for one in witnesses()]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=judge_all, args=(into,)) for into in found]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(interval)
    assert all(answers == expected for answers in found)
