"""Exact odds by enumeration of all six-card draws, and the house edge of each wager.

Source: NY-h-2-draw to NY-h-4-7, S42-i-2-draw to S42-i-6, by controller.rules.tableau.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import perm
from typing import Final, TypeAlias

from msgspec import Struct

from controller.rules.hands import NATURAL_COUNTS, HandName
from controller.rules.setting_values import VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import VigorishOn, WagerVerdict, wager_results
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import share_of_stake
from controller.rules.settlement.wagers import WagerKind
from controller.rules.tableau import banker_draws, player_draws

_VALUES: Final = range(10)
_DECK: Final = 52
_COUP_CARDS_MAX: Final = 6

# The number of ordered six-card draws for each possible coup.
Draws: TypeAlias = Mapping[CoupFacts, int]


class DrawCount(Struct, frozen=True):
    """The number of ordered six-card draws with a named property."""

    name: str
    draws: int


class HouseEdge(Struct, frozen=True):
    """The house edge of a wager: its mean gain as an exact fraction of the stake.

    `wins`, `loses`, `returned` count draws. `waived`: the seat's total card wagers waive the
    vigorish (New Jersey).
    """

    kind: WagerKind
    waived: bool
    wins: int
    loses: int
    returned: int
    edge: Fraction


def enumerate_draws(decks: int) -> Draws:
    """Count every ordered draw of six cards from `decks` decks by the coup it gives.

    Six cards are drawn even where the rules need fewer, so that each coup has its true weight.
    """
    found: dict[CoupFacts, int] = {}
    for facts, ways in _coups(decks):
        found[facts] = found.get(facts, 0) + ways
    return found


def all_draws(decks: int) -> int:
    """The number of ordered draws of six cards."""
    return perm(decks * _DECK, _COUP_CARDS_MAX)


def draw_counts(draws: Draws) -> tuple[DrawCount, ...]:
    """Draw counts by winner, by number of cards, and of named coups."""

    def count(name: str, holds: Callable[[CoupFacts], bool]) -> DrawCount:
        return DrawCount(name, sum(ways for facts, ways in draws.items() if holds(facts)))

    return (
        count("player", lambda facts: facts.player_count > facts.banker_count),
        count("banker", lambda facts: facts.banker_count > facts.player_count),
        count("tie", lambda facts: facts.player_count == facts.banker_count),
        count("dragon_7", lambda facts: facts.dragon_7),
        count("panda_8", lambda facts: facts.panda_8),
        count("cards_4", lambda facts: facts.cards == 4),
        count("cards_5", lambda facts: facts.cards == 5),
        count("cards_6", lambda facts: facts.cards == 6),
        count("naturals", lambda facts: any(facts.natural(hand) for hand in HandName)),
    )


def house_edges(terms: Terms, draws: Draws) -> tuple[HouseEdge, ...]:
    """The house edge of every wager the table offers, vigorish exact and not rounded."""
    return tuple(_edges(terms, draws))


def _edges(terms: Terms, draws: Draws) -> Iterator[HouseEdge]:
    for kind in terms.offered:
        yield _edge(terms, draws, kind, waived=False)
        by_seat = terms.rules.vig_mode is VigorishMode.NONE_TOTAL_CARDS
        if kind is WagerKind.BANKER and by_seat:
            yield _edge(terms, draws, kind, waived=True)


def _edge(terms: Terms, draws: Draws, kind: WagerKind, *, waived: bool) -> HouseEdge:
    gain, verdicts = Fraction(0), dict.fromkeys(WagerVerdict, 0)
    for facts, ways in draws.items():
        result = next(one for one in wager_results(terms, facts) if one.kind is kind)
        verdicts[result.verdict] += ways
        if result.odds is not None:
            gain -= ways * result.odds.fraction
        if result.verdict is WagerVerdict.LOSES:
            gain += ways
        if result.vigorish_on is not VigorishOn.NOTHING and not waived:
            gain += ways * share_of_stake(terms, result)
    return HouseEdge(
        kind,
        waived,
        verdicts[WagerVerdict.WINS],
        verdicts[WagerVerdict.LOSES],
        verdicts[WagerVerdict.PUSHES] + verdicts[WagerVerdict.VOID],
        gain / sum(draws.values()),
    )


# --- the enumeration ----------------------------------------------------------------------------


def _coups(decks: int) -> Iterator[tuple[CoupFacts, int]]:
    """Coups by point values; two-card hands by their two values, in either order."""
    cards = tuple(decks * (16 if value == 0 else 4) for value in _VALUES)
    rest = decks * _DECK - 4
    two_cards = tuple(combinations_with_replacement(_VALUES, 2))
    for player in two_cards:
        for banker in two_cards:
            orders = (1 + (player[0] != player[1])) * (1 + (banker[0] != banker[1]))
            left = list(cards)
            ways = orders * _ways_to_draw(left, (*player, *banker))
            two_card_counts = sum(player) % 10, sum(banker) % 10
            yield from _third_cards(*two_card_counts, left, ways, rest)


def _ways_to_draw(left: list[int], values: Iterable[int]) -> int:
    """The number of ways to draw cards of these values in order; removes them from `left`."""
    ways = 1
    for value in values:
        ways *= left[value]
        left[value] -= 1
    return ways


def _third_cards(
    player: int, banker: int, left: list[int], ways: int, rest: int
) -> Iterator[tuple[CoupFacts, int]]:
    """Complete a coup after four cards; `left` counts the `rest` remaining cards by value."""
    if player in NATURAL_COUNTS or banker in NATURAL_COUNTS:
        yield CoupFacts(player, banker, 2, 2), ways * perm(rest, 2)
    elif player_draws(player):
        for third in _VALUES:
            after, count = ways * left[third], (player + third) % 10
            if not banker_draws(banker, third):
                yield CoupFacts(count, banker, 3, 2), after * (rest - 1)
                continue
            for last in _VALUES:
                ends = after * (left[last] - (last == third))
                yield CoupFacts(count, (banker + last) % 10, 3, 3), ends
    elif banker_draws(banker, None):
        for third in _VALUES:
            ends = ways * left[third] * (rest - 1)
            yield CoupFacts(player, (banker + third) % 10, 2, 3), ends
    else:
        yield CoupFacts(player, banker, 2, 2), ways * perm(rest, 2)
