"""A dealer who deals from the piles of a scenario, statement by statement, by the rules."""

from collections.abc import Callable, Generator, Iterator
from typing import Final

from controller.procedure.phases import REMEDY_BURNS, Phase
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import DeclareResult
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from hil.dealing.actions import (
    ClearDeviceError,
    DealerAction,
    Draw,
    DrawCutCard,
    MistakeMade,
    NewShoe,
    Pause,
    PauseKind,
    PressForcedExit,
    PressResult,
    PressStandBy,
    SettingMode,
)
from hil.dealing.cards import Card, PhysicalCard
from hil.dealing.dealer import Acts, Dealer, DealerSettings, OutOfCards, OverdrawRemedy
from hil.dealing.mistakes import Mistake
from hil.dealing.shoe import CUT_FROM_BACK_MIN, Loading
from hil.dealing.truth import Truth
from hil.scenario.language.statements import Subject
from hil.scenario.play.bench import NotPossible, ShoeHands, TableSide
from hil.scenario.play.piles import Piles

_NO_LOADING: Final = Loading((), 0)


class PileDealer(Dealer):
    """A dealer whose cards come from the piles. `wanted` are the mistakes to make."""

    def __init__(self, seed: int, piles: Piles) -> None:
        super().__init__(DealerSettings(seed, overdraw_remedy=OverdrawRemedy.BURN_AMOUNT))
        self._piles = piles
        self.wanted: list[Mistake] = []
        self.erring = False  # a mistake is being made
        self.newest: PhysicalCard | None = None
        self._spare_drawn = False

    def next_card(self) -> Generator[DealerAction, None, Card]:
        """Draw the next card, after the cut card where that lies before it. Raises OutOfCards."""
        while True:
            self.newest = self._piles.next_piece()
            if self.newest.card is not None:
                return self.newest.card
            yield DrawCutCard()
            if not self._piles.shoe:
                raise OutOfCards("a card is due and none is left")
            self._cut_card_drawn = True
            if self.is_due(Mistake.CUT_CARD_NEAR_BACK):
                yield MistakeMade(Mistake.CUT_CARD_NEAR_BACK)

    def cut_card(self) -> PhysicalCard:
        """The cut card that was just drawn, or one more of the batch: a mistake."""
        if self.newest is not None and self.newest.card is None:
            return self.newest
        inside = [one for one in self._piles.shoe if one.card is None]
        spare = self._piles.batches[self._piles.in_shoe].cut_cards[-1]
        if self._spare_drawn and inside:
            self._piles.shoe.remove(inside[-1])
            return inside[-1]
        self._spare_drawn = True
        return spare

    def is_due(self, mistake: Mistake) -> bool:
        """Whether to make that mistake now; then it is done."""
        if mistake not in self.wanted or not self._is_occasion(mistake):
            return False
        self.wanted.remove(mistake)
        self.erring = True
        return True

    def _is_occasion(self, mistake: Mistake) -> bool:
        """Where the cut card lies decides whether it lies wrongly."""
        match mistake:
            case Mistake.CUT_CARD_DURING_BURN:
                return self._cut_card_drawn
            case Mistake.CUT_CARD_NEAR_BACK:
                return self._piles.cards_left < CUT_FROM_BACK_MIN
            case _:
                return True

    def shoe(self, number: int) -> Acts:
        """The actions of the shoe that was loaded."""
        self._spare_drawn = False
        return self.shoe_actions(number, _NO_LOADING)


class ScenarioDealer:
    """Deals on order: the burn, so many coups, or to the end.

    Stops after a mistake, and when the table is suspended, unless careless. `double_feeds`: with
    the next card the one behind it comes out, that often. `watch` is called with each action before
    it is done.
    """

    def __init__(self, seed: int, piles: Piles, hands: ShoeHands, table: TableSide) -> None:
        self._dealer = PileDealer(seed, piles)
        self._hands = hands
        self._table = table
        self._actions: Iterator[DealerAction] | None = None
        self._shoes = 0
        self._piles = piles
        self.double_feeds = 0
        self._is_over = False
        # A coup was stopped, and none has been concluded since.
        self._interrupted = False
        self.watch: Callable[[DealerAction], object] = lambda _: None

    @property
    def truth(self) -> Truth:
        """What was truly dealt."""
        return self._dealer.truth

    def shoe_loaded(self) -> None:
        """Another shoe begins."""
        self._shoes += 1
        self._is_over = False
        self._actions = self._dealer.shoe(self._shoes)

    def shoe_emptied(self) -> None:
        """Nothing is dealt until another shoe is loaded."""
        self._actions = None

    def err(self, mistake: Mistake) -> None:
        """Make that mistake at its next occasion."""
        self._dealer.wanted.append(mistake)

    def deal_burn(self) -> str:
        """Burn by the rules, up to the first coup or to a mistake; where and why it stopped."""
        stop = self._deal_until(PauseKind.AFTER_BURN, 1)
        return f"stopped: {stop}" if stop else ""

    def deal_coups(self, coups: int, *, careless: bool = False) -> str:
        """Deal so many coups; 0: to the last hand. Where and why it stopped before, if it did.

        Raises NotPossible where a coup that was dealt was not concluded, and nothing says why.
        """
        concluded, dealt = self._concluded, len(self.truth.coups)
        stop = self._deal_until(PauseKind.BETWEEN_COUPS, coups, careless=careless)
        wanted = coups or len(self.truth.coups) - dealt
        if not stop and self._table.reaches(lambda: self._concluded - concluded >= wanted):
            self._interrupted = False
            return ""
        self._table.settle()
        shown = self._table.snapshot()
        stop = stop or self._why_not_concluded(shown)
        self._interrupted = self._interrupted or bool(stop)
        of = f" of {wanted}" if coups else ""
        reached = f"{self._concluded - concluded}{of} coups concluded"
        phase = shown.phase.value
        state = f"the table is in phase {phase.value}" if isinstance(phase, Phase) else str(phase)
        if not stop:
            over = "the shoe is over" if self._is_over else "nothing says why"
            raise NotPossible(f"{reached}, {over}: {state}")
        return f"stopped after {reached}, {state}: {stop}"

    def _why_not_concluded(self, shown: Snapshot) -> str:
        """What keeps a coup that was dealt from its end; empty where nothing does."""
        if shown.suspension is not None:
            return "the table is suspended"
        if self._table.disturbances.excuse:
            return "the scenario has disturbed line, cable, host or power"
        if self._interrupted:
            return "the coup was stopped before"
        if shown.phase.value in REMEDY_BURNS:
            return "a person's decision has cards burned first"
        return ""

    @property
    def _concluded(self) -> int:
        """Coups that were counted or void."""
        return len(self._table.facts.since(0, Subject.COUP))

    def _deal_until(self, kind: PauseKind, times: int, *, careless: bool = False) -> str:
        """Why it stopped before; empty if it did not, and at the last hand."""
        if self._actions is None:
            raise NotPossible("no shoe is loaded; write `load red` first")
        seen, before = 0, self._table.facts.suspensions
        while (action := self._next_action(self._actions)) is not None:
            self.watch(action)
            self._perform(action)
            if isinstance(action, MistakeMade):
                self._dealer.erring = False
                return f"the dealer made the mistake {action.mistake.value}"
            # A mistake is made to its end: the table may know it before the dealer does.
            suspended = self._table.facts.suspensions > before and not careless
            if suspended and not self._dealer.erring:
                return "the table is suspended"
            seen += isinstance(action, Pause) and action.kind is kind
            if times and seen == times:
                return ""
        self._is_over = True
        return ""

    def _next_action(self, actions: Iterator[DealerAction]) -> DealerAction | None:
        """The dealer's next action; None after the last. Raises NotPossible without cards."""
        try:
            return next(actions, None)
        except OutOfCards as error:
            raise NotPossible(f"the dealer cannot go on: {error}") from error

    def _perform(self, action: DealerAction) -> None:
        match action:
            case Draw():
                piece = self._dealer.newest
                assert piece is not None, "a card was drawn from the piles"
                self._hands.draw(piece, burn_key=action.burn_key)
                if self.double_feeds and self._piles.shoe:
                    self.double_feeds -= 1
                    self._piles.next_piece()
            case DrawCutCard():
                self._hands.draw(self._dealer.cut_card())
            case PressResult():
                declare(self._table, self._hands, action)
            case PressStandBy():
                self._hands.press_stand_by()
            case PressForcedExit():
                self._hands.press_forced_exit()
            case ClearDeviceError():
                self._hands.clear_error(action.code)
            case SettingMode():
                self._hands.turn_setting_key(on=action.on)
            case NewShoe() | Pause() | MistakeMade():
                return
        self._table.catch_up()


def declare(table: TableSide, hands: ShoeHands, pressed: PressResult) -> None:
    """Press the result at the shoe, or declare it at the console where the shoe has no keys."""
    if hands.press_result(pressed):
        return
    table.catch_up()
    outcome = Outcome(pressed.winner.value)
    declared = DeclareResult(outcome, pressed.player_pair, pressed.banker_pair)
    table.act(declared, Role.DEALER, "Dee Dealer", "")
