"""What each of the five rule documents says of counts, third cards and winners, card by card.

One row per clause: a dealing script, what is due or decided after it, and the clause it cites.
Source: data/clauses.csv of controller/rules, kinds cards, outcome, deal and third-card.
"""

from dataclasses import dataclass

import pytest

from controller.procedure.effects import CoupClosed
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Accepted, Irregularity
from controller.profiles.load import load_profile
from controller.script.parser import parse
from controller.script.player import PlayedStatement, play

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
