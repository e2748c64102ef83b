"""The whole sentence of a clause on wagers, for every final count of both hands."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controller.rules.hands import HandName
from controller.rules.setting_values import VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import VigorishOn, wager_results
from controller.rules.settlement.settle import settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
OPTIONS: dict[str, dict[str, object]] = {
    "": {},
    "bonus": {
        "dragon_bonus": True,
        "dragon_bonus_sides": (HandName.PLAYER, HandName.BANKER),
    },
    "tie25": {"vig_mode": VigorishMode.TIE25},
    "none_six": {"vig_mode": VigorishMode.NONE_SIX},
}
# Clause, profile (+ option), wager, verdict, and exactly when the clause gives it, from the
# documents. p, b: the counts of Player and Banker; pc, bc: their cards. "*": other clauses of the
# document give this verdict too.
SENTENCES = """
NY-b-1-i-a        | ny-mini          | banker | wins 1:1 | b > p
NY-b-1-i-b        | ny-mini          | banker | loses    | b < p
NY-b-1-i-c-push   | ny-mini          | banker | pushes   | b == p
NY-b-1-i-c-vig    | ny-midi tie25    | banker | pushes   | b == p
NY-b-1-i-c-ez     | ny-ez            | banker | pushes * | b == 7 and bc == 3 and p < 7
NY-b-1-ii-a       | ny-mini          | player | wins 1:1 | p > b
NY-b-1-ii-a-panda | ny-ez            | player | wins 1:1 * | p == 8 and pc == 3 and b < 8
NY-b-1-ii-b       | ny-mini          | player | loses    | p < b
NY-b-1-ii-c       | ny-mini          | player | pushes   | p == b
NY-b-1-iii-win    | ny-mini          | tie    | wins 8:1 | p == b
NY-b-1-iii-lose   | ny-mini          | tie    | loses    | p != b
NY-b-1-v-a        | ny-ez        | dragon_7 | wins 40:1 | b == 7 and bc == 3 and p < 7
NY-b-1-v-b        | ny-ez        | dragon_7 | loses     | not (b == 7 and bc == 3 and p < 7)
NY-b-1-vi-a       | ny-ez        | panda_8  | wins 25:1 | p == 8 and pc == 3 and b < 8
NY-b-1-vi-b       | ny-ez        | panda_8  | loses     | not (p == 8 and pc == 3 and b < 8)
NY-c-1            | ny-mini          | player | wins 1:1 | p > b
NY-c-2            | ny-mini          | tie    | wins 8:1 | p == b
NY-c-3-pay        | ny-mini          | banker | wins 1:1 | b > p
NY-c-4-charge     | ny-midi tie25    | banker | pushes   | b == p
NY-c-6-pay        | ny-mini none_six | banker | wins 1:1 | b > p and b != 6
NY-c-6-six        | ny-mini none_six | banker | wins 1:2 | b > p and b == 6
NY-c-8            | ny-ez        | dragon_7 | wins 40:1 | b == 7 and bc == 3 and p < 7
NY-c-9            | ny-ez        | panda_8  | wins 25:1 | p == 8 and pc == 3 and b < 8
S42-b-1-i-A       | s42-mini          | banker | wins 1:1 | b > p
S42-b-1-i-B       | s42-mini          | banker | loses    | b < p
S42-b-1-i-C-void  | s42-mini          | banker | void     | b == p
S42-b-1-i-C-vig   | s42-mini tie25    | banker | void     | b == p
S42-b-1-ii-A      | s42-mini          | player | wins 1:1 | p > b
S42-b-1-ii-B      | s42-mini          | player | loses    | p < b
S42-b-1-ii-C      | s42-mini          | player | void     | p == b
S42-b-1-iii       | s42-mini          | tie    | wins 8:1 | p == b
S42-c-1           | s42-mini          | player | wins 1:1 | p > b
S42-c-2           | s42-mini          | tie    | wins 8:1 | p == b
S42-c-3-pay       | s42-mini          | banker | wins 1:1 | b > p
S42-c-4-charge    | s42-mini tie25    | banker | void     | b == p
S42-c-6-pay       | s42-mini none_six | banker | wins 1:1 | b > p and b != 6
S42-c-6-six       | s42-mini none_six | banker | wins 1:2 | b > p and b == 6
WA-ov-7           | wa-mini           | banker | pushes   | b == p
WA-ov-7           | wa-mini           | player | pushes   | p == b
WA-ov-7           | wa-mini           | tie    | wins 8:1 | p == b
WA-pr-9           | wa-mini           | banker | pushes   | b == p
WA-pr-9           | wa-mini           | player | pushes   | p == b
WA-pay-even       | wa-mini           | banker | wins 1:1 | b > p
WA-pay-even       | wa-mini           | player | wins 1:1 | p > b
WA-pay-tie        | wa-mini           | tie    | wins 8:1 | p == b
NJ-3.3-f-4        | nj-baccarat       | total_4 | wins 3:2 | pc + bc == 4
NJ-3.3-f-5        | nj-baccarat       | total_5 | wins 2:1 | pc + bc == 5
NJ-3.3-f-6        | nj-baccarat       | total_6 | wins 2:1 | pc + bc == 6
NJ-7.3-g-4        | nj-minibaccarat   | total_4 | wins 3:2 | pc + bc == 4
NJ-7.3-g-5        | nj-minibaccarat   | total_5 | wins 2:1 | pc + bc == 5
NJ-7.3-g-6        | nj-minibaccarat   | total_6 | wins 2:1 | pc + bc == 6
"""
# The same of both bonuses, own: the chosen hand's count, other: the other's.
BONUS = """
NY-b-1-iv-a-nat | wins 1:1 * | natural and own > other and not other_natural
NY-b-1-iv-a-98  | wins 1:1 * | natural and own == 9 and other_natural and other == 8
NY-b-1-iv-a-4   | wins *     | not natural and own - other >= 4
NY-b-1-iv-b-89  | loses *    | natural and own == 8 and other_natural and other == 9
NY-b-1-iv-b-3   | loses *    | not natural and 1 <= own - other <= 3
NY-b-1-iv-b-le  | loses *    | not natural and own <= other
NY-b-1-iv-c     | pushes     | natural and own == other
NY-c-7-nat-win  | wins 1:1 * | natural and own > other
NY-c-7-nat-tie  | pushes     | natural and own == other
NY-c-7-4        | wins 1:1 * | not natural and own - other == 4
NY-c-7-5        | wins 2:1   | own - other == 5 and not natural
NY-c-7-6        | wins 4:1   | own - other == 6 and not natural
NY-c-7-7        | wins 6:1   | own - other == 7 and not natural
NY-c-7-8        | wins 10:1  | own - other == 8 and not natural
NY-c-7-9        | wins 30:1  | own - other == 9 and not natural
"""
GUIDE = """
bbet     | banker | wins 1:1 | b > p
bbet     | banker | loses    | b < p
pbet     | player | wins 1:1 | p > b
pbet     | player | loses    | p < b
even     | banker | wins 1:1 | b > p
even     | player | wins 1:1 | p > b
tiecount | tie    | wins 8:1 | p == b
tie8     | tie    | wins 8:1 | p == b
"""


@dataclass(frozen=True, slots=True)
class Sentence:
    clause: str
    table: str
    kind: str
    says: str
    when: str

    def holds_for(self, facts: CoupFacts) -> bool:
        p, b = facts.player_count, facts.banker_count
        pc, bc = facts.player_cards, facts.banker_cards
        naturals = pc == 2 and p > 7, bc == 2 and b > 7
        names: dict[str, object] = {"p": p, "b": b, "pc": pc, "bc": bc, "own": p, "other": b}
        names["natural"], names["other_natural"] = naturals
        if self.kind == "bonus_banker":
            names["own"], names["other"] = b, p
            names["other_natural"], names["natural"] = naturals
        return bool(eval(self.when, {}, names))


def sentences() -> list[Sentence]:
    found = [Sentence(*map(str.strip, line.split("|"))) for line in SENTENCES.strip().splitlines()]
    for line in BONUS.strip().splitlines():
        clause, says, when = map(str.strip, line.split("|"))
        kinds = ("bonus_player", "bonus_banker")
        found += [Sentence(clause, "ny-mini bonus", kind, says, when) for kind in kinds]
    for line in GUIDE.strip().splitlines():
        name, kind, says, when = map(str.strip, line.split("|"))
        for game, profile in (("bac", "house-baccarat"), ("mini", "house-mini")):
            found.append(Sentence(f"HG-{game}-{name}", profile, kind, says, when))
    return found


def of_each_clause(one: Sentence) -> object:
    marks = pytest.mark.clause(one.clause)
    return pytest.param(one, id=f"{one.clause} {one.kind} {one.says}", marks=marks)


@pytest.mark.parametrize("sentence", [of_each_clause(one) for one in sentences()])
def test_a_clause_gives_its_verdict_exactly_when_it_says_so(
    table: Table, every_coup: tuple[CoupFacts, ...], sentence: Sentence
) -> None:
    profile, _, option = sentence.table.partition(" ")
    terms = table(profile, **OPTIONS[option])
    says = sentence.says.removesuffix(" *")
    given = 0
    for facts in every_coup:
        (found,) = (one for one in wager_results(terms, facts) if one.kind == sentence.kind)
        verdict = f"{found.verdict.value} {found.odds or ''}"
        so = verdict.startswith(says)
        if sentence.holds_for(facts):
            assert so, (verdict, facts)
            assert sentence.clause in found.clauses
            given += 1
        elif says != sentence.says:
            assert sentence.clause not in found.clauses, facts
        else:
            assert not so, facts
    assert given


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(profile, clause, id=clause, marks=pytest.mark.clause(clause))
        for clause, profile in (
            ("NY-b-1-i-c-vig", "ny-midi"),
            ("NY-c-4-charge", "ny-midi"),
            ("S42-b-1-i-C-vig", "s42-mini"),
            ("S42-c-4-charge", "s42-mini"),
        )
    ],
)
def test_equal_counts_charge_a_quarter_of_the_banker_wager_and_return_the_rest(
    table: Table, layout: Layout, every_coup: tuple[CoupFacts, ...], profile: str, clause: str
) -> None:
    terms = table(profile, **OPTIONS["tie25"])
    for facts in every_coup:
        results = wager_results(terms, facts)
        settled = settle(terms, results, layout("5 banker 100.00, 2 player 40.00"))
        charged = [one.cents for one in settled.steps if one.act == "collect_vigorish"]
        tie = facts.player_count == facts.banker_count
        assert charged == ([2500] if tie else [])
        texts = [to_words(one.text) for one in settled.steps]
        assert ("seat 5: return 75.00 of 100.00 on Banker" in texts) is tie
        if tie:
            assert "seat 2: return 40.00 on Player" in texts, "the Player wager pays nothing"
            assert any(clause in one.clauses for one in settled.steps)
        banker = next(one for one in results if one.kind is WagerKind.BANKER)
        assert (banker.vigorish_on is VigorishOn.STAKE) is tie


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(profile, clause, id=clause, marks=pytest.mark.clause(clause))
        for clause, profile in (
            ("NY-c-1", "ny-mini"),
            ("S42-c-1", "s42-mini"),
            ("WA-pay-even", "wa-mini"),
            ("HG-bac-even", "house-baccarat"),
            ("HG-mini-even", "house-mini"),
        )
    ],
)
def test_a_winning_wager_on_a_hand_is_paid_its_own_amount(
    table: Table, layout: Layout, every_coup: tuple[CoupFacts, ...], profile: str, clause: str
) -> None:
    terms = table(profile)
    for facts in every_coup:
        settled = settle(
            terms, wager_results(terms, facts), layout("5 player 35.00, 2 banker 60.00")
        )
        paid = [one for one in settled.steps if one.act == "pay"]
        lead = facts.player_count - facts.banker_count
        won = {0: None, 1: "seat 5: pay 35.00 on Player", -1: "seat 2: pay 60.00 on Banker"}
        assert [to_words(one.text) for one in paid] == (
            [won[1 if lead > 0 else -1]] if lead else []
        )
        gains = {one.kind.value: one.gain for one in settled.lines}
        assert gains["player"] == (3500 if lead > 0 else -3500 if lead else 0)
        if lead > 0:
            assert clause in paid[0].clauses
