"""The life of one shoe: opening, joining, restarts of its device, and closing it by hand.

Source: S42 (e)(6), (e)(8); NY (e); D-2; the shoe's wire document ("What the field has learnt": the
device's start marks a new shoe after a cut card, otherwise it is only a restart).

Decisions. The device's start ends a coup that needs no more cards: it counts by its cards. A coup
or a burn that it interrupts is incomplete. While the table is suspended no shoe is opened: the
next one is noted, and opened by the resolution; if cards of it were dealt meanwhile it is joined.
"""

from msgspec.structs import replace

from controller.procedure.acts.recording import cards_in_shoe
from controller.procedure.dealing.burn import begin_burn_or_play
from controller.procedure.dealing.coup_end import (
    close_complete_coup,
    state_shoe_end,
)
from controller.procedure.dealing.lost_reports import mark_progress_partial
from controller.procedure.effects import Refusal, ShoeOpened
from controller.procedure.events import ShoeClosedByPerson
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.dead_table import prompt_at_closing
from controller.procedure.opening.first_card_checks import prompt_at_opening, use_up_joined_shoe
from controller.procedure.phases import BURNS_BEGUN, DUE_WORDS, HANDS_COMPLETE, Phase, Trigger
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import NextShoe, ShoeState, TableState, shoes_to_correct
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.profiles.rule_points import RulePoint

NO_SHOE_PHASES = (Phase.CLOSED, Phase.SHOE_OVER)


def open_shoe(book: RuleBook, step: Step) -> Step:
    """Open the next shoe at its beginning, and prompt what is due before its first card."""
    owed = refusal_to_reshuffle(book, step.state)
    step = _begin_shoe(book, state_shoe_end(book, step), joined=False)
    step = begin_burn_or_play(book, step.advance(book, Trigger.SHOE_OPENED))
    if owed is not None:
        step = raise_irregularity(book, step, IrregularityCode.VIGORISH_NOT_COLLECTED, owed.why)
    return prompt_at_opening(book, step)


def join_shoe(book: RuleBook, step: Step) -> Step:
    """Open a shoe that is already in play; the caller raises SHOE_JOINED."""
    step = use_up_joined_shoe(book, _begin_shoe(book, state_shoe_end(book, step), joined=True))
    return step.advance(book, Trigger.SHOE_JOINED)


def join_shoe_in_burn(book: RuleBook, step: Step) -> Step:
    """Open a shoe whose burn is in progress; the number of cards owed is unknown."""
    step = use_up_joined_shoe(book, _begin_shoe(book, state_shoe_end(book, step), joined=True))
    step = step.with_shoe(replace(step.shoe, burn_proven=False))
    return step.advance(book, Trigger.SHOE_OPENED, Trigger.FIRST_CARD_READY, Trigger.BURN_UNPROVEN)


def _begin_shoe(book: RuleBook, step: Step, *, joined: bool) -> Step:
    state = step.state
    number = state.shoe_number + 1 if state.shoe_day == state.today else 1
    shoe = ShoeState(
        gaming_day=state.today,
        number=number,
        cards_total=cards_in_shoe(book),
        joined=joined,
        endless=book.continuous,
    )
    state = replace(
        state,
        shoe=shoe,
        shoe_day=state.today,
        shoe_number=number,
        earlier_shoes=shoes_to_correct(state),
    )
    return step.with_state(state).with_effect(ShoeOpened(state.today, number, book.decks, joined))


def device_started(book: RuleBook, step: Step) -> Step:
    """The device booted: a new shoe after a finished one, else only a restart."""
    step = close_complete_coup(book, step)
    if step.phase in NO_SHOE_PHASES:
        if step.provisional:
            step = replace(step, next_shoe=NextShoe.ANNOUNCED)
            return accept(step, "a new shoe, announced while the table is suspended")
        step = open_shoe(book, step)
        return accept(step, "a new shoe", book.clauses(RulePoint.SHOE_LOADED))
    shoe = step.shoe
    cut_card_seen = shoe.cut.seen > 0 and not shoe.cut.in_burn
    dealing = shoe.coup is not None or bool(shoe.remedy.drawn_after)
    if not (cut_card_seen or dealing or step.phase in BURNS_BEGUN):
        step = step.with_shoe(replace(shoe, reports_proven=False))
        return accept(step, "the dealing shoe restarted; nothing was being dealt")
    code, detail = (
        IrregularityCode.SHOE_RESTARTED,
        f"while the table waited for {DUE_WORDS[step.phase]}",
    )
    if cut_card_seen:
        code = IrregularityCode.SHOE_CHANGED_EARLY
        detail = f"the last coup is {shoe.cut.last_coup}, the latest begun is {shoe.coups_begun}"
    # If a floorperson closes this shoe, the next one started here.
    step = replace(mark_progress_partial(book, step), next_shoe=NextShoe.ANNOUNCED)
    return raise_irregularity(book, step, code, detail)


def shoe_closed_by_person(book: RuleBook, state: TableState, event: ShoeClosedByPerson) -> Step:
    """A named person ends the shoe (dead table, early change), but never a coup in progress.

    A coup that waits only for a result that is not observed is over and counts by its cards.
    """
    refusal = _refusal_to_close(book, state)
    if refusal:
        return Step(state).with_effect(Refusal("close-shoe", refusal))
    step = close_complete_coup(book, Step(state))
    if step.phase is not Phase.SHOE_OVER:
        step = step.advance(book, Trigger.SHOE_CLOSED)
    what = f"shoe closed by {event.person}: {event.reason}"
    step = accept(step, what, book.clauses(RulePoint.DEAD_TABLE))
    step = state_shoe_end(book, step, event.person, event.reason)
    return prompt_at_closing(book, step)


def _refusal_to_close(book: RuleBook, state: TableState) -> str:
    if state.shoe is None or state.phase is Phase.SHOE_OVER:
        return "no shoe is open"
    if state.suspension is not None:
        return "the table is suspended: resolve with the decision close-shoe"
    coup = state.shoe.coup
    if coup is not None and (
        book.observes(ObservableFact.RESULT_BUTTON) or state.phase not in HANDS_COMPLETE
    ):
        return "a coup is being dealt: let it end, then close the shoe"
    return ""
