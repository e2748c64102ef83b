"""The life of one shoe: opening, joining, restarts of its device, and closing it by hand.

Responsible for: what opens a shoe, what a restarted device means in each phase, and what a named
person's closing needs.
Not responsible for: cards (burning, drawing), cut cards (cutting), results (finishing).
Source: S42 (e)(6), (e)(8); NY (e); D-2; the shoe's wire document ("What the field has learnt": the
device's start marks a new shoe after a cut card, otherwise it is only a restart).

Decisions. The device's start ends a coup that needs no more cards: it counts by its cards. A coup
or a burn that it interrupts is incomplete. While the table is suspended no shoe is opened: the
next one is noted, and opened by the resolution; if cards of it were dealt meanwhile it is joined.
"""

from controller.procedure.acts.recording import cards_in_shoe
from controller.procedure.dealing.burn import first_card_ready
from controller.procedure.dealing.coup_end import end_stated, ended_by_what_follows, is_over
from controller.procedure.dealing.lost_reports import progress_unproven
from controller.procedure.effects import Refused, ShoeOpened
from controller.procedure.events import ShoeClosedByPerson
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.dead_table import told_at_closing
from controller.procedure.opening.first_card_checks import joined, told_at_opening
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import NextShoe, ShoeState, TableState
from controller.procedure.step_result import Step, accept, irregular
from controller.procedure.wagering.wagers import reshuffle_refused
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace

NO_SHOE_PHASES = (Phase.CLOSED, Phase.SHOE_OVER)


def open_shoe(book: RuleBook, step: Step) -> Step:
    """Open the next shoe at its beginning, and tell what is due before its first card."""
    owed = reshuffle_refused(book, step.state)
    step = _new_shoe(book, end_stated(book, step), joined=False)
    step = first_card_ready(book, step.moved(book, Trigger.SHOE_OPENED))
    if owed is not None:
        step = irregular(book, step, IrregularityCode.VIGORISH_NOT_COLLECTED, owed.why)
    return told_at_opening(book, step)


def join_shoe(book: RuleBook, step: Step) -> Step:
    """Open a shoe that is already in play; the caller says so once it has judged the event."""
    step = joined(book, _new_shoe(book, end_stated(book, step), joined=True))
    return step.moved(book, Trigger.SHOE_JOINED)


def join_shoe_in_burn(book: RuleBook, step: Step) -> Step:
    """Open a shoe whose burn is under way; how many cards it needs is not known."""
    step = joined(book, _new_shoe(book, end_stated(book, step), joined=True))
    step = step.with_shoe(replace(step.shoe, burn_proven=False))
    return step.moved(book, Trigger.SHOE_OPENED, Trigger.FIRST_CARD_READY, Trigger.BURN_UNPROVEN)


def _new_shoe(book: RuleBook, step: Step, *, joined: bool) -> Step:
    state = step.state
    number = state.shoe_number + 1 if state.shoe_day == state.today else 1
    shoe = ShoeState(
        gaming_day=state.today,
        number=number,
        cards_total=cards_in_shoe(book),
        joined=joined,
        endless=book.continuous,
    )
    state = replace(state, shoe=shoe, shoe_day=state.today, shoe_number=number)
    return step.on(state).with_effect(ShoeOpened(state.today, number, book.decks, joined))


def device_started(book: RuleBook, step: Step) -> Step:
    """The device booted. After a finished shoe this is the next one; else only a restart."""
    step = ended_by_what_follows(book, step)
    if step.phase in NO_SHOE_PHASES:
        if step.provisional:
            step = replace(step, next_shoe=NextShoe.ANNOUNCED)
            return accept(step, "a new shoe, announced while the table is suspended")
        step = open_shoe(book, step)
        return accept(step, "a new shoe", book.clauses(RulePoint.SHOE_LOADED))
    shoe = step.shoe
    cut_card_seen = shoe.cut.seen > 0 and not shoe.cut.in_burn
    if not cut_card_seen and shoe.coup is None and step.phase is not Phase.BURN_REST:
        return accept(step, "the dealing shoe restarted; nothing was being dealt")
    code, detail = IrregularityCode.SHOE_RESTARTED, f"in {step.phase.value}"
    if cut_card_seen:
        code = IrregularityCode.SHOE_CHANGED_EARLY
        detail = f"the last coup would be {shoe.cut.last_coup}, {shoe.coups_begun} were begun"
    # Should a floorperson close this shoe, it was the next one that started.
    step = replace(progress_unproven(book, step), next_shoe=NextShoe.ANNOUNCED)
    return irregular(book, step, code, detail)


def closed_by_person(book: RuleBook, state: TableState, event: ShoeClosedByPerson) -> Step:
    """A dead table, an early change: a named person ends the shoe, but never a coup in progress.

    A coup that waits only for a result nobody reports is over and counts by its cards.
    """
    refusal = _refusal_to_close(book, state)
    if refusal:
        return Step(state).with_effect(Refused("close-shoe", refusal))
    step = ended_by_what_follows(book, Step(state))
    if step.phase is not Phase.SHOE_OVER:
        step = step.moved(book, Trigger.SHOE_CLOSED)
    what = f"shoe closed by {event.person}: {event.reason}"
    step = accept(step, what, book.clauses(RulePoint.DEAD_TABLE))
    step = end_stated(book, step, event.person, event.reason)
    return told_at_closing(book, step)


def _refusal_to_close(book: RuleBook, state: TableState) -> str:
    if state.shoe is None or state.phase is Phase.SHOE_OVER:
        return "no shoe is open"
    if state.suspension is not None:
        return "the table is suspended: resolve with the decision close-shoe"
    coup = state.shoe.coup
    if coup is not None and (book.observes(Fact.RESULT_BUTTON) or not is_over(coup)):
        return "a coup is being dealt: let it end, then close the shoe"
    return ""
