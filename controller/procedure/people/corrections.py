"""Corrects the outcome of a counted coup: who may, which coup, and what is owed because of it.

Not: whether the person's role may correct (controller.rules.actions.actions).
Source: D-42.

Decisions. The record of the coup and its settlement stay as they are: the correction is a fact
beside them, and the last one counts. It is possible on the gaming day on which the coup ended, also
after its shoe: the newest shoe of the number that is named. What is owed is always counted from the
settlement at the coup and by the odds of that time, also after a second correction.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.dealing.coup_end import count_outcome
from controller.procedure.effects import CoupCorrected, Prompt, PromptKind, Refusal
from controller.procedure.finished_coups import (
    EarlierShoe,
    FinishedCoup,
    corrected_coups,
    coup_of_number,
)
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept
from controller.procedure.wagering.payment import results_by_outcome, terms_of
from controller.rules.actions.actions import CorrectCoup, OperatorAction
from controller.rules.actions.declaration import name_of
from controller.rules.outcome import Outcome
from controller.rules.settlement.payout import (
    PayoutDifference,
    SettledWager,
    payout_differences,
)
from controller.rules.settlement.wagers import KIND_NAMES, money
from foundation.message import Message, message

_ON_PAPER = message("put_dispute_on_paper")


def coup_correction_requested(
    book: RuleBook, state: TableState, act: OperatorAction[CorrectCoup]
) -> Step:
    """Correct the outcome of a counted coup, or refuse it and say what can be done."""
    step = Step(state, provisional=state.suspension is not None)
    refused = _refusal_of_request(act)
    shoe = None if refused is not None else _shoe_of(state, act.action.shoe)
    refused = refused or _refusal(state, shoe, act)
    if refused is not None or shoe is None:
        assert refused is not None, "a coup of no shoe is refused"
        return step.with_effect(Refusal(name_of(act.action), refused))
    corrected = _correction(book, step, shoe, act)
    what = message(
        "coup_corrected",
        coup=act.action.coup,
        before=corrected.before.value,
        outcome=corrected.outcome.value,
    )
    step = _count_correction(accept(step, what), shoe, corrected)
    text = message(
        "corrected_coup_counts_as",
        coup=_name_coup(shoe, act.action.coup),
        outcome=corrected.outcome.value,
        owed=describe_owed(corrected),
    )
    return step.with_effect(corrected).with_effect(Prompt(PromptKind.PAY, text, (), observed=False))


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


def _name_coup(shoe: _Shoe, number: int) -> Message:
    if shoe.earlier:
        return message("coup_of_shoe", coup=number, shoe=shoe.number)
    return message("coup_number", number=number)


def _refusal_of_request(act: OperatorAction[CorrectCoup]) -> Message | None:
    """Why nobody can correct like this; None where they can."""
    if not act.reason.strip():
        return message("correction_needs_reason")
    if _same_name(act.action.second, "") or _same_name(act.action.second, act.person):
        return message("correction_needs_second_person")
    return None


def _refusal(
    state: TableState, shoe: _Shoe | None, act: OperatorAction[CorrectCoup]
) -> Message | None:
    """Why this coup cannot be corrected now, and what to do; None where it can."""
    if shoe is None:
        return _refusal_of_shoe(state, act)
    name = _name_coup(shoe, act.action.coup)
    finished = coup_of_number(shoe.coups, act.action.coup)
    if finished is None and not shoe.earlier:
        return _refusal_unfinished(state, act.action.coup)
    if finished is None:
        return message("coup_not_of_this_gaming_day", coup=name, remedy=_ON_PAPER)
    if finished.outcome is None:
        return message("void_coup_has_no_outcome", coup=name)
    if finished.outcome is act.action.outcome:
        return message("coup_counts_as_that_already", coup=name, outcome=act.action.outcome.value)
    return None


def _refusal_of_shoe(state: TableState, act: OperatorAction[CorrectCoup]) -> Message:
    numbers = tuple(one.number for one in state.earlier_shoes)
    if not act.action.shoe:
        if numbers:
            return message("no_shoe_at_table_name_one", numbers=numbers)
        return message("no_shoe_at_table_today")
    there = [message("shoe_numbers", numbers=numbers)] if numbers else []
    if state.shoe is not None:
        there.append(message("shoe_at_table", number=state.shoe.number))
    shoe = act.action.shoe
    if not there:
        return message("no_coup_of_shoe_today", shoe=shoe, remedy=_ON_PAPER)
    shoes = tuple(there)
    return message("no_coup_of_that_shoe_today", shoe=shoe, there=shoes, remedy=_ON_PAPER)


def _same_name(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _refusal_unfinished(state: TableState, number: int) -> Message:
    """Why a coup that has no outcome in the shoe at the table cannot be corrected."""
    shoe = state.shoe
    assert shoe is not None, "the shoe at the table was found"
    held = () if state.suspension is None else state.suspension.held
    if any(record.coup == number for record in held):
        return message("coup_waits_for_decision", number=number)
    if shoe.coup is not None and shoe.coup.number == number:
        return message("coup_still_on_table", number=number)
    if not 1 <= number <= shoe.coups_begun:
        if not shoe.coups_begun:
            return message("shoe_has_no_coup_yet", coup=number, shoe=shoe.number)
        latest = shoe.coups_begun
        return message("shoe_has_no_such_coup", coup=number, shoe=shoe.number, latest=latest)
    if number <= shoe.coups_of_earlier_days:
        return message("coup_of_closed_gaming_day", coup=number, remedy=_ON_PAPER)
    return message("coup_kept_no_more", coup=number, remedy=_ON_PAPER)


def _correction(
    book: RuleBook, step: Step, shoe: _Shoe, act: OperatorAction[CorrectCoup]
) -> CoupCorrected:
    finished = coup_of_number(shoe.coups, act.action.coup)
    assert finished is not None, "a coup that cannot be corrected is refused"
    counted, before = finished.counted, finished.outcome
    assert counted is not None and before is not None, "a void coup is refused"  # noqa: PT018
    owed, undecided = _payout_difference(book, step.state, finished, act.action.outcome)
    return CoupCorrected(
        gaming_day=shoe.gaming_day,
        shoe=shoe.number,
        coup=act.action.coup,
        counted=counted,
        before=before,
        outcome=act.action.outcome,
        person=act.person,
        second=act.action.second,
        reason=act.reason,
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
    undecided = tuple(one for one in finished.wagers if one.kind not in kinds)
    return payout_differences(terms, results, finished.wagers), undecided


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


def describe_owed(corrected: CoupCorrected) -> tuple[Message, ...]:
    """What people have to pay, to take or to decide because of a correction; at least one line."""
    if not corrected.wagers_known:
        return (message("work_out_by_hand_what_is_owed"),)
    undecided = tuple(
        message(
            "decide_wager_by_hand",
            seat=one.seat,
            amount=money(one.cents),
            wager=KIND_NAMES[one.kind],
        )
        for one in corrected.undecided
    )
    return (*(one.text for one in corrected.owed), *undecided) or (message("nothing_is_owed"),)
