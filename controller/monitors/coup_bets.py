"""Bets that coup after coup is a natural, and that one side wins coup after coup.

Naturals are settled with the card that completes a pair, so a cold deck is known at that card; a
row of wins at the end of a coup. The odds are those of the cards not yet seen. Of each bet's
capital 1/256 stays out of a coup; a part of the unit enters only with later coups, for a pattern
that begins there. A coup that is not dealt to its end is not bet on.

Every way in which a coup can be dealt is walked once. A *place* is what the point values of a
coup's cards so far leave open: the pairs' counts and Player's third card. For each place and value
of the next card: the place after it, and what a row of Player's or Banker's wins may hope for, with
cards from very many decks. Those figures only say how a bet is spread; its odds are exact whatever
they are.
Source: NY-h-2-draw to NY-h-4-7 by controller/rules/tableau.
"""

from collections.abc import Sequence
from enum import IntEnum
from operator import mul
from typing import Final, TypeAlias

from msgspec import Struct

from controller.monitors.budget import CAPITAL_MAX, UNIT, Alarm, threshold
from controller.monitors.faces import FACES, GAP, RANKS
from controller.rules.advisory import AdvisoryKind, CoupPattern, CoupsEvidence
from controller.rules.tableau import banker_draws, player_draws

VALUES: Final = 10
NATURALS: Final = (8, 9)
# The point value of each face.
VALUE_OF: Final = bytes(min(face % RANKS + 1, 10) % 10 for face in range(FACES))
_PAIR: Final = 4
# Of thirteen ranks four are worth nothing.
_WEIGHTS: Final = (4,) + (1,) * 9
_RANKS_OF_ALL: Final = sum(_WEIGHTS)
_SCALE: Final = 1 << 18
# Of 10,000 coups of many decks.
_PLAYER_WINS, _BANKER_WINS = 4_462, 4_586
_Values: TypeAlias = tuple[int, ...]
_Hopes: TypeAlias = tuple[int, int]


class Winner(IntEnum):
    """Who won a coup."""

    TIE = 0
    PLAYER = 1
    BANKER = 2


def _pairs(values: _Values) -> tuple[int, int]:
    """Player's and Banker's count of two cards each."""
    return (values[0] + values[2]) % 10, (values[1] + values[3]) % 10


def _is_over(values: _Values) -> bool:
    if len(values) < _PAIR:
        return False
    player, banker = _pairs(values)
    if player in NATURALS or banker in NATURALS:
        return True
    third = values[_PAIR] if len(values) > _PAIR and player_draws(player) else None
    if player_draws(player) and third is None:
        return False
    return len(values) == _PAIR + player_draws(player) + banker_draws(banker, third)


def _winner(values: _Values) -> Winner:
    player, banker = _pairs(values)
    thirds = list(values[_PAIR:])
    if thirds and player_draws(player):
        player += thirds.pop(0)
    player, banker = player % 10, (banker + sum(thirds)) % 10
    if player == banker:
        return Winner.TIE
    return Winner.PLAYER if player > banker else Winner.BANKER


def _place_of(values: _Values) -> _Values:
    """The same for all that leave the same open: a pair counts as its sum and a ten."""
    if len(values) < _PAIR - 1:
        return values
    player = (values[0] + values[2]) % 10
    if len(values) < _PAIR:
        return player, values[1], 0
    return player, (values[1] + values[3]) % 10, 0, 0, *values[_PAIR:]


def _final(winner: Winner) -> _Hopes:
    """A tie leaves a row of wins as it was: it is worth as much as it was hoped for.

    A row goes on where its side wins, as often as either side does.
    """
    if winner is Winner.TIE:
        return _SCALE, _SCALE
    decided = _PLAYER_WINS + _BANKER_WINS
    if winner is Winner.PLAYER:
        return _SCALE * decided // _PLAYER_WINS, 0
    return 0, _SCALE * decided // _BANKER_WINS


class _Paths:
    """Numbers the places as it comes to them, and computes their hopes from the last card back."""

    def __init__(self) -> None:
        self.numbers: dict[_Values, int] = {}
        self.after: list[list[int]] = []
        self.hopes: list[list[_Hopes]] = []
        self.means: list[_Hopes] = []

    def place(self, values: _Values) -> tuple[int, _Hopes]:
        """The number of a place, -1 less the winner for a coup that is over, and its hopes."""
        values = _place_of(values)
        if _is_over(values):
            winner = _winner(values)
            return -1 - winner, _final(winner)
        number = self.numbers.get(values)
        if number is not None:
            return number, self.means[number]
        number = self.numbers[values] = len(self.after)
        self.after.append([])
        self.hopes.append([])
        self.means.append((0, 0))
        for value in range(VALUES):
            after, hopes = self.place((*values, value))
            self.after[number].append(after)
            self.hopes[number].append(hopes)
        player, banker = (
            sum(weight * one for weight, one in zip(_WEIGHTS, column, strict=True)) // _RANKS_OF_ALL
            for column in zip(*self.hopes[number], strict=True)
        )
        self.means[number] = player, banker
        return number, self.means[number]


_PATHS: Final = _Paths()
START: Final = _PATHS.place(())[0]
# Cards of the coup were not seen, or it is not known where coups begin: no place until its end.
LOST: Final = len(_PATHS.after)
# By place and value: the place after the card, or at the coup's end -1 less the winner.
AFTER: Final = (*(tuple(row) for row in _PATHS.after), (LOST,) * VALUES)
# By place: how many cards of the coup are out.
DEPTH: Final = (*(len(values) for values in _PATHS.numbers), 0)
# By winner, place and value: what a row of that side's wins hopes for after the card.
HOPES: Final = (
    (),
    *(tuple(tuple(hopes[at] for hopes in row) for row in _PATHS.hopes) for at in range(2)),
)


_ONE: Final = 1 << 24
# Coups are forgotten beyond these.
ROW_MAX: Final = 128
_CARDS_OF_COUP: Final = 4
_OUT: Final = 256
_NATURALS_LIMIT: Final = threshold(AdvisoryKind.NATURALS)
_OUTCOMES_LIMIT: Final = threshold(AdvisoryKind.OUTCOMES)
# In hundredths of each monitor's unit: from the first coup on, and with later ones.
_PATTERNS: Final = (
    (CoupPattern.NATURAL, 69, 1),
    (CoupPattern.PLAYER_NATURAL, 14, 1),
    (CoupPattern.BANKER_NATURAL, 14, 1),
    (CoupPattern.SAME_WINNER, 50, 50),
)
_ROW: Final = 3
_OPENING: Final = tuple(UNIT * opening // 100 for _, opening, _ in _PATTERNS)
_LATER: Final = tuple(UNIT * later // 100 for _, _, later in _PATTERNS)
# Of many decks: Banker's pair is a natural, in 10,000.
_BY_BANKER, _OF_ALL = 1_893, 10_000


class CoupBets(Struct, frozen=True):
    """The bets on the coups of a shoe.

    Before the coup in play `left` cards of each point value were not seen and `out` cards had left
    the shoe. `capital` is that of each bet; of those on naturals `staked` is in this coup. `coups`
    were bet on; `known` has a digit for each of the newest that ended: who won, plus four for
    Player's natural, eight for Banker's; `last` won the last one that was no tie.
    """

    left: tuple[int, ...]
    out: int = 0
    capital: tuple[int, ...] = _OPENING
    staked: tuple[int, ...] = ()
    coups: int = 0
    known: str = ""
    last: int = 0


def open_bets(decks: int) -> CoupBets:
    """The bets on a shoe of so many decks."""
    return CoupBets((16 * decks,) + (4 * decks,) * (VALUES - 1))


def bet_on_coup(
    bets: CoupBets, cards: bytes, of_coup: int, after: int, of_shoe: int
) -> tuple[CoupBets, tuple[Alarm, ...]]:
    """The bets once the newest `of_coup` cards are a coup's first three or four, or all of it.

    `after` is the entry of `AFTER` for the newest card; the shoe had `of_shoe` cards.
    """
    values = [VALUE_OF[face] for face in cards[-of_coup:]]
    left = _left_before(bets, cards[bets.out : -of_coup])
    capital, staked, coups = bets.capital, bets.staked, bets.coups
    alarms: tuple[Alarm, ...] = ()
    if of_coup == 3:
        capital = _with_later(capital, coups, of_shoe)
        coups += 1
        staked = tuple([one - one // _OUT for one in capital[:_ROW]])
    if of_coup <= _CARDS_OF_COUP and staked:
        settle = _settle_player if of_coup == 3 else _settle_banker
        now = settle(staked, left, values)
        naturals = [
            min(one - was + new, CAPITAL_MAX // 4)
            for one, was, new in zip(capital, staked, now, strict=False)
        ]
        capital, staked = (*naturals, capital[_ROW]), now
        held = sum(naturals)
        if held >= _NATURALS_LIMIT:
            alarms = (Alarm(AdvisoryKind.NATURALS, held, _NATURALS_LIMIT),)
    out, known, last = len(cards) - of_coup, bets.known, bets.last
    if after < 0:
        winner = -1 - after
        if last:
            row = _row_after(capital[_ROW], last, left, values)
            capital = (*capital[:_ROW], row)
            if row >= _OUTCOMES_LIMIT:
                alarms += (Alarm(AdvisoryKind.OUTCOMES, row, _OUTCOMES_LIMIT),)
        known = (known + _digit(values, winner))[-ROW_MAX:]
        last, staked = winner or last, ()
    return CoupBets(tuple(left), out, capital, staked, coups, known, last), alarms


def forget_row(bets: CoupBets) -> CoupBets:
    """The bets where a coup was not seen to its end: it is not known who won."""
    return CoupBets(bets.left, bets.out, bets.capital, coups=bets.coups)


def _left_before(bets: CoupBets, since: bytes) -> list[int]:
    """The cards not yet seen before this coup, by point value."""
    left = list(bets.left)
    for face in since:
        if face != GAP:
            value = VALUE_OF[face]
            # More of a value than the decks hold are custody's finding.
            left[value] = max(left[value] - 1, 1)
    return left


def _with_later(capital: tuple[int, ...], coups: int, of_shoe: int) -> tuple[int, ...]:
    """What enters with a coup: never more in all than if every coup had four cards."""
    most = of_shoe // _CARDS_OF_COUP
    if not 0 < coups < most:
        return capital
    return tuple([one + later // most for one, later in zip(capital, _LATER, strict=True)])


# --- naturals -------------------------------------------------------------------------------------


def _settle_player(
    staked: tuple[int, ...], left: list[int], values: list[int]
) -> tuple[int, int, int]:
    """Once Player's pair is out; of the bet on either hand, Banker's may still make it good."""
    of_all, of_player, of_banker = staked
    chance, total = _natural_pairs(left)
    natural = (values[0] + values[2]) % 10 in NATURALS
    hoped = _OF_ALL if natural else _BY_BANKER
    mean = chance * _OF_ALL + (total - chance) * _BY_BANKER
    of_player = of_player * total // chance if natural and chance else 0
    return of_all * hoped * total // mean, of_player, of_banker


def _settle_banker(
    staked: tuple[int, ...], left: list[int], values: list[int]
) -> tuple[int, int, int]:
    """Once Banker's pair is out: odds as before both its cards, whatever came between them."""
    of_all, of_player, of_banker = staked
    first, _, second, _ = values
    rest = left.copy()
    rest[first] -= 1
    rest[second] -= 1
    chance, total = _natural_pairs(rest)
    natural = (values[1] + values[3]) % 10 in NATURALS and chance > 0
    of_banker = of_banker * total // chance if natural else 0
    if (first + second) % 10 not in NATURALS:
        of_all = of_all * total // chance if natural else 0
    return of_all, of_player, of_banker


def _natural_pairs(left: list[int]) -> tuple[int, int]:
    """Ordered pairs of these cards that count eight or nine, and all ordered pairs."""
    nine = sum(map(mul, left, reversed(left)))
    eight = sum(map(mul, left[:9], left[8::-1])) - left[4] + left[9] * (left[9] - 1)
    total = sum(left)
    return eight + nine, total * (total - 1)


# --- a row of wins --------------------------------------------------------------------------------


def _row_after(capital: int, last: int, left: list[int], values: Sequence[int]) -> int:
    """The bet that the last winner wins again, settled over the cards of a coup."""
    hopes, place, total, grown = HOPES[last], START, sum(left), _ONE
    rest = left.copy()
    for value in values:
        of_place = hopes[place]
        grown = grown * of_place[value] * total // (sum(map(mul, rest, of_place)) or 1)
        rest[value] -= 1
        total -= 1
        place = AFTER[place][value]
    out = capital // _OUT
    return min(out + (capital - out) * grown // _ONE, CAPITAL_MAX)


def _digit(values: list[int], winner: int) -> str:
    player, banker = ((values[hand] + values[hand + 2]) % 10 in NATURALS for hand in range(2))
    return f"{winner + 4 * player + 8 * banker:x}"


def coups_evidence(kind: AdvisoryKind, bets: CoupBets) -> CoupsEvidence:
    """How often the pattern of the leading bet came, counted back until two in a row differ.

    The coup that is being dealt counts with a natural: nothing else is known of it.
    """
    places = range(_ROW) if kind is AdvisoryKind.NATURALS else range(_ROW, _ROW + 1)
    pattern = _PATTERNS[max(places, key=bets.capital.__getitem__)][0]
    under_way = int(kind is AdvisoryKind.NATURALS and bool(bets.staked))
    best = matched = strangers = of = 0
    for back, digit in enumerate(reversed(bets.known), 1):
        follows = _follows(pattern, int(digit, 16), bets.last)
        strangers = 0 if follows else strangers + 1
        if strangers == 2:
            break
        matched += follows
        if follows:
            best, of = matched, back
    return CoupsEvidence(pattern, best + under_way, of + under_way)


def _follows(pattern: CoupPattern, coup: int, winner: int) -> bool:
    match pattern:
        case CoupPattern.NATURAL:
            return coup >= 4
        case CoupPattern.PLAYER_NATURAL:
            return bool(coup & 4)
        case CoupPattern.BANKER_NATURAL:
            return coup >= 8
        case CoupPattern.SAME_WINNER:
            return coup % 4 in (Winner.TIE, winner)
