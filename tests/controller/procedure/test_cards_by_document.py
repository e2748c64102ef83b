"""What each of the five rule documents says of counts, third cards and winners, card by card.

One row per clause: a dealing script, what is due or decided after it, and the clause it cites.
Source: data/clauses.csv of controller/rules, kinds cards, outcome, deal and third-card.
"""

from dataclasses import dataclass

import pytest

from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.procedure.effects import CoupClosed
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.profiles.load import load_profile

PLAYER_DRAWS = "P 2h; B 3c; P 3d; B 3s"  # 5 against 6
PLAYER_STANDS_BANKER_DRAWS = "P 2h; B 2c; P 4d; B 3s"  # 6 against 5
BOTH_STAND = "P 2h; B 2c; P 4d; B 4s"  # 6 against 6
PLAYER_NATURAL = "P 5h; B 2c; P 3d; B 3s"  # 8 against 5
BANKER_NATURAL = "P 2h; B 4c; P 3d; B 4s"  # 5 against 8
BANKER_2 = "P 2h; B Kc; P 3d; B 2s; P 8h"
DRAWS = {
    n: f"P 2h; B Kc; P 3d; B {n}s; P {third}h" for n, third in ((3, 7), (4, 2), (5, 4), (6, 6))
}
STANDS = {
    n: f"P 2h; B Kc; P 3d; B {n}s; P {third}h"
    for n, third in ((3, "8"), (4, "A"), (5, "3"), (6, "5"), (7, "6"))
}
BANKER_7_AGAINST_7 = "P 2h; B 3c; P 5d; B 4s"
PLAYER_WINS = f"{PLAYER_NATURAL}; result player"
TIE = f"{BOTH_STAND}; result tie"
OVER_NINE = "P 9h; B 2c; P 9d; B 3s; result player P-pair"  # 18 counts 8
TEN = "P Kh; B 2c; P 8d; B 3s; result player"
ACE = "P Ah; B 2c; P 7d; B 3s; result player"
FACES_AND_TENS = "P 10h; B Jc; P Qd; B 9s; result banker"

# Clause, profile, script, then what is due or decided: a phase, an outcome, or an irregularity.
ROWS = f"""
NY-a-3        | ny-mini | {PLAYER_DRAWS}               | player_3
NY-a-4-ii-a   | ny-mini | {PLAYER_WINS}                | player 8 to 5
NY-a-4-ii-b   | ny-mini | {TEN}                        | player 8 to 5
NY-a-4-ii-c   | ny-mini | {ACE}                        | player 8 to 5
NY-a-4-iii-sum   | ny-mini | {PLAYER_WINS}             | player 8 to 5
NY-a-4-iii-digit | ny-mini | {OVER_NINE}               | player 8 to 5
NY-f-1        | ny-mini | {PLAYER_DRAWS}               | player_3
NY-h-1        | ny-mini | {PLAYER_NATURAL}             | result
NY-h-2-draw   | ny-mini | {PLAYER_DRAWS}               | player_3
NY-h-2-stay   | ny-mini | {BOTH_STAND}                 | result
NY-h-3-draw   | ny-mini | {PLAYER_STANDS_BANKER_DRAWS} | banker_3
NY-h-3-stand  | ny-mini | {BOTH_STAND}                 | result
NY-h-4-012    | ny-mini | {BANKER_2}                   | banker_3
NY-h-4-3      | ny-mini | {DRAWS[3]}                   | banker_3
NY-h-4-4      | ny-mini | {STANDS[4]}                  | result
NY-h-4-5      | ny-mini | {DRAWS[5]}                   | banker_3
NY-h-4-6      | ny-mini | {STANDS[6]}                  | result
NY-h-4-7      | ny-mini | {STANDS[7]}                  | result
NY-h-4-89     | ny-mini | {BANKER_NATURAL}             | result
NJ-sum-deal   | nj-minibaccarat | {PLAYER_DRAWS}       | player_3
WA-val-ace    | wa-mini | {ACE}                        | player 8 to 5
WA-val-pip    | wa-mini | {PLAYER_WINS}                | player 8 to 5
WA-val-ten    | wa-mini | {FACES_AND_TENS}             | banker 0 to 9
WA-ov-5-values | wa-mini | {FACES_AND_TENS}            | banker 0 to 9
WA-ov-4-range | wa-mini | {OVER_NINE}                  | player 8 to 5
WA-ov-4-win   | wa-mini | {PLAYER_WINS}                | player 8 to 5
WA-ov-4-tie   | wa-mini | {TIE}                        | tie 6 to 6
WA-ov-5-wrap  | wa-mini | {OVER_NINE}                  | player 8 to 5
WA-ov-5-two   | wa-mini | {PLAYER_DRAWS}               | player_3
WA-ov-6-rule  | wa-mini | {DRAWS[4]}                   | banker_3
WA-ov-8       | wa-mini | {BOTH_STAND}                 | result
WA-mb-hands   | wa-mini | {PLAYER_DRAWS}               | player_3
WA-mb-cards   | wa-mini | {BANKER_2}; B 5d             | result
WA-mb-total   | wa-mini | {OVER_NINE}                  | player 8 to 5
WA-mb-tie     | wa-mini | {TIE}                        | tie 6 to 6
WA-mb-natural | wa-mini | {PLAYER_NATURAL}             | result
WA-pay-win    | wa-mini | {PLAYER_WINS}                | player 8 to 5
WA-pl-05      | wa-mini | {PLAYER_DRAWS}               | player_3
WA-pl-67      | wa-mini | {BOTH_STAND}                 | result
WA-pl-89      | wa-mini | {PLAYER_NATURAL}             | result
WA-bk-stand-draw | wa-mini | {PLAYER_STANDS_BANKER_DRAWS} | banker_3
WA-bk-stand-stay | wa-mini | {BOTH_STAND}              | result
WA-bk-012     | wa-mini | {BANKER_2}                   | banker_3
WA-bk-3       | wa-mini | {STANDS[3]}                  | result
WA-bk-4       | wa-mini | {DRAWS[4]}                   | banker_3
WA-bk-5       | wa-mini | {STANDS[5]}                  | result
WA-bk-6       | wa-mini | {DRAWS[6]}                   | banker_3
WA-bk-7       | wa-mini | {STANDS[7]}                  | result
WA-bk-89      | wa-mini | {BANKER_NATURAL}             | result
HG-mini-zero  | house-mini | {FACES_AND_TENS}          | banker 0 to 9
HG-mini-pips  | house-mini | {ACE}                     | player 8 to 5
HG-mini-object | house-mini | {PLAYER_WINS}            | player 8 to 5
HG-mini-two   | house-mini | P 2h; B 3c; P 3d          | banker_2
HG-bac-13     | house-baccarat | P 2h                  | banker_1
HG-bac-24     | house-baccarat | P 2h; B 3c            | player_2
HG-bac-d7     | house-baccarat | {STANDS[7]}; B 2d     | OVERDRAW
S42-a-2-i     | s42-mini | {PLAYER_WINS}               | player 8 to 5
S42-a-2-ii    | s42-mini | {FACES_AND_TENS}            | banker 0 to 9
S42-a-2-iii   | s42-mini | {ACE}                       | player 8 to 5
S42-a-3       | s42-mini | {OVER_NINE}                 | player 8 to 5
S42-a-3-i     | s42-mini | P Ah; B 3c; P 2d; B 4s; P 4h; result tie    | tie 7 to 7
S42-a-3-ii    | s42-mini | P Ah; B 3c; P 2d; B 4s; P 9h; result banker | banker 2 to 7
S42-f-1-shoe  | s42-mini | {PLAYER_DRAWS}              | player_3
S42-g-1       | s42-mini | {PLAYER_DRAWS}              | player_3
S42-h-2       | s42-mini | {PLAYER_DRAWS}              | player_3
S42-h-3-order | s42-mini | {BANKER_2}                  | banker_3
S42-h-4       | s42-mini | {BANKER_2}; B 5d            | result
S42-i-1       | s42-mini | {BANKER_NATURAL}            | result
S42-i-2-draw  | s42-mini | {PLAYER_DRAWS}              | player_3
S42-i-2-stay  | s42-mini | {BOTH_STAND}                | result
S42-i-3       | s42-mini | {DRAWS[3]}                  | banker_3
S42-i-3-012   | s42-mini | {BANKER_2}                  | banker_3
S42-i-3-3     | s42-mini | {STANDS[3]}                 | result
S42-i-3-4     | s42-mini | {DRAWS[4]}                  | banker_3
S42-i-3-5     | s42-mini | {STANDS[5]}                 | result
S42-i-3-6     | s42-mini | {DRAWS[6]}                  | banker_3
S42-i-3-789   | s42-mini | {STANDS[7]}                 | result
S42-i-4       | s42-mini | {DRAWS[3]}                  | banker_3
S42-i-5       | s42-mini | {STANDS[3]}                 | result
S42-i-6       | s42-mini | {STANDS[4]}                 | result
S42-i-7       | s42-mini | P 2h; B Kc; P 3d; B 5s; P 4h | banker_3
"""

# The house guide says the same of both its games.
GUIDE = f"""
natural     | {PLAYER_NATURAL}             | result
nine        | {PLAYER_WINS}                | player 8 to 5
tie         | {TIE}                        | tie 6 to 6
tiecount    | {TIE}                        | tie 6 to 6
third       | {PLAYER_DRAWS}               | player_3
pdraw       | {PLAYER_DRAWS}               | player_3
pstand      | {BOTH_STAND}                 | result
pnat        | {PLAYER_NATURAL}             | result
bnat        | {BANKER_NATURAL}             | result
prules-draw | {PLAYER_DRAWS}               | player_3
prules-67   | {PLAYER_STANDS_BANKER_DRAWS} | banker_3
prules-89   | {PLAYER_NATURAL}             | result
b012        | {BANKER_2}                   | banker_3
b012        | P 2h; B Kc; P 4d; B 2s       | banker_3
b789        | {BANKER_7_AGAINST_7}         | result
d3          | {DRAWS[3]}                   | banker_3
d4          | {DRAWS[4]}                   | banker_3
d5          | {DRAWS[5]}                   | banker_3
d6          | {DRAWS[6]}                   | banker_3
d89         | {BANKER_NATURAL}             | result
s3          | {STANDS[3]}                  | result
s4          | {STANDS[4]}                  | result
s5          | {STANDS[5]}                  | result
s6          | {STANDS[6]}                  | result
s7          | {STANDS[7]}                  | result
s89         | {BANKER_NATURAL}             | result
"""


@dataclass(frozen=True, slots=True)
class Row:
    clause: str
    profile: str
    script: str
    then: str


def rows() -> list[Row]:
    rows = [Row(*map(str.strip, line.split("|"))) for line in ROWS.strip().splitlines()]
    for line in GUIDE.strip().splitlines():
        clause, script, then = map(str.strip, line.split("|"))
        rows.append(Row(f"HG-bac-{clause}", "house-baccarat", script, then))
        rows.append(Row(f"HG-mini-{clause}", "house-mini", script, then))
    return [*rows, Row("HG-mini-d7", "house-mini", STANDS[7], "result")]


def played(profile: str, script: str) -> tuple[PlayedStatement, ...]:
    book = RuleBook.of(load_profile(profile), 8, ())
    return play(book, parse(f"burn Ac + 1; {script}", "row"))


def cited(last: PlayedStatement) -> tuple[str, ...]:
    """Every clause cited for the last statement."""
    verdicts = (one for one in last.verdicts if isinstance(one, Accepted | Irregularity))
    closed = (one for one in last.effects if isinstance(one, CoupClosed))
    return tuple(clause for one in (*verdicts, *closed) for clause in one.clauses)


def outcome(last: PlayedStatement) -> str:
    """The irregularity, else the outcome of the ended coup, else the next phase."""
    for verdict in last.verdicts:
        if isinstance(verdict, Irregularity):
            return verdict.code.value
    for effect in last.effects:
        if isinstance(effect, CoupClosed) and effect.record.result is not None:
            result = effect.record.result
            return f"{result.outcome.value} {result.player_count} to {result.banker_count}"
    return last.state.phase.value


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row.clause} {index}", marks=pytest.mark.clause(row.clause))
        for index, row in enumerate(rows())
    ],
)
def test_the_card_is_judged_by_its_clause(row: Row) -> None:
    whole = played(row.profile, row.script)
    assert outcome(whole[-1]) == row.then
    assert row.clause in [clause for one in whole for clause in cited(one)]


# --- the whole sentence of a clause, value by value -----------------------------------------------
#
# Clause, profile, whose two-card count, which counts, and for which of Player's third cards a card
# is due (`-`: Player took none). "draws": drawn for exactly these; "stands": not drawn for exactly
# these. Written from the documents, not from the program's table.
WHOLE = """
NY-h-2-draw  | ny-mini | player 012345 | draws  | any
NY-h-2-stay  | ny-mini | player 67     | stands | any
NY-h-3-draw  | ny-mini | banker 012345 | draws  | -
NY-h-3-stand | ny-mini | banker 67     | stands | -
NY-h-4-012   | ny-mini | banker 012    | draws  | 0123456789
NY-h-4-3     | ny-mini | banker 3      | draws  | 012345679
NY-h-4-4     | ny-mini | banker 4      | draws  | 234567
NY-h-4-5     | ny-mini | banker 5      | draws  | 4567
NY-h-4-6     | ny-mini | banker 6      | draws  | 67
NY-h-4-7     | ny-mini | banker 7      | stands | 0123456789
WA-pl-05     | wa-mini | player 012345 | draws  | any
WA-pl-67     | wa-mini | player 67     | stands | any
WA-bk-stand-draw | wa-mini | banker 012345 | draws | -
WA-bk-stand-stay | wa-mini | banker 67 | stands | -
WA-bk-012    | wa-mini | banker 012    | draws  | 0123456789
WA-bk-3      | wa-mini | banker 3      | draws  | 012345679
WA-bk-4      | wa-mini | banker 4      | draws  | 234567
WA-bk-5      | wa-mini | banker 5      | draws  | 4567
WA-bk-6      | wa-mini | banker 6      | draws  | 67
WA-bk-7      | wa-mini | banker 7      | stands | -0123456789
S42-i-2-draw | s42-mini | player 012345 | draws  | any
S42-i-2-stay | s42-mini | player 67    | stands | any
S42-i-3-012  | s42-mini | banker 012   | draws  | -0123456789
S42-i-3-3    | s42-mini | banker 3     | draws  | -012345679
S42-i-3-4    | s42-mini | banker 4     | draws  | -234567
S42-i-3-5    | s42-mini | banker 5     | draws  | -4567
S42-i-3-6    | s42-mini | banker 6     | stands | -01234589
S42-i-3-789  | s42-mini | banker 7     | stands | -0123456789
S42-i-4      | s42-mini | banker 3     | draws  | -012345679
S42-i-5      | s42-mini | banker 4     | draws  | -234567
S42-i-6      | s42-mini | banker 6     | stands | -01234589
S42-i-7      | s42-mini | banker 5     | draws  | -4567
"""
WHOLE_GUIDE = """
pdraw        | player 012345 | draws  | any
pstand       | player 67     | stands | any
prules-draw  | player 012345 | draws  | any
prules-67    | player 67     | stands | any
b012         | banker 012    | draws  | -0123456789
b789         | banker 7      | stands | -0123456789
d3           | banker 3      | draws  | 012345679
d4           | banker 4      | draws  | 234567
d5           | banker 5      | draws  | 4567
d6           | banker 6      | draws  | 67
s3           | banker 3      | stands | 8
s4           | banker 4      | stands | 0189
s5           | banker 5      | stands | 012389
s6           | banker 6      | stands | 01234589
s7           | banker 7      | stands | 0123456789
"""
# What each rank counts (0: it counts nothing).
COUNTS = {"A": 1} | {one: int(one) for one in "23456789"} | dict.fromkeys(("10", *"JQK"), 0)
# One rank of each point value; K is each hand's other card, so no hand is a pair.
NAMES = ("J", "A", *"23456789")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the third-card rules: `due` is whether a card is due, column by column."""

    clause: str
    profile: str
    hand: str
    counts: str
    says: str
    columns: str

    def draws(self, column: str) -> bool:
        return (column in self.columns) is (self.says == "draws")

    def scripts(self) -> list[tuple[str, bool]]:
        """Every count and column the sentence speaks of: a dealing script, and if a card is due."""
        if self.hand == "player":
            return [
                (f"P Kh; B 2c; P {NAMES[int(one)]}d; B Ks", self.says == "draws")
                for one in self.counts
            ]
        columns = "0123456789" + ("-" if "-" in self.columns else "")
        columns = "-" if self.columns == "-" else columns
        return [
            (self.with_third(count, column), self.draws(column))
            for count in self.counts
            for column in columns
        ]

    def to_the_end(self, script: str, *, due: bool) -> tuple[str, str]:
        """The script with aces for the cards still due and its result; the counts by addition."""
        if self.hand == "player":
            script += "; P As; B Ah" if due else "; B Ah"  # Banker's two cards count 2
        elif due:
            script += "; B As"
        cards = [one.split() for one in script.split("; ")]
        player, banker = (
            sum(COUNTS[card[:-1]] for side, card in cards if side == hand) % 10 for hand in "PB"
        )
        winner = "player" if player > banker else "banker" if banker > player else "tie"
        return f"{script}; result {winner}", f"{winner} {player} to {banker}"

    @staticmethod
    def with_third(count: str, column: str) -> str:
        if column == "-":
            return f"P Kh; B Kc; P 6d; B {NAMES[int(count)]}s"
        return f"P Kh; B Kc; P 5d; B {NAMES[int(count)]}s; P {NAMES[int(column)]}h"


def sentences() -> list[Sentence]:
    found = []
    guide = [
        f"HG-{game}-{line.replace('|', f'| {profile} |', 1)}"
        for game, profile in (("bac", "house-baccarat"), ("mini", "house-mini"))
        for line in WHOLE_GUIDE.strip().splitlines()
    ]
    for line in (*WHOLE.strip().splitlines(), *guide):
        clause, profile, whose, says, columns = map(str.strip, line.split("|"))
        hand, counts = whose.split()
        found.append(Sentence(clause, profile, hand, counts, says, columns))
    return found


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param(one, id=f"{one.clause} {one.hand}", marks=pytest.mark.clause(one.clause))
        for one in sentences()
    ],
)
def test_a_sentence_of_the_third_card_rules_holds_for_every_card(sentence: Sentence) -> None:
    third = {"player": "player_3", "banker": "banker_3"}[sentence.hand]
    cites = 0
    for script, due in sentence.scripts():
        whole = played(sentence.profile, script)
        assert (outcome(whole[-1]) == third) is due, script
        cites += sentence.clause in cited(whole[-1])
        ended, counts = sentence.to_the_end(script, due=due)
        assert outcome(played(sentence.profile, ended)[-1]) == counts, ended
    assert cites


# Which two-card hands are naturals: any 8 or 9 of this hand, against every count of the other.
NATURALS = """
NY-h-1        | ny-mini        | player banker
NY-h-4-89     | ny-mini        | banker
WA-mb-natural | wa-mini        | player banker
WA-pl-89      | wa-mini        | player
WA-bk-89      | wa-mini        | banker
HG-bac-natural   | house-baccarat | player banker
HG-bac-pnat      | house-baccarat | player
HG-bac-bnat      | house-baccarat | banker
HG-bac-prules-89 | house-baccarat | player
HG-bac-d89       | house-baccarat | banker
HG-bac-s89       | house-baccarat | banker
HG-mini-natural   | house-mini    | player banker
HG-mini-pnat      | house-mini    | player
HG-mini-bnat      | house-mini    | banker
HG-mini-prules-89 | house-mini    | player
HG-mini-d89       | house-mini    | banker
HG-mini-s89       | house-mini    | banker
S42-i-1       | s42-mini       | player banker
"""


@pytest.mark.parametrize(
    ("clause", "profile", "hands"),
    [
        pytest.param(clause, profile, hands.split(), id=clause, marks=pytest.mark.clause(clause))
        for clause, profile, hands in (
            map(str.strip, line.split("|")) for line in NATURALS.strip().splitlines()
        )
    ],
)
def test_after_a_natural_neither_hand_draws(clause: str, profile: str, hands: list[str]) -> None:
    """8 and 9 of two cards end the dealing, the higher one wins; no other count does."""
    for natural, other in [(n, o) for n in (8, 9) for o in range(10)]:
        for hand in hands:
            player, banker = (natural, other) if hand == "player" else (other, natural)
            cards = f"P Kh; B Kc; P {NAMES[player]}d; B {NAMES[banker]}s"
            winner = "player" if player > banker else "banker" if banker > player else "tie"
            whole = played(profile, f"{cards}; result {winner}")
            assert whole[-2].state.phase.value == "result", cards
            assert outcome(whole[-1]) == f"{winner} {player} to {banker}"
            assert clause in [name for one in whole for name in cited(one)]
    assert outcome(played(profile, "P Kh; B Kc; P 5d; B 5s")[-1]) == "player_3"
    assert outcome(played(profile, "P Kh; B Kc; P 5d; B 5s; P 4h")[-1]) == "banker_3", (
        "nine on three cards is no natural"
    )


@pytest.mark.parametrize(
    ("clause", "naturals"),
    [
        pytest.param(clause, naturals, id=clause, marks=pytest.mark.clause(clause))
        for clause, naturals in (
            ("HG-bac-13", {"P 3h; B 2c; P 5d; B Ks": "player 8 to 2"}),
            ("HG-bac-24", {"P Kh; B 4c; P 2d; B 5s": "banker 2 to 9"}),
        )
    ],
)
def test_the_cards_of_a_hand_are_every_second_one(clause: str, naturals: dict[str, str]) -> None:
    """Any other two of these four cards make another count."""
    for cards, counts in naturals.items():
        whole = played("house-baccarat", f"{cards}; result {counts.partition(' ')[0]}")
        assert whole[-2].state.phase.value == "result", cards
        assert outcome(whole[-1]) == counts
        assert clause in [name for one in whole for name in cited(one)]


@pytest.mark.parametrize(
    ("profile", "ranks"),
    [
        pytest.param(profile, ranks.split(), id=clause, marks=pytest.mark.clause(clause))
        for clause, profile, ranks in (
            ("NY-a-4-ii-a", "ny-mini", "2 3 4 5 6 7 8 9"),
            ("NY-a-4-ii-b", "ny-mini", "10 J Q K"),
            ("NY-a-4-ii-c", "ny-mini", "A"),
            ("WA-val-pip", "wa-mini", "2 3 4 5 6 7 8 9"),
            ("WA-val-ten", "wa-mini", "10 J Q K"),
            ("WA-val-ace", "wa-mini", "A"),
            ("WA-ov-5-values", "wa-mini", "2 3 4 5 6 7 8 9 10 J Q K"),
            ("HG-mini-zero", "house-mini", "10 J Q K"),
            ("HG-mini-pips", "house-mini", "A 2 3 4 5 6 7 8 9"),
            ("S42-a-2-i", "s42-mini", "2 3 4 5 6 7 8 9"),
            ("S42-a-2-ii", "s42-mini", "10 J Q K"),
            ("S42-a-2-iii", "s42-mini", "A"),
        )
    ],
)
def test_a_card_counts_its_value(
    profile: str, ranks: list[str], request: pytest.FixtureRequest
) -> None:
    for rank in ranks:
        # Against a natural 9 nothing is drawn, so the two cards are the whole hand.
        winner = "tie" if COUNTS[rank] == 9 else "banker"
        other = "Q" if rank == "K" else "K"
        whole = played(profile, f"P {other}h; B 9c; P {rank}d; B Ks; result {winner}")
        assert outcome(whole[-1]) == f"{winner} {COUNTS[rank]} to 9"
        assert request.node.callspec.id in cited(whole[-1])


@pytest.mark.parametrize(
    ("profile", "clause"),
    [
        pytest.param(profile, clause, id=clause, marks=pytest.mark.clause(clause))
        for clause, profile in (
            ("NY-a-4-iii-sum", "ny-mini"),
            ("NY-a-4-iii-digit", "ny-mini"),
            ("WA-ov-4-range", "wa-mini"),
            ("WA-ov-5-wrap", "wa-mini"),
            ("WA-mb-total", "wa-mini"),
            ("S42-a-3", "s42-mini"),
        )
    ],
)
def test_a_hand_counts_the_last_digit_of_its_sum(profile: str, clause: str) -> None:
    for first, second in [(a, b) for a in range(1, 10) for b in range(1, 10)]:
        count = (first + second) % 10
        winner = "tie" if count == 9 else "banker"
        cards = f"P {NAMES[first]}h; B 9c; P {NAMES[second]}d; B Ks"
        pair = " P-pair" if first == second else ""
        whole = played(profile, f"{cards}; result {winner}{pair}")
        assert outcome(whole[-1]) == f"{winner} {count} to 9"
        assert clause in cited(whole[-1]) or first + second < 10


@pytest.mark.parametrize(
    ("profile", "document"),
    [("s42-mini", "S42"), ("ny-mini", "NY"), ("wa-mini", "WA"), ("house-baccarat", "HG")],
)
def test_the_rules_at_a_table_name_their_document(profile: str, document: str) -> None:
    assert RuleBook.of(load_profile(profile), 8, ()).document == document
