"""Corrects the outcome of a counted coup: who may, which coup, and what is owed because of it.

Not: whether the person's role may correct (controller.tape.actions).
Source: D-42; controller/procedure/README.md, "Corrections".

Decisions. The record of the coup and its settlement stay as they are: the correction is a fact
beside them, and the last one counts. It is possible on the gaming day on which the coup ended, also
after its shoe: the newest shoe of the number that is named. What is owed is always counted from the
settlement at the coup and by the odds of that time, also after a second correction.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.dealing.coup_end import count_outcome
from controller.procedure.effects import CoupCorrected, Prompt, PromptKind, Refusal
from controller.procedure.events import CoupCorrectionRequested
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.finished_coups import (
    EarlierShoe,
    FinishedCoup,
    corrected_coups,
    coup_of_number,
)
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
    refused = _refusal_of_request(event)
    shoe = None if refused else _shoe_of(state, event.shoe)
    refused = refused or _refusal(state, shoe, event)
    if refused or shoe is None:
        return step.with_effect(Refusal(CORRECT_COUP, refused))
    corrected = _correction(book, step, shoe, event)
    what = f"coup {event.coup} is corrected from {corrected.before} to {corrected.outcome}"
    step = _count_correction(accept(step, what), shoe, corrected)
    of_shoe = f" of shoe {shoe.number}" if shoe.earlier else ""
    text = f"coup {event.coup}{of_shoe} counts as {corrected.outcome}, its settlement stays: "
    text += "; ".join(describe_owed(corrected))
    return step.with_effect(corrected).with_effect(Prompt(PromptKind.PAY, text, (), observed=False))


def begin_gaming_day(step: Step, day: str) -> Step:
    """Another gaming day: the coups of the day before are corrected no more."""
    state, shoe = step.state, step.state.shoe
    if shoe is not None and shoe.finished and day != state.today:
        last = shoe.finished[-1].number
        shoe = replace(shoe, finished=(), coups_of_earlier_days=last)
    if day != state.today:
        state = replace(state, earlier_shoes=(), payment_rules=())
    return step.with_state(replace(state, today=day, shoe=shoe))


class _Shoe(Struct, frozen=True):
    """A shoe of this gaming day, with its coups that can be corrected."""

    gaming_day: str
    number: int
    coups: tuple[FinishedCoup, ...]
    earlier: bool


def _shoe_of(state: TableState, number: int) -> _Shoe | None:
    """The shoe of that number, 0 for the one at the table; None where none is known."""
    shoe = state.shoe
    if shoe is not None and number in (0, shoe.number):
        return _Shoe(shoe.gaming_day, shoe.number, shoe.finished, earlier=False)
    for one in reversed(state.earlier_shoes):
        if one.number == number:
            return _Shoe(one.gaming_day, number, one.finished(), earlier=True)
    return None


def _refusal_of_request(event: CoupCorrectionRequested) -> str:
    """Why nobody can correct like this; empty where they can."""
    if not event.reason.strip():
        return "a correction needs a reason: write down what people saw"
    if _same_name(event.second, "") or _same_name(event.second, event.person):
        return "a floorperson and a second person correct a coup: name another person as second"
    return ""


def _refusal(state: TableState, shoe: _Shoe | None, event: CoupCorrectionRequested) -> str:
    """Why this coup cannot be corrected now, and what to do; empty where it can."""
    if shoe is None:
        return _refusal_of_shoe(state, event)
    name = f"coup {event.coup} of shoe {shoe.number}" if shoe.earlier else f"coup {event.coup}"
    finished = coup_of_number(shoe.coups, event.coup)
    if finished is None and not shoe.earlier:
        return _refusal_unfinished(state, event.coup)
    if finished is None:
        return f"{name} did not end on this gaming day, or it was never dealt. {_ON_PAPER}"
    if finished.outcome is None:
        return f"{name} is void: every wager on it was returned, and it has no outcome to correct"
    if finished.outcome is event.outcome:
        return f"{name} counts as {event.outcome} already: name the outcome that is right"
    return ""


def _refusal_of_shoe(state: TableState, event: CoupCorrectionRequested) -> str:
    numbers = ", ".join(str(one.number) for one in state.earlier_shoes)
    if not event.shoe:
        named = f": name the shoe, one of {numbers}" if numbers else ", and none of today has coups"
        return f"no shoe is at the table{named}"
    there = [f"shoe {numbers}"] if numbers else []
    there += [f"shoe {state.shoe.number} at the table"] if state.shoe is not None else []
    return (
        f"no coup of shoe {event.shoe} ended on this gaming day"
        f"{'; there is ' + ', '.join(there) if there else ''}. {_ON_PAPER}"
    )


def _same_name(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _refusal_unfinished(state: TableState, number: int) -> str:
    """Why a coup that has no outcome in the shoe at the table cannot be corrected."""
    shoe = state.shoe
    assert shoe is not None, "the shoe at the table was found"
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


def _correction(
    book: RuleBook, step: Step, shoe: _Shoe, event: CoupCorrectionRequested
) -> CoupCorrected:
    finished = coup_of_number(shoe.coups, event.coup)
    assert finished is not None, "a coup that cannot be corrected is refused"
    counted, before = finished.counted, finished.outcome
    assert counted is not None and before is not None, "a void coup is refused"  # noqa: PT018
    owed, undecided = _payout_difference(book, step.state, finished, event.outcome)
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
    book: RuleBook, state: TableState, finished: FinishedCoup, outcome: Outcome
) -> tuple[tuple[PayoutDifference, ...], tuple[SettledWager, ...]]:
    """The wagers that pay otherwise by this outcome, and those that it alone does not decide."""
    if not finished.settled or outcome is finished.counted:
        return (), ()
    at_the_coup = state.payment_rules[finished.rules]
    terms = replace(terms_of(book), rules=at_the_coup.put_into(book.values))
    results = results_by_outcome(terms, outcome)
    kinds = tuple(result.kind for result in results)
    undecided = tuple(one for one in finished.settled if one.kind not in kinds)
    return payout_differences(terms, results, finished.settled), undecided


def _count_correction(step: Step, shoe: _Shoe, corrected: CoupCorrected) -> Step:
    """Let the corrected outcome count in its shoe."""
    coups = corrected_coups(shoe.coups, corrected.coup, corrected.outcome)
    if not shoe.earlier:
        tally = count_outcome(step.shoe.tally, corrected.before, -1)
        tally = count_outcome(tally, corrected.outcome, 1)
        return step.with_shoe(replace(step.shoe, tally=tally, finished=coups))
    named = (shoe.gaming_day, shoe.number)
    earlier = tuple(
        EarlierShoe.of(*named, coups) if (one.gaming_day, one.number) == named else one
        for one in step.state.earlier_shoes
    )
    return step.with_state(replace(step.state, earlier_shoes=earlier))


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
