"""Simulates a dealer who follows the rules from burn to last hand and errs only on request.

The actions come as a generator that any runner can pace. A mistake is followed by `MistakeMade`;
what the dealer does next is what a dealer does once the floorperson has spoken, see the package
README, "Mistakes".

Source: clauses NY-e-1 to NY-e-4, S42-e-6-burn1, S42-e-6-burnn, S42-h-5-finish, S42-h-5-onemore;
D-1 (1 + N cards leave the shoe), D-3, D-4, D-5.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from hil.dealing.actions import (
    ClearDeviceError,
    DealerAction,
    Draw,
    DrawCutCard,
    MistakeMade,
    NewShoe,
    Pause,
    PauseKind,
    Place,
    PressForcedExit,
    PressResult,
    PressStandBy,
    SettingMode,
)
from hil.dealing.cards import Card, decks
from hil.dealing.mistakes import SHOE_MISTAKES, Mistake, PlannedMistake
from hil.dealing.shoe import CutCardKind, Loading, PhysicalShoe, shuffled_loading
from hil.dealing.tableau import Hand, Winner, is_natural, is_pair, next_hand, points, winner
from hil.dealing.truth import (
    BurnTruth,
    CoupTruth,
    MistakeTruth,
    PlacedCard,
    PressedResult,
    ShoeTruth,
    StrayTruth,
    Truth,
)


@dataclass(slots=True)
class CoupOnTable:
    """A coup while it is dealt."""

    shoe: int
    number: int
    placed: list[PlacedCard] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    pressed: PressResult | None = None
    void: bool = False
    cut_card_after: int | None = None

    def put(self, place: Place, card: Card) -> None:
        """Place a card."""
        self.placed.append(PlacedCard(place, card))

    def hand(self, place: Place) -> tuple[Card, ...]:
        """The cards at that place, in order."""
        return tuple(placed.card for placed in self.placed if placed.place is place)

    @property
    def player(self) -> tuple[int, ...]:
        return tuple(card.value for card in self.hand(Place.PLAYER))

    @property
    def banker(self) -> tuple[int, ...]:
        return tuple(card.value for card in self.hand(Place.BANKER))

    @property
    def cards_dealt(self) -> int:
        """Cards of both hands; a card set aside does not count."""
        return len(self.player) + len(self.banker)

    @property
    def due(self) -> Hand | None:
        """The hand due the next card."""
        return next_hand(self.player, self.banker)

    @property
    def natural(self) -> bool:
        return is_natural(self.player, self.banker)

    def correct_result(self) -> PressResult:
        """The correct result of the cards on the table."""
        return PressResult(
            winner(self.player, self.banker),
            is_pair(self.hand(Place.PLAYER)),
            is_pair(self.hand(Place.BANKER)),
        )

    def truth(self) -> CoupTruth:
        """The truth record of this coup."""
        correct = self.correct_result()
        pressed = self.pressed
        return CoupTruth(
            shoe=self.shoe,
            coup=self.number,
            cards=tuple(self.placed),
            player_points=points(self.player),
            banker_points=points(self.banker),
            winner=None if self.void else correct.winner,
            natural=self.natural,
            player_pair=correct.player_pair,
            banker_pair=correct.banker_pair,
            declared=None
            if pressed is None
            else PressedResult(pressed.winner, pressed.player_pair, pressed.banker_pair),
            void=self.void,
            cut_card_after=self.cut_card_after,
            mistakes=tuple(self.mistakes),
        )


OVERDRAW_ERROR = 2
TAIL_CARDS = 12
EARLY_RESULT = {
    Hand.PLAYER: Mistake.MISSING_PLAYER_THIRD,
    Hand.BANKER: Mistake.MISSING_BANKER_THIRD,
}
NEXT_WINNER = {
    Winner.PLAYER: Winner.BANKER,
    Winner.BANKER: Winner.TIE,
    Winner.TIE: Winner.PLAYER,
}


class OutOfCards(Exception):
    """A card was due and the last cut card came out."""


class OverdrawRemedy(StrEnum):
    """The remedy for a card drawn in error: set aside only, or its amount burned as well."""

    SET_ASIDE = "set_aside"
    BURN_AMOUNT = "burn_amount"


@dataclass(frozen=True, slots=True)
class DealerSettings:
    """The settings of a run. `cut_from_back` None: 14 to 30 cards, by the seed.

    `unshuffled`: the decks are loaded as they were made, one after another.
    """

    seed: int
    shoes: int = 1
    decks: int = 8
    cut_from_back: int | None = None
    mistakes: tuple[PlannedMistake, ...] = ()
    cut_card_first_is_last_hand: bool = False
    overdraw_remedy: OverdrawRemedy = OverdrawRemedy.SET_ASIDE
    stand_by_after_burn: bool = True
    unshuffled: bool = False


Acts: TypeAlias = Generator[DealerAction, None, None]


class Dealer:
    """Deals `settings.shoes` shoes. `truth` grows while `actions` is consumed.

    A loading that is only burned and reloaded is numbered, but does not count as a shoe.
    """

    def __init__(self, settings: DealerSettings) -> None:
        self.settings = settings
        self.truth = Truth()
        self.shoe_number = 0
        self.coup_number = 0
        self._made: set[PlannedMistake] = set()
        self._shoe = PhysicalShoe(Loading((), 0))
        self._cut_card_drawn = False

    @property
    def stand_by_after_burn(self) -> bool:
        return self.settings.stand_by_after_burn

    def actions(self) -> Iterator[DealerAction]:
        """Generate all actions of the run, in order."""
        shoes_dealt = number = 0
        while shoes_dealt < self.settings.shoes:
            number += 1
            if number > 1:
                yield Pause(PauseKind.BETWEEN_SHOES)
            yield from self.shoe_actions(number, self._loading(number))
            shoes_dealt += self.coup_number > 0

    def shoe_actions(self, number: int, loading: Loading) -> Acts:
        """Generate the actions of one shoe, from loading it to its last card."""
        self.shoe_number, self.coup_number = number, 0
        self._shoe = PhysicalShoe(loading)
        self._cut_card_drawn = False
        self.truth.records.append(ShoeTruth(number, len(loading.cards), loading.cut_from_back))
        yield NewShoe(number, loading)
        too_many = yield from burn_actions(self)
        if too_many is not None:
            yield from self._burn(self._remedy_burn_count(too_many))
        if self.is_due(Mistake.CUT_CARD_DURING_BURN):
            # The floorperson orders a reload (D-5): nothing is dealt from this loading.
            yield MistakeMade(Mistake.CUT_CARD_DURING_BURN)
            return
        yield Pause(PauseKind.AFTER_BURN)
        try:
            yield from self._coups()
        except OutOfCards:
            if self.is_due(Mistake.INSUFFICIENT_CARDS):
                yield MistakeMade(Mistake.INSUFFICIENT_CARDS)
            return
        yield from self._after_last_hand()

    def next_card(self) -> Generator[DealerAction, None, Card]:
        """Draw the next card, after the cut card where that lies before it. Raises OutOfCards."""
        while True:
            match self._shoe.next():
                case Card() as card:
                    return card
                case CutCardKind.FIRST:
                    self._cut_card_drawn = True
                    yield DrawCutCard()
                    if self.is_due(Mistake.CUT_CARD_NEAR_BACK):
                        yield MistakeMade(Mistake.CUT_CARD_NEAR_BACK)
                case CutCardKind.END:
                    yield DrawCutCard()
                    raise OutOfCards("a card is due and none is left")

    def is_due(self, mistake: Mistake) -> bool:
        """Whether to make that mistake now; if so, it is recorded as made."""
        for planned in self.settings.mistakes:
            fits_coup = mistake in SHOE_MISTAKES or self.coup_number >= planned.coup
            fits_shoe = planned.mistake is mistake and planned.shoe == self.shoe_number
            if fits_shoe and fits_coup and planned not in self._made:
                self._made.add(planned)
                self.truth.records.append(MistakeTruth(self.shoe_number, self.coup_number, mistake))
                return True
        return False

    def _coups(self) -> Acts:
        """Deal coups up to one after the coup in which the cut card came (D-3)."""
        coups_left: int | None = None
        while coups_left != 0:
            self.coup_number += 1
            coup = CoupOnTable(self.shoe_number, self.coup_number)
            yield from self._coup(coup)
            if coups_left is not None:
                coups_left -= 1
            elif coup.cut_card_after is not None:
                at_start = coup.cut_card_after == 0
                coups_left = 0 if at_start and self.settings.cut_card_first_is_last_hand else 1
                if coups_left and self.is_due(Mistake.SHOE_CHANGED_EARLY):
                    yield MistakeMade(Mistake.SHOE_CHANGED_EARLY)
                    return
            yield PressStandBy()
            yield Pause(PauseKind.BETWEEN_COUPS)

    def _coup(self, coup: CoupOnTable) -> Acts:
        if self.is_due(Mistake.CARD_IN_SETTING_MODE):
            yield from self._card_in_setting_mode()
        try:
            yield from self._deal_hands(coup)
        except OutOfCards:
            coup.void = True
            self.truth.records.append(coup.truth())
            raise

    def _deal_hands(self, coup: CoupOnTable) -> Acts:
        while (hand := coup.due) is not None:
            if coup.cards_dealt == 2 and self.is_due(Mistake.FORCED_EXIT):
                coup.void = True
                yield from self._leave(coup, PressForcedExit(), Mistake.FORCED_EXIT)
                return
            if coup.cards_dealt >= 4 and self.is_due(EARLY_RESULT[hand]):
                coup.void = True
                coup.pressed = coup.correct_result()
                yield from self._leave(coup, coup.pressed, EARLY_RESULT[hand])
                return
            card = yield from self.next_card()
            if self._cut_card_drawn:
                self._cut_card_drawn = False
                coup.cut_card_after = coup.cards_dealt
            place = Place(hand.value)
            coup.put(place, card)
            yield Draw(card, place)
        burn_count = yield from self._overdraw(coup)
        yield from self._press_result(coup)
        yield from self._burn(burn_count)

    def _overdraw(self, coup: CoupOnTable) -> Generator[DealerAction, None, int]:
        """Overdraw if that is due; returns how many cards are to be burned for it."""
        mistake = _overdraw_mistake(coup)
        if not self.is_due(mistake):
            return 0
        coup.mistakes.append(mistake)
        card = yield from self.next_card()
        coup.put(Place.ASIDE, card)
        yield Draw(card, Place.ASIDE)
        yield MistakeMade(mistake)
        yield ClearDeviceError(OVERDRAW_ERROR)
        return self._remedy_burn_count(card)

    def _remedy_burn_count(self, card: Card) -> int:
        """How many cards are burned for a card drawn in error."""
        burns = self.settings.overdraw_remedy is OverdrawRemedy.BURN_AMOUNT
        return card.burn_value if burns else 0

    def _press_result(self, coup: CoupOnTable) -> Acts:
        pressed = coup.correct_result()
        for mistake in (Mistake.WRONG_RESULT, Mistake.WRONG_PAIR):
            if not self.is_due(mistake):
                continue
            if mistake is Mistake.WRONG_RESULT:
                coup.pressed = replace(pressed, winner=NEXT_WINNER[pressed.winner])
            else:
                coup.pressed = replace(pressed, player_pair=not pressed.player_pair)
            yield from self._leave(coup, coup.pressed, mistake)
            return
        coup.pressed = pressed
        self.truth.records.append(coup.truth())
        yield pressed

    def _leave(
        self, coup: CoupOnTable, action: PressResult | PressForcedExit, why: Mistake
    ) -> Acts:
        """End the coup in the wrong way."""
        coup.mistakes.append(why)
        self.truth.records.append(coup.truth())
        yield action
        yield MistakeMade(why)

    def _card_in_setting_mode(self) -> Acts:
        yield SettingMode(on=True)
        card = yield from self._stray(Place.ASIDE)
        yield MistakeMade(Mistake.CARD_IN_SETTING_MODE)
        yield SettingMode(on=False)
        yield from self._burn(self._remedy_burn_count(card))

    def _burn(self, count: int) -> Acts:
        """Burn cards outside the count, with the burn key."""
        for _ in range(count):
            yield from self._stray(Place.BURN)

    def _stray(self, place: Place) -> Generator[DealerAction, None, Card]:
        """Draw a card that belongs to no coup."""
        card = yield from self.next_card()
        self.truth.records.append(
            StrayTruth(self.shoe_number, self.coup_number, PlacedCard(place, card))
        )
        yield Draw(card, place, burn_key=place is Place.BURN)
        return card

    def _after_last_hand(self) -> Acts:
        if self.is_due(Mistake.CARD_AFTER_LAST_HAND):
            yield from self._stray(Place.ASIDE)
            yield MistakeMade(Mistake.CARD_AFTER_LAST_HAND)
        if self.is_due(Mistake.THIRD_CUT_CARD):
            yield DrawCutCard()
            yield DrawCutCard()
            yield MistakeMade(Mistake.THIRD_CUT_CARD)

    def _loading(self, number: int) -> Loading:
        """The loading of a shoe, with the cut card placed wrongly where that mistake is planned."""
        settings = self.settings
        loading = shuffled_loading(settings.seed, number, settings.decks)
        if settings.unshuffled:
            loading = replace(loading, cards=decks(settings.decks))
        if settings.cut_from_back is not None:
            loading = replace(loading, cut_from_back=settings.cut_from_back)
        planned = {plan.mistake for plan in settings.mistakes if plan.shoe == number}
        if Mistake.CUT_CARD_DURING_BURN in planned:
            loading = replace(loading, cut_from_back=len(loading.cards) - 1)
        if Mistake.CUT_CARD_NEAR_BACK in planned:
            loading = replace(loading, cut_from_back=12 + settings.seed % 2)
        if Mistake.INSUFFICIENT_CARDS in planned:
            loading = self._short_loading(number, loading)
        return loading

    def _short_loading(self, number: int, loading: Loading) -> Loading:
        """Place the cut card so near the back that the cards run out within a coup.

        Where the last coup happens to end with the last card, the last cards are rotated.
        """
        front, tail = loading.cards[:-TAIL_CARDS], loading.cards[-TAIL_CARDS:]
        for turn in range(TAIL_CARDS):
            cards = (*front, *tail[turn:], *tail[:turn])
            for behind in range(2, TAIL_CARDS):
                short = Loading(cards, behind)
                trial = Dealer(replace(self.settings, mistakes=self._all_but_shortage()))
                for _ in trial.shoe_actions(number, short):
                    pass
                last = trial.truth.coups[-1]
                if last.void and last.cards and not last.mistakes:
                    return short
        raise AssertionError("no place of the cut card makes the cards run out in a coup")

    def _all_but_shortage(self) -> tuple[PlannedMistake, ...]:
        return tuple(
            plan
            for plan in self.settings.mistakes
            if plan.mistake is not Mistake.INSUFFICIENT_CARDS
        )


def _overdraw_mistake(coup: CoupOnTable) -> Mistake:
    """Which mistake another card would be on a complete coup."""
    if coup.natural:
        return Mistake.OVERDRAW_AFTER_NATURAL
    if coup.cards_dealt == 4:
        return Mistake.PLAYER_THIRD_WHEN_STANDING
    return Mistake.EXTRA_CARD


def burn_actions(dealer: Dealer) -> Generator[DealerAction, None, Card | None]:
    """Burn the first card and as many more as its value, with the mistake that is due, if any.

    Returns the card that was burned and not owed, if any.
    """
    burned: list[PlacedCard] = []
    too_many: Card | None = None
    made: tuple[Mistake, ...] = ()
    if dealer.is_due(Mistake.BURN_SKIPPED):
        made = (Mistake.BURN_SKIPPED,)
        first = yield from _deal_too_early(dealer, burned, Mistake.BURN_SKIPPED)
        # That card becomes the first burn card after all; the rest is burned with the burn key.
        yield from _burn(dealer, burned, first.burn_value, burn_key=True)
        yield PressStandBy()
    else:
        first = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, first))
        yield Draw(first, Place.BURN)
        if dealer.is_due(Mistake.BURN_SHORT):
            made = (Mistake.BURN_SHORT,)
            yield from _burn(dealer, burned, first.burn_value - 1)
            yield from _deal_too_early(dealer, burned, Mistake.BURN_SHORT)
            yield PressStandBy()
        else:
            yield from _burn(dealer, burned, first.burn_value)
            if dealer.is_due(Mistake.BURN_LONG):
                made = (Mistake.BURN_LONG,)
                yield from _burn(dealer, burned, 1, burn_key=True)
                too_many = burned[-1].card
                yield MistakeMade(Mistake.BURN_LONG)
            if dealer.stand_by_after_burn:
                yield PressStandBy()
    owed = 1 + first.burn_value
    dealer.truth.records.append(BurnTruth(dealer.shoe_number, tuple(burned), owed, made))
    return too_many


def _burn(
    dealer: Dealer, burned: list[PlacedCard], count: int, *, burn_key: bool = False
) -> Generator[DealerAction, None, None]:
    for _ in range(count):
        card = yield from dealer.next_card()
        burned.append(PlacedCard(Place.BURN, card))
        yield Draw(card, Place.BURN, burn_key=burn_key)


def _deal_too_early(
    dealer: Dealer, burned: list[PlacedCard], mistake: Mistake
) -> Generator[DealerAction, None, Card]:
    """Start dealing while burn cards are owed; the card drawn still counts as a burn card."""
    yield PressStandBy()
    card = yield from dealer.next_card()
    burned.append(PlacedCard(Place.PLAYER, card))
    yield Draw(card, Place.PLAYER)
    yield MistakeMade(mistake)
    return card
