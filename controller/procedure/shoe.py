"""The life of one shoe: opening, cut cards, interruptions, and its end.

Responsible for: what opens and ends a shoe, what a cut card means in each phase, and what lost
reports or a restarted device do to the coup or the burn in progress.
Not responsible for: playing cards (drawing) and results (finishing).
Source: S42 (e)(6), (h)(5); NY (e); D-3 to D-7; the shoe's wire document ("What the field has
learnt").
"""

from dataclasses import replace

from controller.machine import NoEdge
from controller.procedure.catalogue import IrregularityCode
from controller.procedure.effects import Call, Prompted, ShoeOpened
from controller.procedure.events import Loss, ReportsMissing, ShoeClosedByPerson
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CutState, ShoeState, TableState
from controller.procedure.steps import Step, accept, irregular, prompt
from controller.rules.cut import coups_left_after_cut, placement_ok
from controller.rules.profile import RulePoint

CARDS_IN_A_DECK = 52
BURN_PHASES = (Phase.BURN_FIRST, Phase.BURN_REST)
# From the moment a coup needs no more cards until the next one's first card (D-4).
AT_COUP_START = (Phase.RESULT, Phase.BETWEEN_COUPS, Phase.PLAYER_1)


def open_shoe(book: RuleBook, step: Step, *, joined: bool) -> Step:
    """Open the next shoe of the gaming day. What nobody reports of its loading is prompted."""
    state = step.state
    assert state.today, "the gaming day is set before any shoe is opened"
    number = state.shoe_number + 1 if state.shoe_day == state.today else 1
    shoe = ShoeState(
        gaming_day=state.today,
        number=number,
        cards_total=book.decks * CARDS_IN_A_DECK,
        joined=joined,
    )
    phase = book.move(state.phase, Trigger.SHOE_OPENED)
    phase = book.move(phase, Trigger.FIRST_CARD_READY)
    state = replace(state, phase=phase, shoe=shoe, shoe_day=state.today, shoe_number=number)
    step = step.on(state).with_effect(ShoeOpened(state.today, number, book.decks, joined))
    unobserved = (
        (Fact.SHOE_OPENED, Call.OPENING, "inspect the cards before the first shoe"),
        (Fact.BATCH_LOADED, Call.BATCH, "record which batch was loaded"),
        (Fact.CUT_DEPTH, Call.SHUFFLE_AND_CUT, "shuffle, offer the cut, place both cut cards"),
    )
    for fact, call, text in unobserved:
        if not book.observes(fact):
            clauses = book.clauses(RulePoint.SHOE_LOADED)
            step = step.with_effect(Prompted(call, text, clauses, observed=False))
    return step


def device_started(book: RuleBook, step: Step) -> Step:
    """The device booted. After a finished shoe this is the next one; else only a restart."""
    state = step.state
    shoe = state.shoe
    if state.phase in (Phase.CLOSED, Phase.SHOE_OVER):
        step = open_shoe(book, step, joined=False)
        return accept(step, "a new shoe", book.clauses(RulePoint.SHOE_LOADED))
    assert shoe is not None
    if shoe.cut.seen > 0 and not shoe.cut.in_burn:
        left = f"last coup would be {shoe.cut.last_coup}, {shoe.coups_begun} were begun"
        step = irregular(book, step, IrregularityCode.SHOE_CHANGED_EARLY, left)
        suspension = step.state.suspension
        assert suspension is not None
        return step.on(replace(step.state, suspension=replace(suspension, new_shoe=True)))
    if shoe.coup is not None or state.phase is Phase.BURN_REST:
        where = f"in {state.phase.value}"
        return irregular(book, _coup_partial(step), IrregularityCode.SHOE_RESTARTED, where)
    return accept(step, "the dealing shoe restarted; nothing was being dealt")


def reports_missing(book: RuleBook, step: Step, event: ReportsMissing) -> Step:
    """Whatever was in progress is incomplete from here on, and nothing is guessed."""
    shoe = step.state.shoe
    if shoe is None:
        return accept(step, "reports may be missing; no shoe is open")
    code = IrregularityCode.REPORTS_LOST
    if event.loss is Loss.UNPROVEN:
        code = IrregularityCode.CONTINUITY_UNPROVEN
    count = f"at least {event.count_min}" if event.count_min else "an unknown number"
    detail = f"{count}, after card {shoe.cards_drawn} of the shoe"
    return irregular(book, _coup_partial(step), code, detail)


def program_replaced(book: RuleBook, step: Step, software: str) -> Step:
    """Another version goes on with an open shoe: what was in progress is partial."""
    if step.state.shoe is None:
        return accept(step, "no shoe is open")
    step = _coup_partial(step)
    return irregular(book, step, IrregularityCode.PROGRAM_REPLACED, software)


def _coup_partial(step: Step) -> Step:
    """Mark the open coup, if any, as incomplete; it now waits for its end."""
    coup = step.shoe.coup
    if coup is None:
        return step
    return step.with_coup(replace(coup, partial=True)).at(Phase.RESULT)


def cut_card(book: RuleBook, step: Step) -> Step:
    """A cut card is no playing card. The first one limits the coups left, the second ends them."""
    state = step.state
    shoe = state.shoe
    if shoe is None:
        return accept(step, "a cut card with no shoe open: put aside")
    seen = shoe.cut.seen + 1
    if seen > book.values.cut_cards_per_shoe:
        step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=seen)))
        return irregular(book, step, IrregularityCode.CUT_CARD_EXTRA, f"it is number {seen}")
    if seen > 1:
        return _second_cut_card(book, step, seen)
    if state.phase in BURN_PHASES:
        cut = replace(shoe.cut, seen=1, in_burn=True, cards_drawn_when_seen=shoe.cards_drawn)
        step = step.with_shoe(replace(shoe, cut=cut))
        clauses = book.clauses(RulePoint.CUT_CARD_PLACEMENT)
        return accept(step, "cut card in the burn: misplaced; complete the burn", clauses)
    if isinstance(book.next(state.phase, Trigger.CUT_CARD), NoEdge):
        step = step.with_shoe(replace(shoe, cut=replace(shoe.cut, seen=seen)))
        return accept(step, "cut card after the last hand: put aside")
    return _first_cut_card(book, step)


def _first_cut_card(book: RuleBook, step: Step) -> Step:
    shoe = step.shoe
    values = book.values
    at_start = step.state.phase in AT_COUP_START
    left = coups_left_after_cut(
        at_start, values.cut_card_at_round_start, values.rounds_after_cut_round
    )
    # In mid-coup the count includes the coup in progress, at a coup's start it does not.
    last = shoe.coups_begun + left - (0 if at_start else 1)
    cut = CutState(seen=1, cards_drawn_when_seen=shoe.cards_drawn, last_coup=last)
    step = step.with_shoe(replace(shoe, cut=cut))
    points = (RulePoint.CUT_CARD_ASIDE, RulePoint.CUT_COUP_FINISHED, RulePoint.LAST_HAND)
    step = accept(step, f"cut card put aside; coup {last} is the last", book.clauses(*points))
    if at_start and last == shoe.coups_begun + 1:
        step = prompt(
            book, step, Call.LAST_HAND, 'announce "last hand"', RulePoint.LAST_HAND_CALLED
        )
    behind = shoe.cards_left()
    if not shoe.joined and not placement_ok(behind, values.cut_card_min_from_back):
        detail = f"{behind} cards behind it, at least {values.cut_card_min_from_back} are due"
        step = irregular(book, step, IrregularityCode.CUT_CARD_PLACEMENT, detail)
    return step


def _second_cut_card(book: RuleBook, step: Step, seen: int) -> Step:
    """The shoe is exhausted: a card that is now required cannot be drawn (D-6)."""
    shoe = step.shoe
    cut = replace(shoe.cut, seen=seen, exhausted=True)
    step = step.with_shoe(replace(shoe, cut=cut))
    clauses = book.clauses(RulePoint.SECOND_CUT_CARD)
    step = accept(step, "second cut card: the shoe is exhausted", clauses)
    phase = step.state.phase
    if shoe.coup is not None and phase is not Phase.RESULT:
        if _shortage_known(step.state, shoe.coup.number):
            return step
        detail = f"due was {phase.value}"
        return irregular(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
    if phase is Phase.BETWEEN_COUPS:
        return step.at(book.move(phase, Trigger.SHOE_CLOSED))
    return step


def _shortage_known(state: TableState, coup: int) -> bool:
    """Whether the last card already showed that this coup cannot be completed."""
    short = IrregularityCode.INSUFFICIENT_CARDS
    return any(one.code is short and one.coup == coup for one in state.open_irregularities)


def closed_by_person(book: RuleBook, step: Step, event: ShoeClosedByPerson) -> Step:
    """Dead table or early change of shoe: a named person ends the shoe between coups."""
    step = step.at(book.move(step.state.phase, Trigger.SHOE_CLOSED))
    what = f"shoe closed by {event.person}: {event.reason}"
    return accept(step, what, book.clauses(RulePoint.DEAD_TABLE))


def no_more_bets(book: RuleBook, step: Step) -> Step:
    """The call that opens a coup, where the table can sense or enter it."""
    after = book.next(step.state.phase, Trigger.COUP_BEGINS)
    if isinstance(after, NoEdge):
        return accept(step, '"no more bets" where no coup can begin: nothing to do')
    return accept(step.at(after), '"no more bets"', book.clauses(RulePoint.NO_MORE_BETS))
