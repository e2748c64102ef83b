"""What the dealer announces of cards that people have seen: words, and the points that require it.

Source: NY (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (h)(1)-(3), (j)(1); WA overview 3, procedure 2 to
7; WA announcements ("Calls": player, banker, general, decision; WA-pl-ann, WA-bk-ann); HG game
play.
"""

from msgspec import Struct

from controller.procedure.calls.visibility import HANDS
from controller.procedure.effects import PromptKind
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState
from controller.rules.actions.choices import LayoutPart
from controller.rules.coup import DrawDecision, draw_decision, hands
from controller.rules.hands import NATURAL_COUNTS, HandName, point_count
from controller.rules.outcome import CoupResult, Outcome, coup_result
from controller.rules.profiles.call_phrases import CallPhrase
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import RequiredCall as Announcement
from controller.rules.setting_values import ThirdCardDealt
from controller.rules.settlement.coup_facts import derive_facts
from foundation.message import Message, message

NATURAL_COUNT_MIN = 8


def phrase_text(book: RuleBook, phrase: CallPhrase, **numbers: int) -> str:
    """A phrase in the words of the profile, with its numbers."""
    return book.values.call_texts[phrase].format(**numbers)


def point_count_text(book: RuleBook, hand: HandName, points: int) -> str:
    """A hand's count on two cards."""
    natural = points >= NATURAL_COUNT_MIN
    if hand is HandName.PLAYER:
        phrase = CallPhrase.PLAYER_COUNT_NATURAL if natural else CallPhrase.PLAYER_COUNT
        return phrase_text(book, phrase, player=points)
    phrase = CallPhrase.BANKER_COUNT_NATURAL if natural else CallPhrase.BANKER_COUNT
    return phrase_text(book, phrase, banker=points)


def player_two_cards(book: RuleBook, points: int) -> str:
    """Player's two cards where draws are called: whether Player stands."""
    if points >= NATURAL_COUNT_MIN:
        phrase = CallPhrase.PLAYER_NATURAL
    elif points >= 6:
        phrase = CallPhrase.PLAYER_STANDS
    else:
        phrase = CallPhrase.PLAYER_SHOWS if points else CallPhrase.PLAYER_NOTHING
    return phrase_text(book, phrase, player=points)


def banker_two_cards(book: RuleBook, points: int, player: int) -> str:
    """Banker's two cards where draws are called; a natural wins only over a lower count."""
    if points >= NATURAL_COUNT_MIN:
        phrase = CallPhrase.BANKER_NATURAL_TIES
        if player != points:
            wins = points > player
            phrase = CallPhrase.BANKER_NATURAL_WINS if wins else CallPhrase.BANKER_NATURAL
    elif points == 7:
        phrase = CallPhrase.BANKER_STANDS
    else:
        phrase = CallPhrase.BANKER_SHOWS if points else CallPhrase.BANKER_NOTHING
    return phrase_text(book, phrase, banker=points, player=player)


def result_text(book: RuleBook, result: CoupResult, *, tie_called: bool) -> str:
    """The final counts and the winner, or the tie unless another call announces it."""
    phrase = {
        Outcome.PLAYER: CallPhrase.PLAYER_WINS,
        Outcome.BANKER: CallPhrase.BANKER_WINS,
        Outcome.TIE: CallPhrase.TIE_COUNTS if tie_called else CallPhrase.TIE_WITH_COUNTS,
    }[result.outcome]
    return phrase_text(book, phrase, player=result.player_count, banker=result.banker_count)


NAMES = {
    LayoutPart.PLAYER_HAND: message("player_hand"),
    LayoutPart.BANKER_HAND: message("banker_hand"),
    LayoutPart.PLAYER_THIRD: message("player_third_card"),
    LayoutPart.BANKER_THIRD: message("banker_third_card"),
}
HAND_OF = {
    LayoutPart.PLAYER_HAND: HandName.PLAYER,
    LayoutPart.PLAYER_THIRD: HandName.PLAYER,
    LayoutPart.BANKER_HAND: HandName.BANKER,
    LayoutPart.BANKER_THIRD: HandName.BANKER,
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
    DrawDecision.PLAYER_DRAWS: LayoutPart.PLAYER_THIRD,
    DrawDecision.PLAYER_STANDS_BANKER_DRAWS: LayoutPart.BANKER_THIRD,
}
_FACE_UP = {
    LayoutPart.PLAYER_THIRD: RulePoint.PLAYER_THIRD_FACE_UP,
    LayoutPart.BANKER_THIRD: RulePoint.BANKER_THIRD_FACE_UP,
}


class DueCall(Struct, frozen=True):
    """A prompt that is due: its text, and the points of the profile that require it."""

    kind: PromptKind
    text: Message
    points: tuple[RulePoint, ...]


def requires(book: RuleBook, *announcements: Announcement) -> bool:
    """Whether the profile requires any of these announcements."""
    return any(one in book.values.calls_required for one in announcements)


def due_count_calls(book: RuleBook, coup: CoupState) -> tuple[DueCall, ...]:
    """The counts of the first four cards; after turning, only of the hand turned last."""
    if len(coup.cards) > 4 or not requires(book, Announcement.COUNTS, Announcement.DRAWS):
        return ()
    turned = [LayoutPart(word) for word in coup.reveal.turned if LayoutPart(word) in HANDS]
    called = tuple(HandName) if not turned else (HAND_OF[turned[-1]],)
    return (count_call(book, coup, called, both=True),)


def banker_draw_call(book: RuleBook, coup: CoupState) -> DueCall:
    """Banker draws after Player's third card: the count to beat."""
    player = point_count(hands(coup.faces()).player)
    text = message(
        "announce", configured=(phrase_text(book, CallPhrase.BANKER_CARD, player=player),)
    )
    return DueCall(PromptKind.BANKER_DRAW, text, (RulePoint.BANKER_DRAW_CALLED,))


def count_call(
    book: RuleBook, coup: CoupState, called: tuple[HandName, ...], *, both: bool
) -> DueCall:
    """Announce these hands; where `both` were seen, also the third card they call for."""
    faces = coup.faces()
    counts = {
        HandName.PLAYER: point_count(faces[0:4:2]),
        HandName.BANKER: point_count(faces[1:4:2]),
    }
    calls = [_two_card_text(book, counts, hand, both=both) for hand in called]
    points = [RulePoint.COUNTS_CALLED, *(COUNT_CALLED[hand] for hand in called)]
    points += [_NATURAL[hand] for hand in called if counts[hand] in NATURAL_COUNTS]
    if not both:
        return DueCall(
            PromptKind.COUNTS, message("announce", configured=tuple(calls)), tuple(points)
        )
    ruling = draw_decision(faces)
    if requires(book, Announcement.DRAWS):
        points.append(RulePoint.PLAYER_DRAW_CALLED)
        if ruling is DrawDecision.PLAYER_DRAWS:
            both_counts = {hand.value: count for hand, count in counts.items()}
            calls.append(phrase_text(book, CallPhrase.PLAYER_CARD, **both_counts))
        else:
            points.append(RulePoint.BANKER_DRAW_CALLED)
        if ruling is DrawDecision.PLAYER_STANDS_BANKER_DRAWS:
            player = counts[HandName.PLAYER]
            calls.append(phrase_text(book, CallPhrase.BANKER_CARD, player=player))
    third = _THIRD_DUE.get(ruling)
    if third is None:
        text = message("announce_no_third_card", configured=tuple(calls))
        return DueCall(PromptKind.COUNTS, text, tuple(points))
    points.append(RulePoint.THIRD_CARD_RULE)
    how = book.values.third_card_dealt
    if how is ThirdCardDealt.FACE_UP or coup.ghost:
        points.append(_FACE_UP[third])
    text = (
        message("announce_then_third_face_up", configured=tuple(calls), third=NAMES[third])
        if how is ThirdCardDealt.FACE_UP or coup.ghost
        else message("announce_then_third_face_down", configured=tuple(calls), third=NAMES[third])
    )
    return DueCall(PromptKind.COUNTS, text, tuple(points))


def _two_card_text(
    book: RuleBook, counts: dict[HandName, int], hand: HandName, *, both: bool
) -> str:
    points = counts[hand]
    if not requires(book, Announcement.DRAWS):
        return point_count_text(book, hand, points)
    if hand is HandName.PLAYER:
        return player_two_cards(book, points)
    if both:
        return banker_two_cards(book, points, counts[HandName.PLAYER])
    return point_count_text(book, hand, points)


def due_result_calls(book: RuleBook, coup: CoupState) -> tuple[DueCall, ...]:
    """The calls of a complete coup."""
    faces = coup.faces()
    result = coup_result(faces)
    # A tie is announced once: by the call of a natural, by its own call, or with the counts.
    called_with_draws = result.natural and requires(book, Announcement.DRAWS)
    tie_hand = requires(book, Announcement.TIE_HAND) and not called_with_draws
    due: list[DueCall] = []
    calls: list[str] = []
    points: list[RulePoint] = []
    if draw_decision(faces) is DrawDecision.BANKER_STANDS and requires(book, Announcement.DRAWS):
        calls.append(phrase_text(book, CallPhrase.BANKER_NO_CARD))
        points.append(RulePoint.BANKER_DRAW_CALLED)
    if requires(book, Announcement.FINAL_AND_WINNER):
        calls.append(result_text(book, result, tie_called=tie_hand or called_with_draws))
        points += [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if book.values.total_card_wagers:
        calls.append(phrase_text(book, CallPhrase.TOTAL_CARDS, cards=len(faces)))
        points.append(RulePoint.TOTAL_CARDS_CALLED)
    if calls:
        text = message("announce", configured=tuple(calls))
        due.append(DueCall(PromptKind.RESULT, text, tuple(points)))
    if result.outcome is Outcome.TIE and tie_hand:
        text = message("announce_phrase", configured=phrase_text(book, CallPhrase.TIE_HAND))
        due.append(DueCall(PromptKind.TIE_HAND, text, (RulePoint.TIE_CALLED,)))
    facts = derive_facts(faces) if book.values.ez else None
    if facts is not None and (facts.dragon_7 or facts.panda_8):
        phrase = CallPhrase.DRAGON_7 if facts.dragon_7 else CallPhrase.PANDA_8
        text = message("announce_phrase", configured=phrase_text(book, phrase))
        due.append(DueCall(PromptKind.EZ_RESULT, text, (RulePoint.EZ_CALLED,)))
    return tuple(due)
