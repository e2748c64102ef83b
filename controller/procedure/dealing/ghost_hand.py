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
from controller.procedure.events import GhostHandRequested
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.profiles.rule_points import RulePoint

ACT = "ghost-hand"


def ghost_hand_requested(book: RuleBook, state: TableState, event: GhostHandRequested) -> Step:
    """Make the next coup a ghost hand, or refuse."""
    shoe, most = state.shoe, book.values.ghost_hands_max
    if most == 0:
        why = "ghost hands are off at this table: every coup is dealt for wagers"
        return _refuse(book, state, why, RulePoint.GHOST_HAND, RulePoint.WAGERS_LISTED)
    if shoe is None or not _between_coups(book, state, shoe):
        return _refuse(book, state, "ask between two coups of an open shoe", RulePoint.GHOST_HAND)
    if state.ghost_hand_requested:
        return _refuse(book, state, "the next coup is already a ghost hand", RulePoint.GHOST_HAND)
    if shoe.ghost_hands >= most:
        why = f"{shoe.ghost_hands} of at most {most} ghost hands were dealt from this shoe"
        return _refuse(book, state, why, RulePoint.GHOST_MAX)
    if shoe.coup is None and state.wagering.wagers:
        why = "wagers lie on the layout: return them, then ask again"
        return _refuse(book, state, why, RulePoint.GHOST_NO_WAGER)
    points = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER, RulePoint.GHOST_MAX)
    detail = f"coup {shoe.coups_begun + 1}: ghost hand {shoe.ghost_hands + 1} of at most {most}"
    recorded = ActRecord(ACT, event.person, detail, book.clauses(*points))
    return Step(replace(state, ghost_hand_requested=True)).with_effect(recorded)


def _refuse(book: RuleBook, state: TableState, why: str, *points: RulePoint) -> Step:
    return Step(state).with_effect(Refusal(ACT, why, book.clauses(*points)))


def _between_coups(book: RuleBook, state: TableState, shoe: ShoeState) -> bool:
    if shoe.coup is None:
        return state.phase is Phase.BETWEEN_COUPS
    # A complete coup that only waits for the next event; after the last coup there is none.
    seen = all_seen(book, shoe.coup) and state.phase is Phase.RESULT
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
        detail = f"wagers on it: {len(wagers)}"
        step = raise_irregularity(book, step, IrregularityCode.GHOST_HAND_WITH_WAGERS, detail)
    if dealt > most:
        detail = f"{dealt} in this shoe, at most {most} allowed"
        step = raise_irregularity(book, step, IrregularityCode.GHOST_HANDS_EXCEEDED, detail)
    return step
