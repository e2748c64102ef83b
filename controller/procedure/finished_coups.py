"""The finished coups of a gaming day, as far as a correction of their outcome needs them.

Source: D-42.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict, replace

from controller.journal.encoding import Codec
from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.outcome import Outcome
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.setting_values import (
    BaseWager,
    BonusTable,
    TieResult,
    VigorishMode,
    VigorishRounding,
)
from controller.rules.settlement.payout import SettledWager
from controller.rules.settlement.wagers import KIND_NUMBERS, SEAT_MAX

# More coups than ten decks can give; a shoe that a continuous shuffler feeds has no end.
FINISHED_COUPS_MAX: Final = 256
# More shoes than a table deals in a day; the oldest is left out beyond it.
EARLIER_SHOES_MAX: Final = 48


class PaymentRules(Struct, frozen=True, array_like=True):
    """The settings that decide what a wager pays, as in force when a coup was settled."""

    wagers_base: tuple[BaseWager, ...]
    ez: bool
    dragon_bonus: bool
    dragon_bonus_table: BonusTable | None
    dragon_bonus_sides: tuple[HandName, ...]
    total_card_wagers: bool
    odds_player: Odds
    odds_banker: Odds
    odds_tie: Odds
    tie_result: TieResult
    none_six_odds: Odds | None
    odds_dragon7: Odds | None
    odds_panda8: Odds | None
    odds_total_4: Odds | None
    odds_total_5: Odds | None
    odds_total_6: Odds | None
    vig_mode: VigorishMode
    vig_rate: int
    vig_rounding: VigorishRounding

    @staticmethod
    def of(values: RuleValues) -> "PaymentRules":
        """Those among a profile's settings."""
        return PaymentRules(*(getattr(values, name) for name in PaymentRules.__struct_fields__))

    def put_into(self, values: RuleValues) -> RuleValues:
        """A profile's settings with these in their place."""
        return replace(values, **asdict(self))


# A seat and a kind in one number: the kind's own, with the seat in its tens and hundreds.
_SEATS: Final = 10
_NEXT_KINDS: Final = _SEATS * (SEAT_MAX + 1)
_KIND_OF_NUMBER: Final = {number: kind for kind, number in KIND_NUMBERS.items()}
_CENTS: Final = 100
_NUMBERS: Final[Codec[tuple[int, ...]]] = Codec(tuple[int, ...])


def packed_wagers(settled: tuple[SettledWager, ...]) -> bytes:
    """Settled wagers as a short array of numbers, three for each; no bytes where there are none.

    The seat and the kind together; the stake in whole units, or below zero in cents; what the
    patron got back as so many stakes, or below zero in cents. Where a patron lost more than the
    stake, because the vigorish rounded up exceeds win and stake (a Banker wager of 0.01 or 0.02),
    seat and kind are below zero, and stake and gain follow in cents.
    """
    numbers: list[int] = []
    for one in settled:
        place = one.seat * _SEATS + KIND_NUMBERS[one.kind]
        if one.gain < -one.cents:
            numbers += (-place, one.cents, one.gain)
            continue
        stakes, cents = divmod(one.gain + one.cents, one.cents)
        units, rest = divmod(one.cents, _CENTS)
        numbers.append(place)
        numbers.append(-one.cents if rest else units)
        numbers.append(-one.gain - one.cents if cents else stakes)
    return _NUMBERS.encode(tuple(numbers)) if numbers else b""


def _unpacked(place: int, stake: int, got_back: int) -> SettledWager:
    seat = abs(place) % _NEXT_KINDS // _SEATS
    if place < 0:
        return SettledWager(seat, _KIND_OF_NUMBER[-place - seat * _SEATS], stake, got_back)
    cents = stake * _CENTS if stake >= 0 else -stake
    gain = (got_back * cents if got_back >= 0 else -got_back) - cents
    return SettledWager(seat, _KIND_OF_NUMBER[place - seat * _SEATS], cents, gain)


class FinishedCoup(Struct, frozen=True, array_like=True):
    """A coup by its number: its outcome as counted, None where it is void, and as corrected.

    `settled` are its wagers, packed, `rules` the place of the PaymentRules they were settled by
    among those of the table. An array in the record, because the state holds every coup of the day.
    """

    number: int
    counted: Outcome | None
    corrected: Outcome | None = None
    settled: bytes = b""
    rules: int = 0

    @property
    def wagers(self) -> tuple[SettledWager, ...]:
        """The wagers as they were settled."""
        numbers = iter(_NUMBERS.decode(self.settled) if self.settled else ())
        return tuple(map(_unpacked, numbers, numbers, numbers))

    @property
    def outcome(self) -> Outcome | None:
        """The outcome that counts now."""
        return self.counted if self.corrected is None else self.corrected


# The outcome of a coup as it is stored, in two bits of a byte: never change or reuse a number.
_OUTCOME_NUMBERS: Final[Mapping[Outcome | None, int]] = MappingProxyType(
    {None: 0, Outcome.PLAYER: 1, Outcome.BANKER: 2, Outcome.TIE: 3}
)
_OUTCOME_OF_NUMBER: Final = {number: outcome for outcome, number in _OUTCOME_NUMBERS.items()}
_CORRECTED: Final = 4
_Settled: TypeAlias = tuple[int, int, bytes]
_SETTLED: Final[Codec[tuple[_Settled, ...]]] = Codec(tuple[_Settled, ...])


class EarlierShoe(Struct, frozen=True, array_like=True):
    """A shoe before the one at the table, with the coups that ended on this gaming day.

    Short, because every saved state holds all of them: `outcomes` is a byte for each coup from
    number `first` on (as counted, and times 4 as corrected), `settled` the encoded wagers of those
    that had some.
    """

    gaming_day: str
    number: int
    first: int
    outcomes: bytes
    settled: bytes

    @staticmethod
    def of(gaming_day: str, number: int, coups: tuple[FinishedCoup, ...]) -> "EarlierShoe":
        first = coups[0].number
        assert [one.number for one in coups] == [*range(first, first + len(coups))], "in order"
        outcomes = bytes(
            _OUTCOME_NUMBERS[one.counted] + _CORRECTED * _OUTCOME_NUMBERS[one.corrected]
            for one in coups
        )
        wagers = tuple((one.number, one.rules, one.settled) for one in coups if one.settled)
        settled = _SETTLED.encode(wagers) if wagers else b""
        return EarlierShoe(gaming_day, number, first, outcomes, settled)

    def finished(self) -> tuple[FinishedCoup, ...]:
        wagers = {one[0]: one for one in (_SETTLED.decode(self.settled) if self.settled else ())}
        coups = []
        for number, both in enumerate(self.outcomes, self.first):
            corrected, counted = divmod(both, _CORRECTED)
            _, rules, settled = wagers.get(number, (number, 0, b""))
            outcomes = (_OUTCOME_OF_NUMBER[counted], _OUTCOME_OF_NUMBER[corrected])
            coups.append(FinishedCoup(number, *outcomes, settled=settled, rules=rules))
        return tuple(coups)


def coup_of_number(coups: tuple[FinishedCoup, ...], number: int) -> FinishedCoup | None:
    """The coup of that number, while its outcome can be corrected or it is void."""
    return next((one for one in coups if one.number == number), None)


def corrected_coups(
    coups: tuple[FinishedCoup, ...], number: int, outcome: Outcome
) -> tuple[FinishedCoup, ...]:
    """The same coups, one with this outcome by correction."""
    return tuple(replace(one, corrected=outcome) if one.number == number else one for one in coups)
