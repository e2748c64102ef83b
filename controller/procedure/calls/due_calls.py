"""The calls and acts that are due now: one list for the prompts and the page.

It uses only what people have seen.
Source: NY (f)(2)-(3), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2)-(3), (h)(1)-(3), (h)(5), (j)(1);
WA overview 3, before 1 and 2, procedure 1 to 7, announcements; HG game play; D-8, D-37.

Decisions. Where no report says that cards were turned, every call of a face-down coup is prompted
at its fourth card, in general words: a later call would disclose what the cards call for. No call
is due while the table is suspended, or for a partial coup.
"""

from controller.procedure.calls.announcement_text import phrase_text
from controller.procedure.calls.announcements import (
    DueCall,
    banker_draw_call,
    due_count_calls,
    due_result_calls,
    requires,
)
from controller.procedure.calls.face_down import (
    DEAL_POINTS,
    UNDER_SHOE,
    banker_goes_under_shoe,
    face_down_calls,
    turn_call,
)
from controller.procedure.calls.visibility import hands_seen, unseen_third_card
from controller.procedure.effects import PromptKind
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.profiles.call_phrases import CallPhrase
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import DealOption
from controller.rules.setting_values import RequiredCall as Announcement

_DEAL_TEXT = {
    DealOption.FACE_UP: "deal face up",
    DealOption.FACE_DOWN_DEALER: "deal face down",
    DealOption.MIXED: "deal the Player's Hand face up, the Banker's face down",
    DealOption.PLAYERS_REVEAL: "deal face down",
}


def due_calls(book: RuleBook, state: TableState) -> tuple[DueCall, ...]:
    """What is due now, in order."""
    if state.suspension is not None or state.shoe is None:
        return ()
    coup = state.shoe.coup
    if coup is None:
        if state.phase is not Phase.BETWEEN_COUPS:
            return ()
        before = calls_before_coup(book, ghost=state.ghost_hand_requested, bets=True)
        return (*_last_hand_call(book, state.shoe), *before)
    if coup.partial or len(coup.cards) < 4:
        return ()
    if not hands_seen(book, coup):
        return face_down_calls(book, state, coup)
    third = unseen_third_card(book, coup)
    if third is not None:
        return (turn_call(book, state, coup, third),)
    return _calls_after_reveal(book, state.phase, coup)


def _calls_after_reveal(book: RuleBook, phase: Phase, coup: CoupState) -> tuple[DueCall, ...]:
    """The calls that are due once every card on the layout was seen."""
    if phase is Phase.RESULT:
        return (*due_count_calls(book, coup), *due_result_calls(book, coup))
    if len(coup.cards) == 4:
        return due_count_calls(book, coup)
    return (banker_draw_call(book, coup),) if requires(book, Announcement.DRAWS) else ()


def calls_before_coup(book: RuleBook, *, ghost: bool, bets: bool) -> tuple[DueCall, ...]:
    """The prompt before a coup's first card; `bets`: it includes "no more bets"."""
    if ghost:
        text = "a ghost hand: no wagers; deal every card face up"
        ghostly = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER)
        return (DueCall(PromptKind.BEFORE_DEAL, text, ghostly),)
    texts: list[str] = []
    points: list[RulePoint] = []
    if book.clauses(RulePoint.LAYOUT_CHECKED):
        texts.append("check that every wager lies in its own area")
        points.append(RulePoint.LAYOUT_CHECKED)
    if requires(book, Announcement.BEFORE):
        texts.append(f'announce "{phrase_text(book, CallPhrase.BEFORE)}"')
        points += [RulePoint.PRE_DEAL_CALLS, RulePoint.CALLS_DOCUMENTED]
    call = PromptKind.BEFORE_DEAL
    if bets and requires(book, Announcement.NO_MORE_BETS):
        texts.append(f'call "{phrase_text(book, CallPhrase.NO_MORE_BETS)}" before the first card')
        points.append(RulePoint.NO_MORE_BETS)
        call = PromptKind.NO_MORE_BETS
    if not texts:
        return ()
    option = book.values.deal_option
    points += [DEAL_POINTS[option], RulePoint.TWO_HANDS, RulePoint.HAND_AREAS]
    points.append(RulePoint.DEALER_DRAWS)
    text = "; ".join((*texts, f"{_DEAL_TEXT[option]}, {_where_cards_go(book)}"))
    return (DueCall(call, text, tuple(points)),)


def _where_cards_go(book: RuleBook) -> str:
    """Where the first four cards are placed, by `banker_placement`."""
    areas = "each card to its hand's area"
    if not banker_goes_under_shoe(book):
        return areas
    if book.values.deal_option is DealOption.PLAYERS_REVEAL:
        return f"{areas}; after the fourth card place the Banker's Hand {UNDER_SHOE}"
    return f"the Player's Hand to its area, the Banker's Hand {UNDER_SHOE}"


def _last_hand_call(book: RuleBook, shoe: ShoeState) -> tuple[DueCall, ...]:
    return (last_hand_call(book),) if shoe.cut.last_coup == shoe.coups_begun + 1 else ()


def last_hand_call(book: RuleBook) -> DueCall:
    """The announcement of the last hand."""
    text = f'announce "{phrase_text(book, CallPhrase.LAST_HAND)}"'
    return DueCall(PromptKind.LAST_HAND, text, (RulePoint.LAST_HAND_CALLED,))
