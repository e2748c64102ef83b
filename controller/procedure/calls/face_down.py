"""Hands that lie face down: who turns them, and what is announced of them.

Responsible for: the prompts to turn or to hand over a part of a coup, and the general words for a
table that nothing tells of turning.
Not responsible for: who has the right (reveal_seats) and for when it is due (due_calls).
Source: NY (f)(3), (g); S42 (g)(3)(ii)-(iii), (h)(1)-(3), (k)(5); WA overview 3, procedure
2 and 3; D-37.
"""

from controller.procedure.calls import announcement_text as call_words
from controller.procedure.calls.announcements import (
    COUNT_CALLED,
    HAND_OF,
    NAMES,
    DueCall,
    counts,
    has,
)
from controller.procedure.calls.reveal_seats import (
    highest,
    players_reveal,
    wagers_known,
    wagers_of,
)
from controller.procedure.calls.visibility import HANDS, is_seen, third_unseen
from controller.procedure.effects import Call
from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.rules.setting_values import Call as Announcement

_REVEAL = {
    TurnedCards.PLAYER_HAND: RulePoint.REVEAL_PLAYER,
    TurnedCards.BANKER_HAND: RulePoint.REVEAL_BANKER,
    TurnedCards.PLAYER_THIRD: RulePoint.PLAYER_THIRD_HANDED,
    TurnedCards.BANKER_THIRD: RulePoint.BANKER_THIRD_HANDED,
}
_TIE_BREAK = {
    HandName.PLAYER: RulePoint.REVEAL_PLAYER_TIE_BREAK,
    HandName.BANKER: RulePoint.REVEAL_BANKER_TIE_BREAK,
}


def face_down_due(book: RuleBook, state: TableState, coup: CoupState) -> tuple[DueCall, ...]:
    if not (book.observes(Fact.TURNED) or coup.reveal.turned):
        return _in_general(book, state, coup)
    lying = [hand for hand in HANDS if not is_seen(book, coup, hand)]
    due = turning(book, state, coup, lying[0])
    seen = [hand for hand in HANDS if hand not in lying]
    if not seen or not has(book, Announcement.COUNTS, Announcement.DRAWS):
        return (due,)
    count = counts(book, coup, (HAND_OF[seen[0]],), both=False)
    if due.call is Call.HAND_OVER:
        return (count, due)
    text, points = f"{count.text}; then {due.text}", (*count.points, *due.points)
    return (DueCall(Call.COUNTS, text, points),)


def _in_general(book: RuleBook, state: TableState, coup: CoupState) -> tuple[DueCall, ...]:
    """Everything a face down coup is due, told without its cards."""
    due: list[DueCall] = []
    if players_reveal(book, coup):
        player, banker = (turning(book, state, coup, hand) for hand in HANDS)
        text = f"{player.text}; then {banker.text}"
        due.append(DueCall(Call.HAND_OVER, text, (*player.points, *banker.points)))
    parts, points = _announced_in_general(book)
    if parts:
        first = () if due else (RulePoint.TURN_PLAYER_FIRST,)
        text = "as the cards are turned announce " + ", then ".join(parts)
        due.append(DueCall(Call.COUNTS, text, (*points, *first)))
    third = third_unseen(book, coup)
    if third is not None:
        due.append(turning(book, state, coup, third))
    return tuple(due)


def _announced_in_general(book: RuleBook) -> tuple[list[str], list[RulePoint]]:
    parts: list[str] = []
    points: list[RulePoint] = []
    if has(book, Announcement.COUNTS):
        parts.append("the point count of the Player's Hand, then the Banker's")
        points += [RulePoint.COUNTS_CALLED, *COUNT_CALLED.values()]
    if has(book, Announcement.DRAWS):
        parts.append("who draws")
        points += [RulePoint.PLAYER_DRAW_CALLED, RulePoint.BANKER_DRAW_CALLED]
    if has(book, Announcement.FINAL_AND_WINNER):
        parts.append("the final point counts and the winner")
        points += [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if has(book, Announcement.TIE_HAND):
        parts.append('"tie hand" if they are equal')
        points.append(RulePoint.TIE_CALLED)
    if book.values.total_card_wagers:
        parts.append("how many cards there are in all")
        points.append(RulePoint.TOTAL_CARDS_CALLED)
    if book.values.ez:
        parts.append('"dragon 7" or "panda 8" if it is one')
        points.append(RulePoint.EZ_CALLED)
    return parts, points


def turning(book: RuleBook, state: TableState, coup: CoupState, part: TurnedCards) -> DueCall:
    """Who turns that part: the dealer, or the patron it is handed to."""
    name = NAMES[part]
    if not players_reveal(book, coup):
        return DueCall(Call.TURN, f"turn {name}", (RulePoint.TURN_PLAYER_FIRST,))
    hand = HAND_OF[part]
    wager = f"{call_words.NAMES[hand]} wager"
    if not wagers_known(book):
        whom = f"the patron with the highest {wager}"
        if part not in HANDS:
            whom = "the patron who had that hand"
        text = f"hand {name} face down to {whom}; nobody: the dealer turns it"
        open_to = (_REVEAL[part], _TIE_BREAK[hand], RulePoint.REVEAL_DEALER)
        return DueCall(Call.HAND_OVER, text, open_to)
    seat = coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat
    if seat == 0:
        text = f"turn {name}: no patron does"
        return DueCall(Call.HAND_OVER, text, (_REVEAL[part], RulePoint.REVEAL_DEALER))
    tied = highest(wagers_of(state, coup.number), hand, book.values.seat_direction).tied
    points = (_REVEAL[part], _TIE_BREAK[hand]) if tied else (_REVEAL[part],)
    return DueCall(Call.HAND_OVER, f"hand {name} face down to seat {seat}", points)
