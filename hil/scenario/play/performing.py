"""Does what a scenario says with the hands of a bench, and deals by the rules from its piles."""

from collections.abc import Callable, Generator, Iterator
from functools import singledispatchmethod
from typing import Final

from controller.core.script.statements import FLOORPERSON, Burn, DueCard, HandCard
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.procedure.phases import REMEDY_BURNS, Phase
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import ClearWarning, DeclareResult, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card as Face
from controller.rules.coup import Place
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
from hil.dealing.tableau import Winner
from hil.dealing.tags import BACKS
from hil.dealing.truth import Truth
from hil.rig.batch_exchange import compartment_of
from hil.scenario.language import statements as said
from hil.scenario.language.reading import Scenario
from hil.scenario.language.statements import Subject
from hil.scenario.play.bench import Bench, NotPossible, ShoeHands, TableSide
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


_REPORTED: Final = (
    "a device reports this, and no hand can do it. Remedy: let a device do it, with a statement of"
    " hil/scenario/README.md"
)
_BUTTONS: Final = ("load", "count", "shuffle", "store")


class Performer:
    """The people of a scenario: dealer, floorperson, attendant of the shuffler, intruder."""

    def __init__(self, scenario: Scenario, bench: Bench, seed: int) -> None:
        self._bench = bench
        self.piles = Piles(seed, shuffled=not scenario.shuffler)
        self.dealer = self._dealer = ScenarioDealer(seed, self.piles, bench.shoe, bench.table)
        self._loaded = False

    def perform(self, body: said.ScenarioBody) -> str:
        """Do it; where and why dealing stopped, if it did. Raises NotPossible, RigBroken."""
        self._bench.table.disturbances.note(body)
        stopped = self._do(body)
        self._bench.table.settle()
        return stopped or ""

    @singledispatchmethod
    def _do(self, body: object) -> str | None:
        raise NotPossible(_REPORTED)

    # --- the dealing language ------------------------------------------------------------------

    @_do.register
    def _(self, body: Burn) -> None:
        self._switch_on()
        self._draw(body.first)
        for face in body.further:
            if face is None:
                self._draw_next()
            else:
                self._draw(face)

    @_do.register
    def _(self, body: HandCard) -> None:
        self._draw(body.card)

    @_do.register
    def _(self, body: DueCard) -> None:
        self._draw(body.card)

    @_do.register
    def _(self, body: CardDrawn) -> None:
        outside = body.claimed is Place.OUTSIDE
        if outside:
            self._bench.shoe.turn_setting_key(on=True)
        self._draw(body.card, burn_key=body.claimed is Place.BURN_EXTRA)
        if outside:
            self._bench.shoe.turn_setting_key(on=False)

    @_do.register
    def _(self, body: CutCardDrawn) -> None:
        self._switch_on()
        self._bench.shoe.draw(self._cut_card())

    @_do.register
    def _(self, body: ResultDeclared) -> None:
        pressed = PressResult(Winner(body.outcome.value), body.player_pair, body.banker_pair)
        declare(self._bench.table, self._bench.shoe, pressed)

    @_do.register
    def _(self, body: ShoeStandsBy) -> None:
        self._bench.shoe.press_stand_by()

    @_do.register
    def _(self, body: CoupForcedOut) -> None:
        self._bench.shoe.press_forced_exit()

    @_do.register
    def _(self, body: ShoeDeviceStarted) -> None:
        self._bench.shoe.power(on=True)

    @_do.register
    def _(self, body: OperatorAction) -> None:  # type: ignore[type-arg]
        self._bench.table.act(body.action, body.role, body.person, body.reason)

    # --- cards and the dealer ------------------------------------------------------------------

    @_do.register
    def _(self, body: said.HandShuffle) -> None:
        self.piles.shuffle(body.back, body.keeping)

    @_do.register
    def _(self, body: said.PutInOrder) -> None:
        self.piles.sort(body.back)

    @_do.register
    def _(self, body: said.SwapCard) -> None:
        at = body.position or self.piles.place_of(body.back, body.old)
        self.piles.swap(body.back, at, body.face, other_batch=body.other_batch)

    @_do.register
    def _(self, body: said.SwapAll) -> None:
        self.piles.swap_all(body.back)

    @_do.register
    def _(self, body: said.RemoveCards) -> None:
        self.piles.remove(body.back, body.cards)

    @_do.register
    def _(self, body: said.CutCardAt) -> None:
        self.piles.cut_from_back = body.from_back

    @_do.register
    def _(self, body: said.LoadShoe) -> None:
        self._bench.shoe.put_cards_in(self.piles.fill_shoe(body.back))
        self._dealer.shoe_loaded()
        self._loaded = True

    @_do.register
    def _(self, body: said.EmptyShoe) -> None:
        self._bench.lay_in_rack(self.piles.drawn)
        self._bench.shoe.take_cards_out()
        self.piles.collect()
        self._dealer.shoe_emptied()

    @_do.register
    def _(self, body: said.DealBurn) -> str:
        return self._dealer.deal_burn()

    @_do.register
    def _(self, body: said.DealCoups) -> str:
        return self._dealer.deal_coups(body.coups, careless=body.careless)

    @_do.register
    def _(self, body: said.Err) -> None:
        self._dealer.err(body.mistake)

    @_do.register
    def _(self, body: said.DrawNext) -> None:
        if body.card is None:
            self._draw_next()
        else:
            self._draw(body.card)

    @_do.register
    def _(self, body: said.NextCardDoes) -> None:
        if body.fault is said.CardFault.DOUBLE_FEED:
            self._dealer.double_feeds += 1
        else:
            self._bench.shoe.plan(body.fault)

    @_do.register
    def _(self, body: said.FloorDecides) -> None:
        self._bench.table.decide()

    @_do.register
    def _(self, body: said.FloorClears) -> None:
        table = self._bench.table
        shuffler = table.snapshot().shuffler
        for one in shuffler.warnings if shuffler is not None else ():
            if not one.active:
                table.act(ClearWarning(one.number), Role.FLOORPERSON, FLOORPERSON, "put right")

    # --- the shuffler --------------------------------------------------------------------------

    @_do.register
    def _(self, body: said.PutIn) -> None:
        self._put_in(body.back)

    @_do.register
    def _(self, body: said.TakeOut) -> None:
        taken = self._bench.shuffler.take_out(compartment_of(body.back))
        self.piles.held[body.back].extend(taken)

    @_do.register
    def _(self, body: said.Press) -> None:
        self._bench.shuffler.press(body.button, body.compartment, at_once=body.at_once)

    @_do.register
    def _(self, body: said.ShuffleBatch) -> None:
        self._put_in(body.back)
        for button in _BUTTONS:
            self._bench.shuffler.press(button, compartment_of(body.back))

    @_do.register
    def _(self, body: said.BringOut) -> None:
        number = compartment_of(body.back)
        self._bench.shuffler.press("release", number)
        self.piles.held[body.back].extend(self._bench.shuffler.take_out(number))

    @_do.register
    def _(self, body: said.MoveDoor) -> None:
        self._bench.shuffler.move_door(body.compartment, is_open=body.is_open)

    @_do.register
    def _(self, body: said.JamMechanism) -> None:
        self._bench.shuffler.jam(body.compartment, jammed=body.jammed)

    @_do.register
    def _(self, body: said.StickSensor) -> None:
        if body.compartment is None:
            self._bench.shoe.stick_gate(stuck=body.stuck)
        else:
            self._bench.shuffler.stick_door(body.compartment, stuck=body.stuck)

    @_do.register
    def _(self, body: said.LeaveCards) -> None:
        if body.cards:
            self._bench.shuffler.leave_cards(body.cards, body.compartment)
            return
        for piece in self._bench.shuffler.take_left_cards():
            self.piles.held[piece.back].append(piece)

    @_do.register
    def _(self, body: said.ReachIn) -> None:
        taken = self._bench.shuffler.reach_in(compartment_of(body.back))
        self.piles.held[body.back].extend(taken)

    @_do.register
    def _(self, body: said.TurnModeKey) -> None:
        self._bench.shuffler.turn_mode_key(body.mode)

    @_do.register
    def _(self, body: said.Lamp) -> None:
        self._bench.shuffler.light(body.code, body.text, on=body.on)

    @_do.register
    def _(self, body: said.Interfere) -> None:
        self._bench.shuffler.interfere(body.how)

    # --- cables, power, time -------------------------------------------------------------------

    @_do.register
    def _(self, body: said.MovePlug) -> None:
        self._bench.move_plug(body.part, plugged=body.plugged)

    @_do.register
    def _(self, body: said.SwitchPower) -> None:
        match body.part:
            case said.TablePart.SHOE:
                self._bench.shoe.power(on=body.on)
            case said.TablePart.SHUFFLER:
                self._bench.shuffler.power(on=body.on)
            case _:
                self._bench.table.power(on=body.on)

    @_do.register
    def _(self, body: said.Befall) -> None:
        self._bench.table.befall(body.fault, body.ns)

    @_do.register
    def _(self, body: said.Disturb) -> None:
        self._bench.disturb(body)

    @_do.register
    def _(self, body: said.Wait) -> None:
        self._bench.table.wait(body.ns)

    # --- pieces ---------------------------------------------------------------------------------

    def _switch_on(self) -> None:
        """A script without a loading begins with red cards in a shoe that is switched on."""
        if not self._loaded:
            self.perform(said.LoadShoe(BACKS[0]))

    def _draw(self, face: Face | None, *, burn_key: bool = False) -> None:
        """Draw the next card with that face; None: one that the shoe cannot read."""
        self._switch_on()
        shoe = self._bench.shoe
        if face is None:
            shoe.draw(self.piles.next_piece(), burn_key=burn_key, readable=False)
        else:
            shoe.draw(self.piles.piece_with(face), burn_key=burn_key)
        self._bench.table.catch_up()

    def _draw_next(self) -> None:
        self._switch_on()
        self._bench.shoe.draw(self.piles.next_piece())
        self._bench.table.catch_up()

    def _cut_card(self) -> PhysicalCard:
        left = [one for one in self.piles.shoe if one.card is None]
        if left:
            self.piles.shoe.remove(left[0])
            return left[0]
        return self.piles.batches[self.piles.in_shoe or "red"].cut_cards[-1]

    def _put_in(self, back: str) -> None:
        cards = self.piles.held[back]
        if not cards:
            raise NotPossible(f"no card of {back} is in people's hands")
        self._bench.shuffler.put_in(tuple(cards))
        cards.clear()
