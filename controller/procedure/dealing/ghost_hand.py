"""Ghost hands: coups dealt face up without wagers, when patrons ask for one.

Responsible for: whether one may be dealt next, and what is wrong with one that is.
Not responsible for: dealing it (drawing, by the ordinary rules) and for wagers (wagering).
Source: WA overview 9; X-28.

Decisions. What was asked for stands until the next coup begins, in the next shoe if it comes to
that. A ghost hand is a coup of its shoe: it has a number, is counted by its outcome, moves the cut
card nearer, and its record says what it was. No wager is settled by it.
"""

from controller.procedure.calls.reveal_seats import wagers_of
from controller.procedure.calls.visibility import all_seen
from controller.procedure.dealing.coup_end import is_over
from controller.procedure.effects import Recorded, Refused
from controller.procedure.events import GhostHandAsked
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step_result import Step, irregular
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace

WHAT = "ghost-hand"


def ghost_hand_asked(book: RuleBook, state: TableState, event: GhostHandAsked) -> Step:
    """The next coup as a ghost hand, or why not."""
    shoe, most = state.shoe, book.values.ghost_hands_max
    if most == 0:
        why = "ghost hands are off at this table: every coup is dealt for the wagers listed"
        return _refused(book, state, why, RulePoint.GHOST_HAND, RulePoint.WAGERS_LISTED)
    if shoe is None or not _between_coups(book, state, shoe):
        return _refused(book, state, "ask between two coups of an open shoe", RulePoint.GHOST_HAND)
    if state.ghost_asked:
        return _refused(book, state, "the next coup is a ghost hand already", RulePoint.GHOST_HAND)
    if shoe.ghost_hands >= most:
        why = f"{shoe.ghost_hands} ghost hands of at most {most} were dealt from this shoe"
        return _refused(book, state, why, RulePoint.GHOST_MAX)
    if shoe.coup is None and state.wagering.wagers:
        why = "wagers lie on the layout: return them, then ask again"
        return _refused(book, state, why, RulePoint.GHOST_NO_WAGER)
    points = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER, RulePoint.GHOST_MAX)
    detail = f"coup {shoe.coups_begun + 1}: ghost hand {shoe.ghost_hands + 1} of at most {most}"
    recorded = Recorded(WHAT, event.person, detail, book.clauses(*points))
    return Step(replace(state, ghost_asked=True)).with_effect(recorded)


def _refused(book: RuleBook, state: TableState, why: str, *points: RulePoint) -> Step:
    return Step(state).with_effect(Refused(WHAT, why, book.clauses(*points)))


def _between_coups(book: RuleBook, state: TableState, shoe: ShoeState) -> bool:
    if shoe.coup is None:
        return state.phase is Phase.BETWEEN_COUPS
    # A coup that only waits for what follows it; of the last one nothing does.
    told = all_seen(book, shoe.coup) and state.phase is Phase.RESULT
    return told and is_over(shoe.coup) and not shoe.is_last(shoe.coup.number)


def ghost_hand_begun(book: RuleBook, step: Step) -> Step:
    """A coup began: if it was asked for as a ghost hand it is one, and must be without wagers."""
    if not step.state.ghost_asked:
        return step
    coup = replace(step.coup, ghost=True)
    dealt = step.shoe.ghost_hands + 1
    step = step.on(replace(step.state, ghost_asked=False))
    step = step.with_shoe(replace(step.shoe, coup=coup, ghost_hands=dealt))
    wagers, most = wagers_of(step.state, coup.number), book.values.ghost_hands_max
    if wagers:
        detail = f"{len(wagers)} lie on it"
        step = irregular(book, step, IrregularityCode.GHOST_HAND_WITH_WAGERS, detail)
    if dealt > most:
        detail = f"{dealt} in this shoe, at most {most} are allowed"
        step = irregular(book, step, IrregularityCode.GHOST_HANDS_EXCEEDED, detail)
    return step
