"""The column table agrees with the procedure, card by card, in every state with every symbol.

Source: goal: the column table equals step; 9 NYCRR 5324.21 (f), (h), (i)(1); Section 42 (g) to (j).
"""

from collections.abc import Iterator
from itertools import product

import pytest

from controller.journal.card_row_format import RowEnd, RowRole
from controller.procedure.effects import CoupClosed
from controller.procedure.events import CardDrawn, GamingDayChanged, ResultDeclared
from controller.procedure.events import ShoeDeviceStarted as Start
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.verdicts import Accepted
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_text
from controller.rules.profiles.profile import parse_profile
from office.audit.column_tableau import (
    ENDS,
    FACES,
    ROLES,
    ColumnTable,
    column_table,
    symbol,
    symbols,
)
from office.audit.shoe_rules import FACES as CARDS
from office.audit.shoe_rules import clauses

OF_VALUE = {value: Card.parse(f"{value}d") for value in range(2, 10)}
OF_VALUE |= {0: Card.parse("Ks"), 1: Card.parse("Ah")}
PLACES = {
    RowRole.PLAYER_1: Place.PLAYER_1,
    RowRole.BANKER_1: Place.BANKER_1,
    RowRole.PLAYER_2: Place.PLAYER_2,
    RowRole.BANKER_2: Place.BANKER_2,
    RowRole.PLAYER_3: Place.PLAYER_3,
    RowRole.BANKER_3: Place.BANKER_3,
}
ROLE_OF = {place: role for role, place in PLACES.items()}
WON = {Outcome.PLAYER: RowEnd.PLAYER, Outcome.BANKER: RowEnd.BANKER, Outcome.TIE: RowEnd.TIE}


def every_symbol(value: int) -> Iterator[int]:
    return (code for code in range(value, 140, 10))


class Procedure:
    """The procedure's state after the burn, and its steps."""

    def __init__(self) -> None:
        profile = parse_profile(profile_text("s42-mini"), clauses())
        self.book = RuleBook.of(profile, 8, ())
        self.start = TableState()
        burn = (CardDrawn(Card.parse("Ac"), Place.BURN_FIRST), CardDrawn(CARDS[0], Place.BURN))
        for event in (GamingDayChanged("2026-11-21"), Start(), *burn):
            self.start = step(self.book, self.start, event).state

    def drawn(self, state: TableState, value: int) -> tuple[TableState, RowRole, RowEnd]:
        """The state after a card, its place by the procedure, and whether the coup is over."""
        card = OF_VALUE[value]
        taken = step(self.book, state, CardDrawn(card, Place(due_state(state))))
        assert [type(one) for one in taken.verdicts] == [Accepted]
        role = ROLE_OF[taken.state.shoe.coup.cards[-1].place]
        end = self.won(taken.state) if taken.state.phase.value == "result" else RowEnd.NOT_LAST
        return taken.state, role, end

    def won(self, state: TableState) -> RowEnd:
        """The only outcome that the procedure accepts as declared."""
        cards = [one.card for one in state.shoe.coup.cards]
        pairs = cards[0].rank == cards[2].rank, cards[1].rank == cards[3].rank
        taken = (
            outcome
            for outcome in Outcome
            if isinstance(
                step(self.book, state, ResultDeclared(outcome, *pairs)).verdicts[0], Accepted
            )
        )
        (outcome,) = taken
        return WON[outcome]


def due_state(state: TableState) -> str:
    due = state.phase.value
    return "player_1" if due == "between_coups" else due


def compare_with_steps(begin: tuple[int, ...], thirds: tuple[int, ...] = tuple(range(10))) -> int:
    """Compare every continuation of these values; returns the number of cards.

    `thirds` are the values that Banker's third card takes.
    """
    table, procedure = column_table(), Procedure()
    state, row = procedure.start, table.between
    for value in begin:
        state, role, end = procedure.drawn(state, value)
        row = row[symbol(role, value, end)]
    return _continued(table, procedure, state, row, thirds)


def _continued(
    table: ColumnTable, procedure: Procedure, state: TableState, row: list, thirds: tuple[int, ...]
) -> int:
    nodes = 0
    for value in thirds if due_state(state) == "banker_3" else range(10):
        after, role, end = procedure.drawn(state, value)
        nodes += 1
        right = symbol(role, value, end)
        # Every other place and every other outcome for a card of this value cannot come.
        known = [code for code in every_symbol(value) if leads_on(table, row, code)]
        assert known == [right], (value, role, end)
        if end is RowEnd.NOT_LAST:
            nodes += _continued(table, procedure, after, row[right], thirds)
        else:
            assert row[right] is table.between
    return nodes


def leads_on(table: ColumnTable, row: list, code: int) -> bool:
    return code < len(row) and row[code] is not table.wrong


def test_every_third_card_situation_agrees_with_the_procedure() -> None:
    """100 pairs of two-card counts, with three values of Banker's third card."""
    assert compare_with_steps((0, 0), thirds=(0, 4, 9)) == 10 + 100 + 480 + 3 * (306 + 12)


def test_equal_counts_lead_to_the_same_state() -> None:
    table = column_table()
    for p1, b1, p2, b2 in product(range(10), repeat=4):
        column = bytes(
            (
                symbol(RowRole.PLAYER_1, p1, RowEnd.NOT_LAST),
                symbol(RowRole.BANKER_1, b1, RowEnd.NOT_LAST),
                symbol(RowRole.PLAYER_2, p2, RowEnd.NOT_LAST),
            )
        )
        plain = bytes(
            (
                symbol(RowRole.PLAYER_1, 0, RowEnd.NOT_LAST),
                symbol(RowRole.BANKER_1, 0, RowEnd.NOT_LAST),
                symbol(RowRole.PLAYER_2, (p1 + p2) % 10, RowEnd.NOT_LAST),
            )
        )
        # The fourth card brings Banker's count to the same.
        for end in (RowEnd.NOT_LAST, RowEnd.PLAYER, RowEnd.BANKER, RowEnd.TIE):
            one = table.after(column + bytes((symbol(RowRole.BANKER_2, b2, end),)))
            other = table.after(plain + bytes((symbol(RowRole.BANKER_2, (b1 + b2) % 10, end),)))
            assert one is other, (p1, b1, p2, b2, end)


@pytest.mark.full
@pytest.mark.parametrize("first", range(10))
def test_the_whole_tree_of_card_values_agrees_with_the_procedure(first: int) -> None:
    assert compare_with_steps((first,)) == 37_710


def test_columns_are_added_without_a_carry() -> None:
    """All combinations in one column give the same symbols as one at a time."""
    three = [
        (role, card, end) for role, card, end in product(sorted(ROLES), sorted(FACES), sorted(ENDS))
    ]
    together = symbols(*(bytes(column) for column in zip(*three, strict=True)))
    alone = [symbols(bytes((role,)), bytes((card,)), bytes((end,)))[0] for role, card, end in three]
    assert list(together) == alone


def test_impossible_combinations_have_no_symbol() -> None:
    table = column_table()
    for role, end in ((RowRole.PLAYER_1, RowEnd.TIE), (RowRole.BANKER_3, RowEnd.NOT_LAST)):
        column = symbols(bytes((role,)), b"\x01", bytes((end,)))
        assert table.after(column) is table.wrong


def played(table: ColumnTable, procedure: Procedure, rows) -> int:
    """Play a shoe's rows on the procedure; each coup that it closes is one of the table."""
    state, closed, played_rows = procedure.start, 0, []
    for row in rows:
        if row.role not in PLACES:
            continue
        played_rows.append(row)
        card, place = CARDS[row.card - 1], PLACES[row.role]
        state = step(procedure.book, state, CardDrawn(card, place)).state
        if not row.ends:
            continue
        faces = [CARDS[one.card - 1] for one in played_rows[-6:] if one.coup == row.coup]
        pairs = faces[0].rank == faces[2].rank, faces[1].rank == faces[3].rank
        outcome = next(one for one, end in WON.items() if end == row.ends)
        taken = step(procedure.book, state, ResultDeclared(outcome, *pairs))
        (record,) = (one.record for one in taken.effects if isinstance(one, CoupClosed))
        coup = [one for one in played_rows if one.coup == row.coup]
        assert [ROLE_OF[one.place] for one in record.cards] == [one.role for one in coup]
        column = symbols(
            bytes(one.role for one in coup),
            bytes(one.card for one in coup),
            bytes(one.ends for one in coup),
        )
        assert table.after(column) is table.between
        state, closed = taken.state, closed + 1
    return closed


def test_whole_shoes_agree_with_the_procedure(dealt) -> None:
    procedure = Procedure()
    for seed in range(3):
        (rows,) = dealt(seed)
        assert played(column_table(), procedure, rows) == rows[-1].coup


@pytest.mark.full
def test_two_hundred_whole_shoes_agree_with_the_procedure(dealt) -> None:
    procedure = Procedure()
    for seed in range(200):
        (rows,) = dealt(seed)
        assert played(column_table(), procedure, rows) == rows[-1].coup
