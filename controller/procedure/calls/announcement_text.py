"""What the dealer says: the words of counts, draws and results.

Source: WA announcements ("Calls": player, banker, general, decision); NY (g), (i)(1); S42 (h)(1),
(j)(1); NJ 3.10(a), 7.10(a).
"""

from controller.rules.hands import HandName
from controller.rules.outcome import CoupResult, Outcome

NAMES = {HandName.PLAYER: "Player", HandName.BANKER: "Banker"}
NATURAL_COUNT_MIN = 8


def point_count_text(hand: HandName, points: int) -> str:
    """A hand's count on two cards."""
    natural = " (natural)" if points >= NATURAL_COUNT_MIN else ""
    return f"{NAMES[hand]} {points}{natural}"


def player_two_cards(points: int) -> str:
    """Player's two cards where draws are called: whether Player stands."""
    if points >= NATURAL_COUNT_MIN:
        return f"Player has a natural {points}, no draws"
    if points >= 6:
        return f"Player stands on {points}"
    return f"Player shows {points}" if points else "Player shows nothing"


def banker_two_cards(points: int, player: int) -> str:
    """Banker's two cards where draws are called; a natural wins only over a lower count."""
    if points >= NATURAL_COUNT_MIN:
        if player == points:
            return f"Banker ties {points}-{points}"
        verb = "wins with" if points > player else "has"
        return f"Banker {verb} a natural {points}"
    if points == 7:
        return "Banker stands on 7"
    return f"Banker shows {points}" if points else "Banker shows nothing"


def banker_draws(player: int) -> str:
    """Banker's draw, with the number to beat."""
    return f"draw bank, {player} to beat"


def result_text(result: CoupResult) -> str:
    """The final counts and the winner; a tie has its own call."""
    player, banker = result.player_count, result.banker_count
    match result.outcome:
        case Outcome.PLAYER:
            return f"Player wins, {player} over {banker}"
        case Outcome.BANKER:
            return f"Banker wins, {banker} over {player}"
        case _:
            return f"Player {player}, Banker {banker}"
