"""The calls and acts that are due at this moment, told by nothing that people have not seen.

Responsible for: reading them from the state: one list that prompts and page share.
Not responsible for: prompting them once (calls), words (announcing) and who turns (turning).
Source: NY (f)(2)-(3), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2)-(3), (h)(1)-(3), (h)(5), (j)(1);
WA overview 3, before 1 and 2, procedure 1 to 7, announcements; HG game play; D-8, D-37.

Decisions. Where nothing tells that cards were turned, everything that is to be called of a face
down coup is said at its fourth card, in general words: a later call would tell what the cards call
for. While the table is suspended, and of a partial coup, no call is due.
"""

from controller.procedure.calls.announcements import (
    DueCall,
    banker_draw_due,
    counts_due,
    has,
    result_due,
)
from controller.procedure.calls.face_down import face_down_due, turning
from controller.procedure.calls.visibility import hands_seen, third_unseen
from controller.procedure.effects import Call
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import Call as Announcement
from controller.rules.setting_values import DealOption

_DEALT = {
    DealOption.FACE_UP: ("deal face up", RulePoint.DEAL_FACE_UP),
    DealOption.FACE_DOWN_DEALER: ("deal face down", RulePoint.DEAL_FACE_DOWN_DEALER),
    DealOption.MIXED: (
        "deal the Player's Hand face up, the Banker's face down",
        RulePoint.DEAL_FACE_DOWN_DEALER,
    ),
    DealOption.PLAYERS_REVEAL: ("deal face down", RulePoint.DEAL_PLAYERS_REVEAL),
}


def due_calls(book: RuleBook, state: TableState) -> tuple[DueCall, ...]:
    """What is due now, in order."""
    if state.suspension is not None or state.shoe is None:
        return ()
    coup = state.shoe.coup
    if coup is None:
        if state.phase is not Phase.BETWEEN_COUPS:
            return ()
        before = before_coup(book, ghost=state.ghost_asked, bets=True)
        return (*_last_hand(state.shoe), *before)
    if coup.partial or coup.abandoned or len(coup.cards) < 4:
        return ()
    if not hands_seen(book, coup):
        return face_down_due(book, state, coup)
    third = third_unseen(book, coup)
    if third is not None:
        return (turning(book, state, coup, third),)
    return _told(book, state.phase, coup)


def _told(book: RuleBook, phase: Phase, coup: CoupState) -> tuple[DueCall, ...]:
    """Every card on the layout has been seen."""
    if phase is Phase.RESULT:
        return (*counts_due(book, coup), *result_due(book, coup))
    if len(coup.cards) == 4:
        return counts_due(book, coup)
    return (banker_draw_due(coup),) if has(book, Announcement.DRAWS) else ()


def before_coup(book: RuleBook, *, ghost: bool, bets: bool) -> tuple[DueCall, ...]:
    """What comes before a coup's first card; `bets`: "no more bets" is to be called, too."""
    if ghost:
        text = "a ghost hand: no wagers; deal every card face up"
        ghostly = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER)
        return (DueCall(Call.BEFORE_DEAL, text, ghostly),)
    texts: list[str] = []
    points: list[RulePoint] = []
    if book.clauses(RulePoint.LAYOUT_CHECKED):
        texts.append("check that every wager lies in its own area")
        points.append(RulePoint.LAYOUT_CHECKED)
    if has(book, Announcement.BEFORE):
        texts.append("make the announcements before the deal")
        points += [RulePoint.PRE_DEAL_CALLS, RulePoint.CALLS_DOCUMENTED]
    call = Call.BEFORE_DEAL
    if bets and has(book, Announcement.NO_MORE_BETS):
        texts.append('call "no more bets" before the first card')
        points.append(RulePoint.NO_MORE_BETS)
        call = Call.NO_MORE_BETS
    if not texts:
        return ()
    how, option = _DEALT[book.values.deal_option]
    points += [option, RulePoint.TWO_HANDS, RulePoint.HAND_AREAS, RulePoint.DEALER_DRAWS]
    text = "; ".join((*texts, f"{how}, each card to its hand's area"))
    return (DueCall(call, text, tuple(points)),)


def _last_hand(shoe: ShoeState) -> tuple[DueCall, ...]:
    if shoe.cut.last_coup != shoe.coups_begun + 1:
        return ()
    return (DueCall(Call.LAST_HAND, 'announce "last hand"', (RulePoint.LAST_HAND_CALLED,)),)
