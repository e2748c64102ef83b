"""Ghost hands: coups dealt face up without wagers, when patrons ask for one.

Source: WA overview 9; X-28.

Decisions. A request stands until the next coup begins, if need be in the next shoe. A ghost hand is
a coup of its shoe: it has a number, is counted by its outcome, moves the cut card nearer, and its
record marks it. It settles no wager.
"""

from msgspec.structs import replace

from controller.procedure.calls.reveal_seats import wagers_on_layout
from controller.procedure.calls.visibility import all_seen
from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step_result import Step, raise_irregularity, takes
from controller.rules.actions.actions import OperatorAction, RequestGhostHand
from controller.rules.actions.declaration import name_of
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


def ghost_hand_requested(
    book: RuleBook, state: TableState, act: OperatorAction[RequestGhostHand]
) -> Step:
    """Make the next coup a ghost hand, or refuse."""
    shoe, most = state.shoe, book.values.ghost_hands_max
    if most == 0:
        why = message("ghost_hands_off_at_this_table")
        return _refuse(book, state, why, RulePoint.GHOST_HAND, RulePoint.WAGERS_LISTED)
    if shoe is None or not _between_coups(book, state, shoe):
        return _refuse(
            book, state, message("ask_between_two_coups_open_shoe"), RulePoint.GHOST_HAND
        )
    if state.ghost_hand_requested:
        return _refuse(book, state, message("next_coup_already_ghost_hand"), RulePoint.GHOST_HAND)
    if shoe.ghost_hands >= most:
        why = message("at_most_ghost_hands_dealt", ghost_hands=shoe.ghost_hands, most=most)
        return _refuse(book, state, why, RulePoint.GHOST_MAX)
    if shoe.coup is None and state.wagering.wagers:
        why = message("wagers_lie_on_layout_return_them")
        return _refuse(book, state, why, RulePoint.GHOST_NO_WAGER)
    detail = message(
        "coup_ghost_hand_at_most",
        coup=shoe.coups_begun + 1,
        ghost_hand=shoe.ghost_hands + 1,
        most=most,
    )
    recorded = ActRecord(name_of(act.action), act.person, detail, book.clauses(*act.action.points))
    return Step(replace(state, ghost_hand_requested=True)).with_effect(recorded)


def _refuse(book: RuleBook, state: TableState, why: Message, *points: RulePoint) -> Step:
    return Step(state).with_effect(Refusal(name_of(RequestGhostHand), why, book.clauses(*points)))


def _between_coups(book: RuleBook, state: TableState, shoe: ShoeState) -> bool:
    if shoe.coup is None:
        return state.suspension is None and state.betting_open
    # A complete coup that only waits for the next event; after the last coup there is none.
    seen = takes(state.phase, Trigger.COUP_DONE) and all_seen(book, shoe.coup)
    return seen and not shoe.is_last(shoe.coup.number)


def begin_ghost_hand(book: RuleBook, step: Step) -> Step:
    """Mark a coup that was requested as a ghost hand, and raise wagers on it."""
    if not step.state.ghost_hand_requested:
        return step
    coup = replace(step.coup, ghost=True)
    dealt = step.shoe.ghost_hands + 1
    step = step.with_state(replace(step.state, ghost_hand_requested=False))
    step = step.with_shoe(replace(step.shoe, coup=coup, ghost_hands=dealt))
    wagers, most = wagers_on_layout(step.state, coup.number), book.values.ghost_hands_max
    if wagers:
        detail = message("wagers_on_ghost_hand", count=len(wagers))
        step = raise_irregularity(book, step, IrregularityCode.GHOST_HAND_WITH_WAGERS, detail)
    if dealt > most:
        detail = message("in_this_shoe_at_most_allowed", dealt=dealt, most=most)
        step = raise_irregularity(book, step, IrregularityCode.GHOST_HANDS_EXCEEDED, detail)
    return step
