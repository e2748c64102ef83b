"""The drawing rules of a coup as a state table that is followed card by card over a whole column.

The table is built from the one tableau. A symbol stands for one card: its role, its point value,
and the coup's outcome if it is the last. Following the symbols of a shoe from state to state shows
whether order of drawing, third cards and outcomes are all right.
Source: controller/rules/tableau.py (NY (e), S42 (f)); goal: one look-up a card.
"""

from functools import cache
from itertools import product
from typing import Final

from controller.journal.card_row_format import RowEnd, RowRole
from controller.rules.cards import Card, Rank, Suit, point_value
from controller.rules.hands import NATURAL_COUNTS
from controller.rules.tableau import banker_draws, player_draws

TableauState = list["TableauState"]
"""A state: for each symbol the state after it. It ends with its last permitted symbol, so that all

states together fit into the processor's cache; a symbol past its end is not permitted.
"""

_VALUES: Final = 10
_COUNTS: Final = range(_VALUES)
_NOT_LAST: Final = (RowEnd.NOT_LAST,)
_WON: Final = (RowEnd.PLAYER, RowEnd.BANKER, RowEnd.TIE)
# The roles of a card, and how the coup can end with it. Symbols are numbered in this order: first
# the roles that most states expect.
_ROLE_ENDS: Final = (
    (RowRole.PLAYER_2, _NOT_LAST),
    (RowRole.BANKER_2, _NOT_LAST + _WON),
    (RowRole.BANKER_3, _WON),
    (RowRole.PLAYER_3, _NOT_LAST + _WON),
    (RowRole.BANKER_1, _NOT_LAST),
    (RowRole.PLAYER_1, _NOT_LAST),
)
_SYMBOLS: Final = {
    role_end: _VALUES * number
    for number, role_end in enumerate((role, end) for role, ends in _ROLE_ENDS for end in ends)
}
_NO_SYMBOL: Final = 255

# The sum of the three translated columns differs for every combination.
_ROLE_ADDS: Final = {role: _VALUES * at for at, (role, _) in enumerate(_ROLE_ENDS)}
_END_ADDS: Final = {
    end: _VALUES * len(_ROLE_ENDS) * at for at, end in enumerate((*_NOT_LAST, *_WON))
}


def _card_adds() -> dict[int, int]:
    faces = (Card(rank, suit) for suit in Suit for rank in Rank)
    return {number: point_value(face) for number, face in enumerate(faces, 1)}


_CARD_ADDS: Final = _card_adds()


def _translation(adds: dict[int, int]) -> bytes:
    return bytes(adds.get(byte, 0) for byte in range(256))


ROLE_TO: Final = _translation({int(role): add for role, add in _ROLE_ADDS.items()})
END_TO: Final = _translation({int(end): add for end, add in _END_ADDS.items()})
CARD_TO: Final = _translation(_CARD_ADDS)
ROLES: Final = bytes(_ROLE_ADDS)
ENDS: Final = bytes(_END_ADDS)
FACES: Final = bytes(_CARD_ADDS)
"""The permitted bytes of each column; a column with any other byte has no symbols."""


def _symbols_of_sums() -> bytes:
    table = [_NO_SYMBOL] * 256
    for role, end in product(_ROLE_ADDS, _END_ADDS):
        if (role, end) in _SYMBOLS:
            for value in _COUNTS:
                table[_ROLE_ADDS[role] + _END_ADDS[end] + value] = symbol(role, value, end)
    return bytes(table)


def symbol(role: RowRole, value: int, end: RowEnd) -> int:
    """The symbol of a card of that point value; `role` and `end` must be a permitted pair."""
    return _SYMBOLS[role, end] + value


_OF_SUM: Final = _symbols_of_sums()


def symbols(roles: bytes, cards: bytes, ends: bytes) -> bytes:
    """One symbol per card. The columns are equally long and hold only ROLES, FACES and ENDS."""
    total = (
        int.from_bytes(roles.translate(ROLE_TO), "big")
        + int.from_bytes(cards.translate(CARD_TO), "big")
        + int.from_bytes(ends.translate(END_TO), "big")
    )
    # No sum of three bytes exceeds a byte, so no carry from one card reaches another.
    return total.to_bytes(len(roles), "big").translate(_OF_SUM)


class ColumnTable:
    """All states. `between` is the state before and after each coup; `wrong` is never left."""

    def __init__(self) -> None:
        self.wrong: TableauState = []
        self.between: TableauState = []
        self._fill()

    def after(self, column: bytes) -> TableauState:
        """The state after these symbols, starting between two coups."""
        row = self.between
        try:
            for each in column:
                row = row[each]
        except IndexError:
            return self.wrong
        return row

    def _fill(self) -> None:
        """Build all states; the two point counts are all that matters of the cards before."""
        after_four = [
            [self._after_four(player, banker) for banker in _COUNTS] for player in _COUNTS
        ]
        three = [[_state() for _ in _COUNTS] for _ in _COUNTS]
        for first in _COUNTS:
            one = _state()
            self._add_card(self.between, RowRole.PLAYER_1, first, one)
            for banker in _COUNTS:
                two = _state()
                self._add_card(one, RowRole.BANKER_1, banker, two)
                for value in _COUNTS:
                    player = (first + value) % 10
                    self._add_card(two, RowRole.PLAYER_2, value, three[player][banker])
        for player, first, value in product(_COUNTS, repeat=3):
            banker = (first + value) % 10
            after = after_four[player][banker]
            self._add_possibly_last(
                three[player][first], RowRole.BANKER_2, value, (player, banker), after
            )

    def _after_four(self, player: int, banker: int) -> TableauState | None:
        """The state after four cards of these counts, None where the coup is over."""
        if player in NATURAL_COUNTS or banker in NATURAL_COUNTS:
            return None
        if not player_draws(player):
            return self._last_to_banker(player, banker) if banker_draws(banker, None) else None
        row = _state()
        for value in _COUNTS:
            count = (player + value) % 10
            after = self._last_to_banker(count, banker) if banker_draws(banker, value) else None
            self._add_possibly_last(row, RowRole.PLAYER_3, value, (count, banker), after)
        return row

    def _last_to_banker(self, player: int, banker: int) -> TableauState:
        row = _state()
        for value in _COUNTS:
            self._add_possibly_last(
                row, RowRole.BANKER_3, value, (player, (banker + value) % 10), None
            )
        return row

    def _add_possibly_last(
        self,
        row: TableauState,
        role: RowRole,
        value: int,
        counts: tuple[int, int],
        after: TableauState | None,
    ) -> None:
        """Add a card that gives the hands these counts; it ends the coup if `after` is None."""
        if after is not None:
            self._add_card(row, role, value, after)
            return
        self._put(row, symbol(role, value, _end(*counts)), self.between)

    def _add_card(self, row: TableauState, role: RowRole, value: int, after: TableauState) -> None:
        self._put(row, symbol(role, value, RowEnd.NOT_LAST), after)

    def _put(self, row: TableauState, at: int, after: TableauState) -> None:
        row.extend([self.wrong] * (at + 1 - len(row)))
        row[at] = after


def _state() -> TableauState:
    return []


def _end(player: int, banker: int) -> RowEnd:
    """The outcome for these counts: the higher one wins, equal ones are a tie."""
    if player == banker:
        return RowEnd.TIE
    return RowEnd.PLAYER if player > banker else RowEnd.BANKER


@cache
def column_table() -> ColumnTable:
    """The one table of this process."""
    return ColumnTable()
