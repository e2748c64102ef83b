"""What the dealer says: the phrases of counts, draws and results, in the words of the profile.

Source: WA announcements ("Calls": player, banker, general, decision; WA-pl-ann, WA-bk-ann); NY (g),
(i)(1); S42 (h)(1), (j)(1); NJ 3.10(a), 7.10(a).
"""

from controller.procedure.rulebook import RuleBook
from controller.rules.hands import HandName
from controller.rules.outcome import CoupResult, Outcome
from controller.rules.profiles.call_phrases import CallPhrase

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
