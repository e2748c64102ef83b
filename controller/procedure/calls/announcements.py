"""What the dealer announces of cards that people have seen: counts, draws, result.

Responsible for: each such call as words and the points of the profile that ask for it.
Not responsible for: when it is due (due_calls) and the words themselves (call_words).
Source: NY (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (h)(1)-(3), (j)(1); WA overview 3, procedure 2 to
7, announcements; HG game play.
"""

from controller.procedure.calls import announcement_text as call_words
from controller.procedure.calls.visibility import HANDS
from controller.procedure.effects import Call
from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Cards, Decision, decision, hands
from controller.rules.hands import HandName, is_natural, point_count
from controller.rules.outcome import Outcome, result_of
from controller.rules.setting_values import Call as Announcement
from controller.rules.setting_values import ThirdCardDealt
from controller.settlement.coup_facts import facts_of
from firmware_bridge.values import dataclass

NAMES = {
    TurnedCards.PLAYER_HAND: "the Player's Hand",
    TurnedCards.BANKER_HAND: "the Banker's Hand",
    TurnedCards.PLAYER_THIRD: "Player's third card",
    TurnedCards.BANKER_THIRD: "Banker's third card",
}
HAND_OF = {
    TurnedCards.PLAYER_HAND: HandName.PLAYER,
    TurnedCards.PLAYER_THIRD: HandName.PLAYER,
    TurnedCards.BANKER_HAND: HandName.BANKER,
    TurnedCards.BANKER_THIRD: HandName.BANKER,
}
COUNT_CALLED = {
    HandName.PLAYER: RulePoint.PLAYER_COUNT_CALLED,
    HandName.BANKER: RulePoint.BANKER_COUNT_CALLED,
}
_NATURAL = {
    HandName.PLAYER: RulePoint.NATURAL_PLAYER,
    HandName.BANKER: RulePoint.NATURAL_BANKER,
}
_THIRD_DUE = {
    Decision.PLAYER_DRAWS: TurnedCards.PLAYER_THIRD,
    Decision.PLAYER_STANDS_BANKER_DRAWS: TurnedCards.BANKER_THIRD,
}
_FACE_UP = {
    TurnedCards.PLAYER_THIRD: RulePoint.PLAYER_THIRD_FACE_UP,
    TurnedCards.BANKER_THIRD: RulePoint.BANKER_THIRD_FACE_UP,
}


@dataclass(frozen=True, slots=True)
class DueCall:
    """One prompt: what is due, in words, and where the profile asks for it."""

    call: Call
    text: str
    points: tuple[RulePoint, ...]


def has(book: RuleBook, *announcements: Announcement) -> bool:
    """Whether the profile asks for any of these announcements."""
    return any(one in book.values.calls_required for one in announcements)


def counts_due(book: RuleBook, coup: CoupState) -> tuple[DueCall, ...]:
    """The counts of four cards, of the hand alone that was turned last where hands were turned."""
    if len(coup.cards) > 4 or not has(book, Announcement.COUNTS, Announcement.DRAWS):
        return ()
    turned = [TurnedCards(word) for word in coup.reveal.turned if TurnedCards(word) in HANDS]
    called = tuple(HandName) if not turned else (HAND_OF[turned[-1]],)
    return (counts(book, coup, called, both=True),)


def banker_draw_due(coup: CoupState) -> DueCall:
    """Banker draws after Player's third card, and what there is to beat."""
    player = point_count(hands(coup.faces()).player)
    text = f"announce: {call_words.banker_draws(player)}"
    return DueCall(Call.BANKER_DRAW, text, (RulePoint.BANKER_DRAW_CALLED,))


def counts(book: RuleBook, coup: CoupState, called: tuple[HandName, ...], *, both: bool) -> DueCall:
    """Announce these hands; with `both` seen, also what they call for."""
    words = [_shown(book, coup, hand, both=both) for hand in called]
    points = [RulePoint.COUNTS_CALLED, *(COUNT_CALLED[hand] for hand in called)]
    points += [_NATURAL[hand] for hand in called if is_natural(_two_cards(coup, hand))]
    text = "announce: "
    if not both:
        return DueCall(Call.COUNTS, text + ", ".join(words), tuple(points))
    ruling = decision(coup.faces())
    if has(book, Announcement.DRAWS):
        points.append(RulePoint.PLAYER_DRAW_CALLED)
        if ruling is Decision.PLAYER_DRAWS:
            words.append("card for the Player")
        else:
            points.append(RulePoint.BANKER_DRAW_CALLED)
        if ruling is Decision.PLAYER_STANDS_BANKER_DRAWS:
            words.append(call_words.banker_draws(_points_of(coup, HandName.PLAYER)))
    third = _THIRD_DUE.get(ruling)
    if third is None:
        return DueCall(Call.COUNTS, f"{text}{', '.join(words)}; no third card", tuple(points))
    points.append(RulePoint.THIRD_CARD_RULE)
    how = book.values.third_card_dealt
    if how is ThirdCardDealt.FACE_UP or coup.ghost:
        points.append(_FACE_UP[third])
    then = f"then {NAMES[third]}, {'face up' if coup.ghost else how.value.replace('_', ' ')}"
    return DueCall(Call.COUNTS, f"{text}{', '.join(words)}; {then}", tuple(points))


def _shown(book: RuleBook, coup: CoupState, hand: HandName, *, both: bool) -> str:
    points = _points_of(coup, hand)
    if not has(book, Announcement.DRAWS):
        return call_words.count(hand, points)
    if hand is HandName.PLAYER:
        return call_words.player_shows(points)
    if both:
        return call_words.banker_shows(points, _points_of(coup, HandName.PLAYER))
    return call_words.count(hand, points)


def _two_cards(coup: CoupState, hand: HandName) -> Cards:
    faces = coup.faces()[:4]
    return faces[0::2] if hand is HandName.PLAYER else faces[1::2]


def _points_of(coup: CoupState, hand: HandName) -> int:
    return point_count(_two_cards(coup, hand))


def result_due(book: RuleBook, coup: CoupState) -> tuple[DueCall, ...]:
    """The calls of a complete coup; few are due in each, so each has its own words."""
    faces = coup.faces()
    result, facts = result_of(faces), facts_of(faces)
    due: list[DueCall] = []
    words: list[str] = []
    points: list[RulePoint] = []
    if decision(faces) is Decision.BANKER_STANDS and has(book, Announcement.DRAWS):
        words.append("Banker draws no card")
        points.append(RulePoint.BANKER_DRAW_CALLED)
    if has(book, Announcement.FINAL_AND_WINNER):
        words.append(call_words.decided(result))
        points += [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if book.values.total_card_wagers:
        words.append(f"{facts.cards} cards in all")
        points.append(RulePoint.TOTAL_CARDS_CALLED)
    if words:
        due.append(DueCall(Call.RESULT, "announce: " + ", ".join(words), tuple(points)))
    if result.outcome is Outcome.TIE and has(book, Announcement.TIE_HAND):
        due.append(DueCall(Call.TIE_HAND, 'announce "tie hand"', (RulePoint.TIE_CALLED,)))
    if book.values.ez and (facts.dragon_7 or facts.panda_8):
        text = f'announce "{"dragon 7" if facts.dragon_7 else "panda 8"}"'
        due.append(DueCall(Call.EZ_RESULT, text, (RulePoint.EZ_CALLED,)))
    return tuple(due)
