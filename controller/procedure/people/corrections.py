"""Corrects the outcome of a counted coup: who may, which coup, and what is owed because of it.

Not: whether the person's role may correct (controller.tape.actions).
Source: D-42; controller/procedure/README.md, "Corrections".

Decisions. The record of the coup and its settlement stay as they are: the correction is a fact
beside them, and the last one counts. It is possible while the shoe is at the table, until the next
one opens, and on the gaming day on which the coup ended. What is owed is always counted from the
settlement at the coup, also after a second correction.
"""

from msgspec.structs import replace

from controller.procedure.dealing.coup_end import count_outcome
from controller.procedure.effects import CoupCorrected, Prompt, PromptKind, Refusal
from controller.procedure.events import CoupCorrectionRequested
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.states.finished_coups import FinishedCoup
from controller.procedure.step_result import Step, accept
from controller.procedure.wagering.payment import results_by_outcome, terms_of
from controller.rules.outcome import Outcome
from controller.settlement.payout_difference import (
    PayoutDifference,
    SettledWager,
    payout_differences,
)
from controller.settlement.wagers import KIND_NAMES, money

CORRECT_COUP = "correct-coup"
_ON_PAPER = "Put the dispute on paper, with `smartshoe evidence` of the coup"


def coup_correction_requested(
    book: RuleBook, state: TableState, event: CoupCorrectionRequested
) -> Step:
    """Correct the outcome of a counted coup, or refuse it and say what can be done."""
    step = Step(state, provisional=state.suspension is not None)
    refused = _refusal(state, event)
    if refused:
        return step.with_effect(Refusal(CORRECT_COUP, refused))
    corrected = _correction(book, step, event)
    what = f"coup {event.coup} is corrected from {corrected.before} to {corrected.outcome}"
    step = _count_correction(accept(step, what), corrected)
    text = f"coup {event.coup} counts as {corrected.outcome}, its settlement stays: "
    text += "; ".join(describe_owed(corrected))
    return step.with_effect(corrected).with_effect(Prompt(PromptKind.PAY, text, (), observed=False))


def begin_gaming_day(step: Step, day: str) -> Step:
    """Another gaming day: the coups of the day before are corrected no more."""
    state, shoe = step.state, step.state.shoe
    if shoe is not None and shoe.finished and day != state.today:
        last = shoe.finished[-1].number
        shoe = replace(shoe, finished=(), coups_of_earlier_days=last)
    return step.with_state(replace(state, today=day, shoe=shoe))


def _refusal(state: TableState, event: CoupCorrectionRequested) -> str:
    """Why the correction cannot be made now, and what to do; empty where it can."""
    name = f"coup {event.coup}"
    if not event.reason.strip():
        return "a correction needs a reason: write down what people saw"
    if _same_name(event.second, "") or _same_name(event.second, event.person):
        return "a floorperson and a second person correct a coup: name another person as second"
    shoe = state.shoe
    if shoe is None:
        return "no shoe is at the table: a coup is corrected before the next shoe opens"
    if event.shoe not in (0, shoe.number):
        there = f"shoe {shoe.number} of {shoe.gaming_day}"
        return (
            f"{name} is of shoe {event.shoe}, and {there} is at the table: a coup is corrected"
            f" before the next shoe opens. {_ON_PAPER}"
        )
    finished = shoe.finished_coup(event.coup)
    if finished is None:
        return _refusal_unfinished(state, shoe, event.coup)
    if finished.outcome is None:
        return f"{name} is void: every wager on it was returned, and it has no outcome to correct"
    if finished.outcome is event.outcome:
        return f"{name} counts as {event.outcome} already: name the outcome that is right"
    return ""


def _same_name(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _refusal_unfinished(state: TableState, shoe: ShoeState, number: int) -> str:
    """Why a coup that has no outcome here cannot be corrected."""
    held = () if state.suspension is None else state.suspension.held
    if any(record.coup == number for record in held):
        return f"coup {number} waits for a floorperson's decision: resolve first, then correct it"
    if shoe.coup is not None and shoe.coup.number == number:
        return (
            f'coup {number} is still on the table: it ends with its result, or with "no more bets";'
            " correct it then"
        )
    if not 1 <= number <= shoe.coups_begun:
        latest = f"its latest is coup {shoe.coups_begun}" if shoe.coups_begun else "it has none yet"
        return f"there is no coup {number} in shoe {shoe.number}: {latest}"
    if number <= shoe.coups_of_earlier_days:
        why = "ended on another gaming day, which is closed"
    else:
        why = "ended too long ago, or under another version of this program: it is kept no more"
    return f"coup {number} {why}. {_ON_PAPER}"


def _correction(book: RuleBook, step: Step, event: CoupCorrectionRequested) -> CoupCorrected:
    shoe = step.shoe
    finished = shoe.finished_coup(event.coup)
    assert finished is not None, "a coup that cannot be corrected is refused"
    counted, before = finished.counted, finished.outcome
    assert counted is not None and before is not None, "a void coup is refused"  # noqa: PT018
    at_the_coup = effective_book(book, replace(step.state, settings=finished.settings))
    owed, undecided = _payout_difference(at_the_coup, finished, event.outcome)
    return CoupCorrected(
        gaming_day=shoe.gaming_day,
        shoe=shoe.number,
        coup=event.coup,
        counted=counted,
        before=before,
        outcome=event.outcome,
        person=event.person,
        second=event.second,
        reason=event.reason,
        owed=owed,
        undecided=undecided,
        wagers_known=bool(finished.settled) or book.observes(ObservableFact.WAGERS),
    )


def _payout_difference(
    book: RuleBook, finished: FinishedCoup, outcome: Outcome
) -> tuple[tuple[PayoutDifference, ...], tuple[SettledWager, ...]]:
    """The wagers that pay otherwise by this outcome, and those that it alone does not decide."""
    if not finished.settled or outcome is finished.counted:
        return (), ()
    terms = terms_of(book)
    results = results_by_outcome(terms, outcome)
    kinds = tuple(result.kind for result in results)
    undecided = tuple(one for one in finished.settled if one.kind not in kinds)
    return payout_differences(terms, results, finished.settled), undecided


def _count_correction(step: Step, corrected: CoupCorrected) -> Step:
    """Let the corrected outcome count in the shoe."""
    shoe = step.shoe
    tally = count_outcome(shoe.tally, corrected.before, -1)
    finished = tuple(
        replace(one, corrected=corrected.outcome) if one.number == corrected.coup else one
        for one in shoe.finished
    )
    tally = count_outcome(tally, corrected.outcome, 1)
    return step.with_shoe(replace(shoe, tally=tally, finished=finished))


def describe_owed(corrected: CoupCorrected) -> tuple[str, ...]:
    """What people have to pay, to take or to decide because of a correction; at least one line."""
    if not corrected.wagers_known:
        return ("this table does not observe wagers; work out by hand what is owed",)
    undecided = tuple(
        f"seat {one.seat}: {money(one.cents)} on {KIND_NAMES[one.kind]} depends on more than the"
        " outcome, decide it by hand"
        for one in corrected.undecided
    )
    return (*(one.text for one in corrected.owed), *undecided) or ("nothing is owed",)
