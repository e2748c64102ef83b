"""Exact odds: every ordered draw of six cards from whole decks, counted.

Responsible for: how often each coup comes, by enumeration over the tables the shoe is judged by,
and the house edge of each wager, from the judgements that coups are paid by.
Not responsible for: what wins and what it pays (controller.settlement) and for showing it.
Source: NY-h-2-draw to NY-h-4-7, S42-i-2-draw to S42-i-6, by controller.rules.tableau.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import perm
from typing import Final, TypeAlias

from controller.rules.hands import NATURAL_COUNTS, HandName
from controller.rules.setting_values import VigorishMode
from controller.rules.tableau import banker_draws, player_draws
from controller.settlement.coup_facts import CoupFacts
from controller.settlement.results import Verdict, VigorishOn, what_wins
from controller.settlement.terms import Terms
from controller.settlement.vigorish import share_of_stake
from controller.settlement.wagers import WagerKind
from firmware_bridge.values import dataclass

_VALUES: Final = range(10)
_DECK: Final = 52
_COUP_CARDS_MAX: Final = 6

# Ordered draws of six cards, by what they make of a coup.
Draws: TypeAlias = Mapping[CoupFacts, int]


@dataclass(frozen=True, slots=True)
class Count:
    """So many of all ordered six-card draws."""

    name: str
    draws: int


@dataclass(frozen=True, slots=True)
class Edge:
    """What the house keeps of a wager on average, as a part of the stake; exact.

    `waived`: the seat's total card wagers waive the vigorish (New Jersey).
    """

    kind: WagerKind
    waived: bool
    wins: int
    loses: int
    returned: int
    edge: Fraction


def draws_of(decks: int) -> Draws:
    """Every ordered draw of six cards from `decks` whole decks, by what the coup comes to.

    Cards that the rules do not call for are drawn all the same, so that each coup weighs as often
    as it comes.
    """
    found: dict[CoupFacts, int] = {}
    for facts, ways in _coups(decks):
        found[facts] = found.get(facts, 0) + ways
    return found


def all_draws(decks: int) -> int:
    """How many ordered draws of six cards there are."""
    return perm(decks * _DECK, _COUP_CARDS_MAX)


def counts(draws: Draws) -> tuple[Count, ...]:
    """What a floor asks for: who wins, in how many cards, and the coups with a name."""

    def of(name: str, holds: Callable[[CoupFacts], bool]) -> Count:
        return Count(name, sum(ways for facts, ways in draws.items() if holds(facts)))

    return (
        of("player", lambda facts: facts.player_count > facts.banker_count),
        of("banker", lambda facts: facts.banker_count > facts.player_count),
        of("tie", lambda facts: facts.player_count == facts.banker_count),
        of("dragon_7", lambda facts: facts.dragon_7),
        of("panda_8", lambda facts: facts.panda_8),
        of("cards_4", lambda facts: facts.cards == 4),
        of("cards_5", lambda facts: facts.cards == 5),
        of("cards_6", lambda facts: facts.cards == 6),
        of("naturals", lambda facts: any(facts.natural(hand) for hand in HandName)),
    )


def edges(terms: Terms, draws: Draws) -> tuple[Edge, ...]:
    """The house edge of every wager the table offers, vigorish exact and not rounded."""
    return tuple(_edges(terms, draws))


def _edges(terms: Terms, draws: Draws) -> Iterator[Edge]:
    for kind in terms.offered:
        yield _edge(terms, draws, kind, waived=False)
        by_seat = terms.rules.vig_mode is VigorishMode.NONE_TOTAL_CARDS
        if kind is WagerKind.BANKER and by_seat:
            yield _edge(terms, draws, kind, waived=True)


def _edge(terms: Terms, draws: Draws, kind: WagerKind, *, waived: bool) -> Edge:
    kept, verdicts = Fraction(0), dict.fromkeys(Verdict, 0)
    for facts, ways in draws.items():
        judgement = next(one for one in what_wins(terms, facts) if one.kind is kind)
        verdicts[judgement.verdict] += ways
        if judgement.odds is not None:
            kept -= ways * judgement.odds.fraction
        if judgement.verdict is Verdict.LOSES:
            kept += ways
        if judgement.vigorish_on is not VigorishOn.NOTHING and not waived:
            kept += ways * share_of_stake(terms, judgement)
    return Edge(
        kind,
        waived,
        verdicts[Verdict.WINS],
        verdicts[Verdict.LOSES],
        verdicts[Verdict.PUSHES] + verdicts[Verdict.VOID],
        kept / sum(draws.values()),
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
            ways = orders * _drawn(left, (*player, *banker))
            two_card_counts = sum(player) % 10, sum(banker) % 10
            yield from _third_cards(*two_card_counts, left, ways, rest)


def _drawn(left: list[int], values: Iterable[int]) -> int:
    """In how many ways cards of these values come in this order; takes them out of `left`."""
    ways = 1
    for value in values:
        ways *= left[value]
        left[value] -= 1
    return ways


def _third_cards(
    player: int, banker: int, left: list[int], ways: int, rest: int
) -> Iterator[tuple[CoupFacts, int]]:
    """What becomes of four cards, `left` being what the `rest` cards are."""
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
