"""Every coup by the point values of its cards, compared with a table written independently here.

All sequences of values in the full form, else a part with every third-card situation in it. Suits
and ranks of equal value are drawn in turn.
Source: 9 NYCRR 5324.21 (f)(3), (h), (i)(1); Section 42 (g)(3), (h), (i), (j)(1).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from controller.procedure.effects import CoupClosed
from controller.procedure.events import CardDrawn, ResultDeclared
from controller.procedure.step import step
from controller.procedure.verdicts import Accepted
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome

# Banker's two-card count, then the columns: Player took no third card, or its value.
#        -  0123456789
TABLE = """
    0    D  DDDDDDDDDD
    1    D  DDDDDDDDDD
    2    D  DDDDDDDDDD
    3    D  DDDDDDDDsD
    4    D  ssDDDDDDss
    5    D  ssssDDDDss
    6    s  ssssssDDss
    7    s  ssssssssss
"""
BANKER_DRAWS = {
    (int(row[0]), column): mark == "D"
    for row in (line.split() for line in TABLE.strip().splitlines())
    for column, mark in zip((None, *range(10)), row[1] + row[2], strict=True)
}
CARDS_OF_VALUE = {
    0: "10d Jc Qs Kh Jd 10s",
    **{value: f"{value}d {value}c {value}s {value}h" for value in range(2, 10)},
    1: "Ad Ac As Ah",
}
CARDS_OF_VALUE = {
    value: tuple(Card.parse(text) for text in texts.split())
    for value, texts in CARDS_OF_VALUE.items()
}
FIRST_FOUR = ("player_1", "banker_1", "player_2", "banker_2")
HAND_PLACES = (*FIRST_FOUR, "player_3", "banker_3", "player_more", "banker_more")
CLAUSES = {
    "s42-mini": {
        "four": "S42-g-3-four",
        "player": "S42-g-3-player",
        "banker": "S42-g-3-banker",
        "natural": "S42-i-1",
        "player draws": "S42-i-2-draw",
        "player stands": "S42-i-2-stay",
        "banker alone": "S42-i-3",
        **dict.fromkeys((0, 1, 2), "S42-i-3-012"),
        **{count: f"S42-i-3-{count}" for count in (3, 4, 5, 6)},
        7: "S42-i-3-789",
        "one more": "S42-h-4",
        "result": "S42-j-1-final",
    },
    "ny-mini": {
        "four": "NY-f-3-four",
        "player": "NY-f-3-player",
        "banker": "NY-f-3-banker",
        "natural": "NY-h-1",
        "player draws": "NY-h-2-draw",
        "player stands": "NY-h-2-stay",
        "banker alone": "NY-h-3-draw",
        **dict.fromkeys((0, 1, 2), "NY-h-4-012"),
        **{count: f"NY-h-4-{count}" for count in (3, 4, 5, 6, 7)},
        "one more": "S42-h-4",
        "result": "NY-i-1-winner",
    },
}


def due_after(values: tuple[int, ...]) -> str:
    """The place of the next card by the rules; empty where the coup is complete."""
    if len(values) < 4:
        return FIRST_FOUR[len(values)]
    player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
    if player >= 8 or banker >= 8 or len(values) == 6:
        return ""
    if player >= 6:
        return "banker_3" if len(values) == 4 and BANKER_DRAWS[banker, None] else ""
    if len(values) == 4:
        return "player_3"
    return "banker_3" if BANKER_DRAWS[banker, values[4]] else ""


def winner_of(values: tuple[int, ...]) -> str:
    """The outcome of a complete coup."""
    player, banker = values[0] + values[2], values[1] + values[3]
    stood = player % 10 >= 6
    if len(values) == 6 or (len(values) == 5 and not stood):
        player += values[4]
    if len(values) == 6 or (len(values) == 5 and stood):
        banker += values[-1]
    player, banker = player % 10, banker % 10
    return "tie" if player == banker else "player" if player > banker else "banker"


def decided_by(profile: str, values: tuple[int, ...], due: str) -> str:
    """The clause that decides what follows the last of these cards."""
    clauses = CLAUSES[profile]
    player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
    if len(values) == 4:
        if max(player, banker) >= 8:
            return clauses["natural"]
        return clauses["player draws"] if due == "player_3" else clauses["player stands"]
    drawn_alone = player >= 6
    return clauses["one more"] if len(values) == 6 or drawn_alone else clauses[banker]


@dataclass
class Walk:
    """One profile's table after the burn, walked from state to state."""

    book: object
    start: object
    profile: str
    wrong_too: bool
    nodes: int = 0
    coups: int = 0

    def card(self, value: int) -> Card:
        cards = CARDS_OF_VALUE[value]
        return cards[self.nodes % len(cards)]

    def walk(self, values: tuple[int, ...], state: object, cards: tuple[Card, ...]) -> None:
        """Deal every continuation of these values that `wanted` names."""
        due = due_after(values)
        if self.wrong_too and values:
            self.wrong_cards(values, state, due)
            self.early_result(values, state, due)
        if not due:
            self.coups += 1
            self.results(values, state, cards)
            return
        for value in self.wanted(values):
            self.deal(values, state, cards, value, due)

    def deal(self, values, state, cards, value: int, due: str) -> None:
        card = self.card(value)
        self.nodes += 1
        result = step(self.book, state, CardDrawn(card, Place(due)))
        after = (*values, value)
        expected = due_after(after) or "result"
        assert [type(one) for one in result.verdicts] == [Accepted], (after, result.verdicts)
        assert result.state.phase.value == expected, (after, result.state.phase)
        hand = CLAUSES[self.profile]["player" if due.startswith("player") else "banker"]
        assert hand in result.verdicts[0].clauses
        if len(after) >= 4:
            assert decided_by(self.profile, after, expected) in result.verdicts[0].clauses, after
        self.walk(after, result.state, (*cards, card))

    def results(self, values, state, cards) -> None:
        """The right result closes the coup as the cards say; every other is a mismatch."""
        pairs = cards[0].rank == cards[2].rank, cards[1].rank == cards[3].rank
        right = ResultDeclared(Outcome(winner_of(values)), *pairs)
        result = step(self.book, state, right)
        assert [type(one) for one in result.verdicts] == [Accepted], (values, result.verdicts)
        assert CLAUSES[self.profile]["result"] in result.verdicts[0].clauses
        (closed,) = (effect for effect in result.effects if isinstance(effect, CoupClosed))
        assert closed.record.outcome is right.outcome, values
        assert [one.card for one in closed.record.cards] == list(cards)
        if self.wrong_too:
            for wrong in wrong_results(right):
                assert codes(step(self.book, state, wrong)) == ["RESULT_MISMATCH"], (values, wrong)

    def early_result(self, values, state, due: str) -> None:
        if due:
            result = step(self.book, state, ResultDeclared(Outcome.TIE, False, False))
            assert codes(result) == ["MISSING_CARD"], values

    def wrong_cards(self, values, state, due: str) -> None:
        """Whatever the shoe believes, the order of drawing decides: all places but the due one."""
        card = self.card(values[-1])
        for claimed in HAND_PLACES:
            if claimed in (due, "" if due else "player_1"):
                continue
            result = step(self.book, state, CardDrawn(card, Place(claimed)))
            if not due:
                expected = "OVERDRAW"
            elif (due, claimed, len(values)) == ("banker_3", "player_3", 4):
                expected = "PLAYER_THIRD_UNAUTHORISED"
            else:
                expected = "CLAIM_DIFFERS"
            assert codes(result) == [expected], (values, claimed)
            dealt = result.state.shoe.coup
            assert len(dealt.cards) == len(values) + bool(due)
            assert not due or dealt.cards[-1].place.value == due

    def wanted(self, values: tuple[int, ...]) -> Iterator[int]:
        yield from range(10)


class EveryThird(Walk):
    """All values for the first four cards, and beyond them every third-card situation.

    Each pair of two-card counts is followed to its end from one way to make it: every value of
    Player's third card, and every value of Banker's third.
    """

    def wanted(self, values: tuple[int, ...]) -> Iterator[int]:
        first_way = values[:2] == (0, 0) if len(values) >= 4 else True
        yield from range(10) if first_way else ()


class SomeBankerThirds(EveryThird):
    """As above, with three values of Banker's third card, after which every error is the same."""

    def wanted(self, values: tuple[int, ...]) -> Iterator[int]:
        yield from (0, 4, 9) if due_after(values) == "banker_3" else super().wanted(values)


def wrong_results(right: ResultDeclared) -> Iterator[ResultDeclared]:
    yield from (
        replace(right, outcome=outcome) for outcome in Outcome if outcome is not right.outcome
    )


def codes(result) -> list[str]:
    return [one.code.value for one in result.verdicts if not isinstance(one, Accepted)]


def all_clauses(prefixes: str):
    """Mark a test with every third-card clause of both rules."""

    def marked(test):
        for clause in prefixes.split():
            test = pytest.mark.clause(clause)(test)
        return test

    return marked


PROVEN = """
NY-f-3-four NY-f-3-player NY-f-3-banker NY-h-1 NY-h-2-draw NY-h-2-stay
NY-h-3-draw NY-h-3-stand NY-h-4-012 NY-h-4-3 NY-h-4-4 NY-h-4-5 NY-h-4-6 NY-h-4-7
NY-i-1-winner
S42-g-3-four S42-g-3-player S42-g-3-banker S42-h-4 S42-i-1
S42-i-2-draw S42-i-2-stay S42-i-3 S42-i-3-012 S42-i-3-3 S42-i-3-4 S42-i-3-5 S42-i-3-6 S42-i-3-789
S42-i-4 S42-i-5 S42-i-6
"""
AT_WRONG_EVENTS = """
S42-g-3-four S42-g-3-player S42-g-3-banker S42-h-4 S42-i-1 S42-i-2-draw S42-i-2-stay S42-i-3
S42-i-3-012 S42-i-3-3 S42-i-3-4 S42-i-3-5 S42-i-3-6 S42-i-3-789 S42-i-4 S42-i-5 S42-i-6
"""


@all_clauses(PROVEN)
def test_all_first_four_and_every_third_card_situation(new_table, profile) -> None:
    table = new_table("start; burn Ac: 2c", profile=profile)
    walk = EveryThird(table.book, table.state, profile, wrong_too=False)
    walk.walk((), table.state, ())
    # 10 + 100 + 1,000 + 10,000 first cards; then, for the 100 pairs of counts made from 0 and 0:
    # Player's third on 48, Banker's after it in 306 situations, Banker's alone on 12; ten values.
    assert walk.nodes == 11_110 + 480 + 3_060 + 120
    # Of the 9,900 other first fours 40 in 100 need no card; then what ends after 4, 5 and 6 cards.
    assert walk.coups == 3_960 + 40 + (480 - 306 + 120) + 3_060


@all_clauses(AT_WRONG_EVENTS)
def test_whatever_else_comes_in_a_coup_is_that_irregularity(table) -> None:
    walk = SomeBankerThirds(table.book, table.state, "s42-mini", wrong_too=True)
    opened = step(table.book, table.state, CardDrawn(walk.card(0), Place.PLAYER_1)).state
    cards = (walk.card(0),)
    two = step(table.book, opened, CardDrawn(walk.card(0), Place.BANKER_1)).state
    walk.walk((0, 0), two, (*cards, walk.card(0)))
    assert walk.nodes == 10 + 100 + 480 + 3 * (306 + 12)


@pytest.mark.full
@pytest.mark.parametrize("first", range(10))
@all_clauses(PROVEN)
def test_the_whole_tree_of_card_values_with_every_wrong_next_event(
    new_table, profile, first
) -> None:
    """377,110 cards and 339,400 coups over the ten first cards; what is wrong, for one profile:

    which irregularity it is does not depend on the profile.
    """
    table = new_table("start; burn Ac: 2c", profile=profile)
    walk = Walk(table.book, table.state, profile, wrong_too=profile == "s42-mini")
    walk.deal((), table.state, (), first, "player_1")
    assert walk.nodes == 37_711
    assert walk.coups == 33_940


@pytest.mark.clause("S42-i-7")
def test_the_reading_example_of_the_rule(table) -> None:
    table.deal("P 2h; B 2c; P Kd; B 3h; P 4s")
    assert table.phase == "banker_3", "Banker 5 and a four as Player's third card: draw"
